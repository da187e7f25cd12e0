"""Tables over all people: presence in each area, and trips between areas.

Neither table contains anybody's record. Their areas, days and time bands are stated and public
(:class:`TableFrame`), so that no record affects the layout of the tables.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import sparse  # type: ignore[import-untyped,unused-ignore]

from .arrays import Closed, FloatArray, IntArray
from .counts_frame import CountsFrame, FrameConfig
from .options import Tables

DAY_TYPES = ("weekday", "weekend")

PUBLISHED_DIGITS = 3
"""Decimal places of published numbers of people and trips."""


@dataclass(frozen=True, eq=False, repr=False)
class TableFrame(Closed):
    """The public areas and days of a table. Arrays are read-only.

    Attributes
    ----------
    counts : CountsFrame
        Places and period.
    area : int64 ndarray (n_places,)
        Area of each place.
    names : tuple of str
        Names of the areas.
    day_type : int64 ndarray (days,)
        0 for Monday to Friday, 1 for a weekend. Without a calendar, the first day counts as a
        Monday.
    config : FrameConfig
        Stated parameters.
    outlines : mapping of str to str
        Polygons of areas that were given as polygons, by name, in degrees, as hexadecimal WKB.
    weight : float64 ndarray (n_places,)
        Relative number of people expected at each place: stated residents divided by their mean, at
        least 0.1. It is 1 for every place if no residents are stated.
    """

    counts: CountsFrame
    area: IntArray
    names: tuple[str, ...]
    day_type: IntArray
    config: FrameConfig
    outlines: Mapping[str, str] = field(default_factory=dict)
    weight: FloatArray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if len(self.weight) == 0:
            object.__setattr__(self, "weight", np.ones(len(self.area)))
        self._close()

    @property
    def n_areas(self) -> int:
        """Number of areas."""
        return len(self.names)

    @property
    def days(self) -> IntArray:
        """Number of days of each type, shape (2,)."""
        return np.bincount(self.day_type, minlength=len(DAY_TYPES))

    @property
    def day_types(self) -> int:
        """Number of day types that occur in the period."""
        return int((self.days > 0).sum())

    @property
    def share(self) -> FloatArray:
        """Share of an area's people at each place if its places get equal shares, (n_places,)."""
        return np.asarray(1.0 / np.bincount(self.area)[self.area])


def hides_hours(values: FloatArray, frame: TableFrame, option: Tables) -> bool:
    """Return whether a private table shows no difference between hours in any area.

    Each area then has one published number for all bands, on each type of day. This happens if
    the noise exceeds the differences. ``values`` (n_areas, 2, bands) are the published numbers of
    people.
    """
    shown = np.round(values[:, frame.days > 0], PUBLISHED_DIGITS)
    several = option.epsilon is not None and shown.shape[2] > 1
    return several and bool((shown == shown[:, :, :1]).all())


def hides_days(values: FloatArray, frame: TableFrame, option: Tables) -> bool:
    """Return whether a private table shows no difference between weekdays and weekends."""
    shown = np.round(values, PUBLISHED_DIGITS)
    both = option.epsilon is not None and bool((frame.days > 0).all())
    return both and bool((shown[:, 0] == shown[:, 1]).all())


def has_one_profile(values: FloatArray, frame: TableFrame, option: Tables) -> bool:
    """Return whether the areas of a private table differ only by one factor each.

    All areas then have the same profile over hours and types of day, up to published rounding.
    """
    shown = np.round(values[:, frame.days > 0], PUBLISHED_DIGITS).reshape(len(values), -1)
    same = np.outer(shown.sum(axis=1), shown.sum(axis=0)) / max(float(shown.sum()), 1e-9)
    apart = np.abs(shown - same).max(initial=0.0)
    several = option.epsilon is not None and min(shown.shape) > 1
    return several and bool(apart < 2 * 10.0**-PUBLISHED_DIGITS)


@dataclass(frozen=True, eq=False, repr=False)
class PresenceTable(Closed):
    """Mean number of people per day, by area, type of day and band of hours.

    Attributes
    ----------
    values : float64 ndarray (n_areas, 2, bands)
        Numbers of people; NaN where a count is below the threshold and therefore blank.
    error : float
        Upper bound on the expected absolute error (people) that noise causes in a cell; 0 without
        noise.
    frame : TableFrame
    protection : Tables
        Release option that made the table.
    scale_error : float
        Expected relative error of ``of_share``, the factor common to all cells; 0 without noise.
    of_share : float
        Factor that converts the sum of people's bounded contributions into a number of people; 1
        without noise.
    """

    values: FloatArray
    error: float
    frame: TableFrame
    protection: Tables
    scale_error: float = 0.0
    of_share: float = 1.0

    @property
    def hours_hidden(self) -> bool:
        """Whether a private table shows no difference between hours."""
        return hides_hours(self.values, self.frame, self.protection)

    @property
    def days_hidden(self) -> bool:
        """Whether a private table shows no difference between weekdays and weekends."""
        return hides_days(self.values, self.frame, self.protection)

    @property
    def one_profile(self) -> bool:
        """Whether the areas of a private table all have the same profile over the week."""
        return has_one_profile(self.values, self.frame, self.protection)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each cell: ``area``, ``day``, ``from_hour``, ``people``."""
        area, day, band = (axis.ravel() for axis in np.indices(self.values.shape))
        return pd.DataFrame(
            {
                "area": np.array(self.frame.names, object)[area],
                "day": np.array(DAY_TYPES, object)[day],
                "from_hour": band * (24 / self.values.shape[2]),
                "people": self.values.ravel(),
            }
        )


@dataclass(frozen=True, eq=False, repr=False)
class FlowTable(Closed):
    """Mean number of trips per day from area to area, by type of day.

    Attributes
    ----------
    cells : int64 ndarray (3, n)
        Origin, destination and type of day of each flow.
    trips : float64 ndarray (n,)
        Trips of each flow. Flows that are not listed are 0, or are blank because they are below a
        threshold.
    error : float64 ndarray (2,)
        Expected absolute error (trips a day) that noise causes in a cell, by type of day; 0 without
        noise.
    frame : TableFrame
    protection : Tables
    """

    cells: IntArray
    trips: FloatArray
    error: FloatArray
    frame: TableFrame
    protection: Tables

    @property
    def by_day(self) -> FloatArray:
        """Trips of all flows together on a day of each type, shape (2,)."""
        return np.bincount(self.cells[2], self.trips, len(DAY_TYPES)).astype(np.float64)

    @property
    def values(self) -> sparse.coo_array:
        """Trips by origin, destination and type of day, as a sparse array (n_areas, n_areas, 2)."""
        shape = (self.frame.n_areas, self.frame.n_areas, len(DAY_TYPES))
        return sparse.coo_array((self.trips, tuple(self.cells)), shape=shape)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each stored cell: ``origin``, ``destination``, ``day``, ``trips``."""
        origin, destination, day = self.cells
        names = np.array(self.frame.names, object)
        return pd.DataFrame(
            {
                "origin": names[origin],
                "destination": names[destination],
                "day": np.array(DAY_TYPES, object)[day],
                "trips": self.trips,
            }
        )


@dataclass(frozen=True, eq=False)
class CountTables(Closed):
    """Tables that a release option makes from the data.

    Attributes
    ----------
    option : Tables
    presence : PresenceTable or None
    flows : FlowTable or None
    fault : str
        Reason why ε promises nothing: the records affected how the data were read. "" if the
        promise holds.
    digest : str
        Digest of the original data; never published.
    """

    option: Tables
    presence: PresenceTable | None
    flows: FlowTable | None
    fault: str = ""
    digest: str = field(repr=False, default="")

    @property
    def frame(self) -> TableFrame:
        """Areas and days of the tables."""
        table = self.presence if self.presence is not None else self.flows
        assert table is not None
        return table.frame
