"""A question's answer, or its progress until it is there: the same under every view that asks."""

from __future__ import annotations

from typing import Any

import streamlit as st

from . import answers, job_panel, session
from .answers import Question
from .dataset import Dataset

_MANY_SAMPLES = 2_000_000  # above, the run waits to be asked for


def ordinary(data: Dataset) -> bool:
    """Whether the data are of a size at which nobody minds being measured without asking."""
    return data.fs.n_samples <= _MANY_SAMPLES


def settled(
    question: Question, *, alone: bool, asked: bool = False, button: str = "Measure"
) -> Any | None:
    """The answer, or None while there is none.

    Parameters
    ----------
    alone : bool
        Ask without being told to, unless somebody stopped it.
    asked : bool
        Somebody has just asked for it.
    button : str
        What to press otherwise.
    """
    found = answers.answer(question)
    if found is None and not answers.under_way(question):
        by_itself = alone and not answers.held(question)
        if asked or by_itself or st.button(button, key=f"{question.kind}_go", type="primary"):
            answers.ask(question)
    with st.container(key=f"{question.kind}_work"):
        jobs = session.jobs(question.kind)
        job_panel.show(jobs, key=f"{question.kind}_jobs", stop=answers.hold)
    return found
