"""A ledger keeps what was spent, whoever kills, copies or edits it."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fpanon_core import (
    ConfigError,
    InfeasibleError,
    Ledger,
    ReleaseOption,
    SchemaError,
    Synthesize,
    Tables,
)
from fpanon_core.io.ledger import Spent, spent_at
from fpanon_core.model.counts_frame import FrameConfig, StatedPeriod
from fpanon_core.model.files import state_folder
from fpanon_core.studies.report_words import describe_elsewhere

FRAME = FrameConfig(StatedPeriod(None, 7))
CHARGE = "import sys; from fpanon_core import Ledger; Ledger(sys.argv[1]).charge(0.5, 'x')"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def test_it_adds_up_and_remembers_the_budget(path: Path) -> None:
    Ledger(path, budget=3).spend(Tables(FRAME, epsilon=1))
    ledger = Ledger(path)
    ledger.charge(0.5, "again")
    assert (ledger.spent, ledger.budget, ledger.left) == (1.5, 3.0, 1.5)
    ledger.spend(ReleaseOption(steps=[Synthesize(FRAME, 0.25)]))
    assert ledger.to_frame()["spent"].tolist() == [1.0, 1.5, 1.75]
    assert path.stat().st_mode & 0o077 == 0


def test_past_the_budget_only_with_a_reason(path: Path) -> None:
    ledger = Ledger(path, budget=1)
    ledger.charge(1, "first")
    with pytest.raises(InfeasibleError, match="past the budget of 1"):
        ledger.charge(0.1, "second")
    assert ledger.spent == 1
    ledger.charge(0.1, "second", reason="The ministry asked for it.")
    assert ledger.to_frame()["reason"].tolist()[1] == "The ministry asked for it."
    assert ledger.left == 0


def test_what_promises_nothing_is_not_charged(path: Path) -> None:
    with pytest.raises(ConfigError, match="has none"):
        Ledger(path).spend(Tables(FRAME, threshold=15))
    assert not path.exists()


@pytest.mark.parametrize("line", [0, 1])
def test_an_edited_or_removed_line_is_found_out(path: Path, line: int) -> None:
    ledger = Ledger(path)
    for _ in range(3):
        ledger.charge(1, "release")
    lines = path.read_text().splitlines()
    edited = json.loads(lines[line])
    edited["epsilon"] = 0.1
    for changed in ([*lines[:line], json.dumps(edited), *lines[line + 1 :]], lines[1:]):
        path.write_text("\n".join(changed) + "\n")
        with pytest.raises(SchemaError, match="altered"):
            Ledger(path)


def test_half_a_line_is_no_release_and_an_older_copy_is_found_out(path: Path) -> None:
    """What a process that is killed while it writes leaves behind; and what a user puts back."""
    ledger = Ledger(path)
    ledger.charge(1, "first")
    copy = path.read_bytes()
    with path.open("ab") as file:
        file.write(b'{"time": "20')
    assert Ledger(path).spent == 1
    ledger.charge(0.5, "second")
    assert Ledger(path).spent == 1.5
    path.write_bytes(copy)
    with pytest.raises(SchemaError, match="older copy"):
        Ledger(path)


def test_a_file_does_not_hide_what_other_ledgers_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A corrected file begins a ledger; those beside it and the user's own are counted once."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place, own = tmp_path / "place", state_folder() / "ledgers"
    far = tmp_path / "far" / "c.csv.ledger"
    for folder in (place, own, far.parent):
        folder.mkdir(parents=True)
    mine, beside = place / "b.csv.ledger", place / "a.csv.ledger"
    assert spent_at(mine) == Spent(0.0, 0, 0.0)
    for path, epsilon in ((beside, 1.25), (own / "x.ledger", 0.5), (far, 4.0), (mine, 1.0)):
        Ledger(path).charge(epsilon, "release")
    (place / "empty.ledger").touch()
    (place / "folder.ledger").mkdir()
    assert spent_at(mine) == Spent(1.0, 2, 1.75)
    assert spent_at(own / "x.ledger") == Spent(0.5, 0, 0.0)
    known = spent_at(mine, {beside, far, mine, place / "none.ledger"})
    assert known == Spent(1.0, 3, 5.75, 5.25)
    beside.write_text("not a line\n")
    unread = spent_at(mine)
    assert (unread.here, unread.ledgers) == (1.0, 2)
    assert math.isnan(unread.elsewhere)
    assert math.isnan(spent_at(beside).here)


def test_links_and_damage_beside_a_ledger_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place, own = tmp_path / "place", state_folder() / "ledgers"
    for folder in (place, own):
        folder.mkdir(parents=True)
    Ledger(place / "target").charge(2, "release")
    for link, target in (("a", "target"), ("loop", "loop.ledger"), ("b", "none")):
        (place / f"{link}.ledger").symlink_to(place / target)
    mine = place / "mine.ledger"
    assert spent_at(mine) == Spent()
    (own / "damaged.ledger").write_text("[1]\n")
    assert math.isnan(spent_at(mine).elsewhere)
    assert spent_at(mine, own=False) == Spent()
    assert spent_at(own / "mine.ledger", own=False) == Spent()
    (own / "damaged.ledger").write_text("[" * 100_000 + "\n")
    assert math.isnan(spent_at(mine).elsewhere)

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "glob", refused)
    Ledger(mine).charge(1, "release")
    unknown = spent_at(mine)
    assert unknown.here == 1
    assert "not known" in describe_elsewhere(unknown)


def test_killed_processes_leave_a_ledger_that_opens(path: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", CHARGE, str(path)]) for _ in range(3)]
    for process in started[1:]:
        os.kill(process.pid, signal.SIGKILL)
    for process in started:
        process.wait()
    spent = Ledger(path).spent
    assert spent in (0.5, 1.0, 1.5)
    assert len(path.read_text().splitlines()) == spent / 0.5


def test_two_at_once_both_count_and_neither_passes_the_budget(path: Path) -> None:
    Ledger(path, budget=5).charge(1, "first")

    def charge(_: int) -> bool:
        try:
            Ledger(path).charge(1, "one of many")
        except InfeasibleError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(charge, range(8))) == 4
    assert Ledger(path).spent == 5


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    path.symlink_to(tmp_path / "other")
    with pytest.raises(ConfigError, match="cannot be opened"):
        Ledger(path).charge(1, "x")
