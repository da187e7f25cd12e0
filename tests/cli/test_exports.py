"""What commands print and write: no digest to test guesses with, no formula, no open file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fpanon_core import OptionsTable, read_cdr
from fpanon_core.commands.run import LIST
from fpanon_core.model.files import keyed
from fpanon_core.tables.writing import read_json
from tests.support.commands import said_by

SMALL: dict[str, list[Any]] = {
    "measure": ["--k", 2],
    "unicity": ["--p", 2, "--users", 5],
    "disclosure": ["--p", 2, "--users", 5],
    "glove": ["--k", 2],
    "recover": ["--users", 5],
}


@pytest.mark.parametrize("command", SMALL)
def test_no_digest_of_the_input_is_printed_or_written(
    people: Path, tmp_path: Path, command: str
) -> None:
    digest = read_cdr(people)[0].digest
    told = said_by(command, people, *SMALL[command], "--json", "--tables", tmp_path / "tables")
    assert json.loads(told)["digest"] == keyed(digest)
    files = list((tmp_path / "tables").iterdir())
    assert len(files) > 1
    for text in (told, *(file.read_text(encoding="utf-8") for file in files)):
        assert digest not in text
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "tables").stat().st_mode & 0o077 == 0


def test_options_are_gone_on_with_and_tell_no_digest(people: Path, tmp_path: Path) -> None:
    digest = read_cdr(people)[0].digest
    options = tmp_path / "options.json"
    options.write_text('[{"name": "=1+1", "steps": []}]', encoding="utf-8")
    out = tmp_path / "found.csv"
    asked = ["options", people, "--options", options, "--p", 2, "--out", out]
    told = [said_by(*asked), said_by(*asked, "--json")]
    saved = (tmp_path / "found.json").read_text(encoding="utf-8")
    for text in (*told, saved, out.read_text(encoding="utf-8")):
        assert digest not in text
    assert "'=1+1" in out.read_text(encoding="utf-8")
    table = OptionsTable.from_dict(read_json(tmp_path / "found.json"))
    assert len(table.reusable(digest, table.config)) == 1  # known again
    assert table.reusable(digest[::-1], table.config) == {}
    assert OptionsTable.from_dict(table.to_dict()).to_dict() == table.to_dict()


def test_the_list_of_files_keeps_what_it_said_of_one_with_an_odd_name(
    people: Path, tmp_path: Path
) -> None:
    """Read back, a name is what it was, not the text that no spreadsheet runs."""
    (tmp_path / "=a.csv").touch()
    (tmp_path / LIST).write_text("file,may_leave,why\n'=a.csv,no,why\n", encoding="utf-8")
    said_by("measure", people, "--k", 2, "--tables", tmp_path)
    said_by("measure", people, "--k", 2, "--tables", tmp_path)
    lines = (tmp_path / LIST).read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0].strip('"') for line in lines if "=a.csv" in line] == ["'=a.csv"]
