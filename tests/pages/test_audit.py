"""What the dashboard writes to the audit log: openings and downloads, and nothing of a person."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.io.audit import AuditLog
from tests.pages.test_navigation import users_of
from tests.support.views import go, hardness, has, new_app, opened, rows, said, until, upload


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AuditLog:
    """Asked for, and still empty."""
    path = tmp_path / "audit.jsonl"
    monkeypatch.setenv("FPANON_AUDIT_LOG", str(path))
    return AuditLog(path)


def lines(log: AuditLog) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_openings_and_downloads_are_noted(
    app: AppTest, log: AuditLog, offered: dict[str, Callable[[], bytes]]
) -> None:
    at = upload(app, rows(12, 5), name="of-subscriber-7.csv")
    go(at, "anonymizability")
    until(at, lambda at: has(at, "anon_get_k_gaps"))
    (name,) = (name for name in offered if name.startswith("k_gaps"))
    made = offered[name]()
    key = bytes.fromhex(log.key_path.read_text())
    digest = at.session_state["fp_dataset"].digest
    of_data = hmac.new(key, digest.encode(), "sha256").hexdigest()
    of_file = hmac.new(key, made, "sha256").hexdigest()
    first, last = lines(log)
    both = {"time": "", "who": "local", "data": of_data}
    opening = {"event": "opened", "what": "upload", "settings": {"users": 12}}
    leaving = {"event": "exported", "what": name, "bytes": len(made), "content": of_file}
    assert first | {"time": ""} == both | opening
    assert last | {"time": ""} == both | leaving
    # Nothing of a person, nor what the file was called, nor a digest that guesses can be tried on.
    text = log.path.read_text()
    assert b"subscriber" in rows(12, 5)
    assert not re.search(rf"subscriber|{digest}|14\.7", text)


def test_a_download_that_cannot_be_noted_is_none(
    app: AppTest, log: AuditLog, offered: dict[str, Callable[[], bytes]]
) -> None:
    at = hardness(app)
    (name,) = (name for name in offered if name.startswith("k_gaps"))
    log.path.chmod(0o644)
    with pytest.raises(Exception, match="nothing can be opened or downloaded"):
        offered[name]()
    at.run()
    assert "Until this is put right, nothing can be opened or downloaded" in said(at)
    assert {button.proto.disabled for button in at.get("download_button")} == {True}
    log.path.chmod(0o600)
    at.run()
    assert "Until this is put right" not in said(at)
    assert {button.proto.disabled for button in at.get("download_button")} == {False}


def test_data_whose_opening_cannot_be_noted_are_not_opened(app: AppTest, log: AuditLog) -> None:
    log.path.mkdir()
    at = upload(app, rows(12, 5))
    assert "fp_dataset" not in at.session_state
    assert "The audit log cannot be written" in said(at)


def test_without_a_log_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FPANON_AUDIT_LOG", raising=False)
    monkeypatch.chdir(tmp_path)
    opened(new_app())
    assert list(tmp_path.iterdir()) == []


def test_every_file_leaves_by_the_one_button() -> None:
    """Of another button the audit log would hear nothing."""
    assert users_of("download_button") == ["shell/downloads.py"]
