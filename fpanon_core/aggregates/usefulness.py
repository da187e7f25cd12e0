"""Utility of tables: how much of the original's density and flows they keep.

Tables are compared on the same areas and grids as records in :func:`fpanon_core.utility`. The mass
of a cell is spread evenly over the places of its area and over the hours of its band. Components
that a table cannot have (mobility, visits, resolution) are not applicable.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math

import numpy as np

from ..kernels.table_sums import UNIT
from ..kernels.utility_grid import match_trips, occupy
from ..measures.areas import Places, laid
from ..measures.utility import Reference, jensen_shannon
from ..model.arrays import FloatArray, IntArray, offsets_of, rows_of
from ..model.count_tables import CountTables, FlowTable, PresenceTable, TableFrame
from ..model.projection import project
from ..model.utility import COMPONENTS, Corners
from .smoothing import SHARES, seeded
from .tables import Exact, protected_presence

_HOURS = 24
_DRAWS = 16
_MEAN_OF_NORMAL = math.sqrt(2 / math.pi)  # mean absolute value, in standard deviations


def tables_measured(
    reference: Reference, tables: CountTables, crs: str | None, people: float
) -> tuple[dict[str, float], Corners]:
    """Return the utility components of tables, and density and flows for each grid.

    Components that the tables do not have are NaN.

    Parameters
    ----------
    reference : Reference
        Figures of the original.
    tables : CountTables
    crs : str or None
        The original's projection.
    people : float
        Number of people in the original; trips are compared per person.
    """
    where = places_of(tables.frame, crs)
    grids = laid(reference.ground, [corner.laid for corner in reference.corners], where)
    corners: dict[str, tuple[float, ...]] = {}
    if tables.presence is not None:
        hours = _hours(tables.presence)
        found = []
        for grid, corner in zip(grids, reference.corners, strict=True):
            mass = np.zeros((len(grid.keys) + 1, _HOURS))
            occupy(grid, 0, hours, mass)
            some = mass.sum() > 0
            found.append(1 - jensen_shannon(corner.occupancy, mass) if some else 0.0)
        corners["density"] = tuple(found)
    if tables.flows is not None:
        origin, goal, trips = _trips(tables.flows)
        found = []
        for grid, corner in zip(grids, reference.corners, strict=True):
            out = np.zeros(len(corner.targets))
            total = match_trips(origin, goal, trips, grid, corner.starts, corner.targets, out)
            mine, theirs = corner.trips, out / people
            both = float(mine.sum()) + total / people
            common = 2 * float(np.minimum(mine, theirs).sum())
            found.append(common / both if both else 1.0)
        corners["flows"] = tuple(found)
    parts = dict.fromkeys(COMPONENTS, math.nan)
    parts |= {name: math.fsum(each) / len(each) for name, each in corners.items()}
    return {name: min(1.0, max(0.0, v)) if v == v else v for name, v in parts.items()}, corners


def places_of(frame: TableFrame, crs: str | None) -> Places:
    """Return the frame's places as rectangles on the data's projection."""
    counts = frame.counts
    x, y = counts.x_m, counts.y_m
    if counts.crs != crs and crs is not None:
        x, y = project(counts.lat, counts.lon, crs)
        x, y = x - counts.dx_m / 2, y - counts.dy_m / 2
    return Places(x, y, counts.dx_m, counts.dy_m)


def _hours(table: PresenceTable) -> FloatArray:
    """Return the numbers of people by place and hour of day, summed over the period's days."""
    frame = table.frame
    bands = np.nansum(table.values * frame.days[None, :, None], axis=1)
    hours = np.repeat(bands, _HOURS // bands.shape[1], axis=1) * (bands.shape[1] / _HOURS)
    spread: FloatArray = hours[frame.area] * frame.share[:, None]
    return spread


def _trips(table: FlowTable) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the origins, destinations and numbers of all trips between places in the period."""
    frame = table.frame
    start, end, day = table.cells
    trips = table.trips * frame.days[day]
    order = np.argsort(frame.area, kind="stable")  # the places of each area
    first = offsets_of(np.bincount(frame.area, minlength=frame.n_areas))
    many = np.diff(first)
    pairs = many[start] * many[end]
    row = np.repeat(np.arange(len(start)), pairs)
    nth = rows_of(np.zeros(len(start), np.int64), pairs)
    origin = order[first[start[row]] + nth // many[end[row]]]
    goal = order[first[end[row]] + nth % many[end[row]]]
    return origin, goal, trips[row] / pairs[row]


def cell_error(table: PresenceTable) -> FloatArray:
    """Return the expected absolute error of each cell due to noise, in people; 0 without noise.

    The estimate uses published numbers alone. It takes them as the truth, adds noise to them again,
    and measures the change. Smoothing also removes random differences between counts, of standard
    deviation √(people / days). These differences count at most as much as the noise of a cell.

    Returns
    -------
    float64 ndarray, shape of the table's values
    """
    where, option = table.frame, table.protection
    found = np.zeros(table.values.shape)
    if option.epsilon is None:
        return found
    each, cells = table.of_share, table.values * UNIT
    present = where.day_types * option.bands
    exact = Exact((cells / each).ravel(), float(cells.sum()) / present)
    for draw in range(_DRAWS):
        again = protected_presence(exact, where, option, seeded(0, draw))
        found += np.abs(again.values - table.values) / _DRAWS
    days = np.maximum(where.days, 1)[None, :, None]
    by_chance = _MEAN_OF_NORMAL * np.sqrt(table.values / days)
    noise = each / (option.epsilon * SHARES["cells"])
    return np.hypot(found, np.minimum(by_chance, noise))
