"""The front and who dominates whom, against brute force, ties and unknowns included."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import ConfigError, dominating, pareto_front
from tests.oracles import pareto as oracle

# Few values make ties; infinities and NaN occur.
few = st.sampled_from([0.0, -0.0, 0.1, 0.5, 1.0, math.nan, math.inf, -math.inf])
points = st.lists(st.tuples(few | st.floats(0, 1), few | st.floats(0, 1)), max_size=30)


@given(points)
def test_equals_brute_force(points):
    risk, utility = [p[0] for p in points], [p[1] for p in points]
    assert pareto_front(risk, utility).tolist() == oracle.front(points)
    found = dominating(risk, utility)
    assert [rows.tolist() for rows in found] == oracle.dominating(points)
    # Every dominated option is dominated by one on the front.
    front = pareto_front(risk, utility)
    assert all(front[rows].any() for rows in found if len(rows))


@given(points, st.randoms(use_true_random=False))
def test_a_monotone_change_of_the_risk_leaves_the_front(points, random):
    """Noriega Campero 2015, lemma 4.1: of any increasing function, by values at those there."""
    risk, utility = np.array([p[0] for p in points]), [p[1] for p in points]
    values = sorted({v for v in risk.tolist() if v == v})
    steps = np.cumsum([random.choice([1e-9, 1.0, 1e6]) for _ in values])
    changed = [dict(zip(values, steps, strict=True)).get(v, math.nan) for v in risk.tolist()]
    assert pareto_front(changed, utility).tolist() == pareto_front(risk, utility).tolist()
    for a, b in zip(dominating(changed, utility), dominating(risk, utility), strict=True):
        assert a.tolist() == b.tolist()


def test_by_hand():
    """b is as useful as a at less risk; d equals c and stays; e has c's risk and less use."""
    risk = [0.9, 0.5, 0.2, 0.2, 0.2, math.nan]
    utility = [0.8, 0.8, 0.4, 0.4, 0.3, 1.0]
    assert pareto_front(risk, utility).tolist() == [False, True, True, True, False, False]
    assert [d.tolist() for d in dominating(risk, utility)] == [[1], [], [], [], [2, 3], []]


def test_many_options_in_one_sort():
    rng = np.random.default_rng(0)
    risk, utility = rng.random((2, 200_000))
    front = pareto_front(risk, utility)
    rows = np.flatnonzero(front)
    assert all(not ((risk <= risk[i]) & (utility > utility[i])).any() for i in rows)
    order = rows[np.argsort(risk[rows])]
    assert (np.diff(utility[order]) > 0).all()


@pytest.mark.parametrize("wrong", [([1], [1, 2]), ([[1]], [[1]]), (["a"], [1])])
def test_lists_are_checked(wrong):
    with pytest.raises(ConfigError):
        pareto_front(*wrong)
