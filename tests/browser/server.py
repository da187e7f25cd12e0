"""A running dashboard seen from outside: its address, its processes, what it prints."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.browser.tables import SECRET

ROOT = Path(__file__).resolve().parents[2]
WORKER = "fpanon_core.engines.worker"


@dataclass(frozen=True)
class Server:
    """Where it listens, its process, and the file that keeps what it prints."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    @classmethod
    def start(cls, port: int, log: Path, *options: str, **settings: str) -> Server:
        """As ``make run`` starts it, but for the port and the browser that is not opened.

        Options are Streamlit's, settings of the environment; sessions end soon after their browser,
        if these say nothing.
        """
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        command += ["--server.headless", "true", "--server.port", str(port), *options]
        usual = {k: v for k, v in os.environ.items() if not k.startswith("FPANON_")}
        environment = usual | {"FPANON_GRACE_MIN": "0.1"} | settings
        with log.open("wb") as printed:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment,
            )
        return cls(f"http://localhost:{port}", process, log)

    @property
    def printed(self) -> str:
        """All it has printed so far, on both streams."""
        return self.log.read_text(errors="replace")

    def check_printed(self) -> None:
        """It has printed no trace of a fault and no user id."""
        printed = self.printed
        assert not re.search(rf"Traceback|{SECRET}", printed), printed

    def wait_until_healthy(self) -> None:
        """Until it answers."""
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health") as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        raise AssertionError(f"the dashboard did not start:\n{self.printed}")

    @property
    def open_files(self) -> int:
        """How many files and connections it has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def workers(self) -> list[int]:
        """Process numbers of its children that compute, or wait for something to compute."""
        listed = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
        )
        return [int(line.split()[0]) for line in listed.stdout.splitlines() if WORKER in line]

    @property
    def resident_mb(self) -> float:
        """Memory of its own process, without its children."""
        return resident_mb(self.process.pid)

    def wait_until_alone(self) -> None:
        """Until no session has a child any more; the one kept for whoever is next stays."""
        for _ in range(600):
            if len(self.workers()) <= 1:
                return
            time.sleep(0.2)
        raise AssertionError("children of sessions that ended are still there")

    def busy_worker(self) -> int:
        """The child that computes just now; waits for there to be one."""
        before: dict[int, int] = {}
        for _ in range(300):
            spent = {
                pid: (ticks := _processor_ticks(pid)) - before.setdefault(pid, ticks)
                for pid in self.workers()
            }
            # Whoever is to be next is started last, and busy warming up, too; a session's child is
            # older than that.
            newest = max(spent, default=0)
            if len(spent) > 1:
                spent.pop(newest)
            most, next_most = [*sorted(spent.values(), reverse=True), 0, 0][:2]
            # By its share, not its pace: others may use the processor. One that still ends what an
            # earlier test began falls behind.
            if most >= 30 and most >= 2 * next_most:
                return max(spent, key=spent.__getitem__)
            time.sleep(0.2)
        raise AssertionError("no child process of the server is computing")

    @contextmanager
    def held(self, *children: int) -> Iterator[None]:
        """Its children (all, or these) compute nothing meanwhile: what is under way stays so."""
        children = children or tuple(self.workers())
        try:
            for pid in children:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in children:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Whatever it computes meanwhile fails: each of its children is soon killed."""
        over = threading.Event()

        def reap() -> None:
            while not over.wait(0.2):
                for child in self.workers():  # at once, as where no memory is left
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)

        reaper = threading.Thread(target=reap)
        reaper.start()
        try:
            yield
        finally:
            over.set()
            reaper.join()

    def end(self) -> list[int]:
        """End its process group, kindly at first; returns the children that did not end with it."""
        workers = self.workers()
        for how in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, how)
                try:
                    self.process.wait(15)
                except subprocess.TimeoutExpired:
                    continue
        for _ in range(50):
            if not (left := [pid for pid in workers if _is_worker(pid)]):
                return []
            time.sleep(0.2)
        return left


@contextmanager
def started(log: Path, *options: str, port: int = 0, **settings: str) -> Iterator[Server]:
    """A dashboard of one's own on this machine, ended afterwards with all it began.

    It must have printed no trace of a fault and no user id. The port is a free one, unless given.
    """
    server = Server.start(port or free_port(), log, *options, **settings)
    try:
        server.wait_until_healthy()
        yield server
    finally:
        left = server.end()
    assert left == [], "computing processes outlived the server"
    server.check_printed()


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""The headers by which a browser asks for a socket."""


def status(port: int, path: str, method: str = "GET", at: str = "127.0.0.1", **headers: str) -> int:
    """The status of an answer; 0 for none."""
    connection = http.client.HTTPConnection(at, port, timeout=60)
    try:
        connection.request(method, path, headers=headers)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def _is_worker(pid: int) -> bool:
    try:
        return WORKER in Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return False


def resident_mb(pid: int) -> float:
    """Memory of a process that is not swapped out, in MB (10⁶ bytes); 0 when it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _processor_ticks(pid: int) -> int:
    """Processor time of a process so far, in hundredths of a second; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])  # user and system: fields 14 and 15 of proc(5)
