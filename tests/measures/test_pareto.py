"""The front and who dominates whom, against brute force, ties and unknowns included."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fpanon_core as fp
from fpanon_core.measures.pareto import level
from tests.oracles import pareto as oracle

# Few values make ties; infinities and NaN occur.
few = st.sampled_from([0.0, -0.0, 0.1, 0.5, 1.0, math.nan, math.inf, -math.inf])
points = st.lists(st.tuples(few | st.floats(0, 1), few | st.floats(0, 1)), max_size=30)


@given(points)
def test_equals_brute_force(points):
    risk, utility = [p[0] for p in points], [p[1] for p in points]
    assert fp.pareto_front(risk, utility).tolist() == oracle.front(points)
    found = fp.dominating(risk, utility)
    assert [rows.tolist() for rows in found] == oracle.dominating(points)
    # Every dominated option is dominated by one on the front.
    front = fp.pareto_front(risk, utility)
    assert all(front[rows].any() for rows in found if len(rows))


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
    found = [rows.tolist() for rows in fp.dominating(risk, utility, low=low, high=high)]
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
        assert set(by) <= set(fp.dominating(risk, utility)[i].tolist())


def test_level_by_hand():
    """b is as useful as a and seems less risky, .998 against .9995, but both may be .999.

    c's interval ends below both. d is worse than a by its estimate, not surely; worse than c.
    """
    risk, utility = [0.9995, 0.998, 0.3, 1.0], [0.8, 0.8, 0.5, 0.5]
    low, high = [0.996, 0.994, 0.2, 0.999], [1.0, 0.9995, 0.4, 1.0]
    found = fp.dominating(risk, utility, low=low, high=high)
    assert [rows.tolist() for rows in found] == [[], [], [], [2]]
    assert [rows.tolist() for rows in level(risk, utility, low, high)] == [
        [1, 3],
        [0, 3],
        [],
        [0, 1],
    ]


def test_an_interval_holds_its_risk():
    with pytest.raises(fp.ConfigError, match="does not contain its risk"):
        fp.dominating([0.5], [0.5], low=[0.6], high=[0.7])


def test_by_hand():
    """b is as useful as a at less risk; d equals c and stays; e has c's risk and less use."""
    risk = [0.9, 0.5, 0.2, 0.2, 0.2, math.nan]
    utility = [0.8, 0.8, 0.4, 0.4, 0.3, 1.0]
    assert fp.pareto_front(risk, utility).tolist() == [False, True, True, True, False, False]
    assert [d.tolist() for d in fp.dominating(risk, utility)] == [[1], [], [], [], [2, 3], []]


@pytest.mark.parametrize("wrong", [([1], [1, 2]), ([[1]], [[1]]), (["a"], [1])])
def test_lists_are_checked(wrong):
    with pytest.raises(fp.ConfigError):
        fp.pareto_front(*wrong)


# --- ordinal agreement against a double loop and by hand -----------------------------------------


rows_of_values = st.lists(
    st.tuples(*[st.one_of(st.integers(0, 4).map(float), st.just(math.nan))] * 3),
    min_size=2,
    max_size=12,
)


def test_agreement_by_hand():
    """Ranks 1 2 3 4 against 1 3 2 4: one of six pairs is swapped, τ = (5 − 1)/6.

    Against 1 1 2 2: two pairs are tied; τ-b = 4/√(6·4).
    """
    table = pd.DataFrame(
        {"a": [0.1, 0.2, 0.3, 0.4], "b": [1, 3, 2, 4], "c": [5, 5, 6, 6]}, index=list("wxyz")
    )
    rows = fp.ordinal_agreement(table)
    assert rows[["a", "b"]].values.tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert rows[["pairs", "concordant", "discordant", "tied"]].values.tolist() == [
        [6, 5, 1, 0],
        [6, 4, 0, 2],
        [6, 3, 1, 2],
    ]
    assert rows.tau.tolist() == pytest.approx([4 / 6, 4 / math.sqrt(24), 2 / math.sqrt(24)])
    # x < y under a, but x > y under b: the larger under the first named comes first.
    assert rows.discordant_pairs.tolist() == [[("y", "x")], [], [("x", "y")]]


@given(rows_of_values)
def test_equals_a_double_loop(rows):
    table = pd.DataFrame(rows, columns=["u", "v", "w"], index=[f"g{i}" for i in range(len(rows))])
    for row in fp.ordinal_agreement(table).itertuples():
        known = [
            (i, a, b)
            for i, (a, b) in zip(table.index, table[[row.a, row.b]].values, strict=True)
            if not (math.isnan(a) or math.isnan(b))
        ]
        more, less, tied, swapped = 0, 0, 0, set()
        for at, (i, a, b) in enumerate(known):
            for j, c, d in known[at + 1 :]:
                product = (a - c) * (b - d)
                more, less, tied = more + (product > 0), less + (product < 0), tied + (product == 0)
                if product < 0:
                    swapped.add((i, j) if a > c else (j, i))
        assert (row.concordant, row.discordant, row.tied) == (more, less, tied)
        assert row.pairs == more + less + tied
        assert set(row.discordant_pairs) == swapped
        a, b = [k[1] for k in known], [k[2] for k in known]
        if len(set(a)) < 2 or len(set(b)) < 2:
            assert math.isnan(row.tau)
        else:
            assert row.tau == pytest.approx(stats.kendalltau(a, b).statistic)


def test_what_cannot_be_compared():
    with pytest.raises(fp.InfeasibleError, match="fewer than two profiles"):
        fp.ordinal_agreement(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(fp.ConfigError, match="fewer than two measures"):
        fp.ordinal_agreement(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(fp.ConfigError, match="Not numbers: kind"):
        fp.ordinal_agreement(pd.DataFrame({"kind": ["x", "y"], "a": [1.0, 2.0], "b": [1, 2]}))


def test_the_grid_as_it_comes_gives_its_measures():
    grid = {"profile": ["1 km", "2 km"], "space_size": [1000.0, 2000.0], "window_min": 60.0}
    grid |= {"unicity_p4": [0.9, 0.5], "em": [0.3, 0.4], "targets": 12}
    grid |= {"unicity_p4_low": [0.8, 0.4], "unicity_p4_high": [0.95, 0.6]}
    [row] = fp.ordinal_agreement(pd.DataFrame(grid)).to_dict("records")
    assert (row["a"], row["b"], row["tau"]) == ("unicity_p4", "em", -1.0)
    assert row["discordant_pairs"] == [("1 km", "2 km")]


# --- asked utility -------------------------------------------------------------------------------


@pytest.fixture
def answers():
    rows = [
        ("A", "transport", "fine", 9),
        ("B", "transport", "Fine", 6),
        ("C", "transport", "fine ", 6),
        ("A", "transport", "coarse", 2),
        ("A", "epidemics", "fine", 10),
        ("A", "epidemics", "low", 0),
        ("B", "epidemics", "low", 1),
    ]
    return pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])


def test_asked_utility_by_hand(answers):
    """fine: .9, .6, .6: mean .7, s = √(.06/2) = .17321, t(2) = 4.3027: half .43027, cut at 1."""
    table = fp.asked_utility(answers, "transport")
    assert table["option"].tolist() == ["fine", "coarse"]
    assert table["experts"].tolist() == [3, 1]
    assert table["mean"].tolist() == pytest.approx([0.7, 0.2])
    assert table["low"][0] == pytest.approx(0.7 - 0.43027, abs=1e-4)
    assert table["high"][0] == 1.0
    assert np.isnan(table["low"][1])
    assert np.isnan(table["high"][1])
    # 0 and .1: mean .05, half 12.706 · .05: cut at 0.
    low = fp.asked_utility(answers, "Epidemics").set_index("option").loc["low"]
    assert (low["mean"], low["low"]) == (0.05, 0.0)
    assert low["high"] == pytest.approx(0.05 + 12.7062 * 0.05, abs=1e-4)


def test_an_unknown_domain_names_the_known(answers):
    with pytest.raises(fp.ConfigError, match="transport"):
        fp.asked_utility(answers, "tourism")
