"""Budgets for what readers decode; numbers from the environment; sizes and durations as text.

A file that is small on disk can fill any memory, by compression, by repetition or by a false claim.
A run of a million equal rows takes a few bytes of Parquet. A sheet can claim to have a row with the
number 10¹¹. Every reader therefore computes the size of its result, rows × columns × bytes, and
compares the size with a budget *before* it makes the result. The budget depends only on the size of
the source as received, not on how it is compressed.

The memory for reading a source is then bounded too. The bound is :data:`MEMORY_BASE` plus
:data:`MEMORY_TIMES` times the decoded size that the budget accepts (``Budget.memory_bytes``). This
bound is measured, not proved: ``tests/fuzz`` checks it for every reader.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ConfigError, SchemaError

MAX_BYTES = 4 << 30
"""Largest decoded size, bytes."""
MAX_RELEASE_BYTES = 64 << 30
"""Largest decoded size, bytes, of the data of a release, which are read piece by piece."""
MAX_RATIO = 100
"""Largest ratio of decoded size to source size, for decoded sizes above :data:`ALWAYS_FINE`.
Tables of events compress 3 to 30 times."""
ALWAYS_FINE = 16 << 20
"""Decoded size that is accepted for any source, bytes."""
MAX_COLUMNS = 1_000
"""Largest number of columns of a table. A table of events has 4 to 50; inspecting a column takes
milliseconds."""
MAX_CELLS = 50_000_000
"""Largest number of fields in formats that are read field by field, XLSX and JSON. Each field takes
some 100 bytes of memory."""
CELLS_ALWAYS_FINE = 100_000
CELLS_PER_BYTE = 4
"""Largest number of fields per byte: an XLSX cell takes 1/4 byte or more, a JSON field over 1."""
MAX_SHEET_ROWS = 1_048_576
"""Largest number of rows of a sheet in the XLSX format."""
MEMORY_BASE = 256 << 20
MEMORY_TIMES = 24
"""Largest number of copies of the data in memory at a time: decoded, as text, as columns, sorted
and compared."""


@dataclass(frozen=True)
class Budget:
    """Largest sizes that a source may reach when it is read.

    Parameters
    ----------
    source_bytes : int
        Size of the source as received, bytes.
    most_bytes : int
        Largest decoded size, bytes, however large the source is.

    Examples
    --------
    >>> Budget(26_000).decoded_bytes == ALWAYS_FINE, Budget(10_000_000).decoded_bytes
    (True, 1000000000)
    """

    source_bytes: int
    most_bytes: int = MAX_BYTES

    @property
    def decoded_bytes(self) -> int:
        """Largest accepted size of the source when decompressed and decoded, bytes."""
        return min(self.most_bytes, max(ALWAYS_FINE, self.source_bytes * MAX_RATIO))

    @property
    def cells(self) -> int:
        """Largest accepted number of fields, in formats that are read field by field."""
        return min(MAX_CELLS, max(CELLS_ALWAYS_FINE, self.source_bytes * CELLS_PER_BYTE))

    @property
    def memory_bytes(self) -> int:
        """Upper bound on the memory that reading the source takes, bytes; measured, not proved."""
        return MEMORY_BASE + MEMORY_TIMES * self.decoded_bytes

    def check_bytes(self, size: int) -> None:
        """Refuse a decoded size above :attr:`decoded_bytes`.

        Raises
        ------
        SchemaError
            The size is above this limit.
        """
        if size > self.decoded_bytes:
            raise SchemaError(
                f"The packed file unpacks to more than {_size(ALWAYS_FINE)} and over {MAX_RATIO} "
                f"times its size, or to more than {_size(self.most_bytes)}, the most that is "
                "accepted; unpack it yourself and check what it holds."
            )

    def check_cells(self, count: int) -> None:
        """Refuse a number of fields above :attr:`cells`.

        Raises
        ------
        SchemaError
            The number is above this limit.
        """
        if count > self.cells:
            raise SchemaError(
                f"The file has more than {self.cells:,} fields; save it as CSV or Parquet, "
                "without empty columns."
            )


def check_columns(count: int) -> None:
    """Refuse a table with more columns than :data:`MAX_COLUMNS`.

    Raises
    ------
    SchemaError
        The table has more columns.
    """
    if count > MAX_COLUMNS:
        raise SchemaError(
            f"The table has more than {MAX_COLUMNS:,} columns; keep only those for person, "
            "time, position and regions."
        )


def _size(count: int) -> str:
    return f"{count >> 30} GB" if count >= 1 << 30 else f"{count >> 20} MB"


def number(
    variable: str, environment: Mapping[str, str] = os.environ, *, most: float = math.inf
) -> float | None:
    """Return the positive number in an environment variable; None if it is empty or not set.

    Parameters
    ----------
    variable : str
    environment : mapping of str to str
    most : float
        Largest number accepted.

    Raises
    ------
    ConfigError
        The variable is neither empty nor a number above 0 and up to ``most``.

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
            "Correct it, or unset it to use the default."
        )
    return value


def whole_number(variable: str, environment: Mapping[str, str] = os.environ) -> int | None:
    """Return the positive integer in an environment variable; None if it is empty or not set.

    Raises
    ------
    ConfigError
        The variable is neither empty nor an integer above 0.

    Examples
    --------
    >>> whole_number("LANES", {"LANES": "2"})
    2
    """
    value = number(variable, environment)
    if value is not None and not value.is_integer():
        raise ConfigError(
            f"The environment variable {variable} is {environment[variable]!r}; it must be an "
            "integer of 1 or more. Correct it, or unset it to use the default."
        )
    return None if value is None else int(value)


def gigabytes(amount: float) -> str:
    """Return a number of bytes as text, in units of 10⁹ or 10⁶.

    Examples
    --------
    >>> gigabytes(11_600_000_000), gigabytes(250_000_000)
    ('11.6 GB', '250 MB')
    """
    return f"{amount / 1e9:.1f} GB" if amount >= 0.95e9 else f"{amount / 1e6:.0f} MB"


def clock(seconds: float) -> str:
    """Return a duration as text, such as "8 s", "2 min 05 s", "1 h 20 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
