"""Published fingerprints, one for each group of users, and the records of a release.

:class:`Part` is the result of hiding some of the people separately. :class:`Membership` says which
records of one release are alike, without any place or time. That suffices for the composition of
two releases of the same people.

:func:`known` finds the data behind a result, once :func:`remember` has registered them. A result of
GLOVE is sent between processes and saved. It therefore carries the digest of its original, not the
original itself. The process usually still holds the original, so callers need not give it again.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd

from .arrays import (
    CELL,
    CellLists,
    Cells,
    Closed,
    Codes,
    FloatArray,
    IntArray,
    distinct_rows,
    offsets_of,
    rows_of,
)
from .clock import LocalClock, instants
from .errors import SchemaError
from .fingerprints import FingerprintSet
from .projection import THREADS, degrees_of
from .randomness import pseudonyms, secret_order


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedFingerprintSet(CellLists):
    """Published fingerprints, one for each group of users, in the order of the groups' numbers.

    All arrays are read-only.

    Attributes
    ----------
    offsets : int64 ndarray (n_groups + 1,)
        Samples of group g are rows ``offsets[g]:offsets[g+1]``, in order of time.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_samples,)
        Lower corner and extent of each sample's cell, metres.
    t_min, dt_min : float64 ndarray (n_samples,)
        Start and length, minutes.
    n_users : int64 ndarray (n_groups,)
        Number of users that each fingerprint stands for.
    granularity_m, granularity_min : float
        Extent of the raw samples, metres and minutes.
    clock : LocalClock or None
    crs : str or None
        Clock and projection, as in a :class:`FingerprintSet`.
    """

    offsets: IntArray
    n_users: IntArray
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    clock: LocalClock | None = None
    crs: str | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("offsets", "n_users"):
            put(self, name, np.ascontiguousarray(getattr(self, name), np.int64))
        self._make_contiguous()
        if self.offsets.shape != (len(self.n_users) + 1,) or self.offsets[0] != 0:
            raise SchemaError("Offsets must start at 0, with one more entry than there are groups.")
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            raise SchemaError("Offsets must not decrease.")
        if any(len(getattr(self, name)) != self.n_samples for name in CELL):
            raise SchemaError(
                f"Every sample array must have the {self.n_samples} rows that the offsets give."
            )
        self._close()

    @property
    def n_groups(self) -> int:
        """Number of published fingerprints."""
        return len(self.n_users)

    def fingerprints(self, groups: npt.ArrayLike | None = None) -> FingerprintSet:
        """Return a fingerprint set with one user per group, by default with the group's weight.

        Parameters
        ----------
        groups : array_like of int, optional
            Groups to include, in this order and as often as given, each with weight 1. If None,
            each group is included once, with its own weight.
        """
        chosen = np.arange(self.n_groups) if groups is None else np.asarray(groups, np.int64)
        lengths = self.lengths[chosen]
        rows = rows_of(self.offsets[chosen], lengths)
        cells = {name: values[rows] for name, values in self.arrays().items()}
        return FingerprintSet(
            user_ids=np.arange(1, len(chosen) + 1),
            offsets=offsets_of(lengths),
            count=np.ones(len(rows), np.int64),
            granularity_m=self.granularity_m,
            granularity_min=self.granularity_min,
            weight=self.n_users if groups is None else np.ones(len(chosen), np.int64),
            clock=self.clock,
            crs=self.crs,
            **cells,
        )


@dataclass(frozen=True, eq=False)
class Part:
    """Result of hiding some of the people; row numbers are those within the part.

    Attributes
    ----------
    group : int64 ndarray (n_users,)
        Groups, as in :attr:`GloveResult.group`.
    published : GeneralizedFingerprintSet
    code : int8 ndarray (n_samples,)
        Reason why a sample is not published, as an index of
        :data:`fpanon_core.model.glove.REASONS`; −1 if it is published.
    space_m, time_min : float64 ndarray (n_samples,)
        Spans, as in :attr:`GloveResult.accuracy`.
    left_over, left_out : int64 ndarray
        Row numbers of users, as in :class:`GloveResult`.
    phantom_share : float
        Share of false presences, as in :class:`GloveResult`.
    """

    group: IntArray
    published: GeneralizedFingerprintSet
    code: Codes
    space_m: FloatArray
    time_min: FloatArray
    left_over: IntArray
    left_out: IntArray
    phantom_share: float


ALWAYS = (-(2**31), 2**31)
"""First day, and day after the last, of a record without a period: they enclose all days."""
_BYTES = 16


@dataclass(frozen=True, eq=False, repr=False)
class Membership(Closed):
    """Person and group of each record of a release.

    Attributes
    ----------
    who : object ndarray (n_records,)
        Identity of the person, the same in every release: the id, as text, or its digest by
        :meth:`keyed`. Not for release.
    group : int64 ndarray (n_records,)
        Group of each record, numbered from 0; records of a group are alike. Groups of different
        periods differ.
    begin_day, end_day : int64 ndarray (n_records,)
        Numbers of the first day of each record's period, and of the day after its last;
        :data:`ALWAYS` without periods.
    weight : int64 ndarray (n_records,)
        Number of people that each record stands for.
    name : str
        Techniques applied, in words.
    k : int or None
        Group size that the release promises; None where it promises none.
    digest : str
        Digest of the original's fingerprints, or of the data file that was read.
    pseudonym : object ndarray (n_records,) or None
        Name of each person in the session; None without a session.
    """

    who: npt.NDArray[Any]
    group: IntArray
    begin_day: IntArray
    end_day: IntArray
    weight: IntArray
    name: str = ""
    k: int | None = None
    digest: str = ""
    pseudonym: npt.NDArray[Any] | None = None

    def __post_init__(self) -> None:
        lengths = {len(self.group), len(self.begin_day), len(self.end_day), len(self.weight)}
        if lengths != {len(self.who)}:
            raise SchemaError("Every record needs a person, a group, its days and a weight.")
        if len(self.who):
            numbered = distinct_rows(self.group, self.begin_day, self.end_day)[1]
            object.__setattr__(self, "group", numbered.astype(np.int64))
        self._close()

    @classmethod
    def whole(cls, who: npt.NDArray[Any], group: IntArray, **more: Any) -> Membership:
        """Make the membership of a release without periods, in which each person counts once."""
        n = len(who)
        first, last = (np.full(n, day, np.int64) for day in ALWAYS)
        return cls(who, np.asarray(group, np.int64), first, last, np.ones(n, np.int64), **more)

    @property
    def n_groups(self) -> int:
        """Number of groups in all periods."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def n_people(self) -> int:
        """Number of people; a record that stands for several people counts as one."""
        return len(set(self.who.tolist()))

    @property
    def size(self) -> IntArray:
        """Number of people in each record's group, its own people included, shape (n_records,)."""
        people = np.bincount(self.group, self.weight, self.n_groups).astype(np.int64)
        return np.asarray(people[self.group])

    def keyed(self, secret: bytes) -> Membership:
        """Return a copy without ids, in which digests under a secret identify people.

        Parameters
        ----------
        secret : bytes
            Secret, the same for all releases that are to be compared.

        Examples
        --------
        >>> made = Membership.whole(np.array(["a", "b"], dtype=object), np.array([0, 0]))
        >>> (made.keyed(b"1").who == made.keyed(b"1").who).tolist()
        [True, True]
        >>> "a" in made.keyed(b"1").who.tolist(), made.keyed(b"1").who[0] == made.keyed(b"2").who[0]
        (False, False)
        """
        names = map(str, self.who.tolist())
        digests = (hmac.digest(secret, name.encode(), "sha256")[:_BYTES] for name in names)
        who = np.fromiter(digests, object, len(self.who))
        return replace(self, who=who, pseudonym=None)


_KNOWN: WeakValueDictionary[str, FingerprintSet] = WeakValueDictionary()
_CHANGE = threading.Lock()


def remember(fs: FingerprintSet) -> None:
    """Register fingerprints by their digest, for as long as they are held elsewhere."""
    with _CHANGE:
        _KNOWN[fs.digest] = fs


def known(digest: str) -> FingerprintSet | None:
    """Return the fingerprints with this digest if this process still holds them, else None.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 1])
    >>> remember(fs)
    >>> known(fs.digest) is fs, known("another")
    (True, None)
    """
    with _CHANGE:
        return _KNOWN.get(digest)


# --- What leaves, record by record: a row for each published sample of each person.

CELL_COLUMNS = (
    "x_min_m",
    "x_max_m",
    "y_min_m",
    "y_max_m",
    "lat_min",
    "lat_max",
    "lon_min",
    "lon_max",
    "start",
    "end",
)
"""Columns of a published sample's bounds: metres on the projection, degrees, and times."""

_CHUNK_ROWS = 250_000


@dataclass(frozen=True, eq=False)
class Naming:
    """Random names of one release, drawn once and used once.

    Attributes
    ----------
    pseudonyms : object ndarray (n_records,)
        Pseudonym of each record.
    order : int64 ndarray (n_records,)
        Order in which the records are written.
    group : int64 ndarray (n_groups,)
        Published number of each group, 1 … n_groups; empty without groups.
    """

    pseudonyms: npt.NDArray[Any]
    order: IntArray
    group: IntArray


@dataclass(frozen=True, eq=False)
class Records:
    """Published samples of each person; several people may share the same samples.

    Attributes
    ----------
    cells : Cells
        Distinct published samples. The samples of a record are consecutive, in order of time.
    begins, lengths : int64 ndarray (n_records,)
        First sample and number of samples of each record.
    group : int64 ndarray (n_records,) or None
        Group of each record, 0 … n_groups − 1; None where nobody is grouped.
    n_groups : int
    clock : LocalClock or None
    crs : str or None
        Clock and projection, as in a :class:`FingerprintSet`.
    """

    cells: Cells
    begins: IntArray
    lengths: IntArray
    group: IntArray | None
    n_groups: int
    clock: LocalClock | None
    crs: str | None

    @classmethod
    def of_groups(cls, published: GeneralizedFingerprintSet, group: IntArray) -> Records:
        """Make one record for each entry of ``group``, with the samples of that group."""
        begins, lengths = published.offsets[group], published.lengths[group]
        return cls(
            published, begins, lengths, group, published.n_groups, published.clock, published.crs
        )

    @classmethod
    def of_fingerprints(cls, fs: FingerprintSet) -> Records:
        """Make one record for each fingerprint."""
        return cls(fs, fs.offsets[:-1], fs.lengths, None, 0, fs.clock, fs.crs)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.begins)

    @property
    def n_rows(self) -> int:
        """Number of published rows; a sample counts for every record that holds it."""
        return int(self.lengths.sum())

    def named(self) -> Naming:
        """Draw fresh names for these records from the operating system's randomness."""
        n = self.n_records
        return Naming(pseudonyms(n), secret_order(n), secret_order(self.n_groups) + 1)

    def frames(self, naming: Naming | None = None) -> Iterator[pd.DataFrame]:
        """Yield tables of about 250,000 published rows, under fresh names if none are given.

        Columns: ``pseudonym``, ``group`` (where there are groups) and :data:`CELL_COLUMNS`. There
        is at least one table, empty where nothing is published.
        """
        naming = self.named() if naming is None else naming
        degrees = self._degrees()
        piece = np.cumsum(self.lengths[naming.order]) // _CHUNK_ROWS
        for some in np.split(naming.order, np.flatnonzero(np.diff(piece)) + 1):
            lengths = self.lengths[some]
            columns: dict[str, Any] = {"pseudonym": np.repeat(naming.pseudonyms[some], lengths)}
            if self.group is not None:
                numbers = naming.group[self.group[some]] if len(some) else np.empty(0, np.int64)
                columns["group"] = np.repeat(numbers, lengths)
            yield pd.DataFrame(columns | self._of(rows_of(self.begins[some], lengths), degrees))

    def _of(self, rows: IntArray, degrees: dict[str, FloatArray]) -> dict[str, Any]:
        """Return the columns of some of the distinct samples."""
        c = self.cells
        x, y, t = (low[rows] for low in (c.x_m, c.y_m, c.t_min))
        bounds = (x, x + c.dx_m[rows], y, y + c.dy_m[rows])
        times = (instants(self.clock, minutes) for minutes in (t, t + c.dt_min[rows]))
        return (
            dict(zip(CELL_COLUMNS[:4], bounds, strict=True))
            | {name: values[rows] for name, values in degrees.items()}
            | dict(zip(CELL_COLUMNS[-2:], times, strict=True))
        )

    def _degrees(self) -> dict[str, FloatArray]:
        """Compute each distinct sample's bounds in degrees, once for all records; this is slow."""
        c = self.cells
        degrees = {name: np.empty(len(c.x_m)) for name in CELL_COLUMNS[4:8]}

        def work(begin: int) -> None:
            part = slice(begin, begin + _CHUNK_ROWS)
            x, y = c.x_m[part], c.y_m[part]
            found = degrees_of(self.crs, x, x + c.dx_m[part], y, y + c.dy_m[part])
            for name, values in degrees.items():
                values[part] = found[name]

        with ThreadPoolExecutor(THREADS) as pool:
            for done in [pool.submit(work, at) for at in range(0, len(c.x_m), _CHUNK_ROWS)]:
                done.result()
        return degrees
