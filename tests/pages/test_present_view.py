"""The slides: of the chosen option of each kind, without a choice, and where nothing leaves."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core import FingerprintSet, GeneralizationProfile, Grid
from fpanon_core.model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from fpanon_core.model.options import (
    Aligned,
    Flows,
    Generalize,
    Periods,
    Presence,
    ReleaseOption,
    SampleUsers,
    SuppressRare,
    Synthesize,
)
from fpanon_core.model.projection import central, equal_area_around
from fpanon_core.studies import count_tables, people_by_hexagon
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.followed import Wanted, published_record
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.recipe import Decision
from fpanon_core.studies.search import KNOWLEDGE
from fpanon_core.studies.study import Kept
from pages.charts import style
from pages.charts.record import published_map, recorded_map
from pages.charts.unicity import of_a_hundred
from pages.present import maps, story
from pages.shell.workspace import Weighing
from tests.pages.test_options_story import option
from tests.support.snapshots import check_snapshot
from tests.support.views import answers, has, idle, page_lines, said, until, upload, workspace
from tests.support.views import go as turn

FRAME = FrameConfig(
    StatedPeriod(dt.date(2024, 3, 5), 1), "grid", StatedArea(14.6, -17.6, 14.9, -17.3), 5_000.0
)
CHOICES = {
    "private": (Presence(FRAME, 4, None, 1.0),),
    "invented": (Synthesize(FRAME, 1.0),),
    "blank": (Presence(FRAME, 4, 5),),
    "trips": (Flows(FRAME, 4, 5),),
    "coarse": (Generalize(GeneralizationProfile(Grid(20_000), 60)),),
    "pairs": (Aligned(2),),
}
Slides = dict[str, list[str]]


@pytest.fixture
def opened(app: AppTest) -> AppTest:
    """Twelve people, who go to and fro between two places."""
    lines = [
        f"subscriber-{u:03d},2024-03-05T{h:02d}:00:00+00:00,{14.7 + h % 2 / 20:.2f},-17.4"
        for u in range(12)
        for h in range(6)
    ]
    return upload(app, ("user,time,lat,lon\n" + "\n".join(lines) + "\n").encode())


def presented(at: AppTest) -> Slides:
    """What each slide shows, by its question; none shows an id."""
    at.session_state["fp_present_at"] = "verdict"
    turn(at, "present")
    seen = {}
    for _ in range(9):
        until(at, lambda at: idle(at) and has(at, "present_next")).run()
        seen[at.title[0].value] = page_lines(at)
        assert "subscriber-" not in said(at)
        if at.button(key="present_next").disabled:
            break
        at.button(key="present_next").click().run()
    return seen


def choose(at: AppTest, name: str, *steps: Any) -> AppTest:
    """As where options are weighed: one is chosen, above the threshold of homes: 45% of 15%."""
    digest = at.session_state["fp_dataset"].digest
    result = option(name, 0.0, steps, 2, home=(0.4, 0.35, 0.45), membership=(0.02, 0.01, 0.03))
    table = OptionsTable((result,), "outsider", utility_choice("transport"), KNOWLEDGE, digest)
    workspace(at).weighed = Weighing(table, Limits(), name, "It is asked for.")
    return at


def by_slide(told: dict[str, Slides]) -> dict[str, list[str]]:
    return {f"{of}: {title}": text for of, seen in told.items() for title, text in seen.items()}


def test_slides_are_those_of_the_snapshot(opened: AppTest) -> None:
    """Without a choice they are of the data as they are: all twelve have the same record.

    No noise is drawn that was not charged, and what is shown of tables is no release.
    """
    told = {}
    for name in ("private", "invented"):
        told[name] = presented(choose(opened, name, *CHOICES[name]))
        for kind in ("shown_tables", "produce_tables", "produce_people", "people"):
            assert not answers(opened, kind)
    for name in ("blank", "trips", "coarse"):
        told[name] = presented(choose(opened, name, *CHOICES[name]))
    assert not answers(opened, "produce_tables")
    mine = workspace(opened)
    weighed = mine.weighed
    mine.weighed = replace(weighed, chosen=None)
    told["none chosen"] = presented(opened)
    mine.weighed = replace(weighed, chosen="", why="They are served by counts.")
    told["nothing leaves"] = presented(opened)
    mine.weighed = None
    told["none weighed"] = presented(opened)
    mine.weighed = weighed
    turn(opened, "report")
    until(opened, idle).run()
    opened.text_input(key="report_signer").set_value("Ada Officer")
    digest = opened.session_state["fp_dataset"].digest
    until_field = opened.text_input(key=f"report_until_{digest[:12]}")
    until_field.set_value("31 December 2027").run()
    assert "31 December 2027" in opened.get("iframe")[0].proto.srcdoc
    told["signed"] = presented(opened)
    check_snapshot("present", by_slide(told))


def test_one_person_is_played_as_the_snapshot_says_where_that_is_asked_for(opened: AppTest) -> None:
    """Of an option without records there is none of this person, and none is looked for."""
    turn(choose(opened, "blank", *CHOICES["blank"]), "present")
    (toggle,) = (each for each in opened.toggle if each.key.startswith("present_person_wanted"))
    assert not toggle.value
    toggle.set_value(True).run()
    told = {}
    for name in ("blank", "invented", "pairs"):
        assert not answers(opened, maps.RECORD)
        told[name] = presented(choose(opened, name, *CHOICES[name]))
    check_snapshot("present_person", by_slide(told))


def test_no_map_is_shown_that_looks_empty(opened: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.present.maps._LEAST_SHOWN", 1.1)  # of the areas: never reached
    seen = str(presented(choose(opened, "blank", *CHOICES["blank"])))
    assert "too few areas have enough people, even in the busiest" in seen
    assert "People by area" not in seen


def test_of_private_tables_that_were_made_the_map_is_shown(opened: AppTest) -> None:
    data, private = opened.session_state["fp_dataset"], Presence(FRAME, 4, None, 1.0)
    fs = data.fs
    reread = count_tables.stated_reading(fs, data.reading, FRAME, guessed=True)
    made = replace(count_tables.study(fs, Presence(FRAME, 4, 5)), config=private)
    other = replace(made, config=replace(private, epsilon=2.0))
    kept = {
        (fs.digest, (each.config, reread)): Kept("produce_tables", fs.digest, each.config, each)
        for each in (made, other)
    }
    opened.session_state["fp_answers"] = {"produce_tables": kept}
    for step, shown in (
        (private, "People by area on a weekday"),
        (Presence(FRAME, 4, None, 0.5), "Make the release on"),
        (Presence(FRAME, 6, None, 1.0), "Make the release on"),
    ):
        assert shown in str(presented(choose(opened, "private", step)))


# --- the figures ---------------------------------------------------------------------------------

CRS = equal_area_around(14.7, -17.4)


def people(xs: list[float]) -> FingerprintSet:
    """One sample a person, at these metres east."""
    n = len(xs)
    made = FingerprintSet.from_samples(range(n), xs, [0.0] * n, [60.0 * i for i in range(n)])
    return replace(made, crs=CRS)


def test_one_who_went_far_does_not_decide_the_view() -> None:
    # The central 98% of these are about 0.01 to 0.99; the rest of the first 200 is close to them.
    x = np.append(np.linspace(0, 1, 200), 5000.0)
    seen = central(x, x)
    assert (seen.west, seen.east, seen.south, seen.north) == (0.0, 1.0, 0.0, 1.0)
    assert np.flatnonzero(seen.outside(x, x)).tolist() == [200]
    # Without that one all is shown; nor is anything left out for a little room.
    assert central(x[:200], x[:200]).ends[0].tolist() == [0.0, 1.0]
    assert central(np.append(x[:200], 1.9), np.append(x[:200], 1.9)).east == 1.9


def test_where_people_are_as_published_is_spread_over_each_area() -> None:
    # 600 at one place and others far off; published are squares of 20 km, or 400 km².
    fs = people([0.0] * 600 + [90_000.0] * 40)
    option = ReleaseOption(steps=CHOICES["coarse"])
    found = people_by_hexagon.study(fs, people_by_hexagon.Config(across=20, option=option))
    assert found.people[found.people > 0].tolist() == [600, 40]
    # Hexagons with edges of 3.7 km have 36.1 km²: each gets 36.1 / 400 of the people; what of
    # the area reaches beyond the map is not squeezed into it.
    around = found.after[found.after > 0]
    assert len(around) == 2
    assert around == pytest.approx(600 * 36.1 / 400, rel=0.01)
    # Of four people in an area nothing is told, wherever in it they are.
    few = people([0.0, 2_000.0] * 2 + [90_000.0] * 4)
    found = people_by_hexagon.study(few, people_by_hexagon.Config(across=20, option=option))
    assert not len(found.after)
    # As they are, they are where they are.
    fs = people([0.0] * 6 + [90_000.0] * 2)
    same = ReleaseOption(steps=(SuppressRare(1),))
    found = people_by_hexagon.study(fs, people_by_hexagon.Config(least=2, across=20, option=same))
    assert found.after.tolist() == found.people.tolist()
    few = people_by_hexagon.study(fs, people_by_hexagon.Config(across=20, option=same))
    assert few.after.tolist() == few.people.tolist() == [6]


def test_of_periods_a_person_is_counted_once() -> None:
    cut = ReleaseOption(steps=(Periods(1),))
    fs = FingerprintSet.from_samples(
        np.repeat(np.arange(6), 2), np.zeros(12), np.zeros(12), [0.0, 2_000.0] * 6
    )
    fs = replace(fs, crs=CRS)
    found = people_by_hexagon.study(fs, people_by_hexagon.Config(option=cut))
    assert (found.people.tolist(), found.after.tolist()) == ([6], [6.0])


def test_a_record_is_played_before_and_after_on_maps_of_one_view() -> None:
    fs = people([0.0, 200.0, 5_000.0, 5_300.0])
    wanted = Wanted(ReleaseOption(steps=(Aligned(2),)), user=0)
    record = published_record(fs, wanted)
    assert record.user == 0
    assert record.dx_m.tolist() == [300.0]  # from 0 to 200 m, cells of 100 m
    seen = maps.played(fs, 0, record)
    assert (len(seen.lon), len(seen.areas)) == (1, 1)
    first, last = seen.ends
    both = [draw(seen, last, 60.0, style.DARK) for draw in (recorded_map, published_map)]
    assert both[0].initial_view_state.to_json() == both[1].initial_view_state.to_json()
    (areas,) = (layer for layer in both[1].layers if layer.id == "published")
    assert areas.data
    (areas,) = (
        layer
        for layer in published_map(seen, first - 1, 60.0, style.DARK).layers
        if layer.id == "published"
    )
    assert areas.data == []  # nothing is published for a time before the first


def test_who_is_not_in_the_release_has_no_area() -> None:
    fs = people([0.0, 200.0, 5_000.0, 5_300.0])
    half = ReleaseOption(steps=(SampleUsers(0.5),))
    inside = published_record(fs, Wanted(half)).user  # one of those published
    found = [len(published_record(fs, Wanted(half, user=user)).x_m) for user in range(4)]
    assert sorted(found) == [0, 0, 1, 1]
    assert found[inside] == 1
    out = published_record(fs, Wanted(half, user=found.index(0)))
    seen = maps.played(fs, out.user, out)
    told = story.describe_person("u0009", option("half", 0.0, half.steps), out, seen)
    assert "**No record of u0009 is published.**" in told


@pytest.mark.parametrize(
    ("share", "people"), [(0.0, 0), (0.001, 1), (0.5, 50), (0.999, 99), (1.0, 100)]
)
def test_of_a_hundred_as_many_are_filled_as_are_singled_out(share: float, people: int) -> None:
    raw = option("raw", 1.0, unicity=(share, share, share))
    assert story.singled_out(raw, 4).of_a_hundred == people
    drawn = of_a_hundred(people, style.LIGHT).to_dict()["data"]
    assert [sum(y is None for y in trace["y"]) // 2 for trace in drawn] == [people, 100 - people]


def test_without_unicity_the_strongest_attacker_is_told_or_nothing() -> None:
    unknown = (math.nan,) * 3
    told = story.singled_out(option("raw", 1.0, unicity=unknown, outsider=(0.2, 0.1, 0.3)), 3)
    assert told.of_a_hundred == 20
    assert "re-identified in the unprotected data by an attacker with 3 known points" in told.whom
    assert story.singled_out(option("raw", 1.0, unicity=unknown, outsider=unknown), 3) is None


def test_the_verdict_says_what_the_file_keeps_beside_the_thresholds_that_are_exceeded() -> None:
    """The trial keeps 0.5 of the trips, and its file only 0.05; 0.1 is needed."""
    for risk, above in ((0.0, False), (0.9, True)):
        tried = option("half", 0.5, outsider=(risk, risk, risk))
        file = replace(tried, components=tried.components | {"flows": 0.05})
        table = OptionsTable((tried,), "outsider", utility_choice("transport"), KNOWLEDGE, "")
        found = Exploration(table, option("raw", 1.0), limits=Limits())
        decided = Decision("", tried.option.name, "asked", "", "", "")
        told = story.verdict(found, decided, 0, file)[1]
        assert "5% of trips agree with the data (too little; minimum: 10%" in told
        assert ("above 1 of" in told) is above
        assert "5% of trips" in story.keeps(found, file)
        assert "No option within" not in story.keeps(found, file), "that is said of the trial"
