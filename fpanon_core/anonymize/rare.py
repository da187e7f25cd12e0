"""How much does it hide people that places and times with few visitors are left out?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.arrays import PLACE, TIME, distinct_rows, offsets_of
from ..model.checks import whole
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.options import SuppressRare


def suppress_rare(fs: FingerprintSet, min_users: int, *, seed: int | None = 0) -> FingerprintSet:
    """Leave out every sample whose bin fewer than ``min_users`` users visit.

    A bin is a cell of place and time as the data have it, the same when corner and extent are.
    Users are subscribers: a fingerprint that stands for several counts as so many. Whoever is left
    with nothing is dropped. A second pass would find nothing more: a bin that stays keeps all its
    visitors. What went can be told by comparing ``n_users`` and ``n_samples``.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    min_users : int
        1 or more; 1 leaves everything in.
    seed : int or None
        Taken as every technique takes one; nothing is drawn.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        ``min_users`` is no whole number from 1, or the seed none from 0.
    InfeasibleError
        Nothing would be left.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 300, 0, 900], [0] * 4, [0] * 4)
    >>> kept = suppress_rare(fs, 2)
    >>> kept.n_users, kept.x_m.tolist(), kept.number.tolist()
    (2, [0.0, 0.0], [1, 2])
    """
    step = SuppressRare(min_users)
    if seed is not None:
        whole("seed", seed, 0)
    cells = fs.arrays(PLACE + TIME)
    _, bin_ = distinct_rows(*cells.values())
    # A user is counted once in a bin, however often the fingerprint lists it.
    once, _ = distinct_rows(bin_, fs.sample_user)
    visitors = np.zeros(int(bin_.max()) + 1, np.int64)
    np.add.at(visitors, bin_[once], fs.weight[fs.sample_user[once]])
    kept = visitors[bin_] >= step.min_users
    left = np.bincount(fs.sample_user[kept], minlength=fs.n_users)
    users = np.flatnonzero(left)
    if len(users) == 0:
        raise InfeasibleError(
            f"No bin has {step.min_users} users or more (the most visited has {visitors.max()}), "
            "and nothing would be left; lower min_users or generalize first."
        )
    return replace(
        fs,
        user_ids=fs.user_ids[users],
        offsets=offsets_of(left[users]),
        weight=fs.weight[users],
        number=fs.number[users],
        count=fs.count[kept],
        **{name: values[kept] for name, values in cells.items()},
    )
