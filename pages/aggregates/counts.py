"""Counts to publish: stated places and period, the chosen protection, and the zip to release.

The zip is offered only while the settings on the screen and the reading of the data are those with
which the zip was made. Otherwise an unprotected zip could appear under settings that promise
protection.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.counts_frame import FrameConfig, Places, StatedArea, StatedPeriod
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.options import Unit
from fpanon_core.studies import counts_release
from fpanon_core.studies.counts_release import Config, Form, reading_fault
from fpanon_core.studies.reading import Reading
from fpanon_core.studies.recovery import CUSTOMARY_LIMIT
from pages.aggregates import counts_story
from pages.charts import words
from pages.shell import definitions, downloads, layout, questions
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind, Question

COUNTS = Kind("counts_release", counts_release.study, page="aggregates")

_ASKED, _OF = "fp_counts_config", "fp_counts_of"
_FIELD = "aggregates_counts_"
_FORMS: dict[Form, str] = {
    "suppressed": "small ones left blank",
    "private": "private (ε)",
    "plain": "unprotected",
}
_PLACES: dict[Places, str] = {"antennas": "the antennas", "grid": "squares over an area"}
_UNITS: dict[Unit, str] = {"user": "a person's whole record", "user-slot": "one slot"}
_BOUNDS = ("South", "West", "North", "East")


@dataclass(frozen=True)
class Asked:
    """Requested counts: the data, how the data were read, and the settings.

    The data's digest alone would not suffice. Data that are read again in another way may have the
    same samples, but the promise that can be made for them differs.
    """

    digest: str
    reading: Reading
    config: Config


def stated(data: Dataset) -> FrameConfig | None:
    """Return the places and period of the last request for counts of these data, if any."""
    asked = _asked(data)
    return None if asked is None else asked.config.frame


def section(data: Dataset) -> None:
    """Draw the settings, the counts made with exactly these settings, and their download."""
    _begin(data)
    config, lacking = _settings(data)
    kind: Any = "secondary" if lacking else "primary"
    pressed = st.button("Make these counts", type=kind, key="aggregates_counts")
    wanted = None if config is None else Asked(data.digest, data.reading, config)
    if pressed and wanted is not None:
        st.session_state[_ASKED] = wanted
    for fault in lacking if pressed else ():
        st.error(fault)
    asked = _asked(data)
    if config is None or wanted != asked:
        if asked is not None:
            st.info(counts_story.CHANGED)
        elif not pressed:
            st.caption(counts_story.EMPTY)
        return
    question = Question(COUNTS, data.fs, config, "Making counts")
    made = questions.settle(question, alone=False, asked=pressed, button="Make these counts again")
    if made is not None:
        _offer(made, data.prefix)


def _offer(made: counts_release.Result, prefix: str) -> None:
    """Draw a description of the counts, and a download button that names their protection."""
    if warning := counts_story.warned(made):
        st.warning(warning)
    layout.what_this_means(*counts_story.made(made), key="aggregates_counts")
    made_by = made.config
    form, why = made_by.form, ""
    if form == "plain":
        why = st.text_area(
            "Why unprotected counts may be released",
            key="aggregates_counts_why",
            max_chars=2_000,
            height=100,
            placeholder=counts_story.REASON,
            persist_state="session",
        ).strip()
        if not why:
            st.caption(counts_story.REASON_FIRST)
            return
    downloads.offer(
        counts_story.zip_label(made_by),
        made.package,
        f"{prefix}counts_{'unprotected' if form == 'plain' else form}.zip",
        key="aggregates_get_release",
        icon=None,
        kind="secondary" if form == "plain" else "primary",
        settings={
            "form": form,
            "below": made_by.below if form == "suppressed" else None,
            "epsilon": made_by.epsilon if form == "private" else None,
            "unit": made_by.unit if form == "private" else None,
            "why": why or None,
        },
    )
    with st.expander("The README in the zip"):
        st.markdown(made.readme())


def _asked(data: Dataset) -> Asked | None:
    """Return the last request, if it was for these data as they are read now."""
    found: Asked | None = st.session_state.get(_ASKED)
    if found is None or (found.digest, found.reading) != (data.digest, data.reading):
        return None
    return found


# --- the settings --------------------------------------------------------------------------------


def _begin(data: Dataset) -> None:
    """If the source has changed, empty the fields of protection, period and bounds."""
    if st.session_state.get(_OF) != data.source.label:
        st.session_state[_OF] = data.source.label
        for name in ("form_of", "first", "days", *(bound.lower() for bound in _BOUNDS)):
            st.session_state[_FIELD + name] = None
    if data.fs.antennas is None and st.session_state.get(f"{_FIELD}places") == "antennas":
        st.session_state[f"{_FIELD}places"] = "grid"


def _settings(data: Dataset) -> tuple[Config | None, Sequence[str]]:
    """Draw the fields; return the settings, or None and what is missing or invalid."""
    fs = data.fs
    form, below, epsilon, unit = _protection()
    when, first = _columns(4), None
    if fs.clock is not None:
        ends = {"min_value": dt.date(1970, 1, 1), "max_value": dt.date(2255, 1, 1)}
        first = when[0].date_input("First day", None, **_kept("first"), **ends)
    days = when[1].number_input("Days", *_ends(limits.COUNTS_DAYS), None, **_kept("days"))
    named = {"format_func": words.duration, **_kept("slot")}
    slot = when[2].selectbox("Length of a slot ", limits.SLOTS_MIN, 1, **named)
    one_slot = form == "private" and unit == "user-slot"
    gaps = False
    if not one_slot:  # never filled in where ε protects one slot
        gaps = when[3].checkbox(
            "Fill in gaps",
            True,
            help="Also count people in slots without a sample, at places inferred from their "
            "samples before or after. They were not recorded then.",
            **_kept("gaps"),
        )
    kind, bounds, side = _places(data)
    lacking = [counts_story.lacking(form, kind, bounds, first, days, calendar=fs.clock is not None)]
    if form == "private":
        lacking.append(counts_story.guessed(data.report))
    frame = None
    try:
        if not lacking[0]:
            area = None
            if kind == "grid":
                south, west, north, east = (float(cast(float, bound)) for bound in bounds)
                degrees = fs.crs is not None
                area = StatedArea(south, west, north, east, "degrees" if degrees else "metres")
            period = StatedPeriod(first, int(cast(int, days)), float(slot))
            frame = FrameConfig(period, kind, area, float(side))
            made = Config(frame, cast(Form, form), gaps, int(below), float(epsilon), unit)
    except FpanonError as fault:
        frame = None
        lacking.append(layout.as_shown(fault.message))
    if form == "private":  # whatever else is lacking: all that asks for another reading, at once
        lacking.append(layout.as_shown(reading_fault(fs, frame)))
    lacking = [told for told in lacking if told]
    return (None, lacking) if lacking or frame is None else (made, ())


def _protection() -> tuple[Form | None, float, float, Unit]:
    """Draw the protection; return form (None if not chosen), limit, ε and unit of protection."""
    what = _columns(4)
    form = what[0].selectbox(
        "Counts",
        list(_FORMS),
        index=None,
        format_func=_FORMS.__getitem__,
        placeholder="how are they protected?",
        **_kept("form_of"),
    )
    below, epsilon, unit = float(CUSTOMARY_LIMIT), 1.0, next(iter(_UNITS))
    if form == "suppressed":
        told = "Counts below this number of people are left blank."
        ends = _ends(limits.SUPPRESSED_BELOW)
        below = what[1].number_input(
            "Blank below", *ends, CUSTOMARY_LIMIT, help=told, **_kept("below")
        )
    if form == "private":
        told = "This is the ε of private counts; a smaller ε protects more."
        given: dict[str, Any] = {"format": "%g", "help": told} | _kept("epsilon")
        epsilon = what[1].number_input("ε", *_ends(limits.EPSILON), 1.0, **given)
        named = {"format_func": _UNITS.__getitem__, "help": definitions.PRIVACY_UNIT}
        unit = what[2].selectbox("ε protects", list(_UNITS), **named, **_kept("unit"))
    return form, below, epsilon, unit


def _places(data: Dataset) -> tuple[Places, list[float | None], float]:
    """Draw and return the places: the antennas, or squares over an area between four bounds."""
    kinds: list[Places] = ["grid"] if data.fs.antennas is None else ["antennas", "grid"]
    where = _columns([1.6, 1, 1, 1, 1, 1])
    named: dict[str, Any] = {"format_func": _PLACES.__getitem__, "help": definitions.COUNTS_FRAME}
    kind = where[0].selectbox("Places", kinds, **named, **_kept("places"))
    bounds: list[float | None] = [None] * len(_BOUNDS)
    side = 1_000.0
    if kind == "grid":
        unit = "°" if data.fs.crs is not None else "m"
        named = {"format": "%g"}
        bounds = [
            column.number_input(f"{name} ({unit})", value=None, **named, **_kept(name.lower()))
            for name, column in zip(_BOUNDS, where[1:], strict=False)
        ]
        ends = _ends(limits.COUNTS_SIDE_M)
        side = where[5].number_input("Side (m)", *ends, side, **named, **_kept("side"))
    return kind, bounds, side


def _columns(spec: int | list[float]) -> list[Any]:
    return st.columns(spec, gap="medium", vertical_alignment="bottom")


def _kept(name: str) -> dict[str, Any]:
    """Return a field's key, and arguments that keep its value for the session."""
    return {"key": _FIELD + name, "persist_state": "session"}


def _ends(limit: limits.Limit[Any]) -> tuple[Any, Any]:
    return limit.low, limit.high
