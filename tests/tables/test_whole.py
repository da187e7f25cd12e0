"""A file comes to its place whole and for its owner alone, or not at all; nothing stays behind."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from fpanon_core.model.errors import ConfigError
from fpanon_core.tables import writing
from fpanon_core.tables.writing import (
    staged,
    sweep,
    whole_file,
    write_bytes,
    write_json,
    write_table,
)

GONE = 99_999_999  # beyond every number that Linux gives to a process
TABLE = pd.DataFrame({"a": [1]})


def left(pid: int = GONE) -> str:
    return f".fpanon-{pid}-0123456789abcdef.part"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def open_to_all() -> Iterator[None]:
    """The customs of a system on which new files may be read, and written, by everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_to_all")
def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    for name in ("a.csv", "a.csv.gz", "a.parquet"):
        (tmp_path / name).touch(0o666)  # as an earlier version left it
        write_table([TABLE], tmp_path / name)
    write_json({}, tmp_path / "a.json")
    write_bytes(b"", tmp_path / "a.zip")
    with staged(tmp_path) as folder:
        assert mode(folder) == 0o700
        folder.rmdir()
    assert {mode(path) for path in tmp_path.iterdir()} == {0o600}


def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("somebody's")
    (tmp_path / "a.csv").symlink_to(other)
    write_table([TABLE], tmp_path / "a.csv")
    assert other.read_text() == "somebody's"
    assert not (tmp_path / "a.csv").is_symlink()


def test_nothing_is_written_through_what_lies_there_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if somebody knew the name: a file or link of theirs is not opened."""
    monkeypatch.setattr(writing.secrets, "token_hex", lambda n: "0" * 2 * n)
    other = tmp_path / "other"
    other.write_text("somebody's")
    foreseen = tmp_path / f".fpanon-{os.getpid()}-{'0' * 16}.part"
    for put in (foreseen.symlink_to, foreseen.hardlink_to):
        put(other)
        with pytest.raises(ConfigError, match="File exists"):
            write_bytes(b"mine", tmp_path / "a")
        assert other.read_text() == "somebody's"
        foreseen.unlink()


def test_what_must_be_new_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    write_bytes(b"first", path, new=True)
    assert mode(path) == 0o600
    with pytest.raises(ConfigError, match="File exists"):
        write_bytes(b"second", path, new=True)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="File exists"):
        write_bytes(b"second", tmp_path / "link", new=True)
    assert path.read_bytes() == b"first"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["key.csv", "link"]


# --- killed --------------------------------------------------------------------------------------

WRITING = """
    import os, sys
    from pathlib import Path
    from fpanon_core.tables.writing import staged, whole_file
    folder = Path(sys.argv[1])
    with whole_file(folder / "big.csv") as into, staged(folder) as beside:
        into.write(b"u0001,48.1")
        into.flush()
        (beside / "data.csv").write_bytes(b"u0001,48.1")
        print("writing", flush=True)
        sys.stdin.read()
"""


def test_what_a_kill_leaves_is_swept_up_by_the_next_who_writes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(WRITING), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        assert sweep(tmp_path) == 0  # it lives
        write_bytes(b"mine", tmp_path / "other.csv")
        assert len(list(tmp_path.iterdir())) == 3
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    assert not (tmp_path / "big.csv").exists()
    write_bytes(b"mine", tmp_path / "other.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["other.csv"]


def test_only_what_the_dead_left_of_ours_is_swept_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "somewhere" / "kept"
    target.mkdir(parents=True)
    kept = [
        *(left(os.getpid()), left(1)),  # of the living: this process
        *(left().replace("abc", "ABC"), f"{left()}.csv", left()[1:]),  # not our way of writing it
    ]
    for name in kept:
        (tmp_path / name).write_text("kept")
    link, pipe, file, folder = (tmp_path / left().replace("f.", f"{n}.") for n in range(4))
    link.symlink_to(target)  # followed by nobody
    os.mkfifo(pipe)
    file.write_text("left")
    folder.mkdir()
    (folder / "data.csv").write_text("left")
    (folder / "link").symlink_to(target)
    with monkeypatch.context() as patch:  # another user's process left them
        patch.setattr(writing.os, "geteuid", lambda: os.getuid() + 1)
        assert sweep(tmp_path) == 0
    assert sweep(tmp_path) == 2
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "somewhere", link.name, pipe.name}
    assert target.is_dir()


def test_what_is_held_elsewhere_is_not_swept_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of another container has a number that is nobody's here; its lock tells."""
    with whole_file(tmp_path / "a") as into:
        into.write(b"x")
        monkeypatch.setattr(writing, "_runs", lambda _: False)
        assert sweep(tmp_path) == 0
    assert (tmp_path / "a").read_bytes() == b"x"


# --- a full disk ---------------------------------------------------------------------------------


@contextmanager
def files_of_50_kb() -> Iterator[None]:
    """Files may not grow beyond: the same fault comes in the same place as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


MANY = pd.DataFrame({"text": [f"u{i:07d}" for i in range(200_000)]})


@pytest.mark.parametrize(
    "write",
    [
        *(partial(write_table, [MANY] * 3), partial(write_bytes, bytes(60_000))),
        *(partial(write_bytes, bytes(60_000), new=True), partial(write_json, ["text"] * 60_000)),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_where_the_disk_is_full_nothing_is_left_and_it_is_said(
    tmp_path: Path, write: partial[None], name: str
) -> None:
    path = tmp_path / name
    path.write_text("before")
    with (
        files_of_50_kb(),
        pytest.raises(ConfigError, match=r"^The disk is full, or a file may not grow"),
    ):
        write(tmp_path / "new" if write.keywords else path)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert path.read_text() == "before"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_told_at_the_last_moment_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Some disks say so only when what was written is to be kept."""
    full = Mock(side_effect=OSError(code, os.strerror(code)))
    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(ConfigError, match="The disk is full"):
        write_bytes(b"x", tmp_path / "a")
    with pytest.raises(ConfigError, match="The disk is full"), staged(tmp_path) as folder:
        write_bytes(b"x", folder / "a")
    assert list(tmp_path.iterdir()) == []
