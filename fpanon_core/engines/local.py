"""All cores of this machine: blocks of work on threads.

Kernels release the interpreter lock, so threads keep every core busy without copying the data, and
numba's own threading layer, which does not bear two computations at once, is not used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from ..model.errors import ConfigError

Progress = Callable[[float], None]
T = TypeVar("T")


class Engine(Protocol):
    """How blocks of work reach the cores."""

    @property
    def workers(self) -> int:
        """How many blocks run at once."""

    def run(
        self,
        task: Callable[[T], float],
        blocks: Iterable[T],
        total: float,
        progress: Progress | None = None,
    ) -> None:
        """Run ``task`` on every block; see :meth:`LocalEngine.run`."""


class LocalEngine:
    """Threads of this process.

    Parameters
    ----------
    workers : int or None
        Blocks at once; None for as many as this process may use cores.

    Raises
    ------
    ConfigError
        If ``workers`` is not a positive integer.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is None:
            workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
            workers = workers or os.cpu_count() or 1
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ConfigError(f"workers = {workers!r}; it must be an integer of 1 or more.")
        self._workers = workers

    @property
    def workers(self) -> int:
        """How many blocks run at once."""
        return self._workers

    def __repr__(self) -> str:
        return f"LocalEngine(workers={self._workers})"

    def run(
        self,
        task: Callable[[T], float],
        blocks: Iterable[T],
        total: float,
        progress: Progress | None = None,
    ) -> None:
        """Run ``task`` on every block, in the order given, several at once.

        Parameters
        ----------
        task : callable of one block
            Returns the work done, in the unit of ``total``; writes its results where no other
            task does, or under a lock.
        blocks : iterable
        total : float
            Work in all, for ``progress``.
        progress : callable of one float in [0, 1], optional
            Called from this thread; what it raises stops the blocks not yet begun, and comes out.
        """
        queue: Sequence[T] = list(blocks)
        if progress is not None:
            progress(0.0)
        if not queue:
            return
        stop = threading.Event()

        def guarded(block: T) -> float:
            return 0.0 if stop.is_set() else task(block)

        done_work = 0.0
        with ThreadPoolExecutor(self._workers) as pool:
            pending: set[Future[float]] = {pool.submit(guarded, block) for block in queue}
            try:
                while pending:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    done_work += sum(f.result() for f in done)
                    if progress is not None:
                        progress(min(1.0, done_work / total))
            except BaseException:
                stop.set()
                for future in pending:
                    future.cancel()
                raise
