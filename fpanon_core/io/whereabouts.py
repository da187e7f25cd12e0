"""Where do positions lie, read one way or another: on land, near a town, in which zone?"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from tzfpy import get_tz

from ..model import geography
from ..model.arrays import BoolArray, FloatArray, IntArray
from .turns import Turn

NEAR_COAST_KM = 20.0
"""Positions at sea this near to a coast count as land: ferries, bridges, islets, rough outlines."""
NEARLY_ALL, HARDLY_ANY = 0.9, 0.1
_ANTARCTIC = -60.0  # degrees; nobody lives farther south but in stations
_TRIED_CLOCKS = 300
_AGREE_MIN = 60.0  # a border, or a summer time, away


class Clocks:
    """What the file itself says of its zone, on a few rows."""

    def __init__(self, offset_min: FloatArray, us: IntArray) -> None:
        told = np.flatnonzero(~np.isnan(offset_min) & (offset_min != 0))
        self.told = len(told) * 2 > len(offset_min)
        self.rows = told[:: max(1, len(told) // _TRIED_CLOCKS)] if self.told else told[:0]
        self.offset_min, self.us = offset_min[self.rows], us[self.rows]

    def there(self, lat: FloatArray, lon: FloatArray) -> FloatArray:
        """Minutes ahead of UTC that clocks show at the positions of those rows, then."""
        return np.array(
            [
                _offset_min(float(y), float(x), int(us))
                for y, x, us in zip(lat[self.rows], lon[self.rows], self.us, strict=True)
            ]
        )


@dataclass(frozen=True)
class Seen:
    """Where the positions lie when read one way.

    ``inhabited`` is False also where too many are no positions at all; ``town_km_low`` is what all
    but a tenth of the positions exceed.
    """

    turn: Turn
    possible: float
    land: float = 0.0
    antarctic: float = 0.0
    coast_km: float = 0.0
    town_km: float = np.inf
    town_km_low: float = np.inf
    town: str = ""
    clock_min: float = np.nan
    agreement: float = 0.0
    told: bool = False

    @classmethod
    def through(cls, turn: Turn, lat: FloatArray, lon: FloatArray, clocks: Clocks) -> Seen:
        """What is seen when the two numbers of each row are read that way."""
        lat, lon = turn.apply(lat, lon)
        can = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
        possible = float(can.mean())
        if possible < NEARLY_ALL:
            return cls(turn, possible)
        there = clocks.there(np.clip(lat, -90, 90), np.clip(lon, -180, 180))
        near = np.abs(there - clocks.offset_min) <= _AGREE_MIN
        lat, lon = lat[can], lon[can]
        ashore, coast_km = _ashore(lat, lon)
        town_km, which = geography.nearest_town(lat, lon)
        middle = np.argsort(town_km, kind="stable")[len(town_km) // 2]
        return cls(
            turn,
            possible,
            land=float(np.mean(ashore & (lat > _ANTARCTIC))),
            antarctic=float(np.mean(lat <= _ANTARCTIC)),
            coast_km=coast_km,
            town_km=float(town_km[middle]),
            town_km_low=float(np.quantile(town_km, HARDLY_ANY)),
            town=geography.town(int(np.bincount(which).argmax())),
            clock_min=float(np.median(there)) if len(there) else np.nan,
            agreement=float(near.mean()) if len(near) else 0.0,
            told=clocks.told,
        )

    @property
    def inhabited(self) -> bool:
        """More than a tenth of the positions are where people may live."""
        return self.possible >= NEARLY_ALL and self.land > HARDLY_ANY

    @property
    def ashore(self) -> bool:
        """Nearly all are."""
        return min(self.possible, self.land) >= NEARLY_ALL

    @property
    def agrees(self) -> bool:
        """The clocks there show what the file says, if it says anything."""
        return not self.told or self.agreement >= NEARLY_ALL


def _ashore(lat: FloatArray, lon: FloatArray) -> tuple[BoolArray, float]:
    """Which positions are on land or near it; how far the others typically are from a coast, km.

    Atolls too small for the outlines have waters with a zone of their own; the open sea has none.
    """
    ashore = geography.on_land(lat, lon)
    off = np.flatnonzero(~ashore)
    if not len(off):
        return ashore, 0.0
    far = geography.km_to_coast(lat[off], lon[off])
    near = far <= NEAR_COAST_KM
    for i in np.flatnonzero(~near):
        near[i] = not get_tz(float(lon[off[i]]), float(lat[off[i]])).startswith("Etc/")
    ashore[off[near]] = True
    return ashore, float(np.median(far[~near])) if (~near).any() else 0.0


def _offset_min(lat: float, lon: float, us: int) -> float:
    seconds = min(max(us / 1e6, 0.0), 2_145_916_800.0)  # 1970 … 2037, what zones are known for
    when = dt.datetime.fromtimestamp(seconds, ZoneInfo(get_tz(lon, lat) or "UTC"))
    ahead = when.utcoffset()
    assert ahead is not None
    return ahead.total_seconds() / 60
