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

from ..model.arrays import Codes, FloatArray, IntArray
from .aligned_blocks import Bench, Boxes, bench_for, lay_out
from .glove_suppress import FEW, Held, Limits, bounds_of, exceeded, largest_part

_DROPPED, _WHOLE, _TRIMMED = 0, 1, 2
_MOST_STEPS = 20_000  # of the search for the largest part of one run


@njit(nogil=True, cache=True)
def blocks_within(
    boxes: Boxes, members: IntArray, side: float, span: float, price: float
) -> tuple[FloatArray, IntArray, Codes]:
    """Cells (x, y, t, dx, dy, dt); the group's rows in order of start, and of each why not."""
    count = len(members)
    limits = Limits(side, span, float(count), _MOST_STEPS)
    bench = bench_for(boxes, count)
    n = lay_out(boxes, members, count, bench)
    row = bench.row[:n].copy()
    code = np.zeros(n, np.int8)
    low, high = np.empty((n, 3)), np.empty((n, 3))
    low[:, 0], low[:, 1], low[:, 2] = bench.west[:n], bench.south[:n], bench.start[:n]
    high[:, 0], high[:, 1], high[:, 2] = bench.east[:n], bench.north[:n], bench.end[:n]
    place = np.empty(n, np.int64)  # among all the group's, of those that fit alone
    fitting = 0
    latest = -np.inf
    for i in range(n):
        code[i] = exceeded(low[i], high[i], limits)
        if code[i] == 0:
            low[fitting], high[fitting] = low[i], high[i]
            bench.owner[fitting] = bench.owner[i]
            place[fitting] = i
            bench.cut[fitting] = latest <= low[i, 2]
            latest = max(latest, high[i, 2])
            fitting += 1
    bench.cut[fitting] = 1
    held = Held(low[:fitting], high[:fitting], bench.owner[:fitting], np.ones(count))
    return _within(held, limits, bench, place, price, code), row, code


@njit(nogil=True, cache=True)
def _within(
    held: Held, limits: Limits, bench: Bench, place: IntArray, price: float, code: Codes
) -> FloatArray:
    """The cells of the runs that are published; sets why the other samples are not."""
    low, high, owner, everybody = held.low, held.high, held.owner, held.weight
    count = len(everybody)
    n = len(low)
    cut, loss, begin = bench.cut, bench.loss, bench.begin
    way = np.zeros(n + 1, np.int64)
    met, met_again = np.zeros(count, np.int64), np.zeros(count, np.int64)
    kept, everything = np.empty(n, np.bool_), np.ones(n, np.bool_)
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
            if box_high[2] - box_low[2] > limits.time:
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
            if exceeded(box_low, box_high, limits) == 0:
                whole = loss[i] + (j - i) * _loss(bench, box_low, box_high)
                if whole < best or (whole == best and how == _DROPPED):
                    best, first, how = whole, i, _WHOLE
        if longest >= 0 and loss[longest] < best:
            run = Held(low[longest:j], high[longest:j], owner[longest:j], everybody)
            box_low, box_high = bounds_of(run.low, run.high, everything[longest:j])
            if exceeded(box_low, box_high, limits) and largest_part(run, limits, kept[longest:j]):
                many = int(kept[longest:j].sum())
                box_low, box_high = bounds_of(run.low, run.high, kept[longest:j])
                whole = (
                    loss[longest]
                    + many * _loss(bench, box_low, box_high)
                    + (j - longest - many) * price
                )
                if whole < best:
                    best, first, how = whole, longest, _TRIMMED
        loss[j], begin[j], way[j] = best, first, how
    cells = np.empty((n, 6))
    made = 0
    j = n
    while j > 0:
        i = begin[j]
        kept[i:j] = way[j] == _WHOLE
        run = Held(low[i:j], high[i:j], owner[i:j], everybody)
        if way[j] == _TRIMMED:
            largest_part(run, limits, kept[i:j])
        box_low, box_high = bounds_of(run.low, run.high, kept[i:j])
        if way[j] != _DROPPED:
            cells[made, :3], cells[made, 3:] = box_low, box_high - box_low
            made += 1
        for s in range(i, j):
            if not kept[s]:
                why = exceeded(np.minimum(box_low, low[s]), np.maximum(box_high, high[s]), limits)
                code[place[s]] = why if why and way[j] != _DROPPED else FEW
        j = i
    return cells[:made][::-1].copy()


@njit(nogil=True, cache=True)
def _loss(bench: Bench, low: FloatArray, high: FloatArray) -> float:
    side = ((high[0] - low[0]) + (high[1] - low[1])) / 2.0
    return bench.by_space * side + bench.by_time * (high[2] - low[2])
