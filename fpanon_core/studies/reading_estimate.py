"""Estimates of the number of rows in a table, and of the time and memory needed to read it.

Time is measured by reading the first rows, a few and then more, and extrapolated to all rows.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ..engines.limits import Limits
from ..engines.progress import Progress, tell
from ..io.turns import AS_THEY_ARE
from ..model.errors import FpanonError
from ..model.mapped import is_folder_of_fingerprints
from ..tables.heads import Head, head_of, heads_of, shortened
from ..tables.writing import staged, write_bytes
from .estimates import Estimate
from .reading import Reading, Source, beginning, needed_for, needed_for_parts, parts_in, read

LARGE_BYTES = 20_000_000
"""Size of a file, or of all parts together, below which reading is faster than estimating it."""
# A row of a table that no cache holds takes longer (measured with 3 to 12 million rows); and a
# process that reads has to start.
_OF_MANY = {"text": 1.9, "JSON": 1.4, "Parquet": 1.3, "XLSX": 1.0}
_BEGINNING_S = 0.4
_SUFFIX = {"text": ".csv", "JSON": ".json", "Parquet": ".parquet", "XLSX": ".xlsx"}


@dataclass(frozen=True)
class ReadingEstimate(Estimate):
    """What reading a table is likely to take on this machine, now.

    Attributes
    ----------
    rows : int or None
        Approximate number of rows; None where the table's beginning does not show it.
    """

    rows: int | None = None

    def __str__(self) -> str:
        told = super().__str__()
        return told if self.rows is None else f"about {self.rows_rounded:,} rows: {told}"

    @property
    def rows_rounded(self) -> int:
        """Number of rows, rounded to two digits, as it is an estimate; 0 where it is not known."""
        rows = self.rows or 0
        unit: int = 10 ** max(len(str(rows)) - 2, 0)
        return round(rows / unit) * unit


def study(
    source: Source, reading: Reading | None = None, *, progress: Progress | None = None
) -> ReadingEstimate:
    """Estimate what reading a chosen source takes, by :func:`estimate_reading`."""
    tell(progress, 0.0)
    return estimate_reading(source, reading or Reading())


def estimate_reading(
    source: Source, reading: Reading, *, limits: Limits | None = None
) -> ReadingEstimate:
    """Estimate what ``read(source, reading)`` takes.

    The first rows are read, which takes a few seconds at most. The time is good to within a factor
    of about two, the memory to within a factor of about one and a half.

    Parameters
    ----------
    source : Source
        A file, an upload or a folder of parts; for a sample data set, or data already read, nothing
        is estimated.
    limits : Limits, optional
        Memory limits; those of this machine, as set in the environment, when None.

    Raises
    ------
    SchemaError
        The file in the server's folder is no longer the one that was chosen.
    """
    limit = (limits or Limits.of_server()).memory_bytes
    if source.sample or source.was_read:
        return ReadingEstimate(limit_bytes=limit)
    path = source.file[1] if source.file is not None else None
    in_parts = isinstance(path, Path) and path.is_dir()
    if in_parts:
        assert isinstance(path, Path)
        heads = heads_of(parts_in(path))
    else:
        with beginning(source) as file:
            head = head_of(file)
        heads = [] if head is None else [head]
    if not heads:
        return ReadingEstimate(limit_bytes=limit)
    needs = needed_for_parts(heads) if in_parts else needed_for(heads[0])
    seconds = _seconds(heads, source, reading, in_parts)
    return ReadingEstimate(seconds, needs, limit, sum(head.rows for head in heads) or None)


def is_large(source: Source, *, in_parts: bool = True) -> bool:
    """Return whether a source is so large that it is worth estimating what reading it takes.

    A folder of parts counts as large only with ``in_parts``.

    Raises
    ------
    SchemaError
        The file in the server's folder is no longer the one that was chosen.
    """
    body = source.file[1] if source.file is not None else None
    if source.sample or source.was_read or body is None:
        return False
    if isinstance(body, Path) and body.is_dir():
        wanted = in_parts and not is_folder_of_fingerprints(body)
        return wanted and _size(parts_in(body)) >= LARGE_BYTES
    with beginning(source) as file:
        return file.seek(0, io.SEEK_END) >= LARGE_BYTES


def _seconds(
    heads: Sequence[Head], source: Source, reading: Reading, in_parts: bool
) -> float | None:
    some = [head for head in heads if head.first_rows]
    if not some:
        return None
    # Whether positions are in doubt is decided later, from all rows.
    quiet = replace(reading, positions=reading.positions or AS_THEY_ARE)
    fewer = [shortened(some[0])]
    try:
        with staged(Path(tempfile.gettempdir())) if in_parts else nullcontext() as place:

            def taken(heads: Sequence[Head], name: str) -> float:
                began = time.perf_counter()
                if place is None:
                    read(replace(source, file=(_name_of(heads[0]), heads[0].first)), quiet)
                else:
                    folder = _parts_of(heads, place / name)
                    read(replace(source, file=("", folder)), quiet, keep=place / f"{name}-kept")
                return time.perf_counter() - began

            taken(fewer, "first")  # what is loaded and compiled only once does not count
            few = min(taken(fewer, f"few-{i}") for i in range(2))
            many = min(taken(some, f"many-{i}") for i in range(2))
    except FpanonError:
        return None
    rows_few, rows_many = (sum(h.first_rows for h in hs) for hs in (fewer, some))
    each = (many - few) / max(rows_many - rows_few, 1) if many > few else 0.0
    more = max(sum(head.rows for head in heads) - rows_many, 0)
    beside = _BEGINNING_S + sum(head.unpacking_s for head in heads)
    return many + more * each * _OF_MANY[some[0].kind] + beside


def _parts_of(heads: Sequence[Head], folder: Path) -> Path:
    folder.mkdir(0o700)
    for i, head in enumerate(heads):
        write_bytes(head.first, folder / f"{i}{_name_of(head)}")
    return folder


def _name_of(head: Head) -> str:
    """Return a file name that shows only the format: the operator's file name is confidential."""
    return f"head{_SUFFIX[head.kind]}"


def _size(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.is_file())
