"""What an officer adds to the figures: the question, the reason, and the names in the report."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.ledger import Ledger, Spent
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import count_tables
from fpanon_core.studies.recipe import Decision
from fpanon_core.studies.report import SessionRelease
from fpanon_core.studies.report_words import QUESTION, SESSION
from fpanon_core.studies.study import Weighing
from pages.report import story
from pages.shell import layout, officer, workspace
from pages.shell.dataset import Dataset

_NO_PERSON = "This text goes into the report word for word; name nobody from the data."


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


def releases(data: Dataset, made: list[SessionRelease], spent: Spent) -> None:
    """Draw the releases that the session made about these people, and the ε spent for their file.

    The releases are drawn only if there are any, and the ε only if the file has a ledger.
    """
    if made:
        st.header("Releases that this session made about these people", anchor=False)
        st.dataframe(story.made(made), hide_index=True, key="report_made")
        st.caption(SESSION)
    path = count_tables.ledger_at(data.source)
    if not path.exists():
        return
    st.header("Privacy budget spent", anchor=False)
    try:
        book = Ledger(path)
        st.dataframe(story.ledger(book), hide_index=True, key="report_ledger")
        st.caption(story.spent(book, spent))
    except FpanonError as fault:
        layout.say(fault)
