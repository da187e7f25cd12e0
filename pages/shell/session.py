"""What a browser session owns on the server: its child process, its jobs, its data and results.

Nothing here is shared between sessions, except one spare child process that holds no data, and the
queue in which jobs wait for their turn. :mod:`pages.server.lives` decides how long all this is
kept without the browser, and which browser owns it. The messages about this are here, too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.typing import UploadedFile

from fpanon_core.engines.process import Job as Job
from fpanon_core.engines.process import Limits, ProcessRunner, Spare, Turns
from pages.charts import words
from pages.server import uploads
from pages.server.environment import IN_FORCE
from pages.server.lives import REGISTRY, Ended, Work
from pages.server.owners import CONNECTION

from . import guard

EVERYWHERE = "*"
"""Value of ``page`` for a job whose progress every view shows by itself."""

FIRST = "fp_first_run"
"""Entry of the session's state from when earlier work is found until its settings are back."""
_JOBS, _TOLD = "fp_jobs", "fp_ended"
_TURNS = Turns.of_server()
_LIMITS = Limits.of_server()


def arrive() -> None:
    """Find the work of the page that this browser left before; call first in every run."""
    mine = REGISTRY.claim(_session_id(), st.context.headers.get(CONNECTION) or "")
    if mine.given_to != mine.session_id:
        st.session_state[_JOBS] = mine.jobs
        for name, value in mine.kept.items():
            st.session_state[name] = value
        st.session_state[FIRST] = True
        mine.given_to = mine.session_id  # last: Streamlit may end a run at any step


def work() -> Work:
    """Return all that the session has on the server."""
    return REGISTRY.claim(_session_id())


def keep(name: str, value: Any) -> None:
    """Store a value in the session's state, where the page finds it again after a reload."""
    work().kept[name] = st.session_state[name] = value


def drop(name: str) -> None:
    """Remove a value that :func:`keep` stored."""
    work().kept.pop(name, None)
    st.session_state.pop(name, None)


def uploads_of_page() -> None:
    """Note which uploaded files the page's widgets hold; all others are dropped after a while."""
    held = [value for value in st.session_state.values() if isinstance(value, UploadedFile)]
    work().claimed = frozenset(file.file_id for file in held)


def uploads_read(files: list[UploadedFile]) -> None:
    """Drop the widgets' copies of uploaded files that were handed on to be read."""
    uploads.drop(_session_id(), [file.file_id for file in files])


def _new_spare() -> Spare:
    """Start the server's one spare child process, without data; import modules that views need."""
    child = Spare("fpanon_core.studies.warming:warm_up")
    # This process draws the matches of a person who is picked, which must not wait for the first
    # import. Here every session waits for it: threads that import parts of one library at the same
    # time can lock each other out.
    importlib.import_module("fpanon_core.studies.warming")
    return child


def runner() -> ProcessRunner:
    """Return the runner of the session's jobs."""
    mine = work()
    if mine.runner is None:
        mine.runner = ProcessRunner(REGISTRY.spare(_new_spare), turns=_TURNS, limits=_LIMITS)
    return mine.runner


def start(
    function: Any,
    *arguments: Any,
    label: str,
    kind: str,
    adopt: Callable[[Job], None],
    page: str | None,
    at_most_s: float | None = None,
    needs_bytes: int | None = None,
    **meta: Any,
) -> Job:
    """Queue a job of this session, and return it.

    Parameters
    ----------
    adopt : callable
        Takes the job when it is done.
    page : str or None
        Address of the page that shows the progress, :data:`EVERYWHERE`, or None for nowhere.
    at_most_s, needs_bytes
        Passed to :meth:`.ProcessRunner.submit`.
    **meta
        Notes for ``adopt``.
    """
    meta |= {"adopt": adopt, "page": page}
    mine = jobs()  # reading the session's state may end this run; better before the job exists
    job = runner().submit(
        function,
        *arguments,
        label=label,
        kind=kind,
        meta=meta,
        at_most_s=at_most_s,
        needs_bytes=needs_bytes,
    )
    mine.append(job)
    return job


def retry(job: Job) -> None:
    """Queue a failed job again."""
    dismiss(job)
    jobs().append(runner().retry(job))


def dismiss(job: Job) -> None:
    """Forget a job; one that still runs is stopped."""
    runner().cancel(job)
    forget(job)


def cancel_all() -> None:
    """Stop and forget every job, as when the data change."""
    for job in list(jobs()):
        dismiss(job)


def jobs(kind: str | None = None) -> list[Job]:
    """Return the session's jobs of a kind that wait, run or have failed.

    If ``kind`` is None, return the session's own list of all jobs.
    """
    if _JOBS not in st.session_state:
        st.session_state[_JOBS] = work().jobs = []
    found: list[Job] = st.session_state[_JOBS]
    return found if kind is None else [job for job in found if job.kind == kind]


def finished() -> list[Job]:
    """Return the jobs that are done and not yet taken over."""
    return [job for job in list(jobs()) if job.status == "done"]


def forget(job: Job) -> None:
    """Remove a job from the session's list of jobs."""
    mine = jobs()
    if job in mine:
        mine.remove(job)


def _session_id() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


# --- what is kept without the browser, and what was ended ---


def tell_ended() -> None:
    """Draw a message, to be confirmed, on what was ended while the browser was away."""
    if (found := REGISTRY.ended(_session_id())) is not None:
        st.session_state[_TOLD] = found
    told: Ended | None = st.session_state.get(_TOLD)
    if told is not None:
        st.warning(describe_ended(told))
        guard.button("Understood", drop, _TOLD, key="frame_away_read")


def describe_kept() -> str:
    """Say what is kept of a session without its browser, and what is not."""
    return (
        "What you open stays in memory while this browser shows a page of the "
        f"dashboard, and for {_minutes(IN_FORCE.grace_min)} afterwards. If you reload a "
        "page, this browser finds your data, results and running work; no other browser does. "
        "After that time, or when the dashboard stops, everything is gone except what you saved."
    )


def describe_lost() -> str:
    """Say what closing the page loses, and when."""
    return (
        "Once the page is closed, data, results, settings and choice are kept for "
        f"{_minutes(IN_FORCE.grace_min)}, for this browser alone. After that, all of it is gone; "
        "if you stop the dashboard, it is gone at once. Only what you saved remains."
    )


def describe_ended(ended: Ended) -> str:
    """Say in plain words what was ended, without any content of the data."""
    if not ended.minutes:
        return (
            "The session that this page belonged to has ended, or the dashboard was started again. "
            "What was open is no longer in memory; open the data again."
        )
    lost = ["the data and results are gone from memory"] if ended.data else []
    if ended.stopped:
        stopped = words.count(ended.stopped, "unfinished computation")
        lost.append(f"{stopped} {words.were(ended.stopped)} stopped")
    return (
        f"Your session ended after {_minutes(ended.minutes)} without a connection: "
        f"{', and '.join(lost)}."
    )


def _minutes(minutes: float) -> str:
    if minutes < 1:
        return words.count(round(minutes * 60), "second")
    return words.count(round(minutes), "minute")
