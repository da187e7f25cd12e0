"""A running dashboard and a real Chromium.

Nothing is skipped where Chromium is missing: these tests then fail and say so, because what they
hold (nothing leaves the machine, no id on the screen) nothing else holds.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.dashboard import Dashboard, clean
from tests.browser.server import Server, started

# No sandbox, as containers allow none; WebGL by the processor; nothing of its own accord.
_CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard that most tests share."""
    with started(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


# For a module, not for the session: while Playwright is open its event loop counts as running in
# this thread, which the tests of other folders may not be ready for.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless, drawing WebGL in software."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("Chromium is missing; install it: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=_CHROMIUM_FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def visited(server: Server, browser: Browser) -> Server:
    """The server after its start page was opened, as ``make run`` does.

    A deep link as the very first request of a new server gets Streamlit's "Page not found" over the
    start page: until a script has run it takes ``pages/`` for its old layout. README, Limits.
    """
    page = browser.new_page()
    Dashboard(page, server.address).go()
    page.close()
    return server


@pytest.fixture
def open_dashboard(visited: Server, browser: Browser) -> Iterator[Callable[..., Dashboard]]:
    """Opens browsers of their own (cookies, session) on the dashboard; each is judged at the end.

    Keyword arguments go to ``Browser.new_context``, such as ``color_scheme="dark"``.
    """
    with ExitStack() as stack:

        def opened(**options: object) -> Dashboard:
            context = browser.new_context(
                **{"viewport": {"width": 1440, "height": 900}, "accept_downloads": True} | options
            )
            stack.callback(context.close)
            return stack.enter_context(clean(Dashboard(context.new_page(), visited.address)))

        yield opened
    visited.check_printed()


@pytest.fixture
def dashboard(open_dashboard: Callable[..., Dashboard]) -> Dashboard:
    """One browser on the dashboard, nothing opened yet."""
    return open_dashboard()
