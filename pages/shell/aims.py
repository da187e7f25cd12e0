"""Purpose and recipient of the release: utility and thresholds follow from these two answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import StatedAreas, as_areas
from fpanon_core.model.purpose import LEVELS, PURPOSES, RECIPIENTS, Purpose, Recipient
from fpanon_core.model.release_page import length
from fpanon_core.studies.judgement import Limits, usual_limits
from fpanon_core.studies.option_result import utility_choice
from fpanon_core.studies.presets import named_columns, purpose_areas, width_height
from pages.charts.plain import plain

from . import limits, workspace
from .guard import act
from .widgets import segments, selectbox

_PURPOSE, _WEIGHTS = "aims_purpose", "options_weights"
_RECIPIENT, _CONTROLS, _MOTIVE = "aims_recipient", "aims_controls", "aims_motive"
_SENSITIVITY, _AREAS, _SIDES = "aims_sensitivity", "aims_areas_{}_{}", "fp_areas_offered"
_FITTED = ""  # not None: a list that holds None can be cleared
_SIDES_M = (200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4)
_USUAL = "transport"
_OWN = (
    "Your own threshold for re-identification risk is in force: {own:.3g}%, instead of "
    "{usual:.3g}% for this recipient."
)


def purpose() -> Purpose:
    """Return the purpose of the release."""
    return PURPOSES[_one_of(_PURPOSE, PURPOSES, _USUAL)]


def recipient() -> Recipient:
    """Return the recipient of the release."""
    kind = _one_of(_RECIPIENT, RECIPIENTS, "anyone")
    sensitivity = _one_of(_SENSITIVITY, LEVELS, "high")
    if kind == "anyone":
        return Recipient(kind, sensitivity=sensitivity)
    controls = "high" if kind == "room" else _one_of(_CONTROLS, LEVELS, "low")
    return Recipient(kind, controls, _one_of(_MOTIVE, LEVELS, "high"), sensitivity)


def areas(fs: FingerprintSet) -> StatedAreas:
    """Return the areas on which density and flows are compared; None for the usual squares.

    A number is the side of squares in metres; a text names a column of the antenna table.
    """
    usual = _usual_areas(fs)
    found: float | str = st.session_state.get(_areas_key(fs), usual)
    return (found if found in _offered(fs) else usual) or None  # anybody may have made a study


def _usual_areas(fs: FingerprintSet) -> float | str:
    """Return the usual areas for the purpose, which apply until others are stated."""
    return purpose_areas(fs, purpose().name) or _FITTED


def _areas_key(fs: FingerprintSet) -> str:
    """Return the key of the field for areas; each data set and purpose has areas of its own.

    One field for all purposes would keep its value in the browser while its popover is closed, and
    send it after the next click.
    """
    return _AREAS.format(fs.digest[:12], purpose().name)


def _offered(fs: FingerprintSet) -> list[float | str]:
    """Return the areas on offer: squares, the antenna table's regions, and a recipe's areas."""
    held = st.session_state.get(_SIDES)
    if held is None or held[0] != fs.digest:
        widest = max(width_height(fs)) / 2
        sides = [side for side in _SIDES_M if fs.granularity_m <= side <= widest]
        usual: list[float | str] = [_FITTED, *sides, *named_columns(fs)]
        held = st.session_state[_SIDES] = fs.digest, usual
    offered: list[float | str] = list(held[1])
    stated = st.session_state.get(_areas_key(fs))
    if isinstance(stated, float) and 0 < stated < math.inf and stated not in offered:
        offered.append(stated)
    return offered


def _spoken(stated: float | str) -> str:
    if stated == _FITTED:
        return "automatic"
    return str(as_areas(stated)) if isinstance(stated, str) else f"squares of {length(stated)}"


def settings(
    who: Recipient | None, areas: StatedAreas, label: str, fs: FingerprintSet
) -> dict[str, float | str]:
    """Select a purpose; return the form's values for areas and, if ``who`` is given, a recipient.

    A ``label`` that is no purpose's name leaves the purpose as it is.
    """
    stated: dict[str, str | None] = {}
    if label in PURPOSES:
        st.session_state[_PURPOSE] = label
    if who is not None:
        stated = {_RECIPIENT: who.kind, _SENSITIVITY: who.sensitivity}
        stated |= {_CONTROLS: who.controls, _MOTIVE: who.motive}
    return {_areas_key(fs): areas or _FITTED} | {key: each for key, each in stated.items() if each}


def usual() -> Limits:
    """Return the usual thresholds for the recipient."""
    return usual_limits(recipient())


def _one_of(key: str, known: Iterable[str], usual: str) -> str:
    """Return the chosen value if known, else the usual one: an opened study may hold any value."""
    found = st.session_state.get(key, usual)
    return found if found in known else usual


def ask(fs: FingerprintSet) -> None:
    """Draw the questions on purpose and recipient, and what follows from the answers."""
    weighed = workspace.of(fs.digest).weighed
    named = None if weighed is None else weighed.table.choice.label
    if named in PURPOSES and named != purpose().name:  # it was changed where options are weighed
        stated = areas(fs) or _FITTED
        st.session_state[_PURPOSE] = named
        st.session_state[_areas_key(fs)] = stated
    _pick(
        "What is it for?",
        "  \n".join(f"{plain(p.title)}: {plain(p.useful)}" for p in PURPOSES.values()),
        {name: plain(each.title) for name, each in PURPOSES.items()},
        _USUAL,
        key=_PURPOSE,
        on_change=act(_purpose_changed),
        args=(fs,),
    )
    row, kind = _pick(
        "Who gets it?",
        "For *Anyone*, an attack is taken as certain. For other recipients, the chance of an "
        "attack depends on their controls and motive. The threshold for re-identification risk "
        "follows from this chance and from the sensitivity of the data.",
        RECIPIENTS,
        "anyone",
        key=_RECIPIENT,
        on_change=act(_recipient_changed),
    )
    label = f"Areas: {_spoken(areas(fs) or _FITTED)} · {_short()}"
    with row.popover(label, icon=":material/gavel:", key="aims_assumed"):
        _assumed(fs, kind)


def _pick(
    label: str, told: str, offered: Mapping[str, str], usual: str, **how: Any
) -> tuple[DeltaGenerator, str]:
    """Draw a row of a few options, all visible; return the row and the chosen option."""
    asked = f"{how['key']}_asked"
    row = st.container(key=asked, horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(label, width="content", help=told)
    with row:
        return row, segments(label, offered, usual, label_visibility="collapsed", **how)


def line() -> str:
    """Return the text of the top line: purpose, recipient, and whose thresholds are in force."""
    who, own = recipient(), limits.in_force() != usual()
    most = "your own thresholds" if own else _at_most(who.threshold)
    return f"{purpose().title} · {who.title} · {most}"


def describe_threshold() -> str:
    """Return the threshold for re-identification risk, and where it comes from, as sentences."""
    who, own = recipient(), limits.in_force().limit("outsider")
    if own is None:
        return "There is no threshold for re-identification risk."
    most = f"The re-identification risk must not exceed {100 * own:.3g}%{_one_in(own)}."
    if own != who.threshold:
        usual = f"{100 * who.threshold:.3g}%"
        return f"{most} This threshold is your own; the usual one here is {usual}."
    return f"{most} {who.because}"


def _one_in(share: float) -> str:
    """Return a share as a text such as " (1 in 12)", or "" if 1 over the share is not whole."""
    people = 1 / share if share else math.nan
    whole = people == people and abs(people - round(people)) < 1e-6 * people
    return f" (1 in {people:.0f})" if whole else ""


def _short() -> str:
    """Return a short label for the re-identification threshold; say if it is the user's own."""
    who, own = recipient(), limits.in_force().limit("outsider")
    if own is None:
        return "No re-identification threshold"
    return "Your own threshold, " * (own != who.threshold) + _at_most(own)


def _at_most(share: float) -> str:
    return f"risk at most {100 * share:.3g}%"


def _assumed(fs: FingerprintSet, kind: str) -> None:
    """Draw the areas of comparison, and what is assumed about the recipient and the data."""
    selectbox(
        "Compared on",
        _offered(fs),
        index=_offered(fs).index(_usual_areas(fs)),
        format_func=_spoken,
        key=_areas_key(fs),
        help="People and trips are compared on these areas, which depend on the purpose. "
        "*Automatic* stands for the largest squares that fit 50 times along each side of the "
        "central area of the data. A search holds only for the areas chosen.",
    )
    who, own = recipient(), limits.in_force().limit("outsider")
    st.markdown(f"**{describe_threshold()}** {who.sentence}")
    if own is not None and own != who.threshold:
        st.warning(_OWN.format(own=100 * own, usual=100 * who.threshold))
    changed: dict[str, Any] = {"on_change": act(_recipient_changed)}
    if kind == "contract":
        selectbox("Controls of the recipient", LEVELS, index=0, key=_CONTROLS, **changed)
    if kind != "anyone":
        selectbox("Motive of the recipient", LEVELS, index=2, key=_MOTIVE, **changed)
    selectbox(
        "Sensitivity of the data",
        LEVELS,
        index=2,
        key=_SENSITIVITY,
        help="Records of people's movements are highly sensitive.",
        **changed,
    )


def _purpose_changed(fs: FingerprintSet) -> None:
    name = st.session_state[_PURPOSE]
    st.session_state[_WEIGHTS] = name
    mine = workspace.of(fs.digest)
    if mine.weighed is not None:
        table = mine.weighed.table.with_choice(utility=utility_choice(name))
        mine.weighed = replace(mine.weighed, table=table)


def _recipient_changed() -> None:
    limits.take(Limits({**limits.in_force().of, "outsider": recipient().threshold}))
