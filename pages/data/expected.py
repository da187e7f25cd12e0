"""What reading a large file of the server's folder is likely to take, told before it is read."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.budgets import clock
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import reading_estimate
from fpanon_core.studies.estimates import describe_need
from fpanon_core.studies.reading import Source
from fpanon_core.studies.reading_estimate import ReadingEstimate
from pages.shell import job_panel, session

JOBS = "weigh"
_TOLD = "fp_reading_told"


def show(source: Source) -> None:
    """Rows, time and memory; nothing of a small file, or of what was read already."""
    try:
        if not reading_estimate.is_large(source):
            return
    except FpanonError:
        return  # it is gone; whoever reads it is told so
    asked, told = st.session_state.get(_TOLD, (None, None))
    if asked == source.file and told is not None:
        st.caption(said(told))
        return
    mine = [job for job in session.jobs(JOBS) if job.meta["source"].file == source.file]
    for job in session.jobs(JOBS):
        if job not in mine:
            session.dismiss(job)
    if not mine:
        mine = [_ask(source)]
    if mine[0].active:
        job_panel.quiet(mine[0], "Estimating from the first rows how long it will take …")


def said(told: ReadingEstimate) -> str:
    """For the screen."""
    parts = []
    if told.rows is not None:
        parts.append(f"It has about {told.rows_rounded:,} rows.")
    if told.seconds is not None and told.fits:
        parts.append(f"Reading it is likely to take about {clock(max(told.seconds, 1))}.")
    if told.needs_bytes is not None:
        parts.append(describe_need(told.needs_bytes, told.limit_bytes))
    if not told.fits:
        parts.append(
            "Have it read piece by piece: as Parquet, or in several smaller files, in a folder of "
            "its own, by `fpanon ingest FOLDER --keep NEW_FOLDER`. What is kept is opened here."
        )
    return " ".join(parts)


def _ask(source: Source) -> session.Job:
    return session.start(
        reading_estimate.study,
        source,
        label="Estimating",
        kind=JOBS,
        adopt=_adopt,
        page=None,
        source=source,
    )


def _adopt(job: session.Job) -> None:
    st.session_state[_TOLD] = (job.meta["source"].file, job.result)
