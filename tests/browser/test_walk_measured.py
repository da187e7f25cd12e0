"""Every page with all of it measured: walk.py."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from pages.shell import navigation
from tests.browser.dashboard import LONG_MS, Dashboard
from tests.browser.walk import looked_at

pytestmark = pytest.mark.browser


def test_with_everything_measured(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    page = dashboard.page
    dashboard.go()
    dashboard.press("start_sf_cabs")
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(4, timeout=LONG_MS)
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=LONG_MS)
    for place in ("verdict", "four", "find_go"):  # as the map, all of it in the first screen
        box = page.locator(f".st-key-overview_{place}").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, (place, box)
    dashboard.press("overview_find_go")
    dashboard.wait_for_search()
    more = page.get_by_role("button", name="Go on searching")
    while more.count():  # on a slow machine
        more.click()
        dashboard.wait_for_search()
    dashboard.turn_to("Hide everyone")
    dashboard.hide_everyone(20)
    dashboard.turn_to("Replace the records")  # the recommended option has filled in the fields
    page.get_by_role("radio", name="people and trips").click()
    dashboard.settle()
    dashboard.choose("tables_protection", "Private (ε)")
    dashboard.state_tables("2008-06-08", 1, 500)
    dashboard.press("tables_go")
    expect(page.locator(".st-key-tables_get_release")).to_have_count(1)
    for place in navigation.PLACES:  # each measures what it shows before it is looked at
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
    assert looked_at(dashboard, "loaded", figure=True) == []
