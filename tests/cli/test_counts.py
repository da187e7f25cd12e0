"""The command ``counts``: what it writes and says, and what it refuses."""

import datetime as dt
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fpanon_core import FrameConfig, StatedArea, StatedPeriod, read_cdr
from fpanon_core.model.projection import lon_lat
from fpanon_core.studies import counts_release
from tests.support.commands import figures_of, refused, said_by

PERIOD = ["--from", "2024-03-04", "--days", "2"]
AREA = ["--area", "14.6,-17.6,14.9,-17.2", "--side-m", "5000"]
ZONE = ["--timezone", "Africa/Dakar"]
PRIVATE = [*PERIOD, *ZONE, "--private", "1"]


def test_it_writes_what_the_study_makes(people: Path, tmp_path: Path) -> None:
    fs, report = read_cdr(people)
    first = report.first[:10]
    out = tmp_path / "counts.zip"
    lon, lat = lon_lat(fs.crs, np.array([0.0]), np.array([0.0]))
    south, west = round(float(lat[0])) - 1, round(float(lon[0])) - 1
    area = f"{south},{west},{south + 2},{west + 2}"
    options = ["--from", first, "--days", 2, "--area", area, "--side-m", 5000]
    output = said_by("counts", people, *options, "--suppress-below", 3, "--out", out)
    period = StatedPeriod(dt.date.fromisoformat(first), 2)
    stated = StatedArea(south, west, south + 2, west + 2)
    frame = FrameConfig(period, "grid", stated, 5_000)
    made = counts_release.study(fs, counts_release.Config(frame, "suppressed", below=3))
    assert out.read_bytes() == made.package()
    assert "counts left blank" in output
    assert "publish no totals" in output
    assert made.people == 30
    assert "30 people counted" in output


def test_of_plain_counts_it_says_how_many_are_of_one_person(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "counts.zip"
    area = ["--area", "23.6,0.4,24.4,1.5", "--side-m", "5000"]
    options = [people, *PERIOD, *area, "--recorded-only", "--out", out]
    said = " ".join(said_by("counts", *options).split())
    with zipfile.ZipFile(out) as packed, packed.open("counts.csv") as table:
        many = pd.read_csv(table)["people"]
    ones = int((many == 1).sum())
    assert ones > 0
    assert f"Nothing protects these counts: {ones:,} of the {len(many):,} in the zip are" in said
    assert figures_of("counts", *options)["of_one_person"] == ones


def test_private_counts_of_both_units(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "counts.zip"
    asked = ["counts", people, *PERIOD, *AREA, *ZONE, "--out", out]
    output = said_by(*asked, "--private 0.5")
    assert "ε = 0.5 for all of a person's records in the 96 slots together" in output
    assert "add up" in output
    assert "not in the zip; do not publish them" in output
    told = figures_of(*asked, "--private 1 --unit slot --format parquet")
    assert told["privacy"]["epsilon_all"] == 96
    assert told["privacy"]["sensitivity"] == 2
    with zipfile.ZipFile(out) as packed, packed.open("counts.parquet") as table:
        assert len(pd.read_parquet(table)) == told["places"] * told["slots"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([*PERIOD, *AREA, "--private", "1"], "--timezone"),
        ([*PRIVATE, *AREA, "--suppress-below", "5"], "Give either --private or"),
        ([*PERIOD, *AREA, "--unit", "slot"], "--private"),
        ([*PRIVATE, *AREA, "--screen", "civ"], "the days of all records"),
        ([*PRIVATE, *AREA, "--granularity-min", "7"], "1, 3, 5 or 15"),
        ([*PRIVATE, "--area", "0m,0m,5000m,5000m"], "State the area of private counts in degrees"),
        ([*PERIOD, *AREA, "--unit", "day"], "person, slot"),
        ([*AREA, "--from", "2024-03-04"], "--days"),
        ([*AREA, "--days", "2"], "State the first day"),
        ([*PERIOD], "no antenna table"),
        ([*PERIOD, "--places", "grid"], "area stated"),
        ([*PERIOD, "--places", "towers"], "antennas, grid"),
        ([*PERIOD, "--area", "1,2,3"], "cannot be read"),
        ([*PERIOD, "--area", "14.9,-17.6,14.6,-17.2"], "area is empty"),
        ([*AREA, "--from", "4 March", "--days", "2"], "2024-03-04"),
        ([*PERIOD, *AREA, "--private", "0", *ZONE], "epsilon"),
        ([*PERIOD, *AREA, "--slot-min", "7"], "slot_min"),
        ([*PERIOD, *AREA, "--format", "xlsx"], "csv, parquet"),
        ([*PERIOD, *AREA, "--out", "counts.csv"], "end it in .zip"),
        ([*PERIOD, *AREA, "--out", "no/counts.zip"], "folder does not exist"),
    ],
)
def test_what_it_refuses(people: Path, tmp_path: Path, options: list[str], words: str) -> None:
    assert words in refused("counts", people, "--out", tmp_path / "counts.zip", *options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("places", ["area", "antennas"])
def test_private_counts_of_neighbouring_files_are_read_alike(
    places: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person more, whose record moves the middle of the data: it changes one count by 1.

    100 records lie south of 14.695° north and 100 north of it, so that the one more moves the
    median from 14.69 to 14.70. Without its noise, each table is what the noise is laid on.
    """
    monkeypatch.setattr(counts_release, "dp_counts", lambda counts, *_, **__: counts)
    rng = np.random.default_rng(1)
    lines = [
        f"p{i % 40},2024-03-04T{i % 24:02d}:05Z,"
        f"{14.695 + (1 if i % 2 else -1) * rng.uniform(0.0001, 0.004):.6f},"
        f"{-17.445 + rng.uniform(-0.004, 0.004):.6f}"
        for i in range(200)
    ]
    towers = tmp_path / "towers.csv"
    at = np.ndindex(8, 8)
    grid = [f"{i}-{j},{14.69 + i / 700:.6f},{-17.45 + j / 700:.6f}" for i, j in at]
    towers.write_text("\n".join(["antenna,lat,lon", *grid]))
    where = ["--antennas", towers]
    if places == "area":
        where = ["--area", "14.68,-17.46,14.71,-17.43", "--side-m", 300]
    options = [*where, "--from", "2024-03-04", "--days", 1, "--slot-min", 60, *ZONE]
    tables, middles = [], []
    for more in ([], ["more,2024-03-04T10:05Z,14.695300,-17.440000"]):
        file, out = tmp_path / "events.csv", tmp_path / "counts.zip"
        file.write_text("\n".join(["user,time,lat,lon", *lines, *more]))
        said_by("counts", file, *options, "--recorded-only", "--private", 1, "--out", out)
        with zipfile.ZipFile(out) as packed, packed.open("counts.csv") as table:
            tables.append(pd.read_csv(table))
        middles.append(read_cdr(file)[0].crs)
    assert middles[0] != middles[1]
    if places == "antennas":
        asked = [*options, "--positions", "exchanged", "--private", 1, "--out", out]
        assert "correct the positions in the files themselves" in refused("counts", file, *asked)
    one, other = tables
    assert one[["start", "place"]].equals(other[["start", "place"]])
    assert int((one["people"] - other["people"]).abs().sum()) == 1
