"""The cheapest flow: pivot for pivot that of POT."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ot.lp import emd
from scipy.spatial.distance import cdist

from fpanon_core.kernels.network_simplex import (
    Frequencies,
    by_places,
    cheapest_flow,
    cost_of,
    extremes,
    in_table,
)
from fpanon_core.kernels.network_simplex import any_below as any_row_below

MANY = 10**6


@st.composite
def problems(draw):
    """Points on a coarse grid, where nearly everything ties, or anywhere; equal totals."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sources, sinks = draw(st.integers(2, 40)), draw(st.integers(2, 40))
    scale = draw(st.sampled_from([1.0, 100.0, 30_000.0]))
    width = draw(st.sampled_from([3, 12, 400]))
    begin, end = (rng.integers(0, width, (n, 2)) * scale for n in (sources, sinks))
    if draw(st.booleans()):
        begin = begin + rng.normal(0.0, scale, begin.shape)
    cost = cdist(begin, end) - draw(st.sampled_from([0.0, 0.0, scale]))  # some below 0
    total = draw(st.integers(max(sources, sinks), 4 * max(sources, sinks)))
    supply, demand = (
        np.bincount(np.append(np.arange(n), rng.integers(0, n, total - n)), minlength=n)
        for n in (sources, sinks)
    )
    if draw(st.booleans()):
        cost[rng.integers(sources)] = 0.0  # dummies, which go wherever, for nothing
    return cost, supply, demand


def solved(cost, supply, demand, most_pivots=MANY):
    before = cost.copy()
    costs = in_table(cost)
    arc, many, potential = cheapest_flow(costs, supply, demand, cost.max(), most_pivots)
    assert np.array_equal(cost, before)
    flow = np.zeros(cost.size)
    flow[arc] = many
    assert (np.diff(arc) > 0).all()
    assert (many > 0).all()
    return flow.reshape(cost.shape), potential


def any_below(cost, potential, least):
    return any_row_below(in_table(cost), potential, len(cost), least)


@settings(max_examples=200, deadline=None)
@given(problems())
def test_chooses_among_optima_as_pot_does(problem):
    """Flows and potentials, to the bit; POT shifts its potentials so that the greatest is 0."""
    cost, supply, demand = problem
    flow, potential = solved(*problem)
    expected, log = emd(
        supply.astype(float),
        demand.astype(float),
        cost,
        numItermax=MANY,
        log=True,
        center_dual=False,
        check_marginals=False,
    )
    assert np.array_equal(flow, expected)
    potential = potential - max(potential.max(), 0.0)
    assert np.array_equal(-potential[: len(supply)], log["u"])
    assert np.array_equal(potential[len(supply) :], log["v"])


def test_many_sources_and_sinks_on_a_grid():
    """Blocks of several sources and parts of one, round and round."""
    rng = np.random.default_rng(3)
    for n, m in ((300, 290), (300, 301), (17, 520), (700, 5)):
        begin, end = (rng.integers(0, 200, (k, 2)) * 100.0 for k in (n, m))
        supply, demand = (np.ones(k, np.int64) for k in (n, m))
        (supply if n < m else demand)[0] += abs(n - m)
        cost = cdist(begin, end)
        flow, _ = solved(cost, supply, demand)
        assert np.array_equal(flow, emd(supply * 1.0, demand * 1.0, cost, numItermax=MANY))


def test_by_hand():
    """Straight costs 1 + 1, crossed 3 + 3, and one is left to go from source 1 to sink 0: 3.

    Potentials: sink 0 − source 0 = 1, sink 0 − source 1 = 3, sink 1 − source 1 = 1.
    """
    cost = np.array([[1.0, 3.0], [3.0, 1.0]])
    flow, potential = solved(cost, np.array([1, 2]), np.array([2, 1]))
    assert flow.tolist() == [[1, 0], [1, 1]]
    assert (potential[2:] - potential[1]).tolist() == [3.0, 1.0]
    assert potential[2] - potential[0] == 1.0
    assert not any_below(cost, potential, 0.0)
    assert any_below(cost, potential + np.array([-5.0, 0, 0, 0]), -1.0)


@st.composite
def days(draw):
    """Two days: of each group its places and how often, (offsets, places, often); people of each.

    The parts of the costs, and what common places save, are any for which no cost is below 0.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    places, often = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    sides, n = [], draw(st.integers(3, 60))
    for _ in range(2):
        groups = draw(st.integers(2, n - 1))
        rows = [np.sort(rng.permutation(places)[: rng.integers(1, 6)]) for _ in range(groups)]
        offsets = np.cumsum([0, *map(len, rows)])
        place = np.concatenate(rows).astype(np.int32)
        people = np.bincount(np.append(np.arange(groups), rng.integers(0, groups, n - groups)))
        apart = rng.integers(0, 5, groups) / 4 if draw(st.booleans()) else rng.random(groups)
        rows = Frequencies(offsets, place, rng.integers(1, often + 1, len(place)))
        sides.append((rows, people, apart))
    worth = rng.integers(1, 9, (often + 1, often + 1)) / 8
    worth = worth if draw(st.booleans()) else rng.random(worth.shape)
    below = min(0.0, table_of(sides, worth).min())
    sides[0] = (*sides[0][:2], sides[0][2] - below)
    return sides, worth


def table_of(sides, worth):
    (u, _, apart), (v, _, to_apart) = sides
    cost = np.empty((len(apart), len(to_apart)))
    for i in range(len(apart)):
        for j in range(len(to_apart)):
            saved = 0.0
            for a in range(u[0][i], u[0][i + 1]):
                for b in range(v[0][j], v[0][j + 1]):
                    if u[1][a] == v[1][b]:
                        saved += worth[u[2][a], v[2][b]]
            cost[i, j] = apart[i] + to_apart[j] - saved
    return cost


@settings(max_examples=200, deadline=None)
@given(days())
def test_costs_made_row_by_row_lead_to_the_same_flows(problem):
    """Pivot for pivot: flows and potentials are those of the whole table, to the bit."""
    sides, worth = problem
    (u, supply, apart), (v, demand, to_apart) = sides
    cost, costs = table_of(*problem), by_places(u, v, worth, apart, to_apart)
    assert extremes(costs, len(cost)) == (cost.min(), cost.max())
    flow, potential = solved(cost, supply, demand)
    arc, many, made = cheapest_flow(costs, supply, demand, cost.max(), MANY)
    assert arc.tolist() == np.flatnonzero(flow).tolist()
    assert many.tolist() == flow.ravel()[arc].tolist()
    assert np.array_equal(made, potential)
    source, sink = np.divmod(arc, cost.shape[1])
    assert np.array_equal(cost_of(costs, source, sink), cost[source, sink])
    assert not any_row_below(costs, potential, len(cost), -1e-9)
    reduced = cost + potential[: len(cost), None] - potential[len(cost) :]
    shifted = potential.copy()
    shifted[np.argmin(reduced.min(axis=1))] -= 1.0
    assert any_row_below(costs, shifted, len(cost), -0.5)


def test_too_few_pivots_leave_it_incomplete():
    rng = np.random.default_rng(1)
    cost, ones = rng.random((30, 30)), np.ones(30, np.int64)
    flow, _ = solved(cost, ones, ones, most_pivots=1)
    assert flow.sum() < 30
