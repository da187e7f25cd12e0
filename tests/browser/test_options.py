"""The Release options view in a real browser: the 3 × 4 preset, its front, pins."""

from __future__ import annotations

import re
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, colours

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_options_maps_0 [data-testid=stDeckGlJsonChart]"
_DOTS = """key => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    if (!plot || !plot._fullLayout) return [];
    const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
    return plot._fullData.filter(t => t.customdata).flatMap(t => t.customdata.map((c, i) =>
        [c[0], c[1], box.left + xaxis._offset + xaxis.l2p(t.x[i]),
         box.top + yaxis._offset + yaxis.l2p(t.y[i])]));
}"""
_DRAWN = (
    "([key, count, axis]) => { const plot = document.querySelector("
    "`.st-key-${key} .js-plotly-plot`); return plot && plot._fullLayout"
    " && plot._fullLayout.yaxis.title.text.includes(axis) && plot._fullData.filter("
    "t => t.customdata).reduce((n, t) => n + t.x.length, 0) === count; }"
)


def _coloured(picture: Image.Image) -> bool:
    return colours(picture) > 50


def dots(dashboard: Dashboard) -> list[list[Any]]:
    """Number, name, and where on the screen, of each dot of the front."""
    found: list[list[Any]] = dashboard.page.evaluate(_DOTS, "options_front")
    return found


def wait_for_dots(dashboard: Dashboard, count: int, axis: str) -> None:
    dashboard.page.wait_for_function(_DRAWN, arg=["options_front", count, axis])
    dashboard.settle()


def test_the_front_of_the_preset_and_a_pinned_option(people: Dashboard) -> None:
    dashboard, page = people, people.page
    dashboard.turn_to("Release options")
    wait_for_dots(dashboard, 12, "Re-identification risk")
    dashboard.wait_until_idle()
    dashboard.says(re.compile(r"of \d+ options"))
    assert colours(dashboard.picture_of(".st-key-options_front", _coloured)) > 20

    # Another measure of risk is drawn at once: no progress bar comes.
    dashboard.choose("options_risk", "EM-disclosure")
    wait_for_dots(dashboard, 12, "EM")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)

    # A click on a dot pins the option, and its release is drawn.
    name = dots(dashboard)[0][1]
    pinned = page.locator(".st-key-options_pinned").get_by_text(name)
    dashboard.insist(
        lambda: dashboard.click_in("options_front", lambda: dots(dashboard)[0][2:]),
        lambda ms: expect(pinned).to_be_visible(timeout=ms),
    )
    dashboard.says("a record that nobody else has")
    dashboard.wait_until_idle()
    page.locator(".st-key-options_on_map").get_by_text("On the map").click()
    assert colours(dashboard.picture_of(_MAP, _coloured)) > 50
