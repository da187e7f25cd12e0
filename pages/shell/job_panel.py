"""Work under way: its progress, the time left, a way to stop it, and help after a failure."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.io.hints import for_screen
from fpanon_core.model.budgets import gigabytes
from fpanon_core.model.errors import FpanonError
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.charts.words import clock, count

from . import guard, session
from .guard import fragment

_POLL_S = 0.6
_WORTH_SAYING = 500_000_000  # bytes of memory; less is nobody's concern


def collect() -> None:
    """Take over jobs that finished since the last look; call once at the start of every run."""
    for job in session.finished():
        try:
            job.meta["adopt"](job)
        except Exception:
            session.forget(job)  # not again in every run
            raise
        # Last, because Streamlit may end a run at any step and start it again.
        session.forget(job)
    for job in list(session.jobs()):
        if job.status == "cancelled":
            session.forget(job)


def show(jobs: list[Job], *, key: str, stop: Callable[[Job], None] = session.dismiss) -> None:
    """Show the progress of the running jobs, and the error of each job that failed.

    Parameters
    ----------
    jobs : list of Job
    key : str
        Beginning of the keys of the widgets.
    stop : callable
        What the buttons Cancel and Dismiss do to a job.
    """
    if any(job.active for job in jobs):
        _progress([job for job in jobs if job.active], key, stop)
    ended: dict[str, list[Job]] = {}
    for job in jobs:
        if not job.active and job.error is not None:
            ended.setdefault(job.error.message, []).append(job)
    for message, group in ended.items():
        _failure(message, group, key, stop)


def _failure(message: str, jobs: list[Job], key: str, stop: Callable[[Job], None]) -> None:
    """Draw one message for all jobs that failed with it; offer a retry only where one may help."""
    first, more = jobs[0], len(jobs) - 1
    label = first.label + (f" (and {more} more)" if more else "")
    with st.container(key=f"{key}_failed_{first.number}"):
        said = plain(for_screen(message), MESSAGE_LENGTH)
        st.error(f"**{plain(label)} was not finished.** {said}")
        with st.container(horizontal=True):
            if first.status == "lost" or type(first.error) is FpanonError:
                again = f"{key}_retry_{first.number}"
                guard.button("Try again", _each, session.retry, jobs, key=again, type="primary")
            guard.button("Dismiss", _each, stop, jobs, key=f"{key}_dismiss_{first.number}")


def _each(act: Callable[[Job], None], jobs: list[Job]) -> None:
    for job in jobs:
        act(job)


@fragment(run_every=_POLL_S)
def _progress(jobs: list[Job], key: str, stop: Callable[[Job], None]) -> None:
    if any(not job.active for job in jobs):
        st.rerun()
    first, *rest = sorted(jobs, key=lambda job: job.status != "running")
    with st.container(border=True, key=f"{key}_running"):
        left, right = st.columns([6, 1], vertical_alignment="center")
        left.progress(first.fraction, text=line(first, len(rest)))
        if right.button("Cancel", key=f"{key}_cancel"):
            _each(stop, jobs)
            st.rerun()


@fragment(run_every=_POLL_S)
def quiet(job: Job, text: str) -> None:
    """Draw a line about work in the background that nobody has to wait for."""
    if not job.active:
        st.rerun()
    st.caption(f"{text} {job.fraction:.0%}" if job.fraction else text)


@fragment(run_every=_POLL_S)
def background(following: Callable[[], Job | None], text: str) -> None:
    """Draw a line about one background job after another; redraw the page when all are done.

    ``following`` returns the job that runs now; None when all are done.

    Redrawing the page after each job would close lists that are open, and discard text being typed.
    """
    if any(job.kind != "deepen" for job in session.finished()):
        st.rerun()
    collect()
    job = following()
    if job is None:
        st.rerun()
    st.caption(f"{text} {job.fraction:.0%}")


def line(job: Job, waiting: int) -> str:
    """Describe a job: name, progress, time left, memory, and how many jobs come after it."""
    parts = [f"**{plain(job.label)}**", waits(job) or f"{job.fraction:.0%}"]
    if job.status == "running":
        parts.append(f"{clock(job.elapsed_s)} so far")
    if (left := job.remaining_s) is not None:
        parts.append(f"about {clock(left)} left")
    if job.needs_bytes is not None and job.needs_bytes >= _WORTH_SAYING:
        parts.append(f"about {gigabytes(job.needs_bytes)} of memory")
    if waiting:
        parts.append(f"{waiting} more to come")
    return " · ".join(parts)


def waits(job: Job) -> str:
    """Say how many jobs, of all sessions, a job waits behind; return "" if there are none."""
    return f"waits behind {count(job.ahead, 'other')}" if job.ahead else ""


@fragment(run_every=_POLL_S)
def small(jobs: list[Job]) -> None:
    """Draw one short line on running jobs; the page itself takes over jobs that finish."""
    if any(not job.active for job in jobs):
        st.rerun()
    first = min(jobs, key=lambda job: job.status != "running")
    done = waits(first) or f"{first.fraction:.0%}"
    st.progress(first.fraction, text=f"{plain(first.label)} · {done}")
