"""Fingerprints: the samples of every user, in time order.

A :class:`FingerprintSet` holds every user's *fingerprint*, the set of the user's distinct samples
in time order, as flat arrays with offsets. A *sample* is a cell of place and time, ``[x, x+dx) ×
[y, y+dy) × [t, t+dt)``. Its x, y, dx and dy are in metres on a map projection; t and dt are in
minutes. The time t counts from the data set's epoch, local midnight of its first day.

Source: docs/science.md, “Samples and fingerprints”.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .antennas import Antennas
from .arrays import CELL, BoolArray, CellLists, FloatArray, IntArray, offsets_of, pieces, rows_of
from .checks import positive
from .clock import LocalClock
from .errors import InfeasibleError, SchemaError
from .mapped import Stamp, digest_of, load, reopen, save
from .projection import Extent, central

Distinct = tuple[list[IntArray], IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class FingerprintSet(CellLists):
    """The fingerprints of a data set, made by :meth:`from_samples`. Arrays are read-only.

    Attributes
    ----------
    user_ids : ndarray (n_users,)
        Ids as given. They are never shown; :attr:`pseudonyms` are shown instead. They are written
        only to files that are not for release.
    offsets : int64 ndarray (n_users + 1,)
        Samples of user u are rows ``offsets[u]:offsets[u+1]``, by start time, then x, then y.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_samples,)
        Lower corner and extent, metres.
    t_min, dt_min : float64 ndarray (n_samples,)
        Start and length, minutes.
    count : int64 ndarray (n_samples,)
        Number of events in the sample. This number weights an attacker's draws, identifies heavy
        users, and is the mass of the sample when utility is computed. When positions or times are
        exchanged, each event is exchanged separately. The number affects neither stretch efforts
        nor GLOVE nor the counts of people by place and slot.
    granularity_m, granularity_min : float
        Extent of a raw sample.
    weight : int64 ndarray (n_users,)
        Number of people each fingerprint stands for: 1, or more after merging.
    number : int64 ndarray (n_users,)
        Running number behind each pseudonym; kept by :meth:`subset`.
    clock : LocalClock or None
        Epoch and display time zone; None if the times came without one.
    crs : str or None
        The projection, as a PROJ string; None if the positions were already projected.
    antennas : Antennas or None
        Antenna table, if one was given; source of antenna clusters and regions.
    """

    user_ids: npt.NDArray[Any]
    offsets: IntArray
    count: IntArray
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    weight: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    number: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    clock: LocalClock | None = None
    crs: str | None = None
    antennas: Antennas | None = None

    def __post_init__(self) -> None:
        n = len(self.user_ids)
        put = object.__setattr__
        put(self, "offsets", np.ascontiguousarray(self.offsets, np.int64))
        if len(self.weight) == 0:
            put(self, "weight", np.ones(n, np.int64))
        if len(self.number) == 0:
            put(self, "number", np.arange(1, n + 1, dtype=np.int64))
        self._make_contiguous()
        put(self, "count", np.ascontiguousarray(self.count, np.int64))
        if self.offsets.shape != (n + 1,) or self.offsets[0] != 0:
            raise SchemaError("Offsets must start at 0, with one more entry than there are users.")
        if np.any(self.offsets[1:] <= self.offsets[:-1]):  # a difference could overflow
            raise SchemaError("A fingerprint has no samples; leave such users out.")
        rows = int(self.offsets[-1])
        if any(len(getattr(self, name)) != rows for name in (*CELL, "count")):
            raise SchemaError(
                f"Every sample array must have the {rows} rows that the offsets give."
            )
        if len(self.weight) != n or len(self.number) != n:
            raise SchemaError(f"Weight and number must have one entry for each of the {n} users.")
        self._close()

    # --- construction --------------------------------------------------------------------------

    @classmethod
    def from_samples(
        cls,
        user: npt.ArrayLike,
        x_m: npt.ArrayLike,
        y_m: npt.ArrayLike,
        t_min: npt.ArrayLike,
        *,
        granularity_m: float = 100.0,
        granularity_min: float = 1.0,
    ) -> FingerprintSet:
        """Make fingerprints from one event per row.

        Parameters
        ----------
        user : array_like (n,)
            Any hashable ids; users are numbered in order of first appearance.
        x_m, y_m : array_like (n,)
            Projected position, metres; snapped down to multiples of ``granularity_m``.
        t_min : array_like (n,)
            Minutes since local midnight of the first day; snapped down to multiples of
            ``granularity_min``.

        Raises
        ------
        SchemaError
            Lengths differ, a value is missing or not finite, or there is no row.
        ConfigError
            A granularity is not a positive number.

        Examples
        --------
        >>> x, y, t = [130, 0, 190], [0, 0, 20], [5, 5, 5.5]
        >>> fs = FingerprintSet.from_samples(["a", "b", "a"], x, y, t)
        >>> fs.n_users, fs.n_samples, fs.count.tolist()
        (2, 2, [2, 1])
        """
        codes, ids = pd.factorize(np.asarray(user))
        if (codes < 0).any():
            raise SchemaError(
                f"The user is missing in {int((codes < 0).sum())} of {len(codes)} rows; leave such "
                "rows out."
            )
        x, y, t = (np.asarray(values, np.float64) for values in (x_m, y_m, t_min))
        for name, value in (("granularity_m", granularity_m), ("granularity_min", granularity_min)):
            positive(name, value)
        if len({len(codes), len(x), len(y), len(t)}) != 1:
            raise SchemaError("user, x_m, y_m and t_min must have the same number of rows.")
        if len(codes) == 0:
            raise SchemaError("There is no event; load data with at least one row.")
        bad = ~(np.isfinite(x) & np.isfinite(y) & np.isfinite(t))
        if bad.any():
            raise SchemaError(
                f"A position or time is not a number in {int(bad.sum())} of {len(codes)} rows; "
                "leave such rows out."
            )
        side, span = float(granularity_m), float(granularity_min)
        offsets, (t, x, y), count = distinct_cells([(codes, t, x, y)], len(ids), (span, side, side))
        sides = np.full(len(count), side)
        return cls(
            user_ids=np.asarray(ids),
            offsets=offsets,
            x_m=x,
            y_m=y,
            t_min=t,
            dx_m=sides,
            dy_m=sides,
            dt_min=np.full(len(count), span),
            count=count,
            granularity_m=side,
            granularity_min=span,
        )

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the set into a new folder, readable by its owner alone, for :meth:`load`.

        The folder holds the user ids, as the set does. It is as confidential as the data.

        Raises
        ------
        ConfigError
            A file or folder of that name exists already, or the folder cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> fs = FingerprintSet.from_samples(["a", "b"], [0, 100], [0, 0], [0, 1])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     same = FingerprintSet.load(fs.save(place + "/data"))
        >>> same.digest == fs.digest
        True
        """
        return save(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> FingerprintSet:
        """Load the set from a folder that :meth:`save` wrote; its columns are mapped and read-only.

        Processes that load the same folder share its columns. A set loaded this way is passed to
        another process as the folder's name, and takes no extra memory there. The whole folder is
        read once, to check the digest.

        Raises
        ------
        SchemaError
            There is no such folder, it holds no fingerprints, or it was altered after writing.
        """
        return load(cls, folder)

    @property
    def folder(self) -> Path | None:
        """Folder from which the columns are mapped; None for a set in memory."""
        held = self.__dict__.get("_folder")
        return None if held is None else Path(held[0])

    @property
    def by_name(self) -> tuple[str, Stamp]:
        """Folder of a mapped set and the state of its files, by which other processes reopen it."""
        found: tuple[str, Stamp] = self.__dict__["_folder"]
        return found

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle a mapped set as its folder, and any other set by its content."""
        if self.folder is not None:
            return reopen, (FingerprintSet, *self.by_name)
        return super().__reduce_ex__(protocol)

    # --- content -------------------------------------------------------------------------------

    @property
    def n_users(self) -> int:
        """Number of fingerprints."""
        return len(self.user_ids)

    @cached_property
    def sample_user(self) -> IntArray:
        """Row number of the user of each sample, shape (n_samples,)."""
        return np.repeat(np.arange(self.n_users), self.lengths)

    @cached_property
    def days(self) -> IntArray:
        """Numbers of the days of 24 hours in which a sample begins; day 0 begins at the epoch."""
        return np.unique(self.t_min // (24 * 60)).astype(np.int64)

    @cached_property
    def central(self) -> Extent:
        """Extent of the places, without a few far travellers; see :func:`.projection.central`."""
        return central(self.x_m, self.y_m)

    @cached_property
    def pseudonyms(self) -> list[str]:
        """Name of each user on screens and in results: a running number, never the id."""
        return pseudonyms_of(self.number)

    @cached_property
    def digest(self) -> str:
        """Hash (hex) of everything that a result can depend on; equal data have equal digests.

        The digest includes the antenna table if there is one, as antenna clusters and regions
        depend on the table.
        """
        return digest_of(self, lambda name: [np.ascontiguousarray(getattr(self, name)).data])

    @cached_property
    def unnamed(self) -> FingerprintSet:
        """The same set with running numbers in place of ids, for code that needs no ids.

        The copy keeps the digest of this set.
        """
        made = replace(self, user_ids=np.array(self.number))
        vars(made)["digest"] = self.digest
        return made

    def wall_minutes(self, t_min: npt.ArrayLike) -> FloatArray:
        """Return local wall-clock minutes since the first midnight; without a clock, ``t_min``."""
        if self.clock is not None:
            return self.clock.wall_minutes(t_min)
        return np.asarray(t_min, dtype=np.float64)

    # --- derived data --------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return a row per sample: user (row number), pseudonym, cell, count; without user ids."""
        frame = {"user": self.sample_user, "pseudonym": np.array(self.pseudonyms)[self.sample_user]}
        return pd.DataFrame(frame | {name: getattr(self, name) for name in (*CELL, "count")})

    def subset(self, users: npt.ArrayLike | Sequence[int]) -> FingerprintSet:
        """Return the fingerprints of some users, given as row numbers or a mask, in that order.

        Raises
        ------
        InfeasibleError
            A row number is out of range or occurs twice, a mask has the wrong length, or no user is
            chosen.
        """
        chosen = self.check_users(users)
        lengths = self.lengths[chosen]
        return self._of_users(chosen, lengths, rows_of(self.offsets[chosen], lengths))

    def with_samples(self, kept: BoolArray) -> FingerprintSet:
        """Return a set of the samples selected by a mask, with only the users who have any of them.

        Raises
        ------
        InfeasibleError
            No sample is kept.
        """
        left = np.bincount(self.sample_user[kept], minlength=self.n_users)
        users = np.flatnonzero(left)
        if not len(users):
            raise InfeasibleError("No sample would be left; keep at least one.")
        return self._of_users(users, left[users], kept)

    def _of_users(
        self, users: IntArray, lengths: IntArray, samples: IntArray | BoolArray
    ) -> FingerprintSet:
        own = {name: getattr(self, name)[users] for name in ("user_ids", "weight", "number")}
        of_samples = {name: getattr(self, name)[samples] for name in (*CELL, "count")}
        return replace(self, offsets=offsets_of(lengths), **own, **of_samples)

    def check_users(self, users: npt.ArrayLike | Sequence[int] | None) -> IntArray:
        """Return the row numbers of users given by row number or by a mask; all users for None.

        Raises
        ------
        InfeasibleError
            A row number is out of range or occurs twice, or a mask has the wrong length. Or the
            values are neither integers nor a mask, or no user is chosen.
        """
        if users is None:
            return np.arange(self.n_users)
        chosen = np.asarray(users)
        if chosen.dtype == bool:
            if chosen.shape != (self.n_users,):
                raise InfeasibleError(
                    f"The mask has {chosen.size} entries for {self.n_users} users."
                )
            chosen = np.flatnonzero(chosen)
        if chosen.size == 0:
            raise InfeasibleError("No user is chosen; choose at least one.")
        if not np.issubdtype(chosen.dtype, np.integer):
            raise InfeasibleError("Users are chosen by row number (integers) or by a mask.")
        chosen = np.atleast_1d(chosen).astype(np.int64)
        if chosen.min() < 0 or chosen.max() >= self.n_users:
            raise InfeasibleError(
                f"A chosen user is outside 0 … {self.n_users - 1}; the data set has "
                f"{self.n_users} users."
            )
        if len(np.unique(chosen)) != len(chosen):
            raise InfeasibleError("A user is chosen twice; choose each user once.")
        return chosen


def pseudonyms_of(number: IntArray) -> list[str]:
    """Return the pseudonyms for running numbers, all of the same width."""
    width = max(4, len(str(int(number.max(initial=0)))))
    return [f"u{n:0{width}d}" for n in number.tolist()]


def distinct(columns: list[IntArray], counts: IntArray | None = None) -> Distinct:
    """Return the distinct rows of integer columns in lexicographic order, with summed counts.

    The columns are packed into one 64-bit key if their ranges allow, because sorting plain
    integers is several times faster than sorting several columns.
    """
    lows = [int(c.min()) for c in columns]
    spans = [int(c.max()) - low + 1 for c, low in zip(columns, lows, strict=True)]
    packed = bool(np.prod([float(s) for s in spans]) < 2.0**62)
    if packed:
        key = np.zeros(len(columns[0]), np.int64)
        for column, low, span in zip(columns, lows, spans, strict=True):
            key *= span
            key += column - low
        if counts is None:
            key, count = np.unique(key, return_counts=True)
            parts = zip(np.unravel_index(key, spans), lows, strict=True)
            return [part + low for part, low in parts], count.astype(np.int64)
        order = np.argsort(key, kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    ordered = [c[order] for c in columns]
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([c[1:] != c[:-1] for c in ordered])
    first = np.flatnonzero(new)
    each = np.ones(len(order), np.int64) if counts is None else counts[order]
    return [c[first] for c in ordered], np.add.reduceat(each, first)


def distinct_cells(
    parts: Sequence[tuple[npt.NDArray[Any], ...]], n_users: int, sizes: tuple[float, ...]
) -> tuple[IntArray, list[FloatArray], IntArray]:
    """Return the distinct rows of snapped-down values: offsets by user, values, and counts.

    The result is the same as from :func:`distinct` after snapping. If their ranges allow, the
    values are packed into one key piece by piece, so that no column needs an array of all its
    cells. This saves time, as memory access takes most of it for millions of events.

    Parameters
    ----------
    parts : sequence of tuple of ndarray
        Rows, in parts with at least one row each: their users' numbers, then each column of values.
    n_users : int
        Number of users; they are numbered from 0.
    sizes : tuple of float
        Cell size of each column of values, which are snapped down to multiples of this size.
    """
    _, *values = zip(*parts, strict=True)
    lows = [_cell(min(v.min() for v in each), s) for each, s in zip(values, sizes, strict=True)]
    highs = [_cell(max(v.max() for v in each), s) for each, s in zip(values, sizes, strict=True)]
    bits = [(high - low).bit_length() for low, high in zip(lows, highs, strict=True)]
    if n_users.bit_length() + sum(bits) > 62:
        codes, *whole = (np.concatenate(each) for each in zip(*parts, strict=True))
        cells = [np.floor(v / s).astype(np.int64) for v, s in zip(whole, sizes, strict=True)]
        (user, *snapped), count = distinct([codes, *cells])
        out = [np.asarray(c * s, np.float64) for c, s in zip(snapped, sizes, strict=True)]
        return np.searchsorted(user, np.arange(n_users + 1)), out, count
    ends = offsets_of([len(part[0]) for part in parts])
    key = np.empty(ends[-1], np.int64)

    def pack(i: int) -> None:
        run = key[ends[i] : ends[i + 1]]
        for rows in pieces(len(run)):
            packed = parts[i][0][rows].astype(np.int64)
            for value, size, low, width in zip(parts[i][1:], sizes, lows, bits, strict=True):
                packed <<= width
                packed += np.floor(value[rows] / size).astype(np.int64) - low
            run[rows] = packed
        run.sort()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(pack, range(len(parts))))
    if len(parts) > 1:
        key.sort(kind="stable")  # merges the sorted runs
    new = np.append(True, key[1:] != key[:-1])
    if new.all():
        count = np.ones(len(key), np.int64)
    else:
        first = np.flatnonzero(new)
        count = np.empty(len(first), np.int64)
        np.subtract(first[1:], first[:-1], out=count[:-1])
        count[-1] = len(key) - first[-1]
        key = key[first]
    offsets = np.searchsorted(key, np.arange(n_users + 1, dtype=np.int64) << sum(bits))
    out = [np.empty(len(key)) for _ in values]

    def unpack(rows: slice) -> None:
        rest = key[rows]
        for i in reversed(range(len(values))):
            out[i][rows] = ((rest & ((1 << bits[i]) - 1)) + lows[i]) * sizes[i]
            rest = rest >> bits[i]

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(unpack, pieces(len(key))))
    return offsets, out, count


def _cell(value: float, size: float) -> int:
    """Return the number of the cell that holds a value; a larger value never has a lower number."""
    return int(np.floor(value / size))
