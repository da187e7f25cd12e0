"""The files that stay behind: a key, or the list of what was left out, as a table of texts.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import io
import os
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import csv

from ..model.budgets import MAX_BYTES, check_columns
from ..model.errors import SchemaError
from .marks import without_marks


def read_listed(source: str | os.PathLike[str] | bytes, what: str) -> pd.DataFrame:
    """A file of texts, with a head of column names.

    Parameters
    ----------
    source : path or bytes
        A file, or what is in it.
    what : str
        Is read, for the message: "key".

    Raises
    ------
    SchemaError
        It is missing, too large, or no such table.
    """
    try:
        content = source if isinstance(source, bytes) else _bytes_at(source)
        if len(content) > MAX_BYTES:
            raise ValueError
        head = content.split(b"\n", 1)[0].decode("utf-8-sig").strip("\r").split(",")
        types = {column.strip('"'): pa.string() for column in head}
        options = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
        check_columns(len(head))
        cells = csv.ParseOptions(newlines_in_values=True)
        read = csv.read_csv(io.BytesIO(content), parse_options=cells, convert_options=options)
        # A name that is quoted in some odd way was not taken for text above.
        texts_of = [column.cast(pa.string()) for column in read.columns]
        frame: Any = pa.table(texts_of, names=read.column_names).to_pandas()
        if frame.columns.duplicated().any():
            raise ValueError
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError(f"The {what} is missing, damaged or of another kind.") from None
    table: pd.DataFrame = frame
    return table.map(lambda cell: without_marks(cell) if isinstance(cell, str) else cell)


def _bytes_at(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > MAX_BYTES:
            raise ValueError
        return file.read()
