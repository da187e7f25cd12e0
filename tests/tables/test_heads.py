"""The first rows of a table tell of all of it; what cannot be understood tells nothing."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from fpanon_core.tables import heads
from fpanon_core.tables.heads import head_of, heads_of

ROWS = 60_000


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """So little is looked at that a small table has more."""
    monkeypatch.setattr(heads, "_LOOKED_AT", 2_000_000)
    monkeypatch.setattr(heads, "_ROWS", 4_096)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "user": [f"subscriber-{u:05d}" for u in rng.integers(0, 300, ROWS)],
            "time": pd.date_range("2024-03-04", periods=ROWS, freq="s", tz="UTC").astype(str),
            "lat": rng.normal(14.7, 0.05, ROWS).round(5),
            "lon": rng.normal(-17.4, 0.05, ROWS).round(5),
        }
    )


def text(frame):
    return frame.to_csv(index=False).encode()


def packed(frame):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("events.csv", text(frame))
    return body.getvalue()


def lines(frame):
    return frame.to_json(orient="records", lines=True).encode()


def parquet(frame):
    body = io.BytesIO()
    frame.to_parquet(body, index=False, row_group_size=3_000)
    return body.getvalue()


@pytest.mark.parametrize(
    ("write", "kind", "decoded"),
    [
        (text, "text", lambda f: len(text(f))),
        (lambda f: gzip.compress(text(f)), "text", lambda f: len(text(f))),
        (packed, "text", lambda f: len(text(f))),
        (lines, "JSON", lambda f: len(lines(f))),
        # Texts have a number of 8 bytes each to where they end; times are texts here.
        (parquet, "Parquet", lambda _: ROWS * (16 + 8 + 25 + 8 + 8 + 8)),
    ],
    ids=["text", "gzip", "zip", "JSON lines", "Parquet"],
)
def test_rows_and_size_are_carried_on_from_the_beginning(frame, write, kind, decoded):
    body = write(frame)
    head = head_of(io.BytesIO(body))
    assert (head.kind, head.packed_bytes) == (kind, len(body))
    assert head.rows == pytest.approx(ROWS, rel=0.1)
    assert head.decoded_bytes == pytest.approx(decoded(frame), rel=0.1)


def test_a_short_table_is_all_its_head_and_a_workbook_tells_its_size_alone(frame):
    whole = text(frame[:50])
    head = head_of(io.BytesIO(whole))
    assert (head.decoded_bytes, head.rows) == (len(whole), 51)  # and its header
    body = io.BytesIO()
    frame[:2_000].to_excel(body, index=False)
    head = head_of(body)
    assert (head.kind, head.rows) == ("XLSX", 0)
    with zipfile.ZipFile(body) as archive:
        assert head.decoded_bytes == archive.getinfo("xl/worksheets/sheet1.xml").file_size


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"PAR1 and nothing of the kind", b"\x1f\x8b\x08", b"PK\x03\x04 cut short"),
        *(b"\x00\x01\x02\x03" * 900, gzip.compress(gzip.compress(b"user,time\n"))),
    ],
    # Not by their bytes: in a gzip is the time at which it was made, and workers beside each other
    # have to find the same tests.
    ids=["empty", "Parquet", "gzip", "zip", "binary", "gzip in gzip"],
)
def test_what_cannot_be_understood_tells_nothing(body):
    assert head_of(io.BytesIO(body)) is None


def test_rows_of_wide_text_are_told_all_the_same(frame):
    wide = head_of(io.BytesIO(text(frame).decode().encode("utf-16")))
    assert wide.rows == pytest.approx(ROWS, rel=0.05)


def test_of_many_files_some_are_looked_at(tmp_path, frame, monkeypatch):
    paths = [tmp_path / f"{i:02d}.csv" for i in range(30)]
    for i, path in enumerate(paths):
        path.write_bytes(text(frame[: 200 + 10 * i]))
    looked = []
    monkeypatch.setattr(heads, "head_of", lambda file: looked.append(1) or head_of(file))
    found = heads_of(paths)
    assert len(looked) == 8
    assert len(found) == 30
    assert sum(head.rows for head in found) == pytest.approx(sum(range(200, 500, 10)), rel=0.05)
    assert heads_of([]) == heads_of([tmp_path / "not there.csv"]) == []
