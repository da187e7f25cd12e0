"""Likeness of two periods' records in place and hour of the day, and likelihood of moves.

Likeness is computed for records that meet in a bin. Moves lead from the last cells of one period to
the first cells of the next. :mod:`fpanon_core.attacks.relinking` calls these functions, and
documents the figures.

Source: docs/science.md, “Whose records belong together”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts
from .bisection import first_from

ANY_HOUR = 0.5
"""Share of a sample's mass that counts for the place at any hour."""

_CLOSE_M = 1e-6
_HOURS = 24.0


class Side(NamedTuple):
    """Records of one of two compared periods, by bin; a bin is a rectangle and some hours.

    Row i of ``corners`` is (x, y, x end, y end) of bin i, in metres, ascending by x. Bit h of
    ``hours[i]`` is set if the bin has hour h of the day. The entries of bin i are rows
    ``starts[i]:starts[i+1]`` of ``record`` and ``mass`` (samples there). ``share[i]`` is the mean,
    over the period's people, of their share of samples in the bin. No bin is wider than ``widest``.
    """

    corners: FloatArray
    hours: SmallInts
    starts: IntArray
    record: SmallInts
    mass: FloatArray
    share: FloatArray
    widest: float


class Marks(NamedTuple):
    """Bins of records: record i has ``mass[j]`` samples in bin ``bins[j]`` of its period.

    For record i, j goes from ``offsets[i]`` to ``offsets[i+1]``.
    """

    offsets: IntArray
    bins: SmallInts
    mass: FloatArray


class Moves(NamedTuple):
    """Distances that people travel in given times, from moves within a release's records.

    ``chance`` (n_gaps + 1, n_ways + 1) is the probability of each class of distance, by class of
    the time between two samples; rows sum to 1. ``ways`` (m²) and ``gaps`` (min²) are the squares
    of the classes' edges. ``errors`` (2,) are the variances that noise adds to a distance (m²) and
    to a time between samples (min²).
    """

    chance: FloatArray
    ways: FloatArray
    gaps: FloatArray
    errors: FloatArray


@njit(nogil=True, cache=True, inline="always")
def _bits(hours: int) -> int:
    """Return the number of hours in a bit set."""
    hours = hours - ((hours >> 1) & 0x55555555)
    hours = (hours & 0x33333333) + ((hours >> 2) & 0x33333333)
    return (((hours + (hours >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@njit(nogil=True, cache=True, inline="always")
def _meet(a: FloatArray, b: FloatArray, hours_a: int, hours_b: int) -> float:
    """Return the mean density of one bin over another, per square metre; 0 if they are apart."""
    up = min(a[3], b[3]) - max(a[1], b[1])
    across = min(a[2], b[2]) - max(a[0], b[0])
    if up <= _CLOSE_M or across <= _CLOSE_M:
        return 0.0
    areas = (a[2] - a[0]) * (a[3] - a[1]) * (b[2] - b[0]) * (b[3] - b[1])
    common = _HOURS * _bits(hours_a & hours_b) / (_bits(hours_a) * _bits(hours_b))
    return across * up / areas * (ANY_HOUR + (1 - ANY_HOUR) * common)


@njit(nogil=True, cache=True)
def usual_density(
    begin: int, end: int, corners: FloatArray, hours: SmallInts, side: Side, out: FloatArray
) -> None:
    """Set ``out[i]`` to the mean person's density, per m², in each bin ``begin … end−1``.

    The mean is over the people of ``side``; ``corners`` and ``hours`` describe the bins.
    """
    west = side.corners[:, 0]
    for i in range(begin, end):
        total = 0.0
        at = first_from(west, corners[i, 0] - side.widest, 0, len(west))
        while at < len(west) and west[at] < corners[i, 2]:
            total += side.share[at] * _meet(corners[i], side.corners[at], hours[i], side.hours[at])
            at += 1
        out[i] = total


@njit(nogil=True, cache=True)
def likest(
    begin: int,
    end: int,
    records: Marks,
    mine: Side,
    usual: FloatArray,
    other: Side,
    other_usual: FloatArray,
    weight: IntArray,
    most: int,
    column: SmallInts,
    value: FloatArray,
    many: IntArray,
) -> None:
    """Find the other period's records most similar to each of the records ``begin … end−1``.

    ``usual`` is the density of the other period's mean person in each bin of ``mine``, and
    ``other_usual`` is the density of this period's mean person in each bin of ``other``. Each
    record of ``other`` represents ``weight`` people. Row i of ``column`` and ``value`` gets the
    ``many[i]`` most similar records, best first. The row ends when the columns are full, or once
    its records together represent ``most`` people. Records that record i never meets have likeness
    0 and are not listed.
    """
    offsets, bins, mass = records
    west = other.corners[:, 0]
    here, there = np.zeros(len(weight)), np.zeros(len(other.corners))
    score = np.zeros(len(weight))
    near, met = np.empty(len(weight), np.int32), np.empty(len(there), np.int32)
    touched = np.empty(len(weight), np.int32)
    for i in range(begin, end):
        n_met, n_touched = 0, 0
        for j in range(offsets[i], offsets[i + 1]):
            b = bins[j]
            box, hours = mine.corners[b], mine.hours[b]
            n_near = 0
            at = first_from(west, box[0] - other.widest, 0, len(west))
            while at < len(west) and west[at] < box[2]:
                density = _meet(box, other.corners[at], hours, other.hours[at])
                if density > 0.0:
                    if there[at] == 0.0:
                        met[n_met] = at
                        n_met += 1
                    there[at] += mass[j] * density
                    for e in range(other.starts[at], other.starts[at + 1]):
                        r = other.record[e]
                        if here[r] == 0.0:
                            near[n_near] = r
                            n_near += 1
                        here[r] += other.mass[e] * density
                at += 1
            said = math.sqrt(mass[j])
            for c in range(n_near):
                r = near[c]
                if score[r] == 0.0:
                    touched[n_touched] = r
                    n_touched += 1
                score[r] += said * math.log1p(here[r] / usual[b])
                here[r] = 0.0
        for c in range(n_met):
            at = met[c]
            gain = math.log1p(there[at] / other_usual[at])
            there[at] = 0.0
            for e in range(other.starts[at], other.starts[at + 1]):
                score[other.record[e]] += math.sqrt(other.mass[e]) * gain
        some = np.sort(touched[:n_touched])
        order = np.argsort(-score[some], kind="mergesort")
        kept, people = 0, 0
        for c in order[: min(n_touched, column.shape[1])]:
            if people >= most:
                break
            column[i, kept], value[i, kept] = some[c], score[some[c]]
            people += weight[some[c]]
            kept += 1
        many[i] = kept
        for c in range(n_touched):
            score[touched[c]] = 0.0


@njit(nogil=True, cache=True, inline="always")
def class_of(value: float, edges: FloatArray) -> int:
    """Return how many of the ascending edges are at most the value."""
    number = 0
    while number < len(edges) and value >= edges[number]:
        number += 1
    return number


@njit(nogil=True, cache=True, inline="always")
def far(one: FloatArray, other: FloatArray, error: float) -> float:
    """Return the mean square distance (m²) between two cells (x, y, variance of the place, …).

    ``error`` is the variance that noise adds.
    """
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + one[2] + other[2] + error


@njit(nogil=True, cache=True, inline="always")
def late(one: FloatArray, other: FloatArray, error: float) -> float:
    """Return the mean square of the time (min²) between two cells (…, time, its variance).

    ``error`` is the variance that noise adds.
    """
    return (one[3] - other[3]) ** 2 + one[4] + other[4] + error


@njit(nogil=True, cache=True)
def count_moves(one: FloatArray, other: FloatArray, moves: Moves) -> None:
    """In ``moves.chance``, count each pair of cells ``one[i]``, ``other[i]``.

    The row is the class of the time between the cells; the column is the class of their distance.
    """
    for i in range(len(one)):
        time = class_of(late(one[i], other[i], moves.errors[1]), moves.gaps)
        moves.chance[time, class_of(far(one[i], other[i], moves.errors[0]), moves.ways)] += 1


@njit(nogil=True, cache=True)
def add_moves(
    begin: int,
    end: int,
    offsets: IntArray,
    column: SmallInts,
    last: FloatArray,
    weight: IntArray,
    first: FloatArray,
    moves: Moves,
    value: FloatArray,
) -> None:
    """Add ln(1 + likelihood ratio of the move) to ``value`` for the records ``begin … end−1``.

    Parameters
    ----------
    offsets, column, value : ndarrays
        Sparse table with a row for each record of the later period, and a column for each record of
        the earlier period.
    last : float64 ndarray (n_earlier, 5)
        Last cells of the earlier records: x, y, variance of the place, time, its variance.
    weight : int64 ndarray (n_earlier,)
        Number of people that each earlier record represents.
    first : float64 ndarray (n_later, 5)
        First cells of the later records.
    moves : Moves
    """
    chance, ways, gaps, errors = moves
    where = np.empty(len(last), np.int8)
    everybody = float(weight.sum())
    for i in range(begin, end):
        people = np.zeros(len(ways) + 1)
        for r in range(len(last)):
            where[r] = class_of(far(last[r], first[i], errors[0]), ways)
            people[where[r]] += weight[r]
        for at in range(offsets[i], offsets[i + 1]):
            r = column[at]
            time = class_of(late(last[r], first[i], errors[1]), gaps)
            usual = people[where[r]] / everybody
            value[at] += math.log1p(chance[time, where[r]] / usual)
