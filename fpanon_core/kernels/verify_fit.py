"""Which published records may be a user's, by their content? For the verifier alone.

Samples, cells and classes as in :mod:`.verify_cover`. A *miss* is a sample that must be held and is
not.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .verify_cover import lies_inside, may_end_after


@njit(nogil=True, cache=True)
def _misses(
    begin: int, end: int, samples: FloatArray, wanted: BoolArray, cells: FloatArray,
    reach: FloatArray, first: int, last: int, slack: float, most: int,
) -> int:  # fmt: skip
    """A user's misses in one class; counting ends beyond ``most``."""
    count = 0
    for s in range(begin, end):
        if wanted[s] and not lies_inside(samples[s], cells, reach, first, last, slack):
            count += 1
            if count > most:
                break
    return count


@njit(nogil=True, cache=True)
def fewest_misses(
    offsets: IntArray, samples: FloatArray, wanted: BoolArray, cells: FloatArray,
    reach: FloatArray, first: IntArray, last: IntArray, slack: float,
) -> IntArray:  # fmt: skip
    """The smallest number of misses of each user in any class."""
    n = len(offsets) - 1
    out = np.zeros(n, np.int64)
    for u in range(n):
        best = 0
        for s in range(offsets[u], offsets[u + 1]):
            best += wanted[s]
        for g in range(len(first)):
            if best == 0:
                break
            found = _misses(offsets[u], offsets[u + 1], samples, wanted, cells, reach, first[g],
                            last[g], slack, best - 1)  # fmt: skip
            best = min(best, found)
        out[u] = best
    return out


@njit(nogil=True, cache=True)
def classes_within(
    offsets: IntArray, samples: FloatArray, wanted: BoolArray, cells: FloatArray,
    reach: FloatArray, first: IntArray, last: IntArray, slack: float, most: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:  # fmt: skip
    """User, class and misses of every pair with at most ``most[user]`` misses, by user."""
    n = len(offsets) - 1
    room = 2 * n + 16
    users, classes, costs = (np.empty(room, np.int64), np.empty(room, np.int64),
                             np.empty(room, np.int64))  # fmt: skip
    count = 0
    for u in range(n):
        for g in range(len(first)):
            found = _misses(offsets[u], offsets[u + 1], samples, wanted, cells, reach, first[g],
                            last[g], slack, most[u])  # fmt: skip
            if found > most[u]:
                continue
            if count == room:
                users = np.concatenate((users, np.empty(room, np.int64)))
                classes = np.concatenate((classes, np.empty(room, np.int64)))
                costs = np.concatenate((costs, np.empty(room, np.int64)))
                room *= 2
            users[count], classes[count], costs[count] = u, g, found
            count += 1
    return users[:count].copy(), classes[:count].copy(), costs[:count].copy()


@njit(nogil=True, cache=True)
def cells_met(
    users: IntArray, classes: IntArray, offsets: IntArray, samples: FloatArray, wanted: BoolArray,
    cells: FloatArray, reach: FloatArray, first: IntArray, last: IntArray, slack: float,
) -> IntArray:  # fmt: skip
    """In how many cells of the class the user has a sample that is held, of each pair."""
    out = np.zeros(len(users), np.int64)
    stamp = np.full(len(cells), -1, np.int64)
    for i in range(len(users)):
        u, g = users[i], classes[i]
        for s in range(offsets[u], offsets[u + 1]):
            if not wanted[s] or not lies_inside(samples[s], cells, reach, first[g], last[g], slack):
                continue
            for c in range(may_end_after(reach, first[g], last[g], samples[s, 4] + slack), last[g]):
                if cells[c, 4] >= samples[s, 5] - slack:
                    break
                if cells[c, 5] > samples[s, 4] + slack and stamp[c] != i:
                    stamp[c] = i
                    out[i] += 1
    return out
