"""The GLOVE view: empty, run, refused, with and without suppression; downloads."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core import verify_k_anonymity
from pages.components import releases

from .conftest import go, idle, opened, said, until
from .test_views import rows, upload

ROOT = Path(__file__).resolve().parents[2]


def hidden(at: AppTest, releases_made: int = 1) -> AppTest:
    """Run GLOVE with what the form says, until that many releases are there."""
    at.button(key="glove_run").click().run()
    return until(at, lambda at: len(made(at)) == releases_made)


def made(at: AppTest) -> dict[object, releases.Release]:
    state = at.session_state  # it has no get
    return state["fp_releases"] if "fp_releases" in state else {}  # noqa: SIM401


def latest(at: AppTest) -> releases.Release:
    return list(made(at).values())[-1]


def test_without_data_it_says_so_kindly(app: AppTest) -> None:
    go(app, "glove")
    assert not app.exception
    assert "No data set is open yet" in said(app)


@pytest.fixture
def small(app: AppTest) -> AppTest:
    """Seven users of one's own file, on the GLOVE view."""
    upload(app, rows(users=7, samples=4))
    return go(app, "glove")


def test_everyone_is_hidden_and_the_verdict_and_the_cost_are_told(small: AppTest) -> None:
    assert "Choose k and hide everyone" in said(small)
    hidden(small)
    text = said(small)
    assert "**Verified.** Everyone published is one of at least 2 (7 users, 3 groups" in text
    # The users stand 0.01 degrees apart on a line, at the same four moments: nobody moves in time.
    assert "a time span of at most 1 minute" in text
    assert "No sample is left out" in text
    assert "1 user was left over and joined the nearest group" in text
    table = small.dataframe[0].value
    assert table["Release"].tolist() == ["k = 2"]
    assert table["Groups"].tolist() == [3]
    assert not small.error


def test_releases_stand_beside_each_other(small: AppTest) -> None:
    hidden(small)
    small.number_input(key="glove_k").set_value(3)
    small.number_input(key="glove_space").set_value(1.0)
    hidden(small, 2)
    table = small.dataframe[0].value
    assert table["Release"].tolist() == ["k = 2", "k = 3 · at most 1 km"]
    assert table["Left out (%)"].iloc[0] == 0
    assert table["Left out (%)"].iloc[1] > 0
    assert "could only be published coarser than the limits" in said(small)
    # Looking elsewhere and coming back loses nothing.
    go(small, "data")
    go(small, "glove")
    assert len(small.dataframe[0].value) == 2


def test_other_data_start_without_releases(small: AppTest) -> None:
    hidden(small)
    upload(small, rows(users=5, samples=2), name="other.csv")
    go(small, "glove")
    assert not small.dataframe
    assert "Choose k and hide everyone" in said(small)


def test_one_user_cannot_be_hidden(app: AppTest) -> None:
    upload(app, rows(users=1, samples=4))
    go(app, "glove")
    assert not app.exception
    assert "one user alone cannot hide" in said(app)


def test_a_group_can_be_looked_at(small: AppTest) -> None:
    hidden(small)
    number = next(n for n in small.number_input if n.label.startswith("Group, 0 to 2"))
    number.set_value(0).run()
    assert "Group 0: u0001" in said(small)
    small.button(key="glove_group_least").click().run()
    assert "own samples are published as" in said(small)
    assert not small.exception


def test_a_failed_verdict_forbids_the_download(small: AppTest) -> None:
    hidden(small)
    assert has_downloads(small)
    release = latest(small)
    broken = verify_k_anonymity(small.session_state["fp_dataset"].fs, release.result, 4)
    assert not broken.passed
    object.__setattr__(release, "verdict", broken)
    small.run()
    assert "Do not release this" in small.error[0].value
    assert not has_downloads(small)


def has_downloads(at: AppTest) -> bool:
    return any(b.key.startswith("glove_get") for b in at.download_button)


def test_the_download_is_the_command_lines_file_and_names_nobody(
    app: AppTest, tmp_path: Path
) -> None:
    opened(app)
    go(app, "glove")
    hidden(app)
    until(app, idle)
    release = latest(app)
    for name in ("release.csv", "release.parquet"):
        out = tmp_path / name
        command = [sys.executable, "-m", "fpanon_core", "glove", "--sample", "sf_cabs"]
        command += ["--out", str(out)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert releases.file(release, name) == out.read_bytes()
    assert releases.dictionary(release) == (tmp_path / "release_dictionary.csv").read_bytes()
    table = pd.read_csv(io.BytesIO(releases.file(release, "release.csv")))
    assert table["pseudonym"].nunique() == 496
    assert table["pseudonym"].str.fullmatch(r"u\d{4}").all()


def test_equally_coarse_data_stand_beside_it(small: AppTest) -> None:
    hidden(small)
    small.button(key="glove_compare").click().run()
    until(small, lambda at: "fp_answers" in at.session_state)
    small.run()
    assert not small.exception
    table = small.dataframe[1].value
    # Seven users on a line, 0.01 degrees (1.1 km) apart, at the same four moments: of the squares
    # that may hide all, none smaller than two steps does.
    assert table["k"].tolist() == [2, 2, 2, 5, 5, 5]
    uniform, ours, _ = (table.iloc[i] for i in range(3))
    assert uniform["Way"].startswith("Everyone equally coarse (")
    assert uniform["Users hidden (%)"] == 100
    assert uniform["Mean side (km)"] >= 2.5
    assert ours["Way"] == "GLOVE"
    assert ours["Users hidden (%)"] == 100
    assert ours["Mean side (km)"] < uniform["Mean side (km)"]
    assert "Made equally coarse, everyone is one of 2 only at" in said(small)
