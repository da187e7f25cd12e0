"""What does each way of hiding everyone cost, in space and in time? A dot for each.

How many people are where? A column on each hexagon of H3, as high as they are many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.projection import central

from .maps import Map, beyond_told, layered
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


_TALLEST = 0.22  # of the map's longer side
_PITCH = 45.0
_M_PER_DEGREE = 111_195.0


def columns_map(
    lon: FloatArray,
    lat: FloatArray,
    offsets: IntArray,
    people: IntArray,
    colours: list[str],
    of: Theme,
    *,
    height: int = 430,
) -> Map:
    """Columns on hexagons; what is far from nearly all others may be beyond the edge.

    Parameters
    ----------
    lon, lat : float64 ndarray (n_corners,)
        Corners of all hexagons, degrees; at least one hexagon.
    offsets : int64 ndarray (n + 1,)
        Corners of hexagon i are ``offsets[i]:offsets[i + 1]``.
    people : int64 ndarray (n,)
    colours : list of str
        Of each, such as ``"#440154"``.
    """
    seen = central(lon, lat, np.repeat(people, np.diff(offsets)))
    tallest_m = _TALLEST * _M_PER_DEGREE * max(seen.east - seen.west, seen.north - seen.south)
    corner = np.round(np.column_stack([lon, lat]), 5).tolist()
    data = [
        {
            "g": corner[begin:end],
            "z": round(tallest_m * n / int(people.max()), 1),
            "c": [int(colour[at : at + 2], 16) for at in (1, 3, 5)],
            "tip": f"{n:,} people",
        }
        for begin, end, n, colour in zip(
            offsets[:-1].tolist(), offsets[1:].tolist(), people.tolist(), colours, strict=True
        )
    ]
    layer = pdk.Layer(
        "PolygonLayer",
        id="columns",
        data=data,
        get_polygon="g",
        get_elevation="z",
        get_fill_color="c",
        extruded=True,
        filled=True,
        pickable=True,
        material={"ambient": 0.6, "diffuse": 0.5, "shininess": 8},
    )
    told = beyond_told(seen, lon[offsets[:-1]], lat[offsets[:-1]], "hexagon")
    return layered(
        [layer], seen.ends, of, height=height, pitch=_PITCH, above_m=tallest_m, told=told
    )
