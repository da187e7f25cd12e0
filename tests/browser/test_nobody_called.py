"""The server calls nobody, and answers nobody but the dashboard's own pages."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import sockets
from tests.browser.conftest import opened
from tests.browser.dashboard import VIEWS, clean
from tests.browser.server import UPGRADE, Server, started, status
from tests.browser.tables import events, separated

pytestmark = pytest.mark.browser

ROUTES = (
    *("/", "/data", "/favicon.png", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics"),
    *("/_stcore/script-health-check", "/_stcore/agent/openapi.json", "/media/a.csv", "/auth/login"),
    *("/_stcore/upload_file/a/b", "/component/a/b", "/_stcore/bidi-components/a/b", "/nowhere"),
)
FOREIGN = ("http://other.example", "http://localhost:3000", "http://0.0.0.0:1", "null")


def knock(port: int) -> None:
    """All that another page, or another name for this machine, would try."""
    here, rebound = f"localhost:{port}", f"other.example:{port}"
    for origin in FOREIGN:
        assert status(port, "/_stcore/stream", Host=here, Origin=origin, **UPGRADE) == 403
        for path in ROUTES:
            assert status(port, path, Host=here, Origin=origin) == 403
        assert status(port, ROUTES[10], "PUT", Host=here, Origin=origin) == 403
    own = f"http://{rebound}"
    assert status(port, "/_stcore/stream", Host=rebound, Origin=own, **UPGRADE) == 403
    for path in ROUTES:
        assert status(port, path, Host=rebound) == 421
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/script-health-check"):
        assert status(port, path, Host=here) == 404


@contextmanager
def looked_at(server: Server) -> Iterator[set[str]]:
    """Open sockets of a server that lead elsewhere, gathered all the while."""
    found: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            found.update(sockets.strangers(server.process.pid))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()


def test_whoever_knocks_and_wherever_one_walks(tmp_path: Path, browser: Browser) -> None:
    environment, log = sockets.watched(tmp_path)
    with (
        started(tmp_path / "log.txt", **environment) as server,
        looked_at(server) as open_elsewhere,
    ):
        knock(int(server.address.rpartition(":")[2]))
        with opened(server, browser) as dashboard, clean(dashboard):
            dashboard.go()
            dashboard.turn_to("Data")
            dashboard.upload("records.csv", separated(events(12, 20)))
            dashboard.wait_for_data(users=12)
            for view in VIEWS:
                dashboard.turn_to(view)
            allowed = dashboard.page.evaluate(
                "fetch('/_stcore/host-config').then(r => r.json()).then(c => c.allowedOrigins)"
            )
            assert allowed == []  # nobody may send messages to the page
            # Nor is anything a file that a next run drops before a slow browser has asked for it.
            assert not [
                url for url in dashboard.seen.requests if url.startswith(f"{server.address}/media/")
            ]
    assert sockets.processes(log) >= 2  # the server, and a child that computes
    assert sockets.called(log) == []
    assert open_elsewhere == set()


def test_a_call_would_be_seen(tmp_path: Path) -> None:
    """That the watching watches: a process that calls, by name and by address."""
    environment, log = sockets.watched(tmp_path)
    calls = (
        "import contextlib, socket\n"
        "datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for call in (lambda: datagrams.connect(('192.0.2.1', 1)),\n"
        "             lambda: datagrams.connect(('127.0.0.1', 1)),\n"
        "             lambda: socket.getaddrinfo('nobody.invalid', 80)):\n"
        "    with contextlib.suppress(OSError):\n"
        "        call()\n"
    )
    subprocess.run([sys.executable, "-c", calls], env=os.environ | environment, check=True)
    assert sockets.called(log) == [
        "socket.connect '192.0.2.1'",
        "socket.getaddrinfo 'nobody.invalid'",
    ]
