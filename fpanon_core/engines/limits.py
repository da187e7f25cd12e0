"""Limits of memory and time for one computation on this machine.

A computation may use a share of the machine's memory. So everything else on the machine keeps
working if a file or a computation needs more memory than estimated. A child process that exceeds a
limit is ended, and its job reports this.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..model.budgets import gigabytes, number

MEMORY_VARIABLE = "FPANON_MEMORY_GB"
"""Environment variable: memory limit of one computation, in GB (10⁹ bytes)."""
HOURS_VARIABLE = "FPANON_HOURS"
"""Environment variable: time limit of one computation, in hours."""

SHARE_OF_MEMORY = 0.5
"""Share of the machine's memory for one computation, unless :data:`MEMORY_VARIABLE` is set."""
LONGEST_HOURS = 12.0
"""Time limit of one computation (one night), unless :data:`HOURS_VARIABLE` is set."""
IDLE_S = 15 * 60.0
"""Seconds that an idle child is kept; it is then ended, and new work starts a new child."""

MEMBERSHIPS, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")

# A process fills new memory at one to two GB per second and core. So what it takes beyond the limit
# before it is stopped is a small part of the limit.
_LOOK_EVERY_S = 0.1


@dataclass(frozen=True)
class Limits:
    """Limits of a child; None for no limit.

    Attributes
    ----------
    memory_bytes : int or None
        Limit of the child's own memory, resident or swapped out.
    seconds : float or None
        Time limit of a job; a job may have a lower one of its own.
    idle_s : float or None
        Time for which an idle child is kept, seconds.
    """

    memory_bytes: int | None = None
    seconds: float | None = None
    idle_s: float | None = None

    @classmethod
    def of_server(cls) -> Limits:
        """Return the limits set by the machine and the environment variables.

        Raises
        ------
        ConfigError
            A variable is set, but not to a positive number.
        """
        memory, gigabytes = memory_of_machine(), number(MEMORY_VARIABLE)
        share = None if memory is None else int(SHARE_OF_MEMORY * memory)
        return cls(
            memory_bytes=share if gigabytes is None else int(gigabytes * 1e9),
            seconds=3600 * (number(HOURS_VARIABLE) or LONGEST_HOURS),
            idle_s=IDLE_S,
        )


class Watch:
    """Monitor that ends a working process when it exceeds a limit.

    Parameters
    ----------
    process_id : int
    end : callable
        Function that ends the process.
    limits : Limits
    seconds : float or None
        Time limit of the process's job, if it is lower than the one in ``limits``.

    Attributes
    ----------
    stopped : str or None
        Reason for which this monitor ended the process, as text for the screen; None if it did not.
    """

    def __init__(
        self, process_id: int, end: Callable[[], object], limits: Limits, seconds: float | None
    ) -> None:
        self.stopped: str | None = None
        self._process_id, self._end, self._memory = process_id, end, limits.memory_bytes
        given = [s for s in (limits.seconds, seconds) if s is not None]
        self._seconds = min(given, default=None)
        self._over = threading.Event()

    def __enter__(self) -> Watch:
        if self._memory is not None or self._seconds is not None:
            threading.Thread(target=self._look, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _look(self) -> None:
        began = time.monotonic()
        while not self._over.wait(_LOOK_EVERY_S):
            if self._seconds is not None and time.monotonic() - began > self._seconds:
                self.stopped = took_too_long(self._seconds)
            elif self._memory is not None and memory_of(self._process_id) > self._memory:
                self.stopped = out_of_memory(self._memory)
            if self.stopped is not None:
                self._end()
                return


def memory_of(process_id: int) -> int:
    """Return the bytes of a process's own memory, resident or swapped out; 0 if unknown.

    Memory shared through mapped files, such as libraries, is not counted.
    """
    found = _status(process_id)
    return found.get("RssAnon", 0) + found.get("RssShmem", 0) + found.get("VmSwap", 0)


def memory_of_machine() -> int | None:
    """Return the bytes this process may use: the machine's, or a control group's limit if lower.

    The result is None if neither is known.
    """
    found = _of_groups()
    with contextlib.suppress(ValueError, OSError):  # Some systems do not state it.
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(found, default=None)


def out_of_memory(memory_bytes: int | None) -> str:
    """Return the screen text for a computation that exceeded its memory limit."""
    most = memory_bytes and gigabytes(memory_bytes)
    allowed = f"it may take {most} here" if most else "the machine has no more"
    return f"The computation ran out of memory ({allowed}) and was stopped. {STILL_HERE} {WAY_OUT}"


def needs_too_much(
    needs_bytes: int, memory_bytes: int, would_fit: str = "", *, in_session: bool = True
) -> str:
    """Return the text for a computation that is not begun because it would run out of memory.

    ``would_fit`` is a sentence on what would fit. ``in_session`` states whether there are data and
    settings that the user may fear losing.
    """
    said = (
        f"By an estimate, this would need about {gigabytes(needs_bytes)} of memory; a computation "
        f"may take {gigabytes(memory_bytes)} here. The computation was not begun."
    )
    still_here = STILL_HERE if in_session else ""
    return " ".join(part for part in (said, would_fit, still_here, WAY_OUT) if part)


def took_too_long(seconds: float) -> str:
    """Return the screen text for a computation that was stopped at its time limit."""
    return (
        f"The computation took longer than {_duration(seconds)}, the limit here, and was stopped. "
        f"{STILL_HERE} Choose fewer people (screening) or a coarser profile, or have the limit "
        f"raised ({HOURS_VARIABLE})."
    )


STILL_HERE = "Your data and settings are still here."
WAY_OUT = (
    "Choose fewer people (screening), a coarser profile or, where k applies, a smaller k. Or use a "
    f"machine with more memory, or have the limit raised ({MEMORY_VARIABLE})."
)


def _duration(seconds: float) -> str:
    if seconds >= 5400:
        return f"{seconds / 3600:.3g} hours"
    return f"{seconds / 60:.3g} minutes" if seconds >= 90 else f"{seconds:.3g} seconds"


def _status(process_id: int) -> dict[str, int]:
    """Return the sizes in a process's status, in bytes; empty if the system has no such status."""
    try:
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":")[::2] for line in lines if line.endswith(" kB"))
    return {name: 1024 * int(size.split()[0]) for name, size in pairs}


def _of_groups() -> list[int]:
    """Return the memory limits of this process's control groups and of the groups above these.

    The groups may be of version 1 or 2.
    """
    found: list[int] = []
    memberships = ""
    with contextlib.suppress(OSError):
        memberships = MEMBERSHIPS.read_text()
    for membership in memberships.splitlines():
        _, controllers, path = membership.split(":", 2)
        if controllers == "":
            root, name = GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = root / path.lstrip("/")
        # A limit of any group above applies, too; in a container, the path may be missing.
        for folder in [group, *group.parents]:
            if folder.is_relative_to(root):
                with contextlib.suppress(OSError, ValueError):  # Not there, or "max".
                    found.append(int((folder / name).read_text()))
    return found


# --- free memory is given back ------------------------------------------------------------------

_MANY = 2_000_000  # samples; after steps on fewer, little memory is free


def give_back() -> None:
    """Give this process's free memory back to the machine.

    The call takes a few tenths of a second; use it between sessions or between steps of a long run.
    """
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(AttributeError, OSError):  # other libraries give it back themselves
        ctypes.CDLL(None).malloc_trim(0)  # of glibc


def give_back_after(n_samples: int) -> None:
    """Give free memory back after a step on ``n_samples`` samples, if these exceed two million."""
    if n_samples > _MANY:
        give_back()
