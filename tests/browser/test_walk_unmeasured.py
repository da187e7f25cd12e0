"""Every page with nothing open, while all waits, and where work failed: walk.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from pages.shell import navigation
from tests.browser.dashboard import Dashboard
from tests.browser.server import Server
from tests.browser.walk import looked_at

pytestmark = pytest.mark.browser


def test_with_nothing_open(dashboard: Dashboard) -> None:
    dashboard.go()
    assert looked_at(dashboard, "empty", figure=False) == []


def test_while_everything_waits(open_dashboard: Callable[..., Dashboard], server: Server) -> None:
    dashboard = open_dashboard()
    dashboard.go()
    dashboard.press("start_sf_cabs")
    dashboard.says("May these data be released")
    expect(dashboard.page.locator(".st-key-bar_data")).to_be_visible()
    with server.held():
        assert looked_at(dashboard, "waiting", figure=False) == []


def test_where_work_failed(open_dashboard: Callable[..., Dashboard], server: Server) -> None:
    dashboard = open_dashboard()
    dashboard.go()
    dashboard.press("start_sf_cabs")
    expect(dashboard.page.locator(".st-key-bar_data")).to_be_visible()
    for place in ("anonymizability", "disclosure", "aggregates", "unicity"):
        with server.held():
            dashboard.turn_to(navigation.place(place).title)
            dashboard.settle()
            for child in server.workers():
                server.kill(child)
    assert looked_at(dashboard, "failed", figure=False) == []
