"""What all pages share: addresses, questions, thresholds, profiles, backgrounds, lost sessions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core import Antennas
from fpanon_core.measures.crossing import crossing
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import Flows
from fpanon_core.model.profiles import parse_profile
from fpanon_core.model.projection import equal_area_around
from fpanon_core.studies import hiding
from fpanon_core.studies.estimates import needed_bytes
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.synthetic_people import Expected
from pages.server.lives import REGISTRY, Ended
from pages.shell import address, job_panel, leaving, limits, questions, session, together
from pages.shell.questions import Kind, Question
from pages.shell.together import Left
from pages.shell.widgets import PRESETS, TYPED, offered, profiles_of
from tests.pages.test_together import members
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    answers,
    go,
    has,
    idle,
    new_app,
    opened,
    press,
    rows,
    said,
    until,
    upload,
)

# --- shell story ----------------------------------------------------------------------------------


def job(ahead: int = 0, needs_bytes: int | None = None) -> session.Job:
    """One that waits behind so many others."""
    found = session.Job(len, (), {}, "Measuring", needs_bytes=needs_bytes)
    found.place = lambda _job: ahead
    return found


def test_sentences_are_those_of_the_snapshot() -> None:
    """Crossed: each of four alone in both; of eight, two in both; one alone already; all alone."""
    usual = Limits()
    own = Limits({"outsider": 0.2, "home": None, "unicity": 0.01, "em": 9.0})
    none = Limits(dict.fromkeys(("outsider", "home", "unicity", "membership", "em", "kl")))
    contract = Limits({"outsider": 0.2})
    area = fp.StatedArea(0, 0, 5_000, 10_000, "metres")
    frame = fp.FrameConfig(fp.StatedPeriod(None, 14), "grid", area, 1_000)
    cells = pd.DataFrame(
        [{"areas": 50, "bands": 48, "people": 40.0, "noise": 48.0, "error": 9.6, "share": 0.24}]
    )
    few = ("So few people reveal little about the hours of the day.",)
    alone = crossing(members("ab", "cd"), members("ac", "bd"))
    what = together.describe_earlier([Left(members("ab", name="GLOVE, k = 2"))])
    check_snapshot(
        "shell",
        {
            "A session that ended": [
                session.describe_ended(ended)
                for ended in (Ended(15.0, True, 2), Ended(0.5, False, 1), Ended())
            ],
            "Jobs": [
                *(job_panel.line(job(ahead), 0) for ahead in (0, 1, 7)),
                *(job_panel.line(job(0, needs), 0) for needs in (230_000_000, 1_240_000_000)),
            ],
            "Thresholds in force": [limits.counted(usual), limits.counted(none)],
            "Where thresholds are from": [
                *(
                    limits.describe_source(usual, name, usual)
                    for name in ("outsider", "home", "em")
                ),
                *(limits.describe_source(own, name, usual) for name in own.of),
                limits.describe_source(contract, "outsider", contract),
            ],
            "The error of tables": [
                leaving.expected(cells, fp.Tables(frame, 24, epsilon=1.0)),
                leaving.expected(cells, Flows(frame, 24, threshold=60)),
            ],
            "The error of synthetic people": leaving.expected_people(Expected(8, 125.0, 5.0, few)),
            "Alone in both releases": [together.warning(alone, what), together.meaning(alone)],
            "Fewer in both": together.warning(
                crossing(members("abcd", "efgh"), members("abef", "cdgh")), "X"
            ),
            "One alone already": together.warning(
                crossing(members("a", "bcd"), members("abc", "d")), "X"
            ),
            "All alone already": together.unchanged(
                crossing(members("a", "b"), members("a", "b")), "X"
            ),
        },
    )


def test_what_a_file_says_of_itself_is_shown_as_it_is() -> None:
    told = together.describe_earlier([Left(members("ab", name="![x](http://y) *b*"), given=True)])
    assert "![" not in told
    assert told.startswith("the earlier release given (")


# --- address --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Night:
    """Settings of which two are checked against each other, as those of a study may be."""

    begins: int = 22
    ends: int = 6
    users: int = 100

    def __post_init__(self) -> None:
        if self.begins == self.ends:
            raise ConfigError("The night has no hours; let it end at another than it begins.")
        if self.users < 2:
            raise ConfigError("people must be 2 or more.")


NAMES = {"begins": "from", "ends": "to", "users": "people"}


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({}, Night()),
        ({"people": "9", "elsewhere": "3"}, Night(users=9)),
        ({"from": "6", "to": "10"}, Night(6, 10)),  # not one by one: from 6 to 6 is refused
        ({"from": "20", "to": "22"}, Night(20, 22)),
        ({"from": "6", "to": "22"}, Night(6, 22)),  # refused one by one in either order
        ({"from": "6", "to": "6"}, Night()),
        ({"from": "6", "to": "10", "people": "many"}, Night(6, 10)),
        ({"from": "20", "to": "late", "people": "9"}, Night(20, users=9)),
        ({"from": "20", "to": "5", "people": "1"}, Night(20, 5)),
    ],
)
def test_settings_that_are_checked_against_each_other(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], taken: Night
) -> None:
    monkeypatch.setattr(address, "remembered", lambda: asked)
    assert address.settings_asked(NAMES, Night()) == taken


def test_what_is_named_in_the_address_is_read_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for settings in (Night(), Night(6, 22), Night(6, 10, 2)):
        named = address.named(settings, NAMES, Night())
        monkeypatch.setattr(address, "remembered", lambda named=named: named)
        assert address.settings_asked(NAMES, Night()) == settings


# --- away -----------------------------------------------------------------------------------------


def test_it_is_said_on_every_page_until_somebody_has_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    once = iter([Ended(15.0, True, 0)])
    monkeypatch.setattr(REGISTRY, "ended", lambda _session: next(once, None))
    at = new_app()
    for page in ("overview", "data", "unicity"):
        assert "Your session ended" in said(go(at, page))
    at.button(key="frame_away_read").click().run()
    assert "Your session ended" not in said(at)


def test_how_long_it_is_kept_is_said_where_files_are_opened(app: AppTest) -> None:
    assert "for 15 minutes afterwards" in said(go(app, "data"))


def test_what_is_opened_is_handed_on_to_the_next_page(app: AppTest) -> None:
    upload(app, rows(users=3, samples=4))
    work = REGISTRY.claim("test session id")
    assert work.kept["fp_dataset"] is app.session_state["fp_dataset"]
    assert work.jobs is app.session_state["fp_jobs"]
    again = AppTest.from_file(app._script_path, default_timeout=60)
    work.given_to = "the page before"
    again.run()
    assert again.session_state["fp_dataset"] is app.session_state["fp_dataset"]
    assert again.session_state["fp_jobs"] is work.jobs
    assert "3 people" in said(again)


def test_a_file_that_a_widget_holds_is_not_dropped_and_counted_once_read(app: AppTest) -> None:
    body = rows(users=3, samples=4)
    go(app, "data")
    app.file_uploader(key="data_file").upload("own.csv", body).run()
    work = REGISTRY.claim("test session id")
    assert len(work.claimed) == 1
    assert work.source_bytes == 0
    app.button(key="data_read").click().run()
    assert work.source_bytes == len(body)
    app.radio(key="data_way").set_value(app.radio(key="data_way").options[-1]).run()
    app.button(key="data_sample_sf_cabs").click().run()
    assert work.source_bytes == 0


# --- background -----------------------------------------------------------------------------------

ROADS = {
    "type": "MultiLineString",
    "coordinates": [[[-122.5, 37.7], [-122.4, 37.8]], [[-122.5, 37.8], [-122.4, 37.7]]],
}


def given(at: AppTest, body: bytes) -> AppTest:
    at.file_uploader(key="data_background_file").upload("roads.geojson", body).run()
    at.button(key="data_background_read").click().run()
    return until(at, idle).run()


def test_lines_are_laid_under_the_maps_and_taken_away_and_a_bad_file_is_refused(
    app: AppTest,
) -> None:
    opened(app)
    assert "no figure depends on them" in said(app)
    given(app, json.dumps(ROADS).encode())
    assert "Under the maps: 2 lines, 4 points in all." in said(app)
    given(app, b'{"type": "LineString", "coordinates": [[430000, 4580000], [430100, 4580000]]}')
    assert "beyond the globe" in app.error[0].value
    assert "San Francisco" in said(app)
    assert app.session_state["fp_background"].n_lines == 2  # what there was stays
    app.button(key="data_background_remove").click().run()
    assert "Under the maps:" not in said(app)
    assert not has(app, "data_background_remove")


# --- limits ---------------------------------------------------------------------------------------


def test_the_bar_names_purpose_recipient_and_threshold(app: AppTest) -> None:
    upload(app, rows(users=4, samples=3), page="overview")
    assert _bar(app) == "Transport planning · Anyone · risk at most 5%"
    app.segmented_control(key="aims_purpose").set_value("travel").run()
    app.segmented_control(key="aims_recipient").set_value("contract").run()
    go(app, "unicity")
    assert _bar(app) == ("Travel between areas · Recipients under contract · risk at most 8.33%")
    _field(app, "home").set_value(None).run()
    assert _bar(app).endswith("your own thresholds")


def _bar(app: AppTest) -> str:
    (found,) = (p.proto for p in app.get("popover") if p.proto.id.endswith("limits"))
    return str(found.popover.label)


def _field(app: AppTest, name: str) -> Any:
    """The field of a threshold; it has a new key once thresholds came from elsewhere."""
    (found,) = (each for each in app.number_input if str(each.key).startswith(f"limit_{name}"))
    return found


def test_a_threshold_holds_on_every_page_and_the_usual_ones_come_back(app: AppTest) -> None:
    """What the fields hold is not read: only their change is."""
    upload(app, rows(users=9, samples=6))
    assert _field(app, "outsider").value == 5.0
    assert "our default, not a norm" in said(app)
    _field(app, "outsider").set_value(9.0).run()
    assert app.session_state["fp_limits"].limit("linkage") == 0.09
    _field(app, "home").set_value(None).run()
    assert app.session_state["fp_limits"] == Limits({"outsider": 0.09, "home": None})
    own = Limits({"outsider": 0.07, "home": None, "em": 3.5})
    app.session_state["fp_limits"] = own  # as of a study that is opened
    for page in ("unicity", "data", "options"):
        go(app, page)
        assert app.session_state["fp_limits"] == own
        fields = [_field(app, name).value for name in ("outsider", "home", "em", "kl")]
        assert fields == [7.0, None, 3.5, None]
    # A change of one field leaves the others as they are.
    _field(app, "kl").set_value(2.0).run()
    assert app.session_state["fp_limits"] == Limits({**own.of, "kl": 2.0})
    app.button(key="limits_usual").click().run()
    assert [_field(app, name).value for name in ("outsider", "home")] == [5.0, 5.0]
    assert app.session_state["fp_limits"] == Limits()


# --- profiles offered -----------------------------------------------------------------------------


def town(granularity_m: float = 100.0) -> FingerprintSet:
    return FingerprintSet.from_samples(
        [1, 2], [0, 900], [0, 0], [0, 9], granularity_m=granularity_m
    )


def test_what_suits_the_data_is_offered() -> None:
    grids = [str(profile) for profile in PRESETS]
    assert offered(town()) == grids
    somewhere = replace(town(), crs=equal_area_around(14.7, -17.4))
    hexagons = [f"hexagons of H3 resolution {r} · 1 h" for r in (8, 7, 6)]
    assert offered(somewhere) == grids + hexagons
    table = Antennas(np.array([0.0, 900.0]), np.array([0.0, 0.0]), columns={"zip": ["1", "2"]})
    antennas = ["single antennas · 1 h", "about 7 antennas · 1 h"]
    everything = [*grids, *antennas, *hexagons, "regions by zip · 1 h"]
    assert offered(replace(somewhere, antennas=table)) == everything
    assert [str(parse_profile(text)) for text in everything] == everything


def test_hexagons_finer_than_the_data_are_not_offered() -> None:
    """A square of 2 km has 4 km²; hexagons of resolution 7 have 5.2 km² on average, of 8 0.74."""
    coarse = replace(town(2_000.0), crs=equal_area_around(14.7, -17.4))
    found = [text for text in offered(coarse) if text.startswith("hexagons")]
    assert found == [f"hexagons of H3 resolution {r} · 1 h" for r in (7, 6)]


def test_what_somebody_typed_stays_offered() -> None:
    typed = profiles_of(["3 km · 45 min", "2.5 km from 0 m east, 0 m north · 1 h"])
    assert {str(profile) for profile in typed} < set(offered(town(), typed))


def test_the_examples_of_how_to_type_can_be_typed() -> None:
    examples = [part.split("”")[0] for part in TYPED.split("“")[1:]]
    assert len(profiles_of(examples)) == 5
    with pytest.raises(ConfigError, match="somewhere"):
        profiles_of(["somewhere"])


# --- questions ------------------------------------------------------------------------------------


def test_a_job_begins_with_the_estimate_of_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, Any]] = []
    monkeypatch.setattr(questions.session, "start", lambda *_, **named: started.append(named))
    monkeypatch.setattr(questions.session, "jobs", lambda _kind: [])
    monkeypatch.setattr(questions, "st", SimpleNamespace(session_state={}))
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [0, 9])
    questions.ask(
        Question(Kind("glove", hiding.study, page="glove"), fs, hiding.Config(), "Hiding")
    )
    assert [job["needs_bytes"] for job in started] == [needed_bytes(hiding.study, fs)]


@pytest.mark.parametrize("view", ["unicity", "disclosure", "attack", "report"])
def test_what_waits_to_be_asked_says_what_it_takes(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    """Data that are large for the dashboard: nothing is measured unasked, and its cost is told."""
    monkeypatch.setattr(questions, "_ORDINARY_SAMPLES", 5)
    upload(app, rows(users=9, samples=6))
    if view == "report":  # what was weighed is needed for it
        go(app, "options")
        press(app, "options_go", lambda at: has(at, "options_choice_keep") and idle(at))
    go(app, view)
    if view == "attack":
        app.selectbox(key="attack_release").set_value("aligned, k = 2").run()
    until(app, lambda at: "of memory" in said(at))
    assert re.search(r"About 1[\d.]* [MG]B of memory is needed", said(app))
    until(app, idle)
    if view in ("unicity", "disclosure"):
        until(app, lambda at: "likely to take about" in said(at))
        press(app, f"{view}_go", lambda at: bool(answers(at, view)))
        assert "of memory" not in said(app.run())
