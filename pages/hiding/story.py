"""What a release in which everyone is hidden amounts to, in sentences and small tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.model import limits
from fpanon_core.model.glove import Method
from fpanon_core.studies.hiding import LEAST_CROWDS, PEOPLE_A_SHARD, Config, Gain, Result, Worth
from pages.charts import words
from pages.charts.cdf import Curve
from pages.charts.style import DASHES, Theme
from pages.hiding import names
from pages.shell import widgets

TABLES = {"accuracy": "Accuracy"}
_LEGEND_PX, _LETTER_PX, _ROW_PX = 400, 8, 26  # a legend's width, a letter's, a row's height


@dataclass(frozen=True)
class Accuracy:
    """How accurately samples are published, in space or in time.

    Attributes
    ----------
    column : str
        Of a release's table of accuracies.
    unit, title : str
        For the screen.
    scale : float
        Of the column's unit in ours.
    ticks : mapping of float to str
        Of the logarithmic axis, in our unit.
    """

    column: str
    unit: str
    scale: float
    title: str
    ticks: Mapping[float, str]


_HOURS = {
    "1 min": 1 / 60,
    "5 min": 1 / 12,
    "20 min": 1 / 3,
    "1 h": 1.0,
    "4 h": 4.0,
    "12 h": 12.0,
    "2 d": 48.0,
    "1 wk": 168.0,
    "5 wk": 840.0,
    "20 wk": 3_360.0,
}
_KM = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
ACCURACIES = (
    Accuracy(
        "space_m", "km", 1000.0, "Side of the published area (km)", {at: f"{at:g}" for at in _KM}
    ),
    Accuracy(
        "time_min", "hours", 60.0, "Span of the published time", {at: t for t, at in _HOURS.items()}
    ),
)


def k_refused(k: int, n_users: int, possible: limits.Limit[int]) -> str:
    """Why nobody can be hidden in a crowd of that k."""
    if k > n_users:
        return (
            f"k = {k:,} exceeds the {words.count(n_users, 'user')} in the data: nobody can hide "
            f"among more than there are. Choose k from {possible.low} to {possible.high}."
        )
    return f"k = {k:,} is not offered here; choose k from {possible.low} to {possible.high}."


def shards_refused(shards: int, n_users: int, k: int, most: int) -> str:
    """Why people cannot be cut into so many shards."""
    room = f"room for {LEAST_CROWDS} crowds of k = {k:,}"
    if most < 2:
        return (
            f"{words.count(n_users, 'user')} cannot be cut into shards: each needs {room}. "
            "Leave the field empty, and all are hidden at once."
        )
    each = words.count(n_users // shards, "user")
    return (
        f"{shards:,} shards would hold about {each} each. Each needs {room}: choose up to "
        f"{most:,} shards, or leave the field empty."
    )


def expected(method: Method, seconds: Mapping[int, float]) -> str:
    """How long a run is likely to take, by k."""
    times = [f"about {words.clock(s)} at k = {k}" for k, s in seconds.items()]
    what = names.word(method)
    return (
        f"On this machine {what} of whole records takes {', '.join(times)}; periods take no more."
    )


WHERE_SHARDS = "Shards are set under Limits, in the form."


def in_shards(n_users: int) -> str:
    """What so many people had better be cut into."""
    many = max(2, n_users // PEOPLE_A_SHARD)
    return (
        f"Cut into shards first (under Limits; {many:,} are of about {PEOPLE_A_SHARD:,} people), "
        "it takes less of both, and accuracy falls a little."
    )


def verdict(result: Result, worth: Worth) -> tuple[str, str]:
    """What the verifier says, and what that is worth: the kind of box it goes into, and its text.

    ``success`` only for a release that is of use.
    """
    if not result.verdict.passed:
        return "error", f"**Do not release this.** {result.verdict}"
    checked = str(result.verdict).removeprefix("Verified: ").capitalize()
    if not worth.rows:
        return "warning", "**Verified, but empty:** nothing is published. Try wider limits."
    stands = _stands_for(worth)
    if worth.useful:
        return "success", f"**Verified.** {checked} {stands}"
    coarse = [
        f"areas of {words.distance(worth.side_m)} or more by side, more than half as wide as "
        f"the data ({words.distance(worth.data_side_m)} without the outermost 5 %)"
        if worth.wide
        else "",
        f"time spans of {words.duration(worth.span_min)} or more" if worth.long else "",
    ]
    why = [
        f"Half of the samples are published as {', and half as '.join(filter(None, coarse))}."
        if any(coarse)
        else "",
        "Less than half of it is left: what is published is of the places and hours of crowds, not "
        "a fair picture of anybody's days."
        if worth.thin
        else "",
    ]
    return "warning", (
        f"**Verified, but of little use.** {checked} {stands} {' '.join(filter(None, why))}"
    )


def _stands_for(worth: Worth) -> str:
    """How many rows there are for how many samples of whom; and who and what is not among them."""
    rows = f"{words.count(worth.rows, 'row')} {'stands' if worth.rows == 1 else 'stand'} for"
    if (worth.samples, worth.people) == (worth.all_samples, worth.all_people):
        return (
            f"{rows} {words.count(worth.samples, 'sample')} of {words.count(worth.people, 'user')}."
        )
    return (
        f"{rows} {worth.samples:,} of the {words.count(worth.all_samples, 'sample')}, of "
        f"{worth.people:,} of the {words.count(worth.all_people, 'user')}: "
        f"{words.percent(1 - worth.samples / worth.all_samples)} of the samples are left out."
    )


def to_try(config: Config, worth: Worth, least: int = limits.K.low) -> str:
    """The first few ways to make a release of more use; ``least`` is the smallest k allowed."""
    limited = config.suppress_space_m is not None or config.suppress_time_min is not None
    ways = [
        "aligned instead of GLOVE" if config.method == "glove" else "",
        "wider limits" if worth.thin else "",
        "shorter periods" if (config.period_days or 2) > 1 else "",
        "leaving out the few whom it costs most to hide" if not config.leave_out else "",
        f"a smaller k than {config.k}" if config.k > least else "",
        "" if worth.thin else "narrower limits" if limited else "limits on width and length",
        "coarser places and times first (page Release options)",
    ]
    return f"What may help: {'; '.join([way for way in ways if way][:4])}."


# --- how accurate ---


def accurate(result: Result) -> list[str]:
    """How accurately samples are published, and in how many rows nobody was."""
    f = result.release.summary()
    if f["suppressed_share"] == 1:
        return ["Nothing could be published under these limits."]
    told = [
        f"Half of the samples of “{names.name_of(result.config)}” are published as an area of at "
        f"most {words.distance(f['median_space_m'])} by side "
        "(the mean of width and height), and half as a time span of at most "
        f"{words.duration(f['median_time_min'])}; {words.percent(f['share_2km'])} lie within "
        f"2 km, {words.percent(f['share_2h'])} within 2 hours."
    ]
    if f["phantom_share"]:
        told.append(
            f"In {words.percent(f['phantom_share'])} of the rows the person was never recorded in "
            "that cell; others of the group were. Whoever reads the data must know."
        )
    return told


def gained(gain: Gain, config: Config) -> str:
    """What the others gain by the tail's being left out; ``config`` is of the release without it.

    Of the same samples in both releases: that the worst are gone is no gain for anybody.
    """
    out = f"With up to {100 * config.leave_out:g} % of the people left out"
    if config.period_days is not None:
        out += f" of each {widgets.one(config.period_days)}"
    if not gain.samples:
        return f"{out}, nothing is left to compare."
    now, before = (
        f"{words.distance(side)} and {words.duration(span)}"
        for side, span in (
            (gain.side_m, gain.span_min),
            (gain.whole_side_m, gain.whole_span_min),
        )
    )
    if now == before:
        return (
            f"{out}, the samples of all others are published no more accurately: {now} on average."
        )
    return (
        f"{out}, the samples of all others are published as {now} on average; the same samples "
        f"as {before} when nobody is left out."
    )


def pair(made: Mapping[Config, Result], chosen: Config) -> tuple[Config, Config] | None:
    """A release with nobody left out and the same one with a tail left out, if both are there.

    One of them is the one that is looked at; of several tails, the largest.
    """
    whole = replace(chosen, leave_out=0.0)
    tails = [c for c in made if c.leave_out and replace(c, leave_out=0.0) == whole]
    tail = chosen if chosen.leave_out else max(tails, key=lambda c: c.leave_out, default=None)
    return (whole, tail) if tail is not None and whole in made else None


# --- what is promised ---


def promised(result: Result) -> list[str]:
    """What a crowd of k promises, and what it does not."""
    k, days = result.config.k, result.config.period_days
    within = "" if days is None else f" of the same {widgets.one(days)}"
    told = [
        f"Everyone published is one of at least {k} people with the same record{within}: whoever "
        f"looks for one of them picks the right record with a chance of at most 1 in {k}.",
        "It hides nothing that all of a crowd share: whoever finds the crowd learns all its areas "
        "and times.",
    ]
    if days is not None:
        told.append(
            f"The promise holds within each {widgets.one(days)}, not over several: people who keep "
            "to their places and hours can be recognised under the next pseudonym, and whoever "
            f"links their records may find fewer than {k} who fit all of them."
        )
    return told


def left_out(result: Result) -> list[str]:
    """Of whom and of what nothing is published."""
    release, f = result.release, result.release.summary()
    if not len(release.suppressed):
        told = ["No sample is left out."]
    else:
        told = [
            f"{words.percent(f['suppressed_share'])} of the samples are left out{_why(result)}."
        ]
    if left_over := f["users_left_over"]:
        fate = "joined the nearest group." if release.leftover == "merge" else "not published."
        what = "user" if result.config.period_days is None else "record"
        told.append(f"{words.count(left_over, what)} {words.were(left_over)} left over and {fate}")
    if unpublished := f["users_suppressed"]:
        told.append(f"Of {words.count(unpublished, 'user')} nothing is published.")
    if release.period_days is not None and (missing := f["pieces_suppressed"]):
        whom = len(np.unique(release.people[release.group < 0]))
        told.append(
            f"Of {words.count(whom, 'user')} at least one {widgets.one(release.period_days)} is "
            f"missing ({words.count(missing, 'record')} in all)."
        )
    if result.config.leave_out and len(release.suppressed):
        told.append(
            "Those left out are no random few: they are people unlike others, and the release does "
            "not speak for them."
        )
    return told


def _why(result: Result) -> str:
    """Why samples are not published, by the reasons that occur."""
    k = result.config.k
    said = {
        "space": "could only be published wider or longer than the limits",
        "time": "could only be published wider or longer than the limits",
        "space and time": "could only be published wider or longer than the limits",
        "fewer than k": f"could within the limits only be published as fewer than {k} people's",
        "left over": "are of people left over",
        "hardest to hide": "are of people whom it costs most to hide",
        "period of fewer than k": f"are of periods with fewer than {k} people",
    }
    found = dict.fromkeys(
        said.get(reason, reason) for reason in result.release.suppressed["reason"].unique()
    )
    return f": they {', or '.join(found)}" if found else ""


# --- beside each other ---


def accuracy(
    made: Mapping[Config, Result], which: Accuracy, of: Theme
) -> tuple[list[Curve], tuple[float, float]]:
    """A curve per release, and the ends of the logarithmic axis that shows all of them."""
    curves = [
        Curve(
            names.name_of(config),
            result.release.accuracy[which.column].to_numpy() / which.scale,
            of.categories[i % len(of.categories)],
            i + i // len(DASHES),  # the same colour again has another dash
        )
        for i, (config, result) in enumerate(made.items())
    ]
    values = [c.values[np.isfinite(c.values)] for c in curves]
    ends = [(v.min(), v.max()) for v in values if len(v)] or [(0.1, 10.0)]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return curves, (0.8 * float(low), 1.25 * float(high))


def height(curves: list[Curve]) -> int:
    """Of the figure, pixels: its legend grows with the names, the curves keep their room."""
    rows, used = 1, 0
    for curve in curves:
        width = 60 + _LETTER_PX * len(curve.name)
        if used and used + width > _LEGEND_PX:
            rows, used = rows + 1, 0
        used += width
    return min(280 + _ROW_PX * rows, 430)


def releases(made: Mapping[Config, Result], worths: Mapping[Config, Worth]) -> pd.DataFrame:
    """One row per release, for the table under the curves."""
    table = pd.DataFrame([_row(config, result, worths[config]) for config, result in made.items()])
    return table if any(table["Limits"]) else table.drop(columns="Limits")


def _row(config: Config, result: Result, worth: Worth) -> dict[str, Any]:
    f = result.release.summary()
    use = "yes" if worth.useful else "of little use"
    return {
        "Method": names.word(config.method),
        "k": config.k,
        "Period": widgets.called(config.period_days),
        "May be out": f"{100 * config.leave_out:g} %",
        "Limits": names.limits_of(config),
        "Verified": use if result.verdict.passed else "NO",
        "Side, median": words.distance(f["median_space_m"]),
        "mean": words.distance(f["mean_space_m"]),
        "Span, median": words.duration(f["median_time_min"]),
        "mean ": words.duration(f["mean_time_min"]),
        "Mean loss": f"{result.mean_loss:.2f}",
        "Samples": words.percent(worth.samples / worth.all_samples),
        "People": words.percent(worth.people / worth.all_people),
        "Phantom": words.percent(f["phantom_share"]),
    }
