"""A column of a table as text or as numbers, whatever it was stored as.

Files give text; Parquet, XLSX and DataFrames give typed columns. Everything after this module sees
trimmed text without nulls (empty = missing) or float64 (NaN = missing).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..model.arrays import FloatArray

MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "<NA>", "\\N")
"""What programs write for an empty field, beside leaving it empty."""
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,[0-9]+$"


def text_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as trimmed strings; null becomes the empty string.

    Whole numbers stored as floats (a DataFrame's way of making room for missing values) come out
    without ``.0``, so that the same id reads the same from every kind of file.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return text_of(column.cast(kind.value_type))
    if pa.types.is_floating(kind) and holds_whole_numbers(column):
        values = column.to_numpy(zero_copy_only=False)
        whole = pd.array(np.where(np.isfinite(values), values, 0).astype(np.int64))
        texts = pa.chunked_array([pa.array(whole).cast(pa.string())])
        keep = pa.chunked_array([pa.array(np.isfinite(values))])
        return pc.if_else(keep, texts, "")
    if is_nested(column):
        return pa.chunked_array([pa.array([repr(v) for v in column.to_pylist()], pa.string())])
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        column = _spelt(column)
    if column.null_count:
        column = pc.fill_null(column, "")
    return pc.utf8_trim_whitespace(column)


def numbers_of(column: pa.ChunkedArray, *, decimal_comma: bool | None = None) -> FloatArray:
    """The column as float64, NaN where it is missing, infinite or no number.

    Text may use a decimal comma if no field of the column uses a point; ``decimal_comma`` says
    whether it does where the column is one part of several.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return numbers_of(column.cast(kind.value_type), decimal_comma=decimal_comma)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = _gathered(column, lambda chunk: chunk.cast(pa.float64(), safe=False))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        numbers = _numbers_in(column, decimal_comma)
    else:
        return np.full(len(column), np.nan)
    if not np.isfinite(numbers).all():
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    return numbers


def decimal_marks(texts: pa.ChunkedArray) -> tuple[bool, bool]:
    """Whether some field of a text column is a number with a comma, and whether one has a point."""
    comma = pc.any(pc.match_substring_regex(text_of(texts), _DECIMAL_COMMA)).as_py()
    return bool(comma), bool(pc.any(pc.match_substring(texts, ".")).as_py())


def holds_whole_numbers(column: pa.ChunkedArray) -> bool | None:
    """Whether floats are whole numbers, to be written without ``.0``; None if there is none."""
    values = column.to_numpy(zero_copy_only=False)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    return bool(np.all(finite == np.floor(finite)) and np.abs(finite).max() < 2**53)


def is_nested(column: pa.ChunkedArray) -> bool:
    """Whether the fields are lists, maps or structures, of which nothing can be read."""
    return bool(pa.types.is_nested(column.type))


def missing_in(texts: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Where trimmed text is empty or a word for it."""
    words = pa.array(["", *MISSING_WORDS], texts.type)
    found: npt.NDArray[np.bool_] = pc.is_in(texts, value_set=words).to_numpy()
    return found


def _spelt(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whatever it is as text: as Arrow, else as Python writes it, else the bare number behind it.

    Arrow writes no durations and no times in a zone that it does not know; Python has neither these
    nor times before the year 1 or past 9999.
    """
    for spell in (_by_arrow, _by_python, _instants, _bare):
        try:
            return spell(column)
        except MemoryError:
            raise
        except (pa.ArrowException, ValueError, OverflowError, TypeError, KeyError, OSError):
            continue
    return pa.chunked_array([pa.nulls(len(column), pa.large_string())])


def _by_arrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.large_string())


def _by_python(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = [None if value is None else str(value) for value in column.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.large_string())])


def _instants(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times with a zone as instants in UTC, which they are whatever the zone."""
    plain = column.cast(pa.timestamp(column.type.unit)).cast(pa.large_string())
    return pc.binary_join_element_wise(plain, "Z", "")


def _bare(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.int64()).cast(pa.large_string())


def _gathered(column: pa.ChunkedArray, convert: Callable[[pa.Array], pa.Array]) -> FloatArray:
    """Converted chunk by chunk into one array; no second copy of the column is held."""
    out = np.empty(len(column))
    at = 0
    for chunk in column.chunks:
        out[at : at + len(chunk)] = convert(chunk).to_numpy(zero_copy_only=False)
        at += len(chunk)
    return out


def _numbers_in(column: pa.ChunkedArray, decimal_comma: bool | None) -> FloatArray:
    """Numbers in text: the fast way for a clean column, the careful way otherwise."""
    try:
        return _gathered(column, lambda chunk: chunk.cast(pa.float64()))
    except pa.ArrowInvalid:
        texts = text_of(column)
    if decimal_comma is None:
        comma, point = decimal_marks(texts)
        decimal_comma = comma and not point
    if decimal_comma:
        texts = pc.replace_substring(texts, ",", ".")
    good = pc.match_substring_regex(texts, _NUMBER)
    numbers = pc.if_else(good, texts, pa.scalar(None, texts.type)).cast(pa.float64())
    return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)
