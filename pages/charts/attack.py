"""Figures of an attack on a release: its results before and after, compared with guessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import plotly.graph_objects as go

from .style import Part, Theme, axis, figure, interval, known, note, percents, rows_of, series
from .words import brief, percent

BEFORE, AFTER, GUESSING = "before", "after", "guessing"
THRESHOLD, MARK = "threshold", "┊ "
_ROW_PX, _TOP_PX, _AXIS_PX, _APART_PX = 38, 52, 52, 18
# Right ends of the columns of numbers to the right of the figure, across it.
_ENDS, _WITH_THRESHOLDS = (0.79, 0.88, 1.0), (0.655, 0.76, 0.875, 1.0)
_APART = 0.09  # before the first of them
_HALF = 0.42  # of a row: half the length of a threshold's line
_UP = 0.19  # of a row: how far above its middle "before" is drawn, and "after" below it


class Estimate(NamedTuple):
    """A measured value and the ends of its 95% interval; NaN where nothing could be measured."""

    value: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Compared:
    """One row of a figure that compares the original data, a release, and guessing.

    Attributes
    ----------
    name : str
        What is measured; plain text.
    before, after : Estimate
        Values in the original data, and in the release.
    guessing : float
        Value reached without the release, or without linking; NaN to draw nothing.
    told : sequence of str
        The three values in words, as shown beside the row.
    limit : float
        The threshold; NaN to draw none.
    """

    name: str
    before: Estimate
    after: Estimate
    guessing: float
    told: Sequence[str]
    limit: float = math.nan

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the texts beside the row: the three values and the threshold ("" if none).

        The value in the release has a tick if its whole interval is within the threshold, else a
        cross. If only the upper end is above the threshold, that end replaces the value.
        """
        if not math.isfinite(self.limit):
            return (*self.told, "")
        mark = "✓ " if self.after.high <= self.limit else "✗ "
        most = brief(percent(self.limit))
        if most == self.told[1]:  # the reader must see which of the two is larger
            most = f"{100 * self.limit:.1f}%"
        before, after, guessing = self.told
        if self.after.value <= self.limit < self.after.high:
            after = f"≤ {brief(percent(self.after.high))}"
        return before, mark + after, guessing, most


def before_and_after(
    shares: Sequence[Compared], errors: Sequence[Compared], of: Theme, *, whom: str = "people"
) -> go.Figure:
    """Return a figure of dots with intervals: shares of people above, distances below them.

    Parameters
    ----------
    shares : sequence of Compared
        Shares in [0, 1]; lower is safer. Rows without a value for the original data show the
        release alone.
    errors : sequence of Compared
        Kilometres; more is safer. May be empty.
    whom : str
        What the shares count: people, or records if a person has one in each period.
    """
    above, below = _ROW_PX * len(shares), _ROW_PX * len(errors)
    inner = above + (below + _AXIS_PX + _APART_PX if errors else 0)
    limited = any(math.isfinite(row.limit) for row in (*shares, *errors))
    ends = _WITH_THRESHOLDS if limited else _ENDS
    traces = _series(shares, of, "")
    across = {"domain": [0, ends[0] - _APART], "zeroline": False}
    title = f"Share of the {whom} tested: less is safer"
    more: dict[str, Any] = {}
    if errors:
        traces += _series(errors, of, "2")
        far = [end for row in errors for end in (*row.before, *row.after, row.guessing)]
        most = max((end for end in far if math.isfinite(end)), default=0.0) or 1.0
        range_km = {"range": [-0.015 * most, 1.05 * most], "nticks": 7, "anchor": "y2"}
        more["xaxis2"] = axis(of, {"title": "Kilometres: more is safer"} | across | range_km)
        more["yaxis2"] = axis(of, _names(errors, of, [0.0, below / inner], "x2"))
    any_before = any(math.isfinite(row.before.value) for row in shares)
    told = (BEFORE, AFTER) if any_before else ("", AFTER)
    # Headings of the columns of numbers, on one line with the legend; small enough to stay apart
    # where the figure is narrow.
    above_all = {"yref": "paper", "yanchor": "bottom", "yshift": 5}
    notes = [
        _text(of, f"<b>{word}</b>", right, 1.0, 13, **above_all)
        for word, right in zip((*told, GUESSING, MARK + THRESHOLD), ends, strict=False)
        if word
    ]
    return figure(
        of,
        traces,
        {"title": title, "anchor": "y"} | across | percents(1.015, -0.015),
        _names(shares, of, [1 - above / inner, 1.0], "x"),
        height=inner + _TOP_PX + _AXIS_PX,
        annotations=[*notes, *_numbers(shares, of, "y", ends), *_numbers(errors, of, "y2", ends)],
        margin={"l": 8, "r": 8, "t": _TOP_PX, "b": _AXIS_PX},
        **more,
    )


def _names(rows: Sequence[Compared], of: Theme, domain: list[float], anchor: str) -> Part:
    """Return an axis with the rows' names, the first on top."""
    where = {"domain": domain, "anchor": anchor, "tickfont": {"size": 15, "color": of.css("ink")}}
    return rows_of([f"{row.name} " for row in rows]) | where


def _series(rows: Sequence[Compared], of: Theme, number: str) -> list[Part]:
    """Return the series of one panel: thresholds, guessing, before, and after on top."""
    axes = {"xaxis": f"x{number}", "yaxis": f"y{number}", "showlegend": not number}

    def drawn(name: str, x: Sequence[float], up: float, told: int, **more: Any) -> Part:
        said = [[row.name, row.told[told]] for row in rows]
        at = [row + up for row in range(len(rows))]
        hover = "%{customdata[0]}: %{customdata[1]}"
        found = series(name, known(x), at, "markers", hover, customdata=said, **axes, **more)
        return found | {"cliponaxis": False}

    def dots(name: str, column: int, colour: str, symbol: str) -> Part:
        found = [row.after if column else row.before for row in rows]
        value, low, high = ([each[end] for each in found] for end in (0, 1, 2))
        bar = interval(value, low, high, colour, thickness=2)
        line = {"width": 2, "color": colour}
        # The mark covers its interval; otherwise, a short interval would look like a scratch on it.
        inside = colour if column else of.css("paper")
        mark = {"symbol": symbol, "size": 12, "color": inside, "line": line}
        return drawn(name, value, _UP if column else -_UP, column, error_x=bar, marker=mark)

    tick = {"symbol": "line-ns", "size": 22, "line": {"color": of.css("ink"), "width": 2.5}}
    before = dots(BEFORE, 0, of.categories[1], "diamond")
    limits = [row.limit for row in rows]
    spots = [row + up for row in range(len(rows)) for up in (-_HALF, _HALF, 0.0)]
    at = known(at for limit in limits for at in (limit, limit, math.nan))
    look = {"color": of.css("quiet"), "width": 2, "dash": "dot"}
    # Its column shows its mark: where the figure is narrow, a legend of four reaches the columns.
    most = series(THRESHOLD, at, spots, "lines", line=look) | axes | {"showlegend": False}
    return [
        *([most] if any(map(math.isfinite, limits)) else []),
        drawn(GUESSING, [row.guessing for row in rows], 0, 2, marker=tick, legendrank=1_001),
        *([before] if any(math.isfinite(row.before.value) for row in rows) else []),
        dots(AFTER, 1, of.categories[0], "circle"),
    ]


def _numbers(rows: Sequence[Compared], of: Theme, yref: str, ends: Sequence[float]) -> list[Part]:
    return [
        _text(of, f"<b>{told}</b>" if column == 1 else told, right, row, 15, yref=yref)
        for row, each in enumerate(rows)
        for column, (told, right) in enumerate(zip(each.numbers, ends, strict=False))
        if told
    ]


def _text(of: Theme, text: str, right: float, y: float, size: int, **more: Any) -> Part:
    return note(of, text, right, y, size, xref="paper", xanchor="right", **more)
