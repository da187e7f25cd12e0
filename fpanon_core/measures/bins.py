"""Which bins does a data set have, and who was in them? The columns of D.

D, users × bins, is never laid out: each user's bins are an ascending list of numbers.

Source: docs/science.md, “Disclosure”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.disclosure_sums import count_present, sort_traces
from ..kernels.unicity_index import enter_bins
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.fingerprints import FingerprintSet
from .matching import bits

_USERS_A_BLOCK = 4096
_SORTED_BY = ("dy_m", "dx_m", "dt_min", "y_m", "x_m", "t_min")  # the last first, as lexsort has it


@dataclass(frozen=True, eq=False)
class Presence:
    """Distinct bins in order of time, then x, then y (then extent), and who was in them.

    Attributes
    ----------
    corners : dict of str to float64 ndarray (n_bins,)
        ``x_m``, ``y_m``, ``t_min``, ``dx_m``, ``dy_m``, ``dt_min``.
    offsets, lengths : int64 ndarray (n_users + 1,), (n_users,)
    bins : int32 ndarray (n_samples,)
        User u was in ``bins[offsets[u]:offsets[u] + lengths[u]]``, ascending and distinct.
    users : int64 ndarray (n_bins,)
        |D_j|, weighted.
    """

    corners: dict[str, FloatArray]
    offsets: IntArray
    lengths: IntArray
    bins: SmallInts
    users: IntArray


def presence(fs: FingerprintSet, engine: Engine, progress: Progress | None = None) -> Presence:
    """Number every bin, give every sample the number of its own, and count who was there."""
    columns = bits(*fs.arrays().values())
    table = np.full(1 << max(4, (2 * fs.n_samples).bit_length()), -1, np.int32)
    first, number = np.empty(fs.n_samples, np.int64), np.empty(fs.n_samples, np.int32)
    n_bins = enter_bins(*columns, False, table, first, number)
    del table
    corners = {name: values[first[:n_bins]] + 0.0 for name, values in fs.arrays().items()}
    del first
    order = np.lexsort([column for name in _SORTED_BY if np.ptp(column := corners[name]) > 0]
                       or [corners["t_min"]])  # fmt: skip
    corners = {name: column[order] for name, column in corners.items()}
    rank = np.empty(n_bins, np.int32)
    rank[order] = np.arange(n_bins, dtype=np.int32)
    number = rank[number]
    lengths = np.empty(fs.n_users, np.int64)

    def block(first_user: int) -> float:
        last = min(first_user + _USERS_A_BLOCK, fs.n_users)
        sort_traces(first_user, last, fs.offsets, number, lengths)
        return float(last - first_user)

    engine.run(block, range(0, fs.n_users, _USERS_A_BLOCK), fs.n_users, progress)
    users = np.zeros(n_bins, np.int64)
    count_present(fs.offsets, lengths, number, fs.weight, users)
    return Presence(corners, fs.offsets, lengths, number, users)
