"""Times between samples, and antennas against residents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core.measures.unicity import antennas_by_area, intervals
from fpanon_core.model.antennas import Antennas
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.homes import QUANTILES, Areas, quantiles
from tests.oracles import rhythm as oracle
from tests.support.fingerprint_sets import boxes, events


def test_intervals_by_hand() -> None:
    # Person 1 at 0, 10, 40, 100: intervals 10, 30, 60, median 30. Person 2 at 5, 5 (two places)
    # and 9: 0 and 4, median 2. Person 3 has one sample.
    fs = FingerprintSet.from_samples(
        [1, 1, 1, 1, 2, 2, 2, 3], [0] * 4 + [0, 900, 0, 0], [0] * 8, [40, 0, 100, 10, 5, 5, 9, 3]
    )
    found = intervals(fs)
    assert found.median_min.tolist() == [30.0, 2.0]
    assert found.user.tolist() == [0, 1]
    assert (found.n_intervals, found.too_few) == (5, 1)
    assert np.unique(found.interval_min).tolist() == [0, 4, 10, 30, 60]


@given(st.one_of(events(), boxes()))
def test_intervals_are_the_oracles(fs: FingerprintSet) -> None:
    times = [
        fs.t_min[fs.rows_of(user)].tolist()
        for user in range(fs.n_users)
        for _ in range(fs.weight[user])
    ]
    found = intervals(fs)
    np.testing.assert_allclose(found.median_min, oracle.medians(times))
    every = sorted(apart for each in oracle.intervals(times) for apart in each)
    assert found.n_intervals == len(every)
    assert found.too_few + len(found.user) == fs.weight.sum()
    if every:
        assert (found.interval_min[[0, -1]] == [every[0], every[-1]]).all()
        assert np.isin(found.interval_min, every).all()
    else:
        assert np.isnan(found.interval_min).all()


def test_quantiles_are_values_that_there_are() -> None:
    assert np.isnan(quantiles(np.empty(0))).all()
    found = quantiles(np.array([3.0, 1.0, 2.0]))
    assert len(found) == QUANTILES
    assert (found[[0, 1_000, -1]] == [1, 2, 3]).all()


def test_areas_by_hand() -> None:
    # Squares of 1 km. Antennas: two in (0, 0), one in (1, 0), none in (2, 0). Homes: two, none,
    # one; the fourth person's home is not known. r² of (2, 2), (0, 1), (1, 0): deviations of people
    # 1, −1, 0 and of antennas 1, 0, −1; (1·1)² / (2·2) = 1/4.
    fs = replace(
        FingerprintSet.from_samples([1, 2, 3, 4], [0] * 4, [0] * 4, [0] * 4),
        antennas=Antennas([100, 500, 1_500], [0, 0, 0]),
    )
    found = antennas_by_area(
        fs, np.array([50.0, 950.0, 2_050.0, np.nan]), np.array([50.0, 50.0, 50.0, np.nan]), 1_000
    )
    assert found.x_m.tolist() == [0, 1_000, 2_000]
    assert found.people.tolist() == [2, 0, 1]
    assert found.antennas.tolist() == [2, 1, 0]
    assert found.homeless == 1
    assert found.r2 == pytest.approx(0.25)


@given(boxes(), st.sampled_from([100.0, 700.0, 5_000.0]), st.integers(0, 9))
def test_areas_are_the_oracles(fs: FingerprintSet, side: float, unknown: int) -> None:
    rng = np.random.default_rng(unknown)
    home = rng.uniform(-20_000, 20_000, (fs.n_users, 2))
    home[rng.random(fs.n_users) < 0.3] = np.nan
    found = antennas_by_area(fs, *home.T, side)
    places = {
        (x + dx / 2, y + dy / 2, dx, dy)
        for x, y, dx, dy in zip(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m, strict=True)
    }
    living = [
        at
        for at, weight in zip(home.tolist(), fs.weight, strict=True)
        for _ in range(weight)
        if at[0] == at[0]
    ]
    expected = oracle.by_square([(x, y) for x, y, *_ in places], living, side)
    squares = zip((found.x_m / side).round(), (found.y_m / side).round(), strict=True)
    counts = zip(found.people.tolist(), found.antennas.tolist(), strict=True)
    assert {
        (int(x), int(y)): [*each] for (x, y), each in zip(squares, counts, strict=True)
    } == expected
    assert found.people.sum() + found.homeless == fs.weight.sum()
    pairs = [tuple(each) for each in expected.values()]
    if len(pairs) > 2 and all(len({pair[i] for pair in pairs}) > 1 for i in (0, 1)):
        assert found.r2 == pytest.approx(oracle.r2(pairs), abs=1e-12)
        assert 0 <= found.r2 <= 1 + 1e-12
    else:
        assert np.isnan(found.r2)


@pytest.mark.parametrize(("wide", "side"), [(1_900, 100), (2_500, 200), (90_000, 5_000)])
def test_at_most_twenty_squares_lie_side_by_side(wide: float, side: float) -> None:
    fs = FingerprintSet.from_samples([1, 2], [0, wide], [0, 0], [0, 0])
    nobody = np.full(2, np.nan)
    found = antennas_by_area(fs, nobody, nobody)
    assert found.side_m == side
    assert (found.people.sum(), found.homeless) == (0, 2)
    assert isinstance(found, Areas)
    assert np.isnan(found.r2)
