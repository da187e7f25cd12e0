"""A digest in a file says which data it is of to this user alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fpanon_core.model import files as of
from fpanon_core.model.files import PREFIX, keyed
from tests.support.no_files import NO_FILES, replaced

DIGEST = "0123456789abcdef" * 2


@pytest.fixture(autouse=True)
def another_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    of._key.cache_clear()


def test_the_same_data_are_known_again_by_the_same_user(tmp_path: Path) -> None:
    first = keyed(DIGEST)
    of._key.cache_clear()  # another process
    assert keyed(DIGEST) == first
    place = tmp_path / "fpanon" / "digests.key"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    assert keyed(DIGEST[::-1]) != first


def test_nobody_without_the_key_can_compute_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = keyed(DIGEST)
    assert DIGEST not in first
    assert DIGEST[:8] not in first
    assert (tmp_path / "fpanon" / "digests.key").read_bytes().hex() not in first
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    assert keyed(DIGEST) != first


def test_it_is_keyed_once(tmp_path: Path) -> None:
    assert keyed(keyed(DIGEST)) == keyed(DIGEST)
    assert keyed(DIGEST).startswith(PREFIX)
    assert keyed("") == ""
    assert not list(tmp_path.glob("*/.*"))


@pytest.mark.parametrize("kind", ["short", "open to others", "nowhere", *NO_FILES])
def test_a_key_that_is_not_safe_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    place = tmp_path / "fpanon" / "digests.key"
    place.parent.mkdir()
    place.write_bytes(bytes(31 if kind == "short" else 32))
    place.chmod(0o644 if kind == "open to others" else 0o600)
    if kind in NO_FILES:
        replaced(place, kind, tmp_path)
    elif kind == "nowhere":
        monkeypatch.setenv("XDG_STATE_HOME", str(place))
    first = keyed(DIGEST)
    assert first == keyed(DIGEST)  # in this process
    of._key.cache_clear()
    assert keyed(DIGEST) != first
