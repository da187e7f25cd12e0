"""What is said of the maps, and of the group that is looked at."""

from __future__ import annotations

import numpy as np

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from pages.charts import words


def square(people: float) -> str:
    """A square on one of the maps."""
    if people < 0.05:
        return "less than 0.1 people"
    return f"{people:,.1f} people" if people < 10 else f"{people:,.0f} people"


def at_one_moment(when: str, recorded: int, published: int) -> str:
    """What both maps show, and of whom they show nothing."""
    return (
        f"The hour from {when}, in the same colours on both maps. Before: "
        f"{words.count(recorded, 'user')}, each at the first place recorded. After: "
        f"{words.count(published, 'user')}, spread evenly over the first area published for each, "
        "recorded or not; outlined is that of the group looked at below. All others are nowhere "
        "on that map."
    )


def moment(hour: int, days: list[str]) -> str:
    """An hour since the first local midnight, by its date."""
    day = hour // 24
    return f"{days[day] if day < len(days) else f'day {day + 1}'}, {hour % 24:02d}:00"


def group(number: int, release: GloveResult, fs: FingerprintSet, drawn: int) -> str:
    """Who is in a group, and how their samples are published; ``drawn`` of them by name."""
    rows = release.members(number)
    pseudonyms = [fs.pseudonyms[person] for person in np.sort(release.people[rows])]
    who = ", ".join(pseudonyms[:drawn])
    more = f" and {len(rows) - drawn} more" if len(rows) > drawn else ""
    blocks = words.count(int(release.published.lengths[number]), "block")
    samples = int(release.accuracy["user"].isin(rows).sum())
    lost = int(release.suppressed["user"].isin(rows).sum())
    told = f"Group {number}: {who}{more}."
    if not lost:
        return (
            f"{told} Their {words.count(samples, 'own sample')} are published as {blocks}: an area "
            "and a span of time each, the same for all of them."
        )
    return (
        f"{told} Of their {words.count(samples, 'own sample')} {lost:,} {words.were(lost)} left "
        f"out; the others are published as {blocks}: an area and a span of time each, the same for "
        "all of them."
    )
