"""The yardstick: every pair, every sample against every sample, compiled, on all cores.

Imports nothing from the package. Boxes are not needed here; extents are equal.
"""

import numba
import numpy as np


@numba.njit(nogil=True, cache=True)
def efforts_of(a, t, x, y, offsets, w_space, w_time, max_space, max_time, out):
    """Δ from user ``a`` to every other user, written to ``out``."""
    n = len(offsets) - 1
    for b in range(n):
        out[b] = np.inf
        if b == a:
            continue
        length_a = offsets[a + 1] - offsets[a]
        length_b = offsets[b + 1] - offsets[b]
        total = 0.0
        directions = 0
        for turn in range(2):
            if (turn == 0 and length_a < length_b) or (turn == 1 and length_b < length_a):
                continue
            p, q = (a, b) if turn == 0 else (b, a)
            directions += 1
            part = 0.0
            for i in range(offsets[p], offsets[p + 1]):
                best = np.inf
                for j in range(offsets[q], offsets[q + 1]):
                    space = min((abs(x[i] - x[j]) + abs(y[i] - y[j])) / max_space, 1.0)
                    time = min(abs(t[i] - t[j]) / max_time, 1.0)
                    best = min(best, w_space * space + w_time * time)
                part += best
            total += part / (offsets[p + 1] - offsets[p])
        out[b] = total / directions


def k_gap(t, x, y, offsets, k, users, *, w_space=0.5, w_time=0.5, max_space=2e4, max_time=480.0):
    """k-gap of ``users``, one after the other, on one core."""
    out = np.empty(len(offsets) - 1)
    gaps = []
    for a in users:
        efforts_of(a, t, x, y, offsets, w_space, w_time, max_space, max_time, out)
        gaps.append(np.sort(out)[: k - 1].mean())
    return np.array(gaps)
