"""``find``: what is recommended, what it writes, and a report on it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from fpanon_core import generate_cdr
from tests.support.commands import figures_of, refused, said_by


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("find") / "people.csv"
    generate_cdr(40, days=2, seed=1).to_csv(path, index=False)
    return path


def test_find_tells_the_same_in_words_in_json_and_to_the_report(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.csv"
    asked = ["find", str(file), "--purpose", "presence", "--recipient", "room", "--seconds", "900"]
    found = figures_of(*asked, "--out", str(out))
    assert found["purpose"] == "presence"
    assert "5% / 0.15 = 33.3%" in found["recipient"]
    tried = pd.read_csv(out)
    assert len(tried) == len(found["options"]) > 10
    assert found["recommended"] is None or found["recommended"] in set(tried["option"])
    report = tmp_path / "report.html"
    said = said_by("report", str(tmp_path / "found.json"), "--out", str(report))
    assert f" of {tried['fault'].isna().sum()} options " in said
    page = report.read_text(encoding="utf-8")
    assert "People in a secure room get the release" in page
    assert "compared on squares of 1 km" in page  # those of the purpose
    assert "Looser than usual" not in page  # it is the recipient's threshold


def test_find_in_words_says_what_was_assumed_and_what_was_left(file: Path) -> None:
    said = said_by("find", str(file), "--seconds", "0.0001")  # a fast machine tries some in 0.1 s
    assert "an attack is certain" in said
    assert "none is within the thresholds" in said
    assert said.count("not tried") == 4
    assert "Not tried, as time ran out: " in said


def test_find_refuses_what_cannot_be(file: Path) -> None:
    for wrong, words in (
        (["--purpose", "fun"], "Unknown purpose"),
        (["--recipient", "nobody"], "Unknown recipient"),
        (["--controls", "high"], "has no controls or motive"),
        (["--seconds", "0"], "seconds"),
        (["--areas", "district", "--seconds", "5"], "antenna table with that column"),
    ):
        assert words in refused("find", str(file), *wrong)
