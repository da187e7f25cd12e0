"""Samples brought together again after a technique has moved them.

Every technique gives back fingerprints as sets: samples of one user that have come to coincide are
one, and their counts add up; so no event is lost on the way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..model.arrays import BY_TIME, FloatArray, IntArray, distinct_rows
from ..model.fingerprints import FingerprintSet


def gathered(
    fs: FingerprintSet, user: IntArray, cells: dict[str, Any], count: IntArray
) -> FingerprintSet:
    """The fingerprints of the same users with these samples, in any order, as sets.

    Parameters
    ----------
    fs : FingerprintSet
        Gives everything but the samples.
    user : int64 ndarray (n,)
        Row number of the user of each sample; every user has at least one.
    cells : dict of str to float64 ndarray (n,)
        ``x_m``, ``y_m``, ``dx_m``, ``dy_m`` (metres), ``t_min``, ``dt_min`` (minutes).
    count : int64 ndarray (n,)
        Events in each.
    """
    first, which = distinct_rows(user, *(cells[name] for name in BY_TIME))
    events = np.zeros(len(first), np.int64)
    np.add.at(events, which, count)
    return replace(
        fs,
        offsets=np.searchsorted(user[first], np.arange(fs.n_users + 1)),
        count=events,
        **{name: values[first] for name, values in cells.items()},
    )


def windows_at(fs: FingerprintSet, t_min: FloatArray, minutes: float) -> tuple[FloatArray, ...]:
    """Start and length of the window that holds each time; windows begin at local midnight."""
    if fs.clock is not None:
        return fs.clock.window(t_min, minutes)
    return np.floor(t_min / minutes) * minutes, np.full(len(t_min), float(minutes))
