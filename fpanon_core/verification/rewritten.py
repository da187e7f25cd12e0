"""Is a Parquet file what its rows make, byte by byte?

A Parquet file has room for more than its rows: metadata, statistics, words that no row uses, gaps
between pages. So its rows are written again, in the same pieces, and compared.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow import parquet

from ..model.clock import LocalClock


class Rewritten:
    """A Parquet file that is written again, piece by piece, and kept nowhere.

    Parameters
    ----------
    content : Buffer
        The file's bytes.
    columns : list of str
        Of a release.
    large : bool
        Whether its texts are Arrow's large ones; pandas decides which are written.
    clock : LocalClock or None
        Of the original.

    Attributes
    ----------
    same : bool
        Whether what has been written is what the file begins with; once finished, all of it.
    """

    def __init__(
        self, content: pa.Buffer, columns: list[str], large: bool, clock: LocalClock | None
    ) -> None:
        time = pa.float64() if clock is None else pa.timestamp("us", clock.timezone)
        text = pa.large_string() if large else pa.string()
        kinds = {"pseudonym": text, "group": pa.int64(), "start": time, "end": time}
        self._schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in columns])
        self._content, self._at = memoryview(content).cast("B"), 0
        self.same, self.closed = True, False
        self._writer = parquet.ParquetWriter(self, self._schema)

    def add(self, tables: list[pa.Table]) -> None:
        """Write a piece."""
        if not self.same:
            return
        try:
            table = pa.concat_tables(tables).cast(self._schema).combine_chunks()
        except (pa.ArrowException, ValueError):
            self.same = False
            return
        self._writer.write_table(table)

    def write(self, some: Any) -> int:
        """Compare the next bytes."""
        some = memoryview(some).cast("B")
        if self.same:
            self.same = self._content[self._at : self._at + len(some)] == some
            self._at += len(some)
        return len(some)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Arrow calls it."""
        self.closed = True

    def finish(self) -> None:
        """Write the end, after which all of the file must have been written."""
        self._writer.close()
        self.same &= self._at == len(self._content)
