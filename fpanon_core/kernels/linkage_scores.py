"""How well does every record fit the points known of a target? Of the records near them.

Published samples lie in buckets of place and time by their lower corners, so that a point looks
only where a sample can be that fits it better than the floor. Records that are nowhere near all
have the floor, and are counted, not visited.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts

NONE, PLANAR_LAPLACE, LAPLACE, GAUSSIAN = 0, 1, 2, 3
"""Densities by number, in the order of :data:`fpanon_core.model.mechanism.DENSITIES`."""

MOST_PIECES = 32
"""A cell's mean density is taken over so many pieces along an axis, at most."""

TIE = 1e-9
"""Scores, in nats, that differ by less are level."""

_MIX, _MASK = 2654435761, 0xFFFFFFFF  # multiplicative hashing by the golden ratio
_CLOSE = 1e-6  # metres or minutes that arithmetic may move a corner by


class Shelf(NamedTuple):
    """Published samples in buckets, on boards of about equal length in time.

    Row i of ``cells`` is (x, y, t, dx, dy, dt) and ``record[i]`` whose it is; those of the bucket
    b are rows ``starts[b]:starts[b+1]``. Of board l, ``first[l]`` is the first bucket, ``base[l]``
    the lowest corner (x, y, t), ``size[l]`` the buckets' extent (metres, minutes), ``many[l]`` how
    many there are along each axis, ``widest[l]`` the largest extent of its samples.
    """

    cells: FloatArray
    record: SmallInts
    starts: IntArray
    first: IntArray
    base: FloatArray
    size: FloatArray
    many: IntArray
    widest: FloatArray


class Way(NamedTuple):
    """How a true point is published: densities by number, their scales, and the floor.

    No density is more than ``nats`` above the floor.
    """

    space: int
    space_m: float
    time: int
    time_min: float
    boxes: bool
    by_middle: bool
    timeless: bool
    floor: float
    nats: float


@njit(nogil=True, cache=True, inline="always")
def _along(density: int, scale: float, apart: float) -> float:
    """A density of one dimension at a distance."""
    if density == GAUSSIAN:
        z = apart / scale
        return math.exp(-0.5 * z * z) / (scale * math.sqrt(2 * math.pi))
    return math.exp(-abs(apart) / scale) / (2 * scale)


@njit(nogil=True, cache=True, inline="always")
def _pieces(length: float, scale: float) -> int:
    """Into how many pieces a cell is cut: no longer than half the scale, within limits."""
    return min(MOST_PIECES, max(1, math.ceil(2 * length / scale - _CLOSE)))


@njit(nogil=True, cache=True)
def mean_along(density: int, scale: float, point: float, begin: float, length: float) -> float:
    """The mean over ``[begin, begin + length)`` of a density around a point."""
    many = _pieces(length, scale)
    step = length / many
    total = 0.0
    for i in range(many):
        total += _along(density, scale, begin + (i + 0.5) * step - point)
    return min(total / many, 1 / length)


@njit(nogil=True, cache=True)
def mean_planar(
    scale: float, px: float, py: float, x: float, y: float, dx: float, dy: float
) -> float:
    """The mean over a rectangle of the planar Laplace density around a point."""
    across, up = _pieces(dx, scale), _pieces(dy, scale)
    total = 0.0
    for i in range(across):
        ax = x + (i + 0.5) * dx / across - px
        for j in range(up):
            ay = y + (j + 0.5) * dy / up - py
            total += math.exp(-math.sqrt(ax * ax + ay * ay) / scale)
    return min(total / (across * up * 2 * math.pi * scale * scale), 1 / (dx * dy))


@njit(nogil=True, cache=True)
def in_space(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """Density, per square metre, of a true place for a published cell."""
    x, y, dx, dy = cell[0], cell[1], cell[3], cell[4]
    px, py = point[0] + point[3] / 2, point[1] + point[4] / 2
    if way.space == NONE:
        if way.boxes:
            inside = x <= px < x + dx and y <= py < y + dy
        else:
            inside = (
                abs(x - point[0]) <= _CLOSE and abs(y - point[1]) <= _CLOSE
                and abs(dx - point[3]) <= _CLOSE and abs(dy - point[4]) <= _CLOSE
            )  # fmt: skip
        return 1 / (dx * dy) if inside else 0.0
    if way.space == PLANAR_LAPLACE:
        if way.by_middle:
            apart = math.hypot(x + dx / 2 - px, y + dy / 2 - py)
            return math.exp(-apart / way.space_m) / (2 * math.pi * way.space_m**2)
        return mean_planar(way.space_m, px, py, x, y, dx, dy)
    if way.by_middle:
        return _along(way.space, way.space_m, x + dx / 2 - px) * _along(
            way.space, way.space_m, y + dy / 2 - py
        )
    return mean_along(way.space, way.space_m, px, x, dx) * mean_along(
        way.space, way.space_m, py, y, dy
    )


@njit(nogil=True, cache=True)
def in_time(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """Density, per minute, of a true time for a published cell; 1 where no time is known."""
    if way.timeless:
        return 1.0
    t, dt = cell[2], cell[5]
    middle = point[2] + point[5] / 2
    if way.time == NONE:
        if way.boxes:
            inside = t <= middle < t + dt
        else:
            inside = abs(t - point[2]) <= _CLOSE and abs(dt - point[5]) <= _CLOSE
        return 1 / dt if inside else 0.0
    return mean_along(way.time, way.time_min, middle, t, dt)


@njit(nogil=True, cache=True, inline="always")
def _gap(point: float, low: float, high: float) -> float:
    return max(low - point, point - high, 0.0)


@njit(nogil=True, cache=True, inline="always")
def _loss(density: int, scale: float, square: float) -> float:
    """By how many nats a density falls over a distance, given as its square."""
    if density == NONE:
        return 0.0 if square <= _CLOSE else math.inf
    if density == GAUSSIAN:
        return 0.5 * square / (scale * scale)
    return math.sqrt(square) / scale


@njit(nogil=True, cache=True, inline="always")
def _reach(density: int, scale: float, nats: float) -> float:
    """Over which distance a density falls by so many nats."""
    if density == NONE:
        return 0.0
    if density == GAUSSIAN:
        return scale * math.sqrt(2 * nats)
    return scale * nats


@njit(nogil=True, cache=True)
def density_of(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """How likely the method makes a true point of a published sample; 0 for below the floor.

    ``point`` is (x, y, t, dx, dy, dt, same_place, place_share, same_time, time_share).
    """
    anywhere, anytime = point[6] < 1.0, point[8] < 1.0 or way.timeless
    loss = 0.0
    if way.time != NONE and not anytime:
        apart = _gap(point[2] + point[5] / 2, cell[2], cell[2] + cell[5])
        loss += _loss(way.time, way.time_min, apart * apart)
    if way.space != NONE and not anywhere:
        across = _gap(point[0] + point[3] / 2, cell[0], cell[0] + cell[3])
        up = _gap(point[1] + point[4] / 2, cell[1], cell[1] + cell[4])
        loss += _loss(way.space, way.space_m, across * across + up * up)
    if loss > way.nats:
        return 0.0
    time = in_time(point, cell, way)
    if point[8] < 1.0:
        time = point[8] * time + (1 - point[8]) * point[9] / point[5]
    if time == 0.0:
        return 0.0
    space = in_space(point, cell, way)
    if anywhere:
        space = point[6] * space + (1 - point[6]) * point[7] / (point[3] * point[4])
    density = space * time
    return density if density > way.floor else 0.0


@njit(nogil=True, cache=True, inline="always")
def _bucket(at: float, base: float, size: float, many: int) -> int:
    """The bucket of a corner, −1 or ``many`` outside."""
    return int(min(float(many), max(-1.0, math.floor((at - base) / size))))


@njit(nogil=True, cache=True)
def fit_point(
    point: FloatArray, shelf: Shelf, way: Way, best: FloatArray, near: SmallInts
) -> int:  # fmt: skip
    """The best density of each record that has one above the floor.

    ``best`` has an entry for each record, all 0; of the records listed in ``near`` it is set.
    Returns how many these are.
    """
    if math.isnan(point[0]):
        return 0
    x, y = point[0] + point[3] / 2, point[1] + point[4] / 2
    t = point[2] + point[5] / 2
    anywhere, anytime = point[6] < 1.0, point[8] < 1.0 or way.timeless
    far = _reach(way.space, way.space_m, way.nats) + _CLOSE
    found = 0
    for board in range(len(shelf.first)):
        base, size, widest = shelf.base[board], shelf.size[board], shelf.widest[board]
        nx, ny, nt = shelf.many[board]
        i0, i1, j0, j1 = 0, nx - 1, 0, ny - 1
        if not anywhere:
            i0 = max(0, _bucket(x - far - widest[0], base[0], size[0], nx))
            i1 = min(nx - 1, _bucket(x + far, base[0], size[0], nx))
            j0 = max(0, _bucket(y - far - widest[1], base[1], size[1], ny))
            j1 = min(ny - 1, _bucket(y + far, base[1], size[1], ny))
        for i in range(i0, i1 + 1):
            left = base[0] + i * size[0]
            across = _gap(x, left - _CLOSE, left + size[0] + widest[0])
            for j in range(j0, j1 + 1):
                low = base[1] + j * size[1]
                up = _gap(y, low - _CLOSE, low + size[1] + widest[1])
                nats = way.nats
                if not anywhere:
                    nats -= _loss(way.space, way.space_m, across * across + up * up)
                if nats < 0.0:
                    continue
                k0, k1 = 0, nt - 1
                if not anytime:
                    late = _reach(way.time, way.time_min, nats) + _CLOSE
                    k0 = max(0, _bucket(t - late - widest[2], base[2], size[2], nt))
                    k1 = min(nt - 1, _bucket(t + late, base[2], size[2], nt))
                row = shelf.first[board] + (i * ny + j) * nt
                # Buckets that follow one another in time follow one another.
                for s in range(shelf.starts[row + k0], shelf.starts[row + max(k0, k1 + 1)]):
                    density = density_of(point, shelf.cells[s], way)
                    if density == 0.0:
                        continue
                    r = shelf.record[s]
                    if best[r] == 0.0:
                        near[found] = r
                        found += 1
                    if density > best[r]:
                        best[r] = density
    return found


@njit(nogil=True, cache=True)
def score_records(
    begin: int, end: int, point: FloatArray, shelf: Shelf, way: Way, even: float, people: float,
    weight: IntArray, best: FloatArray, near: SmallInts, gain: FloatArray, hits: SmallInts,
    touched: SmallInts,
) -> tuple[int, float]:  # fmt: skip
    """Score the records by the points ``begin … end − 1`` of one target.

    Sets ``gain`` (nats above the floor at every point) and ``hits`` (points above it) of the
    records listed in ``touched``; all three begin as zeros. ``even`` is the density of the mean
    record spread evenly over everything, ``people`` how many have a record. Returns how many
    records are touched, and the score of somebody who has none.
    """
    many = 0
    absent = 0.0
    for j in range(begin, end):
        few = fit_point(point[j], shelf, way, best, near)
        above, who = 0.0, 0.0
        for c in range(few):
            r = near[c]
            density = best[r]
            best[r] = 0.0
            above += weight[r] * density
            who += weight[r]
            if hits[r] == 0:
                touched[many] = r
                many += 1
            hits[r] += 1
            gain[r] += math.log(density / way.floor)
        mean = (above + (people - who) * way.floor) / people
        absent += math.log(0.5 * (mean + even) / way.floor)
    return many, absent


@njit(nogil=True, cache=True)
def rank_targets(
    begin: int, end: int, offsets: IntArray, point: FloatArray, own: IntArray, shelf: Shelf,
    way: Way, even: float, odds: float, weight: IntArray, out: FloatArray,
) -> None:  # fmt: skip
    """Where each target's own record stands among all.

    ``own`` is its number, −1 for who is not in the release; ``odds`` the prior odds of not being in
    it, times the people in it. Row i of ``out``: people whose record fits better, people whose
    record fits as well (the own is one), posterior of the own record, whether the best record is
    taken, people whose record has every point, whether the own has.
    """
    n = len(weight)
    best, gain = np.zeros(n), np.zeros(n)
    near, touched = np.empty(n, np.int32), np.empty(n, np.int32)
    hits = np.zeros(n, np.int32)
    people = float(weight.sum())
    for i in range(begin, end):
        many, absent = score_records(
            offsets[i], offsets[i + 1], point, shelf, way, even, people, weight,
            best, near, gain, hits, touched,
        )  # fmt: skip
        mine = gain[own[i]] if own[i] >= 0 else 0.0
        top, better, level, who, fitting = 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(many):
            r = touched[c]
            top = max(top, gain[r])
            who += weight[r]
            if gain[r] > mine + TIE:
                better += weight[r]
            elif gain[r] >= mine - TIE:
                level += weight[r]
            if hits[r] == offsets[i + 1] - offsets[i]:
                fitting += weight[r]
        if mine <= TIE:
            level += people - who
        highest = max(top, absent) if odds > 0 else top
        total = (people - who) * math.exp(-highest)
        for c in range(many):
            total += weight[touched[c]] * math.exp(gain[touched[c]] - highest)
        if odds > 0:
            total += odds * math.exp(absent - highest)
        out[i, 0], out[i, 1] = better, level
        out[i, 2] = math.exp(mine - highest) / total
        out[i, 3] = top > TIE and (odds == 0 or top > math.log(odds) + absent)
        out[i, 4] = fitting
        out[i, 5] = own[i] >= 0 and hits[own[i]] == offsets[i + 1] - offsets[i]
        for c in range(many):
            gain[touched[c]] = 0.0
            hits[touched[c]] = 0


@njit(nogil=True, cache=True)
def leading_records(
    begin: int, end: int, offsets: IntArray, point: FloatArray, shelf: Shelf, way: Way,
    weight: IntArray, least: float, record: SmallInts, share: FloatArray, count: IntArray,
    rest: FloatArray,
) -> None:  # fmt: skip
    """The records that the outsider gives most weight to, of each target.

    Row i of ``record`` and ``share`` lists up to as many as there are columns, ``count[i]`` of
    them: those with the highest posterior (of one person; uniform prior over the records), of at
    least ``least`` times the highest; of more that are level, any. ``share`` counts everybody whose
    record it is; all of them stand for all records that a point is near. ``rest`` is what is left
    for the records that are nowhere near.
    """
    n = len(weight)
    best, gain = np.zeros(n), np.zeros(n)
    near, touched = np.empty(n, np.int32), np.empty(n, np.int32)
    hits = np.zeros(n, np.int32)
    people = float(weight.sum())
    most = record.shape[1]
    for i in range(begin, end):
        many, _ = score_records(
            offsets[i], offsets[i + 1], point, shelf, way, 1.0, people, weight,
            best, near, gain, hits, touched,
        )  # fmt: skip
        top, who = 0.0, 0.0
        for c in range(many):
            top = max(top, gain[touched[c]])
            who += weight[touched[c]]
        total = (people - who) * math.exp(-top)
        for c in range(many):
            total += weight[touched[c]] * math.exp(gain[touched[c]] - top)
        rest[i] = (people - who) * math.exp(-top) / total
        # Records that are level in an order that has nothing to do with where they are.
        some = touched[:many]
        mixed = some[np.argsort((some.astype(np.int64) * _MIX) & _MASK)]
        order = np.argsort(-gain[mixed], kind="mergesort")
        kept, listed = 0, 0.0
        for c in order[: min(many, most)]:
            r = mixed[c]
            each = math.exp(gain[r] - top)
            if each < least:
                break
            record[i, kept] = r
            share[i, kept] = weight[r] * each
            listed += weight[r] * each
            kept += 1
        for c in range(kept):
            share[i, c] *= (1 - rest[i]) / listed
        count[i] = kept
        for c in range(many):
            gain[touched[c]] = 0.0
            hits[touched[c]] = 0
