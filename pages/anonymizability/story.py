"""Sentences on everyone's k-gaps, for several k and profiles, and a small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies.anonymizability import Measured, Parts, lower_bound
from pages.charts import words
from pages.charts.cdf import Curve, beyond
from pages.charts.plain import plain

TABLES = {"k_gap_summary": "k-gaps by profile and k", "k_gaps": "Everyone's k-gap"}
_PUBLISHED_BY_K = (
    "in Ivory Coast, half of the people have a 2-gap of 0.09 or less; in Senegal, 80% have one of "
    "0.17 or less. Nobody has a 2-gap of 0."
)
_PUBLISHED_BY_PROFILE = "even at 20 km · 8 h, only about 30% of people are 2-anonymous."
HIDDEN, AT_0 = "Already k-anonymous (%)", "k-gap of 0 (%)"
COSTS = "Hiding costs at least that: see *Hide everyone*."
CLICK = "Click a curve to see the person at that point."


def gap_title(k: str, stretch: StretchConfig) -> str:
    """Return the title of an axis of k-gaps."""
    if not judges_all(stretch):
        return f"{k}-gap: mean effort to match the nearest others (0 = none in {_of(stretch)})"
    return f"Effort to hide among {k} people ({k}-gap, 0 to 1): further right, harder to hide"


def judges_all(stretch: StretchConfig) -> bool:
    """Return whether space and time both have a weight; else a k-gap of 0 is not k-anonymity."""
    return stretch.w_space > 0 and stretch.w_time > 0


def _of(stretch: StretchConfig) -> str:
    """Return "space" or "time", whichever has a weight."""
    return "space" if stretch.w_space > 0 else "time"


def alone(stretch: StretchConfig) -> str:
    """Say why a k-gap of 0 means little if space or time has no weight; otherwise return ""."""
    if judges_all(stretch):
        return ""
    other = "time" if stretch.w_space > 0 else "space"
    return (
        f"In the settings, {other} has no weight: a k-gap of 0 says that nothing has to be moved "
        f"in {_of(stretch)}, not that anyone else has the same record."
    )


def moved(space_m: float, time_min: float) -> str:
    """Return a distance and a time in words, or only the one that is known."""
    known = [
        words.distance(space_m) if np.isfinite(space_m) else "",
        words.duration(time_min) if np.isfinite(time_min) else "",
    ]
    return " and ".join(part for part in known if part)


def to_move(space_m: float, time_min: float, how: str = "", about: str = "") -> str:
    """Say how far samples must move, such as "about 1.1 km and 3 hours on average".

    ``about`` is put before the distance and the time, and ``how`` after them.
    """
    nothing = words.distance(0), words.duration(0)
    far = [part for part in moved(space_m, time_min).split(" and ") if part not in nothing]
    return f"{about}{' and '.join(far)}{how}" if far else f"very little{how}"


def counted(stretch: StretchConfig) -> str:
    """State the largest distance and time that the move of one sample can count for."""
    return "Each sample's move counts as at most " + moved(
        stretch.max_space_m if stretch.w_space else np.nan,
        stretch.max_time_min if stretch.w_time else np.nan,
    )


def farther(space: FloatArray, time: FloatArray, stretch: StretchConfig) -> str:
    """Say what share of a person's matched samples is at or beyond the caps of the stretch effort.

    ``space`` and ``time`` hold each user's share of such samples.
    """
    shares = [
        (float(np.mean(share)), cap)
        for share, cap in (
            (space, words.distance(stretch.max_space_m)),
            (time, words.duration(stretch.max_time_min)),
        )
        if np.isfinite(share).all()
    ]
    told = [f"{words.percent(share)} are {cap} or more apart" for share, cap in shares if share]
    if not told:
        return "No matched samples reach a cap."
    whose = (
        "Of a person's matched samples, on average, "
        if len(space) > 1
        else "Of this person's matched samples, "
    )
    return f"{whose}{' and '.join(told)}."


def cap(space: FloatArray, time: FloatArray, stretch: StretchConfig) -> tuple[str, str]:
    """Return "at least " or "about " for mean moves, and a text on the largest move that counts.

    The means are lower bounds if many samples are at or beyond a cap.
    """
    about = "at least " if lower_bound(space, time) else "about "
    return about, f"{counted(stretch)}. {farther(space, time, stretch)}"


def by_k(
    measured: Measured, ks: Sequence[int], stretch: StretchConfig, curves: list[Curve], edge: float
) -> list[str]:
    """Return sentences on everyone under one profile, for the smallest and the largest k drawn."""
    n = len(measured.gaps.users)
    few, many = ks[0], ks[-1]
    hidden = int((measured.gaps.at(few).values == 0).sum())
    parts: Parts = measured.parts[many]
    shown = plain(measured.profile)
    already = (
        f"At {shown}, {words.share(hidden, n)} {words.verb(hidden)} {few}-anonymous."
        if judges_all(stretch)
        else f"At {shown}, the {few}-gap is 0 for {words.share(hidden, n)}. {alone(stretch)}"
    )
    nearest = measured.parts[few]
    about, behind = cap(nearest.beyond_space, nearest.beyond_time, stretch)
    return [
        f"{already} To look like {words.others(few)}, a typical person's samples must move "
        f"{_typical(nearest, about, ' on average')}. {COSTS}",
        f"To look like {words.others(many)}, the samples must move {_typical(parts, about)}."
        if many != few
        else "",
        behind,
        words.beyond(beyond(curves, edge)),
    ]


def typical(measured: Measured, k: int) -> str:
    """Return how far a typical person's samples must move, for the figure."""
    parts = measured.parts[k]
    return moved(float(np.median(parts.space_m)), float(np.median(parts.time_min)))


def _typical(parts: Parts, about: str, how: str = "") -> str:
    return to_move(float(np.median(parts.space_m)), float(np.median(parts.time_min)), how, about)


def published_by_k(
    profile: GeneralizationProfile, ks: Sequence[int], stretch: StretchConfig
) -> str:
    """Return what was published for k = 2 at 100 m · 1 min, or "" if other settings are shown."""
    same = str(profile) == "100 m · 1 min" and 2 in ks and stretch == StretchConfig()
    return _PUBLISHED_BY_K if same else ""


def by_profile(
    measured: Sequence[Measured], k: int, missing: int, curves: list[Curve], edge: float
) -> list[str]:
    """Return sentences on everyone at one k, under the profile that hides the most people.

    The coarsest profile would not do, because places of several kinds have no order from fine to
    coarse. If several profiles hide equally many people, the last of these is used.
    """
    most = max(reversed(measured), key=lambda each: int((each.gaps.at(k).values == 0).sum()))
    stretch = most.gaps.config
    values = most.gaps.at(k).values
    told_apart, n = int((values > 0).sum()), len(values)
    at = f"{'Even at' if len(measured) > 1 else 'At'} {plain(most.profile)}"
    if told_apart == n > 1:
        said = f"{at}, none of the {n:,} people is {k}-anonymous."
    elif told_apart:
        said = f"{at}, {words.share(told_apart, n)} {words.verb(told_apart)} not {k}-anonymous."
    elif judges_all(stretch):
        said = (
            f"At {plain(most.profile)}, everybody is {k}-anonymous: each person has the same "
            f"fingerprint as at least {k - 1} other{'s' if k > 2 else ''}."
        )
    else:
        said = f"At {plain(most.profile)}, everybody has a {k}-gap of 0. {alone(stretch)}"
    if missing:
        said += f" {missing} of the profiles {words.verb(missing)} yet to be measured."
    return [said, words.beyond(beyond(curves, edge))]


def published_by_profile(
    profiles: Sequence[GeneralizationProfile], k: int, stretch: StretchConfig
) -> str:
    """Return what was published for k = 2 at 20 km · 8 h, or "" if other settings are shown."""
    same = "20 km · 8 h" in map(str, profiles) and k == 2 and stretch == StretchConfig()
    return _PUBLISHED_BY_PROFILE if same else ""


def profiles_table(measured: Sequence[Measured], k: int) -> pd.DataFrame:
    """Return one row per profile, for one k."""
    rows = []
    for each in measured:
        values, parts, stretch = each.gaps.at(k).values, each.parts[k], each.gaps.config
        rows.append(
            {
                "Profile": str(each.profile),
                HIDDEN if judges_all(stretch) else AT_0: 100 * float((values == 0).mean()),
                "Median gap": float(np.median(values)),
                "90% within": float(np.quantile(values, 0.9)),
                **{
                    name: text[0]
                    for name, text in capped(
                        stretch, [np.median(parts.space_m)], [np.median(parts.time_min)]
                    ).items()
                },
            }
        )
    return pd.DataFrame(rows)


def capped(
    stretch: StretchConfig, space_m: Sequence[float], time_min: Sequence[float]
) -> dict[str, list[str]]:
    """Return a column of distances if space has a weight, and one of times if time has one.

    The names of the columns state the caps.
    """
    columns = {}
    if stretch.w_space:
        name = f"Distance (up to {words.distance(stretch.max_space_m)} each)"
        columns[name] = [words.distance(metres) for metres in space_m]
    if stretch.w_time:
        name = f"Time (up to {words.duration(stretch.max_time_min)} each)"
        columns[name] = [words.duration(minutes) for minutes in time_min]
    return columns


def cost_of_asking(
    missing: int, profiles: Sequence[GeneralizationProfile], n_users: int, seconds: float | None
) -> str:
    """Say what is not measured yet, and the estimated time; ``seconds`` is None if unknown."""
    of = words.count(len(profiles), "profile")
    of = "The one profile" if len(profiles) == 1 else f"{missing} of {of}"
    what = f"{of} {words.verb(missing)} not measured yet"
    if seconds is None:
        return f"{what}; measuring may take a while with {n_users:,} people."
    each = f"{what}; measuring takes about {words.clock(max(seconds, 1))}"
    return f"{each} for {plain(profiles[0])}" + (
        f", and at most {words.clock(max(seconds, 1) * missing)} for all." if missing > 1 else "."
    )


def reach(measured: Mapping[GeneralizationProfile, Measured], ks: Sequence[int]) -> float:
    """Return the end of a common axis of k-gaps that covers 99% of every curve."""
    ends = [
        float(np.quantile(each.gaps.at(k).values, 0.99))
        for each in measured.values()
        if (k := max((k for k in ks if k in each.parts), default=0))
    ]
    return min(1.0, max(0.05, 1.2 * max(ends))) if ends else 1.0
