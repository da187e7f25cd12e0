"""Factors that make the recovery attack better or worse (Xu et al. 2017, section 5.3).

The factors are coarser places, longer slots and fewer people; only one at a time is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Unpack

import numpy as np
import pandas as pd

from ..attacks.aggregation import CountedPeople, counted_people
from ..attacks.mitigations import coarsen
from ..attacks.scoring import Pairing
from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..model.checks import ABOVE_0, AT_LEAST_1
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from .estimates import costs
from .recovery import STEPS, Counting, attacked, bytes_of_counting, drawn_rows, part_counted
from .tabled import Tabled, Work, nth_of, working

# What some counts are called, the counts, and what they cost.
Row = tuple[dict[str, Any], CountedPeople, dict[str, float]]


@dataclass(frozen=True)
class Config(Counting):
    """Settings of :class:`.recovery.Counting`, and the levels of each factor.

    Attributes
    ----------
    spaces_m : tuple of float
        Sides of the squares that places are merged into, metres; unmerged places come first.
    slots_min : tuple of float
        Lengths of slots, minutes.
    people : tuple of int or None
        Numbers of people; None for an eighth, a quarter, a half and all of those counted.
    """

    spaces_m: Annotated[tuple[float, ...], ABOVE_0] = (1_000.0, 5_000.0, 20_000.0)
    slots_min: Annotated[tuple[float, ...], ABOVE_0] = (30.0, 90.0, 180.0)
    people: Annotated[tuple[int, ...] | None, AT_LEAST_1] = None


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Results of the attack at every level of each factor.

    Attributes
    ----------
    levels : DataFrame
        Table of :func:`recovery_factors`.
    config : Config
    digest : str
        Digest of all the data, even where fewer people were counted.
    """

    levels: pd.DataFrame
    config: Config
    digest: str

    def of(self, factor: str) -> pd.DataFrame:
        """Return the rows of a factor ("space", "time" or "users"), each level once."""
        return self.levels[self.levels["factor"] == factor].drop_duplicates("level")

    MAY_LEAVE = frozenset({"recovery_factors"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table ``recovery_factors``, which has one row per level."""
        return {"recovery_factors": self.levels}


@costs(bytes_of_counting, part=part_counted)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Run the attack at several resolutions and numbers of people; see :func:`recovery_factors`."""
    levels = _levels(fs.subset(drawn_rows(fs, config)), config, working(**work))
    return Result(levels, config, fs.digest)


def recovery_factors(
    fs: FingerprintSet,
    *,
    spaces_m: Sequence[float] = (1_000.0, 5_000.0, 20_000.0),
    slots_min: Sequence[float] = (30.0, 90.0, 180.0),
    users: Sequence[int] | None = None,
    slot_min: float = 30.0,
    pairing: Pairing = "greedy",
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run the attack on coarser places, longer slots and fewer people (Xu et al. 2017, fig. 9–11).

    Parameters
    ----------
    fs : FingerprintSet
    spaces_m : sequence of float
        Sides of the squares that places are merged into, metres; unmerged places come first.
    slots_min : sequence of float
        Lengths of slots, minutes.
    users : sequence of int, optional
        Numbers of people, drawn at random; each smaller draw is part of the larger ones. An eighth,
        a quarter, a half and all if not given.
    slot_min : float
        Length of the slots when places or people vary, in minutes.
    pairing, seed, engine
        As for :func:`score_recovery`; the people are drawn with the same seed.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per level: ``factor`` ("space", "time", "users"), ``level`` (metres, minutes,
        people; 0 m for the places as they are), ``users``, ``places``, ``slots``, ``night``,
        ``day``, ``whole`` (accuracy after each step), ``night_random``, ``day_random``,
        ``whole_random`` (the baseline), ``recorded`` and ``recorded_random`` (as ``whole``, for the
        points with a sample), ``recorded_share`` (share of the points with a sample),
        ``error_median_m``, and ``top1`` … ``top5`` (uniqueness). Truth and error refer to the
        level: on coarser places, a point is right if the coarse place is right. ``attrs`` hold
        ``config`` and ``digest``.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the slots do not divide a day.
    InfeasibleError
        The table of people by slots would not fit in memory.
    """
    levels = tuple(spaces_m), tuple(slots_min), None if users is None else tuple(users)
    config = Config(slot_min, None, pairing, seed, *levels)
    return _levels(fs, config, working(engine, progress))


def _levels(fs: FingerprintSet, config: Config, work: Work) -> pd.DataFrame:
    everybody, slot_min = fs.n_users, config.slot_min
    drawn = np.random.default_rng(config.seed).permutation(everybody)
    asked: Sequence[int] | None = config.people
    if asked is None:
        asked = sorted({max(1, everybody // part_) for part_ in (8, 4, 2, 1)})

    def space(metres: float) -> CountedPeople:
        made = counted_people(fs, slot_min=slot_min)
        if metres == 0:
            return made
        counts, truth = coarsen(made.counts, made.truth, metres=metres)
        return replace(made, counts=counts, truth=truth)

    def time(minutes: float) -> CountedPeople:
        return counted_people(fs, slot_min=minutes)

    def people(many: float) -> CountedPeople:
        return counted_people(fs.subset(np.sort(drawn[: int(many)])), slot_min=slot_min)

    cases = [
        *(("space", space, metres) for metres in (0.0, *config.spaces_m)),
        *(("time", time, minutes) for minutes in config.slots_min),
        *(("users", people, float(min(many, everybody))) for many in asked),
    ]
    rows: Iterator[Row] = (
        ({"factor": f, "level": float(x)}, prepare(x), {}) for f, prepare, x in cases
    )
    return attacked_each(fs, len(cases), rows, config, work)


def attacked_each(
    fs: FingerprintSet, count: int, rows: Iterator[Row], counting: Counting, work: Work
) -> pd.DataFrame:
    """Attack several sets of counts in turn; tabulate the name, result and cost of each.

    The attacker knows the number of people. The counts of a row are made just before they are
    attacked.
    """
    found = []
    for nth in range(count):
        now = nth_of(work, nth, count)
        tell(now["progress"], 0.0)
        named, made, cost = next(rows)
        found.append(named | _attacked(made, counting, now) | cost)
    table = pd.DataFrame(found)
    config = {name: getattr(counting, name) for name in ("slot_min", "pairing", "seed")}
    table.attrs = {"config": config, "digest": keyed(fs.digest)}
    return table


def _attacked(made: CountedPeople, counting: Counting, work: Work) -> dict[str, object]:
    """Return the result of the attack on some counts, as columns of a table."""
    counts, score = made.counts, attacked(made, counting, work)[1]
    random = [f"{step}_random" for step in STEPS]
    return {
        "users": score.n_users,
        "places": counts.n_places,
        "slots": counts.n_slots,
        **dict(zip(STEPS, score.accuracy_by_step.tolist(), strict=True)),
        **dict(zip(random, score.baseline_by_step.tolist(), strict=True)),
        "recorded": score.recorded,
        "recorded_random": score.baseline_recorded,
        "recorded_share": score.recorded_share,
        "error_median_m": score.error_median_m,
        **{f"top{k}": float(share) for k, share in enumerate(score.uniqueness, 1)},
    }
