"""From one click to the verdict, which other pages repeat; then every page with all of it measured.

The walk: walk.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from pages.shell import navigation
from tests.browser.dashboard import LONG_MS, Dashboard
from tests.browser.walk import looked_at

pytestmark = pytest.mark.browser


def test_from_a_click_to_everything_measured(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    dashboard.go()
    dashboard.press("start_sf_cabs")
    found_and_repeated(dashboard)
    dashboard.turn_to("Hide everyone")
    dashboard.hide_everyone()
    dashboard.turn_to("Publish tables")
    dashboard.state_tables("2008-06-08", 1, 500)
    dashboard.press("tables_go")
    expect(dashboard.page.locator(".st-key-tables_get_release")).to_have_count(1)
    for place in navigation.PLACES:  # each measures what it shows before it is looked at
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
    assert looked_at(dashboard, "loaded", figure=True) == []


def found_and_repeated(dashboard: Dashboard) -> None:
    """The verdict in the first screen, a release found, and the same on the pages after it."""
    page = dashboard.page
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

    # To the end, however slow the machine is: what is found in part of the time is another release.
    dashboard.choose("overview_seconds", "15 minutes at most")
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
