"""What it costs to link each source with each sink: a table, or made row by row when asked for.

Days of many people have too many pairs to keep. What a row of them costs follows from the places of
the row and from who was at each of these, in little more time than reading it would take. The arcs
that are in the tree of the network simplex are marked in the row that is held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts

_ALL = -2  # rows are all there
_NONE = -1


class Costs(NamedTuple):
    """All rows in ``table``, or in its only one the row of source ``held[0]``.

    The frequencies of places are those of the two days that are to be linked: of source i the
    places ``place[offsets[i]:offsets[i+1]]``, each as often as ``often`` says; of the sinks, the
    numbers ``sink[starts[p]:starts[p+1]]`` that were at place p, ``sink_often`` times. Common
    places save ``worth[f, g]`` of ``apart[i] + sink_apart[j]``.
    """

    table: FloatArray
    held: IntArray
    offsets: IntArray
    place: SmallInts
    often: IntArray
    starts: IntArray
    sink: SmallInts
    sink_often: IntArray
    worth: FloatArray
    apart: FloatArray
    sink_apart: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Sources and sinks."""
        if self.held[0] == _ALL:
            return self.table.shape[0], self.table.shape[1]
        return len(self.offsets) - 1, self.table.shape[1]


def in_table(cost: FloatArray) -> Costs:
    """Costs that are kept, (n_sources, n_sinks); not copied, marked while they are in use."""
    whole, small, real = np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(1)
    return Costs(
        cost,
        np.array([_ALL]),
        whole,
        small,
        whole,
        whole,
        small,
        whole,
        np.zeros((1, 1)),
        real,
        real,
    )


def by_places(
    sources: tuple[IntArray, SmallInts, IntArray], sinks: tuple[IntArray, SmallInts, IntArray],
    worth: FloatArray, apart: FloatArray, sink_apart: FloatArray,
) -> Costs:  # fmt: skip
    """Costs that are made row by row.

    Parameters
    ----------
    sources, sinks : (offsets, place, often)
        Of each row its places, and how often it was there; rows begin at the offsets.
    worth : float64 ndarray (most often + 1, most often + 1)
        What a place saves that a source was at f times and a sink g times; above 0.
    apart, sink_apart : float64 ndarray (n_sources,), (n_sinks,)
        The parts of what a pair without a common place costs.
    """
    offsets, place, often = sources
    starts, sink, sink_often = at_places(sinks, int(place.max(initial=0)) + 1)
    room, held = np.empty((1, len(sinks[0]) - 1)), np.array([_NONE])
    return Costs(
        room, held, offsets, np.ascontiguousarray(place, np.int32), often, starts, sink, sink_often,
        worth, apart, sink_apart,
    )  # fmt: skip


def at_places(
    rows: tuple[IntArray, SmallInts, IntArray], n_places: int
) -> tuple[IntArray, SmallInts, IntArray]:
    """Rows by place instead: where each place begins, the rows that were there, and how often."""
    offsets, place, often = rows
    by_place = np.argsort(place, kind="stable")
    many = np.bincount(place, minlength=n_places)
    starts = np.zeros(len(many) + 1, np.int64)
    np.cumsum(many, out=starts[1:])
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[by_place].astype(np.int32)
    return starts, row, often[by_place]


@njit(nogil=True, cache=True)
def row_of(costs: Costs, source: int) -> FloatArray:
    """The costs of a source; of one that is not held, made without a mark."""
    if costs.held[0] == _ALL:
        return costs.table[source]
    room = costs.table[0]
    if costs.held[0] != source:
        costs.held[0] = source
        room[:] = 0.0
        for a in range(costs.offsets[source], costs.offsets[source + 1]):
            worth = costs.worth[costs.often[a]]
            for b in range(costs.starts[costs.place[a]], costs.starts[costs.place[a] + 1]):
                room[costs.sink[b]] += worth[costs.sink_often[b]]
        for j in range(len(room)):
            room[j] = costs.apart[source] + costs.sink_apart[j] - room[j]
    return room


@njit(nogil=True, cache=True)
def is_held(costs: Costs, source: int) -> bool:
    """Whether the row of a source is there, with its marks."""
    return costs.held[0] == _ALL or costs.held[0] == source


@njit(nogil=True, cache=True)
def mark(costs: Costs, source: int, sink: int, cost: float) -> None:
    """Write a cost into a row, if that is there."""
    if costs.held[0] == _ALL:
        costs.table[source, sink] = cost
    elif costs.held[0] == source:
        costs.table[0, sink] = cost


@njit(nogil=True, cache=True)
def extremes(costs: Costs, sources: int) -> tuple[float, float]:
    """The least and the greatest of all costs."""
    least, greatest = np.inf, -np.inf
    for i in range(sources):
        row = row_of(costs, i)
        for j in range(len(row)):
            least, greatest = min(least, row[j]), max(greatest, row[j])
    return least, greatest


@njit(nogil=True, cache=True)
def any_below(costs: Costs, potential: FloatArray, sources: int, least: float) -> bool:
    """Whether an arc costs less than this under the potentials, ``least`` being 0 or below."""
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
    """What each of these arcs costs, by source."""
    cost = np.empty(len(source))
    for k in range(len(source)):
        cost[k] = row_of(costs, source[k])[sink[k]]
    return cost
