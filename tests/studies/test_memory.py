"""The estimate of memory beside what was measured, and that nobody begins what cannot end."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from fpanon_core.engines.limits import Limits, memory_of
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import (
    anonymizability,
    attack,
    disclosure,
    followed,
    hiding,
    options,
    sparsity,
    unicity,
)
from fpanon_core.studies.memory import needed_bytes

# Samples, and bytes at the peak in MB; generate_cdr(n, seed=1) of 500, 2,000 and 8,000 people.
MEASURED = {
    anonymizability: {33_473: 192, 123_104: 231, 480_206: 354},
    disclosure: {33_473: 163, 123_104: 213, 480_206: 320},
    hiding: {33_473: 203, 123_104: 244, 480_206: 404},
    options: {33_473: 227, 123_104: 381, 480_206: 608},  # the 3 × 4, as it is, noise, exchange
    unicity: {33_473: 138, 123_104: 166, 480_206: 260},
}

# Likewise, of the data as they are and of days, then aligned: what takes least and most.
ATTACKED = {
    attack.study: {33_473: (184, 247), 123_104: (227, 302), 480_206: (346, 535)},
    followed.follow: {33_473: (185, 217), 123_104: (218, 283), 480_206: (344, 522)},
}


@pytest.mark.parametrize("study", MEASURED, ids=lambda s: s.__name__.rpartition(".")[2])
def test_the_estimate_is_near_what_was_measured(study):
    for samples, measured in MEASURED[study].items():
        foretold = needed_bytes(study.study, SimpleNamespace(n_samples=samples))
        assert 0.9 <= foretold / (measured * 1e6) <= 1.5


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
