"""Frequency-sensitive competitive learning: antennas are divided among centroids.

Source: Ahalt et al. 1990, as de Montjoye et al. 2013 use it.

The module also counts people in the cells of a grid, once per cell, in one pass over their samples.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray


@njit(nogil=True, cache=True)
def compete(
    x: FloatArray,
    y: FloatArray,
    cx: FloatArray,
    cy: FloatArray,
    wins: FloatArray,
    order: IntArray,
    rate: float,
    fade: float,
) -> None:
    """Make one pass: for each antenna in order, the winning centroid moves towards it by ``rate``.

    The function changes ``cx``, ``cy`` and ``wins``. ``rate`` is the share of the distance, and is
    multiplied by ``fade`` after every antenna.
    """
    for i in order:
        j = winner(x[i], y[i], cx, cy, wins)
        wins[j] += 1.0
        cx[j] += rate * (x[i] - cx[j])
        cy[j] += rate * (y[i] - cy[j])
        rate *= fade


@njit(nogil=True, cache=True)
def assign(
    x: FloatArray, y: FloatArray, cx: FloatArray, cy: FloatArray, wins: FloatArray
) -> IntArray:
    """Return the winning centroid of each antenna; centroids and wins stay unchanged."""
    out = np.empty(len(x), np.int64)
    for i in range(len(x)):
        out[i] = winner(x[i], y[i], cx, cy, wins)
    return out


@njit(nogil=True, cache=True)
def winner(x: float, y: float, cx: FloatArray, cy: FloatArray, wins: FloatArray) -> int:
    """Return the centroid j with the smallest wins_j·‖(x, y) − c_j‖²; of equals, the first."""
    best = 0
    least = np.inf
    for j in range(len(cx)):
        cost = wins[j] * ((x - cx[j]) ** 2 + (y - cy[j]) ** 2)
        if cost < least:
            least = cost
            best = j
    return best


@njit(nogil=True, cache=True)
def visited(cell: IntArray, offsets: IntArray, n_cells: int) -> tuple[IntArray, IntArray]:
    """Return the distinct cells of each user, and where each user's cells begin.

    ``cell`` is the number of each sample's cell, from 0; user u has the samples
    ``offsets[u]:offsets[u+1]``.
    """
    last = np.full(n_cells, -1, np.int64)  # the user who was seen there last
    out = np.empty(len(cell), np.int64)
    ends = np.zeros(len(offsets), np.int64)
    found = 0
    for u in range(len(offsets) - 1):
        for row in range(offsets[u], offsets[u + 1]):
            c = cell[row]
            if last[c] != u:
                last[c] = u
                out[found] = c
                found += 1
        ends[u + 1] = found
    return out[:found].copy(), ends


@njit(nogil=True, cache=True)
def crowds(cell: IntArray, piece: IntArray, offsets: IntArray, weight: IntArray) -> tuple[int, int]:
    """Return Σ n² and Σ n over cells with n people each; whole numbers, so that ties are exact.

    A piece is where a strip in x crosses a strip in y. ``cell`` is the number,
    from 0, of the cell that holds each piece. User u was in the pieces
    ``piece[offsets[u]:offsets[u+1]]`` and represents ``weight[u]`` people.
    """
    n_cells = cell.max() + 1
    last = np.full(n_cells, -1, np.int64)
    people = np.zeros(n_cells, np.int64)
    for u in range(len(weight)):
        for row in range(offsets[u], offsets[u + 1]):
            c = cell[piece[row]]
            if last[c] != u:
                last[c] = u
                people[c] += weight[u]
    squares, total = 0, 0
    for c in range(n_cells):
        squares += people[c] * people[c]
        total += people[c]
    return squares, total
