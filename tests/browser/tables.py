"""Small tables to upload: of a town's people, with ids that must never be seen again."""

from __future__ import annotations

import datetime as dt
import random

SECRET = "SECRETID"
"""Every user id in a table made here holds this."""

HEADINGS = {
    "en": ("user_id", "timestamp", "lat", "lon"),
    "de": ("Teilnehmer", "Zeitstempel", "Breite", "Laenge"),
}
_CITY = (48.137, 11.575)  # the middle of Munich


def events(users: int, each: int, seed: int = 0) -> list[tuple[str, str, str, str]]:
    """``users × each`` rows of (user, time, latitude, longitude), no two of them alike.

    Everyone moves about a home of their own within some ten kilometres, over three days.
    """
    draw = random.Random(seed)
    rows = []
    for user in range(1, users + 1):
        home = [c + draw.uniform(-0.05, 0.05) for c in _CITY]
        minutes = draw.sample(range(3 * 1440), each)
        for minute in sorted(minutes):
            when = dt.datetime(2024, 3, 4) + dt.timedelta(minutes=minute)
            lat, lon = (c + draw.gauss(0, 0.01) for c in home)
            rows.append(
                (f"{SECRET}-{user}", f"{when:%Y-%m-%d %H:%M:%S}", f"{lat:.5f}", f"{lon:.5f}")
            )
    return rows


def separated(rows: list[tuple[str, ...]], language: str = "en", separator: str = ",") -> bytes:
    """The rows as text with a header in a language."""
    lines = [separator.join(row) for row in [HEADINGS[language], *rows]]
    return "\n".join([*lines, ""]).encode()


def flawed() -> tuple[bytes, dict[str, int]]:
    """A table in German with semicolons, and how many of its rows fail for which reason.

    12 people of 20 good rows each, and 5 copies of such rows = 245 used; set aside: 3 without a
    readable time, 2 at 0,0, 4 beyond the poles, 1 without a user. 245 + 3 + 2 + 4 + 1 = 255 rows.
    """
    good = events(12, 20)
    user, time, lat, lon = good[0]
    bad = [(user, "yesterday", lat, lon[:-1] + str(i)) for i in range(3)]
    bad += [(user, f"2024-03-05 10:0{i}:00", "0", "0") for i in range(2)]
    bad += [(user, f"2024-03-05 11:0{i}:00", "148.1", lon) for i in range(4)]
    bad += [("", time, lat, lon)]
    reasons = {
        "unparseable time": 3,
        "coordinates 0,0": 2,
        "impossible coordinates": 4,
        "no user": 1,
    }
    return separated(good + bad + good[10:15], "de", ";"), reasons
