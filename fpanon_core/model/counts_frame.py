"""The stated frame of a table of counts: its places and its period.

The rows and columns of a table of counts show its times and places. If these are taken from the
events, they reveal individual people: one more record can add a row, and no noise hides that. A
frame states both in advance. Its places are all antennas of the antenna table, or all cells of a
grid over a stated area. Its slots are all slots of a stated number of days.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np

from .antennas import Antennas
from .arrays import Closed, FloatArray, IntArray
from .checks import AT_LEAST_1, Checked, number, one_of, positive, whole
from .clock import LocalClock, zone_of
from .errors import ConfigError, InfeasibleError
from .projection import equal_area_around, lon_lat, project

AreaUnit = Literal["degrees", "metres"]
Places = Literal["antennas", "grid", "hexagons"]
PLACES: tuple[Places, ...] = get_args(Places)

MOST_PLACES = 1_000_000
MOST_SLOTS = 1_000_000
_DAY_MIN = 1440
_OUTLINE = 65  # points on each side of an area: on a map projection its sides are curves


@dataclass(frozen=True)
class StatedArea:
    """Rectangle for which counts are published; its southern and western bounds belong to it.

    Attributes
    ----------
    south, west, north, east : float
        Degrees (WGS 84), or metres on the data's projection. An area across the antimeridian
        continues beyond 180: ``west=178, east=182``.
    unit : {"degrees", "metres"}

    Raises
    ------
    ConfigError
        The unit is unknown, a bound is not a number in its range, or the area is empty or too wide.

    Examples
    --------
    >>> str(StatedArea(14.5, -17.6, 14.9, -17.2))
    '14.5 to 14.9 north, -17.6 to -17.2 east (degrees)'
    """

    south: float
    west: float
    north: float
    east: float
    unit: AreaUnit = "degrees"

    def __post_init__(self) -> None:
        one_of("The unit of an area", self.unit, get_args(AreaUnit))
        bounds = {"south": 90.0, "west": 180.0, "north": 90.0, "east": 540.0}
        for name, most in bounds.items():
            most = most if self.unit == "degrees" else math.inf
            value = number(name, getattr(self, name), least=-most, most=most)
            object.__setattr__(self, name, value)
        if not (self.south < self.north and self.west < self.east):
            raise ConfigError(
                "The area is empty; north must exceed south, and east must exceed west."
            )
        if self.unit == "degrees" and self.east - self.west > 180:
            raise ConfigError("The area is more than 180 degrees wide; choose a narrower one.")

    @classmethod
    def read(cls, text: str | None) -> StatedArea | None:
        """Parse an area from a text with south, west, north and east; return None for no text.

        Raises
        ------
        ConfigError
            The text cannot be read, or the area is not valid.

        Examples
        --------
        >>> str(StatedArea.read("0m, 0m, 500m, 900m"))
        '0 to 500 north, 0 to 900 east (metres)'
        """
        if text is None or not text.strip():
            return None
        parts = [part.strip() for part in text.split(",")]
        metres = all(part.endswith("m") for part in parts)
        try:
            south, west, north, east = (
                float(part.rstrip("m") if metres else part) for part in parts
            )
        except ValueError:
            raise ConfigError(
                f"The area {text!r} cannot be read. Give south, west, north, east in degrees, such "
                "as 14.6,-17.6,14.9,-17.2, or in metres, such as 0m,0m,5000m,5000m."
            ) from None
        return cls(south, west, north, east, "metres" if metres else "degrees")

    def __str__(self) -> str:
        spans = (
            f"{self.south:.10g} to {self.north:.10g} north, {self.west:.10g} to {self.east:.10g}"
        )
        return f"{spans} east ({self.unit})"

    @property
    def middle(self) -> tuple[float, float]:
        """Latitude and longitude of the middle of an area in degrees, to four decimals."""
        lon = (self.west + self.east) / 2
        return (
            round((self.south + self.north) / 2, 4) + 0.0,
            round(lon - 360 if lon > 180 else lon, 4) + 0.0,
        )

    @property
    def crs(self) -> str:
        """Lambert azimuthal equal-area projection around the middle of an area in degrees.

        It is given as a PROJ string, in metres.
        """
        return equal_area_around(*self.middle, stated=True)


@dataclass(frozen=True)
class StatedPeriod(Checked):
    """The days for which counts are published, and their division into slots.

    Attributes
    ----------
    first_day : date or None
        Local date of the first day. None for data without a clock; the period then begins at minute
        0 of the data.
    days : int
    slot_min : float
        Length of a slot, minutes; it must divide a day.
    timezone : str or None
        IANA name of the time zone of days and slots; if None, the data's time zone.

    Raises
    ------
    ConfigError
        A given first day is not a date, or a given time zone is unknown. Or ``days`` is not an
        integer of 1 or more, the slots do not divide a day, or there are too many slots.
    """

    first_day: dt.date | None
    days: Annotated[int, AT_LEAST_1]
    slot_min: float = 30.0
    timezone: str | None = None

    def __post_init__(self) -> None:
        if self.first_day is not None and type(self.first_day) is not dt.date:
            raise ConfigError(f"first_day = {self.first_day!r}; it must be a date.")
        super().__post_init__()
        object.__setattr__(self, "slot_min", check_slot(self.slot_min))
        if self.timezone is not None:
            zone_of(self.timezone)
        if self.days * _DAY_MIN / self.slot_min > MOST_SLOTS:
            raise ConfigError("There are too many slots; choose fewer days or longer slots.")

    def clock(self, of_data: LocalClock | None) -> LocalClock | None:
        """Return the clock whose epoch is the first day's midnight; None for data without a clock.

        Raises
        ------
        ConfigError
            No first day is stated for data with a clock, or one is stated for data without a clock.
        """
        if of_data is None:
            if self.first_day is not None:
                raise ConfigError("The data have no calendar; leave the first day out.")
            return None
        if self.first_day is None:
            raise ConfigError("State the first day of the counts, such as 2024-03-04.")
        name = self.timezone or of_data.timezone
        midnight = dt.datetime.combine(self.first_day, dt.time(), zone_of(name))
        return LocalClock(midnight.astimezone(dt.UTC), name)


@dataclass(frozen=True)
class FrameConfig(Checked):
    """Stated parameters of a frame; :meth:`CountsFrame.of` makes the frame for given data.

    Attributes
    ----------
    period : StatedPeriod
    places : {"antennas", "grid", "hexagons"}
        Places to count at: the antennas of the data's antenna table, or squares or H3 hexagons over
        ``area``.
    area : StatedArea or None
        Area of a grid or of hexagons.
    side_m : float
        Side of a square, metres.
    resolution : int
        Resolution of the hexagons, 0 to 15.
    antennas_an_area : int
        For tables with antennas as places: approximate number of neighbouring antennas in an area.
    column : str or None
        For tables with antennas as places: column of the antenna table that names their areas.
    residents : str or None
        Column of the antenna table with the public number of residents near each antenna, such as
        census numbers; never numbers counted in the data. Estimates for private tables and
        synthetic people start from these numbers.
    """

    period: StatedPeriod
    places: Places = "antennas"
    area: StatedArea | None = None
    side_m: Annotated[float, partial(positive, of="metres")] = 1_000.0
    resolution: Annotated[int, partial(whole, least=0, most=15)] = 8
    antennas_an_area: Annotated[int, AT_LEAST_1] = 1
    column: str | None = None
    residents: str | None = None

    def __post_init__(self) -> None:
        one_of("The kind of places", self.places, PLACES)
        super().__post_init__()
        if (self.area is None) == (self.places != "antennas"):
            raise ConfigError(
                "A grid or hexagons need a stated area: south, west, north and east."
                if self.area is None
                else "An area is for a grid or hexagons; antennas are where their table says."
            )
        if self.residents is not None and self.places != "antennas":
            raise ConfigError(
                "Residents are stated for antennas. Give a population raster as an antenna table: "
                "its points are then the places."
            )
        area = self.area
        if self.places == "hexagons" and area and (area.unit != "degrees" or area.east > 180):
            raise ConfigError("Hexagons need an area in degrees that extends east to 180 at most.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can store."""
        plain = asdict(self)
        first = self.period.first_day
        plain["period"]["first_day"] = None if first is None else first.isoformat()
        if self.residents is None:  # as in files written before this field existed
            del plain["residents"]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> FrameConfig:
        """Restore a frame's parameters from the values that :meth:`to_dict` returns.

        Raises
        ------
        ConfigError
            A value is missing, unknown or not valid.
        """
        try:
            values = dict(plain)
            period = dict(values.pop("period"))
            first = period.pop("first_day", None)
            area = values.pop("area", None)
            return cls(
                StatedPeriod(None if first is None else dt.date.fromisoformat(first), **period),
                area=None if area is None else StatedArea(**area),
                **values,
            )
        except ConfigError:
            raise
        except (TypeError, KeyError, ValueError):
            raise ConfigError("A frame lacks a value or has an unknown one.") from None


@dataclass(frozen=True, eq=False, repr=False)
class CountsFrame(Closed):
    """Places and slots to count at, independent of the records. Arrays are read-only.

    Attributes
    ----------
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_places,)
        Lower corner and extent of each place, metres on ``crs``.
    lon, lat : float64 ndarray (n_places,), or empty
        Centres of squares or hexagons, or positions of the antennas, degrees; empty if unknown.
    slot_edge_min : float64 ndarray (n_slots + 1,)
        Starts of the slots, and the end of the last, in elapsed minutes since the first midnight.
    wall_start_min : float64 ndarray (n_slots,)
        Starts of the slots on the wall clock.
    slot_min : float
        Length of a slot (minutes), except for a slot in which the clocks change.
    days : int
    clock : LocalClock or None
        Clock whose epoch is the first day's midnight.
    crs : str or None
    area : StatedArea or None
        Stated area; positions outside are left out. If None, every position counts at the nearest
        place.
    columns : int
        Number of squares from west to east; 0 for other places. Squares are numbered row by row
        from the south.
    cells : int64 ndarray (n_places,), or empty
        H3 indices of hexagons. The extent of each is a square of equal area around its centre.
    """

    x_m: FloatArray
    y_m: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    lon: FloatArray
    lat: FloatArray
    slot_edge_min: FloatArray
    wall_start_min: FloatArray
    slot_min: float
    days: int
    clock: LocalClock | None = None
    crs: str | None = None
    area: StatedArea | None = None
    columns: int = 0
    cells: IntArray = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(
        cls,
        config: FrameConfig,
        *,
        antennas: Antennas | None,
        clock: LocalClock | None,
        crs: str | None,
    ) -> CountsFrame:
        """Make the stated frame for data with these antennas, clock and projection.

        Raises
        ------
        ConfigError
            Antennas are the places, but their table is missing or empty. Or a grid has an area in
            degrees, but the data are in metres. Or a first day is stated for data without a
            clock, or is missing for data with one.
        InfeasibleError
            There are too many places, or the area reaches around the globe.
        """
        if config.area is not None and config.places == "hexagons":
            return cls.of_hexagons(config.area, config.resolution, config.period, clock=clock)
        if config.area is not None:
            return cls.of_area(config.area, config.side_m, config.period, clock=clock, crs=crs)
        if antennas is None:
            raise ConfigError(
                "The data have no antenna table; open them with one, or count in a grid over a "
                "stated area."
            )
        return cls.of_antennas(antennas, config.period, clock=clock, crs=crs)

    @classmethod
    def of_antennas(
        cls,
        antennas: Antennas,
        period: StatedPeriod,
        *,
        clock: LocalClock | None = None,
        crs: str | None = None,
    ) -> CountsFrame:
        """Make a frame whose places are a table's antennas; positions count at the nearest one.

        Antennas that the data cannot distinguish are separate places; the first of them gets all
        counts.

        Parameters
        ----------
        antennas : Antennas
        period : StatedPeriod
        clock : LocalClock or None
            Clock of the data.
        crs : str or None
            Projection of data and antennas.

        Examples
        --------
        >>> frame = CountsFrame.of_antennas(Antennas([0, 900], [0, 0]), StatedPeriod(None, 2))
        >>> frame
        CountsFrame(2 places, 96 slots)
        """
        if len(antennas) == 0:
            raise ConfigError("The antenna table is empty; there is no place to count at.")
        side = np.full(len(antennas), antennas.granularity_m)
        lon, lat = antennas.lon, antennas.lat
        if len(lon) == 0:
            lon, lat = lon_lat(crs, antennas.x_m + side / 2, antennas.y_m + side / 2)
        places = antennas.x_m, antennas.y_m, side, side, lon, lat
        return cls(*places, *_when(period, clock), crs)

    @classmethod
    def of_area(
        cls,
        area: StatedArea,
        side_m: float,
        period: StatedPeriod,
        *,
        clock: LocalClock | None = None,
        crs: str | None = None,
    ) -> CountsFrame:
        """Make a frame of squares over an area; positions outside the area are left out.

        An area in degrees has its own projection, Lambert azimuthal equal-area around its middle,
        so that the squares do not depend on the data. The grid begins at the lower left corner of
        the rectangle that bounds the area on its projection.

        Parameters
        ----------
        area : StatedArea
        side_m : float
            Side of a square, metres.
        period : StatedPeriod
        clock : LocalClock or None
            Clock of the data.
        crs : str or None
            Projection of the data.

        Examples
        --------
        >>> area = StatedArea(0, 0, 2_000, 3_000, "metres")
        >>> CountsFrame.of_area(area, 1_000, StatedPeriod(None, 1, 60))
        CountsFrame(6 places, 24 slots)
        """
        side = positive("side_m", side_m, of="metres")
        if area.unit == "degrees" and crs is None:
            raise ConfigError("The data have no positions in degrees; state the area in metres.")
        own_crs = area.crs if area.unit == "degrees" else crs
        west, south, east, north = _outline(area)
        columns = max(1, math.ceil((east - west) / side - 1e-9))
        rows = max(1, math.ceil((north - south) / side - 1e-9))
        if columns * rows > MOST_PLACES:
            raise InfeasibleError(
                f"{columns * rows:,} squares of {side:g} m are too many; choose larger squares or "
                "a smaller area."
            )
        x_m = np.tile(west + side * np.arange(columns), rows)
        y_m = np.repeat(south + side * np.arange(rows), columns)
        extent = np.full(columns * rows, side)
        lon, lat = lon_lat(own_crs, x_m + side / 2, y_m + side / 2)
        places = x_m, y_m, extent, extent, lon, lat
        return cls(*places, *_when(period, clock), own_crs, area, columns)

    @classmethod
    def of_hexagons(
        cls,
        area: StatedArea,
        resolution: int,
        period: StatedPeriod,
        *,
        clock: LocalClock | None = None,
    ) -> CountsFrame:
        """Make a frame of the H3 hexagons that intersect an area in degrees.

        Positions outside the area are left out.

        Examples
        --------
        >>> area = StatedArea(14.6, -17.6, 14.9, -17.2)
        >>> CountsFrame.of_hexagons(area, 6, StatedPeriod(None, 1, 60)).n_places
        54
        """
        import h3.api.basic_int as h3  # needed for few frames, so it is imported late

        south, west, north, east = area.south, area.west, area.north, area.east
        shape = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
        left, low, right, high = _outline(area)
        size_m2 = h3.average_hexagon_area(resolution, unit="m^2")
        if size_m2 * MOST_PLACES < (right - left) * (high - low):
            raise InfeasibleError("There are too many hexagons; choose a lower resolution.")
        cells = sorted(h3.h3shape_to_cells_experimental(shape, resolution, contain="overlap"))
        lat, lon = np.array([h3.cell_to_latlng(cell) for cell in cells]).T
        side = np.sqrt([h3.cell_area(cell, unit="m^2") for cell in cells])
        x, y = project(np.ascontiguousarray(lat), np.ascontiguousarray(lon), area.crs)
        places = x - side / 2, y - side / 2, side, side, lon, lat
        indices = np.array(cells, np.int64)
        return cls(*places, *_when(period, clock), area.crs, area, cells=indices)

    @property
    def n_places(self) -> int:
        """Number of places."""
        return len(self.x_m)

    @property
    def n_slots(self) -> int:
        """Number of time slots."""
        return len(self.wall_start_min)

    @property
    def first_day(self) -> dt.date | None:
        """Local date of the first day; None without a clock."""
        return None if self.clock is None else self.clock.first_day


def check_slot(slot_min: float) -> float:
    """Return the length of a slot (minutes) if it divides a day; raise ConfigError if not."""
    length = positive("slot_min", slot_min)
    if abs(_DAY_MIN / length - round(_DAY_MIN / length)) > 1e-9:
        raise ConfigError(
            f"slot_min = {length:g} does not divide a day, so slots would begin at different times "
            "each day; choose 30, 90 or 180, for example."
        )
    return length


def _when(
    period: StatedPeriod, of_data: LocalClock | None
) -> tuple[FloatArray, FloatArray, float, int, LocalClock | None]:
    """Return slot edges in elapsed minutes, starts on the wall clock, length, days and clock."""
    end, clock = float(period.days * _DAY_MIN), period.clock(of_data)
    if clock is None:
        wall = np.arange(round(end / period.slot_min), dtype=np.float64) * period.slot_min
        edges = np.append(wall, end)
    else:
        end = float(clock.elapsed_minutes([end])[0])
        starts = slots_between(clock, 0.0, end, period.slot_min)
        edges, wall = np.append(starts, end), clock.wall_minutes(starts)
    return edges, wall, period.slot_min, period.days, clock


def slots_between(clock: LocalClock, first: float, end: float, slot_min: float) -> FloatArray:
    """Return the starts, in elapsed minutes, of the local slots that overlap ``[first, end)``."""
    step = min(1.0, slot_min)
    every = np.append(first, np.arange(np.floor(first / step) + 1, np.ceil(end / step)) * step)
    begin, _ = clock.window(every, slot_min)
    return np.asarray(np.unique(begin))


def _outline(area: StatedArea) -> tuple[float, float, float, float]:
    """Return the west, south, east and north ends of an area on its projection, metres."""
    if area.unit == "metres":
        return area.west, area.south, area.east, area.north
    lat = np.linspace(area.south, area.north, _OUTLINE)
    lon = np.linspace(area.west, area.east, _OUTLINE)
    x, y = project(
        np.concatenate([lat, lat, np.full(_OUTLINE, area.south), np.full(_OUTLINE, area.north)]),
        np.concatenate([np.full(_OUTLINE, area.west), np.full(_OUTLINE, area.east), lon, lon]),
        area.crs,
    )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InfeasibleError("The area reaches around the globe; choose a smaller one.")
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())
