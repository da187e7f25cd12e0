"""Computed utility of a release.

Noriega Campero 2015 (ch. 5) showed ten experts "maps of regional density and mobility patterns of
the population". This module computes how well a release keeps these patterns, compared with the
original data. Every component lies in [0, 1]. Components that compare with the original are 1 for
unchanged data. The two resolutions are 1 for points without extent. What a purpose needs cannot be
computed, so the weights are stated and can be changed.

Events are counted: a sample's ``count``, times the number of people its fingerprint stands for. So
a record keeps its mass, however many records it was merged with, and generalization only spreads
mass.

Source: docs/science.md, “Techniques, utility and the front of release options”.

The reference holds the original's figures for comparison, computed once for many releases.

It consists of areas over the original, with their occupancy by hour and the trips between them. It
also holds each person's radius of gyration and number of visited places.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import jensenshannon  # type: ignore[import-untyped,unused-ignore]
from scipy.stats import ks_2samp  # type: ignore[import-untyped,unused-ignore]

from ..kernels.utility_grid import Laid, hours_of, match_trips, occupy, spread_trips
from ..model.arrays import Closed, FloatArray, IntArray, distinct_rows, offsets_of
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import Areas
from ..model.released import ReleasedSet
from ..model.utility import COMPONENTS, Corners, UtilityResult, Weights, weighting
from .areas import Ground, Places, events_of, ground, laid, used


def utility(
    original: FingerprintSet,
    released: FingerprintSet,
    *,
    weights: Weights = "transport",
    areas: Areas = None,
    reference: Reference | None = None,
) -> UtilityResult:
    """Return how much of the original data's utility a release keeps.

    The components are as follows; the mass of each event is spread evenly over its cell:

    - ``density``: 1 − Jensen–Shannon distance, base 2, of area × hour-of-day occupancy. A cell
      larger than an area, or a window longer than an hour, spreads its mass over all areas or hours
      that it overlaps. Mass in areas that the original does not use counts as entirely misplaced.
    - ``flows``: common part of commuters ``2·Σ min(T, T') / (ΣT + ΣT')`` of the origin–destination
      matrices of the areas. T counts trips per person, so a sample of the users can score 1. A trip
      is a change of a person's main place between two consecutive start times. The main place has
      the most events (of equals, the one with the smaller x, then y). It stands for all places with
      the same start time, because their order is unknown. Trips spread as their cells do; trips
      within an area do not count.
    - ``mobility``: 1 − Kolmogorov–Smirnov distance of people's radii of gyration. Events count at
      the middles of their cells.
    - ``visits``: 1 − Kolmogorov–Smirnov distance of the numbers of distinct places per person.
    - ``space``, ``time``: 1 − mean span/threshold, at least 0. The spans are (dx + dy)/2 and dt,
      averaged over events; the thresholds are :data:`MAX_SPACE_M` and :data:`MAX_TIME_MIN`. Both
      components depend only on the release, because the original's own cells also limit what can
      be known.

    Squares have no natural corner. So ``density`` and ``flows`` are means over nine grids, shifted
    by i/9 of a side along x and 2i/9 along y. The score of each grid lies between ``lowest`` and
    ``highest``.

    With coarser and coarser nested generalizations, ``visits``, ``space`` and ``time`` cannot rise.
    ``density``, ``flows`` and ``mobility`` usually fall, but their definitions do not guarantee
    this. ``space`` and ``time`` do not show errors caused by noise or exchange; the other
    components do.

    Parameters
    ----------
    original, released : FingerprintSet
        Data with the same projection and epoch; the release may have fewer users. If the release
        has periods, its radii and visits are computed per record, because a recipient does not know
        which records belong to one person. Trips are still counted per person, without trips from
        one period to the next.
    weights : str, or mapping of component to weight
        "transport", "epidemics", "presence", "travel" or "research", or your own weights. Weights
        must not be negative or all 0; components not named have weight 0.
    areas : float, Hexagons or Regions, optional
        Analysis areas: the side of squares, metres; hexagons; or regions named in the antenna
        table. The squares of :meth:`Reference.of` if not given. Not used if ``reference`` is given.
    reference : Reference, optional
        Reference made from the original in advance, for use with many releases.

    Returns
    -------
    UtilityResult

    Raises
    ------
    ConfigError
        The weights' name or a component is unknown, or the weights are negative, not numbers or all
        0; the reference was made from other data; or the areas are of no known kind, too fine, or
        missing in these data.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid, generalize
    >>> x, y, t = [0, 9000, 300], [0, 0, 7000], [60, 600, 65]
    >>> fs = FingerprintSet.from_samples([1, 1, 2], x, y, t)
    >>> round(utility(fs, fs).score, 4)  # cells of 100 m and 1 min, and otherwise unchanged
    0.9991
    >>> wide = utility(fs, generalize(fs, GeneralizationProfile(Grid(5000), 480)))
    >>> round(wide.components["space"], 3), round(wide.components["time"], 3)
    (0.75, 0.667)
    """
    chosen = weighting(weights)
    if reference is None:
        reference = Reference.of(original, areas=areas)
    elif reference.digest != original.digest:
        raise ConfigError("The reference was made from other data; make it from the original data.")
    components, corners = measured(reference, released, _people(released))
    lowest, highest = score_range(components, corners, chosen)
    return UtilityResult(
        score=score(components, chosen),
        lowest=lowest,
        highest=highest,
        components=components,
        corners=corners,
        weights=chosen,
        areas=str(reference.ground),
        digest=reference.digest,
        released_digest=released.digest,
    )


def _people(released: FingerprintSet) -> int | None:
    """Return the number of people published in a release with periods; None for other data."""
    origin = released.origin if isinstance(released, ReleasedSet) else None
    if origin is None or origin.period is None:
        return None
    return len(np.unique(origin.person))


def measured(
    reference: Reference, released: FingerprintSet, people: int | None = None
) -> tuple[dict[str, float], Corners]:
    """Compare a release with the reference: return all components, and density and flows per grid.

    If several fingerprints belong to one person, ``people`` is the number of people by which trips
    are divided.
    """
    spread = Spread.of(released, people)
    grids = spread.on(reference)
    density, flows = [], []
    for corner, grid, mass in zip(
        reference.corners, grids, occupancies(released, spread, grids), strict=True
    ):
        density.append(_share(1 - jensen_shannon(corner.occupancy, mass)))
        theirs, others = trips_between(grid, corner.starts, corner.targets, spread)
        flows.append(_share(_common_part(corner.trips, theirs, others)))
    span_m, span_min = spans(released)
    parts = {
        "density": math.fsum(density) / len(density),
        "flows": math.fsum(flows) / len(flows),
        "mobility": 1 - _ks(reference.radii, radii(released)),
        "visits": 1 - _ks(reference.visits, visited(released)),
        "space": 1 - span_m / MAX_SPACE_M,
        "time": 1 - span_min / MAX_TIME_MIN,
    }
    corners = {"density": tuple(density), "flows": tuple(flows)}
    return {name: _share(float(value)) for name, value in parts.items()}, corners


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def score(components: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted mean of the components; exactly 1 if every weighted component is 1.

    Weights add up to 1. A component that is not applicable (NaN) counts as 0, because a purpose
    that needs it gets nothing.
    """
    kept = {name: components[name] for name in COMPONENTS if weights[name] > 0}
    lost = math.fsum(
        weights[name] * (1 - (0.0 if math.isnan(value) else value)) for name, value in kept.items()
    )
    return _share(1 - lost)


def score_range(
    components: Mapping[str, float], corners: Corners, weights: Mapping[str, float]
) -> tuple[float, float]:
    """Return the least and greatest score over the grids; NaN if ``corners`` is empty."""
    scores = [
        score({**components, **dict(zip(corners, values, strict=True))}, weights)
        for values in zip(*corners.values(), strict=True)
    ]
    return (min(scores), max(scores)) if scores else (math.nan, math.nan)


def _common_part(mine: FloatArray, theirs: FloatArray, others: float) -> float:
    """Return 1 − Σ|T − T'| / (ΣT + ΣT'): the common part, exactly 1 for equal trips."""
    total = float(mine.sum() + theirs.sum()) + others
    if total == 0:
        return 1.0  # no trips in either
    return 1 - (float(np.abs(mine - theirs).sum()) + others) / total


def _ks(a: FloatArray, b: FloatArray) -> float:
    with np.errstate(divide="ignore"):  # in the p-value of two single people, which is not used
        return float(ks_2samp(a, b, method="asymp").statistic)


Trips = tuple[IntArray, IntArray, FloatArray]

MAX_SPACE_M = 20_000.0
"""Mean spatial span at which ``space`` is 0, metres: the threshold of a complete stretch."""
MAX_TIME_MIN = 1_440.0
"""Mean temporal span at which ``time`` is 0, minutes: a span of a day hides the time of day."""

_MOST_ENTRIES = 5_000_000
_AT_ONCE = 50_000  # places whose hours are in memory at the same time


@dataclass(frozen=True, eq=False)
class Corner(Closed):
    """Original data laid over one grid of squares, or over other areas. Arrays are read-only.

    Attributes
    ----------
    laid : Laid
        Places of the original on the grid, with the areas that they use.
    occupancy : float64 ndarray (areas + 1, 24)
        Events by used area and local hour of the day; the last row holds events in no used area.
    starts, targets : int64 ndarray (areas + 1,), (n_pairs,)
        Trips from area i go to the areas ``targets[starts[i]:starts[i+1]]``.
    trips : float64 ndarray (n_pairs,)
        Number of trips per person.
    """

    laid: Laid
    occupancy: FloatArray
    starts: IntArray
    targets: IntArray
    trips: FloatArray


@dataclass(frozen=True, eq=False)
class Reference(Closed):
    """Figures of an original for comparison with its releases. Arrays are read-only.

    Attributes
    ----------
    ground : Ground
        Analysis areas; ``str`` describes them in words.
    corners : tuple of Corner
        Nine for squares, shifted by i/9 of a side along x and 2i/9 along y; one for other areas.
    radii : float64 ndarray (n_people,)
        Radius of gyration, metres.
    visits : float64 ndarray (n_people,)
        Number of distinct places.
    digest : str
        Digest of the original.
    """

    ground: Ground
    corners: tuple[Corner, ...]
    radii: FloatArray
    visits: FloatArray
    digest: str

    @cached_property
    def even(self) -> dict[str, float]:
        """Density and flows of a release that shows nothing about where people are.

        In such a release, people are spread evenly over all areas that the original uses, and over
        all hours. As many trips as in the original are spread evenly over all pairs of these areas.
        """
        density, flows = [], []
        for corner in self.corners:
            areas, total = len(corner.occupancy) - 1, float(corner.trips.sum())
            flat = np.ones_like(corner.occupancy)
            flat[-1] = 0.0
            density.append(_share(1 - jensen_shannon(corner.occupancy, flat)))
            each = total / max(1, areas * (areas - 1))
            flows.append(float(np.minimum(corner.trips, each).sum()) / total if total else 1.0)
        many = len(self.corners)
        return {"density": math.fsum(density) / many, "flows": math.fsum(flows) / many}

    @classmethod
    def of(cls, fs: FingerprintSet, *, areas: Areas = None) -> Reference:
        """Make the reference for a data set.

        Parameters
        ----------
        fs : FingerprintSet
        areas : float, Hexagons or Regions, optional
            Analysis areas: the side of squares, metres; hexagons; or regions named in the antenna
            table. If not given, squares are used whose side is 1, 2 or 5 times a power of ten
            metres. It is the largest side that fits 50 times along both sides of the box around the
            central 95% of the events. If the data's largest cell is larger, its side is used. One
            of the nine grids has a corner at the box's south-west corner.

        Raises
        ------
        ConfigError
            The areas are of no known kind, too fine, or missing in these data.
        """
        found = Spread.of(fs)
        where = ground(fs, areas, found.places)
        corners = tuple(_corners(fs, found, where))
        return cls(where, corners, radii(fs), visited(fs), fs.digest)


def _corners(fs: FingerprintSet, spread: Spread, where: Ground) -> list[Corner]:
    grids = used(where, spread.places)
    found = []
    for grid, mass in zip(grids, occupancies(fs, spread, grids), strict=True):
        starts, targets = _trip_table(grid, spread.trips, where)
        trips, _ = trips_between(grid, starts, targets, spread)
        found.append(Corner(grid, mass, starts, targets, trips))
    return found


# --- places, trips and figures of a data set ----------------------------------------------------


@dataclass(frozen=True, eq=False)
class Spread:
    """Places of a data set's samples and trips, before they are laid over areas.

    Attributes
    ----------
    places : Places
    place : int64 ndarray (n_samples,)
        Place of each sample.
    trips : (origin, goal, mass)
        Distinct pairs of places with trips between them, and the number of trips of each pair.
    subscribers : float
        Number of people that trips are divided by.
    """

    places: Places
    place: IntArray
    trips: Trips
    subscribers: float

    @classmethod
    def of(cls, fs: FingerprintSet, people: int | None = None) -> Spread:
        """Return the places and trips of a data set.

        Give the number of ``people`` if several fingerprints belong to one person.
        """
        places, place = Places.of(fs)
        subscribers = float(fs.weight.sum()) if people is None else float(people)
        return cls(places, place, _trips(fs, place), subscribers)

    def on(self, reference: Reference) -> list[Laid]:
        """Return the places, laid over the areas of the reference."""
        return laid(reference.ground, [c.laid for c in reference.corners], self.places)


def occupancies(fs: FingerprintSet, spread: Spread, grids: list[Laid]) -> list[FloatArray]:
    """Return, for each grid, the events by used area and local hour, shape (areas + 1, 24).

    The last row holds events in no used area.
    """
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
    """Return the Jensen–Shannon distance, base 2, of two histograms of any mass; in [0, 1]."""
    either = (p > 0) | (q > 0)
    with np.errstate(invalid="ignore"):  # rounding may bring a divergence of 0 below it
        distance = float(jensenshannon(p[either], q[either], base=2))
    return 0.0 if math.isnan(distance) else distance


def trips_between(
    grid: Laid, starts: IntArray, targets: IntArray, spread: Spread
) -> tuple[FloatArray, float]:
    """Return trips per person between each given pair of areas, and between all other pairs."""
    out = np.zeros(len(targets))
    total = match_trips(*spread.trips, grid, starts, targets, out)
    others = total - float(out.sum())
    # A remainder of rounding is not a trip.
    some = others / spread.subscribers if others > 1e-9 * total else 0.0
    return out / spread.subscribers, some


def radii(fs: FingerprintSet) -> FloatArray:
    """Return the radius of gyration of each person's events, (n_people,), metres to 3 decimals."""
    count = fs.count.astype(np.float64)
    events = np.add.reduceat(count, fs.offsets[:-1])
    square = np.zeros(fs.n_users)
    for corner, side in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)):
        middle = corner + side / 2
        mean = np.add.reduceat(count * middle, fs.offsets[:-1]) / events
        off = middle - mean[fs.sample_user]
        square += np.add.reduceat(count * off**2, fs.offsets[:-1]) / events
    # Rounded, so that a person who never moved has exactly 0.
    return np.repeat(np.round(np.sqrt(square), 3), fs.weight)


def visited(fs: FingerprintSet) -> FloatArray:
    """Return the number of distinct places of each person, float64 ndarray (n_people,)."""
    place = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)[1]
    once = distinct_rows(fs.sample_user, place)[0]
    places = np.bincount(fs.sample_user[once], minlength=fs.n_users)
    return np.repeat(places.astype(np.float64), fs.weight)


def spans(fs: FingerprintSet) -> tuple[float, float]:
    """Return the means over events of the spatial span (dx + dy)/2 (m) and time span (minutes)."""
    events = events_of(fs)
    space = np.average((fs.dx_m + fs.dy_m) / 2, weights=events)
    return float(space), float(np.average(fs.dt_min, weights=events))


# --- trips ---------------------------------------------------------------------------------------


def _trips(fs: FingerprintSet, place: IntArray) -> Trips:
    """Return the distinct pairs of places with trips between them, and the trips of each pair."""
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
    """Return the pairs of areas between which the original has trips, by area of departure."""
    areas = len(grid.keys)
    source, target = np.empty(0, np.int64), np.empty(0, np.int64)
    many = spread_trips(*trips[:2], grid, _MOST_ENTRIES, source, target)
    if many > _MOST_ENTRIES:
        raise ConfigError(
            f"Trips spread over more than {_MOST_ENTRIES:,} pairs of {where}; choose larger areas."
        )
    source, target = np.empty(many, np.int64), np.empty(many, np.int64)
    spread_trips(*trips[:2], grid, _MOST_ENTRIES, source, target)
    pairs = np.unique(source * areas + target)
    return offsets_of(np.bincount(pairs // areas, minlength=areas)), pairs % areas
