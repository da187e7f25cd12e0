"""A synthetic CDR table of any size, for trials and speed measurements.

The table shows how the tools behave on data of a known kind. It proves nothing about people. The
region comes from :mod:`.region`, and the people from :mod:`fpanon_core.kernels.synthetic_lives`.
Records are written user by user into arrays of their final size, so that memory holds little more
than the result.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..kernels.synthetic_lives import World, count_events, wander
from ..model import limits
from ..model.arrays import FloatArray
from ..model.clock import zone_of
from ..model.errors import ConfigError
from .region import REGION_TIMEZONE, Region, generate_region

DEFAULT_START = dt.date(2024, 3, 4)  # a Monday
_CHUNK_USERS = 20_000
_SLICE = 100_000
_ID_RANGE = 2**23
# Activity by hour of the day: a quiet night, a rise through the morning, a peak in the evening.
_WEEKDAY = "6 3 2 1.5 1.5 3 10 28 45 52 55 58 62 56 54 55 60 70 78 80 72 54 32 15"
_WEEKEND = "9 6 4 2.5 2 2 4 10 22 36 47 54 58 52 46 45 50 57 64 68 64 52 36 20"


def generate_cdr(
    n_users: int,
    *,
    days: int = 14,
    seed: int = 0,
    events_per_day: float = 4.5,
    activity_sigma: float = 1.0,
    start: dt.date = DEFAULT_START,
    region: Region | None = None,
) -> pd.DataFrame:
    """Generate synthetic call detail records of a fictitious region.

    Parameters
    ----------
    n_users : int
        Number of users; the records of each user do not depend on this number.
    days : int
        Length of the data, 1 to 366 days.
    seed : int
        Seed; the same seed gives the same table.
    events_per_day : float
        Mean number of events per user and day; every user has at least one event. The default gives
        about 60 samples (of 100 m and 1 min) per user in two weeks.
    activity_sigma : float
        Spread of the lognormal distribution of activity over users; 0 makes all users equally
        active.
    start : datetime.date
        First local day; by default a Monday.
    region : Region, optional
        Region where the users live; by default the region of the same seed, with 400 antennas.

    Returns
    -------
    DataFrame
        One row per event, by user, then by time. The columns are ``user_id`` (int32), ``timestamp``
        (to the second, in the region's time zone), ``lat``, ``lon`` (degrees, of the antenna),
        ``antenna_id`` (categorical). ``attrs["antennas"]`` holds the antenna table as a dict of
        columns; ``pandas.DataFrame(frame.attrs["antennas"])`` makes a table of it. (A table among
        the attrs would break ``pandas.concat``.) ``attrs["synthetic"]`` is True.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or ``start`` is not a date.

    Examples
    --------
    >>> cdr = generate_cdr(3, days=2, seed=1)
    >>> cdr.columns.tolist(), cdr["user_id"].nunique()
    (['user_id', 'timestamp', 'lat', 'lon', 'antenna_id'], 3)
    """
    whole = generate_cdr_chunks(
        n_users,
        chunk_users=n_users,
        days=days,
        seed=seed,
        events_per_day=events_per_day,
        activity_sigma=activity_sigma,
        start=start,
        region=region,
    )
    return next(whole)


def generate_cdr_chunks(
    n_users: int,
    *,
    chunk_users: int = _CHUNK_USERS,
    days: int = 14,
    seed: int = 0,
    events_per_day: float = 4.5,
    activity_sigma: float = 1.0,
    start: dt.date = DEFAULT_START,
    region: Region | None = None,
) -> Iterator[pd.DataFrame]:
    """Generate the table of :func:`generate_cdr` in pieces of ``chunk_users`` users.

    The pieces can be written to a file one by one. Concatenated, they equal the whole table,
    whatever the size of a piece.
    """
    limits.GENERATED_DAYS.check("days", days)
    limits.GENERATED_SEED.check("seed", seed)
    limits.EVENTS_A_DAY.check("events_per_day", events_per_day)
    limits.ACTIVITY_SIGMA.check("activity_sigma", activity_sigma)
    if not isinstance(start, dt.date):
        raise ConfigError(f"start is a {type(start).__name__}; give a datetime.date.")
    limits.GENERATED_USERS.check("n_users", n_users)
    limits.GENERATED_USERS.check("chunk_users", chunk_users)
    days, seed = int(days), int(seed)  # kernels count in 64 bits
    there = generate_region(seed) if region is None else region
    antennas, names = there.antennas, pd.Index(there.antennas["antenna_id"])
    places = there.x_m, there.y_m, np.cumsum(there.residents), _gravity(there)
    world = World(days, start.weekday(), _rhythm(days, start.weekday()), *places)
    midnight = dt.datetime(start.year, start.month, start.day, tzinfo=zone_of(REGION_TIMEZONE))

    def table(begin: int) -> pd.DataFrame:
        end = min(begin + chunk_users, n_users)
        counts = np.empty(end - begin, np.int64)
        count_events(begin, seed, float(events_per_day) * days, float(activity_sigma), counts)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        second = np.empty(offsets[-1], np.int64)
        place = np.empty(offsets[-1], np.int16)
        wander(world, begin, seed, offsets, second, place)
        second += int(midnight.timestamp())
        frame = pd.DataFrame(
            {
                "user_id": np.repeat(_user_ids(begin, end), counts),
                # Read as seconds since 1970 in UTC, without a copy.
                "timestamp": pd.DatetimeIndex(
                    second, dtype=pd.DatetimeTZDtype("s", REGION_TIMEZONE), copy=False
                ),
                "lat": _looked_up(antennas["lat"], place),
                "lon": _looked_up(antennas["lon"], place),
                "antenna_id": pd.Categorical.from_codes(place, names),
            },
            copy=False,
        )
        frame.attrs = {"antennas": antennas.to_dict("list"), "synthetic": True}
        return frame

    return map(table, range(0, n_users, chunk_users))


def _looked_up(column: pd.Series[float], place: npt.NDArray[np.int16]) -> FloatArray:
    """Return the antenna table's value for each row.

    The function works in slices, because numpy widens an index to 64 bits.
    """
    values, out = column.to_numpy(np.float64), np.empty(len(place))
    for begin in range(0, len(place), _SLICE):
        out[begin : begin + _SLICE] = values[place[begin : begin + _SLICE]]
    return out


def _gravity(region: Region) -> npt.NDArray[np.float32]:
    """Return the cumulative probability of the next place from each antenna.

    The probability is proportional to jobs over the square of (distance + 1 km).
    """
    # The added kilometre keeps neighbouring antennas from attracting everyone.
    apart = np.hypot(*(p[:, None] - p[None, :] for p in (region.x_m, region.y_m))) + 1000.0
    pull = region.jobs / apart**2
    np.fill_diagonal(pull, 0.0)
    pull = np.cumsum(pull, axis=1)
    pull /= pull[:, -1:]
    return pull.astype(np.float32)


def _rhythm(days: int, weekday: int) -> FloatArray:
    """Return the cumulative share of activity up to each hour of all days."""
    hours = [_WEEKDAY if (weekday + day) % 7 < 5 else _WEEKEND for day in range(days)]
    share = np.cumsum(np.fromstring(" ".join(hours), sep=" "))
    return np.asarray(share / share[-1])


def _user_ids(begin: int, end: int) -> npt.NDArray[np.int32]:
    """Return distinct ids that look like phone numbers and do not follow the users' order.

    An odd multiplier makes ``i → a·i + c mod 2^23`` a bijection (a linear congruence); every 2^23
    users have their own range. So the ids of the first eight million users have at most seven
    digits, and cannot be mistaken for dates or for seconds since 1970.
    """
    i = np.arange(begin, end, dtype=np.int64)
    scrambled = (i * 1_103_515_245 + 4_567_891) % _ID_RANGE
    return (i // _ID_RANGE * _ID_RANGE + scrambled).astype(np.int32)
