"""What the figures say: sentences about everyone, for several k and profiles; and a small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies.anonymizability import Measured
from pages.charts import words
from pages.charts.cdf import Curve, beyond

PUBLISHED_BY_K = (
    "half of the users have a 2-gap of 0.09 or less in Ivory Coast, 80 % one of 0.17 or less in "
    "Senegal; nobody is at 0."
)
PUBLISHED_BY_PROFILE = "even at 20 km · 8 h only about 30 % are 2-anonymous."


def gap_title(k: str) -> str:
    """The title of an axis of k-gaps."""
    return f"{k}-gap: mean stretch effort to the nearest others (0 = already {k}-anonymous)"


def by_k(
    measured: Measured, ks: Sequence[int], stretch: StretchConfig, curves: list[Curve], edge: float
) -> list[str]:
    """About everyone under one profile, for the smallest and the largest k drawn."""
    n = len(measured.gaps.users)
    few, many = ks[0], ks[-1]
    hidden = int((measured.gaps.at(few).values == 0).sum())
    return [
        f"At {measured.profile}, {words.share(hidden, n)} {words.verb(hidden)} {few}-anonymous "
        "already.",
        *(
            f"To look like {words.others(k)}, a typical user would have to be moved by about "
            f"{words.distance(float(np.median(measured.parts[k].space_m)))} and "
            f"{words.duration(float(np.median(measured.parts[k].time_min)))} on average."
            for k in dict.fromkeys((few, many))
        ),
        f"Distances beyond {words.distance(stretch.max_space_m)} and times beyond "
        f"{words.duration(stretch.max_time_min)} count as no more than that.",
        "Click a point on a curve to see whose fingerprint it is.",
        words.beyond(beyond(curves, edge)),
    ]


def by_profile(
    measured: Sequence[Measured], k: int, missing: int, curves: list[Curve], edge: float
) -> list[str]:
    """About everyone at one k, under that of the profiles measured which hides the most.

    Of equals, the last: places of several kinds have no order from fine to coarse.
    """
    most = max(reversed(measured), key=lambda each: int((each.gaps.at(k).values == 0).sum()))
    values = most.gaps.at(k).values
    told_apart = int((values > 0).sum())
    return [
        f"Even at {most.profile}, {words.share(told_apart, len(values))} "
        f"{words.verb(told_apart)} {words.not_anonymous(k)}."
        if told_apart
        else f"At {most.profile}, everybody is {k}-anonymous: at least {k - 1} "
        f"other{'s have' if k > 2 else ' has'} the very same fingerprint.",
        f"{missing} of the profiles {words.verb(missing)} not measured yet." if missing else "",
        words.beyond(beyond(curves, edge)),
    ]


def profiles_table(measured: Sequence[Measured], k: int) -> pd.DataFrame:
    """One row per profile, for one k."""
    rows = []
    for each in measured:
        values, parts = each.gaps.at(k).values, each.parts[k]
        rows.append(
            {
                "Profile": str(each.profile),
                "Already anonymous (%)": 100 * float((values == 0).mean()),
                "Median gap (0–1)": float(np.median(values)),
                "90 % of users within": float(np.quantile(values, 0.9)),
                "Typical distance (km)": float(np.median(parts.space_m)) / 1000,
                "Typical time (min)": float(np.median(parts.time_min)),
            }
        )
    return pd.DataFrame(rows)


def cost_of_asking(
    missing: int, profiles: Sequence[GeneralizationProfile], n_users: int, seconds: float | None
) -> str:
    """What is not measured yet, and how long that is likely to take; seconds None if unknown."""
    what = f"{missing} of {len(profiles)} profiles are not measured"
    if seconds is None:
        return f"{what}; on {n_users:,} users it may take a while."
    each = f"{what}; it takes about {words.clock(max(seconds, 1))}"
    return f"{each} for {profiles[0]}" + (
        f", and at most {words.clock(max(seconds, 1) * missing)} for all." if missing > 1 else "."
    )


def reach(measured: Mapping[GeneralizationProfile, Measured], ks: Sequence[int]) -> float:
    """Where a common axis of k-gaps ends, so that it goes as far as 99 % of every curve does."""
    ends = [
        float(np.quantile(each.gaps.at(k).values, 0.99))
        for each in measured.values()
        if (k := max((k for k in ks if k in each.parts), default=0))
    ]
    return min(1.0, max(0.05, 1.2 * max(ends))) if ends else 1.0
