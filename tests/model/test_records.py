"""What leaves, record by record, under names drawn each time."""

import numpy as np
import pandas as pd
from hypothesis import given

from fpanon_core import FingerprintSet, glove
from fpanon_core.model.published import Naming, Records
from tests.support.fingerprint_sets import boxes


def in_file_order(records):
    """Names as they must never be: for telling whose row is whose."""
    return Naming(
        np.array([f"{r:05d}" for r in range(records.n_records)], object),
        np.arange(records.n_records),
        np.arange(1, records.n_groups + 1),
    )


@given(boxes())
def test_every_sample_of_every_record_is_a_row(fs):
    records = Records.of_fingerprints(fs)
    table = pd.concat(list(records.frames(in_file_order(records))), ignore_index=True)
    assert table["pseudonym"].astype(int).tolist() == fs.sample_user.tolist()
    assert "group" not in table.columns
    assert np.array_equal(table["x_max_m"], fs.x_m + fs.dx_m)
    assert np.array_equal(table["end"], fs.t_min + fs.dt_min)
    assert table["lat_min"].isna().all()


@given(boxes())
def test_names_change_nothing_else(fs):
    result = glove(fs, 2)
    plain = pd.concat(list(result.records.frames(in_file_order(result.records))))
    named = result.to_frame()
    assert named.columns.tolist() == plain.columns.tolist()
    assert not set(named["pseudonym"]) & set(plain["pseudonym"])

    def contents(table):
        return sorted(
            tuple(map(tuple, rows.drop(columns=["pseudonym", "group"]).to_numpy().tolist()))
            for _, rows in table.fillna(0).groupby("pseudonym", sort=False)
        )

    assert contents(named) == contents(plain)
    assert sorted(set(named["group"])) == sorted(set(plain["group"]))
    together = named.groupby("pseudonym")["group"].nunique()
    assert (together == 1).all()
    starts = named.groupby("pseudonym", sort=False)["start"]
    assert starts.apply(lambda times: times.is_monotonic_increasing).all()
    assert (named["pseudonym"] != named["pseudonym"].shift()).sum() == named["pseudonym"].nunique()


def test_nothing_published_is_one_empty_piece():
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    result = glove(fs, 2)
    nobody = Records.of_groups(result.published, np.empty(0, np.int64))
    (piece,) = nobody.frames()
    assert piece.empty
    assert piece.columns.tolist() == result.to_frame().columns.tolist()
