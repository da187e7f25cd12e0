"""Two fingerprints in space and time: kilometres east and north, time upwards, matches drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from . import timeline
from .style import FONT, MAIN_PX, Theme, figure

Range = tuple[float, float]


@dataclass(frozen=True)
class Path3D:
    """The samples of one fingerprint, in time order.

    Attributes
    ----------
    name : str
        The pseudonym.
    east_km, north_km : ndarray (n,)
        From a common centre.
    wall_min : ndarray (n,)
        Local minutes since the data set's first midnight.
    """

    name: str
    east_km: FloatArray
    north_km: FloatArray
    wall_min: FloatArray


def space_time(
    person: Path3D,
    other: Path3D | None,
    links: tuple[FloatArray, FloatArray, FloatArray] | None,
    days: list[str],
    of: Theme,
    *,
    height: int = MAIN_PX,
) -> go.Figure:
    """Figure of a fingerprint, its neighbour's, and the links between matched samples.

    Parameters
    ----------
    links : tuple of ndarray (m, 2)
        East (km), north (km) and local minutes of both ends of each link.
    days : list of str
        Date of each local day from the first on, for the ticks of the time axis.
    """
    traces: list[dict[str, Any]] = []
    if links is not None:
        broken = [np.column_stack([end, np.full(len(end), np.nan)]).ravel() for end in links]
        traces.append(
            {
                "type": "scatter3d",
                "x": broken[0],
                "y": broken[1],
                "z": broken[2],
                "mode": "lines",
                "line": {"color": of.css("coast"), "width": 1.5},
                "name": "matched samples",
                "hoverinfo": "skip",
            }
        )
    drawn = [(person, "person", "circle")] + ([(other, "other", "diamond")] if other else [])
    traces += [
        _path(path, days, of.css(colour), of.mixed(colour), symbol)
        for path, colour, symbol in drawn
    ]
    paths = [path for path, *_ in drawn]
    return _scene(
        traces,
        np.concatenate([p.east_km for p in paths]),
        np.concatenate([p.north_km for p in paths]),
        np.concatenate([p.wall_min for p in paths]),
        days,
        of,
        height,
    )


def _scene(
    traces: list[dict[str, Any]],
    all_east: FloatArray,
    all_north: FloatArray,
    all_wall: FloatArray,
    days: list[str],
    of: Theme,
    height: int,
) -> go.Figure:
    """The axes and the camera."""
    east, north = _even(all_east, all_north)
    widest = max(east[1] - east[0], north[1] - north[0])
    axis = {
        "gridcolor": of.css("faint"),
        "backgroundcolor": "rgba(0,0,0,0)",
        "linecolor": of.css("quiet"),
        "tickfont": {"size": 13, "color": of.css("ink")},
        "zeroline": False,
        "nticks": 6,
        "tickangle": 0,
    }
    at, text = timeline.ticks(all_wall, days)
    font = {"size": 14, "color": of.css("ink")}
    scene = {
        "xaxis": axis | {"title": {"text": "East (km)", "font": font}, "range": list(east)},
        "yaxis": axis | {"title": {"text": "North (km)", "font": font}, "range": list(north)},
        "zaxis": axis | {"title": {"text": ""}, "tickvals": at, "ticktext": text},
        "aspectmode": "manual",
        "aspectratio": {
            "x": 1.2 * (east[1] - east[0]) / widest,
            "y": 1.2 * (north[1] - north[0]) / widest,
            "z": 1.1,
        },
        "camera": {
            # A little from the right of the middle: dates stand on the left, and need room.
            "eye": {"x": 1.62, "y": -1.82, "z": 0.86},
            "center": {"x": -0.1, "y": -0.1, "z": -0.12},
            "projection": {"type": "perspective"},
        },
    }
    return figure(
        traces,
        {
            "height": height,
            "margin": {"l": 0, "r": 0, "t": 36, "b": 0},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": FONT, "size": 14, "color": of.css("ink")},
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 1.0,
                "yanchor": "bottom",
                "font": {"size": 14},
            },
            "scene": scene,
        },
    )


def _path(path: Path3D, days: list[str], colour: str, line: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter3d",
        "x": path.east_km,
        "y": path.north_km,
        "z": path.wall_min,
        "mode": "lines+markers",
        "line": {"color": line, "width": 2.5},
        "marker": {"color": colour, "size": 4.5, "symbol": symbol},
        "name": path.name,
        "text": [timeline.clock(m, days) for m in path.wall_min],
        "hovertemplate": "%{text}<br>%{x:.1f} km east, %{y:.1f} km north<extra>%{fullData.name}"
        "</extra>",
    }


def _even(east: FloatArray, north: FloatArray) -> tuple[Range, Range]:
    """Ranges of the two axes; drawn at one scale, neither is less than half the other."""
    spans = [max(float(np.ptp(values)), 0.2) for values in (east, north)]
    least = max(spans) / 2
    east_range, north_range = (
        _around((float(values.min()) + float(values.max())) / 2, 1.08 * max(span, least))
        for values, span in zip((east, north), spans, strict=True)
    )
    return east_range, north_range


def _around(middle: float, span: float) -> Range:
    return middle - span / 2, middle + span / 2
