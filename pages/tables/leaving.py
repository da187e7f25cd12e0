"""Tables as they leave: charged to the ledger where private, made, and offered as a zip."""

from __future__ import annotations

from typing import Any

import streamlit as st

from fpanon_core.io.ledger import Ledger
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.options import Synthesize, Tables
from fpanon_core.studies import count_tables, synthetic_people
from fpanon_core.studies.count_tables import Result
from fpanon_core.studies.reading import Reading
from pages.charts.plain import plain
from pages.shell import downloads, layout, questions
from pages.shell.dataset import Dataset
from pages.shell.questions import Question
from pages.shell.release import PEOPLE, TABLES, describe_page, file_format
from pages.tables import story
from pages.tables.form import Wish


def ask(data: Dataset, wish: Wish) -> Result | synthetic_people.Result | None:
    """The expected error, and a button that makes what is published; that, once it is made."""
    option = wish.option
    if option is None or wish.people is None:
        st.caption(story.EMPTY)
        label = f"Make the {'people' if wish.made_up else 'tables'}"
        st.button(label, key="tables_go", type="primary", disabled=True)
        st.caption(wish.lacking)
        return None
    reading = None
    try:
        _expected(data, option, wish.people)
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
    kind, what = (TABLES, "Making tables")
    if isinstance(option, Synthesize):
        kind, what = PEOPLE, "Making people up"
    question = Question(kind, data.fs, option, what, also)
    found: Result | synthetic_people.Result | None = questions.answer(question)
    if found is None and _pressed(data, option, reading, busy=questions.under_way(question)):
        questions.ask(question)
        st.rerun()
    questions.progress(kind)
    return found


def _expected(data: Dataset, option: Tables | Synthesize, people: int) -> None:
    """What noise will do, from public numbers alone."""
    if isinstance(option, Synthesize):
        st.markdown(story.expected_people(synthetic_people.expected(data.fs, option, people)))
        return
    table = count_tables.expected_error(data.fs, option, people)
    with st.container(horizontal=True, vertical_alignment="center", key="tables_expected"):
        st.markdown(story.expected(table, option), width="content")
        if option.epsilon is not None:
            with st.popover("Fewer areas or hours", type="tertiary", key="tables_fewer"):
                st.dataframe(story.choices(table), hide_index=True, key="tables_choices")


def _pressed(
    data: Dataset, option: Tables | Synthesize, reading: Reading | None, *, busy: bool
) -> bool:
    """Whether they are to be made; private ones are charged to the ledger first.

    Noise that is not charged is seen by nobody: else one could draw until it looks well.
    """
    if option.epsilon is None:
        return st.button("Make the tables", key="tables_go", type="primary", disabled=busy)
    made_up = isinstance(option, Synthesize)
    try:
        ledger = Ledger(count_tables.ledger_at(data.source))
        past = ledger.left is not None and option.epsilon > ledger.left
        budget, reason = None, ""
        row = st.container(horizontal=True, vertical_alignment="bottom")
        if ledger.budget is None:
            label = "Budget of ε for these people (optional)"
            budget = row.number_input(label, 0.1, None, None, key="tables_budget", width=300)
        if past:
            reason = row.text_input("Why the budget may be passed", key="tables_reason").strip()
        pressed = row.button(
            f"Charge ε = {option.epsilon:g} and make the {'people' if made_up else 'tables'}",
            key="tables_go",
            type="secondary" if past else "primary",
            disabled=busy or (past and not reason),
        )
        st.caption(story.before_noise(ledger.spent, ledger.budget, reading))
        if pressed:
            count_tables.charge(data.source, option, budget, reason or None)
    except FpanonError as fault:
        layout.say(fault)
        return False
    return pressed


def section(data: Dataset, found: Result | synthetic_people.Result) -> None:
    """The download, and before it the reason where one is due."""
    if not found.archives:
        st.error(f"**Do not release this; it is not offered.** {plain(found.verdict)}")
        return
    option = found.config
    with st.container(border=True, key="tables_release"):
        settings: dict[str, Any] = {"release": str(option), "epsilon": option.epsilon}
        if isinstance(option, Tables) and option.epsilon is None and option.threshold is None:
            settings["why"] = st.text_input(
                "Why exact counts may leave", key="tables_why", placeholder=story.REASON
            ).strip()
            if not settings["why"]:
                st.caption(story.REASON_FIRST)
                return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            format = file_format(TABLES)
            made_up = isinstance(option, Synthesize)
            prefix = "synthetic_" if data.source.synthetic and not made_up else ""
            downloads.offer(
                "Synthetic people (zip)" if made_up else "Tables (zip)",
                lambda: found.archives[format],
                "synthetic_people.zip" if made_up else f"{prefix}tables.zip",
                key="tables_get_release",
                icon=":material/download:",
                kind="primary" if option.epsilon is not None else "secondary",
                settings=settings | {"format": format},
            )
        st.caption(story.VERIFIED_PEOPLE if isinstance(option, Synthesize) else story.VERIFIED)
    with st.expander("The page that goes with them (README.md)", key="tables_page"):
        st.markdown(describe_page(found.page))
