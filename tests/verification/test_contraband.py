"""What does not belong into a release, however it is hidden there, is refused by name."""

import contextlib
import io
import json
import re
import struct
import zipfile

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow import parquet

from fpanon_core import generate_cdr, publish, read_cdr, release
from fpanon_core.model.errors import SchemaError
from fpanon_core.model.options import Glove
from fpanon_core.verification.release import verify_release
from tests.support.releases import members_of, restated, zipped

ID = "SUBSCRIBER00007"
RAW = [[ID, "2024-03-04T08:01:00+01:00", 52.5, 13.4]] * 2_000
DESCRIPTION, PAGE = "datapackage.json", "README.md"


@pytest.fixture(scope="module")
def fs():
    events = generate_cdr(40, days=2)
    ids = "SUBSCRIBER" + events["user_id"].astype(str).str[-5:]
    return read_cdr(events.assign(user_id=ids), timezone="Europe/Berlin")[0]


@pytest.fixture(scope="module")
def honest(fs, tmp_path_factory):
    """The members of one release, as CSV and as Parquet."""
    made, out = release(fs, Glove(2)), {}
    for form in ("csv", "parquet"):
        folder = publish(made, tmp_path_factory.mktemp("honest") / form, format=form)
        out[form] = members_of(folder)
        assert verify_release(zipped(out[form]), fs, 2).passed
    return out


# --- in the description ---------------------------------------------------------------------------


def said(alter):
    """Alter the plain values of the description, and write them as a release does."""

    def change(members):
        plain = json.loads(members[DESCRIPTION])
        alter(plain)
        text = json.dumps(plain, ensure_ascii=False, indent=1)
        return members | {DESCRIPTION: f"{text}\n".encode()}

    return change


def put(place, value):
    """Set a value at a place of the description, such as ``fpanon.k``."""

    def alter(plain):
        *path, last = place.split(".")
        for name in path:
            plain = plain[int(name)] if name.isdigit() else plain[name]
        plain[last] = value

    return said(alter)


def edit(member, pattern, instead):
    """Replace what matches first in a member, which must change it."""

    def change(members):
        new = re.sub(pattern, instead, members[member], count=1)
        assert new != members[member]
        return members | {member: new}

    return change


def reorder(plain):
    plain["fpanon"] = dict(reversed(plain["fpanon"].items()))


def whole(member, make):
    """Make a member's bytes of those that it has."""
    return lambda members: members | {member: make(members[member])}


OWN_REGIONS = {"kind": "regions", "column": ID}
IN_DESCRIPTION = {
    "description": {
        "raw rows under an unknown key": put("rows", RAW),
        "raw rows under an unknown key of fpanon": put("fpanon.raw", RAW),
        "an unknown key of a field": put("resources.0.schema.fields.0.example", ID),
        "an escaped letter": edit(DESCRIPTION, rb"Mobility", rb"\\u004dobility"),
        "an id in the title": put("title", f"Mobility data of {ID}"),
        "an id in the words for the steps": put("fpanon.option", ID),
        "an id in the verdict": put("fpanon.verified.text", f"Verified. {ID}"),
        "a key twice": edit(
            DESCRIPTION, rb'"fpanon": \{', b'"fpanon": {\n  "k": "' + ID.encode() + b'",'
        ),
        "another order": said(reorder),
        "another text after the end": whole(
            DESCRIPTION, lambda raw: raw + json.dumps(RAW).encode()
        ),
        "UTF-16": whole(DESCRIPTION, lambda raw: raw.decode().encode("utf-16")),
        "digits that round away": edit(
            DESCRIPTION, rb'("granularity_m": 100\.0)', rb"\g<1>000000000000000000001"
        ),
        "a look-alike letter": put("title", "M\u043ebility data: GLOVE, k = 2"),
        "deep brackets": whole(DESCRIPTION, lambda _: b"[" * 200_000),
        "another schema": put("$schema", "https://example.org/?id=" + ID),
        "a verdict on other bytes": put("fpanon.verified.sha256", "0" * 64),
        "untrue rows": edit(DESCRIPTION, rb"[\d.]+ of 100 rows", b"0.002 of 100 rows"),
    },
    "facts": {
        "an unknown key of the accuracy": put("fpanon.accuracy.max", 7.0),
        "an unknown key of a step": put("fpanon.steps.0.note", ID),
        "an id for a time zone": put("fpanon.timezone", ID),
        "an id for a leftover": put("fpanon.leftover", ID),
        "another column of regions": put(
            "fpanon.steps",
            [{"technique": "generalize", "minutes": 60.0, "space": OWN_REGIONS}],
        ),
        "a thousand steps": put(
            "fpanon.steps", [{"technique": "sample_users", "share": 0.5}] * 1_000
        ),
        "not a number": put("fpanon.phantom_share", float("nan")),
        "infinity": put("fpanon.granularity_m", float("inf")),
        "a number too large for JSON": edit(
            DESCRIPTION, rb'"granularity_m": [\d.]+', b'"granularity_m": 1e999'
        ),
        "a whole number of 4,000 digits": put("fpanon.rows", int("7" * 4_000)),
        "a whole number of 40 digits": put("fpanon.people", int("8" * 40)),
        "true for one": put("fpanon.people", True),
        "free digits of the accuracy": put("fpanon.accuracy.mean_side_m", 1234.56789012345),
        "free digits of the phantom share": put("fpanon.phantom_share", 0.0123456789012345),
    },
    "projection": {
        "an id for a projection": put("fpanon.crs", ID),
    },
    "hash": {
        "another digit": edit("data.csv", rb"(?<=[02-9])\.", b"1."),
        "a line cut off": whole("data.csv", lambda data: data.rsplit(b"\n", 2)[0] + b"\n"),
    },
    "version": {
        "another version": put("fpanon.version", "0.0.9"),
        "words for a version": put("fpanon.version", ID),
    },
}

ON_THE_PAGE = {
    "a remote image": whole(PAGE, lambda raw: raw + b"\n![](https://example.org/seen.png)\n"),
    "raw rows": whole(PAGE, lambda raw: raw + json.dumps(RAW).encode()),
    "an id in a comment that no reader shows": whole(
        PAGE, lambda raw: raw + f"<!-- {ID} -->".encode()
    ),
    "letters without width": edit(PAGE, rb"Mobility", "Mob\u200bility".encode()),
    "no verdict": edit(PAGE, rb"Verified:", b""),
    "another order of the parts": whole(
        PAGE, lambda raw: b"\n\n".join(reversed(raw.split(b"\n\n")))
    ),
    "a larger k": edit(PAGE, rb"at least 2 people", b"at least 9 people"),
    "nothing": whole(PAGE, lambda _: b""),
    "what is no text": whole(PAGE, lambda _: bytes(range(256))),
}

# --- among the members, and in the zip ------------------------------------------------------------


def member(name, content=b""):
    return lambda members: members | {name: content}


MEMBERS = {
    "none but two": lambda members: {name: members[name] for name in (PAGE, DESCRIPTION)},
    "no page": lambda members: {name: members[name] for name in ("data.csv", DESCRIPTION)},
    "no description": lambda members: {name: members[name] for name in ("data.csv", PAGE)},
    "the raw rows": member("raw.csv", json.dumps(RAW).encode()),
    "a hidden member": member(".key"),
    "a member above": member("../README.md"),
    "a second data file": member("data.parquet", b"PAR1"),
    "a name with an id": member(f"{ID}.txt"),
    "another case": member("Readme.md"),
}


def packed(members, note):
    """A zip in which something is not as it should be, and the bytes around it."""
    out = io.BytesIO()
    names = sorted(members, key=lambda name: (name != PAGE, name), reverse=note == "order")
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_STORED if note == "stored" else zipfile.ZIP_DEFLATED
            if note == "extra":
                info.extra = struct.pack("<2H", 0x7075, len(ID)) + ID.encode()
            if note == "member comment":
                info.comment = ID.encode()
            archive.writestr(info, members[name])
        if note == "twice":
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr(info, members[name])
        if note == "comment":
            archive.comment = ID.encode()
    content = out.getvalue()
    return {"before": b"#!" + content, "after": content + b"more"}.get(note, content)


NOTES = ["order", "stored", "extra", "member comment", "twice", "comment", "before", "after"]

# --- in the data ----------------------------------------------------------------------------------


def with_data(change, form="csv"):
    """Other data, with page and description of their size and digest."""

    def alter(members):
        name = f"data.{form}"
        data = change(members[name])
        assert data != members[name]
        return restated(members, data)

    return alter


def first_number(make):
    """Another text for the first western bound."""

    def change(data):
        head, row, rest = data.split(b"\n", 2)
        fields = row.split(b",")
        fields[2] = make(fields[2])
        return b"\n".join([head, b",".join(fields), rest])

    return with_data(change)


def lines(make):
    return with_data(lambda data: b"\n".join(make(data.split(b"\n"))))


CSV = {
    "written otherwise": {
        "a cell in quotes": first_number(lambda cell: b'"' + cell + b'"'),
        "a zero too many": first_number(lambda cell: cell + b".0"),
        "an exponent": first_number(lambda cell: cell + b"e0"),
        "lines of another system": with_data(lambda data: data.replace(b"\n", b"\r\n")),
        "no last line break": with_data(lambda data: data[:-1]),
    },
    None: {
        "a blank": first_number(lambda cell: b" " + cell),
        "a plus": first_number(lambda cell: b"+" + cell),
        "an empty line": with_data(lambda data: data + b"\n"),
        "a head in quotes": with_data(lambda data: data.replace(b"pseudonym", b'"pseudonym"', 1)),
    },
    "columns": {
        "a mark of byte order": with_data(lambda data: b"\xef\xbb\xbf" + data),
        "one more column": lines(
            lambda rows: [row + b"," + ID.encode() if row else row for row in rows]
        ),
    },
    "data file": {
        "one more cell": lines(lambda rows: [rows[0], rows[1] + b",1", *rows[2:]]),
        "a comment line": lines(lambda rows: [rows[0], b"# " + ID.encode(), *rows[1:]]),
        "words for a number": first_number(lambda _: b"somewhere"),
        "another kind of file": with_data(lambda _: b"\x00\xff\xfe" * 100),
        "parts of a second that are none": with_data(
            lambda data: re.sub(rb"(T\d\d:\d\d:\d\d)", rb"\1.000000", data, count=1)
        ),
        "a blank for the T": with_data(
            lambda data: re.sub(rb"(\d)T(\d\d:)", rb"\1 \2", data, count=1)
        ),
    },
}


def repacked(change=None, **how):
    """The Parquet file, written anew."""

    def write(data):
        table = parquet.read_table(io.BytesIO(data))
        out = io.BytesIO()
        parquet.write_table(table if change is None else change(table), out, **how)
        return out.getvalue()

    return with_data(write, "parquet")


def of_a_column(table):
    field = table.schema.field(2).with_metadata({"made for": ID})
    return table.cast(table.schema.set(2, field))


def unused_word(table):
    """A dictionary with a word that no row uses."""
    names = table["pseudonym"].combine_chunks().dictionary_encode()
    words = pa.concat_arrays([names.dictionary, pa.array([ID], names.dictionary.type)])
    column = pa.DictionaryArray.from_arrays(names.indices, words)
    return table.set_column(0, "pseudonym", column)


PARQUET = {
    "metadata of the file": repacked(lambda t: t.replace_schema_metadata({"made for": ID})),
    "metadata of a column": repacked(of_a_column),
    "a word that no row uses": repacked(unused_word),
    "no statistics": repacked(write_statistics=False),
    "another compression": repacked(compression="zstd"),
    "many pieces": repacked(row_group_size=7),
    "no dictionaries": repacked(use_dictionary=False),
    "an index of pages": repacked(write_page_index=True),
    "another version of the format": repacked(version="1.0"),
    "no schema of Arrow": repacked(store_schema=False),
    "numbers of another width": repacked(
        lambda t: t.set_column(1, "group", t["group"].cast(pa.int32()))
    ),
    "another name of its writer": with_data(
        lambda data: data.replace(b"parquet-cpp-arrow", b"parquet-cpp-ARROW"), "parquet"
    ),
}


def refused(fs, content):
    """The kinds of fault; nothing of the release is in any of their sentences."""
    verdict = verify_release(content, fs, 2)
    assert not verdict.passed
    assert len(verdict.violations)
    told = " ".join(verdict.violations["text"])
    assert ID not in told
    assert "example.org" not in told
    return set(verdict.counts)


def cases(by_kind):
    return [
        pytest.param(alter, kind, id=name)
        for kind, alters in by_kind.items()
        for name, alter in alters.items()
    ]


@pytest.mark.parametrize(("alter", "kind"), cases(IN_DESCRIPTION))
def test_in_the_description(fs, honest, alter, kind):
    assert kind in refused(fs, zipped(alter(honest["csv"])))


@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_on_the_page(fs, honest, name):
    assert refused(fs, zipped(ON_THE_PAGE[name](honest["csv"]))) >= {"page"}


@pytest.mark.parametrize("name", MEMBERS)
def test_among_the_members(fs, honest, name):
    assert "members" in refused(fs, zipped(MEMBERS[name](honest["csv"])))


@pytest.mark.parametrize("note", NOTES)
def test_in_the_zip(fs, honest, note):
    assert verify_release(packed(honest["csv"], ""), fs, 2).passed  # but for the note
    assert "members" in refused(fs, packed(honest["csv"], note))


def test_in_the_heads_of_a_zip(fs, honest):
    """Times, rights, systems and whatever else is in them: no bit is free."""
    content = zipped(honest["csv"])
    for at in (*range(30), *range(content.index(b"PK\x01\x02"), len(content))):
        other = bytearray(content)
        other[at] ^= 1
        with contextlib.suppress(SchemaError):  # it would be too large
            refused(fs, bytes(other))


def changed(content, how, where, many, bit):
    """The bytes with one of them exchanged, some left out or twice, or others put in."""
    at = int(where * len(content))
    end = at + many
    if isinstance(how, bytes):
        return content[:at] + how + content[at:]
    here = {
        "exchanged": bytes([content[at] ^ 1 << bit]) + content[at + 1 : end],
        "left out": b"",
        "twice": content[at:end] * 2,
    }
    return content[:at] + here[how] + content[end:]


PUT_IN = (b" ", b"\n", b"\t", b"\r", b"//", b"\xef\xbb\xbf", b"\0", b"a")


@given(
    of=st.sampled_from([DESCRIPTION, PAGE, "the zip"]),
    how=st.sampled_from(["exchanged", "left out", "twice", *PUT_IN]),
    where=st.floats(0, 1, exclude_max=True),
    many=st.integers(1, 9),
    bit=st.integers(0, 7),
)
def test_of_page_description_and_zip_no_byte_is_free(fs, honest, of, **more):
    members = honest["csv"]
    plain = zipped(members) if of == "the zip" else members[of]
    other = changed(plain, **more)
    assume(other != plain)
    if of != "the zip":
        refused(fs, zipped(members | {of: other}))
        return
    with contextlib.suppress(SchemaError):  # a size that it states, and that is too large
        refused(fs, other)


@pytest.mark.parametrize(("alter", "kind"), cases(CSV))
def test_in_the_csv(fs, honest, alter, kind):
    kinds = refused(fs, zipped(alter(honest["csv"])))
    assert kind is None or kind in kinds
    assert not kinds & {"hash", "page", "description", "facts"}


@pytest.mark.parametrize("name", PARQUET)
def test_in_the_parquet(fs, honest, name):
    kinds = refused(fs, zipped(PARQUET[name](honest["parquet"])))
    assert kinds & {"written otherwise", "columns"}
    assert not kinds & {"hash", "page", "description", "facts"}


def test_by_which_version_it_must_be_verified_is_said(fs, honest):
    older = put("fpanon.version", "0.0.9")(honest["csv"])
    (text,) = verify_release(zipped(older), fs, 2).violations["text"]
    assert "fpanon 0.0.9 wrote this release" in text
    assert "publish the release again" in text
