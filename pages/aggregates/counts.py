"""Counts to publish: places and period stated, the form chosen, and the zip that leaves."""

from __future__ import annotations

import datetime as dt
from typing import cast

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.counts_frame import FrameConfig, Places, StatedArea, StatedPeriod
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.privacy import Unit
from fpanon_core.studies import counts_release
from fpanon_core.studies.counts_release import Config, Form
from fpanon_core.studies.recovery import CUSTOMARY_LIMIT
from pages.aggregates import counts_story
from pages.charts import words
from pages.shell import definitions, downloads, questions, refused
from pages.shell.dataset import Dataset
from pages.shell.meaning import what_this_means
from pages.shell.questions import Kind, Question

COUNTS = Kind("counts_release", counts_release.study, page="aggregates")

_CONFIG = "fp_counts_config"
_FORMS: dict[Form, str] = {
    "plain": "as they are",
    "suppressed": "small ones left blank",
    "private": "private (ε)",
}
_PLACES: dict[Places, str] = {"antennas": "the antennas", "grid": "squares over an area"}
_UNITS: dict[Unit, str] = {"user": "a person's whole record", "user-slot": "one slot"}


def stated(fs: FingerprintSet) -> FrameConfig | None:
    """The places and the period that were stated for these data, if any."""
    config = _config(fs)
    return None if config is None else config.frame


def section(data: Dataset) -> None:
    """The form; what the counts are that were made, and their download."""
    asked = _form(data)
    config = _config(data.fs)
    if config is None:
        st.caption(counts_story.EMPTY)
        return
    question = Question(COUNTS, data.fs, config, "Making counts")
    made = questions.settle(question, alone=False, asked=asked, button="Make these counts again")
    if made is None:
        return
    what_this_means(*counts_story.made(made), key="aggregates_counts")
    prefix = "synthetic_" if data.source.synthetic else ""
    downloads.offer(
        "Counts to publish (zip)",
        made.package,
        f"{prefix}counts_{config.form}.zip",
        key="aggregates_get_release",
        kind="primary",
        settings={
            "form": config.form,
            "below": config.below if config.form == "suppressed" else None,
            "epsilon": config.epsilon if config.form == "private" else None,
            "unit": config.unit if config.form == "private" else None,
        },
    )
    with st.expander("The README in it"):
        st.markdown(made.readme())


def _config(fs: FingerprintSet) -> Config | None:
    digest, config = st.session_state.get(_CONFIG, ("", None))
    return cast(Config, config) if config is not None and digest == fs.digest else None


def _form(data: Dataset) -> bool:
    """Whether counts have just been asked for, with settings that make sense."""
    fs = data.fs
    places: list[Places] = ["grid"] if fs.antennas is None else ["antennas", "grid"]
    with st.form("aggregates_counts_form"):
        what = st.columns(4, gap="medium", vertical_alignment="bottom")
        form = what[0].selectbox(
            "Counts", list(_FORMS), format_func=_FORMS.__getitem__, key="aggregates_counts_form_of"
        )
        below = what[1].number_input(
            "Blank below", limits.SUPPRESSED_BELOW.low, limits.SUPPRESSED_BELOW.high,
            CUSTOMARY_LIMIT, key="aggregates_counts_below",
            help="Of small counts left blank: those below this number of people.",
        )  # fmt: skip
        epsilon = what[2].number_input(
            "ε", limits.EPSILON.low, limits.EPSILON.high, 1.0, format="%g",
            key="aggregates_counts_epsilon", help="Of private counts; smaller protects more.",
        )  # fmt: skip
        unit = what[3].selectbox(
            "ε protects", list(_UNITS), format_func=_UNITS.__getitem__,
            key="aggregates_counts_unit", help=definitions.PRIVACY_UNIT,
        )  # fmt: skip
        when = st.columns(4, gap="medium", vertical_alignment="bottom")
        first = None
        if fs.clock is not None:
            first = when[0].date_input(
                "First day", None, min_value=dt.date(1970, 1, 1), max_value=dt.date(2255, 1, 1),
                key="aggregates_counts_first",
            )  # fmt: skip
        days = when[1].number_input(
            "Days", limits.COUNTS_DAYS.low, limits.COUNTS_DAYS.high, None,
            key="aggregates_counts_days",
        )  # fmt: skip
        slot = when[2].selectbox(
            "Length of a slot ", limits.SLOTS_MIN, 1, format_func=words.duration,
            key="aggregates_counts_slot",
        )  # fmt: skip
        gaps = when[3].checkbox(
            "Fill in gaps", True, key="aggregates_counts_gaps",
            help="Count people in slots without a sample, too. Never done where ε protects one "
            "slot.",
        )  # fmt: skip
        where = st.columns([1.6, 1, 1, 1, 1, 1], gap="medium", vertical_alignment="bottom")
        kind = where[0].selectbox(
            "Places", places, format_func=_PLACES.__getitem__, key="aggregates_counts_places",
            help=definitions.COUNTS_FRAME,
        )  # fmt: skip
        degrees = fs.crs is not None
        bounds = [
            where[i].number_input(
                f"{name} ({'°' if degrees else 'm'})", value=None, format="%g",
                key=f"aggregates_counts_{name.lower()}",
            )
            for i, name in enumerate(("South", "West", "North", "East"), 1)
        ]  # fmt: skip
        side = where[5].number_input(
            "Side (m)", limits.COUNTS_SIDE_M.low, limits.COUNTS_SIDE_M.high, 1_000.0, format="%g",
            key="aggregates_counts_side",
        )  # fmt: skip
        asked = st.form_submit_button("Make these counts", type="primary", key="aggregates_counts")
    if not asked:
        return False
    lacking = counts_story.lacking(kind, bounds, first, days, calendar=fs.clock is not None)
    if not lacking and form == "private":
        lacking = counts_story.guessed(data.report)
    if lacking:
        st.error(lacking)
        return False
    try:
        area = None
        if kind == "grid":
            south, west, north, east = (float(cast(float, bound)) for bound in bounds)
            area = StatedArea(south, west, north, east, "degrees" if degrees else "metres")
        period = StatedPeriod(first, int(cast(int, days)), float(slot))
        one_slot = form == "private" and unit == "user-slot"
        config = Config(
            FrameConfig(period, kind, area, float(side)), form, gaps and not one_slot,
            int(below), float(epsilon), unit,
        )  # fmt: skip
    except FpanonError as fault:
        refused.say(fault)
        return False
    st.session_state[_CONFIG] = (fs.digest, config)
    return True
