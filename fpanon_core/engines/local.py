"""All cores of this machine: blocks of work on threads.

Kernels release the interpreter lock, so threads keep every core busy without copying the data, and
numba's own threading layer, which does not bear two computations at once, is not used.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Protocol, TypeVar

from ..model.checks import whole
from .progress import Progress

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
        self._workers = whole("workers", workers, 1)
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None  # made when first needed, then kept

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[int]]:
        return (LocalEngine, (self._workers,))

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
        numbers = itertools.count()
        # Work of each block done, and None from each thread at its end.
        done: SimpleQueue[float | None] = SimpleQueue()

        def take_blocks() -> None:
            try:
                while not stop.is_set() and (number := next(numbers)) < len(queue):
                    done.put(task(queue[number]))
            except BaseException:
                stop.set()
                raise
            finally:
                done.put(None)

        with self._lock:
            self._threads = self._threads or ThreadPoolExecutor(self._workers)
            threads = self._threads
        takers = [threads.submit(take_blocks) for _ in range(min(self._workers, len(queue)))]
        running, done_work = len(takers), 0.0
        try:
            while running:
                work = done.get()
                if work is None:
                    running -= 1
                    continue
                done_work += work
                if progress is not None:
                    progress(min(1.0, done_work / total))
            for taker in takers:
                taker.result()
        except BaseException:
            stop.set()
            wait(takers)  # what had begun still writes its results
            raise
