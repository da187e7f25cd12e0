"""The original data's side of every comparison: made once, for many releases.

Analysis areas over the original, on them its occupancy by hour and its trips, and what is known of
each subscriber: how far they roam, how many places they visit.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import (  # type: ignore[import-untyped,unused-ignore]
    jensenshannon,
)

from ..kernels.utility_grid import Laid, hours_of, match_trips, occupy, spread_trips
from ..model.arrays import FloatArray, IntArray
from ..model.checks import positive
from ..model.closed import Closed
from ..model.distinct import distinct_rows
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.ragged import offsets_of
from .areas import Areas, Ground, Places, events_of, ground, laid, used

Trips = tuple[IntArray, IntArray, FloatArray]

MAX_SPACE_M = 20_000.0
"""Mean spatial span at which ``space`` is 0, metres: where a stretch counts as complete."""
MAX_TIME_MIN = 1_440.0
"""Mean temporal span at which ``time`` is 0, minutes: a day tells no time of day any more."""

_MOST_ENTRIES = 5_000_000
_AT_ONCE = 50_000  # places whose hours are held together


@dataclass(frozen=True, eq=False)
class Corner(Closed):
    """The original on one of the grids, or on areas that have no corner. Arrays are read-only.

    Attributes
    ----------
    laid : Laid
        The original's places on it, with the areas that they use.
    occupancy : float64 ndarray (areas + 1, 24)
        Events by used area and local hour of the day; the last row is what is in none.
    starts, targets : int64 ndarray
        Trips from area i go to the areas ``targets[starts[i]:starts[i+1]]``.
    trips : float64 ndarray (len(targets),)
        How many per subscriber.
    """

    laid: Laid
    occupancy: FloatArray
    starts: IntArray
    targets: IntArray
    trips: FloatArray

    def __post_init__(self) -> None:
        self._close()


@dataclass(frozen=True, eq=False)
class Reference(Closed):
    """What releases of one data set are compared with. Arrays are read-only.

    Attributes
    ----------
    ground : Ground
        The analysis areas; as text, in words.
    corners : tuple of Corner
        Nine of squares, shifted by 0, 1/3 and 2/3 of a side along x and y; one of other areas.
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

    ground: Ground
    corners: tuple[Corner, ...]
    radii: FloatArray
    visits: FloatArray
    max_space_m: float
    max_time_min: float
    digest: str

    def __post_init__(self) -> None:
        self._close()

    @classmethod
    def of(
        cls,
        fs: FingerprintSet,
        *,
        areas: Areas = None,
        max_space_m: float = MAX_SPACE_M,
        max_time_min: float = MAX_TIME_MIN,
    ) -> Reference:
        """The reference that a data set is.

        Parameters
        ----------
        fs : FingerprintSet
        areas : float, Hexagons or Regions, optional
            Analysis areas: the side of squares, metres; hexagons; or regions named in the antenna
            table. If not given: squares of 1, 2 or 5 times a power of ten metres, the largest that
            fit 50 times along both sides of the box of the central 95 % of the events; or of the
            data's largest cell, if that is larger. One of the nine grids has a corner at the box's
            lower corner.
        max_space_m, max_time_min : float
            Thresholds of the components ``space`` and ``time``.

        Raises
        ------
        ConfigError
            A number is not positive, the data do not have such areas, or they are too fine.
        """
        for name, value in (("max_space_m", max_space_m), ("max_time_min", max_time_min)):
            positive(name, value)
        found = Spread.of(fs)
        where = ground(fs, areas, found.places)
        return cls(
            ground=where,
            corners=tuple(_corners(fs, found, where)),
            radii=radii(fs),
            visits=visited(fs),
            max_space_m=float(max_space_m),
            max_time_min=float(max_time_min),
            digest=fs.digest,
        )


def _corners(fs: FingerprintSet, spread: Spread, where: Ground) -> list[Corner]:
    grids = used(where, spread.places)
    found = []
    for grid, mass in zip(grids, occupancies(fs, spread, grids), strict=True):
        starts, targets = _trip_table(grid, spread.trips, where)
        trips, _ = trips_between(grid, starts, targets, spread)
        found.append(Corner(grid, mass, starts, targets, trips))
    return found


# --- of an original or a release ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Spread:
    """Where a data set's samples and trips are, before they are laid over areas.

    Attributes
    ----------
    places : Places
    place : int64 ndarray (n_samples,)
        Of each sample.
    trips : (origin, goal, mass)
        Distinct pairs of places that somebody goes between, and trips of each.
    subscribers : float
        That trips are per.
    """

    places: Places
    place: IntArray
    trips: Trips
    subscribers: float

    @classmethod
    def of(cls, fs: FingerprintSet, people: int | None = None) -> Spread:
        """Of a data set; ``people``: its subscribers, if several fingerprints are one's."""
        places, place = Places.of(fs)
        subscribers = float(fs.weight.sum()) if people is None else float(people)
        return cls(places, place, _trips(fs, place), subscribers)

    def on(self, reference: Reference) -> list[Laid]:
        """The places laid over the areas of an original."""
        return laid(reference.ground, [c.laid for c in reference.corners], self.places)


def occupancies(fs: FingerprintSet, spread: Spread, grids: list[Laid]) -> list[FloatArray]:
    """Events by used area and local hour of the day on each grid, shape (areas + 1, 24)."""
    out = [np.zeros((len(grid.keys) + 1, 24)) for grid in grids]
    order = np.argsort(spread.place, kind="stable")
    place, wall = spread.place[order], fs.wall_minutes(fs.t_min)[order]
    length, mass = fs.dt_min[order], events_of(fs)[order]
    for first in range(0, len(spread.places.x_m), _AT_ONCE):
        last = min(first + _AT_ONCE, len(spread.places.x_m))
        some = slice(*np.searchsorted(place, [first, last]))
        hours = np.zeros((last - first, 24))
        hours_of(place[some], wall[some], length[some], mass[some], first, hours)
        for grid, sums in zip(grids, out, strict=True):
            occupy(grid, first, hours, sums)
    return out


def jensen_shannon(p: FloatArray, q: FloatArray) -> float:
    """Jensen–Shannon distance, base 2, of two histograms of any mass; in [0, 1]."""
    either = (p > 0) | (q > 0)
    with np.errstate(invalid="ignore"):  # rounding may bring a divergence of 0 below it
        distance = float(jensenshannon(p[either], q[either], base=2))
    return 0.0 if math.isnan(distance) else distance


def trips_between(
    grid: Laid, starts: IntArray, targets: IntArray, spread: Spread
) -> tuple[FloatArray, float]:
    """Trips per subscriber between some pairs of areas, and between all others together."""
    out = np.zeros(len(targets))
    total = match_trips(*spread.trips, grid, starts, targets, out)
    others = total - float(out.sum())
    # What rounding leaves is no trip.
    some = others / spread.subscribers if others > 1e-9 * total else 0.0
    return out / spread.subscribers, some


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
    events = events_of(fs)
    space = np.average((fs.dx_m + fs.dy_m) / 2, weights=events)
    return float(space), float(np.average(fs.dt_min, weights=events))


# --- trips ---------------------------------------------------------------------------------------


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


def _trip_table(grid: Laid, trips: Trips, where: Ground) -> tuple[IntArray, IntArray]:
    """Pairs of areas that the original has trips between, by the area they begin in."""
    areas = len(grid.keys)
    source, target = np.empty(0, np.int64), np.empty(0, np.int64)
    many = spread_trips(*trips[:2], grid, _MOST_ENTRIES, source, target)
    if many > _MOST_ENTRIES:
        raise ConfigError(
            f"Trips between {where} spread over more than {_MOST_ENTRIES:,} pairs of them; choose "
            "larger areas."
        )
    source, target = np.empty(many, np.int64), np.empty(many, np.int64)
    spread_trips(*trips[:2], grid, _MOST_ENTRIES, source, target)
    pairs = np.unique(source * areas + target)
    return offsets_of(np.bincount(pairs // areas, minlength=areas)), pairs % areas
