"""Is every original sample inside what is published of its user? For the verifier alone.

Samples and cells are rows of x0, x1, y0, y1, t0, t1. Users belong to classes; the cells of class c
are rows ``first[c] … last[c] − 1`` in order of start, and ``reach`` is the latest end so far within
the class. Nothing else is relied on: cells may overlap, or end before they begin.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray


@njit(nogil=True, cache=True)
def may_end_after(reach: FloatArray, first: int, last: int, t0: float) -> int:
    """The first cell of a class that may end after ``t0``."""
    low, high = first, last
    while low < high:
        half = (low + high) // 2
        if reach[half] <= t0:
            low = half + 1
        else:
            high = half
    return low


@njit(nogil=True, cache=True)
def lies_inside(
    sample: FloatArray, cells: FloatArray, reach: FloatArray, first: int, last: int, slack: float
) -> bool:
    """Whether a sample lies inside the cells it reaches across, for all of its time."""
    t0, t1 = sample[4], sample[5]
    inside = 0.0
    for c in range(may_end_after(reach, first, last, t0), last):
        if cells[c, 4] >= t1:
            break
        if cells[c, 5] <= t0:
            continue
        if cells[c, 0] > sample[0] + slack or cells[c, 1] < sample[1] - slack:
            continue
        if cells[c, 2] > sample[2] + slack or cells[c, 3] < sample[3] - slack:
            continue
        inside += min(cells[c, 5], t1) - max(cells[c, 4], t0)
    return inside >= (t1 - t0) - slack


@njit(nogil=True, cache=True)
def covered_samples(
    offsets: IntArray, samples: FloatArray, home: IntArray, cells: FloatArray, reach: FloatArray,
    first: IntArray, last: IntArray, slack: float,
) -> BoolArray:  # fmt: skip
    """Which samples lie inside the cells of their user's class; none of users without one (−1)."""
    out = np.zeros(len(samples), np.bool_)
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        for s in range(offsets[u], offsets[u + 1]):
            out[s] = lies_inside(samples[s], cells, reach, first[g], last[g], slack)
    return out


@njit(nogil=True, cache=True)
def people_in_cells(
    offsets: IntArray, samples: FloatArray, counted: BoolArray, home: IntArray, weight: IntArray,
    cells: FloatArray, reach: FloatArray, first: IntArray, last: IntArray, slack: float,
    side: FloatArray, span: FloatArray,
) -> tuple[IntArray, int]:  # fmt: skip
    """How many people of its class have a counted sample in each cell; and how many such pairs.

    Sets ``side`` and ``span`` of the counted samples: the largest (dx + dy)/2 among the cells a
    sample reaches across, and their whole length.
    """
    people = np.zeros(len(cells), np.int64)
    stamp = np.full(len(cells), -1, np.int64)
    pairs = 0
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        for s in range(offsets[u], offsets[u + 1]):
            if not counted[s]:
                continue
            t0, t1 = samples[s, 4] + slack, samples[s, 5] - slack
            side[s] = 0.0
            span[s] = 0.0
            for c in range(may_end_after(reach, first[g], last[g], t0), last[g]):
                if cells[c, 4] >= t1:
                    break
                if cells[c, 5] <= t0:
                    continue
                wide = ((cells[c, 1] - cells[c, 0]) + (cells[c, 3] - cells[c, 2])) / 2.0
                side[s] = max(side[s], wide)
                span[s] += cells[c, 5] - cells[c, 4]
                if stamp[c] != u:
                    stamp[c] = u
                    people[c] += weight[u]
                    pairs += 1
    return people, pairs


@njit(nogil=True, cache=True)
def pairs_with_a_sample(
    offsets: IntArray, samples: FloatArray, longest: float, home: IntArray, cells: FloatArray,
    first: IntArray, last: IntArray, slack: float,
) -> int:  # fmt: skip
    """Pairs of a person and a cell of the person's class in which the person has a sample.

    They overlap in x, y and time by more than ``slack``. Samples of a person are in order of their
    start, and none is longer than ``longest``.
    """
    pairs = 0
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        own = samples[offsets[u] : offsets[u + 1]]
        for c in range(first[g], last[g]):
            x0, x1, y0, y1, t0, t1 = cells[c]
            s = np.searchsorted(own[:, 4], t0 - longest)
            while s < len(own) and own[s, 4] < t1 - slack:
                if (
                    own[s, 5] > t0 + slack
                    and own[s, 0] < x1 - slack
                    and own[s, 1] > x0 + slack
                    and own[s, 2] < y1 - slack
                    and own[s, 3] > y0 + slack
                ):
                    pairs += 1
                    break
                s += 1
    return pairs
