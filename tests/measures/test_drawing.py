"""Draws of knowledge: which points, how often, and how many."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from fpanon_core import ConfigError, FingerprintSet, InfeasibleError, Knowledge, draw_knowledge
from fpanon_core.measures import drawing
from tests.oracles import unicity as oracle
from tests.support.fingerprint_sets import as_lists, crowds

COUNTS = [1, 2, 3, 6]  # events in minutes 0 … 3


def alike(n):
    """n users who all have four samples with the counts above."""
    minutes = np.tile(np.repeat(np.arange(4), COUNTS), n)
    user = np.repeat(np.arange(n), sum(COUNTS))
    return FingerprintSet.from_samples(user, np.zeros(len(user)), np.zeros(len(user)), minutes)


@pytest.mark.parametrize("strategy", ["random", "uniform"])
def test_pairs_come_as_often_as_they_should(strategy):
    """12 ordered pairs of 4 bins; random: 3 then 2 has probability 6/12 · 3/6 = ¼, and so on."""
    fs, seen = alike(400), {}
    for seed in range(30):
        knowledge = draw_knowledge(fs, 2, strategy=strategy, seed=seed)
        for pair in knowledge.t_min.reshape(-1, 2).astype(int).tolist():
            seen[tuple(pair)] = seen.get(tuple(pair), 0) + 1
    weights = COUNTS if strategy == "random" else [1] * 4
    pairs = list(itertools.permutations(range(4), 2))
    expected = [12_000 * oracle.order_probability(weights, pair) for pair in pairs]
    assert set(seen) <= set(pairs)
    assert chisquare([seen.get(pair, 0) for pair in pairs], expected).pvalue > 0.01


def test_starts_of_consecutive_points_are_uniform():
    fs, seen = alike(400), np.zeros(3)
    for seed in range(10):
        knowledge = draw_knowledge(fs, 2, strategy="consecutive", seed=seed)
        pairs = knowledge.t_min.reshape(-1, 2)
        assert (np.diff(pairs) == 1).all()
        seen += np.bincount(pairs[:, 0].astype(int), minlength=3)
    assert chisquare(seen).pvalue > 0.01


def test_targets_are_uniform_and_differ():
    fs, seen = alike(40), np.zeros(40)
    for seed in range(300):
        targets = draw_knowledge(fs, 1, users=10, seed=seed).targets
        assert (np.diff(targets) > 0).all()
        seen += np.bincount(targets, minlength=40)
    # Without replacement the counts vary less than the chi-square law: a lower limit, too.
    assert 0.01 < chisquare(seen).pvalue < 0.9999


@settings(max_examples=40, deadline=None)
@given(crowds(40), st.integers(1, 5), st.integers(0, 50))
@example(FingerprintSet.from_samples([1, 2], [0, 100], [0, 0], [4, 4]), 2, 0)
def test_top_places_equal_the_oracle(fs, p, seed):
    lists = as_lists(fs)
    most = max(len({oracle.place(s) for s in samples}) for samples in lists)
    if p > most:
        with pytest.raises(InfeasibleError, match=r"No trajectory has \d+ (point|place)s"):
            draw_knowledge(fs, p, strategy="top", users=20, seed=seed)
        return
    knowledge = draw_knowledge(fs, p, strategy="top", users=20, seed=seed)
    assert np.isnan(knowledge.t_min).all()
    for i, user in enumerate(knowledge.targets):
        part = slice(knowledge.offsets[i], knowledge.offsets[i + 1])
        expected = oracle.top_places(lists[user], fs.count[fs.rows_of(user)].tolist(), p)
        assert list(zip(knowledge.x_m[part], knowledge.y_m[part], strict=True)) == [
            (x, y) for x, y, _, _ in expected
        ]


def test_top_by_hand():
    """Events: (0, 0) 1 + 1, (100, 0) 2, (200, 0) 3; of the two with 2, the smaller x is first."""
    x = [0, 100, 200, 0, 100, 200, 200]
    fs = FingerprintSet.from_samples([1] * 7, x, [0] * 7, [0, 1, 2, 3, 1, 2, 9])
    assert draw_knowledge(fs, 2, strategy="top").x_m.tolist() == [200.0, 0.0]


@pytest.mark.parametrize("strategy", ["random", "uniform", "top", "consecutive"])
def test_same_seed_same_draws_in_pieces_of_any_size(strategy, monkeypatch):
    rng = np.random.default_rng(1)
    user = rng.integers(0, 50, 900)
    x, y, t = rng.integers(0, 9, (3, 900)) * 100.0
    fs = FingerprintSet.from_samples(user, x, y, t)
    one = draw_knowledge(fs, 3, strategy=strategy, users=30, seed=8)
    monkeypatch.setattr(drawing, "_SAMPLES_AT_ONCE", 50)
    two = draw_knowledge(fs, 3, strategy=strategy, users=30, seed=8)
    other = draw_knowledge(fs, 3, strategy=strategy, users=30, seed=9)
    for name in ("targets", "offsets", "x_m", "y_m", "t_min"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.targets.tolist() != other.targets.tolist()
    assert not one.x_m.flags.writeable


@pytest.mark.parametrize("strategy", ["random", "uniform", "consecutive"])
def test_who_has_too_few_gives_all(strategy):
    fs = FingerprintSet.from_samples([1, 1, 1, 2, 3], [0] * 5, [0] * 5, [0, 1, 2, 0, 7])
    knowledge = draw_knowledge(fs, 2, strategy=strategy)
    assert knowledge.sizes.tolist() == [2, 1, 1]
    assert knowledge.too_few == 2
    assert knowledge.t_min[2:].tolist() == [0.0, 7.0]


def test_named_bins():
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    knowledge = Knowledge.from_bins(fs, {1: [(0, 0, 9)], 0: [(200, 0, 5), (200.0, 0.0, 5.0)]})
    assert knowledge.targets.tolist() == [0, 1]
    assert knowledge.x_m.tolist() == [200.0, 0.0]
    assert (knowledge.too_few, knowledge.config, knowledge.digest) == (0, None, fs.digest)


@pytest.mark.parametrize(
    ("bins", "error", "words"),
    [
        ({}, ConfigError, "There is no bin"),
        ([(0, 0, 0)], ConfigError, "There is no bin"),
        ({"alice": [(0, 0, 0)]}, ConfigError, "row number"),
        ({7: [(0, 0, 0)]}, InfeasibleError, r"outside 0 … 1"),
        ({0: []}, InfeasibleError, "give at least one"),
        ({0: [(0, 0)]}, ConfigError, r"three numbers \(x_m, y_m, t_min\)"),
        ({0: [(0, 0, "noon")]}, ConfigError, "three numbers"),
        ({0: [(0, 0, np.nan)]}, ConfigError, "three numbers"),
        ({0: 5}, ConfigError, "three numbers"),
        ({0: [(0, 0, 0), (0, 0, 9)]}, InfeasibleError, "lack 1 of the 2 bins given"),
        ({1: [(40, 0, 9)]}, InfeasibleError, "lower corner"),
    ],
)
def test_bins_that_cannot_be(bins, error, words):
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    with pytest.raises(error, match=words):
        Knowledge.from_bins(fs, bins)
