"""Ordinal agreement against a double loop and by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fpanon_core import ConfigError, InfeasibleError, ordinal_agreement

values = st.lists(
    st.tuples(*[st.one_of(st.integers(0, 4).map(float), st.just(math.nan))] * 3),
    min_size=2,
    max_size=12,
)


def test_by_hand():
    """Ranks 1 2 3 4 against 1 3 2 4: one of six pairs is swapped, τ = (5 − 1)/6.

    Against 1 1 2 2: two pairs are tied; τ-b = 4/√(6·4).
    """
    table = pd.DataFrame(
        {"a": [0.1, 0.2, 0.3, 0.4], "b": [1, 3, 2, 4], "c": [5, 5, 6, 6]}, index=list("wxyz")
    )
    rows = ordinal_agreement(table)
    assert rows[["a", "b"]].values.tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert rows[["pairs", "concordant", "discordant", "tied"]].values.tolist() == [
        [6, 5, 1, 0],
        [6, 4, 0, 2],
        [6, 3, 1, 2],
    ]
    assert rows.tau.tolist() == pytest.approx([4 / 6, 4 / math.sqrt(24), 2 / math.sqrt(24)])
    # x < y under a, but x > y under b: the larger under the first named comes first.
    assert rows.discordant_pairs.tolist() == [[("y", "x")], [], [("x", "y")]]


@given(values)
def test_equals_a_double_loop(rows):
    table = pd.DataFrame(rows, columns=["u", "v", "w"], index=[f"g{i}" for i in range(len(rows))])
    for row in ordinal_agreement(table).itertuples():
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


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=20, unique=True))
def test_a_monotone_change_of_a_measure_changes_no_order(numbers):
    table = pd.DataFrame({"m": numbers, "ranks": np.argsort(np.argsort(numbers))})
    row = ordinal_agreement(table).iloc[0]
    assert (row.tau, row.discordant, row.tied) == (pytest.approx(1.0), 0, 0)


def test_a_measure_that_is_everywhere_alike_has_no_order():
    row = ordinal_agreement(pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": [1, 2, 3]})).iloc[0]
    assert math.isnan(row.tau)
    assert (row.pairs, row.tied) == (3, 3)


def test_what_cannot_be_compared():
    with pytest.raises(InfeasibleError, match="fewer than two profiles"):
        ordinal_agreement(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(ConfigError, match="fewer than two measures"):
        ordinal_agreement(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ConfigError, match="Not numbers: kind"):
        ordinal_agreement(pd.DataFrame({"kind": ["x", "y"], "a": [1.0, 2.0], "b": [1, 2]}))


def test_the_grid_as_it_comes_gives_its_measures():
    rows = [
        ("1 km", 1000.0, 60.0, 0.9, 0.8, 0.95, 0.3, 12),
        ("2 km", 2000.0, 60.0, 0.5, 0.4, 0.6, 0.4, 12),
    ]
    columns = [
        "profile",
        "space_size",
        "window_min",
        "unicity_p4",
        "unicity_p4_low",
        "unicity_p4_high",
        "em",
        "targets",
    ]
    [row] = ordinal_agreement(pd.DataFrame(rows, columns=columns)).to_dict("records")
    assert (row["a"], row["b"], row["tau"]) == ("unicity_p4", "em", -1.0)
    assert row["discordant_pairs"] == [("1 km", "2 km")]
