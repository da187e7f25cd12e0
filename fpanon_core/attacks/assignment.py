"""Optimal assignment of people to records at the least total cost.

Records at one place are interchangeable, and so are trajectories that predict the same point. So
the assignment of people is a transport problem between groups, whose masses are whole numbers. It
is solved by network simplex, and a solution is accepted only with a proof. The proof consists of
dual prices. No pair costs less than the sum of its prices, and the total value of the prices equals
the cost. So no assignment can be cheaper.

Source: Xu et al. 2017, eq. 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped,unused-ignore]
from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]
from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # type: ignore[import-untyped,unused-ignore]
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]
from scipy.spatial.distance import cdist  # type: ignore[import-untyped,unused-ignore]

from ..kernels.network_simplex import (
    Costs,
    any_below,
    cheapest_flow,
    cost_of,
    extremes,
    in_table,
    row_of,
)
from ..model.arrays import FloatArray, IntArray, offsets_of

Flows = tuple[IntArray, IntArray, IntArray]
# Sparse square table by rows: where each row begins, columns (ascending in a row), values above 0.
Pairs = tuple[IntArray, npt.NDArray[np.int32], FloatArray]

_MOST_STEPS = 10**9
_TOLERANCE = 1e-9  # as a share of the largest cost
_FEW_PAIRS = 4_096  # source–sink pairs; below this, a search for near sinks does not pay
_NEAR = 8  # sinks looked at for each source, at first


def transport_all(costs: Costs, supply: IntArray, demand: IntArray) -> tuple[Flows, FloatArray]:
    """Return the cheapest flows from sources to sinks, and the cost per unit of each flow.

    Supply and demand have equal totals. Costs may be computed row by row, without memory for pairs.
    """
    (source, sink, many), _ = _solve(costs, supply, demand)
    return (source, sink, many), cost_of(costs, source, sink)


def transport_near(begin: FloatArray, end: FloatArray, supply: IntArray, demand: IntArray) -> Flows:
    """Return the cheapest flows between points in the plane; the cost is the distance.

    The smaller of supply and demand is matched completely. The excess of the larger stays unmatched
    at no cost: its amount is fixed, so any unit price would only add a constant.

    If demand exceeds supply, as in counts with noise, many sinks may be too far from every source
    to matter. A large problem is then first solved with only the sinks near each source. The
    solution is accepted only if the dual prices prove that no omitted sink could lower the cost.
    Without this proof, the problem is solved again with more sinks, and in the end with all.

    Parameters
    ----------
    begin, end : float64 ndarray (n_sources, 2), (n_sinks, 2)
    supply, demand : int64 ndarray (n_sources,), (n_sinks,)

    Returns
    -------
    source, sink, mass : int64 ndarrays
        Flows above 0, by source, then by sink.
    """
    sources, sinks = len(begin), len(end)
    if sources == 0 or sinks == 0:
        return (np.empty(0, np.int64),) * 3
    needed, near = int(supply.sum()), _NEAR
    short = needed - int(demand.sum())
    if sources * sinks > _FEW_PAIRS and short < 0:
        tree = cKDTree(end)
        while 2 * near < sinks:
            apart, listed = tree.query(begin, near)
            some = np.unique(listed)
            spare = int(demand[some].sum()) - needed
            if spare > 0:
                cost = np.vstack([cdist(begin, end[some]), np.zeros(len(some))])
                flows, price = _solve(in_table(cost), np.append(supply, spare), demand[some])
                slack = _TOLERANCE * float(cost.max())
                if price is not None and (price[:-1] - price[-1] <= apart[:, -1] + slack).all():
                    source, sink, many = _within(flows, sources, len(some))
                    return source, some[sink], many
            near *= 4
    cost = cdist(begin, end)
    if short < 0:
        cost, supply = np.vstack([cost, np.zeros(sinks)]), np.append(supply, -short)
    elif short > 0:
        cost, demand = np.hstack([cost, np.zeros((sources, 1))]), np.append(demand, short)
    return _within(_solve(in_table(cost), supply, demand)[0], sources, sinks)


def most_saving(pairs: Pairs) -> tuple[IntArray, float]:
    """Return each row's column in the one-to-one matching that saves most, and the total saving.

    Pairs that are not listed save nothing. So each row gets an additional column of its own that
    saves nothing; a row that is better left out takes this column. The solver (scipy's sparse
    Jonker–Volgenant) then finds the best complete matching, and the rows left out are paired with
    the remaining columns in ascending order.
    """
    offsets, column, value = pairs
    n = len(offsets) - 1
    # The solver needs costs other than 0. Each row pays one, so adding a constant changes nothing.
    top = 2.0 * float(value.max(initial=0.5))
    many = np.diff(offsets)
    own = offsets[1:] + np.arange(n)
    listed = np.ones(len(column) + n, bool)
    listed[own] = False
    cost, columns = np.full(len(listed), top), np.empty(len(listed), np.int32)
    cost[listed] -= value
    columns[listed], columns[own] = column, n + np.arange(n)
    table = csr_array((cost, columns, offsets_of(many + 1)), shape=(n, 2 * n))
    row, chosen = min_weight_full_bipartite_matching(table)
    goal = np.empty(n, np.int64)
    goal[row] = chosen
    out = np.flatnonzero(goal >= n)
    free = np.ones(n, bool)
    free[goal[goal < n]] = False
    saved = n * top - float(table[row, chosen].sum())
    goal[out] = np.flatnonzero(free)
    return goal, saved


def _within(flows: Flows, sources: int, sinks: int) -> Flows:
    """Return the flows without those that were added to make the totals equal."""
    source, sink, many = flows
    real = (source < sources) & (sink < sinks)
    return source[real], sink[real], many[real]


def _solve(costs: Costs, supply: IntArray, demand: IntArray) -> tuple[Flows, FloatArray | None]:
    """Return the optimal flows for equal totals, and the sources' dual prices if known."""
    if len(supply) == 1 or len(demand) == 1:
        return _above_zero(np.minimum.outer(supply, demand)), None
    supply, demand = supply.astype(np.int64), demand.astype(np.int64)
    between = extremes(costs, len(supply))
    arc, many, potential = cheapest_flow(costs, supply, demand, between[1], _MOST_STEPS)
    source, sink = np.divmod(arc, len(demand))
    # Prices are shifted so that the greatest potential becomes 0.
    potential = potential - max(float(potential.max()), 0.0)
    price = -potential[: len(supply)]
    if _proven(costs, supply, demand, (source, sink, many), potential, between):
        return (source, sink, many), price
    # Each person has a separate row and column: slower, but without a tolerance.
    who = np.repeat(np.arange(len(supply)), supply)
    where = np.repeat(np.arange(len(demand)), demand)
    cost = np.stack([row_of(costs, i).copy() for i in range(len(supply))])
    row, column = linear_sum_assignment(cost[np.ix_(who, where)])
    flow = np.zeros(cost.shape, np.int64)
    np.add.at(flow, (who[row], where[column]), 1)
    return _above_zero(flow), None


def _above_zero(flow: IntArray) -> Flows:
    source, sink = np.nonzero(flow)
    return source, sink, flow[source, sink]


def _proven(
    costs: Costs,
    supply: IntArray,
    demand: IntArray,
    flows: Flows,
    potential: FloatArray,
    between: tuple[float, float],
) -> bool:
    """Return whether the flows are complete, and the dual prices prove that they are cheapest."""
    source, sink, many = flows
    sent = np.bincount(source, many, len(supply))
    got = np.bincount(sink, many, len(demand))
    if (sent != supply).any() or (got != demand).any():
        return False
    slack = _TOLERANCE * max(between[1], -between[0], 1e-300)
    if any_below(costs, potential, len(supply), -slack):
        return False
    worth = float(potential[len(supply) :] @ demand - potential[: len(supply)] @ supply)
    paid = float(cost_of(costs, source, sink) @ many)
    return bool(abs(paid - worth) <= slack * float(supply.sum()))
