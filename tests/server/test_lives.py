"""Whose work is it, and how long is it kept? By a clock of the test's own."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.server import guards
from pages.server.guards import Reaper
from pages.server.lives import IDLE_GRACE_S, Ended, Registry, Work

GRACE_S = 900.0


class Runner:
    """In place of a session's runner: only whether it was closed is of interest."""

    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def clock() -> SimpleNamespace:
    """Stands still until it is told."""
    return SimpleNamespace(now=1000.0)


@pytest.fixture
def registry(clock: SimpleNamespace) -> Registry:
    return Registry(GRACE_S, lambda: clock.now)


def begun(registry: Registry, session: str, owner: str, data: Any = "data") -> tuple[Work, str]:
    """A session with data and a runner, and the name of its connection."""
    connection, _ = registry.opened(owner)
    work = registry.claim(session, connection)
    work.runner = Runner()  # type: ignore[assignment]
    if data:
        work.kept["fp_dataset"] = data
    return work, connection


def looked(registry: Registry) -> list[str]:
    """The sessions that the reaper ends."""
    ended: list[str] = []

    def close(session_id: str) -> bool:
        ended.append(session_id)
        return True

    asyncio.run(Reaper(registry, close).look())
    return ended


def test_work_is_kept_for_the_grace_and_ended_then(
    registry: Registry, clock: SimpleNamespace
) -> None:
    work, connection = begun(registry, "s", "officer")
    clock.now += 10 * GRACE_S
    assert looked(registry) == []  # its browser is there
    registry.closed(connection, left=False)
    clock.now += GRACE_S - 1
    assert looked(registry) == []
    assert registry.known("s") is work
    assert not work.runner.closed  # type: ignore[union-attr]
    clock.now += 1
    assert looked(registry) == ["s"]
    assert registry.known("s") is None
    assert work.runner.closed  # type: ignore[union-attr]
    assert work.kept == {}


@pytest.mark.parametrize("session", ["s", "new"])
@pytest.mark.parametrize("seconds", [0.5, 300.0, GRACE_S - 1])
def test_a_lost_connection_that_comes_back_has_its_work(
    registry: Registry, clock: SimpleNamespace, seconds: float, session: str
) -> None:
    """Under another name where Streamlit has forgotten the session."""
    work, connection = begun(registry, "s", "officer")
    registry.closed(connection, left=False)
    clock.now += seconds
    again, granted = registry.opened("officer", "s")
    assert granted
    assert work.gone_since is None  # before any script has run
    assert registry.claim(session, again) is work
    clock.now += 10 * GRACE_S
    assert registry.known(session) is work
    assert session not in looked(registry)


def test_a_late_goodbye_of_the_old_connection_does_not_count(
    registry: Registry, clock: SimpleNamespace
) -> None:
    work, old = begun(registry, "s", "officer")
    registry.opened("officer", "s")
    registry.closed(old, left=False)
    assert work.gone_since is None
    clock.now += 2 * GRACE_S
    assert looked(registry) == []


@pytest.mark.parametrize(("owner", "thief"), [("officer", "other"), ("officer", ""), ("", "")])
def test_no_other_browser_gets_a_session_by_its_name(
    registry: Registry, owner: str, thief: str
) -> None:
    """Nor inherits one that was left; one without a cookie is nobody's."""
    for left in (False, True):
        work, connection = begun(registry, f"s{left}", owner)
        registry.closed(connection, left=left)
        stolen, granted = registry.opened(thief, f"s{left}")
        assert not granted
        assert registry.claim(f"t{left}", stolen) is not work
        assert registry.claim(f"u{left}", registry.opened(thief)[0]) is not work


def test_a_page_loaded_anew_goes_on_with_the_work_of_the_one_that_was_left(
    registry: Registry,
) -> None:
    work, connection = begun(registry, "s", "officer")
    registry.closed(connection, left=True)
    again, _ = registry.opened("officer")
    assert registry.claim("t", again) is work
    assert (work.session_id, work.gone_since) == ("t", None)
    assert registry.known("s") is None
    assert looked(registry) == ["s"]  # what Streamlit has of the old page goes


def test_a_second_window_takes_nothing_from_the_first(registry: Registry) -> None:
    work, connection = begun(registry, "s", "officer")
    assert registry.claim("t", registry.opened("officer")[0]) is not work  # it is open
    registry.closed(connection, left=False)
    assert registry.claim("u", registry.opened("officer")[0]) is not work  # it is only cut off
    assert registry.opened("officer", "s")[1]


def test_of_several_pages_that_were_left_the_last_is_gone_on_with(
    registry: Registry, clock: SimpleNamespace
) -> None:
    first, one = begun(registry, "s", "officer")
    second, two = begun(registry, "t", "officer")
    registry.closed(two, left=True)
    clock.now += 1
    registry.closed(one, left=True)
    assert registry.claim("u", registry.opened("officer")[0]) is first
    assert registry.claim("v", registry.opened("officer")[0]) is second


def test_what_was_ended_is_told_once_to_its_owner_alone(
    registry: Registry, clock: SimpleNamespace
) -> None:
    work, connection = begun(registry, "s", "officer")
    work.jobs = [SimpleNamespace(active=True), SimpleNamespace(active=False)]  # type: ignore[list-item]
    registry.closed(connection, left=False)
    clock.now += GRACE_S
    looked(registry)
    registry.claim("other's", registry.opened("other")[0])
    assert registry.ended("other's") is None
    registry.claim("new", registry.opened("officer")[0])
    assert registry.ended("new") == Ended(15.0, True, 1)
    assert registry.ended("new") is None


def test_of_a_session_without_data_or_work_nothing_is_told(
    registry: Registry, clock: SimpleNamespace
) -> None:
    _, connection = begun(registry, "s", "officer", data=None)
    registry.closed(connection, left=True)
    clock.now += GRACE_S
    looked(registry)
    registry.claim("new", registry.opened("officer")[0])
    assert registry.ended("new") is None


def test_a_page_whose_session_is_unknown_is_told_so(registry: Registry) -> None:
    """As after the server was killed and started anew."""
    connection, granted = registry.opened("officer", "of another server")
    assert not granted
    registry.claim("new", connection)
    assert registry.ended("new") == Ended()
    assert registry.ended("new") is None


def test_the_server_ends_with_all_it_has(registry: Registry) -> None:
    work, _ = begun(registry, "s", "officer")
    spare = Runner()
    registry.spare(lambda: spare)  # type: ignore[arg-type,return-value]
    registry.close()
    assert work.runner.closed  # type: ignore[union-attr]
    assert spare.closed
    assert registry.sessions() == []


@pytest.mark.parametrize(
    ("owner", "data", "left", "kept_s"),
    [
        ("", "data", False, 0.0),  # nobody can come back to it
        ("officer", None, True, 0.0),
        ("officer", None, False, IDLE_GRACE_S),  # what was typed is still there
        ("officer", "data", True, GRACE_S),
        ("officer", "data", False, GRACE_S),
    ],
)
def test_what_is_of_no_use_to_anybody_is_not_kept(
    registry: Registry, clock: SimpleNamespace, owner: str, data: Any, left: bool, kept_s: float
) -> None:
    _, connection = begun(registry, "s", owner, data)
    registry.closed(connection, left=left)
    if kept_s:
        clock.now += kept_s - 1
        assert looked(registry) == []
        clock.now += 1
    assert looked(registry) == ["s"]


@pytest.mark.parametrize(
    "having", [{"jobs": ["a job"]}, {"claimed": frozenset({"a file"})}, {"source_bytes": 1}]
)
def test_work_is_more_than_data(
    registry: Registry, clock: SimpleNamespace, having: dict[str, Any]
) -> None:
    work, connection = begun(registry, "s", "officer", None)
    registry.closed(connection, left=False)
    vars(work).update(having)
    clock.now += GRACE_S - 1
    assert looked(registry) == []


def test_sessions_of_streamlit_that_never_ran_go(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit would keep them as long as those that have data."""
    begun(registry, "s", "officer")
    closed: list[str] = []
    listed = [SimpleNamespace(session=SimpleNamespace(id=name)) for name in ("s", "open", "lost")]
    server = SimpleNamespace(
        _session_mgr=SimpleNamespace(list_sessions=lambda: listed),
        is_active_session=lambda name: name == "open",
        close_session=closed.append,
    )
    monkeypatch.setattr(guards.runtime, "exists", lambda: True)
    monkeypatch.setattr(guards.runtime, "get_instance", lambda: server)
    server.media_file_mgr = server.uploaded_file_mgr = None
    assert asyncio.run(Reaper(registry).look()) == 1
    assert closed == ["lost"]


def test_the_memory_of_who_is_gone_goes_back_to_the_machine_at_once(
    registry: Registry, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(guards, "give_back", lambda: given.append(1))
    _, connection = begun(registry, "s", "officer")
    registry.closed(connection, left=False)
    look = Reaper(registry, lambda _: True).look
    assert asyncio.run(look()) == 0
    assert not given  # nobody is due: nothing to give
    clock.now += registry.grace_s + 1
    assert asyncio.run(look()) == 1
    assert given == [1]


def test_streamlit_lists_its_sessions_where_the_reaper_looks() -> None:
    assert callable(WebsocketSessionManager.list_sessions)
    assert "self._session_mgr = " in inspect.getsource(Runtime.__init__)


def test_a_fault_in_one_look_does_not_end_the_reaper(
    registry: Registry, clock: SimpleNamespace
) -> None:
    registry.grace_s = 0.01
    ended: list[str] = []

    def close(session_id: str) -> bool:
        ended.append(session_id)
        if len(ended) == 1:
            raise RuntimeError("of a test")
        return True

    async def run() -> None:
        running = asyncio.create_task(Reaper(registry, close).run())
        for session in ("s", "t"):
            _, connection = begun(registry, session, "officer")
            registry.closed(connection, left=False)
            clock.now += 1
            for _ in range(1000):
                if session in ended:
                    break
                await asyncio.sleep(0.01)
        running.cancel()

    asyncio.run(run())
    assert ended == ["s", "t"]
