"""The view that attacks a release, in a real browser: two clicks from the front; one followed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect

from pages.charts import style
from tests.browser.dashboard import Dashboard, amount_of, colours
from tests.browser.layout import serious

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_attack_followed [data-testid=stDeckGlJsonChart]"
_DOTS = """key => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    if (!plot || !plot._fullLayout) return [];
    const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
    return plot._fullData.filter(t => t.customdata).flatMap(t => t.customdata.map((c, i) =>
        [c[0], c[1], box.left + xaxis._offset + xaxis.l2p(t.x[i]),
         box.top + yaxis._offset + yaxis.l2p(t.y[i])]));
}"""
_FOUND = """() => {
    const plot = document.querySelector('.st-key-attack_found .js-plotly-plot');
    return plot && plot._fullData ? plot._fullData.filter(t => t.visible).map(t => t.name) : [];
}"""


def dots(dashboard: Dashboard) -> list[list[Any]]:
    """Number, name, and where on the screen, of each dot of the front."""
    found: list[list[Any]] = dashboard.page.evaluate(_DOTS, "options_front")
    return found


def test_two_clicks_from_the_front_and_one_person_followed(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go("/options")
    dashboard.turn_to("Data")
    dashboard.open_sample_in_data("taxis", 496)
    dashboard.turn_to("Release options")
    dashboard.says(re.compile(r"of \d+ options"))
    dashboard.wait_until_idle()
    button = page.locator(".st-key-options_attack button")
    expect(button).to_have_count(0)
    assert len(dots(dashboard)) == 12  # of the preset, 3 × 4
    _, name, *_ = dots(dashboard)[0]

    # The first click is on a dot of the front, the second on the button that then stands there.
    dashboard.insist(
        lambda: dashboard.click_in("options_front", lambda: dots(dashboard)[0][2:]),
        lambda ms: expect(button).to_be_visible(timeout=ms),
    )
    expect(button).to_contain_text(f"What does an attacker find in “{name}”?")
    dashboard.insist(button.click, lambda ms: dashboard.wait_for_view("Attack the release", ms))
    figure = page.locator(".st-key-attack_found .js-plotly-plot")
    figure.wait_for()
    dashboard.wait_until_idle()
    expect(page.locator(".st-key-attack_release input")).to_have_value(name)
    assert page.evaluate(_FOUND)[:4] == ["threshold", "guessing", "before", "after"]
    dashboard.says(
        re.compile("The strongest attacker with 4 known points picks the right record in")
    )

    # Figure and first sentence stand on the first screen.
    said = page.locator(".st-key-meaning_attack p").first
    for part in (figure, said):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] >= 0
    assert box["y"] + box["height"] < 900

    # One person is followed: points, areas and the truth are on the map, and more with each point.
    dashboard.says(re.compile(r"The attacker knows 1 point of u\d+"))
    person = style.LIGHT.other
    one = dashboard.picture_of(_MAP, lambda drawn: amount_of(drawn, person) > 20)
    assert amount_of(one, person) > 20
    assert amount_of(one, style.LIGHT.ink) > 100

    def differs(picture: Image.Image) -> bool:
        return ImageChops.difference(one, picture).getbbox() is not None

    dashboard.press("attack_next", re.compile(r"The attacker knows 2 points of u\d+"))
    dashboard.settle()
    two = dashboard.picture_of(_MAP, differs)
    assert differs(two)
    assert colours(two) > 20
    expect(page.locator(".st-key-attack_ranking .js-plotly-plot")).to_be_visible()
    assert "u0" not in page.url

    for scheme in ("dark", "light"):
        dashboard.turn_to_scheme(scheme)
        assert serious(dashboard) == [], scheme
