"""The option chosen for release, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from pages.shell import weighed

_CHOICE, _NAME, _WANTED = "fp_choice", "options_choice_name", "fp_choice_wanted"


@dataclass(frozen=True, eq=False)
class Choice:
    """The option chosen for these data, and why."""

    digest: str
    result: OptionResult
    why: str


def form(table: OptionsTable, names: Sequence[str]) -> Choice | None:
    """The form; the choice that stands for these data, unless another option is selected.

    A reason belongs to the option that it was given for: each has a field of its own.
    """
    if (proposed := weighed.proposed()) in names:
        st.session_state[_NAME] = proposed
    select(names)
    name = st.selectbox(
        "Option to release", names, key=_NAME, index=None, width=520,
        placeholder="none yet", persist_state="session",
    )  # fmt: skip
    why = st.text_area(
        "Why this one", key=f"options_choice_why_{name}", max_chars=2_000, height=100,
        persist_state="session",
        placeholder="What weighs for it, who asked for what, what was given up. Name no "
        "person. It stands in the report and in its recipe.",
    )  # fmt: skip
    pressed = st.button("Keep this choice", key="options_choice_keep")
    if pressed and name is not None:
        result = table.results[list(names).index(name)]
        st.session_state[_CHOICE] = Choice(table.digest, result, why.strip())
    elif pressed:
        st.error("Choose an option first.")
    standing = current(table.digest)
    if standing is not None and name is not None and name != standing.result.option.name:
        st.info(
            "Another option is selected than the one that was kept; keep this choice to have its "
            "release produced."
        )
        return None
    return standing


def select(names: Sequence[str]) -> None:
    """Nothing, while the option selected is not there; it again, once it is explored anew."""
    selected = st.session_state.get(_NAME)
    if selected is None:
        wanted = st.session_state.get(_WANTED)
        st.session_state[_NAME] = wanted if wanted in names else None
    elif selected not in names:
        st.session_state[_WANTED], st.session_state[_NAME] = selected, None
    if st.session_state[_NAME] is not None:
        st.session_state.pop(_WANTED, None)


def current(digest: str) -> Choice | None:
    """The choice that stands for the data of that digest."""
    found: Choice | None = st.session_state.get(_CHOICE)
    if found is not None and found.digest == digest:
        return found
    opened = weighed.of_data(digest)  # of a study that was opened
    if opened is None or not opened.stands:
        return None
    result = next(r for r in opened.table.results if r.option.name == opened.chosen)
    return Choice(digest, result, opened.why)
