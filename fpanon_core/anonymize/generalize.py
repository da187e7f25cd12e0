"""Uniform generalization of a whole data set to coarser places and times.

A coarse grid with a corner in the middle of a city cuts the city into quarters, and this alone
distinguishes people. Therefore the origin of a grid is chosen from the data, unless it is given.
The chosen origin has the largest mean number of people in a cell, averaged over all pairs of a
person and a cell that this person visited.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ..kernels.antenna_clusters import crowds, visited
from ..model.arrays import BY_TIME, FloatArray, IntArray, distinct_rows
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet, distinct
from ..model.profiles import GeneralizationProfile, Grid, Hexagons, Origin
from .regions import hexagon_map, region_map

_PARTS = 4  # grids are shifted by quarters of the side
# Share of a cell: a place on a line belongs to the cell beyond it, even though a multiple of a
# granularity such as 33.3 m may miss the line by the last digit.
_AT_A_LINE = 1e-9

_known: WeakKeyDictionary[FingerprintSet, dict[float, Origin]] = WeakKeyDictionary()
_change = threading.Lock()


def generalize(
    fs: FingerprintSet, profile: GeneralizationProfile, *, seed: int = 0
) -> FingerprintSet:
    """Generalize the fingerprints to a profile, as a release would show them.

    Every sample moves to a place of the profile, and to the time window that holds its start.
    Windows are aligned to local midnight. Samples of a user that coincide become one, and their
    counts add up.

    On a grid, the place is the cell that holds the sample's lower corner. Otherwise it is the
    hexagon that holds the middle of the sample's cell, or the sample's antenna cluster or named
    region. The origin of the grid is chosen from the data unless it is given
    (:func:`fpanon_core.resolve`).

    A hexagon is represented by a rectangle around it, and a cluster or region by a rectangle around
    its antennas' cells and its samples. Rectangles may overlap, but samples of different regions
    never have the same lower corner: see :func:`.regions.region_map` and
    :func:`.regions.hexagon_map`. Without an antenna table, the data's distinct places are
    clustered. ``granularity_m`` becomes the grid's side; for hexagons, clusters and regions, it
    does not change.

    Parameters
    ----------
    fs : FingerprintSet
    profile : GeneralizationProfile
    seed : int
        Seed of antenna clusters, which start at random; other spaces do not depend on it.

    Returns
    -------
    FingerprintSet
        Generalized fingerprints, with the antenna table of ``fs`` if it has one.

    Raises
    ------
    ConfigError
        The profile is finer than the data. A grid or hexagons are laid over regions, or regions
        over data that are generalized already. The data lack the antenna table or the column that
        named regions need, or the projection that hexagons need. An antenna that the data name has
        no region.
    InfeasibleError
        The cluster size exceeds the number of antennas.

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
    begin, length = windows_at(fs, fs.t_min, float(profile.minutes))
    starts, first, window = np.unique(begin, return_index=True, return_inverse=True)
    if isinstance(profile.space, Grid):
        side = float(profile.space.metres)
        origin = resolve(fs, profile).origin
        axes = zip((fs.x_m, fs.y_m), origin, strict=True)
        cells = [cells_of(values, side, at) for values, at in axes]
        (user, window, column, row), count = distinct([fs.sample_user, window, *cells], fs.count)
        numbered = zip(origin, (column, row), strict=True)
        x, y = (np.asarray(at + cell * side, np.float64) for at, cell in numbered)
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
        dt_min=length[first][window],
        count=count,
        granularity_m=side,
        granularity_min=float(profile.minutes),
    )


def check_coarser(fs: FingerprintSet, profile: GeneralizationProfile) -> None:
    """Raise a ConfigError if a profile's windows, grid or hexagons are finer than the data.

    A grid or hexagons are also refused for data whose places are rectangles of several sizes.
    """
    coarse, space, side = profile.minutes >= fs.granularity_min, profile.space, fs.granularity_m
    if isinstance(space, (Grid, Hexagons)):
        area = space.metres**2 if isinstance(space, Grid) else space.area_m2
        coarse = coarse and area >= side**2
        if np.any(fs.dx_m != side) or np.any(fs.dy_m != side):
            raise ConfigError(
                "The places of these data are rectangles of several sizes, which may reach across "
                "several squares or hexagons of a grid; use the data as they were read."
            )
    if not coarse:
        raise ConfigError(
            f"The profile {profile} is finer than the data ({fs.granularity_m:g} m · "
            f"{fs.granularity_min:g} min); choose a profile at least as coarse as the data."
        )


def gathered(
    fs: FingerprintSet, user: IntArray, cells: dict[str, Any], count: IntArray
) -> FingerprintSet:
    """Return fingerprints of the same users, made of new samples; equal samples become one.

    Parameters
    ----------
    fs : FingerprintSet
        Source of everything but the samples.
    user : int64 ndarray (n,)
        Row number of the user of each sample; every user has at least one.
    cells : dict of str to float64 ndarray (n,)
        ``x_m``, ``y_m``, ``dx_m``, ``dy_m`` (metres), ``t_min``, ``dt_min`` (minutes).
    count : int64 ndarray (n,)
        Events in each sample.
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
    """Return the start and length of each time's window; windows are aligned to local midnight."""
    if fs.clock is not None:
        return fs.clock.window(t_min, minutes)
    return np.floor(t_min / minutes) * minutes, np.full(len(t_min), float(minutes))


# --- origins of grids ----------------------------------------------------------------------------


def resolve(fs: FingerprintSet, profile: GeneralizationProfile) -> GeneralizationProfile:
    """Return the profile with the origin that its grid has over these data.

    A profile without a grid, or with a stated origin, is returned unchanged. Otherwise up to
    sixteen origins are tried, shifted in x and in y by 0, 1, 2 or 3 quarters of the side. Shifts
    are rounded down to whole raw cells, so that raw cells nest. The origin chosen has the largest
    average number of people in a cell,

        Σ_c n_c² / Σ_c n_c

    over the grid's cells c with n_c distinct users. This is the mean number of users in the cell,
    over all pairs of a user and a visited cell. Ties go to the smallest shift in x, then in y.

    If the side covers the data's extent in x and y, the smallest shift that puts all data into one
    cell is used. If no shift does so, the cell is laid around the middle of the data.

    The result is cached as long as the data exist.

    Parameters
    ----------
    fs : FingerprintSet
        Data whose places are squares of one grid, as in data just read.
    profile : GeneralizationProfile

    Returns
    -------
    GeneralizationProfile

    Examples
    --------
    >>> x = [-200, 100, -300, 200]  # on both sides of the projection's centre
    >>> fs = FingerprintSet.from_samples([1, 2, 3, 4], x, [-100] * 4, [0] * 4)
    >>> str(resolve(fs, GeneralizationProfile(Grid(1000), 60)))
    '1 km from 500 m east, 0 m north · 1 h'
    """
    space = profile.space
    if not isinstance(space, Grid) or space.origin is not None:
        return profile
    side = float(space.metres)
    with _change:
        kept = _known.setdefault(fs, {})
    if side not in kept:
        kept[side] = _chosen(fs, side)
    return replace(profile, space=replace(space, origin=kept[side]))


def cells_of(values: FloatArray, side: float, origin: float) -> IntArray:
    """Return the number of each coordinate's cell; cells of ``side`` metres begin at ``origin``."""
    return np.floor((values - origin) / side + _AT_A_LINE).astype(np.int64)


def corner(fs: FingerprintSet) -> Origin:
    """Return the data's grid corner at the projection's centre, or the next corner north-east.

    The corner is (0, 0) for data as read; for generalized data, it depends on their grid.
    """
    side = fs.granularity_m
    first = (values[:1] for values in (fs.x_m, fs.y_m))
    x, y = (float(at[0]) - side * int(cells_of(at, side, 0.0)[0]) for at in first)
    return _rounded(x, side), _rounded(y, side)


def _rounded(shift: float, side: float) -> float:
    """Return the shift, or 0 if it is only a rounding error, as with multiples of 33.3 m."""
    return 0.0 if abs(shift) < 2 * _AT_A_LINE * side else shift


def _chosen(fs: FingerprintSet, side: float) -> Origin:
    raw = fs.granularity_m
    base = corner(fs)
    shifts = sorted({raw * int(i * side / (_PARTS * raw) + _AT_A_LINE) for i in range(_PARTS)})
    origins = [(base[0] + dx, base[1] + dy) for dx in shifts for dy in shifts]
    ends = [(float(v.min()), float(v.max())) for v in (fs.x_m, fs.y_m)]
    extents = [high + raw - low for low, high in ends]
    if side * (1 + _AT_A_LINE) < max(extents):
        return origins[_most_crowded(fs, side, base, shifts)]
    for origin in origins:
        cells = (cells_of(np.array(end), side, at) for end, at in zip(ends, origin, strict=True))
        if all(first == last for first, last in cells):
            return origin
    x, y = (
        at + raw * int(cells_of(np.array([low - (side - extent) / 2]), raw, at)[0])
        for (low, _), extent, at in zip(ends, extents, base, strict=True)
    )
    return x, y


def _most_crowded(fs: FingerprintSet, side: float, base: Origin, shifts: list[float]) -> int:
    """Return the position of the best origin in the order of origins: by shift in x, then in y.

    The lines of all shifted grids cut the plane into strips in x and in y. A piece is where two
    strips cross. Each user's pieces are found once, and each cell of a grid consists of whole
    pieces.
    """
    n, nothing = len(shifts), np.zeros(fs.n_samples, np.int64)
    column, row, piece = _numbered(
        *(
            sum((cells_of(values, side, at + shift) for shift in shifts), nothing)
            for values, at in zip((fs.x_m, fs.y_m), base, strict=True)
        )
    )
    of_user, offsets = visited(piece, fs.offsets, len(column))
    best, most = 0, (0, 1)
    for i in range(n):
        for j in range(n):
            # Grid i begins where the i-th of every n strips begins.
            cell = _numbered((column + n - 1 - i) // n, (row + n - 1 - j) // n)[2]
            crowd = crowds(cell, of_user, offsets, fs.weight)
            if crowd[0] * most[1] > most[0] * crowd[1]:
                best, most = i * n + j, (int(crowd[0]), int(crowd[1]))
    return best


def _numbered(column: IntArray, row: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the distinct pairs of column and row, and the position of each pair among these."""
    low, span = int(row.min()), int(np.ptp(row)) + 1
    which, pairs = pd.factorize((column - column.min()) * span + (row - low))
    return pairs // span + column.min(), pairs % span + low, which
