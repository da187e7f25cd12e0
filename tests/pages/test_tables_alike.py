"""Of every study the dashboard's downloads, the command line's files and the library's tables.

They are one and the same: every column, in its order, and every value. Files that are not for
release differ in what an export changes, and in nothing else: people's names, the order of people,
the row numbers left out and the last column (``tests/support/exports.py``).
"""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import fpanon_core.studies
from fpanon_core import FingerprintSet, read_cdr
from fpanon_core.__main__ import app as commands
from fpanon_core.studies.disclosure import suited_profiles
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.writing import table_bytes
from pages.aggregates import form as aggregates
from pages.attack import form as attack
from pages.disclosure import form as disclosure
from pages.hiding import form as hiding
from pages.shell import kinds, widgets
from pages.shell.questions import Kind
from pages.unicity import sections as unicity
from tests.support.exports import SUFFIX, check_table, file_name, names_rows
from tests.support.views import HEADER, answers, go, idle, press, until, upload

# Nine people over three days at some of twelve places: small, but no table of it is empty.
PLACES = [(14.70 + 0.011 * i, -17.40 + 0.013 * (i % 4)) for i in range(12)]
SECRET, PLACE = "SECRETID", "SECRETPLACE"
FILE = HEADER + "".join(
    f"{SECRET}-{u},2024-03-{5 + d:02d}T{h:02d}:{7 * u % 60:02d}:00+00:00,{lat:.4f},{lon:.4f}\n"
    for u in range(9)
    for d in range(3)
    for h in (2, 9, 18)
    for lat, lon in [PLACES[(u // 2 + h // 9) % 12]]
)


@cache
def fingerprints() -> FingerprintSet:
    return read_cdr(io.StringIO(FILE))[0]


GRID = [f"--profile={profile.code}" for profile in widgets.PRESETS]
RECOVER = ["recover", "--users", "2000"]
CASES: dict[str, tuple[str, Kind, list[str]]] = {
    "anonymizability": ("anonymizability", kinds.MEASURE, ["measure", "--k=2,5", *GRID]),
    "hiding": ("hiding", hiding.RELEASES, ["hide"]),
    "unicity": ("unicity", unicity.OUTSIDER, ["unicity"]),
    "antenna_merging": ("unicity", unicity.REGIONS, ["unicity", "--merge-antennas", "7"]),
    "disclosure": (
        "disclosure",
        disclosure.DISCLOSURE,
        ["disclosure", *(f"--profile={p.code}" for p in suited_profiles(fingerprints()))],
    ),
    "options": ("options", kinds.OPTION, ["options"]),
    "attack": (
        "attack",
        attack.ATTACK,
        ["attack", "--option=aligned, k = 2", "--strategy=uniform"],
    ),
    "recovery": ("aggregates", kinds.RECOVERY, RECOVER),
    "recovery_factors": ("aggregates", aggregates.FACTORS, [*RECOVER, "--factors"]),
    "recovery_mitigations": ("aggregates", aggregates.MITIGATIONS, [*RECOVER, "--mitigations"]),
}
"""By study: the page that shows it, its question there, and the command that asks the same."""

NOT_DOWNLOADED = {
    "comparison": "of the command alone; on pages, options of coarser data stand beside hiding",
    "count_tables": "leaves as one zip (tests/aggregates/test_tables.py)",
    "crossing": "a question before a release leaves; its tables are the command's alone",
    "production": "the release itself, whose names are drawn each time",
    "relinking": "of no command of its own; the page that attacks a release tells of it",
    "synthetic_people": "leaves as one zip, drawn each time (tests/synthesis/test_people.py)",
}
OF_ONE_RUN = ["seconds"]
"""Columns that say how long something took."""

RELEASES = ("release.", "questionnaire", "set_aside")
"""Files that are no table of a study: held by tests of their own."""

DIFFER_BY_RUN = ("options",)
"""Tables with such columns."""


def asked(at: AppTest, page: str) -> AppTest:
    """The page, with everything asked that it can be asked, and answered."""
    go(at, page)
    until(at, idle)
    if page == "hiding":
        press(at, "glove_run")
    if page == "attack":
        at.selectbox(key="attack_release").set_value("aligned, k = 2").run()
    if page == "aggregates":
        for key in ("recovery_factors_go", "recovery_remedies_go"):
            press(at, key)
    if page == "anonymizability":
        until(at, lambda at: len(answers(at, kinds.MEASURE)) == len(widgets.PRESETS))
    return until(at, idle).run()


@cache
def of_the_library(name: str, config: Any) -> Tabled:
    study = importlib.import_module(f"fpanon_core.studies.{name}").study
    found: Tabled = study(fingerprints(), config)
    return found


def whole(name: str, configs: list[Any]) -> Any:
    """The settings that a page asked with: of several questions of one kind, taken together."""
    config = configs[-1]
    if name == "anonymizability":
        return replace(config, profiles=tuple(p for c in configs for p in c.profiles))
    if name == "options":
        return replace(config, options=tuple(o for c in configs for o in c.options))
    return config


@pytest.mark.parametrize("name", list(CASES))
def test_the_same_table_for_everyone(
    app: AppTest, name: str, offered: dict[str, Callable[[], bytes]], tmp_path: Path
) -> None:
    page, kind, command = CASES[name]
    upload(app, FILE.encode(), name=f"{PLACE}.csv")
    asked(app, page)
    kept = [
        key[1] if name == "options" else found.result.config
        for key, found in answers(app, kind).items()
    ]
    library = of_the_library(name, whole(name, kept))
    if name == "options":  # pages and command ask the attacker's risk first, the function unicity
        library = library.with_choice("outsider")

    records = tmp_path / f"{PLACE}.csv"
    records.write_text(FILE)
    done = CliRunner().invoke(
        commands, [command[0], str(records), *command[1:], "--tables", str(tmp_path / "tables")]
    )
    assert done.exit_code == 0, done.output

    check_leaving(offered, app.session_state["fp_dataset"].fs.digest)
    tables = library.tables()
    assert {*tables} >= library.MAY_LEAVE
    downloads = {name for name in tables if file_name(library, name) in offered}
    assert downloads, f"no table of {name} can be downloaded; offered are {list(offered)}"
    assert not {f"{t}.csv" for t in tables if not library.may_leave(t)} & {*offered}
    for table, frame in tables.items():
        assert not (names_rows(frame) and library.may_leave(table)), table
        file = file_name(library, table)
        written = (tmp_path / "tables" / file).read_bytes()
        contents = [written, offered[file]()] if table in downloads else [written]
        if table in DIFFER_BY_RUN:
            ours = as_read(table_bytes([frame], "library.csv"))
            for content in contents:
                pd.testing.assert_frame_equal(as_read(content), ours, obj=table)
        else:
            for content in contents:
                check_table(content, library, table)
        columns = set(as_read(written).columns)
        assert not {"user", "sample", "digest", "data_digest"} & columns


def check_leaving(offered: dict[str, Callable[[], bytes]], digest: str) -> None:
    """No file says who anybody is: what may leave has no id, no path, no digest, nobody in it.

    What may not has no id either, and each draw of a file names its people anew.
    """
    seen = session_names = {*fingerprints().pseudonyms}
    for name, make in offered.items():
        if not name.endswith(".csv") or name.startswith(RELEASES):
            continue
        content = make()
        assert SECRET.encode() not in content, name
        if name.endswith(f"{SUFFIX}.csv"):
            for each in (content, make()):
                drawn = {*as_read(each).get("pseudonym", [])}
                assert not drawn & seen, f"{name}: names of another file"
                seen = seen | drawn
        else:
            for mark in (PLACE, digest, *session_names):
                assert mark.encode() not in content, (name, mark)


def as_read(content: bytes) -> pd.DataFrame:
    """A table as it stands in its file, but for what is of one run only."""
    table = pd.read_csv(io.BytesIO(content))
    return table.drop(columns=[name for name in OF_ONE_RUN if name in table])


def test_every_study_is_held_to_it() -> None:
    """A study with tables stands above, or among those that say why not."""
    found = set()
    for module in pkgutil.iter_modules(fpanon_core.studies.__path__):
        study = importlib.import_module(f"fpanon_core.studies.{module.name}")
        results = [
            kind
            for kind in vars(study).values()
            if inspect.isclass(kind) and issubclass(kind, Tabled) and kind is not Tabled
        ]
        if hasattr(study, "study") and results:
            found.add(module.name)
    listed = set(CASES) | set(NOT_DOWNLOADED)
    assert not found - listed, f"{sorted(found - listed)}: add it to CASES or NOT_DOWNLOADED"
    assert not listed - found, f"{sorted(listed - found)}: no study with tables; take it out"
    assert not set(CASES) & set(NOT_DOWNLOADED)
