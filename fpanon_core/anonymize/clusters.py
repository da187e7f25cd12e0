"""Which antennas make one place, when about v of them are to be one?

De Montjoye et al., *Unique in the Crowd* (2013), Methods, "Spatial aggregation": clusters of about
equally many antennas, found by frequency-sensitive competitive learning. Plain k-means would give a
city centre one crowded cluster and the countryside many of one antenna.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..kernels.antenna_clusters import assign, compete
from ..model.arrays import FloatArray, IntArray
from ..model.checks import whole
from ..model.errors import ConfigError, InfeasibleError

_PASSES = 20
_FIRST_RATE, _LAST_RATE = 0.3, 0.03
_WINS_KEPT = 0.8
_SETTLING, _HASTE = 3, 0.2


def cluster_antennas(
    x_m: npt.ArrayLike, y_m: npt.ArrayLike, size: int, *, seed: int = 0
) -> IntArray:
    """Share antennas out among ⌈M/size⌉ clusters of about ``size`` neighbours each.

    Frequency-sensitive competitive learning. The centroids start at antennas drawn at random. In
    each of 20 passes the antennas come in random order; each is won by the centroid j with the
    smallest ``n_j · ‖x − c_j‖²``, n_j its wins so far, and the winner moves towards it by a rate
    that falls geometrically from 0.3 to 0.03 over all passes. Then every antenna is assigned once
    more by the same rule, centroids and wins standing still.

    Choices where the source is silent. Before each pass 0.8 of the wins are kept: early wins were
    won elsewhere, and a win should say how crowded the centroid is now. Before the last assignment
    the wins settle: three times, all antennas are assigned, and n_j is multiplied by the 0.2th
    power of the cluster's size over the mean size. The last assignment itself counts no wins, so
    that it depends on no order and each cluster is a cell of a weighted Voronoi diagram; counting
    on, or settling for longer, evens out the sizes further but tears clusters apart. Should a
    cluster stay empty (antennas at one position), it gets the antenna of the largest cluster that
    is farthest from that one's centroid.

    The answer does not depend on the order of the antennas: clusters are numbered from west to east
    by their westernmost antenna. ``np.bincount`` of the result gives the sizes.

    Parameters
    ----------
    x_m, y_m : array_like (M,)
        Projected positions, metres.
    size : int
        About how many antennas a cluster should have, 1 … M.
    seed : int
        Same seed, same clusters.

    Returns
    -------
    int64 ndarray (M,)
        Cluster of each antenna, 0 … ⌈M/size⌉ − 1; every cluster has at least one.

    Raises
    ------
    ConfigError
        ``size`` is no whole number of at least 1, the seed no whole number of at least 0, or the
        positions are no two equally long lists of finite numbers.
    InfeasibleError
        There is no antenna, or ``size`` exceeds their number.

    Examples
    --------
    >>> cluster_antennas([0, 100, 5000, 5100], [0, 0, 0, 0], 2).tolist()
    [0, 0, 1, 1]
    """
    x, y = positions(x_m, y_m)
    count = _check_size(size, len(x))
    seed = whole("seed", seed, 0)
    order = np.lexsort((y, x))
    x, y = x[order] - x.mean(), y[order] - y.mean()
    cluster = np.arange(len(x)) if count == len(x) else _learned(x, y, count, seed)
    first = np.unique(cluster, return_index=True)[1]
    number = np.empty(count, np.int64)
    number[cluster[np.sort(first)]] = np.arange(count)
    out = np.empty(len(x), np.int64)
    out[order] = number[cluster]
    return out


def positions(x_m: npt.ArrayLike, y_m: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Positions of antennas as two checked arrays, metres.

    Raises
    ------
    ConfigError
        They are no two equally long lists of finite numbers.
    InfeasibleError
        There is none.
    """
    try:
        x, y = np.asarray(x_m, np.float64), np.asarray(y_m, np.float64)
    except (TypeError, ValueError):
        raise ConfigError("Positions of antennas must be numbers, in metres.") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise ConfigError(
            f"x_m has the shape {x.shape} and y_m {y.shape}; give one x and one y per antenna."
        )
    if len(x) == 0:
        raise InfeasibleError("There is no antenna; give at least one.")
    if bad := int((~(np.isfinite(x) & np.isfinite(y))).sum()):
        raise ConfigError(f"{bad} antennas have no finite position; leave them out.")
    return x, y


def _check_size(size: int, antennas: int) -> int:
    """Number of clusters of ``size`` antennas."""
    size = whole("Cluster size", size, 1, of="antennas")
    if size > antennas:
        raise InfeasibleError(
            f"Clusters of about {size} antennas are more than the {antennas} there are; choose a "
            f"size of at most {antennas}."
        )
    return -(-antennas // size)


def _learned(x: FloatArray, y: FloatArray, count: int, seed: int) -> IntArray:
    rng = np.random.default_rng(seed)
    start = rng.choice(len(x), count, replace=False)
    cx, cy, wins = x[start], y[start], np.ones(count)
    fade = (_LAST_RATE / _FIRST_RATE) ** (1 / (_PASSES * len(x)))
    for turn in range(_PASSES):
        if turn:
            # At least a little: a centroid without wins would win everything, wherever it stands.
            wins *= _WINS_KEPT
            wins += 1 - _WINS_KEPT
        rate = _FIRST_RATE * fade ** (turn * len(x))
        compete(x, y, cx, cy, wins, rng.permutation(len(x)), rate, fade)
    for _ in range(_SETTLING):
        sizes = np.bincount(assign(x, y, cx, cy, wins), minlength=count)
        # Half an antenna more on both sides: an empty cluster must not come to cost nothing.
        wins *= ((sizes + 0.5) / (len(x) / count + 0.5)) ** _HASTE
    return _filled(assign(x, y, cx, cy, wins), x, y, cx, cy)


def _filled(
    cluster: IntArray, x: FloatArray, y: FloatArray, cx: FloatArray, cy: FloatArray
) -> IntArray:
    """The same, with no cluster left empty; there are at least as many antennas as clusters."""
    sizes = np.bincount(cluster, minlength=len(cx))
    for empty in np.flatnonzero(sizes == 0):
        donor = int(np.argmax(sizes))
        members = np.flatnonzero(cluster == donor)
        far = (x[members] - cx[donor]) ** 2 + (y[members] - cy[donor]) ** 2
        cluster[members[np.argmax(far)]] = empty
        sizes[donor] -= 1
        sizes[empty] += 1
    return cluster
