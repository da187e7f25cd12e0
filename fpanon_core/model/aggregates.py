"""Counts of people by place and time.

:class:`AggregateCounts` is all that the attack sees: nothing in it says who is where.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray, IntArray
from .checks import positive
from .closed import Closed
from .counts_frame import CountsFrame
from .errors import SchemaError

NIGHT_ENDS_H = 6.0  # night is 0 to 6 h local
UNKNOWN = -1
_DAY_MIN = 1440.0


@dataclass(frozen=True, eq=False, repr=False)
class AggregateCounts(Closed):
    """How many people were at each place in each time slot. Arrays are read-only.

    Attributes
    ----------
    counts : integer ndarray (n_slots, n_places)
        People; noise can make a count negative.
    x_m, y_m : float64 ndarray (n_places,)
        Lower corner of each place, metres on the projection.
    slot_start_min : float64 ndarray (n_slots,)
        Start of each slot, elapsed minutes since the data set's epoch; ascending.
    dx_m, dy_m : float64 ndarray (n_places,)
        Extent of each place, metres; points (0) if not given.
    slot_min : float
        Length of a slot, minutes (but for one in which the clocks change); if not given, the least
        difference of two starts, or 30 for a single slot.
    wall_start_min : float64 ndarray (n_slots,)
        The same starts on the wall clock, from which nights and days are told; ``slot_start_min``
        if not given.
    digest : str
        Of the fingerprints they were made from; "" when they came without.
    frame : CountsFrame or None
        The stated places and period; None where both are those of the events.
    filled_in : bool
        Whether a slot without a sample was filled in from those before and after; if not, people
        are counted in the slots in which they have a sample.
    heaviest : int
        Most people that one fingerprint was counted for; 1 but for merged data.
    of_records : str
        What of the reading was decided by the records, in a sentence: the projection on which
        positions were snapped, or the clock by which times were; "" where nothing was.
    """

    counts: npt.NDArray[np.integer]
    x_m: FloatArray
    y_m: FloatArray
    slot_start_min: FloatArray
    dx_m: FloatArray = field(default_factory=lambda: np.empty(0))
    dy_m: FloatArray = field(default_factory=lambda: np.empty(0))
    slot_min: float = 0.0
    wall_start_min: FloatArray = field(default_factory=lambda: np.empty(0))
    digest: str = ""
    frame: CountsFrame | None = None
    filled_in: bool = True
    heaviest: int = 1
    of_records: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "counts", np.ascontiguousarray(self.counts))
        for name in ("x_m", "y_m", "dx_m", "dy_m", "slot_start_min", "wall_start_min"):
            put(self, name, np.ascontiguousarray(getattr(self, name), np.float64))
        if len(self.wall_start_min) == 0:
            put(self, "wall_start_min", self.slot_start_min)
        for name in ("dx_m", "dy_m"):
            if len(getattr(self, name)) == 0:
                put(self, name, np.zeros(len(self.x_m)))
        if self.slot_min == 0.0:
            gaps = np.diff(self.slot_start_min)
            put(self, "slot_min", float(gaps.min()) if len(gaps) else 30.0)
        if self.counts.ndim != 2 or not np.issubdtype(self.counts.dtype, np.integer):
            raise SchemaError("Counts are a table of whole numbers, slots by places.")
        slots, places = self.counts.shape
        if slots == 0 or places == 0:
            raise SchemaError("There is no slot or no place; counts need at least one of each.")
        if {len(self.x_m), len(self.y_m), len(self.dx_m), len(self.dy_m)} != {places}:
            raise SchemaError(f"Corners and extents must be given for each of {places} places.")
        if {len(self.slot_start_min), len(self.wall_start_min)} != {slots}:
            raise SchemaError(f"Starts must be given for each of {slots} slots.")
        if np.any(np.diff(self.slot_start_min) <= 0):
            raise SchemaError("Slots must be in ascending order of time.")
        if not (np.isfinite(self.x_m).all() and np.isfinite(self.y_m).all()):
            raise SchemaError("A place has no position.")
        positive("slot_min", self.slot_min)
        self._close()

    @property
    def n_slots(self) -> int:
        """Number of time slots."""
        return len(self.counts)

    @property
    def n_places(self) -> int:
        """Number of places."""
        return len(self.x_m)

    @property
    def centres(self) -> FloatArray:
        """Centre of each place, between which distances are, metres, shape (n_places, 2)."""
        return np.column_stack([self.x_m + self.dx_m / 2, self.y_m + self.dy_m / 2])

    @property
    def totals(self) -> IntArray:
        """People in each slot, shape (n_slots,); negative counts included."""
        totals: IntArray = self.counts.sum(axis=1, dtype=np.int64)
        return totals

    @property
    def is_night(self) -> npt.NDArray[np.bool_]:
        """Whether each slot starts between 0 and 6 h local, shape (n_slots,)."""
        night: npt.NDArray[np.bool_] = self.wall_start_min % _DAY_MIN < NIGHT_ENDS_H * 60
        return night

    @property
    def day(self) -> IntArray:
        """Local calendar day in which each slot starts, shape (n_slots,); 0 is the epoch's."""
        return np.floor(self.wall_start_min / _DAY_MIN).astype(np.int64)

    @property
    def day_offsets(self) -> IntArray:
        """Slots of the i-th day there is are ``day_offsets[i]:day_offsets[i+1]``."""
        changes = np.flatnonzero(np.diff(self.day)) + 1
        return np.concatenate([[0], changes, [self.n_slots]]).astype(np.int64)

    def with_counts(self, counts: npt.NDArray[np.integer]) -> AggregateCounts:
        """The same places and slots with other counts."""
        return replace(self, counts=counts)

    def __repr__(self) -> str:
        slots = f"{self.n_slots} slots of {self.slot_min:g} min"
        return f"AggregateCounts({slots}, {self.n_places} places)"


@dataclass(frozen=True)
class LeftOut:
    """What a stated frame leaves out of the counts. Exact numbers: not for a private release.

    Attributes
    ----------
    outside_area, outside_period : int
        Samples; one outside of both is counted with the area's.
    people : int
        People without any sample inside.
    """

    outside_area: int = 0
    outside_period: int = 0
    people: int = 0
