"""An officer's round, again and again: do memory and time stay as they are?

``python -m tests.endurance.rounds --minutes 120 --out DIR``: opens the taxis, measures
how hard everyone is to hide, unicity, hides everyone by GLOVE, explores the options, looks at what
counts give away, and begins again with other settings, every other time after
loading the page anew. ``--pause`` leaves the machine to others between steps. The report has a
line a step, ``memory.csv`` a line a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from tests.browser.server import Server
from tests.endurance.memory import Diary, endured, memory_of
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


def go_round(server: Server, diary: Diary, asked: argparse.Namespace) -> tuple[list[str], int]:
    """Go round, and return a line a step: its time, and the memory at its end."""
    lines = [f"{'round':>5}  {'step':<16}{'seconds':>10}{'server MB':>12}{'children MB':>13}"]
    with diary:
        diary.say("before", 5)
        diary.begin("meanwhile")
        end, turn = time.monotonic() + 60 * asked.minutes, 0
        visitor = Visitor(server.address).open()
        while time.monotonic() < end or not turn:
            for step, take in STEPS.items():
                began = time.monotonic()
                take(visitor, turn)
                visitor.heard.clear()
                took, (own, children) = time.monotonic() - began, memory_of(server)
                lines.append(f"{turn:>5}  {step:<16}{took:>10,.1f}{own:>12,.0f}{children:>13,.0f}")
                time.sleep(asked.pause)
            turn += 1
        visitor.leave()
        diary.say("after", 60)
    return [diary.table(), "", *lines], 0


if __name__ == "__main__":
    sys.exit(endured(__doc__, go_round, minutes=120.0, pause=0.0))
