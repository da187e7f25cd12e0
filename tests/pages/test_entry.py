"""Without a login no page is run, whatever stands before the pages."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import entrance
from pages.server.entrance import Entrance
from pages.shell import navigation, session
from tests.support.provider import PEOPLE
from tests.support.views import APP, go, said


@pytest.mark.parametrize("who", ["nobody", "bert", "liar"])
def test_no_page_is_run_for_who_is_not_let_in(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A login is set up, for anna alone."""
    standing = Entrance(True, ("default",), frozenset({"anna@office.example"}))
    monkeypatch.setattr(entrance, "current", lambda: standing)
    monkeypatch.setattr(session, "runner", lambda: pytest.fail("a session's work was begun"))
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.user = {"is_logged_in": who in PEOPLE, **PEOPLE.get(who, {})}
    at.run()
    for place in navigation.PLACES:
        go(at, place.folder)
        assert [title.value for title in at.title] == ["fpanon"]
        assert len(at.main) == 3  # the title, why, and the way to the provider
        assert len(at.sidebar) == 0
        assert not said(at).replace("fpanon", "").strip()
    assert "fp_jobs" not in at.session_state
