"""How far is everyone from hiding? The k-gap (science.md §3, ANON eq. 4–5).

``Δ_ab`` is the mean, over the samples of the longer fingerprint, of the smallest stretch effort to
any sample of the shorter (equal lengths: the mean of both directions). ``k-gap`` of a user is the
mean of Δ to the k − 1 nearest fingerprints. Results equal the plain double loop: pairs are left out
only by the bound proven in :mod:`fpanon_core.kernels.search`. Memory is linear in the data: no
matrix of users by users is ever held.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import BallTree

from ..engines.local import Engine, LocalEngine, Progress
from ..kernels.search import (
    Found,
    candidate_efforts,
    enter,
    fill_floor,
    search_plainly,
    search_tile,
)
from ..kernels.stretch import Packed, Scale, fingerprint_effort
from ..model.configs import StretchConfig
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.results import KGapResult
from .packing import features_of, pack, scale_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_WIDTH = 128  # users b of a tile: one row of the floor stays within a few cache lines
_HEIGHT = 512  # users a of a tile
_EXTRA_CANDIDATES = 24
_UNBOUNDED = 2.0  # above every effort


def fingerprint_stretch(
    fs: FingerprintSet, a: int, b: int, *, config: StretchConfig | None = None
) -> float:
    """Fingerprint stretch effort Δ_ab between two users.

    Parameters
    ----------
    fs : FingerprintSet
    a, b : int
        Row numbers of the users.
    config : StretchConfig

    Returns
    -------
    float
        In [0, 1]; 0 exactly when the two fingerprints are identical.

    Raises
    ------
    InfeasibleError
        If a row number is out of range.

    Examples
    --------
    One place, three minutes apart: half the weight of 3 / 480.

    >>> fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    >>> fingerprint_stretch(fs, 0, 1)
    0.003125
    """
    pair = fs.subset(fs.check_users([a]) if a == b else [a, b])
    packed = pack(pair)
    nearest = _scratch(packed)
    scale = scale_of(config or StretchConfig())
    return float(fingerprint_effort(packed, scale, 0, pair.n_users - 1, np.inf, nearest))


def k_gap(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    users: npt.ArrayLike | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> KGapResult:
    """k-gap of every user, or of some, among all fingerprints of the set.

    Parameters
    ----------
    fs : FingerprintSet
    k : int
        Crowd to hide in, 2 … n_users. One run at the largest k serves smaller ones by ``.at``.
    config : StretchConfig
        Weights and thresholds of the stretch effort.
    users : array_like of int or bool, optional
        Row numbers, or a mask, of the users to measure; all when None.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    KGapResult

    Raises
    ------
    ConfigError
        If k is not an integer of 2 or more.
    InfeasibleError
        If k exceeds the number of users, or ``users`` names one that is not there.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 3, 483])
    >>> k_gap(fs).values.tolist()
    [0.003125, 0.003125, 0.5]
    """
    config = config or StretchConfig()
    _check_k(k, fs.n_users)
    measured = fs.check_users(users)
    lists = _Lists(fs, int(k), measured)
    _search(lists, scale_of(config), engine or LocalEngine(), progress)
    at = np.empty(fs.n_users, np.int64)
    at[lists.row] = np.arange(fs.n_users)
    stretch = lists.stretch[at[measured]]
    return KGapResult(
        values=stretch.mean(axis=1),
        neighbours=lists.neighbours[at[measured]],
        stretch=stretch,
        k=int(k),
        users=measured,
        config=config,
        digest=fs.digest,
    )


def _check_k(k: int, n_users: int) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 2:
        raise ConfigError(f"k = {k!r}; it must be an integer of 2 or more.")
    if n_users < 2:
        raise InfeasibleError(
            "The data set has a single fingerprint, and nobody to hide among; load data with at "
            "least 2 users."
        )
    if k > n_users:
        raise InfeasibleError(
            f"k = {k} exceeds the {n_users} fingerprints loaded; choose k ≤ {n_users} or load "
            "more data."
        )


class _Lists:
    """Everyone's k − 1 nearest so far, users in order of falling length."""

    def __init__(self, fs: FingerprintSet, k: int, measured: IntArray) -> None:
        self.k = k
        self.row = np.argsort(-fs.lengths, kind="stable")
        self.fs = fs.subset(self.row)
        self.packed = pack(self.fs)
        n = fs.n_users
        self.neighbours = np.full((n, k - 1), n, np.int64)
        self.stretch = np.full((n, k - 1), np.inf)
        chosen = np.zeros(n, bool)
        chosen[measured] = True
        self.worst = np.where(chosen[self.row], _UNBOUNDED, -1.0)
        self.lock = threading.Lock()

    def enter(self, count: int, found: Found) -> None:
        with self.lock:
            enter(count, found, self.row, self.neighbours, self.stretch, self.worst)


def _search(lists: _Lists, scale: Scale, engine: Engine, progress: Progress | None) -> None:
    n = len(lists.row)
    packed = lists.packed
    if packed.equal:
        features = features_of(lists.fs)
        n_features = len(features.cell_x0) + features.n_bins
        _seed(lists, scale, engine)
    lengths = lists.fs.lengths

    def search_block(first: int) -> float:
        """All tiles with the users first … last−1 as the shorter side."""
        last = min(first + _WIDTH, n)
        found = _buffers(packed)
        if packed.equal:
            floor = np.empty((n_features, last - first), np.float32)
            fill_floor(packed, scale, features, first, last, floor)
        for a_first in range(0, last, _HEIGHT):
            a_last = min(a_first + _HEIGHT, last)
            if packed.equal:
                back = floor[:0]
                # Only pairs of equal length need the bound in the other direction.
                if lengths[a_last - 1] <= lengths[first]:
                    back = np.empty((n_features, a_last - a_first), np.float32)
                    fill_floor(packed, scale, features, a_first, a_last, back)
                kept, _ = search_tile(
                    packed, scale, features, floor, back, a_first, a_last, first, last,
                    lists.worst, found,
                )  # fmt: skip
            else:
                kept = search_plainly(
                    packed, scale, a_first, a_last, first, last, lists.worst, found
                )
            lists.enter(kept, found)
        return float((last - first) * (first + last)) / 2.0

    engine.run(search_block, range(0, n, _WIDTH), n * n / 2.0, progress)


def _seed(lists: _Lists, scale: Scale, engine: Engine) -> None:
    """A first upper bound of everyone's k−1st best, from users who move around the same area."""
    fs, packed = lists.fs, lists.packed
    n = fs.n_users
    many = min(n, lists.k + _EXTRA_CANDIDATES)
    mean = [np.bincount(fs.sample_user, v) / fs.lengths for v in (fs.x_m, fs.y_m)]
    places = np.column_stack(mean)
    tree = BallTree(places, metric="manhattan")
    blocks = [(i, min(i + 1024, n)) for i in range(0, n, 1024)]

    def seed_block(block: tuple[int, int]) -> float:
        first, last = block
        near = tree.query(places[first:last], k=many, return_distance=False)
        candidate_efforts(
            packed, scale, first, last, near.astype(np.int64), lists.k, lists.worst,
            _scratch(packed),
        )  # fmt: skip
        return float(last - first)

    engine.run(seed_block, blocks, n)


def _scratch(packed: Packed) -> FloatArray:
    return np.empty(int(np.diff(packed.place_offsets).max()))


def _buffers(packed: Packed) -> Found:
    pairs = _WIDTH * _HEIGHT
    return Found(
        a=np.empty(pairs, np.int32),
        b=np.empty(pairs, np.int32),
        effort=np.empty(pairs),
        bound=np.empty(_WIDTH, np.float32),
        nearest=_scratch(packed),
    )
