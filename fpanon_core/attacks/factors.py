"""What makes the attack better or worse? Its factors (science.md §10, ASH §5.3, fig. 9–11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..engines.local import Engine, LocalEngine, Progress
from ..measures.matching import part
from ..model.aggregates import AggregateCounts
from ..model.configs import number, whole
from ..model.fingerprints import FingerprintSet
from .aggregation import aggregate_counts
from .mitigations import coarsen
from .recovery import recover_trajectories
from .scoring import Pairing, score_recovery

SmallInts = npt.NDArray[np.int32]
Prepared = tuple[AggregateCounts, SmallInts]

STEPS = ("night", "day", "whole")
_RECOVERY_SHARE = 0.5  # of a row's progress


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
    """The attack on coarser places, on longer slots, and on fewer people (ASH fig. 9–11).

    Parameters
    ----------
    fs : FingerprintSet
    spaces_m : sequence of float
        Sides of the squares that places are merged into, metres; the places as they are come first.
    slots_min : sequence of float
        Lengths of slots, minutes.
    users : sequence of int, optional
        Numbers of people, drawn at random, the fewer among the more. An eighth, a quarter, a half
        and all if not given.
    slot_min : float
        Length of the slots where places and people vary.
    pairing, seed, engine
        As :func:`score_recovery`; the seed also draws the people.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per level: ``factor`` ("space", "time", "users"), ``level`` (metres, minutes,
        people; 0 m for the places as they are), ``users``, ``places``, ``slots``, ``night``,
        ``day``, ``whole`` (accuracy after each step), ``night_random``, ``day_random``,
        ``whole_random`` (the baseline), ``error_median_m``, and ``top1`` … ``top5`` (uniqueness).
        Truth and error are those of the level: on coarser places a point is right when the coarse
        place is. ``attrs`` hold ``config`` and ``digest``.

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    everybody = fs.n_users
    if users is None:
        users = sorted({max(1, everybody // part_) for part_ in (8, 4, 2, 1)})
    sides = [0.0, *(number("spaces_m", metres, above=0.0) for metres in spaces_m)]
    asked = [whole("users", many, 1) for many in users]
    drawn = rng.permutation(everybody)

    def space(metres: float) -> Prepared:
        counts, truth = aggregate_counts(fs, slot_min=slot_min)
        return coarsen(counts, truth, metres=metres) if metres > 0 else (counts, truth)

    def people(many: float) -> Prepared:
        return aggregate_counts(fs.subset(np.sort(drawn[: int(many)])), slot_min=slot_min)

    levels: list[tuple[str, float, Callable[[float], Prepared]]] = [
        *(("space", metres, space) for metres in sides),
        *(("time", m, lambda minutes: aggregate_counts(fs, slot_min=minutes)) for m in slots_min),
        *(("users", float(min(many, everybody)), people) for many in asked),
    ]
    rows = []
    for nth, (factor, level, prepare) in enumerate(levels):
        stretch = part(progress, nth / len(levels), (nth + 1) / len(levels))
        if stretch is not None:
            stretch(0.0)
        counts, truth = prepare(level)
        row = attacked(counts, truth, pairing=pairing, seed=seed, engine=engine, progress=stretch)
        rows.append({"factor": factor, "level": float(level), **row})
    table = pd.DataFrame(rows)
    table.attrs = {
        "config": {"slot_min": float(slot_min), "pairing": pairing, "seed": int(seed)},
        "digest": fs.digest,
    }
    return table


def attacked(
    counts: AggregateCounts,
    truth: SmallInts,
    *,
    people: int | None = None,
    pairing: Pairing,
    seed: int,
    engine: Engine | None,
    progress: Progress | None,
) -> dict[str, object]:
    """What the attack on some counts attains, as columns of a table."""
    engine = engine or LocalEngine()
    recovered = recover_trajectories(
        counts, n_trajectories=people, engine=engine, progress=part(progress, 0.0, _RECOVERY_SHARE)
    )
    score = score_recovery(
        recovered, counts, truth, pairing=pairing, seed=seed, engine=engine,
        progress=part(progress, _RECOVERY_SHARE, 1.0),
    )  # fmt: skip
    steps, random = score.accuracy_by_step.tolist(), score.baseline_by_step.tolist()
    return {
        "users": score.n_users,
        "places": counts.n_places,
        "slots": counts.n_slots,
        **dict(zip(STEPS, steps, strict=True)),
        **{f"{step}_random": value for step, value in zip(STEPS, random, strict=True)},
        "error_median_m": score.error_median_m,
        **{f"top{k}": float(share) for k, share in enumerate(score.uniqueness, 1)},
    }
