"""Differences between the members of a class and all users, bin by bin.

E_i is a class, E_ij are its members who are present in bin j, and D_j are all users present in the
bin. Shares are compared as whole numbers: with e = |E_ij|, E = |E_i|, D = |D_j| and n users, the
*gain* ``e·n − D·E`` is ``E·n`` times the difference of the shares, without rounding. Products of
users and presences stay well below 2⁶³: a hundred million users with a hundred bins each give 10¹⁸.

Source: Noriega Campero 2015, ch. 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts
from .bisection import first_from


class Traces(NamedTuple):
    """Distinct bins of each user, as :func:`sort_traces` leaves them."""

    offsets: IntArray  # (n_users+1,)
    lengths: IntArray  # (n_users,) distinct bins
    bins: SmallInts  # of user u: bins[offsets[u]:offsets[u] + lengths[u]], ascending
    weight: IntArray  # (n_users,) number of users each stands for


class Everybody(NamedTuple):
    """How many users are present in each bin, and sums over the bins of one call."""

    n: int  # users
    present: IntArray  # (n_bins,) |D_j|
    present_sum: int
    absent: FloatArray  # (n_bins,) KL where nobody of a class visits the bin: −ln(1 − |D_j|/n)
    absent_sum: float


class Classes(NamedTuple):
    """Some classes, each with a list of its members or of all other users."""

    sizes: IntArray  # |E_i|
    times: IntArray  # targets that have this class
    inside: BoolArray  # whether the members are listed, or everybody else
    starts: IntArray  # (n_classes+1,) of class i: members[starts[i]:starts[i + 1]]
    members: SmallInts


class Sums(NamedTuple):
    """Sums of disclosure: for each class over the bins, and for each bin over the classes."""

    gains: IntArray  # (n_classes,) set to Σ_j |e·n − D·E| over the bins of one call
    kls: FloatArray  # (n_classes,) set to Σ_j KL_ij over the same bins
    em_bin: FloatArray  # (n_bins,) added to: Σ EM_ij over targets in whose class somebody visits j
    kl_bin: FloatArray  # (n_bins,) likewise, Σ KL_ij
    seen: IntArray  # (n_bins,) added to: number of those targets


@njit(nogil=True, cache=True)
def sort_traces(
    begin: int, end: int, offsets: IntArray, bins: SmallInts, lengths: IntArray
) -> None:
    """Sort the bins of the users ``begin … end−1``, in place, and make them distinct.

    Afterwards the bins of user u are ``bins[offsets[u]:offsets[u] + lengths[u]]``.
    """
    for u in range(begin, end):
        own = bins[offsets[u] : offsets[u + 1]]
        own.sort()
        kept = 0
        for s in range(len(own)):
            if kept == 0 or own[s] != own[kept - 1]:
                own[kept] = own[s]
                kept += 1
        lengths[u] = kept


@njit(nogil=True, cache=True)
def count_present(
    offsets: IntArray, lengths: IntArray, bins: SmallInts, weight: IntArray, present: IntArray
) -> None:
    """Add the number of users present in each bin, |D_j|, to ``present``."""
    for u in range(len(lengths)):
        for s in range(offsets[u], offsets[u] + lengths[u]):
            present[bins[s]] += weight[u]


@njit(nogil=True, cache=True, inline="always")
def _kl(e: int, size: int, d: int, n: int) -> float:
    """Return the Kullback-Leibler divergence of (e/size, 1 − e/size) from (d/n, 1 − d/n), in nats.

    The function takes ``log1p`` of the relative difference, whose numerator is exact. So the two
    logarithms are precise where they nearly cancel.
    """
    here, gone = e * n, (size - e) * n
    expected = d * size
    gain = here - expected
    if gain == 0:
        return 0.0
    kl = 0.0
    if e > 0:
        kl += here * math.log1p(gain / expected)
    if e < size:
        # Some member is not in this bin, so d < n and the divisor is positive.
        kl += gone * math.log1p(-gain / (size * n - expected))
    return max(0.0, kl / (size * n))


@njit(nogil=True, cache=True, error_model="numpy")
def disclose(
    low: int,
    high: int,
    begin: int,
    end: int,
    traces: Traces,
    everybody: Everybody,
    classes: Classes,
    sums: Sums,
) -> None:
    """Compute the sums of classes ``begin … end−1``, in this order, over bins ``low … high−1``."""
    offsets, lengths, bins, weight = traces.offsets, traces.lengths, traces.bins, traces.weight
    n, present, absent = everybody.n, everybody.present, everybody.absent
    sizes, times, inside = classes.sizes, classes.times, classes.inside
    starts, members = classes.starts, classes.members
    em_bin, kl_bin, seen = sums.em_bin, sums.kl_bin, sums.seen
    width = high - low
    counts = np.zeros(width, np.int64)
    touched = np.empty(width, np.int32)
    for i in range(begin, end):
        many = 0
        for m in range(starts[i], starts[i + 1]):
            u = members[m]
            last = offsets[u] + lengths[u]
            s = offsets[u] if low == 0 else first_from(bins, low, offsets[u], last)
            while s < last and bins[s] < high:
                b = bins[s] - low
                if counts[b] == 0:
                    touched[many] = b
                    many += 1
                counts[b] += weight[u]
                s += 1
        size = sizes[i]
        whole = size * n
        # The rest of a sum is imprecise once most is subtracted: then every bin is added up.
        every = not inside[i] or 2 * many > width
        gain_sum = 0 if every else everybody.present_sum * size
        kl_sum = 0.0 if every else everybody.absent_sum
        for t in range(width if every else many):
            b = t if every else touched[t]
            j = low + b
            e = counts[b] if inside[i] else present[j] - counts[b]
            counts[b] = 0
            expected = present[j] * size
            gain = abs(e * n - expected)
            kl = _kl(e, size, present[j], n) if e > 0 else absent[j]
            gain_sum += gain
            kl_sum += kl
            if not every:
                gain_sum -= expected
                kl_sum -= absent[j]
            em_bin[j] += times[i] * (gain / whole)
            kl_bin[j] += times[i] * kl
            seen[j] += times[i]
        sums.gains[i] = gain_sum
        sums.kls[i] = max(0.0, kl_sum)
