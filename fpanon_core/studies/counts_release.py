"""Counts to be published: plain, with small ones left blank, or private.

The counts are over stated places and a stated period. The result is one zip, written by
:mod:`fpanon_core.io.publishing`. The zip holds no exact number of people where such a number would
undo the protection of the counts.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from ..attacks.aggregation import counts_of
from ..attacks.private import dp_counts, privacy_guarantee
from ..engines.progress import part, tell
from ..io.hints import Message, Way
from ..io.publishing import PackedTable, package_bytes
from ..model import limits
from ..model.aggregates import AggregateCounts, LeftOut
from ..model.arrays import BoolArray, IntArray
from ..model.checks import Checked, one_of
from ..model.clock import zone_of
from ..model.counts_frame import CountsFrame, FrameConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import UNITS, PrivacyGuarantee, Unit
from ..model.periods import UNSTATED_CENTRE, decided_by_records
from ..tables.writing import write_bytes
from .estimates import Growth, costs
from .framing import frame_for, stated_middle
from .packages import field_of, paragraphs
from .recovery import CUSTOMARY_LIMIT
from .tabled import Tabled, Work

Form = Literal["plain", "suppressed", "private"]
FORMS: tuple[Form, ...] = get_args(Form)

_COUNTING = 0.3  # of the progress

_ANTENNAS, _DEGREE_M = 1_000, 111_000


@dataclass(frozen=True)
class Config(Checked):
    """Places and days of the counts, and how the counts are protected.

    Attributes
    ----------
    frame : FrameConfig
        Stated places and period.
    form : {"plain", "suppressed", "private"}
    filled_in : bool
        Whether people are also counted in slots in which they have no sample.
    below : int
        Smallest count published where small counts are suppressed; smaller ones are left blank.
    epsilon : float
        Privacy budget of private counts, for one unit of protection.
    unit : {"user-slot", "user"}
        What is protected: a person's records in one slot, or all records of a person.

    Raises
    ------
    ConfigError
        A value is out of its range, or the places are neither single antennas nor squares. Or
        private counts are to protect the records within one slot, although gaps are filled in.
    """

    frame: FrameConfig
    form: Form = "plain"
    filled_in: bool = True
    below: Annotated[int, limits.SUPPRESSED_BELOW.check] = CUSTOMARY_LIMIT
    epsilon: Annotated[float, limits.EPSILON.check] = 1.0
    unit: Unit = "user"

    def __post_init__(self) -> None:
        if self.frame.places == "hexagons" or self.frame.antennas_an_area > 1 or self.frame.column:
            raise ConfigError(
                "Counts by slot are for single antennas or squares only; make tables instead."
            )
        one_of("The form of counts", self.form, FORMS)
        one_of("The unit of protection", self.unit, UNITS)
        super().__post_init__()
        limits.COUNTS_DAYS.check("days", self.frame.period.days)
        limits.COUNTS_SIDE_M.check("side_m", self.frame.side_m)
        if self.form == "private" and self.unit == "user-slot" and self.filled_in:
            raise ConfigError(
                "Gaps are filled in, so one record decides many slots, and no promise for one slot "
                "holds. Count recorded samples only, or protect all of a person's records."
            )


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Counts as they would be published, and what only their maker may know.

    Attributes
    ----------
    counts : AggregateCounts
        Counts with noise where private, before small ones are left blank.
    guarantee : PrivacyGuarantee or None
        Guarantee of private counts.
    left_out : LeftOut
        Samples and people outside the frame; exact numbers, not for release.
    people : int
        Number of people counted; not for release unless the counts are plain.
    recorded : int64 ndarray, shape of the counts, or None
        Counts of the people with a sample in the slot; only where gaps are filled in and the counts
        carry no noise. Not for release.
    config : Config
    digest : str
        Digest of the data; not for release.
    """

    counts: AggregateCounts = field(repr=False)
    guarantee: PrivacyGuarantee | None
    left_out: LeftOut
    people: int
    recorded: IntArray | None = field(repr=False)
    config: Config
    digest: str = field(repr=False)

    @property
    def frame(self) -> CountsFrame:
        """The stated places and slots."""
        assert self.counts.frame is not None
        return self.counts.frame

    @property
    def blank(self) -> int:
        """Number of counts above 0 that are left blank."""
        return len(self._blank())

    @property
    def blank_share(self) -> float:
        """Sum of the blank counts as a share of the sum of all counts; NaN if all counts are 0."""
        total = int(np.maximum(self.counts.counts, 0).sum())
        return int(self._blank().sum()) / total if total else float("nan")

    @property
    def subtractable(self) -> int:
        """Number of slots whose blank counts add up to less than ``below``, but more than 0.

        Anyone who knows how many people are counted in such a slot can compute this sum.
        """
        counts = self.counts.counts
        hidden = np.where(counts < self._least, counts, 0).sum(axis=1)
        return int(((hidden > 0) & (hidden < self._least)).sum())

    @property
    def published(self) -> int:
        """Number of published counts above 0; for private counts, all published ones."""
        return len(self._counts())

    @property
    def of_one(self) -> int:
        """Number of published counts of a single person; 0 unless the counts are plain."""
        return int(self._alone().sum()) if self.config.form == "plain" else 0

    @property
    def of_one_unseen(self) -> int:
        """Number of counts of one person with no sample in the slot; 0 unless counts are plain."""
        if self.recorded is None or self.config.form != "plain":
            return 0
        return int((self._alone() & (self.recorded == 0)).sum())

    @property
    def recorded_share(self) -> float:
        """Share of the sum of all counts that comes from people with a sample in the slot, or NaN.

        It is NaN for private counts, and where all counts are 0.
        """
        total = int(self.counts.counts.sum())
        if self.config.form == "private" or not total:
            return float("nan")
        return 1.0 if self.recorded is None else int(self.recorded.sum()) / total

    def _blank(self) -> IntArray:
        counts = np.asarray(self.counts.counts, np.int64)
        return counts[(counts > 0) & (counts < self._least)]

    def _alone(self) -> BoolArray:
        return np.asarray(self.counts.counts == 1)

    @property
    def _least(self) -> int:
        return self.config.below if self.config.form == "suppressed" else 0

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return what is published: the counts and their places."""
        return {"counts": self._counts(), "places": self._places()}

    def package(self, ending: str = "csv") -> bytes:
        """Return the zip to publish: counts, places, a description, and a README of one page.

        Parameters
        ----------
        ending : {"csv", "parquet"}
            File format of the counts.
        """
        one_of("The ending of the counts", ending, ("csv", "parquet"))
        return package_bytes(
            _packed_tables(self),
            name="counts",
            title=TITLES[self.config.form],
            readme=readme(self),
            about=about(self),
            ending=ending,
        )

    def readme(self) -> str:
        """Return the README in the zip, without its list of files."""
        return "\n\n".join(readme(self))

    def _counts(self) -> pd.DataFrame:
        """Return the published counts.

        Private counts have a row for every place and slot. Plain counts have rows only where at
        least one person is counted, suppressed counts only where they reach the threshold.
        """
        c = self.counts.counts
        least = max(1, self._least)
        rows = np.ones(c.shape, bool) if self.config.form == "private" else c >= least
        slot, place = np.nonzero(rows)
        return pd.DataFrame(
            {"start": self._starts().take(slot).array, "place": place + 1, "people": c[rows]}
        )

    def _starts(self) -> pd.Series[Any]:
        frame = self.frame
        if frame.clock is None:
            return pd.Series(frame.slot_edge_min[:-1])
        instants = pd.Timestamp(frame.clock.epoch) + pd.to_timedelta(
            frame.slot_edge_min[:-1], unit="min"
        )
        return pd.Series(instants.tz_convert(zone_of(frame.clock.timezone)))

    def _places(self) -> pd.DataFrame:
        frame = self.frame
        number = pd.DataFrame({"place": np.arange(1, frame.n_places + 1)})
        if len(frame.lon):
            degrees = {"lat": np.round(frame.lat, 6), "lon": np.round(frame.lon, 6)}
            number = number.assign(**degrees)
        if frame.area is None and len(frame.lon):
            return number  # the antennas' metres are on the data's projection
        corners = {"x_m": frame.x_m, "y_m": frame.y_m, "side_m": frame.dx_m}
        return number.assign(**corners)


def _count_bytes(config: Config) -> int:
    """Estimate the bytes of the counts; without a stated area, 1,000 antennas are assumed."""
    frame, area = config.frame, config.frame.area
    places: float = _ANTENNAS
    if area is not None:
        high, wide = area.north - area.south, area.east - area.west
        if area.unit == "degrees":
            high *= _DEGREE_M
            wide *= _DEGREE_M * math.cos(math.radians((area.north + area.south) / 2))
        places = (high / frame.side_m + 1) * (wide / frame.side_m + 1)
    return int(24 * places * frame.period.days * 1_440 / frame.period.slot_min)


@costs(130, beside=_count_bytes, growth=Growth(powers=(0.85, 2.0)))
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Make the counts; private ones use the operating system's randomness, new each time.

    Raises
    ------
    ConfigError
        The frame does not fit the data. Or private counts can promise nothing: a fingerprint stands
        for several people, or the records decided how the data were read.
    InfeasibleError
        There are too many places and slots.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, FrameConfig, StatedArea, StatedPeriod
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0] * 3, [5, 9, 70])
    >>> area = StatedArea(0, 0, 1_000, 1_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 1, 60), "grid", area, 500)
    >>> made = study(fs, Config(frame, "suppressed", filled_in=False, below=2))
    >>> made.to_frame().values.tolist(), made.blank
    ([[0.0, 1.0, 2.0]], 1)
    """
    progress = work.get("progress")
    tell(progress, 0.0)
    frame = frame_for(fs, config.frame)
    if config.form == "private" and (fault := reading_fault(fs, config.frame)):
        raise ConfigError(fault)
    stated: dict[str, Any] = {"frame": frame, "most_counts": limits.COUNTS_CELLS}
    begun, rest = part(progress, 0.0, _COUNTING), part(progress, _COUNTING, 1.0)
    counts, left_out = counts_of(fs, filled_in=config.filled_in, progress=begun, **stated)
    guarantee, recorded = None, None
    if config.form == "private":
        guarantee = privacy_guarantee(counts, config.epsilon, config.unit)
        counts = dp_counts(counts, config.epsilon, config.unit, progress=rest)
    elif config.filled_in:
        seen, _ = counts_of(fs, filled_in=False, progress=rest, **stated)
        recorded = np.asarray(seen.counts, np.int64)
    tell(progress, 1.0)
    people = int(fs.weight.sum()) - left_out.people
    return Result(counts, guarantee, left_out, people, recorded, config, fs.digest)


def reading_fault(fs: FingerprintSet, frame: FrameConfig | None = None) -> str:
    """Say why private counts of these data promise nothing, and the remedy; "" if all is well.

    Where the records decided how the data were read, noise cannot hide a single record.

    Parameters
    ----------
    fs : FingerprintSet
    frame : FrameConfig, optional
        Places and period; None where they are not stated yet: then no centre is proposed.
    """
    fault = decided_by_records(fs)
    if fault != UNSTATED_CENTRE:
        return fault
    if frame is None:
        told = "the middle of the area or antenna table"
        return _read_again(fault, f"(…, …)), {told}.", told, f"{told} as centre of the projection.")
    area = frame.area
    if area is not None and area.unit == "metres":
        return (
            "State the area of private counts in degrees: metres are on the data's own map "
            "projection, whose middle is taken from the records."
        )
    lat, lon = stated_middle(fs, frame)
    what = "the middle of the antenna table" if area is None else "the middle of the area"
    at = f"{lat:g}, {lon:g}"
    page = f"{at} as centre of the projection ({what})."
    return _read_again(fault, f"({at})), {what}.", what, page)


def _read_again(fault: str, library: str, command: str, page: str) -> str:
    """Return the message with the remedy as worded for the library, a command and the page."""
    on_page = f": on the Data page, under “Correct the columns …”, give {page}"
    way = Way(f": read_cdr(..., centre={library}", f", {command}.", on_page)
    return Message(f"{fault} Read the data again with a stated centre", way)


def write_package(result: Result, path: Path, ending: str = "csv") -> None:
    """Write the zip; raise ConfigError if the path cannot be written to."""
    write_bytes(result.package(ending), path)


# --- the README, the meaning of each column, and facts for machines ---

TITLES = {
    "plain": "Counts of people by place and time",
    "suppressed": "Counts of people by place and time, small counts left blank",
    "private": "Differentially private counts of people by place and time",
}


def readme(result: Result) -> list[str]:
    """Return the README's paragraphs; they state nothing about the records beyond the counts."""
    return paragraphs(
        "counts",
        frame=result.frame,
        filled_in=result.counts.filled_in,
        kind=result.config.form,
        below=result.config.below,
        guarantee=result.guarantee,
        epsilons="" if result.guarantee is None else epsilons(result.guarantee),
    )


def about(result: Result) -> dict[str, Any]:
    """Return the facts of the README as plain values, for machines to read."""
    config, frame, guarantee = result.config, result.frame, result.guarantee
    first, area, clock = frame.first_day, frame.area, frame.clock
    privacy = guarantee and {
        "unit": guarantee.unit,
        "epsilon": guarantee.epsilon,
        "epsilon_all": guarantee.epsilon_all,
        "epsilon_slot": guarantee.epsilon_slot,
        "sensitivity_l1": guarantee.sensitivity,
        "scale": guarantee.scale,
        "noise": "discrete Laplace (OpenDP)",
    }
    return {
        "form": config.form,
        "filled_in": result.counts.filled_in,
        "suppressed_below": config.below if config.form == "suppressed" else None,
        "places": frame.n_places,
        "area": area and asdict(area) | {"side_m": float(frame.dx_m[0])},
        "crs": frame.crs if area is not None and area.unit == "degrees" else None,
        "first_day": first and first.isoformat(),
        "days": frame.days,
        "slots": frame.n_slots,
        "slot_min": frame.slot_min,
        "timezone": clock and clock.timezone,
        "privacy": privacy,
    }


def _packed_tables(result: Result) -> Sequence[PackedTable]:
    """Return the tables of the package, with the meaning of their columns."""
    frames, frame = result.tables(), result.frame
    kind, said, unit = (
        ("number", "minutes since midnight of the first day.", "min")
        if frame.clock is None
        else ("datetime", f"local time of {frame.clock.timezone} with its offset from UTC.", "")
    )
    people = "People counted" + (
        ", with noise: can be negative."
        if result.config.form == "private"
        else " there in that slot."
    )
    counts = [
        field_of("start", kind, "Start", f"Start of the slot, {said}", unit),
        field_of("place", "integer", "Place", "Number of the place in the table of places.", ""),
        field_of("people", "integer", "People", people, "people"),
    ]
    square = frame.area is not None
    what = "of the square's centre" if square else "of the antenna"
    known = {
        "place": field_of("place", "integer", "Place", "Number of the place.", ""),
        "lat": field_of("lat", "number", "Latitude", f"Latitude {what}, WGS 84.", "degree"),
        "lon": field_of("lon", "number", "Longitude", f"Longitude {what}, WGS 84.", "degree"),
        "x_m": field_of("x_m", "number", "x", "Western bound on the projection.", "m"),
        "y_m": field_of("y_m", "number", "y", "Southern bound on the projection.", "m"),
        "side_m": field_of("side_m", "number", "Side", "Width and height.", "m"),
    }
    places = [known[str(name)] for name in frames["places"].columns]
    return (
        PackedTable("counts", "the counts", frames["counts"], counts),
        PackedTable("places", "all places, with counts or without", frames["places"], places),
    )


def epsilons(guarantee: PrivacyGuarantee) -> str:
    """State ε for one slot and for all records, and that the ε values of publications add up."""
    many = f"{guarantee.n_slots:,} slots"
    in_all, slot = _number(guarantee.epsilon_all), _number(guarantee.epsilon_slot)
    stated = (
        f"ε = {_number(guarantee.epsilon)} for all of a person's records in the {many} together. "
        f"For the place at which a person is counted in one slot, ε = {slot}."
        if guarantee.unit == "user"
        else f"ε = {slot} for a person's records within one slot; for all of a person's records in "
        f"the {many} together, ε = {in_all}. Moving a record to another slot changes two slots, "
        "whose ε values add up."
    )
    return (
        f"{stated} The values of ε of repeated publications about the same people add up: two such "
        "tables cost twice as much."
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
