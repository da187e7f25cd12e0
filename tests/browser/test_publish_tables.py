"""Publish tables in a real browser: own CSV to a private zip in seven clicks, and its reader."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

from fpanon_core import generate_cdr
from tests.browser.dashboard import Dashboard, colours
from tests.browser.layout import serious

pytestmark = pytest.mark.browser
_CLICKS = 7
_MAP = ".st-key-pair_tables_{} [data-testid=stColumn]:nth-child({}) [data-testid=stDeckGlJsonChart]"


def _file(name: str, table: pd.DataFrame) -> dict[str, object]:
    content = table.to_csv(index=False).encode()
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def test_own_csv_becomes_a_private_table_in_seven_clicks(
    open_dashboard: Callable[..., Dashboard],
) -> None:
    events = generate_cdr(300, days=7, seed=11)
    antennas = pd.DataFrame(events.attrs["antennas"])
    events = events.drop(columns=["lat", "lon"])
    dashboard = open_dashboard()
    page, clicks = dashboard.page, 0

    def click(at: Locator) -> None:
        nonlocal clicks
        clicks += 1
        at.click()

    dashboard.go()
    click(page.locator(".st-key-navigation").get_by_role("link", name="Data"))
    dashboard.wait_for_view("Data")
    for key, name, table in (("file", "calls.csv", events), ("antennas", "sites.csv", antennas)):
        box = page.locator(f".st-key-data_{key}")
        clicks += 1
        box.locator("input[type=file]").set_input_files(_file(name, table))
        expect(box.get_by_text(name)).to_be_visible()
        expect(box.get_by_role("progressbar")).to_have_count(0)
    read = page.locator(".st-key-data_read button")
    expect(read).to_be_enabled()
    click(read)
    dashboard.wait_for_data(300)
    click(page.locator(".st-key-navigation").get_by_role("link", name="Publish tables"))
    dashboard.wait_for_view("Publish tables")
    dashboard.settle()
    dashboard.state_tables("2024-03-04", 7, 300)
    assert serious(dashboard) == []
    click(page.locator(".st-key-tables_go button"))
    offered = page.locator(".st-key-tables_get_release button")
    expect(offered).to_be_enabled()
    for pair in ("presence", "flows"):
        for column in (1, 2):
            at = _MAP.format(pair, column)
            assert colours(dashboard.picture_of(at, lambda picture: colours(picture) > 8)) > 8
    assert serious(dashboard) == []
    dashboard.settle()
    with page.expect_download() as got:
        click(offered)
    assert clicks <= _CLICKS
    with open(got.value.path(), "rb") as file:
        _researcher(file.read())
    dashboard.turn_to("Report")
    dashboard.wait_until_idle()


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
