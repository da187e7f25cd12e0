"""A study in a file: what was saved comes back; what we did not save is refused in our words."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

import fpanon_core as fp
from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.profiles import parse_profile
from fpanon_core.studies import (
    anonymizability,
    disclosure,
    hiding,
    options,
    reading,
    unicity,
)
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.reading import Source
from fpanon_core.studies.study import AtHand, Kept, Study, Weighing
from fpanon_core.studies.study_codec import Damaged, NotKept, decode, encode, fits, types_kept
from fpanon_core.studies.study_file import KINDS, open_study, result_type, save
from tests.support.alike import check_alike
from tests.support.releases import members_of

P = parse_profile("1 km · 30 min")
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(),
    lambda inner: (
        some.lists(inner) | some.tuples(inner, inner) | some.dictionaries(some.text(), inner)
    ),
)


@pytest.fixture(scope="module")
def people() -> fp.FingerprintSet:
    rng = np.random.default_rng(3)
    return fp.FingerprintSet.from_samples(
        [f"person-{i % 40}" for i in range(800)],
        rng.integers(0, 30, 800) * 100.0,
        rng.integers(0, 30, 800) * 100.0,
        rng.integers(0, 10_000, 800).astype(float),
    )


@pytest.fixture(scope="module")
def study(people: fp.FingerprintSet) -> Study:
    asked: list[tuple[str, Any, Any]] = [
        ("measure", anonymizability, anonymizability.Config((P,), (2, 5))),
        ("unicity", unicity, unicity.Config(users=20)),
        ("disclosure", disclosure, disclosure.Config(profiles=(P,))),
        ("glove", hiding, hiding.Config(k=2)),
        ("options", options, options.Config((options.ReleaseOption(),))),
    ]
    answers = tuple(
        Kept(kind, people.digest, config, of.study(people, config), 1.5)
        for kind, of, config in asked
    )
    hidden, table, raw = answers[3], answers[4].result, options.ReleaseOption()
    made = AtHand("glove", "two", raw, None, hidden.result.release, hidden.settings)
    return Study(
        people.digest,
        people.n_users,
        people.n_samples,
        "own.csv",
        answers=answers,
        releases=(made,),
        weighing=Weighing(table, Limits({"home": 0.2}), table.options[0].name, "because"),
        settings={"options_p": 4, "fp_disclosure_config": disclosure.Config(profiles=(P,))},
        address={"k": "2,5"},
    )


@pytest.fixture(scope="module")
def content(study: Study) -> bytes:
    return save(study)


def kept(value: Any) -> tuple[str, list[np.ndarray]]:
    """A value as it is kept: its text, and the arrays beside it."""
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    return json.dumps(encode(value, put)), arrays


def back(value: Any) -> Any:
    text, arrays = kept(value)
    return decode(json.loads(text), arrays.__getitem__)


def test_all_of_it_comes_back(study: Study, content: bytes) -> None:
    found = open_study(content)
    assert found.sealed
    for one, other in zip(found.study.answers, study.answers, strict=True):
        # The page looks an answer up by its settings.
        assert one.settings == other.settings
        assert hash(one.settings) == hash(other.settings)
    assert save(found.study) == content  # all fields, arrays and tables, with their types
    with pytest.raises(ValueError, match="read-only"):
        found.study.answers[3].result.release.published.x_m[0] = 1.0


def test_ids_are_not_in_it(study: Study, content: bytes) -> None:
    assert [n for n, one in members_of(content).items() if b"person-" in one] == []
    # Equal arrays are kept once: the release at hand is that of the answer.
    assert len(content) - len(save(replace(study, releases=()))) < 5_000


def test_the_data_are_in_it_if_asked_for(study: Study) -> None:
    source = Source("own.csv", file=("own.csv", b"user,time\n1,2\n"), note="a note")
    beside = replace(source, antennas=("b.csv", b"b"), regions=("c.json", b"c"), region_name="n")
    for each in (None, source, beside):
        assert open_study(save(replace(study, source=each))).study.opens_data == each


def test_a_value_that_no_file_keeps_is_left_out(study: Study) -> None:
    odd = replace(
        study,
        settings={"a": object(), "b": 2},
        answers=(*study.answers, Kept("produce_hidden", study.digest, 1, b"key", 1.0)),
    )
    found = open_study(save(odd)).study
    assert found.settings == {"b": 2}
    assert [each.kind for each in found.answers] == [each.kind for each in study.answers]


@given(JSON)
def test_plain_values_come_back(value: Any) -> None:
    assert back(value) == value


TABLE = pd.DataFrame(
    {
        "n": [1, 2],
        "share": [0.5, np.nan],
        "name": ["a", "b"],
        "some": ["a", None],
        "what": pd.Series(["a", P], dtype=object),
        "yes": [True, False],
        "when": pd.to_datetime(["2024-10-27T00:30Z", "2024-10-27T01:30Z"])
        .tz_convert("Europe/Rome")
        .as_unit("us"),
    }
)


@pytest.mark.parametrize(
    "value",
    [
        np.array([], np.int32),
        np.array([[1.5, np.nan], [np.inf, -np.inf]]),
        np.array(["a", "bc"]),
        np.arange(200, dtype=np.int8),
        np.array([2**62 + 1, 2**53 + 1]),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.array([2**63], np.uint64),
        np.arange(100.0).reshape(4, 25).astype(np.float32),
        date(2024, 3, 1),
        datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Rome")),
        datetime(2024, 1, 1, tzinfo=UTC),
        frozenset({1}),
        {1: "a", (2, None): float("inf")},
        TABLE,
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_come_back(value: Any) -> None:
    check_alike(value, back(value))
    assert kept(back(value))[0] == kept(value)[0]  # of a time, with its zone and offset


# --- other files ---


def zipped(parts: dict[str, bytes], **how: Any) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", **how) as archive:
        for name, one in parts.items():
            archive.writestr(zipfile.ZipInfo(name), one, how.get("compression"))
    return into.getvalue()


def forged(content: bytes, change: Any = None, *, manifest: Any = None) -> bytes:
    """A study whose digests are in order, as somebody makes it who has read this program."""
    parts = members_of(content)
    about = json.loads(parts.pop("manifest.json"))
    if isinstance(change, bytes):
        parts["study.json"] = change
    elif change is not None:
        plain = json.loads(parts["study.json"])
        change(plain)
        parts["study.json"] = json.dumps(plain).encode()
    about["members"] = {name: hashlib.sha256(one).hexdigest() for name, one in parts.items()}
    if manifest is not None:
        manifest(about)
    return zipped({"manifest.json": json.dumps(about).encode()} | parts)


def test_what_was_edited_is_refused(content: bytes) -> None:
    parts = members_of(content)
    edited = parts["study.json"].replace(b'"because"', b'"perhaps"')
    assert edited != parts["study.json"]
    others = {"study.json": edited}, {"extra.json": b"{}"}, {"../x": b""}
    for damaged in (
        *(zipped(parts | other) for other in others),
        forged(zipped(parts | {"extra.json": b"{}"})),
        content + b"more",  # behind its end
        zipped(parts, compression=zipfile.ZIP_DEFLATED),
    ):
        with pytest.raises(fp.SchemaError, match="damaged or has been changed"):
            open_study(damaged)


def test_what_is_no_whole_study_is_told(content: bytes) -> None:
    for other in (b"", b"PK", b"user,time\n", zipped({"datapackage.json": b"{}"})):
        with pytest.raises(fp.SchemaError, match="not a study"):
            open_study(other)
    for at in (1, 100, len(content) // 2, len(content) - 1):
        with pytest.raises(fp.SchemaError, match=r"not a study|damaged"):
            open_study(content[:at])


def test_one_whose_digests_were_made_anew_is_not_taken_for_ours(content: bytes) -> None:
    changed = forged(content, lambda plain: plain[2]["weighing"][2].update(why="perhaps"))
    assert not open_study(changed).sealed
    assert not open_study(forged(content, manifest=lambda m: m.pop("seal"))).sealed


NEVER_WRITTEN: dict[str, list[Any]] = {
    "people": ["many", True],
    "digest": [3],
    "answers": [["l"], ["t", 1], ["t", []], 1],
    "reading": [None],
    "label": [["t"], ["a", "int8", [1], ["l", 300]], {}],
    "settings": [["m", [["l"], 1]]],
    "sample": [["o", "os.system", {}]],
    "address": [["m", ["k", 1]]],
    "version": ["9"],
    "weighing": [["o", "study.Kept", {}]],
    "samples": [["i", "now", 0, None]],
    "releases": [["a", "float64", [99], 99_999]],
}


@pytest.mark.parametrize("field", NEVER_WRITTEN)
def test_what_no_program_of_ours_wrote_is_refused(content: bytes, field: str) -> None:
    assert field in {each.name for each in fields(Study)}
    for value in NEVER_WRITTEN[field]:
        with pytest.raises(fp.SchemaError, match="damaged or has been changed"):
            open_study(forged(content, lambda plain, v=value: plain[2].update({field: v})))


def test_forged_answers_are_refused(content: bytes) -> None:
    """Those of another study, figures that cannot be, and values nested without end."""

    def swap(plain: Any) -> None:
        first, second = plain[2]["answers"][1][2], plain[2]["answers"][2][2]
        first["result"], second["result"] = second["result"], first["result"]

    def figure(plain: Any) -> None:
        plain[2]["weighing"][2]["table"][2]["results"][1][2]["alone_share"] = 7.0

    nested = b'["t",' * 50_000 + b"1" + b"]" * 50_000
    for change in (swap, figure, nested):
        with pytest.raises(fp.SchemaError, match="damaged"):
            open_study(forged(content, change))


def test_other_versions_are_told(content: bytes) -> None:
    for name, value, said in (
        ("fpanon", "0.0.9", "saved the study"),
        ("figures", 1, "saved the study"),
        ("study", 1, "has format 1"),
    ):
        with pytest.raises(fp.SchemaError, match=said):
            open_study(forged(content, manifest=lambda m, n=name, v=value: m.update({n: v})))


KEPT = {"kind": "", "digest": "", "result": None, "seconds": 0.0, "settings": None}


def test_values_and_letters_that_are_none_are_refused() -> None:
    assert decode(["o", "study.Kept", KEPT], lambda _: np.zeros(1)).kind == ""
    for node in (
        [],
        ["x"],
        {"a": 1},
        ["n", "one"],
        ["t", {}],
        ["o", "study.Study"],
        ["o", "study.Kept", KEPT | {"settings": ["l"]}],  # which no page could look up
        [["t"]],
        ["p", -1, []],
        ["a", "object", [1], ["x"]],
        ["a", "int64", [-1], ["l"]],
        ["a", "int64", [1], ["l", 1.5]],
        ["a", "int8", [1], ["l", 300]],
        ["a", "bool", [1], ["l", 1]],
        ["a", "O", [1], ["l", 1]],
        ["a", "text", [1], ["l", 1]],
        ["a", "text", [1], "x"],
        ["a", "text", [1], 0],
        ["a", "float64", [2], ["l", 0.0]],
        ["a", "int64", [1], 0],
        ["T", 0],
        ["p", 1, [["a", "str", ["a", "float64", [1], 0]]]],
        ["p", 1, [["a", "time", ["t", ["a", "float64", [1], 0], None]]]],
        ["i", "2024-01-01T00:00:00", 0, None],
    ):
        with pytest.raises(Damaged):
            decode(node, lambda _: np.zeros(1))
    for value in (lambda: None, np.array([None]), datetime(2024, 1, 1), pd.DataFrame([[1]])):
        with pytest.raises(NotKept):
            encode(value, lambda _: 0)


@pytest.mark.parametrize(
    ("hint", "fitting", "others"),
    [
        (float, (1, 1.5), (True, "1", None)),
        (float | None, (None, 1.5), ("1",)),
        (tuple[int, ...], ((), (1, 2)), ([1], (1, "2"))),
        (tuple[int, str], ((1, "2"),), ((1,), (1, 2), (1, "2", 3))),
        (list[list[int]], ([], [[1]]), ([1], [["1"]])),
        (dict[str, float], ({}, {"a": 1}), ({1: 1.0}, {"a": "1"}, [])),
        (Literal["a", "b"], ("a",), ("c", 1)),
        (FloatArray, (np.zeros(2),), (np.zeros(2, int), [0.0])),
    ],
)
def test_values_are_of_their_declared_type(hint: Any, fitting: Any, others: Any) -> None:
    assert all(fits(value, hint) for value in fitting)
    assert not any(fits(value, hint) for value in others)


# --- what may stand in one ---


def test_every_kind_has_a_result_and_every_type_is_a_noun_of_ours() -> None:
    for kind in KINDS:
        assert result_type(kind) is not None
    for name, kind in types_kept().items():
        assert kind.__module__.startswith("fpanon_core."), name
    assert "fingerprints.FingerprintSet" not in types_kept()
    assert "options.Aligned" in types_kept()  # of which no declaration speaks, only of GLOVE
    assert reading.Source not in types_kept().values()
