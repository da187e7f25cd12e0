"""Waiting for what other processes and threads do."""

from __future__ import annotations

import time
from collections.abc import Callable

from fpanon_core.engines.process import Job


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def over(job: Job, status: str | None = None) -> Job:
    """The job once it has ended, with that status where one is given."""
    until(lambda: not job.active)
    assert status in (None, job.status), job.error
    return job


def running(job: Job) -> Job:
    until(lambda: job.status == "running")
    return job
