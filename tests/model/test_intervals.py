"""Intervals: against a plain search of their definition, and holding as often as they say."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fpanon_core.model.intervals import mean_interval
from tests.oracles import intervals as oracle


@given(st.floats(0, 1), st.integers(1, 5_000), st.floats(0.1, 1e4))
def test_of_a_mean_it_is_what_the_relative_entropy_leaves_open(share, of, most):
    assume(oracle.relative_entropy(share, 0.5) < math.inf)
    low, high = mean_interval(share * most, of, most)
    assert 0 <= low <= share * most <= high <= most * (1 + 1e-12)
    step = most / 20_000
    try:
        least, largest = (end * most for end in oracle.ends(share, of))
    except ValueError:  # the grid has no share between the ends
        assert high - low < step
        return
    assert least <= low + 1e-9 * most
    assert low <= least + 2.001 * step
    assert high <= largest + 1e-9 * most
    assert largest <= high + 2.001 * step


def test_by_hand():
    """None of 10: (1 − q)^10 = 1/40, q = 1 − 40^(−1/10) = .3085; ten of ten: .6915 likewise.

    Half of 2,500: about ± √(2 · ¼ · ln 40 / 2,500) = ± .0272.
    """
    assert mean_interval(0.0, 10) == (0.0, pytest.approx(1 - 40**-0.1))
    assert mean_interval(1.0, 10) == (pytest.approx(40**-0.1), 1.0)
    assert mean_interval(0.5, 2_500) == pytest.approx((0.4728, 0.5272), abs=1e-4)
    assert mean_interval(30.0, 2_500, 60.0) == pytest.approx((28.37, 31.63), abs=1e-2)
    assert mean_interval(0.0, 5, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize(
    "people",
    [
        np.append(np.zeros(990), np.ones(10)),  # rare and large
        np.full(1_000, 0.5),  # all alike
        np.linspace(0, 1, 1_000) ** 8,  # skewed
    ],
)
@pytest.mark.parametrize("of", [5, 40, 400])
def test_it_holds_the_mean_of_all_in_95_of_100_draws(people, of):
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        low, high = mean_interval(float(rng.choice(people, of, replace=False).mean()), of)
        held += low <= people.mean() <= high
    assert held >= 380
