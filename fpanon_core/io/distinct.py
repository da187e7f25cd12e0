"""Collection of users' distinct samples, search for identical rows, and screening of users.

Data that do not fit into memory are spilled to disk. Rows are divided by ranges of users, and a
hash of each row's content is stored. Only rows with equal hashes are compared.

Screening of users by activity: Gramaglia & Fiore 2015, section 3. Detection of machines and test
phones: docs/science.md, “Samples and fingerprints”.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import CELL, BoolArray, FloatArray, IntArray, pieces
from ..model.clock import LocalClock
from ..model.configs import Screening
from ..model.fingerprints import FingerprintSet, distinct_cells
from ..model.mapped import COLUMNS, rows_in
from .fate import text_frame
from .hints import Message, Way
from .instants import microseconds_of
from .rows import Rows, Store, in_order

ROWS = 4_000_000
"""Rows per bucket, if all users have equally many."""
_MOST = 64
_USERS = 50_000  # at a time
_AT_ONCE = 2_000_000  # rows compared field by field at a time
_SORTED = 64 << 20  # rows sorted at a time


class Columns(Store):
    """Columns of a set of fingerprints while it is written, user by user."""

    def __init__(self, folder: Path | None, sizes: tuple[float, float]) -> None:
        super().__init__(folder)
        self._sizes = sizes
        self._rows = 0
        self.span = (np.inf, -np.inf)
        """Earliest and latest start of the samples added, in minutes since the epoch."""
        self.append(offsets=np.zeros(1, np.int64))

    def add(
        self, offsets: IntArray, cells: list[FloatArray], count: IntArray, number: IntArray
    ) -> None:
        """Add users and their samples.

        ``offsets`` begin at 0. ``cells`` holds ``t`` (minutes since the epoch), ``x`` and ``y``
        (metres) of the samples, and ``count`` the number of events of each sample. ``number`` holds
        the number of each user.
        """
        t, x, y = cells
        sides = {
            n: np.full(len(t), s) for n, s in zip(("dx_m", "dt_min"), self._sizes, strict=True)
        }
        ones = np.ones(len(number), np.int64)
        self.append(offsets=offsets[1:] + self._rows, t_min=t, x_m=x, y_m=y, count=count, **sides)
        self.append(weight=ones, number=np.asarray(number, np.int64))
        self._rows += len(t)
        self.span = min(self.span[0], float(t.min())), max(self.span[1], float(t.max()))

    def in_memory(self, shell: FingerprintSet, user_ids: npt.NDArray[Any]) -> FingerprintSet:
        """Return the set ``shell`` with these columns and user ids."""
        read: dict[str, Any] = {name: self.read(_file(name)) for name in COLUMNS}
        return replace(shell, user_ids=user_ids, **read)


def _file(name: str) -> str:
    return "dx_m" if name == "dy_m" else name


class Buckets:
    """Store of rows: all together in memory, or in a folder and divided by ranges of users."""

    def __init__(self, folder: Path | None, n_users: int, n_rows: int) -> None:
        n = min(_MOST, -(-n_rows // ROWS)) if folder else 1
        self.width = max(1, -(-n_users // n))
        self._folder = folder
        self._stores: dict[int, Store] = {}

    def append(self, **columns: npt.NDArray[Any]) -> None:
        """Add rows; ``code`` holds the number of each row's user."""
        if self._folder is None:
            self._stores.setdefault(0, Store(None)).append(**columns)
            return
        bucket = columns["code"] // self.width
        for i in pd.unique(bucket).tolist():
            rows = np.flatnonzero(bucket == i)
            if i not in self._stores:
                self._stores[i] = Store(self._folder / f"bucket-{i}")
            self._stores[i].append(**{name: values[rows] for name, values in columns.items()})

    def distinct(
        self,
        n_users: int,
        clock: LocalClock,
        sizes: tuple[float, float],
        columns: Columns,
        tell: Callable[[float], object],
    ) -> None:
        """Write the distinct samples of all users to ``columns``."""
        epoch = microseconds_of(clock.epoch)
        numbers = sorted(self._stores)

        def work(i: int) -> tuple[IntArray, list[FloatArray], IntArray]:
            store = self._stores.pop(i)
            store.close()
            first = i * self.width
            parts = [
                # Exact below 2**53 µs: until 2255.
                (code - first, (us.astype(np.float64) - epoch) / 60_000_000, x, y)
                for code, us, x, y in store.parts("code", "us", "x", "y")
            ]
            sides = sizes[1], sizes[0], sizes[0]
            made = distinct_cells(parts, min(self.width, n_users - first), sides)
            store.remove()
            return made

        with ThreadPoolExecutor(2) as pool:
            for done, made in enumerate(in_order(pool, work, numbers), 1):
                first = numbers[done - 1] * self.width
                columns.add(*made, first + np.arange(1, len(made[0])))
                tell(done / len(numbers))
        columns.close()


# --- screening -----------------------------------------------------------------------------------


def screened(
    fs: FingerprintSet, rule: Screening, columns: Columns, tell: Callable[[float], object]
) -> BoolArray:
    """Write to ``columns`` the users of a set who meet the rule; return a mask of these users."""
    blocks = _blocks(fs)
    days_in = (_local_days(_users(fs, users)) for users in blocks)
    first, last = zip(*((int(day.min()), int(day.max())) for day in days_in), strict=True)
    days = min(first), max(last)
    keep = np.ones(fs.n_users, bool)
    for users in blocks:
        part = _users(fs, users)
        keep[users] = mask = screened_users(part, rule, days)
        if mask.any():
            part = part.subset(mask)
            cells = [part.t_min, part.x_m, part.y_m]
            columns.add(part.offsets, cells, part.count, part.number)
        tell(users.stop / fs.n_users)
    columns.close()
    return keep


def screened_users(fs: FingerprintSet, rule: Screening, days: tuple[int, int]) -> BoolArray:
    """Return a mask of the users who meet every condition of the rule.

    ``days`` are the data set's first and last local day, both included, counted from the epoch.
    """
    keep = np.ones(fs.n_users, bool)
    if rule.min_samples is not None:
        keep &= fs.lengths >= rule.min_samples
    if rule.every_day or rule.active_days_share is not None:
        n_days, active_days = days[1] - days[0] + 1, _active_days(fs)
        if rule.every_day:
            keep &= active_days == n_days
        if rule.active_days_share is not None:
            keep &= active_days > rule.active_days_share * n_days
    if rule.people_only:
        keep &= ~_day_and_night(fs)
    return keep


_MANY, _MANY_DAYS, _EVEN = 100, 3, 1 / 6
"""Minimum samples, days, and share of samples per quarter of the day, for a likely machine."""


def describe_machines(fs: FingerprintSet) -> Message | str:
    """Say which ids are recorded day and night alike, as machines are; "" if none are."""
    found = np.flatnonzero(
        np.concatenate([_day_and_night(_users(fs, each)) for each in _blocks(fs)])
    )
    if not len(found):
        return ""
    samples = fs.lengths[found]
    names = fs.pseudonyms
    most = [names[i] for i in found[np.argsort(-samples, kind="stable")][:3]]
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    return Message(
        f"{len(found):,} of {fs.n_users:,} ids made {samples.sum() / fs.n_samples:.1%} of all "
        f"samples, day and night alike, as machines and test phones do: {', '.join(most)}{more}. "
        "Each counts as a person in every group of k. "
        # Of many, some may be people who are recorded all the time.
        f"{'Unless they are people, l' if len(found) > fs.n_users / 10 else 'L'}eave such ids out "
        "before any release",
        Way(": screen='people'", ": --screen people", ", under Screening on the Data page"),
        ".",
    )


def _day_and_night(fs: FingerprintSet) -> BoolArray:
    """Return a mask of users with many samples, on several days, and in each quarter of the day."""
    quarter = (fs.wall_minutes(fs.t_min) % 1440 // 360).astype(np.int64)
    in_each = np.bincount(fs.sample_user * 4 + quarter, minlength=fs.n_users * 4).reshape(-1, 4)
    even: BoolArray = in_each.min(axis=1) >= _EVEN * fs.lengths
    return even & (fs.lengths >= _MANY) & (_active_days(fs) >= _MANY_DAYS)


def _active_days(fs: FingerprintSet) -> IntArray:
    """Return the number of local days with a sample, for each user."""
    day = _local_days(fs)
    day -= day.min()
    n_days = int(day.max()) + 1
    return np.bincount(np.unique(fs.sample_user * n_days + day) // n_days, minlength=fs.n_users)


def _blocks(fs: FingerprintSet) -> list[slice]:
    return [slice(at, min(at + _USERS, fs.n_users)) for at in range(0, fs.n_users, _USERS)]


def _local_days(fs: FingerprintSet) -> IntArray:
    """Return the local day of each sample, counted from the epoch."""
    return np.floor(fs.wall_minutes(fs.t_min) / 1440).astype(np.int64)


def _users(fs: FingerprintSet, users: slice) -> FingerprintSet:
    """Load some consecutive users into memory; the files of a folder are read, not mapped."""
    rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
    folder = fs.folder
    read: dict[str, Any] = {
        name: getattr(fs, name)[rows] if folder is None else rows_in(folder / f"{file}.npy", rows)
        for name in (*CELL, "count")
        for file in (_file(name),)
    }
    offsets = np.array(fs.offsets[users.start : users.stop + 1]) - rows.start
    number = np.array(fs.number[users])
    ids = fs.user_ids[users]
    return replace(fs, user_ids=ids, offsets=offsets, number=number, weight=number[:0], **read)


# --- identical rows ------------------------------------------------------------------------------


def mixture(
    codes: IntArray, us: IntArray, lat: FloatArray, lon: FloatArray
) -> npt.NDArray[np.uint64]:
    """Return, for each row, a 64-bit hash of user, time and place."""
    key = np.empty(len(codes), np.uint64)
    for part in pieces(len(key)):
        mixed = codes[part].astype(np.int64).astype(np.uint64)
        for value in (us, lat, lon):
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            mixed += value[part].view(np.uint64)
        key[part] = mixed
    return key


def identical(known: Rows, mixtures: Store) -> list[IntArray]:
    """Return arrays with the numbers of the rows in use that equal an earlier row in every field.

    ``mixtures`` has each row's hash, or only its lower half if the rows are in memory.
    """
    twins = _twins(known, mixtures)
    if not len(twins):
        return []
    low_bits = np.uint64(0xFFFFFF)
    marks = np.zeros(1 << 24, bool)
    marks[(twins & low_bits).astype(np.int64)] = True

    def suspects(rows: slice) -> tuple[IntArray, npt.NDArray[np.uint64]]:
        mix = mixtures.read("mix", rows)
        hit = np.flatnonzero(marks[(mix & low_bits).astype(np.int64)])
        half = mix[hit].astype(np.uint32)
        at = np.minimum(np.searchsorted(twins, half), len(twins) - 1)
        hit = hit[twins[at] == half]
        hit = hit[known.fate.part(rows).used[hit]]
        return rows.start + hit, mix[hit]

    found = list(known.over(suspects))
    rows, key = (np.concatenate(each) for each in zip(*found, strict=True))
    # Rows with one hash stay together; a bounded number of rows is compared at a time.
    order = np.argsort(key, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(key[order])) + 1, len(key))
    out = []
    begin = 0
    while begin < len(key):
        upto = int(np.searchsorted(ends, begin + _AT_ONCE))
        end = int(ends[min(upto, len(ends) - 1)])
        some = np.sort(rows[order[begin:end]])
        table = known.source.taken(some)
        same = text_frame(table, range(len(table.columns))).duplicated(keep="first")
        out.append(some[same.to_numpy()])
        begin = end
    return out


def _twins(known: Rows, mixtures: Store) -> npt.NDArray[np.uint32]:
    """Return the lower halves of hashes that several rows share, ascending.

    As many halves are sorted at a time as fit into memory. Halves are sorted faster than whole
    hashes. The few rows whose hashes agree only in the lower half are compared, too.
    """
    n_passes = -(-known.source.n_rows // _SORTED)
    out = []
    for turn in range(n_passes):
        some = []
        for rows in known.slices:
            mix = known.fate.part(rows).pick(mixtures.read("mix", rows))
            if n_passes > 1:
                share = (mix >> np.uint64(32)) * np.uint64(n_passes)
                mix = mix[share >> np.uint64(32) == turn]
            some.append(mix.astype(np.uint32, copy=False))
        key = np.concatenate(some)
        key.sort()
        out.append(key[1:][key[1:] == key[:-1]])
    return np.unique(np.concatenate(out))
