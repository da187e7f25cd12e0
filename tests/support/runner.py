"""A session's runner without a child process, for tests that look at views and not at processes.

What is asked is pickled, run and answered by the very functions that do so for a child, only in
this process and only while a test waits: :func:`work` is called by ``views.until``. So a test
sees a job queued, then ended, in the same order every time, and waits for nothing else.

A question that an earlier test of this process has asked, with the same arguments to the byte, is
answered by the bytes of the earlier answer; no two sessions hold the same objects. Functions for
children take all they need as arguments, so the same message means the same answer, as long as
files they are told to read stay as they are.
"""

from __future__ import annotations

import hashlib
import io
import os
from types import SimpleNamespace
from typing import Any

from fpanon_core.engines import worker
from fpanon_core.engines.answers import unpacked
from fpanon_core.engines.process import Job, ProcessRunner, Recipient
from fpanon_core.engines.worker import Shelf
from fpanon_core.model.fingerprints import FingerprintSet

_open: list[InProcessRunner] = []
_answered: dict[bytes, bytes] = {}  # by the digest of the message


def work() -> bool:
    """Run every job that is queued now; whether there was one."""
    worked = [runner.work() for runner in _open]  # each of them, though the first had something
    return any(worked)


def any_open() -> bool:
    """Whether a session of this test has a runner in this process."""
    return bool(_open)


class InProcessRunner(ProcessRunner):
    """Runs a session's jobs in order, in this process, when :meth:`work` is called."""

    def __init__(self, _spare: Any = None, **_: Any) -> None:
        super().__init__()
        self._here = _Here()
        _open.append(self)

    def work(self) -> bool:
        """Run every job that is queued now; whether there was one."""
        waiting = [self._queue.popleft() for _ in range(len(self._queue))]
        jobs = [job for job in waiting if job.active]
        for job in jobs:
            self._attend(job, self._here, last=True)
        return bool(jobs)

    def close(self) -> None:
        super().close()
        if self in _open:
            _open.remove(self)

    def _enqueue(self, job: Job) -> Job:
        if self._closed:
            self._finish(job, "cancelled")
        else:
            self._queue.append(job)
        return job


class NoSpare:
    """In place of the child that is kept warm."""

    def __init__(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        pass


class _Here(Recipient):
    """What :class:`~fpanon_core.engines.process.Child` is to a runner, without a process."""

    def __init__(self) -> None:
        self.process = SimpleNamespace(pid=os.getpid())
        self.into, self.out = _Tasks(self), io.BytesIO()
        self._shelf = Shelf()

    def take(self, message: bytes) -> None:
        """Have the answers to a message ready to be read."""
        key = hashlib.blake2b(message).digest()
        answer = _answered.get(key)
        if answer is None:
            answers = io.BytesIO()
            worker.serve(lambda: worker.receive(io.BytesIO(message)), answers, self._shelf)
            answer = answers.getvalue()
            if _outcome(answer) == "result":  # another try may end otherwise
                _answered[key] = answer
        else:
            self._hold(answer)
        self.out = io.BytesIO(answer)

    def _hold(self, answer: bytes) -> None:
        """What a child that gave this answer would hold now; it is not another session's."""
        result = _last(answer)[2]
        for part in result if isinstance(result, tuple) else (result,):
            if isinstance(part, FingerprintSet):
                self._shelf.put(part)

    @property
    def holds(self) -> tuple[str, ...]:  # type: ignore[override]
        """By this session's own shelf, whoever first gave an answer."""
        return self._shelf.digests

    @holds.setter
    def holds(self, told: tuple[str, ...]) -> None:
        pass

    def end(self, grace_s: float = 0.0) -> int:  # noqa: ARG002 – as of a child
        return 0


class _Tasks(io.BytesIO):
    """The pipe into a child: what is written is run as soon as it is flushed."""

    def __init__(self, here: _Here) -> None:
        super().__init__()
        self._here = here

    def flush(self) -> None:
        message = self.getvalue()
        self.seek(0)
        self.truncate()
        self._here.take(message)


def _outcome(answer: bytes) -> str:
    """How a task ended; "held" where there was none, only data."""
    return str(_last(answer)[1]) if answer else "held"


def _last(answer: bytes) -> tuple[Any, ...]:
    """The last of the messages in an answer."""
    messages, last = io.BytesIO(answer), b""
    while messages.tell() < len(answer):
        last = worker.receive(messages)
    found: tuple[Any, ...] = unpacked(last)
    return found
