"""Files that are small and mean harm: refused before they are made, by what they would become."""

import gzip
import io
import os
import random
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
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
BOMBS = {
    "cells in the last column": (
        lambda: rows("".join(f'<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(9))),
        "1,000 columns",
    ),
    "a row numbered 10^11": (
        lambda: rows('<row r="1"/><row r="99999999999"><c r="A1"><v>1</v></c></row>'),
        "beyond the 1,048,576th",
    ),
    "a row numbered 1e11": (lambda: rows('<row r="1e11"/>'), "beyond the 1,048,576th"),
    "rows as wide as can be": (
        lambda: rows('<row><c r="ALL1"><v>1</v></c></row>' * 101),
        "100,000 fields",
    ),
    "elements of no use": (lambda: rows("<z/>" * 410_000), "100,000 fields"),
    "equal rows": (lambda: runs(3_000_000, **EVENT), "unpacks to more"),
    "equal rows of nothing": (lambda: runs(3_000_000, user=None), "unpacks to more"),
    "one long text, often": (lambda: runs(100_000, **EVENT | {"user": "a" * 1_000}), "unpacks"),
    "10,000 columns": (lambda: wide(10_000), "1,000 columns"),
    "10,000 columns of json": (
        lambda: b"[{" + b",".join(b'"c%d":1' % i for i in range(10_000)) + b"}]",
        "different names",
    ),
    "many empty lists": (lambda: gzip.compress(b"[" + b"[]," * 100_000 + b"[]]"), "100,000 fields"),
    "gz": (lambda: gzip.compress(b"0" * (1 << 25)), "unpacks to more"),
    "gz in gz in gz": (
        lambda: gzip.compress(gzip.compress(gzip.compress(b"0" * (1 << 25)))),
        "unpacks to more",
    ),
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


@pytest.mark.parametrize("bomb", ["equal rows", "one long text, often", "gz", "10,000 columns"])
def test_a_bomb_in_the_place_of_a_release_is_refused(bomb, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(BOMBS[bomb][0]())
    with pytest.raises(fp.SchemaError, match=BOMBS[bomb][1]):
        fp.read_published(path)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("data.csv", lambda: b"0" * (1 << 25)),
        ("data.parquet", lambda: runs(3_000_000, pseudonym="a", start="b")),
        ("data.csv", lambda: wide(10_000)),
    ],
    ids=["zip", "parquet", "columns"],
)
def test_a_bomb_in_a_release_is_refused_by_the_verifier(name, make, tmp_path):
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 5])
    honest = tmp_path / "honest.zip"
    publish(release(fs, []), honest, original=fs, format=name.removeprefix("data."))
    out = io.BytesIO()
    with zipfile.ZipFile(honest) as made, zipfile.ZipFile(out, "w") as archive:
        for member in made.infolist():
            body = make() if member.filename == name else made.read(member)
            archive.writestr(member, body, zipfile.ZIP_DEFLATED)
    with pytest.raises(fp.SchemaError, match=r"unpacks to more|1,000 columns"):
        verify_release(out.getvalue(), fs, 2)


def test_a_budget_follows_from_the_source_however_often_it_is_packed():
    assert Budget(0).decoded_bytes == Budget(100_000).decoded_bytes == budgets.ALWAYS_FINE
    assert Budget(10**7).decoded_bytes == budgets.MAX_RATIO * 10**7
    assert Budget(10**12).decoded_bytes == budgets.MAX_BYTES
    assert Budget(10**12).cells == budgets.MAX_CELLS
    assert read_source(io.BytesIO(gzip.compress(gzip.compress(wide(9)))))[0].n_rows == 1


def test_what_many_people_bring_is_within_it():
    """2,000 people of the sample, 14 days: packed and plain, as CSV and as Parquet."""
    n = 60_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "user": rng.integers(0, 2_000, n).astype(str),
            "time": 1_709_546_400 + rng.integers(0, 10**6, n),
            "lat": rng.choice(np.linspace(14, 15, 300), n).round(5),
            "lon": rng.choice(np.linspace(-17, -16, 300), n).round(5),
        }
    )
    packed = gzip.compress(frame.to_csv(index=False).encode())
    parquet = io.BytesIO()
    frame.sort_values("user").to_parquet(parquet)
    for content in (packed, parquet.getvalue()):
        assert read_source(io.BytesIO(content))[0].n_rows == n


# --- memory that ends ----------------------------------------------------------------------------


def test_memory_that_ends_is_told_as_such(monkeypatch):
    """Arrow's own error is one of its kinds of damage, too: nobody may take it for that."""
    for fault in (MemoryError(), pa.ArrowMemoryError("malloc of size 5 failed")):

        def ended(*_, fault=fault, **__):
            raise fault

        with monkeypatch.context() as patch:
            patch.setattr(pq, "ParquetFile", ended)
            with pytest.raises(OutOfMemory, match="needs more memory"):
                fp.read_cdr(io.BytesIO(runs(5, **EVENT)))
        with monkeypatch.context() as patch:
            patch.setattr(sources, "read_delimited", ended)
            with pytest.raises(OutOfMemory, match="needs more memory"):
                fp.read_antennas(io.BytesIO(b"a,b\n1,2\n"))


_UNDER_A_LIMIT = """
import resource, sys
from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
import pyarrow.parquet, pyarrow.csv
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (350 << 20),) * 2)
try:
    read_cdr(sys.argv[1])
except FpanonError as fault:
    print(type(fault).__name__, fault)
"""


def test_memory_that_really_ends_is_told_as_such(tmp_path):
    """Random numbers do not pack: a file of 80 MB that is in order, and 350 MB of room."""
    path = tmp_path / "events.parquet"
    n = 2_000_000
    rng = np.random.default_rng(0)
    columns = {name: rng.random(n) for name in ("lat", "lon", "speed")}
    whole = {"user": rng.integers(0, 10**12, n), "time": 1_709_546_400 + np.arange(n)}
    pq.write_table(pa.table(whole | columns), path, compression="none", use_dictionary=False)
    told = subprocess.run(
        [sys.executable, "-c", _UNDER_A_LIMIT, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert told.stdout.startswith("OutOfMemory"), told.stdout + told.stderr[-2_000:]


# --- the net -------------------------------------------------------------------------------------


def test_what_nobody_foresaw_is_told_without_its_words():
    @only_ours("table")
    def reader(_):
        raise KeyError("+33 6 12 34 56 78")

    with pytest.raises(Unforeseen, match=r"KeyError at test_budgets\.py:\d+") as caught:
        reader(1)
    assert "33 6" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert isinstance(caught.value, fp.FpanonError)


# --- what is made of records, row groups and numbers ---------------------------------------------

_NAMED = b"{" + b",".join(b'"n%d":1' % i for i in range(1_000)) + b"}"
_MANY = b"{" + b",".join(b'"n%d":1' % i for i in range(900)) + b"}"
_POINT = b'{"type":"Feature","properties":%b,"geometry":{"type":"Point","coordinates":[1,2]}}'


@pytest.mark.parametrize(
    "content",
    [
        b"[" + b",".join([_NAMED] + [b"{}"] * 200) + b"]",
        b"\n".join([_NAMED] + [b"{}"] * 200),
        b'{"type":"FeatureCollection","features":['
        + b",".join([_POINT % _MANY] + [_POINT % b"{}"] * 200)
        + b"]}",
    ],
    ids=["array", "lines", "features"],
)
def test_names_that_records_do_not_have_are_fields_too(content):
    """1,000 names, 200 records: 200,000 fields are made of 10 kB."""
    with pytest.raises(fp.SchemaError, match="100,000 fields"):
        read_source(io.BytesIO(content))


def test_a_number_of_five_characters_does_not_become_309():
    records = b'[{"a":"x","b":1},{"a":1e308,"b":2},{"a":3e15,"b":2}]'
    column = read_source(io.BytesIO(records))[0].columns[0].to_pylist()
    assert column == ["x", "1e+308", "3000000000000000"]


def test_row_groups_of_a_row_each_are_read_together(monkeypatch):
    """A group at a time takes milliseconds each, and leaves columns in as many pieces."""
    out = io.BytesIO()
    table = pa.table({"user": [f"u{i}" for i in range(300)], "time": list(range(300))})
    pq.write_table(table, out, row_group_size=1)
    read = pq.ParquetFile.read_row_groups
    asked = []

    def noted(self, groups, **named):
        asked.append(len(groups))
        return read(self, groups, **named)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", noted)
    monkeypatch.setattr(parquet, "_ROWS_AT_A_TIME", 200)
    columns = read_source(io.BytesIO(out.getvalue()))[0].columns
    assert asked == [200, 100]
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


def test_a_thread_without_room_for_its_stack_is_memory_that_ended():
    @only_ours("table")
    def reader(said):
        raise RuntimeError(said)

    with pytest.raises(OutOfMemory):
        reader("can't start new thread")
    with pytest.raises(Unforeseen):
        reader("something else")
