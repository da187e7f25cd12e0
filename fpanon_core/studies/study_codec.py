"""Encoding of frozen results as JSON values with separate long arrays, and decoding.

Texts, booleans, finite numbers and None are kept unchanged. Every other value becomes a list that
begins with a letter: tuples, lists, sets, mappings, non-finite numbers, days and instants,
dataclasses, arrays, tables. Long arrays are numbered, and kept as Parquet by :mod:`.study_file`;
equal arrays only once. Derived values are not kept: a dataclass is made anew from its fields, which
checks them.

The module also checks that a value from a file is of its declared type. Nothing in a file names
code to run. Every kind of answer is listed here. The types of its settings and results follow from
the declaration of the function that computes the answer.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
    "worked_example": "worked_example.study",
    "recovery": "recovery.study",
    "recovery_factors": "recovery_factors.study",
    "recovery_remedies": "recovery_mitigations.study",
    "glove": "hiding.study",
    "compare": "comparison.study",
    "options": "options.study",
    "as_it_is": "options.study",
    "look": "look.study",
    "attack": "attack.study",
    "relinked": "relinking.study",
    "followed": "followed.follow",
    "people": "people_by_hexagon.study",
}
"""The studies whose answers are kept, by kind of question."""

NOT_KEPT = {
    "produce_option",
    "produce_hidden",
    "produce_tables",
    "produce_people",
    "questionnaire",
    "peek",
    "weigh",
    "foretell",
    "shown_record",
    "shown_tables",
}
"""Kinds of answers that no file keeps.

A produced release comes with its pseudonym key, or spends its ε once. A questionnaire is identified
by its upload, and so is a file whose columns or size were asked for. An estimate holds for one
machine. The presentation computes one person's record and exact counts again whenever it shows
them.
"""

_NEVER = (Source, FolderFile, KeptFolder)  # what is read, and where from, no file says


@cache
def result_type(kind: str) -> Any:
    """Return the type of result of the study that answers questions of a kind."""
    return _hints(kind)["return"]


@cache
def types_kept() -> dict[str, type]:
    """Return every dataclass that may occur in a file, by its module and name."""
    found: dict[str, type] = {}
    roots = [Study, Answers]
    for kind in KINDS:
        hints = _hints(kind)
        roots += [hints["return"], *(h for name, h in hints.items() if name == "config")]
    waiting = [each for root in roots for each in _dataclasses(root)]
    while waiting:
        each = waiting.pop()
        name = name_of(each)
        if name not in found and each not in _NEVER:
            found[name] = each
            # A step may be a kind of the one declared, such as aligned of GLOVE.
            waiting += [k for k in each.__subclasses__() if k.__module__ == each.__module__]
            hints = hints_of(each)
            waiting += [one for f in fields(each) for one in _dataclasses(hints[f.name])]
    return found


def type_named(name: str) -> type:
    """Return the dataclass with a name from a file, even if its module was renamed since.

    Raises
    ------
    ValueError
        There is no such dataclass, or its own name without the module is ambiguous.
    """
    if (found := types_kept().get(name)) is None:
        bare = name.rpartition(".")[2]
        (found,) = (kind for kind in types_kept().values() if kind.__qualname__ == bare)
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


def _dataclasses(hint: Any) -> Iterator[Any]:
    """Yield the dataclasses in a declaration."""
    if inspect.isclass(hint) and is_dataclass(hint):
        yield hint
    for inner in get_args(hint):
        yield from _dataclasses(inner)


# --- values ---

Column = np.ndarray[Any, np.dtype[Any]]
SHORT = 32
"""Largest number of elements of an array that is kept among the other values."""

_WHOLE = (f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_DTYPES = {"bool", *_WHOLE, "float32", "float64"}
_TEXT, _TEXTS = "text", "texts"  # of numpy, of a fixed width; and a column of Python's own
_UTC = "+00:00"  # Python's own, which is not the zone of that name
_STRINGS, _OBJECTS, _TIMES = "str", "object", "time"  # columns of pandas; times in µs


# What reading and making values may raise of those that nobody wrote.
_FAULTS: tuple[type[Exception], ...] = (FpanonError, LookupError, TypeError, ValueError)
_FAULTS += (AttributeError, AssertionError, RecursionError, ArithmeticError)


class NotKept(Exception):
    """Signal that a value is of a type that no file keeps."""


class Damaged(Exception):
    """Signal that a file has content that this program cannot have written."""


def encode(value: Any, put: Callable[[Column], int]) -> Any:
    """Return a value in a form that JSON keeps.

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
        letter = "t" if isinstance(value, tuple) else "l" if isinstance(value, list) else "s"
        return [letter, *(encode(each, put) for each in value)]
    if isinstance(value, (dict, MappingProxyType)):
        return ["m", *([encode(k, put), encode(v, put)] for k, v in value.items())]
    if isinstance(value, datetime):
        return ["i", value.replace(tzinfo=None).isoformat(), value.fold, _zone_of(value)]
    if isinstance(value, date):
        return ["y", value.isoformat()]
    if isinstance(value, np.ndarray):
        return _array(value, put)
    if isinstance(value, pd.DataFrame):
        return _table(value, put)
    if is_dataclass(value) and types_kept().get(name_of(type(value))) is type(value):
        named = {f.name: encode(getattr(value, f.name), put) for f in fields(value) if f.init}
        return ["o", name_of(type(value)), named]
    raise NotKept(type(value).__name__)


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
    if node is None or isinstance(node, (bool, int, float, str)):
        return node
    if not isinstance(node, list):
        raise Damaged("a mapping")
    letter, rest = node[0], node[1:]
    match letter:
        case "t":
            return tuple(_value(each, get) for each in rest)
        case "l":
            return [_value(each, get) for each in rest]
        case "s":
            return frozenset(_value(each, get) for each in rest)
        case "m":
            return {_value(key, get): _value(each, get) for key, each in rest}
        case "n":
            (text,) = rest
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text]
        case "y":
            (text,) = rest
            return date.fromisoformat(text)
        case "i":
            text, fold, zone = rest
            when = datetime.fromisoformat(text).replace(fold=fold)
            if zone is not None:
                when = when.replace(tzinfo=UTC if zone == _UTC else ZoneInfo(zone))
            return when
        case "o":
            name, named = rest
            return _made(name, named, get)
        case "a":
            kind, shape, kept = rest
            return _array_of(kind, shape, kept, get)
        case "p":
            rows, columns = rest
            return _table_of(rows, columns, get)
    raise Damaged("a letter")


def _zone_of(when: datetime) -> str | None:
    zone = when.tzinfo
    if zone is None:
        return None
    if isinstance(zone, ZoneInfo):
        return zone.key
    if zone is UTC:
        return _UTC
    raise NotKept("a time zone")


def _made(name: str, named: Mapping[str, Any], get: Callable[[int], Column]) -> Any:
    """Build a dataclass from its fields, each of its declared type."""
    kind: Any = type_named(name)
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
    kind = array.dtype.name
    if array.dtype.kind == "U":
        kind = _TEXT
    elif array.dtype == object:
        kind = _TEXTS if all(isinstance(each, str) for each in array.ravel().tolist()) else ""
    if kind not in (*_DTYPES, _TEXT, _TEXTS):
        raise NotKept(f"an array of {array.dtype}")
    flat = np.ascontiguousarray(array).reshape(-1)
    return ["a", kind, [*array.shape], _listed(flat, put)]


def _listed(flat: Column, put: Callable[[Column], int]) -> Any:
    """Return a short array's elements, or a long one's number."""
    if len(flat) > SHORT:
        return put(flat)
    if flat.dtype.kind == "f":
        return [x if math.isfinite(x) else str(x) for x in map(float, flat.tolist())]
    return flat.tolist()


def _array_of(kind: str, shape: Sequence[int], kept: Any, get: Callable[[int], Column]) -> Column:
    if kind not in (*_DTYPES, _TEXT, _TEXTS) or not all(
        isinstance(n, int) and n >= 0 for n in shape
    ):
        raise Damaged("an array")
    dtype = {_TEXT: np.str_, _TEXTS: np.object_}.get(kind, kind)
    array = np.asarray(_elements(kept, kind not in _DTYPES, get))
    if kind in _DTYPES and len(array) and array.dtype != np.dtype(kind):
        array = _exactly(array, np.dtype(kind))
    return array.astype(dtype, copy=False).reshape(tuple(shape))


def _exactly(array: Column, dtype: np.dtype[Any]) -> Column:
    """Cast numbers to a declared type; raise Damaged for others, such as 3.7 for an integer."""
    if dtype.kind == "f" and array.dtype.kind in "Uif":
        return array.astype(dtype)  # of texts: "nan" and "inf"
    if array.dtype.kind not in "biu" or (dtype.kind == "b") != (array.dtype.kind == "b"):
        raise Damaged("numbers")
    cast = array.astype(dtype)
    if not np.array_equal(cast, array):
        raise Damaged("numbers")
    return cast


def _elements(kept: Any, texts: bool, get: Callable[[int], Column]) -> Column:
    if isinstance(kept, int) and not isinstance(kept, bool):
        found = get(kept)
        if texts != (found.dtype == object):
            raise Damaged("texts")
        return found
    if len(kept) > SHORT or any(isinstance(each, list) for each in kept):
        raise Damaged("a list")
    if texts:
        if not all(isinstance(each, str) for each in kept):
            raise Damaged("texts")
        return np.array(kept, dtype=object)
    if all(isinstance(each, str) or each is None for each in kept):
        return np.array([float(each) for each in kept], np.float64)
    return np.array([float(x) if isinstance(x, str) else x for x in kept])


# --- tables --------------------------------------------------------------------------------------


def _table(table: pd.DataFrame, put: Callable[[Column], int]) -> list[Any]:
    index = table.index
    if not (isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1):
        raise NotKept("a table with names of rows")
    if not all(isinstance(name, str) for name in table.columns):
        raise NotKept("a table with columns without names")
    columns = [[name, *_column(table[name], put)] for name in table.columns]
    return ["p", len(table), columns]


def _column(column: pd.Series[Any], put: Callable[[Column], int]) -> list[Any]:
    dtype = column.dtype
    if dtype.name in _DTYPES:
        return [dtype.name, _listed(column.to_numpy(), put)]
    if dtype.kind == "M":
        zone = getattr(dtype, "tz", None)
        whole = column.to_numpy("datetime64[us]").astype(np.int64)
        return [_TIMES, _listed(whole, put), None if zone is None else str(zone)]
    values = column.tolist()
    texts = all(isinstance(each, str) for each in values)
    kind = _STRINGS if isinstance(dtype, pd.StringDtype) else _OBJECTS
    if (texts and kind == _STRINGS) or (len(values) > SHORT and texts):
        return [kind, _listed(np.array(values, dtype=object), put)]
    return [kind, ["l", *(encode(each, put) for each in values)]]


def _table_of(rows: int, columns: list[Any], get: Callable[[int], Column]) -> pd.DataFrame:
    if not (isinstance(rows, int) and rows >= 0):
        raise Damaged("a table")
    made: dict[str, Any] = {}
    for name, kind, kept, *more in columns:
        found = _column_of(kind, kept, more, get)
        if not isinstance(name, str) or name in made or len(found) != rows:
            raise Damaged("a table")
        made[name] = found
    return pd.DataFrame(made, index=pd.RangeIndex(rows if made else 0))


def _column_of(kind: str, kept: Any, more: list[Any], get: Callable[[int], Column]) -> Any:
    if kind in _DTYPES:
        n = len(kept) if isinstance(kept, list) else len(get(kept))
        return _array_of(kind, [n], kept, get)
    if kind == _TIMES:
        whole = _exactly(np.asarray(_elements(kept, False, get)), np.dtype(np.int64))
        when = pd.Series(whole.astype("datetime64[us]"))
        return when if more[0] is None else when.dt.tz_localize("UTC").dt.tz_convert(more[0])
    if kind not in (_STRINGS, _OBJECTS):
        raise Damaged("a column")
    if isinstance(kept, list) and kept[:1] == ["l"]:
        values = [_value(each, get) for each in kept[1:]]
        given = np.empty(len(values), dtype=object)
        for i, each in enumerate(values):  # an array's elements would be spread over the rows
            given[i] = each
    else:
        given = _elements(kept, True, get)
    return pd.Series(given, dtype="str" if kind == _STRINGS else object)


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a declared type, at every level.

    A dataclass inside the value was checked when it was made. Nothing fits a function type, as no
    file holds a function.
    """
    if hint is Any:
        return True
    if hint is None or hint is type(None):
        return value is None
    if isinstance(hint, types.UnionType) or get_origin(hint) is Union:
        return any(fits(value, one) for one in get_args(hint))
    origin = get_origin(hint)
    if origin is Literal:
        return value in get_args(hint)
    if hint is np.ndarray or origin is np.ndarray:
        return isinstance(value, np.ndarray) and _is_of(value.dtype, get_args(hint))
    if origin is tuple:
        return _is_tuple(value, get_args(hint))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, kept = get_args(hint)
        return isinstance(value, Mapping) and all(
            fits(k, key) and fits(v, kept) for k, v in value.items()
        )
    if origin is not None and origin is not Callable and isinstance(origin, type):
        inner = get_args(hint)
        several: Any = value
        return isinstance(value, origin) and all(fits(each, inner[0]) for each in several)
    return _is_one(value, hint)


def _is_one(value: Any, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is Hashable:
        return _hashes(value)
    return isinstance(hint, type) and isinstance(value, hint)


def _is_tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(inner) == 2 and inner[1] is Ellipsis:
        return all(fits(each, inner[0]) for each in value)
    return len(value) == len(inner) and all(map(fits, value, inner))


def _is_of(dtype: np.dtype[Any], declared: tuple[Any, ...]) -> bool:
    """Return whether an array's type fits the declaration ``ndarray[shape, dtype[x]]``."""
    wanted = _scalars(declared[-1]) if declared else ()
    return not wanted or any(
        one is Any or (isinstance(one, type) and issubclass(dtype.type, one)) for one in wanted
    )


@cache
def _scalars(hint: Any) -> tuple[Any, ...]:
    if isinstance(hint, types.UnionType) or get_origin(hint) is Union:
        return tuple(each for one in get_args(hint) for each in _scalars(one))
    if get_origin(hint) is np.dtype:
        return _scalars(get_args(hint)[0])
    return (get_origin(hint) or hint,)


def _hashes(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
