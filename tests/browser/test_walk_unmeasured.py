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
    """Each page that computes loses its process; a release was made before, to be attacked."""
    dashboard = open_dashboard()
    dashboard.go("/data")
    dashboard.open_sample_in_data("taxis", 496)
    with server.failing():
        for place in ("unicity", "anonymizability", "disclosure", "aggregates", "options"):
            dashboard.turn_to(navigation.place(place).title)
            dashboard.error()
        dashboard.turn_to("Hide everyone")
        dashboard.press("glove_run")
        dashboard.error()
        dashboard.turn_to("Attack the release")
        dashboard.choose("attack_release", "as it is")
        dashboard.error()
        assert looked_at(dashboard, "failed", figure=False) == []
