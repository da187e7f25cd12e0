"""Tables on their way into files: names of their own, an order of their own, and the mark."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from fpanon_core.model.errors import ConfigError
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.leaving import file_name, guarded, people_columns
from fpanon_core.tables.writing import table_bytes
from tests.support.exports import names_rows, same_but_for_names

N = 4_000


def by_person(n: int = N) -> pd.DataFrame:
    """A row of each person, in the order of the input."""
    return pd.DataFrame(
        {"user": range(n), "pseudonym": [f"u{i + 1:04d}" for i in range(n)], "k_gap": range(n)}
    )


def test_neither_names_nor_rows_follow_the_input() -> None:
    """Of 4,000 people, .1 is 6.3 standard deviations: 1 in 100 million over the 20 files."""
    before: set[str] = set()
    for _ in range(20):
        made = guarded(by_person())
        place = made["k_gap"].to_numpy()  # in the input
        assert abs(spearmanr(np.arange(N), place).statistic) < 0.1
        as_text = made["pseudonym"].rank().to_numpy()
        assert abs(spearmanr(as_text, place).statistic) < 0.1
        names = {*made["pseudonym"]}
        assert len(names) == N
        # No number to any programme.
        assert all(len(n) == 17 and n[0] == "p" and n.isalnum() and n.islower() for n in names)
        assert not names & before
        before |= names


def test_a_person_has_one_name_in_all_columns_of_a_file() -> None:
    pairs = pd.DataFrame(
        {"pseudonym": [*"abca"], "nearest_pseudonym": ["b", "a", None, "c"], "at": range(4)}
    )
    assert people_columns(pairs) == ["pseudonym", "nearest_pseudonym"]
    made = guarded(pairs).sort_values("at")
    a, b, c, again = made["pseudonym"]
    assert len({a, b, c}) == 3
    assert again == a
    near = made["nearest_pseudonym"].tolist()
    assert near[:2] == [b, a]
    assert pd.isna(near[2])
    assert near[3] == c


def test_row_numbers_are_in_no_file() -> None:
    numbered = by_person(3).assign(sample=0, row=1, matched_row=2)
    assert names_rows(numbered)
    assert list(guarded(numbered)) == ["pseudonym", "k_gap", "for_release"]
    places = pd.DataFrame({"x_m": [1, 2], "people": [3, 4]})
    assert not names_rows(places)
    assert guarded(places)["x_m"].tolist() == [1, 2]
    assert list(places) == ["x_m", "people"], "the table given is left as it was"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=30))
def test_nothing_else_changes(rows: list[tuple[int, int]]) -> None:
    table = pd.DataFrame(
        {"pseudonym": [f"u{p:04d}" for p, _ in rows], "v": [v for _, v in rows]}
    ).astype({"pseudonym": object, "v": int})
    assert same_but_for_names(guarded(table), table)


class Two(Tabled):
    """A result of two tables, of which one may leave."""

    MAY_LEAVE = frozenset({"summary"})

    def tables(self) -> dict[str, pd.DataFrame]:
        return {"by_person": by_person(5), "summary": pd.DataFrame({"share": [0.5]})}


def test_a_table_may_leave_only_where_that_is_said() -> None:
    result = Two()
    shares = result.tables()["summary"]
    shares.attrs = {"digest": "SECRETDIGEST"}  # no attribute of a table reaches its file
    for ending in (".csv", ".parquet"):
        assert b"SECRETDIGEST" not in table_bytes([shares], f"t{ending}")
    assert not result.may_leave("by_person")
    assert result.may_leave("summary")
    assert not Tabled().may_leave("summary")
    assert result.for_file()["for_release"].tolist() == ["no"] * 5
    assert list(result.for_file("summary")) == ["share"]
    assert file_name("summary", True) == "summary.csv"
    assert file_name("by_person", False) == "by_person_not_for_release.csv"
    with pytest.raises(ConfigError, match="by_person"):
        result.for_file("other")
