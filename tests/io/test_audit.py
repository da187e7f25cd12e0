"""The audit log: a line for what left, nothing of a person in it, and no export where it fails."""

from __future__ import annotations

import datetime as dt
import fcntl
import hmac
import json
import multiprocessing
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fpanon_core.io import audit
from fpanon_core.io.audit import AuditLog
from fpanon_core.model.errors import ConfigError
from tests.support.no_files import NO_FILES, replaced

NOON = dt.datetime(2026, 3, 4, 13, 0, 5, tzinfo=dt.timezone(dt.timedelta(hours=1)))


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path / "audit.jsonl")


def lines(log: AuditLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_none_is_kept_unless_asked_for(tmp_path: Path) -> None:
    assert audit.asked_for({}) is None
    named = audit.asked_for({"FPANON_AUDIT_LOG": str(tmp_path / "a")})
    assert named == AuditLog(tmp_path / "a")


def test_a_line_says_who_what_when_and_which_bytes(log: AuditLog) -> None:
    log.note("opened", who="anna@office.example", what="upload", data="d1", now=NOON)
    log.note(
        "exported",
        who="local",
        what="release.zip",
        data="d1",
        content=b"bytes",
        settings={"k": 5, "release": "GLOVE"},
        now=NOON,
    )
    key = bytes.fromhex(log.key_path.read_text())
    assert len(key) == 32
    data = hmac.new(key, b"d1", "sha256").hexdigest()
    both = {"time": "2026-03-04T12:00:05+00:00", "data": data}
    exported = {
        "bytes": 5,
        "content": hmac.new(key, b"bytes", "sha256").hexdigest(),
        "settings": {"k": 5, "release": "GLOVE"},
    }
    assert lines(log) == [
        both | {"who": "anna@office.example", "event": "opened", "what": "upload"},
        both | {"who": "local", "event": "exported", "what": "release.zip"} | exported,
    ]


def test_digests_cannot_be_tried_without_the_key(tmp_path: Path) -> None:
    """The same bytes, another key: another digest."""
    told = []
    for name in "ab":
        log = AuditLog(tmp_path / name)
        log.note("exported", who="local", what="x", data="d", content=b"the same", now=NOON)
        told.append(lines(log)[0])
    assert told[0]["content"] != told[1]["content"]
    assert told[0]["data"] != told[1]["data"]


def test_files_are_the_users_own(log: AuditLog) -> None:
    before = os.umask(0)
    try:
        log.check()
    finally:
        os.umask(before)
    for path in (log.path, log.key_path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("which", ["path", "key_path"])
@pytest.mark.parametrize("kind", [*NO_FILES, "read by others"])
def test_only_a_plain_file_of_its_own_is_written_to(
    log: AuditLog, tmp_path: Path, which: str, kind: str
) -> None:
    """A link is not followed, and a pipe not waited for."""
    log.check()
    path: Path = getattr(log, which)
    key = log.key_path.read_bytes()
    if kind == "read by others":
        path.chmod(0o640)
    else:
        (tmp_path / "elsewhere").mkdir()
        replaced(path, kind, tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="nothing can be opened or downloaded"):
        log.note("exported", who="local", what="x", content=b"")
    files = [each for each in tmp_path.rglob("*") if each.is_file() and each.stat().st_size]
    assert {each.read_bytes() for each in files} <= {key}  # no line anywhere


def test_a_key_that_is_none_is_refused(log: AuditLog) -> None:
    log.check()
    log.key_path.write_text("secret\n")
    with pytest.raises(ConfigError, match="64 hexadecimal digits"):
        log.check()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory") as refused:
        AuditLog(tmp_path / "gone" / "log").check()
    assert str(tmp_path) not in str(refused.value)


def test_a_full_disk_leaves_no_half_line(log: AuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.note("exported", who="local", what="first", content=b"")
    write = os.write
    monkeypatch.setattr(audit.os, "write", lambda file, line: write(file, line[:10]))
    with pytest.raises(ConfigError, match="No space left on device"):
        log.note("exported", who="local", what="second", content=b"")
    monkeypatch.undo()
    log.note("exported", who="local", what="third", content=b"")
    assert [line["what"] for line in lines(log)] == ["first", "third"]


def test_a_line_is_on_the_disk_before_anything_leaves(
    log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.check()

    def failing(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(audit.os, "fsync", failing)
    with pytest.raises(ConfigError, match="Input/output error"):
        log.note("exported", who="local", what="x", content=b"")
    assert log.path.read_bytes() == b""


def _write_many(path: Path) -> None:
    for _ in range(20):
        AuditLog(path).note("exported", who="local", what="x" * 5_000, content=b"")


def test_many_at_once_lose_nothing(log: AuditLog) -> None:
    """Threads of the server, and another server with the same log."""
    other = multiprocessing.get_context("fork").Process(target=_write_many, args=(log.path,))
    other.start()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: _write_many(log.path), range(4)))
    other.join(60)
    assert other.exitcode == 0
    assert len(lines(log)) == 100
    assert re.fullmatch(r"[0-9a-f]{64}\n", log.key_path.read_text())


def test_who_writes_waits_for_who_is_writing(log: AuditLog) -> None:
    """Half of another's line would else be cut off with one's own."""
    log.check()
    held = os.open(log.path, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as thread:
        writing = thread.submit(log.note, "exported", who="local", what="x", content=b"")
        with pytest.raises(TimeoutError):
            writing.result(0.3)
        os.close(held)
    assert [line["what"] for line in lines(log)] == ["x"]


def test_a_key_may_be_written_on_several_lines(log: AuditLog) -> None:
    """As xxd writes it."""
    log.key_path.write_text("ab" * 30 + "\n" + "ab" * 2 + "\n")
    log.key_path.chmod(0o600)
    log.check()
