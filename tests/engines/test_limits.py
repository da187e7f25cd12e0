"""What a child may take: it is ended when it takes more, and its job says what happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fpanon_core.engines import limits
from fpanon_core.engines.limits import Limits, memory_of_machine
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.engines.worker import KILLED_FIRST
from fpanon_core.model.errors import ConfigError, InfeasibleError
from tests.engines import errands
from tests.support.jobs import over, running, until

MB = 10**6
Started = Callable[..., ProcessRunner]


@pytest.fixture
def small(started: Started) -> ProcessRunner:
    """A runner whose jobs may take 300 MB."""
    return started(limits=Limits(memory_bytes=300 * MB))


def test_a_child_that_takes_more_memory_than_allowed_is_ended_and_says_so(
    small: ProcessRunner,
) -> None:
    job = over(small.submit(errands.fill, 900 * MB, label="fill"), "lost")
    assert "ran out of memory (it may take 300 MB here)" in str(job.error)
    assert "data and settings are still here" in str(job.error)
    assert limits.MEMORY_VARIABLE in str(job.error)
    assert "from outside" not in str(job.error)
    over(small.submit(errands.own_pid, label="next"), "done")


def test_what_one_job_leaves_free_is_none_of_the_next_ones_memory(started: Started) -> None:
    runner = started(limits=Limits(memory_bytes=1_000 * MB))
    assert over(runner.submit(errands.fill, 100 * MB, label="fill")).result == 100 * MB
    over(runner.submit(errands.scatter, 600 * MB, label="scatter"))
    assert 0 < over(runner.submit(errands.own_memory, label="look")).result < 300 * MB


def test_memory_that_the_system_refuses_is_told_as_such(small: ProcessRunner) -> None:
    """Arrow's MemoryError goes by another name."""
    for kind in ("arrow", "numpy", "plain"):
        job = over(small.submit(errands.ask_for_too_much, kind, label="too much"), "failed")
        assert "ran out of memory" in str(job.error), kind
    over(small.submit(errands.own_pid, label="next"), "done")


def test_a_job_that_is_known_to_need_more_is_not_begun(small: ProcessRunner) -> None:
    meta = {"would_fit": "About 4 of the 5 people would fit."}
    job = small.submit(errands.own_pid, label="big", needs_bytes=2_000 * MB, meta=meta)
    assert job.status == "failed"
    assert type(job.error) is InfeasibleError  # another try would end alike
    assert "need about 2.0 GB" in str(job.error)
    assert "may take 300 MB" in str(job.error)
    assert f"The computation was not begun. {meta['would_fit']} Your data" in str(job.error)
    assert small.process_id is None
    assert small.retry(job).status == "failed"
    over(small.submit(errands.own_pid, label="small", needs_bytes=200 * MB), "done")


def test_a_job_that_takes_longer_than_allowed_is_ended_and_says_so(started: Started) -> None:
    runner = started(limits=Limits(seconds=3600))
    job = over(runner.submit(errands.sleep, 60.0, label="sleep", at_most_s=0.6), "lost")
    assert "took longer than 0.6 seconds" in str(job.error)
    assert "still here" in str(job.error)
    over(runner.retry(job), "lost")
    over(runner.submit(errands.own_pid, label="next"), "done")


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="Linux's")
def test_an_idle_child_retires_and_the_kernel_ends_children_first(started: Started) -> None:
    runner = started(limits=Limits(idle_s=0.2))
    pid = over(runner.submit(errands.own_pid, label="pid")).result
    assert int(Path("/proc/self/oom_score_adj").read_text()) < KILLED_FIRST
    until(lambda: not Path(f"/proc/{pid}").exists())
    assert runner.process_id is None
    running(again := runner.submit(errands.sleep, 0.5, label="pid"))
    score = Path(f"/proc/{again.process_id}/oom_score_adj").read_text()
    assert int(score) == KILLED_FIRST
    assert over(again, "done").result != pid


def test_limits_are_a_share_of_the_machine_unless_said_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in (limits.MEMORY_VARIABLE, limits.HOURS_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    machine = memory_of_machine()
    assert machine is not None
    assert Limits.of_server() == Limits(machine // 2, 12 * 3600, 15 * 60)
    monkeypatch.setenv(limits.MEMORY_VARIABLE, "1.5")
    monkeypatch.setenv(limits.HOURS_VARIABLE, "0.5")
    assert Limits.of_server() == Limits(1_500 * MB, 1800, 15 * 60)
    for wrong in ("0", "-1", "lots", "nan", "inf"):
        monkeypatch.setenv(limits.MEMORY_VARIABLE, wrong)
        with pytest.raises(ConfigError, match=limits.MEMORY_VARIABLE):
            Limits.of_server()


@pytest.mark.parametrize(
    ("membership", "file"),
    [("0::/a/b", "a/memory.max"), ("4:memory:/a/b", "memory/a/memory.limit_in_bytes")],
)
def test_a_control_group_above_ours_limits_us_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, membership: str, file: str
) -> None:
    cgroup, groups = tmp_path / "cgroup", tmp_path / "groups"
    cgroup.write_text(f"9:name=systemd:/\n{membership}\n")
    (groups / file).parent.mkdir(parents=True)
    (groups / file).write_text("123456789\n")
    monkeypatch.setattr(limits, "MEMBERSHIPS", cgroup)
    monkeypatch.setattr(limits, "GROUPS", groups)
    assert memory_of_machine() == 123_456_789
