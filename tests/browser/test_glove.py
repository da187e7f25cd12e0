"""The GLOVE view in a real browser: its maps draw, a click chooses a group, the comparison."""

from __future__ import annotations

import re

import pytest
from PIL import ImageChops
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard, colours

pytestmark = pytest.mark.browser
_MAP = (
    ".st-key-pair_glove_maps [data-testid=stColumn]:nth-child({}) [data-testid=stDeckGlJsonChart]"
)
_BEFORE, _AFTER = _MAP.format(1), _MAP.format(2)


def hidden(dashboard: Dashboard) -> Dashboard:
    dashboard.go()
    dashboard.open_sample("Open the San Francisco taxis")
    expect(dashboard.page.locator("h1")).to_have_text("Anonymizability", timeout=LONG_MS)
    dashboard.settle()
    dashboard.turn_to("GLOVE")
    dashboard.press("glove_run")
    dashboard.says("Verified.")
    dashboard.settle()
    return dashboard


def group_told(dashboard: Dashboard) -> int:
    told = dashboard.page.get_by_text(re.compile(r"What this means\. Group \d+:")).inner_text()
    return int(re.search(r"Group (\d+):", told)[1])


def test_the_maps_draw_and_a_click_chooses_a_group(dashboard: Dashboard) -> None:
    page = hidden(dashboard).page
    before, after = dashboard.picture_of(_BEFORE), dashboard.picture_of(_AFTER)
    assert colours(before) > 50
    assert colours(after) > 50
    size = min(before.width, after.width), min(before.height, after.height)
    apart = ImageChops.difference(before.crop((0, 0, *size)), after.crop((0, 0, *size)))
    changed = sum(apart.convert("L").histogram()[25:])
    assert changed > 0.05 * size[0] * size[1]

    first = group_told(dashboard)
    chosen = first
    map_ = page.locator(_AFTER)
    box = map_.bounding_box()
    for step in range(12):  # somewhere along the diagonal there is another group's area
        share = 0.3 + 0.035 * step
        map_.click(position={"x": box["width"] * share, "y": box["height"] * share})
        page.wait_for_timeout(700)
        dashboard.settle()
        if (chosen := group_told(dashboard)) != first:
            break
    assert chosen != first
    number = page.locator("[class*=st-key-glove_group_] input, .st-key-glove_group input").first
    expect(number).to_have_value(str(chosen))
    # The group clicked is now drawn boldly; its members stand in the figure and in words.
    assert ImageChops.difference(after, dashboard.picture_of(_AFTER)).getbbox() is not None
    names = dashboard.names_in_3d("glove_spacetime")
    told = page.get_by_text(re.compile(rf"Group {chosen}: u\d+, u\d+")).inner_text()
    assert all(name in names for name in re.findall(r"u\d{4}", told)[:2])


def test_equally_coarse_data_beside_it(dashboard: Dashboard) -> None:
    hidden(dashboard)
    dashboard.press("glove_compare")
    ways = [
        "Everyone equally coarse",
        "GLOVE",
        "GLOVE, at most 15 km and 6 hours",
    ]
    legend = dashboard.page.locator(".st-key-glove_cost .legendtext")
    expect(legend).to_have_text(ways, timeout=LONG_MS)
    rows = dashboard.table("Users hidden (%)")
    assert len(rows) == 9
    # No grid hides all taxis: its lines cross the city.
    told = dashboard.page.get_by_text("GLOVE hides all with areas of").first
    expect(told).to_be_visible(timeout=LONG_MS)
