"""Replace the records: from stated numbers to a zip; error, ledger, odd data."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.io.ledger import ledgers_folder
from fpanon_core.model.count_tables import CountTables
from fpanon_core.model.options import Presence
from fpanon_core.model.projection import Extent
from fpanon_core.studies import count_tables, synthetic_people
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.reading import Source
from fpanon_core.studies.report_words import describe_file
from fpanon_core.studies.synthetic_people import Expected
from fpanon_core.synthesis.statistics import Ground, leaves_for
from pages.charts import tables as charts
from pages.charts.style import LIGHT
from pages.data.form import CENTRE
from pages.shell import leaving
from pages.shell.release import ABOVE, UNKNOWN
from pages.tables import story
from tests.support.stated_frames import FRAME, crowd
from tests.support.views import (
    answer,
    choose_option,
    go,
    has,
    made_here,
    opened,
    press,
    rows,
    said,
    until,
    upload,
)

MOST_WORDS = 25
DAY = dt.date(2008, 6, 8)
AREA = "14.6, -17.6, 15.1, -17.2"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ledgers of a test are its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def taxis(app: AppTest) -> AppTest:
    """The taxis, on the page that publishes tables."""
    return opened(app, page="tables")


def state(at: AppTest, people: int | None = 500, first: dt.date = DAY) -> AppTest:
    """State a day, by default of the taxis, and about how many people there are."""
    if people is not None:
        at.number_input(key="tables_people").set_value(people)
    at.date_input(key="tables_first").set_value(first)
    at.number_input(key="tables_days").set_value(1)
    return at.run()


def made(at: AppTest, kind: str = "produce_tables") -> Any:
    press(at, "tables_go", lambda at: not has(at, "tables_go"))
    return answer(at, kind)[1]


def settings(at: AppTest) -> Any:
    return next(each for each in at.expander if each.label.startswith("Protection"))


def ledger() -> fp.Ledger:
    return fp.Ledger(count_tables.ledger_at(Source.of_sample("sf_cabs")))


def check_sentences(text: str) -> None:
    for paragraph in text.split("\n"):
        for sentence in re.split(r"(?<=[.:;?!])\*{0,2}\s+", paragraph):
            assert len(sentence.split()) <= MOST_WORDS, sentence


@pytest.mark.parametrize("kind", ["produce_tables", "produce_people"])
def test_from_stated_numbers_to_the_zip_and_its_charge(taxis: AppTest, kind: str) -> None:
    people = kind == "produce_people"
    if people:
        taxis.segmented_control(key="tables_contents").set_value(("records",)).run()
    assert taxis.button(key="tables_go").disabled
    assert "State how many people there are, roughly, and the days that" in said(taxis)
    state(taxis, people=None)
    assert "State about how many people there are" in said(taxis)
    taxis.number_input(key="tables_people").set_value(500).run()
    assert has(taxis, "tables_protection") is not people, "nothing but ε is offered"
    text = said(taxis)
    assert "is off by about" in text, "the error comes before anything is computed"
    assert answer(taxis, kind)[1] is None
    assert "map centre" in text, "no record decides the projection"
    check_sentences(text)
    # No noise is seen before its ε is charged; the same release is charged once.
    if people:
        taxis.number_input(key="tables_made").set_value(60)
    taxis.number_input(key="tables_budget").set_value(1.5).run()
    found = made(taxis, kind)
    assert found.config.epsilon == 1.0
    assert (ledger().spent, ledger().budget) == (1.0, 1.5)
    assert ledger().to_frame()["what"].tolist() == [str(found.config)]
    assert has(taxis, "tables_get_release")
    assert f"{leaving.NOT_ATTACKED} {leaving.NOT_COVERED}" in said(taxis)
    taxis.button(key="tables_attack").click().run()
    until(taxis, lambda at: not has(at, "tables_attack"))
    assert leaving.NOT_ATTACKED not in said(taxis)
    assert re.search("Within your thresholds|Not within your thresholds", said(taxis))
    assert "an attacker guesses whether they are in the data" in said(taxis)
    taxis.run()
    assert ledger().spent == 1.0, "an attack publishes nothing"
    if people:
        check_synthetic(found, said(taxis))
    else:
        assert found.config.frame.antennas_an_area > 1
    # Another release of the same people goes past the budget: a reason is due.
    taxis.number_input(key="tables_epsilon").set_value(0.8).run()
    assert not has(taxis, "tables_get_release"), "what was made is not what the settings say"
    assert taxis.button(key="tables_go").disabled
    taxis.number_input(key="tables_epsilon").set_value(1.0).run()
    assert has(taxis, "tables_get_release")
    taxis.number_input(key="tables_epsilon").set_value(0.8).run()
    taxis.text_input(key="tables_reason").set_value("asked for by the ministry").run()
    made(taxis, kind)
    assert ledger().spent == pytest.approx(1.8)
    assert ledger().to_frame()["reason"].tolist()[-1] == "asked for by the ministry"
    go(taxis, "report")
    assert "ε = 1.8 is spent; 0 of 1.5 is left." in said(taxis)


def check_synthetic(found: synthetic_people.Result, text: str) -> None:
    """What leaves and what is told of statistics hold nothing of the records but through noise."""
    assert found.config == fp.Synthesize(found.config.frame, 1.0, 60)
    assert found.people == 60
    assert "60 people who do not exist" in text
    assert "Each release made spends its ε" in text
    check_sentences(text)
    assert {*found.tables()} == {"learnt"}
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        people = pd.read_csv(archive.open("records.csv"), dtype={"place": str})
        places = pd.read_csv(archive.open("places.csv"), dtype={"place": str})
        every = b"".join(archive.read(each) for each in archive.namelist())
    assert people["person"].nunique() == 60
    assert len(people.merge(places, on="place")) == len(people), "every place is described"
    assert found.digest.encode() not in every


def test_without_a_place_for_the_ledger_nothing_private_is_made(
    taxis: AppTest, own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_state / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(own_state / "file"))
    state(taxis)
    taxis.button(key="tables_go").click().run()
    assert "No ledger can be kept, so no private release is made." in said(taxis)
    assert answer(taxis, "produce_tables")[1] is None
    go(taxis, "report")


def test_the_ledger_lies_beside_a_file_that_has_a_place(tmp_path: Path) -> None:
    assert count_tables.ledger_at(Source("", file=("a.csv", tmp_path / "a.csv"))) == (
        tmp_path / "a.csv.ledger"
    )
    uploads = [count_tables.ledger_at(Source("", file=(n, b"x"))) for n in ("a.csv", "b.csv")]
    assert uploads[0] == uploads[1], "the content names it, not what the file is called"
    assert uploads[0] != count_tables.ledger_at(Source("", file=("a.csv", b"y")))


def test_counts_with_blanks_exact_ones_and_an_option_that_brings_what_it_states(
    taxis: AppTest,
) -> None:
    """A threshold costs no ε, and exact counts need a reason."""
    state(taxis)
    taxis.selectbox(key="tables_protection").set_value("threshold").run()
    taxis.number_input(key="tables_threshold").set_value(5).run()
    found = made(taxis)
    assert has(taxis, "tables_get_release")
    assert "These are counts of single days" in said(taxis)
    assert "; without blanks " in said(taxis)
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        people = pd.read_csv(archive.open("presence.csv"))
        trips = pd.read_csv(archive.open("flows.csv"))
    assert len(people.pivot_table("people", "area", ["day", "from_hour"]))
    assert trips.pivot_table("trips", "origin", "destination").max().max() >= 5
    assert people["people"].min() >= 5
    assert found.before.presence.values.min() < 5, "what is blank was there before"
    taxis.selectbox(key="tables_protection").set_value("exact").run()
    taxis.segmented_control(key="tables_contents").set_value(("presence",)).run()
    made(taxis)
    assert "Nothing protects exact counts" in said(taxis)
    assert not has(taxis, "tables_get_release")
    taxis.text_input(key="tables_why").set_value("a court order").run()
    assert has(taxis, "tables_get_release")
    choose_option(taxis, Presence(found.config.frame, 6, 20))
    go(taxis, "tables")
    assert taxis.selectbox(key="tables_protection").value == "threshold"
    assert taxis.number_input(key="tables_threshold").value == 20
    assert taxis.selectbox(key="tables_bands").value == 6
    assert taxis.segmented_control(key="tables_contents").value == ("presence",)


def test_a_corrected_file_hides_no_release_of_the_same_people(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables with ε and with blanks, of one file; then the same people but three, and strangers."""

    def asked(content: bytes, protection: str) -> str:
        upload(app, content, page="tables")
        app.segmented_control(key="tables_contents").set_value(("presence",)).run()
        app.selectbox(key="tables_areas").set_value("squares").run()
        app.text_input(key="tables_area").set_value(AREA).run()
        app.selectbox(key="tables_protection").set_value(protection).run()
        return said(state(app, 30, dt.date(2024, 3, 5)))

    assert "Other files of the same people are not counted." in asked(rows(30, 5), "private")
    private = made(app)
    app.selectbox(key="tables_protection").set_value("threshold").run()
    blanks = made(app)
    assert leaving.SUBTRACTED in [box.value for box in app.warning]
    text = asked(rows(27, 5), "private")
    assert leaving.SUBTRACTED not in [box.value for box in app.warning]
    assert (
        "Releases of this file have spent ε = 0. 1 other ledger here holds ε = 1. If it is about "
        "the same people, ε adds up to 1. Judging by ids, ε = 1 of this is about people in this "
        "file."
    ) in text
    check_sentences(text)
    # The report names both, in order, whether or not options are weighed.
    go(app, "report")
    listed = made_here(app)
    assert listed is not None
    assert listed["Release"].tolist() == [str(private.config), str(blanks.config)]
    assert listed["People also here"].tolist() == ["27 of 27", "27 of 27"]
    choose_option(app, private.config)
    page = report_page(app)
    for found in (private, blanks):
        for file in found.archives.values():
            assert page.count(sha256(file).hexdigest()) == 1
    assert "ε adds up to 1. Judging by ids" in page
    # Of other people, the ledger may be about the same ones, but nothing says so.
    text = asked(rows(30, 5).replace(b"subscriber", b"other"), "private")
    assert "ε adds up to 1." in text
    assert "Judging by ids" not in text
    go(app, "report")
    assert made_here(app) is None
    # On a dashboard of several officers, ledgers that this session did not fill are others'.
    (ledgers_folder() / "foreign.ledger").write_text("[1]\n")
    assert "Not all other ledgers here can be read" in asked(rows(27, 5), "private")
    monkeypatch.setenv("FPANON_PUBLIC_URL", "https://fpanon.example")
    text = asked(rows(26, 5), "private")
    assert "1 other ledger here holds ε = 1." in text
    assert "Judging by ids, ε = 1 of this" in text
    text = asked(rows(30, 5).replace(b"subscriber", b"another"), "private")
    assert "Other files of the same people are not counted." in text


def test_squares_over_a_stated_area_and_tables_of_nothing(app: AppTest) -> None:
    upload(app, rows(30, 5), page="tables")
    app.segmented_control(key="tables_contents").set_value(("records",)).run()
    app.text_input(key="tables_area").set_value("0m, 0m, 3000m, 3000m").run()
    state(app, 30, dt.date(2024, 3, 5))
    assert "State the area of a private release in degrees" in said(app), (
        "records decide the metres"
    )
    assert not has(app, "tables_go"), "nothing is charged for it"
    app.text_input(key="tables_area").set_value(AREA).run()
    app.number_input(key="tables_side").set_value(5.0).run()
    assert made(app, "produce_people").archives, "read again with the centre of the area"
    app.segmented_control(key="tables_contents").set_value(("presence", "flows")).run()
    app.selectbox(key="tables_areas").set_value("squares").run()
    app.text_input(key="tables_area").set_value("").run()
    assert "State the area" in said(app)
    app.text_input(key="tables_area").set_value("14.6, -17.6, 15.1").run()
    assert "cannot be read" in said(app)
    app.text_input(key="tables_area").set_value(AREA).run()
    assert "km from Dakar, the nearest large town" in said(app)
    found = made(app)
    assert found.before.presence.values.sum() > 0
    assert found.made.fault == "", "the data were read again with the stated centre"
    # Of three people nothing is left.
    upload(app, rows(3, 5), page="tables")
    app.selectbox(key="tables_areas").set_value("squares").run()
    app.text_input(key="tables_area").set_value(AREA).run()
    app.selectbox(key="tables_protection").set_value("threshold").run()
    state(app, 3, dt.date(2024, 3, 5))
    assert not np.nansum(made(app).made.presence.values)
    assert any("These tables show nothing" in box.value for box in app.warning)


def test_a_release_of_another_reading_is_not_offered(app: AppTest) -> None:
    """The middle of this area is in Mali, whose zone the noise was drawn in; then one is stated."""
    upload(app, rows(30, 5), page="tables")
    app.segmented_control(key="tables_contents").set_value(("presence",)).run()
    app.selectbox(key="tables_areas").set_value("squares").run()
    app.number_input(key="tables_side").set_value(50.0)
    app.text_input(key="tables_area").set_value("14, -17.6, 15, -6")
    state(app, 30, dt.date(2024, 3, 5))
    assert "time zone Africa/Bamako" in said(app)
    found = made(app)
    choose_option(app, found.config)
    digest = sha256(found.archives["csv"]).hexdigest()
    produced = f"<dt>SHA-256 of the release file</dt><dd>{digest}</dd>"
    assert produced in report_page(app)
    go(app, "data")
    press(app, "data_list_columns", "data_timezone")
    app.selectbox(key="data_timezone").set_value("Africa/Dakar")
    press(app, "data_read_again")
    page = report_page(app)
    assert produced not in page
    assert digest in page, "but it was made about these people"
    go(app, "tables")
    assert not has(app, "tables_get_release"), "its hours are those of Bamako"
    assert has(app, "tables_go")


def report_page(at: AppTest) -> str:
    """The report in HTML, as its page previews it."""
    return str(go(at, "report").get("iframe")[0].proto.srcdoc)


def squares(names: str) -> charts.Ground:
    """Squares of one degree side by side."""
    shapes = [
        {"type": "Polygon", "coordinates": [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]]}
        for x in range(len(names))
    ]
    named = zip(names, shapes, strict=True)
    return charts.ground_of(
        {"features": [{"properties": {"area": name}, "geometry": shape} for name, shape in named]}
    )


def test_maps_show_the_largest_flows_and_blank_counts() -> None:
    """By hand: two squares; the second count is blank."""
    ground = squares("ab")
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
    assert layer.data[0]["c"][3] == round(90 + (220 - 90) * 0.5), "half of it may be noise"
    assert layer.data[1]["tip"] == "b: left blank"
    assert layer.data[1]["c"] == [0, 0, 0, 0]


def test_areas_are_shown_whole_but_for_one_that_would_dwarf_the_others() -> None:
    """By hand: ten squares in a row; then a last one that reaches to 30°."""
    none = CountTables(Presence(FRAME), None, None)
    row = squares("abcdefghij")
    assert charts.extent(row, none) == Extent(0, 0, 10, 1)
    (rings,) = (rings for at, rings in row.parts if at == 9)
    wide = [[30 * (x > 9) or x, y] for x, y in rings[0]]
    parts = [(at, [wide] if at == 9 else rings) for at, rings in row.parts]
    seen = charts.extent(row._replace(parts=parts), none)
    assert seen == charts.central(row.lon, row.lat)
    assert seen.east < 10


def test_before_and_after_share_their_colours() -> None:
    before, after = np.array([[10.0, 80.0]]), np.array([[80.0, 10.0]])
    was, now = charts.density_shades([before, after], squares("a"), LIGHT)
    assert was.colours == now.colours[::-1]
    assert (was.low, was.high) == (now.low, now.high)


def test_an_option_above_a_threshold_is_above_it_where_its_maps_are(app: AppTest) -> None:
    opened(app)
    of_data = fp.FrameConfig(fp.StatedPeriod(dt.date(2008, 6, 1), 9), antennas_an_area=55)
    for most, told in ((1e-9, "not within your thresholds"), (1.0, "Ready to release")):
        choose_option(app, Presence(of_data, 4, 15), Limits({"home": most, "membership": most}))
        go(app, "tables")
        state(app)
        if has(app, "tables_go"):
            made(app)
        assert told in said(app)
        assert app.get("download_button")
        named = any("Homes found: 18%" in each.value for each in app.warning)
        assert named is (most < 1), [each.value for each in app.warning]
    # The officer's own tables are attacked on this page, and judged like any option.
    app.session_state["fp_limits"] = Limits({"home": 1e-9, "membership": 1e-9})
    app.selectbox(key="tables_bands").set_value(3).run()
    made(app)
    assert app.info[-1].value.startswith(f"**{UNKNOWN}**")
    assert leaving.NOT_COVERED not in app.info[-1].value, "no ε is spent"
    app.button(key="tables_attack").click().run()
    until(app, lambda at: not has(at, "tables_attack"))
    over = next(each.value for each in app.warning if each.value.startswith(f"**{ABOVE}"))
    assert re.search(r"Homes found: \d+%", over)
    assert "In this release, density is" in said(app), "its utility is known, too"
    app.session_state["fp_limits"] = Limits(dict.fromkeys(Limits().of))
    assert leaving.NO_THRESHOLD in said(app.run()), "it has been attacked, and is not again"
    assert not has(app, "tables_attack")
    # What is lacking is not hidden in a closed form.
    assert not settings(app).proto.expanded
    app.number_input(key="tables_people").set_value(None).run()
    assert settings(app).proto.expanded
    app.number_input(key="tables_people").set_value(500).run()
    assert not settings(app).proto.expanded


def test_the_recommended_option_fills_fields_that_nobody_has_changed(app: AppTest) -> None:
    opened(app)
    step = fp.Tables(fp.FrameConfig(fp.StatedPeriod(DAY, 1), antennas_an_area=4), 24, 2)
    mine = choose_option(app, step, Limits(dict.fromkeys(Limits().of) | {"home": 1.0}))
    assert mine.weighed is not None
    mine.kept, mine.weighed = None, replace(mine.weighed, chosen=None)
    go(app, "tables")
    assert app.number_input(key="tables_threshold").value == 2
    assert story.RECOMMENDED in said(app)
    app.number_input(key="tables_threshold").set_value(9).run()
    go(app, "overview")
    go(app, "tables")
    assert app.number_input(key="tables_threshold").value == 9, "what is changed stays"


def test_the_report_makes_the_chosen_people_of_days_that_are_stated(app: AppTest) -> None:
    opened(app)
    of_data = fp.FrameConfig(fp.StatedPeriod(dt.date(2008, 6, 1), 9))
    weighed = choose_option(app, fp.Synthesize(of_data, 0.5)).weighed
    assert weighed is not None
    go(app, "report")
    until(app, lambda at: has(at, "tables_go")).run()
    text = said(app)
    assert "ε does not cover a choice based on these figures" in text
    assert "State the first day and the number of days that you were asked for" in text
    assert app.button(key="tables_go").disabled
    assert app.number_input(key="tables_days").value is None, "days are stated anew"
    state(app, people=None)
    assert "With homes in" in said(app), "the error comes before anything is computed"
    assert ledger().spent == 0.0
    found = made(app, "produce_people")
    assert found.config.frame.period == fp.StatedPeriod(DAY, 1, 60.0)
    assert ledger().spent == 0.5
    # What the file itself keeps is said beside its download, in the report and before signing.
    choice, own = weighed.table.choice, {"components": found.kept, "least": {}}
    file = replace(weighed.table.results[0], **own)
    told = describe_file(choice, file)
    little = bool(choice.too_little(file))  # as the noise will have it
    ready = leaving.TOO_LITTLE if little else "Ready to release"
    assert f"{ready}: places, protection" in said(app)
    assert has(app, "tables_get_release")
    # The page that shows its maps has the same settings, and nothing is charged again.
    app.button(key="tables_look").click().run()
    assert app.segmented_control(key="tables_contents").value == ("records",)
    assert has(app, "tables_get_release")
    assert ledger().spent == 0.5
    assert told.startswith(("This release keeps ", "In this release, "))
    assert any(told in each.value for each in app.markdown)
    page = report_page(app)
    assert f"{sha256(found.archives['csv']).hexdigest()}" in page
    assert page.count(told) == 1 + little
    assert page.count("have spent ε = 0.5. Other files of the same people are not counted.") == 2
    assert told in said(app)
    # The option fills the fields once: what is changed afterwards stays.
    go(app, "tables")
    assert app.number_input(key="tables_epsilon").value == 0.5
    app.number_input(key="tables_epsilon").set_value(0.25).run()
    go(app, "overview")
    go(app, "tables")
    assert app.number_input(key="tables_epsilon").value == 0.25


def test_data_without_a_clock_give_minutes_and_no_date() -> None:
    """Such data come from folders that were kept; the page asks no first day of them."""
    found = synthetic_people.study(crowd(60), fp.Synthesize(FRAME, 1.0, 20))
    assert found.archives
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        assert pd.read_csv(archive.open("records.csv"))["minute"].between(0, 9 * 1440 - 1).all()


@pytest.mark.parametrize("n", [1195, 1499, 340])
def test_the_error_before_charging_is_not_below_that_of_what_is_made(n: int) -> None:
    """The officer states one digit; the program divides homes by a noisy count."""
    frame = replace(FRAME, side_m=100.0)
    told = synthetic_people.expected(
        crowd(60), fp.Synthesize(frame, 0.25), round(n, 1 - len(str(n)))
    )
    ground = Ground.of(table_frame(crowd(60), frame))
    groups = int(leaves_for(ground, n, 0.25).max()) + 1
    assert told.groups >= groups
    assert told.homes <= n / groups


def test_sentences_are_short() -> None:
    told = leaving.expected_people(Expected(8, 125.0, 5.0, ("So few people reveal little.",)))
    check_sentences(told)
    for text in (CENTRE, story.EPSILON, story.PEOPLE, story.SCALE, leaving.BY_SPAN, *story.ABOUT):
        check_sentences(text)


def test_public_residents_are_stated_never_assumed(app: AppTest) -> None:
    places = "".join(f"{n},14.{70 + n},-17.4,{100 + n}\n" for n in range(30))
    go(app, "data")
    app.file_uploader(key="data_antennas").upload(
        "places.csv", b"point,lat,lon,people\n" + places.encode()
    )
    upload(app, rows(30, 24), page="tables")
    found = app.selectbox(key="tables_residents")
    assert found.value == ""
    found.select("people").run()
    day = dt.date(2024, 3, 5)
    assert made(state(app, 30, day)).config.frame.residents == "people"
    choose_option(app, fp.Synthesize(fp.FrameConfig(fp.StatedPeriod(day, 1), residents="gone"), 1))
    go(app, "tables")
    assert app.selectbox(key="tables_residents").value == "", "these data have no such column"
