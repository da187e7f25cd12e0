"""The invented region: its districts nest, its antennas stand where the people are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.synthetic.region import generate_region


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), n=st.integers(20, 600))
def test_any_region_is_whole(seed: int, n: int) -> None:
    region = generate_region(seed, n_antennas=n)
    table = region.antennas
    pd.testing.assert_frame_equal(generate_region(seed, n_antennas=n).antennas, table)
    assert len(table) == n == table["antenna_id"].nunique()
    assert table.notna().all(axis=None)
    # 120 × 90 km about 24° N, 1° E: at most 0.41° north and 0.60° east of it.
    assert table["lat"].between(23.58, 24.42).all()
    assert table["lon"].between(0.4, 1.6).all()
    for share in (region.residents, region.jobs):
        assert share.sum() == pytest.approx(1)
        assert share.min() >= 0
    # Each municipality lies in one district.
    assert table.groupby("municipality")["district"].nunique().max() == 1
    assert set(table["district"]).isdisjoint(table["municipality"])


def test_antennas_are_denser_where_people_are() -> None:
    """In squares of 10 km, antennas and residents rise together."""
    region = generate_region(0)
    square = np.floor(np.column_stack([region.x_m, region.y_m]) / 10_000) @ [1000, 1]
    cells = pd.DataFrame({"square": square, "people": region.residents}).groupby("square")["people"]
    assert cells.size().corr(cells.sum(), method="spearman") > 0.7
    # … less than in proportion: the fullest square has more people per antenna than the median one.
    per_antenna = cells.sum() / cells.size()
    assert per_antenna[cells.sum().idxmax()] > 2 * per_antenna.median()
