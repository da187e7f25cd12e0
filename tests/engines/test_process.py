"""The job runner: progress, cancel, death from outside, faults told without data."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fpanon_core.engines.process import Child, Job, ProcessRunner, Spare
from fpanon_core.model.errors import FpanonError, InfeasibleError
from tests.engines import errands

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runner() -> Iterator[ProcessRunner]:
    runner = ProcessRunner()
    yield runner
    runner.close()


def wait(job: Job, *statuses: str, seconds: float = 60) -> Job:
    """Until the job has one of the statuses (default: until it is over)."""
    end = time.monotonic() + seconds
    while (job.status not in statuses) if statuses else job.active:
        assert time.monotonic() < end, f"still {job.status}"
        time.sleep(0.01)
    return job


def test_result_comes_back_and_a_print_does_no_harm(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.double, np.arange(400_000), label="double", kind="test"))
    assert job.status == "done"
    assert job.fraction == 1.0
    assert (job.result == 2 * np.arange(400_000)).all()


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
    wait(first, "running")
    assert second.status == "queued"
    wait(second)
    assert first.result == second.result != os.getpid()


def test_two_sessions_compute_at_once_in_processes_of_their_own(runner: ProcessRunner) -> None:
    other = ProcessRunner()
    a, b = (r.submit(errands.sleep, 1.5, label="sleep") for r in (runner, other))
    wait(a, "running")
    wait(b, "running")
    assert a.status == "running"
    assert wait(a).result != wait(b).result
    other.close()


def test_cancel_kills_the_process_and_the_next_job_gets_another(runner: ProcessRunner) -> None:
    job = runner.submit(errands.sleep, 60.0, label="sleep")
    wait(job, "running")
    queued = runner.submit(errands.own_pid, label="never")
    pid = _pid(runner)
    runner.cancel(queued)
    runner.cancel(job)
    assert job.status == queued.status == "cancelled"
    assert job.error is None
    _gone(pid)
    assert wait(runner.submit(errands.own_pid, label="pid")).result != pid


def test_killed_from_outside_is_lost_with_a_sentence_and_can_be_retried(
    runner: ProcessRunner,
) -> None:
    job = runner.submit(errands.sleep, 1.5, label="sleep")
    wait(job, "running")
    os.kill(_pid(runner), signal.SIGKILL)
    wait(job)
    assert job.status == "lost"
    assert "ended from outside (signal 9)" in str(job.error)
    assert "try again" in str(job.error)
    again = wait(runner.retry(job))
    assert again.status == "done"
    assert again.label == job.label


def test_a_process_that_exits_by_itself_is_lost_too(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.vanish, label="vanish"))
    assert job.status == "lost"
    assert "exit code 3" in str(job.error)


def test_killed_while_idle_is_not_noticed_by_the_next_job(runner: ProcessRunner) -> None:
    pid = wait(runner.submit(errands.own_pid, label="pid")).result
    os.kill(pid, signal.SIGKILL)
    _gone(pid)
    assert wait(runner.submit(errands.own_pid, label="pid")).status == "done"


def test_a_child_that_looks_alive_but_is_not_costs_no_job(
    runner: ProcessRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = wait(runner.submit(errands.own_pid, label="pid")).result
    os.kill(pid, signal.SIGKILL)
    _gone(pid)
    looks = iter([True, False])
    monkeypatch.setattr(Child, "alive", property(lambda _: next(looks, False)))
    again = wait(runner.submit(errands.own_pid, label="pid"))
    assert again.status == "done"
    assert again.result != pid


def test_our_errors_keep_their_type_and_message(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.refuse, label="refuse"))
    assert job.status == "failed"
    assert type(job.error) is InfeasibleError
    assert str(job.error).startswith("k = 50 exceeds the 32 fingerprints")


def test_other_faults_are_told_by_type_and_place_without_data(runner: ProcessRunner) -> None:
    wait(runner.submit(errands.own_pid, label="start"))
    child = runner._child
    assert child is not None
    job = wait(runner.submit(errands.break_down, errands.SECRET, label="break"))
    assert job.status == "failed"
    assert type(job.error) is FpanonError
    assert "ValueError at errands.py:" in str(job.error)
    assert errands.SECRET not in str(job.error)
    assert errands.SECRET.encode() not in child.noise
    assert wait(runner.submit(errands.own_pid, label="pid")).status == "done"


def test_out_of_memory_says_what_to_do(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.exhaust, label="exhaust"))
    assert "ran out of memory" in str(job.error)


def test_a_result_that_cannot_be_sent_is_a_fault_not_a_hang(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.return_what_cannot_be_sent, label="lambda"))
    assert job.status in ("failed", "lost")
    assert job.error is not None


def test_an_argument_that_cannot_be_sent_is_a_fault_not_a_hang(runner: ProcessRunner) -> None:
    job = wait(runner.submit(errands.double, lambda: None, label="lambda"))
    assert job.status == "failed"
    assert wait(runner.submit(errands.own_pid, label="pid")).status == "done"


def test_closing_ends_the_process_and_refuses_new_work(runner: ProcessRunner) -> None:
    job = runner.submit(errands.sleep, 60.0, label="sleep")
    wait(job, "running")
    pid = _pid(runner)
    runner.close()
    assert job.status == "cancelled"
    _gone(pid)
    assert runner.submit(errands.own_pid, label="pid").status == "cancelled"


def test_a_spare_is_warm_given_to_one_session_only_and_executes_no_app() -> None:
    spare = Spare("tests.engines.errands:warm_up", refill_after_s=3600)
    first, second = ProcessRunner(spare), ProcessRunner(spare)
    waiting = spare._child
    assert waiting is not None
    a = wait(first.submit(errands.own_pid, label="pid"))
    b = wait(second.submit(errands.own_pid, label="pid"))
    assert a.result == waiting.process.pid != b.result
    assert wait(first.submit(errands.modules, label="modules")).result == ["warm"]
    assert wait(second.submit(errands.modules, label="modules")).result == []
    for part in (first, second, spare):
        part.close()


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


def _gone(pid: int, seconds: float = 30) -> None:
    """Until no process has this number; an orphan nobody reaped counts as gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")
