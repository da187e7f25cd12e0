"""The habits that the attack on counts lives on: top places, nights, next places, next days."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core.attacks.aggregation import CountedPeople, counted_people
from fpanon_core.attacks.habits import (
    habits,
    information_gains,
    prediction_errors,
    top_shares,
)
from fpanon_core.model.fingerprints import FingerprintSet
from tests.oracles import habits as oracle
from tests.oracles.recovery import gain
from tests.support.fingerprint_sets import boxes


@st.composite
def walkers(draw: st.DrawFn) -> FingerprintSet:
    """People at some of five places, over up to four days."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    people, samples = draw(st.integers(1, 6)), draw(st.sampled_from([1, 10, 60]))
    n = people * samples
    t = rng.uniform(draw(st.sampled_from([0, 700])), 1_440 * draw(st.integers(1, 4)), n)
    at = rng.integers(0, 5, n)
    user = np.repeat(np.arange(people), samples)
    return FingerprintSet.from_samples(user, 700.0 * at, 300.0 * (at**2), t)


def test_habits_by_hand() -> None:
    # One person, slots of 3 h: at place A at 1 h and 4 h, at B (3 km east) at 7 h and C (1 km
    # further) at 10 h, back at A from 13 h on; the day after, all day at A.
    hours = [1, 4, 7, 10, 13, 16, 19, 22, *range(25, 48, 3)]
    x = [0, 0, 3_000, 4_000] + [0] * 12
    fs = FingerprintSet.from_samples([1] * 16, x, [0] * 16, [60 * h for h in hours])
    found = habits(fs, counted_people(fs, slot_min=180), 0)
    np.testing.assert_allclose(found.top[0], [14 / 16, 15 / 16, 1, 1, 1])
    assert found.top_night[0].tolist() == [1] * 5
    assert found.night_places.tolist() == [1]
    # Steps at night: into slot 1 of each day, 0 m off. By day: A A → B is 3 km off; A B → C is
    # predicted at 6 km, 2 km off; B C → A is predicted at 5 km, 5 km off; C A → A is predicted at
    # −4 km, 4 km off; all others are 0 m off.
    assert (found.n_night, found.n_day) == (2, 12)
    assert set(found.next_night_m) == {0}
    assert set(found.next_day_m) == {0, 2_000, 3_000, 4_000, 5_000}
    # The first day has shares 6/8, 1/8, 1/8, the second is all at A: together 14/16, 1/16, 1/16.
    both = -14 / 16 * np.log2(14 / 16) + 2 / 16 * 4
    first = -6 / 8 * np.log2(6 / 8) + 2 / 8 * 3
    np.testing.assert_allclose(found.same_bits, [both - first / 2])
    assert len(found.other_bits) == 0  # there is nobody else


@given(boxes(), st.integers(0, 3))
def test_top_shares_are_the_oracles(fs: FingerprintSet, left_out: int) -> None:
    counted = np.random.default_rng(left_out).random(fs.n_samples) >= left_out / 3
    share, places = top_shares(fs, counted)
    for user in range(fs.n_users):
        rows = [row for row in range(*fs.offsets[user : user + 2]) if counted[row]]
        cells = [(fs.x_m[r], fs.y_m[r], fs.dx_m[r], fs.dy_m[r]) for r in rows]
        expected, many = oracle.top_shares(list(zip(cells, fs.count[rows].tolist(), strict=True)))
        np.testing.assert_allclose(share[user], expected)
        assert places[user] == many
    assert not (np.diff(share, axis=1) < 0).any(), "more places never have a smaller share"


@given(walkers(), st.sampled_from([30.0, 180.0, 360.0]))
def test_prediction_errors_are_the_oracles(fs: FingerprintSet, slot_min: float) -> None:
    made = counted_people(fs, slot_min=slot_min)
    counts = made.counts
    night, day = prediction_errors(counts, made.truth, made.recorded)
    xy = [tuple(at) for at in counts.centres.tolist()]
    wall = counts.wall_start_min.tolist()
    of_day, of_night = [w // 1_440 for w in wall], [w % 1_440 < 360 for w in wall]
    expected: tuple[list[float], list[float]] = ([], [])
    for row, seen in zip(made.truth.tolist(), made.recorded.tolist(), strict=True):
        for kept, more in zip(
            expected, oracle.errors(row, seen, xy, of_day, of_night), strict=True
        ):
            kept += more
    np.testing.assert_allclose(np.sort(night), sorted(expected[0]), atol=1e-6)
    np.testing.assert_allclose(np.sort(day), sorted(expected[1]), atol=1e-6)


def days_of(made: CountedPeople) -> tuple[list[list[list[int]]], list[list[bool]]]:
    """By person and day: the place of each slot, and whether there is a sample."""
    ends = made.counts.day_offsets.tolist()
    spans = list(itertools.pairwise(ends))
    places = [[row[a:b] for a, b in spans] for row in made.truth.tolist()]
    return places, [[any(row[a:b]) for a, b in spans] for row in made.recorded.tolist()]


@given(walkers(), st.integers(0, 9))
def test_information_gains_are_the_oracles(fs: FingerprintSet, seed: int) -> None:
    made = counted_people(fs, slot_min=180)
    same, other = information_gains(made, seed)
    places, seen = days_of(made)
    people, days = range(len(places)), range(len(places[0]) - 1)
    pairs = [(i, d) for i in people for d in days if seen[i][d] and seen[i][d + 1]]
    expected = [gain(places[i][d], places[i][d + 1]) for i, d in pairs]
    np.testing.assert_allclose(np.sort(same), np.sort(expected), atol=1e-12)
    possible = [
        {gain(places[i][d], places[j][d + 1]) for j in people if j != i and seen[j][d + 1]}
        for i, d in pairs
    ]
    possible = [each for each in possible if each]
    assert len(other) == len(possible)
    for one, each in zip(other, possible, strict=True):
        assert min(abs(one - some) for some in each) < 1e-12


def test_others_are_drawn_from_all_others_alike() -> None:
    # Person 0 is at A on both days, the others at B, C, D: every pair of two people gains 1 bit,
    # whoever is drawn; and a person is never drawn as somebody else, which would gain 0.
    x = np.repeat(np.arange(4) * 900.0, 2)
    fs = FingerprintSet.from_samples(np.repeat(np.arange(4), 2), x, np.zeros(8), [0, 2_879] * 4)
    made = counted_people(fs, slot_min=360)
    for seed in range(20):
        same, other = information_gains(made, seed)
        assert same.tolist() == [0] * 4
        assert other.tolist() == [1] * 4


def test_more_pairs_than_asked_for_are_drawn_by_the_seed() -> None:
    rng = np.random.default_rng(0)
    t, x = rng.uniform(0, 4 * 1_440, 900), 500.0 * rng.integers(0, 9, 900)
    made = counted_people(FingerprintSet.from_samples(np.arange(900) % 30, x, 0 * x, t))
    first, again, seed = (information_gains(made, each, 20) for each in (1, 1, 2))
    every, _ = information_gains(made, 1)
    assert len(first[0]) == len(first[1]) == 20 < len(every)
    for i in (0, 1):
        assert first[i].tolist() == again[i].tolist() != seed[i].tolist()
    assert np.isin(first[0], every).all()


def test_people_without_a_night_are_left_out_of_nights() -> None:
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [60, 700])
    found = habits(fs, counted_people(fs), 0)
    assert found.night_places.tolist() == [1, 0]
    assert np.isnan(found.top_night[1]).all()
    assert found.top_night[0, 0] == found.top[1, 0] == pytest.approx(1)
