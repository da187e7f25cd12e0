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
# As drawn in a window of 1,440 px; in a narrower one numbers come nearer each other.
_WIDTH_PX, _MARGINS_PX = 870.0, 104.0
_DOT_PX, _AWAY_PX, _LINE_PX, _DIGIT_PX, _LIMIT_PX = 8.0, 8.0, 16.0, 9.0, 60.0
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
    height: int = 560,
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
    risk_range = (-0.06 * top, 1.1 * top)
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
    return figure(
        traces,
        layout(
            of,
            axis(of, utility_title, range=list(utility_range)),
            risk_axis,
            height=height,
            hovermode="closest",
            hoverdistance=30,
            clickmode="event+select",
            shapes=_limit_line(limit, of),
            annotations=_limit_label(limit, of, percent),
        ),
    )


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
    some: Sequence[Dot], of: Theme, place: str, unsafe: bool, shown: str, limited: bool,
    where: Mapping[int, str],
) -> dict[str, Any]:  # fmt: skip
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
    dots: Sequence[Dot], across: Box, up: Box, height: int, front: Sequence[Dot],
    limit: float | None,
) -> dict[int, str]:  # fmt: skip
    """Where each dot's number is written, by number: at a corner where nothing else is.

    Never over a dot or another number, and over no line where there is another corner. Beside a dot
    that has no such corner there is none; the mouse tells it. The chosen option's comes first, then
    those that are compared, then the front's.
    """

    def pixel(x: float, y: float) -> tuple[float, float]:
        wide, high = _WIDTH_PX, height - _MARGINS_PX
        return wide * (x - across[0]) / (across[1] - across[0]), high * (up[1] - y) / (
            up[1] - up[0]
        )

    at = {dot.number: pixel(dot.utility, dot.risk) for dot in dots}
    around = {n: (x - _DOT_PX, y - _DOT_PX, x + _DOT_PX, y + _DOT_PX) for n, (x, y) in at.items()}
    lines = [
        _box(pixel(*start), pixel(*end))
        for one, other in pairwise((d.utility, d.risk) for d in front)
        for start, end in ((one, (one[0], other[1])), ((one[0], other[1]), other))
    ]
    if limit is not None:
        level = pixel(across[0], limit)
        lines.append(_box(level, pixel(across[1], limit)))
        lines.append((0.0, level[1] - _LINE_PX, _LIMIT_PX, level[1]))
    numbers: list[Box] = []
    found: dict[int, str] = {}
    order = sorted(
        dots, key=lambda d: (not d.chosen, not d.pinned, not d.front, d.behind, d.number)
    )
    for dot in order:
        others = [*numbers, *(each for number, each in around.items() if number != dot.number)]
        places = {corner: _beside(at[dot.number], corner, len(str(dot.number)))
                  for corner in _CORNERS}  # fmt: skip
        free = [c for c, box in places.items() if not any(_overlap(box, o) for o in others)]
        if not free:
            continue
        clear = [c for c in free if not any(_overlap(places[c], line) for line in lines)]
        found[dot.number] = (clear or free)[0]
        numbers.append(places[found[dot.number]])
    return found


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
    return [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit}
            | {"line": line, "layer": "below"}]  # fmt: skip


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
