"""Who computes next: the order of the line, and that no turn is ever lost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from fpanon_core.engines.process import AT_ONCE_VARIABLE, ProcessRunner, Turns
from fpanon_core.model.errors import ConfigError
from tests.engines import errands
from tests.support.jobs import over, running, until


class Member:
    """Stands in a line of turns with so many jobs, and notes when each has its turn."""

    def __init__(self, name: str, jobs: int, turns: Turns, served: list[str]) -> None:
        self.short = name.startswith("short")
        self.name, self.waiting, self.turns, self.served = name, jobs, turns, served
        self.may_end = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self) -> None:
        while self.waiting and self.turns.take(self, lambda: self.waiting > 0):
            self.waiting -= 1
            self.served.append(self.name)
            self.may_end.acquire()
            self.turns.give_back(self)


def members(turns: Turns, served: list[str], **jobs: int) -> dict[str, Member]:
    """In line in the order given; the first ones have their turn already."""
    found = {}
    for place, (name, count) in enumerate(jobs.items()):
        member = found[name] = Member(name, count, turns, served)
        member.thread.start()
        inside = place + 1
        until(lambda inside=inside: len(turns._line) + len(turns._computing) == inside)  # type: ignore[misc]
    return found


def test_twelve_jobs_of_one_do_not_keep_anothers_one_waiting() -> None:
    turns, served = Turns(1), list[str]()
    found = members(turns, served, a=12, b=1, c=2)
    assert served == ["a"]
    # Of a, 11 wait. b is next; then c; a joined the line behind them.
    for name in ["a", "b", "c", "a", "c", "a", "a"]:
        count = len(served)
        found[name].may_end.release()
        until(lambda count=count: len(served) > count)  # type: ignore[misc]
    assert served == ["a", "b", "c", "a", "c", "a", "a", "a"]
    ended(turns, found)


def ended(turns: Turns, found: dict[str, Member]) -> None:
    """Nobody wants another turn, and whoever has one gives it back."""
    for member in found.values():
        member.waiting = 0
        member.may_end.release()
    turns.nudge()
    until(lambda: not turns._computing)


def test_how_many_jobs_are_ahead_is_told_in_the_order_they_will_have() -> None:
    turns, served = Turns(1), list[str]()
    found = members(turns, served, a=3, b=2, c=4)  # a computes, with 2 more waiting
    # To come: a1 | b1 c1 a2 b2 c2 a3 c3 c4.
    assert [turns.before(found["b"], own) for own in range(2)] == [1, 4]
    assert [turns.before(found["c"], own) for own in range(4)] == [2, 5, 7, 8]
    assert [turns.before(found["a"], own) for own in range(2)] == [3, 6]
    ended(turns, found)


def test_as_many_at_once_as_said_and_one_short_one_beside_them() -> None:
    turns, served = Turns(2), list[str]()
    found = members(turns, served, a=1, b=1, c=1, short_1=1, short_2=1)
    until(lambda: len(served) == 3)
    assert sorted(served[:2]) == ["a", "b"]
    assert served[2] == "short_1"  # beside them, and before c; but not two
    found["short_1"].may_end.release()
    until(lambda: len(served) == 4)
    assert served[3] == "short_2"
    for name in ("short_2", "a", "b"):
        found[name].may_end.release()
    until(lambda: len(served) == 5)
    ended(turns, found)


Pair = tuple[ProcessRunner, ProcessRunner]


@pytest.fixture
def pair(started: Callable[..., ProcessRunner]) -> Iterator[Pair]:
    turns = Turns(1)
    runners = started(turns=turns), started(turns=turns)
    yield runners
    for runner in runners:
        runner.close()
    until(lambda: not turns._computing and not turns._line)


def test_a_runners_next_job_is_short_by_the_time_it_is_given(pair: Pair) -> None:
    first, second = pair
    long = running(first.submit(errands.sleep, 60.0, label="long"))
    assert not second.short
    second.submit(errands.own_pid, label="measure")
    assert not second.short
    first.cancel(long)
    until(lambda: not second.waiting)
    running(first.submit(errands.sleep, 60.0, label="long"))
    assert over(second.submit(errands.own_pid, label="read", at_most_s=60.0)).status == "done"


def test_a_job_waits_while_another_session_computes_and_says_behind_how_many(pair: Pair) -> None:
    first, second = pair
    long = running(first.submit(errands.sleep, 60.0, label="long"))
    waiting, kept, last = (second.submit(errands.own_pid, label="short") for _ in range(3))
    until(lambda: waiting.ahead == 1)
    assert (long.ahead, kept.ahead, last.ahead) == (0, 2, 3)
    assert waiting.status == "queued"
    second.cancel(waiting)
    until(lambda: kept.ahead == 1)
    second.cancel(kept)
    second.cancel(last)
    until(lambda: second not in second._turns._line)
    again = second.submit(errands.own_pid, label="again")
    first.cancel(long)  # gives its turn back
    assert over(again).status == "done"
    assert again.ahead == 0


def test_a_turn_comes_back_when_the_child_is_killed_or_the_session_ends(pair: Pair) -> None:
    first, second = pair
    running(first.submit(errands.sleep, 60.0, label="killed"))
    waiting = second.submit(errands.own_pid, label="next")
    pid = first.process_id
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert over(waiting).status == "done"
    running(first.submit(errands.sleep, 60.0, label="closed"))
    waiting = second.submit(errands.own_pid, label="next")
    first.close()
    assert over(waiting).status == "done"


def test_how_many_at_once_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AT_ONCE_VARIABLE, "5")
    assert Turns.of_server().at_once == 5
    monkeypatch.delenv(AT_ONCE_VARIABLE)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    assert Turns.of_server().at_once == 8
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert Turns.of_server().at_once == 2
    for wrong in ("0", "many", "1.5"):
        monkeypatch.setenv(AT_ONCE_VARIABLE, wrong)
        with pytest.raises(ConfigError, match=AT_ONCE_VARIABLE):
            Turns.of_server()
