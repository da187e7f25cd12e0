"""Blocks on threads: all run once, faults and cancels come out, bad numbers are refused."""

import threading
import time

import pytest

import fpanon_core as fp
from fpanon_core.engines import local
from tests.support.refusals import check_refused


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_block_once(workers):
    lock, seen, shares = threading.Lock(), [], []

    def task(block):
        with lock:
            seen.append(block)
        return 1.0

    fp.LocalEngine(workers).run(task, range(23), 23, shares.append)
    assert sorted(seen) == list(range(23))
    assert shares[0] == 0.0
    assert shares[-1] == pytest.approx(1.0)
    assert shares == sorted(shares)
    none = []
    fp.LocalEngine(workers).run(task, [], 1.0, none.append)
    assert none == [0.0]


def test_impossible_workers():
    check_refused(fp.LocalEngine, "workers", workers=[0, -1, 1.5, True, "2"])


def test_a_fault_in_a_block_comes_out():
    def task(block):
        if block == 3:
            raise ZeroDivisionError
        return 1.0

    with pytest.raises(ZeroDivisionError):
        fp.LocalEngine(2).run(task, range(10), 10)


def test_cancel_stops_blocks_not_begun():
    done = []

    def task(block):
        time.sleep(0.001)
        done.append(block)
        return 1.0

    def stop(share):
        if share > 0:
            raise fp.Cancelled("stop")

    with pytest.raises(fp.Cancelled):
        fp.LocalEngine(1).run(task, range(5_000), 5_000, stop)
    assert len(done) < 1_000


def test_a_task_that_fails_ends_those_beside_it():
    began, ended = threading.Event(), []

    def task(number, told):
        if number:
            assert began.wait(20)
            raise ZeroDivisionError
        began.set()
        until = time.monotonic() + 20
        try:
            while time.monotonic() < until:
                told(0.5)
        except fp.Cancelled:
            ended.append(number)
            raise

    with pytest.raises(ZeroDivisionError):
        local.beside(fp.LocalEngine(2), task, [1.0, 1.0], None)
    assert ended == [0]


def test_progress_is_reported_while_a_block_goes_on(monkeypatch):
    """So that a cancel is noticed before the block ends."""
    monkeypatch.setattr(local, "_REPORT_S", 0.01)
    told, ended = [], threading.Event()

    def stop(share):
        told.append(share)
        if len(told) == 3:
            ended.set()
            raise fp.Cancelled("stop")

    with pytest.raises(fp.Cancelled):
        fp.LocalEngine(1).run(lambda _: float(ended.wait(60)), [0], 1.0, stop)
    assert told == [0.0, 0.0, 0.0]
