"""Where does a long computation run, so that it can be watched, cancelled and survived?

In a child process. A :class:`ProcessRunner` belongs to one session: it runs that session's jobs
one after the other in a child of its own, which no other session's data ever enters. The child is
a plain ``python -m fpanon_core.engines.worker``: the program that started us is not executed again,
and arguments and results travel as pickles over pipes between our own two processes, never over
disk. Cancelling kills the child; a child killed from outside, or out of memory, leaves its job
``lost`` with a plain sentence, and the next job gets a new child. When we end, the child reads the
end of its input and ends too.

A :class:`Spare` keeps one child started, imported and compiled, without data, for whoever is next.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal, cast

from fpanon_core.model import errors
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.shipped import SHIPPED

from .held import pack
from .worker import receive, send, send_packed

Status = Literal["queued", "running", "done", "failed", "lost", "cancelled"]
_numbers = itertools.count(1)


@dataclass(eq=False)
class Job:
    """One call in a child process, as its owner sees it.

    Attributes
    ----------
    label : str
        What it does, for the screen.
    kind, meta
        The owner's own notes on what to do with the result.
    status : str
        queued, running, done, failed (an error was raised), lost (the process died), cancelled.
    fraction : float
        Progress in [0, 1].
    result : object
        What the function returned, once done.
    process_id : int or None
        Of the child it runs or ran in.
    error : FpanonError or None
        For ``failed``: the error itself where it is one of ours, else a plain sentence.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = field(repr=False)
    named: dict[str, Any] = field(repr=False)
    label: str
    kind: str = ""
    meta: dict[str, Any] = field(default_factory=dict, repr=False)
    status: Status = "queued"
    fraction: float = 0.0
    result: Any = field(default=None, repr=False)
    error: FpanonError | None = None
    number: int = field(default_factory=lambda: next(_numbers))
    process_id: int | None = None
    began: float | None = None
    ended: float | None = None

    @property
    def active(self) -> bool:
        """Whether it still waits or runs."""
        return self.status in ("queued", "running")

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began to run."""
        if self.began is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    @property
    def remaining_s(self) -> float | None:
        """Seconds it is likely to need yet, at the pace so far; None while too early to say."""
        if self.status != "running" or self.fraction < 0.03 or self.elapsed_s < 1:
            return None
        return self.elapsed_s * (1 - self.fraction) / self.fraction


class ProcessRunner:
    """Runs the jobs of one session, in order, in one child process at a time.

    Parameters
    ----------
    spare : Spare or None
        Where to take a child that is already warm; None starts one when needed.
    """

    def __init__(self, spare: Spare | None = None) -> None:
        self._spare = spare or Spare(None)
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
        **named: Any,
    ) -> Job:
        """Queue ``function(*arguments, progress=..., **named)``; it must be importable by name."""
        return self._enqueue(Job(function, arguments, named, label, kind, meta or {}))

    def retry(self, job: Job) -> Job:
        """Queue the same call again."""
        return self._enqueue(
            Job(job.function, job.arguments, job.named, job.label, job.kind, job.meta)
        )

    def cancel(self, job: Job) -> None:
        """Stop a job; a running one's process is killed. Does nothing to a finished one."""
        with self._change:
            if not job.active:
                return
            running = job is self._running
            self._finish(job, "cancelled")
            if running and self._child is not None:
                self._child.end()

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

    @property
    def process_id(self) -> int | None:
        """Of the present child, if there is one."""
        child = self._child
        return child.process.pid if child is not None and child.alive else None

    def _enqueue(self, job: Job) -> Job:
        with self._change:
            if self._closed:
                self._finish(job, "cancelled")
                return job
            self._queue.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._change.notify_all()
        return job

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._queue and not self._closed:
                    self._change.wait()
                if self._closed:
                    return
                job = self._queue.popleft()
                if not job.active:
                    continue
                self._running = job
            # A child that died while it had nothing to do is found out only when it is given work:
            # before it has taken the job nothing is lost, and another child gets it.
            for last in (False, True):
                child = self._child_for(job)
                if child is None or self._attend(job, child, last):
                    break
            with self._change:
                self._running = None

    def _child_for(self, job: Job) -> Child | None:
        """A child that looks alive, or None if the job has been cancelled."""
        with self._change:
            if not job.active:
                return None
            if self._child is None or not self._child.alive:
                self._child = self._spare.take()
            return self._child

    def _attend(self, job: Job, child: Child, last: bool) -> bool:
        """Send the job to the child and listen until it is over, one way or another.

        False when the child was gone before it took the job; unless this is the ``last`` try,
        the job is then as it was.
        """
        taken = False
        try:
            child.give(job)
            while True:
                message = pickle.loads(receive(child.out))
                match message:
                    case ("taken",):
                        taken = True
                        self._begin(job, child)
                    case ("progress", fraction):
                        job.fraction = fraction
                    case (held, "result", result):
                        child.holds = held
                        self._finish(job, "done", result=result)
                        return True
                    case (held, "refused", kind, text):
                        child.holds = held
                        self._finish(job, "failed", error=_named_error(kind, text))
                        return True
                    case (held, "fault", kind, place):
                        child.holds = held
                        self._finish(job, "failed", error=_fault(kind, place))
                        return True
        except (EOFError, OSError, ValueError):
            code = child.end(grace_s=1.0)
            if taken or last:
                self._finish(job, "lost", error=_loss(code))
            return taken
        except Exception as fault:
            child.end()
            self._finish(job, "failed", error=_fault(type(fault).__name__, "process.py"))
            return True

    def _begin(self, job: Job, child: Child) -> None:
        with self._change:
            if job.active:
                job.process_id = child.process.pid
                job.status, job.began = "running", time.monotonic()

    def _finish(self, job: Job, status: Status, **outcome: Any) -> None:
        with self._change:
            if not job.active:
                return  # Cancelled in the meantime.
            for name, value in outcome.items():
                setattr(job, name, value)
            job.ended = time.monotonic()
            job.fraction = 1.0 if status == "done" else job.fraction
            job.status = status


class Spare:
    """Keeps one child process warm, without data, so that a click does not pay for its start.

    Parameters
    ----------
    warm_up : str or None
        ``"module:function"`` for the child to call while it waits; None keeps no spare.
    refill_after_s : float
        How long after a child is taken the next is started: its imports should not compete with
        the computation somebody waits for.
    """

    def __init__(self, warm_up: str | None, refill_after_s: float = 20.0) -> None:
        self._warm_up = warm_up
        self._refill_after_s = refill_after_s
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._refill()

    def take(self) -> Child:
        """A child nobody has used."""
        with self._lock:
            child, self._child = self._child, None
        if self._warm_up is not None:
            timer = threading.Timer(self._refill_after_s, self._refill)
            timer.daemon = True
            timer.start()
        if child is not None and child.alive:
            return child
        return Child(None)

    def close(self) -> None:
        """End the spare child, and keep none from now on."""
        with self._lock:
            self._warm_up = None
            if self._child is not None:
                self._child.end()
                self._child = None

    def _refill(self) -> None:
        with self._lock:
            if self._warm_up is not None and (self._child is None or not self._child.alive):
                self._child = Child(self._warm_up)


class Recipient:
    """Whoever is given jobs, and holds the data that came with them.

    Attributes
    ----------
    into : binary file
        Where messages to it go.
    holds : tuple of str
        Digests of the fingerprint sets that need not be sent to it again.
    """

    into: BinaryIO
    holds: tuple[str, ...] = ()

    def give(self, job: Job) -> None:
        """Send it a job, and before it the data that it does not hold yet."""
        body, named = pack((job.function, job.arguments, job.named))
        for digest, fs in named.items():
            if digest not in self.holds:
                send(self.into, ("hold", fs, tuple(named)))
                self.holds = (*self.holds, digest)
        send_packed(self.into, body)


class Child(Recipient):
    """A worker process and the pipes to it."""

    def __init__(self, warm_up: str | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fpanon_core.engines.worker", *([warm_up] if warm_up else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=SHIPPED,  # Where Python finds the dashboard's own modules.
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # An interrupt typed at the server's terminal is ours alone.
        )
        self.into = cast(BinaryIO, self.process.stdin)
        self.out = cast(BinaryIO, self.process.stdout)
        self._noise: deque[bytes] = deque(maxlen=100)
        threading.Thread(target=self._drain, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        # poll() alone says "alive" while another thread waits for the same process.
        if self.process.poll() is not None:
            return False
        try:
            look = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.process.pid, look) is None
        except ChildProcessError:
            return False

    @property
    def noise(self) -> bytes:
        """The last lines of its standard error: for tests and debuggers, never for a screen."""
        return b"".join(self._noise)

    def end(self, grace_s: float = 0.0) -> int:
        """End it, if need be after a grace; returns its exit code, or minus the signal."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(grace_s)
        self.process.kill()
        return self.process.wait()

    def _drain(self) -> None:
        with cast(BinaryIO, self.process.stderr) as pipe:
            for line in pipe:
                self._noise.append(line[:500])
        self.process.wait()
        for pipe in (self.into, self.out):
            with contextlib.suppress(OSError):
                pipe.close()


def _named_error(kind: str, text: str) -> FpanonError:
    error = getattr(errors, kind, FpanonError)
    return error(text) if isinstance(error, type) else FpanonError(text)


def _fault(kind: str, place: str) -> FpanonError:
    if kind == "MemoryError":
        return FpanonError(
            "The computation ran out of memory. Choose fewer users (screening) or a smaller k, or "
            "use a machine with more memory."
        )
    return FpanonError(
        f"The computation stopped because of a fault in the program ({kind} at {place}). Your data "
        "and settings are unchanged; try again, and report this line if it comes back."
    )


def _loss(code: int) -> FpanonError:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return FpanonError(
        f"The computing process was ended from outside ({how}), for instance because the machine "
        "ran out of memory. Your data and settings are still here; try again."
    )
