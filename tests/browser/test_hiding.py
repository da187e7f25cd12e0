"""The view that hides everyone in a real browser: maps, a group.

And a second release of the same people: downloads are heard, and asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect

from fpanon_core import cross_releases
from tests.browser.dashboard import Dashboard, colours

pytestmark = pytest.mark.browser


@pytest.fixture
def hidden(taxis: Dashboard) -> Dashboard:
    """All taxis hidden, and the view that shows it."""
    taxis.turn_to("Hide everyone")
    taxis.hide_everyone()
    return taxis


# Where on the screen the mark of a group lies, by its rank.
_MARK = """rank => {
    const plot = document.querySelector('.st-key-glove_groups .js-plotly-plot');
    const dots = plot._fullData[0], i = Array.from(dots.customdata).indexOf(rank);
    const {xaxis, yaxis} = plot._fullLayout;
    const box = plot.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.d2p(dots.x[i]),
            box.top + yaxis._offset + yaxis.d2p(dots.y[i])];
}"""
_GROUP = ".st-key-pair_glove_group [data-testid=stDeckGlJsonChart]"


def test_the_group_that_is_clicked_is_drawn_and_plays(hidden: Dashboard) -> None:
    """The one that loses most at first; then the second, its members and its areas."""
    dashboard, page = hidden, hidden.page
    first, _ = describe_members(dashboard, 1)
    before = dashboard.picture_of(_GROUP, lambda drawn: colours(drawn) > 50)
    assert colours(before) > 50
    dashboard.insist(
        lambda: dashboard.click_in("glove_groups", lambda: page.evaluate(_MARK, 2)),
        lambda ms: dashboard.says("Group 2 of 248, ordered by loss", ms),
    )
    dashboard.settle()
    members = describe_members(dashboard, 2)
    assert first not in members
    number = page.get_by_label("Group, the largest loss first")
    expect(number).to_have_value("2")
    for name in members:
        expect(page.locator(".st-key-glove_group_marks .legendtext", has_text=name)).to_be_visible()

    def differs(picture: Image.Image) -> bool:
        return ImageChops.difference(before, picture).getbbox() is not None

    assert differs(dashboard.picture_of(_GROUP, differs))

    slider = page.get_by_role("slider", name="Time")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_value("0")
    dashboard.settle()
    page.get_by_role("button", name="Play").click()
    expect(slider).not_to_have_value("0")
    page.get_by_role("button", name="Pause").click()
    dashboard.settle()
    expect(number).to_have_value("2")  # who plays it still looks at the same group
    number.fill("1")
    number.press("Enter")
    dashboard.says("Group 1 of 248 has the largest loss")


def describe_members(dashboard: Dashboard, rank: int) -> tuple[str, str]:
    """The members of the group looked at."""
    told = dashboard.page.get_by_text(re.compile(rf"Group {rank} of")).inner_text()
    one, other = re.search(r"The members of the group are (u\d+) and (u\d+)\.", told).groups()
    return one, other


_RELEASE = ".st-key-produce_hidden_get_release button"


def test_a_second_release_is_asked_about_once_the_first_has_left(
    open_dashboard: Callable[..., Dashboard], tmp_path: Path
) -> None:
    """What a button hands out is handed out outside the session: only a browser clicks it."""
    dashboard = open_dashboard()
    page = dashboard.page
    dashboard.go("/glove")
    dashboard.turn_to("Data")
    dashboard.open_sample_in_data("taxis", 496)
    dashboard.turn_to("Hide everyone")
    hide(dashboard, 2)
    saved(dashboard, "release", tmp_path / "2.zip")
    saved(dashboard, "key", tmp_path / "2.csv")
    hide(dashboard, 5)
    dashboard.says("A second release of the same people.")
    expect(page.locator(_RELEASE)).to_be_disabled()
    saved(dashboard, "key", tmp_path / "5.csv")
    page.get_by_text("I have read this; this release may leave nevertheless").click()
    expect(page.locator(_RELEASE)).to_be_enabled()
    saved(dashboard, "release", tmp_path / "5.zip")
    # What was said is what the files say.
    names = (("first", "2"), ("second", "5"))
    keys = {f"{which}_key": tmp_path / f"{name}.csv" for which, name in names}
    found = cross_releases(tmp_path / "2.zip", tmp_path / "5.zip", **keys)
    told = f"together, {found.together.alone} of 496 people are each alone"
    dashboard.says(told)


def hide(dashboard: Dashboard, k: int) -> None:
    """Hide everyone in a crowd of k, and have the release made."""
    box = dashboard.page.locator(".st-key-glove_k input")
    box.fill(str(k))
    dashboard.page.keyboard.press("Tab")
    dashboard.press("glove_run")
    dashboard.says(f"picks the right person at most 1 time in {k}")
    dashboard.press("produce_hidden_go")
    dashboard.says(f"Verified: everyone in the release is in a group of at least {k}")
    dashboard.wait_until_idle()


def saved(dashboard: Dashboard, which: str, place: Path) -> None:
    """Download a file of the release."""
    with dashboard.page.expect_download() as got:
        dashboard.press(f"produce_hidden_get_{which}")
    got.value.save_as(place)
