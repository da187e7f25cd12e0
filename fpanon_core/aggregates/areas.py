"""Shapes of a table's areas, expected errors of tables, and proposed numbers of areas and bands.

Everything here uses public information alone: the stated frame, a stated number of people, and ε.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import Any, NamedTuple

import h3.api.basic_int as h3
import numpy as np
import pandas as pd
import shapely

from ..anonymize.clusters import Area, merged_regions, voronoi_cells
from ..model.checks import positive, whole
from ..model.count_tables import DAY_TYPES, TableFrame
from ..model.counts_frame import CountsFrame, FrameConfig
from ..model.errors import ConfigError
from ..model.projection import lon_lat
from .smoothing import expected_of_cell

TOLERATED = 0.2
"""Largest error that a proposal accepts, as a share of the people in a typical cell."""

BANDS = (24, 12, 8, 6, 4, 3, 2, 1)
_DIGITS = 5  # of degrees, about a metre


def shapes_of(frame: TableFrame) -> list[Area]:
    """Return a frame's areas as polygons in metres on its projection, or as hexagons in degrees.

    The cell of an antenna holds the points nearer to it than to any other antenna, within the
    antennas' convex hull widened by 1 km. An area of antennas is the union of their cells.
    """
    counts = frame.counts
    if len(counts.cells):
        rings = [h3.cell_to_boundary(int(cell)) for cell in counts.cells]
        return [shapely.Polygon([(lon, lat) for lat, lon in ring]) for ring in rings]
    x, y = counts.x_m, counts.y_m
    if counts.area is not None:
        return list(shapely.box(x, y, x + counts.dx_m, y + counts.dy_m))
    cells = voronoi_cells(x + counts.dx_m / 2, y + counts.dy_m / 2)
    return merged_regions(cells, frame.area)


def geojson_of(frame: TableFrame) -> dict[str, Any]:
    """Return the named areas as GeoJSON, with no features if the frame has no projection.

    Regions given as polygons keep their shapes. The surroundings of antennas outside all regions
    form one more area.
    """
    shapes = shapes_of(frame)
    if frame.counts.crs is None:
        shapes = []
    elif not len(frame.counts.cells):
        shapes = shapely.transform(  # all at once: projections are slow to make
            np.array(shapes, object),
            lambda at: np.column_stack(lon_lat(frame.counts.crs, at[:, 0], at[:, 1])),
        )
    if len(shapes) and frame.outlines:
        given = {name: shapely.from_wkb(outline) for name, outline in frame.outlines.items()}
        every = shapely.union_all(list(given.values()))
        own = [given.get(name) for name in frame.names]
        shapes = [_less(a, every) if b is None else b for a, b in zip(shapes, own, strict=True)]
    shapes = list(shapely.set_precision(shapes, 10.0**-_DIGITS, mode="pointwise"))
    features = [
        {
            "type": "Feature",
            "properties": {"area": name},
            "geometry": shapely.geometry.mapping(shape),
        }
        for name, shape in zip(frame.names, shapes, strict=False)
    ]
    return {"type": "FeatureCollection", "features": features}


def _less(shape: Area, others: Area) -> Area:
    """Return a shape minus others, or the whole shape if nothing would remain."""
    left = shapely.difference(shapely.make_valid(shape), others)
    return shape if shapely.area(left) == 0 else left


def table_error(
    n_people: int, frame: FrameConfig | TableFrame, *, bands: int = 24, epsilon: float = 1.0
) -> pd.DataFrame:
    """Return the expected error of a private presence table, before the table is made.

    Parameters
    ----------
    n_people : int
        Stated number of people, never counted in the data.
    frame : FrameConfig or TableFrame
        A FrameConfig of antennas does not state their number; give a TableFrame instead.
    bands : int
        Number of bands in a day, in the requested table.
    epsilon : float
        Privacy parameter, above 0; smaller values protect more.

    Returns
    -------
    DataFrame
        The first row is the requested table; the others have fewer areas or bands. Columns:
        ``areas``; ``bands``, summed over the types of day; ``people``, the number of people in a
        typical cell; ``noise``, the expected error, in people, of a cell that gets all of ε (noise
        of scale bands/ε); ``error``, the expected error, in people, of the smoothed cell if the
        area has the same daily profile as the whole table; ``share``, ``error`` divided by
        ``people``.

    Raises
    ------
    ConfigError
        ``n_people`` is not an integer of 1 or more, ``epsilon`` is not a positive number, or the
        frame does not state its number of areas.
    InfeasibleError
        There are too many areas.

    Examples
    --------
    >>> from fpanon_core import FrameConfig, StatedArea, StatedPeriod
    >>> area = StatedArea(0, 0, 5_000, 10_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 14), "grid", area, 1_000)
    >>> table_error(2_000, frame)[["areas", "bands", "people", "noise"]].head(1).values.tolist()
    [[50.0, 48.0, 40.0, 48.0]]
    """
    whole("n_people", n_people, 1)
    positive("epsilon", epsilon)
    areas, kinds = _size(frame)
    some_bands = [each for each in BANDS if each <= bands]
    some_areas = [max(1, math.ceil(areas / cut)) for cut in (1, 2, 4, 8)]
    rows = [(areas, bands), *((areas, b) for b in some_bands), *((a, bands) for a in some_areas)]
    sizes = dict.fromkeys(rows)
    return pd.DataFrame([_expected(n_people, a, b * kinds, epsilon) for a, b in sizes])


class Proposal(NamedTuple):
    """Proposed numbers of areas and bands for a presence table.

    Attributes
    ----------
    areas, bands : int
        Number of areas, and of bands in a day.
    share : float
        Expected error of a typical cell, divided by the number of people in it.
    """

    areas: int
    bands: int
    share: float


def proposed(n_people: int, most_areas: int, epsilon: float = 1.0, kinds: int = 2) -> Proposal:
    """Propose numbers of areas and bands for a stated number of people.

    The bands use up to half of the tolerated error (:data:`TOLERATED`), and the areas use the rest.
    Either number is 1 if no larger number keeps the error tolerable.

    Parameters
    ----------
    n_people : int
        Stated number of people, never counted in the data.
    most_areas : int
        Largest number of areas to propose.
    epsilon : float
    kinds : int
        Number of types of day in the period, 1 or 2.

    Examples
    --------
    >>> wise = proposed(2_000, 400)
    >>> wise.areas, wise.bands, round(wise.share, 3)
    (174, 8, 0.199)
    """
    for bands in BANDS:
        if _expected(n_people, 1, bands * kinds, epsilon)["share"] <= TOLERATED / 2:
            break
    spent = _expected(n_people, 1, bands * kinds, epsilon)["share"]
    each = _expected(n_people, 2, bands * kinds, epsilon)["share"] - spent
    areas = int(max(1, min(most_areas, (TOLERATED - spent) / each)))
    return Proposal(areas, bands, _expected(n_people, areas, bands * kinds, epsilon)["share"])


def _expected(n_people: int, areas: int, bands: int, epsilon: float) -> dict[str, float]:
    people = n_people / areas
    error = bands * expected_of_cell(epsilon, areas, bands)  # if everybody is in every band
    cell = {"areas": areas, "bands": bands, "people": people}
    return cell | {"noise": bands / epsilon, "error": error, "share": error / people}


def _size(frame: FrameConfig | TableFrame) -> tuple[int, int]:
    """Return the number of areas and the number of types of day."""
    if isinstance(frame, TableFrame):
        return frame.n_areas, frame.day_types
    if not isinstance(frame, FrameConfig) or frame.area is None:
        raise ConfigError(
            "The number of areas depends on the antenna table; give a grid or hexagons over a "
            "stated area, or a TableFrame."
        )
    dateless = replace(frame, period=replace(frame.period, first_day=None))
    crs = None if frame.area.unit == "metres" else frame.area.crs
    places = CountsFrame.of(dateless, antennas=None, clock=None, crs=crs)
    first = frame.period.first_day or dt.date(2001, 1, 1)
    weekend = (first.weekday() + np.arange(frame.period.days)) % 7 >= 5
    return places.n_places, len(np.unique(weekend)) if len(weekend) else len(DAY_TYPES)
