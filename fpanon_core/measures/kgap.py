"""The k-gap: how far each user is from being hidden in a group of k.

Each sample of the longer fingerprint has a smallest stretch effort to any sample of the shorter.
``Δ_ab`` is the mean of these efforts; for equal lengths, the mean of both directions. The ``k-gap``
of a user is the mean of Δ to the k − 1 nearest fingerprints. The results are the same as if Δ were
computed for all pairs. A pair is skipped only if the bound proven in
:mod:`fpanon_core.kernels.kgap_search` shows that neither fingerprint is among the other's nearest.
Memory is linear in the data: no matrix of users by users is ever stored.

Source: Gramaglia & Fiore 2015, eq. 4–5; docs/science.md, “k-gap”.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import BallTree

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..kernels import kgap_search as kernel
from ..kernels.stretch import Ahead, Packed, fingerprint_effort
from ..model.arrays import FloatArray, IntArray, SmallInts, Steps
from ..model.checks import whole
from ..model.configs import StretchConfig
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.kgap import KGapResult
from .packing import pack, with_features

_WIDTH = 128  # users b of a tile: one row of the floor stays within a few cache lines
_HEIGHT = 512  # users a of a tile
_TILES_KEPT = 64  # tiles whose floors are kept: enough for 8,192 users of one length
_MOST_NEAR = 16  # candidates by mean position alone
_LEAF = 10  # points in a leaf of the tree: takes a third less time than 40, at 20,000 users
_EXTRA_CANDIDATES = 8
_ROUND_OF_CANDIDATES = 16  # candidates in a round; each round lowers the limits for the next
_PAIRS_A_BLOCK = 8_192
_PARTS_A_WORKER = 16  # for separate workers: the part of a lost worker is done again
_UNBOUNDED = 2.0  # above every effort


def fingerprint_stretch(
    fs: FingerprintSet, a: int, b: int, *, config: StretchConfig | None = None
) -> float:
    """Return the fingerprint stretch effort Δ_ab between two users.

    Parameters
    ----------
    fs : FingerprintSet
    a, b : int
        Row numbers of the users.
    config : StretchConfig

    Returns
    -------
    float
        In [0, 1]; 0 exactly when the two fingerprints are identical, if both weights are above 0.

    Raises
    ------
    ConfigError
        The weights of ``config`` are 1 and 1, and a and b differ.
    InfeasibleError
        a or b is not a row number of ``fs``.

    Examples
    --------
    Two samples at one place, three minutes apart: the effort is half of 3 / 480.

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
    packed = pack(fs.subset(chosen), config or StretchConfig())
    unknown = Ahead(0.0, kernel.NO_FLOOR, 0.0, kernel.NO_EXTRA, 0)
    return float(fingerprint_effort(packed, 0, 1, np.inf, _scratch(packed), unknown, unknown))


def k_gap(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    users: npt.ArrayLike | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> KGapResult:
    """Return the k-gap of every user, or of some users, among all fingerprints of the set.

    Parameters
    ----------
    fs : FingerprintSet
    k : int
        Size of the group to hide in, 2 … n_users. The result for the largest k also gives the
        results for smaller k, through its method ``at``.
    config : StretchConfig
        Weights and thresholds of the stretch effort.
    users : array_like of int or bool, optional
        Row numbers, or a mask, of the users to measure; all when None.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    KGapResult

    Raises
    ------
    ConfigError
        k is not an integer of 2 or more, or the weights of ``config`` are 1 and 1.
    InfeasibleError
        There are fewer than k fingerprints; or ``users`` is given, but is neither a mask of the
        fingerprints nor a list of different row numbers, or chooses nobody.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 3, 483])
    >>> k_gap(fs).values.tolist()
    [0.003125, 0.003125, 0.5]
    """
    config = config or StretchConfig()
    check_k(k, fs.n_users)
    measured = fs.check_users(users)
    search = _Search(fs, int(k), measured, config)
    lists = search.nearest(engine or LocalEngine(), progress).lists
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
    """Raise an error unless k is a possible size of a group among ``n_users`` fingerprints.

    Raises
    ------
    ConfigError
        k is not an integer of 2 or more.
    InfeasibleError
        There are fewer than k fingerprints.
    """
    whole("k", k, 2)
    if n_users < 2:
        raise InfeasibleError(
            "The data set has a single fingerprint, so there is nobody to hide among; load data "
            "with at least 2 people."
        )
    if k > n_users:
        raise InfeasibleError(
            f"k = {k} exceeds the {n_users} people loaded; choose k ≤ {n_users} or load more data."
        )


_Pairs = tuple[SmallInts, SmallInts, FloatArray]  # users a < b, and their effort


class _Lists:
    """Nearest users found so far for each user.

    Users are in order of descending fingerprint length; ``row`` gives their row numbers.
    """

    def __init__(self, row: IntArray, many: int, worst: FloatArray) -> None:
        nobody = np.full((len(row), many), len(row), np.int64)
        self.lists = kernel.Lists(row, nobody, np.full((len(row), many), np.inf), worst)
        self.lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, lock=threading.Lock())

    @property
    def worst(self) -> FloatArray:
        return self.lists.worst

    def enter(self, count: int, found: kernel.PairBuffer) -> None:
        with self.lock:
            kernel.enter(count, found, self.lists)

    def copy(self) -> _Noted:
        with self.lock:
            row, neighbours, stretch, worst = self.lists
            made = _Noted(row, 0, worst)
            made.lists = kernel.Lists(row, neighbours.copy(), stretch.copy(), worst.copy())
        return made


class _Noted(_Lists):
    """Working copy of the lists that also records the pairs to be entered in the original lists."""

    _most = 1 << 22  # pairs kept before those that are no longer near are dropped

    def __init__(self, row: IntArray, many: int, worst: FloatArray) -> None:
        super().__init__(row, many, worst)
        self._pairs: list[_Pairs] = []
        self._kept = 0

    def enter(self, count: int, found: kernel.PairBuffer) -> None:
        super().enter(count, found)
        if count:
            some = found.a[:count].copy(), found.b[:count].copy(), found.effort[:count].copy()
            self._pairs.append(some)
            self._kept += count
        if self._kept > self._most:
            self.pairs()
            self._most = max(self._most, 2 * self._kept)

    def pairs(self) -> _Pairs:
        """Return a, b and effort of the found pairs still near enough for the list of a or b."""
        nothing = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
        a, b, effort = (np.concatenate(each) for each in zip(nothing, *self._pairs, strict=True))
        near = (effort <= self.worst[a]) | (effort <= self.worst[b])
        self._pairs, self._kept = [(a[near], b[near], effort[near])], int(near.sum())
        return self._pairs[0]


@dataclass(frozen=True, eq=False)
class _Data:
    """Input of a search, the same for every worker."""

    packed: Packed
    features: kernel.Features | None
    lengths: IntArray

    @cached_property
    def floor_of(self) -> Callable[[int], Steps]:
        """Function that returns a tile's floors, given its first user; a few results are kept.

        Floors are lower bounds of parts of the effort; see :mod:`fpanon_core.kernels.kgap_search`.
        """
        features, n = self.features, len(self.lengths)
        assert features is not None

        def floor_of(first: int) -> Steps:
            last = min(first + _WIDTH, n)
            floor = np.empty((len(features.cell_x0) + features.n_bins, last - first), np.uint8)
            kernel.fill_steps(self.packed, features, first, last, floor)
            return floor

        return lru_cache(_TILES_KEPT)(floor_of)


@dataclass(frozen=True, eq=False)
class _Stage:
    """One step of a search: the lists before the step, and a list of pairs of users.

    The pair of users a and b is listed as the number a·n + b, for n users. A stage by pairs
    computes the listed pairs, a stage by tiles all other pairs.
    """

    lists: _Lists
    pairs: IntArray  # a < b, ascending
    exact: bool
    known: kernel.Known | None = None  # the same pairs, for the tiles


class _Search:
    """Search over the fingerprints of a set, in tiles of users."""

    def __init__(
        self, fs: FingerprintSet, k: int, measured: IntArray, config: StretchConfig
    ) -> None:
        self.k = k
        self.row = np.argsort(-fs.lengths, kind="stable")
        self.fs = fs.subset(self.row)
        packed = pack(self.fs, config)
        features: kernel.Features | None = None
        if packed.equal:
            packed, features = with_features(self.fs, packed)
        self.data = _Data(packed, features, self.fs.lengths)
        self.chosen = np.isin(self.row, measured)
        self.worst = np.where(self.chosen, _UNBOUNDED, -1.0)
        self.computed = np.empty(0, np.int64)  # pairs a·n + b, a < b, ascending

    def nearest(self, engine: Engine, progress: Progress | None) -> _Lists:
        """Find the k − 1 users nearest to each user.

        Pairs of likely neighbours are computed first, so that the computation of other pairs can be
        stopped early. Pairs with the nearest mean positions come first. If all cells have equal
        sides and durations, efforts have lower bounds, and the pairs with the lowest bounds come
        next.
        """
        n, k = len(self.row), self.k
        lists = _Lists(self.row, k - 1, self.worst)
        few = min(n, 2 * k + 8, _MOST_NEAR + 1)
        fs = self.fs
        means = [np.bincount(fs.sample_user, v) / fs.lengths for v in (fs.x_m, fs.y_m)]
        places = np.column_stack(means)
        tree = BallTree(places, _LEAF, metric="manhattan")
        near = tree.query(places, k=few, return_distance=False)
        self._pairs(lists, near.astype(np.int64), engine)
        if self.data.features is not None:
            many = min(n - 1, k + k // 2 + _EXTRA_CANDIDATES)
            candidates = _Lists(np.arange(n), many, np.where(self.worst < 0, -1.0, _UNBOUNDED))
            self._tiles(candidates, engine, None, exact=False)
            for first in range(0, many, _ROUND_OF_CANDIDATES):
                some = candidates.lists.neighbours[:, first : first + _ROUND_OF_CANDIDATES]
                self._pairs(lists, some, engine)
        self._tiles(lists, engine, progress, exact=True)
        return lists

    def _pairs(self, lists: _Lists, candidates: IntArray, engine: Engine) -> None:
        """Compute the stretch effort between each measured user and the user's candidates.

        ``candidates`` has a row for each user, with any number of candidates; n stands for no
        candidate.
        """
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
        if len(keys):
            work = np.minimum(_PAIRS_A_BLOCK, len(keys) - np.arange(0, len(keys), _PAIRS_A_BLOCK))
            stage = _Stage(lists, keys, True)
            self._do(_search_pairs, stage, _PAIRS_A_BLOCK, work, engine, None)

    def _tiles(
        self, lists: _Lists, engine: Engine, progress: Progress | None, *, exact: bool
    ) -> None:
        n = len(self.row)
        a, b = np.divmod(self.computed, n)
        known = kernel.Known(np.searchsorted(a, np.arange(n + 1)), b.astype(np.int32))
        stage = _Stage(lists, self.computed, exact, known)
        first = np.arange(0, n, _WIDTH)
        last = np.minimum(first + _WIDTH, n)
        work = (last - first) * (first + last) / 2.0
        self._do(_search_tiles, stage, _WIDTH, work, engine, progress)

    def _do(
        self,
        search: Callable[[_Data, _Stage, _Lists, int], None],
        stage: _Stage,
        size: int,
        work: npt.NDArray[Any],
        engine: Engine,
        progress: Progress | None,
    ) -> None:
        """Search all blocks of a given size, each with the limits that earlier blocks reached.

        Workers that share no memory each have limits of their own.
        """
        blocks = range(0, size * len(work), size)
        if not engine.apart:

            def block(number: int) -> float:
                search(self.data, stage, stage.lists, blocks[number])
                return float(work[number])

            engine.run(block, range(len(blocks)), float(work.sum()), progress)
            return
        # Separate workers have their own limits: few large parts, each with blocks from everywhere.
        many = min(len(blocks), _PARTS_A_WORKER * engine.workers)
        parts = [tuple(blocks[nth::many]) for nth in range(many)]

        def take(_: int, found: _Pairs) -> None:
            some = _buffers(self.data.packed)._replace(a=found[0], b=found[1], effort=found[2])
            stage.lists.enter(len(found[0]), some)

        each = [float(work[nth::many].sum()) for nth in range(many)]
        engine.map(
            _search_part, parts, (search, self.data, stage), take, work=each, progress=progress
        )


def _search_part(
    firsts: tuple[int, ...],
    search: Callable[[_Data, _Stage, _Lists, int], None],
    data: _Data,
    stage: _Stage,
) -> _Pairs:
    """Search some blocks, and return their pairs to be entered in the original lists."""
    lists = stage.lists.copy()
    for first in firsts:
        search(data, stage, lists, first)
    return lists.pairs()


def _search_pairs(data: _Data, stage: _Stage, lists: _Lists, first: int) -> None:
    _compute(data, stage.pairs[first : first + _PAIRS_A_BLOCK], lists)


def _compute(data: _Data, pairs: IntArray, lists: _Lists) -> None:
    found = _buffers(data.packed)
    a, b = np.divmod(pairs, len(data.lengths))
    lists.enter(kernel.search_pairs(data.packed, a, b, lists.worst, found), found)


def _search_tiles(data: _Data, stage: _Stage, lists: _Lists, first: int) -> None:
    """Search the tiles that pair each user of the block at ``first`` with all users before it.

    Users are in order of descending length, so the user of the block has the shorter fingerprint,
    or one of equal length.
    """
    packed, features, lengths = data.packed, data.features, data.lengths
    n, last = len(lengths), min(first + _WIDTH, len(lengths))
    if features is None:  # cells of unequal extents have no bound
        for a_first in range(0, last, _HEIGHT):
            a, b = np.mgrid[a_first : min(a_first + _HEIGHT, last), first:last]
            pairs = (a * n + b)[a < b]
            _compute(data, np.setdiff1d(pairs, stage.pairs, assume_unique=True), lists)
        return
    found, known = _buffers(packed), stage.known
    assert known is not None
    floor, extra = data.floor_of(first), kernel.NO_EXTRA
    if stage.exact:
        extra = np.empty((len(features.cell_x0) * features.n_windows, last - first), np.uint8)
        kernel.fill_extra(packed, features, floor, first, last, extra)
    # Only pairs of equal length need the bound in the other direction.
    equal = int(np.searchsorted(-lengths, -lengths[first])) // _WIDTH * _WIDTH
    for a_first in (*range(0, equal, _HEIGHT), *range(equal, last, _WIDTH)):
        a_last = min(a_first + _HEIGHT, equal) if a_first < equal else min(a_first + _WIDTH, last)
        floors = kernel.Floors(
            floor, data.floor_of(a_first) if a_first >= equal else floor[:0], extra
        )
        tile = kernel.Tile(a_first, a_last, first, last)
        kept = kernel.search_tile(
            packed, features, floors, tile, known, lists.worst, stage.exact, found
        )
        lists.enter(kept, found)


def _scratch(packed: Packed) -> FloatArray:
    return np.empty(int(np.diff(packed.place_offsets).max()))


def _buffers(packed: Packed) -> kernel.PairBuffer:
    pairs = _WIDTH * _HEIGHT
    return kernel.PairBuffer(
        a=np.empty(pairs, np.int32),
        b=np.empty(pairs, np.int32),
        effort=np.empty(pairs),
        bound=np.empty(_WIDTH, np.uint32),
        narrow=np.empty(_WIDTH, np.uint16),
        nearest=_scratch(packed),
    )
