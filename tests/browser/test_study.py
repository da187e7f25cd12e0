"""A study from one browser to another, and a page that is loaded anew in the middle of a job."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard
from tests.browser.layout import serious
from tests.browser.tables import events, separated

pytestmark = pytest.mark.browser
NAME = "2 km · 6 h"
WHY = "Planners asked for this one."


def chosen(dashboard: Dashboard) -> None:
    """Explore the usual options and keep one."""
    dashboard.turn_to("Release options")
    dashboard.says("Which one do you choose?")
    dashboard.wait_until_idle()
    dashboard.keep_choice(NAME, WHY)


def verdict(dashboard: Dashboard) -> str:
    dashboard.turn_to("Report")
    dashboard.page.locator(".st-key-report_get_html").wait_for()
    dashboard.wait_until_idle()
    report = dashboard.page.frame_locator("iframe").first.locator("body")
    return report.inner_text().replace("\xa0", " ")


def download(dashboard: Dashboard, key: str, into: Path) -> bytes:
    dashboard.wait_until_idle()
    with dashboard.page.expect_download() as got:
        dashboard.press(key)
    got.value.save_as(into)
    return into.read_bytes()


def give(dashboard: Dashboard, content: bytes, told: str) -> None:
    """Open a study file; until the page says what comes of it."""
    dashboard.turn_to("Data")
    # Where data are open, it stands among the ways to open others.
    place = dashboard.page.locator(".st-key-data_open, .st-key-data_study").first
    place.wait_for()
    dashboard.unfold(
        "data_open" if dashboard.page.locator(".st-key-data_open").count() else "data_study"
    )
    box = dashboard.page.locator(".st-key-data_study_file")
    file = {"name": "study.zip", "mimeType": "application/zip", "buffer": content}
    button = dashboard.page.locator(".st-key-data_study_open button")
    dashboard.insist(
        lambda: box.locator("input[type=file]").set_input_files(file),
        lambda ms: expect(button).to_be_enabled(timeout=ms),
    )
    said = dashboard.page.get_by_text(told).first
    dashboard.insist(button.click, lambda ms: expect(said).to_be_visible(timeout=ms))


def test_saved_in_one_browser_and_opened_in_another(
    open_dashboard: Callable[..., Dashboard], tmp_path: Path
) -> None:
    first = open_dashboard()
    first.go("/data")
    first.upload("own.csv", separated(events(30, 15)))
    first.wait_for_data(30)
    chosen(first)
    said = verdict(first)
    assert NAME in said
    first.unfold("report_study")
    first.says("Once the page is closed, data, results, settings and choice are kept for")
    for scheme in ("light", "dark"):
        first.turn_to_scheme(scheme)
        assert serious(first) == [], scheme
    study = download(first, "report_get_study", tmp_path / "study.zip")
    recipe = json.loads(first.download("report_get_recipe"))

    second = open_dashboard()
    second.go("/data")
    give(second, study, "A study waits for its data: “own.csv”, 30 people")
    second.upload("own.csv", separated(events(30, 15)))
    second.says("nothing was computed anew")
    assert verdict(second) == said
    second.unfold("report_form")
    why = second.page.get_by_role("textbox", name="Why the chosen option")
    expect(why).to_have_value(WHY, timeout=20_000)
    assert json.loads(second.download("report_get_recipe")) == recipe
    assert second.page.locator("[class*=jobs_running]").count() == 0

    third = open_dashboard()
    third.go("/data")
    third.upload("own.csv", separated(events(29, 15)))
    third.wait_for_data(29)
    give(third, study, "The study belongs to other data")
    give(third, study[: len(study) // 2], "not a study, or was cut short")
