"""Figures of an attack on the original data and on a release, by measure, as a page draws them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fpanon_core.model.disclosure import HOME_WITHIN_M
from fpanon_core.studies.attack import Result
from fpanon_core.studies.judgement import Limits
from pages.charts import words
from pages.charts.attack import Compared, Estimate

FOUND, AMONG_FIRST = "re-identification risk", "record among the first 10"
ACCUSED, ERROR = "accused, not in the release", "expected error"
_SHORT = {
    FOUND: "re-identified",
    AMONG_FIRST: "record among the first 10",
    ERROR: "estimate of a place, off by",
}
_NOTHING_M = 5.0  # a distance that counts as none, in words


@dataclass(frozen=True)
class Figure:
    """Values of one measure: shares, or metres.

    Attributes
    ----------
    before, after : Estimate
        Values in the original data, and in the release.
    guessing : float
        Value without linking; NaN where there is none.
    before_asked, asked : int
        Numbers of people, or of records, tested in the original data and in the release.
    points_alone : float
        Value from the known points without any release; NaN where there is none.
    """

    before: Estimate
    after: Estimate
    guessing: float
    before_asked: int
    asked: int
    points_alone: float

    @property
    def without(self) -> float:
        """Smaller of two errors, in metres: by guessing, or from the known points alone."""
        return min(self.guessing, self.points_alone)

    @property
    def known(self) -> bool:
        """Whether the measure is known for the release."""
        return math.isfinite(self.after.value)


def figures(result: Result) -> dict[str, Figure]:
    """Return all figures of a result, by measure."""
    return {
        row["measure"]: Figure(
            _estimate(row, "before"),
            _estimate(row, "after"),
            float(row["guessing"]),
            int(row["before_asked"]),
            int(row["asked"]),
            float(row["points_alone"]),
        )
        for row in result.to_frame().to_dict("records")
    }


def _estimate(row: Mapping[Hashable, Any], when: str) -> Estimate:
    return Estimate(*(float(row[f"{when}{end}"]) for end in ("", "_low", "_high")))


def home(metres: float) -> str:
    """Return the name of the measure of homes found within a distance in metres."""
    return f"home within {metres:g} m"


def shares(result: Result, limits: Limits) -> list[Compared]:
    """Return the figure's rows: shares of records and homes found, with their thresholds."""
    found = figures(result)
    homes = {home(each): f"home within {distance(each)}" for each in result.config.within_m}
    named = {name: _SHORT[name] for name in (FOUND, AMONG_FIRST)}
    most = {}
    if (limit := limits.limit("outsider")) is not None:
        most[FOUND] = limit
    near, more = home(HOME_WITHIN_M), limits.limit("home")
    if near in found and more is not None:
        most[near] = found[near].guessing + more
    return [
        Compared(
            short,
            each.before,
            each.after,
            each.guessing,
            [
                words.brief(percent(*share))
                for share in (
                    (each.before.value, each.before_asked),
                    (each.after.value, each.asked),
                    (each.guessing, each.asked),
                )
            ],
            most.get(name, math.nan),
        )
        for name, short in (named | homes).items()
        if (each := found[name]).known or math.isfinite(each.before.value)
    ]


def errors(result: Result) -> list[Compared]:
    """Return the errors of the best estimate of a place, in km, for the figure."""
    found = figures(result)[ERROR]
    values = found.before.value, found.after.value, found.without
    told = [words.brief(off(metres)) for metres in values]
    before, after = (Estimate(*(m / 1000 for m in each)) for each in (found.before, found.after))
    return [Compared(_SHORT[ERROR], before, after, found.without / 1000, told)]


def table(result: Result) -> pd.DataFrame:
    """Return all figures with their intervals, in words, for the screen."""
    rows = []
    for name, each in figures(result).items():
        if not each.known and not math.isfinite(each.before.value):
            continue
        metres = name == ERROR
        guessing = off(each.without) if metres else percent(each.guessing, each.asked)
        rows.append(
            {
                "Measure": name,
                "Before": _told(each.before, each.before_asked, metres),
                "After": _told(each.after, each.asked, metres),
                "Guessing": guessing,
                "Tested": f"{each.asked:,}",
            }
        )
    return pd.DataFrame(rows)


def _told(found: Estimate, asked: int, metres: bool) -> str:
    """Return a value with its interval, as text."""
    if not math.isfinite(found.value):
        return "not known"
    if metres:
        return f"{off(found.value)} ({off(found.low)} to {off(found.high)})"
    return f"{percent(found.value, asked)} ({between(found, asked)})"


# --- numbers in words ---


def percent(share: float, asked: int) -> str:
    """Return a share in words; a share of 0 as "0 of 496", because the risk may exceed 0."""
    if not math.isfinite(share):
        return "not known"
    return words.percent(share, asked) if share else f"0 of {asked:,}"


def between(found: Estimate, asked: int) -> str:
    """Return the ends of an interval, such as "1.4% to 4.3%"."""
    return f"{words.percent(found.low, asked)} to {words.percent(found.high, asked)}"


def off(metres: float) -> str:
    """Return an error in words, or "under 5 m" if it is very small."""
    if metres < _NOTHING_M:
        return f"under {_NOTHING_M:g} m"
    return words.distance(metres)


def distance(metres: float) -> str:
    """Return a chosen distance, such as "500 m" or "1 km"."""
    return f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
