"""Synthetic people, and the noisy statistics of real people from which they are made.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from .antennas import Antennas
from .arrays import Closed, FloatArray, IntArray, SmallInts
from .clock import LocalClock
from .count_tables import TableFrame
from .fingerprints import FingerprintSet, distinct_cells
from .options import Synthesize

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SHARES: Mapping[str, float] = MappingProxyType({n: each["share"] for n, each in _TABLE.items()})
"""Statistics by name, in the order in which noise is drawn, with their shares of ε."""

COUNTING = ("people", "homes", "records", "radii", "at_home")
"""Statistics to which each person adds exactly 1, so that their sums are numbers of people."""

MEANING: Mapping[str, str] = MappingProxyType({n: each["meaning"] for n, each in _TABLE.items()})
"""Meaning of each statistic, in words."""


@dataclass(frozen=True, eq=False, repr=False)
class NoisyStatistics(Closed):
    """All statistics taken from the data, with noise; arrays are read-only.

    Attributes
    ----------
    tables : mapping of str to float64 ndarray
        Table of noisy numbers of people for each statistic, by its name. Homes and visits are
        counted for each group of neighbouring zones. Rings are counted by class of radius of
        gyration, by kind of place (anchor or other) and by distance.
    leaf : int32 ndarray (n_zones,)
        Number of the group of each zone. A zone is a set of neighbouring places.
    epsilon : float
    """

    tables: Mapping[str, FloatArray]
    leaf: SmallInts
    epsilon: float

    @property
    def n_people(self) -> float:
        """Estimated number of people, at least 1: inverse-variance mean over :data:`COUNTING`."""
        total = weights = 0.0
        for name in COUNTING:
            table = self.tables[name]
            weight = 1.0 / (table.size * self.variance(name))
            total, weights = total + weight * float(table.sum()), weights + weight
        return max(1.0, total / weights)

    @property
    def groups(self) -> int:
        """Number of groups of neighbouring zones, the finest detail of homes and visits."""
        return int(self.leaf.max()) + 1

    def noise(self, name: str) -> float:
        """Return the scale of the noise on each number of a statistic, in people."""
        return 1.0 / (self.epsilon * SHARES[name])

    def variance(self, name: str) -> float:
        """Return the variance of the noise on each number of a statistic."""
        return 2.0 * self.noise(name) ** 2

    def to_frame(self) -> pd.DataFrame:
        """Return a row per cell: ``statistic``, ``cell``, ``people``, ``noise`` (the scale)."""
        rows = [
            pd.DataFrame(
                {
                    "statistic": name,
                    "cell": np.arange(table.size),
                    "people": table.ravel(),
                    "noise": self.noise(name),
                }
            )
            for name, table in self.tables.items()
        ]
        return pd.concat(rows, ignore_index=True)


@dataclass(frozen=True, eq=False, repr=False)
class Placing(Closed):
    """A frame's places and minutes, converted to the projection and the clock of the data.

    Attributes
    ----------
    x_m, y_m : float64 ndarray (n_places,)
        Lower corners of the places.
    before_min : float
        Elapsed minutes from the frame's epoch to the data's.
    clock, crs, antennas
        Attributes of the data.
    """

    x_m: FloatArray
    y_m: FloatArray
    before_min: float
    clock: LocalClock | None
    crs: str | None
    antennas: Antennas | None


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticPeople(Closed):
    """Invented people, made from noisy statistics of real ones.

    Attributes
    ----------
    offsets : int64 ndarray (n_made + 1,)
        Events of person i are rows ``offsets[i]:offsets[i+1]``, by time, then by place.
    place, wall_min : int32 ndarray (n_events,)
        Place in the frame, and minutes on its wall clock since the first midnight.
    statistics : NoisyStatistics
    frame : TableFrame
    option : Synthesize
    placing : Placing
    fault : str
        Reason why ε promises nothing: the records affected how the data were read. "" where the
        promise holds.
    digest : str
        Digest of the original data; never published.
    """

    offsets: IntArray
    place: SmallInts
    wall_min: SmallInts
    statistics: NoisyStatistics
    frame: TableFrame
    option: Synthesize
    placing: Placing
    fault: str = ""
    digest: str = field(repr=False, default="")

    @property
    def n_made(self) -> int:
        """Number of synthetic people."""
        return len(self.offsets) - 1

    @cached_property
    def people(self) -> FingerprintSet:
        """The synthetic people on the data's projection and clock, for comparison with the data."""
        user = np.repeat(np.arange(self.n_made), np.diff(self.offsets))
        columns = user, self.wall_min.astype(np.float64), self.place.astype(np.float64)
        offsets, (wall_min, place), count = distinct_cells([columns], self.n_made, (1.0, 1.0))
        at, counts, here = place.astype(np.int64), self.frame.counts, self.placing
        t_min = wall_min if counts.clock is None else counts.clock.elapsed_minutes(wall_min)
        return FingerprintSet(
            user_ids=np.arange(1, self.n_made + 1),
            offsets=offsets,
            x_m=here.x_m[at],
            y_m=here.y_m[at],
            t_min=t_min - here.before_min,
            dx_m=counts.dx_m[at],
            dy_m=counts.dy_m[at],
            dt_min=np.ones(len(at)),
            count=count,
            granularity_m=float(counts.dx_m.min()),
            clock=here.clock,
            crs=here.crs,
            antennas=here.antennas,
        )

    @property
    def n_noisy(self) -> int:
        """Noisy number of real people with a record in the frame."""
        return round(self.statistics.n_people)

    @property
    def epsilon(self) -> float:
        """ε of all statistics together, for everything about one person."""
        return self.option.epsilon

    @property
    def scale(self) -> float:
        """Number of synthetic people per real one."""
        return self.n_made / self.n_noisy

    def __repr__(self) -> str:
        return f"SyntheticPeople({self.n_made:,} people, ε = {self.epsilon:g})"
