"""Inference of homes and positions from records.

The module guesses homes for an attacker who knows where other people live. It finds the home that
makes a record likeliest under the stated noise, exactly, by a bounded search. It also estimates a
person's home, or position at a given time, from a record.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray
from .linkage_density import gap, loss_over
from .linkage_scores import Suspects

_LEVEL = 1e-9  # relative; shares that differ by less count as equal


class HomeMap(NamedTuple):
    """Places where people live, sorted by squares, column by column.

    Place p is at ``x[p]``, ``y[p]`` (metres) and has ``people[p]`` people. The b-th square with
    places has the places ``starts[b]:starts[b+1]``. ``square`` has the numbers of these squares,
    column · ``rows`` + row, ascending. Squares have side ``side`` (m), and the corner of the first
    is (``left``, ``bottom``).
    """

    x: FloatArray
    y: FloatArray
    people: FloatArray
    square: IntArray
    starts: IntArray
    left: float
    bottom: float
    side: float
    rows: int


class NightCells(NamedTuple):
    """Cells of records; record r has the cells ``offsets[r]:offsets[r+1]``, in metres.

    A cell's mass is its weight as evidence of where the person spends the night.
    """

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    mass: FloatArray


@njit(nogil=True, cache=True)
def guess_by_others(
    begin: int,
    end: int,
    record: IntArray,
    home: IntArray,
    own: FloatArray,
    first: FloatArray,
    cells: NightCells,
    known: HomeMap,
    enough: float,
    out: FloatArray,
) -> None:
    """Write the guessed home (x, y, share of mass) of targets ``begin … end − 1`` to ``out``.

    Target i has record ``record[i]``, and represents ``own[i]`` of the people at place ``home[i]``.
    Each cell's mass is divided among the other people's homes in it; if there are none, the mass is
    at the cell's middle. The guess is the point with the most mass around it, at distances up to
    the side of the map's squares. It is ``first[i]``, unless there is more mass around one of the
    middles or around another person's home. Of equal middles, the first is taken; of equal homes,
    the first by x, then y. If no place has the share ``enough``, the guess has a smaller share and
    is not always the best.
    """
    share = np.zeros(len(known.x))
    inside = np.zeros(len(known.square))  # of each square's places together
    touched = np.empty(len(known.square), np.int64)
    bound = np.empty(len(known.square))
    found, of_square = np.empty(len(known.x), np.int64), np.empty(len(known.x), np.int64)
    for i in range(begin, end):
        low, high = cells.offsets[record[i]], cells.offsets[record[i] + 1]
        lone = np.empty((high - low, 3))
        n_lone, n_touched, everything = 0, 0, 0.0
        for s in range(low, high):
            everything += cells.mass[s]
            many = _places_in(cells, s, known, found, of_square)
            total = 0.0
            for k in range(many):
                total += _others(found[k], home[i], own[i], known)
            if total == 0.0:
                lone[n_lone, 0] = cells.x[s] + cells.dx[s] / 2
                lone[n_lone, 1] = cells.y[s] + cells.dy[s] / 2
                lone[n_lone, 2] = cells.mass[s]
                n_lone += 1
                continue
            for k in range(many):
                each = cells.mass[s] * _others(found[k], home[i], own[i], known) / total
                if each > 0.0:
                    if inside[of_square[k]] == 0.0:
                        touched[n_touched] = of_square[k]
                        n_touched += 1
                    share[found[k]] += each
                    inside[of_square[k]] += each
        middles = lone[:n_lone]
        at_x, at_y, by_place = first[i, 0], first[i, 1], False
        most = _around(at_x, at_y, share, middles, known)
        for c in range(n_lone):
            here = _around(middles[c, 0], middles[c, 1], share, middles, known)
            if here > most * (1 + _LEVEL):
                at_x, at_y, most = middles[c, 0], middles[c, 1], here
        rest = middles[:, 2].sum()
        for k in range(n_touched):
            bound[k] = rest + _near(touched[k], inside, known)
        while n_touched > 0:
            # No place in a square has more mass around it than there is around the square.
            k = int(np.argmax(bound[:n_touched]))
            if bound[k] < max(most, enough * everything) * (1 - _LEVEL):
                break
            bound[k] = -1.0
            for p in range(known.starts[touched[k]], known.starts[touched[k] + 1]):
                if share[p] == 0.0:
                    continue
                here = _around(known.x[p], known.y[p], share, middles, known)
                before = by_place and (
                    known.x[p] < at_x or (known.x[p] == at_x and known.y[p] < at_y)
                )
                if here > most * (1 + _LEVEL) or (before and here >= most * (1 - _LEVEL)):
                    at_x, at_y, by_place = known.x[p], known.y[p], True
                    most = max(most, here)
        out[i, 0], out[i, 1], out[i, 2] = at_x, at_y, most / everything
        for k in range(n_touched):
            inside[touched[k]] = 0.0
            share[known.starts[touched[k]] : known.starts[touched[k] + 1]] = 0.0


@njit(nogil=True, cache=True)
def _others(place: int, home: int, own: float, known: HomeMap) -> float:
    """Return the number of people at a place, without the target."""
    return known.people[place] - (own if place == home else 0.0)


@njit(nogil=True, cache=True)
def _places_in(
    cells: NightCells, s: int, known: HomeMap, found: IntArray, of_square: IntArray
) -> int:
    """Write the places in cell s, and the square of each, to the arrays; return their number."""
    x, y = cells.x[s], cells.y[s]
    to_x, to_y, many = x + cells.dx[s], y + cells.dy[s], 0
    low, high = _rows(y, to_y, known)
    column, last = _column(x, known), math.floor((to_x - known.left) / known.side)
    while column <= last and low <= high:
        b = np.searchsorted(known.square, column * known.rows + low)
        while b < len(known.square) and known.square[b] <= column * known.rows + high:
            for p in range(known.starts[b], known.starts[b + 1]):
                if x <= known.x[p] < to_x and y <= known.y[p] < to_y:
                    found[many], of_square[many] = p, b
                    many += 1
            b += 1
        if b == len(known.square):
            break
        column = max(column + 1, known.square[b] // known.rows)  # the next column with a place
    return many


@njit(nogil=True, cache=True)
def _around(x: float, y: float, share: FloatArray, middles: FloatArray, known: HomeMap) -> float:
    """Return the mass at distances from a point up to the side of a square."""
    total, reach = 0.0, known.side * known.side
    low, high = _rows(y - known.side, y + known.side, known)
    last = math.floor((x + known.side - known.left) / known.side)
    for column in range(_column(x - known.side, known), last + 1):
        b = np.searchsorted(known.square, column * known.rows + low)
        while b < len(known.square) and known.square[b] <= column * known.rows + high:
            for p in range(known.starts[b], known.starts[b + 1]):
                if (known.x[p] - x) ** 2 + (known.y[p] - y) ** 2 <= reach:
                    total += share[p]
            b += 1
    for c in range(len(middles)):
        if (middles[c, 0] - x) ** 2 + (middles[c, 1] - y) ** 2 <= reach:
            total += middles[c, 2]
    return total


@njit(nogil=True, cache=True)
def _near(b: int, inside: FloatArray, known: HomeMap) -> float:
    """Return the mass of places in a square and in the eight around it."""
    total, row = 0.0, known.square[b] % known.rows
    low, high = max(row - 1, 0), min(row + 1, known.rows - 1)
    for column in range(known.square[b] // known.rows - 1, known.square[b] // known.rows + 2):
        other = np.searchsorted(known.square, column * known.rows + low)
        while other < len(known.square) and known.square[other] <= column * known.rows + high:
            total += inside[other]
            other += 1
    return total


@njit(nogil=True, cache=True)
def _rows(y: float, to_y: float, known: HomeMap) -> tuple[int, int]:
    """Return the first and last row of squares that the interval from ``y`` to ``to_y`` meets."""
    low = max(math.floor((y - known.bottom) / known.side), 0)
    return low, min(math.floor((to_y - known.bottom) / known.side), known.rows - 1)


@njit(nogil=True, cache=True)
def _column(x: float, known: HomeMap) -> int:
    """Return the number, at least 0, of the column of squares that holds a coordinate."""
    return max(math.floor((x - known.left) / known.side), 0)


_ROOM = 64  # branches that wait: one at each level of the tree, and one more


class HomeTree(NamedTuple):
    """Places where people may live, in a binary tree.

    Branch 0 is the whole tree; branch b is divided into 2b + 1 and 2b + 2. Branches from number
    ``leaves`` on are leaves; the i-th leaf has the places ``starts[i]:starts[i+1]``. ``box[b]`` has
    the bounds of the places of branch b: left, right, bottom and top.

    Place p is at ``x[p]``, ``y[p]``; ``rank[p]`` is its rank by x, then y; ``only[p]`` is its only
    visitor, or −1 if there were several.
    """

    x: FloatArray
    y: FloatArray
    rank: IntArray
    only: IntArray
    starts: IntArray
    leaves: int
    box: FloatArray


class Moved(NamedTuple):
    """Samples that noise has moved; record r has samples ``offsets[r]:offsets[r+1]``.

    ``counts`` is the weight of each sample, and ``density`` the code of the noise's density.
    ``peak`` is the likelihood ratio of a sample at the home itself to a sample anywhere.
    """

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    counts: FloatArray
    density: int
    scale_m: float
    peak: float


@njit(nogil=True, cache=True)
def guess_likeliest(
    begin: int,
    end: int,
    record: IntArray,
    person: IntArray,
    moved: Moved,
    homes: HomeTree,
    out: FloatArray,
) -> None:
    """Write the likeliest home (x, y) of each target ``begin … end − 1`` to ``out[target]``.

    The home is the place with the largest sum of counts · ln(1 + peak · decay) over the record's
    samples. Here, decay is the factor by which the noise's density falls from the place to the
    sample. Ties go to the smaller x, then y. Places that only the target visited are excluded;
    ``out`` is unchanged if there are no others. A branch is skipped if even the points of its box
    nearest to each sample give a smaller sum than the best place so far.
    """
    waiting, most, point = np.empty(_ROOM, np.int64), np.empty(_ROOM), np.empty(4)
    for i in range(begin, end):
        low, high = moved.offsets[record[i]], moved.offsets[record[i] + 1]
        level = _LEVEL * moved.counts[low:high].sum()
        best, at = -math.inf, -1
        waiting[0], most[0], many = 0, math.inf, 1
        while many > 0:
            many -= 1
            branch = waiting[many]
            if most[many] < best - level:
                continue
            if branch < homes.leaves:
                first, second = 2 * branch + 1, 2 * branch + 2
                one = _likely(homes.box[first], low, high, moved)
                other = _likely(homes.box[second], low, high, moved)
                if one > other:  # the more promising branch last: it is next
                    first, second, one, other = second, first, other, one
                waiting[many], most[many] = first, one
                waiting[many + 1], most[many + 1] = second, other
                many += 2
                continue
            leaf = branch - homes.leaves
            for p in range(homes.starts[leaf], homes.starts[leaf + 1]):
                if homes.only[p] == person[i]:
                    continue
                point[:2], point[2:] = homes.x[p], homes.y[p]
                here = _likely(point, low, high, moved)
                before = at >= 0 and here >= best - level and homes.rank[p] < homes.rank[at]
                if here > best + level or before:
                    at = p
                best = max(best, here)
        if at >= 0:
            out[i, 0], out[i, 1] = homes.x[at], homes.y[at]


@njit(nogil=True, cache=True)
def _likely(box: FloatArray, low: int, high: int, moved: Moved) -> float:
    """Return an upper bound on the likelihood sums of homes in a box; exact for a single point."""
    total = 0.0
    for s in range(low, high):
        across, up = gap(moved.x[s], box[0], box[1]), gap(moved.y[s], box[2], box[3])
        loss = loss_over(moved.density, moved.scale_m, across * across + up * up)
        total += moved.counts[s] * math.log(1 + moved.peak * math.exp(-loss))
    return total


_ROUNDS = 60
_NEAR_M = 0.01  # the search ends when the guess moves by less
_LESSER = 1e-6  # added to each cell's mass at night, so that ties go to the most cells


@njit(nogil=True, cache=True)
def _covered(at: float, half: float, begin: float, length: float) -> float:
    """Return the share of ``[begin, begin + length)`` within ``half`` of ``at``."""
    inside = min(at + half, begin + length) - max(at - half, begin)
    return max(0.0, inside) / length


@njit(nogil=True, cache=True)
def guess_homes(
    begin: int, end: int, cells: NightCells, half: float, averaged: bool, out: FloatArray
) -> None:
    """Write the main place at night of each record ``begin … end − 1`` to ``out[record]``.

    The columns are x, y and the share of the record's mass at night that is there.

    The place is the middle of one of the record's cells. This cell has the most mass at night
    within ``half`` of its middle in x and in y. Each cell's mass is spread evenly. Ties are decided
    by the number of the record's cells there at any hour, then by order. With ``averaged``, the
    mean position of the mass there is taken instead. If a record has no mass at night, all its
    cells have equal mass.
    """
    offsets, x, y, dx, dy, night = cells
    for r in range(begin, end):
        low, high = offsets[r], offsets[r + 1]
        any_night = night[low:high].sum() > 0
        most, best, everything = -1.0, low, 0.0
        for c in range(low, high):
            if any_night and night[c] == 0.0:
                continue
            px, py = x[c] + dx[c] / 2, y[c] + dy[c] / 2
            total, everything = 0.0, 0.0
            for s in range(low, high):
                mass = (night[s] if any_night else 1.0) + _LESSER
                total += mass * _covered(px, half, x[s], dx[s]) * _covered(py, half, y[s], dy[s])
                everything += mass
            if total > most * (1 + 1e-12):
                most, best = total, c
        px, py = x[best] + dx[best] / 2, y[best] + dy[best] / 2
        if averaged:
            sum_x, sum_y, total = 0.0, 0.0, 0.0
            for s in range(low, high):
                mass = night[s] if any_night else 1.0
                mass *= _covered(px, half, x[s], dx[s]) * _covered(py, half, y[s], dy[s])
                sum_x += mass * (x[s] + dx[s] / 2)
                sum_y += mass * (y[s] + dy[s] / 2)
                total += mass
            if total > 0:
                px, py = sum_x / total, sum_y / total
        out[r, 0], out[r, 1], out[r, 2] = px, py, most / everything


@njit(nogil=True, cache=True)
def median_place(x: FloatArray, y: FloatArray, mass: FloatArray) -> tuple[float, float]:
    """Return the point with the least mean distance to masses, by Weiszfeld steps from the mean."""
    total = mass.sum()
    at_x, at_y = (x * mass).sum() / total, (y * mass).sum() / total
    for _ in range(_ROUNDS):
        sum_x, sum_y, pull = 0.0, 0.0, 0.0
        for i in range(len(x)):
            if mass[i] == 0.0:
                continue
            weight = mass[i] / max(math.hypot(x[i] - at_x, y[i] - at_y), 1.0)
            sum_x += weight * x[i]
            sum_y += weight * y[i]
            pull += weight
        moved = math.hypot(sum_x / pull - at_x, sum_y / pull - at_y)
        at_x, at_y = sum_x / pull, sum_y / pull
        if moved < _NEAR_M:
            break
    return at_x, at_y


class Spans(NamedTuple):
    """Middles (metres) and times (minutes) of cells.

    Record r has the cells ``offsets[r]:offsets[r+1]``.
    """

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    start: FloatArray
    length: FloatArray


@njit(nogil=True, cache=True)
def guess_places(
    begin: int,
    end: int,
    t: FloatArray,
    suspects: Suspects,
    spans: Spans,
    base: FloatArray,
    out: FloatArray,
) -> None:
    """Write a guess of where each target was at the moment ``t[target]`` to ``out[target]``.

    The guess (x, y) for the targets ``begin … end − 1`` is the point with the least mean distance
    to the suggested places. A suspected record suggests the middles of its cells that hold the
    moment, all equally likely. If no cell does, it suggests the middle of the cell nearest in time.
    Records near no known point suggest ``base``, the guess of an attacker without records.
    """
    record, share, count, rest = suspects
    offsets, x, y, start, length = spans
    for i in range(begin, end):
        room = 1
        for c in range(count[i]):
            room += offsets[record[i, c] + 1] - offsets[record[i, c]]
        at_x, at_y, mass = np.empty(room), np.empty(room), np.empty(room)
        at_x[0], at_y[0], mass[0] = base[0], base[1], rest[i]
        many = 1
        for c in range(count[i]):
            r = record[i, c]
            first, nearest, gap = many, offsets[r], math.inf
            for s in range(offsets[r], offsets[r + 1]):
                apart = max(start[s] - t[i], t[i] - start[s] - length[s], 0.0)
                if start[s] <= t[i] < start[s] + length[s]:
                    at_x[many], at_y[many] = x[s], y[s]
                    many += 1
                elif apart < gap:
                    nearest, gap = s, apart
            if many == first:
                at_x[many], at_y[many] = x[nearest], y[nearest]
                many += 1
            mass[first:many] = share[i, c] / (many - first)
        out[i, 0], out[i, 1] = median_place(at_x[:many], at_y[:many], mass[:many])
