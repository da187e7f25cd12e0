"""Gini, Lorenz curve and tail weight: hand-worked values, independent forms, invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fpanon_core import ConfigError, gini, lorenz, tail_weight_index
from tests.oracles import stretch as oracle

values = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=60)


def test_gini_by_hand():
    assert gini([0, 0, 0, 1]) == pytest.approx(0.75)
    assert gini([5, 5, 5]) == 0.0
    assert gini([0.0]) == 0.0
    # 2·(1·1 + 2·2 + 3·3)/(3·6) − 4/3 = 28/18 − 24/18
    assert gini([3, 1, 2]) == pytest.approx(4 / 18)


@given(values)
def test_gini_equals_the_mean_difference_form(numbers):
    assert gini(numbers) == pytest.approx(oracle.gini(numbers), abs=1e-9)


@given(st.lists(st.floats(0.1, 1e4), min_size=2, max_size=50), st.floats(0.01, 100))
def test_scale_changes_neither(numbers, factor):
    scaled = [factor * v for v in numbers]
    assert gini(scaled) == pytest.approx(gini(numbers), abs=1e-9)
    spread = np.quantile(numbers, 0.75, method="inverted_cdf") - np.median(numbers)
    if spread > 1e-6:
        assert tail_weight_index(scaled) == pytest.approx(tail_weight_index(numbers), rel=1e-6)


@given(st.lists(st.integers(-9_000, 9_000).map(lambda v: v / 8), min_size=1, max_size=200))
def test_tail_weight_equals_numpy_quantiles(numbers):
    middle, near, far = np.quantile(numbers, [0.5, 0.75, 0.99], method="inverted_cdf")
    if near == middle:
        assert math.isnan(tail_weight_index(numbers))
    else:
        normal = stats.norm.ppf(0.99) / stats.norm.ppf(0.75)
        expected = (far - middle) / (near - middle) / normal
        assert tail_weight_index(numbers) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [(stats.expon, 1.636), (stats.pareto(1), 14.2), (stats.norm, 1.0)],
)
def test_tail_weight_of_known_distributions(distribution, expected):
    quantiles = distribution.ppf((np.arange(200_000) + 0.5) / 200_000)
    assert tail_weight_index(quantiles) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("measure", [gini, lorenz, tail_weight_index])
def test_no_value_or_no_number(measure):
    with pytest.raises(ConfigError, match="no value"):
        measure([])
    with pytest.raises(ConfigError, match="missing or infinite"):
        measure([1.0, math.nan])


@pytest.mark.parametrize("measure", [gini, lorenz])
def test_a_negative_value(measure):
    with pytest.raises(ConfigError, match="negative"):
        measure([-1.0, 2.0])


def test_lorenz_by_hand():
    """Ascending 0, 1, 3 of 4: 0, 0, 1/4, 1."""
    users, total = lorenz([3, 0, 1])
    assert users.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert total.tolist() == [0, 0, 0.25, 1]
    for alike in ([0, 0], [7, 7]):
        assert [curve.tolist() for curve in lorenz(alike)] == [[0, 0.5, 1]] * 2


@given(values)
def test_twice_the_area_above_the_lorenz_curve_is_the_gini_coefficient(numbers):
    users, total = lorenz(numbers)
    assert (np.diff(total) >= 0).all()
    assert (total <= users + 1e-12).all()
    assert 1 - 2 * np.trapezoid(total, users) == pytest.approx(gini(numbers), abs=1e-9)
