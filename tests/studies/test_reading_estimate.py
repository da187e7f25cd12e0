"""Rows and memory of a reading, told before it; and what does not fit is not begun."""

import gzip

import pytest

import fpanon_core as fp
from fpanon_core.engines.limits import MEMORY_VARIABLE
from fpanon_core.studies import reading
from fpanon_core.studies.reading import (
    Reading,
    Source,
    estimate_reading,
    is_large,
    needed_for,
    needed_for_parts,
)
from fpanon_core.tables.heads import Head

# Kind, MB of the file and decoded, rows, and MB at the peak (tests/benchmarks/reading_estimates.py,
# 23 November 2026). Narrow: 4 columns of numbers. Long: ids of 64 letters. Wide: 16 columns.
MEASURED = {
    "narrow CSV": [("text", 131, 131, 3_000_000, 1_103), ("text", 533, 533, 12_000_000, 2_930)],
    "long CSV": [("text", 329, 329, 3_000_000, 1_566), ("text", 1_317, 1_317, 12_000_000, 4_141)],
    "wide CSV": [("text", 697, 697, 3_000_000, 2_129)],
    "wide CSV, gz": [("text", 292, 697, 3_000_000, 2_421)],
    "narrow Parquet": [("Parquet", 38, 96, 3_000_000, 958)],
    "narrow Parquet, 12 million": [("Parquet", 154, 390, 12_000_000, 2_269)],
    "wide Parquet": [("Parquet", 374, 771, 3_000_000, 1_794)],
    "JSON lines": [("JSON", 4, 4, 60_000, 196), ("JSON", 23, 23, 300_000, 477)],
    "wide JSON": [("JSON", 20, 20, 60_000, 343), ("JSON", 100, 100, 300_000, 1_310)],
    "XLSX": [("XLSX", 2, 12, 60_000, 213), ("XLSX", 10, 60, 300_000, 307)],
    "wide XLSX": [("XLSX", 10, 50, 60_000, 231), ("XLSX", 49, 250, 300_000, 628)],
}
# Parts of a million rows: rows in all, bytes a row as decoded, MB.
PARTS = {
    "narrow Parquet": ("Parquet", 32, {2: 585, 8: 1_038, 24: 1_391}),
    "long Parquet": ("Parquet", 99, {2: 973, 8: 1_477}),
    "narrow CSV": ("text", 44, {2: 717, 8: 1_154}),
    "long CSV": ("text", 110, {2: 1_055}),
}


@pytest.mark.parametrize("name", MEASURED)
def test_memory_is_estimated_within_a_factor_of_one_and_a_half(name):
    for kind, packed, decoded, rows, measured in MEASURED[name]:
        told = needed_for(Head(kind, packed * 10**6, decoded * 10**6, rows)) / 1e6
        assert measured / 1.5 < told < measured * 1.5, (rows, told)


@pytest.mark.parametrize("name", PARTS)
def test_so_is_that_of_parts(name):
    kind, wide, measured = PARTS[name]
    for millions, most in measured.items():
        part = Head(kind, wide * 10**6, wide * 10**6, 10**6)
        told = needed_for_parts(millions * [part]) / 1e6
        assert most / 1.5 < told < most * 1.5, (millions, told)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    frame = fp.generate_cdr(300, days=3, seed=1)
    (place / "parts").mkdir()
    half = len(frame) // 2
    frame[:half].to_parquet(place / "parts" / "1.parquet")
    frame[half:].to_parquet(place / "parts" / "2.parquet")
    frame.to_parquet(place / "events.parquet")
    frame.to_csv(place / "events.csv", index=False)
    (place / "events.csv.gz").write_bytes(gzip.compress((place / "events.csv").read_bytes()))
    return place


def source(path):
    return Source(path.name, file=(path.name, path))


@pytest.mark.parametrize("name", ["parts", "events.parquet", "events.csv", "events.csv.gz"])
def test_rows_and_memory_are_told(folder, name):
    rows = fp.generate_cdr(300, days=3, seed=1).shape[0]
    told = estimate_reading(source(folder / name))
    assert told.rows == pytest.approx(rows, rel=0.05)
    assert told.fits
    assert f"about {told.rows_rounded:,} rows: about" in str(told)


def test_nothing_is_known_of_what_cannot_be_read(tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "none").mkdir()
    files = [source(tmp_path / name) for name in ("empty.csv", "none", "not there.csv")]
    for one in (Source.of_sample("synthetic"), *files):
        told = estimate_reading(one)
        assert (told.rows, told.needs_bytes, told.fits) == (None, None, True)


@pytest.mark.parametrize("name", ["events.parquet", "events.csv"])
@pytest.mark.parametrize("read", [reading.read, reading.read_or_ask])
def test_a_table_that_does_not_fit_is_not_begun(folder, name, read, monkeypatch):
    monkeypatch.setenv(MEMORY_VARIABLE, "0.1")
    monkeypatch.setattr(reading, "read_cdr", lambda *_, **__: pytest.fail("it was begun"))
    with pytest.raises(fp.InfeasibleError, match=r"would need about 2\d\d MB") as refused:
        read(source(folder / name), Reading())
    assert "fpanon ingest FOLDER --keep NEW_FOLDER" in str(refused.value)
    body = (folder / name).read_bytes()
    with pytest.raises(fp.InfeasibleError):
        read(Source("upload", file=(name, body)), Reading())


def test_parquet_that_fits_in_pieces_is_told_so(folder, monkeypatch):
    monkeypatch.setattr(reading, "LARGE_BYTES", 0)
    large = Head("Parquet", 10**9, 10 * 10**9, 100_000_000)
    assert needed_for(large) > 30e9
    assert needed_for_parts([large]) < 4e9
    assert is_large(source(folder / "parts"))
    assert not is_large(source(folder / "parts"), in_parts=False)
    assert not is_large(Source.of_sample("synthetic"))


def test_parts_that_do_not_fit_are_not_begun(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(MEMORY_VARIABLE, "0.1")
    with pytest.raises(fp.InfeasibleError, match="by an estimate"):
        reading.read(source(folder / "parts"), Reading(), keep=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
