"""The worked example as an explainer; every number is computed, none is typed in."""

from __future__ import annotations

import streamlit as st

from pages.disclosure import form, story
from pages.shell import questions


def explainer() -> None:
    """The expander; while the numbers are computed it says so."""
    with st.expander("How the measures work: four users and five bins", key="disclosure_example"):
        questions.ask(form.EXAMPLE)
        worked = questions.answer(form.EXAMPLE)
        if worked is None:
            st.caption("The numbers appear here in a moment.")
            return
        # A plain table: a grid is not drawn while the expander around it is closed.
        st.markdown(story.example_table(worked))
        st.markdown(story.example_told(worked))
