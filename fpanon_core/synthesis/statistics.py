"""Eleven noisy statistics of the population over stated places and days.

Each person adds whole numbers to each statistic, with a sum of ``UNIT`` at most, whatever else is
in the data. OpenDP draws the noise. All later steps see the noisy statistics alone.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from ..aggregates.contributions import summed
from ..aggregates.smoothing import RINGS_KM, Noise, neighbours
from ..attacks.private import with_noise
from ..engines.work import Work
from ..kernels.person_statistics import Bins, add_statistics
from ..kernels.table_sums import UNIT, Seen
from ..model.arrays import Closed, FloatArray, IntArray, SmallInts
from ..model.count_tables import DAY_TYPES, TableFrame
from ..model.fingerprints import FingerprintSet
from ..model.synthetic_people import COUNTING, SHARES, NoisyStatistics

CLASS_KM = (1.2, 4.5, 10.0)
EVENTS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
PLACES = (2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0)
AT_HOME = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)
GAPS_MIN = (16.0, 61.0, 181.0, 481.0, 1441.0)
ROLES = ("home", "anchor", "other")
HOURS = 24
_LEAVES = 0.6  # leaves for each person, at ε = 1 for homes alone
_HALVINGS = 10  # so that there are 1,024 zones at most


@dataclass(frozen=True, eq=False, repr=False)
class Ground(Closed):
    """Public input of the statistics: a frame whose areas are its places, and zones of the places.

    Attributes
    ----------
    frame : TableFrame
    zone : int32 ndarray (n_places,)
        Zone of each place. Zones are groups of neighbouring places, made by median splits, and
        numbered so that zones with close numbers tend to be close to each other.
    x_m, y_m : float64 ndarray (n_places,)
        Centres of the places, in metres.
    """

    frame: TableFrame
    zone: SmallInts
    x_m: FloatArray
    y_m: FloatArray

    @classmethod
    def of(cls, frame: TableFrame) -> Ground:
        """Return the frame with its places divided into zones."""
        counts = frame.counts
        x, y = counts.x_m + counts.dx_m / 2, counts.y_m + counts.dy_m / 2
        zone = np.empty(len(x), np.int32)
        bounds = halved(len(x), _HALVINGS)
        zone[neighbours(x, y)] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        return cls(frame, zone, x, y)

    @property
    def n_zones(self) -> int:
        """Number of zones."""
        return int(self.zone.max()) + 1

    @property
    def possible_groups(self) -> frozenset[int]:
        """Numbers of leaves into which the tree of zones can be cut."""
        return frozenset(int(self.zones_in(1 << at).max()) + 1 for at in range(_HALVINGS + 1))

    def zones_in(self, leaves: int) -> SmallInts:
        """Return the leaf of each zone if the tree of zones is cut into about ``leaves`` leaves."""
        bounds = halved(self.n_zones, max(0, int(np.floor(np.log2(max(leaves, 1))))))
        return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)).astype(np.int32)


def halved(n: int, times: int) -> IntArray:
    """Return the bounds of the pieces of n ordered rows after ``times`` halvings.

    A piece of one row is not halved.
    """
    bounds = np.array([0, n])
    for _ in range(times):
        bounds = np.unique(np.concatenate([bounds, (bounds[:-1] + bounds[1:]) // 2]))
    return bounds


def shapes(ground: Ground) -> dict[str, tuple[int, ...]]:
    """Return the statistics' shapes by name, in the order in which their cells are stored."""
    rings = len(RINGS_KM) + 1
    return {
        "people": (1,),
        "homes": (ground.n_zones,),
        "visits": (ground.n_zones,),
        "roles": (len(ROLES), len(DAY_TYPES), HOURS),
        "records": (len(EVENTS) + 1, len(PLACES) + 1),
        "amounts": (2,),
        "rings": (len(CLASS_KM) + 1, 2, rings),
        "gaps": (2, len(GAPS_MIN) + 1),
        "days": (ground.frame.counts.days,),
        "radii": (rings,),
        "at_home": (len(AT_HOME) + 1,),
    }


def exact_statistics(
    fs: FingerprintSet, ground: Ground, **work: Unpack[Work]
) -> dict[str, IntArray]:
    """Return the sums of contributions before noise, at most ``UNIT`` per person and statistic.

    The sums are never published.
    """
    form = shapes(ground)
    sizes = [int(np.prod(shape)) for shape in form.values()]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    bins = Bins(
        ground.x_m,
        ground.y_m,
        ground.zone,
        1_000 * np.array(RINGS_KM),
        1_000 * np.array(CLASS_KM),
        np.array(EVENTS),
        np.array(PLACES),
        np.array(AT_HOME),
        np.array(GAPS_MIN),
        first,
    )
    sums, _ = summed(_statistics_in, sum(sizes), (bins,), fs, ground.frame, **work)
    cut = np.split(np.rint(sums).astype(np.int64), first[1:])
    parts = zip(form.items(), cut, strict=True)
    return {name: cells.reshape(shape) for (name, shape), cells in parts}


def _statistics_in(seen: Seen, cells: FloatArray, bins: Bins) -> float:
    add_statistics(seen, bins, cells)
    return 0.0


def noisy_statistics(
    exact: Mapping[str, IntArray], ground: Ground, epsilon: float, noise: Noise = with_noise
) -> NoisyStatistics:
    """Return the statistics of the population, with noise.

    The numbers of groups of zones and of classes of the radius of gyration follow from ε and the
    noisy number of people.

    Parameters
    ----------
    exact : mapping of str to int64 ndarray
        Result of :func:`exact_statistics`.
    ground : Ground
    epsilon : float
    noise : callable
        OpenDP's noise, or seeded noise in a study of attacks.
    """
    tables: dict[str, FloatArray] = {}

    def add(name: str, cells: IntArray) -> None:
        drawn = noise(cells.ravel(), UNIT, epsilon * SHARES[name]) / UNIT
        tables[name] = drawn.reshape(cells.shape)

    add("people", exact["people"])
    first = max(1.0, float(tables["people"][0]))
    leaf = leaves_for(ground, first, epsilon)
    classes = _classes(first * epsilon * SHARES["rings"])
    for name, cells in coarsened(exact, leaf, classes).items():
        if name != "people":
            add(name, cells)
    return NoisyStatistics(tables, leaf, epsilon)


def coarsened(exact: Mapping[str, IntArray], leaf: SmallInts, classes: int) -> dict[str, IntArray]:
    """Return the sums, with homes and visits by group of zones, and rings for ``classes`` classes.

    ``leaf`` is the group of each zone. ``classes`` is the number of classes of the radius of
    gyration: 1, 2 or 4.
    """
    found = dict(exact)
    for name in ("homes", "visits"):
        found[name] = np.bincount(leaf, exact[name]).astype(np.int64)
    first = np.arange(0, len(CLASS_KM) + 1, (len(CLASS_KM) + 1) // classes)
    found["rings"] = np.add.reduceat(exact["rings"], first)
    return found


def people_error(ground: Ground, epsilon: float, groups: int) -> float:
    """Return the standard deviation, in people, of the noise in :attr:`.NoisyStatistics.n_people`.

    It is computed from public numbers; ``groups`` is the number of groups of zones.
    """
    cells = {name: int(np.prod(shape)) for name, shape in shapes(ground).items()}
    cells["homes"] = groups
    weights = sum((epsilon * SHARES[name]) ** 2 / (2 * cells[name]) for name in COUNTING)
    return float(1 / np.sqrt(weights))


def leaves_for(ground: Ground, n_people: float, epsilon: float) -> SmallInts:
    """Return the leaf of each zone, with as many leaves as the noise on homes allows."""
    return ground.zones_in(int(_LEAVES * n_people * epsilon * SHARES["homes"]))


def _classes(expected: float) -> int:
    """Return the number of classes of radius that the noise allows."""
    return 4 if expected >= 1_000 else 2 if expected >= 300 else 1
