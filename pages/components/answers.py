"""Questions that a child process answers once: asked, held, adopted, and looked up again.

Of each kind the latest answer is kept. One that was cancelled or dismissed is held: it is not asked
again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job

from . import session

KINDS = (
    "unicity",
    "regions",
    "compare",
    "estimate_hiding",
    "recovery",
    "recovery_factors",
    "recovery_remedies",
)
_ANSWERS, _HELD = "fp_answers", "fp_held_questions"


@dataclass(frozen=True)
class Question:
    """What to compute; two of one kind and key have the same answer."""

    kind: str
    key: Hashable
    label: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def answer(question: Question) -> Any | None:
    """The answer, if it is there."""
    key, found = st.session_state.get(_ANSWERS, {}).get(question.kind, (None, None))
    return found if key == question.key else None


def under_way(question: Question) -> bool:
    """Whether it was asked and has no answer yet; it may have failed."""
    return any(job.meta["key"] == question.key for job in session.jobs(question.kind))


def held(question: Question) -> bool:
    """Whether somebody stopped it."""
    return (question.kind, question.key) in st.session_state.get(_HELD, set())


def ask(question: Question) -> None:
    """Start computing, unless it is done or under way; others of the kind are let go."""
    if answer(question) is not None or under_way(question):
        return
    st.session_state.get(_HELD, set()).discard((question.kind, question.key))
    for job in session.jobs(question.kind):
        session.dismiss(job)
    session.start(
        question.function,
        *question.arguments,
        label=question.label,
        kind=question.kind,
        key=question.key,
    )


def hold(job: Job) -> None:
    """Stop computing, and do not start again by itself."""
    st.session_state.setdefault(_HELD, set()).add((job.kind, job.meta["key"]))
    session.dismiss(job)


def adopt(job: Job) -> None:
    """Keep an answer."""
    kept = st.session_state.get(_ANSWERS, {})
    st.session_state[_ANSWERS] = kept | {job.kind: (job.meta["key"], job.result)}
