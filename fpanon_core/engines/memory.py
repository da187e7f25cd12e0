"""What is free in a process goes back to the machine: without that, memory stays taken."""

from __future__ import annotations

import ctypes
import gc

import pyarrow as pa

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
