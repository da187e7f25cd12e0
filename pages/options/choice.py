"""The option chosen for release, with the reason."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from fpanon_core.studies.options_table import OptionsTable
from pages.options import story
from pages.shell import chosen, limits, weighed
from pages.shell.chosen import Choice

_NAME, _WANTED = "options_choice_name", "fp_choice_wanted"


def form(table: OptionsTable, names: Sequence[str]) -> Choice | None:
    """The form; the choice that stands for these data, unless another option is selected.

    A reason belongs to the option that it was given for: each has a field of its own.
    """
    if (proposed := weighed.proposed()) in names:
        st.session_state[_NAME] = proposed
    listed = [*names, chosen.REFUSE]
    select(listed)
    name = st.selectbox(
        "Option to release", listed, key=_NAME, index=None, width=520,
        placeholder="none yet", persist_state="session",
    )  # fmt: skip
    why = st.text_area(
        "Why this one", key=f"options_choice_why_{name}", max_chars=2_000, height=100,
        persist_state="session",
        placeholder=chosen.REASON,
    )  # fmt: skip
    pressed = st.button("Keep this choice", key="options_choice_keep")
    if pressed and name == chosen.REFUSE:
        if why.strip():
            chosen.refuse(table.digest, why)
        else:
            st.error(chosen.NO_REASON)
    elif pressed and name is not None:
        result = table.results[list(names).index(name)]
        if refusal := chosen.refused(result, why, limits.in_force()):
            st.error(refusal)
        else:
            chosen.keep(table.digest, result, why)
    elif pressed:
        st.error(f"Choose an option first, or “{chosen.REFUSE}”.")
    why_not = chosen.refusal(table.digest)
    if why_not is not None and name in (chosen.REFUSE, None):
        st.success(story.refused_told(why_not))
    elif why_not is not None:
        st.info(story.REFUSED_BEFORE)
    standing = chosen.current(table.digest)
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
