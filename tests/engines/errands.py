"""Functions for child processes to run in test_process.py; importable there by name."""

from __future__ import annotations

import gc
import io
import os
import sys
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import fpanon_core as fp
from fpanon_core.engines import worker
from fpanon_core.engines.limits import memory_of

Progress = Callable[[float], None]
WARMED: list[str] = []
SECRET = "subscriber-4711-at-home"


def double(values: np.ndarray, *, progress: Progress) -> np.ndarray:
    print("a stray print must not garble the answers")
    progress(0.5)
    return values * 2


def own_pid(*, progress: Progress) -> int:
    progress(1.0)
    return os.getpid()


def sleep(seconds: float, *, progress: Progress) -> int:
    """Reports progress for ``seconds``; steps longer than the throttle of 0.1 s."""
    steps = max(1, round(seconds / 0.15))
    for i in range(steps):
        progress(i / steps)
        time.sleep(seconds / steps)
    return os.getpid()


def refuse(*, progress: Progress) -> None:
    progress(0.1)
    raise fp.InfeasibleError("k = 50 exceeds the 32 people loaded; choose k ≤ 32.")


def break_down(secret: str, *, progress: Progress) -> None:
    progress(0.1)
    raise ValueError(f"could not parse {secret}")


def exhaust(*, progress: Progress) -> None:
    progress(0.1)
    raise MemoryError


def vanish(*, progress: Progress) -> None:
    progress(0.1)
    os._exit(3)


def modules(*, progress: Progress) -> list[str]:
    progress(1.0)
    return sorted(m for m in sys.modules if m in {"streamlit", "app"}) + WARMED


def warm_up() -> None:
    WARMED.append("warm")


def return_what_cannot_be_sent(*, progress: Progress) -> object:
    progress(1.0)
    return lambda: None


def describe(fs: fp.FingerprintSet, note: str, *, progress: Progress) -> tuple[str, int, list[str]]:
    """What arrived, and the process that holds it."""
    progress(1.0)
    return fs.digest, os.getpid(), [note, *fs.pseudonyms]


def make(n_users: int, *, progress: Progress) -> tuple[fp.FingerprintSet, str]:
    progress(1.0)
    rows = np.arange(n_users)
    return fp.FingerprintSet.from_samples(rows, 100.0 * rows, 0.0 * rows, 0.0 * rows), "made"


def fill(size: int, *, progress: Progress) -> int:
    """Takes so many bytes, a tenth at a time, and keeps them for a while."""
    parts = []
    for step in range(10):
        parts.append(np.ones(size // 10, np.uint8))
        progress(step / 10)
        time.sleep(0.05)
    return sum(part.nbytes for part in parts)


def ask_for_too_much(kind: str, *, progress: Progress) -> int:
    progress(0.1)
    if kind == "arrow":
        return int(pa.allocate_buffer(2**60).size)
    return len(np.ones(2**60, np.uint8) if kind == "numpy" else bytearray(2**60))


class Evil:
    """Its pickle has something called when it is read."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call


def answer_evil(trace: str, *, progress: Progress) -> None:
    """As a child would that a file has taken over: it answers with what it likes."""
    progress(0.1)
    answers = next(
        held for held in gc.get_objects() if type(held) is io.BufferedWriter and held.name > 2
    )
    worker.send(answers, ((), "result", Evil(os.system, f"touch {trace}")))
    time.sleep(60)


_LEFT: list[bytearray] = []


def scatter(n_bytes: int, *, progress: Progress) -> int:
    """Fill memory with small pieces, and free all but the last: what is below it stays taken."""
    progress(0.1)
    pieces = [bytearray(b"1" * 4_000) for _ in range(n_bytes // 4_000)]
    _LEFT.append(pieces[-1])
    return len(pieces)


def own_memory(*, progress: Progress) -> int:
    progress(1.0)
    return memory_of(os.getpid())
