"""People who do not exist, and all that is learnt of those who do.

Source: docs/science.md, “Synthetic people with a promise”.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import pandas as pd

from .arrays import Closed, FloatArray, IntArray, SmallInts
from .count_tables import TableFrame
from .fingerprints import FingerprintSet
from .options import Synthesize

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "people": 0.01,
        "homes": 0.20,
        "visits": 0.30,
        "roles": 0.12,
        "records": 0.08,
        "amounts": 0.05,
        "rings": 0.08,
        "gaps": 0.03,
        "days": 0.03,
        "radii": 0.07,
        "at_home": 0.03,
    }
)
"""Statistics by name, in the order in which noise is drawn, with their shares of ε."""

MEANING: Mapping[str, str] = MappingProxyType(
    {
        "people": "people with a record in the frame",
        "homes": "homes by zone: the place with most events, nights counted three times",
        "visits": "places other than home by zone, as shares of a person's events away",
        "roles": "events at home, at the anchor and elsewhere, by type of day and hour",
        "records": "people by number of events and number of places",
        "amounts": "events and moves of a person, 128 at most",
        "rings": "distances from home to the anchor and to other places, by radius of gyration",
        "gaps": "times between two records, at the same place or after a move",
        "days": "events by day",
        "radii": "people by radius of gyration",
        "at_home": "people by share of events at home",
    }
)
"""What each statistic counts, in words."""


@dataclass(frozen=True, eq=False, repr=False)
class NoisyStatistics(Closed):
    """All that is learnt of the data. Arrays are read-only.

    Attributes
    ----------
    tables : mapping of str to float64 ndarray
        By name of the statistic, in people, noise included. Homes and visits are by leaf of
        ``leaf``; rings by class of radius, by anchor and others, by distance.
    leaf : int32 ndarray (n_zones,)
        Leaf of each zone.
    epsilon : float
    """

    tables: Mapping[str, FloatArray]
    leaf: SmallInts
    epsilon: float

    def __post_init__(self) -> None:
        self._close()
        for table in self.tables.values():
            table.flags.writeable = False

    @property
    def n_people(self) -> float:
        """Number of people by all statistics to which each adds 1, by inverse variance; 1 at least.

        Each of homes, records, radii and shares at home adds up to it, with the noise of its cells.
        """
        total = weights = 0.0
        for name in ("people", "homes", "records", "radii", "at_home"):
            table = self.tables[name]
            weight = 1.0 / (table.size * self.variance(name))
            total, weights = total + weight * float(table.sum()), weights + weight
        return max(1.0, total / weights)

    @property
    def groups(self) -> int:
        """Groups of neighbouring places in which homes and visits are told apart."""
        return int(self.leaf.max()) + 1

    def noise(self, name: str) -> float:
        """Scale of the noise on each number of a statistic, in people."""
        return 1.0 / (self.epsilon * SHARES[name])

    def variance(self, name: str) -> float:
        """Of the noise on each number of a statistic."""
        return 2.0 * self.noise(name) ** 2

    def to_frame(self) -> pd.DataFrame:
        """One row for each number: ``statistic``, ``cell``, ``people``, ``noise`` (its scale)."""
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
class SyntheticPeople(Closed):
    """Made-up people, from noisy statistics of real ones. Nobody in it exists.

    Attributes
    ----------
    people : FingerprintSet
        On the projection and the clock of the data, to be compared with them.
    place : int64 ndarray (n_samples,)
        Place of each of their samples in the frame.
    wall_min : float64 ndarray (n_samples,)
        Minutes on the frame's wall clock since its first midnight.
    statistics : NoisyStatistics
    frame : TableFrame
    option : Synthesize
    fault : str
        Why its ε promises nothing, as the records decided how they were read; "" where it holds.
    digest : str
        Of the original data; never published.
    """

    people: FingerprintSet
    place: IntArray
    wall_min: FloatArray
    statistics: NoisyStatistics
    frame: TableFrame
    option: Synthesize
    fault: str = ""
    digest: str = field(repr=False, default="")

    def __post_init__(self) -> None:
        self._close()

    @property
    def n_noisy(self) -> int:
        """Noisy number of people in the data; that in the frame whose records were used."""
        return round(self.statistics.n_people)

    @property
    def epsilon(self) -> float:
        """Of everything that was learnt, for everything about one person."""
        return self.option.epsilon

    @property
    def scale(self) -> float:
        """Synthetic people for each real one."""
        return self.people.n_users / self.n_noisy

    def __repr__(self) -> str:
        return f"SyntheticPeople({self.people.n_users:,} people, ε = {self.epsilon:g})"
