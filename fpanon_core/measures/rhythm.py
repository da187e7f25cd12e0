"""How often is a person recorded, and are there more antennas where more people live?

Source: de Montjoye et al. 2013, figures 3B and 3C; docs/science.md, “Adversary knowledge and
unicity”.
"""

from __future__ import annotations

import numpy as np

from ..model.arrays import FloatArray, IntArray
from ..model.distinct import distinct_rows
from ..model.extent import central
from ..model.fingerprints import FingerprintSet
from ..model.habits import Areas, Intervals, quantiles
from ..model.ragged import offsets_of

_SIDES_M = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
_ACROSS = 20  # squares along the longer side of where nearly everything is, at most


def intervals(fs: FingerprintSet) -> Intervals:
    """Minutes between consecutive samples of each person, from start to start.

    A sample counts once, however many events it has; samples of one minute at two places are 0
    apart. The median of an even number of intervals is the mean of the middle two.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 1, 2], [0] * 4, [0] * 4, [0, 10, 40, 7])
    >>> found = intervals(fs)
    >>> found.median_min.tolist(), found.n_intervals, found.too_few
    ([20.0], 2, 1)
    """
    user = fs.sample_user
    t_min = fs.t_min[np.lexsort((fs.t_min, user))]
    inside = user[1:] == user[:-1]
    apart, whose = np.diff(t_min)[inside], user[1:][inside]
    apart = apart[np.lexsort((apart, whose))]
    many = fs.lengths - 1
    some = np.flatnonzero(many)
    first, many = offsets_of(many)[:-1][some], many[some]
    median = (apart[first + (many - 1) // 2] + apart[first + many // 2]) / 2
    everyone = np.repeat(apart, fs.weight[whose])
    return Intervals(
        user=np.repeat(some, fs.weight[some]),
        median_min=np.repeat(median, fs.weight[some]),
        interval_min=quantiles(everyone),
        n_intervals=len(everyone),
        too_few=int(fs.weight[fs.lengths == 1].sum()),
    )


def antennas_by_area(
    fs: FingerprintSet, home_x_m: FloatArray, home_y_m: FloatArray, side_m: float | None = None
) -> Areas:
    """People who live in each square, and the antennas there.

    Where the data bring no table of antennas, the distinct places recorded take their place.

    Parameters
    ----------
    fs : FingerprintSet
    home_x_m, home_y_m : float64 ndarray (n_users,)
        Everyone's home, metres; NaN where it is not known.
    side_m : float, optional
        Of the squares, metres; if not given, the least of 1, 2, 5 × 10^n of which at most 20 lie
        along the longer side of where the central 98 % of the places are.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 250], [0, 0], [5, 9])
    >>> found = antennas_by_area(fs, np.array([50.0, 250.0]), np.array([50.0, 50.0]), 200)
    >>> found.x_m.tolist(), found.people.tolist(), found.antennas.tolist()
    ([0.0, 200.0], [1, 1], [1, 1])
    """
    if fs.antennas is not None:
        half = fs.antennas.granularity_m / 2
        site = np.column_stack([fs.antennas.x_m + half, fs.antennas.y_m + half])
    else:
        first, _ = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
        x, y = fs.x_m[first] + fs.dx_m[first] / 2, fs.y_m[first] + fs.dy_m[first] / 2
        site = np.column_stack([x, y])
    if side_m is None:
        side_m = _side(*site.T)
    known = np.isfinite(home_x_m)
    home = np.column_stack([home_x_m, home_y_m])[known]
    square, which = np.unique(
        np.floor(np.concatenate([site, home]) / side_m), axis=0, return_inverse=True
    )
    which = which.reshape(-1)

    def count(rows: IntArray, weight: IntArray | None = None) -> IntArray:
        return np.bincount(rows, weight, len(square)).astype(np.int64)

    return Areas(
        side_m=float(side_m),
        x_m=square[:, 0] * side_m,
        y_m=square[:, 1] * side_m,
        people=count(which[len(site) :], fs.weight[known]),
        antennas=count(which[: len(site)]),
        homeless=int(fs.weight[~known].sum()),
    )


def _side(x_m: FloatArray, y_m: FloatArray) -> float:
    shown = central(x_m, y_m)
    longer = max(shown.east - shown.west, shown.north - shown.south)
    return next((side for side in _SIDES_M if side * _ACROSS >= longer), _SIDES_M[-1])
