"""Tamperings with a release as it leaves: each is caught, by its kind; the untouched one passes."""

# ruff: noqa: ARG001 – every tampering is called alike, whatever it needs

import base64
import hashlib
import io
import json
import zipfile
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.chain import release as made_by
from fpanon_core.anonymize.glove import glove
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import AddNoise
from fpanon_core.studies.publishing import publish
from fpanon_core.verification import data_file, package
from fpanon_core.verification.package import is_tight
from fpanon_core.verification.release import verify_release
from tests.support.releases import DEGREES, LETTERS, Release, degrees, members_of, restated, zipped

K = 2
ONE_DAY = pd.Timedelta("1D")
BEFORE, KEYED = [], []


def tampering(kind, among, **how):
    """Registers a function that alters a release, with the kind of fault it must lead to."""

    def register(alter):
        among.append(pytest.param(alter, kind, how, id=alter.__name__.replace("_", " ")))
        return alter

    return register


@pytest.fixture(scope="module")
def made(fs, result, whole):
    return {"result": Release(fs, result), "whole": Release(fs, whole)}


@pytest.fixture(params=["at once", "in pieces"])
def reading(request, monkeypatch):
    """As a small release is read, and as one that does not fit into memory."""
    if request.param == "in pieces":
        monkeypatch.setattr(data_file, "_PIECE_ROWS", 40)
        monkeypatch.setattr(data_file, "_PIECE_BYTES", 6_000)
        monkeypatch.setattr(package, "_MAPPED", 1)


@pytest.fixture
def release(made):
    return deepcopy(made["result"])


def found(fs, release, k=K, **options):
    verdict = verify_release(release, fs, k, **options)
    assert verdict.passed == (not verdict.counts) == (len(verdict.violations) == 0)
    return set(verdict.counts)


# --- parts altered before they are put together: hashes and sizes are right -----------------------


@tampering("uncovered sample", BEFORE)
def a_cell_moved_in_all_copies(release, fs):
    # Of one person, whatever order was drawn: of some groups it is the links that no longer fit.
    someone = release.key.sort_values("user_id")["pseudonym"].iloc[0]
    group = release.rows.loc[release.rows["pseudonym"] == someone, "group"].iloc[0]
    of_group = release.rows["group"] == group
    release.rows.loc[of_group, ["x_min_m", "x_max_m"]] += 40_000.0
    again = degrees(release.rows[of_group], fs.crs)
    release.rows.loc[of_group, DEGREES] = again.to_numpy()


@tampering("unlike copies", BEFORE)
def one_members_row_removed(release, fs):
    release.rows = release.rows.drop(index=first_of_many(release)).reset_index(drop=True)
    release.facts["rows"] -= 1


def first_of_many(release):
    sizes = release.rows.groupby("pseudonym").size()
    return int(release.rows.index[release.rows["pseudonym"] == sizes.idxmax()][0])


@tampering("group size", BEFORE)
def one_persons_record_removed(release, fs):
    gone = release.rows["pseudonym"] == release.rows["pseudonym"].iloc[0]
    release.rows = release.rows[~gone].reset_index(drop=True)
    release.facts["rows"], release.facts["people"] = len(release.rows), release.facts["people"] - 1
    release.facts["people_left_out"] += 1


@tampering("unknown user", BEFORE)
def a_strangers_record_added(release, fs):
    """As many as there are people left out, and one more."""
    last = release.rows[release.rows["pseudonym"] == release.rows["pseudonym"].iloc[-1]]
    many = [last.assign(pseudonym=f"STRANGERSTRANGE{c}") for c in LETTERS[:20]]
    release.rows = pd.concat([release.rows, *many], ignore_index=True)


@tampering("several groups", BEFORE)
def a_record_in_two_groups(release, fs):
    release.rows.loc[first_of_many(release), "group"] += 1


@tampering("overlap", BEFORE)
def samples_that_overlap_in_time(release, fs):
    at = first_of_many(release)
    release.rows.loc[at, "end"] = release.rows.loc[at + 1, "end"]


@tampering("phantom share", BEFORE, of="whole")
def a_smaller_phantom_share_stated(release, fs):
    rows = release.facts["rows"]
    untrue = round(release.facts["phantom_share"] * rows)
    release.facts["phantom_share"] = (untrue - 1 - rows // 1_000) / rows


def renamed(release, names):
    new = dict(zip(release.key["pseudonym"], names, strict=True))
    release.rows["pseudonym"] = release.rows["pseudonym"].map(new)
    release.key["pseudonym"] = release.key["pseudonym"].map(new)


@tampering("order", BEFORE)
def records_in_the_order_of_the_input(release, fs):
    whose = dict(release.key[["pseudonym", "user_id"]].itertuples(index=False))
    order = release.rows["pseudonym"].map(whose).argsort(kind="stable")
    release.rows = release.rows.iloc[order].reset_index(drop=True)


@tampering("order", BEFORE)
def groups_numbered_in_the_order_of_the_input(release, fs):
    whose = dict(release.key[["pseudonym", "user_id"]].itertuples(index=False))
    ids = release.rows["pseudonym"].map(whose)
    first = ids.groupby(release.rows["group"]).min().rank().astype(int)
    release.rows["group"] = release.rows["group"].map(first)


@tampering("facts", BEFORE)
def a_technique_that_is_a_list(release, fs):
    release.facts["steps"] = [{**step, "technique": [step]} for step in release.facts["steps"]]


def first(name, change):
    """Another value in the first row."""
    return lambda rows: rows.assign(
        **{name: rows[name].where(rows.index > 0, change(rows[name][0]))}
    )


def times(change):
    return lambda rows: rows.assign(**{name: change(rows[name]) for name in ("start", "end")})


# The rows as they are not.
ROWS = [
    ("one member's copy altered", "unlike copies", first("x_max_m", lambda x: x + 100.0)),
    ("a bound that is missing", "not a number", first("y_max_m", lambda _: np.nan)),
    ("a latitude of another place", "degrees", first("lat_max", lambda lat: lat + 0.01)),
    ("an end before its beginning", "negative extent", first("end", lambda t: t - ONE_DAY)),
    (
        "two records under one pseudonym",
        "order of rows",
        lambda rows: rows.replace(rows["pseudonym"].iloc[-1], rows["pseudonym"].iloc[0]),
    ),
    ("not in order of time", "order of rows", lambda rows: rows[::-1].reset_index(drop=True)),
    ("another zone", "clock", times(lambda column: column.dt.tz_convert("Asia/Tokyo"))),
    ("an hour later", "uncovered sample", times(lambda column: column + pd.Timedelta("1h"))),
    ("no offset", "data file", times(lambda column: column.dt.tz_localize(None))),
    ("not numbered from one", "group numbers", lambda rows: rows.assign(group=rows.group + 1_000)),
    ("a column too many", "columns", lambda rows: rows.assign(count=1)),
    ("a column missing", "columns", lambda rows: rows.drop(columns="lat_min")),
]


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(("kind", "alter"), [pytest.param(*case, id=n) for n, *case in ROWS])
def test_altered_rows_are_caught(fs, release, kind, alter):
    release.rows = alter(release.rows)
    assert kind in found(fs, release.zipped())


NAMES = {
    "ids": lambda _, ids: ids,
    "ids inside": lambda _, ids: "X" + ids + "Z",
    "running numbers": lambda fs, ids: ids.map(
        dict(zip(map(str, fs.user_ids), fs.pseudonyms, strict=True))
    ),
    "the order of the input": lambda _, ids: in_order(ids.rank()),
    "the opposite order": lambda _, ids: in_order(800 - ids.rank()),
}


def in_order(numbers):
    """Names that are in the order of some numbers."""
    return [f"{LETTERS[n // 26]}{LETTERS[n % 26]}QWERTYUIOPASDF" for n in numbers.astype(int)]


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("names", NAMES)
def test_pseudonyms_that_follow_the_ids_are_caught(fs, release, names):
    renamed(release, NAMES[names](fs, release.key["user_id"]))
    kind = "order" if "order" in names else "pseudonym"
    assert kind in found(fs, release.zipped())


@pytest.mark.parametrize("other", [{"people": 987}, {"k": 77}], ids=str)
def test_a_page_that_states_something_else_is_caught(fs, release, other):
    k = [{**step, **other} for step in release.facts["steps"]] if "k" in other else None
    release.page_facts = {"steps": k} if k else other
    assert "page" in found(fs, release.zipped())


# What is stated of the release otherwise than it is.
STATED = [
    ("another projection", "projection", {"crs": "EPSG:3857"}),
    ("another zone", "clock", {"timezone": "Europe/Paris"}),
    ("another first day", "clock", {"epoch": "1999-01-01"}),
    ("a shorter period", "period", {"last_day": lambda facts: facts["first_day"]}),
    ("a finer granularity", "granularity", {"granularity_m": 10.0}),
    ("a coarser granularity", "granularity", {"granularity_m": 1_000.0}),
    ("a narrower limit", "limit", {"step.suppress_space_m": 2_000.0}),
    ("a shorter limit", "limit", {"step.suppress_time_min": 30.0}),
    ("a limit that the technique has not", "description", {"suppress_space_m": 30_000.0}),
    ("a larger k", "group size", {"step.k": 9}),
    ("no k", "description", {"k": None}),
    ("more people", "counts", {"people": lambda facts: facts["people"] + 1}),
    ("more groups", "counts", {"groups": lambda facts: facts["groups"] + 1}),
    (
        "other rows",
        "counts",
        {"rows": lambda facts: facts["rows"] + 1, "phantom_share": 0.0},
    ),
    ("fewer people", "counts", {"people_left_out": lambda facts: facts["people_left_out"] - 1}),
    (
        "fewer samples left out",
        "uncovered sample",
        {"samples_left_out": lambda facts: facts["samples_left_out"] - 1},
    ),
    ("fewer than no samples left out", "facts", {"samples_left_out": -1}),
    (
        "more samples left out than there are",
        "facts",
        {"samples_left_out": lambda facts: facts["samples_in"] + 1},
    ),
    ("no fate of the last people", "facts", {"leftover": None}),
    ("a phantom share that cannot be", "phantom share", {"phantom_share": 1.0}),
    ("an id in the words", "description", {"option": "GLOVE, tried on SUBSCRIBER00007"}),
]


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(("kind", "facts"), [pytest.param(*case, id=n) for n, *case in STATED])
def test_other_facts_stated_are_caught(fs, release, kind, facts):
    for name, value in facts.items():
        of = release.facts["steps"][0] if name.startswith("step.") else release.facts
        of[name.removeprefix("step.")] = value(release.facts) if callable(value) else value
    assert kind in found(fs, release.zipped())


def test_limits_stated_over_samples_of_one_person_are_caught(fs, made):
    release = deepcopy(made["whole"])
    release.facts["steps"][0]["suppress_time_min"] = 1e6
    assert "sample of too few" in found(fs, release.zipped())


@pytest.mark.parametrize("code", ["md5", "sha1", "sha256", "base64", "base32", "cut"])
def test_pseudonyms_computed_from_ids_are_caught(fs, release, code):
    def coded(user_id):
        plain = user_id.encode()
        if code == "base64":
            return base64.b64encode(b"%s" % plain).decode()
        if code == "base32":
            return base64.b32encode(plain).decode().rstrip("=")
        if code == "cut":
            return hashlib.sha256(plain).hexdigest()[:16].upper()
        return getattr(hashlib, code)(plain).hexdigest()

    renamed(release, [coded(user_id) for user_id in release.key["user_id"]])
    assert "pseudonym" in found(fs, release.zipped())


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(("alter", "kind", "how"), BEFORE)
def test_altered_parts_are_caught(fs, made, alter, kind, how):
    release = deepcopy(made[how.get("of", "result")])
    alter(release, fs)
    assert kind in found(fs, release.zipped())


# --- members and the zip; what else they can hide is in test_contraband ---------------------------


@pytest.mark.parametrize("name", ["README.md", "datapackage.json", "data.csv"])
def test_a_member_that_is_missing_is_caught(fs, release, name):
    members = release.members()
    del members[name]
    assert "members" in found(fs, zipped(members))


@pytest.mark.parametrize("hide", ["damaged", "between", "behind"])
def test_what_a_zip_file_can_hide_is_caught(fs, release, hide):
    content = release.zipped()
    if hide == "damaged":
        content = content[: len(content) // 2]
    else:  # the end says where the list of members begins
        at = content.index(b"PK\x01\x02")
        whole, end = content[:at] + b"something else" + content[at:-22], content[-22:]
        moved = int.from_bytes(end[16:20], "little") + 14
        content = whole + end[:16] + moved.to_bytes(4, "little") + end[20:]
    if hide == "behind":  # counted as the last member's packed bytes, which end before
        content = with_longer_last_member(content, 14)
    assert "members" in found(fs, content)


def with_longer_last_member(content, by):
    """The last member's packed size, in both of its heads, greater."""
    out = bytearray(content)
    local, central = content.rindex(b"PK\x03\x04"), content.rindex(b"PK\x01\x02")
    for at in (local + 18, central + 20):
        size = int.from_bytes(out[at : at + 4], "little") + by
        out[at : at + 4] = size.to_bytes(4, "little")
    return bytes(out)


def test_a_whole_zip_file_holds_its_members_alone(release):
    content = release.zipped()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert is_tight(content, archive.infolist(), zipfile.ZIP_DEFLATED)
    longer = content[:-22] + b"else" + content[-22:]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert not is_tight(longer, archive.infolist(), zipfile.ZIP_DEFLATED)


# --- with the key, or the list of what is left out ------------------------------------------------


@tampering("uncovered sample", KEYED)
def two_people_swapped_in_the_key(release, fs):
    group = release.rows.drop_duplicates("pseudonym").set_index("pseudonym")["group"]
    of = release.key["pseudonym"].map(group)
    other = int(np.flatnonzero(of != of.iloc[0])[0])
    release.key.loc[[0, other], "user_id"] = release.key.loc[[other, 0], "user_id"].to_numpy()


@tampering("uncovered sample", KEYED)
def the_key_reversed(release, fs):
    release.key["user_id"] = release.key["user_id"].to_numpy()[::-1]


@tampering("unknown user", KEYED)
def a_stranger_in_the_key(release, fs):
    release.key.loc[0, "user_id"] = "NOBODY"


@tampering("key", KEYED)
def a_person_twice_in_the_key(release, fs):
    release.key.loc[0, "user_id"] = release.key.loc[1, "user_id"]


@tampering("key", KEYED)
def a_pseudonym_missing_from_the_key(release, fs):
    release.key = release.key.iloc[1:]


@tampering("key", KEYED)
def an_unknown_pseudonym_in_the_key(release, fs):
    release.key.loc[0, "pseudonym"] = "A" * 16


@tampering("left out though published", KEYED)
def everything_listed_as_left_out(release, fs):
    ids = [str(fs.user_ids[u]) for u in fs.sample_user]
    release.left_out = pd.DataFrame({"user_id": ids, "sample": range(fs.n_samples)})


@tampering("uncovered sample", KEYED)
def a_sample_left_out_and_not_listed(release, fs):
    release.left_out = release.left_out.iloc[1:]


@tampering("unknown suppressed sample", KEYED)
def samples_listed_as_somebody_elses(release, fs):
    release.left_out["user_id"] = release.left_out["user_id"].to_numpy()[::-1]


@pytest.mark.parametrize(("alter", "kind", "how"), KEYED)
def test_wrong_keys_and_lists_are_caught(fs, release, alter, kind, how):
    alter(release, fs)
    options = {"key": release.key, "left_out": release.left_out}
    assert kind in found(fs, release.zipped(), **options)


def test_the_order_is_seen_with_the_key_alone(fs, result):
    """One group of all: without the key nothing is known of the order within it."""
    release = Release(fs, glove(fs, fs.n_users))
    renamed(release, in_order(release.key["user_id"].rank()))
    assert found(fs, release.zipped(), fs.n_users) == set()
    assert found(fs, release.zipped(), fs.n_users, key=release.key) == {"order"}


# --- what is right passes -------------------------------------------------------------------------


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("k", "options"),
    [
        (2, {}),
        (5, {}),
        (2, {"suppress_space_m": 15_000.0, "suppress_time_min": 360.0}),
        (3, {"suppress_time_min": 720.0, "leftover": "suppress"}),
        (7, {"leftover": "suppress"}),
    ],
)
def test_the_untouched_release_passes(fs, k, options, form, tmp_path):
    """As zip and as folder, with and without key and list; under a larger k it does not."""
    release = Release(fs, glove(fs, k, **options), form)
    members, content = release.members(), release.zipped()
    for name, of in members.items():
        (tmp_path / name).write_bytes(of)
    beside = tmp_path.parent / f"{tmp_path.name}-beside"
    beside.mkdir()
    release.key.to_csv(beside / "key.csv", index=False)
    release.left_out.to_csv(beside / "left_out.csv", index=False)
    (beside / "release.zip").write_bytes(content)
    lists = {"left_out": beside / "left_out.csv"}
    whose = {"key": beside / "key.csv"}
    tried = [(content, options) for options in ({}, lists, whose, lists | whose)]
    tried += [(place, lists | whose) for place in (tmp_path, beside / "release.zip")]
    for place, options in tried:
        verdict = verify_release(place, fs, k, **options)
        assert verdict.passed, (options, verdict.counts)
    assert verdict.groups == release.facts["groups"]
    assert not verify_release(content, fs, k + 20).passed
    mapping = dict(release.key.itertuples(index=False))
    assert found(fs, content, k, key=mapping) == set()
    assert found(fs, content, k, key=pd.Series(mapping)) == set()


def test_without_clock_and_projection():
    rng = np.random.default_rng(0)
    x, y, t = rng.uniform(0, 20_000, (3, 300))
    fs = FingerprintSet.from_samples(np.repeat(np.arange(50), 6), x, y, t)
    for options in ({}, {"suppress_space_m": 9_000.0, "suppress_time_min": 5_000.0}):
        release = Release(fs, glove(fs, 2, **options))
        assert found(fs, release.zipped()) == set()
        assert found(fs, release.zipped(), key=release.key) == set()


def test_a_release_that_promises_no_crowd(fs, tmp_path):
    """Noise hides nobody among k; its facts are checked all the same, with the key all of them."""
    key = tmp_path / "key.csv"
    path = publish(made_by(fs, [AddNoise(500.0, 10.0)]), tmp_path / "out", key=key)
    verdict = verify_release(path, fs, None, key=key)
    assert verdict.passed, verdict.counts
    assert "no group is promised" in str(verdict)
    members = members_of(path)
    plain = json.loads(members["datapackage.json"])["fpanon"]

    def lie(**other):
        altered = restated(members, members["data.csv"], other)
        return verify_release(zipped(altered), fs, None, key=key)

    assert lie().passed
    assert lie(people=plain["people"] + 1).counts == {"counts": 1}
    assert str(lie(people_alone=3)).startswith("NOT in order")
    assert lie(phantom_share=0.0).counts == {"phantom share": 1}
    accuracy = plain["accuracy"] | {"mean_side_m": 99.0}
    assert lie(accuracy=accuracy).counts == {"accuracy": 1}
    assert lie(first_day=plain["last_day"]).counts == {"period": 1}
    assert lie(granularity_m=50.0).counts == {"granularity": 1}


def test_no_release_no_key_no_k(fs, release, tmp_path):
    with pytest.raises(SchemaError, match="no release at that place"):
        verify_release(tmp_path / "none.zip", fs, K)
    with pytest.raises(SchemaError, match="key is missing"):
        verify_release(release.zipped(), fs, K, key=tmp_path / "none.csv")
    with pytest.raises(SchemaError, match="lacks pseudonym or user_id"):
        verify_release(release.zipped(), fs, K, key=release.key[["pseudonym"]])
    with pytest.raises(SchemaError, match="lacks the column sample"):
        verify_release(release.zipped(), fs, K, left_out=release.left_out[["user_id"]])
    for k in (1, 2.0, "2"):
        with pytest.raises(ConfigError, match="integer of 2 or more"):
            verify_release(release.zipped(), fs, k)
    (tmp_path / "text.zip").write_text("no zip")
    assert "members" in found(fs, tmp_path / "text.zip")
