"""Cheapest flow between sources and sinks, with an arc from each source to each sink.

The method is the primal network simplex. A spanning tree holds all flow; its arcs fix dual
*potentials* p, under which their reduced cost ``cost + p[source] − p[sink]`` is 0. As long as some
arcs outside the tree have a reduced cost below 0, one of them enters. Flow is sent along the cycle
that this arc closes, and an emptied arc leaves. The first tree has an additional root. Artificial
arcs lead from sources to the root at no cost, and from the root to sinks at more than any path
could cost. Then the cheapest arc to each sink enters.

**Choice among optima.** Positions on a grid make many flows equally cheap, so the order of pivots
decides among the optimal flows. The order is that of LEMON's network simplex (Kovács 2015) in the
form of POT 0.9.7 for dense costs; flows and potentials are bitwise equal to POT's:

- Arcs are searched cyclically from the last to the first, in blocks of the square root of their
  number. From the first block with a reduced cost below 0, the arc with the least reduced cost
  enters (ties: the arc searched first). The next search begins with the arc at which the last one
  ended.
- Among the arcs that could leave, the last one on the cycle leaves. The cycle is followed in its
  direction, from where the two sides of the tree join.

Most of the time goes into the search. Arcs of a source are adjacent in memory, so several are
compared at once. Arcs of the tree are marked by a cost so high that they never enter. Costs may be
computed row by row instead of stored (:func:`by_places`): the pivots are the same.

Source: Kovács 2015; POT.

**Costs.** The costs of linking each source with each sink are a table, or are computed row by row
on request.

Sources and sinks are people on two days. If there are many people, there are too many pairs to
store. The costs of a row follow from the places of its source, and from the sinks at each of them.
Computing these costs takes little more time than reading them. Arcs in the tree of the network
simplex are marked in the row that is held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts, offsets_of

_IN_TREE = 1e300
_LEAST_BLOCK = 10
_AT_ONCE = 256
_NOTHING = 2.2204460492503131e-15  # times the greatest of two potentials and a cost: counts as 0
_NONE = -1


class Tree(NamedTuple):
    """Spanning tree of sources, then sinks, then the root, with each node's arc to its parent."""

    parent: SmallInts
    depth: SmallInts
    child: SmallInts  # the first child; each node knows its neighbouring siblings
    after: SmallInts
    before: SmallInts
    arc: IntArray  # source × sinks + sink; −1 for arcs of the root
    upward: BoolArray  # whether the arc leads from the node to its parent
    flow: IntArray
    cost: FloatArray
    potential: FloatArray


@njit(nogil=True, cache=True)
def cheapest_flow(
    costs: Costs, supply: IntArray, demand: IntArray, greatest: float, most_pivots: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return flows above 0 as arcs (source × sinks + sink) and amounts, and all potentials.

    A table of ``costs`` is marked during the search, and restored at the end; ``greatest`` is the
    greatest cost. No cost is below 0. Supply and demand are above 0 and have the same total. The
    flow is complete and optimal, unless the search took ``most_pivots``; the caller checks this.
    """
    sources, sinks = len(supply), len(demand)
    tree = _first_tree(supply, demand, (greatest + 1) * (sources + sinks))
    first, least = _cheapest_to(costs, sources, sinks)
    for sink in range(sinks - 1, -1, -1):
        source = first[sink]
        if least[sink] + tree.potential[source] - tree.potential[sources + sink] < 0:
            _enter(tree, costs, source * sinks + sink, least[sink], source, sources + sink)
    size = max(int(np.sqrt(float(sources * sinks))), _LEAST_BLOCK)
    room = np.empty(_AT_ONCE)
    at = sources * sinks - 1
    for _ in range(most_pivots):
        arc, cost, at = _search(costs, tree, sources, sinks, at, size, room)
        if arc == _NONE:
            break
        _enter(tree, costs, arc, cost, arc // sinks, sources + arc % sinks)
    used = np.zeros(sources + sinks, np.bool_)
    for node in range(sources + sinks):
        arc = tree.arc[node]
        if arc != _NONE:
            mark(costs, arc // sinks, arc % sinks, tree.cost[node])
            used[node] = tree.flow[node] > 0
    of = np.flatnonzero(used)
    of = of[np.argsort(tree.arc[of])]
    return tree.arc[of], tree.flow[of], tree.potential[:-1]


@njit(nogil=True, cache=True)
def _first_tree(supply: IntArray, demand: IntArray, far: float) -> Tree:
    """Return the tree in which every node except the root is a child of the root."""
    sources, n = len(supply), len(supply) + len(demand)
    nodes = np.arange(n + 1).astype(np.int32)
    tree = Tree(
        np.full(n + 1, n, np.int32),
        np.ones(n + 1, np.int32),
        np.full(n + 1, _NONE, np.int32),
        nodes + np.int32(1),
        nodes - np.int32(1),
        np.full(n + 1, _NONE),
        nodes < sources,
        np.zeros(n + 1, np.int64),
        np.zeros(n + 1),
        np.zeros(n + 1),
    )
    tree.parent[n], tree.depth[n], tree.child[n] = _NONE, 0, 0
    tree.after[n - 1] = _NONE
    tree.flow[:sources], tree.flow[sources:n] = supply, demand
    tree.cost[sources:n] = far
    tree.potential[sources:n] = far
    return tree


@njit(nogil=True, cache=True)
def _cheapest_to(costs: Costs, sources: int, sinks: int) -> tuple[IntArray, FloatArray]:
    """Return the source of the cheapest arc to each sink (ties: the last), and the arc's cost."""
    least, source = np.full(sinks, np.inf), np.zeros(sinks, np.int64)
    for i in range(sources):
        row = row_of(costs, i)
        for j in range(sinks):
            nearer = row[j] <= least[j]
            least[j] = row[j] if nearer else least[j]
            source[j] = i if nearer else source[j]
    return source, least


@njit(nogil=True, cache=True)
def _marked(costs: Costs, tree: Tree, source: int, sinks: int) -> FloatArray:
    """Return the costs of a source, with marks on arcs in the tree so that they never enter."""
    held = costs.held[0] == _ALL or costs.held[0] == source
    row = row_of(costs, source)
    if held:  # with its marks
        return row
    if tree.arc[source] != _NONE:
        row[tree.arc[source] % sinks] = _IN_TREE
    sink = tree.child[source]
    while sink != _NONE:
        row[tree.arc[sink] % sinks] = _IN_TREE
        sink = tree.after[sink]
    return row


@njit(nogil=True, cache=True)
def _search(
    costs: Costs, tree: Tree, sources: int, sinks: int, at: int, size: int, room: FloatArray
) -> tuple[int, float, int]:
    """Return the arc that enters next (−1 = none), its cost, and where the search ended.

    Savings of arcs are compared as whole numbers, several at a time: floats above 0 have the same
    order as the whole numbers with the same bits.
    """
    potential, bits = tree.potential, room.view(np.int64)
    found, cost, best = _NONE, 0.0, np.int64(0)
    left, in_block = sources * sinks, size
    source, above = at // sinks, at % sinks + 1  # arcs to sinks below this are still to come
    row = _marked(costs, tree, source, sinks)
    while left > 0:
        many = min(above, in_block, left, _AT_ONCE)
        first = above - many
        own = potential[source]
        some = row[first:above]
        to = potential[sources + first : sources + above]
        for k in range(many):
            room[k] = to[k] - (some[k] + own)
        top = best
        for k in range(many):
            top = max(top, bits[k])
        if top > best:
            best = top
            k = many - 1
            while bits[k] != top:
                k -= 1
            found, cost = source * sinks + first + k, some[k]
        left -= many
        in_block -= many
        above = first
        if in_block == 0:
            if found != _NONE and _saves(cost, potential, sources, sinks, found):
                return found, cost, source * sinks + first
            in_block = size
        if above == 0:
            source = source - 1 if source > 0 else sources - 1
            above = sinks
            if left > 0:
                row = _marked(costs, tree, source, sinks)
    if found != _NONE and _saves(cost, potential, sources, sinks, found):
        return found, cost, at
    return _NONE, cost, at


@njit(nogil=True, cache=True)
def _saves(cost: float, potential: FloatArray, sources: int, sinks: int, arc: int) -> bool:
    """Return whether an arc's reduced cost is below 0 by more than a rounding error."""
    source, sink = potential[arc // sinks], potential[sources + arc % sinks]
    size = max(abs(source), abs(sink), abs(cost))
    return (cost + source) - sink < -_NOTHING * size


@njit(nogil=True, cache=True)
def _enter(tree: Tree, costs: Costs, arc: int, cost: float, source: int, sink: int) -> None:
    """Send all possible flow along an arc's cycle, and let the arc replace an emptied arc."""
    parent, depth, upward, flow = tree.parent, tree.depth, tree.upward, tree.flow
    # On the source's side, arcs that lead upward are emptied: the first with the least flow counts.
    # On the sink's side, arcs that lead downward are emptied: the last with the least flow counts,
    # and it has precedence over the other side's arc if their flows are equal.
    left, above, right, below = _NONE, np.iinfo(np.int64).max, _NONE, np.iinfo(np.int64).max
    u, v = source, sink
    while u != v:
        if depth[u] >= depth[v]:
            if upward[u] and flow[u] < above:
                left, above = u, flow[u]
            u = parent[u]
        else:
            if not upward[v] and flow[v] <= below:
                right, below = v, flow[v]
            v = parent[v]
    join, sent = u, min(above, below)
    if sent > 0:
        u = source
        while u != join:
            flow[u] += -sent if upward[u] else sent
            u = parent[u]
        v = sink
        while v != join:
            flow[v] += sent if upward[v] else -sent
            v = parent[v]
    sinks = costs.table.shape[1]
    mark(costs, arc // sinks, arc % sinks, _IN_TREE)
    if below <= above:
        out, moved, onto = right, sink, source
    else:
        out, moved, onto = left, source, sink
    if tree.arc[out] != _NONE:
        mark(costs, tree.arc[out] // sinks, tree.arc[out] % sinks, tree.cost[out])
    _hang(tree, moved, onto, out, arc, moved == source, sent, cost)
    change = tree.potential[onto] - tree.potential[moved]
    _shift(tree, moved, change - cost if moved == source else change + cost)


@njit(nogil=True, cache=True)
def _hang(
    tree: Tree, node: int, onto: int, out: int, arc: int, upward: bool, flow: int, cost: float
) -> None:
    """Attach the subtree of ``out`` to ``onto`` by an arc to ``node``, which becomes its top."""
    parent, child, after, before = tree.parent, tree.child, tree.after, tree.before
    while True:
        was, was_arc, was_upward = parent[node], tree.arc[node], tree.upward[node]
        was_flow, was_cost = tree.flow[node], tree.cost[node]
        if before[node] == _NONE:
            child[was] = after[node]
        else:
            after[before[node]] = after[node]
        if after[node] != _NONE:
            before[after[node]] = before[node]
        parent[node], before[node], after[node] = onto, _NONE, child[onto]
        if child[onto] != _NONE:
            before[child[onto]] = node
        child[onto] = node
        tree.arc[node], tree.upward[node] = arc, upward
        tree.flow[node], tree.cost[node] = flow, cost
        if node == out:
            return
        # The node that was above comes below.
        arc, upward, flow, cost = was_arc, not was_upward, was_flow, was_cost
        onto, node = node, was


@njit(nogil=True, cache=True)
def _shift(tree: Tree, top: int, change: float) -> None:
    """Change the potentials of a node and of all nodes below it, and update their depths."""
    parent, depth, child, after = tree.parent, tree.depth, tree.child, tree.after
    node = top
    while True:
        tree.potential[node] += change
        depth[node] = depth[parent[node]] + 1
        if child[node] != _NONE:
            node = child[node]
            continue
        while node != top and after[node] == _NONE:
            node = parent[node]
        if node == top:
            return
        node = after[node]


_ALL = -2  # all rows are there


class Frequencies(NamedTuple):
    """Numbers in rows, and the frequency of each; row i is ``offsets[i]:offsets[i+1]``."""

    offsets: IntArray
    number: SmallInts
    often: IntArray


class Costs(NamedTuple):
    """Costs of arcs: ``table`` has all rows, or only the row of source ``held[0]``.

    ``sources`` are the places of each source, ``at_place`` the sinks at each place, on the two days
    that are to be linked. Without a common place, the arc from source i to sink j costs
    ``apart[i] + sink_apart[j]``. A place that i visited f times, and j visited g times, saves
    ``worth[f, g]`` of this cost.
    """

    table: FloatArray
    held: IntArray
    sources: Frequencies
    at_place: Frequencies
    worth: FloatArray
    apart: FloatArray
    sink_apart: FloatArray


def in_table(cost: FloatArray) -> Costs:
    """Wrap stored costs, (n_sources, n_sinks); they are not copied, and are marked during use."""
    none = Frequencies(np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64))
    return Costs(cost, np.array([_ALL]), none, none, np.zeros((1, 1)), np.zeros(1), np.zeros(1))


def by_places(
    sources: Frequencies,
    sinks: Frequencies,
    worth: FloatArray,
    apart: FloatArray,
    sink_apart: FloatArray,
) -> Costs:
    """Return costs that are computed row by row.

    Parameters
    ----------
    sources, sinks : Frequencies
        Places of each source and sink.
    worth : float64 ndarray (largest f + 1, largest g + 1)
        Saving for a place that a source visited f times and a sink g times; above 0.
    apart, sink_apart : float64 ndarray (n_sources,), (n_sinks,)
        Parts of the cost of a pair without a common place.
    """
    at_place = at_places(sinks, int(sources.number.max(initial=0)) + 1)
    room = np.empty((1, len(sink_apart)))
    return Costs(room, np.array([_NONE]), sources, at_place, worth, apart, sink_apart)


def at_places(rows: Frequencies, n_places: int) -> Frequencies:
    """Return, for each place, the rows that contain it, and its frequency in each of them."""
    by_place = np.argsort(rows.number, kind="stable")
    row = np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))[by_place]
    starts = offsets_of(np.bincount(rows.number, minlength=n_places))
    return Frequencies(starts, row.astype(np.int32), rows.often[by_place])


@njit(nogil=True, cache=True)
def row_of(costs: Costs, source: int) -> FloatArray:
    """Return the costs of a source; a row that is not held is computed without marks."""
    if costs.held[0] == _ALL:
        return costs.table[source]
    room = costs.table[0]
    if costs.held[0] != source:
        costs.held[0] = source
        room[:] = 0.0
        offsets, place, often = costs.sources
        starts, sink, sink_often = costs.at_place
        for a in range(offsets[source], offsets[source + 1]):
            worth = costs.worth[often[a]]
            for b in range(starts[place[a]], starts[place[a] + 1]):
                room[sink[b]] += worth[sink_often[b]]
        for j in range(len(room)):
            room[j] = costs.apart[source] + costs.sink_apart[j] - room[j]
    return room


@njit(nogil=True, cache=True)
def mark(costs: Costs, source: int, sink: int, cost: float) -> None:
    """Write a cost into a row, if the row is held."""
    if costs.held[0] == _ALL:
        costs.table[source, sink] = cost
    elif costs.held[0] == source:
        costs.table[0, sink] = cost


@njit(nogil=True, cache=True)
def extremes(costs: Costs, sources: int) -> tuple[float, float]:
    """Return the least and the greatest of all costs."""
    least, greatest = np.inf, -np.inf
    for i in range(sources):
        row = row_of(costs, i)
        for j in range(len(row)):
            least, greatest = min(least, row[j]), max(greatest, row[j])
    return least, greatest


@njit(nogil=True, cache=True)
def any_below(costs: Costs, potential: FloatArray, sources: int, least: float) -> bool:
    """Return whether any reduced cost is below ``least``, which is 0 or less."""
    to = potential[sources:]
    many = 0
    for i in range(sources):
        own = potential[i]
        row = row_of(costs, i)
        for j in range(len(row)):
            many += (row[j] + own) - to[j] < least
    return many > 0


@njit(nogil=True, cache=True)
def cost_of(costs: Costs, source: IntArray, sink: IntArray) -> FloatArray:
    """Return the cost of each given arc; the arcs are in order of source."""
    cost = np.empty(len(source))
    for k in range(len(source)):
        cost[k] = row_of(costs, source[k])[sink[k]]
    return cost
