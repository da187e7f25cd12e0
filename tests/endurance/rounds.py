"""An officer's round, again and again: do memory and time stay as they are?

``python -m tests.endurance.rounds --minutes 120 --out DIR``: opens the taxis, measures
how hard everyone is to hide, unicity, hides everyone by GLOVE, explores the options, looks at what
counts give away, and begins again with other settings, every other time after
loading the page anew. ``--pause`` leaves the machine to others between steps. ``rounds.csv`` has a
line a step, ``memory.csv`` a line a second.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.browser.server import Server, resident_mb, started
from tests.endurance.memory import Diary
from tests.support.visitor import Visitor


def _settled(visitor: Visitor) -> None:
    """Until nothing is under way; a first look may come before a job has begun."""
    visitor.until(lambda page: page.idle, "the page's work", 1)


def _data(visitor: Visitor, turn: int) -> None:
    if turn % 2:
        visitor.leave()
        visitor.open()
    visitor.turn_to("").click("start_sf_cabs")
    visitor.until(lambda page: page.idle and "**" in page.text, "the data", 1)


def _hardness(visitor: Visitor, _turn: int) -> None:
    visitor.turn_to("anonymizability")
    visitor.until(lambda page: page.has("anon_get_k_gaps") and page.idle, "k-gaps", 1)
    visitor.download("anon_get_k_gaps")


def _looked(page: str) -> Callable[[Visitor, int], None]:
    def look(visitor: Visitor, _turn: int) -> None:
        visitor.turn_to(page)
        _settled(visitor)

    return look


def _glove(visitor: Visitor, turn: int) -> None:
    visitor.turn_to("glove")
    visitor.number("glove_k", 2 + turn % 2).click("glove_run")
    visitor.run()
    _settled(visitor)


def _options(visitor: Visitor, turn: int) -> None:
    visitor.turn_to("options")
    visitor.number("options_seed", turn)  # another seed is another question
    visitor.run()
    _settled(visitor)


STEPS: dict[str, Callable[[Visitor, int], None]] = {
    "data": _data,
    "anonymizability": _hardness,
    "unicity": _looked("unicity"),
    "glove": _glove,
    "options": _options,
    "counts": _looked("aggregates"),
}


def main(arguments: list[str] | None = None) -> int:
    """Go round, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds spent looking at a step")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    with started(asked.out / "server.txt", FPANON_GRACE_MIN="0.5") as server:
        with Diary(server, asked.out / "memory.csv") as diary:
            diary.say("before", 5)
            diary.begin("meanwhile")
            lines = _go_round(server, asked)
            diary.say("after", 60)
        report = f"{diary.table()}\n\n{_table(lines)}"
    (asked.out / "report.txt").write_text(report + "\n")
    print(report)
    return 0


def _go_round(
    server: Server, asked: argparse.Namespace
) -> list[tuple[int, str, float, float, float]]:
    lines: list[tuple[int, str, float, float, float]] = []
    end = time.monotonic() + 60 * asked.minutes
    visitor = Visitor(server.address).open()
    with (asked.out / "rounds.csv").open("w", newline="") as file:
        to = csv.writer(file)
        to.writerow(("round", "step", "seconds", "server_mb", "children_mb"))
        turn = 0
        while time.monotonic() < end or not turn:
            for step, take in STEPS.items():
                began = time.monotonic()
                take(visitor, turn)
                visitor.heard.clear()
                line = (
                    turn,
                    step,
                    round(time.monotonic() - began, 1),
                    round(resident_mb(server.process.pid), 1),
                    round(sum(map(resident_mb, server.workers())), 1),
                )
                lines.append(line)
                to.writerow(line)
                file.flush()
                time.sleep(asked.pause)
            turn += 1
    visitor.leave()
    return lines


def _table(lines: list[tuple[int, str, float, float, float]]) -> str:
    """A line a round: its time, and the memory at its end."""
    rows = [f"{'round':>5}{'seconds':>10}{'server MB':>12}{'children MB':>13}"]
    for turn in dict.fromkeys(line[0] for line in lines):
        own = [line for line in lines if line[0] == turn]
        took = sum(line[2] for line in own)
        rows.append(f"{turn:>5}{took:>10,.0f}{own[-1][3]:>12,.0f}{own[-1][4]:>13,.0f}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
