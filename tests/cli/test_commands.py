"""The command line: what it prints and writes, and how it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import fpanon_core as fp
from fpanon_core.__main__ import app
from fpanon_core.commands.group import COMMANDS
from fpanon_core.studies import hiding
from fpanon_core.studies.presets import PRESETS
from fpanon_core.synthetic.region import generate_region
from fpanon_core.tables.writing import table_bytes
from tests.support.commands import figures_of, refused, run, said_by
from tests.support.exports import read, same_but_for_names

ROOT = Path(__file__).resolve().parents[2]

# Three people at one antenna, 3 and 480 minutes apart. With the usual parameters only time costs:
# Δ(alice, bob) = 3/480/2 = 0.003125; Δ(bob, carol) = 480/480/2 = 0.5, and more than the cap is 0.5.
THREE = """who,when,latitude,longitude
alice@example.org,2024-03-04T06:00:00Z,24.0,1.0
bob@example.org,2024-03-04T06:03:00Z,24.0,1.0
carol@example.org,2024-03-04T14:03:00Z,24.0,1.0
carol@example.org,garbled,24.0,1.0
"""


@pytest.fixture
def three(tmp_path: Path) -> Path:
    path = tmp_path / "three.csv"
    path.write_text(THREE)
    return path


# --- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command: str) -> None:
    output = said_by(command, "--help")
    parameters = get_command(app).commands[command].params
    for parameter in parameters:
        assert parameter.help
        assert all(name in output for name in parameter.opts if name.startswith("-"))


# --- ingest --------------------------------------------------------------------------------------


def test_ingest_reports_and_writes_without_user_ids(three: Path, tmp_path: Path) -> None:
    rejects, out = tmp_path / "rejects.csv", tmp_path / "samples.csv"
    output = said_by("ingest", three, "--rejects", rejects, "--out", out)
    assert "Read 4 rows" in output
    assert "1 unparseable time" in output
    assert "Africa/Algiers" in output
    for text in (output, rejects.read_text(), out.read_text()):
        assert "example.org" not in text
    assert len(pd.read_csv(rejects)) == 1
    assert output.count("not for release, written to") == 2
    samples = pd.read_csv(out)
    ours = read(table_bytes([fp.read_cdr(three)[0].to_frame()], "samples.csv"))
    assert same_but_for_names(samples, ours)
    # Algiers is one hour ahead: 07:00 local is minute 420.
    assert sorted(samples["t_min"]) == [420, 423, 903]
    report = figures_of("ingest", three)
    assert report["rows_read"] == report["rows_used"] + report["rows_set_aside"] == 4
    assert (report["n_users"], report["samples_per_user"]["p50"]) == (3, 1)
    assert "example.org" not in str(report)


def test_positions_that_cannot_be_meant_are_refused_until_somebody_says_how_to_read_them(
    tmp_path: Path,
) -> None:
    path = events(tmp_path, -73.9, 40.7)
    for command in ("ingest", "measure"):
        result = refused(command, path)
        assert "Antarctica" in result
        assert "Give --positions exchanged, or --positions as-they-are" in result
        assert "positions=" not in result
    zones = {"exchanged": "America/New_York", "as-they-are": "Antarctica/Syowa"}
    for positions, zone in zones.items():
        assert figures_of("ingest", path, "--positions", positions)["timezone"] == zone
    refused("ingest", path, "--positions", "sideways")


def events(folder: Path, lat: float, lon: float) -> Path:
    """Ten records of three people near that place."""
    lines = [f"u{i % 3},2012-07-01T0{i}:00Z,{lat}{i},{lon}{i}" for i in range(10)]
    (folder / "events.csv").write_text("\n".join(["user,time,lat,lon", *lines, ""]))
    return folder / "events.csv"


def test_columns_by_name_and_position(tmp_path: Path) -> None:
    """Two columns of numbers that could be either coordinate: the options decide."""
    path = tmp_path / "swapped.csv"
    path.write_text("a,b,c,d\n1,2024-03-04T06:00:00Z,10,20\n2,2024-03-04T06:00:00Z,10,20\n")
    for user, time, lon, lat in ("abcd", range(4)):
        told = figures_of(
            "ingest", path, "--user", user, "--time", time, "--lon", lon, "--lat", lat
        )
        assert "+lat_0=20" in told["crs"].replace(".0", "")


def test_screening_and_granularity_reach_the_reader(people: Path) -> None:
    plain = figures_of("ingest", people)
    busy = figures_of("ingest", people, "--screen", 10)
    civ = figures_of("ingest", people, "--screen", "civ")
    coarse = figures_of("ingest", people, "--granularity-min", 60)
    assert plain["n_users"] == 30
    assert 0 < busy["n_users"] < 30
    assert 0 < civ["n_users"] < 30
    assert coarse["n_samples"] < plain["n_samples"]


# --- measure -------------------------------------------------------------------------------------


def test_measure_gives_the_worked_values(three: Path, tmp_path: Path) -> None:
    """alice, bob: 3 min apart. carol: 480 min from bob, the cap."""
    out = tmp_path / "gaps.csv"
    output = said_by("measure", three, "--k", "2,3", "--out", out, "--workers", 1)
    gaps = pd.read_csv(out).sort_values(["k", "k_gap"], ignore_index=True)
    assert not {*gaps["pseudonym"]} & {"u0001", "u0002", "u0003"}
    assert gaps["for_release"].unique().tolist() == ["no"]
    assert gaps["k"].tolist() == [2, 2, 2, 3, 3, 3]
    pair, cap = 0.003125, 0.5
    expected = [pair, pair, cap, (pair + cap) / 2, (pair + cap) / 2, cap]
    np.testing.assert_allclose(gaps["k_gap"], expected, atol=1e-12)
    np.testing.assert_allclose(gaps["mean_capped_time_min"][:3], [3, 3, 480])
    assert "not for release, written to" in output
    assert "each counted up to 20 km and 480 min" in output
    assert "example.org" not in output + out.read_text()


def test_measure_by_profile_speaks_json(three: Path, people: Path) -> None:
    """In windows of a day all three are the same; in those of an hour carol is not.

    With all of the weight on space everyone is: all are in one place.
    """
    profiles = ["--profile", "1000:1440", "--profile", "1000:60"]
    day, hour = figures_of("measure", three, "--k", 2, *profiles)["gaps"]
    assert (day["window_min"], day["share_at_0"], day["median"]) == (1440, 1, 0)
    assert hour["share_at_0"] == pytest.approx(2 / 3)
    assert figures_of("measure", three, "--w-space", 1)["gaps"][0]["share_at_0"] == 1
    assert "2 miles" in refused("measure", three, "--profile", "2500:60", "--profile", "2 miles")
    several = ["2500e0n0:60", "2.5 km · 1 h", "about 9 antennas · 2 h", "h7x60"]
    output = said_by("measure", people, *(f"--profile='{each}'" for each in several))
    assert "Corners of the grids, from the projection’s centre: 2.5 km: 0 m east" in output
    told = figures_of("measure", people, "--profile", "a5x60")
    assert told["gaps"][0]["profile"] == "about 5 antennas · 1 h"


def test_regions_of_the_antenna_table_are_places(tmp_path: Path) -> None:
    """Two districts: whoever is in one has its one cell."""
    antennas, events = tmp_path / "antennas.csv", tmp_path / "events.csv"
    antennas.write_text("antenna,lat,lon,district\na,14.7,-17.4,S\nb,14.71,-17.4,S\nc,15,-17,N\n")
    lines = [f"{u},2024-03-05T0{h}:00Z,{'aabbcc'[u]}" for u in range(6) for h in (2, 5)]
    events.write_text("\n".join(["user,time,antenna", *lines]))
    asked = [events, "--antennas", antennas, "--profile", "@district:60"]
    assert figures_of("measure", *asked)["gaps"][0]["share_at_0"] == 1
    told = figures_of("unicity", *asked, "--p", 1)["unicity"]
    assert told[0]["profile"] == "regions by district · 1 h"


def test_a_threshold_table_of_one_day_says_what_linking_it_recovers(tmp_path: Path) -> None:
    asked = ["tables", "--sample", "sf_cabs", "--from", "2008-06-08", "--what", "presence"]
    asked += ["--antennas-an-area", 60, "--threshold", 15]
    told = said_by(*asked, "--days", 1, "--out", tmp_path / "a.zip")
    assert "Two such tables that differ by one person can give that person away." in told
    assert "recorded hours (95% interval" in " ".join(told.split())
    figures = figures_of(*asked, "--days", 1, "--out", tmp_path / "b.zip")
    assert [row["blanks"] for row in figures["recovery"]] == ["none", "0", "half", "all"]
    assert "recovery" not in figures_of(*asked, "--days", 7, "--out", tmp_path / "c.zip")


# --- unicity -------------------------------------------------------------------------------------


def test_unicity_of_three_in_text_json_and_file(three: Path, tmp_path: Path) -> None:
    """One bin each, all different; in windows of an hour alice and bob are alike."""
    out = tmp_path / "unicity.parquet"
    asked = ["--p", 1, "--out-of", "1,2", "--profile", "1000:1,60"]
    output = said_by("unicity", three, *asked, "--out", out)
    assert "Guessing finds one in 3." in output
    assert "33.3%" in output
    expected = [[1, 1, 3], [1, 2, 3], [60, 1, 1], [60, 2, 3]]
    table = pd.read_parquet(out)
    assert table[["window_min", "out_of", "found"]].to_numpy().tolist() == expected
    assert "example.org" not in output + str(out.read_bytes())
    assert [row["value"] for row in figures_of("unicity", three, "--p", 1)["unicity"]] == [1.0]


# --- disclosure ----------------------------------------------------------------------------------


def test_disclosure_of_three_in_text_and_json(three: Path) -> None:
    """One bin each. In windows of an hour alice and bob share theirs: |E| = 2, 2, 1.

    k = (1/2 + 1/2 + 1)/3 = 2/3. Two bins, of 2/3 and 1/3 of the users; P = (1, 0), (1, 0), (0, 1):
    EM = ((1/3 + 1/3) + (1/3 + 1/3) + (2/3 + 2/3))/6 = 4/9.
    """
    options = ["--p", 1, "--unicity-p", "1,2", "--profile", "1000:1,60"]
    output = said_by("disclosure", three, *options)
    assert "0.667 (" in output
    assert "they do not say which of two profiles is the safer" in output
    told = figures_of("disclosure", three, *options)
    figures = [told["disclosure"][1][name] for name in ("window_min", "unicity_p1", "k", "em")]
    assert figures == pytest.approx([60, 1 / 3, 2 / 3, 4 / 9])
    assert {"a", "b", "tau", "discordant_pairs"} <= set(told["agreement"][0])


# --- glove ---------------------------------------------------------------------------------------


def test_glove_writes_what_the_function_makes(people: Path, tmp_path: Path) -> None:
    """All that leaves belongs to the function's groups, and the list is of what these left out."""
    out, key, lost = tmp_path / "out", tmp_path / "key.csv", tmp_path / "lost.csv"
    options = "--k 3 --suppress-space-m 15000 --suppress-time-min 360 --leftover suppress"
    files = ["--format", "parquet", "--key", key, "--left-out", lost]
    output = said_by("glove", people, options, "--out", out, *files)
    assert "Verified: everyone in the release is in a group of at least 3" in output
    assert output.count("NOT FOR RELEASE") == 2
    fs, _ = fp.read_cdr(people)
    expected = fp.glove(fs, 3, suppress_space_m=15_000, suppress_time_min=360, leftover="suppress")
    hidden = set(fs.user_ids[expected.group >= 0].astype(str))
    assert set(pd.read_csv(key)["user_id"].astype(str)) == hidden
    assert pd.read_csv(lost)["sample"].tolist() == expected.suppressed["sample"].tolist()
    said_by("verify", out, people, "--key", key, "--left-out", lost)
    names = sorted(path.name for path in out.iterdir())
    assert names == ["README.md", "data.parquet", "datapackage.json"]


# --- publish -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("as it is", "as it is: 30 people"),
        ("GLOVE, k = 5", "one of at least 5 people with exactly the same"),
        ("5 km · 8 h", "5 km · 8 h: 30 people"),
        ("blurred", "noise of 500 m"),
    ],
)
def test_publish_makes_any_option_and_twice_shares_nothing(
    people: Path, tmp_path: Path, named: str, said: str
) -> None:
    own, key = tmp_path / "own.json", tmp_path / "key.csv"
    own.write_text(json.dumps([fp.ReleaseOption("Blurred", [fp.AddNoise(500)]).to_dict()]))
    wish, tables = ["publish", people, "--option", named, "--options", own], []
    for out in (tmp_path / "first", tmp_path / "out"):
        output = said_by(*wish, "--out", out, "--key", key if out.name == "out" else f"{out}.csv")
        assert f"Release written to {out}" in output
        assert said in output + (out / "README.md").read_text()
        tables.append(fp.read_published(out / "data.csv"))
    first, table = tables
    assert set(table["pseudonym"]) == set(pd.read_csv(key)["pseudonym"])
    assert not table["pseudonym"].str.match(r"u\d{4}").any()
    assert not set(first["pseudonym"]) & set(table["pseudonym"])
    assert (sorted(first["x_min_m"]) != sorted(table["x_min_m"])) == (named == "blurred")


def test_tables_of_days_that_nobody_stated_are_not_published(people: Path, tmp_path: Path) -> None:
    fs, _ = fp.read_cdr(people)
    for option in PRESETS["tables"](fs)[-3:]:  # by threshold, and two of synthetic people
        to = ["--option", option.name, "--out", tmp_path / "a.zip"]
        assert "come from the records" in refused("publish", people, *to)
        assert not (tmp_path / "a.zip").exists()


# --- verify --------------------------------------------------------------------------------------


def test_verify_holds_a_release_to_what_it_promises(people: Path, tmp_path: Path) -> None:
    """Without --k: the crowd that the release states is looked for, and it is said which."""
    out, plain = tmp_path / "out.zip", tmp_path / "plain"
    said_by("glove", people, "--k", 3, "--suppress-space-m", 15_000, "--out", out)
    for options in ([], ["--k", 3]):
        output = said_by("verify", out, people, *options)
        assert "Verified: everyone in the release is in a group of at least 3" in output
        assert "30 people" in output
        promised = "The release promises groups of 3, and this promise is checked." in output
        assert promised == (not options)
    said_by("publish", people, "--option", "as it is", "--out", plain)
    assert "promises no group of k" in said_by("verify", plain, people)


def test_verify_fails_what_is_otherwise(people: Path, tmp_path: Path) -> None:
    out, key, swapped = tmp_path / "out", tmp_path / "key.csv", tmp_path / "swapped.csv"
    said_by("glove", people, "--k", 3, "--out", out, "--key", key)
    keys = pd.read_csv(key)
    keys.assign(user_id=keys["user_id"].to_numpy()[::-1]).to_csv(swapped, index=False)

    def failed(*options: object) -> str:
        result = run("verify", out, people, *options)
        assert result.exit_code == 1
        return str(result.stdout)

    assert "NOT verified for k = 9" in failed("--k", 9, "--key", key)
    failed("--k", 3, "--key", swapped)
    data = (out / "data.csv").read_text()
    (out / "data.csv").write_text(data.replace(",1,", ",2,", 1))
    assert "hash" in failed("--k", 3)


def test_bad_wishes_of_verify_exit_with_2(people: Path, tmp_path: Path) -> None:
    said_by("publish", people, "--option 'as it is' --out", tmp_path / "a")
    for options in (["--k", 1], ["--key", "none.csv"], ["--left-out", "none.csv"]):
        refused("verify", tmp_path / "a", people, *options)
    refused("verify", tmp_path / "nothing", people)


def test_glove_holds_back_what_does_not_verify(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fp.verify_k_anonymity
    monkeypatch.setattr(
        "fpanon_core.studies.hiding.verify_k_anonymity", lambda fs, r, k: real(fs, r, k + 9)
    )
    tables = tmp_path / "tables"
    result = run("glove", three, "--out", tmp_path / "out.zip", "--tables", tables)
    assert result.exit_code == 1
    assert "NOT verified" in result.stdout
    assert list(tmp_path.glob("out*")) == []
    assert list(tables.iterdir()) == []


# --- hide ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["aligned", "glove"])
def test_hide_in_periods_leaves_and_verifies(people: Path, tmp_path: Path, method: str) -> None:
    out, key, lost = tmp_path / "out.zip", tmp_path / "key.csv", tmp_path / "lost.csv"
    options = f"--method {method} --k 3 --period 1 --max-side-m 30000 --max-span-min 720"
    output = said_by("hide", people, options, "--out", out, "--key", key, "--left-out", lost)
    assert "Verified: everyone published in each period of 1 day is in a group" in output
    assert "pieces of records not published" in output
    keys = pd.read_csv(key)
    assert list(keys) == ["pseudonym", "user_id", "period"]
    assert keys["pseudonym"].is_unique
    assert not keys.duplicated(["user_id", "period"]).any()
    assert keys["user_id"].duplicated().any()
    checked = said_by("verify", out, people, "--key", key, "--left-out", lost)
    assert "promises groups of 3" in checked
    assert "in each period of 1 day" in checked


def test_hide_says_what_it_loses_and_leaves_out_whom_it_costs_most(people: Path) -> None:
    """30 people: 10% are three; each day has its own."""
    asked = ["hide", people, "--k", 3]
    whole, days = (figures_of(*asked, *more) for more in ([], ["--period", 1]))
    assert whole["method"] == days["method"] == "aligned"
    assert days["mean_loss"] < whole["mean_loss"]
    assert (whole["periods"], days["period_days"]) == (None, 1)
    assert whole["digest"] == days["digest"]
    some = figures_of(*asked, "--leave-out", 0.1)
    assert 0 < some["users_left_out"] == some["users_suppressed"] <= 3
    assert "people in all periods" in said_by(*asked, "--leave-out", 0.1, "--period", 1)


def test_hide_by_shards_goes_on_where_it_was_killed(people: Path, tmp_path: Path) -> None:
    """Two shards of 15 are too small; three of 30 are hidden, and nothing of them stays behind."""
    kept, out = tmp_path / "kept", tmp_path / "out.zip"
    assert "choose shards ≤ 1" in refused("hide", people, "--shards", 2)
    refused("hide", people, "--checkpoint", kept)
    many = tmp_path / "many.csv"
    fp.generate_cdr(90, days=3, seed=2).to_csv(many, index=False)
    options = ["hide", many, "--shards", 3, "--checkpoint", kept]
    whole = figures_of("hide", many)
    told = figures_of(*options, "--out", out)
    assert told["verified"]
    assert told["smallest_group"] >= 2
    assert told["digest"] == whole["digest"]
    assert told["mean_loss"] != whole["mean_loss"]
    assert not kept.exists()  # it tells of people, and the run is over
    said_by("verify", out, many)


def test_hide_that_is_interrupted_says_how_to_go_on(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(hiding, "study", interrupted)
    options = ["hide", people, "--shards", 1]
    result = run(*options, "--checkpoint", tmp_path / "kept")
    assert result.exit_code == 130
    assert "Interrupted. Finished shards are kept in" in result.stderr
    result = run(*options)  # nothing is kept, and nothing is promised
    assert (result.exit_code, "kept" in result.stderr) == (130, False)


# --- generate ------------------------------------------------------------------------------------


def test_generate_writes_what_the_function_makes(tmp_path: Path) -> None:
    out, antennas = tmp_path / "cdr.parquet", tmp_path / "antennas.csv"
    asked = "generate 25 --days 3 --seed 4 --n-antennas 40 --start 2024-07-01"
    output = said_by(asked, "--out", out, "--antennas-out", antennas)
    assert "synthetic" in output
    region = generate_region(4, n_antennas=40)
    pd.testing.assert_frame_equal(pd.read_csv(antennas), region.antennas)
    made = pd.read_parquet(out)
    assert made["user_id"].nunique() == 25
    assert str(made["timestamp"].min())[:10] == "2024-07-01"
    assert set(made["antenna_id"]) <= set(region.antennas["antenna_id"])


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"who,when,latitude,longitude\n",
        bytes(range(256)) * 20,
        b"a,b,c\nx,1.5,2.5\ny,1.5,2.5\n",
        b"user,time,lat,lon\nanna,never,200,400\n",
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = run("ingest", path)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("Error: ")
    assert len(result.stderr.splitlines()) == 1
    assert "anna" not in result.stderr


REFUSED = {
    "ingest": "--user nobody; --user 9; --timezone Mars/Base; --naive-timezone Mars/Base; "
    "--granularity-m 0; --granularity-min -1; --screen some; --screen 50; --antennas none.csv; "
    "--sample synthetic; --out samples.doc; --out nowhere/samples.csv",
    "attack": "; --option 'no such thing'; --option 'as it is' --p 0; "
    "--option 'as it is' --strategy some; --option 'as it is' --blur-m -1; "
    "--option 'as it is' --nights 0; --option 'as it is' --out a.txt; "
    "--option 'as it is' --out none/a.json; --option 'as it is' --p 49; "
    "--option 'GLOVE, k = 50'",
    "measure": "--k two; --k 4; --profile a:b; --w-space 0.5 --w-time 0.6; --workers x; --nonsense",
    "unicity": "--merge-antennas 7; --tables no/such/folder; --p 0; --strategy best; "
    "--profile 100,x:60; --profile 10:1",
    "disclosure": "--p 0; --unicity-p x; --profile 100",
    "glove": "--k 4; --leftover drop; --suppress-space-m nan; --suppress-time-min 0.1; "
    "--key key.csv; --out out.csv; --out out --key out/k.csv; "
    "--out out --format xlsx; --out out --left-out lost.doc",
    "hide": "--method best; --period 1.5; --leave-out 0.5; --shards 0; --max-side-m 0",
    "publish": "; --option 'as it is'; --option 'no such thing' --out out; "
    "--option 'as it is' --out out --format xlsx; "
    "--option 'as it is' --out out --seed 0",
    "options": "--risk danger; --limit 1.5; --risk kl --limit -1; --utility fun; "
    "--utility flows=x; --preset trade,best; --options nowhere.json; --p 0; --out table.xls",
    "recover": "--slot-min 7; --pairing best; --out x.txt; --trajectories x.txt; --users some; "
    "--tables ../three.csv; --tables no/where",
    "generate": "0; x; 5 --start monday; 5 --n-antennas 1; ",
}
"""By command, options that it refuses, between semicolons."""


@pytest.mark.parametrize(
    ("command", "options"),
    [(name, text) for name, texts in REFUSED.items() for text in texts.split(";")],
)
def test_bad_questions_exit_with_2_and_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, options: str
) -> None:
    (tmp_path / "three.csv").write_text(THREE)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    more = "--out cdr.csv" if command == "generate" else "../three.csv"
    told = refused(f"{command} {options} {more}")
    assert "rror" in told
    assert "example.org" not in told
    assert list(Path.cwd().iterdir()) == []


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


def test_as_a_program_that_fails(three: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fpanon_core", "measure", str(three), "--k", "9"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )
    told = "Error: k = 9 exceeds the 3 people loaded; choose k ≤ 3 or load more data.\n"
    assert (done.returncode, done.stderr) == (2, told)


# --- recover -------------------------------------------------------------------------------------


def test_recover_after_mitigations(three: Path) -> None:
    """One antenna: noise has nowhere to go, and everybody is recovered, until counts are gone."""
    output = said_by("recover", three, "--mitigations")
    assert "small counts suppressed (15)" in output
    assert "differential privacy (0.1), user-slot" in output
    assert "and promise nothing" in output
    assert "example.org" not in output
    told = figures_of("recover", three, "--mitigations")
    assert [row["whole"] for row in told["mitigations"]][:4] == [1, 1, 1, 0]
    assert told["mitigations"][0]["setting"] is None
    assert told["scores"][0]["accuracy"] is None  # seven to four in the afternoon: no night


# --- options -------------------------------------------------------------------------------------

THREE_OPTIONS = [
    fp.ReleaseOption("raw"),
    fp.ReleaseOption("hour", [fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60))]),
    fp.ReleaseOption("crowds", [fp.SuppressRare(9)]),
]


@pytest.fixture
def options_json(tmp_path: Path) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([option.to_dict() for option in THREE_OPTIONS]))
    return path


def test_options_of_three_in_text_json_and_file(
    three: Path, options_json: Path, tmp_path: Path
) -> None:
    """By the hour alice and bob are alike: named at even odds; no bin has nine people in it."""
    out = tmp_path / "table.csv"
    arguments = ("options", three, "--options", options_json, "--p", 1, "--limit", 0.5)
    output = said_by(*arguments, "--out", out)
    assert "unsafe; on the front" in output
    assert "crowds: No area has 9 people" in output
    assert "raw: home is not known. Nobody in the release was recorded" in output
    table = pd.read_csv(out)
    assert table["option"].tolist() == ["raw", "hour", "crowds"]
    for name, hour in (("risk", 2 / 3), ("unicity", 1 / 3), ("linkage", 2 / 3)):
        assert table[name][:2].tolist() == pytest.approx([1, hour])
    assert table["linkage_guessing"][:2].tolist() == pytest.approx([1 / 3] * 2)
    saved = (tmp_path / "table.json").read_text()
    assert "example.org" not in output + str(out.read_bytes()) + saved
    told = figures_of(*arguments)
    assert [row["unsafe"] for row in told["options"]] == [True, True, False]
    by_unicity = figures_of(*arguments, "--risk", "unicity")
    assert [row["unsafe"] for row in by_unicity["options"]] == [True, False, False]
    assert told["options"][2]["risk"] is None
    assert told["config"] == {"p": 1, "strategy": "uniform", "users": 2500, "seed": 0}


def test_options_have_a_limit_by_the_upper_end(people: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    own = {"raw": [], "": [fp.Glove(2)], "mixed": [fp.Permute("times")]}
    mine.write_text(json.dumps([fp.ReleaseOption(*each).to_dict() for each in own.items()]))
    arguments = ("options", people, "--options", mine, "--p", 2)
    told = figures_of(*arguments)
    raw, pairs, _ = rows = told["options"]
    assert told["limit"] == 0.05
    for row in rows:
        assert row["unsafe"] == (row["risk_high"] > 0.05)
        assert row["risk_high"] == max(row["k_high"], row["linkage_high"])
    # Of pairs nobody is unique, which is certain; each is named at even odds at most.
    of_pairs = [pairs[name] for name in ("unicity", "unicity_high", "risk_high", "crowd_least")]
    assert of_pairs == [0, 0, 0.5, 2]
    text, by_home = said_by(*arguments), said_by(*arguments, "--risk", "home")
    assert "Unsafe: the upper end of the interval is above 0.05. Threshold: 5%, which" in text
    assert "mixed (times exchanged within 5 km)" in text  # a name hides no recipe
    assert "is above 0.05 plus what guessing finds. Threshold: 5 more people in 100" in by_home
    assert f"{raw['home']:.3g} ({raw['home_guessing']:.3g})" in by_home
    by_em = figures_of(*arguments, "--risk", "em", "--limit", 12)
    assert by_em["limit"] == 12
    assert by_em["options"][0]["risk"] > 1  # bins in all, no mean
    assert "Unsafe" not in said_by(*arguments, "--limit", "inf")


def test_options_go_on_from_what_is_saved(three: Path, options_json: Path, tmp_path: Path) -> None:
    out, saved = tmp_path / "table.csv", tmp_path / "table.json"
    arguments = ("options", three, "--options", options_json, "--p", 1, "--out", out)
    said_by(*arguments)
    plain = json.loads(saved.read_text())
    plain["results"][0]["n_samples"] = 77  # a mark: only what is read back can carry it
    saved.write_text(json.dumps(plain))
    said_by(*arguments)
    assert pd.read_csv(out)["samples"].tolist()[:2] == [77, 3]
    said_by(*arguments, "--seed", 1)  # another seed: nothing of it is used
    assert pd.read_csv(out)["samples"].tolist()[:2] == [3, 3]
    saved.write_text("{}")
    assert "explore the options again" in refused(*arguments)
