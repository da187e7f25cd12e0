"""``fpanon synthesize``: a package from stated places and days; refusals cost no ε."""

from __future__ import annotations

import datetime as dt
import json
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

import fpanon_core as fp
from tests.support.commands import figures_of, refused, said_by
from tests.support.releases import members_of

PERIOD = ["--from", "2024-03-04", "--days", 3]
ZONE = ["--timezone", "Africa/Dakar"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Records of forty people at antennas, and the table of these."""
    folder = tmp_path_factory.mktemp("synthesize")
    cdr = fp.generate_cdr(40, days=3, seed=2)
    antennas = pd.DataFrame(cdr.attrs["antennas"]).assign(census=range(400))
    antennas.to_csv(folder / "antennas.csv", index=False)
    cdr.to_csv(folder / "events.csv", index=False)
    return [folder / "events.csv", "--antennas", folder / "antennas.csv"]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_people_are_made_charged_once_and_verified(data: list[object], tmp_path: Path) -> None:
    out, book = tmp_path / "people.zip", tmp_path / "ledger.jsonl"
    asked = [*data, *PERIOD, *ZONE, "--epsilon", 1, "--residents", "census"]
    told = figures_of("synthesize", *asked, "--people", 50, "--out", out, "--ledger", book)
    # Nothing exact is among the figures: what was asked for, and what was made up.
    assert set(told) == {"option", "people", "records", "path"}
    assert told["people"] == 50
    packed = members_of(out)
    records = pd.read_csv(BytesIO(packed["records.csv"]))
    page = packed["README.md"].decode()
    assert "give or take about" in page, "how far the noisy number is off"
    assert "(column 'census' of the publisher's antenna table)" in page
    assert len(records) == told["records"]
    assert records["time"].str[:10].isin(["2024-03-04", "2024-03-05", "2024-03-06"]).all()
    assert fp.Ledger(book).to_frame()["what"].tolist() == [told["option"]]
    assert fp.Ledger(book).spent == 1
    assert "names are in order" in " ".join(said_by("verify", out, *data, *ZONE).split())
    more = said_by("synthesize", *asked, "--out", tmp_path / "more.zip")
    more = " ".join(more.split())
    assert "No ledger records this ε" in more
    assert more.startswith("40 people, "), "exact"
    assert more.endswith(
        "Do not publish what is printed here: ε does not cover the exact numbers of the data."
    )


def test_what_is_refused_costs_nothing(data: list[object], tmp_path: Path) -> None:
    book, out, full = tmp_path / "ledger.jsonl", tmp_path / "a.zip", tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("")
    events, epsilon = data[:1], ["--epsilon", 1]
    asked = [*data, *PERIOD, *ZONE]
    wrong: list[tuple[list[object], str]] = [
        ([*data, *ZONE, *epsilon, "--from", "2024-03-04"], "--days"),
        *(([*asked, "--epsilon", value], "epsilon") for value in (0, "nan", "much")),
        (asked, "epsilon"),
        ([*asked, *epsilon, "--people", 0], "people"),
        ([*asked, *epsilon, "--out", full], "not empty"),
        ([*asked, *epsilon, "--format", "xlsx"], "csv or parquet"),
        ([*data, *PERIOD, *epsilon], "--timezone"),
        ([*asked, *epsilon, "--screen", "civ"], "one more person"),
        ([*asked, *epsilon, "--days", 3661], "--days = 3661"),
        ([*asked, *epsilon, "--side-m", 9], "--side-m = 9.0"),
        ([*asked, *epsilon, "--granularity-min", 7], "1, 3, 5 or 15"),
        ([*asked, *epsilon, "--places", "towers"], "antennas, grid, hexagons"),
        ([*asked, *epsilon, "--places", "grid"], "a stated area"),
        ([*asked, *epsilon, "--area", "1,2,3"], "cannot be read"),
        ([*asked, *epsilon, "--area", "14.9,-17.6,14.6,-17.2"], "area is empty"),
        ([*asked, *epsilon, "--from", "4 March"], "not a date"),
        ([*events, *PERIOD, *ZONE, *epsilon], "no antenna table"),
        ([*events, *PERIOD, *ZONE, *epsilon, "--area", "0m,0m,9m,9m"], "State the area in degrees"),
        ([*data, *ZONE, "--days", 3, *epsilon], "first day"),
    ]
    for some, why in wrong:
        assert why in refused("synthesize", "--out", out, *some, "--ledger", book)
        assert not out.exists()
        assert not book.exists(), "nothing is charged"


def test_past_the_budget_nothing_is_drawn(data: list[object], tmp_path: Path) -> None:
    book = tmp_path / "ledger.jsonl"
    asked = [*data, *PERIOD, *ZONE, "--people", 20, "--ledger", book]
    said_by("synthesize", *asked, "--epsilon", 1, "--budget", 1.5, "--out", tmp_path / "a.zip")
    more = [*asked, "--epsilon", 1, "--out", tmp_path / "b.zip"]
    assert "past the budget of 1.5" in refused("synthesize", *more)
    assert not (tmp_path / "b.zip").exists()
    assert fp.Ledger(book).spent == 1
    fp.Ledger(tmp_path / "other.ledger").charge(0.25, "tables")
    (tmp_path / "loop.ledger").symlink_to(tmp_path / "loop.ledger")  # stops nothing
    told = said_by("synthesize", *more, "--reason", "asked for by the ministry")
    assert fp.Ledger(book).spent == 2
    for told_by in (told, said_by("ledger", book)):
        plain = " ".join(told_by.split())
        assert "1 other ledger here holds ε = 0.25. If it is about the same people, ε" in plain


def test_a_private_option_is_not_published_past_the_ledger(
    data: list[object], tmp_path: Path
) -> None:
    own = tmp_path / "own.json"
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 3))
    own.write_text(json.dumps([fp.ReleaseOption("mine", [fp.Synthesize(frame, 1.0)]).to_dict()]))
    asked = ["--option", "mine", "--options", own, "--out", tmp_path / "a.zip"]
    assert "fpanon synthesize" in refused("publish", *data, *asked)
    assert not (tmp_path / "a.zip").exists()
