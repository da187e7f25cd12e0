"""The command line: what it prints and writes, and how it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fpanon_core.__main__ import app
from fpanon_core.anonymize.glove import glove
from fpanon_core.anonymize.verification import verify_k_anonymity
from fpanon_core.attacks.aggregation import aggregate_counts, counted_people
from fpanon_core.attacks.recovery import recover_trajectories
from fpanon_core.attacks.scoring import score_recovery
from fpanon_core.commands.group import COMMANDS
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.published import (
    read_published,
    read_suppressed,
    write_published,
    write_suppressed,
)
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.profiles import GeneralizationProfile, Grid, parse_profile
from fpanon_core.studies import (
    anonymizability,
    antenna_merging,
    comparison,
    disclosure,
    hiding,
    recovery,
    recovery_factors,
    unicity,
)
from fpanon_core.studies.disclosure_grid import disclosure_grid
from fpanon_core.studies.options import explore_options
from fpanon_core.studies.presets import trade_grid
from fpanon_core.studies.unicity_grid import unicity_grid
from fpanon_core.synthetic.generate import generate_cdr
from fpanon_core.synthetic.region import generate_region
from fpanon_core.tables.writing import table_bytes

ROOT = Path(__file__).resolve().parents[2]

# Three people at one antenna, 3 and 480 minutes apart. With the usual parameters only time costs:
# Δ(alice, bob) = 3/480/2 = 0.003125; Δ(bob, carol) = 480/480/2 = 0.5, and more than the cap is 0.5.
THREE = """who,when,latitude,longitude
alice@example.org,2024-03-04T06:00:00Z,24.0,1.0
bob@example.org,2024-03-04T06:03:00Z,24.0,1.0
carol@example.org,2024-03-04T14:03:00Z,24.0,1.0
carol@example.org,garbled,24.0,1.0
"""


def run(*args: object) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in args])
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def three(tmp_path: Path) -> Path:
    path = tmp_path / "three.csv"
    path.write_text(THREE)
    return path


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "people.csv"
    generate_cdr(30, days=3).to_csv(path, index=False)
    return path


# --- help ----------------------------------------------------------------------------------------


FEW_OPTIONS = {"dashboard": "it asks nothing of data"}
"""Commands with no more than five, and why."""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    parameters = get_command(app).commands[command].params
    assert (len(parameters) > 5) != (command in FEW_OPTIONS)
    for parameter in parameters:
        assert parameter.help
        assert all(name in result.output for name in parameter.opts if name.startswith("-"))


def test_without_a_command_the_commands_are_listed() -> None:
    result = run()
    assert result.exit_code == 2
    for command in COMMANDS:
        assert command in result.output


# --- ingest --------------------------------------------------------------------------------------


def test_ingest_reports_and_writes_without_user_ids(three: Path, tmp_path: Path) -> None:
    rejects, out = tmp_path / "rejects.csv", tmp_path / "samples.csv"
    result = run("ingest", three, "--rejects", rejects, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Read 4 rows" in result.output
    assert "1 unparseable time" in result.output
    assert "Africa/Algiers" in result.output
    for text in (result.output, rejects.read_text(), out.read_text()):
        assert "example.org" not in text
    assert len(pd.read_csv(rejects)) == 1
    samples = pd.read_csv(out)
    assert samples["pseudonym"].tolist() == ["u0001", "u0002", "u0003"]
    # Algiers is one hour ahead: 07:00 local is minute 420.
    assert samples["t_min"].tolist() == [420, 423, 903]


def test_ingest_speaks_json(three: Path) -> None:
    result = run("ingest", three, "--json")
    report = json.loads(result.stdout)
    assert report["rows_read"] == report["rows_used"] + report["rows_set_aside"] == 4
    assert report["n_users"] == 3
    assert report["samples_per_user"]["p50"] == 1
    assert "example.org" not in result.stdout


def test_columns_by_name_and_position(tmp_path: Path) -> None:
    """Two columns of numbers that could be either coordinate: the options decide."""
    path = tmp_path / "swapped.csv"
    path.write_text("a,b,c,d\n1,2024-03-04T06:00:00Z,10,20\n2,2024-03-04T06:00:00Z,10,20\n")
    named = run("ingest", path, "--user", "a", "--time", "b", "--lon", "c", "--lat", "d", "--json")
    placed = run("ingest", path, "--user", 0, "--time", 1, "--lon", 2, "--lat", 3, "--json")
    for result in (named, placed):
        assert result.exit_code == 0, result.output
        assert "+lat_0=20" in json.loads(result.stdout)["crs"].replace(".0", "")


def test_screening_and_granularity_reach_the_reader(people: Path) -> None:
    plain = json.loads(run("ingest", people, "--json").stdout)
    busy = json.loads(run("ingest", people, "--screen", 10, "--json").stdout)
    civ = json.loads(run("ingest", people, "--screen", "civ", "--json").stdout)
    coarse = json.loads(run("ingest", people, "--granularity-min", 60, "--json").stdout)
    assert plain["n_users"] == 30
    assert 0 < busy["n_users"] < 30
    assert 0 < civ["n_users"] < 30
    assert coarse["n_samples"] < plain["n_samples"]


def test_antennas_are_joined(tmp_path: Path) -> None:
    records, antennas = tmp_path / "records.csv", tmp_path / "antennas.csv"
    frame = generate_cdr(10, days=2)
    frame.drop(columns=["lat", "lon"]).to_csv(records, index=False)
    generate_region(0).antennas.to_csv(antennas, index=False)
    result = run("ingest", records, "--antennas", antennas, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["rows_read"], report["n_users"]) == (len(frame), 10)


@pytest.mark.parametrize(("key", "users"), [("sf_cabs", 496), ("synthetic", 2000)])
def test_samples_are_read_whole_and_attributed(key: str, users: int) -> None:
    report = json.loads(run("ingest", "--sample", key, "--json").stdout)
    assert report["n_users"] == users
    assert report["rows_read"] == report["rows_used"] + report["rows_set_aside"]
    assert not report["timezone_guessed"]
    assert "CC" in run("ingest", "--sample", key).stdout


# --- measure -------------------------------------------------------------------------------------


def test_measure_gives_the_worked_values(three: Path, tmp_path: Path) -> None:
    """alice, bob: 3 min apart. carol: 480 min from bob, the cap."""
    out = tmp_path / "gaps.csv"
    result = run("measure", three, "--k", "2,3", "--out", out, "--workers", 1)
    assert result.exit_code == 0, result.output
    gaps = pd.read_csv(out)
    assert gaps["pseudonym"].tolist() == ["u0001", "u0002", "u0003"] * 2
    assert gaps["k"].tolist() == [2, 2, 2, 3, 3, 3]
    pair, cap = 0.003125, 0.5
    expected = [pair, pair, cap, (pair + cap) / 2, (pair + cap) / 2, cap]
    np.testing.assert_allclose(gaps["k_gap"], expected, atol=1e-12)
    np.testing.assert_allclose(gaps["mean_time_min"][:3], [3, 3, 480])
    assert set(gaps["mean_distance_m"]) == {0}
    assert "example.org" not in result.output + out.read_text()


def test_measure_by_profile_speaks_json(three: Path) -> None:
    """In windows of a day all three are the same; in those of an hour carol is not."""
    result = run("measure", three, "--k", 2, "--profile", "1000:1440", "--profile", "1000:60",
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.output
    day, hour = json.loads(result.stdout)["gaps"]
    assert (day["window_min"], day["share_hidden"], day["median"]) == (1440, 1, 0)
    assert hour["share_hidden"] == pytest.approx(2 / 3)


def test_measure_writes_every_table_of_the_study(people: Path, tmp_path: Path) -> None:
    """Profiles in words and in few letters, and the same bytes as any other way of asking."""
    wanted = ["2.5 km · 1 h", "a5x60", "about 9 antennas · 2 h"]
    profiles = [part for text in wanted for part in ("--profile", text)]
    result = run("measure", people, "--k", "2,3", *profiles, "--tables", tmp_path / "made")
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    config = anonymizability.Config(tuple(map(parse_profile, wanted)), (2, 3))
    expected = anonymizability.study(fs, config).tables()
    assert sorted(p.stem for p in (tmp_path / "made").iterdir()) == sorted(expected)
    for name, table in expected.items():
        file = tmp_path / "made" / f"{name}.csv"
        assert file.read_bytes() == table_bytes([table], file.name)
    told = json.loads(run("measure", people, "--profile", "a5x60", "--json").stdout)
    assert told["gaps"][0]["profile"] == "about 5 antennas · 1 h"


def test_a_profile_that_cannot_be_read_is_named(three: Path) -> None:
    result = run("measure", three, "--profile", "2500:60", "--profile", "2 miles")
    assert result.exit_code == 2
    assert "2 miles" in result.stderr


def test_measure_prints_a_line_per_profile_and_crowd(people: Path) -> None:
    result = run("measure", people, "--k", "2,5", "--profile", "100:1", "--profile", "20000:480")
    assert result.exit_code == 0, result.output
    assert sum(line.startswith(("100 m", "20 km")) for line in result.stdout.splitlines()) == 4


def test_weights_change_the_result(three: Path) -> None:
    """All of the weight on space, and all are in one place: everyone is hidden."""
    result = run("measure", three, "--w-space", 1, "--json")
    assert json.loads(result.stdout)["gaps"][0]["share_hidden"] == 1


# --- unicity -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_unicity_of_three_in_text_json_and_file(three: Path, tmp_path: Path, ending: str) -> None:
    """One bin each, all different; in windows of an hour alice and bob are alike."""
    out = tmp_path / f"unicity{ending}"
    result = run("unicity", three, "--p", 1, "--out-of", "1,2", "--profile", "1000:1,60", "--out",
                 out)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Guessing finds one in 3." in result.output
    assert "33.3%" in result.output
    table = pd.read_csv(out) if ending == ".csv" else pd.read_parquet(out)
    assert table["window_min"].tolist() == [1, 1, 60, 60]
    assert table["out_of"].tolist() == [1, 2, 1, 2]
    assert table["found"].tolist() == [3, 3, 1, 3]
    assert "example.org" not in result.output + str(out.read_bytes())
    told = json.loads(run("unicity", three, "--p", 1, "--json").stdout)
    assert (told["users"], told["config"]["strategy"]) == (3, "random")
    assert [row["value"] for row in told["unicity"]] == [1.0]


def test_unicity_is_what_the_function_makes(people: Path) -> None:
    options = ["--p", "2,3", "--strategy", "top", "--users", 20, "--seed", 5, "--workers", 1]
    result = run("unicity", people, *options, "--profile", "2000:60", "--json")
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    profile = GeneralizationProfile(Grid(2000), 60)
    expected = unicity_grid(fs, [profile], [2, 3], strategy="top", users=20, seed=5)
    assert json.loads(result.stdout)["unicity"] == expected.to_dict("records")


def test_unicity_writes_every_table_of_the_studies(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    options = ["--users", 20, "--seed", 5, "--workers", 1, "--merge-antennas", 3]
    result = run("unicity", people, *options, "--tables", folder)
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    expected = unicity.study(fs, unicity.Config(20, 5)).tables()
    expected |= antenna_merging.study(fs, antenna_merging.Config(3, 20, 5)).tables()
    assert set(expected) == {
        "unicity",
        "points_needed",
        "unicity_grid",
        "scaling_laws",
        "sparsity",
        "merged_antennas",
        "merged_unicity",
    }
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in expected}
    for name, table in expected.items():
        file = folder / f"{name}.csv"
        assert file.read_bytes() == table_bytes([table], file.name)
    fewer = run("unicity", people, "--users", 20, "--profile", "2000,4000:60", "--tables", folder)
    assert fewer.exit_code == 0, fewer.output
    grid = pd.read_csv(folder / "unicity_grid.csv")
    assert grid["space_size"].unique().tolist() == [2000, 4000]
    assert "user" not in pd.read_csv(folder / "points_needed.csv")


@pytest.mark.parametrize(
    "options",
    [
        ["--merge-antennas", "7"],
        ["--tables", "no/such/folder"],
        ["--p", "0"],
        ["--p", "two"],
        ["--out-of", "0"],
        ["--users", "0"],
        ["--seed", "-1"],
        ["--strategy", "best"],
        ["--profile", "100"],
        ["--profile", "100,x:60"],
        ["--profile", "100:0"],
        ["--profile", "10:1"],
        ["--workers", "0"],
    ],
)
def test_bad_questions_about_unicity_exit_with_2(three: Path, options: list[str]) -> None:
    result = run("unicity", three, *options)
    assert result.exit_code == 2, result.output
    assert "rror" in result.stderr


# --- disclosure ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_disclosure_of_three_in_text_json_and_file(
    three: Path, tmp_path: Path, ending: str
) -> None:
    """One bin each. In windows of an hour alice and bob share theirs: |E| = 2, 2, 1.

    k = (1/2 + 1/2 + 1)/3 = 2/3. Two bins, of 2/3 and 1/3 of the users; P = (1, 0), (1, 0), (0, 1):
    EM = ((1/3 + 1/3) + (1/3 + 1/3) + (2/3 + 2/3))/6 = 4/9.
    """
    out = tmp_path / f"disclosure{ending}"
    options = ["--p", 1, "--unicity-p", "1,2", "--profile", "1000:1,60"]
    result = run("disclosure", three, *options, "--out", out)
    assert result.exit_code == 0, result.output
    assert "0.667" in result.output
    assert "0.444" in result.output
    table = pd.read_csv(out) if ending == ".csv" else pd.read_parquet(out)
    assert table["window_min"].tolist() == [1, 60]
    assert table["unicity_p1"].tolist() == [1, pytest.approx(1 / 3)]
    assert table["k"].tolist() == [1, pytest.approx(2 / 3)]
    assert table["em"].tolist()[1] == pytest.approx(4 / 9)
    assert "example.org" not in result.output + str(out.read_bytes())
    told = json.loads(run("disclosure", three, *options, "--json").stdout)
    assert (told["users"], told["config"]["p"]) == (3, 1)
    assert {"a", "b", "tau", "discordant_pairs"} <= set(told["agreement"][0])
    alone = json.loads(run("disclosure", three, "--p", 1, "--unicity-p", 1, "--json").stdout)
    assert [row["unicity_p1"] for row in alone["disclosure"]] == [1.0]
    assert alone["agreement"] == []  # of one profile there is none


def test_every_table_of_disclosure_goes_to_a_folder(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    options = ["--p", 2, "--users", 20, "--profile", "2000,8000:60"]
    result = run("disclosure", people, *options, "--tables", folder)
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    profiles = tuple(GeneralizationProfile(Grid(metres), 60) for metres in (2000, 8000))
    asked = disclosure.Config(KnowledgeConfig(2, users=20), profiles, (3, 4, 5))
    expected = disclosure.study(fs, asked).tables()
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in expected}
    for name, table in expected.items():
        assert (folder / f"{name}.csv").read_bytes() == table_bytes([table], f"{name}.csv")


def test_disclosure_is_what_the_function_makes(people: Path) -> None:
    options = ["--p", 2, "--strategy", "uniform", "--users", 20, "--seed", 5, "--workers", 1]
    result = run("disclosure", people, *options, "--profile", "2000,8000:60", "--json")
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    profiles = [GeneralizationProfile(Grid(metres), 60) for metres in (2000, 8000)]
    expected = disclosure_grid(fs, profiles, p=2, strategy="uniform", users=20, seed=5)
    assert json.loads(result.stdout)["disclosure"] == expected.to_dict("records")


@pytest.mark.parametrize(
    "options",
    [["--p", "0"], ["--unicity-p", "x"], ["--unicity-p", "0"], ["--users", "0"], ["--seed", "-1"],
     ["--strategy", "best"], ["--profile", "100"], ["--profile", "10:1"], ["--workers", "0"]],
)  # fmt: skip
def test_bad_questions_about_disclosure_exit_with_2(three: Path, options: list[str]) -> None:
    result = run("disclosure", three, *options)
    assert result.exit_code == 2, result.output
    assert "rror" in result.stderr


# --- glove ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_glove_writes_what_the_function_makes(people: Path, tmp_path: Path, ending: str) -> None:
    out, made = tmp_path / f"out{ending}", tmp_path / f"made{ending}"
    lost, lost_made = tmp_path / "lost.csv", tmp_path / "lost_made.csv"
    options = ["--k", 3, "--suppress-space-m", 15_000, "--suppress-time-min", 360, "--leftover",
               "suppress", "--workers", 1]  # fmt: skip
    result = run("glove", people, *options, "--out", out, "--suppressed-out", lost)
    assert result.exit_code == 0, result.output
    assert "Verified: everyone published is one of at least 3" in result.output
    fs, _ = read_cdr(people)
    expected = glove(fs, 3, suppress_space_m=15_000, suppress_time_min=360, leftover="suppress")
    write_published(expected, made)
    write_suppressed(expected, lost_made)
    assert out.read_bytes() == made.read_bytes()
    assert lost.read_bytes() == lost_made.read_bytes()
    name = "out_dictionary.csv"
    assert (tmp_path / name).read_bytes() == (tmp_path / "made_dictionary.csv").read_bytes()
    again = verify_k_anonymity(fs, read_published(out), 3, suppressed=read_suppressed(lost))
    assert again.passed


def test_glove_speaks_json(three: Path) -> None:
    """alice and bob, 3 minutes apart, form the pair; carol is left over, and joins them."""
    figures = json.loads(run("glove", three, "--json").stdout)
    assert (figures["groups"], figures["largest_group"], figures["users_left_over"]) == (1, 3, 1)
    assert figures["verified"]
    assert figures["suppressed_share"] == 0
    # Minute 420 to 903 + 1.
    assert figures["median_time_min"] == 484
    out = json.loads(run("glove", three, "--leftover", "suppress", "--json").stdout)
    assert out["users_suppressed"] == 1
    assert out["median_time_min"] == 4


def test_glove_holds_back_what_does_not_verify(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = verify_k_anonymity
    monkeypatch.setattr(
        "fpanon_core.studies.hiding.verify_k_anonymity", lambda fs, r, k: real(fs, r, k + 9)
    )
    result = run("glove", three, "--out", tmp_path / "out.csv", "--tables", tmp_path / "out")
    assert result.exit_code == 1
    assert "NOT verified" in result.stdout
    assert [path.name for path in tmp_path.glob("out*")] == ["out"]
    assert list((tmp_path / "out").iterdir()) == []


def test_glove_writes_every_table_of_the_studies(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    options = ["--k", 3, "--suppress-space-m", 15_000, "--workers", 1, "--compare"]
    result = run("glove", people, *options, "--tables", folder)
    assert result.exit_code == 0, result.output
    assert "GLOVE with suppression" in result.output
    fs, _ = read_cdr(people)
    config = hiding.Config(3, suppress_space_m=15_000)
    expected = hiding.study(fs, config).tables()
    expected |= comparison.study(fs, comparison.Config()).tables()
    assert set(expected) == {"accuracy", "dictionary", "suppressed", "comparison"}
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in expected}
    for name, table in expected.items():
        file = folder / f"{name}.csv"
        assert file.read_bytes() == table_bytes([table], file.name)
    accuracy = pd.read_csv(folder / "accuracy.csv").iloc[0]
    assert (accuracy["k"], accuracy["users"], accuracy["verified"]) == (3, 30, True)
    told = json.loads(run("glove", people, *options, "--json").stdout)["comparison"]
    assert [row["k"] for row in told] == [2, 2, 2, 5, 5, 5, 10, 10, 10]
    assert [row["window_min"] is None for row in told] == [False, True, True] * 3


@pytest.mark.parametrize(
    "options",
    [
        ["--k", "1"],
        ["--k", "4"],
        ["--k", "two"],
        ["--leftover", "drop"],
        ["--suppress-space-m", "0"],
        ["--suppress-space-m", "nan"],
        ["--suppress-time-min", "-3"],
        ["--suppress-time-min", "0.1"],
        ["--w-space", "2"],
        ["--workers", "0"],
        ["--suppressed-out", "lost.doc"],
    ],
)
def test_bad_wishes_of_glove_exit_with_2(three: Path, options: list[str]) -> None:
    result = run("glove", three, *options)
    assert result.exit_code == 2, result.output
    assert "rror" in result.stderr


# --- generate ------------------------------------------------------------------------------------


def test_generate_writes_what_the_function_makes(tmp_path: Path) -> None:
    out, antennas = tmp_path / "cdr.parquet", tmp_path / "antennas.csv"
    result = run("generate", 25, "--days", 3, "--seed", 4, "--n-antennas", 40, "--start",
                 "2024-07-01", "--out", out, "--antennas-out", antennas)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "synthetic" in result.output
    region = generate_region(4, n_antennas=40)
    pd.testing.assert_frame_equal(pd.read_csv(antennas), region.antennas)
    made = pd.read_parquet(out)
    assert made["user_id"].nunique() == 25
    assert str(made["timestamp"].min())[:10] == "2024-07-01"
    assert set(made["antenna_id"]) <= set(region.antennas["antenna_id"])


def test_a_million_people_are_written_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of 10 instead of 10,000: the file is the same."""
    run("generate", 35, "--days", 2, "--out", tmp_path / "whole.csv")
    monkeypatch.setattr("fpanon_core.commands.generate._CHUNK_USERS", 10)
    run("generate", 35, "--days", 2, "--out", tmp_path / "pieces.csv")
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "pieces.csv").read_bytes()


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"", []),
        (b"who,when,latitude,longitude\n", []),
        (bytes(range(256)) * 20, []),
        (b"a,b,c\nx,1.5,2.5\ny,1.5,2.5\n", []),
        (b"user,time,lat,lon\nanna,never,200,400\n", []),
        (THREE.encode(), ["--user", "nobody"]),
        (THREE.encode(), ["--user", "9"]),
        (THREE.encode(), ["--timezone", "Mars/Base"]),
        (THREE.encode(), ["--naive-timezone", "Mars/Base"]),
        (THREE.encode(), ["--granularity-m", "0"]),
        (THREE.encode(), ["--granularity-min", "-1"]),
        (THREE.encode(), ["--screen", "some"]),
        (THREE.encode(), ["--screen", "50"]),
        (THREE.encode(), ["--antennas", "nowhere.csv"]),
        (THREE.encode(), ["--sample", "synthetic"]),
        (THREE.encode(), ["--out", "samples.doc"]),
        (THREE.encode(), ["--out", "nowhere/samples.csv"]),
    ],
)
@pytest.mark.parametrize("command", ["ingest", "measure", "glove"])
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path, command: str, content: bytes, options: list[str]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = run(command, path, *options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert len(result.stderr.splitlines()) == 1
    for private in ("example.org", "anna"):
        assert private not in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--k", "1"],
        ["--k", "two"],
        ["--k", "4"],
        ["--profile", "100"],
        ["--profile", "100:0"],
        ["--profile", "a:b"],
        ["--w-space", "2"],
        ["--w-space", "nan"],
        ["--w-space", "0.5", "--w-time", "0.6"],
        ["--max-space-m", "0"],
        ["--workers", "0"],
        ["--workers", "x"],
        ["--nonsense"],
    ],
)
def test_bad_questions_exit_with_2(three: Path, options: list[str]) -> None:
    result = run("measure", three, *options)
    assert result.exit_code == 2, result.output
    assert "rror" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["0"],
        ["x"],
        ["5", "--days", "0"],
        ["5", "--seed", "-1"],
        ["5", "--events-per-day", "0"],
        ["5", "--start", "monday"],
        ["5", "--n-antennas", "1"],
        [],
    ],
)
def test_bad_wishes_exit_with_2_and_leave_no_file(tmp_path: Path, options: list[str]) -> None:
    result = run("generate", *options, "--out", tmp_path / "cdr.csv")
    assert result.exit_code == 2, result.output
    assert list(tmp_path.iterdir()) == []


def test_neither_file_nor_sample() -> None:
    for command in ("ingest", "measure", "glove"):
        result = run(command)
        assert result.exit_code == 2
        assert "--sample" in result.stderr
    assert run("ingest", "--sample", "mars").exit_code == 2
    assert run("ingest", "/nowhere/at/all.csv").exit_code == 2


def test_one_person_has_nobody_to_hide_among(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("\n".join(THREE.splitlines()[:2]) + "\n")
    assert run("ingest", path, "--user", "who").exit_code == 0
    result = run("measure", path, "--user", "who")
    assert result.exit_code == 2
    assert "at least 2 users" in result.stderr


@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_of_the_program_reveals_no_data(
    three: Path, monkeypatch: pytest.MonkeyPatch, debug: bool
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("alice@example.org")

    monkeypatch.setattr("fpanon_core.studies.reading.read_cdr", fail)
    result = CliRunner().invoke(app, [*(["--debug"] if debug else []), "ingest", str(three)])
    assert result.exit_code == 1
    assert "KeyError" in result.stderr
    assert ("Traceback" in result.stderr) == debug
    assert ("example.org" in result.stderr) == debug


# --- as a program --------------------------------------------------------------------------------


def _program(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fpanon_core", *map(str, args)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )


def test_as_a_program(three: Path) -> None:
    done = _program("ingest", three)
    assert done.returncode == 0, done.stderr
    assert "Read 4 rows" in done.stdout
    assert done.stderr == ""


def test_as_a_program_that_fails(three: Path) -> None:
    done = _program("measure", three, "--k", 9)
    assert done.returncode == 2
    assert done.stderr == (
        "Error: k = 9 exceeds the 3 fingerprints loaded; choose k ≤ 3 or load more data.\n"
    )


# --- recover -------------------------------------------------------------------------------------


def test_recover_is_what_the_functions_make(people: Path, tmp_path: Path) -> None:
    out, paths = tmp_path / "scores.csv", tmp_path / "recovered.parquet"
    options = ["--slot-min", 60, "--pairing", "optimal", "--seed", 3, "--workers", 1]
    result = run("recover", people, *options, "--out", out, "--trajectories", paths)
    assert result.exit_code == 0, result.output
    fs, _ = read_cdr(people)
    counts, truth = aggregate_counts(fs, slot_min=60)
    recovered = recover_trajectories(counts)
    score = score_recovery(recovered, counts, truth, pairing="optimal", seed=3)
    assert f"Counts of 30 people at {counts.n_places} places in {counts.n_slots}" in result.output
    assert f"{score.accuracy:.1%}" in result.output
    filled = counted_people(fs, slot_min=60).recorded.mean()
    said = f"{1 - filled:.1%} of the points had to be filled in"
    assert 0 < result.output.index(said) < result.output.index("recorded points")
    table = pd.read_csv(out)
    np.testing.assert_allclose(table["accuracy"], score.accuracy_by_step)
    np.testing.assert_allclose(table["at_random"], score.baseline_by_step)
    written = pd.read_parquet(paths)
    assert len(written) == recovered.places.size
    np.testing.assert_array_equal(written["x_m"], counts.x_m[recovered.places.ravel()])
    told = json.loads(run("recover", people, *options, "--json").stdout)
    assert [row["accuracy"] for row in told["scores"]] == score.accuracy_by_step.tolist()
    assert told["config"] == {
        "slot_min": 60.0, "users": None, "link_threshold_m": 0.0, "pairing": "optimal", "seed": 3
    }  # fmt: skip


def test_recover_of_some_users_writes_the_studies_tables(people: Path, tmp_path: Path) -> None:
    """Twelve of thirty are drawn; every table of every study is a file in the folder."""
    folder = tmp_path / "tables"
    options = ["--slot-min", 60, "--users", 12, "--seed", 4, "--workers", 1]
    told = run("recover", people, *options, "--factors", "--tables", folder)
    assert told.exit_code == 0, told.output
    assert "Counts of 12 people" in told.output
    assert "places of 5000 m" in told.output
    fs, _ = read_cdr(people)
    found = recovery.study(fs, recovery.Config(60, 12, seed=4))
    varied = recovery_factors.study(fs, recovery_factors.Config(60, 12, seed=4))
    tables = found.tables() | varied.tables()
    assert sorted(path.stem for path in folder.iterdir()) == sorted(tables)
    for name, table in tables.items():
        assert (folder / f"{name}.csv").read_bytes() == table_bytes([table], f"{name}.csv")
    everyone = recovery.study(fs, recovery.Config(60, None, seed=4))
    assert everyone.score.n_users == 30
    assert len(varied.levels) == 11


def test_tables_need_a_folder(three: Path, tmp_path: Path) -> None:
    for folder in (three, tmp_path / "no" / "where"):
        result = run("recover", three, "--tables", folder)
        assert result.exit_code == 2
        assert "folder" in result.stderr


def test_recover_after_mitigations(three: Path, tmp_path: Path) -> None:
    """One antenna: noise has nowhere to go, and everybody is recovered, until counts are gone."""
    out = tmp_path / "mitigations.csv"
    result = run("recover", three, "--mitigations", "--out", out)
    assert result.exit_code == 0, result.output
    assert "small counts suppressed (15)" in result.output
    assert "differential privacy (0.1), user-slot" in result.output
    assert "and promise nothing" in result.output
    table = pd.read_csv(out)
    assert table["whole"].tolist()[:4] == [1, 1, 1, 0]
    told = json.loads(run("recover", three, "--mitigations", "--json").stdout)
    assert told["mitigations"][0]["setting"] is None
    assert told["scores"][0]["accuracy"] is None  # seven to four in the afternoon: no night
    assert "example.org" not in result.output


@pytest.mark.parametrize(
    "options",
    [["--slot-min", "7"], ["--slot-min", "0"], ["--link-threshold-m", "-1"], ["--seed", "-1"],
     ["--pairing", "best"], ["--workers", "0"], ["--out", "x.txt"], ["--trajectories", "x.txt"],
     ["--users", "some"], ["--users", "0"]],
)  # fmt: skip
def test_bad_questions_about_recovery_exit_with_2(three: Path, options: list[str]) -> None:
    result = run("recover", three, *options)
    assert result.exit_code == 2, result.output
    assert "rror" in result.stderr


# --- options -------------------------------------------------------------------------------------

THREE_OPTIONS = [
    {"name": "raw", "steps": []},
    {"name": "hour", "steps": [{"technique": "generalize", "minutes": 60,
                                "space": {"kind": "grid", "metres": 1000}}]},
    {"name": "crowds", "steps": [{"technique": "suppress_rare", "min_users": 9}]},
]  # fmt: skip


@pytest.fixture
def options_json(tmp_path: Path) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(THREE_OPTIONS))
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_options_of_three_in_text_json_and_file(
    three: Path, options_json: Path, tmp_path: Path, ending: str
) -> None:
    """By the hour alice and bob are alike: unicity 1/3; no bin has nine people in it."""
    out = tmp_path / f"table{ending}"
    arguments = ("options", three, "--options", options_json, "--p", 1, "--limit", 0.5)
    result = run(*arguments, "--out", out)
    assert result.exit_code == 0, result.output
    assert "unsafe; on the front" in result.output
    assert "crowds: No bin has 9 users" in result.output
    table = pd.read_csv(out) if ending == ".csv" else pd.read_parquet(out)
    assert table["option"].tolist() == ["raw", "hour", "crowds"]
    assert table["risk"][:2].tolist() == pytest.approx([1, 1 / 3])
    assert table["front"].tolist() == [True, True, False]
    saved = tmp_path / "table.json"
    assert "example.org" not in result.output + str(out.read_bytes()) + saved.read_text()
    told = json.loads(run(*arguments, "--json").stdout)
    assert [row["unsafe"] for row in told["options"]] == [True, False, False]
    assert told["options"][2]["risk"] is None
    assert told["config"] == {"p": 1, "strategy": "random", "users": 2500, "seed": 0}


def test_options_are_what_the_function_makes(people: Path) -> None:
    fs, _ = read_cdr(people)
    expected = explore_options(fs, trade_grid(fs), p=2, risk="em", utility={"flows": 1, "time": 2})
    arguments = ("--p", 2, "--risk", "em", "--utility", "flows=1,time=2", "--json")
    told = json.loads(run("options", people, *arguments).stdout)
    assert [row["risk"] for row in told["options"]] == expected.risk.tolist()
    assert [row["utility"] for row in told["options"]] == expected.utility.tolist()
    assert [row["front"] for row in told["options"]] == expected.front.tolist()


def test_options_of_a_preset_no_larger_than_the_users_and_as_a_table_in_a_folder(
    three: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "tables"
    result = run("options", three, "--preset", "glove,asis", "--p", 1, "--tables", folder)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(folder / "options.csv")
    assert table["option"].tolist() == ["GLOVE, k = 2", "as it is"]
    assert table["users"].tolist() == [3, 3]


def test_options_go_on_from_what_is_saved(three: Path, options_json: Path, tmp_path: Path) -> None:
    out, saved = tmp_path / "table.csv", tmp_path / "table.json"
    arguments = ("options", three, "--options", options_json, "--p", 1, "--out", out)
    assert run(*arguments).exit_code == 0
    plain = json.loads(saved.read_text())
    plain["results"][0]["n_samples"] = 77  # a mark: only what is read back can carry it
    saved.write_text(json.dumps(plain))
    assert run(*arguments).exit_code == 0
    assert pd.read_csv(out)["samples"].tolist()[:2] == [77, 3]
    assert run(*arguments, "--seed", 1).exit_code == 0  # another seed: nothing of it is used
    assert pd.read_csv(out)["samples"].tolist()[:2] == [3, 3]
    saved.write_text("{}")
    result = run(*arguments)
    assert result.exit_code == 2
    assert "explore them anew" in result.output


def test_options_by_questionnaire(three: Path, options_json: Path, tmp_path: Path) -> None:
    template, filled = tmp_path / "template.csv", tmp_path / "filled.csv"
    arguments = ("options", three, "--options", options_json, "--p", 1)
    assert "3 options" in run(*arguments, "--template", template).output
    answers = pd.read_csv(template)
    assert len(answers) == 3 * 2 * 3
    answers["score"] = [9, 4, 1] * 6
    answers.loc[len(answers)] = ["Expert 1", "transport", "raw", 3]
    answers.loc[len(answers)] = ["Expert 1", "transport", "raw", 30]
    answers.to_csv(filled, index=False)
    result = run(*arguments, "--questionnaire", filled, "--utility", "transport")
    assert result.exit_code == 0, result.output
    assert "18 answers used, 2 set aside." in result.output
    assert "row 20: the same expert" in result.output
    assert "row 21: the score is outside" in result.output
    assert "0.900" in result.output
    assert "0.400" in result.output
    unknown = run(*arguments, "--questionnaire", filled, "--utility", "tourism")
    assert unknown.exit_code == 2
    assert "tourism" in unknown.output


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--risk", "danger"), "--risk 'danger'"),
        (("--utility", "fun"), "fun"),
        (("--utility", "flows=x"), "flows=x"),
        (("--preset", "trade,best"), "best"),
        (("--options", "nowhere.json"), "nowhere.json"),
        (("--p", 0), "p = 0"),
        (("--out", "table.xls"), ".xls"),
    ],
)
def test_options_are_checked_before_the_reading(wrong: tuple[object, ...], words: str) -> None:
    result = run("options", "missing.csv", *wrong)
    assert result.exit_code == 2
    assert words in result.output
    assert "missing.csv" not in result.output
