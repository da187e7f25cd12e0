"""Components, Gini and tail weight: hand-worked values, independent forms, invariances."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fpanon_core as fp
from fpanon_core.measures.components import components_by_k
from tests.oracles import stretch as oracle
from tests.support.fingerprint_sets import as_lists, boxes, events


@settings(max_examples=40, deadline=None)
@given(st.one_of(events(), boxes()))
def test_matches_explain_the_effort(fs):
    """The mean δ of the matched samples is Δ, the parts are the oracle's, the match the nearest."""
    lists, n = as_lists(fs), fs.weight.tolist()
    pairs = fp.matched_samples(fs, 0, 1)
    longer, shorter = (0, 1) if fs.lengths[0] >= fs.lengths[1] else (1, 0)
    assert len(pairs) == fs.lengths[longer]
    if fs.lengths[0] != fs.lengths[1]:
        assert pairs["total"].mean() == pytest.approx(fp.fingerprint_stretch(fs, 0, 1), abs=1e-9)
    spaces, times = oracle.effort_parts(lists[longer], lists[shorter], na=n[longer], nb=n[shorter])
    for row in pairs.itertuples():
        at = row.row - fs.offsets[longer], row.matched_row - fs.offsets[shorter]
        assert (row.space, row.time) == pytest.approx((spaces[at], times[at]), abs=1e-9)
        assert row.total == pytest.approx((spaces + times)[at[0]].min(), abs=1e-9)
        assert min(row.dist_m / 20_000, 1) / 2 == pytest.approx(spaces[at], abs=1e-9)
        assert min(row.gap_min / 480, 1) / 2 == pytest.approx(times[at], abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(events(min_users=3))
def test_components_pool_over_the_neighbours(fs):
    result = fp.k_gap(fs, 3)
    parts = fp.stretch_components(fs, result)
    for row, user in enumerate(result.users):
        pools = [fp.matched_samples(fs, user, int(b)) for b in result.neighbours[row]]
        space, time, total = (
            np.concatenate([p[c] for p in pools]) for c in ("space", "time", "total")
        )
        for got, expected in zip(parts.of(user), (space, time, total), strict=True):
            np.testing.assert_allclose(got, np.sort(expected), atol=1e-12)
        assert parts.gini_time[row] == pytest.approx(oracle.gini(time.tolist()), abs=1e-9)
        assert parts.gini_total[row] == pytest.approx(oracle.gini(total.tolist()), abs=1e-9)
        np.testing.assert_allclose(parts.tail_space[row], fp.tail_weight_index(space))
        if total.sum() > 0:
            assert parts.temporal_share[row] == pytest.approx(time.sum() / total.sum())
        else:
            assert math.isnan(parts.temporal_share[row])
        assert parts.space_m[row] == pytest.approx(2 * 20_000 * space.mean())
        assert parts.time_min[row] == pytest.approx(2 * 480 * time.mean())
        apart = pd.concat(pools)
        assert parts.beyond_space[row] == pytest.approx((apart.dist_m >= 20_000).mean())
        assert parts.beyond_time[row] == pytest.approx((apart.gap_min >= 480).mean())


def test_parts_by_hand():
    """a: (0 m, 0 min), (1000 m, 60 min); b: (0 m, 12 min). From a, the longer:
    first sample 0 m and 12 min away, second 1000 m and 48 min. Space mean 500 m, time mean 30 min;
    temporal share (½·60/480) / (½·60/480 + ½·1000/20000) = .0625/.0875.
    """
    fs = fp.FingerprintSet.from_samples(list("aab"), [0, 1000, 0], [0] * 3, [0, 60, 12])
    parts = fp.stretch_components(fs, fp.k_gap(fs))
    np.testing.assert_allclose(parts.space_m, [500, 500])
    np.testing.assert_allclose(parts.time_min, [30, 30])
    np.testing.assert_allclose(parts.temporal_share, [0.0625 / 0.0875] * 2)


def test_what_is_beyond_the_limit_counts_as_no_more_and_is_counted():
    """a: minutes 0 and 5,000; b: minute 100, 20 km away. Both distances are the limit itself; the
    times are 100 and 4,900, which counts as 480: their mean is 290, one of two beyond.
    """
    fs = fp.FingerprintSet.from_samples(list("aab"), [0, 0, 20_000], [0] * 3, [0, 5_000, 100])
    parts = fp.stretch_components(fs, fp.k_gap(fs))
    np.testing.assert_allclose(parts.space_m, [20_000] * 2)
    np.testing.assert_allclose(parts.time_min, [290] * 2)
    np.testing.assert_allclose(parts.beyond_space, [1] * 2)
    np.testing.assert_allclose(parts.beyond_time, [0.5] * 2)


@pytest.mark.parametrize("w_space", [0.0, 1.0])
def test_of_what_has_no_weight_nothing_is_known(w_space):
    fs = fp.FingerprintSet.from_samples(list("aab"), [0, 0, 700], [0] * 3, [0, 60, 100])
    config = fp.StretchConfig(w_space, 1 - w_space)
    parts = fp.stretch_components(fs, fp.k_gap(fs, config=config))
    for space, time in ((parts.space_m, parts.time_min), (parts.beyond_space, parts.beyond_time)):
        assert np.isnan(space).all() == (w_space == 0)
        assert np.isnan(time).all() == (w_space == 1)


def test_errors():
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0] * 3, [0] * 3, [0, 3, 9])
    result = fp.k_gap(fs, users=[0])
    with pytest.raises(fp.ConfigError, match="other fingerprints"):
        fp.stretch_components(fs.subset([0, 1]), result)
    with pytest.raises(fp.InfeasibleError, match="not measured"):
        fp.stretch_components(fs, result).of(1)
    with pytest.raises(fp.ConfigError, match="Run again for a larger k"):
        components_by_k(fs, fp.k_gap(fs), (2, 3))
    with pytest.raises(fp.InfeasibleError, match="choose two"):
        fp.matched_samples(fs, 1, 1)


# --- gini, lorenz curve and tail weight ----------------------------------------------------------


values = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=60)


def test_gini_by_hand():
    assert fp.gini([0, 0, 0, 1]) == pytest.approx(0.75)
    assert fp.gini([5, 5, 5]) == 0.0
    assert fp.gini([0.0]) == 0.0
    # 2·(1·1 + 2·2 + 3·3)/(3·6) − 4/3 = 28/18 − 24/18
    assert fp.gini([3, 1, 2]) == pytest.approx(4 / 18)


@given(values)
def test_gini_equals_the_mean_difference_form(numbers):
    assert fp.gini(numbers) == pytest.approx(oracle.gini(numbers), abs=1e-9)


@given(st.lists(st.integers(-9_000, 9_000).map(lambda v: v / 8), min_size=1, max_size=200))
def test_tail_weight_equals_numpy_quantiles(numbers):
    middle, near, far = np.quantile(numbers, [0.5, 0.75, 0.99], method="inverted_cdf")
    if near == middle:
        assert math.isnan(fp.tail_weight_index(numbers))
    else:
        normal = stats.norm.ppf(0.99) / stats.norm.ppf(0.75)
        expected = (far - middle) / (near - middle) / normal
        assert fp.tail_weight_index(numbers) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [(stats.expon, 1.636), (stats.pareto(1), 14.2), (stats.norm, 1.0)],
)
def test_tail_weight_of_known_distributions(distribution, expected):
    quantiles = distribution.ppf((np.arange(200_000) + 0.5) / 200_000)
    assert fp.tail_weight_index(quantiles) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("measure", [fp.gini, fp.lorenz, fp.tail_weight_index])
def test_no_value_or_no_number(measure):
    with pytest.raises(fp.ConfigError, match="no value"):
        measure([])
    with pytest.raises(fp.ConfigError, match="missing or infinite"):
        measure([1.0, math.nan])


@pytest.mark.parametrize("measure", [fp.gini, fp.lorenz])
def test_a_negative_value(measure):
    with pytest.raises(fp.ConfigError, match="negative"):
        measure([-1.0, 2.0])


def test_lorenz_by_hand():
    """Ascending 0, 1, 3 of 4: 0, 0, 1/4, 1."""
    users, total = fp.lorenz([3, 0, 1])
    assert users.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert total.tolist() == [0, 0, 0.25, 1]
    for alike in ([0, 0], [7, 7]):
        assert [curve.tolist() for curve in fp.lorenz(alike)] == [[0, 0.5, 1]] * 2


@given(values)
def test_twice_the_area_above_the_lorenz_curve_is_the_gini_coefficient(numbers):
    users, total = fp.lorenz(numbers)
    assert (np.diff(total) >= 0).all()
    assert (total <= users + 1e-12).all()
    assert 1 - 2 * np.trapezoid(total, users) == pytest.approx(fp.gini(numbers), abs=1e-9)
