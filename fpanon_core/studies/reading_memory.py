"""How much memory will reading a table take? From its beginning, before it is read.

Measured of 0.3 to 24 million generated events, of 4 to 16 columns, in a process of its own by what
it holds at its peak (23 November 2026, tests/benchmarks/reading_estimates.py): a start, so many
bytes a row for what is made of them, and for each byte of the table as it is decoded. In parts only
some rows are in memory at a time; of text parts one as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from ..engines.limits import MEMORY_VARIABLE, Limits
from ..model.budgets import gigabytes
from ..model.errors import InfeasibleError
from ..tables.folder import data_files
from ..tables.heads import Head, Kind, head_of, heads_of
from ..tables.parts import BATCH
from .estimates import START_BYTES

READING_BYTES = START_BYTES + 30_000_000
"""Before the table: as of any computation, and zones and grids of the earth."""
BYTES_A_ROW = 180
"""The columns of an event, sorted and compared, and the sample made of it."""
BYTES_A_BYTE: dict[Kind, float] = {"text": 1.9, "Parquet": 1.4, "JSON": 12.5, "XLSX": 2.0}
"""Of the table decoded; JSON and sheets are taken apart field by field."""
PARTS_START_BYTES = 480_000_000
PARTS_BYTES_A_ROW = 22
PARTS_TIMES = 5  # the rows of a batch, so often at a time


_MORE = (
    f"Or use a machine with more memory; whoever runs this one sets the limit ({MEMORY_VARIABLE})."
)


def needed_for(head: Head) -> int:
    """Memory that reading a table as a whole is likely to take."""
    packed = 0 if head.kind in ("Parquet", "XLSX") else head.packed_bytes - head.decoded_bytes
    decoded = BYTES_A_BYTE[head.kind] * head.decoded_bytes
    if head.kind in ("JSON", "XLSX"):
        return START_BYTES + int(decoded + max(packed, 0))
    return READING_BYTES + int(BYTES_A_ROW * head.rows + decoded + max(packed, 0))


def needed_for_parts(heads: Sequence[Head]) -> int:
    """Memory that reading parts one after another is likely to take."""
    rows = sum(head.rows for head in heads)
    if not rows:
        return PARTS_START_BYTES
    wide = sum(head.decoded_bytes for head in heads) / rows
    at_once = int(PARTS_TIMES * min(rows, BATCH) * wide)
    whole = [needed_for(head) for head in heads if head.kind != "Parquet"]
    return max(PARTS_START_BYTES + PARTS_BYTES_A_ROW * rows + at_once, *whole, 0)


def refuse_table(file: IO[bytes], limits: Limits | None = None) -> None:
    """Say so before a table is read that would not fit in memory, with what would.

    Raises
    ------
    InfeasibleError
    """
    limit = (limits or Limits.of_server()).memory_bytes
    head = head_of(file)
    if limit is None or head is None or (needs := needed_for(head)) <= limit:
        return
    in_parts = needed_for_parts([head])
    way = (
        f"In a folder of its own it is read piece by piece, with about {gigabytes(in_parts)}"
        if head.kind == "Parquet" and in_parts <= limit
        else "As Parquet, or in several smaller files, in a folder of its own it is read piece by "
        "piece, with less"
    )
    raise InfeasibleError(
        f"{_too_much(needs, limit)} {way}: fpanon ingest FOLDER --keep NEW_FOLDER on the command "
        f"line; the dashboard opens what is kept there. {_MORE}"
    )


def refuse_parts(folder: Path, limits: Limits | None = None) -> None:
    """As :func:`refuse_table`, of the parts in a folder.

    Raises
    ------
    InfeasibleError
    """
    limit = (limits or Limits.of_server()).memory_bytes
    heads = heads_of(parts_in(folder))
    if limit is None or not heads or (needs := needed_for_parts(heads)) <= limit:
        return
    whole = any(needed_for(head) > limit for head in heads if head.kind != "Parquet")
    way = " Text is read part by part: make the parts smaller, or write them as Parquet."
    raise InfeasibleError(f"{_too_much(needs, limit)}{way if whole else ''} {_MORE}")


def parts_in(folder: Path) -> list[Path]:
    """The files of a folder of parts."""
    return [folder / name for name in data_files(folder)]


def _too_much(needs: int, limit: int) -> str:
    return (
        f"Reading this would need about {gigabytes(needs)} of memory, by an estimate; a "
        f"computation may take {gigabytes(limit)} here. It was not begun."
    )
