"""Presence of people in their published cells, and agreement of two records.

The first part counts each person's published cells in which the person was recorded, and marks the
samples that lie in a cell. The second part scores a record against the records of another release
by the overlap of cells. :mod:`fpanon_core.attacks.overlap` calls the second part, and documents the
scores.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .bisection import first_from


@njit(nogil=True, cache=True)
def presence_of_records(
    person: IntArray,
    offsets: IntArray,
    samples: FloatArray,
    longest: float,
    begins: IntArray,
    lengths: IntArray,
    cells: FloatArray,
    slack: float,
    covered: BoolArray,
) -> int:
    """Count pairs of a record and one of its cells in which the record's person has a sample.

    ``samples`` and ``cells`` are (n, 6): lower and upper bound of x, of y and of time. Samples of a
    person are in order of start, and none is longer than ``longest``. A pair counts if a sample of
    the person and the cell overlap by more than ``slack`` in x, y and time. It also counts if the
    sample's lower corner lies in the cell; the function then sets ``covered`` for the sample.
    """
    start, pairs = samples[:, 4], 0
    for r in range(len(person)):
        first, last = offsets[person[r]], offsets[person[r] + 1]
        for c in range(begins[r], begins[r] + lengths[r]):
            x0, x1, y0, y1, t0, t1 = cells[c]
            # The first sample that may reach beyond the cell's start.
            low = first_from(start, t0 - longest, first, last)
            found = False
            for s in range(low, last):
                if samples[s, 4] >= t1 - slack:
                    break
                inside = (
                    x0 - slack <= samples[s, 0] < x1 - slack
                    and y0 - slack <= samples[s, 2] < y1 - slack
                )
                if inside and samples[s, 4] >= t0 - slack:
                    covered[s] = True
                    found = True
                elif not found:
                    found = (
                        samples[s, 0] < x1 - slack
                        and samples[s, 1] > x0 + slack
                        and samples[s, 2] < y1 - slack
                        and samples[s, 3] > y0 + slack
                        and samples[s, 5] > t0 + slack
                    )
            if found:
                pairs += 1
    return pairs


def bounds(
    x: FloatArray, y: FloatArray, t: FloatArray, dx: FloatArray, dy: FloatArray, dt: FloatArray
) -> FloatArray:
    """Return the bounds of cells, float64 ndarray (n, 6): x0, x1, y0, y1, t0, t1."""
    return np.column_stack([x, x + dx, y, y + dy, t, t + dt])


@njit(nogil=True, cache=True)
def overlap_scores(
    cells: FloatArray,
    other: FloatArray,
    offsets: IntArray,
    chosen: IntArray,
    volume: float,
    floor: float,
    out: FloatArray,
) -> None:
    """Score one record against some records of the other release.

    Parameters
    ----------
    cells : float64 ndarray (n, 6)
        x0, x1, y0, y1, t0, t1 of the record's cells, in order of t0.
    other : float64 ndarray (m, 6)
        Cells of all records of the other release, in order of t0 within each record.
    offsets : int64 ndarray (n_records + 1,)
        Cells of record r are rows ``offsets[r]:offsets[r+1]``.
    chosen : int64 ndarray (n_chosen,)
        Records to score.
    volume : float
        Volume of the whole extent of both releases, in m² min.
    floor : float
        Least ratio, for a cell that meets no other cell.
    out : float64 ndarray (n_chosen,)
        Output: the scores.
    """
    n = len(cells)
    own = np.empty(n)
    for i in range(n):
        own[i] = _volume(cells[i])
    for c in range(len(chosen)):
        first, last = offsets[chosen[c]], offsets[chosen[c] + 1]
        best = np.full(last - first, floor)
        total = 0.0
        for i in range(n):
            most = floor
            for j in range(first, last):
                if other[j, 4] >= cells[i, 5]:
                    break
                shared = _shared(cells[i], other[j])
                if shared > 0.0:
                    ratio = shared * volume / (own[i] * _volume(other[j]))
                    most = max(most, ratio)
                    best[j - first] = max(best[j - first], ratio)
            total += math.log(most)
        back = 0.0
        for j in range(last - first):
            back += math.log(best[j])
        out[c] = total / n + back / (last - first)


@njit(nogil=True, cache=True)
def _volume(cell: FloatArray) -> float:
    return (cell[1] - cell[0]) * (cell[3] - cell[2]) * (cell[5] - cell[4])


@njit(nogil=True, cache=True)
def _shared(one: FloatArray, other: FloatArray) -> float:
    """Return the volume shared by two cells; 0 if they only touch, or are apart."""
    product = 1.0
    for axis in range(3):
        low = max(one[2 * axis], other[2 * axis])
        high = min(one[2 * axis + 1], other[2 * axis + 1])
        if high <= low:
            return 0.0
        product *= high - low
    return product
