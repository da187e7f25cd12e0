"""Results that are alike in all that they hold."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest


def check_alike(one: Any, other: Any, near: float | None = None, at: str = "it") -> None:
    """Two results are alike to the last bit, types and all.

    With ``near``, whole numbers, words and decisions are, and other numbers to so much.
    """
    assert type(one) is type(other), at
    exactly: dict[str, Any] = (
        {"check_exact": True} if near is None else {"rtol": near, "atol": near}
    )
    if isinstance(one, np.ndarray):
        _check_arrays(one, other, near, at)
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, **exactly)
        check_alike(one.attrs, other.attrs, near, f"{at}.attrs")
    elif isinstance(one, pd.Series):
        pd.testing.assert_series_equal(one, other, **exactly)
    elif isinstance(one, pd.Index):
        pd.testing.assert_index_equal(one, other, exact=True)
    elif isinstance(one, dict):
        assert list(one) == list(other), at
        for key in one:
            check_alike(one[key], other[key], near, f"{at}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), at
        for nth, (a, b) in enumerate(zip(one, other, strict=True)):
            check_alike(a, b, near, f"{at}[{nth}]")
    elif isinstance(one, float) and near is not None:
        assert one == pytest.approx(other, rel=near, abs=near, nan_ok=True), at
    elif isinstance(one, float):
        assert repr(one) == repr(other), at
    elif is_dataclass(one) and not isinstance(one, type):
        held = ({f.name: getattr(each, f.name) for f in fields(one)} for each in (one, other))
        check_alike(*held, near, at)
    elif type(one).__module__.startswith("fpanon_core") and type(one).__eq__ is object.__eq__:
        check_alike(vars(one), vars(other), near, at)
    else:
        assert one == other, at


def _check_arrays(one: Any, other: Any, near: float | None, at: str) -> None:
    if near is not None and one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=near, atol=near, err_msg=at)
    elif near is not None:
        np.testing.assert_array_equal(one, other, err_msg=at)
    else:
        kind = (one.dtype, one.shape, one.flags.writeable)
        assert kind == (other.dtype, other.shape, other.flags.writeable), at
        if one.dtype == object:
            check_alike(one.tolist(), other.tolist(), near, at)
        else:
            assert one.tobytes() == other.tobytes(), at
