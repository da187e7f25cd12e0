"""Tables as they leave: asked for by a button, charged to the ledger, and offered as a zip."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import streamlit as st

from fpanon_core.io.publishing import FORMATS
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import count_tables
from fpanon_core.studies.count_tables import Result
from pages.charts.plain import plain
from pages.shell import downloads, layout, questions, session
from pages.shell.dataset import Dataset
from pages.shell.questions import Question
from pages.shell.release import TABLES, describe_page, file_format
from pages.tables import story
from pages.tables.form import Wish

_CHARGED = "fp_tables_charged"


def ask(data: Dataset, wish: Wish) -> Result | None:
    """The expected error, and a button that makes the tables; the tables, once they are made."""
    option = wish.option
    if option is None:
        st.caption(story.EMPTY)
        st.button("Make the tables", key="tables_go", type="primary", disabled=True)
        st.caption(wish.lacking)
        return None
    reading = None
    try:
        if wish.people is not None:
            table = count_tables.expected_error(data.fs, option, wish.people)
            with st.container(horizontal=True, vertical_alignment="center", key="tables_expected"):
                st.markdown(story.expected(table, option), width="content")
                if option.epsilon is not None:
                    with st.popover("Fewer areas or hours", type="tertiary", key="tables_fewer"):
                        st.dataframe(story.choices(table), hide_index=True, key="tables_choices")
        if option.epsilon is not None:
            reading = count_tables.stated_reading(data.fs, data.reading, option.frame)
    except FpanonError as fault:
        layout.say(fault)
        return None
    kept = data.source.was_read and reading is not None
    if lacking := story.unreadable(option, data.report, kept):
        st.error(lacking)
        return None
    also = () if reading is None else (data.source, reading)
    question = Question(TABLES, data.fs, option, "Making tables", also)
    found: Result | None = questions.answer(question)
    if found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(
                "Make the tables",
                key="tables_go",
                type="primary",
                disabled=questions.under_way(question),
            ):
                questions.ask(question)
                st.rerun()
            if told := story.stated(option, reading):
                st.caption(told, width="content")
    questions.progress(TABLES)
    return found


def section(data: Dataset, found: Result) -> None:
    """The ledger, the reason where one is due, and the download."""
    if not found.archives:
        st.error(f"**Do not release this; it is not offered.** {plain(found.verdict)}")
        return
    option = found.config
    with st.container(border=True, key="tables_release"):
        settings: dict[str, Any] = {"release": str(option), "epsilon": option.epsilon}
        if option.epsilon is not None and not _charged(data, found, option.epsilon):
            return
        if option.epsilon is None and option.threshold is None:
            settings["why"] = st.text_input(
                "Why exact counts may leave", key="tables_why", placeholder=story.REASON
            ).strip()
            if not settings["why"]:
                st.caption(story.REASON_FIRST)
                return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            format = file_format(TABLES)
            downloads.offer(
                "Tables (zip)",
                lambda: found.archives[format],
                f"{'synthetic_' if data.source.synthetic else ''}tables.zip",
                key="tables_get_release",
                icon=":material/download:",
                kind="primary" if option.epsilon is not None else "secondary",
                settings=settings | {"format": format},
            )
        st.caption(story.VERIFIED)
    with st.expander("The page that goes with them (README.md)", key="tables_page"):
        st.markdown(describe_page(found.page))


def _charged(data: Dataset, found: Result, epsilon: float) -> bool:
    """Whether these very tables are charged to the ledger; a button charges them."""
    mark = sha256(found.archives[FORMATS[0]]).hexdigest()
    charged: set[str] = st.session_state.get(_CHARGED, set())
    if mark in charged:
        return True
    try:
        ledger = count_tables.ledger_of(data.source)
        st.markdown(story.ledger(ledger.spent, ledger.budget, epsilon))
        past = ledger.left is not None and epsilon > ledger.left
        row = st.container(horizontal=True, vertical_alignment="bottom")
        budget, reason = None, ""
        if ledger.budget is None:
            budget = row.number_input(
                "Budget for these people (optional)",
                0.1,
                None,
                None,
                key="tables_budget",
                width=260,
            )
        if past:
            reason = row.text_input("Why the budget may be passed", key="tables_reason").strip()
        if row.button(
            f"Charge ε = {epsilon:g} and offer the zip",
            key="tables_charge",
            type="secondary" if past else "primary",
            disabled=past and not reason,
        ):
            count_tables.ledger_of(data.source, budget).spend(found.made, reason=reason or None)
            session.keep(_CHARGED, charged | {mark})
            st.rerun()
    except FpanonError as fault:
        layout.say(fault)
    return False
