"""How far do the members of a class differ from everybody, bin by bin? (science.md §8)

Shares are compared as whole numbers: with e = |E_ij|, E = |E_i|, D = |D_j| and n users, the *gain*
``e·n − D·E`` is ``E·n`` times the difference of the shares, without rounding. Products of users and
presences stay far below 2⁶³ (a hundred million users of a hundred bins: 10¹⁸).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numba import njit

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@njit(nogil=True, cache=True)
def sort_traces(
    begin: int, end: int, offsets: IntArray, bins: SmallInts, lengths: IntArray
) -> None:
    """Ascending, distinct bins of the users ``begin … end−1``, in place.

    User u's are ``bins[offsets[u]:offsets[u] + lengths[u]]`` afterwards.
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
    """Add up |D_j|, the users present in each bin."""
    for u in range(len(lengths)):
        for s in range(offsets[u], offsets[u] + lengths[u]):
            present[bins[s]] += weight[u]


@njit(nogil=True, cache=True, inline="always")
def _kl(e: int, size: int, d: int, n: int) -> float:
    """Kullback-Leibler divergence of (e/size, 1 − e/size) from (d/n, 1 − d/n), in nats.

    ``log1p`` of the relative difference, which is exact in its numerator: the two logarithms are
    precise just where they nearly cancel.
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
        # Who is not here is somewhere: d < n, and the divisor is positive.
        kl += gone * math.log1p(-gain / (size * n - expected))
    return max(0.0, kl / (size * n))


@njit(nogil=True, cache=True)
def _first_from(low: int, begin: int, end: int, bins: SmallInts) -> int:
    """First row of ascending ``bins[begin:end]`` that is ``low`` or more."""
    while begin < end:
        half = (begin + end) // 2
        if bins[half] < low:
            begin = half + 1
        else:
            end = half
    return begin


@njit(nogil=True, cache=True, error_model="numpy")
def disclose(
    low: int, high: int, begin: int, end: int,
    offsets: IntArray, lengths: IntArray, bins: SmallInts, weight: IntArray,
    n: int, present: IntArray, present_sum: int, absent: FloatArray, absent_sum: float,
    sizes: IntArray, times: IntArray, inside: Flags, starts: IntArray, members: SmallInts,
    gains: IntArray, kls: FloatArray, em_bin: FloatArray, kl_bin: FloatArray, seen: IntArray,
) -> None:  # fmt: skip
    """Account for the bins ``low … high−1`` of the classes ``begin … end−1``, in their order.

    Parameters
    ----------
    offsets, lengths, bins, weight
        Traces as :func:`sort_traces` leaves them, and the users each stands for.
    n, present, absent
        All users, |D_j|, and the KL of a bin that nobody of a class visits, −ln(1 − |D_j|/n);
        ``present_sum`` and ``absent_sum`` are their sums over these bins.
    sizes, times
        |E_i|, and how many targets have this class.
    inside, starts, members
        Class i's members, or with ``inside`` False everybody else, are
        ``members[starts[i]:starts[i + 1]]``.
    gains, kls : (n_classes,)
        Set to Σ_j |e·n − D·E| and Σ_j KL_ij over these bins.
    em_bin, kl_bin : (n_bins,)
        Added to: Σ EM_ij and Σ KL_ij over targets, but for the targets in whose class nobody
        visits the bin; ``seen`` counts the others.
    """
    width = high - low
    counts = np.zeros(width, np.int64)
    touched = np.empty(width, np.int32)
    for i in range(begin, end):
        many = 0
        for m in range(starts[i], starts[i + 1]):
            u = members[m]
            last = offsets[u] + lengths[u]
            s = offsets[u] if low == 0 else _first_from(low, offsets[u], last, bins)
            while s < last and bins[s] < high:
                b = bins[s] - low
                if counts[b] == 0:
                    touched[many] = b
                    many += 1
                counts[b] += weight[u]
                s += 1
        size = sizes[i]
        whole = size * n
        # What is left of a sum after most has been taken away is imprecise: then every bin counts.
        every = not inside[i] or 2 * many > width
        gain_sum = 0 if every else present_sum * size
        kl_sum = 0.0 if every else absent_sum
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
        gains[i] = gain_sum
        kls[i] = max(0.0, kl_sum)
