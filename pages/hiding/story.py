"""Names of releases in which everyone is hidden, and sentences on what they achieve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from fpanon_core.model import limits
from fpanon_core.model.glove import Method
from fpanon_core.studies.advice import LADDER, ladder_table
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.hiding import LEAST_CROWDS, PEOPLE_A_SHARD, Config, Gain, Result, Worth
from fpanon_core.studies.judgement import KINDS, Limits
from fpanon_core.studies.presets import crowd
from fpanon_core.studies.report_words import listed
from pages.charts import words
from pages.charts.plain import plain
from pages.shell import widgets

METHODS: Mapping[Method, str] = MappingProxyType(
    {"aligned": "aligned", "glove": "GLOVE, as published"}
)
LEFTOVERS = {"merge": "join the nearest group", "suppress": "are left out"}
WORDS: Mapping[Method, str] = {"aligned": "aligned", "glove": "GLOVE"}
"""Short name of each method."""


def limits_of(config: Config) -> str:
    """Return a release's limits, shards and rule for people left over; "" if all are defaults."""
    space, time = config.suppress_space_m, config.suppress_time_min
    parts = [
        "" if config.shards is None else f"{config.shards:,} shards",
        "" if space is None else f"at most {space / 1000:g} km",
        "" if time is None else f"at most {time / 60:g} h",
        "left-overs out" if config.leftover == "suppress" else "",
    ]
    return ", ".join(filter(None, parts))


def name_of(config: Config) -> str:
    """Return the name of a release, by its settings."""
    days = config.period_days
    period = "" if days is None else f", {widgets.called(days)}"
    parts = [
        f"{WORDS[config.method]}, k = {config.k}{period}",
        f"up to {100 * config.leave_out:g}% out" if config.leave_out else "",
        limits_of(config),
    ]
    return " · ".join(filter(None, parts))


def k_refused(k: int, n_users: int, possible: limits.Limit[int]) -> str:
    """Say why groups of this k are not possible here."""
    if k > n_users:
        return (
            f"k = {k:,} exceeds the {words.people(n_users)} in the data: nobody can hide "
            f"among more people than there are. Choose k from {possible.low} to {possible.high}."
        )
    return f"k = {k:,} is not offered here; choose k from {possible.low} to {possible.high}."


def shards_refused(shards: int, n_users: int, k: int, most: int) -> str:
    """Say why the data cannot be divided into this number of shards."""
    room = f"at least {LEAST_CROWDS} groups of k = {k:,}"
    if most < 2:
        return (
            f"{words.people(n_users)} cannot be divided into shards: each shard needs {room}. "
            "To hide everyone at once, leave the field empty."
        )
    each = words.people(n_users // shards)
    return (
        f"{shards:,} shards would hold about {each} each. Each shard needs {room}: choose up to "
        f"{most:,} shards, or leave the field empty."
    )


def expected(method: Method, seconds: Mapping[int, float]) -> str:
    """Say how long a run is likely to take, by k."""
    times = [f"about {words.clock(max(s, 1))} at k = {k}" for k, s in seconds.items()]
    return (
        f"On this machine, hiding whole records ({WORDS[method]}) takes {listed(times)}. "
        "Hiding in periods takes no longer."
    )


WHERE_SHARDS = "Shards are set under Limits, in the form."


def in_shards(n_users: int) -> str:
    """Say how many shards are advised for this number of people."""
    many = max(2, n_users // PEOPLE_A_SHARD)
    return (
        "Cutting the data into shards first takes less time and memory; accuracy falls a little. "
        f"Set the number of shards under Limits: {many:,} shards would have about "
        f"{n_users // many:,} people each."
    )


NOT_NEEDED = " The recommended option does not need this: it holds nobody's record."


def to_begin(thresholds: Limits, n_users: int) -> str:
    """Say what hiding does, and the k that the threshold for re-identification needs."""
    most, needs = thresholds.limit("outsider"), ""
    if most is not None:
        least = crowd(thresholds) if most else math.inf
        needs = f"No k that can be chosen meets your threshold of {100 * most:.3g}%. "
        if least in limits.K.at_most(n_users):
            share = f"{100 * most:.3g}%" + f" (1 in {least:,})" * math.isclose(least * most, 1)
            needs = f"Your threshold of {share} needs k = {least:,} or more. "
    return (
        "Everyone is put into a group of at least k people who are alike. All members of a group "
        "are published with the same record of areas and time windows. Choose k and hide "
        f"everyone. {needs}"
    )


def tried(explored: Exploration) -> pd.DataFrame | None:
    """Return the best option tried that hides everyone, as Overview shows it; None if none does."""
    ladder = ladder_table(explored.table, explored.limits).map(plain)
    row = ladder[(ladder[LADDER[0]] == KINDS[2].capitalize()) & (ladder["Utility"] != "")]
    return row if len(row) else None


def verdict(result: Result, worth: Worth, thresholds: Limits) -> tuple[str, str]:
    """Return a kind of box, and its text on the verifier's verdict and the release's usefulness.

    The text begins with its most important part, in bold. The box is ``success`` only if the
    release is useful and its groups are large enough for the threshold for re-identification.
    """
    if not result.verdict.passed:
        return "error", f"**Do not release this.** {result.verdict}"
    if not worth.rows:
        return "warning", "**Empty, though verified:** nothing is published. Try other settings."
    most = thresholds.limit("outsider")
    small = ""
    if most is not None and result.config.k * most < 1 - 1e-9:
        least = crowd(thresholds) if most else math.inf
        limit = f"your threshold of {100 * most:.3g}%"
        small = f"No group of these people is large enough for {limit}."
        if least <= worth.all_people:
            k = result.config.k
            small = f"Groups of {k} are too small for {limit}: choose k = {least:,} or more."
    if worth.useful and small:
        return "warning", f"**{small}**"
    if worth.useful:
        others = words.others(result.config.k)
        shared = f"Every person in the release shares a record with at least {others}."
        return "success", f"**Verified.** {shared}"
    wide = (
        f"areas {words.distance(worth.side_m)} wide or more; in the data, 95% of samples "
        f"span {words.distance(worth.data_side_m)}"
    )
    spans = f"time windows of {words.duration(worth.span_min)} or more"
    coarse = [text for text, holds in ((wide, worth.wide), (spans, worth.long)) if holds]
    text = f"**{f'{small} '.lstrip()}Of little use, though verified.**"
    if coarse:
        text += (
            " Half of the samples are published with "
            f"{'. Half of the samples are published with '.join(coarse)}."
        )
    if worth.thin:
        text += (
            " Fewer than half of the samples, or of the people, are left. What is published shows "
            "the places and hours of groups, not a fair picture of anybody's days."
        )
    return "warning", text


def stands_for(worth: Worth) -> str:
    """Say how many samples and people the rows stand for, and what share is left out."""
    rows = f"{words.count(worth.rows, 'row')} {'stands' if worth.rows == 1 else 'stand'} for"
    samples, people = words.count(worth.samples, "sample"), words.people(worth.people)
    if (worth.samples, worth.people) == (worth.all_samples, worth.all_people):
        return f"{rows} {samples} of {people}."
    every = words.count(worth.all_samples, "sample"), words.people(worth.all_people)
    return (
        f"{rows} {worth.samples:,} of the {every[0]} and {worth.people:,} of the {every[1]}; "
        f"{words.percent(1 - worth.samples / worth.all_samples)} of the samples are left out."
    )


def to_try(config: Config, worth: Worth, least: int = limits.K.low) -> str:
    """Return up to two ways to a more useful release; ``least`` is the smallest k allowed."""
    limited = config.suppress_space_m is not None or config.suppress_time_min is not None
    ways = [
        "the aligned method instead of GLOVE" if config.method == "glove" else "",
        "wider limits" if worth.thin else "",
        "shorter periods" if (config.period_days or 2) > 1 else "",
        "leaving out the few who are hardest to hide" if not config.leave_out else "",
        f"a smaller k than {config.k}" if config.k > least else "",
        "" if worth.thin else "narrower limits" if limited else "limits on areas and times",
        "coarser places and times before hiding (see Release options)",
    ]
    return f"Try {', or '.join([way for way in ways if way][:2])}."


# --- how accurate ---


def accurate(result: Result) -> list[str]:
    """Say how accurately samples are published, and how many rows are false presences."""
    f = result.release.summary()
    if f["suppressed_share"] == 1:
        return ["Nothing could be published with these settings."]
    told = (
        f"Half of the samples have areas at most {words.distance(f['median_space_m'])} wide, and "
        f"half have time windows of at most {words.duration(f['median_time_min'])}."
    )
    if f["phantom_share"]:
        told += (
            f" In {words.percent(f['phantom_share'])} of the rows, the person was not "
            "recorded in the area and time published: tell the recipient."
        )
    return [
        told,
        str(result.verdict).removeprefix("Verified: ").capitalize(),
        f"In “{name_of(result.config)}”, {words.percent(f['share_2km'])} of the samples have areas "
        f"at most 2 km wide; {words.percent(f['share_2h'])} have time windows of at most 2 hours. "
        "“Wide” means the mean of an area's width and height.",
    ]


def gained(gain: Gain, config: Config) -> str:
    """Say what others gain when the people hardest to hide are left out, under ``config``.

    Both releases are compared on the same samples, so that leaving out the worst samples is not
    itself a gain.
    """
    days = config.period_days
    each = "" if days is None else f" of each {widgets.one(days)}"
    out = f"With up to {100 * config.leave_out:g}% of the people left out{each}"
    if not gain.samples:
        return f"{out}, nothing is left to compare."
    now = f"{words.distance(gain.side_m)} and {words.duration(gain.span_min)}"
    before = f"{words.distance(gain.whole_side_m)} and {words.duration(gain.whole_span_min)}"
    others = f"{out}, the samples of all others are published"
    if now == before:
        return f"{others} no more accurately: {now} on average."
    return (
        f"{others} at {now} on average. When nobody is left out, the same samples are published "
        f"at {before}."
    )


def pair(made: Mapping[Config, Result], chosen: Config) -> tuple[Config, Config] | None:
    """Return the settings of two releases that differ only in the share of people left out.

    The first release leaves out nobody. One of the two is ``chosen``; if ``chosen`` leaves out
    nobody, the other leaves out the largest share. Return None if there are no two such releases.
    """
    whole = replace(chosen, leave_out=0.0)
    tails = [c for c in made if c.leave_out and replace(c, leave_out=0.0) == whole]
    tail = chosen if chosen.leave_out else max(tails, key=lambda c: c.leave_out, default=None)
    return (whole, tail) if tail is not None and whole in made else None


# --- what is promised ---


def promised(result: Result) -> list[str]:
    """Say what a group of k promises, and what it does not; [""] if nothing is published."""
    if result.release.summary()["suppressed_share"] == 1:
        return [""]
    k, days = result.config.k, result.config.period_days
    same = "" if days is None else f"the same {widgets.one(days)}"
    within, who = f" for {same}" if same else "", f"Within {same}, an" if same else "An"
    told = [
        f"{who} attacker picks the right person at most 1 time in {k}, and learns all that the "
        "group shares.",
        f"Everyone in the release is one of at least {k} people with the same record{within}.",
    ]
    if days is not None:
        told[0] += " **This bound does not hold across several periods.**"
        told.append(
            "People who keep to their places and hours can be recognized under the pseudonym of "
            "the next period. An attacker who links a person's records may find fewer than "
            f"{k} people who fit all of these records."
        )
    return told


def left_out(result: Result) -> list[str]:
    """Say which people and samples are not published."""
    release, config, f = result.release, result.config, result.release.summary()
    lost = len(release.suppressed) > 0
    told = ["No sample is left out."]
    if lost:
        told = [
            f"{words.percent(f['suppressed_share'])} of the samples are left out{_why(result)}."
        ]
    if left_over := f["users_left_over"]:
        fate = "joined the nearest group." if release.leftover == "merge" else "not published."
        what = "person" if config.period_days is None else "record"
        told.append(f"{words.count(left_over, what)} {words.were(left_over)} left over and {fate}")
    if unpublished := f["users_suppressed"]:
        told.append(f"Nothing is published about {words.people(unpublished)}.")
    if release.period_days is not None and (missing := f["pieces_suppressed"]):
        whom = len(np.unique(release.people[release.group < 0]))
        told.append(
            f"At least one {widgets.one(release.period_days)} is missing for "
            f"{words.people(whom)} ({words.count(missing, 'missing record')})."
        )
    if config.leave_out and lost:
        told.append(
            "The people left out are not a random few: they are unlike other people, and the "
            "release does not represent them."
        )
    return told


def _why(result: Result) -> str:
    """Say why samples are not published, naming each reason that occurs."""
    k, beyond = result.config.k, "could only be published beyond the limits"
    said = dict.fromkeys(("space", "time", "space and time"), beyond) | {
        "fewer than k": f"would be shared by fewer than {k} people within the limits",
        "left over": "belong to people left over",
        "hardest to hide": "belong to the people who are hardest to hide",
        "period of fewer than k": f"fall in periods with fewer than {k} people",
    }
    reasons = result.release.suppressed["reason"].unique()
    found = dict.fromkeys(said.get(reason, reason) for reason in reasons)
    return f": they {', or '.join(found)}" if found else ""
