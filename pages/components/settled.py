"""A question's answer, or its progress until it is there: the same under every view that asks."""

from __future__ import annotations

from typing import Any

import streamlit as st

from . import answers, job_panel, session
from .answers import Question
from .dataset import Dataset

_MANY_SAMPLES = 2_000_000  # above, the run waits to be asked for


def settled(data: Dataset, question: Question, *, asked: bool = False) -> Any | None:
    """The answer; asked for by itself on data of ordinary size, otherwise by a button.

    ``asked``: somebody has just asked for it.
    """
    found = answers.answer(question)
    if found is None and not answers.under_way(question):
        alone = data.fs.n_samples <= _MANY_SAMPLES and not answers.held(question)
        if asked or alone or st.button("Measure", key=f"{question.kind}_go", type="primary"):
            answers.ask(question)
    with st.container(key=f"{question.kind}_work"):
        jobs = session.jobs(question.kind)
        job_panel.show(jobs, key=f"{question.kind}_jobs", stop=answers.hold)
    return found
