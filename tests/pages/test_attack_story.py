"""What the view that attacks a release says and draws, of results made by hand and small data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from fpanon_core import (
    AddNoise,
    GeneralizationProfile,
    Grid,
    Periods,
    Permute,
    SampleUsers,
    aligned,
    as_option,
    glove,
    into_periods,
    release,
    relink_periods,
)
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.linkage import LinkConfig
from fpanon_core.studies import attack, followed
from fpanon_core.studies.attack import Result
from fpanon_core.studies.learnt import ExampleKind
from pages.attack import figures, story, target
from pages.charts.attack import Estimate
from pages.charts.record import Bar

CONFIG = attack.Config(p=2, strategy="uniform")
NIGHTLY = (60, 600, 1_380)  # 1 h, 10 h and 23 h


def town(people: int = 8, apart_m: float = 3_000.0) -> FingerprintSet:
    """People on a line, each at a place of their own, at the same hours of two days."""
    times = [day * 1_440 + minute for day in (0, 1) for minute in NIGHTLY]
    who = np.repeat(np.arange(people), len(times))
    return FingerprintSet.from_samples(
        who, apart_m * who, np.zeros(len(who)), np.tile(times, people)
    )


@pytest.fixture(scope="module")
def fs() -> FingerprintSet:
    return town()


def attacked(fs: FingerprintSet, option: Any, released: Any = None) -> Result:
    return attack.study(fs, replace(CONFIG, option=as_option(option)), released)


def said(result: Result) -> str:
    return " ".join(story.told(result))


# --- the sentences ---


def test_as_it_is_everyone_is_found(fs: FingerprintSet) -> None:
    """8 of 8, Wilson from 68 %: 8 / (8 + 1.96²) = .676."""
    result = attacked(fs, [])
    text = said(result)
    assert (
        "The strongest attacker with 2 known points picks the right record in 100 % of cases;"
        in text
    )
    assert "(95 % intervals: 68 % to 100 %; 68 % to 100 %)" in text
    assert "Asked about were 8 people in the release; guessing finds 1 in 8." in text
    assert "**The record tells the home, to within 1 km, of 100 %** of the 8 people" in text
    assert "the outsider is off by under 5 m on average" in text
    assert "share" not in text


def test_a_crowd_of_k_promises_naming_and_nothing_else(fs: FingerprintSet) -> None:
    """Pairs 3 km apart: each right record is one of two alike."""
    for made in (glove(fs, 2), aligned(fs, 2)):
        result = attacked(fs, [], made)
        text = said(result)
        assert result.after.link.first == pytest.approx(0.5)
        assert (
            "picks the right record in 50 % of cases; in the data as they are, in 100 %**" in text
        )
        assert (
            "At least 2 people share each record. The risk is not zero: an attacker picks the "
            "right person up to 1 time in 2. In 100 % of cases the group's record fits best, and "
            "the attacker reads all that the group shares." in text
        )


def test_in_periods_records_are_asked_about(fs: FingerprintSet) -> None:
    result = attacked(fs, [], aligned(into_periods(fs, 1), 2))
    text = said(result)
    assert "Asked about were 16 records, each a day of a person, in the release" in text
    assert "At least 2 people of the same day" in text
    assert "guessing among those of the same period finds 1 in 8." in text
    assert "of the 16 records whose home is known" in text
    assumed = " ".join(story.assumed(result))
    assert "Each day of a person is asked for by itself" in assumed
    assert "several periods can be brought together is told below" in assumed


def test_sampled_people_are_accused_and_no_safer(fs: FingerprintSet) -> None:
    """All at one place: of the four who are not in it, somebody's record is taken or none."""
    result = attacked(fs, SampleUsers(0.5))
    present, absent = result.after.link.n_present, result.after.link.n_absent
    assert present + absent == 8
    text = said(result)
    assert (
        f"Of {absent} people asked about who are not in the release, none are "
        "accused** (95 % interval: 0 % to" in text
    )  # each is far from all others
    assert "that others are left out makes them no safer" in text
    assert "accused" not in said(attacked(fs, []))


def test_an_exchange_is_among_what_is_assumed(fs: FingerprintSet) -> None:
    assert "**Exchange.**" not in " ".join(story.assumed(attacked(fs, AddNoise(300))))
    assert "**Exchange.**" in " ".join(story.assumed(attacked(fs, Permute("positions"))))


def test_nobody_found_is_of_how_many_and_up_to_what(fs: FingerprintSet) -> None:
    """Of 8 none: Wilson up to 32 %."""
    whole = attacked(fs, [])
    table = whole.after.risk.by_attacker.assign(value=0.0, low=0.0, high=0.324)
    none = replace(whole.after.risk, value=0.0, low=0.0, high=0.324, by_attacker=table)
    result = replace(whole, after=replace(whole.after, risk=none))
    text = said(result)
    assert "picks the right record in none of the 8 asked; in the data" in text
    assert "(95 % intervals: 0 % to 32 %; 68 % to 100 %)" in text
    assert "of 0 %" not in text
    assert figures.shares(result)[0].told[1] == "0 of 8"


def test_where_homes_are_not_known_why_is_told() -> None:
    times = [600, 660, 720]
    fs = FingerprintSet.from_samples(
        np.repeat(np.arange(4), 3), np.repeat(3_000.0 * np.arange(4), 3), np.zeros(12), times * 4
    )
    result = attacked(fs, [])
    assert "Whether homes are found is not known. Nobody in the release was recorded" in said(
        result
    )
    assert not [row for row in figures.shares(result) if "home" in row.name]
    assert not figures.table(result)["Measure"].str.contains("home").any()


def test_guessing_that_does_as_well_is_told(fs: FingerprintSet) -> None:
    """One cell of 100 km and a week for all: as good as no release."""
    result = attacked(fs, GeneralizationProfile(Grid(100_000), 10_080))
    text = said(result)
    assert "picks the right record in 12 % of cases; in the data as they are, in 100 %" in text
    assert (
        "That is no more than what guessing the commonest home for everybody finds: 12 %." in text
    )
    assert "So for this question the release is of no help, on average." in text
    row = figures.errors(result)[0]
    here = figures.figures(result)[figures.ERROR]
    assert row.guessing == pytest.approx(min(here.guessing, here.points_alone) / 1000)


def test_what_is_known_is_told_with_its_errors() -> None:
    told = story.drawn(LinkConfig(4, "random", blur_m=100, blur_min=30))
    assert told.endswith(
        "busy places and times are likelier, with errors of about 100 m and 30 minutes"
    )
    assert story.drawn(LinkConfig(4, "top")) == "the person's most visited places, without times"


def test_fewer_points_than_asked_for_are_told(fs: FingerprintSet) -> None:
    few = FingerprintSet.from_samples(
        ["a", "a", "a", "b"], [0, 0, 0, 9_000], [0] * 4, [0, 60, 120, 0]
    )
    assumed = " ".join(story.assumed(attacked(few, [])))
    assert "1 of those asked about has fewer than 2; all of them are known." in assumed
    assert "fewer than" not in " ".join(story.assumed(attacked(fs, [])))


def test_numbers_are_those_of_the_result(fs: FingerprintSet) -> None:
    result = attacked(fs, [], aligned(fs, 2))
    found = figures.figures(result)
    link = result.after.link
    # Two share each record: no interval reaches above 1/2, as where options are weighed.
    assert link.first_high > 0.5
    risk = result.after.risk
    assert found[figures.FOUND].after == Estimate(risk.value, risk.low, 0.5)
    assert found[figures.FOUND].before.value == result.before.risk.value
    assert found[figures.home(500)].after.value == result.after.home["found"].iloc[0]
    assert found[figures.ERROR].after.value == result.after.error.metres
    assert [row.name for row in figures.shares(result)] == [
        "re-identified",
        "record among the first 10",
        "home within 500 m",
        "home within 1 km",
        "home within 2 km",
    ]
    shown = figures.table(result).set_index("Measure")
    assert shown.loc["re-identification risk", "Guessing"] == "12 %"
    assert not shown.index.str.contains("accused").any()


@pytest.mark.parametrize(
    ("metres", "told"), [(0, "under 5 m"), (4.9, "under 5 m"), (44, "40 m"), (12_345, "12 km")]
)
def test_distances_from_the_truth(metres: float, told: str) -> None:
    assert figures.off(metres) == told


def test_periods_are_linked_by_habits_alone(fs: FingerprintSet) -> None:
    """Eight people who do the same on both days, each elsewhere: all are brought together."""
    cut = into_periods(fs, 1, seed=0)
    found = relink_periods(release(fs, [Periods(1)], seed=1))
    assert found.n_people == 8
    told = " ".join(target.describe_periods(found, 1))
    assert "links a person's record of one day to that of the next in 100 % of cases**" in told
    assert (
        "(95 % interval: 68 % to 100 %; 8 people with records in both); matched at random, 12 %"
        in told
    )
    assert "of a person's records on average 100 % (68 % to 100 %) end in one chain" in told
    rows = target.periods_rows(found)
    assert [row.told[1] for row in rows] == ["100 %"] * 3
    assert rows[0].guessing == pytest.approx(1 / 8)
    # Pairs tell the same: each is linked to one of two, and learns the person's own cells.
    found = relink_periods(aligned(cut, 2))
    told = " ".join(target.describe_periods(found, 1))
    assert found.alike > found.share
    assert "it is the person's next record, or one that tells the same of places and hours" in told
    assert "0 %;" not in " ".join(target.describe_periods(replace(found, share=0.0, low=0.0), 1))


# --- one person ---


@pytest.fixture(scope="module")
def one(fs: FingerprintSet) -> followed.Followed:
    return followed.follow(fs, CONFIG, 0, aligned(fs, 2))


def test_a_person_is_told_step_by_step(one: followed.Followed) -> None:
    start, first, last = (" ".join(story.describe_step(one, step)) for step in one.steps)
    who = one.pseudonym
    assert start.startswith(f"Nothing is known yet of {who}. Each of the 8 records could be")
    assert "a chance of 1 in 8" in start
    assert first.startswith(f"Of {who} the outsider knows 1 point.")
    assert f"Of {who} the outsider knows 2 points." in last
    assert "2 of 8 people have a record that holds both points exactly." in last
    assert (
        "one of 2 people's that fit best and alike: it is picked out with a chance of 1 in 2."
        in last
    )
    assert "In the data as they are, the same points pick it out." in last


def test_who_is_not_in_the_release_is_accused_or_not(one: followed.Followed) -> None:
    step = replace(one.steps[-1], better=float("nan"), level=float("nan"), taken=True, place=None)
    absent = replace(one, present=False)
    assert "yet somebody else's record is taken for theirs" in " ".join(
        story.describe_step(absent, step)
    )
    assert "nobody's record is taken for theirs" in " ".join(
        story.describe_step(absent, replace(step, taken=False))
    )
    assert not any(bar.right for bar in target.bars(replace(step, candidates=())))


def test_the_right_record_behind_the_leaders_is_shown_too(one: followed.Followed) -> None:
    step = replace(
        one.steps[-1], better=12.0, level=1.0, posterior=0.001, place=None, candidates=()
    )
    assert target.bars(step) == [Bar(13, 1, 0.001, True)]
    assert "those of 12 others fit better" in " ".join(story.describe_step(one, step))
    ahead = replace(step, better=1.0)
    assert "that of 1 other fits better" in " ".join(story.describe_step(one, ahead))


def test_homes_of_one_person(one: followed.Followed) -> None:
    place = followed.Place(0.0, 0.0, 0.0, 0.0)
    far = followed.Place(3_000.0, 0.0, 0.0, 0.0)
    step = replace(one.steps[-1], guess=far)
    known = replace(one, home=place, commonest=followed.Place(9.0, 9.0, 0.0, 0.0))
    assert "the home is 3.0 km from where it truly is: not found, to within 1 km." in " ".join(
        story.describe_step(known, step)
    )
    near = replace(known, home=far)
    assert "the home is under 5 m from where it truly is: found" in " ".join(
        story.describe_step(near, step)
    )
    common = replace(known, commonest=far)
    assert "no more than everybody knows" in " ".join(story.describe_step(common, step))
    unknown = replace(known, home=None)
    assert "the data do not tell" in " ".join(story.describe_step(unknown, step))
    several = replace(step, guess=None)
    assert "no home is told" in " ".join(story.describe_step(known, several))
    nobody = replace(known, commonest=None)
    assert "home" not in " ".join(story.describe_step(nobody, step))


def test_without_a_projection_there_is_no_map(one: followed.Followed) -> None:
    assert target.scene(one, one.steps[-1]) is None


def test_the_map_shows_what_is_known_so_far(one: followed.Followed) -> None:
    """On an invented projection, in which areas of different times lie apart."""

    def degrees(table: pd.DataFrame) -> pd.DataFrame:
        put = {"lon": "x_m", "lat": "y_m", "told_lon": "told_x_m", "told_lat": "told_y_m"}
        put |= {"west": "x_m", "south": "t_min", "east": "x_m", "north": "t_min"}
        made = {name: table[of] / 1e6 for name, of in put.items() if name in table}
        return table.assign(**made)

    here = replace(
        one, places=degrees(one.places), points=degrees(one.points), areas=degrees(one.areas)
    )
    start, first, last = (target.scene(here, step) for step in one.steps)
    assert start is not None
    assert first is not None
    assert last is not None
    assert [len(each.points) for each in (start, first, last)] == [0, 1, 2]
    assert len(start.areas) == 0
    assert 0 < len(first.areas) < len(last.areas)
    assert last.right.any()
    assert set(last.rank[last.right]) == {1}
    # Of others who lead alike, each area once, and no more than three records'.
    apart = {(*area, own) for area, own in zip(last.areas.tolist(), last.right, strict=True)}
    assert len(apart) == len(last.areas)
    # Every step shows the same part of the world.
    assert np.array_equal(first.around[0], last.around[0])


def test_every_kind_of_example_has_a_word() -> None:
    assert set(story.EXAMPLES) == set(get_args(ExampleKind))
