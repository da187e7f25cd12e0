"""Settings of the tables: their protection, areas, hours and days, stated by the officer.

Areas and hours may follow from the number of people that the officer states.

Nothing is taken from the records, because their own areas, hours and days would reveal something
about people. An option that was chosen or recommended fills in its settings; ε does not cover this
choice, and the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.counts_frame import FrameConfig, StatedPeriod
from fpanon_core.model.errors import ConfigError, FpanonError
from fpanon_core.model.options import MOST_SYNTHETIC, Flows, Presence, Synthesize, Tables
from fpanon_core.studies import count_tables
from fpanon_core.studies.presets import about_people
from fpanon_core.studies.report_words import describe_epsilon
from pages.shell import definitions, exploration, layout, leaving, workspace
from pages.shell.dataset import Dataset
from pages.shell.leaving import TABLES_FILLED, Wish, kept
from pages.tables import story

_FIELD, _OF = "tables_", "fp_tables_of"
_STATE_ALL = (
    "State how many people there are, roughly, and the days that you were asked for. Numbers taken "
    "from the records would reveal something about people."
)
_STATE_PEOPLE = "State about how many people there are; areas and hours follow from this number."
PROTECTIONS = {"private": "Private (ε)", "threshold": "Small counts blank", "exact": "Exact"}
_CONTENTS: dict[tuple[str, ...], type[Tables]] = {
    ("presence", "flows"): Tables,
    ("presence",): Presence,
    ("flows",): Flows,
}
_MADE_UP = ("records",)
_NAMES = {
    ("presence", "flows"): "people and trips",
    ("presence",): "people by area",
    ("flows",): "trips",
    _MADE_UP: "synthetic people",
}
_ANTENNAS, _GRID, _HEXAGONS = "groups of antennas", "squares", "hexagons (H3)"
_OURS = (_ANTENNAS, _GRID, _HEXAGONS)
_BANDS = (1, 2, 3, 4, 6, 8, 12, 24)
_USUAL: dict[str, Any] = {
    "protection": "private",
    "epsilon": 1.0,
    "threshold": 15,
    "contents": ("presence", "flows"),
    "bands": 0,
    "side": 1.0,
    "resolution": 7,
    "residents": "",
    **dict.fromkeys(("people", "many", "made")),
}


def form(data: Dataset) -> Wish:
    """Draw the settings of the tables; return the release they describe, or what is missing."""
    _begin(data)
    contents = st.segmented_control(
        "Publish", list(_NAMES), format_func=_NAMES.__getitem__, required=True, **kept("contents")
    )
    made_up = contents == _MADE_UP
    what, where = _columns([1.1, 0.8, 1.2, 1.2, 1.0]), _columns([1.3, 1.1, 1.1, 3])
    protection = "private"
    if not made_up:
        protection = what.pop(0).selectbox(
            "Protection",
            list(PROTECTIONS),
            format_func=PROTECTIONS.__getitem__,
            **kept("protection"),
        )
    threshold, epsilon, told = None, None, st.container()
    if protection == "private":
        how: dict[str, Any] = {"format": "%g", "step": 0.5, "help": story.EPSILON}
        epsilon = what.pop(0).number_input(
            "ε, smaller is safer", *_ends(limits.EPSILON), **how, **kept("epsilon")
        )
        told.caption(describe_epsilon(epsilon or _USUAL["epsilon"]))
    elif protection == "threshold":
        ends = _ends(limits.SUPPRESSED_BELOW)
        threshold = what.pop(0).number_input("Blank below", *ends, **kept("threshold"))
    how = {"step": 1000, "placeholder": "required", "help": story.PEOPLE}
    ends = 1, limits.GENERATED_USERS.high
    people = what[-3].number_input("People, roughly", *ends, None, **how, **kept("people"))
    first, days = leaving.period(data, *what[-2:])
    areas = _areas(data, where, made_up=made_up)
    bands, many = 0, None
    if made_up:
        how = {"placeholder": "as many", "help": story.SCALE, "step": 1000}
        ends = 1, MOST_SYNTHETIC
        many = where[2].number_input("Synthetic people", *ends, None, **how, **kept("made"))
    else:
        bands = where[2].selectbox(
            "Parts of a day",
            (0, *_BANDS),
            format_func=lambda b: f"{b} of {24 // b} h" if b else "automatic",
            **kept("bands"),
        )
    try:
        if people is None and days is None:
            raise ConfigError(_STATE_ALL)
        when = leaving.stated_period(data, first, days)
        if people is None:
            raise ConfigError(_STATE_PEOPLE)
        if made_up:
            frame = _frame(data, when, areas, len(data.fs.antennas or ()))
            return Wish(Synthesize(frame, epsilon or 1.0, many), people)
        kind = _CONTENTS[contents]
        each = (epsilon or 1.0) / len(kind.CONTENTS)
        wise = count_tables.proposal_for(data.fs, people, each)
        frame = _frame(data, when, areas, wise.areas)
        return Wish(kind(frame, bands or wise.bands, threshold, epsilon), people)
    except FpanonError as fault:
        return Wish(None, people, layout.as_shown(fault.message))


def _areas(data: Dataset, at: Sequence[Any], *, made_up: bool) -> dict[str, Any]:
    """Draw the fields for the areas; return the stated values by field name."""
    kinds = [kind for kind in _kinds(data) if kind in _OURS or not made_up]
    kind = at[0].selectbox(
        "Areas",
        kinds,
        format_func=lambda k: _named(k, made_up=made_up),
        help=definitions.COUNTS_FRAME,
        **kept("places" if made_up else "areas"),
    )
    found: dict[str, Any] = {"kind": kind, "many": None, "residents": None}
    columns = _number_columns(data)
    private = made_up or st.session_state[f"{_FIELD}protection"] == "private"
    if columns and private and kind not in (_GRID, _HEXAGONS):
        shown = {"format_func": lambda name: name or "none", "help": story.RESIDENTS}
        label, named = "Start from public residents", ("", *columns)
        found["residents"] = at[3].selectbox(label, named, **shown, **kept("residents")) or None
    if kind == _ANTENNAS and not made_up:
        most = len(data.fs.antennas or ())
        how: dict[str, Any] = {"placeholder": "automatic"} | kept("many")
        found["many"] = at[1].number_input("Number of areas", 1, most, None, **how)
    elif kind == _GRID:
        ends = (limits.COUNTS_SIDE_M.low / 1000, limits.COUNTS_SIDE_M.high / 1000)
        found["side"] = at[1].number_input("Side (km)", *ends, format="%g", **kept("side"))
    elif kind == _HEXAGONS:
        ends = _ends(limits.HEXAGON_RESOLUTION)
        found["resolution"] = at[1].number_input("Resolution", *ends, **kept("resolution"))
    if kind in (_GRID, _HEXAGONS):
        found["area"] = leaving.area(data, at[3])
    return found


def _named(kind: str, *, made_up: bool) -> str:
    if kind not in _OURS:
        return f"regions by “{kind}”"
    return "every antenna" if made_up and kind == _ANTENNAS else kind


def _frame(
    data: Dataset, period: StatedPeriod, areas: dict[str, Any], proposed: int
) -> FrameConfig:
    """Return the stated areas and days; without a stated number of areas, use the proposed one."""
    kind = areas["kind"]
    if kind == _ANTENNAS:
        antennas = len(data.fs.antennas or ())
        many = math.ceil(antennas / (areas["many"] or proposed))
        return FrameConfig(period, antennas_an_area=many, residents=areas["residents"])
    if kind not in _OURS:
        return FrameConfig(period, column=kind, residents=areas["residents"])
    area = leaving.stated_area(areas["area"])
    if kind == _GRID:
        return FrameConfig(period, "grid", area, 1000 * areas["side"])
    return FrameConfig(period, "hexagons", area, resolution=int(areas["resolution"]))


def _kinds(data: Dataset) -> list[str]:
    """Return the kinds of areas for these data; each column of the antenna table is a kind."""
    antennas = data.fs.antennas
    columns = [] if antennas is None else [name for name in antennas.columns if name.strip()]
    hexagons = [] if data.fs.crs is None else [_HEXAGONS]
    return [*([] if antennas is None else [_ANTENNAS, *columns]), _GRID, *hexagons]


def _number_columns(data: Dataset) -> tuple[str, ...]:
    return () if data.fs.antennas is None else data.fs.antennas.number_columns


def _begin(data: Dataset) -> None:
    """Reset the fields when other data are opened; fill those that the chosen option states."""
    state = st.session_state
    leaving.begin(data)
    if state.get(_OF) != data.source.label:
        state[_OF] = data.source.label
        kinds = _kinds(data)
        for name, usual in (_USUAL | {"areas": kinds[0], "places": kinds[0]}).items():
            state[_FIELD + name] = usual
    sent = _chosen(data)
    if sent is None:
        return
    if workspace.of(data.digest).recordless is not None:  # else, the officer states it
        state[f"{_FIELD}people"] = state[f"{_FIELD}people"] or about_people(data.fs)
    state[f"{_FIELD}epsilon"] = sent.epsilon or _USUAL["epsilon"]
    frame = sent.frame
    kind = {"antennas": _ANTENNAS, "grid": _GRID, "hexagons": _HEXAGONS}[frame.places]
    state[f"{_FIELD}side"] = frame.side_m / 1000
    state[f"{_FIELD}resolution"] = frame.resolution
    known = frame.residents in _number_columns(data)
    state[f"{_FIELD}residents"] = frame.residents if known else ""
    if isinstance(sent, Synthesize):
        state[f"{_FIELD}contents"], state[f"{_FIELD}places"] = _MADE_UP, kind
        return
    protection = "exact" if sent.threshold is None else "threshold"
    state[f"{_FIELD}protection"] = "private" if sent.epsilon is not None else protection
    state[f"{_FIELD}contents"] = sent.CONTENTS
    state[f"{_FIELD}bands"] = sent.bands
    if sent.threshold is not None:
        state[f"{_FIELD}threshold"] = sent.threshold
    state[f"{_FIELD}areas"] = frame.column or kind
    if data.fs.antennas is not None and frame.places == "antennas" and frame.column is None:
        state[f"{_FIELD}many"] = math.ceil(len(data.fs.antennas) / frame.antennas_an_area)


def _chosen(data: Dataset) -> Tables | Synthesize | None:
    """Return the chosen option, if it is without records and has not filled the fields yet.

    If nothing is chosen, the recommended option fills fields that nobody has changed.
    """
    step, state = workspace.of(data.digest).recordless, st.session_state
    if step is None and all(state[_FIELD + name] == usual for name, usual in _USUAL.items()):
        step = exploration.recommended(data)
    if step is None or state.get(TABLES_FILLED) == step:
        return None
    state[TABLES_FILLED] = step
    return step


def recommended(data: Dataset) -> Tables | Synthesize | None:
    """Return the recommended option's step if it has filled the fields, or None."""
    step = exploration.recommended(data)
    return step if step == st.session_state.get(TABLES_FILLED) else None


def _columns(spec: list[float]) -> list[Any]:
    return list(st.columns(spec, gap="small", vertical_alignment="bottom"))


def _ends(limit: limits.Limit[Any]) -> tuple[Any, Any]:
    return limit.low, limit.high
