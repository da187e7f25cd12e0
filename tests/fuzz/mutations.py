"""Valid files made invalid: byte by byte, and by what their format is made of."""

import gzip
import io
import json
import random
import re
import struct
import zipfile
import zlib

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.nasty import NAMES, field, table_of_any_types

_MOST = 1 << 20  # what is tried is how files are made, not how large they are
_XML_VALUE = re.compile(rb'(?<==")[^"]*(?=")|(?<=>)[^<]+(?=<)')
_XML_NASTY = (
    *("XFD1", "A99999999999", "A0", "1A", "", "-1", "99999999999", "1e11", "1.5", "NaN", "s", "b"),
    *("d", "e", "str", "inlineStr", "9999-12-31T23:59:59", "2958466", "-1e300", "&#0;", "&x;", "é"),
    *("99999", "true", "&lt;a&gt;", "\t", "A1:XFD1048576"),
)


_JSON_NASTY = (
    *("null", "true", "[]", "{}", "1e308", "-1", "1" + "0" * 30, "[[[]]]", '{"a": [1]}', "NaN"),
    *(
        "Infinity",
        "0",
        '""',
        '"\\u0000"',
        '"../x"',
        '"UTC"',
        '"+proj=merc"',
        "[[1], 2]",
        '["a", 1]',
    ),
    *('"9999-12-31T23:59:59+14:00"', '{"x": {}}', '{"columns": {"a": [1]}, "x_m": [1], "y_m": []}'),
)
_DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError),
    *(zlib.error, struct.error, zipfile.BadZipFile, pa.ArrowException),
)


def mutated(rng: random.Random, content: bytes) -> bytes:
    """One to three changes of a file, some of its make-up and some of its bytes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        content = _changed(rng, content)[:_MOST]
    if rng.random() < 0.1:
        content = rng.choice((gzip.compress, _zipped, _oddly_zipped))(content)
        if rng.random() < 0.3:
            content = _bytes_changed(rng, content)
    return content


def _changed(rng, content):
    if rng.random() < 0.25 or not content:
        return _bytes_changed(rng, content)
    try:
        if content[:2] == b"\x1f\x8b":
            return gzip.compress(_changed(rng, gzip.decompress(content)))
        if content[:4] == b"PK\x03\x04":
            return _zip_changed(rng, content)
        if content[:4] == b"PAR1":
            return _parquet_changed(rng, content)
        if content.lstrip()[:1] in (b"[", b"{"):
            return json_changed(rng, content)
    except _DAMAGED:
        return _bytes_changed(rng, content)  # it is damaged already
    return _text_changed(rng, content)


def _bytes_changed(rng, content):
    out = bytearray(content)
    at = rng.randrange(len(out) + 1)
    match rng.randrange(6):
        case 0:
            del out[at:]
        case 1:
            del out[at : at + rng.randrange(1, 50)]
        case 2:
            out[at:at] = bytes(rng.getrandbits(8) for _ in range(rng.randrange(1, 20)))
        case 3:
            out[at:at] = out[at : at + rng.randrange(1, 2_000)]
        case _:
            for _ in range(rng.choice((1, 1, 4, 30))):
                if out:
                    out[rng.randrange(len(out))] = rng.choice((0, 255, 128, rng.getrandbits(8)))
    return bytes(out)


# --- text ----------------------------------------------------------------------------------------


def _text_changed(rng, content):
    text = content.decode("utf-8", "replace")
    lines = text.split("\n")
    mark = max(",;\t|", key=text.count)
    at = rng.randrange(len(lines))
    cells = lines[at].split(mark)
    match rng.randrange(10):
        case 0:  # a field
            cells[rng.randrange(len(cells))] = field(rng)
            lines[at] = mark.join(cells)
        case 1:  # a column of them
            which = rng.randrange(len(lines[0].split(mark)))
            value = field(rng)
            for i in range(1, len(lines)):
                row = lines[i].split(mark)
                if which < len(row):
                    row[which] = value if rng.random() < 0.9 else field(rng)
                    lines[i] = mark.join(row)
        case 2:  # a name
            names = lines[0].split(mark)
            names[rng.randrange(len(names))] = rng.choice(NAMES)
            lines[0] = mark.join(names)
        case 3:  # a column twice, or once more
            lines = [line + mark + line.split(mark)[0] for line in lines]
        case 4:
            lines = lines[1:]
        case 5:
            rng.shuffle(lines)
        case 6:
            lines = lines[: rng.randrange(4)]
        case 7:
            lines[at] *= rng.choice((2, 50, 1_000))
        case 8:
            return text.encode(
                rng.choice(("utf-16", "utf-16-be", "latin-1", "utf-8-sig", "cp500", "utf-32")),
                "replace",
            )
        case 9:
            return text.replace("\n", rng.choice(("\r", "\r\n", "\n\n", "\x0b", "\x00\n"))).encode()
    return "\n".join(lines).encode("utf-8", "replace")


def json_changed(rng, content):
    """One value of it exchanged, removed or given twice."""
    whole = json.loads(content)
    for _ in range(20):
        here = whole
        while isinstance(here, (dict, list)) and here:
            keys = list(here) if isinstance(here, dict) else range(len(here))
            key = rng.choice(keys)
            if rng.random() < 0.3 or not isinstance(here[key], (dict, list)):
                nasty = [json.loads(rng.choice(_JSON_NASTY)), field(rng), rng.choice(NAMES)]
                here[key] = rng.choice(nasty)
                if rng.random() < 0.1:
                    del here[key]
                elif rng.random() < 0.3 and isinstance(here, dict):
                    here[rng.choice(NAMES)] = here.pop(key)
                elif rng.random() < 0.3 and isinstance(here, list):
                    here.append(here[key])
                return json.dumps(whole).encode()
            here = here[key]
    return json.dumps(whole).encode()


# --- zip and XLSX --------------------------------------------------------------------------------


def _zip_changed(rng, content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at = rng.randrange(len(members))
    sheets = [i for i, (name, _) in enumerate(members) if "sheet" in name or name[-4:] == ".csv"]
    if sheets and rng.random() < 0.5:
        at = rng.choice(sheets)
    name, body = members[at]
    match rng.randrange(8):
        case 0:
            members.pop(at)
        case 1:
            members[at] = (rng.choice(("", "/", "a/b", "..", "\x00", "é", "README.md", name)), body)
        case 2:
            members.append((rng.choice(("", name, "more.csv", "xl/workbook.xml")), body))
        case _:
            members[at] = (name, _member_changed(rng, body))
    return _packed(members, rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)))


def _member_changed(rng, body):
    values = list(_XML_VALUE.finditer(body)) if body.lstrip()[:1] == b"<" else []
    if not values or rng.random() < 0.2:
        return _changed(rng, body)
    for _ in range(rng.choice((1, 3))):
        found = rng.choice(values)
        if rng.random() < 0.2:
            return body[: found.start()] + body[found.end() :]
        new = rng.choice(_XML_NASTY).encode()
        body = body[: found.start()] + new + body[found.end() :]
        values = list(_XML_VALUE.finditer(body)) or values
    return body


def _packed(members, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in members:
            entry = zipfile.ZipInfo("x")
            entry.filename = entry.orig_filename = name  # also none, which its maker would refuse
            entry.compress_type = method
            archive.NameToInfo.pop(name, None)
            archive.writestr(entry, body)
    return out.getvalue()


def _zipped(content):
    return _packed([("a.csv", content)], zipfile.ZIP_DEFLATED)


def _oddly_zipped(content):
    return _packed([("", content), ("__MACOSX/", b"")], zipfile.ZIP_STORED)


# --- Parquet -------------------------------------------------------------------------------------


def _parquet_changed(rng, content):
    table = pq.read_table(io.BytesIO(content))
    n = min(table.num_rows, 40)
    table = table.slice(0, n)
    names = list(table.column_names)
    match rng.randrange(5):
        case 0:
            table = table_of_any_types(rng, names, n)
        case 1:
            table = table_of_any_types(rng, rng.choices(NAMES, k=rng.randrange(1, 9)), n)
        case 2:
            names[rng.randrange(len(names))] = rng.choice(NAMES)
            table = table.rename_columns(names)
        case 3:
            at = rng.randrange(len(names))
            new = table_of_any_types(rng, [names[at]], n)
            table = table.set_column(at, new.schema.field(0), new.column(0))
        case 4:
            table = table.append_column(rng.choice(names), table.column(rng.randrange(len(names))))
    out = io.BytesIO()
    pq.write_table(
        table,
        out,
        use_dictionary=rng.random() < 0.5,
        row_group_size=rng.choice((1, 7, 1_000)),
        compression=rng.choice(("snappy", "none", "gzip", "zstd")),
        use_deprecated_int96_timestamps=rng.random() < 0.1,
        store_schema=rng.random() < 0.7,
    )
    return out.getvalue()
