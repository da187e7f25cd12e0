"""From one click to the verdict, in Chromium: found once, and the same on the pages after it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser


def test_from_a_click_to_the_verdict_that_options_and_report_repeat(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go()
    dashboard.press("start_synthetic")
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(4, timeout=LONG_MS)
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=LONG_MS)
    dashboard.says("Do not release these data as they are.")

    # All of it stands in the first screen.
    for place in (
        ".st-key-overview_verdict",
        "[data-testid=stDeckGlJsonChart]",
        ".st-key-overview_four",
        ".st-key-overview_find_go",
    ):
        box = page.locator(place).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, (place, box)

    dashboard.press("overview_find_go")
    dashboard.wait_for_search()
    head = page.locator(".st-key-overview_verdict").inner_text()
    said = re.search(r"(?:None|\d+) of \d+ options [^.]+\.", head)
    assert said is not None, head
    best = page.locator(".st-key-overview_best").inner_text().partition(": ")[2]
    best = best.partition(". ")[0].strip().rstrip(".")

    dashboard.ready("overview_report").click()
    report = page.frame_locator("iframe").first.locator("body")
    expect(report).to_contain_text(said.group().split(",")[0], timeout=LONG_MS)
    shown = report.text_content() or ""
    assert said.group() in shown
    assert best in shown
    dashboard.wait_until_idle()
    dashboard.turn_to("Release options")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    dashboard.unfold("options_forms")
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("Tried on Overview")
    assert best in dashboard.text


def test_areas_follow_the_purpose_after_their_popover_was_open(dashboard: Dashboard) -> None:
    """A closed popover keeps its fields' values in the browser, and sends them with any click."""
    dashboard.go()
    dashboard.press("start_synthetic")
    expect(dashboard.page.get_by_test_id("stMetricValue")).to_have_count(4, timeout=LONG_MS)
    dashboard.wait_until_idle()
    assumed = dashboard.page.locator(".st-key-aims_assumed button").first
    expect(assumed).to_contain_text("Usual squares")
    for _ in range(2):  # open, and close
        assumed.click()
        dashboard.rest()
    for asked, chosen in (("purpose", "Travel between areas"), ("recipient", "Recipients")):
        row = dashboard.page.locator(f".st-key-aims_{asked}_asked")
        row.get_by_role("radio", name=re.compile(chosen)).click()
        dashboard.wait_until_idle()
        expect(assumed).to_contain_text("Squares of 5 km", timeout=10_000)
