"""What an officer adds to the figures: the question, the reason, and names for data and officer."""

from __future__ import annotations

import math

import streamlit as st

from fpanon_core.io.ledger import Ledger
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import count_tables
from fpanon_core.studies.reading import Source
from fpanon_core.studies.recipe import Decision
from fpanon_core.studies.report_words import QUESTION
from fpanon_core.studies.study import Weighing
from pages.report import story
from pages.shell import layout, officer, workspace

_NO_PERSON = "This goes into the report as you write it; name nobody from the data."


def next_is(weighed: Weighing, *, made: bool) -> str:
    """Return the next step: "state" if a statement is missing, "print" if none is, or "".

    The statements are the reason, the signer and the end of validity. Return "" if nothing is
    decided yet, or if only the release of the chosen option is missing.
    """
    if not (weighed.stands or weighed.refused):
        return ""
    key = workspace.decision_key(weighed)
    if not all((st.session_state.get(key, weighed.why), *officer.signed(weighed.table.digest))):
        return "state"
    return "print" if made or weighed.refused else ""


def decision(weighed: Weighing, label: str) -> Decision:
    """Draw the controls; return the decision that they state.

    Parameters
    ----------
    weighed : Weighing
    label : str
        Name of a shipped data set; empty for a file, whose name may be personal.
    """
    with st.container():
        question = st.text_area(
            "The question",
            QUESTION,
            key="report_question",
            max_chars=500,
            height=100,
            persist_state="session",
            help=_NO_PERSON,
        )
        data_name = st.text_input(
            "What the data are called",
            label,
            key=f"report_data_{weighed.table.digest[:12]}",
            max_chars=120,
            persist_state="session",
            placeholder="the file's name is not used",
            help=_NO_PERSON,
        )
    with st.container():
        key = workspace.decision_key(weighed)
        st.session_state.setdefault(key, weighed.why)
        why = st.text_area(
            "Why nothing is released" if weighed.refused else "Why the chosen option",
            key=key,
            max_chars=2_000,
            height=100,
            persist_state="session",
            help=_NO_PERSON,
            disabled=not (weighed.stands or weighed.refused),
        )
        signer, until = officer.signer("Who signs"), officer.ending(weighed.table.digest)
    chosen = weighed.chosen if weighed.stands or weighed.refused else None
    texts = (why, signer, data_name, until)
    return Decision(question.strip(), chosen, *map(str.strip, texts))


def ledger(source: Source) -> None:
    """Draw the ε spent on the data set's people; nothing before the first private release."""
    path = count_tables.ledger_at(source)
    if not path.exists():
        return
    st.header("Privacy budget spent", anchor=False)
    try:
        book = Ledger(path)
        st.dataframe(story.ledger(book), hide_index=True, key="report_ledger")
        st.caption(story.spent(book))
    except FpanonError as fault:
        layout.say(fault)


def spent(source: Source) -> float:
    """Return the ε spent on the data set's people; NaN if the ledger cannot be read.

    :func:`ledger` then says why.
    """
    path = count_tables.ledger_at(source)
    try:
        return Ledger(path).spent if path.exists() else 0.0
    except FpanonError:
        return math.nan
