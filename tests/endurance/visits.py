"""Many browsers at once, each with a file of marks: is anything of one seen by another?

``python -m tests.endurance.visits --visitors 20 --minutes 10 --out DIR``: each visitor uploads a
file whose name and ids are its own, measures, downloads, loses its connection, loads its page anew,
and begins again. No mark may stand in what another one was sent or downloads, nor an id in any of
it, nor any mark in what the server prints. The server's memory, and its children's, is written to
``memory.csv``: before, meanwhile, and for two minutes after all have left.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import threading
import time
from collections import Counter

from tests.browser.server import Server
from tests.endurance.memory import Diary, endured
from tests.support.visitor import Visitor

MARK = re.compile(rb"mark-\d\d-\d+")  # in a file's name
ID = b"subscriber-of-mark"  # begins the ids of everyone


def table(number: int, turn: int, users: int, samples: int) -> bytes:
    """A file of one visitor: ids that carry its mark, people at places of their own."""
    draw = random.Random(1000 * number + turn)
    lines = ["user,time,lat,lon"]
    for user in range(users):
        lat, lon = 14.7 + draw.random(), -17.4 + draw.random()
        for hour in sorted(draw.sample(range(24 * 14), samples)):
            day, clock = 1 + hour // 24, hour % 24
            place = f"{lat + draw.random() / 20:.4f},{lon + draw.random() / 20:.4f}"
            lines.append(
                f"{ID.decode()}-{number:02d}-{turn}-{user},2024-03-{day:02d}T{clock:02d}:00:00Z,{place}"
            )
    return "\n".join(lines).encode()


class Visit(threading.Thread):
    """One visitor, round after round."""

    def __init__(self, server: Server, number: int, until: float) -> None:
        super().__init__(name=f"visitor {number:02d}")
        self._server, self._number, self._until = server, number, until
        self.seen: Counter[str] = Counter()  # what happened, for the report
        self.faults: list[str] = []

    def run(self) -> None:
        """Until the time is over."""
        try:
            visitor = Visitor(self._server.address).open()
            while time.monotonic() < self._until or not self.seen["rounds"]:
                self._round(visitor)
                self.seen["rounds"] += 1
            visitor.leave()
        except BaseException as fault:
            self.faults.append(f"{self.name}: {type(fault).__name__}: {fault}"[:600])

    def _round(self, visitor: Visitor) -> None:
        turn = self.seen["rounds"]
        mark = f"mark-{self._number:02d}-{turn}"
        # Distinct numbers of users: a figure of another's data would show, too.
        users = 60 + self._number
        visitor.turn_to("data").upload(
            "data_file", f"{mark}.csv", table(self._number, turn, users, 40)
        )
        visitor.click("data_read")
        visitor.until(lambda page: f"**{mark}.csv**" in page.text and page.idle, "the data", 2)
        if f"{users} people" not in visitor.text:
            self.faults.append(f"{self.name}: the data of another")
        self._check(visitor, mark)
        if turn % 2:
            visitor.cut()
            time.sleep(1)
            visitor.connect()
            self.seen["lost connections"] += 1
        visitor.turn_to("anonymizability")
        visitor.until(lambda page: page.has("anon_get_k_gaps") and page.idle, "the results", 2)
        self._check(visitor, mark)
        content = visitor.download("anon_get_k_gaps")
        self.seen["downloads"] += 1
        people = {line.split(b",")[0] for line in content.splitlines()[1:]}
        if ID in content or MARK.search(content) or len(people) != users:
            self.faults.append(f"{self.name}: a download with {len(people)} people")
        visitor.leave()
        visitor.open()
        self.seen["pages loaded anew"] += 1
        if f"**{mark}.csv**" not in visitor.text:
            self.faults.append(f"{self.name}: nothing there after loading anew")
        self._check(visitor, mark)

    def _check(self, visitor: Visitor, mark: str) -> None:
        """Only marks of one's own, present and past, and no id at all."""
        heard = b"".join(visitor.heard)
        visitor.heard.clear()
        self.seen["bytes heard"] += len(heard)
        marks = set(MARK.findall(heard))
        self.seen["own marks seen"] += mark.encode() in marks
        own = f"mark-{self._number:02d}-".encode()
        if others := {found for found in marks if not found.startswith(own)}:
            self.faults.append(f"{self.name} was sent {sorted(others)}")
        if ID in heard:
            self.faults.append(f"{self.name} was sent an id")


def visit(server: Server, diary: Diary, asked: argparse.Namespace) -> tuple[list[str], int]:
    """Visit, and report; 1 where anything was seen that should not."""
    warm = Visit(server, 99, 0.0)  # what a first visitor loads stays loaded
    warm.run()
    server.wait_until_alone()
    with diary:
        diary.say("before", 10)
        end = time.monotonic() + 60 * asked.minutes
        visits = [Visit(server, n, end) for n in range(asked.visitors)]
        for each in visits:
            each.start()
        diary.begin("meanwhile")
        for each in visits:
            each.join()
        diary.say("after", 120)
    faults = [*warm.faults, *(fault for each in visits for fault in each.faults)]
    if re.search(rf"{ID.decode()}|{MARK.pattern.decode()}|Traceback", server.printed):
        faults.append("the server printed a mark, an id or a trace of a fault")
    counts = sum((each.seen for each in visits), Counter())
    report = [
        f"{asked.visitors} visitors, {asked.minutes:g} minutes: "
        + ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items())),
        diary.table(),
        *(faults or ["nothing of one visitor was seen by another"]),
    ]
    return report, int(bool(faults))


if __name__ == "__main__":
    sys.exit(endured(__doc__, visit, visitors=20, minutes=10.0))
