"""A server that is used for long, and its memory and its children's, noted every second."""

from __future__ import annotations

import argparse
import csv
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.browser.server import Server, resident_mb, started


def endured(about: str, work: Callable[..., tuple[list[str], int]], **usual: Any) -> int:
    """Let ``work`` use a server, and report what it says; return its exit code.

    ``usual`` are the options of the command line, with their defaults.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    for name, value in usual.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    with started(asked.out / "server.txt", FPANON_GRACE_MIN="0.5") as server:
        lines, code = work(server, Diary(server, asked.out / "memory.csv"), asked)
    report = "\n".join(lines)
    (asked.out / "report.txt").write_text(report + "\n")
    print(report)
    return code


class Diary:
    """Writes one line a second: seconds, phase, memory of the server and of its children in MB.

    Resident memory (10⁶ bytes); pages that processes share are counted in each of them.
    """

    def __init__(self, server: Server, path: Path) -> None:
        self._server, self._path = server, path
        self._phase = ""
        self._ended = threading.Event()
        self._lines: list[tuple[float, str, float, float]] = []
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Diary:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def begin(self, phase: str) -> None:
        """From now on it is that phase."""
        self._phase = phase

    def say(self, phase: str, seconds: float) -> None:
        """A phase in which nothing is done but look on."""
        self.begin(phase)
        time.sleep(seconds)

    def table(self) -> str:
        """By phase: first, middle, highest and last figures."""
        rows = [f"{'phase':<12}{'of':<10}{'first':>9}{'median':>9}{'highest':>9}{'last':>9}  MB"]
        for phase in dict.fromkeys(line[1] for line in self._lines):
            for column, of in ((2, "server"), (3, "children")):
                found = [float(line[column]) for line in self._lines if line[1] == phase]
                numbers = (found[0], median(found), max(found), found[-1])
                rows.append(f"{phase:<12}{of:<10}" + "".join(f"{n:>9,.0f}" for n in numbers))
        return "\n".join(rows)

    def _write(self) -> None:
        began = time.monotonic()
        with self._path.open("w", newline="") as file:
            to = csv.writer(file)
            to.writerow(("seconds", "phase", "server_mb", "children_mb"))
            while not self._ended.wait(1.0):
                memory = memory_of(self._server)
                line = (round(time.monotonic() - began, 1), self._phase, *memory)
                self._lines.append(line)
                to.writerow(line)
                file.flush()


def memory_of(server: Server) -> tuple[float, float]:
    """Memory of the server and of its children, MB."""
    children = sum(map(resident_mb, server.workers()))
    return round(resident_mb(server.process.pid), 1), round(children, 1)
