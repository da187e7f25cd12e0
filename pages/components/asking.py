"""A question on a view: asked by itself or by a button, shown while it is worked on."""

from __future__ import annotations

from typing import Any

import streamlit as st

from . import answers, job_panel, session
from .answers import Question


def settled(question: Question, *, alone: bool, button: str) -> Any | None:
    """The answer, or None while there is none.

    Parameters
    ----------
    alone : bool
        Ask without being told to, unless somebody stopped it.
    button : str
        What to press otherwise.
    """
    found = answers.answer(question)
    if found is None and not answers.under_way(question):
        ask = alone and not answers.held(question)
        if ask or st.button(button, key=f"{question.kind}_go", type="primary"):
            answers.ask(question)
    with st.container(key=f"{question.kind}_work"):
        jobs = session.jobs(question.kind)
        job_panel.show(jobs, key=f"{question.kind}_jobs", stop=answers.hold)
    return found
