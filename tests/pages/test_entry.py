"""Without a login no page is run, whatever stands before the pages; with one, the way out is."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import entrance
from pages.server.entrance import Entrance
from pages.shell import navigation, session
from tests.support.provider import PEOPLE
from tests.support.views import APP, go, said


def app(who: str, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A session of somebody, or of nobody, where a login is set up, for anna alone."""
    standing = Entrance(True, ("default",), frozenset({"anna@office.example"}))
    monkeypatch.setattr(entrance, "current", lambda: standing)
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.user = {"is_logged_in": who in PEOPLE, **PEOPLE.get(who, {})}
    return at


@pytest.mark.parametrize("who", ["nobody", "bert", "liar"])
def test_no_page_is_run_for_who_is_not_let_in(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "runner", lambda: pytest.fail("a session's work was begun"))
    at = app(who, monkeypatch).run()
    for place in navigation.PLACES:
        go(at, place.folder)
        assert [title.value for title in at.title] == ["fpanon"]
        assert len(at.main) == 3  # the title, why, and the way to the provider
        assert len(at.sidebar) == 0
        assert not said(at).replace("fpanon", "").strip()
    assert "fp_jobs" not in at.session_state


def test_who_is_let_in_sees_pages_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[bool] = []
    monkeypatch.setattr("streamlit.logout", lambda: left.append(True))
    at = app("anna", monkeypatch).run()
    assert "Which release of your mobility data" in at.title[0].value
    assert [text.value for text in at.sidebar.text] == ["Logged in as anna@office.example"]
    assert not left
    at.button(key="log_out").click().run()
    assert left == [True]
