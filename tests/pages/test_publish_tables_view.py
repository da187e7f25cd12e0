"""Publish tables: from a stated frame to a zip; expected error, ledger, odd data."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core.model.options import Flows, Presence, Tables
from fpanon_core.studies import count_tables
from fpanon_core.studies.count_tables import Result
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.reading import Source
from pages.charts import tables as charts
from pages.charts.style import LIGHT
from pages.shell import leaving
from pages.tables import story
from tests.support.views import (
    answer,
    choose_option,
    go,
    has,
    opened,
    rows,
    said,
    until,
    upload,
)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ledgers of a test are its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def state(at: AppTest, people: int | None = 500) -> AppTest:
    """State the period of the taxis, and about how many people there are."""
    if people is not None:
        at.number_input(key="tables_people").set_value(people)
    at.date_input(key="tables_first").set_value(dt.date(2008, 6, 8))
    at.number_input(key="tables_days").set_value(1)
    return at.run()


def made(at: AppTest) -> Result:
    at.button(key="tables_go").click().run()
    until(at, lambda at: not has(at, "tables_go"))
    found: Result = answer(at, "produce_tables")[1]
    return found


def test_without_data_it_says_so_kindly(app: AppTest) -> None:
    go(app, "tables")
    assert not app.exception
    assert "No data set is open yet" in said(app)


def test_private_tables_from_stated_numbers_to_the_zip(app: AppTest) -> None:
    opened(app)
    go(app, "tables")
    assert app.button(key="tables_go").disabled
    assert "State the first day and the number of days. They must not" in said(app)
    state(app, people=None)
    assert "State about how many people there are" in said(app)
    app.number_input(key="tables_people").set_value(500).run()
    text = said(app)
    assert "is off by about" in text, "the error comes before anything is computed"
    assert answer(app, "produce_tables")[1] is None
    assert "map centre" in text, "no record decides the projection"
    # No noise is seen before its ε is charged; the same tables are charged once.
    app.number_input(key="tables_budget").set_value(1.5).run()
    found = made(app)
    assert found.config.epsilon == 1.0
    assert found.config.frame.antennas_an_area > 1
    path = count_tables.ledger_at(Source.of_sample("sf_cabs"))
    assert (fp.Ledger(path).spent, fp.Ledger(path).budget) == (1.0, 1.5)
    assert has(app, "tables_get_release")
    app.run()
    assert fp.Ledger(path).spent == 1.0
    # Other tables of the same people go past the budget: a reason is due.
    app.number_input(key="tables_epsilon").set_value(0.8).run()
    assert app.button(key="tables_go").disabled
    app.text_input(key="tables_reason").set_value("asked for by the ministry").run()
    made(app)
    assert fp.Ledger(path).spent == pytest.approx(1.8)
    assert fp.Ledger(path).to_frame()["reason"].tolist()[-1] == "asked for by the ministry"
    go(app, "report")
    assert "ε = 1.8 is spent; 0 of 1.5 is left." in said(app)


def test_without_a_place_for_the_ledger_nothing_private_is_made(
    app: AppTest, own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_state / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(own_state / "file"))
    opened(app)
    go(app, "tables")
    state(app)
    app.button(key="tables_go").click().run()
    assert "No ledger can be kept, so no private tables are made." in said(app)
    assert answer(app, "produce_tables")[1] is None
    go(app, "report")
    assert not app.exception


def test_the_ledger_lies_beside_a_file_that_has_a_place(tmp_path: Path) -> None:
    assert count_tables.ledger_at(Source("", file=("a.csv", tmp_path / "a.csv"))) == (
        tmp_path / "a.csv.ledger"
    )
    uploads = [count_tables.ledger_at(Source("", file=(n, b"x"))) for n in ("a.csv", "b.csv")]
    assert uploads[0] == uploads[1], "the content names it, not what the file is called"
    assert uploads[0] != count_tables.ledger_at(Source("", file=("a.csv", b"y")))


def test_the_zip_is_read_with_pandas_alone(app: AppTest) -> None:
    opened(app)
    go(app, "tables")
    state(app)
    app.selectbox(key="tables_protection").set_value("threshold").run()
    app.number_input(key="tables_threshold").set_value(5).run()
    found = made(app)
    assert has(app, "tables_get_release"), "a threshold costs no ε"
    assert "These are counts of single days" in said(app)
    assert "; without blanks " in said(app)
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        people = pd.read_csv(archive.open("presence.csv"))
        trips = pd.read_csv(archive.open("flows.csv"))
    dense = people.pivot_table("people", "area", ["day", "from_hour"])
    matrix = trips.pivot_table("trips", "origin", "destination")
    assert len(dense)
    assert matrix.max().max() >= 5
    assert people["people"].min() >= 5
    exact = found.before.presence
    assert exact is not None
    assert exact.values.min() < 5, "what is blank was there before"


def test_exact_counts_need_a_reason(app: AppTest) -> None:
    opened(app)
    go(app, "tables")
    state(app)
    app.selectbox(key="tables_protection").set_value("exact").run()
    app.segmented_control(key="tables_contents").set_value(("presence",)).run()
    made(app)
    assert "Nothing protects exact counts" in said(app)
    assert not has(app, "tables_get_release")
    app.text_input(key="tables_why").set_value("a court order").run()
    assert has(app, "tables_get_release")


def test_other_settings_are_other_tables(app: AppTest) -> None:
    opened(app)
    go(app, "tables")
    state(app)
    made(app)
    assert has(app, "tables_get_release")
    app.number_input(key="tables_epsilon").set_value(2.0).run()
    assert not has(app, "tables_get_release"), "what was made is not what the settings say"
    app.number_input(key="tables_epsilon").set_value(1.0).run()
    assert has(app, "tables_get_release")


def test_squares_over_a_stated_area(app: AppTest) -> None:
    upload(app, rows(30, 5))
    go(app, "tables")
    app.selectbox(key="tables_areas").set_value("squares").run()
    state(app, 30)
    assert "State the area" in said(app)
    app.text_input(key="tables_area").set_value("14.6, -17.6, 15.1").run()
    assert "cannot be read" in said(app)
    app.text_input(key="tables_area").set_value("14.6, -17.6, 15.1, -17.2").run()
    app.number_input(key="tables_side").set_value(5.0).run()
    app.date_input(key="tables_first").set_value(dt.date(2024, 3, 5)).run()
    found = made(app)
    assert not app.exception
    exact = found.before.presence
    assert exact is not None
    assert exact.values.sum() > 0
    assert found.made.fault == "", "the data were read again with the stated centre"


def test_an_option_brings_what_it_states(app: AppTest) -> None:
    """The chosen option fills the form, but for the period: that is stated anew."""
    opened(app)
    go(app, "tables")
    state(app)
    option = made(app).config
    choose_option(app, Presence(option.frame, 6, 20))
    go(app, "tables")
    assert app.selectbox(key="tables_protection").value == "threshold"
    assert app.number_input(key="tables_threshold").value == 20
    assert app.selectbox(key="tables_bands").value == 6
    assert app.segmented_control(key="tables_contents").value == ("presence",)


def test_sentences_say_what_the_numbers_are() -> None:
    frame = pd.DataFrame(
        [{"areas": 50, "bands": 48, "people": 40.0, "noise": 48.0, "error": 9.6, "share": 0.24}]
    )
    option = _option(Tables, epsilon=1.0)
    assert leaving.expected(frame, option) == (
        "**50 areas, 24 parts of a day: if everybody is counted, a typical count of 40 people is "
        "off by about 9.6 (24%).** Fewer areas would be more exact."
    )
    blank = leaving.expected(frame, _option(Flows, threshold=60))
    assert blank.endswith("Most counts are below 60 and will be blank.")
    assert story.moments(1, [1]) == ["Weekend, 00:00 to 24:00"], "a period of a Sunday has no other"
    assert story.moments(2, [0, 1]) == [
        "Weekday, 00:00 to 12:00",
        "Weekday, 12:00 to 24:00",
        "Weekend, 00:00 to 12:00",
        "Weekend, 12:00 to 24:00",
    ]


def _option(kind: type[Tables], **protection: float) -> Tables:
    area = fp.StatedArea(0, 0, 5_000, 10_000, "metres")
    return kind(fp.FrameConfig(fp.StatedPeriod(None, 14), "grid", area, 1_000), 24, **protection)


def test_maps_show_the_largest_flows_and_blank_counts() -> None:
    """By hand: two squares of one degree side by side; the second count is blank."""
    squares = [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]] for x in (0, 1)]
    geojson = {
        "features": [
            {"properties": {"area": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
            for name, ring in zip("ab", squares, strict=True)
        ]
    }
    ground = charts.ground_of(geojson)
    assert ground is not None
    # A degree is 111.195 km; half a degree north, cos(.5°) = .99996.
    assert ground.km2 == pytest.approx(111.195**2 * np.cos(np.radians(ground.lat)), rel=1e-9)
    people = np.array([100.0, np.nan])
    (shade,) = charts.density_shades([people[:, None]], ground, LIGHT)
    around = charts.central(ground.lon, ground.lat)
    deck = charts.presence_map(
        ground, people, shade.colours, np.array([50.0, 0.0]), LIGHT, around=around
    )
    (layer,) = [each for each in deck.layers if each.id == "areas"]
    assert layer.data[0]["tip"] == "a: about 100 people, off by about 50"
    assert layer.data[0]["c"][3] == round(28 + (220 - 28) * 0.5), "half of it may be noise"
    assert layer.data[1]["tip"] == "b: left blank"
    assert layer.data[1]["c"] == [0, 0, 0, 0]


def test_before_and_after_share_their_colours() -> None:
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    geojson = {
        "features": [
            {"properties": {"area": "a"}, "geometry": {"type": "Polygon", "coordinates": [square]}}
        ]
    }
    ground = charts.ground_of(geojson)
    assert ground is not None
    before, after = np.array([[10.0, 80.0]]), np.array([[80.0, 10.0]])
    was, now = charts.density_shades([before, after], ground, LIGHT)
    assert was.colours == now.colours[::-1]
    assert (was.low, was.high) == (now.low, now.high)


def test_tables_of_nothing_are_said_to_be_empty(app: AppTest) -> None:
    upload(app, rows(3, 5))
    go(app, "tables")
    app.selectbox(key="tables_areas").set_value("squares").run()
    app.text_input(key="tables_area").set_value("14.6, -17.6, 15.1, -17.2").run()
    app.selectbox(key="tables_protection").set_value("threshold").run()
    app.number_input(key="tables_people").set_value(3)
    app.date_input(key="tables_first").set_value(dt.date(2024, 3, 5))
    app.number_input(key="tables_days").set_value(1).run()
    found = made(app)
    assert found.made.presence is not None
    assert not np.nansum(found.made.presence.values)
    assert any("These tables show nothing" in box.value for box in app.warning)


def test_an_option_above_a_threshold_is_above_it_where_its_maps_are(app: AppTest) -> None:
    opened(app)
    of_data = fp.FrameConfig(fp.StatedPeriod(dt.date(2008, 6, 1), 9), antennas_an_area=55)
    for most, told in ((1e-9, "not within your thresholds"), (1.0, "Ready to release")):
        limits = Limits({"home": most, "membership": most})
        choose_option(app, Presence(of_data, 4, 15), limits)
        go(app, "tables")
        state(app)
        if has(app, "tables_go"):
            made(app)
        assert told in said(app)
        assert app.get("download_button")
