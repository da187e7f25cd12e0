"""Tamperings with a release as it leaves: each is caught, by its kind; the untouched one passes."""

import base64
import hashlib
import json
from copy import deepcopy
from functools import partial

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.chain import release as made_by
from fpanon_core.anonymize.glove import glove
from fpanon_core.model.errors import SchemaError
from fpanon_core.model.options import AddNoise
from fpanon_core.studies.publishing import publish
from fpanon_core.verification.release import verify_release
from tests.support.refusals import check_refused
from tests.support.releases import DEGREES, LETTERS, Release, degrees, members_of, restated, zipped

K = 2
ONE_DAY = pd.Timedelta("1D")


@pytest.fixture(scope="module")
def made(fs, result, whole):
    return {"result": Release(fs, result), "whole": Release(fs, whole)}


@pytest.fixture
def release(made):
    return deepcopy(made["result"])


def found(fs, release, k=K, **options):
    verdict = verify_release(release, fs, k, **options)
    assert verdict.passed == (not verdict.counts) == (len(verdict.violations) == 0)
    return set(verdict.counts)


# --- parts altered before they are put together: hashes and sizes are right -----------------------


def a_cell_moved_in_all_copies(release, fs):
    # Of one person, whatever order was drawn: of some groups it is the links that no longer fit.
    someone = release.key.sort_values("user_id")["pseudonym"].iloc[0]
    group = release.rows.loc[release.rows["pseudonym"] == someone, "group"].iloc[0]
    of_group = release.rows["group"] == group
    release.rows.loc[of_group, ["x_min_m", "x_max_m"]] += 40_000.0
    again = degrees(release.rows[of_group], fs.crs)
    release.rows.loc[of_group, DEGREES] = again.to_numpy()


def one_members_row_removed(release, _):
    release.rows = release.rows.drop(index=first_of_many(release)).reset_index(drop=True)
    release.facts["rows"] -= 1


def first_of_many(release):
    sizes = release.rows.groupby("pseudonym").size()
    return int(release.rows.index[release.rows["pseudonym"] == sizes.idxmax()][0])


def one_persons_record_removed(release, _):
    gone = release.rows["pseudonym"] == release.rows["pseudonym"].iloc[0]
    release.rows = release.rows[~gone].reset_index(drop=True)
    release.facts["rows"], release.facts["people"] = len(release.rows), release.facts["people"] - 1
    release.facts["people_left_out"] += 1


def a_strangers_record_added(release, _):
    """As many as there are people left out, and one more."""
    last = release.rows[release.rows["pseudonym"] == release.rows["pseudonym"].iloc[-1]]
    many = [last.assign(pseudonym=f"STRANGERSTRANGE{c}") for c in LETTERS[:20]]
    release.rows = pd.concat([release.rows, *many], ignore_index=True)


def a_record_in_two_groups(release, _):
    release.rows.loc[first_of_many(release), "group"] += 1


def samples_that_overlap_in_time(release, _):
    at = first_of_many(release)
    release.rows.loc[at, "end"] = release.rows.loc[at + 1, "end"]


def a_smaller_phantom_share_stated(release, _):
    rows = release.facts["rows"]
    untrue = round(release.facts["phantom_share"] * rows)
    release.facts["phantom_share"] = (untrue - 1 - rows // 1_000) / rows


def renamed(names):
    """Other pseudonyms, made of the ids of the people."""

    def alter(release, fs):
        new = dict(zip(release.key["pseudonym"], names(release.key["user_id"], fs), strict=True))
        for table in (release.rows, release.key):
            table["pseudonym"] = table["pseudonym"].map(new)

    return alter


def in_order(numbers):
    """Names that are in the order of some numbers."""
    return [f"{LETTERS[n // 26]}{LETTERS[n % 26]}QWERTYUIOPASDF" for n in numbers.astype(int)]


def as_the_input_is_numbered(ids, fs):
    return ids.map(dict(zip(map(str, fs.user_ids), fs.pseudonyms, strict=True)))


def coded(code):
    return renamed(lambda ids, _: [code(user_id.encode()) for user_id in ids])


def ids_by_row(release):
    whose = dict(release.key[["pseudonym", "user_id"]].itertuples(index=False))
    return release.rows["pseudonym"].map(whose)


def records_in_the_order_of_the_input(release, _):
    order = ids_by_row(release).argsort(kind="stable")
    release.rows = release.rows.iloc[order].reset_index(drop=True)


def groups_numbered_in_the_order_of_the_input(release, _):
    first = ids_by_row(release).groupby(release.rows["group"]).min().rank().astype(int)
    release.rows["group"] = release.rows["group"].map(first)


def rows(change):
    """The rows as they are not."""

    def alter(release, _):
        release.rows = change(release.rows)

    return alter


def first(name, change):
    """Another value in the first row."""
    return rows(
        lambda table: table.assign(
            **{name: table[name].where(table.index > 0, change(table[name][0]))}
        )
    )


def times(change):
    return rows(lambda table: table.assign(start=change(table.start), end=change(table.end)))


def stated(change):
    """What is stated of the release otherwise than it is."""

    def alter(release, _):
        release.facts |= change(release.facts)

    return alter


def step(**other):
    return stated(lambda facts: {"steps": [each | other for each in facts["steps"]]})


TAMPERINGS = [
    ("uncovered sample", a_cell_moved_in_all_copies),
    ("unlike copies", one_members_row_removed),
    ("group size", one_persons_record_removed),
    ("unknown user", a_strangers_record_added),
    ("several groups", a_record_in_two_groups),
    ("overlap", samples_that_overlap_in_time),
    ("order", records_in_the_order_of_the_input),
    ("order", groups_numbered_in_the_order_of_the_input),
    # rows
    ("unlike copies", first("x_max_m", lambda x: x + 100.0)),
    ("not a number", first("y_max_m", lambda _: np.nan)),
    ("degrees", first("lat_max", lambda lat: lat + 0.01)),
    ("negative extent", first("end", lambda t: t - ONE_DAY)),
    ("order of rows", rows(lambda t: t.replace(t["pseudonym"].iloc[-1], t["pseudonym"].iloc[0]))),
    ("order of rows", rows(lambda t: t[::-1].reset_index(drop=True))),
    ("clock", times(lambda column: column.dt.tz_convert("Asia/Tokyo"))),
    ("uncovered sample", times(lambda column: column + pd.Timedelta("1h"))),
    ("data file", times(lambda column: column.dt.tz_localize(None))),
    ("group numbers", rows(lambda t: t.assign(group=t.group + 1_000))),
    ("columns", rows(lambda t: t.assign(count=1))),
    ("columns", rows(lambda t: t.drop(columns="lat_min"))),
    # names
    ("pseudonym", renamed(lambda ids, _: ids)),
    ("pseudonym", renamed(lambda ids, _: "X" + ids + "Z")),
    ("pseudonym", renamed(as_the_input_is_numbered)),
    ("order", renamed(lambda ids, _: in_order(ids.rank()))),
    ("order", renamed(lambda ids, _: in_order(800 - ids.rank()))),
    ("pseudonym", coded(lambda plain: hashlib.md5(plain).hexdigest())),
    ("pseudonym", coded(lambda plain: hashlib.sha256(plain).hexdigest()[:16].upper())),
    ("pseudonym", coded(lambda plain: base64.b64encode(plain).decode())),
    ("pseudonym", coded(lambda plain: base64.b32encode(plain).decode().rstrip("="))),
    # facts
    ("projection", stated(lambda _: {"crs": "EPSG:3857"})),
    ("clock", stated(lambda _: {"timezone": "Europe/Paris"})),
    ("clock", stated(lambda _: {"epoch": "1999-01-01"})),
    ("period", stated(lambda facts: {"last_day": facts["first_day"]})),
    ("granularity", stated(lambda _: {"granularity_m": 10.0})),
    ("granularity", stated(lambda _: {"granularity_m": 1_000.0})),
    ("limit", step(suppress_space_m=2_000.0)),
    ("limit", step(suppress_time_min=30.0)),
    ("group size", step(k=9)),
    ("facts", step(technique=["glove"])),
    ("description", stated(lambda _: {"suppress_space_m": 30_000.0})),
    ("counts", stated(lambda facts: {"people": facts["people"] + 1})),
    ("counts", stated(lambda facts: {"groups": facts["groups"] + 1})),
    ("counts", stated(lambda facts: {"rows": facts["rows"] + 1, "phantom_share": 0.0})),
    ("counts", stated(lambda facts: {"people_left_out": facts["people_left_out"] - 1})),
    ("uncovered sample", stated(lambda f: {"samples_left_out": f["samples_left_out"] - 1})),
    ("facts", stated(lambda facts: {"samples_left_out": facts["samples_in"] + 1})),
    ("facts", stated(lambda _: {"leftover": None})),
    ("phantom share", stated(lambda _: {"phantom_share": 1.0})),
]
OF_WHOLE = [
    ("phantom share", a_smaller_phantom_share_stated),
    ("sample of too few", step(suppress_time_min=1e6)),  # limits, over samples of one person
]


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(
    ("of", "kind", "alter"),
    [("result", *each) for each in TAMPERINGS] + [("whole", *each) for each in OF_WHOLE],
)
def test_altered_parts_are_caught(fs, made, of, kind, alter):
    release = deepcopy(made[of])
    alter(release, fs)
    assert kind in found(fs, release.zipped())


# --- members and the zip; what else they can hide is in test_contraband ---------------------------


def test_what_is_counted_as_the_last_members_bytes_is_caught(fs, release):
    """Packed bytes end before; the size in both heads, and the place of the list, say otherwise."""
    out = bytearray(release.zipped())
    at, more = out.index(b"PK\x01\x02"), b"something else"
    out[at:at] = more
    local, central = out.rindex(b"PK\x03\x04"), out.rindex(b"PK\x01\x02")
    for at in (local + 18, central + 20, len(out) - 6):
        number = int.from_bytes(out[at : at + 4], "little") + len(more)
        out[at : at + 4] = number.to_bytes(4, "little")
    assert "members" in found(fs, bytes(out))


# --- with the key, or the list of what is left out ------------------------------------------------


def two_people_swapped(release, _):
    group = release.rows.drop_duplicates("pseudonym").set_index("pseudonym")["group"]
    of = release.key["pseudonym"].map(group)
    other = int(np.flatnonzero(of != of.iloc[0])[0])
    release.key.loc[[0, other], "user_id"] = release.key.loc[[other, 0], "user_id"].to_numpy()


def key(change):
    def alter(release, _):
        release.key = change(release.key)

    return alter


def left_out(change):
    def alter(release, fs):
        release.left_out = change(release.left_out, fs)

    return alter


def everything(_, fs):
    ids = [str(fs.user_ids[u]) for u in fs.sample_user]
    return pd.DataFrame({"user_id": ids, "sample": range(fs.n_samples)})


KEYED = [
    ("uncovered sample", two_people_swapped),
    ("unknown user", key(lambda k: k.assign(user_id=["NOBODY", *k["user_id"][1:]]))),
    ("key", key(lambda k: k.assign(user_id=[k["user_id"][1], *k["user_id"][1:]]))),
    ("key", key(lambda k: k.iloc[1:])),
    ("key", key(lambda k: k.assign(pseudonym=["A" * 16, *k["pseudonym"][1:]]))),
    ("left out though published", left_out(everything)),
    ("uncovered sample", left_out(lambda listed, _: listed.iloc[1:])),
    (
        "unknown suppressed sample",
        left_out(lambda listed, _: listed.assign(user_id=listed["user_id"].to_numpy()[::-1])),
    ),
]


@pytest.mark.parametrize(("kind", "alter"), KEYED)
def test_wrong_keys_and_lists_are_caught(fs, release, kind, alter):
    alter(release, fs)
    options = {"key": release.key, "left_out": release.left_out}
    assert kind in found(fs, release.zipped(), **options)


def test_the_order_is_seen_with_the_key_alone(fs):
    """One group of all: without the key nothing is known of the order within it."""
    release = Release(fs, glove(fs, fs.n_users))
    renamed(lambda ids, _: in_order(ids.rank()))(release, fs)
    assert found(fs, release.zipped(), fs.n_users) == set()
    assert found(fs, release.zipped(), fs.n_users, key=release.key) == {"order"}


# --- what is right passes -------------------------------------------------------------------------


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("k", "options"),
    [
        (5, {}),
        (2, {"suppress_space_m": 15_000.0, "suppress_time_min": 360.0}),
        (3, {"suppress_time_min": 720.0, "leftover": "suppress"}),
    ],
)
def test_the_untouched_release_passes(fs, k, options, form, tmp_path):
    """As zip and as folder, with and without key and list; under a larger k it does not."""
    release = Release(fs, glove(fs, k, **options), form)
    content = release.zipped()
    key, left_out, folder = tmp_path / "key.csv", tmp_path / "left_out.csv", tmp_path / "folder"
    release.key.to_csv(key, index=False)
    release.left_out.to_csv(left_out, index=False)
    (tmp_path / "release.zip").write_bytes(content)
    folder.mkdir()
    for name, of in release.members().items():
        (folder / name).write_bytes(of)
    both = {"key": key, "left_out": left_out}
    tried = [(content, more) for more in ({}, {"key": key}, {"left_out": left_out}, both)]
    for place, more in [*tried, (folder, both), (tmp_path / "release.zip", both)]:
        verdict = verify_release(place, fs, k, **more)
        assert verdict.passed, (more, verdict.counts)
    assert verdict.groups == release.facts["groups"]
    assert not verify_release(content, fs, k + 20).passed
    mapping = dict(release.key.itertuples(index=False))
    assert found(fs, content, k, key=mapping) == set()
    assert found(fs, content, k, key=pd.Series(mapping)) == set()


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
    assert lie(last_window_days=[5, 7]).counts == {"period": 1}
    assert lie(granularity_m=50.0).counts == {"granularity": 1}


def test_no_release_no_key_no_k(fs, release, tmp_path):
    content = release.zipped()
    for said, options in (
        ("key is missing", {"key": tmp_path / "none.csv"}),
        ("lacks pseudonym or user_id", {"key": release.key[["pseudonym"]]}),
        ("has no column 'sample'", {"left_out": release.left_out[["user_id"]]}),
    ):
        with pytest.raises(SchemaError, match=said):
            verify_release(content, fs, K, **options)
    with pytest.raises(SchemaError, match="no release at that place"):
        verify_release(tmp_path / "none.zip", fs, K)
    check_refused(partial(verify_release, content, fs), "integer of 2 or more", k=[1, 2.0, "2"])
    (tmp_path / "text.zip").write_text("no zip")
    assert "members" in found(fs, tmp_path / "text.zip")
