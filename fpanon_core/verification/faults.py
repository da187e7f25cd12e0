"""Faults found in a release, and the original data cut independently into periods.

The code imports nothing from the module that cuts data into periods. The edges of periods are local
midnights by the rules of the time zone. Each period is shifted to its own stretch of time, so that
no record of one period can hold samples of another.

Source: docs/science.md, “Periods”.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..kernels.verify_cover import Classes, class_boxes
from ..model.arrays import FloatArray, IntArray, rows_of
from ..model.arrays import stretches as some_lists
from ..model.fingerprints import FingerprintSet
from ..model.glove import VIOLATION_COLUMNS, Verification
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet

_STRETCH = 1_000_000  # samples looked at in one go


@dataclass
class Claim:
    """Published records, each distinct one once, and their owners as far as they are known.

    A *class* is a group number with one content; a group with different records has several
    classes.

    Attributes
    ----------
    cells : float64 ndarray (n_cells, 6)
        x0, x1, y0, y1, t0, t1 of each cell, by class and, within a class, by start.
    first, last : int64 ndarray (n_classes,)
        Cells of class c are rows ``first[c]:last[c]``.
    label : int64 ndarray (n_classes,)
        Stated group number of each class; without one, the number of its content.
    content : int64 ndarray (n_classes,)
        Number of the content, equal for equal cells.
    records : int64 ndarray (n_classes,)
        Number of records in each class.
    home : int64 ndarray (n_users,) or None
        Class of each original user; −1 = the user has no published record. None if the classes are
        not known.
    elsewhere : int64 ndarray (n, 2)
        With periods, one row for each record that was moved into a period in which its person has
        no samples: the row number, in the original, of that person's piece in another period, and
        the record's class.
    """

    cells: FloatArray
    first: IntArray
    last: IntArray
    label: IntArray
    content: IntArray
    records: IntArray
    home: IntArray | None
    elsewhere: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int64))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.label)

    @property
    def extents(self) -> tuple[FloatArray, FloatArray]:
        """Side (dx + dy)/2 in metres, and length in minutes, of each cell."""
        x0, x1, y0, y1, t0, t1 = self.cells.T
        return ((x1 - x0) + (y1 - y0)) / 2, t1 - t0

    @cached_property
    def class_of_cell(self) -> IntArray:
        """The class of each cell."""
        return np.repeat(np.arange(self.n_classes), self.last - self.first)

    @cached_property
    def arrays(self) -> Classes:
        """The classes in the form that kernels take.

        For each cell, this form has the latest end among the cells of its class up to that cell.
        The latest end bounds how far back a scan must look.
        """
        reach = np.empty(len(self.cells))
        for a, b in zip(self.first, self.last, strict=True):
            reach[a:b] = np.maximum.accumulate(self.cells[a:b, 5])
        around = class_boxes(self.cells, self.first, self.last)
        return Classes(self.cells, reach, self.first, self.last, around)


def by_start(cells: FloatArray) -> FloatArray:
    """Return the cells in order of their start; cells that start together keep their order."""
    return np.ascontiguousarray(cells[np.argsort(cells[:, 4], kind="stable")], np.float64)


def numbered(pieces: list[FloatArray], numbers: dict[bytes, int]) -> IntArray:
    """Return a number for each array, equal for equal arrays; add new arrays to ``numbers``."""
    digests = (hashlib.sha256(np.ascontiguousarray(p).data).digest() for p in pieces)
    out = [numbers.setdefault(digest, len(numbers)) for digest in digests]
    return np.array(out, np.int64)


def stretches(fs: FingerprintSet) -> Iterator[tuple[slice, slice, IntArray, FloatArray]]:
    """Yield the original in parts, because bounds of all samples would need too much memory.

    Yields
    ------
    users, rows : slice
        Slices of consecutive users and of their samples.
    offsets : int64 ndarray
        Offsets of these users' samples within the part.
    samples : float64 ndarray (n, 6)
        Bounds as returned by :func:`bounds_of`.
    """
    for users in some_lists(fs.offsets, _STRETCH):
        rows = fs.rows_of(users.start).start, fs.rows_of(users.stop - 1).stop
        offsets = fs.offsets[users.start : users.stop + 1] - rows[0]
        yield users, slice(*rows), offsets, bounds_of(fs, slice(*rows))


def bounds_of(
    cells: FingerprintSet | GeneralizedFingerprintSet, rows: slice = slice(None)
) -> FloatArray:
    """Return the bounds of cells, (n, 6): x0, x1, y0, y1 in metres, t0, t1 in minutes.

    The bounds are computed in place, because there may be many cells.
    """
    out = np.empty((len(cells.x_m[rows]), 6))
    sides = ((cells.x_m, cells.dx_m), (cells.y_m, cells.dy_m), (cells.t_min, cells.dt_min))
    for axis, (low, extent) in enumerate(sides):
        out[:, 2 * axis] = low[rows]
        np.add(low[rows], extent[rows], out=out[:, 2 * axis + 1])
    return out


MOST = 1_000  # most violations listed of each kind
_DAY_MIN = 1_440.0
_SLACK_MIN = 1e-6


class Faults:
    """The faults found so far in one release of one original.

    Parameters
    ----------
    original : FingerprintSet or PeriodSet
    k : int
        The promised k of k-anonymity; 0 if none is promised.
    days : int, optional
        Days in a period, for a release in periods.

    Attributes
    ----------
    original : FingerprintSet
        The original as it is checked; for a release in periods, its pieces.
    whole_digest : str
        Digest of the original as given.
    cut : PeriodSet or None
        For a release in periods: the person and period of each piece.
    edges : float64 ndarray
        Beginnings of the periods in elapsed minutes, from period number 0 on.
    of_whole : bool
        Whether faults give row numbers in the whole original instead of in its pieces.
    n_groups : int
        Number of groups checked.
    """

    def __init__(
        self, original: FingerprintSet | PeriodSet, k: int, days: int | None = None
    ) -> None:
        self.k, self.n_groups, self.whole_digest = k, 0, original.digest
        self.cut: PeriodSet | None = None
        self.of_whole = False
        self._listed: list[tuple[str, int, int, int, str]] = []
        self._counts: dict[str, int] = {}
        if isinstance(original, FingerprintSet):
            self.original = original
        else:
            self.original, self.cut = original.pieces, original
            self.edges = _edges(original.pieces, original.days)
            self._check_pieces(original)
        if days is not None:
            self.in_periods(days)

    def _check_pieces(self, given: PeriodSet) -> None:
        """Check that a person has at most one piece in a period, with samples that begin in it."""
        fs = given.pieces
        if len(given.person) != fs.n_users or len(given.period) != fs.n_users:
            text = "There is not exactly one person and one period for each piece."
            self.add("period", text)
        elif pd.DataFrame({"of": given.person, "at": given.period}).duplicated().any():
            self.add("period", "A person has several pieces in one period.")
        inside = self.number_of(fs.t_min) == given.period[fs.sample_user]
        self.check(inside.all(), "period", "A sample does not begin in the period of its piece.")

    @property
    def period(self) -> IntArray:
        """Period of each user of the original; 0 without periods."""
        return np.zeros(self.original.n_users, np.int64) if self.cut is None else self.cut.period

    def in_periods(self, days: int | None) -> None:
        """Cut the original into pieces for a release in periods of ``days`` days; None = no cut.

        If the original is in pieces already, ``days`` must fit them; otherwise, a fault is added.
        """
        if self.cut is not None:
            told = "The periods of the release differ from those of the original given."
            self.check(days == self.cut.days, "period", told)
        elif days is not None:
            fs = self.original
            self.edges = _edges(fs, days)
            period, user = self.number_of(fs.t_min), fs.sample_user
            begins = np.append(True, (np.diff(user) != 0) | (np.diff(period) != 0)).nonzero()[0]
            person, sample = user[begins], np.arange(fs.n_samples)
            self.original = replace(
                fs,
                user_ids=fs.user_ids[person],
                offsets=np.append(begins, fs.n_samples),
                weight=fs.weight[person],
                number=fs.number[person],
            )
            self.cut = PeriodSet(
                self.original, person, period[begins], sample, days, fs.n_users, fs.digest
            )
            self.of_whole = True

    def number_of(self, t_min: FloatArray) -> IntArray:
        """Return the number, from 0, of the period in which each time (elapsed minutes) lies."""
        return np.searchsorted(self.edges, t_min + _SLACK_MIN, side="right") - 1

    def put_in_order(self, person: IntArray, period: IntArray) -> bool:
        """Put the pieces into the given order; return False if they are not the same pieces."""
        assert self.cut is not None
        mine = pd.MultiIndex.from_arrays([self.cut.person, self.cut.period])
        order = mine.get_indexer(pd.MultiIndex.from_arrays([person, period]))
        if not np.array_equal(np.sort(order), np.arange(len(mine))):
            return False
        fs, sample = self.original, self.cut.sample
        assert sample is not None
        self.original = fs.subset(order)
        self.cut = replace(
            self.cut,
            pieces=self.original,
            person=self.cut.person[order],
            period=self.cut.period[order],
            sample=sample[rows_of(fs.offsets[order], fs.lengths[order])],
        )
        return True

    def add(self, kind: str, text: str, *, times: int = 1, **at: int) -> None:
        """Add a fault ``times`` times; ``text`` is a sentence that names no person and no place.

        ``at`` is the number of a group, user or sample.
        """
        group, user, sample = (at.get(name, -1) for name in ("group", "user", "sample"))
        if self.cut is not None and self.cut.sample is not None and self.of_whole:
            user = int(self.cut.person[user]) if user >= 0 else user
            sample = int(self.cut.sample[sample]) if sample >= 0 else sample
        many = self._counts.get(kind, 0) + times
        if many:
            self._listed += [(kind, group, user, sample, text)] * min(times, MOST + times - many)
            self._counts[kind] = many

    def check(self, sound: bool | np.bool_, kind: str, text: str) -> None:
        """Add a fault unless ``sound`` is true."""
        self.add(kind, text, times=int(not sound))

    def verdict(self) -> Verification:
        """Return the verification, with the number of faults by kind and at most 1,000 of each."""
        return Verification(
            violations=pd.DataFrame(self._listed, columns=list(VIOLATION_COLUMNS)),
            counts=dict(self._counts),
            k=self.k,
            users=self.original.n_users if self.cut is None else self.cut.n_people,
            groups=self.n_groups,
            samples=self.original.n_samples,
            period_days=None if self.cut is None else self.cut.days,
        )

    # --- in periods --------------------------------------------------------------------------

    def periods_of(self, claim: Claim, *, tell: bool = False) -> IntArray:
        """Return the period of each class; with ``tell``, add a fault if its cells span several."""
        number, of = self.number_of(claim.cells[:, 4]), claim.class_of_cell
        out = np.zeros(claim.n_classes, np.int64)
        out[of[::-1]] = number[::-1]  # the period of the first cell
        for g in np.unique(of[number != out[of]]).tolist() if tell else ():
            text = "The samples of a record begin in several periods."
            self.add("period", text, group=int(claim.label[g]))
        return out

    def check_groups(self, claim: Claim) -> IntArray:
        """Check that each group, with its people, is in one period; return each class's period."""
        assert self.cut is not None
        period = self.periods_of(claim, tell=True)
        pairs = np.unique(np.column_stack([claim.label, period]), axis=0)
        labels, times = np.unique(pairs[:, 0], return_counts=True)
        for label in labels[times > 1].tolist():
            self.add("period", "A group has people of several periods.", group=int(label))
        if claim.home is not None:
            inside = np.flatnonzero(claim.home >= 0)
            for u in inside[period[claim.home[inside]] != self.cut.period[inside]].tolist():
                label = int(claim.label[claim.home[u]])
                self.add("period", "A person is in a group of another period.", group=label, user=u)
        return period

    def hold_apart(self, claim: Claim, period: IntArray) -> Claim:
        """Shift each period to its own stretch of time, in the original and the returned claim."""
        assert self.cut is not None
        fs = self.original
        end = float(claim.cells[:, 5].max(initial=(fs.t_min + fs.dt_min).max()))
        begin = float(claim.cells[:, 4].min(initial=fs.t_min.min()))
        # A power of two: whole minutes stay what they are.
        stretch = 2.0 ** math.ceil(math.log2(2 * (end - begin) + 2))
        cells = claim.cells.copy()
        cells[:, 4:] += (period[claim.class_of_cell] * stretch)[:, None]
        self.original = replace(fs, t_min=fs.t_min + self.cut.period[fs.sample_user] * stretch)
        return replace(claim, cells=cells)


def _edges(fs: FingerprintSet, days: int) -> FloatArray:
    """Return the local midnights at the edges of periods, in elapsed minutes.

    The first is the midnight of the first day; the last is after the last sample.
    """
    last = float(fs.t_min.max())
    number = math.ceil((last + 2 * _DAY_MIN) / (days * _DAY_MIN)) + 1
    if fs.clock is None:
        return np.arange(number, dtype=np.float64) * (days * _DAY_MIN)
    epoch = pd.Timestamp(fs.clock.epoch)
    first = epoch.tz_convert(fs.clock.timezone).tz_localize(None).normalize()
    midnights = pd.DatetimeIndex(
        [first + pd.Timedelta(days=days * at) for at in range(number)]
    ).tz_localize(fs.clock.timezone, ambiguous=np.ones(number, bool), nonexistent="shift_forward")
    minutes: FloatArray = np.array([(at - epoch) / pd.Timedelta(minutes=1) for at in midnights])
    return minutes
