"""What is the release for, and who gets it? Asked first; utility and thresholds follow."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fpanon_core.model.purpose import LEVELS, PURPOSES, RECIPIENTS, Purpose, Recipient
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import utility_choice

from . import limits, workspace
from .guard import act
from .widgets import selectbox

_PURPOSE, _WEIGHTS = "aims_purpose", "options_weights"
_RECIPIENT, _CONTROLS, _MOTIVE = "aims_recipient", "aims_controls", "aims_motive"
_SENSITIVITY = "aims_sensitivity"
_USUAL = "transport"
_OWN = (
    "Your own threshold of re-identification is in force: {own:.3g} %, in place of {usual:.3g} % "
    "for this recipient."
)


def purpose() -> Purpose:
    """What the release is for."""
    return PURPOSES[st.session_state.get(_PURPOSE, _USUAL)]


def recipient() -> Recipient:
    """Who gets the release."""
    state = st.session_state
    kind = state.get(_RECIPIENT, "anyone")
    sensitivity = state.get(_SENSITIVITY, "high")
    if kind == "anyone":
        return Recipient(kind, sensitivity=sensitivity)
    controls = "high" if kind == "room" else state.get(_CONTROLS, "medium")
    return Recipient(kind, controls, state.get(_MOTIVE, "high"), sensitivity)


def ask(digest: str) -> None:
    """The two questions, and what follows from the answers; of the data of a digest."""
    weighed = workspace.of(digest).weighed
    named = None if weighed is None else weighed.table.choice.label
    if named in PURPOSES and named != purpose().name:  # it was changed where options are weighed
        st.session_state[_PURPOSE] = named
    with st.container(horizontal=True, vertical_alignment="bottom", key="aims"):
        selectbox(
            "What is it for?",
            list(PURPOSES),
            index=list(PURPOSES).index(_USUAL),
            format_func=lambda name: PURPOSES[name].title,
            key=_PURPOSE,
            width=270,
            on_change=act(_purpose_changed),
            args=(digest,),
            help="  \n".join(f"{each.title}: {each.useful}" for each in PURPOSES.values()),
        )
        recipient_changed = {"on_change": act(_recipient_changed)}
        kind = selectbox(
            "Who gets it?",
            list(RECIPIENTS),
            format_func=RECIPIENTS.__getitem__,
            key=_RECIPIENT,
            width=270,
            help="Anyone: an attack is certain. Others attack with a chance that depends on their "
            "controls and motive. The threshold of re-identification follows.",
            **recipient_changed,
        )
        if kind == "contract":
            selectbox("Controls", LEVELS, index=1, key=_CONTROLS, width=120, **recipient_changed)
        if kind != "anyone":
            selectbox("Motive", LEVELS, index=2, key=_MOTIVE, width=120, **recipient_changed)
        selectbox(
            "Sensitivity",
            LEVELS,
            index=2,
            key=_SENSITIVITY,
            width=120,
            help="Of the data. Traces of where people were are highly sensitive.",
            **recipient_changed,
        )
    who = recipient()
    own = limits.in_force().limit("outsider")
    if own == who.threshold:
        st.caption(who.sentence)
    elif own is not None:
        st.caption(_OWN.format(own=100 * own, usual=100 * who.threshold))


def _purpose_changed(digest: str) -> None:
    name = st.session_state[_PURPOSE]
    st.session_state[_WEIGHTS] = name
    mine = workspace.of(digest)
    if mine.weighed is not None:
        table = mine.weighed.table.with_choice(utility=utility_choice(name))
        mine.weighed = replace(mine.weighed, table=table)


def _recipient_changed() -> None:
    limits.take(Limits({**limits.in_force().of, "outsider": recipient().threshold}))
