"""Counts to be published: what is in the zip, and what must not be."""

import datetime as dt
import hashlib
import io
import json
import re
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.projection import equal_area_around
from fpanon_core.studies import counts_release
from fpanon_core.studies.counts_release import Config
from fpanon_core.studies.framing import frame_for, frame_of_data
from tests.support.refusals import check_refused
from tests.support.releases import members_of

CRS = "+proj=laea +lat_0=14.69 +lon_0=-17.41 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
CLOCK = fp.LocalClock(dt.datetime(2024, 3, 4, tzinfo=dt.UTC), "Africa/Dakar")
AREA = fp.StatedArea(14.68, -17.42, 14.72, -17.38)
PERIOD = fp.StatedPeriod(dt.date(2024, 3, 4), 2, 60)
FRAME = fp.FrameConfig(PERIOD, "grid", AREA, 1_000)


@pytest.fixture(scope="module")
def crowd() -> fp.FingerprintSet:
    """137 marked people, at one of four places at a time, over three days; 4 are far away."""
    rng = np.random.default_rng(5)
    user = np.repeat([f"marked-{u:03d}" for u in range(137)], 20)
    x, y = rng.integers(0, 2, (2, len(user))) * 1_500.0
    x[user >= "marked-133"] = 90_000
    fs = fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 3 * 1_440, len(user)))
    return replace(fs, clock=CLOCK, crs=equal_area_around(14.69, -17.41, stated=True))


def unpacked(made: counts_release.Result, ending: str = "csv") -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(made.package(ending))) as packed:
        assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in packed.infolist())
    return members_of(made.package(ending))


@pytest.mark.parametrize(
    ("form", "ending"), [("plain", "csv"), ("suppressed", "parquet"), ("private", "csv")]
)
def test_the_package_describes_the_very_bytes_in_it(crowd, form, ending):
    made = counts_release.study(crowd, Config(FRAME, form, below=8))
    files = unpacked(made, ending)
    assert set(files) == {"README.md", "datapackage.json", f"counts.{ending}", "places.csv"}
    described = json.loads(files["datapackage.json"])
    readme = files["README.md"].decode()
    for resource in described["resources"]:
        content = files[resource["path"]]
        digest = hashlib.sha256(content).hexdigest()
        assert resource["hash"] == f"sha256:{digest}"
        assert digest in readme
        assert resource["bytes"] == len(content)
        read = pd.read_csv if resource["format"] == "csv" else pd.read_parquet
        table = read(io.BytesIO(content))
        assert list(table) == [field["name"] for field in resource["schema"]["fields"]]
        assert f"{len(table):,} rows" in readme
    about = described["fpanon"]
    assert (about["form"], about["first_day"], about["days"]) == (form, "2024-03-04", 2)
    assert about["timezone"] == "Africa/Dakar"
    assert (about["privacy"] is None) == (form != "private")
    assert made.package(ending) == made.package(ending)


@pytest.mark.parametrize("form", ["suppressed", "private"])
def test_nothing_in_it_tells_of_the_input(crowd, form):
    """No id, no digest, no path; and no exact number, which would undo what protects the counts."""
    config = Config(FRAME, form, below=8, epsilon=0.5)
    made = counts_release.study(crowd, config)
    assert made.people == 133
    assert made.left_out.people == 4
    assert made.left_out.outside_area == 4 * 20
    assert made.left_out.outside_period > 0
    files = unpacked(made)
    told = (files["README.md"] + files["datapackage.json"]).decode()
    every = b"".join(files.values()).decode()
    assert "marked" not in every
    assert crowd.digest not in every
    assert CRS not in every, "the projection of the data"
    for exact in (133, 137, made.left_out.outside_period, made.left_out.outside_area):
        assert f" {exact:,} " not in told
        assert f": {exact}," not in told


def test_small_counts_are_blank_and_so_are_zeros(crowd):
    made = counts_release.study(crowd, Config(FRAME, "suppressed", below=30))
    exact, _ = fp.aggregate_counts(crowd, frame=frame_for(crowd, FRAME))
    table = made.to_frame()
    assert table["people"].min() >= 30
    assert len(table) == (exact.counts >= 30).sum()
    assert 0 < made.blank == ((exact.counts > 0) & (exact.counts < 30)).sum()
    hidden = exact.counts[exact.counts < 30].sum()
    assert made.blank_share == pytest.approx(hidden / exact.counts.sum())
    # Who knows that 133 are in each slot subtracts what is published.
    left = 133 - np.where(exact.counts >= 30, exact.counts, 0).sum(axis=1)
    assert made.subtractable == ((left > 0) & (left < 30)).sum()
    readme = unpacked(made)["README.md"].decode()
    assert "fewer than 30 people were counted, perhaps nobody" in readme
    assert "One way is to subtract counts from the number of" in readme
    none = unpacked(counts_release.study(crowd, Config(FRAME, "suppressed", below=1_000)))
    assert none["counts.csv"].decode().split() == ["start,place,people"]


def test_plain_counts_add_up_to_those_counted(crowd):
    made = counts_release.study(crowd, Config(FRAME))
    table = made.to_frame()
    assert table.groupby("start")["people"].sum().tolist() == [133] * 48
    assert str(table["start"].iloc[0]) == "2024-03-04 00:00:00+00:00"
    seen = counts_release.study(crowd, Config(FRAME, filled_in=False)).counts.totals
    assert 0 < seen.max() < 133
    # In parts of any size the same.
    exact, _ = fp.aggregate_counts(crowd, frame=frame_for(crowd, FRAME))
    np.testing.assert_array_equal(made.counts.counts, exact.counts)


def test_private_counts_have_every_place_and_slot_and_are_drawn_anew(crowd):
    config = Config(FRAME, "private", filled_in=False, unit="user-slot")
    made, again = (counts_release.study(crowd, config) for _ in range(2))
    assert len(made.to_frame()) == made.frame.n_places * 48
    assert (made.counts.counts != again.counts.counts).any()
    assert (made.counts.counts < 0).any()
    readme = unpacked(made)["README.md"].decode()
    assert "ε = 1 for a person's records within one slot" in readme
    assert "in the 48 slots together, ε = 48" in readme
    assert "add up" in readme
    assert "Moving a record to another slot changes two slots" in readme
    whole = counts_release.study(crowd, Config(FRAME, "private", epsilon=2.4))
    assert "ε = 2.4 for all of a person's records" in whole.readme()
    assert "ε = 0.05" in whole.readme()
    # The shape of a private table says nothing of the records: there may be nobody in the frame.
    far = replace(FRAME, area=fp.StatedArea(15.68, -17.42, 15.72, -17.38))
    empty = counts_release.study(crowd, Config(far, "private"))
    assert (empty.people, len(empty.to_frame())) == (0, empty.frame.n_places * 48)


def test_what_cannot_be_made(crowd):
    """What else is refused, ``tests/cli/test_counts.py`` asks of the command."""
    with pytest.raises(fp.ConfigError, match="one record decides many slots"):
        Config(FRAME, "private", unit="user-slot")
    check_refused(partial(Config, FRAME), form=["secret"], below=[1], epsilon=[0.0], unit=["day"])
    with pytest.raises(fp.ConfigError, match="An area is for a grid"):
        fp.FrameConfig(PERIOD, area=AREA)
    metres = replace(FRAME, area=fp.StatedArea(0, 0, 5_000, 5_000, "metres"))
    derived = replace(crowd, crs=CRS)
    for fs, config in (
        (crowd, Config(metres)),
        (crowd, Config(metres, "private")),
        (derived, Config(FRAME, "suppressed")),
    ):
        assert counts_release.study(fs, config).people > 0
    towers = fp.Antennas([0, 900], [0, 900], lon=[-17.42, -17.41], lat=[14.69, 14.7])
    for fs, frame, said in (
        (derived, metres, "State the area of private counts in degrees"),
        (derived, FRAME, "centre=(14.7, -17.4)), the middle of the area"),
        (
            replace(derived, antennas=towers),
            fp.FrameConfig(PERIOD),
            "centre=(14.69, -17.42)), the middle of the antenna",
        ),
    ):
        with pytest.raises(fp.ConfigError, match=re.escape(said)):
            counts_release.study(fs, Config(frame, "private"))
    fine = replace(FRAME, side_m=10.0, period=replace(PERIOD, days=60))
    with pytest.raises(fp.InfeasibleError, match="choose larger or fewer places"):
        counts_release.study(crowd, Config(fine))


def test_a_frame_for_trying_holds_all_data(crowd):
    frame = frame_of_data(crowd, 60, 5_000)
    counts, truth = fp.aggregate_counts(crowd, frame=frame)
    assert (truth >= 0).all()
    assert (counts.n_slots, frame.first_day) == (72, dt.date(2024, 3, 4))
    without = replace(crowd, clock=None)
    assert (fp.aggregate_counts(without, frame=frame_of_data(without, 60, 5_000))[1] >= 0).all()
