"""What is not seen at first, by day and by night: readable for all; the pages: walk.py."""

from __future__ import annotations

import re

import pytest

from tests.browser.dashboard import KS, Dashboard
from tests.browser.layout import serious

pytestmark = pytest.mark.browser


def test_axe_finds_nothing_serious_in_what_is_folded_away(taxis: Dashboard) -> None:
    """Pages as they are first seen: test_walk_measured.py."""
    found = {}
    taxis.turn_to("Data")
    taxis.unfold("data_correct")
    for scheme in ("light", "dark"):
        taxis.turn_to_scheme(scheme)
        found["Data", scheme] = serious(taxis)
    taxis.turn_to("How hard to hide")
    taxis.says(re.compile("Measured up to k = "))
    taxis.wait_until_idle()
    for scheme in ("dark", "light"):
        taxis.turn_to_scheme(scheme)
        figures_and_page_are_of_one_brightness(taxis, scheme)
        taxis.unfold("anon_settings")  # a click on the link of the page closes it
        found["How hard to hide", scheme] = serious(taxis)
    assert {where: what for where, what in found.items() if what} == {}


def figures_and_page_are_of_one_brightness(dashboard: Dashboard, scheme: str) -> None:
    """Ink on paper, in the page and in the figure alike."""
    dashboard.wait_for_curves("anon_by_k", KS)
    paper = _brightness(dashboard, "[data-testid=stApp]", "background-color")
    ink = _brightness(dashboard, "[data-testid=stMain] h1", "color")
    legend = _brightness(dashboard, ".st-key-anon_by_k .legendtext", "fill")
    assert (paper > 200, ink < 100, legend < 120) == (scheme == "light",) * 3


def _brightness(dashboard: Dashboard, selector: str, what: str) -> float:
    """Mean of red, green and blue, from 0 to 255."""
    colour = dashboard.page.locator(selector).first.evaluate(
        "(e, what) => getComputedStyle(e).getPropertyValue(what)", what
    )
    channels = [float(c) for c in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(channels) / 3
