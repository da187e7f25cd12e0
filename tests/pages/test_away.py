"""What is said of a session's work while its browser was away, and what a page hands on."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.server.lives import REGISTRY, Ended
from pages.shell import away, job_panel, session
from tests.support.views import go, new_app, rows, said, upload


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (
            Ended(15.0, True, 2),
            "Your session ended after 15 minutes without a connection: the data and results are "
            "gone from this computer's memory, and 2 computations that had not finished stopped.",
        ),
        (
            Ended(0.5, False, 1),
            "Your session ended after 30 seconds without a connection: 1 computation that had not "
            "finished stopped.",
        ),
        (
            Ended(),
            "The session that this page belonged to has ended, or the dashboard was started anew. "
            "What was open is no longer in this computer's memory; open the data again.",
        ),
    ],
)
def test_sentences(ended: Ended, told: str) -> None:
    assert away.sentence(ended) == told


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


@pytest.mark.parametrize(
    ("ahead", "told"), [(0, ""), (1, "waits behind 1 other"), (7, "waits behind 7 others")]
)
def test_a_job_says_behind_how_many_it_waits(ahead: int, told: str) -> None:
    job = session.Job(len, (), {}, "Measuring")
    job.place = lambda _job: ahead
    assert job_panel.waits(job) == told
    job.status = "running"
    assert job_panel.waits(job) == ""


@pytest.mark.parametrize(
    ("needs", "told"),
    [(None, ""), (230_000_000, ""), (1_240_000_000, " · about 1.2 GB of memory")],
)
def test_a_job_says_how_much_memory_it_is_likely_to_take(needs: int | None, told: str) -> None:
    job = session.Job(len, (), {}, "Measuring", needs_bytes=needs)
    assert job_panel.line(job, 0) == f"**Measuring** · 0%{told}"
