"""The original data's side of every comparison: made once, for many releases.

A reference grid over the original's extent, on it the original's occupancy by hour and its trips,
and what is known of each subscriber: how far they roam, how many places they visit.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import (  # type: ignore[import-untyped,unused-ignore]
    jensenshannon,
)

from ..kernels.utility_grid import match_trips, occupy, spread_trips
from ..model.arrays import FloatArray, IntArray
from ..model.checks import positive
from ..model.closed import Closed
from ..model.distinct import distinct_rows
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.ragged import offsets_of

Sides = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
Trips = tuple[IntArray, IntArray, FloatArray]

MAX_SPACE_M = 20_000.0
"""Mean spatial span at which ``space`` is 0, metres: where a stretch counts as complete."""
MAX_TIME_MIN = 1_440.0
"""Mean temporal span at which ``time`` is 0, minutes: a day tells no time of day any more."""

_SQUARES_ALONG = 50
_MOST_SQUARES = 1_000_000
_MOST_ENTRIES = 5_000_000


@dataclass(frozen=True)
class ReferenceGrid:
    """Squares of ``side_m`` metres from the corner (x_m, y_m); numbered column by column."""

    x_m: float
    y_m: float
    side_m: float
    columns: int
    rows: int


@dataclass(frozen=True, eq=False)
class Reference(Closed):
    """What releases of one data set are compared with. Arrays are read-only.

    Attributes
    ----------
    grid : ReferenceGrid
    occupancy : float64 ndarray (squares + 1, 24)
        Events by square and local hour of the day; the last row is what is outside the grid.
    starts, targets : int64 ndarray
        Trips from square i go to the squares ``targets[starts[i]:starts[i+1]]``.
    trips : float64 ndarray (len(targets),)
        How many per subscriber.
    radii : float64 ndarray (n_subscribers,)
        Radius of gyration, metres.
    visits : float64 ndarray (n_subscribers,)
        Distinct places.
    max_space_m, max_time_min : float
        Mean spans of an event's cell, (dx + dy)/2, and of its window, at which the resolution
        counts as lost.
    digest : str
        Of the original.
    """

    grid: ReferenceGrid
    occupancy: FloatArray
    starts: IntArray
    targets: IntArray
    trips: FloatArray
    radii: FloatArray
    visits: FloatArray
    max_space_m: float
    max_time_min: float
    digest: str

    def __post_init__(self) -> None:
        self._close()

    @property
    def side_m(self) -> float:
        """Side of the grid's squares, metres."""
        return self.grid.side_m

    @classmethod
    def of(
        cls,
        fs: FingerprintSet,
        *,
        reference_m: float | None = None,
        max_space_m: float = MAX_SPACE_M,
        max_time_min: float = MAX_TIME_MIN,
    ) -> Reference:
        """The reference that a data set is.

        Parameters
        ----------
        fs : FingerprintSet
        reference_m : float, optional
            Side of the squares. If not given: 1, 2 or 5 times a power of ten, the largest with at
            least 50 along the longer side of the data's extent; or the data's largest cell, if that
            is larger; then the next whole multiple of the data's own grid, so that no square cuts
            a cell of such a grid.
        max_space_m, max_time_min : float
            Thresholds of the components ``space`` and ``time``.

        Raises
        ------
        ConfigError
            A number is not positive, or the grid would have more than a million squares.
        """
        for name, value in (("max_space_m", max_space_m), ("max_time_min", max_time_min)):
            positive(name, value)
        grid = _grid_over(fs, reference_m)
        starts, targets = _trip_table(grid, fs)
        trips, _ = trips_between(grid, starts, targets, fs)
        return cls(
            grid=grid,
            occupancy=occupancy(grid, fs),
            starts=starts,
            targets=targets,
            trips=trips,
            radii=radii(fs),
            visits=visited(fs),
            max_space_m=float(max_space_m),
            max_time_min=float(max_time_min),
            digest=fs.digest,
        )


# --- of an original or a release ----------------------------------------------------------------


def occupancy(grid: ReferenceGrid, fs: FingerprintSet) -> FloatArray:
    """Events by square of the grid and local hour of the day, shape (squares + 1, 24)."""
    sides, place = _places(grid, fs)
    order = np.argsort(place, kind="stable")
    out = np.zeros((grid.columns * grid.rows + 1, 24))
    occupy(place[order], fs.wall_minutes(fs.t_min)[order], fs.dt_min[order], _events(fs)[order],
           *sides, grid.columns, grid.rows, out)  # fmt: skip
    return out


def jensen_shannon(p: FloatArray, q: FloatArray) -> float:
    """Jensen–Shannon distance, base 2, of two histograms of any mass; in [0, 1]."""
    either = (p > 0) | (q > 0)
    with np.errstate(invalid="ignore"):  # rounding may bring a divergence of 0 below it
        distance = float(jensenshannon(p[either], q[either], base=2))
    return 0.0 if math.isnan(distance) else distance


def trips_between(
    grid: ReferenceGrid, starts: IntArray, targets: IntArray, fs: FingerprintSet,
    people: int | None = None,
) -> tuple[FloatArray, float]:  # fmt: skip
    """Trips per subscriber between some pairs of squares, and between all others together.

    ``people``: how many subscribers there are, where several fingerprints are one's.
    """
    sides, place = _places(grid, fs)
    out = np.zeros(len(targets))
    total = match_trips(
        *_trips(fs, place), *sides, grid.columns, grid.rows, starts, targets, out
    )  # fmt: skip
    others = total - float(out.sum())
    subscribers = float(fs.weight.sum()) if people is None else float(people)
    # What rounding leaves is no trip.
    return out / subscribers, others / subscribers if others > 1e-9 * total else 0.0


def radii(fs: FingerprintSet) -> FloatArray:
    """Radius of gyration of each subscriber's events, metres, to the millimetre."""
    count = fs.count.astype(np.float64)
    events = np.add.reduceat(count, fs.offsets[:-1])
    square = np.zeros(fs.n_users)
    for corner, side in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)):
        middle = corner + side / 2
        mean = np.add.reduceat(count * middle, fs.offsets[:-1]) / events
        off = middle - mean[fs.sample_user]
        square += np.add.reduceat(count * off**2, fs.offsets[:-1]) / events
    # Rounded: one who never moved must have 0 whatever the arithmetic makes of the mean.
    return np.repeat(np.round(np.sqrt(square), 3), fs.weight)


def visited(fs: FingerprintSet) -> FloatArray:
    """Distinct places of each subscriber."""
    place = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)[1]
    once = distinct_rows(fs.sample_user, place)[0]
    places = np.bincount(fs.sample_user[once], minlength=fs.n_users)
    return np.repeat(places.astype(np.float64), fs.weight)


def spans(fs: FingerprintSet) -> tuple[float, float]:
    """Mean spatial span (dx + dy)/2, metres, and temporal span, minutes, over events."""
    events = _events(fs)
    space = np.average((fs.dx_m + fs.dy_m) / 2, weights=events)
    return float(space), float(np.average(fs.dt_min, weights=events))


# --- grid, places, trips ------------------------------------------------------------------------


def reference_side_m(fs: FingerprintSet) -> float:
    """Side of the squares on which releases of these data are compared with them, metres."""
    return _grid_over(fs, None).side_m


def _grid_over(fs: FingerprintSet, reference_m: float | None) -> ReferenceGrid:
    right, top = float((fs.x_m + fs.dx_m).max()), float((fs.y_m + fs.dy_m).max())
    left, bottom = float(fs.x_m.min()), float(fs.y_m.min())
    if reference_m is None:
        side = _round_below(max(right - left, top - bottom) / _SQUARES_ALONG)
        # No larger cell than a square: then a trip spreads over 16 pairs of squares at most.
        side = max(side, float(fs.dx_m.max()), float(fs.dy_m.max()))
        side = math.ceil(side / fs.granularity_m) * fs.granularity_m
    else:
        side = positive("reference_m", reference_m)
    x, y = math.floor(left / side), math.floor(bottom / side)
    columns, rows = math.ceil(right / side) - x, math.ceil(top / side) - y
    if columns * rows > _MOST_SQUARES:
        raise ConfigError(
            f"A reference grid of {side:g} m has {columns:,} × {rows:,} squares over these data; "
            f"choose a coarser one, of at most {_MOST_SQUARES:,} squares."
        )
    return ReferenceGrid(x * side, y * side, side, max(1, columns), max(1, rows))


def _round_below(value: float) -> float:
    """1, 2 or 5 times a power of ten, not above the value."""
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= value or m == 1.0)


def _places(grid: ReferenceGrid, fs: FingerprintSet) -> tuple[Sides, IntArray]:
    """Sides of the distinct places in squares of the grid, and the place of each sample."""
    first, place = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    x, y, dx, dy = (values[first] for values in (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m))
    # A cell on an edge of a square ends there, whatever the last bit says.
    sides = (
        _snapped((x - grid.x_m) / grid.side_m),
        _snapped((x + dx - grid.x_m) / grid.side_m),
        _snapped((y - grid.y_m) / grid.side_m),
        _snapped((y + dy - grid.y_m) / grid.side_m),
    )
    return sides, place


def _snapped(values: FloatArray) -> FloatArray:
    near = np.rint(values)
    return np.where(np.abs(values - near) < 1e-9, near, values)


def _events(fs: FingerprintSet) -> FloatArray:
    events: FloatArray = (fs.count * fs.weight[fs.sample_user]).astype(np.float64)
    return events


def _trips(fs: FingerprintSet, place: IntArray) -> Trips:
    """Distinct pairs of places that somebody goes between, and trips of each."""
    user = fs.sample_user
    moment = np.ones(fs.n_samples, bool)
    moment[1:] = (user[1:] != user[:-1]) | (fs.t_min[1:] != fs.t_min[:-1])
    group = np.cumsum(moment) - 1
    order = np.lexsort((-fs.count, group))  # stable: the first of equals
    main = order[np.flatnonzero(moment)]
    mainly_at, who = place[main], user[main]
    moves = np.flatnonzero((who[1:] == who[:-1]) & (mainly_at[1:] != mainly_at[:-1]))
    if len(moves) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    first, pair = distinct_rows(mainly_at[moves], mainly_at[moves + 1])
    trips: FloatArray = np.bincount(pair, fs.weight[who[moves]]).astype(np.float64)
    return mainly_at[moves][first], mainly_at[moves + 1][first], trips


def _trip_table(grid: ReferenceGrid, fs: FingerprintSet) -> tuple[IntArray, IntArray]:
    """Pairs of squares that the original has trips between, by the square they begin in."""
    sides, place = _places(grid, fs)
    trips = _trips(fs, place)
    squares = grid.columns * grid.rows
    source, target = np.empty(0, np.int64), np.empty(0, np.int64)
    size = (grid.columns, grid.rows, _MOST_ENTRIES)
    many = spread_trips(*trips[:2], *sides, *size, source, target)
    if many > _MOST_ENTRIES:
        raise ConfigError(
            f"Trips on a reference grid of {grid.side_m:g} m spread over more than "
            f"{_MOST_ENTRIES:,} pairs of squares; give a larger reference_m."
        )
    if many == 0:
        return np.zeros(squares + 1, np.int64), target
    source, target = np.empty(many, np.int64), np.empty(many, np.int64)
    spread_trips(*trips[:2], *sides, *size, source, target)
    first, _ = distinct_rows(source, target)
    return offsets_of(np.bincount(source[first], minlength=squares)), target[first]
