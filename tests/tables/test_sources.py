"""What can be read from which kind of file, and what is refused with a sentence."""

import gzip
import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fpanon_core.io.cdr import read_cdr
from fpanon_core.model import budgets
from fpanon_core.model.errors import ConfigError, FpanonError, SchemaError
from fpanon_core.tables import json_text
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


def zipped(method=zipfile.ZIP_STORED, **files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
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


RECORDS = EVENTS.to_dict("records")
FEATURES = [
    {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [r["lon"], r["lat"], 12.5]},
        "properties": {"user": r["user"], "time": r["time"], "tags": ["x", {"y": 1}]},
    }
    for r in RECORDS
]
GEOJSON = {"type": "FeatureCollection", "name": "events", "features": FEATURES}
FORMS = {
    "json": json.dumps(RECORDS).encode(),
    "json, nested beside": json.dumps([r | {"more": {"a": [1]}} for r in RECORDS]).encode(),
    "json, utf-16": json.dumps(RECORDS).encode("utf-16"),
    "json lines, bom, crlf, blank": "\r\n\r\n".join(map(json.dumps, RECORDS)).encode("utf-8-sig"),
    "geojson, indented": json.dumps(GEOJSON, indent=2).encode(),
    "geojson lines": "\n".join(map(json.dumps, FEATURES)).encode(),
    "json lines zip": zipped(a="\n".join(map(json.dumps, RECORDS))),
    "csv": CSV.encode(),
    "crlf, no line end": CSV.rstrip("\n").replace("\n", "\r\n").encode(),
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
    "gz": gzip.compress(CSV.encode()),
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
    fs, report = read_cdr(path)
    assert (report.kind, report.packed, report.delimiter) == ("delimited text", "gzip", ",")
    assert (report.encoding, report.header) == ("UTF-8", True)
    assert report.available == ("user", "time", "lat", "lon")
    fs, report = read_cdr(io.BytesIO(CSV.replace("\n01,", "\né,").encode("latin-1")))
    assert report.encoding == "Latin-1"
    assert "é" in fs.user_ids


def test_frames_are_not_modified_and_may_have_any_labels():
    frame = EVENTS.copy()
    frame.columns = [10, 11, 12, 13]
    before = frame.copy()
    fs, report = read_cdr(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert fs.n_users == 3
    assert report.columns["user"] == "10"
    assert read_cdr(frame, columns={"user": 10})[0].digest == fs.digest


DRAWN = {
    "type": "Feature",
    "properties": {"user": "a"},
    "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]},
}


def projected(name):
    return {"crs": {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{name}"}}}


BAD = {
    "empty": (b"", "empty"),
    "header alone": (b"user,time,lat,lon\n", "header but no rows"),
    "no time": (b"user,lat,lon\na,40.1,-74.2\nb,41.2,-73.1\n", "time"),
    "png": (b"\x89PNG\r\n\x1a\n0000", "PNG"),
    "bytes": (np.random.default_rng(0).bytes(4000), "neither text"),
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
    "json object": (b'{"a": {"b": 1}}', "JSON, but not a table"),
    "json of lists": (b"[[1, 2], [3, 4]]", "JSON, but not a table"),
    "json, empty": (b"[]", "JSON, but not a table"),
    "cut json": (json.dumps(RECORDS).encode()[:-9], "JSON, but is damaged"),
    "json without end": (b"[" * 100_000, "JSON, but is damaged"),
    "json, half a character": (b'[{"user": "\\ud800", "\\udfff": 1}]', "time"),
    "geojson lines drawn": (json.dumps(GEOJSON | {"features": [DRAWN]}).encode(), "no points"),
    "geojson, empty": (b'{"type": "FeatureCollection", "features": []}', "without features"),
    "geojson in metres": (json.dumps(GEOJSON | projected("EPSG::3857")).encode(), "projection"),
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
    with pytest.raises(SchemaError, match="reset_index"):
        read_cdr(EVENTS.set_index("time"))


def test_bombs_are_not_unpacked(monkeypatch):
    monkeypatch.setattr(budgets, "ALWAYS_FINE", 1 << 20)
    bomb = b"0" * (1 << 24)  # packs about a thousandfold
    for content in (gzip.compress(bomb), zipped(zipfile.ZIP_DEFLATED, a=bomb)):
        with pytest.raises(SchemaError, match="unpacks to more"):
            read_source(io.BytesIO(content))
    monkeypatch.setattr(json_text, "MAX_JSON_BYTES", 100)
    with pytest.raises(SchemaError, match="JSON of more than"):
        read_source(io.BytesIO(FORMS["json"]))
    monkeypatch.setattr(budgets, "MAX_BYTES", 100)
    with pytest.raises(SchemaError, match="larger than"):
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


def test_json_rows_that_are_none_are_counted_and_numbered():
    # line 1 good, 2 cut, 3 blank, 4 a list, 5 without a position, 6 good
    good = [json.dumps(r) for r in RECORDS[:2]]
    lines = [good[0], good[1][:20], "", "[1]", '{"user": "a", "time": "2012-04-03 10:00"}', good[1]]
    _, report = read_cdr(io.StringIO("\n".join(lines)))
    assert (report.kind, report.rows_read, report.rows_used) == ("JSON lines", 5, 2)
    assert report.rejects[["row", "reason"]].to_numpy().tolist() == [
        [2, "malformed line"],
        [4, "malformed line"],
        [5, "missing coordinates"],
    ]
    _, report = read_cdr(io.BytesIO(json.dumps([*RECORDS, 7, None]).encode()))
    assert (report.kind, report.set_aside) == ("JSON", {"malformed line": 2})


def test_geojson_positions_are_its_points():
    # A property called lat does not take the place of the point's latitude.
    features = [f | {"properties": f["properties"] | {"lat": 1.5, "lon": 2.5}} for f in FEATURES]
    features[0] = features[0] | {"geometry": None}
    _, report = read_cdr(io.StringIO(json.dumps(GEOJSON | {"features": features})))
    assert report.columns["lat"] == "lat"
    assert report.first_rows["lat"].tolist()[1:3] == [40.701, 40.702]
    assert "lat (property)" in report.available
    assert report.set_aside == {"missing coordinates": 1}
    same = json.dumps(GEOJSON | projected("OGC:1.3:CRS84"))
    assert read_cdr(io.StringIO(same))[1].kind == "GeoJSON"


def test_a_csv_that_begins_with_a_brace_is_none_of_json():
    rows = "\n".join(f"{{6F96-{i % 2}}},2012-04-03 10:0{i}:00,40.1,-74.{i}" for i in range(6))
    _, report = read_cdr(io.StringIO(rows))
    assert (report.kind, report.rows_used) == ("delimited text", 6)
    _, report = read_cdr(io.StringIO(f"[user],[time],[lat],[lon]\n{rows}"))
    assert (report.kind, report.rows_used) == ("delimited text", 6)


MAGIC = [
    *(b'[{"user": "a", ', b'{"type": "FeatureCollection", ', b"", b"user,time,lat,lon\n"),
    *(b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"PAR1", b"\xff\xfe"),
]


@given(st.sampled_from(MAGIC), st.binary(max_size=400))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_read_or_refused(magic, content):
    try:
        fs, report = read_cdr(io.BytesIO(magic + content))
    except FpanonError:
        return
    assert fs.n_samples > 0
    assert report.rows_read == report.rows_used + sum(report.set_aside.values())
