"""Places and slots of counts: stated for a data set, or derived from it for a trial."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np

from ..io.positions import centre_of
from ..model.counts_frame import CountsFrame, FrameConfig, StatedArea, StatedPeriod
from ..model.fingerprints import FingerprintSet
from ..model.periods import UNSTATED_CENTRE, decided_by_records

_DAY_MIN = 1440


def frame_for(fs: FingerprintSet, config: FrameConfig) -> CountsFrame:
    """Build the frame that ``config`` states, for these data.

    Raises
    ------
    ConfigError
        The data lack the antenna table, degrees or calendar that the frame needs.
    InfeasibleError
        There are too many places.
    """
    return CountsFrame.of(config, antennas=fs.antennas, clock=fs.clock, crs=fs.crs)


def stated_middle(fs: FingerprintSet, frame: FrameConfig) -> tuple[float, float]:
    """Return the latitude and longitude of the middle of a frame's area, or of its antennas.

    The area must be stated in degrees. No record decides this middle, so a private release may
    be projected around it.
    """
    if frame.area is not None:
        return frame.area.middle
    places = frame_for(fs, frame)
    centre = centre_of(places.lat, (places.lon + 180.0) % 360.0 - 180.0)
    return centre.lat, centre.lon


def reading_fault(fs: FingerprintSet, frame: FrameConfig) -> str:
    """Say why a private release of these data promises nothing, with a remedy; "" if all is well.

    Where the records decided how the data were read, noise cannot hide the effect of one record.
    """
    fault = decided_by_records(fs)
    if fault != UNSTATED_CENTRE:
        return fault
    if frame.area is not None and frame.area.unit == "metres":
        return (
            "State the area of a private release in degrees: metres refer to the data's own map "
            "projection, whose centre is taken from the records."
        )
    lat, lon = stated_middle(fs, frame)
    return (
        f"{fault} Read the data again with a stated centre: "
        f"read_cdr(..., centre=({lat:g}, {lon:g}))."
    )


def stated_of_data(
    fs: FingerprintSet, slot_min: float = 60.0, side_m: float = 1_000.0, antennas_an_area: int = 1
) -> FrameConfig:
    """Return the frame that the data themselves suggest; counts over it promise no privacy.

    Its places are the antennas where there is a table of them, else squares over the samples; its
    period is all days. A few far travellers do not decide the extent of the squares
    (:func:`.projection.central`).

    Examples
    --------
    A hundred people were within 10 km, and one was 1,000 km away.

    >>> x = np.append(np.linspace(0, 9_900, 100), 1_000_000)
    >>> fs = FingerprintSet.from_samples(np.arange(101), x, np.zeros(101), np.zeros(101))
    >>> stated_of_data(fs, side_m=5_000).area.east
    10001.0
    """
    wall = fs.wall_minutes(np.array([fs.t_min.min(), fs.t_min.max()]))
    first, last = np.floor(wall / _DAY_MIN).astype(int).tolist()
    whole_days = int(last - first) + 1
    if fs.clock is None:
        period = StatedPeriod(None, max(1, int(last) + 1), slot_min)
    else:
        day = fs.clock.first_day + dt.timedelta(days=int(first))
        period = StatedPeriod(day, whole_days, slot_min)
    if fs.antennas is not None and len(fs.antennas):
        return FrameConfig(period, antennas_an_area=antennas_an_area)
    seen = fs.central
    west, south = (math.floor(end / side_m) * side_m for end in (seen.west, seen.south))
    east, north = seen.east + fs.dx_m.max() + 1.0, seen.north + fs.dy_m.max() + 1.0
    area = StatedArea(south, west, float(north), float(east), "metres")
    return FrameConfig(period, "grid", area, side_m)
