"""Check that every original sample is inside its user's published cells; for the verifier only.

Samples and cells are rows of x0, x1, y0, y1, t0, t1. Users belong to classes; the cells of class c
are rows ``first[c] … last[c] − 1`` in order of start, and ``reach`` is the latest end so far within
the class. Nothing else is assumed: cells may overlap, or end before they begin.

The module also finds the published records that, by content, may belong to a user. A *miss* is a
sample that should be inside the record's cells and is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray

SLACK = 1e-6  # metres, minutes: data written as text to that accuracy must pass


class People(NamedTuple):
    """Users, and the samples that count for each."""

    offsets: IntArray
    samples: FloatArray
    counted: BoolArray


class Classes(NamedTuple):
    """Distinct records, and the box around each: see :func:`class_boxes`."""

    cells: FloatArray
    reach: FloatArray
    first: IntArray
    last: IntArray
    around: FloatArray


@njit(nogil=True, cache=True)
def may_end_after(reach: FloatArray, first: int, last: int, t0: float) -> int:
    """Return the first cell of a class that may end after ``t0``."""
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
    sample: FloatArray, cells: FloatArray, reach: FloatArray, first: int, last: int
) -> bool:
    """Return whether a sample lies inside the cells it reaches across, for all of its time."""
    t0, t1 = sample[4], sample[5]
    inside = 0.0
    for c in range(may_end_after(reach, first, last, t0), last):
        if cells[c, 4] >= t1:
            break
        if cells[c, 5] <= t0:
            continue
        if cells[c, 0] > sample[0] + SLACK or cells[c, 1] < sample[1] - SLACK:
            continue
        if cells[c, 2] > sample[2] + SLACK or cells[c, 3] < sample[3] - SLACK:
            continue
        inside += min(cells[c, 5], t1) - max(cells[c, 4], t0)
    return inside >= (t1 - t0) - SLACK


@njit(nogil=True, cache=True)
def covered_samples(
    offsets: IntArray, samples: FloatArray, home: IntArray, classes: Classes
) -> BoolArray:
    """Return which samples lie inside the cells of their user's class; none for class −1."""
    cells, reach, first, last, _ = classes
    out = np.zeros(len(samples), np.bool_)
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        for s in range(offsets[u], offsets[u + 1]):
            out[s] = lies_inside(samples[s], cells, reach, first[g], last[g])
    return out


@njit(nogil=True, cache=True)
def people_in_cells(
    people: People,
    home: IntArray,
    weight: IntArray,
    classes: Classes,
    side: FloatArray,
    span: FloatArray,
) -> tuple[IntArray, int]:
    """Count, for each cell, the people of its class with a counted sample in it; also count pairs.

    A pair is a user and a cell with a counted sample of the user. For each counted sample, the
    function sets ``side`` (m) to the largest (dx + dy)/2 among the cells that the sample reaches
    across, and ``span`` (minutes) to their total duration.
    """
    offsets, samples, counted = people
    cells, reach, first, last, _ = classes
    many = np.zeros(len(cells), np.int64)
    stamp = np.full(len(cells), -1, np.int64)
    pairs = 0
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        for s in range(offsets[u], offsets[u + 1]):
            if not counted[s]:
                continue
            t0, t1 = samples[s, 4] + SLACK, samples[s, 5] - SLACK
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
                    many[c] += weight[u]
                    pairs += 1
    return many, pairs


@njit(nogil=True, cache=True)
def pairs_with_a_sample(
    offsets: IntArray, samples: FloatArray, longest: float, home: IntArray, classes: Classes
) -> int:
    """Count pairs of a person and a cell of the person's class that meets a sample of the person.

    A sample and the cell must overlap in x, y and time by more than :data:`SLACK`. Samples of a
    person are in order of their start, and none is longer than ``longest``.
    """
    cells, first, last = classes.cells, classes.first, classes.last
    pairs = 0
    for u in range(len(home)):
        g = home[u]
        if g < 0:
            continue
        own = samples[offsets[u] : offsets[u + 1]]
        for c in range(first[g], last[g]):
            x0, x1, y0, y1, t0, t1 = cells[c]
            s = np.searchsorted(own[:, 4], t0 - longest)
            while s < len(own) and own[s, 4] < t1 - SLACK:
                if (
                    own[s, 5] > t0 + SLACK
                    and own[s, 0] < x1 - SLACK
                    and own[s, 1] > x0 + SLACK
                    and own[s, 2] < y1 - SLACK
                    and own[s, 3] > y0 + SLACK
                ):
                    pairs += 1
                    break
                s += 1
    return pairs


BLOCK = 32
"""Number of classes in a block."""


@njit(nogil=True, cache=True)
def class_boxes(cells: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Return the box around all cells of each class: x0, x1, y0, y1, t0, t1."""
    out = np.empty((len(first), 6))
    for g in range(len(first)):
        for axis in range(0, 6, 2):
            low, high = np.inf, -np.inf
            for c in range(first[g], last[g]):
                low, high = min(low, cells[c, axis]), max(high, cells[c, axis + 1])
            out[g, axis], out[g, axis + 1] = low, high
    return out


@njit(nogil=True, cache=True)
def _outside(sample: FloatArray, box: FloatArray) -> bool:
    """Return whether no cell inside the box can hold the sample.

    A sample without duration counts as held, wherever the cells are.
    """
    return sample[5] - sample[4] > SLACK and (
        sample[0] + SLACK < box[0]
        or sample[1] - SLACK > box[1]
        or sample[2] + SLACK < box[2]
        or sample[3] - SLACK > box[3]
        or sample[4] >= box[5]
        or sample[5] <= box[4]
    )


@njit(nogil=True, cache=True)
def _box_of(begin: int, end: int, samples: FloatArray, wanted: BoolArray, box: FloatArray) -> None:
    """Set the box that a record's own box must reach to hold all wanted samples with a duration."""
    box[0::2], box[1::2] = np.inf, -np.inf
    for s in range(begin, end):
        if not wanted[s] or samples[s, 5] - samples[s, 4] <= SLACK:
            continue
        for axis in range(0, 4, 2):
            box[axis] = min(box[axis], samples[s, axis])
            box[axis + 1] = max(box[axis + 1], samples[s, axis + 1])
        # Some of each sample's time must be inside, so the earliest end and latest start count.
        box[4], box[5] = min(box[4], samples[s, 5]), max(box[5], samples[s, 4])


@njit(nogil=True, cache=True)
def _reaches(around: FloatArray, box: FloatArray) -> bool:
    """Return whether the box around a record reaches the box from :func:`_box_of`."""
    return (
        around[0] <= box[0] + SLACK
        and around[1] >= box[1] - SLACK
        and around[2] <= box[2] + SLACK
        and around[3] >= box[3] - SLACK
        and around[4] < box[4]
        and around[5] > box[5]
    )


@njit(nogil=True, cache=True)
def _misses(
    begin: int,
    end: int,
    samples: FloatArray,
    wanted: BoolArray,
    cells: FloatArray,
    reach: FloatArray,
    first: int,
    last: int,
    around: FloatArray,
    most: int,
) -> int:
    """Count a user's misses in one class; counting stops beyond ``most``."""
    count = 0
    for s in range(begin, end):
        if wanted[s] and (
            _outside(samples[s], around) or not lies_inside(samples[s], cells, reach, first, last)
        ):
            count += 1
            if count > most:
                break
    return count


@njit(nogil=True, cache=True)
def fewest_misses(
    begin_user: int, end_user: int, people: People, classes: Classes, most: int
) -> IntArray:
    """Return each user's smallest number of misses in any class; ``most`` + 1 if larger."""
    offsets, samples, wanted = people
    cells, reach, first, last, around = classes
    out = np.zeros(end_user - begin_user, np.int64)
    for u in range(begin_user, end_user):
        begin, end, best = offsets[u], offsets[u + 1], 0
        for s in range(begin, end):
            best += wanted[s]
        best = min(best, most + 1)
        for g in range(len(first)):
            if best == 0:
                break
            found = _misses(
                begin, end, samples, wanted, cells, reach, first[g], last[g], around[g], best - 1
            )
            best = min(best, found)
        out[u - begin_user] = best
    return out


@njit(nogil=True, cache=True)
def classes_within(
    begin_user: int,
    end_user: int,
    people: People,
    classes: Classes,
    order: IntArray,
    hulls: FloatArray,
    most: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Return user, class and misses of all pairs with at most ``most[user]`` misses, in order.

    ``order`` has the classes, with :data:`BLOCK` consecutive ones in a block; ``hulls`` are the
    boxes around all boxes of a block. The pairs are in order of user, then class.
    """
    offsets, samples, wanted = people
    cells, reach, first, last, around = classes
    room = 2 * (end_user - begin_user) + 16
    found = np.empty((3, room), np.int64)
    count, box = 0, np.empty(6)
    for u in range(begin_user, end_user):
        begin, end = offsets[u], offsets[u + 1]
        _box_of(begin, end, samples, wanted, box)
        begun = count
        for b in range(len(hulls)):
            if most[u] == 0 and not _reaches(hulls[b], box):
                continue
            for at in range(b * BLOCK, min((b + 1) * BLOCK, len(order))):
                g = order[at]
                if most[u] == 0 and not _reaches(around[g], box):
                    continue
                missed = _misses(
                    begin, end, samples, wanted, cells, reach, first[g], last[g], around[g], most[u]
                )
                if missed > most[u]:
                    continue
                if count == room:
                    found = np.concatenate((found, np.empty((3, room), np.int64)), axis=1)
                    room *= 2
                found[0, count], found[1, count], found[2, count] = u, g, missed
                count += 1
        turn = np.argsort(found[1, begun:count])
        found[1, begun:count] = found[1, begun:count][turn]
        found[2, begun:count] = found[2, begun:count][turn]
    return found[0, :count].copy(), found[1, :count].copy(), found[2, :count].copy()


@njit(nogil=True, cache=True)
def cells_met(user: IntArray, kind: IntArray, people: People, classes: Classes) -> IntArray:
    """Count, for each pair of user and class, the class's cells that meet the user's samples.

    Only samples that count for the user and lie inside the class's cells are used. Such a sample
    meets a cell if the two overlap in time.
    """
    offsets, samples, wanted = people
    cells, reach, first, last, _ = classes
    out = np.zeros(len(user), np.int64)
    stamp = np.full(len(cells), -1, np.int64)
    for i in range(len(user)):
        u, g = user[i], kind[i]
        for s in range(offsets[u], offsets[u + 1]):
            if not wanted[s] or not lies_inside(samples[s], cells, reach, first[g], last[g]):
                continue
            for c in range(may_end_after(reach, first[g], last[g], samples[s, 4] + SLACK), last[g]):
                if cells[c, 4] >= samples[s, 5] - SLACK:
                    break
                if cells[c, 5] > samples[s, 4] + SLACK and stamp[c] != i:
                    stamp[c] = i
                    out[i] += 1
    return out
