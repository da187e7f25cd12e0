"""Does a release hold? What an outsider finds in it, before and after, beside guessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import plotly.graph_objects as go

from .style import Theme, axis, figure, layout

BEFORE, AFTER, GUESSING = "data as they are", "release", "guessing"
_ROW_PX, _TOP_PX, _AXIS_PX, _APART_PX = 38, 52, 52, 18
_WIDE = 0.70  # of the figure; the numbers stand to the right
_COLUMNS = (0.80, 0.90, 1.0)  # right ends of the numbers: before, after, guessing
_UP = 0.19  # of a row: what was before stands so much above its middle, what is after below


class Estimate(NamedTuple):
    """A measured value and the ends of its 95 % interval; NaN where nothing could be measured."""

    value: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Compared:
    """A row of the figure.

    Attributes
    ----------
    name : str
        What is measured; plain text.
    before, after : Estimate
        In the data as they are, and in the release.
    guessing : float
        What is attained without the release, or without linking; NaN for nothing to draw.
    told : tuple of str
        The three in words, as they stand beside the row.
    """

    name: str
    before: Estimate
    after: Estimate
    guessing: float
    told: tuple[str, str, str]


def before_and_after(
    shares: Sequence[Compared], errors: Sequence[Compared], of: Theme, *, whom: str = "people"
) -> go.Figure:
    """Figure of dots with intervals: shares of people above, distances below them.

    Parameters
    ----------
    shares : sequence of Compared
        Shares in [0, 1]; fewer are safer. Of rows without anything before, the release alone.
    errors : sequence of Compared
        Kilometres; more are safer. May be empty.
    whom : str
        Who is asked about: people, or records where a person has one in each period.
    """
    above, below = _ROW_PX * len(shares), _ROW_PX * len(errors)
    inner = above + (below + _AXIS_PX + _APART_PX if errors else 0)
    traces = _series(shares, of, "")
    axes: dict[str, Any] = {
        "xaxis": axis(
            of,
            f"Share of the {whom} asked about: less is safer",
            range=[-0.015, 1.015],
            tickformat=".0%",
            dtick=0.25,
            domain=[0, _WIDE],
            anchor="y",
            zeroline=False,
        ),
        "yaxis": _names(shares, of, domain=[1 - above / inner, 1.0], anchor="x"),
    }
    if errors:
        traces += _series(errors, of, "2")
        most = max(map(_most, errors)) or 1.0
        axes["xaxis2"] = axis(
            of,
            "Kilometres: more is safer",
            range=[-0.015 * most, 1.05 * most],
            nticks=7,
            domain=[0, _WIDE],
            anchor="y2",
            zeroline=False,
        )
        axes["yaxis2"] = _names(errors, of, domain=[0.0, below / inner], anchor="x2")
    notes = [*_headings(shares, of), *_numbers(shares, of, "y"), *_numbers(errors, of, "y2")]
    plain = layout(
        of,
        axes.pop("xaxis"),
        axes.pop("yaxis"),
        height=inner + _TOP_PX + _AXIS_PX,
        annotations=notes,
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": _TOP_PX, "b": _AXIS_PX},
    )
    return figure(traces, plain | axes)


def _names(
    rows: Sequence[Compared], of: Theme, *, domain: list[float], anchor: str
) -> dict[str, Any]:
    """An axis of the rows' names, the first on top."""
    return axis(
        of,
        "",
        tickvals=list(range(len(rows))),
        ticktext=[f"{row.name} " for row in rows],
        range=[len(rows) - 0.5, -0.5],
        domain=domain,
        anchor=anchor,
        automargin=True,
        showgrid=False,
        ticks="",
        zeroline=False,
        tickfont={"size": 15, "color": of.css("ink")},
    )


def _series(rows: Sequence[Compared], of: Theme, number: str) -> list[dict[str, Any]]:
    """Guessing, before and after, of one of the two panels; what is after on top."""
    found = [
        _ticks(GUESSING, [row.guessing for row in rows], of.css("ink")),
        _dots(BEFORE, [row.before for row in rows], -_UP, of.categories[1], "diamond-open"),
        _dots(AFTER, [row.after for row in rows], _UP, of.categories[0], "circle"),
    ]
    for trace, told in zip(found, (2, 0, 1), strict=True):  # as told beside the row
        trace |= {
            "customdata": [[row.name, row.told[told]] for row in rows],
            "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra>"
            + trace["name"]
            + "</extra>",
            "showlegend": not number,
        }
    if not _any_before(rows):
        found.pop(1)
    return [trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"} for trace in found]


def _dots(
    name: str, found: Sequence[Estimate], up: float, colour: str, symbol: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": "markers",
        "x": [_or_none(each.value) for each in found],
        "y": [row + up for row in range(len(found))],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_part(each.high - each.value) for each in found],
            "arrayminus": [_part(each.value - each.low) for each in found],
            "color": colour,
            "thickness": 2,
            "width": 4,
        },
        "marker": {
            "symbol": symbol,
            "size": 12,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        "cliponaxis": False,
    }


def _ticks(name: str, at: Sequence[float], colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": "markers",
        "x": [_or_none(value) for value in at],
        "y": list(range(len(at))),
        "marker": {"symbol": "line-ns", "size": 22, "line": {"color": colour, "width": 2.5}},
        "cliponaxis": False,
    }


def _headings(rows: Sequence[Compared], of: Theme) -> list[dict[str, Any]]:
    """What the columns of numbers are, on one line with the legend."""
    told = ("before", "after", "guessing") if _any_before(rows) else ("", "release", "guessing")
    return [
        # Small enough to stand apart where the figure is narrow.
        _text(f"<b>{word}</b>", of, right, y=1.0, yref="paper", yanchor="bottom", yshift=5)
        | {"font": {"size": 13, "color": of.css("ink")}}
        for word, right in zip(told, _COLUMNS, strict=True)
        if word
    ]


def _numbers(rows: Sequence[Compared], of: Theme, yref: str) -> list[dict[str, Any]]:
    return [
        _text(f"<b>{told}</b>" if column == 1 else told, of, right, y=row, yref=yref)
        for row, each in enumerate(rows)
        for column, (told, right) in enumerate(zip(each.told, _COLUMNS, strict=True))
        if told
    ]


def _any_before(rows: Sequence[Compared]) -> bool:
    return any(math.isfinite(row.before.value) for row in rows)


def _text(text: str, of: Theme, right: float, **where: Any) -> dict[str, Any]:
    return {
        "text": text,
        "x": right,
        "xref": "paper",
        "xanchor": "right",
        "showarrow": False,
        "font": {"size": 15, "color": of.css("ink")},
    } | where


def _most(row: Compared) -> float:
    ends = (*row.before, *row.after, row.guessing)
    return max((end for end in ends if math.isfinite(end)), default=0.0)


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _part(length: float) -> float:
    return max(length, 0.0) if math.isfinite(length) else 0.0
