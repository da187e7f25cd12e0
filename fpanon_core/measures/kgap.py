"""How far is everyone from hiding? The k-gap.

``Δ_ab`` is the mean, over the samples of the longer fingerprint, of the smallest stretch effort to
any sample of the shorter (equal lengths: the mean of both directions). ``k-gap`` of a user is the
mean of Δ to the k − 1 nearest fingerprints. Results equal the plain double loop: pairs are left out
only by the bound proven in :mod:`fpanon_core.kernels.kgap_search`. Memory is linear in the data: no
matrix of users by users is ever held.

Source: Gramaglia & Fiore 2015, eq. 4–5; docs/science.md, “k-gap”.
"""

from __future__ import annotations

import threading
from functools import cached_property

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import BallTree

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..kernels.kgap_search import (
    NO_EXTRA,
    NO_FLOOR,
    Features,
    Known,
    PairBuffer,
    enter,
    fill_extra,
    fill_floor,
    search_pairs,
    search_plainly,
    search_tile,
)
from ..kernels.stretch import Ahead, Packed, Scale, fingerprint_effort
from ..model.arrays import FloatArray, IntArray, SmallFloats
from ..model.checks import whole
from ..model.configs import StretchConfig
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.kgap import KGapResult
from .packing import pack, scale_of, with_features

_WIDTH = 128  # users b of a tile: one row of the floor stays within a few cache lines
_HEIGHT = 512  # users a of a tile
_MOST_NEAR = 16  # candidates by mean position alone
_EXTRA_CANDIDATES = 8
_ROUND_OF_CANDIDATES = 16  # the first lower the limits for the next
_PAIRS_A_BLOCK = 8_192
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
    if a == b:
        fs.check_users([a])
        return 0.0
    chosen = fs.check_users([a, b])
    if fs.lengths[b] > fs.lengths[a]:
        chosen = chosen[::-1]
    packed = pack(fs.subset(chosen))
    scale = scale_of(config or StretchConfig())
    unknown = Ahead(0.0, NO_FLOOR, NO_EXTRA, 0)
    return float(
        fingerprint_effort(packed, scale, 0, 1, np.inf, _scratch(packed), unknown, unknown)
    )


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
    check_k(k, fs.n_users)
    measured = fs.check_users(users)
    search = _Search(fs, int(k), measured, scale_of(config))
    lists = search.nearest(engine or LocalEngine(), progress)
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


def check_k(k: int, n_users: int) -> None:
    """Refuse a k that is none, or that the users are too few for."""
    whole("k", k, 2)
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
    """Everyone's nearest so far; users in order of falling length, which ``row`` translates."""

    def __init__(self, row: IntArray, many: int, worst: FloatArray) -> None:
        self.row = row
        self.neighbours = np.full((len(row), many), len(row), np.int64)
        self.stretch = np.full((len(row), many), np.inf)
        self.worst = worst
        self.lock = threading.Lock()

    def enter(self, count: int, found: PairBuffer) -> None:
        with self.lock:
            enter(count, found, self.row, self.neighbours, self.stretch, self.worst)


class _Search:
    """One search over the fingerprints of a set, in tiles of users."""

    def __init__(self, fs: FingerprintSet, k: int, measured: IntArray, scale: Scale) -> None:
        self.k = k
        self.scale = scale
        self.row = np.argsort(-fs.lengths, kind="stable")
        self.fs = fs.subset(self.row)
        self.packed = pack(self.fs)
        self.features: Features | None = None
        if self.packed.equal:
            self.packed, self.features = with_features(self.fs, self.packed)
        chosen = np.zeros(fs.n_users, bool)
        chosen[measured] = True
        self.chosen = chosen[self.row]
        self.worst = np.where(self.chosen, _UNBOUNDED, -1.0)
        self.computed = np.empty(0, np.int64)  # pairs a·n + b, a < b, ascending

    def nearest(self, engine: Engine, progress: Progress | None) -> _Lists:
        """Everyone's k − 1 nearest.

        Likely neighbours are computed first, so that the rest can be abandoned early: those whose
        mean positions are nearest, then, where there is a bound, those whose bounds are lowest.
        """
        n, k = len(self.row), self.k
        lists = _Lists(self.row, k - 1, self.worst)
        few = min(n, 2 * k + 8, _MOST_NEAR + 1)
        near = self._tree.query(self._means, k=few, return_distance=False)
        self._pairs(lists, near.astype(np.int64), engine)
        if self.features is not None:
            many = min(n - 1, k + k // 2 + _EXTRA_CANDIDATES)
            candidates = _Lists(np.arange(n), many, np.where(self.worst < 0, -1.0, _UNBOUNDED))
            self._tiles(candidates, engine, None, exact=False)
            for first in range(0, many, _ROUND_OF_CANDIDATES):
                some = candidates.neighbours[:, first : first + _ROUND_OF_CANDIDATES]
                self._pairs(lists, some, engine)
        self._tiles(lists, engine, progress, exact=True)
        return lists

    def _pairs(self, lists: _Lists, candidates: IntArray, engine: Engine) -> None:
        """Compute everyone's pairs with their candidates, rows (n, any number), n for none."""
        n = len(self.row)
        some = candidates[self.chosen]
        one = np.repeat(np.flatnonzero(self.chosen), some.shape[1])
        other = some.ravel()
        keys = np.minimum(one, other) * n + np.maximum(one, other)
        keys = np.sort(keys[(other < n) & (one != other)])
        at = np.searchsorted(self.computed, keys)
        new = np.append(self.computed, -1)[at] != keys
        new[1:] &= keys[1:] != keys[:-1]
        keys = keys[new]
        self.computed = np.sort(np.concatenate([self.computed, keys]), kind="stable")
        a, b = np.divmod(keys, n)

        def block(first: int) -> float:
            part = slice(first, first + _PAIRS_A_BLOCK)
            found = _buffers(self.packed)
            kept = search_pairs(self.packed, self.scale, a[part], b[part], lists.worst, found)
            lists.enter(kept, found)
            return float(len(a[part]))

        if len(keys):
            engine.run(block, range(0, len(keys), _PAIRS_A_BLOCK), len(keys))

    def _known(self) -> Known:
        n = len(self.row)
        a, b = np.divmod(self.computed, n)
        return Known(np.searchsorted(a, np.arange(n + 1)), b.astype(np.int32))

    def _tiles(
        self, lists: _Lists, engine: Engine, progress: Progress | None, *, exact: bool
    ) -> None:
        n = len(self.row)
        packed, features, scale = self.packed, self.features, self.scale
        lengths = self.fs.lengths
        known = self._known()

        def floor_of(first: int, last: int) -> SmallFloats:
            assert features is not None
            count = len(features.cell_x0) + features.n_bins
            floor = np.empty((count, last - first), np.float32)
            fill_floor(packed, scale, features, first, last, floor)
            return floor

        def search_block(first: int) -> float:
            """All tiles with the users first … last−1 as the shorter side."""
            last = min(first + _WIDTH, n)
            found = _buffers(packed)
            extra = NO_EXTRA
            if features is not None:
                floor = floor_of(first, last)
                if exact:
                    both = len(features.cell_x0) * features.n_windows
                    extra = np.empty((both, last - first), np.uint8)
                    fill_extra(packed, scale, features, first, last, extra)
            for a_first in range(0, last, _HEIGHT):
                a_last = min(a_first + _HEIGHT, last)
                if features is not None:
                    # Only pairs of equal length need the bound in the other direction.
                    equal = lengths[a_last - 1] <= lengths[first]
                    back = floor_of(a_first, a_last) if equal else floor[:0]
                    kept, _ = search_tile(
                        packed, scale, features, floor, back, extra, a_first, a_last,
                        first, last, known, lists.worst, exact, found,
                    )  # fmt: skip
                else:
                    kept = search_plainly(
                        packed, scale, a_first, a_last, first, last, known, lists.worst, found
                    )
                lists.enter(kept, found)
            return float((last - first) * (first + last)) / 2.0

        engine.run(search_block, range(0, n, _WIDTH), n * n / 2.0, progress)

    @cached_property
    def _means(self) -> FloatArray:
        fs = self.fs
        return np.column_stack(
            [np.bincount(fs.sample_user, v) / fs.lengths for v in (fs.x_m, fs.y_m)]
        )

    @cached_property
    def _tree(self) -> BallTree:
        return BallTree(self._means, metric="manhattan")


def _scratch(packed: Packed) -> FloatArray:
    return np.empty(int(np.diff(packed.place_offsets).max()))


def _buffers(packed: Packed) -> PairBuffer:
    pairs = _WIDTH * _HEIGHT
    return PairBuffer(
        a=np.empty(pairs, np.int32),
        b=np.empty(pairs, np.int32),
        effort=np.empty(pairs),
        bound=np.empty(_WIDTH, np.float32),
        nearest=_scratch(packed),
    )
