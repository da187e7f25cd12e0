"""Publish tables: synthetic people, from stated numbers to the zip and its charge."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core.studies import count_tables, synthetic_people
from fpanon_core.studies.reading import Source
from fpanon_core.studies.synthetic_people import Expected, Result
from pages.shell import leaving
from pages.tables import story
from tests.support.stated_frames import FRAME, crowd
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

MOST_WORDS = 25


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ledgers of a test are its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def wished(at: AppTest) -> AppTest:
    """The page, with synthetic people wished for."""
    go(at, "tables")
    return at.segmented_control(key="tables_contents").set_value(("records",)).run()


def state(at: AppTest, first: dt.date | None, people: int | None = 500) -> AppTest:
    if people is not None:
        at.number_input(key="tables_people").set_value(people)
    if first is not None:
        at.date_input(key="tables_first").set_value(first)
    at.number_input(key="tables_days").set_value(1)
    return at.run()


def made(at: AppTest) -> Result:
    at.button(key="tables_go").click().run()
    until(at, lambda at: not has(at, "tables_go"))
    found: Result = answer(at, "produce_people")[1]
    return found


def ledger() -> fp.Ledger:
    return fp.Ledger(count_tables.ledger_at(Source.of_sample("sf_cabs")))


def check_sentences(text: str) -> None:
    for paragraph in text.split("\n"):
        for sentence in re.split(r"(?<=[.:;?!])\*{0,2}\s+", paragraph):
            assert len(sentence.split()) <= MOST_WORDS, sentence


def test_from_stated_numbers_to_the_zip_and_its_charge(app: AppTest) -> None:
    opened(app)
    wished(app)
    assert app.button(key="tables_go").disabled
    assert "State the first day and the number of days. They must not" in said(app)
    state(app, dt.date(2008, 6, 8), people=None)
    assert "State about how many people there are" in said(app)
    app.number_input(key="tables_people").set_value(500).run()
    assert not has(app, "tables_protection"), "nothing but ε is offered"
    text = said(app)
    assert "homes is off by about" in text, "the error comes before anything is computed"
    assert "map centre" in text
    check_sentences(text)
    app.number_input(key="tables_made").set_value(60)
    app.number_input(key="tables_budget").set_value(1.5).run()
    found = made(app)
    assert found.people == 60
    assert found.config == fp.Synthesize(found.config.frame, 1.0, 60)
    assert (ledger().spent, ledger().budget) == (1.0, 1.5)
    assert ledger().to_frame()["what"].tolist() == [str(found.config)]
    assert has(app, "tables_get_release")
    text = said(app)
    assert "60 people who do not exist" in text
    assert "each making is charged" in text
    check_sentences(text)
    app.run()
    assert ledger().spent == 1.0, "the same people are charged once"
    # What leaves and what is told of statistics hold nothing of the records but through noise.
    assert {*found.tables()} == {"learnt"}
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        people = pd.read_csv(archive.open("records.csv"))
        every = b"".join(archive.read(each) for each in archive.namelist())
    assert people["person"].nunique() == 60
    assert found.digest.encode() not in every
    # Other people past the budget: a reason is due.
    app.number_input(key="tables_epsilon").set_value(0.8).run()
    assert not has(app, "tables_get_release"), "what was made is not what the settings say"
    assert app.button(key="tables_go").disabled
    app.text_input(key="tables_reason").set_value("asked for by the ministry").run()
    made(app)
    assert ledger().spent == pytest.approx(1.8)


def test_an_option_brings_what_it_states_and_says_what_no_epsilon_covers(app: AppTest) -> None:
    opened(app)
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2008, 6, 8), 1))
    choose_option(app, fp.Synthesize(frame, 0.5))
    go(app, "tables")
    assert app.segmented_control(key="tables_contents").value == ("records",)
    assert app.number_input(key="tables_epsilon").value == 0.5
    assert app.number_input(key="tables_days").value is None, "days are stated anew"
    app.number_input(key="tables_epsilon").set_value(0.25).run()
    go(app, "overview")
    go(app, "tables")
    assert app.number_input(key="tables_epsilon").value == 0.25, "it fills the fields once"


def test_the_report_makes_the_chosen_people_of_days_that_are_stated(app: AppTest) -> None:
    opened(app)
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2008, 6, 1), 9))
    choose_option(app, fp.Synthesize(frame, 0.5))
    go(app, "report")
    until(app, lambda at: has(at, "tables_go")).run()
    text = said(app)
    assert "No ε covers a choice based on them" in text
    assert "State the first day and the number of days. They must not" in text
    assert app.button(key="tables_go").disabled
    app.date_input(key="tables_first").set_value(dt.date(2008, 6, 8))
    app.number_input(key="tables_days").set_value(1).run()
    assert "Homes in" in said(app), "the error comes before anything is computed"
    assert ledger().spent == 0.0
    found = made(app)
    assert found.config.frame.period == fp.StatedPeriod(dt.date(2008, 6, 8), 1, 60.0)
    assert ledger().spent == 0.5
    assert "Ready to release: places, protection" in said(app)
    assert has(app, "tables_get_release")
    # The page that shows its maps has the same settings, and nothing is charged again.
    app.button(key="tables_look").click().run()
    assert app.segmented_control(key="tables_contents").value == ("records",)
    assert has(app, "tables_get_release")
    assert ledger().spent == 0.5
    go(app, "report")
    assert f"{sha256(found.archives['csv']).hexdigest()}" in str(app.get("iframe")[0].proto.srcdoc)


def test_data_without_a_clock_give_minutes_and_no_date() -> None:
    """Such data come from folders that were kept; the page asks no first day of them."""
    found = synthetic_people.study(crowd(60), fp.Synthesize(FRAME, 1.0, 20))
    assert found.archives
    with zipfile.ZipFile(io.BytesIO(found.archives["csv"])) as archive:
        assert pd.read_csv(archive.open("records.csv"))["minute"].between(0, 9 * 1440 - 1).all()
    assert re.fullmatch(r"day [1-9], \d\d:\d\d", story.played(found.lives[0], None)[0])
    unstated = fp.read_cdr(fp.generate_cdr(20, days=2, seed=1))[0]
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 2), "grid", FRAME.area, 1_000)
    with pytest.raises(fp.ConfigError, match="in degrees"):
        synthetic_people.study(unstated, fp.Synthesize(frame, 1.0))


def test_metres_on_a_projection_that_the_records_decide_are_refused(app: AppTest) -> None:
    upload(app, rows(30, 5))
    wished(app)
    app.text_input(key="tables_area").set_value("0m, 0m, 3000m, 3000m").run()
    state(app, dt.date(2024, 3, 5), 30)
    assert "State the area of private counts in degrees" in said(app)
    assert not has(app, "tables_go"), "nothing is charged for it"
    app.text_input(key="tables_area").set_value("14.6, -17.6, 15.1, -17.2").run()
    app.number_input(key="tables_side").set_value(5.0).run()
    assert made(app).archives, "read again with the centre of the area"


def test_sentences_say_what_the_numbers_are() -> None:
    told = leaving.expected_people(
        Expected(8, 125.0, 5.0, ("So few people reveal little about the hours of the day.",))
    )
    assert told == (
        "**Homes in 8 groups of places: a typical group of 125 homes is off by about 5 (4%).** "
        "So few people reveal little about the hours of the day."
    )
    check_sentences(told)
    for text in (story.EPSILON, story.PEOPLE, story.SCALE, leaving.BY_SPAN, *story.ABOUT):
        check_sentences(text)
