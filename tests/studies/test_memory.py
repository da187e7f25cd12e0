"""The estimate of memory beside what was measured, and that nobody begins what cannot end."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fpanon_core import AddNoise, LocalEngine
from fpanon_core.engines.limits import Limits, memory_of
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.studies import (
    anonymizability,
    attack,
    comparison,
    counts_release,
    disclosure,
    followed,
    hiding,
    look,
    options,
    production,
    recovery,
    recovery_factors,
    recovery_mitigations,
    relinking,
    sparsity,
    unicity,
)
from fpanon_core.studies.memory import needed_bytes

# Samples, and MB at the peak; generate_cdr(n, seed=1) of 2,000, 8,000 and 32,000 people
# (tests/benchmarks/foretold.py, 23 November 2026).
FORM = ReleaseOption()
AROUND = FrameConfig(  # 10,500 squares of 1 km
    StatedPeriod(dt.date(2024, 3, 4), 14), "grid", StatedArea(23.608, 0.448, 24.405, 1.601)
)
MEASURED = [
    (anonymizability, anonymizability.Config(), (236, 359, 856)),
    (unicity, unicity.Config(), (171, 266, 642)),
    (disclosure, disclosure.Config(), (192, 269, 590)),
    (hiding, hiding.Config(2, method="aligned"), (259, 406, 997)),
    (hiding, hiding.Config(2, method="glove"), (261, 425, 1038)),
    (attack, attack.Config(ReleaseOption(steps=[AddNoise(1_000)])), (292, 453, 1061)),
    (recovery, recovery.Config(users=None), (208, 482, 1275)),
    (options, SimpleNamespace(options=4 * [FORM]), (228, 319, 694)),
    (production, production.Config(ReleaseOption(steps=[AddNoise(1_000)])), (408, 737, 1146)),
    (relinking, relinking.Config(ReleaseOption(steps=[Periods(7)])), (213, 521, 2016)),
    (recovery_factors, recovery_factors.Config(users=1_000), (198, 218, 359)),
    (recovery_mitigations, recovery_mitigations.Config(users=1_000), (358, 431, 458)),
    (comparison, comparison.Config(ks=(2,)), (283, 468, 1229)),
    (look, look.Config(), (270, 433, 1030)),
    (counts_release, counts_release.Config(AROUND), (350, 447, 591)),
]
SAMPLES = (123_104, 480_206, 1_966_740)
PEOPLE = (2_000, 8_000, 32_000)


def data(samples, people):
    """What an estimate asks of data: two weeks of them."""
    ends = np.array([0.0, 14 * 1440.0])
    return SimpleNamespace(
        n_samples=samples,
        n_users=people,
        weight=np.ones(people, np.int64),
        t_min=ends,
        dt_min=np.ones(2),
    )


@pytest.mark.parametrize(
    ("module", "config", "peaks"),
    MEASURED,
    ids=[m[0].__name__.rpartition(".")[2] for m in MEASURED],
)
def test_the_estimate_is_near_what_was_measured(module, config, peaks):
    for samples, people, measured in zip(SAMPLES, PEOPLE, peaks, strict=True):
        foretold = needed_bytes(module.study, data(samples, people), config)
        assert 1 / 1.5 <= foretold / (measured * 1e6) <= 1.5


def test_sixteen_options_in_a_row_keep_their_releases():
    """Measured on 22 November 2026."""
    sixteen = SimpleNamespace(options=16 * [FORM])
    for samples, measured in {33_473: 227, 123_104: 381, 480_206: 608}.items():
        foretold = needed_bytes(options.study, data(samples, 100), sixteen)
        assert foretold == needed_bytes(options.study, data(samples, 100))
        assert 1 / 1.5 <= foretold / (measured * 1e6) <= 1.5


def test_shards_need_less_and_never_more():
    """Two cores: two of 200 shards at once; a million people took 8.3 GB of 61 million samples."""
    million = data(61_000_000, 1_000_000)
    config, engine = hiding.Config(2, shards=200), LocalEngine(2)
    foretold = needed_bytes(hiding.study, million, config, engine)
    assert 1 / 1.5 <= foretold / 8.3e9 <= 1.5
    whole = needed_bytes(hiding.study, million, replace(config, shards=None), engine)
    assert (
        foretold < whole == needed_bytes(hiding.study, million, replace(config, shards=2), engine)
    )


# Of the data as they are and of days, then aligned: what takes least and most.
ATTACKED = {
    attack.study: {33_473: (184, 247), 123_104: (227, 302), 480_206: (346, 535)},
    followed.follow: {33_473: (185, 217), 123_104: (218, 283), 480_206: (344, 522)},
}


@pytest.mark.parametrize("study", ATTACKED, ids=lambda s: s.__name__)
def test_the_estimate_of_an_attack_is_near_whatever_the_release(study):
    for samples, ends in ATTACKED[study].items():
        foretold = needed_bytes(study, SimpleNamespace(n_samples=samples))
        for measured in ends:
            assert 0.8 <= foretold / (measured * 1e6) <= 1.5


def test_what_nobody_measured_has_no_estimate():
    assert needed_bytes(sparsity.study, SimpleNamespace(n_samples=5)) is None
    assert needed_bytes(hiding.study, None) is None


def test_a_small_study_takes_about_as_much_as_foretold():
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 100, (2, 4_000))
    fs = FingerprintSet.from_samples(np.arange(4_000) % 100, 100.0 * x, 0.0 * x, 60.0 * t)
    runner = ProcessRunner()
    try:
        job = runner.submit(anonymizability.study, fs, anonymizability.Config(), label="measure")
        most = 0
        while job.active:
            most = max(most, memory_of(runner.process_id) if runner.process_id else 0)
            time.sleep(0.005)
        assert job.status == "done"
        assert 0.5 <= most / needed_bytes(anonymizability.study, fs) <= 2
    finally:
        runner.close()


def test_a_question_for_which_there_is_not_enough_is_refused_before_it_runs():
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [0, 9])
    runner = ProcessRunner(limits=Limits(memory_bytes=100_000_000))
    try:
        needed = needed_bytes(hiding.study, fs)
        job = runner.submit(hiding.study, fs, hiding.Config(2), label="hide", needs_bytes=needed)
        assert job.status == "failed"
        assert "need about 180 MB of memory" in str(job.error)
    finally:
        runner.close()
