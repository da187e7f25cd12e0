"""Data for the maps of a release: everyone in one hour, and one group.

Everyone in one hour is counted in squares of one grid, as recorded and as published. One group's
published data come with its members' own samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from fpanon_core.model.projection import central, lon_lat
from fpanon_core.model.published import GeneralizedFingerprintSet
from pages.charts.maps import corners_of
from pages.charts.record import PlayedGroup

_SQUARES = 40  # along the longer side of what is shown
_MOST_SQUARES = 54  # along the longer side of all data: a map draws at most 3,000
_SAMPLES_OF_VIEW = 20_000  # enough to know where nearly all samples are
_HARDLY = 0.05  # a square with no more people than this is not drawn
_Cells = FingerprintSet | GeneralizedFingerprintSet


@dataclass(frozen=True, eq=False)
class Moment:
    """People's positions in one hour: as recorded, and as published.

    Attributes
    ----------
    side_m : float
        Side of a square, metres.
    recorded, published : int
        People recorded within the hour; people whose published record has an area within it.
    before, after : ndarray (n, 5)
        West, south, east and north (degrees) of each square with more than 0.05 people, and its
        number of people. Before, each person is at the first place recorded; after, spread evenly
        over the first area published.
    extent : ndarray (1, 4)
        Extent of nearly all samples, degrees, which both maps show.
    """

    side_m: float
    recorded: int
    published: int
    before: FloatArray
    after: FloatArray
    extent: FloatArray


def moment(release: GloveResult, fs: FingerprintSet, hour: int) -> Moment:
    """Return positions in the hour that begins ``hour`` full hours after the first local midnight.

    The data must carry a map projection.
    """
    side, grid = _grid(fs)
    whose = groups(release)
    some = _first_within(fs, fs, hour, fs.sample_user)
    areas = _first_within(release.published, fs, hour, whose)
    here = fs.weight[fs.sample_user[some]]
    there = release.published.n_users[whose[areas]]
    return Moment(
        side_m=side,
        recorded=int(here.sum()),
        published=int(there.sum()),
        before=_squares(fs, _spread(_corners(fs, some), here, grid), grid),
        after=_squares(fs, _spread(_corners(release.published, areas), there, grid), grid),
        extent=_degrees(fs, _shown(fs)),
    )


def _shown(fs: FingerprintSet) -> FloatArray:
    """Return the corners, in metres, of the extent of nearly all samples, for maps of all hours."""
    some = slice(None, None, 1 + fs.n_samples // _SAMPLES_OF_VIEW)
    low = fs.x_m[some], fs.y_m[some]
    high = low[0] + fs.dx_m[some], low[1] + fs.dy_m[some]
    seen = central(*(np.concatenate(ends) for ends in zip(low, high, strict=True)))
    return np.array([[seen.west, seen.south, seen.east, seen.north]])


def hours(release: GloveResult, fs: FingerprintSet) -> range:
    """Return the hours from the first to the last published sample.

    Hours are counted from the first local midnight.
    """
    start, end = _walls(release.published, fs)
    return range(int(start.min() // 60), int((end.max() - 1) // 60) + 1)


def busiest(fs: FingerprintSet, among: range) -> int:
    """Return the hour of ``among`` with the most samples; the first of several such hours."""
    hour = np.floor(fs.wall_minutes(fs.t_min) / 60).astype(np.int64) - among[0]
    inside = hour[(hour >= 0) & (hour < len(among))]
    return among[int(np.argmax(np.bincount(inside, minlength=len(among))))]


def _walls(cells: _Cells, fs: FingerprintSet) -> tuple[FloatArray, FloatArray]:
    """Return the local minutes at which each sample begins and ends."""
    return fs.wall_minutes(cells.t_min), fs.wall_minutes(cells.t_min + cells.dt_min)


def _first_within(cells: _Cells, fs: FingerprintSet, hour: int, whose: IntArray) -> IntArray:
    """Return, for each owner in ``whose``, the first row whose time overlaps an hour."""
    start, end = _walls(cells, fs)
    some = np.flatnonzero((start < 60 * (hour + 1)) & (end > 60 * hour))
    first: IntArray = some[np.unique(whose[some], return_index=True)[1]]
    return first


def _corners(cells: _Cells, rows: IntArray) -> FloatArray:
    """Return the lower x and y and the upper x and y of some samples, in metres, (n, 4)."""
    low = np.column_stack([cells.x_m[rows], cells.y_m[rows]])
    return np.hstack([low, low + np.column_stack([cells.dx_m[rows], cells.dy_m[rows]])])


def _grid(fs: FingerprintSet) -> tuple[float, list[FloatArray]]:
    """Return a square's side, a multiple of the granularity, and all squares' edges by axis."""
    corners = _corners(fs, np.arange(fs.n_samples))
    low, high = corners[:, :2].min(axis=0), corners[:, 2:].max(axis=0)
    seen = _shown(fs)
    shown = float((seen[0, 2:] - seen[0, :2]).max())
    side = max(shown / _SQUARES, float((high - low).max()) / _MOST_SQUARES)
    side = max(math.ceil(side / fs.granularity_m), 1) * fs.granularity_m
    along = np.ceil((high - low) / side).astype(int)
    edges = [low[axis] + side * np.arange(along[axis] + 1.0) for axis in (0, 1)]
    return side, edges


def _spread(corners: FloatArray, people: IntArray, grid: list[FloatArray]) -> FloatArray:
    """Return the people in each square (n_x, n_y); an area's people are spread evenly over it."""
    shares = []
    for axis, edges in enumerate(grid):
        low, high = corners[:, [axis]], corners[:, [axis + 2]]
        inside = np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1])
        shares.append(np.maximum(inside, 0.0) / (high - low))
    found: FloatArray = (shares[0] * people[:, None]).T @ shares[1]
    return found


def _squares(fs: FingerprintSet, people: FloatArray, grid: list[FloatArray]) -> FloatArray:
    """Return the occupied squares as rows; see :class:`Moment`."""
    i, j = np.nonzero(people > _HARDLY)
    x, y = grid
    bounds = _degrees(fs, np.column_stack([x[i], y[j], x[i + 1], y[j + 1]]))
    return np.column_stack([bounds, people[i, j]])


def _degrees(fs: FingerprintSet, corners: FloatArray) -> FloatArray:
    """Return west, south, east and north of areas given by their corners in metres."""
    west, south = lon_lat(fs.crs, corners[:, 0], corners[:, 1])
    east, north = lon_lat(fs.crs, corners[:, 2], corners[:, 3])
    return np.column_stack([west, south, east, north])


def groups(release: GloveResult) -> IntArray:
    """Return the group of each published sample."""
    published = release.published
    return np.repeat(np.arange(published.n_groups), published.lengths)


def played(release: GloveResult, fs: FingerprintSet, group: int, at_most: int) -> PlayedGroup:
    """Return a group's samples and published data; up to ``at_most`` members are named.

    For a release in periods, return only the samples within the group's period. The data must carry
    a map projection.
    """
    people = np.sort(release.people[release.members(group)]).tolist()
    own = [_rows(release, fs, group, person) for person in people]
    rows = np.concatenate(own)
    order = np.argsort(fs.t_min[rows], kind="stable")
    whose = np.repeat(np.minimum(np.arange(len(own)), at_most), [len(each) for each in own])
    rows = rows[order]
    lon, lat = lon_lat(fs.crs, fs.x_m[rows] + fs.dx_m[rows] / 2, fs.y_m[rows] + fs.dy_m[rows] / 2)
    published = np.arange(*release.published.offsets[group : group + 2])
    start = release.published.t_min[published]
    areas = _degrees(fs, _corners(release.published, published))
    beside, names = corners_of(areas), fs.pseudonyms
    return PlayedGroup(
        lon=lon,
        lat=lat,
        minute=fs.wall_minutes(fs.t_min[rows] + fs.dt_min[rows] / 2),
        areas=areas,
        start=fs.wall_minutes(start),
        end=fs.wall_minutes(start + release.published.dt_min[published]),
        around=(np.concatenate([lon, beside[0]]), np.concatenate([lat, beside[1]])),
        whose=whose[order],
        names=[names[person] for person in people[:at_most]],
    )


def _rows(release: GloveResult, fs: FingerprintSet, group: int, person: int) -> IntArray:
    """Return the rows of a person's samples; in periods, only samples of the group's period."""
    own = fs.rows_of(person)
    rows = np.arange(own.start, own.stop)
    if release.group_period is None or release.period_days is None:
        return rows
    period = fs.wall_minutes(fs.t_min[own]) // (1_440 * release.period_days)
    inside: IntArray = rows[period == release.group_period[group]]
    return inside
