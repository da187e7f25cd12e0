"""Maps of count tables: where people are and where they go, before and after protection.

Both maps of a pair share their view and their scale. The larger the part of a count that may be
noise, the more transparent the count: a count as small as its error is hardly visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk
import shapely

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.count_tables import CountTables, FlowTable
from fpanon_core.model.projection import Extent, central
from fpanon_core.model.release_page import two_digits

from .ground import PIXELS, areas, rgb
from .maps import Map, Shades, describe_beyond, extent_of, over, scale_bar, shades
from .style import OTHER_PX, Theme, figure, line, note, series, upright

MOST_FLOWS = 200
"""Largest number of flows that a map shows; it shows the largest flows."""

BEFORE, AFTER = "before (not for release)", "as published"
_FAINTEST, _FULL = 90, 220  # of 255
_WIDEST_PX = 9.0
_M_PER_DEGREE = 111_195.0
_LEAST_DEGREES = 0.5  # some 50 km: an area by itself is shown whole up to twice that


class Ground(NamedTuple):
    """The areas of a table in the form that maps need.

    Attributes
    ----------
    names : list of str
    parts : list of (int, list)
        Number of an area, and the rings of one of its polygons: the outer, then holes. A ring is a
        list of points (longitude, latitude), degrees.
    lon, lat : float64 ndarray (n_areas,)
        A point inside each area, degrees.
    km2 : float64 ndarray (n_areas,)
        Size of each area, square kilometres.
    """

    names: list[str]
    parts: list[tuple[int, list[Any]]]
    lon: FloatArray
    lat: FloatArray
    km2: FloatArray


def ground_of(geojson: dict[str, Any]) -> Ground | None:
    """Return the areas of a GeoJSON object; None if it holds no areas."""
    features = geojson["features"]
    if not features:
        return None
    shapes = np.array([shapely.geometry.shape(each["geometry"]) for each in features], object)
    parts, of_area = shapely.get_parts(shapes, return_index=True)
    outlines = [
        [np.round(ring.coords, 5).tolist() for ring in (part.exterior, *part.interiors)]
        for part in parts
    ]
    inside = shapely.point_on_surface(shapes)
    lat = shapely.get_y(inside)
    km2 = shapely.area(shapes) * np.cos(np.radians(lat)) * (_M_PER_DEGREE / 1000) ** 2
    return Ground(
        [each["properties"]["area"] for each in features],
        list(zip(of_area.tolist(), outlines, strict=True)),
        shapely.get_x(inside),
        lat,
        km2,
    )


def density_shades(people: Sequence[FloatArray], ground: Ground, of: Theme) -> list[Shades]:
    """Return colours for the people per square kilometre, on one scale for several tables.

    Parameters
    ----------
    people : sequence of float64 ndarray (n_areas, ...)
        People in each area, an array for each table; NaN counts as 0.
    """
    shape = (-1, *[1] * (people[0].ndim - 1))
    dense = [np.nan_to_num(each) / ground.km2.reshape(shape) for each in people]
    every = np.concatenate([each.ravel() for each in dense])
    positive = every[every > 0]
    least = float(np.quantile(positive, 0.05)) if len(positive) else 0.0
    scale = shades(np.maximum(every, least), of)
    ends = np.cumsum([each.size for each in dense])[:-1]
    return [
        Shades(scale.low, scale.high, part.tolist())
        for part in np.split(np.array(scale.colours, object), ends)
    ]


def density_scale(by: Shades, published: FloatArray, error: FloatArray, of: Theme) -> go.Figure:
    """Return the legend of both maps of a pair.

    Parameters
    ----------
    published, error : float64 ndarray
        Published counts (NaN where blank), and the errors expected from the noise.
    """
    noise = "; faded areas may be noise" * bool(np.nansum(error) > 0)
    blank = "; no colour: left out" * bool(np.isnan(published).any())
    return scale_bar(by, f"People per km²{noise}{blank}", of)


def presence_map(
    ground: Ground,
    people: FloatArray,
    colours: Sequence[str],
    error: FloatArray,
    of: Theme,
    *,
    around: Extent,
    height: int = OTHER_PX,
) -> Map:
    """Return a map of the people in each area at one time; an area with a blank count has no fill.

    Parameters
    ----------
    people : float64 ndarray (n_areas,)
        NaN where the count is blank.
    colours : sequence of str
        Colour of each area, such as ``"#440154"``.
    error : float64 ndarray (n_areas,)
        Error that the noise is expected to cause in each count, people.
    around : Extent
        Extent that the map shows; it is the same for two maps that are compared.
    """
    sure = certainty(people, error)
    data = [
        {
            "g": rings,
            "c": [*rgb(colours[at]), round(_FAINTEST + (_FULL - _FAINTEST) * float(sure[at]))]
            if people[at] == people[at]
            else [0, 0, 0, 0],
            "tip": f"{ground.names[at]}: {_told(people[at], float(error[at]))}",
        }
        for at, rings in ground.parts
    ]
    return _over(ground, areas("areas", data, "c", [*of.quiet, 150], 0.8), around, of, height)


def _over(ground: Ground, layer: pdk.Layer, around: Extent, of: Theme, height: int) -> Map:
    told = describe_beyond(around, ground.lon, ground.lat, "area")
    return over(around, [layer], of, height, whole=(ground.lon, ground.lat), told=told)


def certainty(values: FloatArray, error: float | FloatArray) -> FloatArray:
    """Return the share of each count that is not noise, in [0, 1]: one minus error over count.

    Examples
    --------
    >>> certainty(np.array([100.0, 10.0, 2.0]), 5.0).tolist()
    [0.95, 0.5, 0.0]
    """
    least = np.maximum(np.nan_to_num(values), 1e-9)
    found: FloatArray = np.clip(1.0 - np.asarray(error, float) / least, 0.0, 1.0)
    return found


def _told(people: float, error: float) -> str:
    if people != people:
        return "left blank"
    off = f", off by about {two_digits(error)}" if error else ""
    return f"about {people:,.3g} people{off}" if error else f"{people:,.3g} people"


class Flows(NamedTuple):
    """The largest flows of a type of day.

    Attributes
    ----------
    origin, goal : int64 ndarray (n,)
        Numbers of the areas in which the trips of each flow begin and end.
    trips : float64 ndarray (n,)
        Trips a day of each flow.
    error : float
        Error that the noise is expected to cause in a flow, trips a day.
    share : float
        Share of all trips on that type of day that these flows hold, in [0, 1].
    """

    origin: IntArray
    goal: IntArray
    trips: FloatArray
    error: float
    share: float


def largest(table: FlowTable, day: int) -> Flows:
    """Return the largest flows of a type of day, at most :data:`MOST_FLOWS`."""
    of_day = np.flatnonzero(table.cells[2] == day)
    some = of_day[np.argsort(-table.trips[of_day], kind="stable")[:MOST_FLOWS]]
    total, trips = float(table.trips[of_day].sum()), table.trips[some]
    share = float(trips.sum()) / total if total else 0.0
    return Flows(table.cells[0, some], table.cells[1, some], trips, float(table.error[day]), share)


def flow_map(ground: Ground, flows: Flows, most: float, of: Theme, *, around: Extent) -> Map:
    """Return a map of flows: arcs from origin (blue) to destination (orange), the largest on top.

    Parameters
    ----------
    most : float
        Number of trips a day that gets the widest arc, the same for two maps that are compared.
    """
    sure = _FAINTEST + (_FULL - _FAINTEST) * certainty(flows.trips, flows.error)
    wide = 0.8 + _WIDEST_PX * np.sqrt(flows.trips / max(most, 1e-9))
    drawn = list(zip(flows.origin, flows.goal, flows.trips, wide, sure, strict=True))[::-1]
    data = [
        {
            "s": [round(float(ground.lon[a]), 5), round(float(ground.lat[a]), 5)],
            "g": [round(float(ground.lon[b]), 5), round(float(ground.lat[b]), 5)],
            "w": round(float(w), 1),
            "o": round(float(o)),
            "tip": f"{ground.names[a]} to {ground.names[b]}: about {n:,.3g} trips a day",
        }
        for a, b, n, w, o in drawn
    ]
    start, end = list(of.person), list(of.other)
    layer = pdk.Layer(
        "ArcLayer",
        id="flows",
        data=data,
        get_source_position="s",
        get_target_position="g",
        get_source_color=f"[{start[0]}, {start[1]}, {start[2]}, o]",
        get_target_color=f"[{end[0]}, {end[1]}, {end[2]}, o]",
        get_width="w",
        width_units=PIXELS,
        get_height=0.35,
        get_tilt=60,
        pickable=True,
    )
    return _over(ground, layer, around, of, OTHER_PX)


def extent(ground: Ground, tables: CountTables) -> Extent:
    """Return the extent that maps of these areas show at first, where nearly all people are.

    Areas whose inner point lies in this extent are shown whole, unless the longer side would then
    be more than twice as long, and longer than 1°.
    """
    weight = np.ones(len(ground.names))
    if tables.presence is not None:
        weight += np.rint(np.nan_to_num(tables.presence.values).sum(axis=(1, 2)))
    seen = central(ground.lon, ground.lat, weight)
    shown = ~seen.outside(ground.lon, ground.lat)
    whole = extent_of(*np.concatenate([rings[0] for at, rings in ground.parts if shown[at]]).T)
    return whole if _longer(whole) <= 2 * max(_longer(seen), _LEAST_DEGREES) else seen


def _longer(side: Extent) -> float:
    return max(side.east - side.west, side.north - side.south)


def week(
    before: FloatArray, after: FloatArray, error: FloatArray, kinds: Sequence[str], of: Theme
) -> go.Figure:
    """Return a figure of one area's people by hour and type of day, with the error from the noise.

    Parameters
    ----------
    before, after, error : float64 ndarray (types of day, bands)
        NaN where a count is blank.
    kinds : sequence of str
        Names of the types of day.
    """
    bands, end = before.shape[1], 24 * len(kinds)
    hours = np.arange(len(kinds) * bands + 1) * (24 / bands)
    colour, grey = of.css("other"), of.css("quiet")
    steps = {"line": line(0, colour, 3) | {"shape": "hv"}}
    pale = {"line": line(1, grey, 2) | {"shape": "hv"}}
    told = "%{y:,.3g} people"

    def drawn(values: FloatArray) -> list[float | None]:
        flat = [float(v) if v == v else None for v in values.ravel()]
        return [*flat, flat[-1]]

    traces = []
    if error.any():
        ends = (np.maximum(after - error, 0.0), after + error)
        none: dict[str, Any] = {"line": {"width": 0, "shape": "hv"}, "showlegend": False}
        fill = {"fill": "tonexty", "fillcolor": of.css("other", 0.18)}
        traces.append(series("", hours, drawn(ends[0]), "lines", **none))
        shown = none | fill | {"showlegend": True}
        traces.append(series("expected noise, up or down", hours, drawn(ends[1]), "lines", **shown))
    traces.append(series(BEFORE, hours, drawn(before), "lines", told, **pale))
    traces.append(series(AFTER, hours, drawn(after), "lines", told, **steps))
    ticks = list(range(0, end + 1, 6))
    return figure(
        of,
        traces,
        {
            "title": "Local time",
            "tickvals": ticks,
            "ticktext": [f"{hour % 24}:00" for hour in ticks[:-1]] + ["24:00"],
            "range": [0, end],
        },
        {"title": "People, mean of a day", "rangemode": "tozero"},
        height=OTHER_PX,
        shapes=[upright(24 * at, grey) for at in range(1, len(kinds))],
        annotations=[
            note(of, kind, 24 * at + 12, 1.0, yref="paper", yanchor="bottom")
            for at, kind in enumerate(kinds)
        ],
        legend={"y": 1.1},
        margin={"t": 64},
    )


def hours_of_week(before: FloatArray, after: FloatArray, of: Theme) -> go.Figure:
    """Return a figure of the share of records by hour of the week, before and after protection.

    The hours are in local time, from Monday.
    """
    hours, days = np.arange(len(before)), ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    quiet, other = (line(at, of.css(colour), 2) for at, colour in ((1, "quiet"), (0, "other")))
    told = "%{y:.2%} of records"
    return figure(
        of,
        [
            series(BEFORE, hours, before.tolist(), "lines", told, line=quiet),
            series(AFTER, hours, after.tolist(), "lines", told, line=other),
        ],
        {
            "title": "Hour of the week, local time",
            "tickvals": [24 * day + 12 for day in range(7)],
            "ticktext": list(days),
            "range": [0, len(before)],
        },
        {"title": "Share of records", "rangemode": "tozero", "tickformat": ".1%"},
        height=OTHER_PX,
        shapes=[upright(24 * day, of.css("quiet")) for day in range(1, 7)],
        legend={"y": 1.1},
    )
