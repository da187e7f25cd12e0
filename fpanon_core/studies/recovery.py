"""Recovery attack on a data set's own counts: trajectories from published counts (Xu et al. 2017).

The counts of everyone, or of some people drawn at random, are made and attacked. The attack sees
only the counts and the number of people. The recovered trajectories are paired with the truth,
scored, and compared with random linking.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..attacks.aggregation import CountedPeople, counted_people
from ..attacks.recovery import recover_trajectories
from ..attacks.scoring import PAIRINGS as PAIRINGS
from ..attacks.scoring import Pairing as Pairing
from ..attacks.scoring import score_recovery
from ..engines.local import Engine
from ..engines.progress import tell
from ..model.aggregates import AggregateCounts, Recovered, RecoveryScore
from ..model.arrays import FloatArray, IntArray
from ..model.checks import ABOVE_0, AT_LEAST_0, AT_LEAST_1, NOT_BELOW_0, Checked, one_of
from ..model.fingerprints import FingerprintSet
from ..model.projection import lon_lat
from .estimates import Growth, costs
from .tabled import Tabled, Work, part_of

STEPS = {"night": "nights", "day": "days", "whole": "across days"}
"""The steps of the attack: their columns in tables, and their names."""

CUSTOMARY_LIMIT = 15
"""Customary threshold: counts of fewer people are not published."""

MOST_CELLS = 5_000_000
"""People × slots above which the attack is slow, and runs on request only."""

_MOST_ERRORS = 20_001
# Of a person and slot: truth, recovered (three times), its order and places for the score, random
# links, errors and their copies, 4 bytes each; recorded, 1; a count, 8, twice while made.
_BYTES_A_POINT = 64
_BYTES_A_PAIR = 160  # costs, flow and proof of an assignment, on two cores
_BYTES_BESIDE = 100_000_000
_SLOTS_HELD = 512  # a day of slots on each core, and blocks
_MAKING, _RECOVERY_SHARE = 0.1, 0.5  # of the progress; of what is left; the rest is the score


@dataclass(frozen=True)
class Counting(Checked):
    """The people who are counted, and how the attack on their counts is scored.

    Attributes
    ----------
    slot_min : float
        Length of a slot, minutes; a whole number of slots makes a day.
    users : int or None
        Number of people counted, drawn at random where there are more; None for everyone.
    pairing : {"greedy", "optimal"}
        How recovered and true trajectories are paired for the score.
    seed : int
        Seed of random linking, and of the draw of people.
    """

    slot_min: Annotated[float, ABOVE_0] = 30.0
    users: Annotated[int | None, AT_LEAST_1] = 2_000
    pairing: Annotated[Pairing, partial(one_of, known=PAIRINGS)] = "greedy"
    seed: Annotated[int, AT_LEAST_0] = 0


@dataclass(frozen=True)
class Config(Counting):
    """Settings of :class:`Counting`, and the distance within which the attack links greedily.

    Attributes
    ----------
    link_threshold_m : float
        Trajectories and records at most this far apart, in metres, are linked before the optimal
        assignment, the nearest first. With 0, these are only pairs at the same point, and the
        links stay optimal.
    """

    link_threshold_m: Annotated[float, NOT_BELOW_0] = 0.0


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Counts, and what the attack on them recovers.

    Attributes
    ----------
    counts : AggregateCounts
    truth, recovered : int32 ndarray (n_counted, n_slots)
        Places of everyone counted, and of the trajectory paired with each person.
    users : int64 ndarray (n_counted,)
        Row number of each person counted, in the whole data set.
    lon, lat : float64 ndarray (n_places,)
        Centres of the places, degrees; empty where the data carry no projection.
    score : RecoveryScore
        Score with at most 20,001 quantiles of the errors in place of all errors.
    at_home : float
        Mean share of the night slots that people spend at their most frequent night place; NaN
        where there is no night.
    n_users : int
        Number of users in the data, from whom the people counted were drawn.
    config : Config
    digest : str
        Digest of all the data, even where fewer people were counted.
    """

    counts: AggregateCounts
    truth: npt.NDArray[np.int32] = field(repr=False)
    recovered: npt.NDArray[np.int32] = field(repr=False)
    users: IntArray = field(repr=False)
    lon: FloatArray = field(repr=False)
    lat: FloatArray = field(repr=False)
    score: RecoveryScore
    at_home: float
    n_users: int
    config: Config
    digest: str

    @property
    def recorded(self) -> float:
        """Share of the points that have a sample; the others were filled in between samples."""
        return float(self.score.recorded_share)

    @property
    def alone(self) -> float:
        """Share of the counts above 0 that count one person only."""
        return float((self.counts.above_zero == 1).mean())

    @property
    def small(self) -> float:
        """Share of the counts above 0 that are below :data:`CUSTOMARY_LIMIT`."""
        return float((self.counts.above_zero < CUSTOMARY_LIMIT).mean())

    def within(self, metres: float) -> float:
        """Return the share of the recovered points within this distance of the truth."""
        return float((self.score.error_m.astype(np.float64) / 1000 <= metres / 1000).mean())

    MAY_LEAVE = frozenset({"recovery_scores", "recovery_uniqueness"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return scores by step, the attacked counts, error quantiles and uniqueness."""
        c, error_m, unique = self.counts, self.score.error_m, self.score.uniqueness
        slot, place, people = c.entries()
        tables: dict[str, dict[str, Any]] = {
            "scores": self._scores(),
            "counts": {
                "slot_start_min": c.slot_start_min[slot],
                "slot_min": c.slot_min,
                "x_m": c.x_m[place],
                "y_m": c.y_m[place],
                "people": people,
            },
            "errors": {"share_of_points": np.linspace(0, 1, len(error_m)), "error_m": error_m},
            "uniqueness": {"places": np.arange(1, len(unique) + 1), "unique": unique},
        }
        return {f"recovery_{name}": pd.DataFrame(columns) for name, columns in tables.items()}

    def trajectories(self) -> pd.DataFrame:
        """Return the attacker's result, a row per recovered trajectory and slot, without names.

        The trajectories may be true, so protect them like the data.
        """
        c = self.counts
        # Everyone has a pair, so this undoes the pairing.
        places = self.recovered[self.score.pair]
        columns = {
            "trajectory": np.repeat(np.arange(len(places)), c.n_slots),
            "slot_start_min": np.tile(c.slot_start_min, len(places)),
            "slot_min": c.slot_min,
            "x_m": c.x_m[places.ravel()],
            "y_m": c.y_m[places.ravel()],
        }
        return pd.DataFrame(columns)

    def _scores(self) -> dict[str, Any]:
        """Return the scores, a row per step; errors and uniqueness belong to the last step only."""
        s, last = self.score, [np.nan] * (len(STEPS) - 1)
        return {
            "step": list(STEPS.values()),
            "accuracy": s.accuracy_by_step,
            "at_random": s.baseline_by_step,
            "recorded_accuracy": s.recorded_by_step,
            "recorded_at_random": s.baseline_recorded_by_step,
            "recorded_share": s.recorded_share,
            "users": s.n_users,
            "slots": s.n_slots,
            "error_mean_m": [*last, s.error_mean_m],
            "error_median_m": [*last, s.error_median_m],
            **{f"top{k}": [*last, float(share)] for k, share in enumerate(s.uniqueness, 1)},
            "slot_min": self.counts.slot_min,
            "link_threshold_m": self.config.link_threshold_m,
            "pairing": s.pairing,
            "seed": s.seed,
        }


def bytes_of_counting(fs: FingerprintSet, config: Counting, _: Engine | None) -> float:
    """Return the bytes for each sample: the data, and true, recovered and paired places."""
    people = int(fs.weight.sum())
    people = people if config.users is None else min(people, config.users)
    slots = float((fs.t_min + fs.dt_min).max() - fs.t_min.min()) / config.slot_min
    return 100.0 + 50.0 * people * slots / max(fs.n_samples, 1)


def part_counted(fs: FingerprintSet, config: Counting) -> FingerprintSet:
    """Return the fingerprints of the people who are counted."""
    return fs.subset(drawn_rows(fs, config))


@costs(bytes_of_counting, growth=Growth(powers=(1.2, 2.0)), part=part_counted)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Make the counts of the users, attack these counts, and score the attack.

    Parameters
    ----------
    fs : FingerprintSet
    config : Config
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    ConfigError
        The slots do not divide a day.
    InfeasibleError
        The table of people by slots would not fit in memory.

    Examples
    --------
    Two people stay 5 km apart for two days and never move.

    >>> from fpanon_core import FingerprintSet
    >>> fs = FingerprintSet.from_samples([1, 2, 1, 2], [0, 5000] * 2, [0] * 4, [0, 0, 2879, 2879])
    >>> study(fs, Config(slot_min=180)).score.accuracy
    1.0
    """
    tell(work.get("progress"), 0.0)
    rows = drawn_rows(fs, config)
    counted = fs.subset(rows)
    made = counted_people(counted, slot_min=config.slot_min)
    counts, truth = made.counts, made.truth
    attacking, metres = part_of(work, _MAKING, 1.0), config.link_threshold_m
    recovered, score = attacked(made, config, attacking, link_threshold_m=metres)
    # As many records as people in every slot: everyone has a pair.
    paired = np.empty_like(recovered.places)
    paired[score.pair] = recovered.places
    some = np.unique(np.linspace(0, len(score.error_m) - 1, _MOST_ERRORS).round().astype(int))
    lon, lat = lon_lat(fs.crs, *counts.centres.T)
    who = np.repeat(np.arange(counted.n_users), counted.weight)
    return Result(
        counts=counts,
        truth=truth,
        recovered=paired,
        users=rows[who],
        lon=lon,
        lat=lat,
        score=replace(score, error_m=np.sort(score.error_m)[some]),
        at_home=_at_home(counts, truth),
        n_users=fs.n_users,
        config=config,
        digest=fs.digest,
    )


def attacked(
    made: CountedPeople, counting: Counting, work: Work, *, link_threshold_m: float = 0.0
) -> tuple[Recovered, RecoveryScore]:
    """Attack the counts, given the number of people; return the trajectories and their score."""
    recovered = recover_trajectories(
        made.counts,
        link_threshold_m=link_threshold_m,
        n_trajectories=len(made.truth),
        **part_of(work, 0.0, _RECOVERY_SHARE),
    )
    score = score_recovery(
        recovered,
        made.counts,
        made.truth,
        recorded=made.recorded,
        pairing=counting.pairing,
        seed=counting.seed,
        **part_of(work, _RECOVERY_SHARE, 1.0),
    )
    return recovered, score


def memory_bytes(n_slots: int, people: int, n_places: int) -> int:
    """Return the most bytes that :func:`study` takes for counts of this size, besides the data.

    The number is linear in people × slots. One assignment adds a term in people × people, and a few
    slots add a term in places. This is a bound for the usual machine: measured runs stay below it.
    """
    beside = _BYTES_BESIDE + _SLOTS_HELD * 8 * n_places  # blocks, and some slots of all places
    return _BYTES_A_POINT * people * n_slots + _BYTES_A_PAIR * people**2 + beside


def drawn_rows(fs: FingerprintSet, counting: Counting) -> IntArray:
    """Return the row numbers of the users counted, ascending; all if no smaller number is set."""
    if counting.users is None or counting.users >= fs.n_users:
        return np.arange(fs.n_users, dtype=np.int64)
    rng = np.random.default_rng(counting.seed)
    return np.sort(rng.choice(fs.n_users, counting.users, replace=False))


def _at_home(counts: AggregateCounts, truth: npt.NDArray[np.int32]) -> float:
    if not counts.is_night.any():
        return float("nan")
    night = truth[:, counts.is_night]
    return float(np.mean([np.bincount(row).max() / len(row) for row in night]))
