"""Anonymity sets: the users among whom each target is hidden.

An inverted index lists, for every known bin, the users whose trajectory holds the bin. The
anonymity set ``E_i`` is the intersection of the lists of ``A_i``, the known bins of target i. All
other bins are looked up once in a hash table and skipped, so the index needs one pass over the
data and no sorting.

Source: docs/science.md, “Adversary knowledge and unicity”.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, nth_part, part
from ..engines.work import Work, working
from ..kernels import unicity_index as kernel
from ..model.arrays import CELL, BoolArray, IntArray, SmallInts, offsets_of
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge

_SAMPLES_A_BLOCK = 1 << 20
_TARGETS_A_BLOCK = 64
_INDEX_SHARE = 0.8  # of the progress
R = TypeVar("R")


def anonymity_sets(
    fs: FingerprintSet,
    knowledge: Knowledge,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> IntArray:
    """Return the size |E_i| of each target's anonymity set: the users whose record contains A_i.

    A_i are the known points of target i. People are counted: a fingerprint that stands for several
    people, as in a k-anonymous release, adds its ``weight``. (The k-gap counts fingerprints
    instead, because each is a candidate for merging.) Two bins are the same if their corners and
    extents are equal. Two places are the same if their corners and extents in space are equal.

    Parameters
    ----------
    fs : FingerprintSet
        The data searched.
    knowledge : Knowledge
        Knowledge drawn from ``fs``, or from other data on the same cells. A size can be 0 only for
        knowledge from other data.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    int64 ndarray (n_targets,)

    Examples
    --------
    Users 0 and 1 share the bin at minute 0; only user 0 was there at minute 5, too.

    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 0, 0], [0, 0, 0], [0, 5, 0])
    >>> anonymity_sets(fs, Knowledge.from_bins(fs, {0: [(0, 0, 0), (0, 0, 5)], 1: [(0, 0, 0)]}))
    array([1, 2])
    """
    return sizes_of(fs, [knowledge], **working(engine, progress))[0]


def sizes_of(
    fs: FingerprintSet, knowledges: Sequence[Knowledge], **work: Unpack[Work]
) -> list[IntArray]:
    """Return :func:`anonymity_sets` for several :class:`Knowledge` objects, with one index.

    Raises
    ------
    ConfigError
        Some of the knowledge is about places without time, and some about bins.
    """
    do = working(**work)
    engine, progress = do["engine"], do["progress"]
    if any(k.timeless != knowledges[0].timeless for k in knowledges):
        raise ConfigError(
            "Bins and places known without time cannot share an index; separate them."
        )
    if engine.apart:
        told = [nth_part(progress, nth, len(knowledges)) for nth in range(len(knowledges))]
        return [
            np.concatenate(by_targets(anonymity_sets, fs, knowledge, engine, each))
            for knowledge, each in zip(knowledges, told, strict=True)
        ]
    index = Index(fs, knowledges, engine, part(progress, 0.0, _INDEX_SHARE))
    everyone = np.arange(len(index.lists.offsets) - 1)
    (sizes,) = index.sums(
        everyone, fs.weight[np.newaxis], engine, part(progress, _INDEX_SHARE, 1.0)
    )
    return np.split(sizes, np.cumsum([k.n_targets for k in knowledges])[:-1])


def first_unique(
    fs: FingerprintSet, knowledge: Knowledge, out_of: int, **work: Unpack[Work]
) -> tuple[IntArray, IntArray]:
    """Return how many points each target needs for |E| ≤ ``out_of``, and |E| with these points.

    |E| is the size of the anonymity set, in people, as points become known in order. If even all
    points leave |E| larger, the number of points is 0, and |E| is its size with all points. Both
    arrays are int64 (n_targets,).
    """
    do = working(**work)
    engine, progress = do["engine"], do["progress"]
    if engine.apart:
        parts = by_targets(first_unique, fs, knowledge, engine, progress, out_of=out_of)
        points, sizes = (np.concatenate(each) for each in zip(*parts, strict=True))
        return points, sizes
    points, sizes = np.zeros((2, knowledge.n_targets), np.int64)
    index = Index(fs, [knowledge], engine, part(progress, 0.0, _INDEX_SHARE))
    given, told = (index.lists, fs.weight, out_of, points, sizes), part(progress, _INDEX_SHARE, 1.0)
    fill(engine, len(sizes), _TARGETS_A_BLOCK, kernel.points_to_unique, *given, progress=told)
    return points, sizes


def by_targets(
    function: Callable[..., R],
    fs: FingerprintSet,
    knowledge: Knowledge,
    engine: Engine,
    progress: Progress,
    **given: Any,
) -> list[R]:
    """Return the results of ``function(fs, knowledge, **given)`` on parts of the targets, in order.

    The number of parts is the number of workers or of targets, whichever is smaller.
    """
    # Each part reads all data once, so there is one part for each worker and no more.
    parts = min(knowledge.n_targets, engine.workers)
    cuts = [knowledge.n_targets * nth // parts for nth in range(parts + 1)]
    some = [of_targets(knowledge, a, b) for a, b in pairwise(cuts)]
    found: dict[int, R] = {}
    engine.map(_alone, some, (function, fs.unnamed, given), found.__setitem__, progress=progress)
    return [found[nth] for nth in range(parts)]


def of_targets(knowledge: Knowledge, first: int, last: int) -> Knowledge:
    """Return only the knowledge about the targets first … last−1."""
    begin, end = int(knowledge.offsets[first]), int(knowledge.offsets[last])
    cells = {name: column[begin:end] for name, column in knowledge.arrays().items()}
    return replace(
        knowledge,
        targets=knowledge.targets[first:last],
        offsets=knowledge.offsets[first : last + 1] - begin,
        **cells,
    )


def _alone(
    knowledge: Knowledge, function: Callable[..., R], fs: FingerprintSet, given: dict[str, Any]
) -> R:
    return function(fs, knowledge, engine=LocalEngine(1), **given)


class Index:
    """Index of known bins: ``lists`` holds the users in each bin and the bins of each target.

    The targets of several :class:`Knowledge` objects are numbered one after another, from 0.
    """

    def __init__(
        self, fs: FingerprintSet, known: Sequence[Knowledge], engine: Engine, progress: Progress
    ) -> None:
        timeless, self.n_users = known[0].timeless, fs.n_users
        points = bits(*(np.concatenate([getattr(k, n) for k in known]) for n in CELL))
        many = len(points.x)
        table = np.full(1 << max(4, (4 * many).bit_length()), -1, np.int32)
        first, number = np.empty(many, np.int64), np.empty(many, np.int32)
        n_bins = kernel.enter_bins(points, timeless, table, first, number)
        # Adding 0.0 turns −0.0 into 0.0, which is the same place with different bits.
        bins = bits(*(column[first[:n_bins]].view(np.float64) + 0.0 for column in points))
        samples = bits(*fs.arrays().values())
        cuts = np.searchsorted(fs.offsets, np.arange(0, fs.n_samples, _SAMPLES_A_BLOCK))
        cuts = np.unique(np.append(cuts, fs.n_users))
        nothing = np.empty(0, np.int32)
        found: list[tuple[SmallInts, SmallInts]] = [(nothing, nothing)] * (len(cuts) - 1)

        def block(i: int) -> float:
            begin, end = int(cuts[i]), int(cuts[i + 1])
            found[i] = kernel.find_bins(fs.offsets, begin, end, samples, timeless, table, bins)
            return float(fs.offsets[end] - fs.offsets[begin])

        engine.run(block, range(len(found)), fs.n_samples, progress)
        # Blocks are in the order of users, and so are the lists filled from them one by one.
        starts = offsets_of(sum((np.bincount(b, minlength=n_bins) for b, _ in found), np.int64(0)))
        users = np.empty(int(starts[-1]), np.int32)
        at = starts[:-1].copy()
        for bin_, user in found:
            kernel.fill_lists(bin_, user, at, users)
        offsets = offsets_of(np.concatenate([k.sizes for k in known]))
        self.lists = kernel.Index(offsets, number, starts, users)

    def sums(
        self, some: IntArray, values: IntArray, engine: Engine, progress: Progress = None
    ) -> IntArray:
        """Sum each row of ``values`` over the users in the class of each target in ``some``.

        ``values`` has the shape (m, n_users), the result (m, len(some)). With weights as values,
        the sum is |E|, the size of the class.
        """
        sums = np.zeros((len(values), len(some)), np.int64)
        given = some, self.lists, values, sums
        fill(engine, len(some), _TARGETS_A_BLOCK, kernel.class_sums, *given, progress=progress)
        return sums

    def members(
        self, some: IntArray, inside: BoolArray, many: IntArray, engine: Engine, progress: Progress
    ) -> tuple[IntArray, SmallInts]:
        """Return offsets and users (row numbers) of some targets' classes, one after another.

        Where ``inside`` is False, users outside the class are listed instead. ``many`` has the
        number of users to list for each target.
        """
        starts = offsets_of(many)
        members = np.empty(int(starts[-1]), np.int32)
        given = some, self.lists, self.n_users, inside, starts, members
        fill(engine, len(some), _TARGETS_A_BLOCK, kernel.class_members, *given, progress=progress)
        return starts, members


def bits(*columns: npt.NDArray[np.generic]) -> kernel.Bins:
    """Return the corners and extents of bins, six float64 columns, as bits to compare exactly."""
    return kernel.Bins(*(column.view(np.uint64) for column in columns))
