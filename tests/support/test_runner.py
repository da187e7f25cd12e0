"""The runner in this process tells the same story as one with a child."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from fpanon_core.engines.process import Job, ProcessRunner
from fpanon_core.model.errors import InfeasibleError
from tests.engines import errands
from tests.support import runner as module
from tests.support.runner import InProcessRunner


@pytest.fixture
def runner() -> Iterator[InProcessRunner]:
    runner = InProcessRunner()
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def real() -> Iterator[ProcessRunner]:
    real = ProcessRunner()
    yield real
    real.close()


def ended(runner: InProcessRunner, function: Any, *arguments: Any) -> Job:
    job = runner.submit(function, *arguments, label="errand")
    assert module.work()
    assert not job.active
    return job


def test_a_job_waits_until_somebody_waits_for_it(runner: InProcessRunner) -> None:
    first = runner.submit(errands.own_pid, label="a", kind="k", meta={"key": 1})
    second = runner.submit(errands.own_pid, label="b")
    assert (first.status, second.status) == ("queued", "queued")
    runner.cancel(second)
    assert module.work()
    assert not module.work()
    assert (first.status, first.fraction, first.result) == ("done", 1.0, os.getpid())
    assert first.process_id == os.getpid()
    assert second.status == "cancelled"
    again = runner.retry(first)
    assert (again.label, again.kind, again.meta) == ("a", "k", {"key": 1})
    runner.close()
    assert again.status == "cancelled"
    assert runner.submit(errands.own_pid, label="c").status == "cancelled"
    assert not module.work()


def test_nothing_is_shared_by_two_who_ask_the_same(runner: InProcessRunner) -> None:
    other, values = InProcessRunner(), np.arange(3)
    a, b = (ended(some, errands.double, values) for some in (runner, other))
    assert a.result.tolist() == b.result.tolist() == [0, 2, 4]
    assert not np.shares_memory(a.result, b.result)
    other.close()
    a.result[0] = 7
    assert ended(runner, errands.double, values).result.tolist() == [0, 2, 4]
    assert ended(runner, errands.double, values + 1).result.tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (errands.refuse, ()),
        (errands.break_down, (errands.SECRET,)),
        (errands.exhaust, ()),
        (errands.return_what_cannot_be_sent, ()),
        (errands.double, (lambda: None,)),
    ],
    ids=["refused", "a fault", "no memory", "a result not sent", "an argument not sent"],
)
def test_what_goes_wrong_is_told_in_the_same_words(
    runner: InProcessRunner, real: ProcessRunner, function: Any, arguments: tuple[Any, ...]
) -> None:
    here = ended(runner, function, *arguments)
    there = real.submit(function, *arguments, label="errand")
    while there.active:
        time.sleep(0.05)
    assert (here.status, type(here.error)) == (there.status, type(there.error))
    assert str(here.error) == str(there.error)
    assert errands.SECRET not in str(here.error)
    assert isinstance(here.error, InfeasibleError) == (function is errands.refuse)
    # Not remembered: another try may end otherwise.
    assert ended(runner, function, *arguments).error is not here.error
