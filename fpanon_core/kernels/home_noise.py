"""Which home makes a record likeliest, under the stated noise? Exact, by a bounded search.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray
from .linkage_density import gap, loss_over

_LEVEL = 1e-9  # nats a sample; likelihoods that differ by less are alike
_ROOM = 64  # branches that wait: one at each level of the tree, and one more


class HomeTree(NamedTuple):
    """Places where people may live, in a tree of branches that are cut in two.

    Branch 0 is the whole; branch b is cut into 2b + 1 and 2b + 2; from number ``leaves`` on they
    are leaves, of which the i-th has the places ``starts[i]:starts[i+1]``. ``box[b]`` is left,
    right, bottom, top of a branch's places.

    Place p is at ``x[p]``, ``y[p]``; ``rank[p]`` is its place by x, then y; ``only[p]`` is the
    person who alone was there, −1 where several were.
    """

    x: FloatArray
    y: FloatArray
    rank: IntArray
    only: IntArray
    starts: IntArray
    leaves: int
    box: FloatArray


class Moved(NamedTuple):
    """Samples that noise has moved: ``offsets[r]:offsets[r+1]`` are those of record r.

    ``counts`` says how much each counts, ``density`` is the noise by number, ``peak`` what it makes
    of a sample at the home itself, over what anywhere does.
    """

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    counts: FloatArray
    density: int
    scale_m: float
    peak: float


@njit(nogil=True, cache=True)
def guess_likeliest(
    begin: int, end: int, record: IntArray, person: IntArray, moved: Moved, homes: HomeTree,
    out: FloatArray,
) -> None:  # fmt: skip
    """The likeliest homes of the targets ``begin … end − 1``: x, y into ``out[target]``.

    The place with the largest sum over the record's samples of counts · ln(1 + peak · decay), the
    decay being that of the noise from there to the sample; ties: smaller x, then y. Of the places
    where only the target was, none; ``out`` stays as it is where there are no others. A branch is
    followed only where the point of its box nearest to each sample leaves enough possible.
    """
    waiting, most, point = np.empty(_ROOM, np.int64), np.empty(_ROOM), np.empty(4)
    for i in range(begin, end):
        low, high = moved.offsets[record[i]], moved.offsets[record[i] + 1]
        level = _LEVEL * moved.counts[low:high].sum()
        best, at = -math.inf, -1
        waiting[0], most[0], many = 0, math.inf, 1
        while many > 0:
            many -= 1
            branch = waiting[many]
            if most[many] < best - level:
                continue
            if branch < homes.leaves:
                first, second = 2 * branch + 1, 2 * branch + 2
                one = _likely(homes.box[first], low, high, moved)
                other = _likely(homes.box[second], low, high, moved)
                if one > other:  # the more promising last, which is the next
                    first, second, one, other = second, first, other, one
                waiting[many], most[many] = first, one
                waiting[many + 1], most[many + 1] = second, other
                many += 2
                continue
            leaf = branch - homes.leaves
            for p in range(homes.starts[leaf], homes.starts[leaf + 1]):
                if homes.only[p] == person[i]:
                    continue
                point[:2], point[2:] = homes.x[p], homes.y[p]
                here = _likely(point, low, high, moved)
                before = at >= 0 and here >= best - level and homes.rank[p] < homes.rank[at]
                if here > best + level or before:
                    at = p
                best = max(best, here)
        if at >= 0:
            out[i, 0], out[i, 1] = homes.x[at], homes.y[at]


@njit(nogil=True, cache=True)
def _likely(box: FloatArray, low: int, high: int, moved: Moved) -> float:
    """What no home in a box exceeds; of a single point what it has."""
    total = 0.0
    for s in range(low, high):
        across, up = gap(moved.x[s], box[0], box[1]), gap(moved.y[s], box[2], box[3])
        loss = loss_over(moved.density, moved.scale_m, across * across + up * up)
        total += moved.counts[s] * math.log(1 + moved.peak * math.exp(-loss))
    return total
