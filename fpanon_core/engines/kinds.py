"""The kinds of data that answers are made of, beside plain values: arrays, tables, times, numbers.

Of each kind: how it is taken apart into plain values, and arrays of numbers into their bytes; and
how it is built from them again, by constructors that take data. None of the types' own ways to be
unpickled is used, by which a crafted pickle could have more done.
"""

from __future__ import annotations

import datetime as dt
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[Any]
Parts = tuple[Any, ...]

# Numbers, truth values, times and texts of fixed width; no objects, no fields.
_OF_NUMBERS = re.compile(r"[<>|=][biufcmMSU][0-9]+(\[[0-9]*[a-zA-Z]+\])?")
_TYPES_OF_INDEX = (pd.Index, pd.DatetimeIndex, pd.TimedeltaIndex, pd.CategoricalIndex)


# --- arrays --------------------------------------------------------------------------------------


def _array_parts(values: Array) -> Parts:
    name, shape, writable = values.dtype.str, values.shape, values.flags.writeable
    if values.dtype == object:
        return (name, shape, "C", writable, values.reshape(-1).tolist())
    _dtype(name)
    order = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    if values.nbytes == 0:
        return (name, shape, order, writable, b"")
    flat = np.ascontiguousarray(values.T if order == "F" else values).reshape(-1)
    return (name, shape, order, writable, pickle.PickleBuffer(flat.view(np.uint8).data))


def _array(name: str, shape: Parts, order: str, writable: bool, content: Any) -> Array:
    made: Array
    if name == "|O":
        made = np.fromiter(content, object, len(content)).reshape(shape)
    elif len(content) == 0:
        made = np.zeros(shape, _dtype(name))
        if made.nbytes:
            raise ValueError("an array without its content")
    else:
        made = np.frombuffer(content, _dtype(name)).reshape(
            shape, order="F" if order == "F" else "C"
        )
    made = made if made.flags.writeable or not writable else made.copy(order="K")
    made.flags.writeable = bool(writable)
    return made


def _dtype(name: str) -> np.dtype[Any]:
    if not _OF_NUMBERS.fullmatch(name):
        raise TypeError("an array of no numbers, times or texts")
    return np.dtype(name)


def _number(values: Array) -> Any:
    return values[()]


# --- tables --------------------------------------------------------------------------------------


def _column_parts(values: Any) -> Parts:
    """Of what a Series, an index or a column of a table holds, by its type."""
    held = values.array
    if isinstance(held, pd.arrays.NumpyExtensionArray):
        return ("numbers", values.to_numpy())
    if isinstance(held.dtype, pd.StringDtype):
        return ("texts", held.dtype.storage, held.dtype.na_value is pd.NA, held.tolist())
    if isinstance(held, pd.Categorical):
        return ("categories", held.codes, held.categories, bool(held.ordered))
    if isinstance(held, pd.arrays.DatetimeArray):
        return ("times", _instants(held), held.unit, held.tz)
    if isinstance(held, pd.arrays.TimedeltaArray):
        return ("durations", _instants(held), held.unit)
    if isinstance(held, (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)):
        missing = held.isna()
        known = held.to_numpy(held.dtype.numpy_dtype, na_value=held.dtype.type(0))
        return ("optional", known, missing)
    raise TypeError(f"a column of type {held.dtype} may not cross from a child")


def _instants(held: Any) -> Array:
    """Times as whole numbers of their unit, in UTC."""
    instants: Array = held.asi8
    return instants


def _column(kind: str, *parts: Any) -> Any:
    match kind, *parts:
        case "numbers", values:
            return values
        case "texts", storage, na, values:
            dtype = pd.StringDtype(storage, na_value=pd.NA if na else np.nan)
            return pd.array(values, dtype=dtype)
        case "categories", codes, categories, ordered:
            return pd.Categorical.from_codes(codes, categories, ordered)
        case "times", numbers, unit, zone:
            times = pd.DatetimeIndex(numbers.view(_dtype(f"<M8[{unit}]")))
            return times.array if zone is None else times.tz_localize("UTC").tz_convert(zone).array
        case "durations", numbers, unit:
            return pd.TimedeltaIndex(numbers.view(_dtype(f"<m8[{unit}]"))).array
        case "optional", known, missing:
            whole, truth = known.dtype.kind in "iu", known.dtype.kind == "b"
            of = pd.arrays.IntegerArray if whole else pd.arrays.FloatingArray
            return (pd.arrays.BooleanArray if truth else of)(known.copy(), missing.copy())
    raise TypeError("a column of no kind")


def _index_parts(index: Any) -> Parts:
    return (_column_parts(index), index.name)


def _index(column: Parts, name: Any) -> Any:
    values = _column(*column)
    return pd.Index(values, dtype=values.dtype, name=name)


def _levels_parts(index: Any) -> Parts:
    return (list(index.levels), [np.asarray(c) for c in index.codes], list(index.names))


def _levels(levels: list[Any], codes: list[Any], names: list[Any]) -> Any:
    return pd.MultiIndex(levels, codes, names=names)


def _series_parts(series: Any) -> Parts:
    return (_column_parts(series), series.index, series.name)


def _series(column: Parts, index: Any, name: Any) -> Any:
    values = _column(*column)
    return pd.Series(values, index=index, dtype=values.dtype, name=name)


def _frame_parts(frame: Any) -> Parts:
    columns = [_column_parts(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return (columns, frame.columns, frame.index, dict(frame.attrs))


def _frame(columns: list[Parts], names: Any, index: Any, attrs: dict[Any, Any]) -> Any:
    made = pd.DataFrame(
        {i: _series(column, index, None) for i, column in enumerate(columns)}, index=index
    )
    made.columns = names
    made.attrs.update(attrs)
    return made


# --- times, numbers ------------------------------------------------------------------------------


def _clock_parts(t: Any) -> Parts:
    return (t.hour, t.minute, t.second, t.microsecond, t.tzinfo, t.fold)


def _clock(h: int, m: int, s: int, us: int, zone: Any, fold: int) -> dt.time:
    return dt.time(h, m, s, us, zone, fold=fold)


def _moment(day: dt.date, *clock: Any) -> dt.datetime:
    return dt.datetime.combine(day, _clock(*clock))


def _timestamp(number: int, unit: str, zone: Any) -> Any:
    moment = pd.Timestamp(np.int64(number).view(_dtype(f"<M8[{unit}]")))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


def _mapping(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(content)


_SCALARS = {cls for cls in np.sctypeDict.values() if not issubclass(cls, (np.object_, np.void))}

KIND_OF: dict[type, tuple[str, Callable[[Any], Parts]]] = {
    np.ndarray: ("array", _array_parts),
    **{cls: ("number", lambda value: (np.asarray(value),)) for cls in _SCALARS},
    pd.DataFrame: ("frame", _frame_parts),
    pd.Series: ("series", _series_parts),
    **dict.fromkeys(_TYPES_OF_INDEX, ("index", _index_parts)),
    pd.RangeIndex: ("range_index", lambda i: (i.start, i.stop, i.step, i.name)),
    pd.MultiIndex: ("levels", _levels_parts),
    pd.Timestamp: ("timestamp", lambda t: (t._value, t.unit, t.tzinfo)),
    type(pd.NaT): ("no_time", lambda _: ()),
    type(pd.NA): ("missing", lambda _: ()),
    dt.date: ("date", lambda d: (d.year, d.month, d.day)),
    dt.time: ("clock", _clock_parts),
    dt.datetime: ("moment", lambda t: (t.date(), *_clock_parts(t))),
    dt.timedelta: ("duration", lambda d: (d.days, d.seconds, d.microseconds)),
    dt.timezone: ("offset", lambda z: z.__getinitargs__()),
    ZoneInfo: ("zone", lambda z: (z.key,)),
    Fraction: ("fraction", lambda f: (f.numerator, f.denominator)),
    Decimal: ("decimal", lambda d: (str(d),)),
    complex: ("complex", lambda c: (c.real, c.imag)),
    range: ("range", lambda r: (r.start, r.stop, r.step)),
    slice: ("slice", lambda s: (s.start, s.stop, s.step)),
    MappingProxyType: ("mapping", lambda m: (dict(m),)),
}
"""By type: the kind, and what takes an object of it apart."""

OF_KIND: dict[str, Callable[..., object]] = {
    "array": _array,
    "number": _number,
    "frame": _frame,
    "series": _series,
    "index": _index,
    "range_index": lambda a, b, c, name: pd.RangeIndex(a, b, c, name=name),
    "levels": _levels,
    "timestamp": _timestamp,
    "no_time": lambda: pd.NaT,
    "missing": lambda: pd.NA,
    "date": dt.date,
    "clock": _clock,
    "moment": _moment,
    "duration": dt.timedelta,
    "offset": dt.timezone,
    "zone": ZoneInfo,
    "fraction": Fraction,
    "decimal": Decimal,
    "complex": complex,
    "range": range,
    "slice": slice,
    "mapping": _mapping,
}
"""By kind: what builds an object of it from its parts."""
