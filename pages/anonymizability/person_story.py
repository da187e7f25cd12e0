"""What is said of one person: how hard to hide, who is nearest, and which samples were matched.

A person's mean distance and time are counted as everyone's are, each sample up to the limits of the
stretch effort; what a single pair of samples is apart is told in full, and called so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies.anonymizability import Measured, Neighbour
from pages.charts import words
from pages.shell.calendar import days

from .story import alone, capped, counted, farther, judges_all, moved


def gap(fs: FingerprintSet, user: int, measured: Measured, other: Neighbour, k: int) -> list[str]:
    """How hard somebody is to hide, and what it would take to look like another user."""
    result, parts = measured.gaps.at(k), measured.parts[k]
    stretch = result.config
    row = int(np.flatnonzero(result.users == user)[0])
    value = float(result.values[row])
    easier = float((result.values < value).mean())
    names, matches = fs.pseudonyms, other.matches
    if value == 0 and judges_all(stretch):
        return [
            f"{names[user]} is already {k}-anonymous: {words.others(k)} "
            f"{'has' if k == 2 else 'have'} the very same record."
        ]
    if value == 0:
        return [f"The {k}-gap of {names[user]} is 0.", alone(stretch)]
    worst = matches.iloc[int(matches["total"].to_numpy().argmax())]
    return [
        f"{names[user]} has {words.count(int(fs.lengths[user]), 'sample')} and a {k}-gap of "
        f"{value:.3f}; {words.percent(easier, len(result.values))} of the users are easier to "
        "hide.",
        f"To look like {words.others(k)}, this user would have to be moved by "
        f"{moved(float(parts.space_m[row]), float(parts.time_min[row]))} on average, "
        f"{counted(stretch)}.",
        farther(parts.beyond_space[[row]], parts.beyond_time[[row]], stretch),
        f"Of the samples matched with {names[other.user]}, the hardest pair is "
        f"{words.distance(worst['dist_m'])} and {words.duration(worst['gap_min'])} apart in full.",
    ]


def place_or_time(matches: pd.DataFrame, k: int) -> list[str]:
    """Which of the two makes up the effort; nothing where there is none."""
    total = float(matches["total"].sum())
    if total == 0:
        return []
    share = float(matches["time"].sum()) / total
    return [
        f"Time makes up {words.percent(share)} of the effort of hiding this user among "
        f"{words.others(k)}, place {words.percent(1 - share)}."
    ]


def neighbours(
    fs: FingerprintSet, near: Sequence[Neighbour], stretch: StretchConfig
) -> pd.DataFrame:
    """One row per neighbour, in the order given."""
    names = fs.pseudonyms  # made anew at each call
    means = capped(
        stretch,
        [float(np.minimum(n.matches["dist_m"], stretch.max_space_m).mean()) for n in near],
        [float(np.minimum(n.matches["gap_min"], stretch.max_time_min).mean()) for n in near],
    )
    return pd.DataFrame(
        {
            "Neighbour": [names[n.user] for n in near],
            "Samples": [int(fs.lengths[n.user]) for n in near],
            "Effort (0–1)": [n.stretch for n in near],
            **means,
        }
    )


def matches(fs: FingerprintSet, other: Neighbour) -> pd.DataFrame:
    """One row per matched pair of samples, the hardest first."""
    found = other.matches
    rows, matched = found["row"].to_numpy(), found["matched_row"].to_numpy()
    return pd.DataFrame(
        {
            "Of": np.array(fs.pseudonyms)[fs.sample_user[rows]],
            "Local time": _moments(fs, rows),
            "Matched local time": _moments(fs, matched),
            "Distance in full": list(map(words.distance, found["dist_m"])),
            "Time apart in full": list(map(words.duration, found["gap_min"])),
            "Effort (0–1)": found["total"].round(4),
        }
    ).sort_values("Effort (0–1)", ascending=False)


def _moments(fs: FingerprintSet, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    names, wall = days(fs), fs.wall_minutes(fs.t_min)
    return [
        f"{names[int(m // 1440)]} {int(m % 1440 // 60):02d}:{int(m % 60):02d}" for m in wall[rows]
    ]
