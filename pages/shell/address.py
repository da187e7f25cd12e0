"""Encode a view's settings in the address, but nothing personal: no users and no places.

All views use one codec: it needs a frozen dataclass of settings, and the names of its fields in the
address. Default values stay out of the address; invalid values in an address are ignored. Settings
validate themselves when they are made, so that an address cannot bring in a value that a form would
refuse.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import streamlit as st

from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.profiles import GeneralizationProfile, parse_profile

T = TypeVar("T")
_ASKED, _WRITTEN = "fp_address_asked", "fp_address_written"
_PAGE, _EVERY = "fp_address_page", "fp_address_every"


def remember(page: str = "") -> None:
    """Keep the settings that the address asks for, unless the program wrote them.

    So a view that is opened later still finds its settings, even if another view has written its
    own settings in the address by then. Call it once in every run.

    Parameters
    ----------
    page : str
        Address of the page that is to be drawn, for :func:`every`.
    """
    st.session_state[_PAGE] = page
    named_now = st.query_params.to_dict()
    if named_now and named_now != st.session_state.get(_WRITTEN):
        st.session_state[_ASKED] = remembered() | named_now


def remembered() -> dict[str, str]:
    """Return all settings that the address has asked for so far."""
    found: dict[str, str] = st.session_state.get(_ASKED, {})
    return found


def ask(settings: Mapping[str, str]) -> None:
    """Act as if the address had asked for these settings, and no others so far."""
    st.session_state[_ASKED] = dict(settings)
    st.session_state.pop(_EVERY, None)


def every() -> dict[str, str]:
    """Return, by name, all settings that each page last wrote in the address."""
    pages: dict[str, dict[str, str]] = st.session_state.get(_EVERY, {})
    return {name: value for written in pages.values() for name, value in written.items()}


def arrived(name: str) -> str | None:
    """Return a setting that a link has just asked for; None if no link names it."""
    named_now = st.query_params.to_dict()
    return None if named_now == st.session_state.get(_WRITTEN) else named_now.get(name)


def write(named: Mapping[str, str]) -> None:
    """Put these settings, and no others, in the address, so that it can be kept or passed on."""
    st.session_state[_WRITTEN] = dict(named)
    of_pages = st.session_state.get(_EVERY, {})
    st.session_state[_EVERY] = of_pages | {st.session_state.get(_PAGE, ""): dict(named)}
    if st.query_params.to_dict() != dict(named):
        st.query_params.from_dict(dict(named))


def asked(name: str, read: Callable[[str], T], usual: T) -> T:
    """Return a setting from the address; ``usual`` if the address has none, or an invalid one.

    ``read`` raises ValueError, KeyError or an FpanonError for an invalid value.
    """
    try:
        return read(remembered()[name])
    except (KeyError, ValueError, FpanonError):
        return usual


def named(settings: Any, names: Mapping[str, str], usual: Any) -> dict[str, str]:
    """Return the fields that differ from the usual ones, as texts by their names in the address.

    Parameters
    ----------
    settings, usual : dataclass
        Two instances of one type.
    names : mapping of field to name
        Fields that this mapping lacks stay out of the address.
    """
    return {
        name: as_text(getattr(settings, field))
        for field, name in names.items()
        if getattr(settings, field) != getattr(usual, field)
    }


def settings_asked(names: Mapping[str, str], usual: T) -> T:
    """Return ``usual`` with the fields that the address names; invalid fields are ignored.

    Fields may be checked against each other. So all are applied together; if they are refused
    together, they are applied one by one.
    """
    settings: Any = usual
    found: dict[str, Any] = {}
    for field, name in names.items():
        with contextlib.suppress(KeyError, ValueError, FpanonError):
            found[field] = from_text(remembered()[name], getattr(usual, field))
    try:
        settings = replace(settings, **found)
    except (ValueError, FpanonError):
        for field, value in found.items():
            with contextlib.suppress(ValueError, FpanonError):
                settings = replace(settings, **{field: value})
    return settings  # type: ignore[no-any-return]


def as_text(value: Any) -> str:
    """Return a setting as a short text that :func:`from_text` reads.

    The setting may be a number, text, profile or dataclass of these, or a tuple of any of them.
    """
    if isinstance(value, GeneralizationProfile):
        return value.code
    if isinstance(value, StretchConfig):  # the weights add up to 1
        return ",".join(map(as_text, (value.w_space, value.max_space_m, value.max_time_min)))
    if is_dataclass(value):
        return ",".join(as_text(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return ",".join(map(as_text, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def from_text(text: str, like: T) -> T:
    """Read a text made by :func:`as_text` as a value of the type of ``like``.

    If ``like`` is a tuple, each part of the text is read as the type of the tuple's first element.

    Raises
    ------
    ValueError, FpanonError
        The text is not valid.
    """
    found: Any
    if isinstance(like, GeneralizationProfile):
        found = parse_profile(text)
    elif isinstance(like, StretchConfig):
        weight, metres, minutes = map(float, text.split(","))
        found = StretchConfig(weight, 1 - weight, metres, minutes)
    elif isinstance(like, tuple):
        found = tuple(from_text(part, like[0]) for part in text.split(","))
    elif is_dataclass(like) and not isinstance(like, type):
        parts = text.split(",")
        names = [field.name for field in fields(like)]
        if len(parts) != len(names):
            raise ValueError(text)
        now = [getattr(like, name) for name in names]
        found = type(like)(*(from_text(p, v) for p, v in zip(parts, now, strict=True)))
    else:
        found = type(like)(text)  # type: ignore[call-arg]
    return found  # type: ignore[no-any-return]
