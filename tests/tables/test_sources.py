"""What can be read from which kind of file, and what is refused with a sentence."""

import gzip
import io
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.errors import ConfigError, FpanonError, SchemaError
from fpanon_core.tables import sources
from fpanon_core.tables.sources import read_source

EVENTS = pd.DataFrame(
    {
        "user": [f"0{i % 3}" for i in range(12)],
        "time": [f"2012-04-0{1 + i % 5} 1{i % 10}:{i:02d}:00" for i in range(12)],
        "lat": [40.7 + i / 1000 for i in range(12)],
        "lon": [-74.1 - i / 1000 for i in range(12)],
    }
)
CSV = EVENTS.to_csv(index=False)


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def workbook(**sheets):
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return out.getvalue()


def parquet(frame):
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def typed(frame):
    return frame.assign(time=pd.to_datetime(frame.time))


FORMS = {
    "csv": CSV.encode(),
    "no line end": CSV.rstrip("\n").encode(),
    "crlf": CSV.replace("\n", "\r\n").encode(),
    "cr": CSV.replace("\n", "\r").encode(),
    "blank lines": CSV.replace("\n", "\n\n").encode(),
    "tsv": EVENTS.to_csv(index=False, sep="\t").encode(),
    "semicolon, decimal comma": EVENTS.to_csv(index=False, sep=";", decimal=",").encode(),
    "bar": EVENTS.to_csv(index=False, sep="|").encode(),
    "quoted": EVENTS.to_csv(index=False, quoting=1).encode(),
    "no header": EVENTS.to_csv(index=False, header=False).encode(),
    "spaces": EVENTS.to_csv(index=False, header=False, sep=" ", quoting=3, escapechar="\\")
    .replace("\\", "")
    .encode(),
    "wide spaces": "\n".join(
        f"{r.user}   {r.time}  {r.lat} {r.lon}" for r in EVENTS.itertuples()
    ).encode(),
    "utf-8 bom": CSV.encode("utf-8-sig"),
    "utf-16": CSV.encode("utf-16"),
    "utf-16 be": CSV.encode("utf-16-be"),
    "gz": gzip.compress(CSV.encode()),
    "zip": zipped(a=CSV),
    "zip with litter": zipped(**{"a.csv": CSV, "__MACOSX/a.csv": "x", "d/": ""}),
    "parquet": parquet(EVENTS),
    "parquet, typed": parquet(typed(EVENTS)),
    "parquet, categories": parquet(EVENTS.astype({"user": "category"})),
    "parquet, nested beside": parquet(EVENTS.assign(tags=[[1, 2]] * 12)),
    "xlsx": workbook(data=EVENTS),
    "xlsx, typed, second sheet": workbook(notes=pd.DataFrame({"a": ["x", "y"]}), d=typed(EVENTS)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_fingerprints(form):
    expected, _ = read_cdr(EVENTS)
    fs, report = read_cdr(io.BytesIO(FORMS[form]))
    assert report.rows_read == report.rows_used == 12
    assert fs.user_ids.tolist() == ["00", "01", "02"]  # text: the zero is kept
    assert fs.digest == expected.digest


def test_path_text_object_and_upload(tmp_path):
    path = tmp_path / "events.parquet"  # the ending is not believed
    path.write_bytes(FORMS["gz"])
    expected, _ = read_cdr(EVENTS)
    upload = io.BytesIO(CSV.encode())
    upload.name = "events.xlsx"
    upload.read(10)  # as a page that is run again leaves it
    for source in (path, str(path), io.StringIO(CSV), upload):
        assert read_cdr(source)[0].digest == expected.digest


def test_frames_are_not_modified_and_may_have_any_labels():
    frame = EVENTS.copy()
    frame.columns = [10, 11, 12, 13]
    before = frame.copy()
    fs, report = read_cdr(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert fs.n_users == 3
    assert report.columns["user"] == "10"
    assert read_cdr(frame, columns={"user": 10})[0].digest == fs.digest


def test_latin_1_is_read():
    text = CSV.replace("\n01,", "\né,")
    fs, report = read_cdr(io.BytesIO(text.encode("latin-1")))
    assert report.encoding == "Latin-1"
    assert "é" in fs.user_ids


def test_what_was_found_is_reported():
    _, report = read_cdr(io.BytesIO(FORMS["gz"]))
    assert (report.kind, report.packed, report.delimiter, report.encoding, report.header) == (
        "delimited text",
        "gzip",
        ",",
        "UTF-8",
        True,
    )
    assert read_cdr(io.BytesIO(CSV.encode()))[1].available == ("user", "time", "lat", "lon")
    assert read_cdr(io.BytesIO(FORMS["no header"]))[1].available == (0, 1, 2, 3)


BAD = {
    "empty": (b"", "empty"),
    "blank": (b"\n \n\n", "empty"),
    "header alone": (b"user,time,lat,lon\n", "header but no rows"),
    "no time": (b"user,lat,lon\na,40.1,-74.2\nb,41.2,-73.1\n", "time"),
    "png": (b"\x89PNG\r\n\x1a\n0000", "PNG"),
    "bytes": (np.random.default_rng(0).bytes(4000), "no text"),
    "pickle": (pickle.dumps({"a": 1}), "pickle"),
    "one column": (b"a\nb\nc\n", "one column"),
    "two members": (zipped(a=CSV, b=CSV), "2 files"),
    "no member": (zipped(), "0 files"),
    "cut gz": (gzip.compress(np.random.default_rng(0).bytes(9000))[:4000], "cut short"),
    "cut zip": (zipped(a=CSV)[:90], "damaged"),
    "cut parquet": (parquet(EVENTS)[:-20], "damaged"),
    "cut xlsx": (workbook(a=EVENTS)[:-900], "damaged"),
    "parquet without rows": (parquet(EVENTS[:0]), "no rows"),
    "only nested": (parquet(pd.DataFrame({"a": [[1]], "b": [{"x": 1}]})), "user"),
    "empty sheet": (workbook(a=pd.DataFrame()), "No sheet"),
    "all bad": (b"user,time,lat,lon\na,x,y,z\nb,?,,\n", "time"),
    "all zero": (b"user,time,lat,lon\na,2012-04-03 10:00,0,0\n", "None of the 1 rows"),
    "metres": (b"user,time,x,y\na,2012-04-03 10:00,583960,4507523\n", "metres"),
    "tar": (b"a" * 257 + b"ustar" + b"\0" * 300, "tar"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_a_sentence(case):
    content, word = BAD[case]
    with pytest.raises(SchemaError, match=word) as caught:
        read_cdr(io.BytesIO(content))
    assert str(caught.value).rstrip()[-1] in ".…)"


def test_paths_and_sources_that_are_none(tmp_path):
    with pytest.raises(SchemaError, match="directory"):
        read_cdr(tmp_path)
    with pytest.raises(SchemaError, match="no file"):
        read_cdr(tmp_path / "missing.csv")
    with pytest.raises(SchemaError, match="web address"):
        read_cdr("https://example.org/a.csv")
    for source in (None, 3, [EVENTS]):
        with pytest.raises(ConfigError, match="path"):
            read_cdr(source)
    with pytest.raises(SchemaError, match="empty"):
        read_cdr(EVENTS[:0])


def test_bombs_are_not_unpacked(monkeypatch):
    monkeypatch.setattr(sources, "_ALWAYS_FINE", 1 << 20)
    bomb = gzip.compress(b"0" * (1 << 24))  # packs about a thousandfold
    with pytest.raises(SchemaError, match="unpacks to more"):
        read_source(io.BytesIO(bomb))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"0" * (1 << 24))
    with pytest.raises(SchemaError, match="unpacks to more"):
        read_source(io.BytesIO(out.getvalue()))
    monkeypatch.setattr(sources, "MAX_BYTES", 100)
    with pytest.raises(SchemaError, match="more than"):
        read_source(io.BytesIO(CSV.encode()))


def test_a_stray_quote_costs_its_own_line_only():
    lines = CSV.splitlines()
    lines[5] = '"' + lines[5]
    _, report = read_cdr(io.StringIO("\n".join(lines)))
    assert report.set_aside == {"malformed line": 1}
    assert report.rejects["row"].tolist() == [6]


def test_row_numbers_are_those_of_the_file():
    # line 1 is the header, 2 is blank, 3 good, 4 too short, 5 blank, 6 has no time, 7 too long
    text = (
        "user,time,lat,lon\n\na,2012-04-03 10:00,40.1,-74\nb,2012\n\n"
        "a,never,40.1,-74\na,2012-04-03 10:00,40.1,-74,x\nc,2012-04-03 11:00,40.2,-74\n"
    )
    _, report = read_cdr(io.StringIO(text))
    assert report.rejects[["row", "reason"]].to_numpy().tolist() == [
        [4, "malformed line"],
        [6, "unparseable time"],
        [7, "malformed line"],
    ]


MAGIC = [b"", b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"user,time,lat,lon\n"]


@given(st.sampled_from(MAGIC), st.binary(max_size=400))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_read_or_refused(magic, content):
    try:
        fs, report = read_cdr(io.BytesIO(magic + content))
    except FpanonError:
        return
    assert fs.n_samples > 0
    assert report.rows_read == report.rows_used + sum(report.set_aside.values())


@given(st.sampled_from(sorted(FORMS)), st.integers(0, 10**6), st.integers(0, 255))
@example(form="parquet", where=52296, value=128)  # no UTF-8 any more
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_file_is_read_or_refused(form, where, value):
    content = bytearray(FORMS[form])
    content[where % len(content)] = value
    try:
        _, report = read_cdr(io.BytesIO(bytes(content)))
    except FpanonError:
        return
    assert report.rows_read == report.rows_used + sum(report.set_aside.values())
