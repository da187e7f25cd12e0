"""Replace the records in a real browser: own CSV to a zip in seven or eight clicks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pandas as pd
import pytest
from playwright.sync_api import FilePayload, Locator, expect

from fpanon_core import generate_cdr
from tests.browser.dashboard import Dashboard, colours
from tests.browser.layout import serious

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_tables_{} [data-testid=stColumn]:nth-child({}) [data-testid=stDeckGlJsonChart]"


def _file(name: str, table: pd.DataFrame) -> FilePayload:
    content = table.to_csv(index=False).encode()
    return {"name": name, "mimeType": "text/csv", "buffer": content}


class Officer:
    """Somebody with a CSV of calls and one of antennas, whose clicks are counted."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard, self.clicks = dashboard, 0

    def click(self, at: Locator) -> None:
        self.clicks += 1
        at.click()

    def open_own(self, people: int) -> None:
        """Open a week of calls, and the page that publishes without records."""
        dashboard, page = self.dashboard, self.dashboard.page
        events = generate_cdr(people, days=7, seed=11)
        antennas = pd.DataFrame(events.attrs["antennas"])
        events = events.drop(columns=["lat", "lon"])
        dashboard.go()
        self.click(page.locator(".st-key-navigation").get_by_role("link", name="Data"))
        dashboard.wait_for_view("Data")
        for key, name, table in (
            ("file", "calls.csv", events),
            ("antennas", "sites.csv", antennas),
        ):
            box = page.locator(f".st-key-data_{key}")
            self.clicks += 1
            dashboard.attach(box, _file(name, table))
        self.click(dashboard.ready("data_read"))
        dashboard.wait_for_data(people)
        place = "Replace the records"
        self.click(page.locator(".st-key-navigation").get_by_role("link", name=place))
        dashboard.wait_for_view(place)
        dashboard.settle()

    def publish(self) -> bytes:
        """Charge, make and download; maps are there, and nothing serious is found by axe."""
        dashboard, page = self.dashboard, self.dashboard.page
        assert serious(dashboard) == []
        self.click(dashboard.ready("tables_go"))
        offered = dashboard.ready("tables_get_release")
        for pair in ("presence", "flows"):
            for column in (1, 2):
                at = _MAP.format(pair, column)
                assert colours(dashboard.picture_of(at, lambda picture: colours(picture) > 8)) > 8
        assert serious(dashboard) == []
        dashboard.settle()
        with page.expect_download() as got:
            self.click(offered)
        with open(got.value.path(), "rb") as file:
            return file.read()


@pytest.mark.parametrize(("contents", "most"), [("tables", 7), ("synthetic people", 8)])
def test_own_csv_is_published_in_so_many_clicks(
    open_dashboard: Callable[..., Dashboard], contents: str, most: int
) -> None:
    dashboard = open_dashboard()
    officer, page = Officer(dashboard), dashboard.page
    officer.open_own(300)
    if contents != "tables":
        officer.click(page.locator(".st-key-tables_contents").get_by_text(contents))
        dashboard.settle()
    dashboard.state_tables("2024-03-04", 7, 300)
    with zipfile.ZipFile(io.BytesIO(officer.publish())) as archive:
        readme = archive.read("README.md").decode()
    assert officer.clicks <= most
    if contents == "tables":
        assert "ε = 1" in readme
        return
    dashboard.says("people who do not exist")
    assert readme.startswith("# Synthetic people: nobody in these files exists")
    slider = page.locator(".st-key-tables_time_at")
    before = slider.inner_text()
    dashboard.press("tables_time_play")
    expect(slider).not_to_have_text(before)
