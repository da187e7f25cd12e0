"""Releases in periods as they leave: what is in them, and that nothing joins a person's records."""

import datetime as dt
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fpanon_core as fp
from tests.support.releases import members_of

WIDE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(5_000), 480))
HEXAGONS = fp.Generalize(fp.GeneralizationProfile(fp.Hexagons(6), 480))
OPTIONS = {
    "days, aligned": [fp.Periods(1), fp.Aligned(3)],
    "days, quick search": [fp.Periods(1), fp.Aligned(3, effort="quick")],
    "two days, GLOVE within limits": [fp.Periods(2), fp.Glove(3, 15_000, 360)],
    "periods alone": [fp.Periods(1)],
    "periods, coarser": [fp.Periods(2), WIDE],
    "coarser first": [WIDE, fp.Periods(1), fp.Aligned(3)],
    "hexagons between": [fp.Periods(1), HEXAGONS, fp.Glove(3)],
    "sample": [fp.SampleUsers(0.5), fp.Periods(1), fp.Aligned(3)],
    "noise": [fp.AddNoise(500, 5), fp.Periods(1), fp.Aligned(3)],
    "rare": [fp.Periods(1), WIDE, fp.SuppressRare(2)],
    "rare, GLOVE": [fp.Periods(1), WIDE, fp.SuppressRare(2), fp.Glove(3)],
}
MARK = "SECRETID-"


@pytest.fixture(scope="module")
def fs():
    """Marked ids, across a change of the clock: Berlin, 2026-03-29, 02:00."""
    table = fp.generate_cdr(60, days=4, start=dt.date(2026, 3, 27))
    table["user_id"] = MARK + table["user_id"].astype(str)
    return fp.read_cdr(table, timezone="Europe/Berlin")[0]


@pytest.mark.parametrize(
    ("name", "form"), [(name, ("csv", "parquet")[i % 2]) for i, name in enumerate(OPTIONS)]
)
def test_what_was_made_comes_back(fs, name, form, tmp_path):
    made = fp.release(fs, OPTIONS[name])
    origin = made.origin
    key = tmp_path / "key.csv"
    path = fp.publish(made, tmp_path / "out", key=key, format=form)
    table = fp.read_published(path / f"data.{form}")
    keys = pd.read_csv(key)
    assert list(keys) == ["pseudonym", "user_id", "period"]
    assert set(keys["pseudonym"]) == set(table["pseudonym"])
    # A person has one record in a period, and the same name in no two.
    assert not keys.duplicated(["user_id", "period"]).any()
    days = next(step.days for step in origin.option.steps if isinstance(step, fp.Periods))
    midnight = pd.Timestamp("2026-03-27", tz="Europe/Berlin")
    edges = [midnight + pd.DateOffset(days=days * n) for n in range(6)]
    period = dict(zip(keys["pseudonym"], keys["period"], strict=True))
    for pseudonym, rows in table.groupby("pseudonym"):
        begins, ends = edges[period[pseudonym]], edges[period[pseudonym] + 1]
        assert (rows["start"] >= begins).all()
        assert (rows["start"] < ends).all()
        assert (rows["end"] <= ends).all()
    if origin.k is not None:
        joined = table.drop_duplicates("pseudonym").merge(keys, on="pseudonym")
        for _, rows in joined.groupby("group"):
            assert len(set(rows["period"])) == 1
            assert rows["user_id"].nunique() == len(rows) >= 3
    for options in ({}, {"key": key}):
        assert fp.verify_release(path, fs, origin.k, **options).passed


def test_noise_may_bring_people_into_periods_in_which_they_were_not_recorded(tmp_path):
    """Such a release leaves with its key; a key that names anybody twice there is found out."""
    # 1 and 2 on the first day alone, near its end.
    late = [1_430.0, 1_435.0, 30.0, 2_000.0, 2_100.0]
    fs = fp.FingerprintSet.from_samples([*"12333"], [0, 5_000, 0, 0, 0], [0] * 5, late)
    made = fp.release(fs, [fp.AddNoise(100, 60), fp.Periods(1)], seed=3)
    recorded = {("1", 0), ("2", 0), ("3", 0), ("3", 1)}
    key = tmp_path / "key.csv"
    path = fp.publish(made, tmp_path / "out", key=key)
    keys = pd.read_csv(key, dtype={"user_id": str})
    come = ~pd.Series(list(zip(keys["user_id"], keys["period"], strict=True))).isin(recorded)
    assert come.any()
    assert fp.verify_release(path, fs, None, key=key).passed
    other = keys.copy()
    other.loc[come.idxmax(), "user_id"] = "4"
    assert "unknown user" in fp.verify_release(path, fs, None, key=other).counts
    twice = pd.concat([keys, keys[come]])
    assert "key" in fp.verify_release(path, fs, None, key=twice).counts


def test_an_exchanged_key_is_found_out_where_no_time_was_moved(fs, tmp_path):
    """Noise in places brings nobody into another period."""
    cut = [fp.AddNoise(500), fp.Periods(1)]
    for option in (cut, [*cut, fp.Aligned(3)]):
        made, key = fp.release(fs, option), tmp_path / f"key{len(option)}.csv"
        path = fp.publish(made, tmp_path / f"out{len(option)}", key=key)
        keys = pd.read_csv(key)
        assert fp.verify_release(path, fs, made.origin.k, key=keys).passed
        names = sorted(keys["user_id"].unique())
        other = dict(zip(names, [*names[1:], names[0]], strict=True))
        wrong = keys.assign(user_id=keys["user_id"].map(other))
        assert "unknown user" in fp.verify_release(path, fs, made.origin.k, key=wrong).counts


def test_where_times_were_moved_it_is_said_that_the_key_is_not_checked(fs, tmp_path):
    made = fp.release(fs, [fp.AddNoise(500, 300), fp.Periods(1), fp.Aligned(3)], seed=1)
    path = fp.publish(made, tmp_path / "out", key=tmp_path / "key.csv")
    checked = fp.verify_release(path, fs, 3, key=tmp_path / "key.csv")
    assert checked.passed
    assert "nor, between periods, whether the key names the right people" in checked.note


def test_the_page_and_the_description_say_so(fs, tmp_path):
    path = fp.publish(fp.release(fs, [fp.Periods(1), fp.Aligned(3)]), tmp_path / "out")
    page = " ".join((path / "README.md").read_text().split())
    for said in (
        "pseudonyms in 4 periods of 1 day",
        "cut into periods of 1 day",
        "Everyone published in each period is one of at least 3 people",
        "Do not try to follow anybody from one period to the next",
        "No name, number or order links the records of two periods",
        "may do better than chance",
    ):
        assert said in page
    fields = json.loads((path / "datapackage.json").read_text())["resources"][0]["schema"]["fields"]
    assert "in one period" in fields[0]["description"]


@pytest.mark.parametrize("target", ["out.zip", "out"])
def test_nothing_in_the_files_joins_a_persons_records(fs, target, tmp_path):
    """Names, group numbers, places in the file, its bytes: by the key, and in two releases."""
    cut = fp.into_periods(fs, 1)
    result = fp.aligned(cut, 3)
    seen = []
    for n in range(2):
        key = tmp_path / f"key{n}.csv"
        path = fp.publish(result, tmp_path / f"{n}{target}", key=key, original=fs)
        keys, members = pd.read_csv(key), members_of(path)
        assert set(members) == {"README.md", "datapackage.json", "data.csv"}
        rows = pd.read_csv(io.BytesIO(members["data.csv"]))
        assert "period" not in rows  # of what a row says by its times no column is needed
        at = {name: i for i, name in enumerate(rows["pseudonym"].unique())}
        keys["at"] = keys["pseudonym"].map(at)
        keys["rank"] = keys["pseudonym"].rank()
        wide = keys.pivot(index="user_id", columns="period", values=["at", "rank"])
        for what in ("at", "rank"):
            for p in range(3):
                pair = wide[what][[p, p + 1]].dropna()
                assert stats.spearmanr(pair[p], pair[p + 1]).pvalue > 1e-5
        text = b"".join(members.values()).decode()
        assert MARK not in text
        assert not any(str(name) in text for name in cut.pieces.user_ids)  # drawn for us alone
        assert cut.digest not in text
        assert cut.pieces.digest not in text
        seen.append(set(keys["pseudonym"]))
        for name in keys["pseudonym"]:
            assert re.fullmatch("[A-Z2-7]{16}", name)
    assert not seen[0] & seen[1]


def test_who_is_there_in_one_period_alone_hides_there(tmp_path):
    """Nine people on two days, a tenth on the second: among three at least, as everybody."""
    user = [*range(9), *range(10)]
    t = [600 + u for u in range(9)] + [2_040 + u for u in range(10)]
    x = [u // 3 * 5_000 for u in user]
    fs = fp.FingerprintSet.from_samples([f"{MARK}{u}" for u in user], x, [0] * 19, t)
    for hide in (fp.glove, fp.aligned):
        key = tmp_path / f"{hide.__name__}.csv"
        path = fp.publish(hide(fp.into_periods(fs, 1), 3), tmp_path / hide.__name__, key=key)
        rows, keys = pd.read_csv(path / "data.csv"), pd.read_csv(key)
        name = keys.loc[keys["user_id"] == f"{MARK}9", "pseudonym"]
        assert len(name) == 1
        group = rows.loc[rows["pseudonym"] == name.iloc[0], "group"].iloc[0]
        assert rows.loc[rows["group"] == group, "pseudonym"].nunique() >= 3
        assert fp.verify_release(path, fs, 3).passed


def test_a_result_needs_the_data_before_they_were_cut(fs, tmp_path):
    made = fp.aligned(fp.into_periods(fs, 1), 3)
    some = fs.subset(np.arange(50))
    with pytest.raises(fp.ConfigError, match="made from other data"):
        fp.publish(made, tmp_path / "out", original=some)
    assert isinstance(made, fp.GloveResult)
    cut = fp.into_periods(fs, 1)
    with pytest.raises(fp.ConfigError, match="fingerprints that were cut"):
        fp.publish(fp.aligned(cut, 3), tmp_path / "out", original=cut)
    assert fp.verify_release(fp.publish(fp.aligned(cut, 3), tmp_path / "pieces"), cut, 3).passed
    key, lost = tmp_path / "key.csv", tmp_path / "lost.csv"
    path = fp.publish(made, tmp_path / "out", key=key, left_out=lost)  # which are still held
    listed = pd.read_csv(lost)
    gone = made.suppressed
    assert len(listed) == len(gone)
    assert listed["sample"].tolist() == sorted(listed["sample"])
    ids = fs.user_ids[fs.sample_user[listed["sample"]]]
    assert listed["user_id"].tolist() == [str(i) for i in ids]
    assert fp.verify_release(path, fs, 3, key=key, left_out=lost).passed
