"""Figures of a report: their content, and the position of each mark and label, in pixels.

The page draws the figures as SVG, with their words as text. No figure shows anything by colour
alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..model.disclosure import ALONE
from ..model.projection import root_ticks
from . import report_words as w
from .exploration import Exploration
from .judgement import interval
from .option_result import Interval, OptionResult

WIDTH = 720.0
COMPARED = ("outsider", "home", "unicity", ALONE, "membership")
"""Measures in percent, which the figure shows on one scale."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 702.0, 14.0, 348.0
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_MOST_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """An axis: the range it shows, and the pixels of its ends."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value on the axis, in pixels, never beyond the ends."""
        inside = min(self.high, max(self.low, value))
        share = (inside - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Return the round numbers at which the axis has ticks, few enough to be readable."""
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(max(span, 1e-9)))
        step = next(s * power for s in _STEPS if span / (s * power) <= _MOST_TICKS)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


SHARES = Scale(0.0, 1.0, 286.0, 692.0)
"""Scale of the risks in the data as they are and in the chosen option."""
KEPT = Scale(0.0, 1.0, 286.0, 662.0)
"""Scale of the share kept of each component of utility."""


@dataclass(frozen=True)
class Mark:
    """An option in the figure of risk against utility; y grows downwards.

    Attributes
    ----------
    x, y, y_low, y_high : float
        Positions of the utility, the risk and the ends of its interval, pixels.
    front : bool
        Whether the option is on the Pareto front.
    over : bool
        Whether the option is, or may be, above a threshold.
    chosen : bool
    number : int
    name : str
    """

    x: float
    y: float
    y_low: float
    y_high: float
    front: bool
    over: bool
    chosen: bool
    number: int
    name: str


@dataclass(frozen=True)
class Front:
    """The figure of risk against utility; ticks are pairs of a position in pixels and a text."""

    marks: tuple[Mark, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_title: str
    y_title: str
    limit_y: float | None
    limit_text: str
    described: str
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = _BOTTOM


def front(exploration: Exploration, chosen: int | None) -> Front | None:
    """Return the figure of the options with known risk and utility; None without such options."""
    table, limits, risk = exploration.table, exploration.limits, exploration.table.risk_name
    rows = np.flatnonzero(np.isfinite(table.risk) & np.isfinite(table.utility)).tolist()
    if not rows:
        return None
    measure, limit = w.MEASURES[risk], None if risk == "home" else limits.limit(risk)
    share, title = measure.unit == "%", measure.title.format(p=table.config.p)
    low, high = (
        np.where(np.isfinite(end), end, table.risk) for end in (table.risk_low, table.risk_high)
    )
    lowest, highest = (float(f(table.utility[rows])) for f in (np.min, np.max))
    room = max(0.02, 0.06 * (highest - lowest))
    x = Scale(max(0.0, lowest - room), min(1.0, highest + room), _LEFT, _RIGHT)
    top = max(*high[rows].tolist(), limit or 0.0) * 1.06 or 1.0
    up = math.sqrt if share else float
    y = Scale(0.0, up(top), _BOTTOM - 4, _TOP + 4)
    marks = sorted(
        (
            Mark(
                x(table.utility[i]),
                y(up(table.risk[i])),
                y(up(low[i])),
                y(up(high[i])),
                bool(table.front[i]),
                bool(limits.broken(table.results[i])),
                i == chosen,
                table.numbers[i],
                w.shown(table.options[i].told),
            )
            for i in rows
        ),
        key=lambda mark: (mark.chosen, mark.front),
    )
    return Front(
        tuple(marks),
        tuple((x(v), f"{v:.2f}") for v in x.ticks()),
        tuple((y(up(v)), f"{100 * v:g}%") for v in root_ticks(top))
        if share
        else tuple((y(v), f"{v:g}") for v in y.ticks()),
        f"Utility, {w.shown(table.choice.title)} (0 to 1)"
        + ". Risks are on a square-root scale." * share,
        title if share else f"{title} ({measure.unit})",
        None if limit is None else y(up(limit)),
        "" if limit is None else f"threshold {w.limit(limits, risk)}",
        f"{w.count(len(marks), 'option')}: utility to the right, {title} upwards, with "
        f"95% intervals. {sum(mark.front for mark in marks)} on the front: no other option is "
        "surely at least as good in both, and better in one."
        + " Risks are on a square-root scale." * share
        + " The table of all options has the same numbers.",
    )


@dataclass(frozen=True)
class Compared:
    """A measure of risk in the data as they are and in the chosen option; unknown values are None.

    Attributes
    ----------
    risk, title : str
        The measure, and its title.
    before, after : (value, low, high) or None
        The measure in the data as they are, and in the chosen option, with 95% intervals.
    guessing, limit : float or None
        What guessing finds, and the largest risk accepted.
    """

    risk: str
    title: str
    before: Interval | None
    after: Interval | None
    guessing: float | None
    limit: float | None


def compared(exploration: Exploration, chosen: OptionResult | None) -> list[Compared]:
    """Return the known measures of :data:`COMPARED` for the original data and the chosen option."""
    raw, p = exploration.as_it_is, exploration.table.config.p
    asked = chosen or raw
    rows = []
    for risk in COMPARED:
        guessing = limit = None
        if asked is not None:
            guessing = asked.guessing.get("linkage" if risk == "outsider" else risk)
            limit = exploration.limits.allowed(asked, risk)
        title, found = w.MEASURES[risk].title.format(p=p), (_ends(raw, risk), _ends(chosen, risk))
        if any(found):
            rows.append(Compared(risk, title, *found, _known(guessing), _known(limit)))
    return rows


def _ends(result: OptionResult | None, risk: str) -> Interval | None:
    if result is None or not math.isfinite(interval(result, risk)[0]):
        return None
    value, low, high = interval(result, risk)
    return value, low if math.isfinite(low) else value, high if math.isfinite(high) else value


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def describe_compared(exploration: Exploration, chosen: OptionResult | None) -> str:
    """Describe :func:`compared` in a sentence, for readers who cannot see its figure."""
    p, both = exploration.table.config.p, (exploration.as_it_is, chosen)
    when = ("as they are", "in the chosen option")
    said = (
        (risk, [f"{w.estimate(r, risk)} {at}" for r, at in zip(both, when, strict=True) if r])
        for risk in COMPARED
    )
    told = (f"{w.MEASURES[r].title.format(p=p)}: {' and '.join(t)}" for r, t in said if t)
    return "; ".join(told) + "."


def kept(
    exploration: Exploration, chosen: OptionResult | None
) -> list[tuple[str, str, str, float]]:
    """Return, for each component, its title, meaning, weight in words, and the share kept."""
    weights = exploration.table.choice.weights or {}
    found = {} if chosen is None else chosen.components
    rows = []
    for name, (title, meaning) in w.COMPONENTS.items():
        if math.isfinite(share := found.get(name, math.nan)):
            weight = f"weight {100 * weights[name]:.0f}%" if weights.get(name) else "no weight"
            rows.append((title, meaning, weight if weights else "", share))
    return rows
