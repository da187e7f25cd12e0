"""What of a view's settings travels in the address: nothing personal, no users and no places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from fpanon_core.model.errors import FpanonError

T = TypeVar("T")


def write(named: Mapping[str, str]) -> None:
    """Put these settings, and no others, in the address, so that it can be kept or passed on."""
    if st.query_params.to_dict() != dict(named):
        st.query_params.from_dict(dict(named))


def asked(name: str, read: Callable[[str], T], usual: T) -> T:
    """A setting named in the address; the usual one where it is not, or makes no sense.

    ``read`` raises ValueError, KeyError or an error of ours at what makes no sense.
    """
    try:
        return read(st.query_params[name])
    except (KeyError, ValueError, FpanonError):
        return usual


def within(low: int, high: int) -> Callable[[str], int]:
    """For :func:`asked`: a whole number from low to high."""

    def read(text: str) -> int:
        if not low <= (number := int(text)) <= high:
            raise ValueError(text)
        return number

    return read


def one_of(known: Mapping[str, T]) -> Callable[[str], T]:
    """For :func:`asked`: what a short name stands for."""
    return known.__getitem__
