"""A question is asked with an estimate of the memory that it needs."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import hiding
from fpanon_core.studies.estimates import needed_bytes
from pages.shell import questions
from pages.shell.questions import Kind, Question
from tests.support.views import answers, go, has, idle, rows, said, until, upload


def test_a_job_begins_with_the_estimate_of_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, Any]] = []
    monkeypatch.setattr(questions.session, "start", lambda *_, **named: started.append(named))
    monkeypatch.setattr(questions.session, "jobs", lambda _kind: [])
    monkeypatch.setattr(questions, "st", SimpleNamespace(session_state={}))
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [0, 9])
    questions.ask(
        Question(Kind("glove", hiding.study, page="glove"), fs, hiding.Config(), "Hiding")
    )
    assert [job["needs_bytes"] for job in started] == [needed_bytes(hiding.study, fs)]


@pytest.mark.parametrize("view", ["unicity", "disclosure", "attack", "report"])
def test_what_waits_to_be_asked_says_what_it_takes(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    """Data that are large for the dashboard: nothing is measured unasked, and its cost is told."""
    monkeypatch.setattr(questions, "_ORDINARY_SAMPLES", 5)
    upload(app, rows(users=9, samples=6))
    if view == "report":  # what was weighed is needed for it
        go(app, "options")
        app.button(key="options_go").click().run()
        until(app, lambda at: has(at, "options_choice_keep") and idle(at))
    go(app, view)
    if view == "attack":
        app.selectbox(key="attack_release").set_value("aligned, k = 2").run()
    until(app, lambda at: "of memory" in said(at))
    assert re.search(r"About 1[\d.]* [MG]B of memory is needed", said(app))
    until(app, idle)
    if view in ("unicity", "disclosure"):
        until(app, lambda at: "likely to take about" in said(at))
        app.button(key=f"{view}_go").click().run()
        until(app, lambda at: bool(answers(at, view)))
        assert "of memory" not in said(app.run())
