"""Detection of latitudes and longitudes that were probably exchanged or lost their sign.

Latitude and longitude in the wrong order, and degrees west or south without their sign, are the
commonest faults of a table of positions. Figures computed from such positions are wrong, but look
plausible. The faults are detected from where the positions lie: whether on land or near a town, and
in which time zone (docs/science.md, "Samples and fingerprints"). The user is asked before anything
is changed.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from tzfpy import get_tz

from ..model import geography
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.errors import SchemaError
from .report import OtherReading, PositionDoubt
from .search import Roles
from .turns import AS_THEY_ARE, TURNS, Turn, said_of

FAR_FROM_TOWNS_KM, NEAR_TOWN_KM = 60.0, 25.0
_MOST_READINGS = 3
ASK = "ask"
"""Value of ``positions`` with which reading stops at a doubt."""


class DoubtfulPositions(SchemaError):
    """Signal that a person should check the positions before any measurement; see ``doubt``."""

    def __init__(self, doubt: PositionDoubt) -> None:
        super().__init__(doubt.message)
        self.doubt = doubt


def doubt_of(
    lat: FloatArray, lon: FloatArray, offset_min: FloatArray, us: IntArray
) -> PositionDoubt | None:
    """Return what makes the positions doubtful; None if nothing does.

    Parameters
    ----------
    lat, lon : float64 ndarray (n,)
        The two numbers of each row, as read; they need not be possible degrees. At least one row is
        needed.
    offset_min : float64 ndarray (n,)
        Minutes ahead of UTC according to the file. NaN where the file states none or states 0,
        because programs without a time zone also write 0.
    us : int64 ndarray (n,)
        Time of each row, microseconds since 1970; precision to the day suffices.
    """
    clocks = Clocks(offset_min, us)
    now = Seen.through(TURNS[AS_THEY_ARE], lat, lon, clocks)
    if now.inhabited and clocks.told and now.agreement > HARDLY_ANY:
        return None
    found = _faults(now, clocks)
    remote = now.town_km_low > FAR_FROM_TOWNS_KM
    if now.inhabited and not (found or remote):
        return None
    seen = {
        name: Seen.through(turn, lat, lon, clocks)
        for name, turn in TURNS.items()
        if turn.changes and turn.explains(lat, lon, NEARLY_ALL)
    }
    others = {name: each for name, each in seen.items() if each.ashore and each.agrees}
    if not others and not now.inhabited:  # the clocks may be those of an office elsewhere
        others = {name: each for name, each in seen.items() if each.ashore}
    if now.inhabited:  # then only a reading that makes far more sense counts
        nearer = np.inf if found and now.town_km > NEAR_TOWN_KM else NEAR_TOWN_KM
        others = {name: each for name, each in others.items() if each.town_km <= nearer}
    if not others and (not found or now.possible < NEARLY_ALL):
        return None  # in metres, say: no answer to this question would help
    readings = tuple(_other(name, others[name], clocks) for name in _likeliest(others))
    mirror = (
        f"Nearly all positions are more than {FAR_FROM_TOWNS_KM:.0f} km from any larger town. The "
        f"nearest is typically {now.town}, {now.town_km:,.0f} km away; the time zone is {now.zone}."
    )
    return PositionDoubt(tuple(found) or (mirror,), readings, bool(found and readings))


def as_chosen(roles: Roles, turn: Turn) -> list[str]:
    """Apply the chosen way of reading positions to the roles, and return notes."""
    if turn.exchanged and "lat" in roles.where and "lon" in roles.where:
        at = roles.where
        at["lat"], at["lon"] = at["lon"], at["lat"]
        roles.found["lat"] = roles.found["lon"] = "given"
    return [f"Chosen reading of the positions: {said_of(turn)}."]


# --- in words -------------------------------------------------------------------------------------


def _faults(now: Seen, clocks: Clocks) -> list[str]:
    if now.possible < NEARLY_ALL:
        return [
            f"{(1 - now.possible) * 100:.0f}% of the positions are impossible: latitudes end at "
            "90°, and longitudes at 180°."
        ]
    found = []
    if not now.inhabited:
        all_of_them = "All" if now.land == 0 else "Nearly all"
        where = f"in the sea, typically {now.coast_km:,.0f} km from the nearest coast"
        if now.antarctic >= 0.5:
            where = "in or around Antarctica, where nobody lives"
        found.append(f"{all_of_them} positions lie {where}.")
    if now.agreement <= HARDLY_ANY:
        own = float(np.median(clocks.offset_min))
        found.append(
            f"The file's own times are in UTC{_clock(own)}, but clocks at these positions show "
            f"UTC{_clock(now.clock_min)}."
        )
    return found


def _likeliest(others: dict[str, Seen]) -> list[str]:
    """Return the names of the readings to offer: nearest to a town first, then the simplest."""
    nearest = min((s.town_km for s in others.values()), default=np.inf)
    some = [n for n, s in others.items() if nearest > 50 or s.town_km <= 100]
    some.sort(key=lambda n: (others[n].town_km // 50, others[n].turn.changes, others[n].town_km))
    return some[:_MOST_READINGS]


def _other(name: str, seen: Seen, clocks: Clocks) -> OtherReading:
    near = "near" if seen.town_km <= NEAR_TOWN_KM else f"{seen.town_km:,.0f} km from"
    why = f"the positions then lie on land, {near} {seen.town}"
    if clocks.told and seen.agrees:
        why += f", where clocks show UTC{_clock(seen.clock_min)}, as in the file"
    else:
        why += f" (time zone {seen.zone})"
    title = said_of(seen.turn)
    return OtherReading(name, title[0].upper() + title[1:], why)


def _clock(minutes: float) -> str:
    hours, rest = divmod(round(abs(minutes)), 60)
    return f"{'−' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


NEAR_COAST_KM = 20.0
"""Positions at sea this near a coast count as land: ferries, bridges, islets, rough outlines."""
NEARLY_ALL, HARDLY_ANY = 0.9, 0.1
_ANTARCTIC = -60.0  # degrees; nobody lives farther south except in stations
_TRIED_CLOCKS = 300
_AGREE_MIN = 60.0  # the effect of a border, or of summer time


class Clocks:
    """Offsets from UTC that the file itself states, for a few rows."""

    def __init__(self, offset_min: FloatArray, us: IntArray) -> None:
        told = np.flatnonzero(~np.isnan(offset_min) & (offset_min != 0))
        self.told = len(told) * 2 > len(offset_min)
        self.rows = told[:: max(1, len(told) // _TRIED_CLOCKS)] if self.told else told[:0]
        self.offset_min, self.us = offset_min[self.rows], us[self.rows]

    def there(self, lat: FloatArray, lon: FloatArray) -> FloatArray:
        """Return the minutes ahead of UTC at the positions of these rows, at the rows' times."""
        places = zip(lat[self.rows], lon[self.rows], self.us, strict=True)
        return np.array([_offset_min(float(y), float(x), int(us)) for y, x, us in places])


@dataclass(frozen=True)
class Seen:
    """Location of the positions when they are read in one way.

    Attributes
    ----------
    turn : Turn
        Way of reading the positions.
    possible : float
        Share of the positions that are possible degrees. If it is below 0.9, all further attributes
        keep their defaults.
    land, antarctic : float
        Of the possible positions, the share on or near land north of 60° S, and the share at 60° S
        or farther south.
    coast_km : float
        Median distance to a coast for the positions that are not near land; 0 if there are none.
    town_km, town_km_low : float
        Median distance to the nearest town, and the distance that all but a tenth exceed.
    town, zone : str
        Town that is most often the nearest, and time zone at the position with the median distance
        to a town.
    clock_min : float
        Median of the minutes ahead of UTC at the positions of the rows in a :class:`Clocks`; NaN if
        there is no row.
    agreement : float
        Share of these rows whose stated offset is within an hour of their position's offset; 1 if
        there is no row.
    """

    turn: Turn
    possible: float
    land: float = 0.0
    antarctic: float = 0.0
    coast_km: float = 0.0
    town_km: float = np.inf
    town_km_low: float = np.inf
    town: str = ""
    zone: str = ""
    clock_min: float = np.nan
    agreement: float = 0.0

    @classmethod
    def through(cls, turn: Turn, lat: FloatArray, lon: FloatArray, clocks: Clocks) -> Seen:
        """Locate the positions, reading the two numbers of each row as ``turn`` says."""
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
            zone=get_tz(float(lon[middle]), float(lat[middle])) or "unknown",
            clock_min=float(np.median(there)) if len(there) else np.nan,
            agreement=float(near.mean()) if len(near) else 1.0,
        )

    @property
    def inhabited(self) -> bool:
        """Whether nearly all positions are possible, and over a tenth of these are on or near land.

        Antarctica does not count as land.
        """
        return self.possible >= NEARLY_ALL and self.land > HARDLY_ANY

    @property
    def ashore(self) -> bool:
        """Whether nearly all positions are on or near land, outside Antarctica."""
        return min(self.possible, self.land) >= NEARLY_ALL

    @property
    def agrees(self) -> bool:
        """Whether local time at the positions fits the offsets in the file, if there are any."""
        return self.agreement >= NEARLY_ALL


def _ashore(lat: FloatArray, lon: FloatArray) -> tuple[BoolArray, float]:
    """Return a mask of positions on or near land, and the others' median distance to a coast, km.

    Atolls too small for the outlines are recognized by the time zone of their waters; the open sea
    has none.
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
    seconds = min(max(us / 1e6, 0.0), 2_145_916_800.0)  # 1970 … 2037: years with known zones
    when = dt.datetime.fromtimestamp(seconds, ZoneInfo(get_tz(lon, lat) or "UTC"))
    ahead = when.utcoffset()
    assert ahead is not None
    return ahead.total_seconds() / 60
