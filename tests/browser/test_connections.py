"""Connections that are lost, pages that are loaded anew, browsers that are gone.

By a browser without a screen, whose connections can be made to fail.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from pages.server.owners import Room
from tests.browser.server import Server, started
from tests.browser.tables import SECRET, events, separated
from tests.support.visitor import Visitor

pytestmark = pytest.mark.browser

OPEN = "2,000 people"  # the synthetic sample, in the line above every view
AT_WORK = "Measuring at"
_ITS_TURN = re.compile(AT_WORK + r".* so far")  # what waits behind other work has no time yet


@contextmanager
def _held_at_work(visitor: Visitor, server: Server) -> Iterator[list[int]]:
    """While a job of the visitor's is under way and goes no further; gives the children.

    All are held: sessions of earlier tests may go on with theirs, and which child is whose cannot
    be seen from outside. What ended just before it could be held is no job to look at.
    """
    for _ in range(20):
        visitor.until(lambda page: _ITS_TURN.search(page.text), "its work", every_s=0.1)
        children = server.workers()
        with server.held(*children):
            visitor.run()
            if AT_WORK in visitor.text:
                yield children
                return
    raise AssertionError("every job ended before it could be held")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that keeps sessions as long as it does for an officer."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with started(log, FPANON_GRACE_MIN="15", FPANON_UPLOAD_MB_SESSION="30") as running:
        yield running


@pytest.fixture
def visitor(server: Server) -> Iterator[Visitor]:
    found = Visitor(server.address).open()
    yield found
    found.leave()


def test_a_lost_connection_loses_neither_data_nor_work(visitor: Visitor, server: Server) -> None:
    """Cut off for more than the half second after which Streamlit clears what it caches.

    Nor does a page that is loaded anew, which has another session.
    """
    visitor.click("start_synthetic")
    visitor.turn_to("anonymizability")
    session = visitor.session
    with _held_at_work(visitor, server) as children:
        for anew in (False, True):
            if anew:
                visitor.leave()
                visitor.open()
            else:
                visitor.cut()
                time.sleep(1.5)
                visitor.connect()
            assert (visitor.session != session) == anew
            assert OPEN in visitor.text
            assert AT_WORK in visitor.text  # once anew, in the line above the overview
            assert set(children) <= set(server.workers())
    visitor.turn_to("anonymizability")
    visitor.until(lambda page: page.has("anon_get_k_gaps"), "the results")
    visitor.cut()
    visitor.connect()
    assert visitor.has("anon_get_k_gaps")
    visitor.leave()
    visitor.open("/anonymizability").turn_to("anonymizability")
    assert visitor.has("anon_get_k_gaps")  # at once: nothing was computed again


def test_another_browser_never_gets_in(visitor: Visitor, server: Server) -> None:
    """It knows the session's name, as from an address of an upload; or has a window beside it."""
    visitor.turn_to("data").upload("data_file", "mine.csv", separated(events(4, 5)))
    visitor.click("data_read")
    visitor.until(lambda page: "4 people" in page.text, "the data")
    thief = Visitor(server.address).open()
    visitor.cut()
    thief.leave()
    thief.connect(visitor.session)
    second = Visitor(server.address, visitor.cookies).open()
    for page in (thief, second):
        assert page.session != visitor.session
        assert "4 people" not in page.text
        assert b"mine.csv" not in b"".join(page.heard)
    path = f"/_stcore/upload_file/{visitor.session}/any"
    visitor.connect()
    status, told = thief.send(path, "theirs.csv", b"x")
    assert (status, told) == (403, b"This session does not belong to this browser.")
    assert "4 people" in visitor.text
    assert SECRET.encode() not in b"".join(visitor.heard)
    thief.leave()
    second.leave()


def test_a_download_is_answered_to_its_own_browser_alone(visitor: Visitor) -> None:
    visitor.click("start_synthetic")
    visitor.turn_to("anonymizability")
    visitor.until(lambda page: page.has("anon_get_k_gaps"), "the results")
    one, two = (visitor.address_of("anon_get_k_gaps") for _ in range(2))
    assert one != two
    other = Visitor(visitor.address).open()
    for address in (one, two):
        assert visitor.fetch(address)[0] == 200
        assert other.fetch(address)[0] == 404
        assert Visitor(visitor.address).fetch(address)[0] == 404
    other.leave()


def test_connections_beyond_the_number_are_refused_and_cost_nothing_afterwards(
    visitor: Visitor, server: Server
) -> None:
    """Without a cookie few, of one browser some; what they took is given back at once."""
    address = visitor.address.replace("http", "ws") + "/_stcore/stream"
    run = BackMsg()
    run.rerun_script.query_string = ""

    def swarm(cookie: str) -> tuple[list[ClientConnection], int]:
        open_: list[ClientConnection] = []
        more: dict[str, Any] = {"additional_headers": {"Cookie": cookie}} if cookie else {}
        more |= {"origin": visitor.address, "subprotocols": ["streamlit"], "max_queue": None}
        try:
            while len(open_) < 100:
                open_.append(windows.enter_context(connect(address, **more)))
                open_[-1].send(run.SerializeToString())
        except InvalidStatus as refused:
            return open_, refused.response.status_code
        raise AssertionError("all were let in")

    before = server.open_files
    one = Visitor(visitor.address).open()
    cookie = "; ".join(f"{name}={value}" for name, value in one.cookies.items())
    with ExitStack() as windows:
        nobody, status = swarm("")
        assert (len(nobody), status) == (Room.without_cookie, 403)
        many, status = swarm(cookie)
        assert (len(many), status) == (Room.of_one - 1, 403)  # with its own window
        status, page = one.fetch("/", accept="text/html")
        assert status == 503
        assert b"Close those that are not needed" in page
        visitor.run()  # others are served as before
        for each in nobody + many:
            each.close(1001)
    one.leave()
    for _ in range(300):
        if server.open_files <= before + 5:
            break
        time.sleep(0.2)
    assert server.open_files <= before + 5
    assert one.fetch("/", accept="text/html")[0] == 200


def test_whoever_is_gone_for_longer_leaves_nothing_and_is_told(tmp_path: Path) -> None:
    with started(tmp_path / "log.txt", FPANON_GRACE_MIN="0.05") as server:
        first = Visitor(server.address).open()
        first.turn_to("data")
        visitor = Visitor(server.address).open().click("start_synthetic")
        visitor.until(lambda page: OPEN in page.text, "the data")
        visitor.turn_to("anonymizability")
        visitor.until(lambda page: page.has("anon_get_k_gaps"), "the results")
        results = visitor.address_of("anon_get_k_gaps")
        assert visitor.fetch(results)[0] == 200
        visitor.turn_to("data")
        before = server.resident_mb  # with all that is loaded to measure and to draw
        large = separated(events(4, 5)) + b"," * 200_000_000
        visitor.upload("data_file", "large.csv", large)
        assert server.resident_mb > before + 150
        visitor.turn_to("")  # where more is measured
        with server.held():  # its work is not done before it is ended
            visitor.cut()
            for _ in range(600):
                first.run()
                if server.resident_mb < before + 60 and len(server.workers()) <= 2:
                    break
                time.sleep(0.2)
        assert server.resident_mb < before + 60
        assert visitor.fetch(results)[0] == 404
        visitor.connect()
        assert OPEN not in visitor.text
        assert "Your session ended after 3 seconds without a connection: the data" in visitor.text
        visitor.click("frame_away_read")
        assert "Your session ended" not in visitor.text
        visitor.leave()
        first.leave()
        server.wait_until_alone()
