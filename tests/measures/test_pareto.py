"""The front and who dominates whom, against brute force, ties and unknowns included."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import ConfigError, dominating, pareto_front
from fpanon_core.measures.pareto import level
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


@st.composite
def estimates(draw):
    """Risk, utility and the ends of the risk's interval, some of them unknown; few values."""
    found = []
    for risk, utility in draw(points):
        below, above = draw(st.tuples(*[st.sampled_from([0.0, 0.1, 0.4, math.nan])] * 2))
        ends = (risk - below, risk + above) if math.isfinite(risk) else (math.nan, math.nan)
        found.append((risk, utility, *ends))
    return found


def columns(some):
    return ([each[i] for each in some] for i in range(4))


@given(estimates())
def test_with_intervals_it_equals_brute_force_and_is_a_strict_partial_order(some):
    risk, utility, low, high = columns(some)
    found = [rows.tolist() for rows in dominating(risk, utility, low=low, high=high)]
    assert found == oracle.surely_dominating(some)
    assert [rows.tolist() for rows in level(risk, utility, low, high)] == oracle.level(some)
    known = [i for i in range(len(some)) if risk[i] == risk[i] and utility[i] == utility[i]]
    assert not known or any(not found[i] for i in known)  # never an empty front
    for i, by in enumerate(found):
        assert i not in by
        # Whoever dominates one that dominates another does so, too; and one of the front does.
        assert all(set(found[j]) <= set(by) for j in by)
        assert not by or any(not found[j] for j in by)
        # Nothing dominates that would not by the estimates.
        assert set(by) <= set(dominating(risk, utility)[i].tolist())


@given(points)
def test_intervals_without_width_change_nothing(some):
    risk, utility = [p[0] for p in some], [p[1] for p in some]
    for ends in ((risk, risk), ([math.nan] * len(some),) * 2):
        found = dominating(risk, utility, low=ends[0], high=ends[1])
        assert [rows.tolist() for rows in found] == oracle.dominating(some)
        assert all(len(rows) == 0 for rows in level(risk, utility, *ends))


def test_level_by_hand():
    """b is as useful as a and seems less risky, .998 against .9995, but both may be .999.

    c's interval ends below both. d is worse than a by its estimate, not surely; worse than c.
    """
    risk, utility = [0.9995, 0.998, 0.3, 1.0], [0.8, 0.8, 0.5, 0.5]
    low, high = [0.996, 0.994, 0.2, 0.999], [1.0, 0.9995, 0.4, 1.0]
    found = dominating(risk, utility, low=low, high=high)
    assert [rows.tolist() for rows in found] == [[], [], [], [2]]
    assert [rows.tolist() for rows in level(risk, utility, low, high)] == [
        [1, 3],
        [0, 3],
        [],
        [0, 1],
    ]


def test_an_interval_holds_its_risk():
    with pytest.raises(ConfigError, match="does not hold its risk"):
        dominating([0.5], [0.5], low=[0.6], high=[0.7])


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
