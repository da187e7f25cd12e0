"""Answers of a child process, encoded as data and nothing else.

A child reads files made by strangers, so its answers are trusted only as data. A pickle may name
any function and have it called. Here, a name is looked up only among the result classes of
fpanon_core. An object that is not a plain value, list or dictionary is sent as a kind and its
parts. Each known kind is built here: arrays, tables, times, and the dataclasses of fpanon_core
field by field. An object of unknown kind is refused on either side.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import importlib
import io
import pickle  # nosec B403 # unpickled by a reader that knows only data types
import re
from collections.abc import Callable
from types import MappingProxyType, NoneType
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import Cells
from ..model.fingerprints import FingerprintSet
from ..model.mapped import reopen

_PLAIN = frozenset(
    {NoneType, bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset}
    | {pickle.PickleBuffer}
)
# Opcodes that protocol 5 writes for data: the number of bytes that follow; −n: a length of n bytes,
# then as many bytes as the length states.
_STEPS = {
    getattr(pickle, name)[0]: follow
    for follow, names in {
        0: "MARK STOP POP POP_MARK NONE NEWTRUE NEWFALSE EMPTY_LIST APPEND APPENDS EMPTY_TUPLE "
        "TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_DICT SETITEM SETITEMS EMPTY_SET ADDITEMS FROZENSET "
        "MEMOIZE BINPERSID",
        1: "PROTO BININT1 BINGET",
        2: "BININT2",
        4: "BININT LONG_BINGET",
        8: "BINFLOAT FRAME",
        -1: "LONG1 SHORT_BINUNICODE SHORT_BINBYTES",
        -4: "LONG4 BINUNICODE BINBYTES",
        -8: "BINUNICODE8 BINBYTES8 BYTEARRAY8",
    }.items()
    for name in names.split()
}
_OURS = re.compile(
    r"fpanon_core\.(model|io|tables|studies|measures|anonymize|attacks|verification)(\.|$)"
)
"""Pattern of the modules that define results. Importing these modules runs nothing."""


class NotDataError(TypeError):
    """Signal that part of an answer is of a kind that a child process may not send."""


def packed(answer: object) -> bytes:
    """Return an answer as bytes.

    Raises
    ------
    NotDataError, TypeError
        Part of the answer is of a kind that may not be sent.
    """
    body = io.BytesIO()
    _Telling(body, protocol=5).dump(answer)
    return body.getvalue()


def unpacked(body: bytes) -> Any:
    """Decode an answer; only plain values, known kinds and result classes of fpanon_core are built.

    Raises
    ------
    NotDataError, pickle.UnpicklingError, or the error of a kind's constructor
        The bytes are not a result of :func:`packed`.
    """
    _check_steps(body)
    return _Hearing(io.BytesIO(body)).load()


def _check_steps(body: bytes) -> None:
    """Refuse pickle opcodes that :func:`packed` never writes, and lengths beyond the last byte.

    Without this check, a few bytes could make the reader reserve space for billions of objects.
    """
    at, end = 0, len(body)
    while at < end:
        argument = _STEPS.get(body[at])
        if argument is None:
            raise NotDataError("a pickle step that no answer has")
        at += 1
        if argument < 0:  # a length, then as many bytes as it states
            length = int.from_bytes(body[at : at - argument], "little")
            at += length - argument
        else:
            at += argument
    if at != end:
        raise NotDataError("a length beyond the end of the answer")


class _Telling(pickle.Pickler):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._told: dict[int, tuple[int, object]] = {}  # kept, so that no other object gets its id

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        if type(obj) in _PLAIN:
            return None
        if id(obj) in self._told:
            return (self._told[id(obj)][0],)
        number = len(self._told)
        self._told[id(obj)] = number, obj
        return (number, *_parts(obj))


class _Hearing(pickle.Unpickler):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._heard: dict[int, object] = {}

    def find_class(self, module: str, name: str) -> NoReturn:
        raise NotDataError(f"a name, {module[:50]}.{name[:50]}, where there should be data")

    def persistent_load(self, pid: Any) -> object:
        number, *told = pid
        if told:
            kind, *parts = told
            self._heard[number] = OF_KIND[kind](*parts)
        return self._heard[number]


def _parts(obj: object) -> tuple[Any, ...]:
    """Return the kind of an object and its parts."""
    cls = type(obj)
    if isinstance(obj, FingerprintSet) and obj.folder is not None:
        return ("mapped", *obj.by_name)  # both look at one copy
    if cls in KINDS:
        kind, parts, _ = KINDS[cls]
        return (kind, *parts(obj))
    if (name := _name(cls)) is not None:
        if "__dataclass_fields__" in vars(cls):
            return ("dataclass", name, obj.__getstate__() or {})
        if isinstance(obj, str) and hasattr(cls, "__getnewargs__"):
            return ("text", name, tuple(obj.__getnewargs__()))
    raise NotDataError(f"{cls.__module__}.{cls.__qualname__} may not come from a child process")


def _dataclass(name: str, content: dict[str, Any]) -> object:
    cls: Any = _class(name)
    if "__dataclass_fields__" not in vars(cls):
        raise NotDataError(f"{name} is no dataclass")
    for kept in content.keys() - _kept(cls):
        # Private data that the class keeps besides its fields may be set, but no method.
        if not re.fullmatch("_[a-z][a-z0-9_]*", kept) or hasattr(cls, kept):
            raise NotDataError(f"{name} has no such field")
    made: Any = object.__new__(cls)
    made.__dict__.update(content)
    if isinstance(made, Cells):
        made.__post_init__()  # kernels trust offsets and lengths, in this process, too
    return made


def _text(name: str, content: Parts) -> object:
    cls = _class(name)
    if not issubclass(cls, str):
        raise NotDataError(f"{name} is no text")
    return cls(*content)


def _name(cls: type) -> str | None:
    """Return the name by which an answer names a class; None if no answer may name the class."""
    return f"{cls.__module__}:{cls.__qualname__}" if _OURS.match(cls.__module__) else None


@functools.cache
def _class(name: str) -> type:
    module, _, qualified = name.partition(":")
    if not _OURS.match(module):
        raise NotDataError(f"{name[:100]} is not of ours")
    cls = vars(importlib.import_module(module)).get(qualified)
    # Only a class that the module defines, not one that it imports from elsewhere.
    if not isinstance(cls, type) or _name(cls) != name:
        raise NotDataError(f"{name[:100]} is no class")
    return cls


@functools.cache
def _kept(cls: Any) -> frozenset[str]:
    """Return the names of the attributes that an object stores: fields and cached properties."""
    computed = {
        name
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, functools.cached_property)
    }
    return frozenset({f.name for f in dataclasses.fields(cls)} | computed)


# --- kinds of data that answers are made of

Array = npt.NDArray[Any]
Parts = tuple[Any, ...]

# Numbers, truth values, times and texts of fixed width; no objects, no fields.
_OF_NUMBERS = re.compile(r"[<>|=][biufMU][0-9]+(\[[0-9]*[a-zA-Z]+\])?")


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
        raise TypeError("an array of neither numbers, times nor texts")
    return np.dtype(name)


# --- tables --------------------------------------------------------------------------------------


def _column_parts(values: Any) -> Parts:
    """Return the parts of an index or a table's column, by its type."""
    held = values.array
    if isinstance(held, pd.arrays.NumpyExtensionArray):
        return ("numbers", values.to_numpy())
    if isinstance(held.dtype, pd.StringDtype):
        return ("texts", held.dtype.storage, held.tolist())
    if isinstance(held, pd.arrays.DatetimeArray):
        return ("times", values.array.asi8, held.unit, held.tz)  # in UTC, whole numbers of the unit
    raise NotDataError(f"a column of type {held.dtype} may not come from a child process")


def _column(kind: str, *parts: Any) -> Any:
    match kind, *parts:
        case "numbers", values:
            return values
        case "texts", storage, values:
            return pd.array(values, dtype=pd.StringDtype(storage, na_value=np.nan))
        case "times", numbers, unit, zone:
            times = pd.DatetimeIndex(numbers.view(_dtype(f"<M8[{unit}]")))
            return times.array if zone is None else times.tz_localize("UTC").tz_convert(zone).array
    raise TypeError("a column of no kind")


def _index(column: Parts, name: Any) -> Any:
    values = _column(*column)
    return pd.Index(values, dtype=values.dtype, name=name)


def _frame_parts(frame: Any) -> Parts:
    columns = [_column_parts(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return (columns, frame.columns, frame.index, dict(frame.attrs))


def _frame(columns: list[Parts], names: Any, index: Any, attrs: dict[Any, Any]) -> Any:
    held = [_column(*column) for column in columns]
    series = {i: pd.Series(values, index, values.dtype) for i, values in enumerate(held)}
    made = pd.DataFrame(series, index=index)
    made.columns = names
    made.attrs.update(attrs)
    return made


# --- all kinds -----------------------------------------------------------------------------------

_SCALARS = {cls for cls in np.sctypeDict.values() if not issubclass(cls, (np.object_, np.void))}

KINDS: dict[type, tuple[str, Callable[[Any], Parts], Callable[..., object]]] = {
    np.ndarray: ("array", _array_parts, _array),
    **{cls: ("number", lambda v: (np.asarray(v),), lambda v: v[()]) for cls in _SCALARS},
    pd.DataFrame: ("frame", _frame_parts, _frame),
    pd.Index: ("index", lambda i: (_column_parts(i), i.name), _index),
    pd.RangeIndex: (
        "range_index",
        lambda i: (i.start, i.stop, i.step, i.name),
        lambda begin, end, step, name: pd.RangeIndex(begin, end, step, name=name),
    ),
    dt.date: ("date", lambda d: (d.year, d.month, d.day), dt.date),
    dt.datetime: (
        "moment",
        lambda t: (*t.timetuple()[:6], t.microsecond, t.tzinfo, t.fold),
        lambda *parts: dt.datetime(*parts[:-1], fold=parts[-1]),
    ),
    dt.timedelta: ("duration", lambda d: (d.days, d.seconds, d.microseconds), dt.timedelta),
    dt.timezone: ("offset", lambda z: z.__getinitargs__(), dt.timezone),
    ZoneInfo: ("zone", lambda z: (z.key,), ZoneInfo),
    MappingProxyType: ("mapping", lambda m: (dict(m),), MappingProxyType),
}
"""For each type: its kind, the function that takes an object apart, and the one that builds it."""
OF_KIND: dict[str, Callable[..., object]] = {
    # The folder of mapped fingerprints holds numbers and texts only, so a child may name any.
    "mapped": functools.partial(reopen, FingerprintSet),
    "dataclass": _dataclass,
    "text": _text,
    **{kind: built for kind, _, built in KINDS.values()},
}
