"""Questions that a child process answers once: asked, held, adopted, and looked up again.

Of each kind the latest answer is kept; of kinds asked for one by one, several. One that was
cancelled or dismissed is held: it is not asked again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job

from . import session

MANY = {"explore": 100, "look": 8}  # how many answers are kept
KINDS = (
    "unicity",
    "regions",
    "disclosure",
    "table_4_1",
    "compare",
    "estimate_hiding",
    "recovery",
    "recovery_factors",
    "recovery_remedies",
    *MANY,
)
_ANSWERS, _HELD = "fp_answers", "fp_held_questions"
_SEVERAL = "fp_answers_of_many"


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
    if question.kind in MANY:
        return several(question.kind).get(question.key)
    key, found = st.session_state.get(_ANSWERS, {}).get(question.kind, (None, None))
    return found if key == question.key else None


def several(kind: str) -> dict[Hashable, Any]:
    """The answers kept of a kind of which there are many, by key, the latest last."""
    found: dict[Hashable, Any] = st.session_state.get(_SEVERAL, {}).get(kind, {})
    return found


def under_way(question: Question) -> bool:
    """Whether it was asked and has no answer yet; it may have failed."""
    return any(job.meta["key"] == question.key for job in session.jobs(question.kind))


def held(question: Question) -> bool:
    """Whether somebody stopped it."""
    return (question.kind, question.key) in st.session_state.get(_HELD, set())


def ask(question: Question) -> None:
    """Start computing, unless it is done or under way; others of the kind are let go.

    Of kinds of which there are many, they go on.
    """
    if answer(question) is not None or under_way(question):
        return
    st.session_state.get(_HELD, set()).discard((question.kind, question.key))
    for job in session.jobs(question.kind) if question.kind not in MANY else ():
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
    if job.kind in MANY:
        kept = {**several(job.kind), job.meta["key"]: job.result}
        some = dict(list(kept.items())[-MANY[job.kind] :])
        st.session_state[_SEVERAL] = st.session_state.get(_SEVERAL, {}) | {job.kind: some}
        return
    kept = st.session_state.get(_ANSWERS, {})
    st.session_state[_ANSWERS] = kept | {job.kind: (job.meta["key"], job.result)}
