"""Homes found by who knows where other people live: by hand, and against plain loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import (
    AddNoise,
    FingerprintSet,
    GeneralizationProfile,
    Generalize,
    Glove,
    Grid,
    LocalEngine,
    Periods,
    SampleUsers,
    home_found,
    release,
)
from fpanon_core.attacks.homes import true_homes
from fpanon_core.studies.attacked import attacked
from tests.oracles import homes as oracle

TEN_KM = Generalize(GeneralizationProfile(Grid(10_000), 1_440))


def at_night(places, days=1):
    """People who are at a place of their own in each night."""
    user = np.repeat(np.arange(len(places)), days)
    x, y = np.repeat(np.array(places, float), days, axis=0).T
    t = np.tile(60.0 + 1_440 * np.arange(days), len(places))
    return FingerprintSet.from_samples(user, x, y, t)


def test_a_village_in_a_large_cell_by_hand():
    # A cell of 10 km with three homes side by side and one far off; and one with two homes 400 m
    # from each other and one far off.
    village = [(1_000, 1_000), (1_100, 1_000), (1_200, 1_000)]
    lone, beyond = (8_000, 8_000), [(15_000, 2_000), (15_400, 2_000), (19_000, 9_000)]
    fs = at_night([*village, lone, *beyond])
    row = home_found(fs, release(fs, TEN_KM), [1_000]).iloc[0]
    # Guessing: the village, 3 of 7. Evenly, a cell of 10 km has π 1² / 100 = 3 % of its mass
    # within 1 km of its middle: less, so that everybody's guess is the village.
    assert (row["guessing"], row["evenly"]) == (3 / 7, 3 / 7)
    # By others' homes: for each of the village 2 of 3 others in the cell are there; found. For the
    # one far off, 3 of 3; not found. In the other cell, for each of the two the other one and the
    # one far off are level; the first by x is right. For the one far off, 2 of 2; not found.
    assert row["by_others"] == row["found"] == 5 / 7
    assert row["low"] < 5 / 7 < row["high"]


def test_the_person_asked_for_is_not_on_the_map():
    # Two in one cell, far apart: whoever knew both would find one of them at least.
    fs = at_night([(1_000, 1_000), (8_000, 8_000), (25_000, 0), (25_000, 100), (25_100, 0)])
    row = home_found(fs, release(fs, TEN_KM), [500]).iloc[0]
    assert row["by_others"] == 3 / 5
    # Nor of a release in periods any of the person's other records.
    days = at_night([(1_000, 1_000), (8_000, 8_000), (25_000, 0), (25_000, 100)], days=3)
    cut = home_found(days, release(days, [Periods(1), TEN_KM], seed=1), [500]).iloc[0]
    assert (cut["people"], cut["by_others"]) == (12, 0.5)


def test_where_nobody_else_lives_the_middle_is_guessed():
    fs = at_night([(4_900, 4_900), (24_900, 0), (24_900, 100)])
    row = home_found(fs, release(fs, TEN_KM), [500]).iloc[0]
    assert row["by_others"] == 1.0


def test_of_a_sample_the_map_has_everybody():
    # In each cell of 10 km two at one place in a corner: the one who is not in the release tells
    # where the other is.
    fs = at_night([(10_000 * cell + 1_000, 1_000) for cell in range(20) for _ in range(2)])
    few = home_found(fs, release(fs, [TEN_KM, SampleUsers(0.5)], seed=2), [500]).iloc[0]
    assert (few["people"], few["by_others"]) == (20, 1.0)
    assert few["evenly"] < 0.2


def test_more_is_found_than_evenly_in_large_cells_and_with_much_noise():
    rng = np.random.default_rng(1)
    towns = rng.integers(0, 400, (12, 2)) * 100.0
    homes = towns[rng.integers(0, 12, 300)] + rng.integers(-3, 4, (300, 2)) * 100
    fs = at_night(homes.tolist(), days=4)
    for steps in (TEN_KM, [AddNoise(5_000)], [AddNoise(3_000), TEN_KM]):
        row = home_found(fs, release(fs, steps, seed=3), [1_000]).iloc[0]
        assert row["by_others"] > 2 * row["evenly"]
        assert row["by_others"] > row["guessing"] + 0.05
        assert row["found"] == row["by_others"]


def test_does_not_depend_on_the_engine_and_tells_progress():
    rng = np.random.default_rng(2)
    fs = at_night((rng.integers(0, 300, (80, 2)) * 100).tolist(), days=2)
    made = release(fs, TEN_KM)
    told = []
    alone = home_found(fs, made, [500, 2_000], engine=LocalEngine(1), progress=told.append)
    pd.testing.assert_frame_equal(alone, home_found(fs, made, [500, 2_000], engine=LocalEngine(3)))
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


people = st.lists(
    st.lists(
        st.tuples(
            st.integers(0, 40), st.integers(0, 40), st.integers(0, 1), st.integers(0, 23)
        ),
        min_size=1, max_size=5,
    ),
    min_size=2, max_size=8,
)  # fmt: skip


@given(
    people=people, side=st.sampled_from([100, 700, 1_500, 3_000]), hidden=st.booleans(),
    within=st.sampled_from([150.0, 640.0, 1_330.0]),
    weights=st.lists(st.integers(1, 3), min_size=8),
)  # fmt: skip
def test_as_plain_loops_have_it(people, side, hidden, within, weights):
    rows = [(u, 100 * x, 100 * y, 1_440 * d + 60 * h) for u, each in enumerate(people)
            for x, y, d, h in each]  # fmt: skip
    user, x, y, t = np.array(rows).T
    fs = FingerprintSet.from_samples(user, x, y, t)
    if not hidden:
        fs = replace(fs, weight=np.array(weights[: len(people)]))
    known = true_homes(fs)
    homes = [
        (float(a), float(b)) if nights else None
        for a, b, nights in zip(known.x_m, known.y_m, known.nights, strict=True)
    ]
    if not any(homes):
        return
    made = release(fs, Glove(2) if hidden else Generalize(GeneralizationProfile(Grid(side), 60)))
    out, own = records_of(fs, made)
    first, second, guessing = oracle.found(out, own, homes, fs.weight.tolist(), within)
    row = home_found(fs, made, [within]).iloc[0]
    assert row[["evenly", "by_others", "guessing"]].tolist() == pytest.approx(
        [first, second, guessing]
    )
    assert row["found"] == max(row["evenly"], row["by_others"])
    # One place for all is the stronger guesser where the person asked for counts, too.
    assert oracle.one_place_for_all_others(homes, fs.weight.tolist(), within) <= guessing + 1e-12


def records_of(fs, made):
    """The samples of each published record, and the record of each person."""
    published = attacked(fs, made).published
    names = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
    rows = list(zip(*(published.cells[name].tolist() for name in names), strict=True))
    at = published.offsets.tolist()
    return [rows[a:b] for a, b in pairwise(at)], published.own.tolist()
