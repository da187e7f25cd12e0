"""One person: found by a click on a curve or by pseudonym; drawn on the map and in space-time."""

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
        matched, person, neighbour = taxis.names_in_3d("person_spacetime")
        assert matched == "matched samples"
        assert person != neighbour
        taxis.says(f"{person}'s samples must move")
        expect(chosen).to_have_value(person)
        people.add(person)
    assert len(people) == 2

    taxis.press("person_easiest", easier([0]))
    taxis.press("person_hardest", easier([99]))  # 99.8: 495 of 496


def easier(shares: Iterable[object]) -> re.Pattern[str]:
    """One of these shares of the users is said to be easier to hide than the person."""
    return re.compile(f" ({'|'.join(map(str, shares))})(\\.\\d)?% of people are easier to hide")


def test_maps_and_the_space_time_figure_are_really_drawn(measured: Dashboard) -> None:
    taxis = measured
    taxis.choose("person_list", "u0123")
    taxis.says("u0123's samples must move")
    taxis.settle()
    taxis.wait_for_names_in_3d("person_spacetime", ["u0123"])
    assert taxis.names_in_3d("person_spacetime")[1] == "u0123"
    for selector in (_MAP, ".st-key-person_spacetime .gl-container canvas"):
        picture = taxis.picture_of(
            selector,
            lambda drawn: (
                colours(drawn) > 50
                and amount_of(drawn, style.LIGHT.person) > 100
                and amount_of(drawn, style.LIGHT.other) > 50
            ),
        )
        assert colours(picture) > 50, selector
        assert amount_of(picture, style.LIGHT.person) > 100, selector
        assert amount_of(picture, style.LIGHT.other) > 50, selector
    assert amount_of(taxis.picture_of(_MAP, _with_water), style.LIGHT.water, 4) > 1_000

    taxis.turn_to("Data")
    taxis.wait_for_data(users=496)
    expect(taxis.page.locator(".st-key-data_activity .bars path").first).to_be_attached()
    picture = taxis.picture_of(_MAP, _with_water)
    assert colours(picture) > 50
    assert amount_of(picture, style.LIGHT.water, 4) > 1_000


_MAP = "[data-testid=stDeckGlJsonChart] canvas"


def _with_water(picture: Image.Image) -> bool:
    """The shipped outlines are drawn, and what lies on them."""
    return colours(picture) > 50 and amount_of(picture, style.LIGHT.water, 4) > 1_000
