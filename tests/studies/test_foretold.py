"""What is foretold before a run, and the ways out where it would not fit."""

import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from fpanon_core import LocalEngine
from fpanon_core.engines.limits import Limits
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.errors import InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import anonymizability, disclosure, foretold, hiding, sparsity
from fpanon_core.studies.memory import START_BYTES, needed_bytes, people_that_fit

LITTLE = Limits(memory_bytes=START_BYTES + 450 * 3_000)


def people(n, each=3):
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(n), each)
    return FingerprintSet.from_samples(
        user, *(100.0 * rng.integers(0, 99, (2, len(user)))), rng.integers(0, 1440, len(user))
    )


@dataclass(frozen=True)
class Asked:
    """Settings of a study that asks about some people."""

    users: int | None = None


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only where a study lets it."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def taking(now, seconds):
    seen = []

    def study(fs, _config, **_):
        seen.append(fs.n_users)
        now[0] += seconds(fs.n_users)

    return study, seen


@pytest.mark.parametrize("power", [0.6, 1.0, 1.7, 2.0])
def test_growth_is_carried_on_where_everybody_is_asked_about(clock, power):
    study, seen = taking(clock, lambda n: 3.0 * (n / 1_200) ** power)
    told = foretold.seconds_of(study, people(12_000, 1), Asked())
    beyond = max(power, 0.0)
    assert told == pytest.approx(3.0 * 10**beyond)
    assert seen[-1] == 1_200


def test_beyond_those_asked_about_time_grows_by_one_power_less(clock):
    """12,000 people of whom 2,400 are asked about: 2^1.8 of 1,200, then 5^.8."""
    study, _ = taking(clock, lambda n: 3.0 * (n / 1_200) ** 1.8)
    told = foretold.seconds_of(study, people(12_000, 1), Asked(2_400))
    assert told == pytest.approx(3.0 * 2**1.8 * 5**0.8)


def test_samples_grow_until_they_take_long_enough(clock):
    study, seen = taking(clock, lambda n: 1e-4 * n)
    assert foretold.seconds_of(study, people(40_000, 1), Asked()) == pytest.approx(4.0)
    assert seen == [300, 300, 1_200, 4_800, 19_200]


def test_a_small_set_is_simply_measured(clock):
    study, seen = taking(clock, lambda _: 0.1)
    assert foretold.seconds_of(study, people(250, 1), Asked()) == pytest.approx(0.1)
    assert set(seen) == {250}


def test_what_cannot_be_asked_of_a_sample_has_no_time():
    def study(*_, **__):
        raise InfeasibleError("too few")

    assert foretold.seconds_of(study, people(3), Asked()) is None


def test_shards_are_done_one_after_another_on_each_core(monkeypatch):
    """Eight shards of 10 people on three cores: three rounds of what one takes on one core."""
    sizes = []

    def estimate(fs, _k, *, engine, **_):
        sizes.append((fs.n_users, engine.workers))
        return 2.0

    monkeypatch.setattr(foretold.glove_estimate, "estimate_aligned_s", estimate)
    config = hiding.Config(2, method="aligned", shards=8)
    told = foretold.seconds_of(hiding.study, people(80), config, engine=LocalEngine(3))
    assert (told, sizes) == (6.0, [(10, 1)])


def test_real_questions_have_a_time():
    fs = people(60)
    for study, config in (
        (anonymizability.study, anonymizability.Config()),
        (disclosure.study, disclosure.Config(KnowledgeConfig(2))),
        (hiding.study, hiding.Config(2)),
    ):
        told = foretold.foretell(study, fs, config, limits=LITTLE)
        assert told.seconds > 0
        assert told.needs_bytes == needed_bytes(study, fs, config)
        assert told.to_frame().shape == (1, 3)
        assert "about" in str(told)


def test_what_does_not_fit_is_refused_with_what_would():
    """Of 2,000 people with 3 samples, 6,000 in all, 3,000 samples fit at 450 bytes."""
    fs = people(2_000)
    fs_samples = fs.n_samples
    config = hiding.Config(2)
    fit = people_that_fit(hiding.study, fs, config, LITTLE.memory_bytes)
    assert fit == 3_000 * 2_000 // fs_samples // 10 * 10
    with pytest.raises(InfeasibleError) as told:
        foretold.refuse_what_does_not_fit(hiding.study, fs, config, limits=LITTLE)
    assert f"About {fit:,} of the 2,000 people would fit." in str(told.value)
    assert "It was not begun." in str(told.value)
    half = fs.subset(np.arange(fit))
    foretold.refuse_what_does_not_fit(hiding.study, half, config, limits=LITTLE)
    foretold.refuse_what_does_not_fit(sparsity.study, fs, None, limits=LITTLE)  # nobody measured


def test_shards_are_a_way_out():
    fs = SimpleNamespace(n_users=1_000_000, n_samples=61_000_000)
    limits = 12 * 10**9
    said = foretold.ways_out(hiding.study, fs, hiding.Config(2), limits, LocalEngine(2))
    assert said == (
        "About 430,600 of the 1,000,000 people would fit. All of them would, hidden in 200 shards."
    )
    assert "shards" not in foretold.ways_out(
        hiding.study, fs, hiding.Config(2, shards=200), 10**9, LocalEngine(2)
    )
    fs = SimpleNamespace(n_users=30_000, n_samples=1_825_412)
    for workers, shards in ((2, 6), (4, 12)):  # so many are under way at once
        for config in (None, hiding.Config(2), hiding.Config(2, shards=3)):
            engine = LocalEngine(workers)
            said = foretold.ways_out(hiding.study, fs, config, 900 * 10**6, engine)
            assert f"All of them would, hidden in {shards} shards." in said
            cut = hiding.Config(2, shards=shards)
            assert foretold.needed_bytes(hiding.study, fs, cut, engine) <= 900 * 10**6
    # No more than k leaves room for, nor so small that little accuracy is left.
    crowded = foretold.ways_out(hiding.study, fs, hiding.Config(500), 900 * 10**6, LocalEngine(4))
    assert "shards" not in crowded
    assert "shards" not in foretold.ways_out(hiding.study, fs, None, 10**8, LocalEngine(4))


def test_for_the_screen():
    fs = people(2_000)
    said = foretold.memory_told(hiding.study, fs, hiding.Config(2), limits=LITTLE)
    assert "more than there is" in said
    assert "of the 2,000 people would fit" in said
    enough = Limits(memory_bytes=10**9)
    assert foretold.memory_told(hiding.study, fs, hiding.Config(2), limits=enough) == (
        "It needs about 183 MB of memory; a computation may take 1.0 GB here."
    )
    assert foretold.memory_told(sparsity.study, fs, limits=enough) == ""
    # With its usual settings, too, something that does not fit is said, and nothing fails.
    assert foretold.memory_told(hiding.study, fs, limits=LITTLE) == said


def test_a_job_that_is_refused_says_what_would_fit():
    runner = ProcessRunner(limits=Limits(memory_bytes=1))
    try:
        job = runner.submit(
            hiding.study,
            people(5),
            hiding.Config(2),
            label="hide",
            needs_bytes=2,
            meta={"would_fit": "About 4 of the 5 people would fit."},
        )
        assert "It was not begun. About 4 of the 5 people would fit. Your data" in str(job.error)
    finally:
        runner.close()
