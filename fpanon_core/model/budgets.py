"""How much may come of a file before it is refused?

A file that is small on disk can be made to fill any memory: by what is packed in it, by repetition
(a run of a million equal rows takes a few bytes of Parquet), or by what it only claims (a row of a
sheet numbered 10¹¹). Every reader therefore holds what it is about to make, rows × columns ×
bytes, against a budget *before* it makes it, and the budget follows from the bytes of the source
as it came, whatever it is packed in and however often.

What it takes to read a source is then bounded, too: no more than :data:`MEMORY_BASE` and
:data:`MEMORY_TIMES` times what the budget lets it become (``Budget.memory_bytes``). That bound is
measured, not proved: ``tests/fuzz`` holds every reader to it.

What does the operator of this machine say? Numbers in environment variables.

Amounts of a computer in words: bytes, and time that passes while it works.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ConfigError, SchemaError

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


def number(
    variable: str, environment: Mapping[str, str] = os.environ, *, most: float = math.inf
) -> float | None:
    """The number above 0 that a variable says; None where it says nothing.

    Parameters
    ----------
    variable : str
    environment : mapping of str to str
    most : float
        The largest number that can be meant.

    Raises
    ------
    ConfigError
        It says something else.

    Examples
    --------
    >>> number("HOURS", {"HOURS": "0.5"}), number("HOURS", {"HOURS": " "})
    (0.5, None)
    """
    said = environment.get(variable, "").strip()
    if not said:
        return None
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not (0 < value <= most and math.isfinite(value)):
        limit = f" and up to {most:g}" if math.isfinite(most) else ""
        raise ConfigError(
            f"The environment variable {variable} is {said!r}; it must be a number above 0{limit}. "
            "Correct it, or leave it out for the usual value."
        )
    return value


def whole_number(variable: str, environment: Mapping[str, str] = os.environ) -> int | None:
    """As :func:`number`, of integers.

    Examples
    --------
    >>> whole_number("LANES", {"LANES": "2"})
    2
    """
    value = number(variable, environment)
    if value is not None and not value.is_integer():
        raise ConfigError(
            f"The environment variable {variable} is {environment[variable]!r}; it must be an "
            "integer of 1 or more. Correct it, or leave it out for the usual value."
        )
    return None if value is None else int(value)


def gigabytes(amount: float) -> str:
    """Bytes in words, in units of 10⁹ or 10⁶.

    Examples
    --------
    >>> gigabytes(11_600_000_000), gigabytes(250_000_000)
    ('11.6 GB', '250 MB')
    """
    return f"{amount / 1e9:.1f} GB" if amount >= 0.95e9 else f"{amount / 1e6:.0f} MB"


def clock(seconds: float) -> str:
    """Such as "8 s", "2 min 05 s", "1 h 20 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
