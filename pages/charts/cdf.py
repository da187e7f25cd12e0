"""Figures of the share of users with at most a given value: step CDFs, at most 512 points a curve.

The module also draws a histogram of samples per user.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray, IntArray

from .style import MAIN_PX, Theme, bars, figure, line, marker, note, percents, series, upright

MAX_POINTS = 512
MAX_CLICKABLE = 128  # of them, on a curve whose points name people
_BARS = 40  # of a histogram
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # of logarithmic axes


@dataclass(frozen=True)
class Curve:
    """One curve of a figure.

    Attributes
    ----------
    name : str
    values : ndarray
        One per person, or per other item that is counted; NaN (undefined) values are left out.
    colour : str
    style : int
        Position in the lists of dashes and markers.
    users : ndarray or None
        Row number of each value's user, so that a click on the curve selects a user.
    label : str
        Name in the legend, if it says more than ``name``.
    """

    name: str
    values: FloatArray
    colour: str
    style: int
    users: IntArray | None = None
    label: str = ""


def cdf(
    curves: Sequence[Curve],
    of: Theme,
    *,
    x_title: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    whose: str = "people",
    references: Sequence[tuple[float, str]] = (),
    log_x: bool = False,
    ticks: Mapping[float, str] | None = None,
    height: int = MAIN_PX,
) -> go.Figure:
    """Return a figure of step CDFs; the dot on each curve marks its median.

    Parameters
    ----------
    x_range : tuple of float
        Range of the axis, in the values' own unit; above 0 where ``log_x``.
    whose : str
        What each value belongs to, such as "people".
    references : sequence of (x, label)
        Vertical lines to compare with.
    ticks : mapping of float to str, optional
        Positions and labels of the ticks of a logarithmic axis.
    """
    traces = [trace for curve in curves for trace in _traces(curve, of, x_range, whose)]
    place = math.log10 if log_x else float
    x_axis: dict[str, Any] = {"title": x_title, "range": [place(end) for end in x_range]}
    if log_x:
        ticks = ticks or {at: f"{at:g}" for at in _TICKS}
        x_axis |= {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    along: dict[str, Any] = {
        "yref": "paper",
        "textangle": -90,
        "xanchor": "right",
        "yanchor": "bottom",
        "bgcolor": of.css("paper"),  # no curve runs through a label
    }
    return figure(
        of,
        traces,
        x_axis,
        {"title": f"Share of {whose}"} | percents(1.005),
        height=height,
        hoverdistance=30,
        clickmode="event+select",
        shapes=[upright(at, of.css("quiet"), layer="below") for at, _ in references],
        annotations=[
            note(of, text, place(at), 0.02, colour="quiet", **along) for at, text in references
        ],
    )


def beyond(curves: Sequence[Curve], edge: float) -> dict[str, int]:
    """Return how many values of each curve lie to the right of an edge."""
    return {curve.name: int((curve.values > edge).sum()) for curve in curves}


def _traces(
    curve: Curve, of: Theme, x_range: tuple[float, float], whose: str
) -> list[dict[str, Any]]:
    """Return the steps, the points that react to the mouse, and the median for the legend."""
    x, y, index = step_points(curve.values)
    left = min(x_range[0], x[0]) if len(x) else x_range[0]
    right = max(x_range[1], x[-1]) if len(x) else x_range[0]
    named: dict[str, Any] = {"legendgroup": curve.name, "showlegend": False}
    across = np.concatenate([[left], x, [right]])
    up = np.concatenate([[0.0], y, [1.0 if len(x) else 0.0]])
    dashed = line(curve.style, curve.colour)
    steps = series(curve.name, across, up, "lines", line=dashed | {"shape": "hv"}, **named)
    # A line of no width reacts to the mouse at the cost of one element of the page. Only markers
    # can be clicked; they cost one element each, and hundreds of them half a second.
    told = f"%{{y:.0%}} of {whose} ≤ %{{x:.3f}}"
    hidden = {"color": curve.colour, "width": 0}
    points = series(curve.name, x, y, "lines", told, line=hidden, **named)
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
    rim = {"color": of.css("paper"), "width": 1.5}
    median = series(
        curve.label or curve.name,
        [float(np.nanmedian(curve.values))],
        [0.5],
        "lines+markers",
        "median %{x:.3f}",
        line=dashed,
        marker=marker(curve.style, 11, color=curve.colour, line=rim),
        unselected={"marker": {"opacity": 1.0}},
        legendgroup=curve.name,
        showlegend=True,
    )
    return [steps, points, median]


def step_points(values: npt.ArrayLike) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the points of the empirical CDF: value, share of values ≤ it, and the value's index.

    If there are many values, return quantiles at even steps, including the smallest and the largest
    value; otherwise return all values. NaN is left out.

    Examples
    --------
    >>> [found.tolist() for found in step_points([math.nan, 0.2, math.nan, 0.4])]
    [[0.2, 0.4], [0.5, 1.0], [1, 3]]
    """
    all_values = np.asarray(values, np.float64)
    order = np.argsort(all_values, kind="stable")[: int(np.isfinite(all_values).sum())]
    n = len(order)
    if n == 0:
        return np.empty(0), np.empty(0), np.empty(0, np.int64)
    rank = np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).round().astype(np.int64))
    ordered = all_values[order]
    # Equal values are one step, as high as the last of them.
    below = np.searchsorted(ordered, ordered[rank], side="right")
    return ordered[rank], below / n, order[rank]


def samples_per_user(samples: IntArray, of: Theme) -> go.Figure:
    """Return a histogram of samples per user, and the median; long tails get a logarithmic axis."""
    least, most, median = int(samples.min()), int(samples.max()), float(np.median(samples))
    long_tail = most > 50 * max(median, 1)
    if long_tail:
        edges = np.unique(np.round(np.geomspace(least, most + 1, _BARS + 1)))
    else:
        width = max(1, math.ceil((most - least + 1) / _BARS))
        edges = np.arange(least, most + width + 1, width).astype(np.float64)
    count, _ = np.histogram(samples, edges)
    drawn = bars(
        "",
        edges[:-1],
        count,
        {"color": of.measure("people")},
        "%{y} people with %{x:.0f} to %{customdata:.0f} samples",
        width=np.diff(edges) * (0.9 if long_tail else 0.94),
        offset=0,
        customdata=edges[1:] - 1,
    )
    place: dict[str, Any] = {"yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    at = math.log10(median) if long_tail else median
    return figure(
        of,
        [drawn],
        {"title": "Samples per person", "type": "log" if long_tail else "linear"},
        {"title": "People", "rangemode": "tozero"},
        showlegend=False,
        shapes=[upright(median, of.css("ink"))],
        annotations=[note(of, f"median {median:.0f}", at, 1.0, **place)],
    )
