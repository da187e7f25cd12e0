"""Contributions of people to tables of presence and flows, and numbering of cells.

These functions are called by :mod:`fpanon_core.aggregates.contributions`, which documents what is
counted, and by :mod:`fpanon_core.attacks.aggregation`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts

UNIT = 1 << 16
"""Largest contribution of one person to a private table; contributions are whole numbers."""

_DAY_MIN = 1440.0


class Seen(NamedTuple):
    """Samples of some people, sorted by person and start; area −1 is outside the frame.

    Samples of person i are rows ``offsets[i]:offsets[i+1]``; ``kind`` is the type of each day, and
    ``days`` the number of days of each type.
    """

    offsets: IntArray
    area: SmallInts
    wall_min: FloatArray
    t_min: FloatArray
    events: IntArray
    weight: IntArray
    kind: IntArray
    days: IntArray


@njit(nogil=True, cache=True)
def add_presence(seen: Seen, bands: int, most: int, cells: FloatArray) -> float:
    """Add everybody's presence to ``cells[area, kind, band]``, raveled.

    ``most`` is the number of bands in which one person can be present, or 0. Unless it is 0, each
    person's presence is divided by its sum, multiplied by ``UNIT`` and rounded down. The result is
    then the sum, over people, of presence as a share of ``most`` (at most 1), multiplied and
    rounded in the same way.
    """
    width, kinds = _DAY_MIN / bands, len(seen.days)
    slot = np.empty(int(np.diff(seen.offsets).max()), np.int64)
    samples = np.zeros(len(seen.kind) * bands, np.int64)
    present = 0.0
    for user in range(len(seen.offsets) - 1):
        begin, end = seen.offsets[user], seen.offsets[user + 1]
        for row in range(begin, end):
            day = np.floor(seen.wall_min[row] / _DAY_MIN)
            slot[row - begin] = -1
            if 0 <= day < len(seen.kind):
                band = min(int((seen.wall_min[row] % _DAY_MIN) // width), bands - 1)
                slot[row - begin] = int(day) * bands + band
                samples[slot[row - begin]] += 1
        total = 0.0
        for row in range(begin, end):
            at = slot[row - begin]
            if at >= 0 and seen.area[row] >= 0:
                total += 1.0 / samples[at] / seen.days[seen.kind[at // bands]]
        if most > 0:
            present += np.floor(UNIT * min(total / most, 1.0))
        for row in range(begin, end):
            at = slot[row - begin]
            if at >= 0 and seen.area[row] >= 0:
                kind = seen.kind[at // bands]
                amount = 1.0 / samples[at] / seen.days[kind]
                if most > 0:
                    amount = np.floor(UNIT * (amount / total))
                else:
                    amount *= seen.weight[user]
                cells[(seen.area[row] * kinds + kind) * bands + at % bands] += amount
        for row in range(end - begin):
            if slot[row] >= 0:
                samples[slot[row]] = 0
    return present


@njit(nogil=True, cache=True)
def _trips(seen: Seen, user: int, areas: int, trips: IntArray) -> int:
    """Fill in the cells of a person's trips, and return the number of trips."""
    many, last, last_kind = 0, -1, 0
    row, end = seen.offsets[user], seen.offsets[user + 1]
    while row < end:
        day = np.floor(seen.wall_min[row] / _DAY_MIN)
        main, first = row, row
        while row < end and seen.t_min[row] == seen.t_min[first]:
            if seen.events[row] > seen.events[main]:  # ties: the first
                main = row
            row += 1
        if 0 <= day < len(seen.kind):
            here = seen.area[main]
            if here >= 0 and last >= 0 and here != last:
                trips[many] = (last * areas + here) * len(seen.days) + last_kind
                many += 1
            last, last_kind = here, seen.kind[int(day)]
    return many


@njit(nogil=True, cache=True)
def add_flows(seen: Seen, areas: int, most: int, draw: FloatArray, cells: FloatArray) -> None:
    """Add everybody's trips to ``cells[origin, destination, kind]``, raveled.

    Unless ``most`` is 0, at most that many of a person's trips count, chosen at random, and each
    adds ``UNIT // most``; ``draw`` has a number in [0, 1) for each row.
    """
    trips = np.empty(int(np.diff(seen.offsets).max()), np.int64)
    for user in range(len(seen.offsets) - 1):
        many = _trips(seen, user, areas, trips)
        if most == 0:
            for i in range(many):
                cells[trips[i]] += seen.weight[user]
            continue
        # Each trip left is equally likely, so all choices of this many trips are equally likely.
        wanted = min(most, many)
        for i in range(many):
            if draw[seen.offsets[user] + i] * (many - i) < wanted:
                cells[trips[i]] += UNIT // most
                wanted -= 1


@njit(nogil=True, cache=True)
def _slot_of(keys: IntArray, one: int, slots: SmallInts) -> int:
    """Return the slot of row ``one`` of ``keys``, or of an equal row, in an open hash table."""
    mixed = np.uint64(0)
    for part in keys[one]:
        mixed = (mixed ^ np.uint64(part)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    last = len(slots) - 1
    at = np.int64(mixed & np.uint64(last))
    while slots[at] >= 0:
        other = slots[at]
        same = True
        for part in range(keys.shape[1]):
            same &= keys[one, part] == keys[other, part]
        if same:
            break
        at = (at + 1) & last
    return int(at)


@njit(nogil=True, cache=True)
def number_cells(
    x: FloatArray, y: FloatArray, dx: FloatArray, dy: FloatArray, cell: SmallInts
) -> IntArray:
    """Set ``cell`` to the number of each row's rectangle; return the first row with each number.

    Rectangles are numbered from 0 in order of appearance. Rows with equal values in all four
    columns have the same rectangle.
    """
    slots = np.full(1 << 12, -1, np.int32)
    first, keys = np.empty(1 << 11, np.int64), np.empty((1 << 11, 4), np.int64)
    own, many = np.empty(4, np.float64), 0
    for row in range(len(x)):
        own[0], own[1], own[2], own[3] = x[row], y[row], dx[row], dy[row]
        own += 0.0  # turns −0 into 0, because keys are bits
        keys[many] = own.view(np.int64)
        at = _slot_of(keys, many, slots)
        if slots[at] < 0:
            slots[at], first[many] = many, row
            many += 1
        cell[row] = slots[at]
        if many == len(first):
            first = np.concatenate((first, np.empty(many, np.int64)))
            keys = np.concatenate((keys, np.empty((many, 4), np.int64)))
            slots = np.full(2 * len(slots), -1, np.int32)
            for one in range(many):
                slots[_slot_of(keys, one, slots)] = one
    return first[:many]
