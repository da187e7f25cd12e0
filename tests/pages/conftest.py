"""Running the dashboard without a browser; its jobs run in this process unless a test asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.testing.v1 import AppTest

from pages.server.lives import REGISTRY
from pages.shell import session
from tests.support.runner import InProcessRunner, NoSpare
from tests.support.views import new_app


@pytest.fixture(autouse=True)
def _runners_end(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run jobs here, or in real child processes for tests marked so; end them afterwards."""
    made: list[Any] = []
    real = request.node.get_closest_marker("processes") is not None

    def noting(kind: Callable[..., Any]) -> Callable[..., Any]:
        def make(*arguments: Any, **named: Any) -> Any:
            made.append(kind(*arguments, **named))
            return made[-1]

        return make

    runner, spare = (session.ProcessRunner, session.Spare) if real else (InProcessRunner, NoSpare)
    monkeypatch.setattr(session, "ProcessRunner", noting(runner))
    monkeypatch.setattr(session, "Spare", noting(spare))
    yield
    for part in made:
        part.close()
    REGISTRY.close()
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def _no_run_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each run of a page, by whichever click: an exception on it fails the test."""
    usual = AppTest._run

    def run(self: AppTest, *arguments: Any, **named: Any) -> AppTest:
        done = usual(self, *arguments, **named)
        assert not done.exception, done.exception
        return done

    monkeypatch.setattr(AppTest, "_run", run)


@pytest.fixture
def app() -> AppTest:
    return new_app()


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], bytes]]:
    """What the buttons of all runs would do, by the name of the file; the latest."""
    found: dict[str, Callable[[], bytes]] = {}
    usual = MediaFileManager.add_deferred

    def noting(self: Any, content: Any, mime: Any, where: Any, file_name: Any, **more: Any) -> str:
        found[file_name] = content
        return usual(self, content, mime, where, file_name, **more)

    monkeypatch.setattr(MediaFileManager, "add_deferred", noting)
    return found
