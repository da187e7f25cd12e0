"""What does an attack recover from counts, and how much of it is true?

As :func:`fpanon_core.recover_trajectories` and :func:`fpanon_core.score_recovery` return it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .aggregates import UNKNOWN
from .arrays import FloatArray, IntArray, SmallInts
from .checks import number, whole
from .closed import Closed


@dataclass(frozen=True)
class RecoveryConfig:
    """Parameters of the attack.

    Attributes
    ----------
    link_threshold_m : float
        Pairs of a trajectory and a record at most this far apart are linked at once, the nearest
        first (Xu et al. 2017, §4.3). 0 changes no cost: it links equal places only.
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
    """How much of the truth an attack recovered, beside linking at random.

    Xu et al. 2017, eq. 5–6.

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
    recorded_by_step : float64 ndarray (3,)
        As ``accuracy_by_step``, of the points with a sample alone, those that were not filled in;
        NaN where the score was not told which those are.
    baseline_recorded_by_step : float64 ndarray (3,)
    recorded_share : float
        Share of the true points with a sample.
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
    recorded_by_step: FloatArray
    baseline_recorded_by_step: FloatArray
    recorded_share: float
    n_users: int
    n_slots: int
    pairing: str
    seed: int
    digest: str

    def __post_init__(self) -> None:
        self._close()

    @property
    def recorded(self) -> float:
        """Share of the recorded points recovered, after the last step."""
        return float(self.recorded_by_step[2])

    @property
    def baseline_recorded(self) -> float:
        """What linking at random attains of the recorded points."""
        return float(self.baseline_recorded_by_step[2])

    def __repr__(self) -> str:
        return f"RecoveryScore(accuracy={self.accuracy:.3f}, baseline={self.baseline_accuracy:.3f})"
