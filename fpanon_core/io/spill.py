"""Columns of what is known of each row, on disk while they are not looked at."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.column_file import ColumnFile, mapped_rows, rows_in


class Spill:
    """Columns in a private folder; appended to, closed, and read in pieces.

    Read and not mapped: pages that are mapped count as memory in use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, ColumnFile] = {}
        self.rows: dict[str, int] = defaultdict(int)

    def append(self, **columns: npt.NDArray[Any]) -> None:
        """Further rows of some columns; a column is of the type that it begins with."""
        for name, values in columns.items():
            if name not in self._files:
                self._files[name] = ColumnFile(self._folder / f"{name}.npy", values.dtype)
            self._files[name].append(values)
            self.rows[name] += len(values)

    def close(self) -> None:
        """Nothing more comes."""
        for file in self._files.values():
            file.close()

    def read(self, name: str, rows: slice | None = None) -> npt.NDArray[Any]:
        """Some rows of a column, or all."""
        return rows_in(self._folder / f"{name}.npy", rows)

    def at(self, name: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """A few rows of a column."""
        return np.array(mapped_rows(self._folder / f"{name}.npy")[rows])

    def remove(self) -> None:
        """Make room on the disk before the folder goes."""
        for name in self._files:
            (self._folder / f"{name}.npy").unlink(missing_ok=True)
        self._files.clear()
