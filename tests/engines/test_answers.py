"""What a child answers comes back whole, and is never more than data."""

from __future__ import annotations

import builtins
import datetime as dt
import functools
import importlib
import io
import operator
import os
import pickle
import pkgutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core import studies
from fpanon_core.engines import answers
from fpanon_core.engines.answers import NotDataError, packed, unpacked
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.io.hints import Message, for_screen, such_as
from fpanon_core.model.projection import equal_area_around
from fpanon_core.studies import (
    anonymizability,
    attack,
    comparison,
    count_tables,
    crossing,
    disclosure,
    estimates,
    followed,
    people_by_hexagon,
    production,
    questionnaires,
    reading,
    recovery,
    recovery_factors,
    recovery_mitigations,
    relinking,
    warming,
)
from tests.engines import errands
from tests.engines.errands import Evil
from tests.support.alike import check_alike
from tests.support.jobs import over


def through(value: Any) -> Any:
    return unpacked(packed(value))


# --- whole ---------------------------------------------------------------------------------------

ARRAYS = [
    np.arange(12.0).reshape(3, 4),
    np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    np.arange(12)[::-3],
    np.zeros((0, 3), np.int32),
    np.array(5.5),
    np.array(["a", "ööö", ""]),
    np.array(["", ""]),
    np.array([None, "a", 2, (1, [2])], object),
    np.array([[1, 2], [3, None]], object),
    np.array(["2024-03-04T08:00", "NaT"], "M8[us]"),
    np.array([True, False]),
]


@pytest.mark.parametrize("values", ARRAYS, ids=lambda v: f"{v.dtype}{v.shape}")
@pytest.mark.parametrize("writable", [True, False])
def test_arrays(values: np.ndarray, writable: bool) -> None:
    values = values.copy(order="K")
    values.flags.writeable = writable
    back = through(values)
    check_alike(values, back)
    assert values.strides == back.strides or values.size == 0


TABLES: list[Any] = [
    pd.DataFrame(
        {
            "text": ["a", None, "ü"],
            "object": pd.Series(["a", "b", "c"], list("rst"), dtype=object),
            "number": [1.5, np.nan, -0.0],
            "whole": [1, 2, 3],
            "local": pd.to_datetime(["2024-03-31T01:30"] * 3).tz_localize("Africa/Dakar"),
            "utc": pd.DatetimeIndex(["2024-03-31", "NaT", "2025-01-01"]),
        },
        index=pd.Index(["r", "s", "t"], name="row"),
    ),
    pd.DataFrame([[1, 2]], columns=["twice", "twice"]),
    pd.DataFrame(index=pd.RangeIndex(3)),
    pd.DataFrame(),
    pd.DataFrame({"a": pd.Series([], dtype=str)}),
    pd.Index([1, 2], dtype="int32"),
    pd.Index(["a", "b"], dtype=object),
]


@pytest.mark.parametrize("table", TABLES)
def test_tables(table: Any) -> None:
    check_alike(table, through(table))


def test_times_numbers_and_texts() -> None:
    said = Message("Say which column holds the time", such_as("time"), ".")
    values = [
        dt.datetime(2024, 3, 31, 1, 30, fold=1, tzinfo=ZoneInfo("Europe/Paris")),
        dt.datetime(2024, 3, 31, tzinfo=dt.UTC),
        dt.timezone(dt.timedelta(hours=-3), "x"),
        dt.date(1, 1, 1),
        dt.timedelta(-1, 2, 3),
        2**70,
        {"a": {1, 2}, (1, "b"): frozenset("ab"), None: b"x"},
        np.float32(0.1),
        np.str_(""),
        np.datetime64("2024-03-31T01:30", "s"),
        np.bool_(True),
    ]
    check_alike(values, through(values))
    assert repr(through(values[:3])) == repr(values[:3])  # with the fold
    assert through(dt.UTC) is dt.UTC
    assert for_screen(through(said)) == for_screen(said) == "Say which column holds the time."
    assert through(fp.StretchConfig()) == fp.StretchConfig()


def test_what_is_the_same_object_stays_so() -> None:
    values = np.arange(3.0)
    first, second, [third] = through((values, values, [values]))
    assert first is second is third


PEOPLE = fp.FingerprintSet.from_samples(
    np.repeat(np.arange(9), 2), 300.0 * np.arange(18), np.zeros(18), 7.0 * np.arange(18)
)
TWO_DAYS = fp.FingerprintSet.from_samples([1, 2] * 2, [0, 900] * 2, [0] * 4, [0, 0, 2_000, 2_000])
CLOCK = fp.LocalClock(dt.datetime(2024, 3, 4, tzinfo=dt.UTC), "Africa/Dakar")
PLACED = replace(PEOPLE, clock=CLOCK, crs=equal_area_around(14.69, -17.41, stated=True))
_METRES = fp.StatedArea(0, 0, 5_000, 5_000, "metres")
_SQUARES = fp.FrameConfig(fp.StatedPeriod(None, 2), "grid", _METRES, 1_000)
_IN_DAYS = fp.ReleaseOption(steps=[fp.Periods(1)])
CASES: dict[ModuleType, tuple[Any, ...]] = {
    **{module: (PEOPLE, config) for module, config in warming._STUDIES},
    anonymizability: (PEOPLE, anonymizability.Config(ks=(2, 3))),
    relinking: (TWO_DAYS, relinking.Config(_IN_DAYS)),
    comparison: (PEOPLE, comparison.Config((2,))),
    estimates: (PEOPLE, estimates.Config(disclosure.study, disclosure.Config())),
    people_by_hexagon: (PLACED, people_by_hexagon.Config(least=2)),
    count_tables: (PEOPLE, fp.Presence(_SQUARES, 1, epsilon=1.0)),
    questionnaires: (questionnaires.Config(options=("1 km · 1 h", "5 km · 6 h")),),
    recovery: (TWO_DAYS, recovery.Config(180.0)),
    recovery_factors: (
        TWO_DAYS,
        recovery_factors.Config(180.0, spaces_m=(5e3,), slots_min=(180.0,), people=(2,)),
    ),
    recovery_mitigations: (TWO_DAYS, recovery_mitigations.Config(180.0)),
}
"""What each study is given."""


def test_every_study_has_its_case() -> None:
    found = {
        module.name
        for module in pkgutil.iter_modules(studies.__path__)
        if hasattr(importlib.import_module(f"fpanon_core.studies.{module.name}"), "study")
    }
    held = {module.__name__.rpartition(".")[2] for module in CASES}
    assert found == held | {"crossing"}  # of a release, below


@pytest.mark.parametrize("study", CASES, ids=lambda study: study.__name__.rpartition(".")[2])
def test_every_studys_result_comes_back_whole(study: ModuleType) -> None:
    result = study.study(*CASES[study])
    check_alike(result, through(result))
    if study is attack:
        seen = followed.follow(*CASES[attack], 0)
        check_alike(seen, through(seen))
    if study is production:
        crossed = crossing.study(crossing.Config("a", "b"), result.archive, result.key)
        check_alike(crossed, through(crossed))


def test_what_was_read_comes_back_whole() -> None:
    source = reading.Source("", file=("a.csv", warming._EVENTS + b"x,,14.7,-17.4\n"))
    fs, report = reading.read(source, reading.Reading())
    back, told = through((fs, report))
    check_alike((fs, report), (back, told))
    assert vars(back)["digest"] == fs.digest  # not computed again
    assert not back.x_m.flags.writeable
    asked = reading.estimate_reading(source)
    check_alike(asked, through(asked))
    lines = reading.background(b'{"type": "LineString", "coordinates": [[2.1, 41.3], [2.2, 41.4]]}')
    check_alike(lines, through(lines))


# --- nothing else --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        *(lambda: None, os.system, ProcessRunner, Path("/"), object()),
        *(functools.partial, pd.Timestamp(0), pd.DataFrame({"a": pd.Categorical(["x"])})),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_data_is_not_told(value: object) -> None:
    with pytest.raises(NotDataError):
        packed([value])


def evils(trace: Path) -> dict[str, bytes]:
    """Pickles that leave a trace when a common way of running something is open."""
    order = f"touch {trace}"
    write = f"open({str(trace)!r}, 'w').close()"
    stored = trace.with_suffix(".pickle")
    stored.write_bytes(pickle.dumps(Evil(os.system, order)))
    return {
        "system": pickle.dumps(Evil(os.system, order)),
        "old protocol": pickle.dumps(Evil(os.system, order), protocol=0),
        "eval": pickle.dumps(Evil(builtins.eval, write)),
        "exec": pickle.dumps((1, [Evil(builtins.exec, write)])),
        "partial": pickle.dumps(Evil(functools.partial(os.system, order))),
        "attribute": pickle.dumps(Evil(operator.attrgetter("x"), order)),
        "getattr": b"\x80\x04cbuiltins\ngetattr\ncos\nsystem\n\x86.",
        "another's pickle": pickle.dumps(Evil(pd.read_pickle, str(stored))),
        "numpy": pickle.dumps(Evil(np.load, str(stored))),
        "extension": b"\x80\x02\x82\x01.",
        "numpy's array": pickle.dumps(np.array([Evil(os.system, order)], object)),
        "within an answer": pickle.dumps(((), "result", Evil(os.system, order))),
        "own child": pickle.dumps(Evil(importlib.import_module, "fpanon_core.engines.child")),
    }


def test_nothing_that_an_answer_names_is_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for body in evils(trace).values():
        with pytest.raises((NotDataError, pickle.UnpicklingError, ValueError)):
            unpacked(body)
    assert not trace.exists()
    pickle.loads(evils(trace)["system"])  # they would be, read as pickles
    assert trace.exists()


class Kinds(pickle.Pickler):
    """Writes tuples that begin with KIND as a child would write kinds of data."""

    def persistent_id(self, obj: Any) -> Any:
        return obj[1:] if type(obj) is tuple and obj[:1] == ("KIND",) else None


def told(kind: str, *parts: Any) -> bytes:
    body = io.BytesIO()
    Kinds(body, protocol=5).dump(("KIND", 0, kind, *parts))
    return body.getvalue()


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("dataclass", ("fpanon_core.engines.process:ProcessRunner", {})),
        ("dataclass", ("fpanon_core.engines.limits:Limits", {})),
        ("dataclass", ("fpanon_core.model.configs:dataclass", {})),
        ("dataclass", ("fpanon_core.model.configs:np", {})),
        ("dataclass", ("subprocess:Popen", {"args": "ls"})),
        ("dataclass", ("fpanon_core.__main__:main", {})),
        ("dataclass", ("fpanon_core.model.configs:StretchConfig", {"__class__": 1})),
        ("dataclass", ("fpanon_core.model.configs:StretchConfig", {"validate": 1})),
        ("dataclass", ("fpanon_core.model.fingerprints:FingerprintSet", {"subset": 1})),
        ("dataclass", ("fpanon_core.model.aggregates:AggregateCounts", {"_close": 1})),
        ("text", ("fpanon_core.model.configs:StretchConfig", ())),
        ("nothing", ()),
        ("array", ("|O8", (1,), "C", True, b"12345678")),
        ("frame", ([("categories", [0], ["x"])], ["a"], None, {})),
        ("array", ("|V8", (1,), "C", True, b"12345678")),
        ("array", ("<f8", (1 << 40,), "C", True, b"12345678")),
        ("array", ("<f8", (1 << 40,), "C", True, b"")),
        ("array", ("<f8,<f8", (1,), "C", True, b"1234567812345678")),
    ],
)
def test_kinds_are_built_of_data_only(kind: str, parts: tuple[Any, ...]) -> None:
    with pytest.raises((NotDataError, TypeError, ValueError, KeyError, MemoryError, ImportError)):
        unpacked(told(kind, *parts))


def test_offsets_that_lead_out_of_the_arrays_are_refused() -> None:
    """Compiled loops of the server trust them."""
    wrong = fp.FingerprintSet.__new__(fp.FingerprintSet)
    wrong.__dict__.update(vars(PEOPLE) | {"offsets": PEOPLE.offsets * 1000})
    with pytest.raises(fp.SchemaError, match="rows that the offsets give"):
        unpacked(packed(wrong))


def test_a_mapped_set_comes_back_by_the_name_of_its_folder(tmp_path):
    fs = fp.FingerprintSet.load(PEOPLE.save(tmp_path / "kept"))
    body = packed((fs, fs.digest))
    assert len(body) < 4_000
    again, digest = unpacked(body)
    assert (again.folder, again.digest) == (fs.folder, digest)
    assert again.x_m.tolist() == PEOPLE.x_m.tolist()
    (tmp_path / "kept" / "count.npy").write_bytes(b"other")
    with pytest.raises(fp.SchemaError, match="altered"):
        unpacked(body)


def test_a_child_that_answers_with_more_than_data_fails_its_job_and_runs_nothing(
    tmp_path: Path, runner: ProcessRunner
) -> None:
    trace = tmp_path / "trace"
    job = over(runner.submit(errands.answer_evil, str(trace), label="evil"), "failed")
    assert "fault in the program (NotDataError" in str(job.error)
    assert str(trace) not in str(job.error)
    assert not trace.exists()
    over(runner.submit(errands.own_pid, label="next"), "done")


@pytest.mark.parametrize(
    "body",
    [
        b"\x80\x05Nr\xff\xff\xff\x7f.",  # LONG_BINPUT: room for two billion objects
        b"\x80\x05Nq\x07.",  # BINPUT
        b"\x80\x05Np9\n.",  # PUT
        b"\x80\x05\x8e" + (1 << 40).to_bytes(8, "little") + b"a.",  # bytes beyond the end
        b"\x80\x05I1\n.",
    ],
)
def test_few_bytes_ask_for_no_more_room_than_they_fill(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(answers._Hearing, "load", load, raising=False)
    with pytest.raises(NotDataError):
        unpacked(body)
