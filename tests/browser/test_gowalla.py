"""From the start to a report on somebody's own file: the suggested path, click by click."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "gowalla_nyc.csv.gz"
MOST_CLICKS = 12
_COUNT = """() => { window.clicks = 0;
    document.addEventListener('click', e => { if (e.isTrusted) window.clicks += 1; }, true); }"""


@pytest.mark.skipif(not DATA.exists(), reason="the Gowalla file is not beside the project")
def test_from_the_start_to_a_report_in_twelve_clicks(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go()
    page.evaluate(_COUNT)

    page.get_by_role("button", name="Open your own data").click()
    dashboard.wait_for_view("Data")
    with page.expect_file_chooser() as chooser:
        page.locator(".st-key-data_file [data-testid=stFileUploaderDropzone] button").click()
    chooser.value.set_files(DATA)
    read = page.locator(".st-key-data_read button")
    expect(read).to_be_enabled()
    read.click()
    page.locator(".st-key-data_on button").click()
    dashboard.wait_for_view("Overview")
    _measured(page)
    page.locator(".st-key-overview_find_go button").click()
    expect(page.locator(".st-key-overview_cancel")).to_have_count(1)
    expect(page.locator(".st-key-overview_cancel")).to_have_count(0, timeout=10 * LONG_MS)
    head = page.locator(".st-key-overview_verdict").inner_text()
    assert "As they are, these data may not be released." in head

    best = page.locator(".st-key-overview_best").inner_text().strip().partition(": ")[2]
    page.locator(".st-key-overview_choose button").click()
    dashboard.wait_for_view("Report")
    dashboard.wait_until_idle()
    with page.expect_download() as got:
        page.locator(".st-key-report_get_html button").click()
    report = Path(got.value.path()).read_text(encoding="utf-8")

    assert page.evaluate("() => window.clicks") <= MOST_CLICKS
    assert "As they are, these data may not be released." in report
    assert re.search(r"Of \d+ options tried, \d+", report)
    assert best
    assert f"Chosen was “{best}”" in report.replace("\u00a0", " ")


def _measured(page: Page) -> None:
    """The four statements, by one button where the data are large."""
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(4)
    ask = page.locator(".st-key-overview_measure button")
    if ask.count():
        ask.click()
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=3 * LONG_MS)
