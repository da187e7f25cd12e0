"""What the view that attacks a release says and draws, of results made by hand and small data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.linkage import LinkConfig
from fpanon_core.studies import attack, followed
from fpanon_core.studies.attack import Result
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.learnt import ExampleKind
from pages.attack import figures, story, target
from pages.charts import words
from pages.charts.attack import Estimate
from pages.charts.record import Bar
from tests.support.snapshots import check_snapshot, rows_of

CONFIG = attack.Config(p=2, strategy="uniform")
NIGHTLY = (60, 600, 1_380)  # 1 h, 10 h and 23 h


def town(people: int = 8, apart_m: float = 3_000.0) -> fp.FingerprintSet:
    """People on a line, each at a place of their own, at the same hours of two days."""
    times = [day * 1_440 + minute for day in (0, 1) for minute in NIGHTLY]
    who = np.repeat(np.arange(people), len(times))
    return fp.FingerprintSet.from_samples(
        who, apart_m * who, np.zeros(len(who)), np.tile(times, people)
    )


@pytest.fixture(scope="module")
def fs() -> fp.FingerprintSet:
    return town()


def attacked(fs: fp.FingerprintSet, option: Any, released: Any = None) -> Result:
    return attack.study(fs, replace(CONFIG, option=fp.as_option(option)), released)


def both(result: Result) -> list[str]:
    findings, details = story.told(result, Limits())
    return [*findings, *details]


# --- the sentences ---


def test_sentences_are_those_of_the_snapshot(fs: fp.FingerprintSet) -> None:
    """8 of 8 are 68% or more, by Wilson 8 / (8 + 1.96²) = .676; none of 8 is 32% or less.

    Of pairs 3 km apart each right record is one of two alike. In one cell of 100 km and a week a
    release is as good as none: guessing the commonest home finds as many. Of those who are not in
    a half each is far from all others, and none is accused.
    """
    whole, days = attacked(fs, []), attacked(fs, [], fp.aligned(fp.into_periods(fs, 1), 2))
    pairs = attacked(fs, [], fp.aligned(fs, 2))
    table = whole.after.risk.by_attacker.assign(value=0.0, low=0.0, high=0.324)
    none = replace(whole.after.risk, value=0.0, low=0.0, high=0.324, by_attacker=table)
    nobody = replace(whole, after=replace(whole.after, risk=none))
    noon = fp.FingerprintSet.from_samples(
        np.repeat(range(4), 3), np.repeat(3_000.0 * np.arange(4), 3), [0] * 12, [600, 660, 720] * 4
    )
    by_day = attacked(noon, [])
    useless = attacked(fs, fp.GeneralizationProfile(fp.Grid(100_000), 10_080))
    few = fp.FingerprintSet.from_samples([*"aaab"], [0, 0, 0, 9_000], [0] * 4, [0, 60, 120, 0])
    cut = fp.release(fs, [fp.Periods(1)], seed=1)
    in_pairs = fp.relink_periods(fp.aligned(fp.into_periods(fs, 1, seed=0), 2))
    linked = fp.relink_periods(cut)
    check_snapshot(
        "attack",
        {
            "As it is": both(whole),
            "In pairs": both(pairs),
            "In pairs, by day": both(days),
            "Nobody found": both(nobody),
            "Nobody at night": both(by_day),
            "As good as no release": both(useless),
            "Half of the people": both(attacked(fs, fp.SampleUsers(0.5))),
            "Assumed": story.assumed(whole),
            "Assumed of days": story.assumed(days),
            "What is assumed of an exchange": story.assumed(attacked(fs, fp.Permute("positions"))),
            "Assumed of somebody with one point": story.assumed(attacked(few, [])),
            "Days linked by habits": target.describe_periods(linked, 1),
            "Days of pairs linked": target.describe_periods(in_pairs, 1),
            "No day linked": target.describe_periods(replace(in_pairs, share=0.0, low=0.0), 1),
            "What is known": [
                story.drawn(LinkConfig(4, "random", blur_m=100, blur_min=30)),
                story.drawn(LinkConfig(4, "top")),
            ],
            "In pairs, in a table": rows_of(figures.table(pairs)),
            "In pairs, drawn": [str(row) for row in figures.shares(pairs, Limits())],
            "Distances": [figures.off(metres) for metres in (0, 4.9, 44, 12_345)],
        },
    )
    assert pairs.after.link.first == pytest.approx(0.5)
    assert figures.shares(nobody, Limits())[0].told[1] == "0 of 8"
    assert not [row for row in figures.shares(by_day, Limits()) if "home" in row.name]
    here = figures.figures(useless)[figures.ERROR]
    assert figures.errors(useless)[0].guessing == min(here.guessing, here.points_alone) / 1000
    rows = target.periods_rows(linked)
    assert ([row.told[1] for row in rows], rows[0].guessing) == (["100%"] * 3, 1 / 8)
    assert in_pairs.alike > in_pairs.share


def test_numbers_are_those_of_the_result(fs: fp.FingerprintSet) -> None:
    result = attacked(fs, [], fp.aligned(fs, 2))
    found = figures.figures(result)
    link = result.after.link
    # Two share each record: no interval reaches above 1/2, as where options are weighed.
    assert link.first_high > 0.5
    risk = result.after.risk
    assert found[figures.FOUND].after == Estimate(risk.value, risk.low, 0.5)
    assert found[figures.FOUND].before.value == result.before.risk.value
    assert found[figures.home(500)].after.value == result.after.home["found"].iloc[0]
    assert found[figures.ERROR].after.value == result.after.error.metres


# --- one person ---


@pytest.fixture(scope="module")
def one(fs: fp.FingerprintSet) -> followed.Followed:
    return followed.follow(fs, CONFIG, 0, fp.aligned(fs, 2))


def test_one_person_is_told_as_the_snapshot_says(one: followed.Followed) -> None:
    """Step by step; then absent, behind others, and with homes near, far and nowhere."""
    last = one.steps[-1]
    nowhere = replace(last, better=np.nan, level=np.nan, place=None)
    behind = replace(last, better=12.0, level=1.0, posterior=0.001, place=None, candidates=())
    here, far = (followed.Place(x, 0.0, 0.0, 0.0) for x in (0.0, 3_000.0))
    known = replace(one, home=here, commonest=followed.Place(9.0, 9.0, 0.0, 0.0))
    guessed = replace(last, guess=far)
    near, absent = replace(known, home=far), replace(one, present=False)
    cases = {
        **{f"After {words.count(step.known, 'point')}": (one, step) for step in one.steps},
        "Absent and accused": (absent, replace(nowhere, taken=True)),
        "Absent and not accused": (absent, replace(nowhere, taken=False)),
        "Behind twelve others": (one, behind),
        "Behind one": (one, replace(behind, better=1.0)),
        "Home not found": (known, guessed),
        "Home found": (near, guessed),
        "The commonest home": (replace(known, commonest=far), guessed),
        "No home known": (replace(known, home=None), guessed),
        "No home guessed": (known, replace(last, guess=None)),
        "No home at all": (replace(known, commonest=None), guessed),
    }
    told = {name: story.describe_step(who, step) for name, (who, step) in cases.items()}
    check_snapshot("attack_person", told)
    assert target.bars(behind) == [Bar(13, 1, 0.001, True)]
    assert not any(bar.right for bar in target.bars(replace(nowhere, candidates=())))


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
