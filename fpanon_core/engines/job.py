"""One call in a child process, as its owner sees it: its place in line, its progress, its fate.

What is free in a process goes back to the machine: without that, memory stays taken.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from ..model.errors import FpanonError

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
    at_most_s : float or None
        Time it may take, where that is less than its runner's limits allow.
    needs_bytes : int or None
        Memory it will need, by an estimate made before.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = field(repr=False)
    named: dict[str, Any] = field(repr=False)
    label: str
    kind: str = ""
    meta: dict[str, Any] = field(default_factory=dict, repr=False)
    at_most_s: float | None = None
    needs_bytes: int | None = None
    # What becomes of it: anew in a copy of the call.
    status: Status = field(default="queued", init=False)
    fraction: float = field(default=0.0, init=False)
    result: Any = field(default=None, init=False, repr=False)
    error: FpanonError | None = field(default=None, init=False)
    number: int = field(default_factory=lambda: next(_numbers), init=False)
    process_id: int | None = field(default=None, init=False)
    began: float | None = field(default=None, init=False)
    ended: float | None = field(default=None, init=False)
    place: Callable[[Job], int] = field(default=lambda _: 0, init=False, repr=False)

    @property
    def ahead(self) -> int:
        """How many jobs, of anybody on this server, run or begin before this one.

        While it is queued; 0 from its turn on, of which starting a child may be a part.
        """
        return self.place(self) if self.status == "queued" else 0

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


_MANY = 2_000_000  # samples: of fewer, what is free meanwhile is little


def give_back() -> None:
    """Return what is free in this process to the machine.

    Takes some tenths of a second: for between visitors, and between the steps of a long run.
    """
    gc.collect()
    pa.default_memory_pool().release_unused()
    try:
        ctypes.CDLL(None).malloc_trim(0)  # glibc's; others give back by themselves
    except (AttributeError, OSError):
        return


def give_back_after(n_samples: int) -> None:
    """The same after a step that so many samples went through, where it is worth its time."""
    if n_samples > _MANY:
        give_back()
