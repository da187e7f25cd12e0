"""The expected error of each cell, drawn from published numbers alone, against the true error."""

from __future__ import annotations

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.aggregates.usefulness import cell_error

AREA = fp.StatedArea(0, 0, 6_000, 6_000, "metres")
FRAME = fp.FrameConfig(fp.StatedPeriod(None, 7), "grid", AREA, 1_000)


def crowd(people: int = 1_500) -> fp.FingerprintSet:
    """People of one habit: 36 areas, as many in each on average, awake from 6 h."""
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(people), 20)
    at = rng.integers(0, 6, (people, 2)).repeat(20, axis=0) * 1_000.0 + 100
    minute = rng.integers(0, 7, len(user)) * 1_440 + rng.integers(360, 1_440, len(user))
    return fp.FingerprintSet.from_samples(user, at[:, 0], at[:, 1], minute)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_it_is_as_large_as_the_true_error(epsilon: float) -> None:
    """Hours are the same everywhere: noise and chance are all that is off."""
    fs = crowd()
    exact = fp.presence(fs, FRAME, bands=4).values
    expected, true = [], []
    for _ in range(6):
        made = fp.presence(fs, FRAME, bands=4, epsilon=epsilon)
        expected.append(cell_error(made).mean())
        true.append(np.abs(made.values - exact).mean())
    assert 0.5 < np.mean(expected) / np.mean(true) < 2


def test_without_noise_there_is_none() -> None:
    assert not cell_error(fp.presence(crowd(50), FRAME, threshold=5)).any()
