"""Every assignment's cost against scipy's on the user-by-user matrix; cases by hand."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import fpanon_core as fp
from fpanon_core.attacks import assignment, recovery
from fpanon_core.attacks.assignment import transport_near
from fpanon_core.attacks.recovery import scaled
from fpanon_core.kernels.network_simplex import in_table
from tests.oracles import recovery as oracle
from tests.support.refusals import check_refused

SLOT = 180.0  # eight a day, two of them at night


def counts_of(table, xy, first_slot=0, slot_min=SLOT):
    """Counts alone: nothing else of anybody."""
    table, xy = np.asarray(table), np.asarray(xy, float)
    starts = (first_slot + np.arange(len(table))) * slot_min
    return fp.AggregateCounts(table, xy[:, 0], xy[:, 1], starts, slot_min=slot_min)


@st.composite
def aggregates(draw, even=True):
    """People who mostly stay or repeat themselves, on a grid or anywhere; some places coincide."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, places = draw(st.integers(1, 14)), draw(st.integers(1, 7))
    slots, first = draw(st.integers(1, 20)), draw(st.integers(0, 8))
    xy = rng.uniform(-5000, 5000, (places, 2))
    if draw(st.booleans()):
        xy = np.floor(xy / 2500) * 2500  # ties, predictions that hit places, equal centres
    home = rng.integers(0, places, n)
    moves = rng.random((n, slots)) < draw(st.sampled_from([0.0, 0.3, 1.0]))
    truth = np.where(moves, rng.integers(0, places, (n, slots)), home[:, None])
    table = np.stack([np.bincount(s, minlength=places) for s in truth.T])
    if not even:
        how = draw(st.sampled_from(["noise", "suppressed", "empty slots"]))
        if how == "noise":
            table = table + rng.integers(-2, 4, table.shape)
        elif how == "suppressed":
            table = np.where(table < 3, 0, table)
        else:
            table[rng.random(len(table)) < 0.4] = 0
    return counts_of(table, xy, first)


def check_steps(counts, recovered):
    """Costs are the least there can be, and those of the links made; records are used up."""
    xy = [tuple(c) for c in counts.centres.tolist()]
    records = np.maximum(counts.counts, 0)
    people = recovered.n_trajectories
    for begin, end in zip(counts.day_offsets[:-1], counts.day_offsets[1:], strict=True):
        day = recovered.daily[:, begin:end]
        recorded = records[begin:end].any(axis=1)
        if not recorded.any():
            assert (day == -1).all()
            continue
        first = int(np.argmax(recorded))
        for s in range(first + 1):
            assert np.isnan(recovered.step_cost_m[begin + s])
            started = np.bincount(day[:, s], minlength=counts.n_places)
            assert started.tolist() == scaled(records[begin + first], people).tolist()
        for s in range(first + 1, end - begin):
            at = begin + s
            last = day[:, s - 1]
            still = counts.is_night[at] or s == first + 1
            before = last if still else day[:, s - 2]
            least = oracle.step_cost(xy, last.tolist(), before.tolist(), records[at].tolist())
            assert recovered.step_cost_m[at] == pytest.approx(least, abs=1e-6)
            now, total = np.bincount(day[:, s], minlength=counts.n_places), int(records[at].sum())
            if total == people:
                points = oracle.predicted(xy, last.tolist(), before.tolist())
                ours = sum(
                    np.hypot(x - xy[p][0], y - xy[p][1])
                    for (x, y), p in zip(points, day[:, s], strict=True)
                )
                assert ours == pytest.approx(least, abs=1e-6)
                assert now.tolist() == records[at].tolist()
            elif total < people:
                assert (now >= records[at]).all()
            else:
                assert (now <= records[at]).all()


def check_links(recovered):
    """Each link costs the least there can be, and every day keeps its sub-trajectories."""
    offsets = recovered.day_offsets
    days = [(recovered.daily[:, a:b], recovered.places[:, a:b]) for a, b in pairwise(offsets)]
    for daily, placed in days:
        assert sorted(map(tuple, daily.tolist())) == sorted(map(tuple, placed.tolist()))
    for i, ((u, followed), (v, following)) in enumerate(pairwise(days)):
        if (u == -1).any() or (v == -1).any():
            assert np.isnan(recovered.link_cost[i])
            continue
        least = oracle.link_cost(u.tolist(), v.tolist())
        ours = sum(
            oracle.gain(a, b) for a, b in zip(followed.tolist(), following.tolist(), strict=True)
        )
        assert recovered.link_cost[i] == pytest.approx(least, abs=1e-9)
        assert ours == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize(
    ("groups", "pairs"),
    [(0.0, 2**24), (2.0, 2**24), (0.0, 0)],
    ids=["people", "groups", "people too many to keep their pairs"],
)
@settings(max_examples=60, deadline=None)
@given(counts=aggregates())
def test_costs_equal_the_user_by_user_assignment(groups, pairs, counts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "_GROUPS_SHARE", groups)
        patch.setattr(recovery, "_MOST_PAIRS", pairs)
        recovered = fp.recover_trajectories(counts)
    assert recovered.n_trajectories == counts.totals[0]
    assert (recovered.unrecorded == 0).all()
    check_steps(counts, recovered)
    check_links(recovered)


@settings(max_examples=60, deadline=None)
@given(aggregates(even=False), st.sampled_from([None, 3, 11]))
def test_totals_that_differ_are_solved_with_dummies_at_no_cost(counts, people):
    if people is None and counts.totals.max() < 1:
        return
    try:
        recovered = fp.recover_trajectories(counts, n_trajectories=people)
    except fp.InfeasibleError:
        assert np.median(counts.totals) < 1
        return
    totals = np.maximum(counts.counts, 0).sum(axis=1)
    assert recovered.unrecorded.tolist() == (recovered.n_trajectories - totals).tolist()
    check_steps(counts, recovered)
    check_links(recovered)


def _random_town(n=400, places=25, slots=40, seed=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, places, (n, 3))[np.arange(n)[:, None], rng.integers(0, 3, (n, slots))]
    xy = rng.uniform(0, 20_000, (places, 2))
    return counts_of(np.stack([np.bincount(s, minlength=places) for s in truth.T]), xy)


def test_many_people_on_few_places():
    """Masses of many, where the solver's whole numbers could go wrong."""
    counts = _random_town()
    recovered = fp.recover_trajectories(counts)
    check_steps(counts, recovered)
    check_links(recovered)


def test_without_the_solvers_proof_people_are_assigned_one_by_one(monkeypatch):
    counts = _random_town(60, 9)
    with_proof = fp.recover_trajectories(counts)
    monkeypatch.setattr(assignment, "_proven", lambda *_: False)
    recovered = fp.recover_trajectories(counts)
    np.testing.assert_allclose(recovered.step_cost_m[1], with_proof.step_cost_m[1])
    check_steps(counts, recovered)
    check_links(recovered)


def test_a_false_proof_is_no_proof():
    """Sources 0, 1 and sinks 0, 1: straight costs 0, crossed 2. Prices u = v = 0 prove straight."""
    cost, ones = in_table(np.array([[0.0, 1.0], [1.0, 0.0]])), np.ones(2, np.int64)
    at, across = np.arange(2), np.array([1, 0])
    none, wrong = np.zeros(4), np.array([0.0, 0.0, -1.0, -1.0])  # u = −potential, v = potential

    def proven(flows, potential):
        return assignment._proven(cost, ones, ones, flows, potential, (0.0, 1.0))

    assert proven((at, at, ones), none)
    assert not proven((at, across, ones), none)
    assert not proven((at[:1], at[:1], ones[:1]), none)
    assert not proven((at, at, ones), wrong)
    assert not proven((at, across, ones), -wrong)


def test_the_attack_reads_counts_places_and_slot_times_only():
    """Handed nothing else, it recovers the same."""
    rng = np.random.default_rng(8)
    user, t = rng.integers(0, 30, 300), rng.uniform(0, 4000, 300)
    fs = fp.FingerprintSet.from_samples(user, rng.integers(0, 8, 300) * 700.0, np.zeros(300), t)
    counts, _ = fp.aggregate_counts(fs)
    bare = fp.AggregateCounts(
        counts=counts.counts.copy(),
        x_m=counts.x_m.copy(),
        y_m=counts.y_m.copy(),
        slot_start_min=counts.slot_start_min.copy(),
    )
    assert bare.slot_min == counts.slot_min
    assert (
        fp.recover_trajectories(bare).places.tolist()
        == fp.recover_trajectories(counts).places.tolist()
    )


def test_a_crossing_by_hand():
    """Two people walk through each other by day, along a line of places 0 … 4, a km apart.

    By their velocity they go on, not back: from (0, 1) and (4, 3) both predict 2, both are there,
    and then 3 and 1. At night the nearest place would send them back.
    """
    places = [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 2, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1]]
    line = [(1000.0 * i, 0.0) for i in range(5)]
    day = fp.recover_trajectories(counts_of(places, line, first_slot=2)).places
    assert day.tolist() == [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]
    night = fp.recover_trajectories(counts_of(places, line, slot_min=60.0))
    assert night.is_night.all()
    assert night.places.tolist() == [[0, 1, 2, 1, 0], [4, 3, 2, 3, 4]]
    assert night.step_cost_m[1:].tolist() == [2000.0, 2000.0, 2000.0, 2000.0]


def test_days_are_linked_by_their_places():
    """Day 0 from noon: one at place 0, one at 1. Day 1: at night at 2 and 3, near 1 and 0."""
    table = np.zeros((4 + 8, 4), int)
    table[:4, [0, 1]] = 1
    table[4:6, [2, 3]] = 1
    table[6:, [0, 1]] = 1
    recovered = fp.recover_trajectories(
        counts_of(table, [(0, 0), (9000, 0), (9000, 10), (0, 10)], first_slot=4)
    )
    assert recovered.day_offsets.tolist() == [0, 4, 12]
    assert recovered.daily[:, 4].tolist() == [2, 3]  # rows of a day in the order of places
    assert recovered.places.tolist() == [[0] * 4 + [3, 3] + [0] * 6, [1] * 4 + [2, 2] + [1] * 6]


def test_pairs_within_the_threshold_are_linked_at_once():
    """Places at 0, 10 and 19 m. People at 0 and 10; records at 10 and 19.

    Optimal leaves one at 10 and moves the other 19 m, 19 in all. Anything up to 9 m is linked: the
    same, as who is at 10 stays (0 m) first.
    """
    table, xy = [[1, 1, 0], [0, 1, 1]], [(0, 0), (10, 0), (19, 0)]
    for threshold in (0.0, 9.0, 100.0):
        recovered = fp.recover_trajectories(counts_of(table, xy), link_threshold_m=threshold)
        assert recovered.step_cost_m[1] == 19.0
    # People at 0 and 5; records at 3 on the same line, and 4 m above 5.
    table, xy = [[1, 1, 0, 0], [0, 0, 1, 1]], [(0, 0), (5, 0), (3, 0), (5, 4)]
    # 0→3 (3) and 5→(5, 4) (4) = 7; nearest first: 5→3 (2), then 0→(5, 4) = 6.403: 8.403.
    exact, hasty = (
        fp.recover_trajectories(counts_of(table, xy), link_threshold_m=t) for t in (0.0, 2.5)
    )
    assert exact.step_cost_m[1] == 7.0
    assert hasty.step_cost_m[1] == pytest.approx(2 + np.sqrt(41))
    assert hasty.places.tolist() == [[0, 3], [1, 2]]


def test_dummy_records_by_hand():
    """Three people at 0, 1 and 2 km; then one is missing at 1 km, then all are back.

    The two records are of the nearest; who has none stays at 1 km, and is found there again.
    """
    table, xy = [[1, 1, 1], [1, 0, 1], [1, 1, 1]], [(0, 0), (1000, 0), (2000, 0)]
    recovered = fp.recover_trajectories(counts_of(table, xy))
    assert recovered.unrecorded.tolist() == [0, 1, 0]
    assert recovered.step_cost_m[1:].tolist() == [0.0, 0.0]
    assert recovered.places.tolist() == [[0] * 3, [1] * 3, [2] * 3]


def test_how_many_people_there_are_is_estimated():
    xy = [(0, 0), (500, 0)]
    assert fp.recover_trajectories(counts_of([[2, 0], [3, 1], [0, 0]], xy)).n_trajectories == 4
    noisy = counts_of([[2, 1], [9, -1], [0, 0]], xy)  # totals 3, 8, 0: the median
    assert fp.recover_trajectories(noisy).n_trajectories == 3
    assert fp.recover_trajectories(noisy, n_trajectories=7).n_trajectories == 7
    with pytest.raises(fp.InfeasibleError, match="contain nobody"):
        fp.recover_trajectories(counts_of([[0, 0], [0, 0]], xy))
    with pytest.raises(fp.InfeasibleError, match="contain nobody"):
        fp.recover_trajectories(counts_of([[-5, 1], [0, 0], [0, 0]], xy))


def test_a_day_without_any_record_is_unknown_and_bridged():
    table = np.zeros((24, 2), int)
    table[:8] = table[16:] = [1, 1]
    recovered = fp.recover_trajectories(counts_of(table, [(0, 0), (9000, 0)]))
    assert (recovered.places[:, 8:16] == -1).all()
    assert recovered.places[:, 16:].tolist() == [[0] * 8, [1] * 8]
    assert np.isnan(recovered.link_cost).all()


def test_counts_are_scaled_by_largest_remainders():
    """5 of (1, 1, 2)·5/4 = 1.25, 1.25, 2.5: the half first. 2 of (1, 1, 1)·2/3: lower places."""
    assert scaled(np.array([1, 1, 2]), 5).tolist() == [1, 1, 3]
    assert scaled(np.array([1, 1, 1]), 2).tolist() == [1, 1, 0]
    assert scaled(np.array([4, 0]), 4).tolist() == [4, 0]


def test_a_parameter_out_of_range():
    recover = partial(fp.recover_trajectories, counts_of([[1]], [(0, 0)]))
    check_refused(recover, "NAME", link_threshold_m=[-1, np.inf], n_trajectories=[0, 2.5])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sources=st.integers(1, 25),
    sinks=st.integers(1, 90),
    step=st.sampled_from([1.0, 100.0, 3_000.0]),
    crowded=st.booleans(),
)
def test_as_cheap_as_matching_everyone_with_every_record(seed, sources, sinks, step, crowded):
    """By scipy, on the full matrix of people and records; on grids, so that distances tie."""
    rng = np.random.default_rng(seed)
    begin = np.unique(rng.integers(0, 4 if crowded else 40, (sources, 2)) * step, axis=0)
    end = np.unique(rng.integers(0, 40, (sinks, 2)) * step, axis=0)
    supply, demand = rng.integers(1, 4, len(begin)), rng.integers(1, 4, len(end))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_FEW_PAIRS", 0)
        patch.setattr(assignment, "_NEAR", 2)
        i, j, many = transport_near(begin, end, supply, demand)
    assert (many > 0).all()
    sent, got = (np.bincount(k, many, n) for k, n in ((i, len(begin)), (j, len(end))))
    assert (sent <= supply).all()
    assert (got <= demand).all()
    assert many.sum() == min(supply.sum(), demand.sum())
    cost = cdist(np.repeat(begin, supply, axis=0), np.repeat(end, demand, axis=0))
    expected = cost[linear_sum_assignment(cost)].sum()
    spent = float(cdist(begin, end)[i, j] @ many)
    assert spent == pytest.approx(expected, rel=1e-9, abs=1e-9)
