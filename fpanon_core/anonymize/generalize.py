"""Coarser places and times: the uniform generalization of a whole data set (science.md §1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet, distinct
from ..model.profiles import GeneralizationProfile


def generalize(
    fs: FingerprintSet,
    profile: GeneralizationProfile,
    *,
    seed: int = 0,  # noqa: ARG001
) -> FingerprintSet:
    """The fingerprints as a release under ``profile`` would show them.

    Every sample moves to the grid cell and the time window that hold its lower corner and start.
    Windows are aligned to local midnight. The result is again a set: samples that coincide become
    one, and their counts add up.

    Parameters
    ----------
    fs : FingerprintSet
    profile : GeneralizationProfile
    seed : int
        For spaces that are built at random; a grid is not.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        If the profile is finer than the data.

    Examples
    --------
    >>> from fpanon_core.model.profiles import Grid
    >>> fs = FingerprintSet.from_samples([1, 1], [900, 2500], [0, 0], [59, 61])
    >>> wide = generalize(fs, GeneralizationProfile(Grid(5000), 120))
    >>> wide.n_samples, wide.count.tolist(), wide.dt_min.tolist()
    (1, [2], [120.0])
    """
    metres, minutes = float(profile.space.metres), float(profile.minutes)
    if metres < fs.granularity_m or minutes < fs.granularity_min:
        raise ConfigError(
            f"The profile {profile} is finer than the data ({fs.granularity_m:g} m · "
            f"{fs.granularity_min:g} min); choose one at least as coarse."
        )
    if fs.clock is not None:
        begin, length = fs.clock.window(fs.t_min, minutes)
    else:
        begin = np.floor(fs.t_min / minutes) * minutes
        length = np.full(fs.n_samples, minutes)
    starts, window = np.unique(begin, return_inverse=True)
    lengths = np.zeros(len(starts))
    lengths[window] = length
    columns = [
        np.asarray(fs.sample_user),
        window.astype(np.int64),
        np.floor(fs.x_m / metres).astype(np.int64),
        np.floor(fs.y_m / metres).astype(np.int64),
    ]
    (user, window, x, y), count = distinct(columns, fs.count)
    return replace(
        fs,
        offsets=np.searchsorted(user, np.arange(fs.n_users + 1)),
        x_m=np.asarray(x * metres, np.float64),
        y_m=np.asarray(y * metres, np.float64),
        t_min=starts[window],
        dx_m=np.full(len(user), metres),
        dy_m=np.full(len(user), metres),
        dt_min=lengths[window],
        count=count,
        granularity_m=metres,
        granularity_min=minutes,
    )
