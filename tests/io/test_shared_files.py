"""The real files beside the repository, read as they are; skipped where they are not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fpanon_core.io.antennas import read_antennas
from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.errors import SchemaError

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
RAW = DATA / "raw"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")


@pytest.mark.parametrize(
    ("name", "rows", "samples", "identical", "users", "zone"),
    [
        ("sf_cabs_20080608_cdr.csv.gz", 29_317, 29_175, 0, 496, "America/Los_Angeles"),
        ("sf_cabs_20080608.csv.gz", 240_280, 234_490, 0, 496, "America/Los_Angeles"),
        ("gotrack_aracaju.csv.gz", 18_107, 7_051, 2, 28, "America/Maceio"),
        ("gowalla_nyc.csv.gz", 138_951, 134_177, 0, 7_115, "America/New_York"),
        ("raw/gowalla_events.csv.gz", 138_957, 134_177, 6, 7_115, "America/New_York"),
        ("raw/cabs_dataset_20080608.parquet", 240_280, 234_490, 0, 496, "America/Los_Angeles"),
    ],
)
def test_files_read_as_they_are(name, rows, samples, identical, users, zone):
    fs, report = read_cdr(DATA / name)
    assert (report.rows_read, report.rows_used, fs.n_users) == (rows, rows, users)
    assert (report.n_samples, report.rows_identical) == (samples, identical)
    assert report.set_aside == {}
    assert report.timezone == zone
    assert report.doubts == ()  # real coasts are not asked about
    assert fs.count.sum() == rows


def test_gotrack_needs_its_two_tables_joined():
    with pytest.raises(SchemaError, match="user"):
        read_cdr(RAW / "go_track_trackspoints.csv")
    with pytest.raises(SchemaError, match=r"time.*position"):
        read_cdr(RAW / "go_track_tracks.csv")
    points = pd.read_csv(RAW / "go_track_trackspoints.csv")
    tracks = pd.read_csv(RAW / "go_track_tracks.csv")
    fs, report = read_cdr(points.merge(tracks, left_on="track_id", right_on="id"))
    tidy, _ = read_cdr(DATA / "gotrack_aracaju.csv.gz")
    assert report.columns["user"] == "id_android"
    assert np.array_equal(fs.t_min, tidy.t_min)
    assert np.array_equal(fs.x_m, tidy.x_m)


def test_antenna_tables():
    for name in ("raw/cell_towers_san_francisco.csv", "sf_antennas_opencellid.csv"):
        with pytest.raises(SchemaError, match="antennas="):
            read_cdr(DATA / name)
    towers = read_antennas(RAW / "cell_towers_san_francisco.csv")
    assert len(towers) == 1_999
    assert towers["antenna"].is_unique
    assert len(read_antennas(DATA / "sf_antennas_opencellid.csv")) == 549
