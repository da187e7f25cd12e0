"""Whose path one looks at, among those counted: by pseudonym, or by how much of it comes back."""

from __future__ import annotations

import numpy as np
import streamlit as st

from fpanon_core.studies.recovery import Result
from pages.shell import overtaken
from pages.shell.guard import act

_LIST_UP_TO = 5_000
_PICKED, _WHO = "fp_recovered_picked", "fp_recovered_who"


def person(found: Result) -> int:
    """The row, among those counted, to look at; one in the middle until another is chosen."""
    order = np.argsort(found.right, kind="stable")
    numbers = found.number
    if st.session_state.get(_WHO) not in numbers:
        _look_at(int(numbers[order[len(order) // 2]]))
    number = int(st.session_state[_WHO])
    row = int(np.flatnonzero(numbers == number)[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = overtaken.key("aggregates_person", _PICKED)
        if len(numbers) <= _LIST_UP_TO:
            st.selectbox(
                "Person", numbers.tolist(), index=row, key=key, on_change=act(_take), args=(key,),
                format_func=dict(zip(numbers.tolist(), found.pseudonyms, strict=True)).__getitem__,
                help="Choose by pseudonym, among those counted.", width=220,
            )  # fmt: skip
        else:
            asked = st.number_input(
                "Person (number of the pseudonym)", 1, int(numbers.max()), number, key=key,
                on_change=act(_take), args=(key,), width=260,
            )  # fmt: skip
            if asked not in numbers:
                st.warning("Nobody counted has this number.")
        for label, at in (
            ("Best recovered", -1),
            ("In the middle", len(order) // 2),
            ("Least recovered", 0),
        ):
            st.button(
                label,
                key=f"aggregates_{label.split()[0].lower()}",
                on_click=act(_look_at),
                args=(int(numbers[order[at]]),),
            )
    return row


def _look_at(number: int) -> None:
    overtaken.overtake(_PICKED)
    st.session_state[_WHO] = number


def _take(key: str) -> None:
    if overtaken.is_current(key, "aggregates_person", _PICKED):
        st.session_state[_WHO] = int(st.session_state[key])
