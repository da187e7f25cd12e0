"""What somebody hides in a package of synthetic people is refused by name; honest ones pass."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.model.options import step_from_dict
from fpanon_core.model.projection import equal_area_around
from fpanon_core.studies import synthetic_package
from fpanon_core.studies.synthetic_package import package, verify_people
from tests.support.releases import members_of
from tests.support.stated_frames import FRAME, crowd


@pytest.fixture(scope="module")
def honest() -> dict[str, bytes]:
    made = fp.synthesize(crowd(), FRAME, epsilon=1, people=40)
    return {ending: package(made, ending) for ending in ("csv", "parquet")}


def zipped(content: dict[str, bytes], comment: bytes = b"") -> bytes:
    """As fpanon zips: without times, in this order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        packed.comment = comment
        for name, body in content.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o600 << 16
            packed.writestr(entry, body)
    return out.getvalue()


def changed(name: str, change: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], None]:
    def of(content: dict[str, bytes]) -> None:
        before = content[name]
        content[name] = change(before)
        assert content[name] != before

    return of


def facts(**other: Any) -> Callable[[dict[str, bytes]], None]:
    """Other facts, written as fpanon writes them."""

    def of(body: bytes) -> bytes:
        plain = json.loads(body)
        plain["fpanon"] |= other
        return (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode()

    return changed("datapackage.json", of)


def lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[dict[str, bytes]], None]:
    return changed("records.csv", lambda body: b"\n".join(change(body.split(b"\n"))))


def each_row(change: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], None]:
    return lines(lambda rows: [rows[0], *(change(row) for row in rows[1:-1]), rows[-1]])


def with_metadata(content: dict[str, bytes]) -> None:
    table = parquet.read_table(pa.BufferReader(content["records.parquet"]))
    out = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({"note": "anna lives in 5"}), out)
    content["records.parquet"] = out.getvalue()


JSON, README, CSV = "datapackage.json", "README.md", "records.csv"
AREAS = "areas.geojson"
CONTRABAND: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "another file": (lambda c: c.update({"key.csv": b"1,anna\n"}), "'key.csv' should not be"),
    "another column": (each_row(lambda row: row + b",anna"), "numbered from 1"),
    "a named column": (lines(lambda rows: [row + b",x" for row in rows[:-1]] + [b""]), "columns"),
    "spaces in JSON": (changed(JSON, lambda b: b + b" \n"), "datapackage.json is not"),
    "a key twice": (
        changed(JSON, lambda b: b.replace(b'"name":', b'"name": "anna",\n "name":', 1)),
        "datapackage.json is not",
    ),
    "an unknown fact": (facts(exact=399), "datapackage.json is not"),
    "zero width in the README": (
        changed(README, lambda b: b.replace(b"nobody", "no\u200bbody".encode(), 1)),
        "README.md is not",
    ),
    "zero width in a place": (each_row(lambda row: row + "\u200b".encode()), "outside"),
    "zero width in a person": (each_row(lambda row: "\u200b".encode() + row), "damaged"),
    "another order": (lines(lambda rows: [rows[0], *rows[2:-1], rows[1], b""]), "numbered from 1"),
    "1.0": (each_row(lambda row: row.replace(b",", b".0,", 1)), "records.csv is not"),
    "+1": (each_row(lambda row: b"+" + row), "records.csv is not"),
    "a space": (each_row(lambda row: b" " + row), "records.csv is not"),
    "01": (each_row(lambda row: b"0" + row), "records.csv is not"),
    "quotes": (each_row(lambda row: b'"' + row.replace(b",", b'",', 1)), "records.csv is not"),
    "CRLF": (changed(CSV, lambda b: b.replace(b"\n", b"\r\n")), "records.csv is not"),
    "a mark of byte order": (changed(CSV, lambda b: b"\xef\xbb\xbf" + b), "records.csv is not"),
    "more people than there are": (facts(people=10**12), "number of people"),
    "another number of people": (facts(people=77), "README.md is not"),
    "another number of groups": (facts(groups=7), "number of groups"),
    "people as a text": (facts(people="400"), "number of people"),
    "another zone": (facts(timezone="Africa/Dakar"), "datapackage.json is not"),
    "other shares of ε": (facts(shares={"people": 1.0}), "datapackage.json is not"),
    "a person more": (changed(CSV, lambda b: b + b"9999,5,1\n"), "numbered from 1"),
    "a minute outside": (changed(CSV, lambda b: b + b"40,99999,1\n"), "outside the stated days"),
    "a place more": (changed("places.csv", lambda b: b + b"401,0,0\n"), "places.csv is not"),
    "a number to call": (changed(README, lambda b: b + b"Call 070 123."), "README.md is not"),
    "another ε": (changed(JSON, lambda b: b.replace(b'": 1.0', b'": 0.1')), "README.md is not"),
    "another ε to read": (changed(README, lambda b: b.replace(b"= 1 ", b"= 9 ")), "README.md is"),
    "another area": (changed(AREAS, lambda b: b + b" "), "areas.geojson is not"),
    "one person less": (
        lambda c: c.update(
            {CSV: b"\n".join(r for r in c[CSV].split(b"\n") if not r.startswith(b"40,"))}
        ),
        "not belong to 40 people",
    ),
}


@pytest.mark.parametrize("what", CONTRABAND)
def test_contraband_is_refused_by_name(honest, what: str) -> None:
    smuggle, named = CONTRABAND[what]
    content = members_of(honest["csv"])
    assert zipped(content) == honest["csv"], "but for what is smuggled it is as fpanon writes it"
    smuggle(content)
    found = verify_people(zipped(content), crowd())
    assert not found.passed
    assert named in " ".join(found.violations["text"])


def test_a_comment_in_json_makes_it_no_package(honest) -> None:
    content = members_of(honest["csv"])
    content[JSON] = content[JSON].replace(b"{", b"{/* anna */", 1)
    with pytest.raises(fp.SchemaError, match="no release of synthetic people"):
        verify_people(zipped(content), crowd())


def test_contraband_of_zips_parquet_and_folders(honest, tmp_path: Path) -> None:
    content = members_of(honest["csv"])
    found = [
        verify_people(zipped(content, b"anna"), crowd()),
        verify_people(honest["csv"] + b"anna", crowd()),
        verify_people(zipped(dict(reversed(content.items()))), crowd()),
    ]
    for each in found:
        assert "The zip is not what" in " ".join(each.violations["text"])
    noted = members_of(honest["parquet"])
    with_metadata(noted)
    told = verify_people(zipped(noted), crowd())
    assert "records.parquet is not" in " ".join(told.violations["text"])
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, body in content.items():
        (folder / name).write_bytes(body)
    assert verify_people(folder, crowd()).passed
    (folder / "more").mkdir()
    with pytest.raises(fp.SchemaError, match="cannot be read"):
        verify_people(folder, crowd())
    (folder / "more").rmdir()
    os.mkfifo(folder / "pipe")
    with pytest.raises(fp.SchemaError, match="cannot be read"):
        verify_people(folder, crowd())
    (folder / "pipe").unlink()
    (tmp_path / "records.csv").write_bytes(content[CSV])
    (folder / CSV).unlink()
    (folder / CSV).symlink_to(tmp_path / "records.csv")
    with pytest.raises(fp.SchemaError, match="cannot be read"):
        verify_people(folder, crowd())


def test_a_real_persons_records_cannot_be_told_from_made_up_ones(honest) -> None:
    """By design, as docs/science.md says: in form they are the same, and nothing else is there."""
    content = members_of(honest["csv"])
    rows = content[CSV].decode().splitlines()
    made = [row for row in rows if not row.startswith("40,")] + ["40,61,1", "40,600,5"]
    made_table = pd.read_csv(io.StringIO("\n".join(made)), dtype={"place": str})
    told = json.loads(content[JSON])["fpanon"]
    option = step_from_dict(told["option"])
    learnt = told["people"], told["groups"]
    forged = synthetic_package._packed(
        option, table_frame(crowd(), option.frame), made_table, learnt, "csv"
    )
    assert verify_people(forged, crowd()).passed


# --- honest ones ---------------------------------------------------------------------------------

DAYS = fp.StatedPeriod(dt.date(2024, 3, 28), 6, timezone="Europe/Paris")  # over a change of clocks
AUTUMN = fp.StatedPeriod(dt.date(2024, 10, 26), 3, timezone="Europe/Paris")


def in_degrees(lat: float, lon: float, n: int, zone: str = "Europe/Paris") -> fp.FingerprintSet:
    """People round a point, on a stated projection, with a calendar."""
    fs = crowd(n)
    clock = fp.LocalClock(dt.datetime(2024, 3, 27, 23, tzinfo=dt.UTC), zone)
    x, y = fs.x_m - 1_500, fs.y_m - 1_500
    fs = replace(fs, x_m=x, y_m=y, clock=clock, crs=equal_area_around(lat, lon, stated=True))
    antennas = fp.Antennas(*(np.random.default_rng(1).integers(-15, 15, (2, 12)) * 100.0))
    return replace(fs, antennas=antennas)


def frames(lat: float, lon: float, period: fp.StatedPeriod) -> list[fp.FrameConfig]:
    area = fp.StatedArea(lat - 0.01, lon - 0.02, lat + 0.01, lon + 0.02)
    return [
        fp.FrameConfig(period),
        fp.FrameConfig(period, "grid", area, 700),
        fp.FrameConfig(period, "grid", area, 50_000),
        fp.FrameConfig(period, "grid", fp.StatedArea(-900, -900, 900, 900, "metres"), 600),
        *([fp.FrameConfig(period, "hexagons", area, resolution=8)] if lon < 179 else []),
    ]


@pytest.mark.parametrize("period", [DAYS, AUTUMN], ids=["spring", "autumn"])
@pytest.mark.parametrize(
    ("lat", "lon", "n"), [(48.85, 2.35, 120), (-17.0, 179.995, 60), (48.85, 2.35, 1)]
)
def test_honest_packages_of_degrees_pass(lat: float, lon: float, n: int, period) -> None:
    fs = in_degrees(lat, lon, n)
    for frame in frames(lat, lon, period):
        made = fp.synthesize(fs, frame, epsilon=5, people=80)
        assert made.people.n_users == 80
        for ending in ("csv", "parquet"):
            archive = package(made, ending)
            found = verify_people(archive, fs)
            assert found.passed, (frame, found)
        table = pd.read_csv(io.BytesIO(members_of(package(made))[CSV]))
        # Each local time exists: spring has none from 02:00 to 03:00.
        pd.to_datetime(table["time"]).dt.tz_localize("Europe/Paris", ambiguous=True)


@pytest.mark.parametrize("epsilon", [0.001, 100.0])
@pytest.mark.parametrize(
    ("days", "side_m", "n"), [(1, 1_000, 30), (9, 5_000, 30), (9, 1_000, 1), (400, 200, 30)]
)
def test_honest_packages_of_odd_data_pass(days: int, side_m: float, n: int, epsilon: float) -> None:
    frame = fp.FrameConfig(fp.StatedPeriod(None, days), "grid", FRAME.area, side_m)
    made = fp.synthesize(crowd(n), frame, epsilon=epsilon, people=30)
    for ending in ("csv", "parquet"):
        assert verify_people(package(made, ending), crowd(n)).passed


def test_of_very_many_people_the_first_are_packed(monkeypatch) -> None:
    made = fp.synthesize(crowd(), FRAME, epsilon=1, people=400)
    most = len(made.place) // 2
    monkeypatch.setattr(synthetic_package, "MOST_PUBLISHED", most)
    archive = package(made)
    assert verify_people(archive, crowd()).passed
    records = pd.read_csv(io.BytesIO(members_of(archive)["records.csv"]))
    last = int(records["person"].iloc[-1])
    assert len(records) == made.offsets[last] <= most < made.offsets[last + 1]
    assert last == synthetic_package.people_packed(made)
    assert b"Divide sums by" in members_of(archive)["README.md"]


def test_a_large_epsilon_says_so() -> None:
    option = fp.Synthesize(FRAME, 5.0)
    said = synthetic_package.describe_warnings(option, 10_000, 9)
    assert said == ["At this ε, an attacker may be right about who is in the data 99% of the time."]
    assert not synthetic_package.describe_warnings(replace(option, epsilon=1.0), 10_000, 9)
