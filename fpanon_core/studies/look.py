"""A look at a release: its places, and the 2-gap of everyone in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Unpack

import numpy as np
import pandas as pd

from ..measures.crowds import visited_cells
from ..measures.kgap import k_gap
from ..model.arrays import FloatArray, IntArray
from ..model.checks import Checked, whole
from ..model.fingerprints import FingerprintSet
from ..model.limits import SEED
from ..model.options import ReleaseOption
from ..model.periods import PeriodSet
from ..model.projection import degrees_of
from .estimates import Growth, costs
from .releases import released
from .tabled import Work, nth_of, part_of

_RELEASING_SHARE = 0.4  # of the progress


@dataclass(frozen=True)
class Config(Checked):
    """The release to look at.

    Attributes
    ----------
    option : ReleaseOption
    seed : int
        Seed of the option's techniques.
    most_places : int
        Largest number of places shown; those with the most users are shown.
    """

    option: ReleaseOption = field(default_factory=ReleaseOption)
    seed: Annotated[int, SEED.check] = 0
    most_places: Annotated[int, partial(whole, least=1, of="places")] = 3_000


@dataclass(frozen=True, eq=False)
class Result:
    """The places and 2-gaps of a release.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the original data.
    bounds : float64 ndarray (n_places, 4)
        West, south, east, north of the published places with the most users, degrees; empty where
        the data have no projection.
    users : int64 ndarray (n_places,)
        Number of users in each place, the largest number first; given even where there are no
        bounds. With periods, each person counts once, however many records they have.
    left_out : int
        Number of places beyond those shown.
    gaps : float64 ndarray (n_users,)
        2-gap of everyone in the release; empty where there is only one user. With periods, 2-gap
        of every record among those of its period.
    """

    config: Config
    digest: str
    bounds: FloatArray
    users: IntArray
    left_out: int
    gaps: FloatArray


@costs(450, growth=Growth(powers=(1.5, 2.0), enough_s=2.0, alone_s=8.0))
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Make the release of an option; return its places, and the 2-gap of everyone in it.

    Parameters
    ----------
    fs : FingerprintSet
    config : Config
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.release`.
    """
    making, beyond = part_of(work, 0.0, _RELEASING_SHARE), part_of(work, _RELEASING_SHARE, 1.0)
    release = released(fs, config.option.steps, config.seed, **making)
    seen, periods = release.fs, release.periods
    person = None if periods is None else periods.person
    places = visited_cells(seen, person).sort_values("users", ascending=False, kind="stable")
    some = places.head(config.most_places)
    gaps = np.zeros(0)
    if periods is not None:
        gaps = _gaps_within(periods, beyond)
    elif seen.n_users > 1:
        gaps = k_gap(seen, 2, **beyond).values
    return Result(
        config=config,
        digest=fs.digest,
        bounds=_bounds(seen, some),
        users=some["users"].to_numpy(),
        left_out=len(places) - len(some),
        gaps=gaps,
    )


def _gaps_within(periods: PeriodSet, work: Work) -> FloatArray:
    """Return the 2-gap of each record among those of its period.

    Records of other periods do not hide a record, not even those of the same person. A record that
    is the only one of its period gets 1, the maximum.
    """
    gaps = np.ones(periods.pieces.n_users)
    numbers = periods.periods.tolist()
    for at, number in enumerate(numbers):
        rows = periods.rows_of(number)
        if len(rows) > 1:
            some = periods.pieces.subset(rows)
            gaps[rows] = k_gap(some, 2, **nth_of(work, at, len(numbers))).values
    return gaps


def _bounds(seen: FingerprintSet, places: pd.DataFrame) -> FloatArray:
    if seen.crs is None:
        return np.empty((0, 4))
    corner, side = places[["x_m", "y_m"]].to_numpy(), places[["dx_m", "dy_m"]].to_numpy()
    ends = np.column_stack([corner, corner + side])
    degrees = degrees_of(seen.crs, ends[:, 0], ends[:, 2], ends[:, 1], ends[:, 3])
    return np.asarray(degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy())
