"""k-gap against the plain-loop oracle, on random sets and on the shapes that trip an index."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.engines.local import LocalEngine
from fpanon_core.measures.kgap import fingerprint_stretch, k_gap
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import ConfigError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from tests.oracles import stretch as oracle
from tests.support.fingerprint_sets import as_lists, boxes, events


def keywords(config):
    return {
        "ws": config.w_space,
        "wt": config.w_time,
        "smax": config.max_space_m,
        "tmax": config.max_time_min,
    }


def check(fs, k, config=None, workers=2, users=None):
    config = config or StretchConfig()
    result = k_gap(fs, k, config=config, engine=LocalEngine(workers), users=users)
    lists, n = as_lists(fs), fs.weight.tolist()
    for row, user in enumerate(result.users):
        everyone = oracle.nearest(lists, int(user), n=n, **keywords(config))
        efforts = [effort for effort, _ in everyone[: k - 1]]
        exact = {other: effort for effort, other in everyone}
        np.testing.assert_allclose(result.stretch[row], efforts, atol=1e-9)
        assert result.values[row] == pytest.approx(np.mean(efforts), abs=1e-9)
        # Each neighbour named really has the effort reported; ties are tested on their own.
        for other, effort in zip(result.neighbours[row], result.stretch[row], strict=True):
            assert exact[other] == pytest.approx(effort, abs=1e-9)
        assert user not in result.neighbours[row]
        assert len(set(result.neighbours[row].tolist())) == k - 1
    return result


configs = st.builds(
    lambda w, s, t: StretchConfig(w, 1 - w, s, t),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([100.0, 5_000.0, 20_000.0]),
    st.sampled_from([10.0, 480.0, 5_000.0]),
)


@settings(max_examples=60, deadline=None)
@given(events(), st.data(), configs, st.sampled_from([1, 2]))
def test_equals_the_oracle(fs, data, config, workers):
    k = data.draw(st.integers(2, fs.n_users))
    check(fs, k, config, workers)


@settings(max_examples=40, deadline=None)
@given(boxes(), st.data(), configs)
def test_equals_the_oracle_on_cells_of_any_extent_and_weight(fs, data, config):
    check(fs, data.draw(st.integers(2, fs.n_users)), config)


def _smallest(a, b):
    """Smallest effort of each sample of a to b, and of b to a; rows of a and b are x, y, t."""
    away = np.abs(a[:, None, 0] - b[None, :, 0]) + np.abs(a[:, None, 1] - b[None, :, 1])
    wait = np.abs(a[:, None, 2] - b[None, :, 2])
    effort = 0.5 * np.minimum(away / 20_000, 1) + 0.5 * np.minimum(wait / 480, 1)
    return effort.min(axis=1), effort.min(axis=0)


@pytest.mark.parametrize("days", [14, 365])
def test_one_sample_users_among_users_of_three_thousand(days):
    draw = np.random.default_rng(days)
    lengths = [3_000, 3_000, 2_500, *[1] * 12, 60, 60, 300]
    user = np.repeat(np.arange(len(lengths)), lengths)
    home = draw.integers(0, 400, (len(lengths), 2)) * 100.0
    xy = home[user] + draw.integers(-30, 30, (len(user), 2)) * 100.0
    t = draw.integers(0, days * 1440, len(user)).astype(float)
    fs = FingerprintSet.from_samples(user, xy[:, 0], xy[:, 1], t)
    points = [np.column_stack([fs.x_m, fs.y_m, fs.t_min])[fs.rows_of(u)] for u in range(fs.n_users)]
    result = k_gap(fs, 5)
    efforts = np.full((fs.n_users, fs.n_users), np.inf)
    for a, b in itertools.combinations(range(fs.n_users), 2):
        there, back = (smallest.mean() for smallest in _smallest(points[a], points[b]))
        longer = lengths[a] - lengths[b]
        effort = (there + back) / 2 if not longer else there if longer > 0 else back
        efforts[a, b] = efforts[b, a] = effort
    np.testing.assert_allclose(result.stretch, np.sort(efforts, axis=1)[:, :4], atol=1e-9)


def test_more_users_than_one_tile():
    """Tiles are 128 × 512 users: 700 users fill several, most of them of equal length."""
    rng = np.random.default_rng(3)
    m = rng.choice([3, 3, 3, 4, 9], 700)
    user = np.repeat(np.arange(700), m)
    fs = FingerprintSet.from_samples(
        user, *rng.uniform(0, 30_000, (2, m.sum())), rng.uniform(0, 1_440, m.sum())
    )
    some = np.sort(rng.choice(700, 25, replace=False))
    part = check(fs, 4, users=some)
    whole = k_gap(fs, 4)
    np.testing.assert_array_equal(whole.values[some], part.values)
    np.testing.assert_array_equal(whole.neighbours[some], part.neighbours)


def test_more_places_than_cells():
    """Beyond 1,024 distinct places the bound works on squares, beyond 2,048 bins on wider bins."""
    rng = np.random.default_rng(5)
    fs = FingerprintSet.from_samples(
        np.repeat(np.arange(40), 60), *rng.uniform(0, 60_000, (2, 2400)), rng.uniform(0, 4e4, 2400)
    )
    check(fs, 3, users=np.arange(8))


def test_by_hand():
    """Three people, one place axis; weights ½, thresholds 20 km and 480 min.

    a: (0 m, 0 min), (1000 m, 60 min)   b: (0 m, 12 min)   c: (200 m, 0 min), (1000 m, 60 min)
    Δ_ab, from a: sample 1: ½·12/480 = .0125; sample 2: ½·1000/20000 + ½·48/480 = .075 → .04375
    Δ_ac, equal lengths, both directions: (½·200/20000 + 0)/2 = .0025
    Δ_bc, from c: sample 1: .005 + .0125 = .0175; sample 2: .075 → .04625
    """
    fs = FingerprintSet.from_samples(
        list("aabcc"), [0, 1000, 0, 200, 1000], [0] * 5, [0, 60, 12, 0, 60]
    )
    assert fingerprint_stretch(fs, 0, 1) == pytest.approx(0.04375)
    assert fingerprint_stretch(fs, 0, 2) == fingerprint_stretch(fs, 2, 0) == pytest.approx(0.0025)
    assert fingerprint_stretch(fs, 1, 1) == 0.0
    result = k_gap(fs, 3)
    assert result.neighbours.tolist() == [[2, 1], [0, 2], [0, 1]]
    np.testing.assert_allclose(result.values, [0.023125, 0.045, 0.024375])
    np.testing.assert_allclose(result.at(2).values, [0.0025, 0.04375, 0.0025])


def test_ties_go_to_the_lower_row_number():
    """Users 0 … 4 at minutes 2, 0, 4, 0, 4: user 0 is 2 minutes from everyone."""
    fs = FingerprintSet.from_samples(range(5), [0] * 5, [0] * 5, [2, 0, 4, 0, 4])
    assert k_gap(fs, 4).neighbours[0].tolist() == [1, 2, 3]


@settings(max_examples=30, deadline=None)
@given(events())
def test_gap_lies_in_the_unit_interval_and_grows_with_k(fs):
    result = k_gap(fs, fs.n_users)
    gaps = np.array([result.at(k).values for k in range(2, fs.n_users + 1)])
    assert ((gaps >= 0) & (gaps <= 1)).all()
    assert (np.diff(gaps, axis=0) >= -1e-12).all()


@pytest.mark.parametrize("k", [1, 0, -3, 2.0, True, "2"])
def test_a_k_that_is_none(k):
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    with pytest.raises(ConfigError, match="integer of 2 or more"):
        k_gap(fs, k)


def test_too_few_users():
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    with pytest.raises(InfeasibleError, match="k = 3 exceeds the 2 people loaded"):
        k_gap(fs, 3)
    with pytest.raises(InfeasibleError, match="single fingerprint"):
        k_gap(fs.subset([0]), 2)
    with pytest.raises(InfeasibleError, match="outside 0"):
        k_gap(fs, 2, users=[2])
    with pytest.raises(InfeasibleError, match="outside 0"):
        fingerprint_stretch(fs, 0, 2)


def test_everyone_k_times_is_hidden_already():
    x = [0, 3e4, 9e4]
    fs = FingerprintSet.from_samples([*range(12)], x * 4, [0] * 12, [0, 500, 9_000] * 4)
    assert k_gap(fs, 4).values.tolist() == [0.0] * 12
    assert (k_gap(fs, 5).values > 0).all()


@given(boxes(), st.sampled_from([(1, 1), (2, 5)]))
def test_the_oracles_of_an_effort_agree(fs, weights):
    """One takes whole fingerprints for GLOVE, the other writes two samples out as in science.md."""
    a, b = as_lists(fs)[0], as_lists(fs)[-1]
    na, nb = weights
    found = oracle.effort_parts(a, b, na=na, nb=nb)
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            due = oracle.sample_effort(one, other, na=na, nb=nb)
            assert [part[i, j] for part in found] == pytest.approx(due, abs=1e-12)
