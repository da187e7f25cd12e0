"""Scores against plain loops; regular people, taxis, and the baseline."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.attacks import scoring
from fpanon_core.attacks.aggregation import counted_people
from tests.oracles import recovery as oracle
from tests.support.fingerprint_sets import crowds


@st.composite
def towns(draw):
    """Counts with their truth, over one or several days."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, places = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    many = n * draw(st.sampled_from([1, 5]))
    user = np.concatenate([np.arange(n), rng.integers(0, n, many)])
    x = rng.integers(0, places, len(user)) * 700.0
    t = rng.uniform(0, draw(st.sampled_from([300.0, 3000.0])), len(user))
    return fp.aggregate_counts(fp.FingerprintSet.from_samples(user, x, 0 * x, t), slot_min=180)


@settings(max_examples=60, deadline=None)
@given(towns(), st.sampled_from(["greedy", "optimal"]), st.sampled_from([None, 2, 15]))
def test_equals_the_oracle(town, pairing, people):
    counts, truth = town
    recovered = fp.recover_trajectories(counts, n_trajectories=people)
    with pytest.MonkeyPatch.context() as patch:  # several blocks, also of few people
        patch.setattr(scoring, "_ROWS_A_BLOCK", 3)
        patch.setattr(scoring, "_BLOCKS_AT_ONCE", 2)
        engine = fp.LocalEngine(2)
        score = fp.score_recovery(recovered, counts, truth, pairing=pairing, engine=engine)
    true, offsets = truth.tolist(), counts.day_offsets
    days = [np.arange(a, b) for a, b in pairwise(offsets)]
    pieces = [
        [(recovered.daily, day[counts.is_night[day]]) for day in days],
        [(recovered.daily, day) for day in days],
        [(recovered.places, np.arange(counts.n_slots))],
    ]
    for step, some in enumerate(pieces):
        right = total = 0
        for places, slots in some:
            ours, theirs = places[:, slots].tolist(), truth[:, slots].tolist()
            total += truth[:, slots].size
            if pairing == "optimal":
                right += oracle.optimal_points(ours, theirs) if len(slots) else 0
            else:
                pairs = oracle.greedy(ours, theirs)
                right += sum(
                    oracle.shared(z, theirs[i])
                    for z, i in zip(ours, pairs, strict=True)
                    if i is not None
                )
        expected = right / total if total else np.nan
        assert score.accuracy_by_step[step] == pytest.approx(expected, nan_ok=True)
    assert score.accuracy == score.accuracy_by_step[2]
    ours = recovered.places.tolist()
    if pairing == "greedy":
        pairs = [-1 if i is None else i for i in oracle.greedy(ours, true)]
        assert score.pair.tolist() == pairs
    taken = score.pair[score.pair >= 0]
    assert len(set(taken.tolist())) == len(taken) == min(len(ours), len(true))
    for z, i, shared in zip(ours, score.pair, score.shared, strict=True):
        assert shared == (oracle.shared(z, true[i]) if i >= 0 else 0)
    apart = [
        abs(counts.x_m[p] - counts.x_m[q])
        for z, i in zip(ours, score.pair, strict=True)
        if i >= 0
        for p, q in zip(z, true[i], strict=True)
    ]
    np.testing.assert_allclose(score.error_m, apart)
    assert score.error_mean_m == pytest.approx(np.mean(apart))
    assert score.error_median_m == pytest.approx(np.median(apart))
    assert score.uniqueness.tolist() == [oracle.unique_by_top(ours, k) for k in range(1, 6)]


def test_pairs_errors_and_uniqueness_by_hand():
    """Recovered (0,0,1) and (0,1,1); true (0,1,1), (0,0,0), (1,1,1); places 400 m apart.

    Greedy: the first shares 2 with true 0 (slots 0, 2), 2 with true 1 (0, 1), 1 with true 2: a
    tie, the lower. The second is left with true 1 (1 point) or 2 (2 points): 2. Right: 2 + 2 of 9.
    Optimal: first with 1 (2), second with 0 (3): 5 of 9.
    Errors of greedy: slot 1 of the first, slot 0 of the second: 0 400 0 400 0 0.
    """
    fs = fp.FingerprintSet.from_samples(
        np.repeat([1, 2, 3], 3),
        np.array([0, 1, 1, 0, 0, 0, 1, 1, 1]) * 400.0,
        np.zeros(9),
        np.tile([0, 180, 360], 3),
    )
    counts, truth = fp.aggregate_counts(fs, slot_min=180)
    places = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    recovered = replace(fp.recover_trajectories(counts), places=places, daily=places)
    greedy, optimal = (
        fp.score_recovery(recovered, counts, truth, pairing=p) for p in ("greedy", "optimal")
    )
    assert (greedy.pair.tolist(), greedy.shared.tolist()) == ([0, 2], [2, 2])
    assert (greedy.accuracy, optimal.accuracy) == pytest.approx((4 / 9, 5 / 9))
    assert greedy.error_m.tolist() == [0, 400, 0, 400, 0, 0]
    assert (greedy.error_mean_m, greedy.error_median_m) == (pytest.approx(800 / 6), 0)
    # Top 1: place 0 and place 1; top 2: the same two of both.
    assert greedy.uniqueness.tolist() == [1, 0, 0, 0, 0]
    # The night is slots 0 and 1 (0 and 3 h): (0,0) is true 1's, (0,1) true 0's; 2 + 2 of 6.
    assert greedy.accuracy_by_step[0] == pytest.approx(4 / 6)


def test_the_baseline_is_drawn_by_the_seed():
    rng = np.random.default_rng(1)
    user, x = rng.integers(0, 50, 400), rng.integers(0, 9, 400) * 300.0
    fs = fp.FingerprintSet.from_samples(user, x, 0 * x, rng.uniform(0, 2880, 400))
    counts, truth = fp.aggregate_counts(fs)
    recovered = fp.recover_trajectories(counts)
    scores = [fp.score_recovery(recovered, counts, truth, seed=s) for s in (0, 0, 1)]
    assert len({s.accuracy for s in scores}) == 1
    baselines = [s.baseline_accuracy for s in scores]
    assert baselines[0] == baselines[1] != baselines[2]


def test_nothing_published_nothing_recovered():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 500], [0, 0], [0, 700])
    counts, truth = fp.aggregate_counts(fs)
    empty = counts.with_counts(np.zeros_like(counts.counts))
    score = fp.score_recovery(fp.recover_trajectories(empty, n_trajectories=2), empty, truth)
    assert (score.accuracy, score.baseline_accuracy) == (0, 0)
    assert (len(score.error_m), score.uniqueness.tolist()) == (0, [0] * 5)
    assert np.isnan(score.error_median_m)


def test_what_does_not_belong_together():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 500], [0, 0], [0, 700])
    counts, truth = fp.aggregate_counts(fs)
    recovered = fp.recover_trajectories(counts)
    with pytest.raises(fp.ConfigError, match="do not belong together"):
        fp.score_recovery(recovered, counts, truth[:, 1:])
    with pytest.raises(fp.ConfigError, match="place numbers from 0 to 1"):
        fp.score_recovery(recovered, counts, truth + 1)
    merged, merged_truth = fp.coarsen(counts, truth, metres=10_000)
    with pytest.raises(fp.ConfigError, match="recovered from"):
        fp.score_recovery(recovered, merged, merged_truth)
    assert fp.score_recovery(recovered, counts, truth.tolist()).n_users == 2
    with pytest.raises(fp.ConfigError, match="with at least one person"):
        fp.score_recovery(recovered, counts, truth[:0])
    with pytest.raises(fp.ConfigError, match="Unknown pairing 'best'"):
        fp.score_recovery(recovered, counts, truth, pairing="best")
    with pytest.raises(fp.ConfigError, match="seed"):
        fp.score_recovery(recovered, counts, truth, seed=-1)


def test_who_has_no_record_stays_at_random_too():
    """20 people, 16 and 4, who never move; counts below 15 left out, every second slot empty."""
    n = 20
    user = np.repeat(np.arange(n), 8)
    x = np.where(user < 16, 0, 900)
    fs = fp.FingerprintSet.from_samples(user, x, x * 0, np.tile(np.arange(8) * 180.0, n))
    counts, truth = fp.aggregate_counts(fs, slot_min=180)
    table = np.where(counts.counts < 15, 0, counts.counts)
    table[1::2] = 0
    fewer = counts.with_counts(table)
    score = fp.score_recovery(fp.recover_trajectories(fewer, n_trajectories=n), fewer, truth)
    assert score.accuracy == score.baseline_accuracy == 0.8


@settings(max_examples=40, deadline=None)
@given(crowds(12), st.integers(0, 2**32 - 1))
def test_recorded_points_are_those_of_the_same_pairs(fs, seed):
    """By plain loops: of each pair the recorded points that are right, over all recorded ones."""
    made = counted_people(fs, slot_min=180)
    recovered = fp.recover_trajectories(made.counts)
    score = fp.score_recovery(recovered, made.counts, made.truth, recorded=made.recorded, seed=seed)
    right = sum(
        bool(made.recorded[u, s]) and recovered.places[i, s] == made.truth[u, s]
        for i, u in enumerate(score.pair.tolist())
        for s in range(made.counts.n_slots)
    )
    assert score.recorded == pytest.approx(right / made.recorded.sum())
    assert score.recorded_share == pytest.approx(made.recorded.mean())
    assert 0 <= score.baseline_recorded <= 1
    # What is recorded changes nothing else; where all is, it is the accuracy.
    plain = fp.score_recovery(recovered, made.counts, made.truth, seed=seed)
    assert plain.accuracy == score.accuracy
    assert np.isnan(plain.recorded)
    whole = fp.score_recovery(
        recovered, made.counts, made.truth, recorded=np.ones_like(made.recorded), seed=seed
    )
    np.testing.assert_allclose(whole.recorded_by_step, score.accuracy_by_step)
    np.testing.assert_allclose(whole.baseline_recorded_by_step, score.baseline_by_step)
    with pytest.raises(fp.ConfigError, match="each point of the truth"):
        fp.score_recovery(recovered, made.counts, made.truth, recorded=made.recorded[:, :0])
