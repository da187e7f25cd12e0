"""A running dashboard and a real Chromium.

Nothing is skipped where Chromium is missing: these tests then fail and say so, because what they
hold (nothing leaves the machine, no id on the screen) nothing else holds.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.dashboard import Dashboard, clean
from tests.browser.server import Server, started

# No sandbox, as containers allow none; nothing of its own accord; WebGL by the processor, by Mesa:
# Chromium's own software takes four times as long for a map.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=gl-egl",
    "--ignore-gpu-blocklist",
    # Pages put together by that software take ten times as long for a picture.
    "--disable-gpu-compositing",
]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard that most tests share."""
    with started(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless, drawing WebGL in software."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("Chromium is missing; install it: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()


@contextmanager
def opened(server: Server, browser: Browser, **options: object) -> Iterator[Dashboard]:
    """A browser of its own (cookies, session) on the dashboard.

    Options go to ``Browser.new_context``, such as ``color_scheme="dark"``.
    """
    usual = {
        "viewport": {"width": 1440, "height": 900},
        "accept_downloads": True,
        "reduced_motion": "reduce",  # what moves for its own sake is drawn by the processor
    }
    options = usual | options
    context = browser.new_context(**options)
    try:
        yield Dashboard(context.new_page(), server.address)
    finally:
        context.close()


@pytest.fixture
def open_dashboard(server: Server, browser: Browser) -> Iterator[Callable[..., Dashboard]]:
    """Opens browsers of their own on the dashboard; each is judged at the end."""
    with ExitStack() as stack:

        def open_one(**options: object) -> Dashboard:
            dashboard = stack.enter_context(opened(server, browser, **options))
            return stack.enter_context(clean(dashboard))

        yield open_one
    server.check_printed()


@pytest.fixture
def dashboard(open_dashboard: Callable[..., Dashboard]) -> Dashboard:
    """One browser on the dashboard, nothing opened yet."""
    return open_dashboard()


class Kept:
    """Browsers with a sample open, kept for all tests that only look about in it.

    What a view has measured for one test is there for the next. Such a test may choose people and
    groups, and press what measures more; it leaves the settings as they are.
    """

    def __init__(self, server: Server, browser: Browser) -> None:
        self._server, self._browser = server, browser
        self._open: dict[str, tuple[Dashboard, ExitStack]] = {}

    def get(self, sample: str, users: int, path: str) -> Dashboard:
        """The browser with that sample, opened after that address if it is not open yet."""
        if sample not in self._open:
            stack = ExitStack()
            dashboard = stack.enter_context(opened(self._server, self._browser))
            self._open[sample] = dashboard, stack
            dashboard.go(path)
            dashboard.turn_to("Data")
            dashboard.open_sample_in_data(sample, users)
        return self._open[sample][0]

    def close(self, sample: str) -> None:
        """Open it anew next time."""
        if sample in self._open:
            self._open.pop(sample)[1].close()

    def close_all(self) -> None:
        """At the end."""
        for sample in list(self._open):
            self.close(sample)


@pytest.fixture(scope="session")
def kept(server: Server, browser: Browser) -> Iterator[Kept]:
    """The browsers that tests share."""
    shared = Kept(server, browser)
    yield shared
    shared.close_all()


@pytest.fixture
def taxis(kept: Kept, server: Server, request: pytest.FixtureRequest) -> Iterator[Dashboard]:
    """A browser, shared, with the San Francisco taxis open; by day, at any view."""
    yield from _shared(kept, server, request, "taxis", 496, "/aggregates?slot=60&seed=5")


@pytest.fixture
def people(kept: Kept, server: Server, request: pytest.FixtureRequest) -> Iterator[Dashboard]:
    """A browser, shared, with the synthetic users open, to be measured as they are; at any view."""
    yield from _shared(kept, server, request, "people", 2_000, "/anonymizability?profiles=100x1")


def _shared(
    kept: Kept,
    server: Server,
    request: pytest.FixtureRequest,
    sample: str,
    users: int,
    path: str,
) -> Iterator[Dashboard]:
    """Judged after each test; a test that fails leaves nothing to the next one."""
    failed_before = request.session.testsfailed
    try:
        dashboard = kept.get(sample, users, path)
        dashboard.turn_to_scheme("light")
        dashboard.seen.forget()
        with clean(dashboard):
            yield dashboard
        server.check_printed()
    except BaseException:
        kept.close(sample)
        raise
    if request.session.testsfailed > failed_before:
        kept.close(sample)


# While Playwright is open its event loop counts as running in this thread, which the tests of other
# folders may not be ready for: they come first.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
