"""Which users are active enough to be kept (Gramaglia & Fiore 2015, section 3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model.configs import Screening
from ..model.fingerprints import FingerprintSet


def screened_users(fs: FingerprintSet, rule: Screening) -> npt.NDArray[np.bool_]:
    """Mask of the users that meet every condition of the rule.

    Days are local days, from the data set's first to its last, both counted.
    """
    keep = np.ones(fs.n_users, bool)
    if rule.min_samples is not None:
        keep &= fs.lengths >= rule.min_samples
    if rule.every_day or rule.active_days_share is not None:
        day = np.floor(fs.wall_minutes(fs.t_min) / 1440).astype(np.int64)
        day -= day.min()
        days = int(day.max()) + 1
        active = np.unique(fs.sample_user * days + day) // days
        active_days = np.bincount(active, minlength=fs.n_users)
        if rule.every_day:
            keep &= active_days == days
        if rule.active_days_share is not None:
            keep &= active_days > rule.active_days_share * days
    return keep
