"""The view that hides everyone in a real browser: releases beside each other, maps, a group.

And a release as it leaves: downloaded, and verified on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect
from typer.testing import CliRunner

from fpanon_core.__main__ import app as commands
from fpanon_core.io.samples import sample
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
    first, _ = members_told(dashboard, 1)
    before = dashboard.picture_of(_GROUP, lambda drawn: colours(drawn) > 50)
    assert colours(before) > 50
    dashboard.insist(
        lambda: dashboard.click_in("glove_groups", lambda: page.evaluate(_MARK, 2)),
        lambda ms: dashboard.says("Group 2 of 248, ordered by loss", ms),
    )
    dashboard.settle()
    members = members_told(dashboard, 2)
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
    dashboard.says("Group 1 of 248 loses most")


def members_told(dashboard: Dashboard, rank: int) -> tuple[str, str]:
    """The members of the group looked at."""
    told = dashboard.page.get_by_text(re.compile(rf"Group {rank} of")).inner_text()
    one, other = re.search(r"The members of the group are (u\d+) and (u\d+)\.", told).groups()
    return one, other


def test_both_maps_draw_the_same_hour(hidden: Dashboard) -> None:
    dashboard, page = hidden, hidden.page
    dashboard.unfold("glove_one_hour")
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
    expect(page.get_by_text("Both maps show the hour")).to_be_visible()


def test_releases_beside_each_other_and_one_of_them_leaves(
    open_dashboard: Callable[..., Dashboard], tmp_path: Path
) -> None:
    """Taxis, k = 5, whole and in days: on one figure; that in days verifies where it arrives."""
    dashboard = open_dashboard()
    page = dashboard.page
    dashboard.go("/glove")  # links to the view's old name lead here
    dashboard.turn_to("Data")
    dashboard.open_sample_in_data("taxis", 496)
    dashboard.turn_to("Hide everyone")
    page.locator(".st-key-glove_k input").fill("5")
    page.keyboard.press("Tab")
    dashboard.hide_everyone()
    dashboard.wait_for_curves("glove_cdf_space_m", ["aligned, k = 5"])
    for days, names in (("days", ["days"]), ("a fortnight", ["days"])):
        period(dashboard, days)
        dashboard.press("glove_run")
        if days == "a fortnight":  # what is typed is no number of days
            assert "type a number of days" in dashboard.error()
        named = ["aligned, k = 5", *(f"aligned, k = 5, {name}" for name in names)]
        for figure in ("glove_cdf_space_m", "glove_cdf_time_min"):
            dashboard.wait_for_curves(figure, named)
    dashboard.says("This bound does not hold across several periods.")
    rows = dashboard.table("Mean loss", 2)
    assert [row[:3] for row in rows] == [["aligned", "5", "whole"], ["aligned", "5", "days"]]

    dashboard.press("produce_hidden_go")
    dashboard.says("The release is written as it would leave.")
    dashboard.wait_until_idle()
    with page.expect_download() as got:
        dashboard.press("produce_hidden_get_release")
    got.value.save_as(tmp_path / "release.zip")
    of = sample("sf_cabs")
    told = [str(tmp_path / "release.zip"), str(of.path), "--antennas", str(of.antennas_path)]
    checked = CliRunner().invoke(commands, ["verify", *told, "--timezone", of.timezone, "--k", "5"])
    assert checked.exit_code == 0, checked.output
    assert "Verified: everyone published in each period of 1 day is in a group of at least 5" in (
        " ".join(checked.output.split())
    )


def period(dashboard: Dashboard, text: str) -> None:
    """Choose a period, or type one."""
    box = dashboard.page.locator(".st-key-glove_period input")
    box.click()
    box.fill(text)
    dashboard.page.get_by_role("option").filter(has_text=text).first.click()


def test_equally_coarse_data_beside_it(hidden: Dashboard) -> None:
    dashboard = hidden
    dashboard.unfold("glove_uniform")
    dashboard.press("glove_compare")
    ways = [
        "Everyone equally coarse",
        "GLOVE",
        "GLOVE, at most 15 km and 6 hours",
    ]
    legend = dashboard.page.locator(".st-key-glove_cost .legendtext")
    expect(legend).to_have_text(ways)
    dashboard.table("People hidden (%)", 9)
    told = dashboard.page.get_by_text(
        "puts everyone in a group of at least 2. We tried 7 grids, from 1 km · 30 min"
    ).first
    expect(told).to_be_visible()
    expect(dashboard.page.get_by_text("24 km: ").first).to_be_visible()  # where the grid begins
