"""What leaves, record by record: a row for each published sample of each person.

Names, group numbers and the order of records are drawn anew from the operating system each time:
numbered in the order of the file they would be the list of subscribers, and kept across two
releases of the same people they would join them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .arrays import Cells, FloatArray, IntArray, rows_of
from .clock import LocalClock, instants
from .fingerprints import FingerprintSet
from .projection import THREADS, degrees_of
from .published import GeneralizedFingerprintSet
from .randomness import secret_order, secret_pseudonyms

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
"""Of a published sample: bounds in metres on the projection, in degrees, and in time."""

_CHUNK_ROWS = 250_000


@dataclass(frozen=True, eq=False)
class Naming:
    """The names one release goes by; drawn once, used once.

    Attributes
    ----------
    pseudonyms : object ndarray (n_records,)
        Of each record.
    order : int64 ndarray (n_records,)
        In which the records are written.
    group : int64 ndarray (n_groups,)
        Number that each group is given, 1 … n_groups; empty without groups.
    """

    pseudonyms: npt.NDArray[Any]
    order: IntArray
    group: IntArray

    @classmethod
    def drawn(cls, n_records: int, n_groups: int) -> Naming:
        """Fresh names from the operating system's randomness."""
        return cls(
            secret_pseudonyms(n_records), secret_order(n_records), secret_order(n_groups) + 1
        )


@dataclass(frozen=True, eq=False)
class Records:
    """What is published of each person; several may share the same samples.

    Attributes
    ----------
    cells : Cells
        Distinct published samples; those of one record follow one another, in order of time.
    begins, lengths : int64 ndarray (n_records,)
        Which of them each record holds.
    group : int64 ndarray (n_records,) or None
        Group of each record, 0 … n_groups − 1; None where nobody is grouped.
    n_groups : int
    clock : LocalClock or None
    crs : str or None
        As of a :class:`FingerprintSet`.
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
        """One record for each entry of ``group``, which says whose samples it holds."""
        begins, lengths = published.offsets[group], published.lengths[group]
        return cls(
            published, begins, lengths, group, published.n_groups, published.clock, published.crs
        )

    @classmethod
    def of_fingerprints(cls, fs: FingerprintSet) -> Records:
        """One record for each fingerprint."""
        return cls(fs, fs.offsets[:-1], fs.lengths, None, 0, fs.clock, fs.crs)

    @property
    def n_records(self) -> int:
        """How many people are published."""
        return len(self.begins)

    @property
    def n_rows(self) -> int:
        """Rows of the table: published samples, each counted for every record that holds it."""
        return int(self.lengths.sum())

    def named(self) -> Naming:
        """Fresh names for these records."""
        return Naming.drawn(self.n_records, self.n_groups)

    def frames(self, naming: Naming | None = None) -> Iterator[pd.DataFrame]:
        """The rows in pieces of about 250,000, under fresh names if none are given.

        Columns: ``pseudonym``, ``group`` (where there are groups) and :data:`CELL_COLUMNS`. At
        least one piece, empty where nothing is published.
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
        """The columns of some of the distinct samples."""
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
        """The columns of each distinct sample that take long to work out, once for all records."""
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
