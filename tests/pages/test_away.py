"""What is said of a session's work while its browser was away, and what a page hands on."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.server.lives import REGISTRY, Ended
from pages.shell import session
from tests.support.views import go, new_app, rows, said, upload


def test_it_is_said_on_every_page_until_somebody_has_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    once = iter([Ended(15.0, True, 0)])
    monkeypatch.setattr(session, "ended", lambda: next(once, None))
    at = new_app()
    for page in ("overview", "data", "unicity"):
        assert "Your session ended" in said(go(at, page))
    at.button(key="frame_away_read").click().run()
    assert "Your session ended" not in said(at)


def test_how_long_it_is_kept_is_said_where_files_are_opened(app: AppTest) -> None:
    assert "for 15 minutes after" in said(go(app, "data"))


def test_what_is_opened_is_handed_on_to_the_next_page(app: AppTest) -> None:
    upload(app, rows(users=3, samples=4))
    work = REGISTRY.of("test session id")
    assert work.kept["fp_dataset"] is app.session_state["fp_dataset"]
    assert work.jobs is app.session_state["fp_jobs"]
    again = AppTest.from_file(app._script_path, default_timeout=60)
    work.given_to = "the page before"
    again.run()
    assert again.session_state["fp_dataset"] is app.session_state["fp_dataset"]
    assert again.session_state["fp_jobs"] is work.jobs
    assert "3 people" in said(again)


def test_a_file_that_a_widget_holds_is_not_dropped_and_counted_once_read(app: AppTest) -> None:
    body = rows(users=3, samples=4)
    go(app, "data")
    app.file_uploader(key="data_file").upload("own.csv", body).run()
    work = REGISTRY.of("test session id")
    assert len(work.claimed) == 1
    assert work.source_bytes == 0
    app.button(key="data_read").click().run()
    assert work.source_bytes == len(body)
    app.radio(key="data_way").set_value(app.radio(key="data_way").options[-1]).run()
    app.button(key="data_sample_sf_cabs").click().run()
    assert work.source_bytes == 0
