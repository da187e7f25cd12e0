"""The memory of a server and its children, noted every second."""

from __future__ import annotations

import csv
import threading
import time
from pathlib import Path
from statistics import median

from tests.browser.server import Server, resident_mb


class Diary:
    """Writes one line a second: seconds, phase, memory of the server and of its children in MB.

    Resident memory (10⁶ bytes); pages that processes share are counted in each of them.
    """

    def __init__(self, server: Server, path: Path) -> None:
        self._server, self._path = server, path
        self._phase = ""
        self._ended = threading.Event()
        self._lines: list[tuple[float, str, float, float, int]] = []
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
            to.writerow(("seconds", "phase", "server_mb", "children_mb", "children"))
            while not self._ended.wait(1.0):
                children = self._server.workers()
                line = (
                    round(time.monotonic() - began, 1),
                    self._phase,
                    round(resident_mb(self._server.process.pid), 1),
                    round(sum(map(resident_mb, children)), 1),
                    len(children),
                )
                self._lines.append(line)
                to.writerow(line)
                file.flush()
