"""One person: found by a click on a curve or by pseudonym; drawn on the map."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from PIL import Image
from playwright.sync_api import expect

from pages.charts import style
from tests.browser.dashboard import KS, Dashboard, amount_of, colours

pytestmark = pytest.mark.browser


@pytest.fixture
def measured(taxis: Dashboard) -> Dashboard:
    """The taxis, measured as they are."""
    taxis.turn_to("How hard to hide")
    taxis.wait_for_curves("anon_by_k", KS)
    taxis.wait_until_idle()
    return taxis


def test_whoever_is_clicked_or_chosen_is_shown(measured: Dashboard) -> None:
    taxis = measured
    chosen = taxis.page.locator("[class*=st-key-person_list] input")
    people = set()
    for share in (90, 25):
        # Beside the point aimed at lie others, a pixel away: 496 users on a curve of 300 pixels.
        taxis.click_point("anon_by_k", share / 100, easier(range(share - 2, share + 3)))
        taxis.settle()
        person = chosen.input_value()
        taxis.says(f"{person}'s samples must move")
        people.add(person)
    assert len(people) == 2

    taxis.press("person_easiest", easier([0]))
    taxis.press("person_hardest", easier([99]))  # 99.8: 495 of 496


def easier(shares: Iterable[object]) -> re.Pattern[str]:
    """One of these shares of the users is said to be easier to hide than the person."""
    return re.compile(f" ({'|'.join(map(str, shares))})(\\.\\d)?% of people are easier to hide")


def test_maps_are_really_drawn(measured: Dashboard) -> None:
    taxis = measured
    taxis.choose("person_list", "u0123")
    taxis.says("u0123's samples must move")
    taxis.settle()
    assert _with_both(taxis.picture_of(_MAP, _with_both))
    assert _with_water(taxis.picture_of(_MAP, _with_water))

    taxis.turn_to("Data")
    taxis.wait_for_data(users=496)
    expect(taxis.page.locator(".st-key-data_activity .bars path").first).to_be_attached()
    assert _with_water(taxis.picture_of(_MAP, _with_water))


_MAP = "[data-testid=stDeckGlJsonChart] canvas"


def _with_both(picture: Image.Image) -> bool:
    """A person and a neighbour are drawn."""
    person, other = (amount_of(picture, c) for c in (style.LIGHT.person, style.LIGHT.other))
    return colours(picture) > 50 and person > 100 and other > 50


def _with_water(picture: Image.Image) -> bool:
    """The shipped outlines are drawn, and what lies on them."""
    return colours(picture) > 50 and amount_of(picture, style.LIGHT.water, 4) > 1_000
