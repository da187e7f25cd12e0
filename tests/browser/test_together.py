"""A second release of the same people, in a real browser: downloads are heard, and asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from fpanon_core import cross_releases
from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.browser
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
    page.get_by_text("I have read this; this release may leave all the same").click()
    expect(page.locator(_RELEASE)).to_be_enabled()
    saved(dashboard, "release", tmp_path / "5.zip")
    # What was said is what the files say.
    names = (("first", "2"), ("second", "5"))
    keys = {f"{which}_key": tmp_path / f"{name}.csv" for which, name in names}
    found = cross_releases(tmp_path / "2.zip", tmp_path / "5.zip", **keys)
    told = f"together, {found.together.alone} of 496 people are alone"
    dashboard.says(told)


def hide(dashboard: Dashboard, k: int) -> None:
    """Hide everyone in a crowd of k, and have the release made."""
    box = dashboard.page.locator(".st-key-glove_k input")
    box.fill(str(k))
    dashboard.page.keyboard.press("Tab")
    dashboard.press("glove_run")
    dashboard.says(f"picks the right person at most 1 time in {k}")
    dashboard.press("produce_hidden_go")
    dashboard.says("The release is written as it would leave.")
    dashboard.wait_until_idle()


def saved(dashboard: Dashboard, which: str, place: Path) -> None:
    """Download a file of the release."""
    with dashboard.page.expect_download() as got:
        dashboard.press(f"produce_hidden_get_{which}")
    got.value.save_as(place)
