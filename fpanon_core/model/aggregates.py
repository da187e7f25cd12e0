"""Counts of people by place and time, and what an attack recovers from them (science.md §10, ASH).

:class:`AggregateCounts` is all that the attack sees: nothing in it says who is where.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .closed import Closed
from .configs import number, whole
from .errors import SchemaError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]

NIGHT_ENDS_H = 6.0  # science.md §10: night is 0 to 6 h local
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
        number("slot_min", self.slot_min, above=0.0)
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
class RecoveryConfig:
    """Parameters of the attack.

    Attributes
    ----------
    link_threshold_m : float
        Pairs of a trajectory and a record at most this far apart are linked at once, the nearest
        first (ASH §4.3). 0 changes no cost: it links equal places only.
    n_trajectories : int or None
        How many people are taken to be in the counts; None estimates it.
    """

    link_threshold_m: float = 0.0
    n_trajectories: int | None = None

    def __post_init__(self) -> None:
        number("link_threshold_m", self.link_threshold_m, least=0.0)
        if self.n_trajectories is not None:
            put = object.__setattr__
            put(self, "n_trajectories", whole("n_trajectories", self.n_trajectories, 1))


@dataclass(frozen=True, eq=False, repr=False)
class Recovered(Closed):
    """Trajectories recovered from counts, after each of the attack's three steps.

    Attributes
    ----------
    places : int32 ndarray (n_trajectories, n_slots)
        Place number of each trajectory in each slot, after the last step; −1 on days of which
        nothing was published.
    daily : int32 ndarray (n_trajectories, n_slots)
        The same before days were linked: within one day a row is one trajectory; rows of different
        days have nothing to do with each other.
    is_night : bool ndarray (n_slots,)
    day_offsets : int64 ndarray (n_days + 1,)
        Slots of day i are ``day_offsets[i]:day_offsets[i+1]``.
    step_cost_m : float64 ndarray (n_slots,)
        Total cost of the assignment into each slot, metres; NaN where a day begins and where
        nothing was published.
    link_cost : float64 ndarray (n_days − 1,)
        Total information gain, bits, of the links from each day to the next; NaN beside a day of
        which nothing was published.
    unrecorded : int64 ndarray (n_slots,)
        Trajectories for which a slot had no record (positive), or records for which there was no
        trajectory (negative); all 0 where every slot counts the same people.
    config : RecoveryConfig
    digest : str
        Of the data behind the counts.
    """

    places: SmallInts
    daily: SmallInts
    is_night: npt.NDArray[np.bool_]
    day_offsets: IntArray
    step_cost_m: FloatArray
    link_cost: FloatArray
    unrecorded: IntArray
    config: RecoveryConfig
    digest: str

    def __post_init__(self) -> None:
        self._close()

    @property
    def n_trajectories(self) -> int:
        """Number of recovered trajectories."""
        return len(self.places)

    @property
    def night(self) -> SmallInts:
        """:attr:`daily` in the nights, −1 elsewhere: what the first step recovers."""
        return np.where(self.is_night, self.daily, np.int32(UNKNOWN))

    def __repr__(self) -> str:
        slots = self.places.shape[1]
        return f"Recovered({self.n_trajectories} trajectories over {slots} slots)"


@dataclass(frozen=True, eq=False, repr=False)
class RecoveryScore(Closed):
    """How much of the truth an attack recovered, beside linking at random (ASH eq. 5–6).

    Attributes
    ----------
    accuracy : float
        Share of the true points recovered, after the last step, in [0, 1] (eq. 5).
    accuracy_by_step : float64 ndarray (3,)
        After the nights, after the days, after the links between days. The first two judge the
        sub-trajectories of each night, or day, paired within it. NaN for nights there are none of.
    baseline_accuracy : float
        What linking the same records at random attains, paired in the same way.
    baseline_by_step : float64 ndarray (3,)
    error_m : float32 ndarray (n_points,)
        Distance between recovered and true place, of each point of each pair, metres (eq. 6);
        points of days of which nothing was published are left out.
    error_mean_m, error_median_m : float
    uniqueness : float64 ndarray (5,)
        Share of the recovered trajectories whose set of k most visited places no other recovered
        one has, for k = 1 … 5.
    pair : int64 ndarray (n_trajectories,)
        Row of the true trajectory each recovered one is paired with; −1 where none was left.
    shared : int64 ndarray (n_trajectories,)
        Points the pair has in common.
    n_users : int
        True trajectories, over which the accuracy is taken.
    n_slots : int
    pairing : str
    seed : int
        Of the baseline.
    digest : str
    """

    accuracy: float
    accuracy_by_step: FloatArray
    baseline_accuracy: float
    baseline_by_step: FloatArray
    error_m: npt.NDArray[np.float32]
    error_mean_m: float
    error_median_m: float
    uniqueness: FloatArray
    pair: IntArray
    shared: IntArray
    n_users: int
    n_slots: int
    pairing: str
    seed: int
    digest: str

    def __post_init__(self) -> None:
        self._close()

    def __repr__(self) -> str:
        return f"RecoveryScore(accuracy={self.accuracy:.3f}, baseline={self.baseline_accuracy:.3f})"
