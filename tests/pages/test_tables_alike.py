"""Of every study the dashboard's downloads, the command line's files and the library's tables.

They are one and the same: every column, in its order, and every value.
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
import streamlit as st
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import fpanon_core.studies
from fpanon_core import FingerprintSet, read_cdr
from fpanon_core.__main__ import app as commands
from fpanon_core.studies.disclosure import suited_profiles
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.writing import table_bytes
from pages.aggregates import form as aggregates
from pages.anonymizability import results as anonymizability
from pages.disclosure import form as disclosure
from pages.hiding import form as hiding
from pages.options import exploration
from pages.shell import profiles
from pages.shell.questions import Kind
from pages.unicity import form as unicity
from tests.support.views import HEADER, answers, go, idle, until, upload

# Nine people over three days at some of twelve places: small, but no table of it is empty.
PLACES = [(14.70 + 0.011 * i, -17.40 + 0.013 * (i % 4)) for i in range(12)]
FILE = HEADER + "".join(
    f"subscriber-{u},2024-03-{5 + d:02d}T{h:02d}:{7 * u % 60:02d}:00+00:00,{lat:.4f},{lon:.4f}\n"
    for u in range(9)
    for d in range(3)
    for h in (2, 9, 18)
    for lat, lon in [PLACES[(u // 2 + h // 9) % 12]]
)


@cache
def fingerprints() -> FingerprintSet:
    return read_cdr(io.StringIO(FILE))[0]


GRID = [f"--profile={profile.code}" for profile in profiles.PRESETS]
RECOVER = ["recover", "--users", "2000"]
CASES: dict[str, tuple[str, Kind, list[str]]] = {
    "anonymizability": ("anonymizability", anonymizability.MEASURE, ["measure", "--k=2,5", *GRID]),
    "hiding": ("hiding", hiding.RELEASES, ["glove"]),
    "comparison": ("hiding", hiding.COMPARISON, ["glove", "--compare"]),
    "unicity": ("unicity", unicity.OUTSIDER, ["unicity"]),
    "antenna_merging": ("unicity", unicity.REGIONS, ["unicity", "--merge-antennas", "7"]),
    "disclosure": (
        "disclosure",
        disclosure.DISCLOSURE,
        ["disclosure", *(f"--profile={p.code}" for p in suited_profiles(fingerprints()))],
    ),
    "options": ("options", exploration.OPTION, ["options"]),
    "recovery": ("aggregates", aggregates.ATTACK, RECOVER),
    "recovery_factors": ("aggregates", aggregates.FACTORS, [*RECOVER, "--factors"]),
    "recovery_mitigations": ("aggregates", aggregates.MITIGATIONS, [*RECOVER, "--mitigations"]),
}
"""By study: the page that shows it, its question there, and the command that asks the same."""

NOT_DOWNLOADED = {
    "counts_release": "leaves as one zip, the same from everyone (tests/cli/test_counts.py)",
    "estimates": "how long a run will take",
    "glove_estimate": "how long a run will take",
    "look": "what the map beside others draws",
    "sparsity": "a calculator, of no data; its curve is among the downloads of unicity",
    "worked_example": "of no data",
}
OF_ONE_RUN = ["seconds"]
"""Columns that say how long something took."""

DIFFER_BY_RUN = ("options",)
"""Tables with such columns."""


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], bytes]]:
    """What each download button of the pages drawn would give, by the name of the file."""
    found: dict[str, Callable[[], bytes]] = {}
    real = st.download_button

    def noting(label: str, data: Any, *arguments: Any, file_name: str, **named: Any) -> bool:
        found[file_name] = data if callable(data) else lambda: bytes(data)
        return real(label, data, *arguments, file_name=file_name, **named)

    monkeypatch.setattr(st, "download_button", noting)
    return found


def asked(at: AppTest, page: str) -> AppTest:
    """The page, with everything asked that it can be asked, and answered."""
    go(at, page)
    until(at, idle)
    if page == "hiding":
        at.button(key="glove_run").click().run()
        until(at, idle)
        at.button(key="glove_compare").click().run()
    if page == "aggregates":
        for key in ("recovery_factors_go", "recovery_remedies_go"):
            at.button(key=key).click().run()
            until(at, idle)
    if page == "anonymizability":
        until(at, lambda at: len(answers(at, anonymizability.MEASURE)) == len(profiles.PRESETS))
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
    upload(app, FILE.encode())
    asked(app, page)
    kept = [
        key[1] if name == "options" else found.result.config
        for key, found in answers(app, kind).items()
    ]
    library = of_the_library(name, whole(name, kept)).tables()

    records = tmp_path / "records.csv"
    records.write_text(FILE)
    done = CliRunner().invoke(commands, [command[0], str(records), *command[1:], "--tables",
                                         str(tmp_path / "tables")])  # fmt: skip
    assert done.exit_code == 0, done.output

    downloads = {name for name in library if f"{name}.csv" in offered}
    assert downloads, f"no table of {name} can be downloaded; offered are {list(offered)}"
    for table in library:
        ours = as_read(table_bytes([library[table]], "library.csv"))
        written = (tmp_path / "tables" / f"{table}.csv").read_bytes()
        theirs = as_read(written)
        pd.testing.assert_frame_equal(theirs, ours, obj=f"{table} of the command line")
        if table in downloads:
            drawn = as_read(offered[f"{table}.csv"]())
            if table not in DIFFER_BY_RUN:
                assert offered[f"{table}.csv"]() == written, "byte for byte"
            pd.testing.assert_frame_equal(drawn, ours, obj=f"{table} of the dashboard")
        assert "user" not in ours.columns, "people go by pseudonym"
        assert "subscriber" not in ours.to_csv()
        assert not {"digest", "data_digest"} & set(ours.columns)


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
