"""Linking of one person's records across periods, by places and hours.

The attacker has only the release and its description, and uses no name, order or group number. Two
records are similar to the degree that each makes the other likely. The places and hours of each
record are compared with the places and hours of everybody else. So a rare place that two records
share counts more than a crowded one.

Records that this likeness cannot distinguish are interchangeable and form one group. Groups are
ordered by a digest of their content, salted with their period. So remaining ties are broken by
something unrelated to any person.

Source: docs/science.md, “Whose records belong together”.

*Chains.* A person's records are followed from period to period.

A chain holds the samples of all its records so far. Each period's records are matched with all
chains, including chains without a record in the period before. A record that no chain takes begins
a new chain.

Source: docs/science.md, “Whose records belong together”.

*Moves.* The first cell of a record is compared with the last cell of an earlier one.

The attacker has the release only. The distances that people travel in a given time are learnt from
the moves within its records. The gain of a pair of records rises with the likelihood of its move,
relative to a move from anybody's last cell in the earlier period.

Source: docs/science.md, “Whose records belong together”.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine, fill
from ..engines.progress import Progress, nth_part, part, tell
from ..kernels.relinking import Marks, Side, add_moves, count_moves, likest, usual_density
from ..kernels.relinking import Moves as Moves
from ..model.arrays import (
    PLACE,
    Closed,
    FloatArray,
    IntArray,
    SmallInts,
    distinct_rows,
    offsets_of,
    rows_of,
)
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Spread
from .assignment import Flows, Pairs, most_saving

AROUND_H = 1
"""Hours before and after a sample in which the sample also counts, because habits vary in time."""

_NONE = Spread()
_DEVIATIONS = 2.0  # standard deviations of noise by which a sample is widened
_STEPS_OF_NOISE = 8
_HOUR_MIN = 60.0
_HOURS = 24
_CLOSE_H = 1e-6
_BINS_A_BLOCK = 256
_RECORDS_A_BLOCK = 16


@dataclass(frozen=True, eq=False)
class Bins(Closed):
    """Distinct places and hours of the day in which a release has samples.

    Attributes
    ----------
    corners : float64 ndarray (n_bins, 4)
        x and y of the lower corner, x and y of the upper corner, metres.
    hours : int32 ndarray (n_bins,)
        Bit h is set if the bin includes hour h of the local day.
    """

    corners: FloatArray
    hours: SmallInts


@dataclass(frozen=True, eq=False)
class Traces(Closed):
    """Number of samples of each record in each bin, in order of the bins.

    Attributes
    ----------
    offsets : int64 ndarray (n_records + 1,)
    bin : int64 ndarray
        Bins of record r are rows ``offsets[r]:offsets[r+1]``.
    mass : float64 ndarray
        Number of samples in each bin.
    weight : int64 ndarray (n_records,)
        Number of people with this record.
    ends : float64 ndarray (n_records, 10)
        First and last cell, as returned by :func:`moves_of`.
    """

    offsets: IntArray
    bin: IntArray
    mass: FloatArray
    weight: IntArray
    ends: FloatArray

    @classmethod
    def of(
        cls, record: IntArray, bins: IntArray, mass: FloatArray, weight: IntArray, ends: FloatArray
    ) -> Traces:
        """Make traces from rows; several rows may have the same record and bin."""
        first, which = distinct_rows(record, bins)
        many = np.bincount(record[first], minlength=len(weight))
        total: FloatArray = np.bincount(which, mass).astype(np.float64)
        return cls(offsets_of(many), bins[first], total, weight, ends)

    @property
    def n_people(self) -> int:
        """Number of people with these records."""
        return int(self.weight.sum())

    def rows(self, chosen: IntArray) -> Traces:
        """Return the records with the chosen row numbers, in the given order."""
        lengths = np.diff(self.offsets)[chosen]
        at = rows_of(self.offsets[:-1][chosen], lengths)
        return Traces(
            offsets_of(lengths), self.bin[at], self.mass[at], self.weight[chosen], self.ends[chosen]
        )

    def grouped(self, salt: bytes) -> tuple[IntArray, Traces]:
        """Return the group of each record, and the groups: records with equal masses in all bins.

        A group has the ends of the record whose ends come first when sorted column by column. The
        ``salt`` of the digests determines the order of the groups.
        """
        content = [
            blake2b(
                self.bin[a:b].tobytes() + self.mass[a:b].tobytes(), digest_size=16, salt=salt
            ).digest()
            for a, b in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)
        ]
        order = np.lexsort(self.ends.T[::-1])
        _, first, of_ordered = np.unique(
            np.array(content, object)[order], return_index=True, return_inverse=True
        )
        of = np.empty(len(order), np.int64)
        of[order] = of_ordered
        groups = self.rows(order[first])
        people = np.bincount(of, self.weight, len(first)).astype(np.int64)
        return of, replace(groups, weight=people)


def traced(
    fs: FingerprintSet, ends: FloatArray, space: Spread = _NONE, time: Spread = _NONE
) -> tuple[Bins, Traces]:
    """Return the places and hours of records; a sample's mass of 1 is spread evenly.

    The mass is spread over the sample's rectangle and over hours of the local day. These are the
    hours that the sample touches, plus one hour before and after; a sample that lasts a day counts
    for all hours alike. With noise, the rectangle and the hours are widened by two standard
    deviations, w. A side s becomes √(s² + w²), and whole hours are added before and after. Widened
    rectangles begin at multiples of a quarter of a standard deviation.

    Parameters
    ----------
    fs : FingerprintSet
    ends : float64 ndarray (n_users, 10)
        First and last cells of the records.
    space, time : Spread
        Noise stated by the method.

    Returns
    -------
    Bins, Traces
    """
    x, y, dx, dy = (getattr(fs, name) for name in PLACE)
    if space.variance > 0:
        width = _DEVIATIONS * math.sqrt(space.variance)
        step = width / _STEPS_OF_NOISE
        wide_x, wide_y = (step * np.ceil(np.hypot(side, width) / step) for side in (dx, dy))
        x, y = (
            step * np.round((at + (side - wide) / 2) / step)
            for at, side, wide in ((x, dx, wide_x), (y, dy, wide_y))
        )
        dx, dy = wide_x, wide_y
    around = AROUND_H + round(_DEVIATIONS / 2 * math.sqrt(time.variance) / _HOUR_MIN)
    begin = fs.wall_minutes(fs.t_min) / _HOUR_MIN
    first = np.floor(begin + _CLOSE_H) - around
    many = np.ceil(begin + fs.dt_min / _HOUR_MIN - _CLOSE_H) + around - first
    many = np.clip(many, 1, _HOURS).astype(np.int64)
    hours = ((1 << many) - 1) << (first.astype(np.int64) % _HOURS)
    hours = (hours | hours >> _HOURS) & ((1 << _HOURS) - 1)
    row, which = distinct_rows(x, y, dx, dy, hours)
    x, y, dx, dy = (values[row] for values in (x, y, dx, dy))
    bins = Bins(np.column_stack([x, y, x + dx, y + dy]), hours[row].astype(np.int32))
    return bins, Traces.of(fs.sample_user, which, np.ones(fs.n_samples), np.array(fs.weight), ends)


def links(pairs: Pairs, first: Traces, second: Traces) -> Flows:
    """Return the number of people linked between groups of one period and groups of another.

    The links are the one-to-one matching of people with the greatest total likeness over the given
    pairs. People without any pair stay unlinked.

    Parameters
    ----------
    pairs : Pairs
        Pairs as returned by :func:`likenesses`.
    first, second : Traces
        Groups as returned by :meth:`Traces.grouped`.

    Returns
    -------
    first, second, mass : int64 ndarrays
        Flows above 0.
    """
    offsets, column, value = pairs
    # Each person has a separate row and column.
    of, to = (np.repeat(np.arange(len(t.weight)), t.weight) for t in (first, second))
    table = csr_array((value, column, offsets), shape=(len(second.weight), len(first.weight)))
    wide = table[to][:, of]
    wide.resize((max(wide.shape),) * 2)
    wide.sort_indices()
    goal, _ = most_saving((wide.indptr, wide.indices, wide.data))
    real = np.flatnonzero(np.asarray(wide[np.arange(len(goal)), goal]).reshape(-1) > 0)
    if len(real) == 0:
        return real, real, real
    where, which = distinct_rows(of[goal[real]], to[real])
    return of[goal[real]][where], to[real][where], np.bincount(which, minlength=len(where))


def likenesses(
    bins: Bins,
    first: Traces,
    second: Traces,
    most: int,
    *,
    engine: Engine,
    progress: Progress = None,
) -> Pairs:
    """Return, for each group of the second side, candidates from the first side and their likeness.

    Each group of the second side has a row with the most similar groups of the first side. The row
    ends once its groups stand for ``most`` people. Groups without a common place and hour have
    likeness 0 and are not listed.
    """
    (here, mine), (_, theirs) = _side(bins, second), _side(bins, first)
    usual = _usual(mine, theirs, engine, part(progress, 0.0, 0.1))
    other_usual = _usual(theirs, mine, engine, part(progress, 0.1, 0.2))
    n = len(second.weight)
    width = min(most, len(first.weight))
    column, value = np.empty((n, width), np.int32), np.empty((n, width))
    many = np.zeros(n, np.int64)
    sides = Marks(second.offsets, here, second.mass), mine, usual, theirs, other_usual
    given = *sides, first.weight, most, column, value, many
    fill(engine, n, _RECORDS_A_BLOCK, likest, *given, progress=part(progress, 0.2, 1.0))
    listed = np.arange(width) < many[:, None]
    row = np.repeat(np.arange(n), many)
    found, worth = column[listed], value[listed]
    order = np.lexsort((found, row))
    return offsets_of(many), found[order], worth[order]


def _side(bins: Bins, records: Traces) -> tuple[SmallInts, Side]:
    """Return the number of each sample's bin among these records' bins, and the records by bin."""
    used = np.unique(records.bin)
    used = used[np.argsort(bins.corners[used, 0], kind="stable")]
    number = np.empty(len(bins.hours), np.int32)
    number[used] = np.arange(len(used))
    here = number[records.bin]
    record = np.repeat(np.arange(len(records.weight)), np.diff(records.offsets))
    order = np.argsort(here, kind="stable")
    total = np.bincount(record, records.mass)
    share = records.mass / total[record] * records.weight[record] / records.n_people
    of_people: FloatArray = np.bincount(here, share, len(used)).astype(np.float64)
    corners = np.ascontiguousarray(bins.corners[used])
    widest = float((corners[:, 2] - corners[:, 0]).max())
    offsets = offsets_of(np.bincount(here, minlength=len(used)))
    samples = record[order].astype(np.int32), records.mass[order]
    return here, Side(corners, bins.hours[used], offsets, *samples, of_people, widest)


def _usual(of: Side, by: Side, engine: Engine, progress: Progress) -> FloatArray:
    """Return, for each bin of ``of``, the mean density of people of ``by``, per square metre."""
    out = np.empty(len(of.hours))
    given = of.corners, of.hours, by, out
    fill(engine, len(out), _BINS_A_BLOCK, usual_density, *given, progress=progress)
    return out


Attacker = Callable[[Traces, Traces, Progress], Flows]
"""Function that links groups of one period to groups of a later period."""


def salt_of(step: int) -> bytes:
    """Return the salt of the digests of a period's records; ``step`` is the period's position."""
    return step.to_bytes(8, "little")


def chained(
    periods: list[Traces],
    attacker: Attacker,
    rng: np.random.Generator,
    first: Flows,
    progress: Progress = None,
) -> list[IntArray]:
    """Return the chains that follow records over all periods.

    Parameters
    ----------
    periods : list of Traces
        Records of each period, for two periods or more.
    attacker : callable
        Function that links groups of chains to groups of records.
    rng : Generator
        Generator that draws among equal records.
    first : Flows
        Links between the groups of the first two periods, which are salted with 0 and 1.

    Returns
    -------
    list of int64 ndarray
        For each period, the chain of each person's record. Records are in order, and each has one
        chain for every person that it stands for.
    """
    found = [np.arange(periods[0].n_people)]
    n_chains = len(found[0])
    said = [_said(periods[0], found[0])]
    ends = np.repeat(periods[0].ends, periods[0].weight, axis=0)
    for step, records in enumerate(periods[1:], 1):
        told = nth_part(progress, step - 1, len(periods) - 1)
        chain, place, mass = (np.concatenate(column) for column in zip(*said, strict=True))
        so_far = Traces.of(chain, place, mass, np.ones(n_chains, np.int64), ends)
        of, chains = so_far.grouped(salt_of(step - 1))
        to, groups = records.grouped(salt_of(step))
        flows = first
        if step > 1:
            flows = attacker(chains, groups, told)
        taken = np.full(records.n_people, -1, np.int64)
        whose, copy = _drawn(flows, of, np.repeat(to, records.weight), rng)
        taken[copy] = whose
        new = np.flatnonzero(taken < 0)
        taken[new] = n_chains + np.arange(len(new))
        n_chains += len(new)
        ends = np.concatenate([ends, np.empty((len(new), ends.shape[1]))])
        ends[taken] = np.repeat(records.ends, records.weight, axis=0)
        found.append(taken)
        said.append(_said(records, taken))
    tell(progress, 1.0)
    return found


def by_chance(sizes: list[int], rng: np.random.Generator) -> list[IntArray]:
    """Return chains as :func:`chained` does, but with records matched to chains at random.

    ``sizes`` are the numbers of people in each period.
    """
    found, n_chains = [np.arange(sizes[0])], sizes[0]
    for size in sizes[1:]:
        many = min(size, n_chains)
        taken = np.full(size, -1, np.int64)
        taken[rng.permutation(size)[:many]] = rng.permutation(n_chains)[:many]
        taken[taken < 0] = n_chains + np.arange(size - many)
        n_chains += size - many
        found.append(taken)
    return found


def _said(records: Traces, chain: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the chain, bin and mass of each sample of every person's record."""
    record = np.repeat(np.arange(len(records.weight)), records.weight)
    lengths = np.diff(records.offsets)[record]
    rows = rows_of(records.offsets[:-1][record], lengths)
    return np.repeat(chain, lengths), records.bin[rows], records.mass[rows]


def _drawn(
    flows: Flows, of: IntArray, to: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw, from each group's members, the people that the flows between groups link."""
    first, second, many = flows
    ends = []
    for member, group in ((of, first), (to, second)):
        shuffled = rng.permutation(len(member))
        shuffled = shuffled[np.argsort(member[shuffled], kind="stable")]
        begin = offsets_of(np.bincount(member))[:-1]
        each = np.repeat(group, many)
        sent = np.bincount(each, minlength=len(begin))
        drawn = np.empty(len(each), np.int64)
        drawn[np.argsort(each, kind="stable")] = shuffled[rows_of(begin, sent)]
        ends.append(drawn)
    return ends[0], ends[1]


# Edges of the classes: 100 m, doubled up to 204.8 km; 15 min to a week. Squares are compared.
_WAYS_M2: FloatArray = np.array([(100.0 * 2**i) ** 2 for i in range(12)])
_GAPS_MIN2: FloatArray = np.array(
    [m**2 for m in (15.0, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 10_080)]
)
_LAGS = (1, 2, 4, 8, 16, 32)
_PRIOR = 10.0  # moves over any time, added to the moves seen in each class of times
_MOVES_A_BLOCK = 64


def with_moves(pairs: Pairs, moves: Moves, first: Traces, second: Traces, engine: Engine) -> Pairs:
    """Return the pairs, with ln(1 + likelihood ratio of the move) added to the value of each pair.

    Parameters
    ----------
    pairs : Pairs
        Pairs with a row for each later record and a column for each earlier one.
    moves : Moves
    first, second : Traces
        Earlier records and later records.
    """
    offsets, column, value = pairs
    half, out = first.ends.shape[1] // 2, value.copy()
    last = np.ascontiguousarray(first.ends[:, half:])
    begin = np.ascontiguousarray(second.ends[:, :half])
    given = offsets, column, last, first.weight, begin, moves, out
    fill(engine, len(offsets) - 1, _MOVES_A_BLOCK, add_moves, *given)
    return offsets, column, out


def moves_of(
    fs: FingerprintSet, space: Spread = _NONE, time: Spread = _NONE
) -> tuple[Moves, FloatArray]:
    """Return the moves that a release shows, and the first and last cell of each record.

    Returns
    -------
    moves : Moves
    ends : float64 ndarray (n_records, 10)
        First cell of each record, then last cell. Columns of a cell: x and y of its middle,
        variance of a place in it, time of its middle, variance of a time in it (metres, minutes).
    """
    # Noise displaces both ends of a move, along x and along y.
    errors = np.array([4 * space.variance, 2 * time.variance])
    cells = np.column_stack(
        [
            fs.x_m + fs.dx_m / 2,
            fs.y_m + fs.dy_m / 2,
            (fs.dx_m**2 + fs.dy_m**2) / 12,
            fs.t_min + fs.dt_min / 2,
            fs.dt_min**2 / 12,
        ]
    )
    record = fs.sample_user
    cells = cells[np.lexsort((*cells.T[[4, 2, 1, 0, 3]], record))]
    seen = np.zeros((len(_GAPS_MIN2) + 1, len(_WAYS_M2) + 1))
    for lag in _LAGS:
        one = np.flatnonzero(record[:-lag] == record[lag:])
        count_moves(cells[one], cells[one + lag], Moves(seen, _WAYS_M2, _GAPS_MIN2, errors))
    pooled = (seen.sum(axis=0) + 1) / (seen.sum() + seen.shape[1])
    chance = (seen + _PRIOR * pooled) / (seen.sum(axis=1, keepdims=True) + _PRIOR)
    ends = np.hstack([cells[fs.offsets[:-1]], cells[fs.offsets[1:] - 1]])
    return Moves(chance, _WAYS_M2, _GAPS_MIN2, errors), ends
