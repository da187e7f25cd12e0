"""The files that stay behind: a key, or the list of what was left out, as a table of texts.

Source: docs/science.md, “A release, as it leaves”.

What did a cell hold, before it was marked so that no spreadsheet runs it?

Source: docs/science.md, “A release, as it leaves”, “What is written so that nothing runs it”.
"""

from __future__ import annotations

import io
import os
import re
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import csv

from ..model.budgets import MAX_BYTES, check_columns
from ..model.errors import SchemaError


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


_ENDS = ";,|\t\r\n"  # of a cell, in one or another country
_BLANK = (
    "".join(map(chr, range(0x21)))
    + "".join(map(chr, range(0x7F, 0xA1)))
    + "".join(map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030), 0x2060, 0x3000, 0xFEFF)))
    + "'\"`´‘’“”«»"
)
_STARTS = tuple("=+-@＝＋－＠")
_WORDS = re.compile(f"([^{re.escape(_ENDS + _BLANK)}]+)")


def without_marks(text: str) -> str:
    """The text before its marks: an apostrophe before a formula, at its start or after a break.

    Examples
    --------
    >>> without_marks("'=1"), without_marks("' =1"), without_marks("a;'=1"), without_marks("'a")
    ('=1', ' =1', 'a;=1', "'a")
    """
    parts = _WORDS.split(text)  # what is between words, and words, by turns
    signed = [word.startswith(_STARTS) for word in parts[1::2]]
    out = []
    for nth, between in enumerate(parts[0::2]):
        inside = any(each in between for each in _ENDS)
        marked = nth < len(signed) and signed[nth] and inside and between.endswith("'")
        out += [between[:-1] if marked else between, *parts[2 * nth + 1 : 2 * nth + 2]]
    whole = "".join(out)
    begins = len(parts) > 1 and signed[0]
    broken = whole.lstrip("'").startswith(("\t", "\r", "\n"))
    return whole[1:] if whole.startswith("'") and (begins or broken) else whole
