"""Sentences on what tables and synthetic people show, what they promise and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fpanon_core.model.count_tables import DAY_TYPES, CountTables
from fpanon_core.model.release_page import two_digits
from fpanon_core.studies import report_words as w
from fpanon_core.studies.count_tables import Result, describe_recovery
from fpanon_core.studies.synthetic_people import Result as People
from pages.charts import words
from pages.charts.plain import plain
from pages.charts.tables import Flows

KINDS = ("Weekday", "Weekend")
EMPTY = (
    "Most questions need no record of anybody. Publish how many people are in each area and how "
    "many trips are made between areas, or publish synthetic people. Noise protects people; exact "
    "counts do not."
)
CHOSEN = (
    "These fields hold the option that you chose. *Report* makes the same release: with the same "
    "settings, ε is spent only once."
)
RECOMMENDED = "The settings are those of the recommended option."
UNPROTECTED = f" {w.BLANK}"
SEARCHED = (
    " The search that found it used the real records, which ε does not cover: true protection is "
    "weaker than stated."
)
EPSILON = (
    f"This is the privacy budget of everything published here. {w.describe_epsilon(1.0)} "
    "A smaller ε protects more and adds more noise."
)
PEOPLE = (
    "A number that you state, such as 2,000. Counting the people in the records would reveal their "
    "exact number."
)
RESIDENTS = (
    "Numbers of residents near each antenna, such as a census publishes. Estimates start from "
    "them, at no cost in privacy. Never use numbers that were counted in these data."
)
SCALE = (
    "Making up more people than there are real ones costs no privacy and keeps totals steadier. "
    "The zip states the scale."
)
ABOUT = (
    "**People by area and hour.** Each person counts as 1 in each part of a day in which they have "
    "samples. That 1 is divided among the areas where they were.",
    "**Trips.** A trip goes from the area of a person's record to a different area at the next "
    "record. In private tables, each person counts for at most two trips a day, on average.",
    "**Private.** Each person adds at most one unit to each table, and noise from OpenDP hides "
    "that unit. The promise holds whatever an attacker knows.",
    "**Synthetic people.** A model learns eleven noisy statistics about everybody, such as homes "
    "by area. From these, the model makes up people who do not exist. The zip lists all places; "
    "for antennas, that means the position of every antenna.",
    "**Small counts blank.** This is a custom, not a promise: two tables that differ by one person "
    "can give that person away.",
)
ONLY_FOR_YOU = (
    "Comparisons with the records are for you only; they are never in the zip. Choosing among "
    "several releases by these figures would break the promise. Each release made spends its ε."
)


def shown(result: Result | People) -> str:
    """Name the release that the page shows."""
    return f"Shown: {plain(str(result.config))}."


def found(result: Result | People, kept: str = "") -> tuple[str, ...]:
    """Say what the published data show, about which people, and how exactly.

    ``kept``, a text on what the release keeps for the purpose, comes first.
    """
    said = _found_people(result) if isinstance(result, People) else _found_tables(result)
    if kept:
        said[0] = f"**{kept}** {said[0].replace('**', '')}"
    return tuple(said)


def _found_tables(result: Result) -> list[str]:
    made, said = result.made, []
    if made.presence is not None:
        said.append(_presence(result))
    if made.flows is not None:
        said.append(_flows(result))
    if result.recovery is not None:
        said.append(describe_recovery(result.recovery, made.option))
    return [*said, _promise(made), *[ONLY_FOR_YOU] * (made.option.epsilon is not None)]


def _presence(result: Result) -> str:
    table, before = result.made.presence, result.before.presence
    assert table is not None
    assert before is not None
    blank = np.isnan(table.values)
    if blank.any():
        hidden = float(before.values[blank].sum() / max(before.values.sum(), 1e-9))
        return (
            f"Blank: {int((blank & (before.values > 0)).sum()):,} of "
            f"{int((before.values > 0).sum()):,} counts above 0, with {words.percent(hidden)} of "
            "the sum of all counts."
        )
    if table.protection.epsilon is None:
        return "Counts are exact."
    days = table.frame.days > 0
    moved = np.abs(table.values - before.values)
    off, mean = (float(each[:, days].mean()) for each in (moved, before.values))
    pairs = [("hours", table.hours_hidden), ("weekdays and weekends", table.days_hidden)]
    one_profile = table.one_profile and not table.hours_hidden
    pairs += [("the areas' profiles over the week", one_profile)]
    same = [which for which, hidden in pairs if hidden]
    hides = (
        f" **Noise hides all differences between {' and between '.join(same)}.**" if same else ""
    )
    return (
        f"**Noise and smoothing moved counts by {two_digits(off)} people on average** (ε = "
        f"{result.made.option.epsilon:g} in all); the mean recorded count is {two_digits(mean)}."
        f"{hides}"
    )


def _flows(result: Result) -> str:
    table, before = result.made.flows, result.before.flows
    assert table is not None
    assert before is not None
    option, days = table.protection, table.frame.days
    trips, exact = ((t.by_day * days) for t in (table, before))
    if option.epsilon is not None:
        most = option.trips_per_day
        shares = [
            f"{words.percent(trips[at] / exact[at])} of those recorded on {kind}s"
            for at, kind in enumerate(DAY_TYPES)
            if exact[at]
        ]
        told = "There were no trips to compare with."
        if shares:
            told = (
                f"Published trips amount to {w.listed(shares)}; each person counts for at most "
                f"{words.count(most, 'trip')} a day, on average."
            )
        return f"{told} Small flows follow a gravity model, so read them as patterns."
    if option.threshold is None:
        return "Flows are exact."
    shown = f"Only flows of {option.threshold} trips or more are shown"
    share = words.percent(trips.sum() / exact.sum()) if exact.any() else "none"
    return f"{shown}; they carry {share} of the trips."


def _promise(made: CountTables) -> str:
    option = made.option
    if option.epsilon is not None:
        return w.describe_epsilon(option.epsilon)
    if option.threshold is not None:
        return w.BLANK
    return "**Nothing protects these counts.**"


def _found_people(result: People) -> list[str]:
    """Say what synthetic people preserve, for the officer alone, and what ε promises."""
    kept = result.kept
    return [
        f"**{result.people:,} people who do not exist** stand for about {result.n_noisy:,} real "
        "people, according to a noisy count.",
        "Likeness to the real records of these days, from 0 to 1: where people are by hour "
        f"{w.component(kept['density'])}, trips {w.component(kept['flows'])}, how far people go "
        f"{w.component(kept['mobility'])}.",
        w.describe_epsilon(result.config.epsilon),
        ONLY_FOR_YOU,
    ]


def flows_shown(before: Flows, after: Flows) -> str:
    """Say what share of the trips the arcs show, before and as published, and how to read arcs."""
    faint = " Faint arcs may be noise." if after.error else ""
    was, now = len(before.trips), len(after.trips)
    if not (was or now):
        return "No flows are shown."
    if not now:
        return "No published flows are shown."
    return (
        f"Before, the {words.count(was, 'largest flow')} {'carries' if was == 1 else 'carry'} "
        f"{words.percent(before.share)} of trips; as published, the {now:,} largest "
        f"{'carries' if now == 1 else 'carry'} {words.percent(after.share)}. Arcs "
        f"lead from blue to orange; wide ones carry more trips.{faint}"
    )


def moments(bands: int, kinds: Sequence[int]) -> list[str]:
    """Return the names of the parts of each type of day.

    In ``kinds``, 0 stands for a weekday, and 1 for a weekend day.

    Examples
    --------
    >>> moments(1, [1]), moments(2, [0])
    (['Weekend, 00:00 to 24:00'], ['Weekday, 00:00 to 12:00', 'Weekday, 12:00 to 24:00'])
    """
    hours = [24 * band // bands for band in range(bands + 1)]
    return [
        f"{day}, {start:02d}:00 to {end:02d}:00"
        for day in (KINDS[kind] for kind in kinds)
        for start, end in pairwise(hours)
    ]
