"""``fpanon synthesize``: a package from stated places and days; refusals cost no ε."""

from __future__ import annotations

import datetime as dt
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from fpanon_core import (
    FrameConfig,
    Ledger,
    ReleaseOption,
    StatedPeriod,
    Synthesize,
    generate_cdr,
)
from tests.support.commands import figures_of, refused, said_by
from tests.support.stated_frames import FRAME

PERIOD = ["--from", "2024-03-04", "--days", 3]
ZONE = ["--timezone", "Africa/Dakar"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Records of forty people at antennas, and the table of these."""
    folder = tmp_path_factory.mktemp("synthesize")
    cdr = generate_cdr(40, days=3, seed=2)
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
    with zipfile.ZipFile(out) as packed:
        assert {*packed.namelist()} == {
            *("README.md", "datapackage.json", "records.csv", "places.csv", "areas.geojson")
        }
        records = pd.read_csv(packed.open("records.csv"))
        about = json.loads(packed.read("datapackage.json"))["fpanon"]
        page = packed.read("README.md").decode()
    assert set(about) == {"version", "kind", "option", "people", "groups", "timezone", "shares"}
    assert "give or take about" in page, "how far the noisy number is off"
    assert "numbers of residents near each antenna ('census'" in page
    assert len(records) == told["records"]
    assert records["time"].str[:10].isin(["2024-03-04", "2024-03-05", "2024-03-06"]).all()
    assert Ledger(book).to_frame()["what"].tolist() == [told["option"]]
    assert Ledger(book).spent == 1
    assert "names are in order" in " ".join(said_by("verify", out, *data, *ZONE).split())
    more = said_by("synthesize", *asked, "--out", tmp_path / "more.zip")
    assert "No ledger records this ε" in " ".join(more.split())


def test_what_is_refused_costs_nothing(data: list[object], tmp_path: Path) -> None:
    book, out, full = tmp_path / "ledger.jsonl", tmp_path / "a.zip", tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("")
    kept = ["--out", out, "--ledger", book]
    events = data[:1]
    wrong: list[tuple[list[object], str]] = [
        ([*data, *ZONE, "--epsilon", 1, "--from", "2024-03-04", *kept], "--days"),
        ([*data, *PERIOD, *ZONE, "--epsilon", 0, *kept], "epsilon"),
        ([*data, *PERIOD, *ZONE, "--epsilon", "nan", *kept], "epsilon"),
        ([*data, *PERIOD, *ZONE, "--epsilon", "much", *kept], "epsilon"),
        ([*data, *PERIOD, *ZONE, *kept], "epsilon"),
        ([*data, *PERIOD, *ZONE, "--epsilon", 1, "--people", 0, *kept], "people"),
        ([*data, *PERIOD, *ZONE, "--epsilon", 1, "--out", full, "--ledger", book], "not empty"),
        ([*data, *PERIOD, *ZONE, "--epsilon", 1, *kept, "--format", "xlsx"], "csv or parquet"),
        ([*data, *PERIOD, "--epsilon", 1, *kept], "--timezone"),
        ([*data, *PERIOD, *ZONE, "--epsilon", 1, "--screen", "civ", *kept], "one more person"),
        ([*events, *PERIOD, *ZONE, "--epsilon", 1, *kept], "no antenna table"),
        (
            [*events, *PERIOD, *ZONE, "--epsilon", 1, "--area", "0m,0m,9m,9m", *kept],
            "State the area in degrees",
        ),
        ([*data, *ZONE, "--days", 3, "--epsilon", 1, *kept], "first day"),
    ]
    for asked, why in wrong:
        assert why in refused("synthesize", *asked)
        assert not out.exists()
        assert not book.exists(), "nothing is charged"


def test_past_the_budget_nothing_is_drawn(data: list[object], tmp_path: Path) -> None:
    book = tmp_path / "ledger.jsonl"
    asked = [*data, *PERIOD, *ZONE, "--people", 20, "--ledger", book]
    said_by("synthesize", *asked, "--epsilon", 1, "--budget", 1.5, "--out", tmp_path / "a.zip")
    more = [*asked, "--epsilon", 1, "--out", tmp_path / "b.zip"]
    assert "past the budget of 1.5" in refused("synthesize", *more)
    assert not (tmp_path / "b.zip").exists()
    assert Ledger(book).spent == 1
    said_by("synthesize", *more, "--reason", "asked for by the ministry")
    assert Ledger(book).spent == 2


def test_a_private_option_is_not_published_past_the_ledger(
    data: list[object], tmp_path: Path
) -> None:
    own = tmp_path / "own.json"
    frame = FrameConfig(StatedPeriod(dt.date(2024, 3, 4), 3))
    own.write_text(json.dumps([ReleaseOption("mine", [Synthesize(frame, 1.0)]).to_dict()]))
    asked = ["--option", "mine", "--options", own, "--out", tmp_path / "a.zip"]
    assert "fpanon synthesize" in refused("publish", *data, *asked)
    assert not (tmp_path / "a.zip").exists()


def test_an_option_is_charged_as_its_step_is(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "ledger.jsonl")
    book.spend(ReleaseOption(steps=[Synthesize(FRAME, 0.5)]))
    assert book.spent == 0.5
