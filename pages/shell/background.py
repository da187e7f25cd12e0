"""The lines that the session lays under its maps."""

from __future__ import annotations

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.geography import Background
from fpanon_core.studies import background as background_study

from . import session

JOBS = "background"
_KEPT = "fp_background"
_AT_MOST_S = 60.0


def current() -> Background | None:
    """What lies under the maps, if anything does."""
    found: Background | None = st.session_state.get(_KEPT)
    return found


def read(body: bytes) -> None:
    """Start reading a file; what it holds takes the place of what there was."""
    for job in session.jobs(JOBS):
        session.dismiss(job)
    session.start(
        background_study.study,
        body,
        label="Reading the background of the maps",
        kind=JOBS,
        adopt=_adopt,
        page="data",
        at_most_s=_AT_MOST_S,
    )


def remove() -> None:
    """Lay nothing under the maps any more."""
    session.drop(_KEPT)


def _adopt(job: Job) -> None:
    session.keep(_KEPT, job.result)
