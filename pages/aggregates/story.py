"""Sentences about the attack on the counts, and the content of its figures and tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.studies import recovery, recovery_factors, recovery_mitigations
from fpanon_core.studies.recovery import CUSTOMARY_LIMIT
from fpanon_core.studies.recovery_mitigations import Effort
from pages.charts import words
from pages.charts.recovery import Panel

STEPS = {"night": "within one night", "day": "within one day", "whole": "over all days"}
STEP_NAMES = list(STEPS.values())
SOURCE = "up to 100,000 people in a Chinese city (Xu et al. 2017)"
INTRODUCTION = (
    "fpanon makes counts of these people, then attacks the counts with a program that sees nothing "
    "else. Press **Apply** to use these settings. On large data, or with the pairing “best "
    "overall”, the attack waits until you press **Attack the counts**."
)
PUBLISHED_RECOVERY = (
    "the attack recovered 95 to 98% of all points within nights, and 73 to 91% across all days. "
    "The attack's accuracy was 0.99 with 1,000 people, and about 0.5 with 100,000. 8 to 21% of "
    "the points were more than 1 km off."
)
PUBLISHED_UNIQUENESS = "two places make more than 95% of the recovered trajectories unique."
PUBLISHED_FACTORS = (
    "the attack recovered 73% of points with antenna sectors, and 89% with districts. With slots "
    "of 30 minutes, it recovered 73%, and with 180 minutes, 82%. The share falls as the number of "
    "people grows."
)
INSTEAD = (
    "To publish counts, make tables: for the same ε, they need far less noise than counts by slot."
)

_SETTLED = 0.75  # of a night at one place; the published data have 0.89 to 0.95
_HARDLY_SEEN = 0.25  # of the points recorded
_FEW_DAYS = 3
_TOPS = (2, 3, 5, 1)

Sentences = tuple[str, ...]


def release(found: recovery.Result) -> Sentences:
    """Say which counts would be published, and how many of these are of few people."""
    counts, people = found.counts, found.score.n_users
    left, filled = found.n_users - people, 1 - found.recorded
    return (
        f"Of the counts above 0, {words.percent(found.alone)} are of a single person, and "
        f"{words.percent(found.small)} are below {CUSTOMARY_LIMIT}, the customary limit.",
        f"The table would hold only numbers: how many of {people:,} people are counted at each "
        f"place ({words.count(counts.n_places, 'place')} in all), every "
        f"{words.duration(counts.slot_min)}.",
        f"Of the points counted, {words.percent(filled)} are filled in from the person's earlier "
        "and later records, because the person was not recorded at that time."
        if filled > 0
        else "",
        "Here, the places and the period come from the records, so they, too, reveal something "
        "about individual people. To publish tables, state the places and the period in advance.",
        f"This is a random sample: {words.people(left)} in the data {words.were(left)} not drawn. "
        f"{_few(people)}"
        if left > 0
        else "",
    )


def attack(found: recovery.Result) -> Sentences:
    """Say how much of everybody's trajectory the attack recovers, compared with random linking."""
    score = found.score
    night, day, whole = (float(share) for share in score.recorded_by_step)
    random = score.baseline_recorded
    ratio = whole / random if random > 0 else 1.0
    times = f"{ratio:.0f} times" if ratio >= 10 else f"{ratio:.1f} times"
    beside = f" (at random: {words.percent(random)})" if random > 0 else ""
    fails = "fails here: it " if _fails(found) else ""
    single = f"Within single days, the attack recovers {words.percent(day)} of the recorded points."
    if night == night:
        single = (
            f"Within single nights, the attack recovers {words.percent(night)} of the recorded "
            f"points; within single days, {words.percent(day)}."
        )
    filled = 1 - found.recorded
    recovers = f"recovers {words.percent(whole)} of the recorded points{beside}"
    within = f", and {words.percent(night)} within one night" if night > whole else ""
    where = "and say where that person was"
    if found.recorded < 1:
        where = "recorded or filled in there"
    of_one = f"{words.percent(found.alone)} of counts above 0 are of one person, {where}."
    answer = f"Linking counts into trajectories {fails}{recovers}."
    if found.alone and found.alone >= whole - random:  # the larger finding leads
        answer = f"**Exact counts are not safe: {of_one}** {answer}"
    elif whole > random:
        more = f" Also, {of_one}" if found.alone else ""
        linked = f"linking them into trajectories {recovers}{within}."
        answer = f"**Exact counts are not safe: {linked}**{more}"
    return (
        answer,
        f"Over the whole period, the attack recovers {times} as many recorded points as linking at "
        "random does."
        if random > 0
        else "",
        f"{words.percent(filled)} of the points were not recorded: they had to be filled in from "
        "earlier and later records. Unless stated otherwise, the figures cover the "
        f"{words.percent(found.recorded)} of points that were recorded."
        if filled > 0
        else "Every point was recorded; none had to be filled in.",
        single,
        "Of all points, including filled-in ones, the attack gets "
        f"{words.percent(float(score.accuracy))} right (at random "
        f"{words.percent(float(score.baseline_accuracy))}). Many filled-in points repeat a "
        "recorded place, or follow a straight line between two such places, so they are easier to "
        "recover."
        if filled > 0
        else "",
        f"Half of all recovered points lie within {words.distance(score.error_median_m)} of the "
        f"truth; {words.percent(found.within(1_000))} lie within 1 km."
        if score.error_median_m >= 5
        else f"Of all recovered points, {words.percent(found.within(0))} are exactly right; "
        f"{words.percent(1 - found.within(1_000))} are more than 1 km off.",
        f"In these counts, people spend {words.percent(found.at_home)} of the night at one place, "
        "on average (89 to 95% in the data of Xu et al. 2017)."
        if np.isfinite(found.at_home)
        else "",
    )


def _fails(found: recovery.Result) -> bool:
    """Return whether the attack recovers no more than linking at random."""
    return 0 < found.score.recorded <= found.score.baseline_recorded < 1


def _few(people: int) -> str:
    return (
        f"Small counts are commoner among these {people:,} people than among all people in the "
        "data. In the full data, leaving out small counts therefore protects less than these "
        "figures suggest."
    )


def lack(found: recovery.Result) -> str:
    """Say what the attack needs but these data lack; return "" if they lack nothing."""
    more = "**The true risk may be larger.** " if found.score.recorded < 1 else ""
    why = "**Why the attack fails.** " if _fails(found) else more
    if not np.isfinite(found.at_home):
        return (
            f"{why}No slot of these data lies between midnight and 6:00, so the attack has no "
            "night to start from. This is a gap in the data; it does not mean that counts are safe."
        )
    if found.at_home >= _SETTLED:
        return ""
    roaming = (
        f"only {words.percent(found.recorded)} of the points were recorded. The others are filled "
        "in, which misleads the attack. With more records, it may find more"
        if found.recorded < _HARDLY_SEEN
        else "people move at night, as taxis do, which misleads this attack"
    )
    few_days = len(found.counts.day_offsets) - 1 <= _FEW_DAYS
    return (
        f"{why}Here, {roaming}.{' There are too few days to show habits.' if few_days else ''}"
        f"{'' if found.alone else ' Do not conclude that counts are safe.'}"
    )


def unique(found: recovery.Result) -> Sentences:
    """Say what share of recovered trajectories two places make unique, and what this reveals."""
    return (
        f"Of the recovered trajectories, {words.percent(float(found.score.uniqueness[1]))} have a "
        "pair of most visited places that no other trajectory has.",
        "An attacker who knows such a pair of a person's places, mostly home and work, finds only "
        "one trajectory that fits. The attacker then learns every point that the attack recovered "
        "correctly on that trajectory.",
    )


def factors(varied: recovery_factors.Result) -> Sentences:
    """Say what makes the attack better or worse."""
    space, time, people = (varied.of(factor) for factor in ("space", "time", "users"))
    (fine, coarse), (few, many) = ((rows.iloc[0], rows.iloc[-1]) for rows in (space, people))
    long = time.iloc[-1]
    return (
        "Coarser places are not safer by themselves. "
        * space["whole"].is_monotonic_increasing
        + f"Of all points, including those filled in, {words.percent(fine['whole'])} are recovered "
        f"across days at the original places and {words.percent(coarse['whole'])} at places of "
        f"{words.distance(coarse['level'])}, where a point says less. With slots of "
        f"{words.duration(long['level'])}, {words.percent(long['whole'])} are recovered "
        f"(at random {words.percent(long['whole_random'])}).",
        f"With {words.people(int(few['level']))}, {words.percent(few['whole'])} of the points are "
        f"recovered, and with {words.people(int(many['level']))}, {words.percent(many['whole'])}.",
        f"Two places make {words.percent(fine['top2'])} of the trajectories unique at the finest "
        f"places, and {words.percent(coarse['top2'])} at the coarsest.",
    )


def panels(varied: recovery_factors.Result) -> tuple[list[Panel], list[Panel]]:
    """Return panels of the attack's accuracy, and panels of uniqueness, one for each factor."""
    # The last step first: it has the attack's colour in every figure.
    steps = {step: STEPS[step] for step in reversed(STEPS)}
    steps["whole_random"] = f"{STEPS['whole']}, at random"
    tops = {f"top{k}": f"by {k} places" if k > 1 else "by 1 place" for k in _TOPS}
    titles: dict[str, tuple[str, Callable[[float], str]]] = {
        "space": ("Side of a place", _side),
        "time": ("Length of a slot", _span),
        "users": ("People counted", lambda people: f"{people:,.0f}"),
    }
    accuracy: list[Panel] = []
    uniqueness: list[Panel] = []
    for factor, (title, level) in titles.items():
        rows = varied.of(factor)
        levels = [level(value) for value in rows["level"]]
        for drawn, columns in ((accuracy, steps), (uniqueness, tops)):
            series = [(name, rows[column].tolist()) for column, name in columns.items()]
            drawn.append(Panel(title, levels, series))
    return accuracy, uniqueness


def effort(planned: Effort, everyone: Effort) -> Sentences:
    """Say how many people the mitigations will be tried on, and the likely cost."""
    if planned.people == everyone.people:
        return (
            f"For all {planned.people:,} people, trying the mitigations would take "
            f"{_taking(planned)}, judging by the attack above.",
        )
    return (
        f"For all {everyone.people:,} people, trying the mitigations would take "
        f"{_taking(everyone)}, judging by the attack above. For {planned.people:,} people drawn at "
        f"random, it would take {_taking(planned)}. {_few(planned.people)}",
    )


def _taking(planned: Effort) -> str:
    seconds = max(planned.seconds, 10.0)
    minutes = words.duration(max(1, round(seconds / 60)))
    time = f"about {minutes}" if seconds >= 60 else f"about {seconds:.0f} seconds"
    gigabytes = max(planned.gigabytes, 0.1)
    return f"{time} and {gigabytes:.1f} GB of memory"


def mitigations(tried: recovery_mitigations.Result) -> Sentences:
    """Say which mitigations help, and what they cost."""
    drawn = tried.n_users - tried.people
    least, best, mild, none = tried.least, tried.strongest, tried.mildest, tried.none
    custom = best["mitigation"] != least["mitigation"]
    return (
        f"From the counts as they are, the attack recovers {words.percent(none['recorded'])} of "
        f"the recorded points. The attack recovers least after {_after(least)}",
        "Of the mitigations that keep places and slots but give no formal guarantee, the attack "
        f"recovers least after {_after(best)}"
        if custom
        else "",
        "Some mitigations without ε keep places and slots, with an error of at most half the "
        f"sum of all counts. Of these, “{named(mild)}” helps most. The attack then recovers "
        f"{words.percent(mild['recorded'])} of the points, and the error is "
        f"{words.percent(mild['count_error_share'])} of the sum of all counts."
        if mild is not None
        else "Without ε, no mitigation that keeps places and slots has an error of at most half "
        "the sum of all counts.",
        f"{words.people(drawn)} in the data {words.were(drawn)} not drawn. {_few(tried.people)}"
        if drawn > 0
        else "",
        "With longer slots or coarser places, a point counts as right when the coarse point is "
        "right. More points are therefore recovered, but each says less. The attack is not adapted "
        "to noise or gaps, and a better attack may recover more. Do not assume that points which "
        "this attack misses are safe.",
        f"The private counts tried here have the noise that their ε needs, for "
        f"{words.count(tried.places, 'place')} and a period taken from these records. Such counts "
        "show what noise does, and promise nothing. Private tables, for places and a period that "
        "you state, do keep the promise of ε.",
    )


def _after(row: Any) -> str:
    """Return a mitigation's name, how much the attack then recovers, and the mitigation's cost."""
    digits = 1 if row["count_error"] < 10 else 0
    return (
        f"“{named(row)}”: {words.percent(row['recorded'])} of the points (at random "
        f"{words.percent(row['recorded_random'])}). Each published count is then off by "
        f"{row['count_error']:,.{digits}f} people on average, and the errors add up to "
        f"{_times(row['count_error_share'])} the sum of all counts."
    )


def remedies(tried: recovery_mitigations.Result) -> pd.DataFrame:
    """Return the study's table of mitigations, with their names in words."""
    return tried.table.assign(name=[named(row) for row in tried.table.to_dict("records")])


def remedies_table(tried: recovery_mitigations.Result) -> pd.DataFrame:
    """Return the table of mitigations for the screen, with rounded numbers."""
    columns = {
        "Recorded points (%)": ("recorded", 100, 1),
        "At random (%)": ("recorded_random", 100, 1),
        "All points (%)": ("whole", 100, 1),
        "All, at random (%)": ("whole_random", 100, 1),
        "Unique by 2 (%)": ("top2", 100, 1),
        "Error of a count": ("count_error", 1, 2),
        "Error of the counts (%)": ("count_error_share", 100, 1),
    }
    table = remedies(tried)
    numbers = {told: (by * table[name]).round(n) for told, (name, by, n) in columns.items()}
    return pd.DataFrame({"Counts": table["name"]} | numbers)


def named(row: Any) -> str:
    """Describe in words a mitigation, given as a row of the study's table."""
    setting, unit = row["setting"], "one slot" if row["unit"] == "user-slot" else "person"
    return {
        "none": "as they are",
        "longer slots": f"slots of {_span(setting)}",
        "coarser places": f"places of {setting / 1000:g} km",
        "small counts suppressed": f"counts below {setting:g} left out",
        "noise at frequent places": f"{100 * setting:.0f}% of points moved",
    }.get(row["mitigation"], f"private, {unit}, ε = {setting:g}")


def _side(metres: float) -> str:
    return "as it is" if metres == 0 else words.distance(metres).replace(".0 km", " km")


def _span(minutes: float) -> str:
    return f"{minutes:g} min" if minutes < 120 else f"{minutes / 60:g} h"


def _times(share: float) -> str:
    """Return an error relative to the counts, such as "31% of" or "45 times"."""
    return f"{words.percent(share)} of" if share < 2 else f"{share:,.0f} times"
