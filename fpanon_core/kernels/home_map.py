"""Where would somebody look for a home who knows where other people live?

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray

_LEVEL = 1e-9  # relative; shares that differ by less are alike


class HomeMap(NamedTuple):
    """Places where people live, by squares, column by column.

    Place p is at ``x[p]``, ``y[p]`` with ``people[p]``; those of the b-th square that has any are
    ``starts[b]:starts[b+1]``. ``square`` are the numbers of these, column · ``rows`` + row,
    ascending, from the corner (``left``, ``bottom``), of side ``side``.
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
    """The distinct cells of records with their nights: ``offsets[r]:offsets[r+1]`` are r's."""

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    mass: FloatArray


@njit(nogil=True, cache=True)
def guess_by_others(
    begin: int, end: int, record: IntArray, home: IntArray, own: FloatArray, first: FloatArray,
    cells: NightCells, known: HomeMap, enough: float, out: FloatArray,
) -> None:  # fmt: skip
    """The guesses for the targets ``begin … end − 1``: x, y, share of mass into ``out[target]``.

    Target i has record ``record[i]`` and counts ``own[i]`` of the people at place ``home[i]``. Each
    cell's mass is shared among the other people's homes in it; without any, it is at the cell's
    middle. The guess is that around which, within the side of the map's squares, most mass is:
    ``first[i]``, unless there is more around one of the middles, the first of them, or around
    another's home, the first by x, then y. Where no place has the share ``enough``, it is one that
    has less, not always the best.
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
            many = _places_in(cells.x[s], cells.x[s] + cells.dx[s], cells.y[s],
                              cells.y[s] + cells.dy[s], known, found, of_square)  # fmt: skip
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
            # Around no place of a square is more than around the square.
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
    """People at a place, without the one who is asked for."""
    return known.people[place] - (own if place == home else 0.0)


@njit(nogil=True, cache=True)
def _places_in(
    x: float, to_x: float, y: float, to_y: float, known: HomeMap, found: IntArray,
    of_square: IntArray,
) -> int:  # fmt: skip
    """How many places are in a cell; which, and in which square each, into the arrays."""
    many = 0
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
        column = max(column + 1, known.square[b] // known.rows)  # the next with a place
    return many


@njit(nogil=True, cache=True)
def _around(x: float, y: float, share: FloatArray, middles: FloatArray, known: HomeMap) -> float:
    """Mass within the side of a square around a point."""
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
    """Mass of places in a square and in the eight around it."""
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
    """The first and last row of squares that reach into a stretch."""
    low = max(math.floor((y - known.bottom) / known.side), 0)
    return low, min(math.floor((to_y - known.bottom) / known.side), known.rows - 1)


@njit(nogil=True, cache=True)
def _column(x: float, known: HomeMap) -> int:
    """The column of squares that a point is in, of those at the map's edge or on it."""
    return max(math.floor((x - known.left) / known.side), 0)
