"""Scores of the records near the known points of a target.

Two attackers score a record in one pass over its samples. The best-sample attacker takes the
largest density. The Bayes attacker takes the mean density, weighted by the chance that a point is
drawn from each sample. Published samples are in buckets of place and time by their lower corners.
So a point is compared only with samples that can fit it better than the floor. Records far from all
points have the floor as their density; they are counted, not visited.

The module also finds the sample of a record that each known point most likely became.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts
from .linkage_density import CLOSE, NONE, Way, density_of, gap, loss_over, reach_of

TIE = 1e-9
"""Scores that differ by less than this, in nats, are equal."""

_MIX, _MASK = 2654435761, 0xFFFFFFFF  # multiplicative hashing by the golden ratio


class Shelf(NamedTuple):
    """Published samples, in buckets of place and time.

    A *board* has the buckets for samples of about equal duration. Row i of ``cells`` is (x, y, t,
    dx, dy, dt), and ``record[i]`` is its record. ``share[i]`` is the probability of the sample if a
    point is drawn from that record. Bucket b has rows ``starts[b]:starts[b+1]``. For board l,
    ``first[l]`` is the first bucket, ``base[l]`` the lowest corner (x, y, t), and ``widest[l]`` the
    largest extent of its samples. ``size[l]`` is the buckets' extent (metres, minutes), and
    ``many[l]`` their number along each axis.
    """

    cells: FloatArray
    record: SmallInts
    share: FloatArray
    starts: IntArray
    first: IntArray
    base: FloatArray
    size: FloatArray
    many: IntArray
    widest: FloatArray


class Shelved(NamedTuple):
    """Input of a search: samples on a shelf, the method, and the known points.

    ``points`` (n_points, 10) are in the form of :func:`.linkage_density.density_of`. ``even`` (2,)
    is the density, for each attacker, of a mean record spread evenly over the whole extent.
    """

    shelf: Shelf
    way: Way
    points: FloatArray
    even: FloatArray


class Suspects(NamedTuple):
    """Records with the largest posterior weight for an attacker.

    For target i, ``record[i]`` lists ``many[i]`` records, at most the number of columns, and
    ``share[i]`` their posterior, summed over all people with the record. ``rest[i]`` is the
    posterior of all records that are near no point.
    """

    record: SmallInts
    share: FloatArray
    many: IntArray
    rest: FloatArray


class _Room(NamedTuple):
    """Scratch for the sums over one target's points; all zero except the two lists of records."""

    density: FloatArray  # (2, n_records), for the best sample and Bayes
    near: SmallInts
    gain: FloatArray  # (2, n_records): nats above the floor at every point
    hits: SmallInts  # number of points with a sample above the floor
    touched: SmallInts
    absent: FloatArray  # (2,): the scores of a person without a record


@njit(nogil=True, cache=True)
def _room(n: int) -> _Room:
    density, gain, absent = np.zeros((2, n)), np.zeros((2, n)), np.zeros(2)
    near, hits, touched = np.empty(n, np.int32), np.zeros(n, np.int32), np.empty(n, np.int32)
    return _Room(density, near, gain, hits, touched, absent)


@njit(nogil=True, cache=True, inline="always")
def _buckets(low: float, high: float, base: float, size: float, many: int) -> tuple[int, int]:
    """Return the first and last bucket along one axis for corners from ``low`` to ``high``."""
    first, last = math.floor((low - base) / size), math.floor((high - base) / size)
    return int(min(float(many), max(0.0, first))), int(min(many - 1.0, max(-1.0, last)))


@njit(nogil=True, cache=True, inline="always")
def _alike(cells: FloatArray, one: int, other: int) -> bool:
    """Return whether two samples have the same cell."""
    alike = True
    for side in range(6):
        alike = alike and cells[one, side] == cells[other, side]
    return alike


@njit(nogil=True, cache=True)
def fit_point(
    point: FloatArray, shelf: Shelf, way: Way, density: FloatArray, near: SmallInts
) -> int:
    """Set the best and the mean density of each record that has a sample above the floor.

    ``density`` (2, n_records) has rows for the best sample and for Bayes. It must be all 0 before
    the call, and is set for the records listed in ``near``. The function returns their number.
    """
    if math.isnan(point[0]):
        return 0
    x, y = point[0] + point[3] / 2, point[1] + point[4] / 2
    t = point[2] + point[5] / 2
    anywhere, anytime = point[6] < 1.0, point[8] < 1.0 or way.timeless
    far = reach_of(way.space, way.space_m, way.nats) + CLOSE
    # Without noise and boxes the sample is the point's own bin: its corner is known.
    same_place = way.space == NONE and not way.boxes and not anywhere
    same_time = way.time == NONE and not way.boxes and not anytime
    found = 0
    cells, record, share, starts = shelf.cells, shelf.record, shelf.share, shelf.starts
    best, mean = density[0], density[1]
    for board in range(len(shelf.first)):
        base, size, widest = shelf.base[board], shelf.size[board], shelf.widest[board]
        nx, ny, nt = shelf.many[board]
        i0, i1, j0, j1 = 0, nx - 1, 0, ny - 1
        if same_place:
            left, low = point[0], point[1]
            i0, i1 = _buckets(left - 2 * CLOSE, left + 2 * CLOSE, base[0], size[0], nx)
            j0, j1 = _buckets(low - 2 * CLOSE, low + 2 * CLOSE, base[1], size[1], ny)
        elif not anywhere:
            i0, i1 = _buckets(x - far - widest[0], x + far, base[0], size[0], nx)
            j0, j1 = _buckets(y - far - widest[1], y + far, base[1], size[1], ny)
        for i in range(i0, i1 + 1):
            left = base[0] + i * size[0]
            across = gap(x, left - CLOSE, left + size[0] + widest[0])
            for j in range(j0, j1 + 1):
                low = base[1] + j * size[1]
                up = gap(y, low - CLOSE, low + size[1] + widest[1])
                nats = way.nats
                if not anywhere:
                    nats -= loss_over(way.space, way.space_m, across * across + up * up)
                if nats < 0.0:
                    continue
                k0, k1 = 0, nt - 1
                if same_time:
                    begin = point[2]
                    k0, k1 = _buckets(begin - 2 * CLOSE, begin + 2 * CLOSE, base[2], size[2], nt)
                elif not anytime:
                    late = reach_of(way.time, way.time_min, nats) + CLOSE
                    k0, k1 = _buckets(t - late - widest[2], t + late, base[2], size[2], nt)
                row = shelf.first[board] + (i * ny + j) * nt
                # Buckets that follow one another in time are adjacent in the list.
                first, one = starts[row + k0], 0.0
                for s in range(first, starts[row + max(k0, k1 + 1)]):
                    if s == first or not _alike(cells, s - 1, s):
                        one = density_of(point, cells[s], way)
                    if one == 0.0:
                        continue
                    r = record[s]
                    if best[r] == 0.0:
                        near[found] = r
                        found += 1
                    best[r] = max(best[r], one)
                    mean[r] += share[s] * one
    return found


@njit(nogil=True, cache=True)
def score_records(
    begin: int, end: int, search: Shelved, people: float, weight: IntArray, room: _Room
) -> int:
    """Score the records by the points ``begin … end − 1`` of one target, for both attackers.

    The function adds to ``gain`` and ``hits``, which must be 0, lists in ``touched`` the records
    that it adds to, and sets ``absent``. ``people`` is the number of people with a record. The
    function returns the number of records touched.
    """
    shelf, way, point, even = search
    density, near, gain, hits, touched, absent = room
    many = 0
    absent[:] = 0.0
    for j in range(begin, end):
        few = fit_point(point[j], shelf, way, density, near)
        who = 0.0
        for c in range(few):
            r = near[c]
            who += weight[r]
            if hits[r] == 0:
                touched[many] = r
                many += 1
            hits[r] += 1
        for a in range(2):
            above = 0.0
            for c in range(few):
                r = near[c]
                fit = max(density[a, r], way.floor)
                density[a, r] = 0.0
                above += weight[r] * fit
                gain[a, r] += math.log(fit / way.floor)
            mean = (above + (people - who) * way.floor) / people
            absent[a] += math.log(0.5 * (mean + even[a]) / way.floor)
    return many


@njit(nogil=True, cache=True)
def _rank(
    gain: FloatArray,
    mine: float,
    touched: SmallInts,
    weight: IntArray,
    people: float,
    odds: float,
    absent: float,
    out: FloatArray,
) -> None:
    """Rank a score among one attacker's scores: fill four columns of :func:`rank_targets`."""
    top, better, level, who = 0.0, 0.0, 0.0, 0.0
    for r in touched:
        top = max(top, gain[r])
        who += weight[r]
        if gain[r] > mine + TIE:
            better += weight[r]
        elif gain[r] >= mine - TIE:
            level += weight[r]
    if mine <= TIE:
        level += people - who
    highest = max(top, absent) if odds > 0 else top
    total = (people - who) * math.exp(-highest)
    for r in touched:
        total += weight[r] * math.exp(gain[r] - highest)
    if odds > 0:
        total += odds * math.exp(absent - highest)
    out[0], out[1] = better, level
    out[2] = math.exp(mine - highest) / total
    out[3] = top > TIE and (odds == 0 or top > math.log(odds) + absent)


@njit(nogil=True, cache=True)
def rank_targets(
    begin: int,
    end: int,
    offsets: IntArray,
    search: Shelved,
    own: IntArray,
    odds: float,
    weight: IntArray,
    out: FloatArray,
) -> None:
    """Rank the records of the targets ``begin … end − 1`` among all records, for both attackers.

    ``own[i]`` is the number of target i's record, −1 for targets not in the release. ``odds`` is
    the prior odds of not being in the release, times the number of people in it. For attacker a,
    the six columns of ``out[i, a]`` are:

    - the number of people whose record fits better;
    - the number of people whose record fits equally well, including the target;
    - the posterior of the target's own record;
    - whether the best record is accepted;
    - the number of people whose record has every point;
    - whether the target's own record has every point.
    """
    room = _room(len(weight))
    gain, hits, absent = room.gain, room.hits, room.absent
    people = float(weight.sum())
    for i in range(begin, end):
        many = score_records(offsets[i], offsets[i + 1], search, people, weight, room)
        some, points = room.touched[:many], offsets[i + 1] - offsets[i]
        fitting = 0.0
        for r in some:
            if hits[r] == points:
                fitting += weight[r]
        for a in range(2):
            mine = gain[a, own[i]] if own[i] >= 0 else 0.0
            _rank(gain[a], mine, some, weight, people, odds, absent[a], out[i, a])
            out[i, a, 4] = fitting
            out[i, a, 5] = own[i] >= 0 and hits[own[i]] == points
        for r in some:
            gain[0, r] = gain[1, r] = 0.0
            hits[r] = 0


@njit(nogil=True, cache=True)
def leading_records(
    begin: int,
    end: int,
    offsets: IntArray,
    search: Shelved,
    weight: IntArray,
    attacker: int,
    least: float,
    out: Suspects,
) -> None:
    """Find each target's records with the largest posterior weight for one attacker.

    Records are listed in order of the posterior of one of their people, given a uniform prior over
    people. Records below ``least`` times the highest posterior are not listed. If more records are
    tied than fit, an arbitrary choice of them is listed. The listed shares are scaled so that they
    add up to the posterior of all records near a point.
    """
    record, share, count, rest = out
    room = _room(len(weight))
    gain = room.gain[attacker]
    people = float(weight.sum())
    most = record.shape[1]
    for i in range(begin, end):
        many = score_records(offsets[i], offsets[i + 1], search, people, weight, room)
        some = room.touched[:many]
        top, who = 0.0, 0.0
        for r in some:
            top = max(top, gain[r])
            who += weight[r]
        total = (people - who) * math.exp(-top)
        for r in some:
            total += weight[r] * math.exp(gain[r] - top)
        rest[i] = (people - who) * math.exp(-top) / total
        # Tied records come in an order that has nothing to do with where they are.
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
        for r in some:
            room.gain[0, r] = room.gain[1, r] = 0.0
            room.hits[r] = 0


@njit(nogil=True, cache=True)
def best_samples(
    records: IntArray,
    offsets: IntArray,
    cells: FloatArray,
    point: FloatArray,
    way: Way,
    out: IntArray,
) -> None:
    """Write the row of a record's sample with the highest density to ``out[record, point]``.

    Ties go to the first sample. ``out`` is unchanged if no sample of the record is above the floor.
    """
    for i in range(len(records)):
        for j in range(len(point)):
            if math.isnan(point[j, 0]):
                continue
            most = 0.0
            for s in range(offsets[records[i]], offsets[records[i] + 1]):
                density = density_of(point[j], cells[s], way)
                if density > most:
                    most, out[i, j] = density, s
