"""Statistics of everybody: equal to plain loops, bounded for each person, noised as they say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.aggregates.smoothing import seeded
from fpanon_core.attacks.mitigations import with_noise
from fpanon_core.kernels.table_sums import UNIT
from fpanon_core.model.synthetic_people import MEANING, SHARES
from fpanon_core.synthesis.statistics import (
    Ground,
    exact_statistics,
    leaves_for,
    noisy_statistics,
    shapes,
)
from tests.oracles import synthetic_people as oracle
from tests.support.stated_frames import FRAME, KINDS, SAMPLES, area_of, people, plain

CENTRES = [(column * 1000 + 500, row * 1000 + 500) for row in range(3) for column in range(3)]


def ground_of(fs: fp.FingerprintSet) -> Ground:
    return Ground.of(table_frame(fs, FRAME))


def due_of(fs: fp.FingerprintSet, ground: Ground) -> dict[str, np.ndarray]:
    """The oracle's sums."""
    due = {name: np.zeros(shape, np.int64) for name, shape in shapes(ground).items()}
    for samples in plain(fs):
        own = oracle.added(samples, area_of, CENTRES, ground.zone.tolist(), KINDS)
        for (name, *cell), amount in own.items():
            due[name][tuple(cell)] += amount
    return due


@settings(max_examples=60)
@given(SAMPLES)
def test_sums_equal_the_plain_loops_to_the_bit(rows) -> None:
    fs = people(rows)
    ground = ground_of(fs)
    found, due = exact_statistics(fs, ground), due_of(fs, ground)
    assert list(found) == list(due) == list(SHARES) == list(MEANING)
    for name, cells in due.items():
        np.testing.assert_array_equal(found[name], cells, err_msg=name)


HEAVY = [(1, 3, 3, t % 12_960) for t in range(100_000)]
EDGES = [(1, 30, 0, 0), (1, 0, 30, 12_959), (1, 0, 0, 12_960), (1, 29, 29, -1)]


@settings(max_examples=40)
@given(SAMPLES, st.sampled_from([[], EDGES, [(1, 99, 99, 5)]]))
def test_nobody_adds_more_than_one_to_a_statistic(rows, more) -> None:
    """In whole numbers, for each person of random data; edges and the outside among them."""
    fs = people(rows + more)
    ground = ground_of(fs)
    every = exact_statistics(fs, ground)
    for user in range(fs.n_users):
        rest = np.setdiff1d(np.arange(fs.n_users), [user])
        own = exact_statistics(fs.subset([user]), ground)
        left = exact_statistics(fs.subset(rest), ground) if len(rest) else {}
        for name, cells in own.items():
            assert cells.sum() <= UNIT
            assert cells.min() >= 0
            np.testing.assert_array_equal(every[name] - left.get(name, 0), cells)


def test_100_000_records_or_very_many_events_add_no_more_than_one() -> None:
    fs = people([(1, 3, 3, 5), (1, 20, 20, 900), (2, 3, 3, 7)])
    busy = replace(fs, count=np.array([2**62, 1, 2**62]))
    for heavy in (people(HEAVY), busy):
        for cells in exact_statistics(heavy, ground_of(heavy)).values():
            assert cells.min() >= 0
            assert cells.sum() <= heavy.n_users * UNIT


def test_each_statistic_gets_its_share_of_epsilon_and_opendps_noise() -> None:
    """What one person can change, and ε, are what the noise is asked for; exactly once each."""
    fs = people([(1, 3, 3, 5), (2, 20, 20, 900)])
    ground, asked = ground_of(fs), []

    def noise(values, most, epsilon):
        asked.append((most, epsilon))
        return values

    found = noisy_statistics(exact_statistics(fs, ground), ground, 2.0, noise)
    assert [most for most, _ in asked] == [UNIT] * len(SHARES)
    assert [epsilon for _, epsilon in asked] == [2.0 * share for share in SHARES.values()]
    assert sum(SHARES.values()) == pytest.approx(1.0, abs=1e-12)
    assert found.to_frame()["statistic"].unique().tolist() == list(SHARES)
    assert found.noise("homes") == pytest.approx(2.5)


def test_how_fine_they_are_follows_from_the_noisy_number_alone() -> None:
    fs = people([(user, user % 30, user // 30 % 30, 60 * user) for user in range(200)])
    ground = ground_of(fs)
    exact = exact_statistics(fs, ground)
    for many, leaves, classes in ((1, 1, 1), (20, 2, 1), (4_000, 9, 2), (20_000, 9, 4)):
        drawn: list[int] = []

        def noise(values, *_, many=many, drawn=drawn):
            drawn.append(len(values))
            return values if len(drawn) > 1 else np.array([many * UNIT])

        found = noisy_statistics(exact, ground, 1.0, noise)
        assert found.tables["homes"].shape == (leaves,)
        assert found.tables["rings"].shape[0] == classes
        assert leaves_for(ground, many, 1.0).max() + 1 == leaves
        assert found.tables["homes"].sum() == pytest.approx(exact["homes"].sum() / UNIT)


def test_log_likelihood_ratio_of_the_noisy_statistics_stays_within_epsilon() -> None:
    """1,000 draws with an outlier in the data, against the same draws without."""
    rng = np.random.default_rng(3)
    rows = [(user, *rng.integers(0, 30, 2), rng.integers(0, 12_960)) for user in range(300)]
    fs = people(rows + [(999, *at, t) for t in range(0, 12_960, 60) for at in ((0, 0), (29, 29))])
    ground = ground_of(fs)
    every = exact_statistics(fs, ground)
    own = exact_statistics(fs.subset([fs.n_users - 1]), ground)
    epsilon, worst = 1.0, 0.0
    draw = seeded(0, 1)
    for _ in range(1_000):
        ratio = 0.0
        for name, share in SHARES.items():
            scale = UNIT / (epsilon * share)
            noise = draw(np.zeros(every[name].size, np.int64), UNIT, epsilon * share)
            moved = noise + own[name].ravel()  # the same draw, were the person not in the data
            ratio += float((np.abs(moved) - np.abs(noise)).sum()) / scale
        worst = max(worst, abs(ratio))
    assert 0.3 < worst <= epsilon + 1e-9


def test_noise_is_that_of_its_scale() -> None:
    """χ² of 10,000 of OpenDP's draws of the noise on homes, in twelve bins alike likely."""
    epsilon = 2 * SHARES["homes"]
    drawn = with_noise(np.zeros(10_000, np.int64), UNIT, epsilon) / UNIT
    chance = np.arange(1, 12) / 12
    bounds = np.where(chance < 0.5, np.log(2 * chance), -np.log(2 - 2 * chance)) / epsilon
    seen = np.bincount(np.searchsorted(bounds, drawn), minlength=12)
    assert ((seen - 10_000 / 12) ** 2 / (10_000 / 12)).sum() < 40  # 11 degrees: p = 3 · 10⁻⁵
    assert math.isclose(np.abs(drawn).mean(), 1 / epsilon, rel_tol=0.05)
