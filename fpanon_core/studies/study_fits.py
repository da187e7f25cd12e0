"""Is a value of the type that is declared? For values that come from a file."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import pandas as pd


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type, all the way down.

    A dataclass in it was checked when it was made. Of a function nothing fits: no file holds one.
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
    if hint is pd.DataFrame:
        return isinstance(value, pd.DataFrame)
    return isinstance(hint, type) and isinstance(value, hint)


def _is_tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(inner) == 2 and inner[1] is Ellipsis:
        return all(fits(each, inner[0]) for each in value)
    return len(value) == len(inner) and all(map(fits, value, inner))


def _is_of(dtype: np.dtype[Any], declared: tuple[Any, ...]) -> bool:
    """Whether an array's type is what ``ndarray[shape, dtype[x]]`` declares, or a kind of it."""
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
