"""Contributions of one person to each statistic: whole numbers, at most ``UNIT``.

:mod:`fpanon_core.synthesis.statistics` calls these functions, and documents the statistics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts
from .table_sums import UNIT, Seen

HOME, ANCHOR, OTHER = 0, 1, 2
MOST_COUNTED = 128
"""Maximum number of one person's events, and of moves, that the statistic ``amounts`` counts."""
MOST_OF_SAMPLE = 1 << 20
"""Maximum number of events of one sample that count, so that their sums are exact."""

_DAY_MIN, _HOUR_MIN, _HOURS = 1440.0, 60.0, 24
_NIGHT_BEGINS_H, _NIGHT_ENDS_H, _NIGHT_WEIGHT = 21, 7, 3
_WORK_BEGINS_H, _WORK_ENDS_H, _WORK_WEIGHT = 9, 17, 2


class Bins(NamedTuple):
    """Public bounds of the statistics' bins, and the first cell of each statistic.

    Attributes
    ----------
    x_m, y_m : float64 ndarray (n_places,)
        Centres of the places.
    zone : int32 ndarray (n_places,)
        Zone of each place.
    ring_m, class_m : float64 ndarray
        Upper bounds of distances, and of the radii of gyration that classify people.
    events, places, home : float64 ndarray
        Lower bounds of all bins except the first: numbers of events, numbers of places, and shares
        of events at home.
    gap_min : float64 ndarray
        Upper bounds of the times between two samples, in minutes.
    first : int64 ndarray (11,)
        Number of cells before each statistic, in the order of ``SHARES``.
    """

    x_m: FloatArray
    y_m: FloatArray
    zone: SmallInts
    ring_m: FloatArray
    class_m: FloatArray
    events: FloatArray
    places: FloatArray
    home: FloatArray
    gap_min: FloatArray
    first: IntArray


@njit(nogil=True, cache=True)
def add_statistics(seen: Seen, bins: Bins, cells: FloatArray) -> None:
    """Add everybody's statistics to ``cells``; ``seen.area`` holds place numbers."""
    longest = int(np.diff(seen.offsets).max())
    place, hour = np.empty(longest, np.int64), np.empty(longest, np.int64)
    day, t_min, events = np.empty(longest, np.int64), np.empty(longest), np.empty(longest)
    n_places = len(bins.zone)
    visits, nights, works = np.zeros(n_places), np.zeros(n_places), np.zeros(n_places)
    known = np.empty(longest, np.int64)
    roles = np.zeros((3, len(seen.days), _HOURS))
    of_day, width = np.zeros(len(seen.kind)), len(bins.gap_min) + 1
    gaps = np.zeros(2 * width)
    for user in range(len(seen.offsets) - 1):
        n, many = 0, 0
        for row in range(seen.offsets[user], seen.offsets[user + 1]):
            at = np.floor(seen.wall_min[row] / _DAY_MIN)
            if seen.area[row] < 0 or at < 0 or at >= len(seen.kind):
                continue
            here, number = seen.area[row], float(min(seen.events[row], MOST_OF_SAMPLE))
            place[n], day[n], t_min[n], events[n] = here, int(at), seen.t_min[row], number
            hour[n] = min(int((seen.wall_min[row] % _DAY_MIN) // _HOUR_MIN), _HOURS - 1)
            if visits[here] == 0:
                known[many] = here
                many += 1
            visits[here] += number
            night = hour[n] >= _NIGHT_BEGINS_H or hour[n] < _NIGHT_ENDS_H
            nights[here] += number * (_NIGHT_WEIGHT if night else 1)
            work = seen.kind[day[n]] == 0 and _WORK_BEGINS_H <= hour[n] < _WORK_ENDS_H
            works[here] += number * (_WORK_WEIGHT if work else 1)
            n += 1
        if n == 0:
            continue
        home = _most(known[:many], nights, -1)
        anchor = _most(known[:many], works, home)
        total = events[:n].sum()
        away = total - visits[home]
        _add_places(bins, cells, known[:many], visits, home, total)
        radius = _radius(bins, place[:n], events[:n], total)
        kind = np.searchsorted(bins.class_m, radius)
        rings = len(bins.ring_m) + 1
        base = bins.first[6] + kind * 2 * rings
        if anchor >= 0:
            cells[base + _ring(bins, home, anchor)] += UNIT // 2
        rest = away - (visits[anchor] if anchor >= 0 else 0.0)
        for other in known[:many]:
            if other != home and other != anchor:
                share = np.floor(UNIT // 2 * (visits[other] / rest))
                cells[base + rings + _ring(bins, home, other)] += share
        cells[bins.first[9] + np.searchsorted(bins.ring_m, radius)] += UNIT
        moves = 0
        for i in range(1, n):
            moved = place[i] != place[i - 1]
            moves += moved
            gap = np.searchsorted(bins.gap_min, t_min[i] - t_min[i - 1], side="right")
            gaps[int(moved) * width + gap] += 1
        halves = bins.first[5]
        cells[halves] += np.floor(UNIT // 2 * (min(total, MOST_COUNTED) / MOST_COUNTED))
        cells[halves + 1] += np.floor(UNIT // 2 * (min(moves, MOST_COUNTED) / MOST_COUNTED))
        for i in range(n):
            role = HOME if place[i] == home else ANCHOR if place[i] == anchor else OTHER
            roles[role, seen.kind[day[i]], hour[i]] += events[i]
            of_day[day[i]] += events[i]
        _add_shares(roles.ravel(), total, bins.first[3], cells)
        _add_shares(gaps, float(max(n - 1, 1)), bins.first[7], cells)
        _add_shares(of_day, total, bins.first[8], cells)
        roles[:] = 0.0
        of_day[:] = 0.0
        gaps[:] = 0.0
        for other in known[:many]:
            visits[other] = nights[other] = works[other] = 0.0


@njit(nogil=True, cache=True)
def _add_places(
    bins: Bins,
    cells: FloatArray,
    known: IntArray,
    visits: FloatArray,
    home: int,
    total: float,
) -> None:
    """Count a person: home, other places, numbers of events and places, share of events at home."""
    away = total - visits[home]
    cells[bins.first[0]] += UNIT
    cells[bins.first[1] + bins.zone[home]] += UNIT
    for other in known:
        if other != home:
            cells[bins.first[2] + bins.zone[other]] += np.floor(UNIT * (visits[other] / away))
    row = np.searchsorted(bins.events, total, side="right")
    column = np.searchsorted(bins.places, float(len(known)), side="right")
    cells[bins.first[4] + row * (len(bins.places) + 1) + column] += UNIT
    at_home = np.searchsorted(bins.home, visits[home] / total, side="right")
    cells[bins.first[10] + at_home] += UNIT


@njit(nogil=True, cache=True)
def _add_shares(amounts: FloatArray, total: float, first: int, cells: FloatArray) -> None:
    for i in range(len(amounts)):
        if amounts[i] > 0:
            cells[first + i] += np.floor(UNIT * (amounts[i] / total))


@njit(nogil=True, cache=True)
def _most(known: IntArray, amount: FloatArray, but: int) -> int:
    """Return the place other than ``but`` with the largest amount (ties: the lowest; −1 = none)."""
    best = -1
    for place in known:
        if place == but:
            continue
        more = best < 0 or amount[place] > amount[best]
        if more or (amount[place] == amount[best] and place < best):
            best = place
    return best


@njit(nogil=True, cache=True)
def _ring(bins: Bins, one: int, other: int) -> int:
    apart = np.hypot(bins.x_m[one] - bins.x_m[other], bins.y_m[one] - bins.y_m[other])
    return int(np.searchsorted(bins.ring_m, apart, side="right"))


@njit(nogil=True, cache=True)
def _radius(bins: Bins, place: IntArray, events: FloatArray, total: float) -> float:
    """Return the radius of gyration over events, in metres."""
    x = y = square = 0.0
    for i in range(len(place)):
        x += bins.x_m[place[i]] * events[i] / total
        y += bins.y_m[place[i]] * events[i] / total
    for i in range(len(place)):
        off = (bins.x_m[place[i]] - x) ** 2 + (bins.y_m[place[i]] - y) ** 2
        square += off * events[i] / total
    return float(np.sqrt(square))
