"""Parts on disk give what the same rows give as one table in memory, and leave nothing behind."""

import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import FingerprintSet, SchemaError, read_cdr
from fpanon_core.io import parts as reading
from fpanon_core.io.parts import read_parts

FIELDS = {
    "user": ["a", "b", " a", "c", "", "NA", "d1", "e"],
    "time": [
        *("2024-03-04T08:00:00Z", "2024-03-04T08:00:20Z", "2024-03-05 23:59:59Z"),
        *(
            "2024-03-31T02:30:00",
            "1970-01-01T00:00:00Z",
            "nonsense",
            "",
            "2024-03-06T11:00:00+02:00",
        ),
    ],
    "lat": ["14.71", "14.70", "14.7", "91", "0", "", "x", "14.69"],
    "lon": ["-17.45", "-17.44", "181", "0", "", "-17.4", "-17.45", "-17.451"],
    "note": ["", "p", "q"],
}
ROW = st.tuples(*(st.sampled_from(values) for values in FIELDS.values()))
SURE = [
    ("a", "2024-03-04T08:00:00Z", "14.71", "-17.45", "p"),
    ("b", "2024-03-04T09:00:00Z", "14.70", "-17.44", ""),
    ("a", "2024-03-05T08:00:00Z", "14.71", "-17.45", "p"),
]


def lines(rows):
    return "".join(",".join(row) + "\n" for row in rows)


def cut(rows, at):
    ends = [0, *sorted(min(a, len(rows)) for a in at), len(rows)]
    return [rows[a:b] for a, b in zip(ends, ends[1:], strict=False)]


def account(report):
    told = report.reconciliation(), report.rows_read, report.rows_used, report.set_aside
    rejects = report.rejects.drop(columns=["row", "part"], errors="ignore")
    return (*told, report.notes, report.timezone, report.time_format, report.columns,
            report.first, report.last, report.span_days, report.users_screened_out,
            report.rows_identical, rejects.to_dict("list"),
            report.first_rows.drop(columns="row").to_csv())  # fmt: skip


def same(one, other):
    assert one[0].digest == other[0].digest
    assert one[0].digest == FingerprintSet(**fields_of(one[0])).digest, (
        "the digest is of what is there"
    )
    assert account(one[1]) == account(other[1])


def fields_of(fs):
    return {name: getattr(fs, name) for name in fs.__dataclass_fields__}


def both(tmp_path_factory, rows, at, write, screen=None):
    """As one table in memory, and as parts; what each refuses is the same."""
    folder = tmp_path_factory.mktemp("parts")
    (folder / "in").mkdir()
    names = write(folder / "in", cut(rows, at))
    [whole] = write(folder, [rows])
    try:
        expected = read_cdr(whole, screen=screen)
    except SchemaError as fault:
        with pytest.raises(SchemaError) as refused:
            read_parts(folder / "in", folder / "out", screen=screen, private=folder)
        assert str(refused.value) == str(fault)
        assert sorted(p.name for p in folder.iterdir()) == sorted(["in", whole.name])
        return
    found = read_parts(folder / "in", folder / "out", screen=screen, private=folder)
    assert len(names) == len(cut(rows, at))
    same(found, expected)
    assert sorted(p.name for p in folder.iterdir()) == sorted(["in", "out", whole.name])
    assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in (folder / "out").iterdir()} == {0o600}


def as_csv(folder, pieces):
    paths = []
    for i, rows in enumerate(pieces):
        path = folder / f"part-{i}.csv"
        path.write_text(",".join(FIELDS) + "\n" + lines(rows))
        paths.append(path)
    return paths


def as_parquet(folder, pieces):
    paths = []
    for i, rows in enumerate(pieces):
        columns = list(zip(*rows, strict=True)) if rows else [[]] * len(FIELDS)
        table = pa.table([pa.array(c, pa.string()) for c in columns], names=list(FIELDS))
        path = folder / f"part-{i}.parquet"
        pq.write_table(table, path, row_group_size=3)
        paths.append(path)
    return paths


CUTS = st.lists(st.integers(1, 40), max_size=3, unique=True)


@settings(max_examples=30)
@given(st.lists(ROW, min_size=1, max_size=40), CUTS, st.sampled_from([None, 2]))
def test_parquet_parts_give_what_memory_gives(tmp_path_factory, rows, at, screen):
    both(tmp_path_factory, SURE + rows, at, as_parquet, screen)


@settings(max_examples=30)
@given(st.lists(ROW, min_size=1, max_size=30))
def test_csv_parts_give_what_memory_gives(tmp_path_factory, rows):
    rows = SURE + rows + SURE
    both(tmp_path_factory, rows, [len(rows) - 3], as_csv)


@settings(max_examples=15)
@given(st.lists(ROW, min_size=8, max_size=40), CUTS, st.integers(1, 5))
def test_the_size_of_a_batch_changes_nothing(tmp_path_factory, rows, at, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "BATCH", batch)
        patch.setattr("fpanon_core.tables.parts.BATCH", batch)
        patch.setattr("fpanon_core.tables.parquet._ROWS_AT_A_TIME", batch)
        patch.setattr("fpanon_core.io.distinct_parts.ROWS", 2)
        patch.setattr("fpanon_core.io.distinct_parts._USERS", 2)
        patch.setattr(reading, "_SORTED", 7)
        patch.setattr(reading, "_AT_ONCE", 2)
        both(tmp_path_factory, SURE + rows, at, as_parquet, "civ")
