"""Two files matched by their cells: against everyone with everyone, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import (
    AddNoise,
    ConfigError,
    FingerprintSet,
    GeneralizationProfile,
    Grid,
    InfeasibleError,
    Periods,
    SampleUsers,
    aligned,
    glove,
    match_releases,
    release,
)
from fpanon_core.attacks.overlap import FLOOR, Groups, found
from fpanon_core.engines.local import LocalEngine
from tests.oracles import overlap as oracle

SIDES = st.tuples(*(st.integers(0, 6), st.integers(1, 4)) * 3)
RELEASE = st.lists(st.lists(SIDES, min_size=1, max_size=4), min_size=1, max_size=5)


def cells_of(record):
    cells = [(x, x + dx, y, y + dy, t, t + dt) for x, dx, y, dy, t, dt in record]
    return sorted(cells, key=lambda cell: cell[4])


def groups_of(records, people):
    lengths = [len(record) for record in records]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    cells = np.array([cell for record in records for cell in record], np.float64)
    return Groups(cells, offsets, np.array(people, np.int64))


@settings(max_examples=150, deadline=None)
@given(RELEASE, RELEASE, st.data())
def test_equals_everyone_with_everyone(first, second, data):
    first, second = ([cells_of(record) for record in side] for side in (first, second))
    people = [data.draw(st.integers(1, 4)) for _ in second]
    pairs = [(i, data.draw(st.integers(0, len(second) - 1))) for i in range(len(first))]
    every = [cell for side in (first, second) for record in side for cell in record]
    whole = np.prod([max(c[i + 1] for c in every) - min(c[i] for c in every) for i in (0, 2, 4)])
    expected = [oracle.chance(first[i], second, people, right, whole, FLOOR) for i, right in pairs]
    got = found(
        groups_of(first, [1] * len(first)), groups_of(second, people), np.array(pairs),
        engine=LocalEngine(2),
    )  # fmt: skip
    assert got == pytest.approx(expected)


def test_worked_example():
    """Two pairs 8 km apart, in pairs again: found each time, and by guessing half the time.

    Three at one place and one far away, published as they are: of three who look the same the
    record drawn is that of one of them, who are one group.
    """
    fs = FingerprintSet.from_samples([1, 2, 3, 4], [0, 300, 8000, 8300], [0] * 4, [5] * 4)
    both = match_releases(glove(fs, 2), aligned(fs, 2))
    assert (both.first, both.guessing, both.n_targets) == (1.0, 0.5, 4)
    three = FingerprintSet.from_samples([1, 2, 3, 4], [0, 0, 0, 8000], [0] * 4, [5] * 4)
    as_it_is = release(three, [])
    same = match_releases(as_it_is, as_it_is)
    assert (same.first, same.guessing) == (1.0, pytest.approx((3 * 3 / 4 + 1 / 4) / 4))
    assert same.first_low < 1.0 == same.first_high


def test_whoever_is_asked_about_is_drawn_by_the_seed():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(40), 2)
    x, y, t = (rng.uniform(0, most, 80) for most in (2e4, 2e4, 2e3))
    fs = FingerprintSet.from_samples(user, x, y, t)
    grids = [Grid(8_000, (corner, corner)) for corner in (0, 4_000)]
    made = [release(fs, GeneralizationProfile(grid, 720)) for grid in grids]
    few = [match_releases(*made, users=10, seed=seed).first for seed in (0, 0, 3)]
    assert few[0] == few[1] != few[2]
    every = match_releases(*made)
    assert every.n_targets == 40
    assert every.guessing < every.first_low < every.first < every.first_high < 1


def test_what_cannot_be_matched_is_refused():
    fs = FingerprintSet.from_samples([1, 2, 3, 4], [0, 300, 8000, 8300], [0] * 4, [5] * 4)
    with pytest.raises(ConfigError, match="Noise and exchange move samples"):
        match_releases(release(fs, AddNoise(100, 1)), glove(fs, 2))
    with pytest.raises(ConfigError, match="give two without periods"):
        match_releases(release(fs, Periods(1)), glove(fs, 2))
    other = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [1, 2])
    with pytest.raises(ConfigError, match="made of different data"):
        match_releases(glove(fs, 2), glove(other, 2))
    sampled = [release(fs, SampleUsers(0.25), seed=seed) for seed in range(20)]
    apart = next(each for each in sampled if each.origin.person[0] != sampled[0].origin.person[0])
    with pytest.raises(InfeasibleError, match="Nobody is in both releases"):
        match_releases(sampled[0], apart)
