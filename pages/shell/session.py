"""What a browser session owns on the server: its child process, its jobs, its data and results.

Nothing here is shared between sessions, except one warm child process that holds no data yet. When
the session's browser goes away its child is ended.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job as Job
from fpanon_core.engines.process import ProcessRunner, Spare

EVERYWHERE = "*"
"""The page of work that every view shows by itself."""


@st.cache_resource(show_spinner=False)
def spare() -> Spare:
    """The server's one warm child without data; what views draw with is loaded here, too."""
    child = Spare("fpanon_core.studies.warming:warm_up")
    # A picked person's matches are drawn from this process; its first import should not be theirs.
    # Here every session waits for it: threads that import parts of one library at the same time can
    # lock each other out.
    importlib.import_module("fpanon_core.studies.warming")
    return child


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda runner: runner.close())
def runner() -> ProcessRunner:
    """The runner of the session's jobs."""
    return ProcessRunner(spare())


def start(
    function: Any,
    *arguments: Any,
    label: str,
    kind: str,
    adopt: Callable[[Job], None],
    page: str | None,
    **meta: Any,
) -> Job:
    """Queue a job of this session.

    Parameters
    ----------
    adopt : callable
        Takes the job when it is done.
    page : str or None
        Address of the page that shows its progress, :data:`EVERYWHERE`, or None for nowhere.
    **meta
        Notes for ``adopt``.
    """
    meta |= {"adopt": adopt, "page": page}
    mine = jobs()  # reading the session's state may end this run; better before the job exists
    job = runner().submit(function, *arguments, label=label, kind=kind, meta=meta)
    mine.append(job)
    return job


def retry(job: Job) -> None:
    """Queue a failed job again."""
    dismiss(job)
    mine = jobs()
    mine.append(runner().retry(job))


def dismiss(job: Job) -> None:
    """Forget a job; one that still runs is stopped."""
    runner().cancel(job)
    if job in jobs():
        jobs().remove(job)


def cancel_all() -> None:
    """Stop and forget every job, as when the data change."""
    for job in list(jobs()):
        dismiss(job)


def jobs(kind: str | None = None) -> list[Job]:
    """The session's jobs that wait, run, or ended badly; the list itself when no kind is given."""
    found: list[Job] = st.session_state.setdefault("fp_jobs", [])
    return found if kind is None else [job for job in found if job.kind == kind]


def finished() -> list[Job]:
    """The jobs that are done and not yet taken over."""
    return [job for job in list(jobs()) if job.status == "done"]


def forget(job: Job) -> None:
    """Take a job that has ended out of the list."""
    mine = jobs()
    if job in mine:
        mine.remove(job)
