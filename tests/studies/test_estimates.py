"""The estimate before a run: the growth between two samples, carried on within bounds."""

import math

import numpy as np
import pytest

from fpanon_core.model.errors import ConfigError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import estimates


def people(n):
    rng = np.random.default_rng(1)
    return FingerprintSet.from_samples(np.arange(n), *rng.uniform(0, 1e4, (3, n)))


@pytest.mark.parametrize(("power", "expected_power"), [(1.7, 1.7), (0.3, 1.5), (2.7, 2.0)])
def test_growth_is_carried_on(monkeypatch, power, expected_power):
    """12,000 users are ten times a sample of 1,200, which takes long enough: 10^power times it."""
    monkeypatch.setattr(estimates, "_seconds", lambda fs, *_: (fs.n_users / 1_200) ** power)
    seconds = estimates.estimate_k_gap_s(people(12_000), 2)
    assert seconds == pytest.approx(10**expected_power)


def test_what_is_quick_is_asked_of_more(monkeypatch):
    """1,200 users take .3 s, 4,800 .3·4^1.6; the warm-up is no part of it."""
    sizes = []

    def seconds(fs, *_):
        sizes.append(fs.n_users)
        return 0.3 * (fs.n_users / 1_200) ** 1.6

    monkeypatch.setattr(estimates, "_seconds", seconds)
    assert estimates.estimate_k_gap_s(people(48_000), 2) == pytest.approx(0.3 * 40**1.6)
    assert sizes == [30, 400, 1_200, 4_800]


@pytest.mark.parametrize("n", [300, 1_000])
def test_small_sets_are_simply_measured(monkeypatch, n):
    sizes = []
    monkeypatch.setattr(estimates, "_seconds", lambda fs, *_: sizes.append(fs.n_users) or 1.0)
    assert estimates.estimate_k_gap_s(people(n), 2) == 1.0
    assert sizes[-1] == n


def test_a_real_estimate_is_a_time():
    seconds = estimates.estimate_k_gap_s(people(500), 450)
    assert math.isfinite(seconds)
    assert seconds > 0


def test_impossible_k():
    with pytest.raises(InfeasibleError):
        estimates.estimate_k_gap_s(people(10), 11)
    with pytest.raises(ConfigError):
        estimates.estimate_k_gap_s(people(10), 1)
