"""How little does an outsider need? ε against points, over resolutions, and the law behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray, IntArray

from .style import DASHES, MAIN_PX, MARKERS, OTHER_PX, Theme, axis, figure, layout


@dataclass(frozen=True)
class Rising:
    """A series against the number of known points, with 95 % intervals; all shares in [0, 1]."""

    name: str
    points: Sequence[int]
    value: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def against_points(series: Sequence[Rising], of: Theme, *, height: int = MAIN_PX) -> go.Figure:
    """Figure of ε against p, a line per series, with intervals."""
    traces = [
        {
            "type": "scatter",
            "name": s.name,
            "x": list(s.points),
            "y": list(s.value),
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [h - v for h, v in zip(s.high, s.value, strict=True)],
                "arrayminus": [v - low for low, v in zip(s.low, s.value, strict=True)],
                "color": of.categories[i % len(of.categories)],
                "thickness": 1.5,
                "width": 4,
            },
            "mode": "lines+markers",
            "line": {
                "color": of.categories[i % len(of.categories)],
                "width": 2.5,
                "dash": DASHES[i % len(DASHES)],
            },
            "marker": {"size": 9, "symbol": MARKERS[i % len(MARKERS)]},
            "hovertemplate": "%{y:.1%} with %{x} points<extra>" + s.name + "</extra>",
        }
        for i, s in enumerate(series)
    ]
    most = max((max(s.points) for s in series if len(s.points)), default=1)
    return figure(
        traces,
        layout(
            of,
            axis(of, "Points an outsider knows (p)", dtick=1, range=[0.7, most + 0.3]),
            axis(of, "Share of users found", range=[0, 1.02], tickformat=".0%", dtick=0.25),
            height=height,
            hovermode="closest",
        ),
    )


def over_resolutions(
    columns: Sequence[str],
    rows: Sequence[str],
    share: FloatArray,
    of: Theme,
    *,
    height: int = OTHER_PX,
) -> go.Figure:
    """Heat map of ε, shape (rows, columns): windows of time up, sides of the grid across."""
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": list(columns),
        "y": list(rows),
        "z": share.tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": "Cividis",
        "xgap": 2,
        "ygap": 2,
        "text": [["" if np.isnan(v) else f"{100 * v:.0f}" for v in row] for row in share],
        "texttemplate": "%{text}",
        "textfont": {"size": 12},
        "hovertemplate": "%{x} · %{y}: %{z:.1%}<extra></extra>",
        "colorbar": {
            "title": {"text": "Unique (%)", "font": {"color": of.css("ink")}},
            "tickformat": ".0%",
            "tickfont": {"color": of.css("ink")},
            "outlinewidth": 0,
        },
    }
    return figure(
        [trace],
        layout(
            of,
            axis(
                of,
                "Side of the grid",
                type="category",
                showgrid=False,
                tickangle=-45,
                automargin=True,
            ),
            axis(of, "Time window", type="category", showgrid=False),
            height=height,
        ),
    )


@dataclass(frozen=True)
class Fitted:
    """Measured points and the curve fitted to them; an empty one where no law is called so."""

    name: str
    x: FloatArray
    value: FloatArray
    curve_x: FloatArray
    curve: FloatArray


def laws(fitted: Sequence[Fitted], of: Theme, *, x_title: str, height: int = OTHER_PX) -> go.Figure:
    """Figure of ε against resolution with the fitted laws, resolution logarithmic."""
    traces: list[dict[str, Any]] = []
    for i, law in enumerate(fitted):
        colour = of.categories[i % len(of.categories)]
        traces += [
            {
                "type": "scatter",
                "name": law.name,
                "legendgroup": law.name,
                "x": law.x.tolist(),
                "y": law.value.tolist(),
                "mode": "markers",
                "marker": {"color": colour, "size": 10, "symbol": MARKERS[i % len(MARKERS)]},
                "hovertemplate": "%{y:.1%} at %{x:.3g}<extra>" + law.name + "</extra>",
            },
            {
                "type": "scatter",
                "name": law.name,
                "legendgroup": law.name,
                "showlegend": False,
                "x": law.curve_x.tolist(),
                "y": law.curve.tolist(),
                "mode": "lines",
                "line": {"color": colour, "width": 2, "dash": DASHES[i % len(DASHES)]},
                "hoverinfo": "skip",
            },
        ]
    return figure(
        traces,
        layout(
            of,
            axis(of, x_title, type="log", dtick=1),
            axis(of, "Share of users unique", range=[0, 1.05], tickformat=".0%", dtick=0.25),
            height=height,
            hovermode="closest",
        ),
    )


@dataclass(frozen=True)
class Line:
    """A straight line, ``intercept + slope·p``."""

    name: str
    slope: float
    intercept: float


def exponents(
    p: Sequence[int],
    beta: Sequence[float],
    error: Sequence[float],
    lines: Sequence[Line],
    of: Theme,
    *,
    height: int = OTHER_PX,
) -> go.Figure:
    """Figure of the law's exponent against p, with standard errors and lines."""
    ends = [min(p) - 0.5, max(p) + 0.5]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "name": "this data",
            "x": list(p),
            "y": list(beta),
            "error_y": {
                "type": "data",
                "array": [e if np.isfinite(e) else 0.0 for e in error],
                "color": of.categories[0],
            },
            "mode": "markers",
            "marker": {"color": of.categories[0], "size": 11},
            "hovertemplate": "β = %{y:.3g} at p = %{x}<extra></extra>",
        }
    ]
    traces += [
        {
            "type": "scatter",
            "name": line.name,
            "x": ends,
            "y": [line.intercept + line.slope * e for e in ends],
            "mode": "lines",
            "line": {"color": of.categories[i % 2], "width": 2, "dash": DASHES[i + 1]},
            "hoverinfo": "skip",
        }
        for i, line in enumerate(lines)
    ]
    return figure(
        traces,
        layout(
            of,
            axis(of, "Points an outsider knows (p)", dtick=2),
            axis(of, "Exponent β of the law"),
            height=height,
            hovermode="closest",
        ),
    )


def boxes(points: FloatArray, of: Theme, *, asked: int, height: int = OTHER_PX) -> go.Figure:
    """Box plot of the points needed to single a user out, of those ever unique of all asked."""
    title = "Points needed to single a user out"
    if len(points) < asked:
        title += f" – the {len(points):,} of {asked:,} who are ever unique"
    return figure(
        [
            {
                "type": "box",
                "name": "",
                "x": points.tolist(),
                "orientation": "h",
                "boxpoints": False,
                "marker": {"color": of.categories[0]},
                "line": {"width": 2},
                "hoverinfo": "x",
            }
        ],
        layout(
            of,
            axis(of, title, rangemode="tozero"),
            axis(of, "", showticklabels=False, showline=False, ticks=""),
            height=height,
            showlegend=False,
        ),
    )


def cluster_sizes(sizes: IntArray, of: Theme, *, noun: str, height: int = OTHER_PX) -> go.Figure:
    """Histogram of the antennas, or places, in each cluster."""
    number, count = np.unique(sizes, return_counts=True)
    return figure(
        [
            {
                "type": "bar",
                "x": number.tolist(),
                "y": count.tolist(),
                "marker": {"color": of.categories[0]},
                "hovertemplate": "%{y} clusters of %{x}<extra></extra>",
            }
        ],
        layout(
            of,
            axis(of, f"{noun} in a cluster"),
            axis(of, "Clusters", rangemode="tozero"),
            height=height,
            showlegend=False,
        ),
    )


def antennas_against_people(
    people: IntArray, antennas: IntArray, of: Theme, *, noun: str, height: int = OTHER_PX
) -> go.Figure:
    """Dots of areas by the people who live there and their antennas; zeros lie on the edge."""
    ends = [max(1, int(values.max(initial=0))) for values in (people, antennas)]
    x_axis, y_axis = (
        axis(of, title, range=[-0.04 * end, 1.06 * end], rangemode="nonnegative")
        for title, end in zip(
            ("People who live in the area", f"{noun} in the area"), ends, strict=True
        )
    )
    return figure(
        [
            {
                "type": "scatter",
                "x": people.tolist(),
                "y": antennas.tolist(),
                "mode": "markers",
                "marker": {"color": of.categories[0], "size": 10, "opacity": 0.6},
                "hovertemplate": "%{y} with %{x} people<extra></extra>",
            }
        ],
        layout(of, x_axis, y_axis, height=height, showlegend=False, hovermode="closest"),
    )


def transition(
    bins: FloatArray,
    unique: FloatArray,
    at: tuple[float, float],
    of: Theme,
    *,
    height: int = OTHER_PX,
) -> go.Figure:
    """Figure of P[unique] against the number of bins, and the point asked for."""
    colour = of.categories[0]
    return figure(
        [
            {
                "type": "scatter",
                "name": "P[unique]",
                "x": bins.tolist(),
                "y": unique.tolist(),
                "mode": "lines",
                "line": {"color": colour, "width": 2.5},
                "hovertemplate": "%{y:.3g} with %{x:.0f} bins<extra></extra>",
            },
            {
                "type": "scatter",
                "name": "asked for",
                "x": [at[0]],
                "y": [at[1]],
                "mode": "markers",
                "marker": {"color": of.categories[1], "size": 13, "symbol": "diamond"},
                "hovertemplate": "%{y:.3g} with %{x:.0f} bins<extra></extra>",
            },
        ],
        layout(
            of,
            axis(of, "Number of bins (d)", type="log", dtick=1),
            axis(of, "Probability to be unique", range=[-0.02, 1.02], dtick=0.25),
            height=height,
            hovermode="closest",
        ),
    )
