"""Which users are active enough to be kept (Gramaglia & Fiore 2015, section 3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model.arrays import IntArray
from ..model.configs import Screening
from ..model.fingerprints import FingerprintSet


def screened_users(
    fs: FingerprintSet, rule: Screening, days: tuple[int, int] | None = None
) -> npt.NDArray[np.bool_]:
    """Mask of the users that meet every condition of the rule.

    Days are local days, from the data set's first to its last, both counted: ``days``, since the
    epoch, where ``fs`` holds some of its users only.
    """
    keep = np.ones(fs.n_users, bool)
    if rule.min_samples is not None:
        keep &= fs.lengths >= rule.min_samples
    if rule.every_day or rule.active_days_share is not None:
        day = local_days(fs)
        first, last = (int(day.min()), int(day.max())) if days is None else days
        n_days = last - first + 1
        active = np.unique(fs.sample_user * n_days + (day - first)) // n_days
        active_days = np.bincount(active, minlength=fs.n_users)
        if rule.every_day:
            keep &= active_days == n_days
        if rule.active_days_share is not None:
            keep &= active_days > rule.active_days_share * n_days
    return keep


def local_days(fs: FingerprintSet) -> IntArray:
    """Local day of each sample, since the epoch."""
    return np.floor(fs.wall_minutes(fs.t_min) / 1440).astype(np.int64)
