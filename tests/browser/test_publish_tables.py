"""Publish tables in a real browser: own CSV to a zip in seven clicks; its reader."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
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
        place = "Publish tables"
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


def test_own_csv_becomes_a_private_table_in_seven_clicks(
    open_dashboard: Callable[..., Dashboard],
) -> None:
    dashboard = open_dashboard()
    officer = Officer(dashboard)
    officer.open_own(300)
    dashboard.state_tables("2024-03-04", 7, 300)
    content = officer.publish()
    assert officer.clicks <= 7
    _researcher(content)
    dashboard.turn_to("Report")
    dashboard.wait_until_idle()


def test_own_csv_becomes_synthetic_people_in_eight_clicks(
    open_dashboard: Callable[..., Dashboard],
) -> None:
    dashboard = open_dashboard()
    officer, page = Officer(dashboard), dashboard.page
    officer.open_own(300)
    officer.click(page.locator(".st-key-tables_contents").get_by_text("synthetic people"))
    dashboard.settle()
    dashboard.state_tables("2024-03-04", 7, 300)
    content = officer.publish()
    assert officer.clicks <= 8
    dashboard.says("people who do not exist")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        records = pd.read_csv(archive.open("records.csv"), dtype={"place": str})
        places = pd.read_csv(archive.open("places.csv"), dtype={"place": str})
        readme = archive.read("README.md").decode()
    assert readme.startswith("# Nobody in these files exists")
    _od_matrix_and_radii(records.merge(places, on="place"))
    slider = page.locator(".st-key-tables_life_0_at")
    before = slider.inner_text()
    dashboard.press("tables_life_0_play")
    expect(slider).not_to_have_text(before)


def _od_matrix_and_radii(records: pd.DataFrame) -> None:
    """Who receives synthetic people makes an OD matrix and radii of them, with pandas alone."""
    records = records.sort_values(["person", "time"], kind="stable")
    after = records.groupby("person")["place"].shift(-1)
    moved = after.notna() & (after != records["place"])
    matrix = pd.crosstab(records["place"][moved], after[moved])
    assert matrix.to_numpy().sum() > 300
    at = records[["lat", "lon"]] * [111.195, 111.195 * np.cos(np.radians(records["lat"].mean()))]
    square = at.groupby(records["person"]).var(ddof=0).sum(axis=1)
    radius = np.sqrt(square)
    assert 0.1 < radius.median() < 100


def _researcher(content: bytes) -> None:
    """Who receives the zip makes a density map and an OD matrix of it, with pandas alone."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        people = pd.read_csv(archive.open("presence.csv"), dtype={"area": str})
        trips = pd.read_csv(archive.open("flows.csv"), dtype={"origin": str, "destination": str})
        areas = pd.json_normalize(pd.read_json(archive.open("areas.geojson"))["features"])
        readme = archive.read("README.md").decode()
    density = people.groupby("area")["people"].mean()
    assert set(density.index) == set(areas["properties.area"])
    assert density.sum() > 0
    matrix = trips.pivot_table("trips", "origin", "destination", "sum", 0.0)
    assert np.isfinite(matrix.to_numpy()).all()
    assert "ε = 1" in readme


def test_the_hours_are_played(taxis: Dashboard) -> None:
    page = taxis.page
    taxis.turn_to("Publish tables")
    taxis.state_tables("2008-06-08", 1, 500)
    taxis.choose("tables_bands", "4 of 6 h")
    taxis.press("tables_go")
    expect(page.locator(".st-key-tables_get_release")).to_have_count(1)
    slider = page.locator(".st-key-tables_time_at")
    before = slider.inner_text()
    taxis.press("tables_time_play")
    expect(slider).not_to_have_text(before)
