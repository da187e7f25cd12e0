"""Jobs of a session, and the child process that runs them; a spare child is kept ready."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess  # nosec B404 # starts the worker below, and nothing else
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal, cast

from ..model.errors import FpanonError
from ..model.version import SHIPPED
from .worker import pack, send, send_packed

Status = Literal["queued", "running", "done", "failed", "lost", "cancelled"]
_numbers = itertools.count(1)


@dataclass(eq=False)
class Job:
    """One call in a child process, as its owner sees it.

    Attributes
    ----------
    function, arguments, named
        The function to call, and its positional and named arguments.
    label : str
        Description of the call for the screen.
    kind, meta : str, dict
        The owner's notes on what the result is for.
    status : str
        queued, running, done, failed (an error was raised), lost (the process died), cancelled.
    fraction : float
        Progress in [0, 1].
    result : object
        Return value of the function, once done.
    process_id : int or None
        Process id of the child that runs or ran the job.
    error : FpanonError or None
        For ``failed`` and ``lost``: the error itself if it is an FpanonError, else an FpanonError
        that states the cause in a plain sentence.
    at_most_s : float or None
        Time limit in seconds, if it is lower than the runner's limit.
    needs_bytes : int or None
        Estimated memory need, bytes.
    number : int
        Running number, from 1, over all jobs of this process.
    began, ended : float or None
        Times at which the job began to run and ended, on the monotonic clock, seconds; None until
        then.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = field(repr=False)
    named: dict[str, Any] = field(repr=False)
    label: str
    kind: str = ""
    meta: dict[str, Any] = field(default_factory=dict, repr=False)
    at_most_s: float | None = None
    needs_bytes: int | None = None
    # The outcome of the call, which a copy of the job does not take over.
    status: Status = field(default="queued", init=False)
    fraction: float = field(default=0.0, init=False)
    result: Any = field(default=None, init=False, repr=False)
    error: FpanonError | None = field(default=None, init=False)
    number: int = field(default_factory=lambda: next(_numbers), init=False)
    process_id: int | None = field(default=None, init=False)
    began: float | None = field(default=None, init=False)
    ended: float | None = field(default=None, init=False)
    place: Callable[[Job], int] | None = field(default=None, init=False, repr=False)

    @property
    def ahead(self) -> int:
        """Number of jobs, of all sessions of this server, that are running or will begin earlier.

        It is 0 as soon as it is this job's turn, even while the child process is still starting.
        """
        return self.place(self) if self.place and self.status == "queued" else 0

    @property
    def active(self) -> bool:
        """Whether the job is still waiting or running."""
        return self.status in ("queued", "running")

    @property
    def elapsed_s(self) -> float:
        """Seconds since the job began to run, up to its end."""
        if self.began is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    @property
    def remaining_s(self) -> float | None:
        """Estimated seconds to the end; None unless the job runs and some of it is done."""
        if self.status != "running" or self.fraction < 0.03 or self.elapsed_s < 1:
            return None
        return self.elapsed_s * (1 - self.fraction) / self.fraction


class Recipient:
    """Receiver of jobs, which keeps the data that come with them.

    Attributes
    ----------
    into : binary file
        Stream for messages to the receiver.
    holds : tuple of str
        Digests of the fingerprint sets that need not be sent again.
    """

    into: BinaryIO
    holds: tuple[str, ...] = ()

    def give(self, job: Job) -> None:
        """Send a job, preceded by the data that the receiver does not hold yet."""
        body, named = pack((job.function, job.arguments, job.named))
        for digest, fs in named.items():
            if digest not in self.holds:
                send(self.into, ("hold", fs, tuple(named)))
                self.holds = (*self.holds, digest)
        send_packed(self.into, body)


class Child(Recipient):
    """A worker process and the pipes to it."""

    def __init__(self, warm_up: str | None) -> None:
        self.process = subprocess.Popen(  # nosec B603 # our own arguments, and no shell
            [sys.executable, "-m", "fpanon_core.engines.worker", *([warm_up] if warm_up else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=SHIPPED,  # Where Python finds the dashboard's own modules.
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # An interrupt at the server's terminal is for us alone.
        )
        self.into = cast(BinaryIO, self.process.stdin)
        self.out = cast(BinaryIO, self.process.stdout)
        self.noise: deque[bytes] = deque(maxlen=100)
        """Last lines of the child's standard error, for tests and debuggers, never for a screen."""
        threading.Thread(target=self._drain, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the process is still running."""
        # poll() alone says "alive" while another thread waits for the same process.
        if self.process.poll() is not None:
            return False
        try:
            look = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.process.pid, look) is None
        except ChildProcessError:
            return False

    def end(self, grace_s: float = 0.0) -> int:
        """End the process after a grace period; return its exit code or minus the signal number."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(grace_s)
        self.process.kill()
        return self.process.wait()

    def _drain(self) -> None:
        with cast(BinaryIO, self.process.stderr) as pipe:
            for line in pipe:
                self.noise.append(line[:500])
        self.process.wait()
        for pipe in (self.into, self.out):
            with contextlib.suppress(OSError):
                pipe.close()


class Spare:
    """Holder of one child process, started in advance and without data, for the next job.

    Parameters
    ----------
    warm_up : str or None
        ``"module:function"`` that the child calls while it waits; None keeps no spare.
    refill_after_s : float
        Delay before the next child is started after one was taken, so that its imports do not
        compete with the running computation.
    """

    def __init__(self, warm_up: str | None, refill_after_s: float = 20.0) -> None:
        self._warm_up = warm_up
        self._refill_after_s = refill_after_s
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._refill()

    def take(self) -> Child:
        """Return an unused child."""
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
        """End the spare child and keep none from now on."""
        with self._lock:
            self._warm_up = None
            if self._child is not None:
                self._child.end()
                self._child = None

    def _refill(self) -> None:
        with self._lock:
            if self._warm_up is not None and (self._child is None or not self._child.alive):
                self._child = Child(self._warm_up)
