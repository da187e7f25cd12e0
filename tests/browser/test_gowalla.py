"""From the start to a report and the release itself, on somebody's own file, click by click."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "gowalla_nyc.csv.gz"
CITY, FIRST, DAYS = "40.48, -74.26, 40.92, -73.70", "20100426", 180
MOST_CLICKS = 10  # the file is dropped; four numbers are typed
_COUNT = """() => { window.clicks = 0;
    document.addEventListener('click', e => { if (e.isTrusted) window.clicks += 1; }, true); }"""


@pytest.mark.skipif(not DATA.exists(), reason="the Gowalla file is not beside the project")
@pytest.mark.parametrize("recipient", ["Anyone", "Recipients under contract"])
def test_from_the_start_to_report_and_release_in_ten_clicks(
    dashboard: Dashboard, recipient: str
) -> None:
    page = dashboard.page
    dashboard.go()
    page.evaluate(_COUNT)

    page.get_by_role("button", name="Open your own data").click()
    dashboard.wait_for_view("Data")
    page.locator(".st-key-data_file input[type=file]").set_input_files(DATA)
    dashboard.ready("data_read").click()
    dashboard.ready("data_on").click()
    dashboard.wait_for_view("Overview")
    page.get_by_role("radio", name="Travel between areas").click()
    if recipient != "Anyone":
        page.get_by_role("radio", name=recipient).click()
    bar = page.locator(".st-key-bar")
    expect(bar).to_contain_text(f"Travel between areas · {recipient}")
    dashboard.ready("overview_find_go").click()
    dashboard.wait_for_search()
    assert "Do not release" in page.locator(".st-key-overview_verdict").inner_text()
    best = page.locator(".st-key-overview_best").inner_text().partition(": ")[2]
    best = best.partition(". ")[0].strip().rstrip(".")
    dashboard.ready("overview_choose").click()

    dashboard.wait_for_view("Report")
    dashboard.wait_until_idle()
    archive = zipfile.ZipFile(io.BytesIO(_released(dashboard)))
    with page.expect_download() as got:
        dashboard.ready("report_get_html").click()
    report = Path(got.value.path()).read_text(encoding="utf-8")

    assert page.evaluate("() => window.clicks") <= MOST_CLICKS
    assert "Do not release these data as they are." in report
    assert best
    assert f"The chosen option is “{best}”" in report
    assert "SHA-256 of the release file" in report
    assert re.search(r"Area stated</dt><dd>40.48 to 40.92 north", report)
    assert {"README.md"} < set(archive.namelist())


def _released(dashboard: Dashboard) -> bytes:
    """The zip of tables or synthetic people, made of days and an area that are typed."""
    page = dashboard.page
    for name, text in (("days", str(DAYS)), ("area", CITY)):
        field = page.locator(f".st-key-tables_{name} input")
        field.fill(text)
        field.press("Enter")
        dashboard.settle()
    page.locator(".st-key-tables_first [role=spinbutton]").first.focus()
    page.keyboard.type(FIRST, delay=40)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    dashboard.ready("tables_go").click()
    offered = dashboard.ready("tables_get_release", 2 * LONG_MS)
    with page.expect_download() as got:
        offered.click()
    return Path(got.value.path()).read_bytes()
