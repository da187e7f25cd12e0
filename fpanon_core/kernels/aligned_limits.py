"""The blocks of a group within limits on side and span, at a price for each sample left out.

Samples that alone exceed a limit are left out first. Of the others, in order of start, each stretch
between two cuts is left out, at ``price`` a sample, or belongs to a run that is published: one that
holds a sample of every member, keeps the limits and could not be split into two that do. The
longest run that ends at a cut, where it is too wide but not too long, may also be trimmed: to the
part of it with the most samples that is narrow enough and holds a sample of every member; the
others are left out. What is minimised is the loss of the published, as without limits, and the
prices. So every published cell holds samples of the whole group, and there are no phantoms.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, Codes, FloatArray, IntArray
from .aligned_blocks import Bench, Boxes, bench_for, lay_out
from .glove_suppress import FEW, exceeded, largest_part

_DROPPED, _WHOLE, _TRIMMED = 0, 1, 2
_MOST_STEPS = 20_000  # of the search for the largest part of one run


@njit(nogil=True, cache=True)
def blocks_within(
    boxes: Boxes,
    members: IntArray,
    by_space: float,
    by_time: float,
    max_side: float,
    max_span: float,
    price: float,
) -> tuple[FloatArray, IntArray, Codes]:
    """Cells (x, y, t, dx, dy, dt); the group's rows in order of start, and of each why not."""
    count = len(members)
    n = 0
    for m in members:
        n += boxes.offsets[m + 1] - boxes.offsets[m]
    bench = bench_for(n, count)
    lay_out(boxes, members, count, bench)
    row = bench.row[:n].copy()
    code = np.zeros(n, np.int8)
    low, high = _corners(bench, n)
    place = np.empty(n, np.int64)  # among all the group's, of those that fit alone
    fitting = 0
    latest = -np.inf
    for i in range(n):
        code[i] = exceeded(low[i], high[i], max_side, max_span)
        if code[i] == 0:
            low[fitting], high[fitting] = low[i], high[i]
            bench.owner[fitting] = bench.owner[i]
            place[fitting] = i
            bench.cut[fitting] = latest <= low[i, 2]
            latest = max(latest, high[i, 2])
            fitting += 1
    bench.cut[fitting] = 1
    cells = _within(
        low[:fitting],
        high[:fitting],
        bench,
        place,
        count,
        by_space,
        by_time,
        max_side,
        max_span,
        price,
        code,
    )
    return cells, row, code


@njit(nogil=True, cache=True)
def _corners(bench: Bench, n: int) -> tuple[FloatArray, FloatArray]:
    low, high = np.empty((n, 3)), np.empty((n, 3))
    for i in range(n):
        low[i, 0], low[i, 1], low[i, 2] = bench.west[i], bench.south[i], bench.start[i]
        high[i, 0], high[i, 1], high[i, 2] = bench.east[i], bench.north[i], bench.end[i]
    return low, high


@njit(nogil=True, cache=True)
def _within(
    low: FloatArray,
    high: FloatArray,
    bench: Bench,
    place: IntArray,
    count: int,
    by_space: float,
    by_time: float,
    max_side: float,
    max_span: float,
    price: float,
    code: Codes,
) -> FloatArray:
    n = len(low)
    cut, loss, begin, owner = bench.cut, bench.loss, bench.begin, bench.owner
    way = np.zeros(n + 1, np.int64)
    met, met_again = np.zeros(count, np.int64), np.zeros(count, np.int64)
    everybody, kept = np.ones(count), np.empty(n, np.bool_)
    loss[0] = 0.0
    before = 0
    for j in range(1, n + 1):
        loss[j] = np.inf
        if not cut[j]:
            continue
        # Losses equal: rather published than left out.
        best, first, how = loss[before] + (j - before) * price, before, _DROPPED
        before = j
        box_low, box_high = np.full(3, np.inf), np.full(3, -np.inf)
        found, again, longest = 0, 0, -1
        complete = False
        i = j
        while i > 0:
            i -= 1
            for axis in range(3):
                box_low[axis] = min(box_low[axis], low[i, axis])
                box_high[axis] = max(box_high[axis], high[i, axis])
            if box_high[2] - box_low[2] > max_span:
                break
            if met[owner[i]] != j:
                met[owner[i]] = j
                found += 1
            if complete and met_again[owner[i]] != j:
                met_again[owner[i]] = j
                again += 1
            if not cut[i] or found < count:
                continue
            if again == count:
                break
            complete = True
            longest = i
            if exceeded(box_low, box_high, max_side, max_span) == 0:
                whole = loss[i] + (j - i) * _loss(box_low, box_high, by_space, by_time)
                if whole < best or (whole == best and how == _DROPPED):
                    best, first, how = whole, i, _WHOLE
        if longest >= 0 and loss[longest] < best:
            box_low, box_high = _box(low, high, longest, j, np.ones(n, np.bool_))
            if exceeded(box_low, box_high, max_side, max_span) and largest_part(
                low[longest:j],
                high[longest:j],
                owner[longest:j],
                everybody,
                float(count),
                max_side,
                max_span,
                _MOST_STEPS,
                kept[longest:j],
            ):
                held = int(kept[longest:j].sum())
                box_low, box_high = _box(low, high, longest, j, kept)
                whole = (
                    loss[longest]
                    + held * _loss(box_low, box_high, by_space, by_time)
                    + (j - longest - held) * price
                )
                if whole < best:
                    best, first, how = whole, longest, _TRIMMED
        loss[j], begin[j], way[j] = best, first, how
    return _read_back(low, high, bench, way, place, count, max_side, max_span, kept, code)


@njit(nogil=True, cache=True)
def _read_back(
    low: FloatArray,
    high: FloatArray,
    bench: Bench,
    way: IntArray,
    place: IntArray,
    count: int,
    max_side: float,
    max_span: float,
    kept: BoolArray,
    code: Codes,
) -> FloatArray:
    """The cells of the runs that are published; sets why the other samples are not."""
    n = len(low)
    cells = np.empty((n, 6))
    made = 0
    everybody = np.ones(count)
    j = n
    while j > 0:
        i = bench.begin[j]
        if way[j] == _DROPPED:
            for s in range(i, j):
                code[place[s]] = FEW
        else:
            kept[i:j] = True
            if way[j] == _TRIMMED:
                largest_part(
                    low[i:j],
                    high[i:j],
                    bench.owner[i:j],
                    everybody,
                    float(count),
                    max_side,
                    max_span,
                    _MOST_STEPS,
                    kept[i:j],
                )
            box_low, box_high = _box(low, high, i, j, kept)
            cells[made, :3] = box_low
            cells[made, 3:] = box_high - box_low
            made += 1
            for s in range(i, j):
                if not kept[s]:
                    code[place[s]] = exceeded(
                        np.minimum(box_low, low[s]),
                        np.maximum(box_high, high[s]),
                        max_side,
                        max_span,
                    )
                    if code[place[s]] == 0:
                        code[place[s]] = FEW
        j = i
    return cells[:made][::-1].copy()


@njit(nogil=True, cache=True)
def _loss(box_low: FloatArray, box_high: FloatArray, by_space: float, by_time: float) -> float:
    side = ((box_high[0] - box_low[0]) + (box_high[1] - box_low[1])) / 2.0
    return by_space * side + by_time * (box_high[2] - box_low[2])


@njit(nogil=True, cache=True)
def _box(
    low: FloatArray, high: FloatArray, i: int, j: int, kept: BoolArray
) -> tuple[FloatArray, FloatArray]:
    box_low, box_high = np.full(3, np.inf), np.full(3, -np.inf)
    for s in range(i, j):
        if kept[s]:
            box_low, box_high = np.minimum(box_low, low[s]), np.maximum(box_high, high[s])
    return box_low, box_high
