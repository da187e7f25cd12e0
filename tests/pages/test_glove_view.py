"""The GLOVE view: empty, run, refused, with and without suppression; downloads."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from fpanon_core import verify_k_anonymity
from fpanon_core.__main__ import app as commands
from fpanon_core.io.published import published_bytes
from fpanon_core.studies import hiding
from fpanon_core.tables.writing import table_bytes
from pages.hiding import form
from tests.support.views import answers, go, idle, opened, rows, said, until, upload


def hidden(at: AppTest, releases_made: int = 1) -> AppTest:
    """Run GLOVE with what the form says, until that many releases are there."""
    at.button(key="glove_run").click().run()
    return until(at, lambda at: len(made(at)) == releases_made)


def made(at: AppTest) -> list[hiding.Result]:
    return [found.result for found in answers(at, form.RELEASES).values()]


def latest(at: AppTest) -> hiding.Result:
    return made(at)[-1]


def test_without_data_it_says_so_kindly(app: AppTest) -> None:
    go(app, "hiding")
    assert not app.exception
    assert "No data set is open yet" in said(app)


@pytest.fixture
def small(app: AppTest) -> AppTest:
    """Seven users of one's own file, on the GLOVE view."""
    upload(app, rows(users=7, samples=4))
    return go(app, "hiding")


def test_everyone_is_hidden_and_the_verdict_and_the_cost_are_told(small: AppTest) -> None:
    assert "Choose k and hide everyone" in said(small)
    hidden(small)
    text = said(small)
    assert "**Verified.** Everyone published is one of at least 2 (7 users, 3 groups" in text
    # Everyone moves at the same four moments: four rows each.
    assert "28 rows stand for 28 samples of 7 users." in small.success[0].value
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
    assert table["Left out"].iloc[0] == "0 %"
    assert table["Left out"].iloc[1] != "0 %"
    assert "of the samples are left out: they do not fit the limits" in said(small)
    # Looking elsewhere and coming back loses nothing.
    go(small, "data")
    go(small, "hiding")
    assert len(small.dataframe[0].value) == 2


def test_too_large_a_k_is_refused_in_words_and_nothing_runs(small: AppTest) -> None:
    small.number_input(key="glove_k").set_value(5_000)
    small.button(key="glove_run").click().run()
    assert [e.value for e in small.error] == [
        "k = 5,000 exceeds the 7 users in the data: nobody can hide among more than there are. "
        "Choose k from 2 to 7."
    ]
    assert not small.session_state["fp_jobs"]
    small.number_input(key="glove_k").set_value(7)
    hidden(small)
    assert not small.error
    # Seven in one group: 6.7 km of a line that is 6.4 km long without its ends.
    assert "**Verified, but of little use.**" in small.warning[0].value
    assert not small.success


def test_the_maps_tell_of_one_hour(small: AppTest) -> None:
    """Seven users at the same four hours: all are recorded and published in each of them."""
    hidden(small)
    text = said(small)
    assert "**Before** – the 7 users recorded in that hour" in text
    assert "**After** – the 7 users published for that hour" in text
    assert "in the same colours on both maps" in text


def test_other_data_start_without_releases(small: AppTest) -> None:
    hidden(small)
    upload(small, rows(users=5, samples=2), name="other.csv")
    go(small, "hiding")
    assert not small.dataframe
    assert "Choose k and hide everyone" in said(small)


def test_one_user_cannot_be_hidden(app: AppTest) -> None:
    upload(app, rows(users=1, samples=4))
    go(app, "hiding")
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
    broken = verify_k_anonymity(small.session_state["fp_dataset"].fs, release.release, 4)
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
    go(app, "hiding")
    hidden(app)
    until(app, idle)
    result = latest(app)
    for name in ("release.csv", "release.parquet"):
        out = tmp_path / name
        done = CliRunner().invoke(commands, ["glove", "--sample", "sf_cabs", "--out", str(out)])
        assert done.exit_code == 0, done.output
        assert published_bytes(result.release, name) == out.read_bytes()
    dictionary = table_bytes([result.to_frame("dictionary")], "dictionary.csv")
    assert dictionary == (tmp_path / "release_dictionary.csv").read_bytes()
    table = pd.read_csv(io.BytesIO(published_bytes(result.release, "release.csv")))
    assert table["pseudonym"].nunique() == 496
    assert table["pseudonym"].str.fullmatch(r"u\d{4}").all()


def test_equally_coarse_data_stand_beside_it(small: AppTest) -> None:
    hidden(small)
    small.button(key="glove_compare").click().run()
    until(small, lambda at: answers(at, form.COMPARISON))
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
    assert [b.key for b in small.download_button] == [
        f"glove_get_{name}"
        for name in (
            "release_csv",
            "release_parquet",
            "accuracy",
            "dictionary",
            "comparison",
            "suppressed",
        )
    ]
