"""GLOVE against the matrix-based oracle, by hand, and what must always hold."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.kernels.glove_suppress import FEW, MOST_STEPS, SPACE, TIME, Limits, suppress_group
from tests.anonymize.test_shards import people
from tests.oracles import glove as oracle
from tests.support.fingerprint_sets import as_lists, boxes, crowds
from tests.support.refusals import check_refused

CELL = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")


def cells_of(published, group):
    return np.column_stack([getattr(published, name)[published.rows_of(group)] for name in CELL])


def phantoms(fs, result):
    """Share of published samples, of each person, in whose time the person has no sample."""
    published, gone, empty, every = result.published, {*result.suppressed["sample"]}, 0, 0
    for u in np.flatnonzero(result.group >= 0):
        own = [s for s in range(*fs.offsets[u : u + 2]) if s not in gone]
        for c in range(*published.offsets[result.group[u] : result.group[u] + 2]):
            begin, end = published.t_min[c], published.t_min[c] + published.dt_min[c]
            empty += not any(fs.t_min[s] < end and fs.t_min[s] + fs.dt_min[s] > begin for s in own)
            every += 1
    return empty / every if every else 0.0


def check(fs, k, *, workers=2, config=None, **options):
    """The same groups, published samples and suppressed samples as the oracle.

    What must hold, accuracy and phantoms are the verifier's, which shares no code with GLOVE.
    """
    config = config or fp.StretchConfig()
    result = fp.glove(fs, k, config=config, engine=fp.LocalEngine(workers), **options)
    originals = [np.array(f) for f in as_lists(fs)]
    group, published, suppressed = oracle.glove(
        originals,
        k,
        weight=fs.weight.tolist(),
        leftover=options.get("leftover", "merge"),
        space=options.get("suppress_space_m"),
        time=options.get("suppress_time_min"),
        ws=config.w_space,
        wt=config.w_time,
        smax=config.max_space_m,
        tmax=config.max_time_min,
    )
    assert result.group.tolist() == group.tolist()
    assert result.phantom_share == pytest.approx(phantoms(fs, result))
    assert result.published.lengths.tolist() == [len(cells) for cells in published]
    for g, cells in enumerate(published):
        np.testing.assert_allclose(cells_of(result.published, g), cells, atol=1e-6)
    mine = {
        (u, s - fs.offsets[u]): reason for u, s, reason in result.suppressed.itertuples(index=False)
    }
    # The oracle numbers samples in its order, which also decides among equal starts and corners.
    order = [np.lexsort(f.T[[4, 3, 5, 1, 0, 2]]) for f in originals]
    assert mine == {(u, order[u][s]): reason for (u, s), reason in suppressed.items()}
    verdict = fp.verify_k_anonymity(fs, result, k)
    assert verdict.passed, verdict.violations
    return result


LIMITS = [
    {"suppress_space_m": 1_500.0, "suppress_time_min": 60.0},
    {"suppress_space_m": 400.0},
    {"suppress_time_min": 3.0},
    {"suppress_space_m": 10_000.0, "suppress_time_min": 400.0},
]


@settings(max_examples=130, deadline=None)
@given(
    st.one_of(
        st.tuples(crowds(), st.just({})),
        st.tuples(crowds(max_users=30), st.sampled_from(LIMITS)),
        st.tuples(boxes(max_users=20, max_samples=8), st.sampled_from([{}, *LIMITS])),
    ),
    st.sampled_from([2, 3, 5, 10]),
    st.sampled_from(["merge", "suppress"]),
    st.sampled_from([1, 2]),
)
def test_equals_the_oracle(some, k, leftover, workers):
    """Also under limits, which every cell keeps, and on cells of any extent and weight.

    Thresholds below the data's granularity of 100 m and 1 min are not among these.
    """
    fs, options = some
    k = min(k, int(fs.weight.sum()))
    result = check(fs, k, workers=workers, leftover=leftover, **options)
    if result.published.n_groups and (fs.weight == 1).all():
        assert not fp.k_gap(result.expanded(), k).values.any()


@settings(max_examples=15, deadline=None)
@given(crowds(max_users=40), st.sampled_from([2, 4]), st.sampled_from([0.0, 0.25, 1.0]))
def test_equals_the_oracle_with_other_weights(fs, k, w_space):
    config = fp.StretchConfig(w_space, 1 - w_space, 5_000.0, 60.0)
    check(fs, min(k, fs.n_users), config=config)


def test_a_published_set_can_be_hidden_further():
    """From k = 2 to k = 6: groups of two and three are merged; each stands for its users."""
    rng = np.random.default_rng(1)
    fs = fp.FingerprintSet.from_samples(
        rng.integers(0, 41, 200), *rng.uniform(0, 20_000, (2, 200)), rng.uniform(0, 2_000, 200)
    )
    first = fp.glove(fs, 2)
    again = check(first.published.fingerprints(), 6)
    assert fp.glove(first.published, 6).group.tolist() == again.group.tolist()
    assert again.published.n_users.sum() == fs.n_users
    assert again.published.n_users.min() >= 6


# --- by hand -------------------------------------------------------------------------------------


def test_two_pairs_by_hand():
    """Δ(0, 1): 900 m and 2 min: (900/20000 + 2/480)/2 = 0.0246; Δ(2, 3): 3 min, 0.003125.

    From either pair to the other 598 min and more: 0.5. Merged: x from 0 to 900 + 100, t from 0 to
    2 + 1; and t from 600 to 604. Spans: (1000 + 100)/2 = 550 m, 3 min; 100 m, 4 min.
    """
    fs = fp.FingerprintSet.from_samples([*"abcd"], [0, 900, 0, 0], [0] * 4, [0, 2, 600, 603])
    result = check(fs, 2)
    assert result.group.tolist() == [0, 0, 1, 1]
    assert cells_of(result.published, 0).tolist() == [[0, 0, 0, 1000, 100, 3]]
    assert cells_of(result.published, 1).tolist() == [[0, 0, 600, 100, 100, 4]]
    assert result.accuracy["space_m"].tolist() == [550, 550, 100, 100]
    assert result.accuracy["time_min"].tolist() == [3, 3, 4, 4]
    assert result.phantom_share == 0


def test_groups_of_three_by_hand():
    """Minutes 0, 2, 6, 100, 101, 103, 200 in one place, k = 3; 960 min would be Δ = 1.

    3+4 (1 min) come first, then 0+1 (2 min). To {3, 4}, t 100 … 102, user 5 at 103 … 104 costs,
    with weights 2/3 and 1/3, 4 − 2/3·2 − 1/3·1 = 7/3 min: next; a group of three, finished.
    {0, 1}, t 0 … 3, and user 2, t 6 … 7: 7 − 2/3·3 − 1/3 = 14/3 min: finished. User 6 is left over,
    nearer to {3, 4, 5} (t 100 … 104): t 100 … 201.
    """
    times = [0, 2, 6, 100, 101, 103, 200]
    fs = fp.FingerprintSet.from_samples(range(7), [0] * 7, [0] * 7, times)
    result = check(fs, 3)
    assert result.group.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert result.left_over.tolist() == [6]
    assert result.published.t_min.tolist() == [0, 100]
    assert result.published.dt_min.tolist() == [7, 101]
    out = check(fs, 3, leftover="suppress")
    assert out.group.tolist() == [0, 0, 0, 1, 1, 1, -1]
    assert out.suppressed.values.tolist() == [[6, 6, "left over"]]
    assert out.published.dt_min.tolist() == [7, 4]


def test_suppression_by_hand():
    """Both users at minutes 0 and 5; user 0 at x = 0, user 1 at 500 and 9,000; at most 1,000 m.

    Of user 0's samples, that of minute 5 is nearer to user 1's at minute 0 ((500/20000 + 5/480)/2 =
    0.018) than to that at 9,000 m (0.225): both join the former, and the latter joins them: x 0 …
    9,100, t 0 … 6, span (9,100 + 100)/2 = 4,600 m. All but the sample at 9,000 m lie in x 0 … 600,
    span 350 m, t 0 … 6, three samples of both users: the largest part.
    """
    fs = fp.FingerprintSet.from_samples([0, 0, 1, 1], [0, 0, 500, 9_000], [0] * 4, [0, 5, 0, 5])
    result = check(fs, 2, suppress_space_m=1_000)
    assert result.suppressed.values.tolist() == [[1, 3, "space"]]
    assert cells_of(result.published, 0).tolist() == [[0, 0, 0, 600, 100, 6]]
    assert result.phantom_share == 0
    assert result.suppressed_share == 0.25
    # And at most 3 minutes: minute 0 holds two samples, of both; minute 5 only one within 1,000 m.
    result = check(fs, 2, suppress_space_m=1_000, suppress_time_min=3)
    assert result.suppressed.values.tolist() == [[0, 1, "time"], [1, 3, "space and time"]]
    assert cells_of(result.published, 0).tolist() == [[0, 0, 0, 600, 100, 1]]


def test_more_samples_of_one_person_are_no_larger_part():
    """User 0 at minutes 0, 1, 2 and 9, user 1 at minute 10; one cell, t 0 … 11; at most 5 min.

    Three samples fit t 0 … 3, but all are user 0's. The largest part with both users is t 9 … 11.
    """
    fs = fp.FingerprintSet.from_samples([0, 0, 0, 0, 1], [0] * 5, [0] * 5, [0, 1, 2, 9, 10])
    result = check(fs, 2, suppress_time_min=5)
    assert cells_of(result.published, 0).tolist() == [[0, 0, 9, 100, 100, 2]]
    assert result.suppressed.values.tolist() == [[0, s, "time"] for s in range(3)]


def test_a_cell_without_a_part_of_k_users_is_left_out():
    """9 km apart at one minute: no 1,000 m hold both, so nothing of either is published."""
    fs = fp.FingerprintSet.from_samples([0, 1], [0, 9_000], [0, 0], [0, 0])
    result = check(fs, 2, suppress_space_m=1_000)
    assert result.group.tolist() == [-1, -1]
    assert result.published.n_groups == 0
    assert result.suppressed.values.tolist() == [[0, 0, "fewer than k"], [1, 1, "fewer than k"]]


def test_a_cell_within_the_limits_with_samples_of_one_is_left_out():
    """User 0 at minutes 0 and 8 (x = 0), user 1 at 0 (x = 0) and 4 (x = 900).

    Merged (the longer is user 0 by index): minute 8 is nearer to user 1's minute 4 than to its 0:
    (900/20000 + 4/480)/2 = 0.0267 against 8/480/2 = 0.0083, no: it joins minute 0, as minute 0
    does: t 0 … 9. User 1's minute 4 is left and joins that: one cell, x 0 … 1,000, t 0 … 9. At most
    300 m: without user 1's at 900 m, three samples of both users.
    """
    fs = fp.FingerprintSet.from_samples([0, 0, 1, 1], [0, 0, 0, 900], [0] * 4, [0, 8, 0, 4])
    result = check(fs, 2, suppress_space_m=300)
    assert cells_of(result.published, 0).tolist() == [[0, 0, 0, 100, 100, 9]]
    # Far apart in time, and each of user 0's has its own nearest: cells 0 … 1 and 5,000 … 5,004,
    # of both. A third one of user 0, at 2,500, makes the first or second reach over half the time.
    fs = fp.FingerprintSet.from_samples([0, 0, 1, 1], [0] * 4, [0] * 4, [0, 5_000, 0, 5_003])
    result = check(fs, 2, suppress_time_min=3)
    assert cells_of(result.published, 0).tolist() == [[0, 0, 0, 100, 100, 1]]
    assert result.suppressed["reason"].tolist() == ["fewer than k"] * 2


def test_who_has_no_sample_left_is_in_no_group():
    """Three at one minute, two at x = 0 and one at 9 km, k = 2: published for the two alone."""
    fs = fp.FingerprintSet.from_samples([0, 1, 2], [9_000, 0, 0], [0] * 3, [0] * 3)
    result = check(fs, 2, suppress_space_m=1_000)
    assert result.group.tolist() == [-1, 0, 0]
    assert result.published.n_users.tolist() == [2]
    assert result.suppressed.values.tolist() == [[0, 0, "space"]]
    assert result.members(0).tolist() == [1, 2]
    assert result.expanded().n_users == 2


def test_a_sample_left_out_in_one_cell_counts_in_none():
    """User 1's long sample reaches across two cells; left out in one, it is none in the other."""
    long = np.array([[0, 0, 0, 100, 100, 60.0]])
    other = np.array([[0, 0, 30, 100, 100, 60.0], [30_000, 0, 95, 100, 100, 5.0]])
    cells = np.array([[0, 0, 0, 100, 100, 60.0], [0, 0, 60, 30_100, 100, 40.0]])
    samples = np.concatenate([long, other])
    found, code = suppress_group(
        cells, samples, np.array([0, 1, 1]), np.ones(2), Limits(np.inf, 70.0, 2.0, MOST_STEPS)
    )
    # The second cell has user 1's samples only: left out, and with it user 1's long one; then the
    # first has user 0's only.
    assert len(found) == 0
    assert code.tolist() == [FEW] * 3


def test_a_search_cut_short_keeps_what_must_hold():
    """Whatever the steps allowed: limits, samples of k users, and none left out that would fit."""
    rng = np.random.default_rng(3)
    n = 200
    samples = np.column_stack(
        [
            *rng.integers(0, 300, (2, n)) * 100.0,
            np.sort(rng.integers(0, 900, n)).astype(float),
            np.full(n, 100.0),
            np.full(n, 100.0),
            np.ones(n),
        ]
    )
    cell = np.array([[0, 0, 0, 30_000, 30_000, 900.0]])
    owner, weight = rng.integers(0, 5, n), np.ones(5)
    sizes = []
    for steps in (0, 100, 10_000, MOST_STEPS):
        limits = Limits(9_000.0, 200.0, 3.0, steps)
        found, code = suppress_group(cell, samples, owner, weight, limits)
        ((x, y, t, dx, dy, dt),) = found.tolist()
        assert (dx + dy) / 2 <= 9_000
        assert dt <= 200
        kept = code == 0
        assert len(set(owner[kept].tolist())) >= 3
        sizes.append(int(kept.sum()))
        for s in np.flatnonzero(~kept):
            low = np.minimum([x, y, t], samples[s, :3])
            high = np.maximum([x + dx, y + dy, t + dt], samples[s, :3] + samples[s, 3:])
            wide = (high - low)[:2].sum() / 2 > 9_000
            assert code[s] == wide * SPACE + ((high - low)[2] > 200) * TIME > 0
    assert sizes[-1] == max(sizes)


# --- the same always -----------------------------------------------------------------------------


@pytest.mark.parametrize(("many", "refreshed", "ahead"), [(1, 1, 1), (2, 5, 3), (30, 200, 40)])
def test_lengths_of_lists_and_batches_change_nothing(monkeypatch, many, refreshed, ahead):
    fs = people(250)
    expected = fp.glove(fs, 4)
    monkeypatch.setattr("fpanon_core.anonymize.grouping._MANY", many)
    monkeypatch.setattr("fpanon_core.anonymize.grouping._REFRESHED", refreshed)
    monkeypatch.setattr("fpanon_core.anonymize.grouping._AHEAD", ahead)
    np.testing.assert_array_equal(fp.glove(fs, 4).group, expected.group)


# --- what cannot be ------------------------------------------------------------------------------


def test_impossible_questions():
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0] * 3, [0] * 3, [0, 3, 9])
    with pytest.raises(fp.InfeasibleError, match="k = 4 exceeds the 3 people loaded"):
        fp.glove(fs, 4)
    with pytest.raises(fp.InfeasibleError, match="single fingerprint"):
        fp.glove(fs.subset([0]), 2)
    check_refused(partial(fp.glove, fs), "integer of 2 or more", k=[1, 2.0, True, "2"])
    hide, bad = partial(fp.glove, fs, 2), [0, -1, float("nan"), float("inf"), "15", True]
    check_refused(hide, "NAME", leftover=["drop"])
    check_refused(hide, "a positive number", suppress_space_m=bad, suppress_time_min=bad)
    check_refused(hide, "finer than", suppress_space_m=[50], suppress_time_min=[0.5])
