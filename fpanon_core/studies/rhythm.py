"""Times between people's samples, and numbers of antennas where people live.

De Montjoye et al. 2013 describe their data in this way (figures 3B and 3C).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Unpack

import numpy as np
import pandas as pd

from ..attacks.homes import true_homes
from ..engines.progress import tell
from ..measures.unicity import antennas_by_area, intervals
from ..model.checks import ABOVE_0, Checked
from ..model.fingerprints import FingerprintSet
from ..model.homes import Areas, Intervals
from .tabled import Tabled, Work


@dataclass(frozen=True)
class Config(Checked):
    """Size of the areas.

    Attributes
    ----------
    side_m : float or None
        Side of the squares, metres; None for a side that suits the extent of the places.
    """

    side_m: Annotated[float | None, ABOVE_0] = None


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Times between samples, and numbers of antennas and residents by square.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data.
    intervals : Intervals
        Minutes between consecutive samples of a person.
    areas : Areas
        Antennas and residents by square.
    antennas : bool
        Whether the data have a table of antennas; otherwise the recorded places replace the
        antennas.
    pseudonyms : tuple of str
        Pseudonyms of everyone in ``intervals``.
    """

    config: Config
    digest: str
    intervals: Intervals
    areas: Areas
    antennas: bool
    pseudonyms: tuple[str, ...] = field(repr=False)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables ``median_intervals``, ``intervals`` and ``antennas_by_area``.

        ``median_intervals`` has a row per person, ``intervals`` the quantiles of everyone's
        intervals. ``antennas_by_area`` has a row per square, with ``antennas``, or ``places`` where
        the data have no antennas.
        """
        apart, areas = self.intervals, self.areas
        people = {"pseudonym": list(self.pseudonyms), "median_min": apart.median_min}
        share = np.linspace(0, 1, len(apart.interval_min))
        squares = {
            "x_m": areas.x_m,
            "y_m": areas.y_m,
            "side_m": areas.side_m,
            "people": areas.people,
            "antennas" if self.antennas else "places": areas.antennas,
        }
        return {
            "median_intervals": pd.DataFrame(people),
            "intervals": pd.DataFrame({"share": share, "interval_min": apart.interval_min}),
            "antennas_by_area": pd.DataFrame(squares),
        }


def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Measure times between consecutive samples; count antennas and residents by square.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0] * 3, [5, 65, 70])
    >>> found = study(fs, Config(1_000))
    >>> found.intervals.median_min.tolist(), found.areas.people.tolist()
    ([60.0], [2])
    """
    homes = true_homes(fs)
    apart = intervals(fs)
    tell(work.get("progress"), 1.0)
    return Result(
        config=config,
        digest=fs.digest,
        intervals=apart,
        areas=antennas_by_area(fs, homes.x_m, homes.y_m, config.side_m),
        antennas=fs.antennas is not None,
        pseudonyms=tuple(np.array(fs.pseudonyms)[apart.user].tolist()),
    )
