"""Mitigations of the recovery attack: their effect and their cost.

The attack is run after each mitigation. The cost is the error that readers of the published counts
have to bear. Private counts are made over a frame taken from the data. No counts made here are for
publication: the noise is drawn from the study's seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..attacks.aggregation import CountedPeople, aggregate_counts, counted_people
from ..attacks.mitigations import (
    coarsen,
    noise_at_frequent,
    sensitivity_of,
    squares_of,
    studied_noise,
    suppress_small,
)
from ..model.aggregates import UNKNOWN, AggregateCounts
from ..model.checks import ABOVE_0, AT_LEAST_1, NOT_BELOW_0, number
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.options import UNITS, Unit
from . import recovery
from .estimates import costs
from .framing import frame_for, stated_of_data
from .recovery import CUSTOMARY_LIMIT, Counting, bytes_of_counting, drawn_rows, part_counted
from .recovery_factors import attacked_each
from .tabled import Tabled, Work, working

# What counts say, or ought to say, about each place and slot. It is asked for some slots at a
# time, since all slots may take a lot of memory.
Reading = Callable[[slice], npt.NDArray[Any]]
# Counts as published, with the truth at their resolution; what they say, and what they ought to.
Release = tuple[CountedPeople, Reading, AggregateCounts]

_COARSER = ("longer slots", "coarser places")
_MILD = 0.5
_SLOTS_AT_ONCE = 256
_ATTACKS = 10.0  # attacks on the unchanged counts that take as long as all mitigations
# Memory besides one attack: private counts, which are above or below 0 everywhere; and the counts
# of the unchanged data with their truth, which are kept for the rows to come.
_BYTES_A_COUNT, _BYTES_A_POINT = 8, 30
_MOST_SECONDS, _MOST_GIGABYTES = 900.0, 4.0


@dataclass(frozen=True)
class Config(Counting):
    """Settings of :class:`.recovery.Counting`, and the strength of each mitigation.

    Attributes
    ----------
    coarse_slot_min : float or None
        Length of the longer slots, minutes; None for :func:`longer_slot` of ``slot_min``.
    coarse_m : float
        Side of the squares of coarser places, metres.
    limit : int
        Smallest count that is not suppressed.
    noise_share : float
        Probability that a point at a person's most frequent place is moved.
    epsilons : tuple of float
        Privacy budgets of the differentially private counts, each for both units of protection.
    """

    coarse_slot_min: float | None = None
    coarse_m: Annotated[float, ABOVE_0] = 5_000.0
    limit: Annotated[int, AT_LEAST_1] = CUSTOMARY_LIMIT
    noise_share: Annotated[float, NOT_BELOW_0] = 0.2
    epsilons: tuple[float, ...] = (1.0, 0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        epsilons = tuple(number("epsilon", each, above=0.0) for each in self.epsilons)
        object.__setattr__(self, "epsilons", epsilons)
        if (coarse := self.coarse_slot_min) is not None:
            coarse = number("coarse_slot_min", coarse, least=self.slot_min)
            object.__setattr__(self, "coarse_slot_min", coarse)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Results of the attack after each mitigation, and the cost of each.

    Attributes
    ----------
    table : DataFrame
        One row per mitigation: ``mitigation`` ("none", which is the first, "longer slots",
        "coarser places", "small counts suppressed", "noise at frequent places", "differential
        privacy"), ``setting`` (180, 5000, 15, 0.2, ε), ``unit`` (of protection; "" except for
        differential privacy); the columns that describe the attack in
        :attr:`.recovery_factors.Result.levels`; and the cost: ``count_error``, the mean absolute
        error, in people, of a published count of a place and slot; and ``count_error_share``, the
        sum of all errors as a share of the sum of all counts. Negative and suppressed counts are
        read as 0. Errors of private counts come from the noise: they are differences from counts of
        the same places, slots and samples without noise. For the error, the count of a coarser
        place is spread evenly over its places. The count of a longer slot is repeated for its
        slots. On coarser counts, a point is right if the coarse place is right.
    places : int
        Number of places in the frame of private counts; 0 where none were made.
    n_users : int
        Number of users in the data, from whom the people counted were drawn.
    config : Config
    digest : str
        Digest of all the data, even where fewer people were counted.
    """

    table: pd.DataFrame
    places: int
    n_users: int
    config: Config
    digest: str

    @property
    def people(self) -> int:
        """Number of people counted."""
        return int(self.none["users"])

    @property
    def none(self) -> pd.Series[Any]:
        """Row of the attack on the counts as they are."""
        return self.table.iloc[0]

    @property
    def least(self) -> pd.Series[Any]:
        """Row of the mitigation, of any kind, after which the attack recovers least."""
        return _least(self.table.iloc[1:])

    @property
    def strongest(self) -> pd.Series[Any]:
        """Row of the comparable mitigation after which the attack recovers least.

        Comparable mitigations have no ε, and keep slots and places.
        """
        return _least(self._comparable())

    @property
    def mildest(self) -> pd.Series[Any] | None:
        """Row chosen like :attr:`strongest`, but among mild mitigations; None if there is none.

        A mitigation is mild if its ``count_error_share`` is at most 0.5.
        """
        tried = self._comparable()
        mild = tried[tried["count_error_share"] <= _MILD]
        return _least(mild) if len(mild) else None

    def _comparable(self) -> pd.DataFrame:
        """Return the mitigations that have no ε, and keep slots and places."""
        tried = self.table.iloc[1:]
        return tried[~tried["mitigation"].isin(_COARSER) & (tried["unit"] == "")]

    MAY_LEAVE = frozenset({"recovery_mitigations"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``recovery_mitigations``: the attack without and with each mitigation."""
        return {"recovery_mitigations": self.table}


def _least(tried: pd.DataFrame) -> pd.Series[Any]:
    return tried.iloc[int(np.nanargmin(tried["recorded"].to_numpy()))]


# ``beside``: attacks on versions of the data, one after another.
@costs(bytes_of_counting, beside=100_000_000, part=part_counted)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Run the attack on counts without and with each mitigation; measure the error of the counts.

    The attacker knows the number of people (operators publish it). Private counts have the noise
    that each ε needs. Nothing is published here, so the noise is drawn from the seed. If the unit
    of protection is one slot, only recorded samples are counted; if it is a person, gaps are filled
    in. The places of private counts are the antennas where there is a table of them. Otherwise they
    are squares of ``coarse_m`` over the data, without a few far travellers. The period is all days.
    The counts show only the effect of the noise, and carry no promise. To publish counts, release
    them as :class:`Tables`.

    Raises
    ------
    ConfigError
        The slots do not divide a day, or the longer slots are no multiple of them.
    InfeasibleError
        The counts would not fit in memory, samples are longer than a slot, or nobody has a sample
        within the frame.
    """
    made = _Releases(fs.subset(drawn_rows(fs, config)), config)
    settings = {
        "none": np.nan,
        "longer slots": config.coarse_slot_min or longer_slot(config.slot_min),
        "coarser places": config.coarse_m,
        "small counts suppressed": config.limit,
    }
    if made.counts.n_places > 1:
        settings["noise at frequent places"] = config.noise_share
    rows: list[tuple[str, Any, str]] = [(name, value, "") for name, value in settings.items()]
    rows += [("differential privacy", e, unit) for unit in UNITS for e in config.epsilons]
    cases = [dict(zip(("mitigation", "setting", "unit"), row, strict=True)) for row in rows]
    table = attacked_each(cases, made.with_cost, config, working(**work))
    private = table.loc[table["unit"] != "", "places"]
    places = int(private.iloc[0]) if len(private) else 0
    return Result(table, places, fs.n_users, config, fs.digest)


@dataclass(frozen=True)
class Effort:
    """Rough estimate of what trying the mitigations takes on this machine.

    Attributes
    ----------
    people : int
        Number of people counted.
    seconds, gigabytes : float
        Time and memory.
    """

    people: int
    seconds: float
    gigabytes: float

    @property
    def affordable(self) -> bool:
        """Whether the effort is within a quarter of an hour and 4 GB."""
        return self.seconds <= _MOST_SECONDS and self.gigabytes <= _MOST_GIGABYTES


def effort(attacked_before: recovery.Result, seconds: float, people: int) -> Effort:
    """Estimate, from one attack, the effort of trying the mitigations on a number of people.

    Parameters
    ----------
    attacked_before : recovery.Result
        The attack on the counts as they are, for these or fewer people.
    seconds : float
        Time that this attack took.
    people : int
        Number of people. Time grows with the square of this number, as everybody is compared with
        everybody. Memory grows with the number of people and of places, each times the number of
        slots.
    """
    more = people / attacked_before.score.n_users
    counts = attacked_before.counts
    places = math.ceil(counts.n_places * max(1.0, more))
    room = memory_bytes(counts.n_slots, people, places)
    return Effort(people, _ATTACKS * seconds * more**2, room / 1e9)


def memory_bytes(n_slots: int, people: int, n_places: int) -> int:
    """Return the most bytes that :func:`study` takes for counts of this size, besides the data.

    ``n_places`` is the number of places in the data or in the frame of private counts, whichever is
    larger.
    """
    kept = (_BYTES_A_COUNT * n_places + _BYTES_A_POINT * people) * n_slots
    return recovery.memory_bytes(n_slots, people, n_places) + kept


def longer_slot(slot_min: float) -> float:
    """Return the shortest slot of 3 h or more that divides a day and is a multiple of ``slot_min``.

    The slot is longer than ``slot_min``. Lengths are in minutes. Where there is no such slot, a
    whole day is returned.

    Examples
    --------
    >>> longer_slot(30), longer_slot(120), longer_slot(180), longer_slot(720)
    (180.0, 240.0, 360.0, 1440.0)
    """
    lengths = (1440 / parts for parts in range(1440 // 180, 0, -1))
    times = ((length, length / slot_min) for length in lengths if length > slot_min)
    return next((length for length, n in times if abs(n - round(n)) < 1e-9), 1440.0)


class _Releases:
    """The same data, published after each mitigation."""

    def __init__(self, fs: FingerprintSet, config: Config) -> None:
        self._fs, self._seed = fs, config.seed
        self._made = counted_people(fs, slot_min=config.slot_min)
        self.counts = self._made.counts
        self._frame = frame_for(fs, stated_of_data(fs, config.slot_min, config.coarse_m))

    @cached_property
    def _framed(self) -> CountedPeople:
        """The people counted over the frame, the same for every ε and unit."""
        return counted_people(self._fs, frame=self._frame)

    def with_cost(
        self, mitigation: str, setting: float, unit: Unit | Literal[""]
    ) -> tuple[CountedPeople, dict[str, float]]:
        """Return the release for the name and setting of a row, and the error of its counts."""
        made, read, exact = self._release(mitigation, setting, unit)
        off, counted = 0.0, float(exact.totals.sum())
        for first in range(0, exact.n_slots, _SLOTS_AT_ONCE):
            some = slice(first, first + _SLOTS_AT_ONCE)  # negative counts are read as 0
            off += np.abs(np.maximum(read(some), 0) - exact.block(some)).sum()
        cost = {
            "count_error": float(off) / (exact.n_slots * exact.n_places),
            "count_error_share": float(off) / counted if counted else np.nan,
        }
        return made, cost

    def _release(self, name: str, setting: float, unit: Unit | Literal[""]) -> Release:
        if unit:
            return self._private(setting, unit)
        made, counts = self._made, self.counts
        if name == "longer slots":
            if abs(setting / counts.slot_min - round(setting / counts.slot_min)) > 1e-9:
                raise ConfigError(
                    f"Longer slots: {setting:g} min is not a multiple of {counts.slot_min:g} min."
                )
            made = counted_people(self._fs, slot_min=setting)
            long = made.counts
            holds = np.searchsorted(long.slot_start_min, counts.slot_start_min, side="right")
            return made, lambda slots: long.block(holds[slots] - 1), counts
        if name == "coarser places":
            coarse, truth = coarsen(counts, made.truth, metres=setting)
            _, square = squares_of(counts, setting)
            share = 1 / np.bincount(square)[square]
            coarser = replace(made, counts=coarse, truth=truth)
            return coarser, lambda slots: coarse.block(slots)[:, square] * share, counts
        if name == "small counts suppressed":
            counts = suppress_small(counts, int(setting))
        elif name == "noise at frequent places":
            counts = noise_at_frequent(counts, made.truth, share=setting, seed=self._seed)
        return replace(made, counts=counts), counts.block, self.counts

    def _private(self, epsilon: float, unit: Unit) -> Release:
        """Return counts over the frame with the noise that ε needs.

        Gaps in the true trajectories are filled in.
        """
        made, exact = self._framed, self._framed.counts
        if unit == "user-slot":
            exact, _ = aggregate_counts(self._fs, frame=self._frame, filled_in=False)
        scale = sensitivity_of(exact.n_slots, unit) / epsilon
        noisy = exact.with_counts(studied_noise(exact, scale, self._seed))
        inside = made.truth[:, 0] != UNKNOWN
        if not inside.any():
            raise InfeasibleError("Nobody has a sample within the places and days of the counts.")
        if not inside.all():
            made = replace(made, truth=made.truth[inside], recorded=made.recorded[inside])
        return replace(made, counts=noisy), noisy.block, exact
