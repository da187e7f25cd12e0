"""Inverted index of known bins, which finds the users whose records hold a set of bins.

The class E of a target consists of the users whose records hold all known bins of the target.
Bins are compared by the bits of their six numbers, given as uint64 arrays. Tuples of arrays are
unpacked before a loop, because numba counts references to each array of a tuple at every call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import BoolArray, IntArray, SmallInts
from .bisection import first_from

Bits = npt.NDArray[np.uint64]


class Bins(NamedTuple):
    """Corner and extent of each bin (or point, or sample) as the bits of six float64 numbers."""

    x: Bits
    y: Bits
    t: Bits
    dx: Bits
    dy: Bits
    dt: Bits


class Index(NamedTuple):
    """Users in each bin, and known bins of each target.

    The known bins of target i are ``number[offsets[i]:offsets[i+1]]``. The users in bin b are
    ``users[starts[b]:starts[b+1]]``, ascending.
    """

    offsets: IntArray
    number: SmallInts
    starts: IntArray
    users: SmallInts


_MINUS_ZERO = np.uint64(1 << 63)  # the bits of -0.0, which is the same number as 0.0
_ZERO = np.uint64(0)
_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xC2B2AE3D27D4EB4F)
_C = np.uint64(0x165667B19E3779F9)
_HALF = np.uint64(32)


@njit(nogil=True, cache=True, inline="always")
def _plain(bits: np.uint64) -> np.uint64:
    return _ZERO if bits == _MINUS_ZERO else bits


@njit(nogil=True, cache=True, inline="always")
def _slot(x: np.uint64, y: np.uint64, t: np.uint64, mask: np.uint64) -> np.uint64:
    """Return the first table slot to try.

    Round numbers have empty low bits, so the high bits are folded in.
    """
    h = (x ^ (x >> _HALF)) * _A
    h = (h ^ (h >> _HALF) ^ y) * _B
    h = (h ^ (h >> _HALF) ^ t) * _C
    h = (h ^ (h >> _HALF)) * _A
    return (h >> _HALF) & mask


@njit(nogil=True, cache=True)
def enter_bins(
    points: Bins, timeless: bool, table: SmallInts, first: IntArray, number: SmallInts
) -> int:
    """Number the distinct bins; return how many there are.

    The function sets ``number[i]``, the bin of each point, and ``first[b]``, a point in bin b. It
    also fills the hash ``table``, which must hold −1 before. The table's length must be a power of
    2, and at least twice the number of bins.
    """
    x, y, t, dx, dy, dt = points
    mask = np.uint64(len(table) - 1)
    many = 0
    for i in range(len(x)):
        xi, yi = _plain(x[i]), _plain(y[i])
        ti = _ZERO if timeless else _plain(t[i])
        at = _slot(xi, yi, ti, mask)
        while True:
            b = table[at]
            if b < 0:
                table[at] = many
                first[many] = i
                number[i] = many
                many += 1
                break
            j = first[b]
            if (
                _plain(x[j]) == xi
                and _plain(y[j]) == yi
                and dx[j] == dx[i]
                and dy[j] == dy[i]
                and (timeless or (_plain(t[j]) == ti and dt[j] == dt[i]))
            ):
                number[i] = b
                break
            at = (at + np.uint64(1)) & mask
    return many


@njit(nogil=True, cache=True)
def find_bins(
    offsets: IntArray,
    begin: int,
    end: int,
    samples: Bins,
    timeless: bool,
    table: SmallInts,
    bins: Bins,
) -> tuple[SmallInts, SmallInts]:
    """Return each pair (known bin, user) once, for the users ``begin … end−1`` who have the bin.

    The pairs are in order of users. Samples may be at −0.0; the bins may not.
    """
    x, y, t, dx, dy, dt = samples
    bx, by, bt, bdx, bdy, bdt = bins
    room = offsets[end] - offsets[begin]
    found_bin, found_user = np.empty(room, np.int32), np.empty(room, np.int32)
    last = np.full(len(bx), -1, np.int32)
    mask = np.uint64(len(table) - 1)
    many = 0
    for u in range(begin, end):
        for s in range(offsets[u], offsets[u + 1]):
            xs, ys = _plain(x[s]), _plain(y[s])
            ts = _ZERO if timeless else _plain(t[s])
            at = _slot(xs, ys, ts, mask)
            while True:
                b = table[at]
                if b < 0:
                    break
                if (
                    bx[b] == xs
                    and by[b] == ys
                    and bdx[b] == dx[s]
                    and bdy[b] == dy[s]
                    and (timeless or (bt[b] == ts and bdt[b] == dt[s]))
                ):
                    # A place is visited at several times; a user counts once.
                    if last[b] != u:
                        last[b] = u
                        found_bin[many] = b
                        found_user[many] = u
                        many += 1
                    break
                at = (at + np.uint64(1)) & mask
    return found_bin[:many].copy(), found_user[:many].copy()


@njit(nogil=True, cache=True)
def fill_lists(found_bin: SmallInts, found_user: SmallInts, at: IntArray, users: SmallInts) -> None:
    """Write each user of ``found_user`` to the list of the bin in ``found_bin``.

    ``at[b]``, the next free position in the list of bin b, advances.
    """
    for i in range(len(found_bin)):
        b = found_bin[i]
        users[at[b]] = found_user[i]
        at[b] += 1


@njit(nogil=True, cache=True)
def keep_common(some: SmallInts, count: int, users: SmallInts, begin: int, end: int) -> int:
    """Keep the users of ``some[:count]`` who are in ``users[begin:end]``; return their number.

    Both lists ascend. The search uses steps of doubling length, then bisection. It is as fast as
    merging if the lists have similar lengths, and much faster if one is far longer.
    """
    kept = 0
    low = begin
    for i in range(count):
        wanted = some[i]
        step = 1
        high = low
        while high < end and users[high] < wanted:
            low = high + 1
            high += step
            step *= 2
        low = first_from(users, wanted, low, min(high, end))
        if low == end:
            break
        if users[low] == wanted:
            some[kept] = wanted
            kept += 1
            low += 1
    return kept


@njit(nogil=True, cache=True)
def _class_of(known: SmallInts, starts: IntArray, users: SmallInts, common: SmallInts) -> int:
    """Write the users who are in the lists of all known bins to ``common``; return their number.

    The shortest list is taken first.
    """
    bins = known.astype(np.int64)
    order = np.argsort(starts[bins + 1] - starts[bins])
    b = bins[order[0]]
    count = starts[b + 1] - starts[b]
    common[:count] = users[starts[b] : starts[b + 1]]
    for j in order[1:]:
        if count == 0:
            break
        b = bins[j]
        count = keep_common(common, count, users, starts[b], starts[b + 1])
    return count


@njit(nogil=True, cache=True)
def class_sums(
    begin: int, end: int, some: IntArray, index: Index, values: IntArray, sums: IntArray
) -> None:
    """Sum each row of ``values`` (m, n_users) over the class E of each target ``some[begin:end]``.

    With weights as values, the sum is |E|. Sums are written to ``sums[:, begin:end]``.
    """
    offsets, number, starts, users = index
    common = np.empty(values.shape[1], np.int32)
    for i in range(begin, end):
        known = number[offsets[some[i]] : offsets[some[i] + 1]]
        count = _class_of(known, starts, users, common)
        for row in range(len(values)):
            total = 0
            for c in range(count):
                total += values[row, common[c]]
            sums[row, i] = total


@njit(nogil=True, cache=True)
def class_members(
    begin: int,
    end: int,
    some: IntArray,
    index: Index,
    n_users: int,
    inside: BoolArray,
    member_starts: IntArray,
    members: SmallInts,
) -> None:
    """List the members of E, or all other users, for each target ``some[begin:end]``.

    Members are listed if ``inside[i]`` is true. The users for target ``some[i]`` go, ascending, to
    ``members[member_starts[i]:member_starts[i + 1]]``, which must have exactly that length.
    """
    offsets, number, starts, users = index
    common = np.empty(n_users, np.int32)
    for i in range(begin, end):
        known = number[offsets[some[i]] : offsets[some[i] + 1]]
        count = _class_of(known, starts, users, common)
        at = member_starts[i]
        if inside[i]:
            members[at : at + count] = common[:count]
            continue
        c = 0
        for u in range(n_users):
            if c < count and common[c] == u:
                c += 1
            else:
                members[at] = u
                at += 1


@njit(nogil=True, cache=True)
def points_to_unique(
    begin: int,
    end: int,
    index: Index,
    weight: IntArray,
    out_of: int,
    points: IntArray,
    sizes: IntArray,
) -> None:
    """Set ``points`` to the least number of each target's first points with |E| ≤ ``out_of``.

    The number is 0 if not even all points are enough. ``sizes`` is set to |E|, in people, after the
    last point taken. Both are set for the targets ``begin … end−1``.
    """
    offsets, number, starts, users = index
    common = np.empty(len(weight), np.int32)
    for i in range(begin, end):
        count, total = 0, 0
        points[i] = 0
        for j in range(offsets[i], offsets[i + 1]):
            b = number[j]
            if j == offsets[i]:
                count = starts[b + 1] - starts[b]
                common[:count] = users[starts[b] : starts[b + 1]]
            else:
                count = keep_common(common, count, users, starts[b], starts[b + 1])
            total = 0
            for c in range(count):
                total += weight[common[c]]
            if total <= out_of:
                points[i] = j - offsets[i] + 1
                break
        sizes[i] = total
