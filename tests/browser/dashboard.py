"""The dashboard as one who looks at it through Chromium: what to click, and what then shows."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from PIL import Image
from playwright.sync_api import ConsoleMessage, Error, Page, Request, WebSocket, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

LONG_MS = 60_000
"""How long anything may take before a test gives up: a limit on patience, not on speed."""

# Opened at /data, Streamlit's own page first asks whether it is served below /data/, and is told
# 404; it then asks at the root. Nothing of ours is missing.
_PROBE = re.compile(r"://[^/]+/[a-z]+/_stcore/(health|host-config)$")
_SETTLED = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app && app.dataset.testScriptState === 'notRunning'
        && !document.querySelector('[data-testid=stSpinner], [data-stale=true]');
}"""
_HAS_CURVES = """([key, names]) => {
    const plots = document.querySelectorAll(`.st-key-${key} .js-plotly-plot`);
    if (plots.length !== 1 || !plots[0].data) return false;
    const found = plots[0].data.filter(t => t.showlegend !== false).map(t => t.name);
    const lines = [...plots[0].querySelectorAll('.scatterlayer .trace path.js-line')];
    const drawn = lines.filter(path => (path.getAttribute('d') || '').length > 50).length;
    const legend = [...plots[0].querySelectorAll('.legendtext')].map(e => e.textContent);
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    return same(found, names) && same(legend, names) && drawn >= names.length;
}"""
_DRAWN_IN_3D = """key => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    return plot && plot.data ? plot.data.filter(t => t.type === 'scatter3d').map(t => t.name) : [];
}"""
# Where on the screen the point lies that is nearest to a share of the users, on the first curve
# whose points name people.
_POINT_AT = """([key, share]) => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    const dots = plot._fullData.find(t => t.customdata && t.customdata.length);
    const off = Array.from(dots.y).map(y => Math.abs(y - share));
    const i = off.indexOf(Math.min(...off));
    const {xaxis, yaxis} = plot._fullLayout;
    const box = plot.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.l2p(dots.x[i]),
            box.top + yaxis._offset + yaxis.l2p(dots.y[i])];
}"""


@dataclass
class Observed:
    """What a page asked for, what the server told it, and what it complained about."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list, repr=False)

    def watch(self, page: Page) -> None:
        """Record from now on; requests of the page's workers belong to its context."""
        page.context.on("request", self._asked)
        page.on("websocket", self._opened)
        page.on("console", self._said)
        page.on("pageerror", self._threw)

    def strangers(self, address: str) -> list[str]:
        """Requests for anything but this server, or what the page made itself."""
        own = (address + "/", address.replace("http", "ws", 1) + "/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)

    def _opened(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        socket.on("framereceived", self._heard)

    def _heard(self, frame: str | bytes) -> None:
        self.received.append(frame.encode() if isinstance(frame, str) else frame)

    def _said(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not _PROBE.search(where):
            self.complaints.append(f"{message.text} ({where})")

    def _threw(self, error: Error) -> None:
        self.complaints.append(str(error))


class Dashboard:
    """One browser's view of a running dashboard.

    Parameters
    ----------
    page : Page
    address : str
        Such as ``http://localhost:8501``.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.seen = Observed()
        self.seen.watch(page)

    # --- going about ---

    def go(self, path: str = "/") -> None:
        """Open an address in a new session of the server."""
        self.page.goto(self.address + path)
        self.page.locator("h1").first.wait_for(timeout=LONG_MS)
        self.settle()

    def turn_to(self, view: str) -> None:
        """To another view by the sidebar, in the same session."""
        self.page.get_by_test_id("stSidebarNav").get_by_role("link", name=view).click()
        expect(self.page.locator("h1")).to_have_text(
            re.compile("Who can hide" if view == "Start" else view), timeout=LONG_MS
        )
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run; what repeats itself meanwhile may go on."""
        self.page.wait_for_function(_SETTLED, timeout=LONG_MS)

    def open_sample(self, named: str) -> None:
        """The one click on the start page."""
        self.page.get_by_role("button", name=named).click()

    def upload(self, name: str, content: bytes) -> None:
        """Upload a file on the data view and have it read; returns when that has begun."""
        files = self.page.locator(".st-key-data_file input[type=file]")
        files.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
        expect(self.page.locator(".st-key-data_file").get_by_text(name)).to_be_visible()
        self.page.wait_for_timeout(500)  # the script learns of the file
        self.settle()
        read = self.page.locator(".st-key-data_read button")
        expect(read).to_be_enabled(timeout=LONG_MS)
        read.click()

    def press(self, key: str) -> None:
        """The button of that key."""
        self.page.locator(f".st-key-{key} button").first.click()

    def unfold(self, key: str) -> None:
        """Open an expander, if it is not open."""
        box = self.page.locator(f".st-key-{key} details")
        box.wait_for(timeout=LONG_MS)
        if box.get_attribute("open") is None:
            box.locator("summary").click()
            self.page.wait_for_timeout(600)  # it opens gradually; lists below would move, and close

    def download(self, key: str) -> str:
        """What the download button of that key gives."""
        # A file that is made when asked for is gone when the page is drawn anew meanwhile.
        self.wait_until_idle()
        with self.page.expect_download(timeout=LONG_MS) as got:
            self.press(key)
        with open(got.value.path(), encoding="utf-8") as file:
            return file.read()

    def choose(self, key: str, option: str) -> None:
        """An option of a select box."""
        # A list closes when what is above it changes its height, as when some work is done.
        for patience_ms in (5_000, 5_000, LONG_MS):
            self.page.locator(f"[class*=st-key-{key}] input").click()
            self.page.keyboard.type(option)  # long lists draw only what is in sight
            try:
                self.page.get_by_role("option", name=option, exact=True).click(timeout=patience_ms)
            except PlaywrightTimeout:
                if patience_ms == LONG_MS:
                    raise
                self.page.keyboard.press("Escape")
            else:
                break
        self.settle()

    def tag(self, key: str, text: str) -> None:
        """Type a new entry into a multiple choice."""
        box = self.page.locator(f"[class*=st-key-{key}]")
        offered = self.page.get_by_role("option").filter(has_text=text).first
        for patience_ms in (5_000, 5_000, LONG_MS):  # as in choose
            box.locator("input").click()
            self.page.keyboard.type(text, delay=50)
            try:
                offered.wait_for(timeout=patience_ms)
            except PlaywrightTimeout:
                if patience_ms == LONG_MS:
                    raise
                box.locator("input").fill("")
                self.page.keyboard.press("Escape")
            else:
                break
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Escape")
        expect(offered).to_be_hidden(timeout=LONG_MS)
        expect(box.get_by_text(text, exact=True)).to_be_visible(timeout=LONG_MS)

    # --- looking ---

    @property
    def text(self) -> str:
        """All text of the page, hidden parts too."""
        return self.page.locator("body").text_content() or ""

    def says(self, words: str | re.Pattern[str]) -> None:
        """Wait until the view says so, visibly."""
        expect(self.page.get_by_test_id("stMain").get_by_text(words).first).to_be_visible(
            timeout=LONG_MS
        )

    def error(self) -> str:
        """Wait for the box that tells of an error, and read it."""
        box = self.page.get_by_test_id("stAlertContentError").first
        box.wait_for(timeout=LONG_MS)
        self.settle()
        return box.inner_text()

    def wait_for_data(self, users: int | None = None) -> None:
        """Until the data view has an account to show, of that many users if told."""
        self.says("The account of the file")
        if users is not None:
            metric = self.page.get_by_test_id("stMetric").filter(has_text="Users")
            expect(metric.get_by_test_id("stMetricValue")).to_have_text(
                f"{users:,}", timeout=LONG_MS
            )
        self.settle()

    def wait_for_curves(self, key: str, names: list[str]) -> None:
        """Until a figure has exactly these curves, drawn and in its legend."""
        self.page.wait_for_function(_HAS_CURVES, arg=[key, names], timeout=LONG_MS)

    def table(self, heading: str) -> list[list[str]]:
        """The cells of the small table with that column heading, row by row."""
        grid = self.page.locator("[data-testid=stDataFrame] canvas").filter(
            has=self.page.locator("[role=columnheader]", has_text=heading)
        )
        grid.locator("[role=gridcell]").first.wait_for(state="attached", timeout=LONG_MS)
        return grid.evaluate(
            "c => [...c.querySelectorAll('tbody tr')].map("
            "r => [...r.querySelectorAll('[role=gridcell]')].map(d => d.textContent))"
        )

    def wait_until_idle(self) -> None:
        """Until no job runs in this session."""
        expect(self.page.get_by_test_id("stProgress")).to_have_count(0, timeout=LONG_MS)
        self.settle()

    def names_in_3d(self, key: str) -> list[str]:
        """The traces of a space-time figure."""
        return self.page.evaluate(_DRAWN_IN_3D, key)

    def click_point(self, key: str, share: float) -> None:
        """Click the point of the first curve that is nearest to a share of the users."""
        self.page.locator(f".st-key-{key} .js-plotly-plot").scroll_into_view_if_needed()
        self.page.wait_for_timeout(300)
        x, y = self.page.evaluate(_POINT_AT, [key, share])
        self.page.mouse.move(x - 3, y)
        self.page.mouse.move(x, y, steps=4)
        self.page.mouse.click(x, y)

    def picture_of(self, selector: str) -> Image.Image:
        """What is really on the screen there, once WebGL has drawn."""
        place = self.page.locator(selector).first
        place.wait_for(timeout=LONG_MS)
        place.scroll_into_view_if_needed()
        self.page.wait_for_timeout(2_500)
        return Image.open(io.BytesIO(place.screenshot())).convert("RGB")


def colours(picture: Image.Image) -> int:
    """How many different colours there are in it."""
    return len(picture.getcolors(picture.width * picture.height))


def amount_of(picture: Image.Image, colour: tuple[int, int, int], tolerance: int = 40) -> int:
    """How many pixels are about that colour."""
    return sum(
        count
        for count, pixel in picture.getcolors(picture.width * picture.height)
        if all(abs(a - b) <= tolerance for a, b in zip(pixel, colour, strict=True))
    )


@contextmanager
def clean(dashboard: Dashboard) -> Iterator[Dashboard]:
    """Hold, at the end, that the page spoke to its own server only and nothing went wrong in it."""
    yield dashboard
    page, seen = dashboard.page, dashboard.seen
    for what, found in (
        ("the page asked for something elsewhere", seen.strangers(dashboard.address)),
        ("the browser's console has errors", seen.complaints),
    ):
        assert not found, f"{what}: {found}"
    assert page.get_by_test_id("stException").count() == 0, "an exception is on the screen"
    for fault in ("Traceback", "fault in the program"):
        assert fault not in dashboard.text
