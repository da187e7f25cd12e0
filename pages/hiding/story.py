"""What a release by GLOVE amounts to, in sentences and small tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.model import limits
from fpanon_core.model.glove import GloveResult
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import comparison, glove_estimate
from fpanon_core.studies.hiding import Config, Result, Worth
from pages.charts import words
from pages.charts.cdf import Curve
from pages.charts.cdf import beyond as off_the_axis
from pages.charts.plain import plain
from pages.charts.style import Theme

LEFTOVERS = {"merge": "join the nearest group", "suppress": "are left out"}
TABLES = {"accuracy": "Accuracy"}
COMPARISON_TABLES = {"comparison": "Comparison"}
PHANTOM = "Phantom samples"


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
    """

    column: str
    unit: str
    scale: float
    title: str


ACCURACIES = (
    Accuracy("space_m", "km", 1000.0, "Side of the published area that holds it (km)"),
    Accuracy("time_min", "hours", 60.0, "Span of time in which it is published (hours)"),
)


def name_of(config: Config) -> str:
    """How a release is called, by what it was made with."""
    parts = [f"k = {config.k}"]
    if config.suppress_space_m is not None:
        parts.append(f"at most {config.suppress_space_m / 1000:g} km")
    if config.suppress_time_min is not None:
        parts.append(f"at most {config.suppress_time_min / 60:g} h")
    if config.leftover == "suppress":
        parts.append("left-overs out")
    return " · ".join(parts)


def k_refused(k: int, n_users: int, possible: limits.Limit[int]) -> str:
    """Why nobody can be hidden in a crowd of that k."""
    if k > n_users:
        return (
            f"k = {k:,} exceeds the {words.count(n_users, 'user')} in the data: nobody can hide "
            f"among more than there are. Choose k from {possible.low} to {possible.high}."
        )
    return f"k = {k:,} is not offered here; choose k from {possible.low} to {possible.high}."


def expected(found: glove_estimate.Result) -> str:
    """How long a run is likely to take."""
    times = [f"about {words.clock(s)} at k = {k}" for k, s in found.seconds.items()]
    return f"On this machine a run takes {', '.join(times)}."


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
        f"**Verified, but of little use.** {checked} {stands} {' '.join(filter(None, why))} "
        f"{_to_try(result.config, worth)}"
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


def _to_try(config: Config, worth: Worth) -> str:
    """What may make a release of more use."""
    limited = config.suppress_space_m is not None or config.suppress_time_min is not None
    kind = "wider " if worth.thin else "narrower " if limited else ""
    ways = [
        f"{kind}limits on width and length, in the form above",
        "data of fewer days",
        f"a smaller k than {config.k}" if config.k > limits.K.low else "",
        "coarser places and times first (page Release options)",
    ]
    return f"What may help: {'; '.join(way for way in ways if way)}."


def figures(result: Result) -> dict[str, str]:
    """The figures in large letters, by what they are of."""
    f = result.release.summary()
    return {
        "Groups": f"{f['groups']:,}",
        "Typical area side (median)": words.distance(f["median_space_m"]),
        "Typical time span (median)": words.duration(f["median_time_min"]),
        "Samples left out": words.percent(f["suppressed_share"]),
        PHANTOM: words.percent(f["phantom_share"]),
    }


def meaning(result: Result) -> list[str]:
    """What was published of whom, how accurately, and what was not."""
    release, f = result.release, result.release.summary()
    left_over, unpublished = f["users_left_over"], f["users_suppressed"]
    k = result.config.k
    if f["suppressed_share"] < 1:
        told = [
            f"Everyone published is one of at least {k} people with the same record: whoever "
            f"looks for one of them picks the right record with a chance of at most 1 in {k}. "
            "Whoever knows the group learns all its cells all the same.",
            "Half of the samples are published as an area of at most "
            f"{words.distance(f['median_space_m'])} by side, and half as a time span of at most "
            f"{words.duration(f['median_time_min'])}; {words.percent(f['share_2km'])} lie within "
            f"2 km, {words.percent(f['share_2h'])} within 2 hours.",
        ]
    else:
        told = ["Nothing could be published under these limits."]
    told.append(
        f"{words.percent(f['suppressed_share'])} of the samples are left out: they could only be "
        f"published coarser than the limits, or as fewer than {k} people's, or are of people of "
        "whom nothing is published."
        if len(release.suppressed)
        else "No sample is left out."
    )
    if left_over:
        fate = "joined the nearest group." if release.leftover == "merge" else "not published."
        told.append(
            f"{words.count(left_over, 'user')} {words.were(left_over)} left over and {fate}"
        )
    if unpublished:
        told.append(f"Of {words.count(unpublished, 'user')} nothing is published.")
    if f["phantom_share"]:
        told.append(
            f"In {words.percent(f['phantom_share'])} of the rows the person was never recorded in "
            "that cell; others of the group were. Whoever reads the data must know."
        )
    return told


def accuracy(
    made: Mapping[Config, Result], which: Accuracy, of: Theme
) -> tuple[list[Curve], float]:
    """A curve per release, and where the axis ends: most of each is within."""
    curves = [
        Curve(
            name_of(config),
            result.release.accuracy[which.column].to_numpy() / which.scale,
            of.categories[i],
            i,
        )
        for i, (config, result) in enumerate(made.items())
    ]
    ends = [np.nanquantile(c.values, 0.99) for c in curves if np.isfinite(c.values).any()]
    return curves, 1.05 * float(max(ends, default=1.0))


def beyond(curves: list[Curve], edge: float) -> str:
    """How many samples are off the axis."""
    return words.beyond(off_the_axis(curves, edge)).replace("Users", "Samples")


def releases(made: Mapping[Config, Result], worths: Mapping[Config, Worth]) -> pd.DataFrame:
    """One row per release, for the table under the curves."""
    return pd.DataFrame([_row(config, result, worths[config]) for config, result in made.items()])


def _row(config: Config, result: Result, worth: Worth) -> dict[str, Any]:
    f = result.release.summary()
    use = "yes" if worth.useful else "yes, of little use"
    return {
        "Release": name_of(config),
        "Verified": use if result.verdict.passed else "NO",
        "Left out": words.percent(f["suppressed_share"]),
        "Groups": f["groups"],
        "Rows": worth.rows,
        "Median side": words.distance(f["median_space_m"]),
        "Mean side": words.distance(f["mean_space_m"]),
        "Median span": words.duration(f["median_time_min"]),
        "Mean span": words.duration(f["mean_time_min"]),
        "Phantom": words.percent(f["phantom_share"]),
    }


# --- beside uniform generalization ---


def way_names(config: comparison.Config) -> dict[str, str]:
    """What the ways of hiding everyone are called, by their names in the table."""
    names = ("Everyone equally coarse", "GLOVE", f"GLOVE, at most {_limits(config)}")
    return dict(zip(comparison.METHODS, names, strict=True))


def _limits(config: comparison.Config) -> str:
    space, time = config.suppress_space_m, config.suppress_time_min
    parts = [] if space is None else [f"{space / 1000:g} km"]
    return " and ".join(parts if time is None else [*parts, f"{time / 60:g} hours"])


def crowds(ks: Collection[int]) -> str:
    """Such as "k = 2, 5 and 10"."""
    *first, last = map(str, ks)
    return f"k = {', '.join(first)} and {last}" if first else f"k = {last}"


def labels(part: pd.DataFrame) -> list[str]:
    """Of each dot of a way; the first of several at one spot speaks for all of them."""
    spots = list(zip(part["mean_space_m"], part["mean_time_min"], strict=True))
    ks = part["k"].tolist()
    return [
        "k = " + ", ".join(str(k) for k, other in zip(ks, spots, strict=True) if other == spot)
        if spots.index(spot) == i
        else ""
        for i, spot in enumerate(spots)
    ]


def compared(found: comparison.Result) -> list[str]:
    """What equally coarse data, GLOVE, and GLOVE with limits cost at the smallest k."""
    table = found.comparison
    first = int(table["k"].min())
    rows: dict[str, Any] = {r["method"]: r for _, r in table[table["k"] == first].iterrows()}
    uniform, ours = rows["uniform"], rows["GLOVE"]
    spans = (
        f"areas of {words.distance(ours['mean_space_m'])} by side and time spans of "
        f"{words.duration(ours['mean_time_min'])} on average"
    )
    last, grid = found.searched[-1], plain(uniform["profile"])
    if uniform["share_hidden"] == 1:
        whole = ", with all places and times in one cell" if uniform["profile"] == str(last) else ""
        told = [
            f"Made equally coarse, everyone is one of {first} only at {grid}{whole}: "
            f"the first of {_tried(found.searched)} to do so. GLOVE needs {spans}."
        ]
    else:
        told = [
            f"Made equally coarse, not everyone is one of {first} under any of "
            f"{len(found.searched)} grids from {found.searched[0]} to {last}: at most "
            f"{words.percent(uniform['share_hidden'])} of the users are, at {grid}. "
            f"GLOVE hides all with {spans}."
        ]
    limited = rows.get("GLOVE with suppression")
    if limited is not None:
        told.append(
            f"Held to at most {_limits(found.config)}, with "
            f"{words.percent(limited['suppressed_share'])} of the samples left out, it "
            f"is {words.distance(limited['mean_space_m'])} and "
            f"{words.duration(limited['mean_time_min'])}."
        )
    return told


def _tried(searched: Sequence[GeneralizationProfile]) -> str:
    """Such as "11 grids from 1 km · 30 min to one cell"."""
    last = f"one cell for everything ({searched[-1]})"
    if len(searched) == 1:
        return f"one grid, {last}"
    chosen = all(isinstance(p.space, Grid) and p.space.origin is None for p in searched)
    how = ", each laid where most people share a cell" if chosen else ""
    return f"{len(searched)} grids from {searched[0]} to {last}{how},"


def ways(found: comparison.Result) -> pd.DataFrame:
    """One row per way and k, for the table under the figure."""
    table, names = found.comparison, way_names(found.config)
    return pd.DataFrame(
        {
            "Way": table["method"].map(names) + table["profile"].map(lambda p: p and f" ({p})"),
            "k": table["k"],
            "Users hidden (%)": (100 * table["share_hidden"]).round(1),
            "Left out (%)": (100 * table["suppressed_share"]).round(2),
            "Mean side (km)": (table["mean_space_m"] / 1000).round(2),
            "Median side (km)": (table["median_space_m"] / 1000).round(2),
            "Mean span (min)": table["mean_time_min"].round(1),
            "Median span (min)": table["median_time_min"].round(1),
            "Phantom (%)": (100 * table["phantom_share"]).round(2),
            "Verified": table["verified"].map({True: "yes", False: "no"}),
        }
    )


# --- groups ---


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


def group(number: int, release: GloveResult, drawn: int, samples: int) -> str:
    """Who is in a group, and how their samples are published; ``drawn`` of them are shown."""
    members, pseudonyms = release.members(number), release.pseudonyms
    names = ", ".join(pseudonyms[u] for u in members[:drawn])
    more = f" and {len(members) - drawn} more, not drawn" if len(members) > drawn else ""
    cells = int(release.published.lengths[number])
    lost = int(release.suppressed["user"].isin(members).sum())
    boxes = f"{cells:,} boxes of area and time, the same for each of them"
    if not lost:
        return (
            f"Group {number}: {names}{more}. Their {samples:,} own samples are published as "
            f"{boxes}."
        )
    return (
        f"Group {number}: {names}{more}. In all, {words.count(lost, 'sample')} of the group "
        f"{words.were(lost)} left out; the others are published as {boxes}."
    )
