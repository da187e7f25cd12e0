"""What share of the users has at most this value? Step CDFs from 0, at most 512 points a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from .style import DASHES, MAIN_PX, MARKERS, Theme, axis, figure, layout

MAX_POINTS = 512
MAX_CLICKABLE = 128  # of them, on a curve whose points name people
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # of logarithmic axes


@dataclass(frozen=True)
class Curve:
    """One curve of a figure.

    Attributes
    ----------
    name : str
    values : ndarray
        One per user; NaN (undefined) values are left out.
    colour : str
    style : int
        Position in the lists of dashes and markers.
    users : ndarray or None
        Row number of each value's user, so that a click on the curve names one.
    """

    name: str
    values: FloatArray
    colour: str
    style: int
    users: npt.NDArray[np.int64] | None = None


def cdf(
    curves: Sequence[Curve],
    of: Theme,
    *,
    x_title: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    whose: str = "users",
    references: Sequence[tuple[float, str]] = (),
    log_x: bool = False,
    ticks: Mapping[float, str] | None = None,
    height: int = MAIN_PX,
) -> go.Figure:
    """Figure of step CDFs; the dot on each curve marks its median.

    Parameters
    ----------
    x_range : tuple of float
        What the axis shows, in the values' own unit; above 0 where ``log_x``.
    whose : str
        What each value belongs to, such as "users".
    references : sequence of (x, label)
        Vertical lines to compare with.
    ticks : mapping of float to str, optional
        Of a logarithmic axis: where they are, and what stands there.
    """
    traces = [trace for curve in curves for trace in _traces(curve, of, x_range, whose)]
    ends = [math.log10(end) for end in x_range] if log_x else list(x_range)
    x_axis = axis(of, x_title, range=ends)
    if log_x:
        ticks = ticks or {at: f"{at:g}" for at in _TICKS}
        x_axis |= {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    y_axis = axis(of, f"Share of {whose}", range=[0, 1.005], tickformat=".0%", dtick=0.25)
    lines = [_line(at, of) for at, _ in references]
    labels = [_label(math.log10(at) if log_x else at, text, of) for at, text in references]
    return figure(
        traces,
        layout(
            of,
            x_axis,
            y_axis,
            height=height,
            hovermode="closest",
            hoverdistance=30,
            clickmode="event+select",
            shapes=lines,
            annotations=labels,
        ),
    )


def beyond(curves: Sequence[Curve], edge: float) -> dict[str, int]:
    """How many values of each curve lie to the right of an edge."""
    return {curve.name: int((curve.values > edge).sum()) for curve in curves}


def _traces(
    curve: Curve, of: Theme, x_range: tuple[float, float], whose: str
) -> list[dict[str, Any]]:
    """The steps, the points that answer to the mouse, and the median, which is in the legend."""
    x, y, index = step_points(curve.values)
    line = {"color": curve.colour, "width": 2.5, "dash": DASHES[curve.style % len(DASHES)]}
    left = min(x_range[0], x[0]) if len(x) else x_range[0]
    right = max(x_range[1], x[-1]) if len(x) else x_range[0]
    common = {"type": "scatter", "name": curve.name, "legendgroup": curve.name}
    steps = common | {
        "x": np.concatenate([[left], x, [right]]),
        "y": np.concatenate([[0.0], y, [1.0 if len(x) else 0.0]]),
        "mode": "lines",
        "line": line | {"shape": "hv"},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    # A line of no width answers to the mouse at the cost of one element of the page; markers, which
    # alone can be clicked, cost one each, and hundreds of them half a second.
    points = common | {
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"color": curve.colour, "width": 0},
        "showlegend": False,
        "hovertemplate": f"%{{y:.0%}} of {whose} ≤ %{{x:.3f}}<extra>" + curve.name + "</extra>",
    }
    if curve.users is not None:
        some = np.unique(np.linspace(0, max(len(x) - 1, 0), min(len(x), MAX_CLICKABLE)).astype(int))
        points |= {
            "x": x[some],
            "y": y[some],
            "mode": "markers",
            "marker": {"color": curve.colour, "size": 8, "opacity": 0.0},
            "selected": {"marker": {"opacity": 1.0}},
            "unselected": {"marker": {"opacity": 0.0}},
            "customdata": curve.users[index][some],
        }
    if not len(x):
        return [steps, points]
    median = common | {
        "x": [float(np.nanmedian(curve.values))],
        "y": [0.5],
        "mode": "lines+markers",
        "line": line,
        "marker": {
            "color": curve.colour,
            "size": 11,
            "symbol": MARKERS[curve.style % len(MARKERS)],
            "line": {"color": of.css("paper"), "width": 1.5},
        },
        "unselected": {"marker": {"opacity": 1.0}},
        "showlegend": True,
        "hovertemplate": "median %{x:.3f}<extra>" + curve.name + "</extra>",
    }
    return [steps, points, median]


def _line(at: float, of: Theme) -> dict[str, Any]:
    """A vertical line from the bottom to the top of the picture."""
    return {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": of.css("quiet"), "width": 1.5, "dash": "dot"},
    }


def _label(at: float, text: str, of: Theme) -> dict[str, Any]:
    """What a line stands for, written along it."""
    return {
        "x": at,
        "y": 0.02,
        "yref": "paper",
        "text": text,
        "textangle": -90,
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "bottom",
        "font": {"size": 14, "color": of.css("quiet")},
    }


def step_points(
    values: npt.ArrayLike, max_points: int = MAX_POINTS
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    """Points of the empirical CDF: value, share of values ≤ it, and which value it is.

    All of them when there are few; otherwise the quantiles at even steps with the smallest and
    largest. NaN counts neither above nor below.
    """
    all_values = np.asarray(values, np.float64)
    order = np.argsort(all_values, kind="stable")[: int(np.isfinite(all_values).sum())]
    n = len(order)
    if n == 0:
        return np.empty(0), np.empty(0), np.empty(0, np.int64)
    rank = np.unique(np.linspace(0, n - 1, min(n, max_points)).round().astype(np.int64))
    ordered = all_values[order]
    # Equal values are one step, as high as the last of them.
    below = np.searchsorted(ordered, ordered[rank], side="right")
    return ordered[rank], below / n, order[rank]
