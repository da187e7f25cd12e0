"""What does each way of hiding everyone cost, in space and in time? A dot for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from .style import MARKERS, Theme, axis, figure, layout

_PLACES = ("top center", "middle right", "middle left")  # of the labels, so that they keep apart
_TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Way:
    """One way of hiding everyone, for several crowds.

    Attributes
    ----------
    name : str
    labels : sequence of str
        Of its dots, such as "k = 2".
    km, hours : sequence of float
        Mean side of the published area and mean time span, by dot.
    """

    name: str
    labels: Sequence[str]
    km: Sequence[float]
    hours: Sequence[float]


def cost(ways: Sequence[Way], of: Theme, *, height: int = 420) -> go.Figure:
    """Figure of mean side against mean time span, both logarithmic; better is nearer the corner."""
    traces = [
        {
            "type": "scatter",
            "name": way.name,
            "x": list(way.km),
            "y": list(way.hours),
            "mode": "lines+markers+text",
            "line": {"color": of.categories[i], "width": 1.5, "dash": "dot"},
            "marker": {
                "color": of.categories[i],
                "size": 13,
                "symbol": MARKERS[i % len(MARKERS)],
                "line": {"color": of.css("paper"), "width": 1.5},
            },
            "text": list(way.labels),
            "textposition": _PLACES[i % len(_PLACES)],
            "textfont": {"size": 14, "color": of.css("ink")},
            "hovertemplate": "%{text}: %{x:.3g} km, %{y:.3g} hours<extra>" + way.name + "</extra>",
        }
        for i, way in enumerate(ways)
    ]
    log = {"type": "log", "tickvals": _TICKS, "ticktext": [f"{t:g}" for t in _TICKS]}
    return figure(
        traces,
        layout(
            of,
            axis(of, "Mean side of the published area (km)", **log, **_around(ways, "km")),
            axis(of, "Mean time span (hours)", **log, **_around(ways, "hours")),
            height=height,
            hovermode="closest",
        ),
    )


def kept(named: Sequence[tuple[str, float]], of: Theme, *, height: int = 420) -> go.Figure:
    """Figure of a bar for each component of utility: its title, and the share kept, 0 to 1."""
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [value for _, value in named],
        "y": [title for title, _ in named],
        "text": [f"{value:.2f}" for _, value in named],
        "textposition": "outside",
        "textfont": {"size": 15, "color": of.css("ink")},
        "cliponaxis": False,
        "marker": {"color": of.categories[0]},
        "hovertemplate": "%{y}: %{x:.2f}<extra></extra>",
    }
    up = axis(of, "", type="category", autorange="reversed", showgrid=False, automargin=True)
    across = axis(of, "Kept, of 1", range=[0, 1.08], dtick=0.25)
    return figure([bars], layout(of, across, up, height=height, showlegend=False))


def _around(ways: Sequence[Way], which: str) -> dict[str, Any]:
    """A range with room for the labels."""
    values = [v for way in ways for v in getattr(way, which) if math.isfinite(v) and v > 0]
    if not values:
        return {}
    low, high = math.log10(min(values)), math.log10(max(values))
    room = 0.25 + 0.08 * (high - low)
    return {"range": [low - room, high + room]}
