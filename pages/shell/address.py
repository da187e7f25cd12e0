"""What of a view's settings travels in the address: nothing personal, no users and no places.

One codec for all: a frozen dataclass of settings, and the names its fields go by. What is as usual
stays out of the address; what makes no sense there is left out, too. Settings check themselves when
they are made, so that nothing can come in by the address that a form would refuse.
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
    """Keep what the address asks for, once a run, unless we wrote it there ourselves.

    A view that is opened later finds there what was asked for it; by then another view may have
    written settings of its own in the address.

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
    """All that the address asked for so far."""
    found: dict[str, str] = st.session_state.get(_ASKED, {})
    return found


def ask(settings: Mapping[str, str]) -> None:
    """As if the address had asked for these settings, and no others so far."""
    st.session_state[_ASKED] = dict(settings)
    st.session_state.pop(_EVERY, None)


def every() -> dict[str, str]:
    """All that pages have written in the address, each what it wrote last; by name."""
    pages: dict[str, dict[str, str]] = st.session_state.get(_EVERY, {})
    return {name: value for written in pages.values() for name, value in written.items()}


def arrived(name: str) -> str | None:
    """A setting that a link has just asked for: the address names it, and not by our writing."""
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
    """A setting named in the address; the usual one where it is not, or makes no sense.

    ``read`` raises ValueError, KeyError or an error of ours at what makes no sense.
    """
    try:
        return read(remembered()[name])
    except (KeyError, ValueError, FpanonError):
        return usual


def named(settings: Any, names: Mapping[str, str], usual: Any) -> dict[str, str]:
    """The fields of a dataclass that are not as usual, as texts, by their names in the address.

    Parameters
    ----------
    settings, usual : dataclass
        Of one type.
    names : mapping of field to name
        Fields that are not in it stay out of the address.
    """
    return {
        name: as_text(getattr(settings, field))
        for field, name in names.items()
        if getattr(settings, field) != getattr(usual, field)
    }


def settings_asked(names: Mapping[str, str], usual: T) -> T:
    """``usual``, with the fields that the address names; a field that makes no sense is left.

    Fields may be checked against each other: all are taken together, and one after the other only
    where together they are refused.
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
    """A setting in few letters; :func:`from_text` reads it.

    Numbers, texts, profiles, dataclasses of them, and tuples of all these.
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
    """What :func:`as_text` wrote, of the type of ``like``; of a tuple, of its first element.

    Raises
    ------
    ValueError, FpanonError
        It makes no sense.
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
