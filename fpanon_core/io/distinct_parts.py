"""The distinct samples of rows that do not fit into memory: bucket by bucket of users."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.arrays import CELL, BoolArray, FloatArray, IntArray
from ..model.clock import LocalClock
from ..model.column_file import ColumnFile, rows_in
from ..model.configs import Screening
from ..model.fingerprints import FingerprintSet, distinct_cells
from ..model.mapped import COLUMNS
from .instants import microseconds_of
from .screening import local_days, screened_users
from .spill import Spill

ROWS = 4_000_000
"""Rows of a bucket, if all users have equally many."""
_MOST = 64
_KINDS = {name: np.float64 if name in CELL else np.int64 for name in COLUMNS}
_USERS = 50_000  # at a time


class Columns:
    """The columns of a set of fingerprints while they are written, user by user."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            name: ColumnFile(folder / f"{name}.npy", _KINDS[name])
            for name in COLUMNS
            if name != "dy_m"  # is dx_m
        }
        self._files["offsets"].append(np.zeros(1, np.int64))
        self.rows = 0

    def append(
        self,
        offsets: IntArray,
        cells: tuple[FloatArray, ...],
        count: IntArray,
        sizes: tuple[float, float],
        number: IntArray,
    ) -> None:
        """Further users: their offsets from 0, their ``t``, ``x``, ``y``, counts and numbers."""
        t, x, y = cells
        n = len(count)
        for name, values in (
            ("offsets", offsets[1:] + self.rows),
            ("t_min", t),
            ("x_m", x),
            ("y_m", y),
            ("count", count),
            ("dx_m", np.full(n, sizes[0])),
            ("dt_min", np.full(n, sizes[1])),
            ("weight", np.ones(len(number), np.int64)),
            ("number", number),
        ):
            self._files[name].append(values)
        self.rows += n

    def close(self) -> None:
        """All users are written."""
        for file in self._files.values():
            file.close()


class Buckets:
    """Rows by ranges of users, spilled."""

    def __init__(self, folder: Path, n_users: int, n_rows: int) -> None:
        n = min(_MOST, -(-n_rows // ROWS))
        self.width = max(1, -(-n_users // n))
        self._folder = folder
        self._spills: dict[int, Spill] = {}

    def append(self, **columns: npt.NDArray[Any]) -> None:
        """Further rows; ``code`` says whose each is."""
        bucket = columns["code"] // self.width
        low, high = int(bucket.min()), int(bucket.max())
        if low == high:
            self._of(low).append(**columns)
            return
        order = np.argsort(bucket.astype(np.uint16), kind="stable")
        ends = np.searchsorted(bucket[order], np.arange(low, high + 2))
        for i in range(low, high + 1):
            rows = order[ends[i - low] : ends[i - low + 1]]
            if len(rows):
                self._of(i).append(**{name: values[rows] for name, values in columns.items()})

    def distinct(
        self,
        n_users: int,
        clock: LocalClock,
        sizes: tuple[float, float],
        columns: Columns,
        tell: Callable[[float], object],
    ) -> tuple[float, float]:
        """Write the distinct samples of all users; the first and last start, minutes."""
        for spill in self._spills.values():
            spill.close()
        epoch = microseconds_of(clock.epoch)
        low, high = np.inf, -np.inf
        numbers = sorted(self._spills)

        def work(i: int) -> tuple[IntArray, list[FloatArray], IntArray]:
            spill = self._spills[i]
            first = i * self.width
            t_min = minutes_since(spill.read("us"), epoch)
            made = distinct_cells(
                spill.read("code") - first,
                min(self.width, n_users - first),
                (t_min, spill.read("x"), spill.read("y")),
                (sizes[1], sizes[0], sizes[0]),
            )
            spill.remove()
            return made

        with ThreadPoolExecutor(2) as pool:
            for i, (offsets, cells, count) in zip(
                numbers, in_order(pool, work, numbers, 2), strict=True
            ):
                first = i * self.width
                number = np.arange(first + 1, first + len(offsets))
                columns.append(offsets, tuple(cells), count, sizes, number)
                low, high = min(low, float(cells[0].min())), max(high, float(cells[0].max()))
                tell((i + 1) / len(numbers))
        return low, high

    def _of(self, i: int) -> Spill:
        if i not in self._spills:
            folder = self._folder / f"bucket-{i}"
            folder.mkdir(0o700)
            self._spills[i] = Spill(folder)
        return self._spills[i]


def minutes_since(us: IntArray, epoch_us: int) -> FloatArray:
    """Elapsed minutes of instants; exact below 2**53 µs, that is until the year 2255."""
    t_min = us.astype(np.float64)
    t_min -= epoch_us
    t_min /= 60_000_000
    return t_min


def screened(
    fs: FingerprintSet, rule: Screening, columns: Columns, tell: Callable[[float], object]
) -> tuple[BoolArray, int, tuple[float, float]]:
    """Write those users of a mapped set that meet the rule.

    Which are kept; the events of the others; the first and last start, minutes.
    """
    folder = fs.folder
    assert folder is not None
    blocks = [slice(at, min(at + _USERS, fs.n_users)) for at in range(0, fs.n_users, _USERS)]
    span = (2**62, -(2**62))
    for users in blocks:
        day = local_days(_users(fs, folder, users))
        span = (min(span[0], int(day.min())), max(span[1], int(day.max())))
    keep = np.ones(fs.n_users, bool)
    lost = 0
    low, high = np.inf, -np.inf
    for users in blocks:
        part = _users(fs, folder, users)
        keep[users] = mask = screened_users(part, rule, span)
        lost += int(part.count.sum())
        if mask.any():
            part = part.subset(mask)
            columns.append(
                part.offsets,
                (part.t_min, part.x_m, part.y_m),
                part.count,
                (fs.granularity_m, fs.granularity_min),
                part.number,
            )
            lost -= int(part.count.sum())
            low, high = min(low, float(part.t_min.min())), max(high, float(part.t_min.max()))
        tell(users.stop / fs.n_users)
    return keep, lost, (low, high)


def in_order(
    pool: ThreadPoolExecutor, work: Callable[[Any], Any], items: list[Any], ahead: int
) -> Iterator[Any]:
    """What a pool makes of some items, in their order; no more than so many ahead."""
    waiting = []
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.pop(0).result()
    for each in waiting:
        yield each.result()


def _users(fs: FingerprintSet, folder: Path, users: slice) -> FingerprintSet:
    """Some users next to each other, in memory."""
    rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
    files = {name: "dx_m" if name == "dy_m" else name for name in COLUMNS}
    read: dict[str, Any] = {
        name: rows_in(folder / f"{files[name]}.npy", rows) for name in (*CELL, "count")
    }
    return FingerprintSet(
        user_ids=fs.user_ids[users],
        offsets=np.array(fs.offsets[users.start : users.stop + 1]) - rows.start,
        number=np.array(fs.number[users]),
        granularity_m=fs.granularity_m,
        granularity_min=fs.granularity_min,
        clock=fs.clock,
        crs=fs.crs,
        **read,
    )
