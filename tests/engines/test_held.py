"""Data cross the pipe once: what both sides hold is named, not sent; and never mistaken."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pytest

from fpanon_core.engines import child
from fpanon_core.engines.process import Job, ProcessRunner
from fpanon_core.engines.worker import MOST_HELD, Shelf, pack, unpack
from fpanon_core.model.fingerprints import FingerprintSet
from tests.engines import errands
from tests.support.jobs import over


def people(first: int, n: int = 3) -> FingerprintSet:
    """Different for each ``first``."""
    return FingerprintSet.from_samples(np.arange(n) + first, 100.0 * np.arange(n), [0] * n, [0] * n)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Digests of the sets that were sent whole, in order."""
    found: list[str] = []
    real = child.send

    def noting(pipe, message):
        if message[0] == "hold":
            found.append(message[1].digest)
        real(pipe, message)

    monkeypatch.setattr(child, "send", noting)
    return found


def ask(runner: ProcessRunner, fs: FingerprintSet, note: str = "") -> Job:
    return over(runner.submit(errands.describe, fs, note, label="describe"), "done")


def test_packed_messages_name_sets_and_come_back_whole() -> None:
    fs, shelf = people(1), Shelf()
    body, named = pack(("a", [fs, {"again": fs}]))
    assert named == {fs.digest: fs}
    assert len(body) < 200 < len(pickle.dumps(fs))
    with pytest.raises(LookupError):
        unpack(body, shelf)
    shelf.put(fs)
    letter, (one, other) = unpack(body, shelf)
    assert (letter, one, other["again"]) == ("a", fs, fs)


def test_more_sets_than_a_shelf_holds_are_sent_as_they_are() -> None:
    many = [people(i) for i in range(MOST_HELD + 1)]
    body, named = pack(many)
    assert named == {}
    assert [fs.digest for fs in unpack(body, Shelf())] == [fs.digest for fs in many]


def test_a_shelf_keeps_the_latest_used_and_what_is_needed_beside_a_new_one() -> None:
    shelf, sets = Shelf(), [people(i) for i in range(MOST_HELD + 2)]
    for fs in sets[:MOST_HELD]:
        shelf.put(fs)
    shelf.put(sets[MOST_HELD], beside=(sets[0].digest,))
    assert sets[0].digest in shelf.digests
    assert sets[1].digest not in shelf.digests
    assert len(shelf.digests) == MOST_HELD


def test_data_are_sent_once_for_many_questions(runner: ProcessRunner, sent: list[str]) -> None:
    """After a refusal, too."""
    fs = people(1)
    for note in "012":
        digest, _, (told, *_) = ask(runner, fs, note).result
        assert (digest, told) == (fs.digest, note)
        over(runner.submit(errands.refuse, label="refuse"), "failed")
    assert sent == [fs.digest]


def test_what_a_job_read_need_not_be_sent_back(runner: ProcessRunner, sent: list[str]) -> None:
    fs, note = over(runner.submit(errands.make, 5, label="make"), "done").result
    assert note == "made"
    assert ask(runner, fs).result[2] == ["", *fs.pseudonyms]
    assert sent == []


def test_a_new_child_is_sent_them_again(runner: ProcessRunner, sent: list[str]) -> None:
    fs = people(1)
    first = ask(runner, fs).result[1]
    os.kill(first, signal.SIGKILL)
    assert ask(runner, fs).result[1] != first
    assert sent == [fs.digest] * 2


def test_other_data_of_other_people_are_never_taken_for_them(
    runner: ProcessRunner, sent: list[str]
) -> None:
    sets = [people(i, 2 + i % 3) for i in range(MOST_HELD + 2)]
    for fs in [*sets, *sets[::-1]]:
        assert ask(runner, fs).result[0] == fs.digest
    assert len(sent) > len(sets)  # some had made room, and were sent again
