"""The estimate of time and memory: beside what was measured, its growth, and the ways out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.engines.limits import MEMORY_VARIABLE
from fpanon_core.studies import (
    anonymizability,
    attack,
    comparison,
    disclosure,
    estimates,
    followed,
    hiding,
    options,
    production,
    questionnaires,
    recovery,
    recovery_factors,
    recovery_mitigations,
    relinking,
    unicity,
)
from fpanon_core.studies.estimates import START_BYTES, needed_bytes

LITTLE_BYTES = START_BYTES + 450 * 3_000


def people(n, each=3):
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(n), each)
    return fp.FingerprintSet.from_samples(
        user, *(100.0 * rng.integers(0, 99, (2, len(user)))), rng.integers(0, 1440, len(user))
    )


# --- memory, beside what was measured ------------------------------------------------------------

# Samples, and MB at the peak; generate_cdr(n, seed=1) of 2,000, 8,000 and 32,000 people
# (tests/benchmarks/estimates.py, 23 November 2026).
FORM = fp.ReleaseOption()
NOISE = fp.ReleaseOption(steps=[fp.AddNoise(1_000)])
MEASURED = [
    (anonymizability, anonymizability.Config(), (236, 359, 856)),
    (unicity, unicity.Config(), (171, 266, 642)),
    (disclosure, disclosure.Config(), (192, 269, 590)),
    (hiding, hiding.Config(2, method="aligned"), (259, 406, 997)),
    (hiding, hiding.Config(2, method="glove"), (261, 425, 1038)),
    (attack, attack.Config(NOISE), (292, 453, 1061)),
    (recovery, recovery.Config(users=None), (208, 482, 1275)),
    (options, SimpleNamespace(options=4 * [FORM]), (228, 319, 694)),
    (production, production.Config(NOISE), (408, 737, 1146)),
    (relinking, relinking.Config(fp.ReleaseOption(steps=[fp.Periods(7)])), (213, 521, 2016)),
    (recovery_factors, recovery_factors.Config(users=1_000), (198, 218, 359)),
    (recovery_mitigations, recovery_mitigations.Config(users=1_000), (358, 431, 458)),
    (comparison, comparison.Config(ks=(2,)), (283, 468, 1229)),
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
        estimated = needed_bytes(module.study, data(samples, people), config)
        assert 1 / 1.5 <= estimated / (measured * 1e6) <= 1.5


def test_sixteen_options_in_a_row_keep_their_releases():
    """Measured on 22 November 2026."""
    sixteen = SimpleNamespace(options=16 * [FORM])
    for samples, measured in {33_473: 227, 123_104: 381, 480_206: 608}.items():
        estimated = needed_bytes(options.study, data(samples, 100), sixteen)
        assert estimated == needed_bytes(options.study, data(samples, 100))
        assert 1 / 1.5 <= estimated / (measured * 1e6) <= 1.5


def test_shards_need_less_and_never_more():
    """Two cores: two of 200 shards at once; a million people took 8.3 GB of 61 million samples."""
    million = data(61_000_000, 1_000_000)
    config, engine = hiding.Config(2, shards=200), fp.LocalEngine(2)
    estimated = needed_bytes(hiding.study, million, config, engine)
    assert 1 / 1.5 <= estimated / 8.3e9 <= 1.5
    whole, two = (
        needed_bytes(hiding.study, million, replace(config, shards=shards), engine)
        for shards in (None, 2)
    )
    assert estimated < whole == two


def test_the_estimate_of_following_is_near_whatever_the_release():
    """Of the data as they are and of days, then aligned: what takes least and most."""
    for samples, ends in {33_473: (185, 217), 123_104: (218, 283), 480_206: (344, 522)}.items():
        estimated = needed_bytes(followed.follow, SimpleNamespace(n_samples=samples))
        for measured in ends:
            assert 0.8 <= estimated / (measured * 1e6) <= 1.5


# --- what does not fit ---------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_with_what_would(monkeypatch):
    """Of 2,000 people with 3 samples, 6,000 in all, 3,000 samples fit at 450 bytes."""
    fs, config = people(2_000), hiding.Config(2)
    monkeypatch.setenv(MEMORY_VARIABLE, f"{LITTLE_BYTES / 1e9}")
    fit = 3_000 * 2_000 // fs.n_samples // 10 * 10
    with pytest.raises(fp.InfeasibleError) as refused:
        estimates.refuse_what_does_not_fit(hiding.study, fs, config)
    assert f"About {fit:,} of the 2,000 people would fit." in str(refused.value)
    assert "The computation was not begun." in str(refused.value)
    half = fs.subset(np.arange(fit))
    estimates.refuse_what_does_not_fit(hiding.study, half, config)
    estimates.refuse_what_does_not_fit(questionnaires.study, fs, None)  # not measured
    assert needed_bytes(hiding.study, None) is None


def test_shards_are_a_way_out():
    fs = SimpleNamespace(n_users=1_000_000, n_samples=61_000_000)

    def ways(config, limit, workers=2):
        return estimates.ways_out(hiding.study, fs, config, limit, fp.LocalEngine(workers))

    assert ways(hiding.Config(2), 12 * 10**9) == (
        "About 430,600 of the 1,000,000 people would fit. All people would fit if hidden in 200 "
        "shards."
    )
    assert "shards" not in ways(hiding.Config(2, shards=200), 10**9)
    fs = SimpleNamespace(n_users=30_000, n_samples=1_825_412)
    for workers, shards in ((2, 6), (4, 12)):  # so many are under way at once
        for config in (None, hiding.Config(2), hiding.Config(2, shards=3)):
            said = f"All people would fit if hidden in {shards} shards."
            assert said in ways(config, 900 * 10**6, workers)
            cut, engine = hiding.Config(2, shards=shards), fp.LocalEngine(workers)
            assert needed_bytes(hiding.study, fs, cut, engine) <= 900 * 10**6
    # No more than k leaves room for, nor so small that little accuracy is left.
    assert "shards" not in ways(hiding.Config(500), 900 * 10**6, 4)
    assert "shards" not in ways(None, 10**8, 4)


def test_for_the_screen(monkeypatch):
    fs = people(2_000)
    monkeypatch.setenv(MEMORY_VARIABLE, f"{LITTLE_BYTES / 1e9}")
    said = estimates.describe_memory(hiding.study, fs, hiding.Config(2))
    assert "which is too much" in said
    assert "of the 2,000 people would fit" in said
    # With its usual settings, too, something that does not fit is said, and nothing fails.
    assert estimates.describe_memory(hiding.study, fs) == said
    monkeypatch.setenv(MEMORY_VARIABLE, "1")
    assert estimates.describe_memory(hiding.study, fs, hiding.Config(2)) == (
        "About 183 MB of memory is needed; a computation may take 1.0 GB here."
    )
    assert estimates.describe_memory(questionnaires.study, fs) == ""


# --- time ----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("asked", "power", "expected"),
    [
        *((None, power, 3.0 * 10**power) for power in (0.6, 1.0, 1.7, 2.0)),
        # Beyond the 2,400 of 12,000 people who are asked about, by one power less.
        (2_400, 1.8, 3.0 * 2**1.8 * 5**0.8),
    ],
)
def test_growth_is_carried_on(clock, asked, power, expected):
    study, seen = taking(clock, lambda n: 3.0 * (n / 1_200) ** power)
    found = estimates.seconds_of(study, people(12_000, 1), Asked(asked))
    assert found == pytest.approx(expected)
    assert seen[-1] == 1_200


@pytest.mark.parametrize(
    ("n", "sizes", "expected"),
    [(40_000, [300, 300, 1_200, 4_800, 19_200], 4.0), (250, [250, 250], 0.025)],
)
def test_samples_grow_until_they_take_long_enough(clock, n, sizes, expected):
    study, seen = taking(clock, lambda n: 1e-4 * n)
    assert estimates.seconds_of(study, people(n, 1), Asked()) == pytest.approx(expected)
    assert seen == sizes


def test_what_cannot_be_asked_of_a_sample_has_no_time():
    def study(*_, **__):
        raise fp.InfeasibleError("too few")

    assert estimates.seconds_of(study, people(3), Asked()) is None


@pytest.mark.parametrize(("power", "believed"), [(1.7, 1.7), (0.3, 1.5), (2.7, 2.0)])
def test_growth_of_k_gaps_is_carried_on_within_bounds(clock, monkeypatch, power, believed):
    """12,000 users are ten times a sample of 1,200, which takes long enough; 30 warm up."""
    measure, seen = taking(clock, lambda n: 2.0 * (n / 1_200) ** power)
    monkeypatch.setattr(anonymizability, "k_gap", measure)
    config = anonymizability.Config()
    found = estimates.seconds_of(anonymizability.study, people(12_000, 1), config)
    assert found == pytest.approx(2.0 * 10**believed)
    assert seen == [30, 400, 1_200]
    seen.clear()
    assert estimates.seconds_of(anonymizability.study, people(300, 1), config) > 0
    assert seen == [300]


def test_shards_are_done_one_after_another_on_each_core(clock, monkeypatch):
    """Eight shards of 10 people on three cores: three rounds of what one takes on one core."""
    sizes = []

    def hide(fs, _k, *, engine, **_):
        sizes.append((fs.n_users, engine.workers))
        clock[0] += 2.0

    monkeypatch.setattr(hiding, "aligned", hide)
    config = hiding.Config(2, method="aligned", shards=8)
    found = estimates.seconds_of(hiding.study, people(80), config, engine=fp.LocalEngine(3))
    assert (found, sizes) == (6.0, [(10, 1)])


def test_real_questions_have_a_time():
    fs = people(60)
    for study, config in (
        (anonymizability.study, anonymizability.Config()),
        (disclosure.study, disclosure.Config(fp.KnowledgeConfig(2))),
        (hiding.study, hiding.Config(2)),
        (attack.study, attack.Config(p=1)),
    ):
        found = estimates.study(fs, estimates.Config(study, config))
        assert found.seconds > 0
        assert found.needs_bytes == needed_bytes(study, fs, config)
        assert "about" in str(found)


def test_impossible_k():
    assert estimates.seconds_of(hiding.study, people(10), hiding.Config(11)) is None
