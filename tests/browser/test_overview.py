"""Overview in Chromium: its first screen, and areas that follow the purpose."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser


def test_the_first_screen_and_areas_that_follow_the_purpose(dashboard: Dashboard) -> None:
    """A closed popover keeps its fields' values in the browser, and sends them with any click."""
    page = dashboard.page
    dashboard.go()
    dashboard.press("start_synthetic")
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(4, timeout=LONG_MS)
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=LONG_MS)
    dashboard.says("Do not release these data as they are.")
    for place in (
        ".st-key-overview_verdict",
        "[data-testid=stDeckGlJsonChart]",
        ".st-key-overview_four",
        ".st-key-overview_find_go",
    ):
        box = page.locator(place).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, (place, box)

    assumed = page.locator(".st-key-aims_assumed button").first
    expect(assumed).to_contain_text("Areas: automatic")
    for _ in range(2):  # open, and close
        assumed.click()
        dashboard.rest()
    for asked, chosen in (("purpose", "Travel between areas"), ("recipient", "Recipients")):
        row = page.locator(f".st-key-aims_{asked}_asked")
        row.get_by_role("radio", name=re.compile(chosen)).click()
        dashboard.wait_until_idle()
        expect(assumed).to_contain_text("squares of 5 km", timeout=10_000)
