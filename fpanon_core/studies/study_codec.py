"""Encoding and decoding of frozen results as JSON values, with long arrays kept apart.

Texts, booleans, finite numbers and None are kept unchanged. Every other value becomes a list that
begins with a letter: tuples, lists, sets, mappings, non-finite numbers, days and instants,
dataclasses, arrays, tables. Long arrays are numbered, and kept as Parquet by :mod:`.study_file`;
equal arrays only once. Derived values are not kept: a dataclass is made again from its fields,
which checks them.

The module also checks that a value from a file is of its declared type. Nothing in a file names
code to run. Every kind of answer is listed here. The types of its settings and results follow from
the declaration of the function that computes the answer.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ..model.errors import FpanonError
from ..tables.folder import FolderFile, KeptFolder
from .questionnaires import Answers
from .reading import Source
from .study import Study

KINDS = {
    "measure": "anonymizability.study",
    "deepen": "anonymizability.study",
    "unicity": "unicity.study",
    "regions": "antenna_merging.study",
    "disclosure": "disclosure.study",
    "recovery": "recovery.study",
    "recovery_factors": "recovery_factors.study",
    "recovery_remedies": "recovery_mitigations.study",
    "glove": "hiding.study",
    "options": "options.study",
    "as_it_is": "options.study",
    "attack": "attack.study",
    "relinked": "relinking.study",
    "followed": "followed.follow",
    "people": "people_by_hexagon.study",
}
"""The studies whose answers are kept, by kind of question."""

_NEVER = (Source, FolderFile, KeptFolder)  # no file says what was read, and from where


def result_type(kind: str) -> Any:
    """Return the type of result that a study gives when it answers questions of this kind."""
    return _hints(kind)["return"]


@cache
def types_kept() -> dict[str, type]:
    """Return every dataclass that may occur in a file, by its module and name."""
    found: dict[str, type] = {}
    waiting: list[Any] = [Study, Answers]
    for kind in KINDS:
        waiting += [_hints(kind)["return"], _hints(kind).get("config")]
    while waiting:
        hint = waiting.pop()
        waiting += get_args(hint)
        if not isinstance(hint, type) or not is_dataclass(hint) or hint in _NEVER:
            continue
        if (name := name_of(hint)) not in found:
            found[name] = hint
            # A step may be of a subclass of the declared one: aligned is a kind of GLOVE.
            waiting += [k for k in hint.__subclasses__() if k.__module__ == hint.__module__]
            waiting += hints_of(hint).values()
    return found


def name_of(kind: type) -> str:
    """Return a type's name in a file: the last part of its module, and its own name."""
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__}"


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Return the declared types of a dataclass's fields."""
    return get_type_hints(kind)


@cache
def _hints(kind: str) -> dict[str, Any]:
    module, _, name = KINDS[kind].rpartition(".")
    return get_type_hints(getattr(import_module(f"{__package__}.{module}"), name))


# --- values ---

Column = np.ndarray[Any, np.dtype[Any]]
SHORT = 32
"""Largest number of numbers or texts in a row that are kept among the other values."""

_WHOLE = (f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_DTYPES = {"bool", *_WHOLE, "float32", "float64"}
_SEVERAL: dict[str, type[Any]] = {"t": tuple, "l": list, "s": frozenset}
_TEXT = "text"  # texts of numpy, of a fixed width
_UTC = "+00:00"  # Python's own UTC, which is not the zone of that name

# What reading and making values may raise for values that this program did not write.
_FAULTS: tuple[type[Exception], ...] = (FpanonError, LookupError, TypeError, ValueError)
_FAULTS += (AttributeError, AssertionError, RecursionError, ArithmeticError)


class NotKept(Exception):
    """Signal that a value is of a type that no file keeps."""


class Damaged(Exception):
    """Signal that a file has content that this program cannot have written."""


def encode(value: Any, put: Callable[[Column], int]) -> Any:
    """Return a value in a form that JSON can hold.

    Parameters
    ----------
    value : object
    put : callable
        Function that takes a long one-dimensional array of numbers or texts, and returns its
        number.

    Raises
    ------
    NotKept
        The value, or one inside it, is of a type that no file keeps.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else ["n", str(value)]
    if isinstance(value, (tuple, list, frozenset)):
        letter = next(letter for letter, kind in _SEVERAL.items() if isinstance(value, kind))
        if len(value) > SHORT and all(isinstance(each, str) for each in value):
            return [letter.upper(), put(np.array([*value], dtype=object))]
        return [letter, *(encode(each, put) for each in value)]
    if isinstance(value, (dict, MappingProxyType)):
        return ["m", *([encode(k, put), encode(v, put)] for k, v in value.items())]
    if isinstance(value, date):
        return _day(value)
    if isinstance(value, np.ndarray):
        return _array(value, put)
    if isinstance(value, pd.DataFrame):
        return _table(value, put)
    if is_dataclass(value) and types_kept().get(name_of(type(value))) is type(value):
        named = {f.name: encode(getattr(value, f.name), put) for f in fields(value) if f.init}
        return ["o", name_of(type(value)), named]
    raise NotKept(type(value).__name__)


def _day(value: date) -> list[Any]:
    """Return a day, or an instant with its zone and fold."""
    if not isinstance(value, datetime):
        return ["y", value.isoformat()]
    zone = _UTC if value.tzinfo is UTC else getattr(value.tzinfo, "key", None)
    if zone is None:
        raise NotKept("a time zone")
    return ["i", value.replace(tzinfo=None).isoformat(), value.fold, zone]


def decode(node: Any, get: Callable[[int], Column]) -> Any:
    """Return the value that :func:`encode` was given.

    Parameters
    ----------
    node : object
        The value in JSON.
    get : callable
        Function that returns an array by its number.

    Raises
    ------
    Damaged
        The node was not written by :func:`encode`, or holds an impossible value.
    """
    try:
        return _value(node, get)
    except _FAULTS as fault:
        raise Damaged(type(fault).__name__) from None


def _value(node: Any, get: Callable[[int], Column]) -> Any:
    match node:
        case None | bool() | int() | float() | str():
            return node
        case ["t" | "l" | "s" as letter, *several]:
            return _SEVERAL[letter](_value(each, get) for each in several)
        case ["T" | "L" | "S" as letter, number]:
            return _SEVERAL[letter.lower()](_texts(number, get))
        case ["m", *pairs]:
            return {_value(key, get): _value(each, get) for key, each in pairs}
        case ["n", text]:
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text]
        case ["y", text]:
            return date.fromisoformat(text)
        case ["i", text, fold, zone]:
            of = UTC if zone == _UTC else ZoneInfo(zone)
            return datetime.fromisoformat(text).replace(fold=fold, tzinfo=of)
        case ["o", name, named]:
            return _made(name, named, get)
        case ["a", kind, shape, kept]:
            return _array_of(kind, shape, kept, get)
        case ["p", rows, columns]:
            return _table_of(rows, columns, get)
    raise Damaged("a letter")


def _texts(number: int, get: Callable[[int], Column]) -> list[str]:
    if (texts := get(number)).dtype != object:
        raise Damaged("texts")
    found: list[str] = texts.tolist()
    return found


def _made(name: str, named: Mapping[str, Any], get: Callable[[int], Column]) -> Any:
    """Build a dataclass from its fields, each of its declared type."""
    kind: Any = types_kept()[name]
    hints = hints_of(kind)
    given = {field: _value(node, get) for field, node in named.items()}
    if set(given) != {f.name for f in fields(kind) if f.init}:
        raise Damaged(f"fields of {kind.__name__}")
    for field, value in given.items():
        if not fits(value, hints[field]):
            raise Damaged(f"{kind.__name__}.{field}")
    return kind(**given)


# --- arrays --------------------------------------------------------------------------------------


def _array(array: Column, put: Callable[[Column], int]) -> list[Any]:
    kind, flat = _TEXT if array.dtype.kind == "U" else array.dtype.name, array.ravel()
    if kind not in (*_DTYPES, _TEXT):
        raise NotKept(f"an array of {array.dtype}")
    short = kind == _TEXT or len(flat) <= SHORT
    return ["a", kind, [*array.shape], encode(flat.tolist(), put) if short else put(flat)]


def _array_of(kind: str, shape: Sequence[int], kept: Any, get: Callable[[int], Column]) -> Column:
    """Return an array of a declared type; raise Damaged for another type, as 3.7 for an integer."""
    if kind not in (*_DTYPES, _TEXT):
        raise Damaged("an array")
    if isinstance(kept, list):
        values = _value(kept, get)
        of: Any = {"t": str, "b": bool, "f": float}.get(kind[0], int)
        if not isinstance(values, list) or any(type(each) is not of for each in values):
            raise Damaged("an array")
        flat = np.array(values, np.str_ if kind == _TEXT else kind)
    elif (flat := get(kept)).dtype != kind:
        raise Damaged("numbers")
    made = flat.reshape(tuple(shape))
    if [*made.shape] != shape:
        raise Damaged("a shape")
    return made


# --- tables --------------------------------------------------------------------------------------


def _table(table: pd.DataFrame, put: Callable[[Column], int]) -> list[Any]:
    index = table.index
    if not (isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1):
        raise NotKept("a table with names of rows")
    if not all(isinstance(name, str) for name in table.columns):
        raise NotKept("a table with columns without names")
    columns = [[name, *_column(table[name], put)] for name in table.columns]
    return ["p", len(table), columns]


def _column(column: pd.Series[Any], put: Callable[[Column], int]) -> tuple[str, Any]:
    dtype = column.dtype
    if dtype.name in _DTYPES:
        return "number", encode(column.to_numpy(), put)
    if dtype.kind == "M":
        zone = getattr(dtype, "tz", None)
        whole = column.to_numpy("datetime64[us]").astype(np.int64)
        return "time", encode((whole, None if zone is None else str(zone)), put)
    kind = "str" if isinstance(dtype, pd.StringDtype) else "object"
    return kind, encode(column.tolist(), put)


def _table_of(rows: int, columns: list[Any], get: Callable[[int], Column]) -> pd.DataFrame:
    if not (isinstance(rows, int) and rows >= 0):
        raise Damaged("a table")
    made: dict[str, Any] = {}
    for name, kind, kept in columns:
        found = _column_of(kind, _value(kept, get))
        if not isinstance(name, str) or name in made or len(found) != rows:
            raise Damaged("a table")
        made[name] = found
    return pd.DataFrame(made, index=pd.RangeIndex(rows if made else 0))


def _column_of(kind: str, values: Any) -> Any:
    match kind, values:
        case "number", np.ndarray():
            return values
        case "time", (np.ndarray(dtype=np.int64) as whole, zone):
            when = pd.Series(whole.astype("datetime64[us]"))
            return when if zone is None else when.dt.tz_localize("UTC").dt.tz_convert(zone)
        case (("str" | "object"), list()):
            # Not np.array: an array's elements would be spread over the rows.
            return pd.Series(np.fromiter(values, object, len(values)), dtype=kind)
    raise Damaged("a column")


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a declared type, at every level.

    A dataclass inside the value was checked when it was made.

    Raises
    ------
    TypeError
        The value should be hashable and is not, or no file may hold a value of the declared type.
    """
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is np.ndarray:  # ndarray[shape, dtype[scalar]]
        (scalar,) = get_args(inner[1])
        return isinstance(value, np.ndarray) and np.issubdtype(value.dtype, scalar)
    if origin is Hashable:
        hash(value)
        return True
    if isinstance(value, bool) and origin in (int, float):
        return False
    of: Any = (int, float) if origin is float else origin
    if not isinstance(value, of):
        return False
    if not inner:
        return True
    if issubclass(origin, Mapping):
        return all(fits(key, inner[0]) and fits(kept, inner[1]) for key, kept in value.items())
    if origin is tuple and inner[1:] != (...,):
        return len(value) == len(inner) and all(map(fits, value, inner))
    return all(fits(each, inner[0]) for each in value)
