"""Counts of people by place and time slot, and what an attack recovers from them.

:class:`AggregateCounts` is all that the attack sees: nothing in it says who is where.

Only the counts that are not 0 are held, in a sparse matrix. In a slot, at most as many places are
occupied as there are people, while a table has room for every place. A thousand people at ten
thousand places fill at most a tenth of such a table.

:class:`Recovered` is what :func:`fpanon_core.recover_trajectories` returns; :class:`RecoveryScore`
is what :func:`fpanon_core.score_recovery` returns.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse  # type: ignore[import-untyped,unused-ignore]

from .arrays import Closed, FloatArray, IntArray, SmallInts
from .checks import AT_LEAST_1, NOT_BELOW_0, Checked, positive
from .counts_frame import CountsFrame
from .errors import SchemaError

NIGHT_ENDS_H = 6.0  # night is 0 to 6 h local
UNKNOWN = -1
_DAY_MIN = 1440.0
_COUNTS_AT_ONCE = 1 << 20  # counts of a table that are processed at a time


@dataclass(frozen=True, eq=False, repr=False)
class AggregateCounts(Closed):
    """Numbers of people at each place in each time slot. Arrays are read-only.

    Counts are held as a sparse matrix, whose memory is linear in people and slots. The full table
    is made at first use. Code that works through all counts reads them with :meth:`block` and
    needs no table.

    Attributes
    ----------
    counts : integer ndarray (n_slots, n_places)
        Numbers of people; noise can make a count negative.
    x_m, y_m : float64 ndarray (n_places,)
        Lower corner of each place, metres on the projection.
    slot_start_min : float64 ndarray (n_slots,)
        Start of each slot, elapsed minutes since the data set's epoch; ascending.
    dx_m, dy_m : float64 ndarray (n_places,)
        Extent of each place, metres; 0 (points) if not given.
    slot_min : float
        Length of a slot, minutes; only a slot in which the clocks change differs. If not
        given, it is the smallest difference between two starts, or 30 for a single slot.
    wall_start_min : float64 ndarray (n_slots,)
        Starts of the slots on the wall clock, which define nights and days; ``slot_start_min`` if
        not given.
    digest : str
        Digest of the fingerprints that the counts were made from; "" if there is none.
    frame : CountsFrame or None
        Stated places and period; None where both follow from the events.
    filled_in : bool
        Whether slots without a sample were filled in from the samples before and after. If not,
        people are counted only in slots in which they have a sample.
    heaviest : int
        Largest number of people counted for one fingerprint; above 1 only for merged data.
    of_records : str
        Sentences on how the records affected the way they were read: through the centre of the map
        projection, or the times at which samples begin. "" if they did not.
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
        given = cast(Any, self.counts)
        held = given if sparse.issparse(given) else np.asarray(given)
        if len(held.shape) != 2 or not np.issubdtype(held.dtype, np.integer):
            raise SchemaError("Counts must be a table of whole numbers, slots by places.")
        rows = sparse.csr_array(held)
        put(self, "_held", (rows.data, rows.indices, rows.indptr))
        object.__delattr__(self, "counts")
        for name in ("x_m", "y_m", "dx_m", "dy_m", "slot_start_min", "wall_start_min"):
            put(self, name, np.ascontiguousarray(getattr(self, name), np.float64))
        none = np.zeros(len(self.x_m))
        usual = {"wall_start_min": self.slot_start_min, "dx_m": none, "dy_m": none}
        for name, values in usual.items():
            if len(getattr(self, name)) == 0:
                put(self, name, values)
        if self.slot_min == 0.0:
            gaps = np.diff(self.slot_start_min)
            put(self, "slot_min", float(gaps.min()) if len(gaps) else 30.0)
        slots, places = rows.shape
        if slots == 0 or places == 0:
            raise SchemaError("Counts need at least one slot and one place.")
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

    @cached_property
    def _rows(self) -> sparse.csr_array:
        rows = sparse.csr_array(self.__dict__["_held"], shape=(self.n_slots, self.n_places))
        rows.check_format()  # SciPy trusts its indices, and these may come from another process
        return rows

    if not TYPE_CHECKING:  # type checkers see only the field ``counts``

        def __getattr__(self, name: str) -> Any:
            """Make the table of counts at first use, and keep it."""
            if name != "counts" or "_held" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
            table = self.block(slice(None))
            table.flags.writeable = False
            return self.__dict__.setdefault("counts", table)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the matrix and the table, which can be made again."""
        made = ("counts", "_rows")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    @property
    def n_slots(self) -> int:
        """Number of time slots."""
        return len(self.slot_start_min)

    @property
    def n_places(self) -> int:
        """Number of places."""
        return len(self.x_m)

    @property
    def centres(self) -> FloatArray:
        """Centre of each place (metres), from which distances are measured, shape (n_places, 2)."""
        return np.column_stack([self.x_m + self.dx_m / 2, self.y_m + self.dy_m / 2])

    @property
    def totals(self) -> IntArray:
        """Number of people in each slot, shape (n_slots,); negative counts are included."""
        return np.asarray(self._rows.sum(axis=1, dtype=np.int64))

    @property
    def noisy(self) -> bool:
        """Whether any count is negative, which only noise can cause."""
        return bool(self._rows.data.min(initial=0) < 0)

    @property
    def greatest(self) -> int:
        """Largest count, or 0 if no count is above 0."""
        return int(self._rows.data.max(initial=0))

    @property
    def above_zero(self) -> npt.NDArray[np.integer]:
        """Counts above 0, ordered by slot, then by place."""
        return np.asarray(self._rows.data[self._rows.data > 0])

    @property
    def is_night(self) -> npt.NDArray[np.bool_]:
        """Whether each slot starts between 0:00 and 6:00 local time, shape (n_slots,)."""
        return np.asarray(self.wall_start_min % _DAY_MIN < NIGHT_ENDS_H * 60)

    @property
    def day(self) -> IntArray:
        """Local calendar day on which each slot starts, shape (n_slots,); the epoch's day is 0."""
        return np.floor(self.wall_start_min / _DAY_MIN).astype(np.int64)

    @property
    def day_offsets(self) -> IntArray:
        """Offsets by day, (n_days + 1,): day i has slots ``day_offsets[i]:day_offsets[i+1]``."""
        changes = np.flatnonzero(np.diff(self.day)) + 1
        return np.concatenate([[0], changes, [self.n_slots]]).astype(np.int64)

    def entries(self) -> tuple[IntArray, IntArray, npt.NDArray[np.integer]]:
        """Return slot, place and value of the nonzero counts, (n,) each, by slot, then by place."""
        held = self._rows.tocoo()
        slot, place = (at.astype(np.int64) for at in held.coords)
        return slot, place, held.data

    def block(self, slots: slice | IntArray) -> npt.NDArray[np.integer]:
        """Return the counts of some slots, (slots, n_places), without making the whole table."""
        return np.asarray(self._rows[slots].toarray())

    def of_slot(self, slot: int) -> npt.NDArray[np.integer]:
        """Return the counts of one slot, (n_places,)."""
        return np.asarray(self.block(slice(slot, slot + 1))[0])

    def pieces(self) -> Iterator[slice]:
        """Iterate over all slots in slices small enough that a block takes little memory."""
        at_once = max(1, _COUNTS_AT_ONCE // self.n_places)
        for first in range(0, self.n_slots, at_once):
            yield slice(first, min(first + at_once, self.n_slots))

    def with_counts(self, counts: npt.NDArray[np.integer] | sparse.csr_array) -> AggregateCounts:
        """Return a copy with the same places and slots, and other counts."""
        return replace(self, counts=cast(Any, counts))

    def with_blocks(self, blocks: Iterable[npt.NDArray[np.integer]]) -> AggregateCounts:
        """Return a copy with the same places and slots; the new counts come in blocks of slots."""
        return self.with_counts(sparse_of(blocks))


def sparse_of(blocks: Iterable[npt.NDArray[np.integer]]) -> sparse.csr_array:
    """Return the counts of one or more consecutive tables, each of a few slots and all places."""
    return sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")


@dataclass(frozen=True)
class RecoveryConfig(Checked):
    """Parameters of the trajectory recovery attack.

    Attributes
    ----------
    link_threshold_m : float
        Trajectories and records at most this far apart are linked before the optimal assignment,
        the nearest pairs first (Xu et al. 2017, §4.3). With 0, only pairs at exactly the same point
        are linked beforehand, which keeps the total cost minimal.
    n_trajectories : int or None
        Assumed number of people in the counts; estimated if None.
    """

    link_threshold_m: Annotated[float, NOT_BELOW_0] = 0.0
    n_trajectories: Annotated[int | None, AT_LEAST_1] = None


@dataclass(frozen=True, eq=False, repr=False)
class Recovered(Closed):
    """Trajectories recovered from counts, with intermediate results of the attack's three steps.

    Attributes
    ----------
    places : int32 ndarray (n_trajectories, n_slots)
        Place number of each trajectory in each slot, after the last step; −1 on days without
        published counts.
    daily : int32 ndarray (n_trajectories, n_slots)
        Place numbers before the days were linked. Within one day, a row is one trajectory; rows of
        different days are unrelated.
    is_night : bool ndarray (n_slots,)
    day_offsets : int64 ndarray (n_days + 1,)
        Slots of day i are ``day_offsets[i]:day_offsets[i+1]``.
    step_cost_m : float64 ndarray (n_slots,)
        Total cost of the assignment into each slot, metres. On each day, NaN up to the first slot
        in which anybody was counted; also NaN on days without published counts.
    link_cost : float64 ndarray (n_days − 1,)
        Total information gain, bits, of the links from each day to the next; NaN next to a day
        without published counts.
    unrecorded : int64 ndarray (n_slots,)
        Number of trajectories without a record in a slot (positive), or of records without a
        trajectory (negative). All 0 if every slot counts ``n_trajectories`` people.
    config : RecoveryConfig
    digest : str
        Digest of the data behind the counts.
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

    @property
    def n_trajectories(self) -> int:
        """Number of recovered trajectories."""
        return len(self.places)

    @property
    def night(self) -> SmallInts:
        """Result of the first step: :attr:`daily` in the slots at night, −1 in all other slots."""
        return np.where(self.is_night, self.daily, np.int32(UNKNOWN))


@dataclass(frozen=True, eq=False, repr=False)
class RecoveryScore(Closed):
    """Accuracy of the trajectories that an attack recovered, compared with random linking.

    Xu et al. 2017, eq. 5–6.

    Attributes
    ----------
    accuracy : float
        Share of the true points recovered, after the last step, in [0, 1] (eq. 5).
    accuracy_by_step : float64 ndarray (3,)
        Accuracy after each step of the attack: the nights, the days, and the links between days.
        For the first two steps, the partial trajectories of each night, or day, are paired
        separately. The first value is NaN if there are no nights.
    baseline_accuracy : float
        Accuracy of random linking of the same records, paired in the same way.
    baseline_by_step : float64 ndarray (3,)
    error_m : float32 ndarray (n_points,)
        Distance between recovered and true place, for each point of each pair, metres (eq. 6).
        Points of days without published counts are left out.
    error_mean_m, error_median_m : float
    uniqueness : float64 ndarray (5,)
        Share of the recovered trajectories with a unique set of k most visited places, for k = 1 …
        5.
    pair : int64 ndarray (n_trajectories,)
        Row of the true trajectory paired with each recovered one; −1 where none was left.
    shared : int64 ndarray (n_trajectories,)
        Number of points that the two trajectories of a pair have in common.
    recorded_by_step : float64 ndarray (3,)
        Accuracy as in ``accuracy_by_step``, but only over points with a sample, not over filled-in
        points. NaN if it was not stated which points have a sample.
    baseline_recorded_by_step : float64 ndarray (3,)
    recorded_share : float
        Share of the true points with a sample; NaN if it was not stated which points have one.
    n_users : int
        Number of true trajectories, over which the accuracy is taken.
    n_slots : int
    pairing : str
        How recovered and true trajectories are paired: "greedy" or "optimal".
    seed : int
        Seed of the baseline.
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
    recorded_by_step: FloatArray
    baseline_recorded_by_step: FloatArray
    recorded_share: float
    n_users: int
    n_slots: int
    pairing: str
    seed: int
    digest: str

    @property
    def recorded(self) -> float:
        """Share of the points with a sample that are recovered after the last step."""
        return float(self.recorded_by_step[2])

    @property
    def baseline_recorded(self) -> float:
        """Share of the points with a sample that random linking recovers."""
        return float(self.baseline_recorded_by_step[2])
