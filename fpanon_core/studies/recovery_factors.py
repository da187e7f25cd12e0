"""Factors that make the recovery attack better or worse (Xu et al. 2017, section 5.3).

The factors are coarser places, longer slots and fewer people; only one at a time is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Unpack

import numpy as np
import pandas as pd

from ..attacks.aggregation import CountedPeople, counted_people
from ..attacks.mitigations import coarsen
from ..engines.progress import tell
from ..model.checks import ABOVE_0, AT_LEAST_1
from ..model.fingerprints import FingerprintSet
from .estimates import costs
from .recovery import STEPS, Counting, attacked, bytes_of_counting, drawn_rows, part_counted
from .tabled import Tabled, Work, nth_of, working


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
        One row per level: ``factor`` ("space", "time", "users"), ``level`` (metres, minutes,
        people; 0 m for the places as they are), ``users``, ``places``, ``slots``, ``night``,
        ``day``, ``whole`` (accuracy after each step), ``night_random``, ``day_random``,
        ``whole_random`` (the baseline), ``recorded`` and ``recorded_random`` (as ``whole``, for the
        points with a sample), ``recorded_share`` (share of the points with a sample),
        ``error_median_m``, and ``top1`` … ``top5`` (uniqueness). Truth and error refer to the
        level: on coarser places, a point is right if the coarse place is right.
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
    """Run the attack on coarser places, longer slots and fewer people (Xu et al. 2017, fig. 9–11).

    Raises
    ------
    ConfigError
        The slots do not divide a day.
    InfeasibleError
        The table of people by slots would not fit in memory.
    """
    everyone = fs.subset(drawn_rows(fs, config))
    n = everyone.n_users
    drawn = np.random.default_rng(config.seed).permutation(n)
    asked: Sequence[int] | None = config.people
    if asked is None:
        asked = sorted({max(1, n // part) for part in (8, 4, 2, 1)})
    levels = {
        "space": (0.0, *config.spaces_m),
        "time": config.slots_min,
        "users": [float(min(many, n)) for many in asked],
    }

    def made(factor: str, level: float) -> tuple[CountedPeople, dict[str, float]]:
        some = everyone.subset(np.sort(drawn[: int(level)])) if factor == "users" else everyone
        made = counted_people(some, slot_min=level if factor == "time" else config.slot_min)
        if factor == "space" and level:
            counts, truth = coarsen(made.counts, made.truth, metres=level)
            made = replace(made, counts=counts, truth=truth)
        return made, {}

    cases = [{"factor": name, "level": level} for name, each in levels.items() for level in each]
    return Result(attacked_each(cases, made, config, working(**work)), config, fs.digest)


def attacked_each(
    cases: Sequence[dict[str, Any]],
    make: Callable[..., tuple[CountedPeople, dict[str, float]]],
    counting: Counting,
    work: Work,
) -> pd.DataFrame:
    """Attack several sets of counts in turn; tabulate the name, result and cost of each.

    Parameters
    ----------
    cases : sequence of dict
        The columns that name each set of counts.
    make : callable
        Function of these columns that returns the counts, and the columns with their cost. It is
        called for one case at a time, since all counts together may take a lot of memory.
    counting : Counting
    work : Work
    """
    found = []
    for nth, case in enumerate(cases):
        now = nth_of(work, nth, len(cases))
        tell(now["progress"], 0.0)
        made, cost = make(**case)
        found.append(case | _attacked(made, counting, now) | cost)
    return pd.DataFrame(found)


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
