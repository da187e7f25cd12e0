"""The GLOVE view in a real browser: its maps draw, a group is looked at, the comparison."""

from __future__ import annotations

import re

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, colours

pytestmark = pytest.mark.browser
_MAP = (
    ".st-key-pair_glove_maps [data-testid=stColumn]:nth-child({}) [data-testid=stDeckGlJsonChart]"
)
_BEFORE, _AFTER = _MAP.format(1), _MAP.format(2)


@pytest.fixture
def hidden(taxis: Dashboard) -> Dashboard:
    """All taxis hidden, and the view that shows it."""
    taxis.turn_to("Hide everyone")
    taxis.hide_everyone()
    return taxis


def group_told(dashboard: Dashboard) -> tuple[int, list[str]]:
    """The group that is told of, and the first of its members."""
    told = dashboard.page.get_by_text(re.compile(r"What this means\. Group \d+:")).inner_text()
    number, one, other = re.search(r"Group (\d+): (u\d+), (u\d+)", told).groups()
    return int(number), [one, other]


def test_both_maps_draw_the_same_hour_and_the_group_looked_at(hidden: Dashboard) -> None:
    dashboard, page = hidden, hidden.page
    before, after = (
        dashboard.picture_of(place, lambda drawn: colours(drawn) > 50)
        for place in (_BEFORE, _AFTER)
    )
    assert colours(before) > 50
    assert colours(after) > 50
    size = min(before.width, after.width), min(before.height, after.height)
    apart = ImageChops.difference(before.crop((0, 0, *size)), after.crop((0, 0, *size)))
    changed = sum(apart.convert("L").histogram()[25:])
    assert changed > 0.05 * size[0] * size[1]
    expect(page.locator(".st-key-glove_scale .js-plotly-plot")).to_be_visible()
    expect(page.get_by_text("in the same colours on both maps")).to_be_visible()

    # Another group is outlined on the map, drawn in the figure, and told of.
    first, _ = group_told(dashboard)
    another = re.compile(rf"What this means\. Group (?!{first}:)\d+:")
    dashboard.press("glove_group_least", another)
    dashboard.settle()
    chosen, members = group_told(dashboard)
    assert chosen != first
    number = page.locator("[class*=st-key-glove_group_] input, .st-key-glove_group input").first
    expect(number).to_have_value(str(chosen))
    dashboard.wait_for_names_in_3d("glove_spacetime", members)

    def differs(picture: Image.Image) -> bool:
        return ImageChops.difference(after, picture).getbbox() is not None

    assert differs(dashboard.picture_of(_AFTER, differs))
    assert all(name in dashboard.names_in_3d("glove_spacetime") for name in members)


def test_equally_coarse_data_beside_it(hidden: Dashboard) -> None:
    dashboard = hidden
    dashboard.press("glove_compare")
    ways = [
        "Everyone equally coarse",
        "GLOVE",
        "GLOVE, at most 15 km and 6 hours",
    ]
    legend = dashboard.page.locator(".st-key-glove_cost .legendtext")
    expect(legend).to_have_text(ways)
    rows = dashboard.table("Users hidden (%)")
    assert len(rows) == 9
    told = dashboard.page.get_by_text(
        "everyone is one of 2 only at 24 km · 24 h: the first of 7 grids from 1 km · 30 min to one "
        "cell for everything (24 km · 2 days), each laid where most people share a cell, to do so. "
        "GLOVE needs areas of"
    ).first
    expect(told).to_be_visible()
    expect(dashboard.page.get_by_text("24 km: ").first).to_be_visible()  # where the grid begins
