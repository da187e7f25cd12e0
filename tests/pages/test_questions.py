"""A question is asked with an estimate of the memory that it needs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import hiding
from fpanon_core.studies.memory import needed_bytes
from pages.shell import questions
from pages.shell.questions import Kind, Question


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
