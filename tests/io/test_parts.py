"""Parts on disk give what the same rows give as one table in memory, and leave nothing behind."""

import pickle
import re
import stat
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpanon_core import Cancelled, ConfigError, FingerprintSet, SchemaError, read_cdr, read_parts

FIELDS = {
    "user": ["a", "b", " a", "c", "", "NA", "d1", "e"],
    "time": [
        *("2024-03-04T08:00:00Z", "2024-03-04T08:00:20Z", "2024-03-05 23:59:59Z", "nonsense"),
        *("2024-03-31T02:30:00", "1970-01-01T00:00:00Z", "", "2024-03-06T11:00:00+02:00"),
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
    return [rows[a:b] for a, b in pairwise(ends)]


TOLD = (
    *("rows_read", "rows_used", "rows_identical", "set_aside", "users_screened_out", "columns"),
    *("notes", "timezone", "time_format", "first", "last", "span_days"),
)


def account(report):
    rejects = report.rejects.drop(columns=["row", "part"], errors="ignore").to_dict("list")
    first_rows = report.first_rows.drop(columns="row").to_csv()
    told = {name: getattr(report, name) for name in TOLD}
    return report.reconciliation(), told, rejects, first_rows


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
        with pytest.raises(SchemaError, match=re.escape(str(fault)) + "$"):
            read_parts(folder / "in", folder / "out", screen=screen, private=folder)
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
@given(st.lists(ROW, min_size=1, max_size=30))
def test_csv_parts_give_what_memory_gives(tmp_path_factory, rows):
    rows = SURE + rows + SURE
    both(tmp_path_factory, rows, [len(rows) - 3], as_csv)


SCREENS = st.sampled_from([None, 2, "civ"])


@settings(max_examples=40)
@given(st.lists(ROW, min_size=1, max_size=40), CUTS, SCREENS, st.sampled_from([1, 2, 5, 1 << 16]))
@example(
    rows=[("a", "2024-03-31T02:30:00", "14.71", "-17.45", "")] * 3, at=[], screen=None, batch=5
)
def test_parquet_parts_give_what_memory_gives(tmp_path_factory, rows, at, screen, batch):
    """However many rows are held at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fpanon_core.io.rows.BATCH", batch)
        patch.setattr("fpanon_core.tables.parts.BATCH", batch)
        patch.setattr("fpanon_core.tables.parquet._ROWS_AT_A_TIME", batch)
        patch.setattr("fpanon_core.io.distinct.ROWS", 2)
        patch.setattr("fpanon_core.io.distinct._USERS", 2)
        patch.setattr("fpanon_core.io.distinct._SORTED", 7)
        patch.setattr("fpanon_core.io.distinct._AT_ONCE", 2)
        both(tmp_path_factory, SURE + rows, at, as_parquet, screen)


DATA = [
    (f"person{u}", f"2024-03-{4 + day:02d}T08:{minute:02d}:00Z", "14.71", f"-17.{45 + u}", "secret")
    for day in range(3)
    for u in range(5)
    for minute in (0, 30)
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    as_parquet(tmp_path / "in", cut(DATA, [10, 20]))
    return tmp_path


def left(folder):
    return sorted(p.name for p in folder.iterdir())


def cut_short(part):
    part.write_bytes(part.read_bytes()[:-40])


def with_damaged_pages(part):
    data = part.read_bytes()
    part.write_bytes(data[:4] + bytes(56) + data[60:])


def with_another_name(part):
    pq.write_table(pq.read_table(part).rename_columns(["u", *list(FIELDS)[1:]]), part)


def with_another_type(part):
    table = pq.read_table(part)
    pq.write_table(table.set_column(2, "lat", table["lat"].cast(pa.float64())), part)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (cut_short, "is damaged or cut short"),
        (with_damaged_pages, "is damaged or cut short"),
        (with_another_name, "its columns differ"),
        (with_another_type, "stored as a different type"),
    ],
)
def test_a_part_that_does_not_fit_is_named_and_nothing_of_it_is_told(folder, make, said):
    make(folder / "in" / "part-1.parquet")
    with pytest.raises(SchemaError, match=f"Part 'part-1.parquet'.*{said}") as fault:
        read_parts(folder / "in", folder / "out", private=folder)
    assert "secret" not in str(fault.value)
    assert "person" not in str(fault.value)
    assert left(folder) == ["in"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.7, 0.95])
def test_whoever_stops_it_leaves_nothing(folder, share):
    def stop(done):
        if done >= share:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        read_parts(folder / "in", folder / "out", private=folder, progress=stop)
    assert left(folder) == ["in"]


def test_what_is_spilled_is_its_owners_alone(folder):
    seen = set()

    def look(_):
        seen.update(
            (p.name.startswith(".fpanon-"), stat.S_IMODE(p.stat().st_mode))
            for p in folder.iterdir()
            if p.name != "in"
        )

    read_parts(folder / "in", folder / "out", private=folder, progress=look)
    assert (True, 0o700) in seen
    assert {mode for _, mode in seen} == {0o700}
    assert left(folder) == ["in", "out"]


def test_what_columns_decide_as_a_whole_no_part_decides(tmp_path_factory):
    """Day or month first, and decimal commas, where one part alone would be read otherwise."""
    rows = [("a", "03/04/2024 08:00", "14", "-17"), ("b", "04/04/2024 08:00", "14", "-17")]
    rows += [("a", "13/04/2024 08:00", "14,5", "-17,4"), ("b", "28/04/2024 08:00", "14,5", "-17,4")]
    rows += [("c", "05/06/2024 08:00", "14", "-17"), ("a", "06/06/2024 08:00", "14", "-17")]
    month_first = [(u, f"{t[3:5]}/{t[:2]}{t[5:]}", lat, lon) for u, t, lat, lon in rows]
    for each in (rows, month_first):
        for at in ([2], [2, 4], [1, 2, 3, 4, 5]):
            folder = tmp_path_factory.mktemp("parts")
            (folder / "in").mkdir()
            for place, pieces in ((folder / "in", cut(each, at)), (folder, [each])):
                for i, piece in enumerate(pieces):
                    columns = [pa.array(c, pa.string()) for c in zip(*piece, strict=True)]
                    table = pa.table(columns, names=["user", "time", "lat", "lon"])
                    pq.write_table(table, place / f"{i}.parquet")
            found = read_parts(folder / "in", folder / "out", private=folder)
            same(found, read_cdr(folder / "0.parquet"))


def test_antennas_place_events_of_all_parts(tmp_path):
    antennas = "antenna,lat,lon\n" + "".join(f"x{i},14.{70 + i},-17.4{i}\n" for i in range(4))
    (tmp_path / "antennas.csv").write_text(antennas)
    (tmp_path / "events").mkdir()
    rows = [(u, t, f"x{i % 5}") for i, (u, t, *_) in enumerate(DATA)]
    for place, pieces in ((tmp_path / "events", cut(rows, [7])), (tmp_path, [rows])):
        for i, piece in enumerate(pieces):
            (place / f"p{i}.csv").write_text("user,time,antenna\n" + lines(piece))
    how = {"antennas": tmp_path / "antennas.csv"}
    found = read_parts(tmp_path / "events", tmp_path / "out", private=tmp_path, **how)
    same(found, read_cdr(tmp_path / "p0.csv", **how))
    assert found[1].set_aside == {"unknown antenna": 6}


# --- a mapped set -------------------------------------------------------------------------------


@pytest.fixture
def made(folder):
    fs, _ = read_parts(folder / "in", folder / "out", private=folder)
    return fs


def test_a_mapped_set_is_read_only_and_is_kept_and_loaded(made, folder):
    """Its parts' columns may stand in another order, and its ids may be numbers."""
    assert not made.x_m.flags.writeable
    part = folder / "in" / "part-1.parquet"
    pq.write_table(pq.read_table(part).select(list(FIELDS)[::-1]), part)
    assert read_parts(folder / "in", folder / "2", private=folder)[0].digest == made.digest
    assert made.subset([1, 0]).digest == FingerprintSet(**fields_of(made)).subset([1, 0]).digest
    ours = FingerprintSet(**fields_of(made) | {"user_ids": np.arange(made.n_users)})
    again = FingerprintSet.load(ours.save(folder / "kept"))
    assert again.digest == ours.digest
    assert again.user_ids.dtype == np.int64
    assert not again.x_m.flags.writeable
    for write in (ours.save, lambda there: read_parts(folder / "in", there, private=folder)):
        with pytest.raises(ConfigError, match=r"already|must be a new one"):
            write(folder / "kept")


@pytest.mark.parametrize("name", ["x_m.npy", "offsets.npy", "user_ids.txt", "about.json"])
def test_a_set_whose_files_were_altered_is_refused(made, folder, name):
    sent = pickle.dumps(made)
    path = folder / "out" / name
    data = path.read_bytes()
    changed = data.replace(b"person1", b"person9") if name.endswith("txt") else data[:-9] + b"7" * 9
    path.write_bytes(changed)
    with pytest.raises(SchemaError):
        FingerprintSet.load(folder / "out")
    with pytest.raises(SchemaError):
        pickle.loads(sent)
    path.unlink()
    with pytest.raises(SchemaError):
        FingerprintSet.load(folder / "out")


def test_another_process_is_given_a_name_and_no_data(made):
    sent = pickle.dumps(made)
    assert len(sent) < 2_000
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).digest)"
    out = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert out.stdout.decode().strip() == made.digest


def test_names_are_not_run_and_floats_are_written_alike_in_all_parts(tmp_path):
    """A name may hold anything, quotes and SQL too; whether floats are whole, all parts say."""
    name = 'lat"; DROP TABLE x; --'
    user = [1.0, 2.0, 3.0, 1.5, 1.0, 2.0]
    time = [1.7e9, 1.7e9 + 60, 1.7e9 + 120, 1.7e9 + 180.5, 1.7e9 + 240, 1.7e9 + 300]
    table = pa.table({"user": user, "time": time, name: [14.7] * 6, "lon": [-17.4] * 6})
    pq.write_table(table, tmp_path / "whole.parquet")
    (tmp_path / "in").mkdir()
    for at in (0, 2, 4):
        pq.write_table(table.slice(at, 2), tmp_path / "in" / f"part [{at}].parquet")
    # Ids are no fractions: their column is not found out.
    how = {"columns": {"user": "user", "lat": name}}
    found = read_parts(tmp_path / "in", tmp_path / "out", private=tmp_path, **how)
    same(found, read_cdr(tmp_path / "whole.parquet", **how))
