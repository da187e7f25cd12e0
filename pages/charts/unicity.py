"""Figures of unicity: against known points, over resolutions, and with the fitted law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.colors import hex_to_rgb

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.unicity import UnicityResult

from . import style
from .style import Theme
from .words import brief, percent

_FADED = 0.5  # each part of a bar has so much of the colour of the part below
_LABELLED = 0.08  # a smaller part of a bar has no room for its label


Shares = Sequence[UnicityResult]
"""Shares of people, with 95% intervals, a result for each number of known points."""


def against_points(several: Mapping[str, Shares], of: Theme) -> go.Figure:
    """Return a figure of shares of people by number of known points, with intervals."""
    traces = []
    for i, (name, some) in enumerate((name, some) for name, some in several.items() if some):
        colour = of.categories[i % len(of.categories)]
        traces.append(
            style.series(
                name,
                [r.config.p for r in some],
                [r.value for r in some],
                "lines+markers",
                "%{y:.1%} with %{x} points",
                error_y=_intervals(some, colour),
                line=style.line(i, colour),
                marker=style.marker(i, 9),
            )
        )
    most = max((r.config.p for some in several.values() for r in some), default=1)
    return style.figure(
        of,
        traces,
        {"title": "Points an attacker knows (p)", "dtick": 1, "range": [0.7, most + 0.3]},
        {"title": "Share of people"} | style.percents(1.02),
    )


def _intervals(some: Shares, colour: str) -> style.Part:
    value, low, high = ([getattr(r, end) for r in some] for end in ("value", "low", "high"))
    return style.interval(value, low, high, colour)


def crowds(fitting: Mapping[str, Shares], of: Theme) -> go.Figure:
    """Return stacked bars: how many people fit the known points, by number of known points.

    Parameters
    ----------
    fitting : mapping of str to Shares
        Shares of people whose points fit at most a certain number of people, the smallest number
        first; the first series is drawn with its intervals.
    """
    traces, (unique, *_) = list[style.Part](), fitting.values()
    below: FloatArray = np.zeros(len(unique))
    for i, (name, some) in enumerate(fitting.items()):
        share: FloatArray = np.array([r.value for r in some])
        faded, rim = _FADED**i, {"color": of.css("paper"), "width": 1}
        mixed = zip(hex_to_rgb(of.measure("unicity")), of.paper, strict=True)
        colour = "rgb({},{},{})".format(*(round(a * faded + b * (1 - faded)) for a, b in mixed))
        told, points = "%{y:.1%}, points known: %{x}", [r.config.p for r in some]
        look = {"color": colour, "line": rim}
        traces.append(style.bars(name, points, share - below, look, told))
        below = share
    traces[0] |= {
        "error_y": _intervals(unique, of.css("ink")),
        "text": [brief(percent(r.value)) if r.value >= _LABELLED else "" for r in unique],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"size": 14, "color": of.css("paper")},
    }
    return style.figure(
        of,
        traces,
        {"title": "Points an attacker knows (p)", "dtick": 1, "showgrid": False},
        {"title": "Share of people"} | style.percents(1.02),
        height=style.MAIN_PX,
        barmode="stack",
        legend={"traceorder": "normal"},
        bargap=0.15,
    )


def over_resolutions(
    columns: Sequence[str], rows: Sequence[str], share: FloatArray, of: Theme
) -> go.Figure:
    """Return a heat map of unicity; time windows run upwards, and sides of the grid across.

    Parameters
    ----------
    columns, rows : sequence of str
        Labels of the sides and of the windows.
    share : float64 ndarray (n_rows, n_columns)
    """
    trace = style.heatmap(
        of,
        columns,
        rows,
        share,
        (0, 1),
        "%{x} · %{y}: %{z:.1%}",
        bar={"title": {"text": "Unique (%)"}, "tickformat": ".0%"},
        text=[["" if np.isnan(v) else f"{100 * v:.0f}" for v in row] for row in share],
        texttemplate="%{text}",
        textfont={"size": 12},
    )
    across = {"title": "Side of the grid", "tickangle": -45} | style.CATEGORIES
    up = {"title": "Time window", "type": "category", "showgrid": False}
    return style.figure(of, [trace], across, up)


@dataclass(frozen=True)
class Fitted:
    """Measured points and the curve of the fitted law; the curve has no points if no law holds."""

    name: str
    x: FloatArray
    value: FloatArray
    curve_x: FloatArray
    curve: FloatArray


def laws(fitted: Sequence[Fitted], of: Theme, *, x_title: str) -> go.Figure:
    """Return a figure of unicity against resolution (logarithmic axis), with the fitted laws."""
    traces = []
    for i, law in enumerate(fitted):
        colour = of.categories[i % len(of.categories)]
        told, dots = "%{y:.1%} at %{x:.3g}", style.marker(i, color=colour)
        traces += [
            style.series(
                law.name, law.x, law.value, "markers", told, legendgroup=law.name, marker=dots
            ),
            style.series(
                law.name,
                law.curve_x,
                law.curve,
                "lines",
                legendgroup=law.name,
                showlegend=False,
                line=style.line(i, colour, 2),
            ),
        ]
    return style.figure(
        of,
        traces,
        {"title": x_title, "type": "log", "dtick": 1},
        {"title": "Share of people unique"} | style.percents(1.05),
    )


def boxes(points: FloatArray, of: Theme, *, asked: int) -> go.Figure:
    """Return a box plot of how many points single out each user who is ever unique.

    ``asked`` is the number of users tested, including those never unique.
    """
    title = "Points needed to single a person out"
    if len(points) < asked:
        title += f" – the {len(points):,} of {asked:,} who are ever unique"
    box = {
        "type": "box",
        "name": "",
        "x": points.tolist(),
        "orientation": "h",
        "boxpoints": False,
        "marker": {"color": of.categories[0]},
        "line": {"width": 2},
        "hoverinfo": "x",
    }
    across = {"title": title, "rangemode": "tozero"}
    bare = {"showticklabels": False, "showline": False, "ticks": ""}
    return style.figure(of, [box], across, bare, showlegend=False)


def cluster_sizes(sizes: IntArray, of: Theme, *, noun: str) -> go.Figure:
    """Return a bar chart of clusters by their number of antennas, or places."""
    number, count = np.unique(sizes, return_counts=True)
    drawn = style.bars("", number, count, {"color": of.categories[0]}, "%{y} clusters of %{x}")
    up = {"title": "Clusters", "rangemode": "tozero"}
    return style.figure(of, [drawn], f"{noun} in a cluster", up, showlegend=False)


# --- of a hundred people ---

_TURN = np.linspace(0, 2 * np.pi, 25)
_HEAD = 0.5 + 0.17 * np.cos(_TURN), 0.74 + 0.17 * np.sin(_TURN)
_BODY = 0.5 + 0.32 * np.cos(_TURN[:13]), 0.1 + 0.4 * np.sin(_TURN[:13])


def of_a_hundred(found: int, of: Theme, *, height: int = style.MAIN_PX) -> go.Figure:
    """Return a figure of a hundred people in ten rows; the first ``found`` of them are filled."""
    traces = []
    for name, some, fill, edge in (
        ("singled out", range(found), of.css("other"), of.css("other")),
        ("not singled out", range(found, 100), of.css("paper"), of.css("quiet")),
    ):
        x: list[float | None] = []
        y: list[float | None] = []
        for at in some:
            for part in (_HEAD, _BODY):
                x += [*(part[0] + at % 10), part[0][0] + at % 10, None]
                y += [*(part[1] + 9 - at // 10), part[1][0] + 9 - at // 10, None]
        outline = {"color": edge, "width": 1}
        traces.append(
            style.series(name, x, y, "lines", fill="toself", fillcolor=fill, line=outline)
        )
    bare = {"visible": False, "fixedrange": True}
    return style.figure(
        of,
        traces,
        bare | {"range": [0, 10], "constrain": "domain"},
        bare | {"range": [0, 10], "scaleanchor": "x", "constrain": "domain"},
        height=height,
        showlegend=False,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
    )
