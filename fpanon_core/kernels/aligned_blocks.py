"""Blocks of an aligned group: consecutive in time, each with a sample of every member.

All samples of the members are in order of start. A *cut* is a position between two of them that no
sample crosses. Blocks lie between cuts. Each block holds a sample of every member, and is published
as its bounding cell. The blocks minimize the total loss over the samples. A sample's loss follows
from its block's cell: ``by_space`` · (dx + dy)/2 + ``by_time`` · dt.

A block that can be split into two blocks, each with a sample of every member, is never better than
those two. Neither of their cells is larger than the whole block's. So the search back from j, where
a block ends, stops as soon as the samples up to j can be split in this way. It stops earlier if no
remaining cut can give a better loss than the best one found. The bound is the smallest loss up to
any remaining cut, plus the loss of the block so far. By the same bound, the search steps over a
whole *run* of samples at once. A block that begins in the run has at least the samples and the cell
of the block so far. No block begins later than the latest cut from which every member has a sample.
So the cell from that cut on is kept while j grows.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import Codes, FloatArray, IntArray
from .glove_suppress import FEW, Held, Limits, bounds_of, exceeded, largest_part

_RUN = 16  # samples


class Boxes(NamedTuple):
    """Bounds of all users' samples, and the costs of a published cell.

    User u has the rows ``offsets[u]:offsets[u+1]``, in order of start. Places are in metres and
    times in minutes. For each sample in it, a published cell costs ``by_space`` per metre of the
    cell's mean side and ``by_time`` per minute of the cell's span.
    """

    offsets: IntArray
    west: FloatArray
    east: FloatArray
    south: FloatArray
    north: FloatArray
    start: FloatArray
    end: FloatArray
    longest: int  # largest number of samples of a user
    by_space: float
    by_time: float


class Bench(NamedTuple):
    """Reusable memory for the samples of one group, and for the losses computed from them."""

    row: IntArray
    owner: IntArray
    box: FloatArray  # (n, 6) west, −east, south, −north, start and −end: the least of each counts
    since: FloatArray  # (n, 6) box of the samples from here up to some later one
    run: FloatArray  # (n / _RUN, 6) box of each run of samples
    run_loss: FloatArray  # the smallest loss up to any cut in the run
    cut: IntArray  # 1 where no sample crosses the position before this one
    loss: FloatArray  # of the best blocks up to here
    begin: IntArray  # where the last of these blocks begins
    pointer: IntArray
    met: IntArray
    once: IntArray  # the latest cut from which, up to here, everybody has a sample
    lowest: IntArray
    nearest: IntArray
    rest: FloatArray  # lower bound on the loss of the samples from here on
    by_space: float
    by_time: float


@njit(nogil=True, cache=True)
def bench_for(boxes: Boxes, members: int) -> Bench:
    """Allocate a :class:`Bench` for groups of at most ``members`` members."""
    n = min(len(boxes.start), members * boxes.longest) + 1
    i = np.empty((7, n), np.int64)
    pointer, met = np.empty(members + 1, np.int64), np.empty(members + 1, np.int64)
    box, run, loss = np.empty((2, n, 6)), np.empty((n // _RUN + 1, 6)), np.empty((2, n))
    cells = box[0], box[1], run, np.empty(n // _RUN + 1), i[2], loss[0]
    cuts = i[3], pointer, met, i[4], i[5], i[6], loss[1]
    return Bench(i[0], i[1], *cells, *cuts, boxes.by_space, boxes.by_time)


@njit(nogil=True, cache=True)
def lay_out(boxes: Boxes, members: IntArray, count: int, bench: Bench) -> int:
    """Write the samples of the first ``count`` members to ``bench``; return the number of samples.

    The samples are written in order of start. The function also sets ``bench.cut``, and sets
    ``bench.rest`` to 0.
    """
    pointer = bench.pointer
    n = 0
    for m in range(count):
        pointer[m] = boxes.offsets[members[m]]
        n += boxes.offsets[members[m] + 1] - boxes.offsets[members[m]]
    latest = -np.inf
    for at in range(n):
        least, of = np.inf, -1
        for m in range(count):
            row = pointer[m]
            if row < boxes.offsets[members[m] + 1] and boxes.start[row] < least:
                least, of = boxes.start[row], m
        row = pointer[of]
        pointer[of] = row + 1
        latest = _lay_next(boxes, row, of, at, latest, bench)
    bench.cut[n] = 1
    bench.rest[: n + 1] = 0.0
    return n


@njit(nogil=True, cache=True)
def _lay_next(boxes: Boxes, row: int, owner: int, at: int, latest: float, bench: Bench) -> float:
    """Write a sample to place ``at``; return the latest end so far.

    ``latest`` is the latest end of the samples before this one.
    """
    bench.row[at] = row
    bench.owner[at] = owner
    box = bench.box[at]
    box[0], box[1] = boxes.west[row], -boxes.east[row]
    box[2], box[3] = boxes.south[row], -boxes.north[row]
    box[4], box[5] = boxes.start[row], -boxes.end[row]
    bench.cut[at] = latest <= boxes.start[row]
    return max(latest, boxes.end[row])


@njit(nogil=True, cache=True)
def lay_out_with(boxes: Boxes, held: Bench, many: int, user: int, count: int, bench: Bench) -> int:
    """Write the samples of ``held`` and of one more user to ``bench``; return their number.

    ``held`` has the ``many`` samples of ``count`` members, and their smallest losses from
    :func:`least_loss` without a limit. These losses bound the rest: the loss of all samples is at
    most the loss of the best blocks before a cut plus the loss of the best blocks after it. So the
    blocks after a cut lose at least the difference, and no less with one more user.
    """
    row, end = boxes.offsets[user], boxes.offsets[user + 1]
    latest, at = -np.inf, 0
    for here in range(many + 1):
        while row < end and (here == many or boxes.start[row] < held.box[here, 4]):
            bench.rest[at] = _rest(held, here, many)
            latest = _lay_next(boxes, row, count, at, latest, bench)
            row, at = row + 1, at + 1
        bench.rest[at] = _rest(held, here, many)
        if here < many:
            latest = _lay_next(boxes, held.row[here], held.owner[here], at, latest, bench)
            at += 1
    bench.cut[at] = 1
    return at


@njit(nogil=True, cache=True)
def _rest(held: Bench, here: int, many: int) -> float:
    return max(0.0, held.loss[many] - held.loss[here]) if held.loss[here] < np.inf else 0.0


@njit(nogil=True, cache=True)
def _widen(cell: FloatArray, boxes: FloatArray, at: int) -> None:
    for side in range(6):
        cell[side] = min(cell[side], boxes[at, side])


@njit(nogil=True, cache=True)
def least_loss(bench: Bench, n: int, count: int, limit: float) -> float:
    """Return the smallest total loss of a division into blocks; infinity if it exceeds ``limit``.

    ``bench`` holds the ``n`` samples of ``count`` members, from :func:`lay_out`. Afterwards
    ``bench.begin`` has, for each cut, where the block that ends there begins; −1 if no block can
    end there. Among equal losses, the block that begins latest is taken. The search stops once the
    loss is certain to exceed the limit. In the best division, a block begins at the current cut or
    inside the two shortest blocks before it; ``bench.rest`` bounds the loss from there.
    """
    cut, loss, begin, owner = bench.cut, bench.loss, bench.begin, bench.owner
    once, lowest, met = bench.once, bench.lowest, bench.met
    nearest, rest = bench.nearest, bench.rest
    first_near, end_near = 0, 1  # of the cuts, latest last, that could lead to the smallest loss
    nearest[0] = 0
    bounded = limit < np.inf
    most = limit + 1e-9 * abs(limit)  # sums may depend on their order
    met[:count] = 0
    half, by_time = bench.by_space / 2.0, bench.by_time
    loss[0] = 0.0
    once[0] = -1
    found, at = 0, 0  # members met from ``at`` on
    head, tail = 0, 1  # of the cuts, latest last, that could have the smallest loss
    lowest[0] = 0
    turn = 0  # ``since`` reaches up to here, ``later`` from here on
    cell, later = np.empty(6), np.full(6, np.inf)
    for j in range(1, n + 1):
        run = (j - 1) // _RUN
        if run * _RUN == j - 1:
            bench.run[run] = np.inf
            bench.run_loss[run] = np.inf
        _widen(bench.run[run], bench.box, j - 1)
        bench.run_loss[run] = min(bench.run_loss[run], loss[j - 1])
        _widen(later, bench.box, j - 1)
        o = owner[j - 1]
        found += met[o] == 0
        met[o] += 1
        while met[owner[at]] > 1:
            met[owner[at]] -= 1
            at += 1
        once[j] = once[j - 1]
        if found == count:
            # The latest cut from which everybody is met.
            latest = at
            while not cut[latest]:
                latest -= 1
            once[j] = latest
        loss[j] = np.inf
        begin[j] = -1
        if not cut[j]:
            continue
        twice = once[once[j]] if once[j] >= 0 else -1
        while head < tail and lowest[head] <= twice:
            head += 1
        while bounded and first_near < end_near and nearest[first_near] <= twice:
            first_near += 1
        least = loss[lowest[head]] if head < tail else np.inf
        best, first = np.inf, -1
        if once[j] >= 0:
            if once[j] >= turn:
                turn = j
                later[:] = np.inf
                cell[:] = np.inf
                for i in range(j - 1, once[j] - 1, -1):
                    _widen(cell, bench.box, i)
                    bench.since[i] = cell
            cell[:] = later
            _widen(cell, bench.since, once[j])
            i = once[j]
            while True:
                each = half * ((-cell[0] - cell[1]) + (-cell[2] - cell[3]))
                each += by_time * (-cell[4] - cell[5])
                if cut[i] and loss[i] + (j - i) * each < best:
                    best, first = loss[i] + (j - i) * each, i
                elif least + (j - i) * each >= best:
                    break
                before = i // _RUN - 1
                if (
                    i % _RUN == 0
                    and i - _RUN > twice
                    and bench.run_loss[before] + (j - i) * each >= best
                ):
                    i -= _RUN
                    _widen(cell, bench.run, before)
                    continue
                i -= 1
                if i <= twice:
                    break
                _widen(cell, bench.box, i)
        loss[j] = best
        begin[j] = first
        while head < tail and loss[lowest[tail - 1]] >= best:
            tail -= 1
        lowest[tail] = j
        tail += 1
        if not bounded:
            continue
        after = best + rest[j]
        while first_near < end_near and (
            loss[nearest[end_near - 1]] + rest[nearest[end_near - 1]] >= after
        ):
            end_near -= 1
        nearest[end_near] = j
        end_near += 1
        if loss[nearest[first_near]] + rest[nearest[first_near]] > most:
            return np.inf
    return loss[n] if loss[n] <= limit else np.inf


@njit(nogil=True, cache=True)
def loss_of(boxes: Boxes, members: IntArray, count: int, limit: float, bench: Bench) -> float:
    """Return the smallest loss of the group that the first ``count`` of ``members`` form.

    The result is infinity if the loss exceeds ``limit``.
    """
    return least_loss(bench, lay_out(boxes, members, count, bench), count, limit)


@njit(nogil=True, cache=True)
def pair_losses(
    begin: int, end: int, boxes: Boxes, users: IntArray, others: IntArray, out: FloatArray
) -> None:
    """Set ``out[i, j]`` to the smallest loss of the group of ``users[i]`` and ``others[i, j]``.

    The rows i are ``begin … end − 1``. The entry is infinity where ``others[i, j]`` is −1.
    """
    bench = bench_for(boxes, 2)
    pair = np.empty(2, np.int64)
    for row in range(begin, end):
        for column in range(others.shape[1]):
            pair[0], pair[1] = users[row], others[row, column]
            out[row, column] = np.inf
            if pair[1] >= 0:
                out[row, column] = loss_of(boxes, pair, 2, np.inf, bench)


@njit(nogil=True, cache=True)
def blocks_of(boxes: Boxes, members: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the cells of a group's best blocks (blocks, 6), and the sample count of each block.

    A cell is x, y, t, dx, dy, dt, in metres and minutes. Blocks are in order of time.
    """
    count = len(members)
    bench = bench_for(boxes, count)
    n = lay_out(boxes, members, count, bench)
    least_loss(bench, n, count, np.inf)
    cells, held = np.empty((n, 6)), np.empty(n, np.int64)
    b = j = n  # the last block is written first, to the last row
    while j > 0:
        b -= 1
        i = bench.begin[j]
        for side in range(3):
            cells[b, side] = bench.box[i:j, 2 * side].min()
            cells[b, 3 + side] = -bench.box[i:j, 2 * side + 1].min() - cells[b, side]
        held[b] = j - i
        j = i
    return cells[b:].copy(), held[b:].copy()


# --- The blocks of a group within limits on side and span, at a price for each sample left out.

_DROPPED, _WHOLE, _TRIMMED = 0, 1, 2
_MOST_STEPS = 20_000  # of the search for the largest part of one run


@njit(nogil=True, cache=True)
def blocks_within(
    boxes: Boxes, members: IntArray, side: float, span: float, price: float
) -> tuple[FloatArray, IntArray, Codes]:
    """Return a group's published cells, the rows of the members' samples, and a code per sample.

    Cells (blocks, 6) are x, y, t, dx, dy, dt, in order of time, within ``side`` (m) and ``span``
    (minutes). Each sample left out costs ``price``. Rows and codes are in order of start; a code is
    0 if the sample is published, and otherwise states why it is left out.
    """
    count = len(members)
    limits = Limits(side, span, float(count), _MOST_STEPS)
    bench = bench_for(boxes, count)
    n = lay_out(boxes, members, count, bench)
    row = bench.row[:n].copy()
    code = np.zeros(n, np.int8)
    low, high = bench.box[:n, ::2].copy(), -bench.box[:n, 1::2]
    place = np.empty(n, np.int64)  # position in the group of each sample that fits alone
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
    """Return the cells of the published blocks; set the ``code`` of each sample left out."""
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
        # If losses are equal, samples are published rather than left out.
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
