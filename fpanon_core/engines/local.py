"""Engine that runs blocks of work on all cores of this machine, in threads.

Kernels release the interpreter lock, so threads keep every core busy without copying the data.
Numba's own threading layer does not support two computations at once and is not used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from ..model.checks import whole
from ..model.errors import Cancelled
from .progress import Progress, tell

T = TypeVar("T")
R = TypeVar("R")

_REPORT_S = 1.0  # longest time between reports of progress, which can end the work
_BLOCKS_A_WORKER = 16  # for separate workers: the block of a lost worker is done again


class Engine:
    """Engine on threads of this process; engines on other processes override :meth:`map`.

    Attributes
    ----------
    apart : bool
        Whether :meth:`map` uses other processes, which share no memory with this one.
    """

    apart: bool = False

    def __init__(self, workers: int | None = None) -> None:
        if workers is None:
            workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
            workers = workers or os.cpu_count() or 1
        self._workers = whole("workers", workers, 1)
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None  # made when first needed, then kept

    @property
    def workers(self) -> int:
        """Number of blocks that run at once."""
        return self._workers

    def run(
        self,
        task: Callable[[T], float],
        blocks: Iterable[T],
        total: float,
        progress: Progress = None,
    ) -> None:
        """Run ``task`` on every block, in the order given, several at once.

        Parameters
        ----------
        task : callable of one block
            It returns the work done, in the unit of ``total``. It writes its results where no other
            task writes, or under a lock.
        blocks : iterable
        total : float
            Total work, for ``progress``.
        progress : callable of one float in [0, 1], optional
            Called from this thread, at least once a second. If it raises an exception, no further
            block is begun, and the exception is raised again.
        """
        tell(progress, 0.0)
        with self._lock:
            self._pool = threads = self._pool or ThreadPoolExecutor(self._workers)
        tasks = [threads.submit(task, block) for block in blocks]
        ended: SimpleQueue[Future[float]] = SimpleQueue()
        for each in tasks:
            each.add_done_callback(ended.put)
        waiting, done_work = len(tasks), 0.0
        try:
            while waiting:
                block = None
                with suppress(Empty):
                    block = ended.get(timeout=_REPORT_S)
                if block is not None:
                    done_work += block.result()
                    waiting -= 1
                tell(progress, min(1.0, done_work / total))
        except BaseException:
            wait([each for each in tasks if not each.cancel()])  # tasks that have begun still write
            raise

    def map(
        self,
        function: Callable[..., R],
        blocks: Sequence[T],
        given: Sequence[Any],
        take: Callable[[int, R], None],
        *,
        work: Sequence[float] | None = None,
        progress: Progress = None,
    ) -> None:
        """Apply ``function`` to every block, several at once, and take the results.

        Unlike :meth:`run`, this can run in other processes: ``given`` and the block are the only
        inputs, and the return value is the only output.

        Parameters
        ----------
        function : callable
            ``function(block, *given)``, without side effects; defined at the top level of a
            module, so that other processes find it.
        blocks : sequence
        given : sequence
            Further arguments, the same for every block.
        take : callable of the block's number and its result
            Called once for each block, in any order. It writes where no other call writes, or under
            a lock.
        work : sequence of float, optional
            Work of each block, for ``progress``; equal for all blocks when None.
        progress : callable of one float in [0, 1], optional
            Called from this thread. If it raises an exception, no further block is begun, and the
            exception is raised again.
        """
        each = [1.0] * len(blocks) if work is None else [float(w) for w in work]

        def one(number: int) -> float:
            take(number, function(blocks[number], *given))
            return each[number]

        self.run(one, range(len(blocks)), sum(each) or 1.0, progress)


class LocalEngine(Engine):
    """Engine that uses threads of this process.

    Parameters
    ----------
    workers : int or None
        Number of blocks at once; None for the number of cores this process may use.

    Raises
    ------
    ConfigError
        ``workers`` is neither None nor a positive integer.
    """

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[int]]:
        return (LocalEngine, (self._workers,))

    def __repr__(self) -> str:
        return f"LocalEngine(workers={self._workers})"


def stretches(count: int, size: int, engine: Engine) -> list[tuple[int, int]]:
    """Divide 0 … count − 1 into blocks of ``size``; return the start and end of each.

    Blocks may be larger than ``size`` for workers in other processes.

    Examples
    --------
    >>> stretches(5, 2, LocalEngine(1))
    [(0, 2), (2, 4), (4, 5)]
    """
    if engine.apart:
        size = max(size, -(-count // (_BLOCKS_A_WORKER * engine.workers)))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def fill(
    engine: Engine,
    count: int,
    size: int,
    kernel: Callable[..., None],
    *given: Any,
    progress: Progress = None,
) -> None:
    """Fill rows 0 … count − 1 with ``kernel(begin, end, *given)``, ``size`` rows at a time."""

    def block(begin: int) -> float:
        end = min(begin + size, count)
        kernel(begin, end, *given)
        return float(end - begin)

    engine.run(block, range(0, count, size), count, progress)


def beside(
    engine: Engine, task: Callable[[int, Progress], None], work: Sequence[float], progress: Progress
) -> None:
    """Run ``task(number, progress)`` for each piece of work, several at once.

    A task may report progress from any thread; ``progress`` is called from this thread.
    If it or a task raises an exception, all tasks end soon.

    Parameters
    ----------
    engine : LocalEngine
        Engine that runs the tasks; a task must not use it.
    task : callable
    work : sequence of float
        Amount of work in each piece, for ``progress``.
    progress : callable of one float in [0, 1], optional
    """
    shares, stopped, total = [0.0] * len(work), threading.Event(), float(sum(work))
    faults: list[Exception] = []

    def one(number: int) -> float:
        def inner(share: float) -> None:
            shares[number] = share
            if stopped.is_set():
                raise Cancelled

        try:
            task(number, inner)
        except Exception as fault:
            faults.append(fault)
            stopped.set()  # the others need not go on
            raise
        shares[number] = 1.0
        return float(work[number])

    def told(_: float) -> None:
        try:
            tell(progress, sum(s * w for s, w in zip(shares, work, strict=True)) / total)
        except BaseException:
            stopped.set()
            raise

    try:
        engine.run(one, range(len(work)), total, told)
    except Cancelled:
        if faults:  # the cause, not its effect on the other tasks
            raise faults[0] from None
        raise
