"""Which releases are worth considering? Risk against utility, the front, and what is dominated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import plotly.graph_objects as go

from .style import Theme, axis, figure, layout

_SHAPES = {False: "circle", True: "triangle-up"}
# Where a number may stand; beside its dot's bar, never on it.
_CORNERS = ("top right", "top left", "bottom right", "bottom left", "middle right", "middle left")
# Of the figure's inner part on a small projector, at a desk, and on a wall: a number has a place
# that is free in all of them.
_WIDTHS_PX, _MARGINS_PX = (430.0, 850.0, 870.0, 1_300.0), (104.0, 140.0)
_DOT_PX, _AWAY_PX, _LINE_PX, _DIGIT_PX, _LIMIT_PX = 8.0, 8.0, 16.0, 9.0, 60.0
_LEGEND_ROW_PX = 44  # two rows, where there are more kinds of dots than fit one
Box: TypeAlias = tuple[float, ...]
_PLACES = ("on the front", "level with the front", "dominated")


@dataclass(frozen=True)
class Dot:
    """An option in the figure.

    Attributes
    ----------
    number : int
        Its number in the table, from 1; written beside the dot where there is room.
    name : str
        What the mouse is told; plain text.
    risk, low, high : float
        The risk and its 95 % interval (NaN where there is none).
    utility : float
        In [0, 1].
    front : bool
        Whether no other option dominates it.
    unsafe : bool
        Whether the risk may be above the limit.
    told : str
        Lines more for the mouse, such as what dominates it.
    pinned : bool
    behind : bool
        Whether it is behind another by the estimates, though the intervals leave it open.
    chosen : bool
        Whether it is the option chosen for release: its number is written first.
    numbered : bool
        Whether its number is written at all.
    """

    number: int
    name: str
    risk: float
    low: float
    high: float
    utility: float
    front: bool
    unsafe: bool
    told: str = ""
    pinned: bool = False
    behind: bool = False
    chosen: bool = False
    numbered: bool = True


def pareto(
    dots: Sequence[Dot],
    of: Theme,
    *,
    risk_title: str,
    risk_name: str = "risk",
    utility_title: str,
    percent: bool,
    limit: float | None,
    limited: bool = True,
    height: int = 430,
) -> go.Figure:
    """Figure of risk (better is lower) against utility (better is right).

    Parameters
    ----------
    risk_name : str
        Of the measure, for the mouse.
    percent : bool
        Whether the risk is a share of users.
    limit : float or None
        The risk above which an option is unsafe: a line.
    limited : bool
        Whether there is any limit, be it at one place or not: the legend says which are above.
    """
    shown = ".1%" if percent else ".3g"
    front = sorted((d for d in dots if d.front and not d.behind), key=lambda d: (d.utility, d.risk))
    traces: list[dict[str, Any]] = [_steps(front, of)] if len(front) > 1 else []
    shown = f"{risk_name} %{{y:{shown}}}"
    top = max([_end(d) for d in dots] + ([limit] if limit is not None else []), default=1.0)
    top = top if top > 0 else 1.0
    # Room below for a dot at 0, and above for a label.
    risk_range = (-0.12 * top, 1.1 * top)
    utility_range = _around([d.utility for d in dots])
    where = _labels(dots, utility_range, risk_range, height, front, limit)
    for place in _PLACES:
        for unsafe in (False, True):
            some = [d for d in dots if (_place(d), d.unsafe) == (place, unsafe)]
            if some:
                traces.append(_dots(some, of, place, unsafe, shown, limited, where))
    risk_axis = axis(of, risk_title, range=list(risk_range), zeroline=False)
    if percent:
        risk_axis |= {"tickformat": ".0%" if top > 0.05 else ".2%"}
    plain = layout(
        of,
        axis(of, utility_title, range=list(utility_range)),
        risk_axis,
        height=height,
        margin={"l": 64, "r": 40, "t": 40 + _LEGEND_ROW_PX * (len(traces) > 3), "b": 56},
        hovermode="closest",
        hoverdistance=30,
        clickmode="event+select",
        shapes=_limit_line(limit, of),
        annotations=_limit_label(limit, of, percent),
    )
    if len(traces) > 3:
        plain["legend"] |= {"y": 1.14}  # of its two rows the lower one keeps off the dots
    return figure(traces, plain)


def _steps(front: Sequence[Dot], of: Theme) -> dict[str, Any]:
    """The front's outline by the estimates; what is above and left of it is behind."""
    return {
        "type": "scatter",
        "x": [d.utility for d in front],
        "y": [d.risk for d in front],
        "mode": "lines",
        "line": {"color": of.categories[0], "width": 2, "dash": "dot", "shape": "vh"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _place(dot: Dot) -> str:
    if not dot.front:
        return "dominated"
    return "level with the front" if dot.behind else "on the front"


def _dots(
    some: Sequence[Dot],
    of: Theme,
    place: str,
    unsafe: bool,
    shown: str,
    limited: bool,
    where: Mapping[int, str],
) -> dict[str, Any]:
    filled = place == "on the front"
    colour = of.css("quiet") if place == "dominated" else of.categories[0]
    safety = (
        (", above this limit or perhaps" if unsafe else ", within this limit") if limited else ""
    )
    return {
        "type": "scatter",
        "name": place + safety,
        "x": [d.utility for d in some],
        "y": [d.risk for d in some],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_part(d.high - d.risk) for d in some],
            "arrayminus": [_part(d.risk - d.low) for d in some],
            "color": colour,
            "thickness": 1.2,
            "width": 3,
        },
        "mode": "markers+text",
        "marker": {
            "symbol": _SHAPES[unsafe] + ("" if filled else "-open"),
            "size": [20 if d.pinned else 14 for d in some],
            "color": colour,
            "line": {"color": of.css("ink") if filled else colour, "width": 2},
        },
        "text": [_text(d) if d.number in where else "" for d in some],
        "textposition": [where.get(d.number, _CORNERS[0]) for d in some],
        "textfont": {"size": 14, "color": of.css("ink")},
        "customdata": [[d.number, d.name, d.told] for d in some],
        "hovertemplate": "<b>%{customdata[0]}. %{customdata[1]}</b><br>"
        + shown
        + ", utility %{x:.2f}<br>%{customdata[2]}<extra></extra>",
    }


def _text(dot: Dot) -> str:
    return f"<b>{dot.number}</b>" if dot.pinned or dot.chosen else str(dot.number)


def _labels(
    dots: Sequence[Dot],
    across: Box,
    up: Box,
    height: int,
    front: Sequence[Dot],
    limit: float | None,
) -> dict[int, str]:
    """Where each dot's number is written, by number: at a corner where nothing else is.

    Never over a dot or another number, and over no line where there is another corner. Beside a dot
    that has no such corner there is none; the mouse tells it. The chosen option's comes first, then
    those that are compared, then the front's.
    """
    at = {d.number: (d.utility, d.risk) for d in dots}
    screens = [
        _Screen(wide, height - margins, across, up)
        for wide in _WIDTHS_PX
        for margins in _MARGINS_PX
    ]
    dotted = [{n: screen.around(*xy) for n, xy in at.items()} for screen in screens]
    lines = [screen.lines(front, limit) for screen in screens]
    numbers: list[list[Box]] = [[] for _ in screens]
    found: dict[int, str] = {}
    order = sorted(
        (d for d in dots if d.numbered),
        key=lambda d: (not d.chosen, not d.pinned, not d.front, d.behind, d.number),
    )
    for dot in order:
        digits = len(str(dot.number))
        free, clear = [], []
        for corner in _CORNERS:
            boxes = [_beside(s.pixel(*at[dot.number]), corner, digits) for s in screens]
            taken = [
                [*drawn, *(box for n, box in around.items() if n != dot.number)]
                for drawn, around in zip(numbers, dotted, strict=True)
            ]
            inside = all(
                box[1] >= 0 and box[3] <= screen.high
                for box, screen in zip(boxes, screens, strict=True)
            )
            if inside and not _any_meets(boxes, taken):
                free.append((corner, boxes))
                if not _any_meets(boxes, lines):
                    clear.append((corner, boxes))
        if not free:
            continue
        found[dot.number], boxes = (clear or free)[0]
        for drawn, box in zip(numbers, boxes, strict=True):
            drawn.append(box)
    return found


@dataclass(frozen=True)
class _Screen:
    """The figure's inner part, as wide and high as it is drawn, pixels, and what it shows."""

    wide: float
    high: float
    across: Box
    up: Box

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is, from the upper left."""
        return (
            self.wide * (x - self.across[0]) / (self.across[1] - self.across[0]),
            self.high * (self.up[1] - y) / (self.up[1] - self.up[0]),
        )

    def around(self, x: float, y: float) -> Box:
        """The box of a dot."""
        across, down = self.pixel(x, y)
        return across - _DOT_PX, down - _DOT_PX, across + _DOT_PX, down + _DOT_PX

    def lines(self, front: Sequence[Dot], limit: float | None) -> list[Box]:
        """The boxes of the front's steps, and of the limit's line and its label."""
        found = [
            _box(self.pixel(*start), self.pixel(*end))
            for one, other in pairwise((d.utility, d.risk) for d in front)
            for start, end in ((one, (one[0], other[1])), ((one[0], other[1]), other))
        ]
        if limit is not None:
            level = self.pixel(self.across[0], limit)
            found.append(_box(level, self.pixel(self.across[1], limit)))
            found.append((0.0, level[1] - _LINE_PX, _LIMIT_PX, level[1]))
        return found


def _any_meets(boxes: Sequence[Box], others: Sequence[Sequence[Box]]) -> bool:
    """Whether on any of the screens a box lies over another."""
    return any(
        _overlap(box, other) for box, some in zip(boxes, others, strict=True) for other in some
    )


def _beside(at: tuple[float, float], corner: str, digits: int) -> Box:
    """The box of a number at a corner of a dot."""
    x, y = at
    wide = _DIGIT_PX * digits
    left = x + _AWAY_PX if corner.endswith("right") else x - _AWAY_PX - wide
    middle = y + {"top": -_LINE_PX, "middle": 0.0, "bottom": _LINE_PX}[corner.split()[0]]
    return left, middle - _LINE_PX / 2, left + wide, middle + _LINE_PX / 2


def _box(one: tuple[float, float], other: tuple[float, float]) -> Box:
    """The box of a line along an axis."""
    (x, y), (u, v) = one, other
    return min(x, u) - 1, min(y, v) - 1, max(x, u) + 1, max(y, v) + 1


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _limit_line(limit: float | None, of: Theme) -> list[dict[str, Any]]:
    if limit is None:
        return []
    line = {"color": of.categories[1], "width": 2, "dash": "dash"}
    return [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit}
        | {"line": line, "layer": "below"}
    ]


def _limit_label(limit: float | None, of: Theme, percent: bool) -> list[dict[str, Any]]:
    if limit is None:
        return []
    text = f"limit {100 * limit:g} %" if percent else f"limit {limit:g}"
    return [
        {
            "xref": "paper",
            "x": 0.005,
            "xanchor": "left",
            "y": limit,
            "yanchor": "bottom",
            "text": text,
            "showarrow": False,
            "font": {"size": 14, "color": of.css("ink")},
        }
    ]


def _end(dot: Dot) -> float:
    return dot.high if math.isfinite(dot.high) else dot.risk


def _part(length: float) -> float:
    return max(length, 0.0) if math.isfinite(length) else 0.0


def _around(values: Sequence[float]) -> tuple[float, float]:
    """A range with room for the labels, within which differences can be seen."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    room = max(0.02, 0.08 * (high - low))
    return low - room, high + room * 1.6
