"""The command report, and options by a recipe: one way round through files, on a sample."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.recipe import Recipe
from tests.support.commands import refused, run, said_by

THREE = """who,when,latitude,longitude
alice@example.org,2024-03-04T06:00:00Z,24.0,1.0
bob@example.org,2024-03-04T06:03:00Z,24.0,1.0
carol@example.org,2024-03-04T14:03:00Z,24.0,1.0
carol@example.org,2024-03-05T14:03:00Z,24.1,1.0
"""
COARSE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(50_000), 10_080))
OPTIONS = [
    fp.ReleaseOption("own <b>", [fp.AddNoise(500)]).to_dict(),
    fp.ReleaseOption("one cell", [COARSE]).to_dict(),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "alice_secret.csv").write_text(THREE)
    (tmp_path / "own.json").write_text(json.dumps(OPTIONS))
    own, out = tmp_path / "own.json", tmp_path / "weighed.csv"
    asked = ["--options", own, "--p 1 --limit 0.4 --out", out]
    said_by("options", tmp_path / "alice_secret.csv", *asked)
    return tmp_path


def test_report_says_the_verdict_and_names_nobody(folder: Path) -> None:
    decided = "--choose 'ONE  cell' --because 'It <hides>.' --signer Ada --data-name March"
    said = said_by("report", folder / "weighed.json", "--out", folder / "report.html", decided)
    text = (folder / "report.html").read_text(encoding="utf-8")
    for head in ("Do not release these data as they are.", "The chosen option is “one cell"):
        assert head in said
        assert head in text
    assert "It &lt;hides&gt;." in text
    assert "own &lt;b&gt;" in text
    recipe = (folder / "report.recipe.json").read_text(encoding="utf-8")
    for name in ("alice", "bob", "carol", "secret", "example.org"):
        assert name not in text + recipe
    assert "Ada" not in recipe
    for each in ("report.html", "report.recipe.json"):
        assert (folder / each).stat().st_mode & 0o077 == 0  # to be opened on purpose only


def test_data_as_they_are_are_kept_beside_the_table_and_not_in_it(folder: Path) -> None:
    kept = Exploration.from_dict(json.loads((folder / "weighed.json").read_text()))
    assert kept.raw is not None
    assert kept.raw.option.steps == ()
    assert len(kept.table.results) == len(pd.read_csv(folder / "weighed.csv")) == 2
    assert kept.facts is not None
    assert (kept.facts.people, kept.facts.samples, kept.facts.label) == (3, 4, "")
    assert kept.limits.limit("outsider") == 0.4
    fs, _ = fp.read_cdr(folder / "alice_secret.csv")
    by_hand = fp.explore_options(fs, [[]], p=1, strategy="uniform").results[0]
    for name, expected in by_hand.risks.items():
        assert kept.raw.risks[name] == pytest.approx(expected, nan_ok=True)


def test_recipe_gives_the_same_numbers_from_the_sample(tmp_path: Path) -> None:
    sample = ("--sample", "sf_cabs")
    asked = "--preset trade --users 60 --seed 3 --strategy uniform --risk k --utility"
    said_by("options", *sample, asked, "flows=2,density=1", "--out", tmp_path / "a.csv")
    chosen = pd.read_csv(tmp_path / "a.csv")["option"].iloc[-1]
    decided = ["--because Sparse. --limit home=0.02 --limit em=inf --choose", chosen]
    said_by("report", tmp_path / "a.json", "--out", tmp_path / "a.html", *decided)
    recipe = tmp_path / "a.recipe.json"
    again = run("options", *sample, "--recipe", recipe, "--out", tmp_path / "b.csv")
    assert again.exit_code == 0
    assert "figures may differ" not in again.output
    one, other = (pd.read_csv(tmp_path / name) for name in ("a.csv", "b.csv"))
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), other.drop(columns="seconds"))
    said_by("report", tmp_path / "b.json", "--recipe", recipe, "--out", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()
    assert "San Francisco taxis" in (tmp_path / "a.html").read_text()
    assert "CC BY" in (tmp_path / "a.html").read_text()  # what must be said of those data
    # And from the library, by the recipe's own words.
    known = Recipe.from_dict(json.loads(recipe.read_text()))
    assert (known.knowledge.users, known.risk, known.limits.limit("em")) == (60, "k", None)


def test_another_file_than_the_recipes_is_told(folder: Path) -> None:
    run("report", folder / "weighed.json", "--out", folder / "r.html")
    (folder / "other.csv").write_text(THREE.replace("06:03", "06:07"))
    done = run("options", folder / "other.csv", "--recipe", folder / "r.recipe.json")
    assert done.exit_code == 0
    assert "these data are not the recipe's" in done.output


def _faults(folder: Path) -> dict[str, tuple[list[str | Path], str]]:
    weighed, out = folder / "weighed.json", ["--out", folder / "x.html"]
    (folder / "damaged.json").write_text('{"results": 3}')
    (folder / "newer.json").write_text('{"recipe": 7}')
    run("report", weighed, "--out", folder / "r.html")
    recipe = ["--recipe", folder / "r.recipe.json"]
    data = folder / "alice_secret.csv"
    return {
        "missing": (["report", folder / "no.json", *out], "missing or is not JSON"),
        "table": (["report", folder / "weighed.csv", *out], "missing or is not JSON"),
        "damaged": (["report", folder / "damaged.json", *out], "damaged"),
        "no exploration": (["report", folder / "r.recipe.json", *out], "not a table of options"),
        "ending": (["report", weighed, "--out", folder / "x.pdf"], "end it in .html"),
        "folder": (["report", weighed, "--out", folder / "no" / "x.html"], "does not exist"),
        "choice": (["report", weighed, *out, "--choose", "x"], "There is no option 'x'"),
        "limit": (["report", weighed, *out, "--limit", "home"], "give, for example"),
        "measure": (["report", weighed, *out, "--limit", "x=1"], "There is no threshold for 'x'"),
        "newer": (["options", data, "--recipe", folder / "newer.json"], "has format 7"),
        "both": (["options", data, *recipe, "--p", "2"], "what --p would say"),
    }


def test_faults_are_told_in_a_sentence(folder: Path) -> None:
    for fault, (command, said) in _faults(folder).items():
        assert said in refused(*command), fault
        assert not (folder / "x.html").exists()
    (folder / "weighed.json").rename(folder / "w.recipe.json")
    told = refused("report", folder / "w.recipe.json", "--out", folder / "w.html")
    assert "would write over the options" in told
