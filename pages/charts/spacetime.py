"""Two fingerprints in space and time: kilometres east and north, time upwards, matches drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from .style import FONT, Theme

FloatArray = npt.NDArray[np.float64]


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
    height: int = 520,
) -> go.Figure:
    """Figure of a fingerprint, its neighbour's, and the links between matched samples.

    Parameters
    ----------
    links : tuple of ndarray (m, 2)
        East (km), north (km) and local minutes of both ends of each link.
    days : list of str
        Date of each local day from the first on, for the ticks of the time axis.
    """
    figure = go.Figure()
    if links is not None:
        broken = [np.column_stack([end, np.full(len(end), np.nan)]).ravel() for end in links]
        figure.add_scatter3d(
            x=broken[0],
            y=broken[1],
            z=broken[2],
            mode="lines",
            line={"color": of.css("coast"), "width": 1.5},
            name="matched samples",
            hoverinfo="skip",
        )
    drawn = [(person, "person", "circle")] + ([(other, "other", "diamond")] if other else [])
    for path, colour, symbol in drawn:
        figure.add_scatter3d(
            x=path.east_km,
            y=path.north_km,
            z=path.wall_min,
            mode="lines+markers",
            line={"color": of.mixed(colour), "width": 2.5},
            marker={"color": of.css(colour), "size": 4.5, "symbol": symbol},
            name=path.name,
            text=[_clock(m, days) for m in path.wall_min],
            hovertemplate="%{text}<br>%{x:.1f} km east, %{y:.1f} km north<extra>%{fullData.name}"
            "</extra>",
        )
    axis = {
        "gridcolor": of.css("faint"),
        "backgroundcolor": "rgba(0,0,0,0)",
        "linecolor": of.css("quiet"),
        "tickfont": {"size": 12, "color": of.css("ink")},
        "title_font": {"size": 14, "color": of.css("ink")},
        "zeroline": False,
    }
    at, text = _ticks(np.concatenate([p.wall_min for p, *_ in drawn]), days)
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 36, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 14, "color": of.css("ink")},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 14}},
        scene={
            "xaxis": axis | {"title": {"text": "East (km)"}},
            "yaxis": axis | {"title": {"text": "North (km)"}},
            "zaxis": axis | {"title": {"text": ""}, "tickvals": at, "ticktext": text},
            "aspectmode": "manual",
            "aspectratio": {"x": 1, "y": 1, "z": 1.1},
            "camera": {
                "eye": {"x": 1.65, "y": -1.65, "z": 0.8},
                "center": {"x": 0, "y": 0, "z": -0.12},
                "projection": {"type": "perspective"},
            },
        },
    )
    return figure


def _ticks(wall_min: FloatArray, days: list[str]) -> tuple[list[float], list[str]]:
    """At most about eight ticks at round local times; a date where a day begins."""
    low, high = float(wall_min.min()), float(wall_min.max())
    steps = (15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7 * 1440, 14 * 1440, 30 * 1440)
    step = next((s for s in steps if (high - low) / s <= 8), 90 * 1440)
    at = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return at.tolist(), [_day(m, days) if m % 1440 == 0 else _hour(m) for m in at]


def _clock(wall_min: float, days: list[str]) -> str:
    return f"{_day(wall_min, days)} {_hour(wall_min)}"


def _hour(wall_min: float) -> str:
    return f"{int(wall_min % 1440 // 60):02d}:{int(wall_min % 60):02d}"


def _day(wall_min: float, days: list[str]) -> str:
    day = int(wall_min // 1440)
    return days[day] if 0 <= day < len(days) else f"day {day + 1}"
