"""The job runner: progress, cancel, death from outside, faults told without data."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpanon_core.engines.process import Child, ProcessRunner, Spare
from fpanon_core.model.errors import FpanonError, InfeasibleError
from tests.engines import errands
from tests.support.jobs import over, running, until

ROOT = Path(__file__).resolve().parents[2]


def test_result_comes_back_and_a_print_does_no_harm(runner: ProcessRunner) -> None:
    numbers = np.arange(400_000)
    job = over(runner.submit(errands.double, numbers, label="double", kind="test"), "done")
    assert job.fraction == 1.0
    assert (job.result == 2 * numbers).all()


def test_progress_is_seen_while_it_runs_and_gives_an_estimate(runner: ProcessRunner) -> None:
    job = runner.submit(errands.sleep, 3.0, label="sleep")
    seen, estimates = set(), []
    while job.active:
        seen.add(job.fraction)
        estimates.append(job.remaining_s)
        time.sleep(0.02)
    assert job.status == "done"
    assert len(seen) >= 5
    assert estimates[0] is None  # too early to say
    assert any(e is not None and 0 < e < 60 for e in estimates)


def test_jobs_of_one_session_run_in_order_in_one_process(runner: ProcessRunner) -> None:
    first, second = (runner.submit(errands.sleep, 0.3, label="sleep") for _ in range(2))
    running(first)
    assert second.status == "queued"
    over(second)
    assert first.result == second.result != os.getpid()


def test_two_sessions_compute_at_once_in_processes_of_their_own(
    started: Callable[..., ProcessRunner],
) -> None:
    a, b = (started().submit(errands.sleep, 60.0, label="sleep") for _ in range(2))
    running(a)
    running(b)
    assert a.status == "running"
    assert a.process_id != b.process_id


def test_cancel_kills_the_process_and_the_next_job_gets_another(runner: ProcessRunner) -> None:
    job = runner.submit(errands.sleep, 60.0, label="sleep")
    running(job)
    queued = runner.submit(errands.own_pid, label="never")
    pid = _pid(runner)
    runner.cancel(queued)
    runner.cancel(job)
    assert job.status == queued.status == "cancelled"
    assert job.error is None
    _gone(pid)
    assert over(runner.submit(errands.own_pid, label="pid")).result != pid


def test_killed_from_outside_is_lost_with_a_sentence_and_can_be_retried(
    runner: ProcessRunner,
) -> None:
    job = runner.submit(errands.sleep, 1.5, label="sleep")
    running(job)
    os.kill(_pid(runner), signal.SIGKILL)
    over(job)
    assert job.status == "lost"
    assert "ended without a result (signal 9)" in str(job.error)
    assert "try again" in str(job.error)
    again = over(runner.retry(job))
    assert again.status == "done"
    assert again.label == job.label


@pytest.mark.parametrize("looks_alive", [False, True])
def test_killed_while_idle_is_not_noticed_by_the_next_job(
    runner: ProcessRunner, monkeypatch: pytest.MonkeyPatch, looks_alive: bool
) -> None:
    pid = over(runner.submit(errands.own_pid, label="pid")).result
    os.kill(pid, signal.SIGKILL)
    _gone(pid)
    if looks_alive:
        looks = iter([True])
        monkeypatch.setattr(Child, "alive", property(lambda _: next(looks, False)))
    assert over(runner.submit(errands.own_pid, label="pid"), "done").result != pid


WRONG: list[tuple[Any, str, type[FpanonError], str]] = [
    (errands.vanish, "lost", FpanonError, "exit code 3"),
    (errands.refuse, "failed", InfeasibleError, "k = 50 exceeds the 32 people"),
    (errands.exhaust, "failed", FpanonError, "ran out of memory"),
    (errands.return_what_cannot_be_sent, "failed", FpanonError, "fault in the program"),
    (partial(lambda: None), "failed", FpanonError, "fault in the program"),
]


def test_what_goes_wrong_is_told_and_costs_its_own_job(runner: ProcessRunner) -> None:
    for errand, status, kind, said in WRONG:
        job = over(runner.submit(errand, label="errand"), status)
        assert type(job.error) is kind, errand
        assert said in str(job.error)
        over(runner.submit(errands.own_pid, label="pid"), "done")


def test_other_faults_are_told_by_type_and_place_without_data(runner: ProcessRunner) -> None:
    over(runner.submit(errands.own_pid, label="start"))
    child = runner._child
    assert child is not None
    job = over(runner.submit(errands.break_down, errands.SECRET, label="break"))
    assert job.status == "failed"
    assert type(job.error) is FpanonError
    assert "ValueError at errands.py:" in str(job.error)
    assert errands.SECRET not in str(job.error)
    assert errands.SECRET.encode() not in b"".join(child.noise)
    assert over(runner.submit(errands.own_pid, label="pid")).status == "done"


def test_closing_ends_the_process_and_refuses_new_work(runner: ProcessRunner) -> None:
    job = runner.submit(errands.sleep, 60.0, label="sleep")
    running(job)
    pid = _pid(runner)
    runner.close()
    assert job.status == "cancelled"
    _gone(pid)
    assert runner.submit(errands.own_pid, label="pid").status == "cancelled"


def test_a_spare_is_warm_given_to_one_session_only_and_executes_no_app(
    started: Callable[..., ProcessRunner],
) -> None:
    spare = Spare("tests.engines.errands:warm_up", refill_after_s=3600)
    first, second = started(spare), started(spare)
    waiting = spare._child
    assert waiting is not None
    a = over(first.submit(errands.own_pid, label="pid"))
    b = over(second.submit(errands.own_pid, label="pid"))
    assert a.result == waiting.process.pid != b.result
    assert over(first.submit(errands.modules, label="modules")).result == ["warm"]
    assert over(second.submit(errands.modules, label="modules")).result == []
    spare.close()


def test_the_child_ends_with_its_parent_even_while_it_computes() -> None:
    program = (
        "import time\n"
        "from fpanon_core.engines.process import ProcessRunner\n"
        "from tests.engines import errands\n"
        "runner = ProcessRunner()\n"
        "job = runner.submit(errands.sleep, 60.0, label='sleep')\n"
        "while job.fraction == 0: time.sleep(0.05)\n"
        "print(runner.process_id, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert parent.stdout
    with parent.stdout:
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    _gone(pid)


def _pid(runner: ProcessRunner) -> int:
    assert runner.process_id is not None
    return runner.process_id


def _gone(pid: int) -> None:
    """Until no process has this number; an orphan nobody reaped counts as gone."""

    def gone() -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True

    until(gone)
