"""Running the dashboard without a browser, with real child processes that are ended afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.components import session

APP = Path(__file__).resolve().parents[2] / "app.py"
TEXTS = ("title", "header", "markdown", "caption", "info", "warning", "error", "success")


@pytest.fixture(autouse=True)
def _children_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made: list[Any] = []

    def noting(kind: Callable[..., Any]) -> Callable[..., Any]:
        def make(*arguments: Any, **named: Any) -> Any:
            made.append(kind(*arguments, **named))
            return made[-1]

        return make

    monkeypatch.setattr(session, "ProcessRunner", noting(session.ProcessRunner))
    monkeypatch.setattr(session, "Spare", noting(session.Spare))
    yield
    for part in made:
        part.close()
    st.cache_resource.clear()


@pytest.fixture
def app() -> AppTest:
    return new_app()


def new_app(**query: str) -> AppTest:
    """A new session on the start page."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def go(at: AppTest, page: str) -> AppTest:
    """To another view, as by its link."""
    return at.switch_page(f"pages/views/{page}.py").run()


def until(at: AppTest, done: Callable[[AppTest], Any], seconds: float = 120) -> AppTest:
    """Run again, as the polling fragments do in a browser, until something is so."""
    end = time.monotonic() + seconds
    while not done(at):
        assert time.monotonic() < end, f"waited in vain; the page says: {said(at)}"
        assert not at.exception, at.exception
        time.sleep(0.1)
        at.run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    """Everything a page says."""
    return "\n".join(str(e.value) for kind in TEXTS for e in getattr(at, kind))


def has(at: AppTest, key: str) -> bool:
    """Whether a widget of that key is there."""
    kinds = ("button", "selectbox", "download_button", "toggle", "radio", "number_input")
    return any(e.key == key for kind in kinds for e in getattr(at, kind))


def opened(at: AppTest, sample: str = "sf_cabs") -> AppTest:
    """Click a sample on the start page; the first figure's view follows by itself."""
    at.button(key=f"start_{sample}").click().run()
    return until(at, lambda at: has(at, "anon_download"))


def idle(at: AppTest) -> bool:
    """Whether no job waits or runs that anybody waits for."""
    return not any(
        job.active or job.status == "done"
        for job in at.session_state["fp_jobs"]
        if job.kind not in ("deepen", "estimate")
    )


def deep(at: AppTest, k: int = 100) -> bool:
    """Whether every profile is measured up to that k, and nothing runs."""
    everywhere = all(k in m.parts for m in at.session_state["fp_results"].values())
    return everywhere and not any(job.active for job in at.session_state["fp_jobs"])


def address(at: AppTest) -> dict[str, str]:
    """What the address names; AppTest keeps what a script wrote as lists, or as it was given."""
    named = at.query_params.items()
    return {name: value if isinstance(value, str) else value[0] for name, value in named}
