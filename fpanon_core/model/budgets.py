"""How much may come of a file before it is refused?

A file that is small on disk can be made to fill any memory: by what is packed in it, by repetition
(a run of a million equal rows takes a few bytes of Parquet), or by what it only claims (a row of a
sheet numbered 10¹¹). Every reader therefore holds what it is about to make, rows × columns ×
bytes, against a budget *before* it makes it, and the budget follows from the bytes of the source
as it came, whatever it is packed in and however often.

What it takes to read a source is then bounded, too: no more than :data:`MEMORY_BASE` and
:data:`MEMORY_TIMES` times what the budget lets it become (``Budget.memory_bytes``). That bound is
measured, not proved: ``tests/fuzz`` holds every reader to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import SchemaError

MAX_BYTES = 4 << 30
"""Nothing is decoded beyond this size."""
MAX_RELEASE_BYTES = 64 << 30
"""But for a release's data, which are looked at piece by piece."""
MAX_RATIO = 100
"""Nor beyond this multiple of the source's size, once it exceeds :data:`ALWAYS_FINE`: tables of
events pack 3 to 30 times."""
ALWAYS_FINE = 16 << 20
"""Bytes that any source may become."""
MAX_COLUMNS = 1_000
"""Of a table; one of events has 4 to 50. Finding out what a column holds takes milliseconds."""
MAX_CELLS = 50_000_000
"""Fields of the formats that are read one by one, XLSX and JSON: each takes some 100 bytes then."""
CELLS_ALWAYS_FINE = 100_000
CELLS_PER_BYTE = 4
"""A workbook packs a cell in a fourth of a byte at best, a field of JSON takes more than one."""
MAX_SHEET_ROWS = 1_048_576
"""Of a sheet: what the format has room for."""
MEMORY_BASE = 256 << 20
MEMORY_TIMES = 24
"""Decoded, as text, as columns, sorted and compared: so many copies are alive at a time at most."""


@dataclass(frozen=True)
class Budget:
    """What may come of a source.

    Parameters
    ----------
    source_bytes : int
        Size of the source as it came.
    most_bytes : int
        However large the source is.

    Examples
    --------
    >>> Budget(26_000).decoded_bytes == ALWAYS_FINE, Budget(10_000_000).decoded_bytes
    (True, 1000000000)
    """

    source_bytes: int
    most_bytes: int = MAX_BYTES

    @property
    def decoded_bytes(self) -> int:
        """How large it may become, unpacked and decoded."""
        return min(self.most_bytes, max(ALWAYS_FINE, self.source_bytes * MAX_RATIO))

    @property
    def cells(self) -> int:
        """How many fields it may have in formats that are read field by field."""
        return min(MAX_CELLS, max(CELLS_ALWAYS_FINE, self.source_bytes * CELLS_PER_BYTE))

    @property
    def memory_bytes(self) -> int:
        """What reading it takes at most."""
        return MEMORY_BASE + MEMORY_TIMES * self.decoded_bytes

    def check_bytes(self, size: int) -> None:
        """Refuse what would become larger.

        Raises
        ------
        SchemaError
        """
        if size > self.decoded_bytes:
            raise SchemaError(
                f"The packed file unpacks to more than {_size(ALWAYS_FINE)} and {MAX_RATIO} times "
                f"its size, or to more than {_size(self.most_bytes)}, which no table of events "
                "does; unpack it yourself and check what it holds."
            )

    def check_cells(self, count: int) -> None:
        """Refuse more fields.

        Raises
        ------
        SchemaError
        """
        if count > self.cells:
            raise SchemaError(
                f"The file has more than {self.cells:,} fields; save it as CSV or Parquet, and "
                "without empty columns."
            )


def check_columns(count: int) -> None:
    """Refuse a table of more columns than :data:`MAX_COLUMNS`.

    Raises
    ------
    SchemaError
    """
    if count > MAX_COLUMNS:
        raise SchemaError(
            f"The table has more than {MAX_COLUMNS:,} columns; keep those for user, time and "
            "position, and those of regions."
        )


def _size(count: int) -> str:
    return f"{count >> 30} GB" if count >= 1 << 30 else f"{count >> 20} MB"
