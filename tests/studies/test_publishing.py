"""A release as it leaves: what is in it, what is not, and that it comes back as it went."""

import csv
import datetime as dt
import errno
import hashlib
import io
import json
import os
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet
from scipy import stats

import fpanon_core as fp
from fpanon_core.model.facts import public_option
from fpanon_core.studies import publishing
from fpanon_core.tables.leaving import restored
from fpanon_core.verification.release import verify_release
from tests.support.releases import members_of

WIDE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(5_000), 480))
OPTIONS = {
    "as it is": [],
    "coarser": [WIDE],
    "sample": [fp.SampleUsers(0.5)],
    "noise": [fp.AddNoise(2_000, 30)],
    "positions": [fp.Permute("positions")],
    "times": [fp.Permute("times")],
    "rare": [WIDE, fp.SuppressRare(2)],
    "glove": [fp.Glove(2)],
    "glove, limits": [fp.Glove(3, 15_000, 360)],
    "coarser, glove, limits": [WIDE, fp.Glove(2, 10_000)],
    "sample, glove": [fp.SampleUsers(0.5), fp.Glove(2)],
    "noise, glove": [fp.AddNoise(2_000, 30), fp.Glove(2)],
    "glove, coarser": [fp.Glove(2), fp.SampleUsers(0.5)],
}
MARK = "SECRETID-"
FORMS = [("out.zip", "csv"), ("out", "parquet")]


@pytest.fixture(scope="module")
def fs():
    """Marked ids, across a change of the clock: Berlin, 2026-03-29, 02:00."""
    table = fp.generate_cdr(40, days=4, start=dt.date(2026, 3, 27))
    table["user_id"] = MARK + table["user_id"].astype(str)
    return fp.read_cdr(table, timezone="Europe/Berlin")[0]


def plain(seed=0):
    """Without clock and projection."""
    rng = np.random.default_rng(seed)
    ids = [f"{MARK}{u}" for u in np.repeat(range(12), 4)]
    t = rng.integers(0, 900, 48) + 0.5
    return fp.FingerprintSet.from_samples(
        ids, rng.uniform(0, 9_000, 48), rng.uniform(0, 9_000, 48), t, granularity_min=0.25
    )


def table_of(path, tmp_path):
    """The data of a release, read back."""
    (name,) = [name for name in members_of(path) if name.startswith("data.")]
    copy = tmp_path / f"copy-{path.name}-{name}"
    copy.write_bytes(members_of(path)[name])
    return fp.read_published(copy)


# --- round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "target", "form"),
    [(name, *FORMS[i % 2]) for i, name in enumerate(OPTIONS)]
    + [("glove", *each) for each in FORMS],
)
def test_what_was_made_comes_back(fs, name, target, form, tmp_path):
    made = fp.release(fs, OPTIONS[name])
    key = tmp_path / "key.csv"
    path = fp.publish(made, tmp_path / target, key=key, format=form)
    content = members_of(path)
    assert set(content) == {"README.md", "datapackage.json", f"data.{form}"}
    table = table_of(path, tmp_path)
    ids = pd.read_csv(key, index_col="pseudonym")["user_id"]
    assert set(table["pseudonym"]) == set(ids.index)
    # Of every person exactly the cells that the option made; of GLOVE, those of the group.
    origin = made.origin
    cells = origin.records.cells
    row_of = {str(i): u for u, i in enumerate(fs.user_ids.tolist())}
    record_of = {int(u): r for r, u in enumerate(origin.person)}
    for pseudonym, rows in table.groupby("pseudonym"):
        r = record_of[row_of[ids[pseudonym]]]
        mine = slice(origin.records.begins[r], origin.records.begins[r] + origin.records.lengths[r])
        assert rows["x_min_m"].tolist() == cells.x_m[mine].tolist()
        assert rows["y_max_m"].tolist() == (cells.y_m + cells.dy_m)[mine].tolist()
        minutes = (rows["start"] - pd.Timestamp(fs.clock.epoch)) / pd.Timedelta(minutes=1)
        assert minutes.tolist() == cells.t_min[mine].tolist()
    assert ("group" in table) == (origin.hidden is not None)
    if "group" in table:
        assert sorted(set(table["group"])) == list(range(1, table["group"].nunique() + 1))
    if origin.k is not None:
        assert table.groupby("group")["pseudonym"].nunique().min() >= origin.k


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "option", [[], [fp.Glove(2)], [fp.AddNoise(500)]], ids=["raw", "glove", "noise"]
)
def test_without_clock_and_projection(option, form, tmp_path):
    fs = plain()
    path = fp.publish(fp.release(fs, option), tmp_path / "out", format=form)
    table = table_of(path, tmp_path)
    assert not {"lat_min", "lon_max"} & set(table.columns)
    assert table["start"].dtype == np.float64
    package = json.loads(members_of(path)["datapackage.json"])
    told = package["fpanon"]
    assert [told[n] for n in ("crs", "timezone", "epoch", "first_day", "last_day")] == [None] * 5
    kinds = {f["name"]: f["type"] for f in package["resources"][0]["schema"]["fields"]}
    assert kinds["start"] == kinds["end"] == "number"
    assert list(kinds) == table.columns.tolist()
    page = members_of(path)["README.md"].decode()
    assert "minutes since midnight of the first day" in page
    assert "on a projection that is not known" in page


def test_a_result_of_glove_needs_its_original(fs, tmp_path):
    of_data_let_go = fp.glove(fs.subset(range(30)), 3)
    with pytest.raises(fp.ConfigError, match="give original="):
        fp.publish(of_data_let_go, tmp_path / "out.zip")
    result = fp.glove(fs, 3, suppress_space_m=10_000, leftover="suppress")
    with pytest.raises(fp.ConfigError, match="other data"):
        fp.publish(result, tmp_path / "out.zip", original=fs.subset(range(30)))
    assert verify_release(fp.publish(result, tmp_path / "known.zip"), fs, 3).passed
    path = fp.publish(result, tmp_path / "out.zip", original=fs)
    told = json.loads(members_of(path)["datapackage.json"])["fpanon"]
    assert (told["k"], told["leftover"], told["suppress_space_m"]) == (3, "suppress", 10_000)
    assert told["samples_left_out"] == len(result.suppressed) > 0
    assert told["samples_in"] == fs.n_samples


def test_what_is_changed_afterwards_is_no_release(fs, tmp_path):
    made = fp.release(fs, fp.Glove(2))
    for changed in (made.subset(range(4)), fp.add_noise(made, 500), fs):
        with pytest.raises(fp.ConfigError, match="changed since"):
            fp.publish(changed, tmp_path / "out")
    with pytest.raises(fp.ConfigError, match="not the one"):
        fp.publish(made, tmp_path / "out", original=fs.subset([1, 2]))
    with pytest.raises(fp.ConfigError, match="appears more than once"):
        fp.publish(fp.release(fs, [fp.Glove(2), fp.Glove(4)]), tmp_path / "out.zip")
    assert list(tmp_path.iterdir()) == []


# --- naming: nothing of the input ----------------------------------------------------------------


@pytest.fixture(scope="module")
def sorted_file():
    """6,000 people by ascending subscriber number, who move near their neighbours in the file."""
    n = 6_000
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(n), 2)
    x = user * 5.0 + rng.integers(0, 3, 2 * n) * 100
    return fp.FingerprintSet.from_samples(
        [f"{MARK}{u:06d}" for u in user], x, np.zeros(2 * n), 60 * np.tile([0, 1], n)
    )


def test_twenty_releases_of_a_sorted_file_say_nothing_of_its_order(sorted_file, tmp_path):
    """Of n = 6,000 in random order, the rank correlation has a standard deviation of
    1/√5,999 = .013; of some 3,000 groups .018: .1 is more than five of them away.
    """
    result = fp.glove(sorted_file, 2)
    in_order = stats.spearmanr(np.arange(6_000), result.group).statistic
    assert in_order > 0.9  # numbered as they are made, they would be the list of subscribers
    used = set()
    for number in range(20):
        key = tmp_path / f"key{number}.csv"
        path = fp.publish(result, tmp_path / f"r{number}", original=sorted_file, key=key)
        table = pd.read_csv(path / "data.csv").drop_duplicates("pseudonym")
        subscriber = pd.read_csv(key, index_col="pseudonym")["user_id"].str[len(MARK) :].astype(int)
        order = subscriber[table["pseudonym"]].to_numpy()
        by_name = table["pseudonym"].rank().to_numpy()
        for told in (by_name, table["group"].to_numpy(), np.arange(len(table))):
            assert abs(stats.spearmanr(told, order).statistic) < 0.1
        # The smallest subscriber of each group, against the number of the group.
        first = pd.Series(order, index=table["group"]).groupby(level=0).min()
        assert abs(stats.spearmanr(first.index, first).statistic) < 0.1
        assert not used & set(table["pseudonym"])
        used |= set(table["pseudonym"])
    assert len(used) == 20 * 6_000


@pytest.mark.parametrize("name", ["as it is", "glove, limits", "noise", "sample"])
@pytest.mark.parametrize(("target", "form"), FORMS)
def test_no_id_no_path_and_no_digest_of_the_input(fs, name, form, target, tmp_path):
    folder = tmp_path / "a-folder-nobody-knows"
    folder.mkdir()
    made = fp.release(fs, OPTIONS[name])
    key, left_out = tmp_path / "key.csv", tmp_path / "left_out.csv"
    path = fp.publish(made, folder / target, key=key, left_out=left_out, format=form)
    digests = [fs.digest, made.digest, made.origin.seen.digest]
    ids = [str(i)[len(MARK) :] for i in fs.user_ids]
    hidden = [MARK, "a-folder", str(tmp_path), "u0001", *digests, *ids]
    content = members_of(path)
    if target.endswith(".zip"):
        content["the zip itself"] = path.read_bytes()
    if form == "parquet":
        read = parquet.ParquetFile(io.BytesIO(content["data.parquet"]))
        content["metadata"] = repr((read.metadata, read.schema_arrow.metadata)).encode()
        content["as text"] = read.read().to_pandas().to_csv().encode()
    for member, raw in content.items():
        for word in hidden:
            # Seven digits of an id may be part of a number of metres: whole words only.
            pattern = rb"(?<![0-9A-Za-z.])" + re.escape(word.encode()) + rb"(?![0-9A-Za-z.])"
            assert not re.search(pattern, raw), (member, word)
        assert MARK.encode() not in raw
    assert MARK in key.read_text()
    assert (MARK in left_out.read_text()) == (name in ("glove, limits", "sample"))
    assert key.stat().st_mode & 0o077 == left_out.stat().st_mode & 0o077 == 0


RUN = ["=1+1", "@SUM(1)", "-2+3", "+4179;=1", "\t=1", "'=1", "a,b", "-5", "a\nb"]


def test_no_id_is_run_by_a_spreadsheet_and_the_verifier_knows_each_again(tmp_path):
    at = np.arange(3 * len(RUN))
    fs = fp.FingerprintSet.from_samples(np.repeat(RUN, 3), 100 * at, 0 * at, at)
    key, left_out = tmp_path / "key.csv", tmp_path / "left_out.csv"
    half = fp.release(fs, fp.SampleUsers(0.5))
    path = fp.publish(half, tmp_path / "out", key=key, left_out=left_out)
    for file in (key, left_out):
        with file.open(encoding="utf-8", newline="") as lines:
            ids = [row["user_id"] for row in csv.DictReader(lines)]
        assert {each[0] for each in ids} <= {"'", "a", "-"}
        assert all(each == "-5" for each in ids if each[0] == "-")
        assert {restored(each) for each in ids} <= set(RUN)
    assert verify_release(path, fs, None, key=key, left_out=left_out).passed
    everybody = tmp_path / "everybody.csv"
    path = fp.publish(fp.release(fs, []), tmp_path / "all", key=everybody)
    assert verify_release(path, fs, None, key=everybody).passed
    text = everybody.read_text(encoding="utf-8")
    assert text.count("'=1+1") == 1
    everybody.write_text(text.replace("'=1+1", "'=1+2"), encoding="utf-8")
    assert not verify_release(path, fs, None, key=everybody).passed


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_what_is_written_is_its_owners_alone_and_has_no_time_in_it(fs, tmp_path, target):
    before = os.umask(0)
    try:
        path = fp.publish(fp.release(fs, []), tmp_path / target, key=tmp_path / "key.csv")
    finally:
        os.umask(before)
    written = sorted(tmp_path.rglob("*"))
    assert {file.stat().st_mode & 0o777 for file in written if file.is_file()} == {0o600}
    if path.is_dir():
        assert path.stat().st_mode & 0o777 == 0o700
        return
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    assert {entry.external_attr >> 16 for entry in entries} == {0o600}
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert all("/" not in entry.filename for entry in entries)


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_where_the_disk_is_full_no_part_of_a_release_is_left(fs, tmp_path, monkeypatch, target):
    """The last file that is written finds no room: the zip, or the key beside a folder."""
    real, done = os.fsync, []

    def filling(descriptor):
        done.append(descriptor)
        if len(done) == last:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    last = 0
    monkeypatch.setattr(os, "fsync", filling)
    fp.publish(fp.release(fs, []), tmp_path / "first.zip", key=tmp_path / "first.csv")
    last, done = len(done) - (target == "out"), []
    (tmp_path / "first.zip").unlink()
    (tmp_path / "first.csv").unlink()
    with pytest.raises(fp.ConfigError, match="The disk is full"):
        fp.publish(fp.release(fs, []), tmp_path / target, key=tmp_path / "key.csv")
    assert list(tmp_path.iterdir()) == []


# --- randomness ----------------------------------------------------------------------------------


DRAWN = [fp.AddNoise(2_000, 30), fp.SampleUsers(0.5), fp.Permute("positions")]


@pytest.mark.parametrize("option", DRAWN, ids=str)
def test_what_is_drawn_differs_and_is_no_seeds(fs, option):
    two = {fp.release(fs, option).digest for _ in range(2)}
    known = {fp.release(fs, option, seed=seed).digest for seed in [*range(200), 3]}
    assert (len(two), len(known)) == (2, 200)
    assert not two & known


def test_clusters_of_antennas_are_those_that_were_measured(fs):
    """Two releases whose clusters differ would cut each other's into finer ones."""
    option = fp.Generalize(fp.GeneralizationProfile(fp.AntennaClusters(5), 480))
    assert fp.release(fs, option).digest == fp.release(fs, option, seed=0).digest


# --- what it says of itself ----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_package_says_what_is_in_the_file(fs, form, tmp_path):
    """The essentials of Data Package 2: names, paths, formats, hashes, and fields of the schema."""
    path = fp.publish(fp.release(fs, fp.Glove(2)), tmp_path / "out", format=form)
    package = json.loads((path / "datapackage.json").read_text(encoding="utf-8"))
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[-a-z0-9._/]+", package["name"])
    (resource,) = package["resources"]
    assert re.fullmatch(r"[-a-z0-9._/]+", resource["name"])
    assert resource["type"] == "table"
    data = path / resource["path"]
    assert resource["bytes"] == data.stat().st_size
    sha256 = hashlib.sha256(data.read_bytes()).hexdigest()
    assert resource["hash"] == f"sha256:{sha256}"
    assert package["fpanon"]["verified"]["sha256"] == sha256
    assert sha256 in (path / "README.md").read_text(encoding="utf-8")
    fields = resource["schema"]["fields"]
    assert [field["name"] for field in fields] == fp.read_published(data).columns.tolist()
    assert {f["type"] for f in fields} == {"string", "integer", "number", "datetime"}
    assert all(f["title"] and f["description"] for f in fields)
    assert "Europe/Berlin" in fields[-1]["description"]
    assert {f.get("unit") for f in fields} == {None, "m", "degree"}
    told = package["fpanon"]
    limits = dict.fromkeys(("suppress_space_m", "suppress_time_min"))
    assert told["steps"] == [{"technique": "glove", "k": 2, **limits}]


@pytest.mark.parametrize("limits", [(None, None), (15_000, 600)], ids=["whole", "trimmed"])
def test_the_page_tells_how_many_rows_are_not_true(fs, limits, tmp_path):
    result = fp.glove(fs, 4, suppress_space_m=limits[0], suppress_time_min=limits[1])
    path = fp.publish(result, tmp_path / "out", original=fs)
    share = json.loads((path / "datapackage.json").read_text())["fpanon"]["phantom_share"]
    assert share == pytest.approx(result.phantom_share)
    if limits == (None, None):
        assert share > 0
    in_100 = f"{100 * share:.1f}".removesuffix(".0")
    told = f"In {in_100} of 100 rows, the person was never recorded in the row's area"
    all_true = "the person was recorded at least once in the row's area and time window"
    assert (told if share else all_true) in (path / "README.md").read_text()


@pytest.mark.parametrize("name", OPTIONS)
def test_the_page_claims_a_crowd_only_where_there_is_one(fs, name, tmp_path):
    made = fp.release(fs, OPTIONS[name])
    page = members_of(fp.publish(made, tmp_path / "out"))["README.md"].decode()
    claims = made.origin.k is not None
    assert ("people with exactly the same rows" in page) == claims
    assert ("at most 1 in" in page) == claims
    assert ("An attacker still learns everything that the rows of the group say" in page) == claims
    assert ("does not guarantee k-anonymity" in page) == (not claims)
    assert ("Verified: everyone in the release is one of" in page) == claims
    assert ("averages out" in page) == ("noise" in name)
    assert ("A row does not say where the person was" in page) == made.origin.option.moved
    assert not (made.origin.option.moved and "was in the rectangle" in page)
    assert "fit alike" not in page
    lost = claims and (made.origin.samples_left_out or made.origin.people_left_out)
    assert ("What was left out is not covered" in page) == bool(lost)
    assert "0% risk" not in page


def test_names_of_the_inputs_columns_are_not_in_a_release():
    """They are the operator's words, and could be any."""
    spaces = fp.Regions("![](http://x.org/a)"), fp.Grid(500)
    steps = [fp.Generalize(fp.GeneralizationProfile(space, 60)) for space in spaces]
    told = public_option(fp.ReleaseOption("of http://x.org", steps))
    assert told.text == told.name == "regions by name · 1 h, then 500 m · 1 h"


def test_who_has_rows_of_their_own_is_on_the_page(tmp_path):
    """Two people share a cell and an hour, the third is alone."""
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 100, 9_000], [0] * 3, [5, 8, 5])
    made = fp.release(fs, [fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60))])
    path = fp.publish(made, tmp_path / "out")
    page = " ".join((path / "README.md").read_text(encoding="utf-8").split())
    assert "1 of the 3 people has rows that nobody else has" in page
    assert json.loads((path / "datapackage.json").read_text())["fpanon"]["people_alone"] == 1


def test_a_last_window_that_the_records_do_not_fill_is_said_to_be_so(fs, tmp_path):
    """Records until the night of 31 March, in one window of a week: the period is theirs."""
    made = fp.release(fs, [fp.Generalize(fp.GeneralizationProfile(fp.Grid(5_000), 7 * 1_440))])
    path = fp.publish(made, tmp_path / "out")
    page = " ".join((path / "README.md").read_text(encoding="utf-8").split())
    assert "Period: 2026-03-27 to 2026-03-31, local time of Europe/Berlin" in page
    assert "only 5 of its 7 days are within that period" in page
    told = json.loads((path / "datapackage.json").read_text())["fpanon"]
    assert told["last_window_days"] == [5, 7]
    whole = fp.publish(fp.release(fs, [WIDE]), tmp_path / "whole")
    assert "last window" not in (whole / "README.md").read_text(encoding="utf-8")


def test_whose_the_edges_of_a_group_are_and_how_to_verify_is_on_the_page(fs, tmp_path):
    path = fp.publish(fp.release(fs, [fp.Glove(2)]), tmp_path / "out")
    page = " ".join((path / "README.md").read_text(encoding="utf-8").split())
    assert "The edges are those of single samples." in page
    assert "to within 100 m and 1 min" in page
    assert "`python -m fpanon_core verify RELEASE RECORDS --k 2`" in page
    # It is so: every start and end is one of a sample of theirs.
    cells = fp.read_published(path / "data.csv")
    moments = set(np.concatenate([fs.t_min, fs.t_min + fs.dt_min]).tolist())
    epoch = pd.Timestamp(fs.clock.epoch)
    for name in ("start", "end"):
        minutes = (cells[name] - epoch) / pd.Timedelta(minutes=1)
        assert set(minutes.round(6).tolist()) <= moments
    coarse = fp.publish(fp.release(fs, [WIDE]), tmp_path / "coarse")
    page = (coarse / "README.md").read_text(encoding="utf-8")
    assert "The edges are those" not in page
    assert "`python -m fpanon_core verify RELEASE RECORDS`" in page


# --- the key and what was left out ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["sample", "rare", "glove, limits", "coarser, glove, limits"])
def test_what_is_left_out_is_listed_by_id_and_row(fs, name, tmp_path):
    made = fp.release(fs, OPTIONS[name])
    lost, key = tmp_path / "lost.csv", tmp_path / "key.csv"
    path = fp.publish(made, tmp_path / "out", left_out=lost, key=key)
    listed = pd.read_csv(lost)
    assert listed.columns.tolist() == ["user_id", "sample", "reason"]
    assert len(listed) > 0
    assert (fs.user_ids[fs.sample_user[listed["sample"]]] == listed["user_id"]).all()
    told = json.loads((path / "datapackage.json").read_text())["fpanon"]
    assert told["samples_left_out"] == len(listed)
    # Whoever is not in the key has every sample in the list.
    gone = set(fs.user_ids.tolist()) - set(pd.read_csv(key)["user_id"])
    counts = listed["user_id"].value_counts()
    lengths = dict(zip(fs.user_ids.tolist(), fs.lengths.tolist(), strict=True))
    assert {i for i in gone if counts.get(i) == lengths[i]} == gone
    assert told["people_left_out"] == len(gone)


def test_samples_that_were_moved_cannot_be_listed(fs, tmp_path):
    made = fp.release(fs, [fp.AddNoise(2_000), fp.Glove(2, 2_000)])
    files = {name: tmp_path / f"{name}.csv" for name in ("key", "left_out")}
    with pytest.raises(fp.ConfigError, match="Samples were moved"):
        fp.publish(made, tmp_path / "out", **files)
    assert list(tmp_path.iterdir()) == []
    assert fp.publish(made, tmp_path / "out").is_dir()


@pytest.mark.parametrize(
    ("target", "named", "fault"),
    [
        ("out", {"key": "out/key.csv"}, "outside the release"),
        ("out.zip", {"key": "out.zip"}, "outside the release"),
        ("out", {"left_out": "out/deep/lost.csv"}, "outside the release"),
        ("out", {"key": "key.txt"}, "end its name in .csv"),
        ("out", {"key": "nowhere/key.csv"}, "does not exist"),
        ("out", {"key": "there.csv"}, "would replace an existing file"),
        ("out", {"key": "a.csv", "left_out": "a.csv"}, "two different files"),
        ("out.csv", {}, "a folder or a .zip"),
        ("out.doc", {}, "a folder or a .zip"),
        ("nowhere/out", {}, "does not exist"),
        ("full", {}, "not empty"),
        ("there", {}, "name of an existing file"),
        ("folder.zip", {}, "name of a folder"),
    ],
)
def test_places_that_are_refused(fs, target, named, fault, tmp_path):
    for file in ("there.csv", "there"):
        (tmp_path / file).write_text("of another release")
    for folder in ("full", "folder.zip"):
        (tmp_path / folder).mkdir()
    (tmp_path / "full" / "a").write_text("b")
    before = sorted(tmp_path.rglob("*"))
    files = {name: tmp_path / file for name, file in named.items()}
    with pytest.raises(fp.ConfigError, match=re.escape(fault)):
        fp.publish(fp.release(fs, []), tmp_path / target, **files)
    with pytest.raises(fp.ConfigError, match="must be csv or parquet"):
        fp.publish(fp.release(fs, []), tmp_path / "new", format="xlsx")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_zip_is_replaced_and_an_empty_folder_filled(fs, tmp_path):
    first = fp.publish(fp.release(fs, []), tmp_path / "out.zip").read_bytes()
    assert fp.publish(fp.release(fs, []), tmp_path / "out.zip").read_bytes() != first
    (tmp_path / "empty").mkdir()
    assert len(members_of(fp.publish(fp.release(fs, []), tmp_path / "empty"))) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "out.zip"]


def test_what_is_written_is_what_is_checked(fs, tmp_path, monkeypatch):
    """A fault of the writer: one bound moved by 10 m on its way to the file."""
    real = publishing.write_data

    def moving(pieces, *arguments, **named):
        pieces = [piece.copy() for piece in pieces]
        pieces[0].loc[3, "x_min_m"] += 10
        return real(pieces, *arguments, **named)

    monkeypatch.setattr(publishing, "write_data", moving)
    for option in ([], [fp.AddNoise(500)], [fp.Glove(2)]):
        for target in ("out", "out.zip"):
            with pytest.raises(fp.InfeasibleError, match="did not pass its verification"):
                fp.publish(fp.release(fs, option), tmp_path / target, key=tmp_path / "key.csv")
    assert list(tmp_path.iterdir()) == []


# --- reading one back ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_parts_of_a_second(form, tmp_path):
    times = pd.to_datetime(["2024-03-04T06:00:00.25Z", "2024-03-04T06:00:01.5Z"] * 2)
    places = {"lat": 24.0, "lon": [1.0, 1.0, 1.1, 1.1]}
    cdr = pd.DataFrame({"user": ["a", "b", "a", "b"], "time": times, **places})
    fs, _ = fp.read_cdr(cdr, granularity_min=1 / 240)
    path = fp.publish(fp.release(fs, fp.Glove(2)), tmp_path / "out", format=form)
    back = fp.read_published(path / f"data.{form}")
    assert back["start"].min() == pd.Timestamp("2024-03-04T06:00:00.25Z")


def test_no_cell_of_a_release_is_a_formula(fs, tmp_path):
    path = fp.publish(fp.release(fs, fp.Glove(2)), tmp_path / "out")
    for cell in re.split(r"[,\n]", (path / "data.csv").read_text()):
        bare = cell.strip('"')
        if bare.startswith(("=", "+", "-", "@", "\t", "\r")):
            float(bare)  # a number, which no spreadsheet takes for a formula


def test_other_files_are_refused(fs, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(fp.SchemaError, match="Missing columns"):
        fp.read_published(tmp_path / "other.csv")
    frame = fp.glove(fs, 2).to_frame().astype({"group": object})
    for column, value in (("group", "many"), ("x_min_m", "west"), ("start", "yesterday")):
        frame.assign(**{column: value}).to_csv(tmp_path / "words.csv", index=False)
        with pytest.raises(fp.SchemaError, match="in the file is not valid"):
            fp.read_published(tmp_path / "words.csv")


def test_crowds_made_of_moved_samples_are_verified_as_crowds(fs, tmp_path):
    """Against the data as they were, no cell need hold a sample; who shares a record is seen."""
    key = tmp_path / "key.csv"
    made = fp.release(fs, [fp.AddNoise(500, 10), fp.Glove(3)])
    path = fp.publish(made, tmp_path / "out.zip", key=key)
    for given in ({}, {"key": key}):
        verdict = verify_release(path, fs, 3, **given)
        assert verdict.passed, verdict.counts
        assert "is not checked" in str(verdict)
        assert not verify_release(path, fs, 9, **given).passed
    plain = fp.publish(fp.release(fs, fp.Glove(3)), tmp_path / "plain.zip")
    assert verify_release(plain, fs, 3).note == ""


def test_people_all_alike_bring_no_order_in(tmp_path):
    """A hundred and twenty who were in the same two places: any record may be anybody's."""
    user = np.repeat([f"SUBSCRIBER{n:05d}" for n in range(120)], 2)
    alike = fp.FingerprintSet.from_samples(user, [0, 700] * 120, [0] * 240, [5, 90] * 120)
    path = fp.publish(fp.glove(alike, 2), tmp_path / "out.zip")
    assert verify_release(path, alike, 2).passed
