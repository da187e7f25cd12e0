"""One person's record played on two maps: as it was recorded, and as it is published.

Both maps show the same part of the world, at one and the same moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk

from fpanon_core.model.arrays import FloatArray

from .maps import Map, layered
from .style import Colour, Theme, axis, figure, layout

_NOW, _AGO = 110, 14  # of 255: the areas published for the moment, and those before it


@dataclass(frozen=True, eq=False)
class Played:
    """What is known of one person; degrees, and local minutes.

    Attributes
    ----------
    lon, lat, minute : float64 ndarray (n,)
        Where and when the person was recorded, in order of time.
    areas : float64 ndarray (m, 4)
        West, south, east, north of what is published for the person, in order of time.
    start, end : float64 ndarray (m,)
        Between which times each of them is said to hold.
    around : tuple of ndarray
        Longitudes and latitudes that both maps show.
    """

    lon: FloatArray
    lat: FloatArray
    minute: FloatArray
    areas: FloatArray
    start: FloatArray
    end: FloatArray
    around: tuple[FloatArray, FloatArray]

    @property
    def ends(self) -> tuple[float, float]:
        """First and last moment."""
        first = min(float(self.minute[0]), float(self.start.min(initial=np.inf)))
        return first, max(float(self.minute[-1]), float(self.end.max(initial=-np.inf)))


def recorded_map(
    seen: Played, now: float, trail_min: float, of: Theme, *, height: int = 430
) -> Map:
    """The records so far, and a trail through the latest of them."""
    past = seen.minute <= now
    spots = np.unique(np.round(np.column_stack([seen.lon, seen.lat])[past], 5), axis=0)
    layers = [
        _dots("recorded", spots, of.person, 4, 110),
        _trip("trail", seen.lon, seen.lat, seen.minute, now, trail_min, of.person, 5),
    ]
    if past.any():
        last = int(np.flatnonzero(past)[-1])
        layers.append(_dots("here", np.array([[seen.lon[last], seen.lat[last]]]), of.person, 11))
    return layered(layers, seen.around, of, height=height)


def published_map(
    seen: Played, now: float, trail_min: float, of: Theme, *, height: int = 430
) -> Map:
    """The areas published for the moment filled, and those before it in outline."""
    shown = np.flatnonzero(seen.start <= now)
    size = np.prod(seen.areas[:, 2:] - seen.areas[:, :2], axis=1)
    data = []
    drawn: dict[tuple[float, ...], bool] = {}
    for i in shown[np.argsort(-size[shown], kind="stable")].tolist():
        corners = tuple(round(float(d), 5) for d in seen.areas[i])
        drawn[corners] = drawn.get(corners, False) or bool(seen.end[i] >= now)
    for (west, south, east, north), current in drawn.items():
        data.append(
            {
                "g": [[west, south], [east, south], [east, north], [west, north]],
                "o": _NOW if current else _AGO,
                "w": 3 if current else 1,
                "tip": "published for now" if current else "published for earlier",
            }
        )
    areas = pdk.Layer(
        "PolygonLayer",
        id="published",
        data=data,
        get_polygon="g",
        get_fill_color=f"[{of.other[0]}, {of.other[1]}, {of.other[2]}, o]",
        get_line_color=[*of.other, 220],
        line_width_units=pdk.types.String("pixels"),
        get_line_width="w",
        filled=True,
        stroked=True,
        pickable=True,
    )
    middle = (seen.areas[:, :2] + seen.areas[:, 2:]) / 2
    trail = _trip(
        "middles",
        middle[:, 0],
        middle[:, 1],
        (seen.start + seen.end) / 2,
        now,
        trail_min,
        of.quiet,
        3,
    )
    return layered([areas, trail], seen.around, of, height=height)


def played_legend(of: Theme, *, height: int = 36) -> go.Figure:
    """What the marks of both maps are, on one line."""
    person, published = of.css("person"), of.css("other")
    marks: dict[str, dict[str, Any]] = {
        "recorded here last": {"symbol": "circle", "color": person, "size": 16},
        "recorded before": {"symbol": "circle", "color": of.css("person", 0.45), "size": 9},
        "published for now": _box(of.css("other", 0.45), published, 3),
        "published for earlier": _box(of.css("other", 0.06), published, 1),
        "through the areas’ middles": {
            "symbol": "line-ew",
            "size": 18,
            "line": {"color": of.css("quiet"), "width": 3},
        },
    }
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [None],
            "y": [None],
            "marker": mark,
            "hoverinfo": "skip",
        }
        for name, mark in marks.items()
    ]
    plain = layout(
        of,
        axis(of, "", visible=False),
        axis(of, "", visible=False),
        height=height,
        margin={"l": 0, "r": 0, "t": height - 2, "b": 0},
    )
    plain["legend"] |= {
        "y": 0.0,
        "itemwidth": 30,
        "maxheight": 2 * height,
        "itemclick": False,
        "itemdoubleclick": False,
    }
    return figure(traces, plain)


def _box(fill: str, line: str, width: float) -> dict[str, Any]:
    return {"symbol": "square", "color": fill, "size": 16, "line": {"color": line, "width": width}}


def _dots(
    name: str, places: FloatArray, colour: Colour, radius: float, opacity: int = 255
) -> pdk.Layer:
    return pdk.Layer(
        "ScatterplotLayer",
        id=name,
        data=[{"p": place} for place in np.round(places, 5).tolist()],
        get_position="p",
        get_radius=radius,
        radius_units=pdk.types.String("pixels"),
        get_fill_color=[*colour, opacity],
    )


def _trip(
    name: str,
    lon: FloatArray,
    lat: FloatArray,
    minute: FloatArray,
    now: float,
    trail_min: float,
    colour: Colour,
    width: float,
) -> pdk.Layer:
    """A line that fades; times count from the first, as the browser's numbers are short."""
    order = np.argsort(minute, kind="stable")
    begin = float(minute.min(initial=np.inf)) if len(minute) else 0.0
    trip = {
        "p": np.round(np.column_stack([lon, lat])[order], 5).tolist(),
        "t": np.round(minute[order] - begin, 1).tolist(),
    }
    return pdk.Layer(
        "TripsLayer",
        id=name,
        data=[trip] if len(minute) > 1 else [],
        get_path="p",
        get_timestamps="t",
        get_color=list(colour),
        current_time=round(now - begin, 1),
        trail_length=trail_min,
        fade_trail=True,
        width_units=pdk.types.String("pixels"),
        get_width=width,
        cap_rounded=True,
        joint_rounded=True,
    )
