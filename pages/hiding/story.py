"""What a release by GLOVE amounts to, in sentences and small tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.model.glove import GloveResult
from fpanon_core.studies import comparison, glove_estimate
from fpanon_core.studies.hiding import Config, Result
from pages.charts import words
from pages.charts.cdf import Curve
from pages.charts.cdf import beyond as off_the_axis
from pages.charts.style import Theme

LEFTOVERS = {"merge": "join the nearest group", "suppress": "are left out"}
RELEASE_TABLES = {
    "dictionary": "Data dictionary",
    "suppressed": "Left-out samples (not for release)",
}
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


def expected(found: glove_estimate.Result) -> str:
    """How long a run is likely to take."""
    times = [f"about {words.clock(s)} at k = {k}" for k, s in found.seconds.items()]
    return f"On this machine a run takes {', '.join(times)}."


def verdict(result: Result) -> str:
    """What the verifier says."""
    if result.verdict.passed:
        return f"**Verified.** {str(result.verdict).removeprefix('Verified: ').capitalize()}"
    return f"**Do not release this.** {result.verdict}"


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
    told = [
        f"Everyone is one of at least {result.config.k} people with the same record. Half of the "
        f"samples are published as an area of at most {words.distance(f['median_space_m'])} by "
        f"side and a time span of at most {words.duration(f['median_time_min'])}; "
        f"{words.percent(f['share_2km'])} lie within 2 km, {words.percent(f['share_2h'])} within "
        "2 hours."
        if f["suppressed_share"] < 1
        else "Nothing could be published under these limits.",
        f"{words.percent(f['suppressed_share'])} of the samples are left out, because they could "
        f"only be published coarser than the limits, or as fewer than {release.k} people's."
        if len(release.suppressed)
        else "No sample is left out.",
    ]
    if left_over:
        fate = "joined the nearest group." if release.leftover == "merge" else "not published."
        told.append(
            f"{words.count(left_over, 'user')} {words.were(left_over)} left over and {fate}"
        )
    if unpublished:
        told.append(f"Of {words.count(unpublished, 'user')} nothing is published.")
    if f["phantom_share"]:
        told.append(
            f"In {words.percent(f['phantom_share'])} of the published samples the person has no "
            "sample of their own: whoever reads the data must know."
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


def releases(made: Mapping[Config, Result]) -> pd.DataFrame:
    """One row per release, for the table under the curves."""
    return pd.DataFrame([_row(config, result) for config, result in made.items()])


def _row(config: Config, result: Result) -> dict[str, Any]:
    f = result.release.summary()
    return {
        "Release": name_of(config),
        "Groups": f["groups"],
        "Median side (km)": round(f["median_space_m"] / 1000, 2),
        "Mean side (km)": round(f["mean_space_m"] / 1000, 2),
        "Median span (min)": round(f["median_time_min"], 1),
        "Mean span (min)": round(f["mean_time_min"], 1),
        "Left out (%)": round(100 * f["suppressed_share"], 2),
        "Phantom (%)": round(100 * f["phantom_share"], 2),
        "Verified": "yes" if result.verdict.passed else "NO",
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
    if uniform["share_hidden"] == 1:
        told = [
            f"Made equally coarse, everyone is one of {first} only at {uniform['profile']}; GLOVE "
            f"needs {spans}."
        ]
    else:
        told = [
            f"Made equally coarse, not everyone is one of {first} however coarse it gets: at most "
            f"{words.percent(uniform['share_hidden'])} of the users are, at {uniform['profile']}. "
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


def ways(found: comparison.Result) -> pd.DataFrame:
    """One row per way and k, for the table under the figure."""
    table, names = found.comparison, way_names(found.config)
    return pd.DataFrame(
        {
            "Way": table["method"].map(names) + table["profile"].map(lambda p: p and f" ({p})"),
            "k": table["k"],
            "Users hidden (%)": (100 * table["share_hidden"]).round(1),
            "Mean side (km)": (table["mean_space_m"] / 1000).round(2),
            "Median side (km)": (table["median_space_m"] / 1000).round(2),
            "Mean span (min)": table["mean_time_min"].round(1),
            "Median span (min)": table["median_time_min"].round(1),
            "Left out (%)": (100 * table["suppressed_share"]).round(2),
            "Phantom (%)": (100 * table["phantom_share"]).round(2),
            "Verified": table["verified"].map({True: "yes", False: "no"}),
        }
    )


# --- groups ---


def area(group: int, users: int, dx_m: float, dy_m: float, dt_min: float) -> str:
    """A published area on the map."""
    return (
        f"group {group}, {users} users: {dx_m / 1000:.1f} × {dy_m / 1000:.1f} km, "
        f"{words.duration(dt_min)}"
    )


def at_one_moment(when: str, areas: int, people: int) -> str:
    """What the map of published areas shows, and what it does not."""
    return (
        f"At {when}: {words.count(areas, 'area')} for {words.count(people, 'user')}; the others "
        "are published as being nowhere at that time. A click on an area shows its group below."
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
    return (
        f"Group {number}: {names}{more}. Their {samples:,} own samples are published as "
        f"{cells:,} boxes of area and time, the same for each of them."
    )
