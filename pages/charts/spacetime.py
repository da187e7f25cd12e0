"""Figure of two fingerprints and their matches: kilometres east and north, time upwards.

The module also makes ticks with local dates and times along an axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from .style import FONT, MAIN_PX, Part, Theme, series, unchecked

Range = tuple[float, float]


@dataclass(frozen=True)
class Path3D:
    """The samples of one fingerprint, in time order.

    Attributes
    ----------
    name : str
        The pseudonym.
    east_km, north_km : ndarray (n,)
        Kilometres from a common centre.
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
) -> go.Figure:
    """Return a figure of a person's fingerprint, a neighbour's, and the links of matched samples.

    Parameters
    ----------
    links : tuple of ndarray (m, 2) or None
        East (km), north (km) and local minutes of both ends of each link.
    days : list of str
        Date of each local day from the first on, for the ticks of the time axis.
    """
    traces = []
    if links is not None:
        east, north, wall = (
            np.column_stack([end, np.full(len(end), np.nan)]).ravel() for end in links
        )
        joined = {"color": of.css("coast"), "width": 1.5}
        traces.append(
            series("matched samples", east, north, "lines", z=wall, type="scatter3d", line=joined)
        )
    drawn = [(person, "person", "circle")] + ([(other, "other", "diamond")] if other else [])
    traces += [
        series(
            path.name,
            path.east_km,
            path.north_km,
            "lines+markers",
            "%{text}<br>%{x:.1f} km east, %{y:.1f} km north",
            beside="%{fullData.name}",
            type="scatter3d",
            z=path.wall_min,
            line={"color": of.mixed(colour), "width": 2.5},
            marker={"color": of.css(colour), "size": 4.5, "symbol": symbol},
            text=[clock(m, days) for m in path.wall_min],
        )
        for path, colour, symbol in drawn
    ]
    everything = np.concatenate(
        [np.column_stack([p.east_km, p.north_km, p.wall_min]) for p, *_ in drawn]
    )
    return _scene(traces, everything, days, of)


def _scene(traces: list[Part], everything: FloatArray, days: list[str], of: Theme) -> go.Figure:
    """Return the figure with its axes and camera."""
    east, north = _even(everything[:, 0], everything[:, 1])
    widest = max(east[1] - east[0], north[1] - north[0])
    at, text = ticks_of(everything[:, 2], days)
    font = {"size": 14, "color": of.css("ink")}
    side = {
        "gridcolor": of.css("faint"),
        "backgroundcolor": "rgba(0,0,0,0)",
        "linecolor": of.css("quiet"),
        "tickfont": font | {"size": 13},
        "zeroline": False,
        "nticks": 6,
        "tickangle": 0,
    }
    scene = {
        "xaxis": side | {"title": {"text": "East (km)", "font": font}, "range": list(east)},
        "yaxis": side | {"title": {"text": "North (km)", "font": font}, "range": list(north)},
        "zaxis": side | {"title": {"text": ""}, "tickvals": at, "ticktext": text},
        "aspectmode": "manual",
        "aspectratio": {
            "x": 1.2 * (east[1] - east[0]) / widest,
            "y": 1.2 * (north[1] - north[0]) / widest,
            "z": 1.1,
        },
        "camera": {
            # Seen from a little to the right of the middle: dates are on the left, and need room.
            "eye": {"x": 1.62, "y": -1.82, "z": 0.86},
            "center": {"x": -0.1, "y": -0.1, "z": -0.12},
            "projection": {"type": "perspective"},
        },
    }
    plain = {
        "height": MAIN_PX,
        "margin": {"l": 0, "r": 0, "t": 36, "b": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "font": font | {"family": FONT},
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": font},
        "scene": scene,
    }
    return unchecked(traces, plain)


def _even(east: FloatArray, north: FloatArray) -> tuple[Range, Range]:
    """Return both axes' ranges on one scale; the shorter is at least half as long as the longer."""
    spans = [max(float(np.ptp(values)), 0.2) for values in (east, north)]
    least = max(spans) / 2
    middles = [(float(values.min()) + float(values.max())) / 2 for values in (east, north)]
    half = [1.08 * max(span, least) / 2 for span in spans]
    east_range, north_range = ((m - h, m + h) for m, h in zip(middles, half, strict=True))
    return east_range, north_range


def ticks_of(wall_min: FloatArray, days: list[str]) -> tuple[list[float], list[str]]:
    """Return positions and texts of about eight ticks or fewer, at round local times.

    The first tick and those at midnight show dates.
    """
    low, high = float(wall_min.min()), float(wall_min.max())
    steps = (15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7 * 1440, 14 * 1440, 30 * 1440)
    step = next((s for s in steps if (high - low) / s <= 8), 90 * 1440)
    at = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    text = [f"<b>{_day(m, days)}</b>" if m % 1440 == 0 else _hour(m) for m in at]
    if len(at) and at[0] % 1440:
        text[0] = f"<b>{_day(at[0], days)}</b> {text[0]}"
    return at.tolist(), text


def clock(wall_min: float, days: list[str], between: str = " ") -> str:
    """Return local minutes since the first midnight as a text such as "4 Mar 08:05".

    ``days`` holds the date of each local day; ``between`` stands between date and time.
    """
    return f"{_day(wall_min, days)}{between}{_hour(wall_min)}"


def _hour(wall_min: float) -> str:
    return f"{int(wall_min % 1440 // 60):02d}:{int(wall_min % 60):02d}"


def _day(wall_min: float, days: list[str]) -> str:
    day = int(wall_min // 1440)
    return days[day] if 0 <= day < len(days) else f"day {day + 1}"
