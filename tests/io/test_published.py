"""A release reaches a file, and comes back so that it verifies."""

import re

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.published import (
    data_dictionary,
    read_published,
    read_suppressed,
    write_published,
    write_suppressed,
)
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.synthetic.generate import generate_cdr
from fpanon_core.verification.anonymity import verify_k_anonymity

ENDINGS = [".csv", ".csv.gz", ".parquet"]


@pytest.fixture(scope="module")
def fs():
    """Across a change of the clock: Berlin, 2026-03-29, 02:00."""
    import datetime as dt

    table = generate_cdr(25, days=4, start=dt.date(2026, 3, 27))
    table["user_id"] = "=cmd|' /C calc'!" + table["user_id"].astype(str)
    return read_cdr(table, timezone="Europe/Berlin")[0]


@pytest.fixture(scope="module")
def result(fs):
    return glove(fs, 3, suppress_space_m=10_000)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_read_back_verifies(fs, result, tmp_path, ending):
    path, lost = tmp_path / f"release{ending}", tmp_path / f"lost{ending}"
    assert write_published(result, path) == len(result.to_frame())
    assert write_suppressed(result, lost) == len(result.suppressed) > 0
    back, gone = read_published(path), read_suppressed(lost)
    assert verify_k_anonymity(fs, back, 3, suppressed=gone).passed
    assert not verify_k_anonymity(fs, back, 3).passed  # the list is part of the claim
    expected = result.to_frame()
    for name in ("start", "end"):
        assert (back[name] == expected[name]).all()
    pd.testing.assert_frame_equal(
        back.drop(columns=["start", "end"]),
        expected.drop(columns=["start", "end"]),
        check_dtype=False,
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_results_give_equal_bytes(fs, tmp_path, ending):
    for name in ("a", "b"):
        write_published(glove(fs, 2), tmp_path / f"{name}{ending}")
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_no_ids_and_no_formulas(result, tmp_path):
    write_published(result, tmp_path / "release.csv")
    write_suppressed(result, tmp_path / "lost.csv")
    for path in tmp_path.iterdir():
        text = path.read_text()
        assert "cmd" not in text
        for cell in re.split(r"[,\n]", text):
            bare = cell.strip('"')
            if bare.startswith(("=", "+", "-", "@", "\t", "\r")):
                float(bare)  # a number, which no spreadsheet takes for a formula


def test_the_dictionary_explains_every_column(result, tmp_path):
    write_published(result, tmp_path / "release.csv.gz")
    words = pd.read_csv(tmp_path / "release_dictionary.csv", keep_default_na=False)
    assert words["column"].tolist() == result.to_frame().columns.tolist()
    assert (words["meaning"].str.len() > 5).all()
    assert "Europe/Berlin" in words["unit"].iloc[-1]
    assert "+proj=laea" in words["unit"].iloc[2]


@pytest.mark.parametrize("ending", ENDINGS)
def test_without_clock_and_projection(tmp_path, ending):
    fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0] * 3, [0.5, 3, 483.25],
                                     granularity_min=0.25)  # fmt: skip
    result = glove(fs, 2)
    write_published(result, tmp_path / f"r{ending}")
    back = read_published(tmp_path / f"r{ending}")
    assert back["end"].tolist() == [483.5] * 3
    assert verify_k_anonymity(fs, back, 2).passed
    assert "min since" in data_dictionary(result)["unit"].iloc[-1]


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_a_second(tmp_path, ending):
    cdr = pd.DataFrame(
        {
            "user": ["a", "b", "a", "b"],
            "time": pd.to_datetime(["2024-03-04T06:00:00.25Z", "2024-03-04T06:00:01.5Z"] * 2),
            "lat": 24.0,
            "lon": [1.0, 1.0, 1.1, 1.1],
        }
    )
    fs, _ = read_cdr(cdr, granularity_min=1 / 240)
    result = glove(fs, 2)
    write_published(result, tmp_path / f"r{ending}")
    assert verify_k_anonymity(fs, read_published(tmp_path / f"r{ending}"), 2).passed


def test_nothing_published_is_still_a_table(tmp_path):
    """Cells of 500 m by themselves, at most 100 m: nothing remains."""
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    wide = FingerprintSet(
        user_ids=fs.user_ids, offsets=fs.offsets, x_m=fs.x_m, y_m=fs.y_m, t_min=fs.t_min,
        dx_m=np.full(2, 500.0), dy_m=np.full(2, 500.0), dt_min=fs.dt_min, count=fs.count,
    )  # fmt: skip
    result = glove(wide, 2, suppress_space_m=100)
    assert write_published(result, tmp_path / "r.csv") == 0
    assert read_published(tmp_path / "r.csv").empty
    assert verify_k_anonymity(wide, result, 2).passed
    assert np.isnan(result.summary()["mean_space_m"])


def test_other_files_are_refused(tmp_path, result):
    with pytest.raises(ConfigError, match=r"\.csv, \.csv\.gz or \.parquet"):
        write_published(result, tmp_path / "r.doc")
    with pytest.raises(SchemaError, match="does not exist"):
        read_published(tmp_path / "none.csv")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SchemaError, match="lacks the columns"):
        read_published(tmp_path / "other.csv")
    with pytest.raises(SchemaError, match="lacks pseudonym or sample"):
        read_suppressed(tmp_path / "other.csv")
    for name in ("bad.csv", "bad.parquet", "bad.csv.gz"):
        (tmp_path / name).write_bytes(bytes(range(256)))
        with pytest.raises(SchemaError):
            read_published(tmp_path / name)
    frame = result.to_frame().astype({"group": object})
    for column, value in (("group", "many"), ("x_min_m", "west"), ("start", "yesterday")):
        frame.assign(**{column: value}).to_csv(tmp_path / "words.csv", index=False)
        with pytest.raises(SchemaError, match="is not a number or a time"):
            read_published(tmp_path / "words.csv")
