"""Names that would be images, links or formulas: shown as they are, and nothing is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.dashboard import SOON_MS, VIEWS, Dashboard
from tests.browser.tables import events, separated
from tests.support import images

pytestmark = pytest.mark.browser

# By what Streamlit's Markdown would do with it; each is the name of a column.
ACTIVE = (
    *("www.example.org", "http:example", "a@example.org", ":smile:", ":material-home:"),
    *(":streamlit:", ":red[a]", ":blue-badge[a]", "$x^2$", "`a`", "**a**", "_a_", "~~a~~"),
    *(
        "<b>a</b>",
        "[a](harm.png)",
        "![a](harm.png)",
        "- a",
        "1. a",
        "> a",
        "a -> b -- c <= d",
    ),
    *("&amp;", "a|b", "[^1]", "---"),
)

MOST = 12  # columns that the view lists by name
# The columns that are not used, in a sentence that holds no element: no link, no image, no colour.
_LISTED = """wanted => [...document.querySelectorAll('[data-testid=stPopoverBody] p')].some(
    p => p.textContent.replaceAll('\\u2060', '').includes(wanted) && !p.querySelector('*'))"""


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server of somebody else's on this machine; what it was asked for."""
    asked: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/harm.png", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def with_columns(names: Sequence[str]) -> bytes:
    """A table of 12 people with further columns of these names."""
    head, *rows = separated(events(12, 5)).decode().splitlines()
    lines = [",".join([head, *names]), *(",".join([row, *("1" for _ in names)]) for row in rows)]
    return "\n".join([*lines, ""]).encode()


def choose(dashboard: Dashboard, key: str, name: str, content: bytes) -> None:
    """A file for one of the two tables, and no more."""
    box = dashboard.page.locator(f".st-key-{key}")
    dashboard.attach(box, {"name": name, "mimeType": "text/csv", "buffer": content})


def details(dashboard: Dashboard) -> None:
    """Open what else is said of the file; other data may be open for a choice yet."""
    dashboard.page.keyboard.press("Escape")
    told = dashboard.page.get_by_test_id("stPopoverBody").get_by_text("further column")
    dashboard.insist(
        lambda: dashboard.unfold("details_account"), lambda ms: told.first.wait_for(timeout=ms)
    )


def pictures(dashboard: Dashboard) -> list[str]:
    """Images and links on the page that are not its own."""
    return dashboard.page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stMarkdownContainer] img, "
        "[data-testid=stMarkdownContainer] a[href]')].map(e => e.outerHTML)"
        ".filter(html => html.includes('harm.png') || html.includes('example'))"
    )


def test_no_view_asks_for_what_a_file_names(open_dashboard: Callable[..., Dashboard]) -> None:
    with listener() as (address, asked):
        name = images.image(address)
        dashboard = open_dashboard()
        dashboard.go("/data")
        choose(dashboard, "data_file", "records.csv", images.events(name))
        choose(dashboard, "data_antennas", "antennas.csv", images.antennas(name))
        dashboard.press("data_read")
        dashboard.wait_for_data(users=12)
        details(dashboard)
        listed = dashboard.page.get_by_test_id("stPopoverBody")
        assert name in (listed.text_content() or "").replace("\u2060", "")
        assert pictures(dashboard) == []
        dashboard.page.keyboard.press("Escape")
        dashboard.unfold("data_correct")
        dashboard.press("data_list_columns")
        dashboard.wait_until_idle()
        for view in VIEWS:
            dashboard.turn_to(view)
            dashboard.wait_until_idle()
            assert pictures(dashboard) == []
        assert asked == []
        assert not [url for url in dashboard.seen.requests if "harm.png" in url]


def test_a_name_is_shown_letter_by_letter(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    dashboard.go("/data")
    for at in range(0, len(ACTIVE), MOST):
        names = ACTIVE[at : at + MOST]
        dashboard.upload(f"names{at}.csv", with_columns(names))
        dashboard.wait_for_data(users=12)
        details(dashboard)
        dashboard.page.wait_for_function(_LISTED, arg=f"({', '.join(names)})", timeout=SOON_MS)
        assert pictures(dashboard) == []
        dashboard.page.keyboard.press("Escape")
