"""What is said of one person: how hard to hide, who is nearest, and which samples were matched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.kgap import KGapResult
from fpanon_core.studies.anonymizability import Neighbour
from pages.charts import words
from pages.shell.calendar import days


def gap(fs: FingerprintSet, user: int, result: KGapResult, other: Neighbour, k: int) -> list[str]:
    """How hard somebody is to hide, and what it would take to look like another user."""
    row = int(np.flatnonzero(result.users == user)[0])
    value = float(result.values[row])
    rank = float((result.values < value).mean())
    names, matches = fs.pseudonyms, other.matches
    if value == 0:
        return [
            f"{names[user]} is already {k}-anonymous: {words.others(k)} "
            f"{'has' if k == 2 else 'have'} the very same record."
        ]
    worst = matches.iloc[int(matches["total"].to_numpy().argmax())]
    return [
        f"{names[user]} has {fs.lengths[user]:,} samples and a {k}-gap of {value:.3f}; "
        f"{words.percent(rank, len(result.values))} of the users are easier to hide.",
        f"To look like {names[other.user]}, the matched samples would have to be moved by "
        f"{words.distance(matches['dist_m'].mean())} and "
        f"{words.duration(matches['gap_min'].mean())} on average; the hardest of them by "
        f"{words.distance(worst['dist_m'])} and {words.duration(worst['gap_min'])}.",
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


def neighbours(fs: FingerprintSet, near: Sequence[Neighbour]) -> pd.DataFrame:
    """One row per neighbour, in the order given."""
    names = fs.pseudonyms  # made anew at each call
    return pd.DataFrame(
        {
            "Neighbour": [names[n.user] for n in near],
            "Samples": [int(fs.lengths[n.user]) for n in near],
            "Effort (0–1)": [n.stretch for n in near],
            "Distance (km)": [n.matches["dist_m"].mean() / 1000 for n in near],
            "Time (min)": [n.matches["gap_min"].mean() for n in near],
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
            "Distance (km)": (found["dist_m"] / 1000).round(2),
            "Time apart (min)": found["gap_min"].round(0),
            "Effort (0–1)": found["total"].round(4),
        }
    ).sort_values("Effort (0–1)", ascending=False)


def _moments(fs: FingerprintSet, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    names, wall = days(fs), fs.wall_minutes(fs.t_min)
    return [
        f"{names[int(m // 1440)]} {int(m % 1440 // 60):02d}:{int(m % 60):02d}" for m in wall[rows]
    ]
