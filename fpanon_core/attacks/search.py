"""Search for the records of a release that known points may belong to.

The first part of the module finds the samples of a release that a known point may have become. The
second part scores every published record for each of two attackers.

The attacker knows where and when a person was, and has the release and its description. The
attacker looks for the record that the stated method most likely made from this person's trajectory.
The best-sample attacker takes, for each point, the record's likeliest sample. The Bayes attacker
takes the mean over the record's samples, and so prefers the shorter of two records that fit.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..engines.local import Engine, stretches
from ..engines.progress import Progress
from ..kernels.linkage_density import CLOSE, NONE, Way, reach_of
from ..kernels.linkage_scores import Shelf, Shelved, best_samples, leading_records, rank_targets
from ..kernels.linkage_scores import Suspects as Suspects
from ..model.arrays import (
    CELL,
    PLACE,
    BoolArray,
    Closed,
    FloatArray,
    IntArray,
    SmallInts,
    distinct_rows,
)
from ..model.knowledge import DENSITIES, KnownPoints, Mechanism, Spread
from ..model.linkage import ATTACKERS
from ..model.released import Origin

FLOOR = 0.01
"""Density of a point that no sample of a record explains, relative to a uniform density over the
release.
"""

_BUCKETS_A_SAMPLE = 4
_BUCKETS_TO_THE_EDGE = 4
_BUCKETS_OF_BINS = 64.0


@dataclass(frozen=True, eq=False)
class Published(Closed):
    """Records of a release, and the people they belong to. Arrays are read-only.

    Attributes
    ----------
    cells : dict of str to float64 ndarray (n_samples,)
        Corner, sides, start and length of the published samples, metres and minutes.
    count : float64 ndarray (n_samples,)
        Number of events of each sample; 1 if the release does not state it.
    offsets : int64 ndarray (n_records + 1,)
        Samples of record r are rows ``offsets[r]:offsets[r+1]``.
    weight : int64 ndarray (n_records,)
        Number of people with this record.
    own : int64 ndarray (n_whole,)
        For each fingerprint of the original data, its record in the release; −1 if there is none.
    """

    cells: dict[str, FloatArray]
    count: FloatArray
    offsets: IntArray
    weight: IntArray
    own: IntArray

    @classmethod
    def of(cls, origin: Origin, whose: IntArray, n_whole: int) -> Published:
        """Return a release's records: one for each group if it has groups, else for each person.

        With periods, each piece of a person's fingerprint counts as a person.

        Parameters
        ----------
        origin : Origin
        whose : int64 ndarray (n_released,)
            Row number of each released person's original fingerprint.
        n_whole : int
            Number of fingerprints in the original data.
        """
        own = np.full(n_whole, -1, np.int64)
        if (hidden := origin.hidden) is None:
            fs = origin.released
            own[whose] = np.arange(fs.n_users)
            return cls(fs.arrays(), fs.count.astype(np.float64), fs.offsets, fs.weight, own)
        inside = hidden.group >= 0
        group, made = hidden.group[inside], hidden.published
        people = np.bincount(group, hidden.weight[inside], made.n_groups).astype(np.int64)
        own[whose] = group
        return cls(made.arrays(), np.ones(len(made.x_m)), made.offsets, people, own)

    @property
    def n_people(self) -> int:
        """Number of people in the release."""
        return int(self.weight.sum())


@dataclass(frozen=True, eq=False)
class _Shared:
    """Input of all blocks; sent to a cluster once, while a tuple would be sent with each block."""

    shelved: Shelved


def _shelved(published: Published, points: KnownPoints, mechanism: Mechanism) -> Shelved:
    """Sort the published samples that known points may have become; add points and method."""
    cells, record, share = _rows(published, mechanism)
    low = cells[:, :3].min(axis=0)
    extent = (cells[:, :3] + cells[:, 3:]).max(axis=0) - low
    if mechanism.timeless:
        extent[2] = 1.0
    anywhere = 1 / float(np.prod(extent))
    chances = points.same_place, points.place_share, points.same_time, points.time_share
    known = np.column_stack([*points.arrays().values(), *chances])
    way = _way(cells, known, mechanism, FLOOR * anywhere)
    each = np.bincount(record, minlength=len(published.weight)) * published.weight
    even = np.array([float(each.sum()) / published.n_people, 1.0]) * anywhere
    return Shelved(_shelf(cells, record, share, way, known), way, known, even)


def _rows(published: Published, mechanism: Mechanism) -> tuple[FloatArray, SmallInts, FloatArray]:
    """Return the published samples, the record of each, and its share of the record.

    The share is the probability of the sample if a point is drawn from the record. Without time,
    each place of a record occurs once.
    """
    n_records = len(published.weight)
    record = np.repeat(np.arange(n_records, dtype=np.int32), np.diff(published.offsets))
    cells = np.column_stack([published.cells[name] for name in CELL])
    drawn: FloatArray = published.count if mechanism.by_count else np.ones(len(record))
    if mechanism.timeless:
        cells[:, 2], cells[:, 5] = 0.0, 1.0
        first, which = distinct_rows(record, *(published.cells[name] for name in PLACE))
        cells, record = cells[first], record[first]
        events = np.bincount(which, drawn).astype(np.float64)
        drawn = events if mechanism.by_count else np.ones(len(first))
    total = np.bincount(record, drawn, n_records)
    return cells, record, drawn / np.maximum(total, 1e-300)[record]


def _way(cells: FloatArray, known: FloatArray, mechanism: Mechanism, floor: float) -> Way:
    """Return the method in the kernels' form, with a bound on densities relative to the floor."""
    space, time = mechanism.space, mechanism.time
    published, asked = (table[:, 3] * table[:, 4] for table in (cells, known))
    area = min(float(published.min()), float(np.nanmin(asked, initial=np.inf)))
    most = _peak(space, 2, area, bool((known[:, 6] < 1).any()))
    if not mechanism.timeless:
        length = min(float(cells[:, 5].min()), float(known[:, 5].min(initial=np.inf)))
        most *= _peak(time, 1, length, bool((known[:, 8] < 1).any()))
    nats = max(0.0, math.log(most / floor))
    in_space = DENSITIES.index(space.density), space.scale
    in_time = DENSITIES.index(time.density), time.scale
    kind = mechanism.boxes, mechanism.by_middle, mechanism.timeless
    return Way(*in_space, *in_time, *kind, floor, nats)


def _peak(spread: Spread, axes: int, least: float, exchanged: bool) -> float:
    """Return an upper bound on any density in ``axes`` dimensions.

    No cell is smaller than ``least``, an area or a duration. If the method exchanges samples, a
    point may stay in its cell, whatever the noise.
    """
    match spread.density:
        case "planar_laplace":
            top = 1 / (2 * math.pi * spread.scale**2)
        case "laplace":
            top = 1 / (2 * spread.scale)
        case "gaussian":
            top = (spread.scale * math.sqrt(2 * math.pi)) ** -axes
        case _:
            top = 1 / least
    return max(top, 1 / least) if exchanged else top


def _shelf(
    cells: FloatArray, record: SmallInts, share: FloatArray, way: Way, known: FloatArray
) -> Shelf:
    """Sort samples into buckets whose size is a part of the extent searched around a point.

    Samples of up to 1, 4, 16, … minutes are in separate sets of buckets. Otherwise one long sample
    would extend the search around every point by its whole length.
    """
    anywhere, anytime = bool((known[:, 6] < 1).any()), bool((known[:, 8] < 1).any())
    reach_m = reach_of(way.space, way.space_m, way.nats)
    reach_min = reach_of(way.time, way.time_min, way.nats)
    reach = np.array([reach_m, reach_m, reach_min])
    board = np.ceil(np.log2(np.maximum(cells[:, 5], 1.0)) / 2).astype(np.int64)
    parts: list[tuple[Any, ...]] = []
    order, starts, begun = [], [np.zeros(1, np.int64)], 0
    for number in np.unique(board):
        rows = np.flatnonzero(board == number)
        some = cells[rows]
        base, widest = some[:, :3].min(axis=0), some[:, 3:].max(axis=0)
        span = some[:, :3].max(axis=0) - base
        size = np.maximum(np.maximum(widest, reach / _BUCKETS_TO_THE_EDGE), CLOSE)
        if way.space == NONE and not way.boxes:  # the corner of the point's own bin is known
            size[:2] = np.maximum(span[:2] / _BUCKETS_OF_BINS, CLOSE)
        if anywhere:
            size[:2] = np.maximum(size[:2], 2 * span[:2])
        if anytime or way.timeless:
            size[2] = max(size[2], 2 * span[2])
        many = _coarse_enough(span, size, max(65_536, _BUCKETS_A_SAMPLE * len(rows)))
        at = np.minimum(((some[:, :3] - base) / size).astype(np.int64), many - 1)
        bucket = (at[:, 0] * many[1] + at[:, 1]) * many[2] + at[:, 2]
        order.append(rows[np.argsort(bucket, kind="stable")])
        filled = np.bincount(bucket, minlength=int(np.prod(many)))
        parts.append((sum(map(len, starts)) - 1, base, size, many, widest))
        starts.append(begun + np.cumsum(filled))
        begun += len(rows)
    first, base, size, many, widest = (np.array(column) for column in zip(*parts, strict=True))
    rows = np.concatenate(order)
    samples = np.ascontiguousarray(cells[rows]), record[rows], share[rows]
    return Shelf(*samples, np.concatenate(starts), first, base, size, many, widest)


def _coarse_enough(span: FloatArray, size: FloatArray, most: int) -> IntArray:
    """Return the number of buckets along each axis; ``size`` grows until there are few enough."""
    while True:
        many = np.floor(span / size) + 1
        if float(np.prod(many)) <= most:
            return many.astype(np.int64)
        # Coarser in space first, because times are usually known precisely.
        size[: 2 if many[0] * many[1] > 1 else 3] *= 2.0


_TARGETS_A_BLOCK = 16
_LEADING = 1_024
_LEAST = 1e-6


class Ranks(NamedTuple):
    """Ranks of targets' own records for one attacker; every array has the shape (n_targets,).

    Attributes
    ----------
    better, level : float64 ndarray
        Number of people whose record fits better than the target's own, and number of people whose
        record fits equally well. The target is among the latter.
    posterior : float64 ndarray
        Posterior probability of the target's own record, per person who shares it.
    taken : bool ndarray
        Whether the attacker accepts the best record as the target's.
    fitting : float64 ndarray
        Number of people whose record has every known point.
    fits : bool ndarray
        Whether the target's own record has every known point.
    """

    better: FloatArray
    level: FloatArray
    posterior: FloatArray
    taken: BoolArray
    fitting: FloatArray
    fits: BoolArray

    @property
    def first(self) -> FloatArray:
        """Probability of picking each target's own record; ties are broken at random."""
        chance: FloatArray = np.where(self.better == 0, 1 / np.maximum(self.level, 1), 0.0)
        return chance


def ranks(
    published: Published,
    points: KnownPoints,
    mechanism: Mechanism,
    own: IntArray,
    *,
    engine: Engine,
    progress: Progress = None,
) -> dict[str, Ranks]:
    """Score all records for each target and attacker, and rank the target's own record.

    Parameters
    ----------
    published : Published
    points : KnownPoints
    mechanism : Mechanism
    own : int64 ndarray (n_targets,)
        Record of each target, −1 for none.

    Returns
    -------
    dict of str to Ranks
        Ranks by name of the attacker, as in :data:`ATTACKERS`.
    """
    odds = published.n_people * (1 - mechanism.share) / mechanism.share
    given, work = (published, points, mechanism, own, odds), (engine, progress)
    out = np.concatenate([_unranked(0), *_by_target(_ranked, *given, work=work)])
    found = {}
    for number, name in enumerate(ATTACKERS):
        better, level, posterior, taken, fitting, fits = out[:, number].T
        found[name] = Ranks(better, level, posterior, taken > 0, fitting, fits > 0)
    return found


def suspects(
    published: Published,
    points: KnownPoints,
    mechanism: Mechanism,
    attacker: str,
    *,
    engine: Engine,
    progress: Progress = None,
) -> Suspects:
    """Return, for each target, the records that the named attacker finds likeliest."""
    number, most = ATTACKERS.index(attacker), min(_LEADING, len(published.weight))
    given, work = (published, points, mechanism, number, most), (engine, progress)
    found: Any = [_nobody(0, most), *_by_target(_leading, *given, work=work)]
    return Suspects(*map(np.concatenate, zip(*found, strict=True)))


def _by_target(
    search: Callable[..., Any],
    published: Published,
    points: KnownPoints,
    mechanism: Mechanism,
    *given: Any,
    work: tuple[Engine, Progress],
) -> list[Any]:
    """Return what ``search`` finds for each block of targets, in order."""
    engine, progress = work
    shelved = _Shared(_shelved(published, points, mechanism))
    shared = shelved, points.offsets, published.weight
    blocks = stretches(points.n_targets, _TARGETS_A_BLOCK, engine)
    found: list[Any] = [None] * len(blocks)
    engine.map(search, blocks, (*shared, *given), found.__setitem__, progress=progress)
    return found


def _ranked(
    block: tuple[int, int],
    shared: _Shared,
    offsets: IntArray,
    weight: IntArray,
    own: IntArray,
    odds: float,
) -> FloatArray:
    out = _unranked(len(offsets) - 1)
    rank_targets(*block, offsets, shared.shelved, own, odds, weight, out)
    return out[slice(*block)].copy()


def _unranked(n: int) -> FloatArray:
    return np.zeros((n, len(ATTACKERS), 6))


def _leading(
    block: tuple[int, int],
    shared: _Shared,
    offsets: IntArray,
    weight: IntArray,
    attacker: int,
    most: int,
) -> Suspects:
    out = _nobody(len(offsets) - 1, most)
    leading_records(*block, offsets, shared.shelved, weight, attacker, _LEAST, out)
    some: Any = (values[slice(*block)].copy() for values in out)  # views would keep the whole
    return Suspects(*some)


def _nobody(n: int, most: int) -> Suspects:
    of_records = np.zeros((n, most), np.int32), np.zeros((n, most))
    return Suspects(*of_records, np.zeros(n, np.int64), np.zeros(n))


def best_placed(
    published: Published, points: KnownPoints, mechanism: Mechanism, records: IntArray
) -> IntArray:
    """Return, for each record and point, the sample that the point most likely became.

    Parameters
    ----------
    published : Published
    points : KnownPoints
    mechanism : Mechanism
    records : int64 ndarray (n_records,)
        Numbers of the records whose samples are compared.

    Returns
    -------
    int64 ndarray (n_records, n_points)
        Row numbers of the published samples; −1 if no sample is above the floor. Ties go to the
        first sample.
    """
    search = _shelved(published, points, mechanism)
    cells = np.column_stack([published.cells[name] for name in CELL])
    out = np.full((len(records), len(search.points)), -1, np.int64)
    best_samples(records, published.offsets, cells, search.points, search.way, out)
    return out
