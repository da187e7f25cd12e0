"""The command attack: what it prints and writes, and how it declines."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fpanon_core as fp
from fpanon_core.commands.attack import words
from fpanon_core.model.files import keyed
from fpanon_core.model.profiles import parse_profile
from fpanon_core.studies import attack
from tests.support.commands import figures_of, refused, run, said_by

OWN = [
    fp.ReleaseOption("Blurred", [fp.AddNoise(500)]),
    fp.ReleaseOption("half", [fp.SampleUsers(0.5)]),
    fp.ReleaseOption("daily", [fp.Periods(1), fp.Glove(3)]),
    fp.ReleaseOption("long", [fp.Periods(60)]),
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("options") / "own.json"
    path.write_text(json.dumps([option.to_dict() for option in OWN]), encoding="utf-8")
    return path


def expected(people: Path, option: fp.ReleaseOption, **known: Any) -> attack.Result:
    return attack.study(
        fp.read_cdr(people)[0], attack.Config(option, **({"strategy": "uniform"} | known))
    )


def test_it_prints_before_after_and_guessing_and_says_it_in_words(people: Path, own: Path) -> None:
    output = said_by("attack", people, "--options", own, "--option blurred --p 3 --seed 2")
    found = expected(people, OWN[0], p=3, seed=2)
    lines = {line.split("  ")[0]: line for line in output.splitlines()}
    assert f"{found.before.risk.value:.1%}" in lines["re-identification risk"]
    assert f"{found.after.risk.low:.1%} … " in lines["re-identification risk"]
    assert f"{found.after.error.guessing_m:,.0f} m" in lines["expected error"]
    assert "accused, not in the release" not in lines
    text = " ".join(output.split())
    assert (
        "The strongest attacker with 3 known points (drawn from the person's samples, each equally "
        "likely)" in text
    )
    assert "Released: noise of 500 m (planar Laplace)." in text
    assert f"of the {found.after.link.n_present} people tested" in text
    assert "Guessing finds 1 in 30." in text
    homes = found.after.home
    assert homes is not None
    assert f"{homes['found'][1]:.1%}" in text
    assert "the commonest home would be right for" in text
    assert "with a chance of more than" not in text  # no crowd is promised


def test_a_crowd_is_said_with_what_is_learnt_anyway_and_never_no_risk(people: Path) -> None:
    text = " ".join(run("attack", people, "--option", "GLOVE, k = 5").stdout.split())
    assert "The risk is not zero: an attacker can pick the right person up to 1 time in 5." in text
    leading = expected(people, fp.ReleaseOption(steps=[fp.Glove(5)])).leading
    assert f"In {leading:.0%} of cases the group's record fits best" in text
    assert " 0.0% of" not in text


def test_none_found_is_no_risk_of_zero(people: Path) -> None:
    found = expected(people, fp.ReleaseOption()).after
    nobody = replace(found.risk, value=0.0, low=0.0, high=0.1136)
    after = attack.Found(nobody, found.link, None, "Nobody.", found.error)
    result = attack.Result(attack.Config(), "", fp.ReleaseOption(), None, None, found, after)
    text = " ".join(words(result))
    assert "picks the right record for none (95% interval: up to 11.4%) of the 30" in text
    assert "Homes: not known. Nobody." in text


def test_accusations_are_told_of_a_sample(people: Path, own: Path) -> None:
    text = run("attack", people, "--options", own, "--option", "half", "--strategy", "top").stdout
    found = expected(people, OWN[1], strategy="top").after.link
    assert f"We tested {found.n_absent} people outside the release" in " ".join(text.split())
    row = next(line for line in text.splitlines() if line.startswith("accused"))
    assert "nobody tested" in row
    assert f"{found.accused:.1%}" in row


def test_periods_are_asked_one_by_one_and_their_records_are_linked(people: Path, own: Path) -> None:
    asked = ["attack", people, "--options", own, "--option daily --p 2"]
    text = " ".join(said_by(*asked).split())
    assert "Everyone in a period shares a record with at least 2 others" in text
    assert "All known points come from one period of 1 day" in text
    assert "records tested, each of one person in one period" in text
    found = fp.relink_periods(fp.release(fp.read_cdr(people)[0], OWN[2], seed=0))
    assert f"of the {found.n_people:,} people with records in both" in text
    assert f"{found.chained:.1%} of a person's records end up in one chain on average" in text
    plain = figures_of(*asked)["relinked"]
    assert (plain["share"], plain["n_people"]) == (found.share, found.n_people)
    alone = said_by("attack", people, "--options", own, "--option long --p 1")
    assert "records of one period only" in " ".join(alone.split())


def test_it_tells_everything_to_machines(people: Path, tmp_path: Path) -> None:
    option = "5 km · 8 h"
    blurred = ["--blur-m", 100, "--blur-min", 5, "--users", 20]
    whole = tmp_path / "a.json"
    plain = figures_of("attack", people, "--option", option, *blurred, "--out", whole)
    assert plain == json.loads(whole.read_text(encoding="utf-8"))
    found = expected(people, fp.as_option(parse_profile(option)), users=20, blur_m=100, blur_min=5)
    assert plain["attack"][0]["after"] == found.after.link.first
    assert plain["config"]["blur_m"] == 100
    assert plain["digest"] == keyed(found.digest)
    assert fp.ReleaseOption.from_dict(plain["option"]) == found.option


def test_a_release_is_not_attacked_as_if_it_were_the_original(people: Path, tmp_path: Path) -> None:
    """Other zips are read as ever, and one that is broken is not taken for a release."""
    asked, original = ["--option", "as it is", "--p", 1], "Give the original data and, with"
    folder = tmp_path / "release"
    said_by("publish", people, "--option", "as it is", "--out", folder)
    zipped = Path(shutil.make_archive(str(tmp_path / "release"), "zip", folder))
    for given in (folder, zipped, folder / "data.csv"):
        assert f"{original} --option, a release option" in refused("attack", given, *asked)
    packed = Path(shutil.make_archive(str(tmp_path / "people"), "zip", people.parent, people.name))
    said_by("attack", packed, *asked)
    packed.write_bytes(packed.read_bytes()[:-40])
    assert original not in refused("attack", packed, *asked)
