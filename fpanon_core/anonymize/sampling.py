"""How much does it hide people that perhaps they are not in the release at all?"""

from __future__ import annotations

import math

import numpy as np

from ..model.fingerprints import FingerprintSet
from ..model.options import SampleUsers
from ..model.randomness import generator


def sample_users(fs: FingerprintSet, share: float, *, seed: int | None = 0) -> FingerprintSet:
    """A share of the users, drawn at random, each with the whole fingerprint.

    Every subset of that size is equally likely: a draw without replacement among the fingerprints.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    share : float
        In (0, 1]. ``share · n_users`` fingerprints are kept, rounded half up, and at least one.
    seed : int or None
        A seed is for studies: the same seed, the same users, and whoever has the programme can tell
        who is among them. None, for whatever is published: the operating system's randomness.

    Returns
    -------
    FingerprintSet
        In the order of ``fs``, with their pseudonyms' numbers.

    Raises
    ------
    ConfigError
        The share is outside (0, 1], or the seed no whole number from 0.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3, 4], [0, 300, 0, 0, 0], [0] * 5, [0] * 5)
    >>> half = sample_users(fs, 0.5)
    >>> half.n_users, set(half.number) < set(fs.number)
    (2, True)
    """
    step = SampleUsers(share)
    rng = generator(seed)
    kept = max(1, math.floor(step.share * fs.n_users + 0.5))
    return fs.subset(np.sort(rng.choice(fs.n_users, kept, replace=False, shuffle=False)))
