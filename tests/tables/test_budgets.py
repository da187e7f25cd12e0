"""Files that are small and mean harm: refused before they are made, by what they would become."""

import gzip
import io
import json
import random
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpanon_core as fp
from fpanon_core.anonymize.chain import release
from fpanon_core.model import budgets
from fpanon_core.model.budgets import Budget
from fpanon_core.model.errors import OutOfMemory, Unforeseen, only_ours
from fpanon_core.studies.publishing import publish
from fpanon_core.tables import delimited, parquet, sources
from fpanon_core.tables.sources import read_source
from fpanon_core.verification.release import verify_release
from tests.tables.test_workbook import rows

SMALL = 200_000


def runs(n, **columns):
    """Parquet of n equal rows: a few bytes for each run."""
    table = {
        name: pa.array([value]).take(pa.array(np.zeros(n, int))) for name, value in columns.items()
    }
    out = io.BytesIO()
    pq.write_table(pa.table(table), out, row_group_size=n)
    return out.getvalue()


def wide(n):
    return (",".join(f"c{i}" for i in range(n)) + "\n" + ",".join("1" * n) + "\n").encode()


EVENT = {"user": "a", "time": 1_709_546_400, "lat": 14.7, "lon": -17.4}


def numbered(n):
    return {f"n{i}": 1 for i in range(n)}


def geojson(records):
    point = {"type": "Point", "coordinates": [1, 2]}
    features = [{"type": "Feature", "properties": each, "geometry": point} for each in records]
    return {"type": "FeatureCollection", "features": features}


FEW_NAMED = [numbered(900)] + [{}] * 200
LAST = '<row r="{0}"><c r="XFD{0}"><v>1</v></c></row>'
BOMBS = {
    "cells in the last column": (lambda: rows(LAST.format(1)), "1,000 columns"),
    "a row numbered 10^11": (lambda: rows(LAST.format(10**11)), "beyond the 1,048,576th"),
    "a row numbered 1e11": (lambda: rows('<row r="1e11"/>'), "beyond the 1,048,576th"),
    "wide rows": (lambda: rows('<row><c r="ALL1"><v>1</v></c></row>' * 101), "100,000 fields"),
    "elements of no use": (lambda: rows("<z/>" * 410_000), "100,000 fields"),
    "equal rows": (lambda: runs(3_000_000, **EVENT), "unpacks to more"),
    "equal rows of nothing": (lambda: runs(3_000_000, user=None), "unpacks to more"),
    "one long text, often": (lambda: runs(100_000, **EVENT | {"user": "a" * 1_000}), "unpacks"),
    "10,000 columns": (lambda: wide(10_000), "1,000 columns"),
    "many empty lists": (lambda: gzip.compress(b"[" + b"[]," * 100_000 + b"[]]"), "100,000 fields"),
    "gz": (lambda: gzip.compress(b"0" * (1 << 25)), "unpacks to more"),
    "gz in gz": (lambda: gzip.compress(gzip.compress(b"0" * (1 << 25))), "unpacks to more"),
    "names of json": (lambda: json.dumps([numbered(10_000)]).encode(), "different field names"),
    # Names that records do not have are fields, too: 200,000 of 10 kB.
    "array": (lambda: json.dumps(FEW_NAMED).encode(), "100,000 fields"),
    "lines": (lambda: "\n".join(map(json.dumps, FEW_NAMED)).encode(), "100,000 fields"),
    "features": (lambda: json.dumps(geojson(FEW_NAMED)).encode(), "114,096 fields"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_before_it_goes_off(bomb):
    make, word = BOMBS[bomb]
    content = make()
    assert len(content) < SMALL
    # Every reader has them unpacked in one place; that each goes there, one bomb tells.
    others = [fp.read_antennas, fp.read_questionnaire] if bomb == "equal rows" else []
    for reader in [fp.read_cdr, *others]:
        with pytest.raises(fp.SchemaError, match=word):
            reader(io.BytesIO(content))


@pytest.mark.parametrize("bomb", ["equal rows", "gz", "10,000 columns"])
def test_a_bomb_in_the_place_of_a_release_or_in_it_is_refused(bomb, tmp_path):
    make, word = BOMBS[bomb]
    path, honest, out = tmp_path / "data.csv", tmp_path / "honest.zip", io.BytesIO()
    path.write_bytes(make())
    with pytest.raises(fp.SchemaError, match=word):
        fp.read_published(path)
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 5])
    form = "parquet" if bomb == "equal rows" else "csv"
    publish(release(fs, []), honest, original=fs, format=form)
    unpacked = b"0" * (1 << 25) if bomb == "gz" else make()
    with zipfile.ZipFile(honest) as made, zipfile.ZipFile(out, "w") as archive:
        for member in made.infolist():
            body = unpacked if member.filename == f"data.{form}" else made.read(member)
            archive.writestr(member, body, zipfile.ZIP_DEFLATED)
    with pytest.raises(fp.SchemaError, match=word):
        verify_release(out.getvalue(), fs, 2)


def test_a_budget_follows_from_the_source_however_often_it_is_packed():
    assert Budget(0).decoded_bytes == Budget(100_000).decoded_bytes == budgets.ALWAYS_FINE
    assert Budget(10**7).decoded_bytes == budgets.MAX_RATIO * 10**7
    assert Budget(10**12).decoded_bytes == budgets.MAX_BYTES
    assert Budget(10**12).cells == budgets.MAX_CELLS
    assert read_source(io.BytesIO(gzip.compress(gzip.compress(wide(9)))))[0].n_rows == 1


def test_what_many_people_bring_is_within_it():
    """1,000 people of the region, 14 days: packed, and as Parquet."""
    frame = fp.generate_cdr(1_000)
    packed, parquet = gzip.compress(frame.to_csv(index=False).encode()), io.BytesIO()
    frame.to_parquet(parquet)
    for content in (packed, parquet.getvalue()):
        assert read_source(io.BytesIO(content))[0].n_rows == len(frame)


# --- memory that ends ----------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [MemoryError(), pa.ArrowMemoryError("malloc of size 5 failed")])
@pytest.mark.parametrize("at", [(pq, "ParquetFile"), (sources, "read_delimited")], ids=str)
def test_memory_that_ends_is_told_as_such(monkeypatch, fault, at):
    """Arrow's own error is one of its kinds of damage, too: nobody may take it for that."""

    def ended(*_, **__):
        raise fault

    monkeypatch.setattr(*at, ended)
    parquet = (fp.read_cdr, runs(5, **EVENT))
    read, content = parquet if at[0] is pq else (fp.read_antennas, b"a,b\n1,2\n")
    with pytest.raises(OutOfMemory, match="needs more memory"):
        read(io.BytesIO(content))


# --- the net -------------------------------------------------------------------------------------


def test_what_nobody_foresaw_is_told_without_its_words():
    @only_ours("table")
    def reader(fault):
        raise fault

    with pytest.raises(Unforeseen, match=r"KeyError at test_budgets\.py:\d+") as caught:
        reader(KeyError("+33 6 12 34 56 78"))
    assert "33 6" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert isinstance(caught.value, fp.FpanonError)
    with pytest.raises(OutOfMemory):  # no room for the stack of a thread
        reader(RuntimeError("can't start new thread"))
    with pytest.raises(Unforeseen):
        reader(RuntimeError("something else"))


# --- what is made of records, row groups and numbers ---------------------------------------------


def test_a_number_of_five_characters_does_not_become_309():
    records = b'[{"a":"x","b":1},{"a":1e308,"b":2},{"a":3e15,"b":2}]'
    column = read_source(io.BytesIO(records))[0].columns[0].to_pylist()
    assert column == ["x", "1e+308", "3000000000000000"]


def test_row_groups_of_a_row_each_are_read_together(monkeypatch):
    """A group at a time takes milliseconds each, and leaves columns in as many pieces."""
    out = io.BytesIO()
    table = pa.table({"user": [f"u{i}" for i in range(300)], "time": list(range(300))})
    pq.write_table(table, out, row_group_size=1)
    monkeypatch.setattr(parquet, "_ROWS_AT_A_TIME", 200)
    columns = read_source(io.BytesIO(out.getvalue()))[0].columns
    assert [c.num_chunks for c in columns] == [2, 2]
    assert columns[0].to_pylist() == [f"u{i}" for i in range(300)]


def _is_open(line, delimiter):
    """Whether a quote at the start of a field is never closed, character by character."""
    inside, at_start, i = False, True, 0
    while i < len(line):
        c = line[i]
        if inside and c == '"':
            if line[i + 1 : i + 2] == '"':
                i += 1
            else:
                inside = False
        elif not inside and c == '"' and at_start:
            inside = True
        at_start = c == delimiter and not inside
        i += 1
    return inside


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t", " "])
def test_lines_with_an_open_quote_are_found_as_character_by_character(delimiter):
    rng = random.Random(delimiter)
    closed = delimited._closed_line(delimiter)
    for _ in range(4_000):
        line = "".join(rng.choice('""ab\r' + 2 * delimiter) for _ in range(rng.randrange(12)))
        assert bool(closed.fullmatch(line.encode())) != _is_open(line, delimiter), line
