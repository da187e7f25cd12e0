"""Coarser places and times: the uniform generalization of a whole data set.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.arrays import FloatArray, IntArray
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet, distinct
from ..model.profiles import GeneralizationProfile, Grid, Hexagons
from .cells import hexagon_map, windows_at
from .origins import cells_of, resolve
from .regions import region_map


def generalize(
    fs: FingerprintSet,
    profile: GeneralizationProfile,
    *,
    seed: int = 0,
) -> FingerprintSet:
    """The fingerprints as a release under ``profile`` would show them.

    Every sample moves to the place and the time window that hold its lower corner and start.
    Windows are aligned to local midnight. The result is again a set: samples that coincide become
    one, and their counts add up.

    A place is a cell of the grid, whose origin is chosen from the data unless it is given
    (:func:`fpanon_core.resolve`); or a hexagon, represented by its bounding rectangle; or an
    antenna cluster or a named region, represented by the bounding rectangle of its antennas' cells.
    Rectangles may overlap, but samples of different regions never have the same lower corner: see
    :func:`.regions.region_map` and :func:`.hexagons.hexagon_map`. Without an antenna table, the
    data's distinct places are clustered. ``granularity_m`` becomes the grid's side; for hexagons,
    clusters and regions it remains that of the cells they were made of.

    Parameters
    ----------
    fs : FingerprintSet
    profile : GeneralizationProfile
    seed : int
        For antenna clusters, which start at random; others do not depend on it.

    Returns
    -------
    FingerprintSet
        With the antenna table of ``fs``, if it has one.

    Raises
    ------
    ConfigError
        If the profile is finer than the data, a grid or hexagons are laid over regions, or regions
        over data that are generalized already; the antenna table, or its column, is missing for
        named regions; or the data carry no projection, for hexagons.
    InfeasibleError
        If clusters are to have more antennas than there are.

    Examples
    --------
    >>> from fpanon_core import AntennaClusters, Grid
    >>> fs = FingerprintSet.from_samples([1, 1, 1], [900, 2500, 7000], [0, 0, 0], [59, 61, 62])
    >>> wide = generalize(fs, GeneralizationProfile(Grid(5000), 120))
    >>> wide.n_samples, wide.count.tolist(), wide.dt_min.tolist()
    (2, [2, 1], [120.0, 120.0])
    >>> pairs = generalize(fs, GeneralizationProfile(AntennaClusters(2), 120))
    >>> pairs.x_m.tolist(), pairs.dx_m.tolist()
    ([900.0, 7000.0], [1700.0, 100.0])
    """
    check_coarser(fs, profile)
    starts, lengths, window = _windows(fs, float(profile.minutes))
    if isinstance(profile.space, Grid):
        side = float(profile.space.metres)
        origin = resolve(fs, profile).origin
        cells = [
            cells_of(values, side, at) for values, at in zip((fs.x_m, fs.y_m), origin, strict=True)
        ]
        (user, window, column, row), count = distinct([fs.sample_user, window, *cells], fs.count)
        x, y = (
            np.asarray(at + cell * side, np.float64)
            for at, cell in zip(origin, (column, row), strict=True)
        )
        dx = dy = np.full(len(user), side)
    else:
        side = fs.granularity_m
        places = (
            hexagon_map(fs, profile.space)
            if isinstance(profile.space, Hexagons)
            else region_map(fs, profile.space, seed=seed)
        )
        columns = [fs.sample_user, window, places.sample_region]
        (user, window, region), count = distinct(columns, fs.count)
        x, y = places.x_m[region], places.y_m[region]
        dx, dy = places.dx_m[region], places.dy_m[region]
    return replace(
        fs,
        offsets=np.searchsorted(user, np.arange(fs.n_users + 1)),
        x_m=x,
        y_m=y,
        t_min=starts[window],
        dx_m=dx,
        dy_m=dy,
        dt_min=lengths[window],
        count=count,
        granularity_m=side,
        granularity_min=float(profile.minutes),
    )


def check_coarser(fs: FingerprintSet, profile: GeneralizationProfile) -> None:
    """ConfigError if a profile is finer than the data, in space or in time."""
    coarse, space, side = profile.minutes >= fs.granularity_min, profile.space, fs.granularity_m
    if isinstance(space, (Grid, Hexagons)):
        area = space.metres**2 if isinstance(space, Grid) else space.area_m2
        coarse = coarse and area >= side**2
        if np.any(fs.dx_m != side) or np.any(fs.dy_m != side):
            raise ConfigError(
                "The places of these data are rectangles of several sizes, which may reach over "
                "several squares or hexagons of a grid; take the data as read."
            )
    if not coarse:
        raise ConfigError(
            f"The profile {profile} is finer than the data ({fs.granularity_m:g} m · "
            f"{fs.granularity_min:g} min); choose one at least as coarse."
        )


def _windows(fs: FingerprintSet, minutes: float) -> tuple[FloatArray, FloatArray, IntArray]:
    """Starts and lengths of the windows in ascending order, and the window of each sample."""
    begin, length = windows_at(fs, fs.t_min, minutes)
    starts, window = np.unique(begin, return_inverse=True)
    lengths = np.zeros(len(starts))
    lengths[window] = length
    return starts, lengths, window.astype(np.int64)
