"""An invented region with its antennas, where the people of the synthetic data live.

The region has one city with suburbs, five towns, and villages. It measures 120 × 90 km. The region
is divided into districts, and districts are divided into municipalities. **Everything in it is
fictitious**: it lies on the empty Tanezrouft plain of the Sahara, hundreds of kilometres from any
town. So no place or person in the region can be mistaken for a real one. Names are
combined from syllables. The plain keeps one offset from UTC all year.

As in real networks, most antennas stand where people are. The number of antennas grows less than in
proportion to people, so a city mast serves more people than a village mast. The other antennas form
a thin, even cover.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..model import limits
from ..model.arrays import FloatArray
from ..model.projection import equal_area_around, lon_lat

REGION_TIMEZONE = "Africa/Algiers"
_CENTRE_LAT, _CENTRE_LON = 24.0, 1.0
_HALF_WIDTH_M, _HALF_HEIGHT_M = 60_000.0, 45_000.0
_TOWNS, _SUBURBS, _VILLAGES = 5, 5, 25
_PEOPLE_DRAWN = 60_000
# Share of residents, and spread (m), of the settlements; the rest of the people live scattered.
_CITY_SHARE, _CITY_SPREAD_M = 0.42, 3200.0
_SUBURB_SHARE, _SUBURB_SPREAD_M = 0.15, 1800.0
_TOWN_SHARE, _TOWN_SPREAD_M = 0.26, 1600.0
_VILLAGE_SHARE, _VILLAGE_SPREAD_M = 0.14, 700.0
_COVER_SHARE = 0.15
_SPACING_M = 400.0
# Jobs and amenities are more concentrated than homes.
_JOBS_POWER = 1.25
_HEADS = "Bel Cor Dra Fen Gal Hol Is Kel Lor Mer Nev Or Pel Quen Ros Sel Tor Ul Vin Wes"
_TAILS = "avar emir idal oska unne endra issin orwel asca imont"


@dataclass(frozen=True, eq=False)
class Region:
    """A fictitious region.

    Attributes
    ----------
    antennas : DataFrame
        One row per antenna: ``antenna_id``, ``lat``, ``lon`` (degrees), ``municipality``,
        ``district``. Every municipality lies in one district.
    x_m, y_m : float64 ndarray (n_antennas,)
        The same positions in the region's own equal-area projection, in metres.
    residents, jobs : float64 ndarray (n_antennas,)
        Share of the residents, and of the jobs and amenities, nearest to each antenna.
    seed : int
    """

    antennas: pd.DataFrame
    x_m: FloatArray
    y_m: FloatArray
    residents: FloatArray
    jobs: FloatArray
    seed: int


def generate_region(seed: int = 0, *, n_antennas: int = 400) -> Region:
    """Generate a fictitious region of a city, towns and villages, with its antennas.

    Parameters
    ----------
    seed : int
        Seed; the same seed gives the same region.
    n_antennas : int
        Number of antennas, 20 to 4,000.

    Raises
    ------
    ConfigError
        A parameter is out of its range.

    Examples
    --------
    >>> generate_region(seed=1, n_antennas=50).antennas.columns.tolist()
    ['antenna_id', 'lat', 'lon', 'municipality', 'district']
    """
    limits.GENERATED_SEED.check("seed", seed)
    limits.GENERATED_ANTENNAS.check("n_antennas", n_antennas)
    rng = np.random.default_rng([seed, 0x7E6])
    seats = _seats(rng)
    people = _people(seats, rng)
    masts = _masts(people, n_antennas, rng)
    masts = masts[np.lexsort((masts[:, 0], -masts[:, 1]))]
    served = np.bincount(cKDTree(masts).query(people)[1], minlength=n_antennas)
    residents = served / served.sum()
    jobs = residents**_JOBS_POWER
    municipality = cKDTree(seats).query(masts)[1]
    district = cKDTree(seats[: 1 + _TOWNS]).query(seats)[1]
    names = _names(len(seats) + 1 + _TOWNS, rng)
    lon, lat = lon_lat(equal_area_around(_CENTRE_LAT, _CENTRE_LON), *masts.T)
    antennas = pd.DataFrame(
        {
            "antenna_id": [f"A{number:04d}" for number in range(1, n_antennas + 1)],
            "lat": np.round(lat, 5),
            "lon": np.round(lon, 5),
            "municipality": names[municipality],
            "district": names[len(seats) + district[municipality]],
        }
    )
    return Region(
        antennas, masts[:, 0].copy(), masts[:, 1].copy(), residents, jobs / jobs.sum(), int(seed)
    )


def _seats(rng: np.random.Generator) -> FloatArray:
    """Return the centres of the city, towns, suburbs and villages, in this order, in metres."""
    size = np.array([_HALF_WIDTH_M, _HALF_HEIGHT_M])
    seats = [rng.uniform(-0.15, 0.15, 2) * size]
    _settle(seats, _TOWNS, 0.85 * size, 24_000.0, rng)
    for angle in np.arange(_SUBURBS) * (2 * np.pi / _SUBURBS) + rng.uniform(0, 2 * np.pi):
        reach = rng.uniform(7000.0, 10_000.0)
        seats.append(seats[0] + reach * np.array([np.cos(angle), np.sin(angle)]))
    _settle(seats, _VILLAGES, 0.95 * size, 8_000.0, rng)
    return np.array(seats)


def _settle(
    seats: list[FloatArray], number: int, size: FloatArray, apart_m: float, rng: np.random.Generator
) -> None:
    """Append random settlements, at least ``apart_m`` from all others if there is room."""
    for _ in range(number):
        spot = rng.uniform(-1, 1, 2) * size
        while np.hypot(*(np.array(seats) - spot).T).min() < apart_m:
            spot = rng.uniform(-1, 1, 2) * size
            apart_m *= 0.995
        seats.append(spot)


def _people(seats: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw the homes of a sample of the people, in metres; the shape is (_PEOPLE_DRAWN, 2)."""
    rank = 1.0 / np.arange(1, _TOWNS + 1)  # Zipf: the second town has half the people of the first
    share = np.concatenate(
        [
            [_CITY_SHARE],
            _TOWN_SHARE * rank / rank.sum(),
            np.full(_SUBURBS, _SUBURB_SHARE / _SUBURBS),
            np.full(_VILLAGES, _VILLAGE_SHARE / _VILLAGES),
        ]
    )
    spread_m = np.repeat(
        [_CITY_SPREAD_M, _TOWN_SPREAD_M, _SUBURB_SPREAD_M, _VILLAGE_SPREAD_M],
        [1, _TOWNS, _SUBURBS, _VILLAGES],
    )
    size = np.array([_HALF_WIDTH_M, _HALF_HEIGHT_M])
    where = np.searchsorted(np.cumsum(share), rng.random(_PEOPLE_DRAWN), side="right")
    settled = where < len(seats)
    spots = rng.uniform(-1, 1, (_PEOPLE_DRAWN, 2)) * size
    near = rng.standard_normal((_PEOPLE_DRAWN, 2))
    spots[settled] = seats[where[settled]] + near[settled] * spread_m[where[settled], None]
    return np.asarray(np.clip(spots, -size, size))


def _masts(people: FloatArray, number: int, rng: np.random.Generator) -> FloatArray:
    """Choose the antenna sites, in metres: most at people's homes, the others as an even cover.

    Sites are kept apart from each other.
    """
    size = np.array([_HALF_WIDTH_M, _HALF_HEIGHT_M])
    sites = np.empty((number, 2))
    cover = round(_COVER_SHARE * number)
    for begin, end, candidates, apart_m in (
        (0, cover, rng.uniform(-1, 1, (4000, 2)) * size, 0.7 * np.sqrt(4 * size.prod() / cover)),
        (cover, number, rng.permutation(people), _SPACING_M),
    ):
        filled, tried = begin, 0
        while filled < end:
            spot = candidates[tried % len(candidates)]
            if filled == 0 or np.hypot(*(sites[:filled] - spot).T).min() >= apart_m:
                sites[filled] = spot
                filled += 1
            else:
                apart_m *= 0.999
            tried += 1
    return sites


def _names(number: int, rng: np.random.Generator) -> npt.NDArray[np.object_]:
    """Return distinct invented place names."""
    every = [head + tail for head in _HEADS.split() for tail in _TAILS.split()]
    return np.asarray(rng.permutation(np.array(every, dtype=object))[:number])
