"""Long computations in a child process, which can be watched, cancelled and, if it dies, replaced.

A :class:`ProcessRunner` belongs to one session. It runs that session's jobs one after the other in
its own child, which no other session's data ever enters. The child is a plain ``python -m
fpanon_core.engines.worker``: the program that started this process is not executed again. Arguments
and results travel over pipes between the two processes. Fingerprints that are kept in a folder
travel as the folder's name. The child's answers are read as data and trusted as nothing more
(:mod:`.answers`).

Jobs of all sessions wait for their turn (:class:`Turns`). Cancelling kills the child. A child that
exceeds a limit of memory or time (:class:`.limits.Limits`) is killed, too, and its job reports
this. If a child is killed from outside, its job is ``lost`` and states the cause in a plain
sentence. The next job gets a new child. A child that is idle for a long time is ended. When this
process ends, the child reads the end of its input and ends too.

One :class:`Turns` serves all sessions of a server: it limits how many jobs run at once, and the
others wait in line. A session has one place in the line, however many jobs it has queued, and takes
a new place at the end after each job. So if one session has twelve jobs, another session's single
job does not wait for all of them. One short job may run in addition to the others, so that jobs
that take hours do not block the opening of a file.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..model import errors
from ..model.budgets import whole_number
from ..model.checks import whole
from ..model.errors import FpanonError, InfeasibleError
from .answers import unpacked
from .child import Child, Job, Recipient, Spare, Status
from .limits import Limits, Watch, needs_too_much, out_of_memory
from .worker import receive

__all__ = ["Child", "Job", "Limits", "ProcessRunner", "Recipient", "Spare", "Status", "Turns"]


_SHORT_S = 600.0


class ProcessRunner:
    """Runner of the jobs of one session, in order, in one child process at a time.

    Parameters
    ----------
    spare : Spare or None
        Source of children that are started in advance; None starts a child when it is needed.
    turns : Turns or None
        Line in which the jobs wait, shared by all sessions of a server; None if there is only one
        session.
    limits : Limits or None
        Limits of a job; None for no limits.
    """

    def __init__(
        self,
        spare: Spare | None = None,
        *,
        turns: Turns | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._spare = spare or Spare(None)
        self._turns = turns or Turns()
        self._limits = limits or Limits()
        self._change = threading.Condition()
        self._queue: deque[Job] = deque()
        self._child: Child | None = None
        self._running: Job | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        label: str,
        kind: str = "",
        meta: dict[str, Any] | None = None,
        at_most_s: float | None = None,
        needs_bytes: int | None = None,
        **named: Any,
    ) -> Job:
        """Queue ``function(*arguments, progress=..., **named)``, and return its job.

        It must be possible to import the function by its name.

        Parameters
        ----------
        label, kind, meta
            As in :class:`Job`.
        at_most_s : float or None
            Time limit in seconds, if it is lower than the limit of this runner.
        needs_bytes : int or None
            Estimated memory need, bytes; a job that needs more than the limit fails at once.
        """
        job = Job(function, arguments, named, label, kind, meta or {}, at_most_s, needs_bytes)
        return self._enqueue(job)

    def retry(self, job: Job) -> Job:
        """Queue the call of a job again, as a new job, and return the new job."""
        return self._enqueue(replace(job))

    def cancel(self, job: Job) -> None:
        """Stop a job: kill the process of a running job, and leave a finished job unchanged."""
        with self._change:
            if not job.active:
                return
            running = job is self._running
            self._finish(job, "cancelled")
            if job in self._queue:
                self._queue.remove(job)
            if running and self._child is not None:
                self._child.end()
        self._turns.nudge()

    def close(self) -> None:
        """Stop everything and forget the data; for the end of a session."""
        with self._change:
            self._closed = True
            for job in [*self._queue, *([self._running] if self._running else [])]:
                if job.active:
                    self._finish(job, "cancelled")
            self._queue.clear()
            if self._child is not None:
                self._child.end()
            self._change.notify_all()
        self._turns.nudge()

    @property
    def process_id(self) -> int | None:
        """Process id of the present child, if there is one."""
        child = self._child
        return child.process.pid if child is not None and child.alive else None

    @property
    def waiting(self) -> int:
        """Number of jobs that have not begun."""
        return len(self._queue)

    @property
    def short(self) -> bool:
        """Whether the next job has a time limit of ten minutes or less."""
        limits = [job.at_most_s for job in list(self._queue)[:1]]
        return any(most is not None and most <= _SHORT_S for most in limits)

    def ahead(self, job: Job) -> int:
        """Return how many jobs, of all sessions, are running or will begin before this one."""
        with self._change:
            if job not in self._queue:
                return 0
            own = self._queue.index(job)
        return self._turns.before(self, own)

    def _enqueue(self, job: Job) -> Job:
        job.place = self.ahead
        most = self._limits.memory_bytes
        with self._change:
            if self._closed:
                self._finish(job, "cancelled")
                return job
            if job.needs_bytes is not None and most is not None and job.needs_bytes > most:
                said = needs_too_much(job.needs_bytes, most, job.meta.get("would_fit", ""))
                self._finish(job, "failed", error=InfeasibleError(said))
                return job
            self._queue.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._change.notify_all()
        return job

    def _work(self) -> None:
        while self._wait_for_work():
            if not self._turns.take(self, lambda: self.waiting > 0):
                continue
            try:
                self._next()
            finally:
                with self._change:
                    self._running = None
                self._turns.give_back(self)

    def _wait_for_work(self) -> bool:
        """Wait for a job, ending an idle child; return False if the runner is closed."""
        with self._change:
            idle_s = None if self._child is None else self._limits.idle_s
            there = self._change.wait_for(lambda: self._queue or self._closed, idle_s)
            if not there and self._child is not None:
                self._child.end()
                self._child = None
            return not self._closed

    def _next(self) -> None:
        """Run the first queued job, unless it has been cancelled in the meantime."""
        with self._change:
            if not self._queue:
                return
            job = self._running = self._queue.popleft()
        try:
            # The death of an idle child is noticed only when it is given work. Before it takes the
            # job, nothing is lost, and another child gets the job.
            for last in (False, True):
                child = self._child_for(job)
                if child is None or self._attend(job, child, last):
                    break
        except Exception as fault:  # Perhaps no process can start; later jobs need this thread.
            self._finish(job, "failed", error=_fault(type(fault).__name__, "process.py"))

    def _child_for(self, job: Job) -> Child | None:
        """Return a child that looks alive, or None if the job has been cancelled."""
        with self._change:
            if not job.active:
                return None
            if self._child is None or not self._child.alive:
                self._child = self._spare.take()
            return self._child

    def _attend(self, job: Job, child: Child, last: bool) -> bool:
        """Send the job to the child and listen until the job ends in any way.

        Return False if the child was gone before it took the job. The job is then unchanged, unless
        this is the ``last`` try.
        """
        taken = False
        watch = Watch(child.process.pid, child.end, self._limits, job.at_most_s)
        try:
            with watch:
                child.give(job)
                while True:
                    message = unpacked(receive(child.out, self._limits.memory_bytes))
                    match message:
                        case ("taken",):
                            taken = True
                            self._begin(job, child)
                        case ("progress", fraction):
                            job.fraction = fraction
                        case (held, outcome, *told):
                            child.holds = held
                            self._conclude(job, outcome, told)
                            return True
        except (EOFError, OSError, ValueError):
            code = child.end(grace_s=1.0)
            if watch.stopped is not None:
                self._fail(job, FpanonError(watch.stopped), "lost")
                return True
            if taken or last:
                self._fail(job, _loss(code), "lost")
            return taken
        except Exception as fault:
            child.end()
            self._fail(job, _fault(type(fault).__name__, "process.py"))
            return True

    def _begin(self, job: Job, child: Child) -> None:
        with self._change:
            if job.active:
                job.process_id = child.process.pid
                job.status, job.began = "running", time.monotonic()

    def _conclude(self, job: Job, outcome: str, told: list[Any]) -> None:
        """End the job with the outcome that the child reports."""
        match outcome, *told:
            case "result", result:
                self._finish(job, "done", result=result)
            case "refused", kind, text:
                self._fail(job, _named_error(kind, text))
            case "fault", "MemoryError", _:
                self._fail(job, FpanonError(out_of_memory(self._limits.memory_bytes)))
            case "fault", kind, place:
                self._fail(job, _fault(kind, place))
            case _:
                raise TypeError("no answer of the worker's")

    def _fail(self, job: Job, error: FpanonError, status: Status = "failed") -> None:
        self._finish(job, status, error=error)

    def _finish(self, job: Job, status: Status, **outcome: Any) -> None:
        with self._change:
            if not job.active:
                return  # Cancelled in the meantime.
            for name, value in outcome.items():
                setattr(job, name, value)
            job.ended = time.monotonic()
            job.fraction = 1.0 if status == "done" else job.fraction
            job.status = status


def _named_error(kind: str, text: str) -> FpanonError:
    error = getattr(errors, kind, FpanonError)
    ours = isinstance(error, type) and issubclass(error, FpanonError)
    return error(text) if ours else FpanonError(text)


def _fault(kind: str, place: str) -> FpanonError:
    return FpanonError(
        f"The computation stopped because of a fault in the program ({kind} at {place}). Your data "
        "and settings are unchanged; try again, and if this message appears again, report it."
    )


def _loss(code: int) -> FpanonError:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return FpanonError(
        f"The computation ended without a result ({how}); the machine may have run out of memory. "
        "Your data and settings are still here; try again, and if it happens again, report it."
    )


AT_ONCE_VARIABLE = "FPANON_AT_ONCE"
"""Environment variable: number of jobs that compute at a time on this server."""


class Turns:
    """Queue that limits how many jobs run at once; the session that has waited longest is first.

    Parameters
    ----------
    at_once : int or None
        Number of jobs at once. If None, one for every two cores, but at least two. A computation
        uses every core by itself, and a single long computation must not block the opening of a
        file.

    Raises
    ------
    ConfigError
        ``at_once`` is neither None nor a positive integer.
    """

    def __init__(self, at_once: int | None = None) -> None:
        if at_once is None:
            at_once = max(2, (os.cpu_count() or 1) // 2)
        self.at_once = whole("at_once", at_once, 1)
        self._change = threading.Condition()
        self._line: list[ProcessRunner] = []
        self._computing: list[ProcessRunner] = []

    @classmethod
    def of_server(cls) -> Turns:
        """Return turns for as many jobs at once as :data:`AT_ONCE_VARIABLE` states.

        Without the variable, the number is the default for ``at_once=None``.

        Raises
        ------
        ConfigError
            The variable is set, but not to a positive integer.
        """
        return cls(whole_number(AT_ONCE_VARIABLE))

    def take(self, who: ProcessRunner, wanted: Callable[[], bool]) -> bool:
        """Wait in line; return False if the turn is no longer wanted.

        Parameters
        ----------
        wanted : callable
            Function that returns whether there is still a job to do. It is called again after each
            :meth:`nudge`. During the call the line is locked, so the function must not wait for a
            lock under which :meth:`nudge` is called.
        """
        with self._change:
            self._line.append(who)
            try:
                self._change.wait_for(lambda: not wanted() or self._is_next(who))
                if not wanted():
                    return False
                self._computing.append(who)
                return True
            finally:
                self._line.remove(who)
                self._change.notify_all()

    def give_back(self, who: ProcessRunner) -> None:
        """Give the turn back after a job, however it ended, so that the next in line may begin."""
        with self._change:
            self._computing.remove(who)
            self._change.notify_all()

    def nudge(self) -> None:
        """Make all runners in line check again whether they still want a turn."""
        with self._change:
            self._change.notify_all()

    def before(self, who: ProcessRunner, own: int) -> int:
        """Return how many jobs of all sessions run or begin before a job of ``who``.

        Parameters
        ----------
        own : int
            Number of jobs of ``who`` that come before this job and have not begun.
        """
        with self._change:
            place = self._line.index(who) if who in self._line else len(self._line)
            ahead = own + len(self._computing)
            for position, other in enumerate(self._line):
                if other is not who:
                    ahead += min(other.waiting, own + (position < place))
            # A session that computes joins the line again behind the sessions that wait now.
            again = (other.waiting for other in self._computing if other is not who)
            return ahead + sum(min(waiting, own) for waiting in again)

    def _is_next(self, who: ProcessRunner) -> bool:
        if len(self._computing) < self.at_once and self._line[0] is who:
            return True
        first = next((each for each in self._line if each.short), None)
        return first is who and len(self._computing) <= self.at_once
