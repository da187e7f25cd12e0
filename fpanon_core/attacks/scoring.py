"""Score of the attack on counts: the share of the truth recovered, and a baseline.

Source: Xu et al. 2017, §5.1, eq. 5–6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, part, tell
from ..kernels.recovery_links import count_shared, pair_greedily
from ..model.aggregates import UNKNOWN, AggregateCounts, Recovered, RecoveryScore
from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts, offsets_of, pieces_of_rows
from ..model.checks import whole
from ..model.errors import ConfigError
from ..model.fingerprints import distinct
from .assignment import most_saving
from .recovery import scaled

Pairing = Literal["greedy", "optimal"]
PAIRINGS: tuple[str, ...] = get_args(Pairing)

TOP = 5  # largest number of places that identify a recovered trajectory
_ROWS_A_BLOCK = 64
_BLOCKS_AT_ONCE = 16


def score_recovery(
    recovered: Recovered,
    counts: AggregateCounts,
    truth: npt.NDArray[np.integer],
    *,
    recorded: BoolArray | None = None,
    pairing: Pairing = "greedy",
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress = None,
) -> RecoveryScore:
    """Score recovered trajectories against the true ones.

    Each recovered trajectory, in order, is paired with the unpaired true trajectory that has the
    most points (place and slot) in common with it. Ties go to the lower row (Xu et al. 2017, §5.1).
    ``optimal`` pairing maximizes the total number of common points over all pairs. Accuracy is the
    mean, over the *true* trajectories, of the share of their points recovered (eq. 5); a trajectory
    without a pair counts as 0.

    The attack links people within nights, then within days, then across days. After the first step,
    the parts of trajectories in each night are paired separately. The accuracy is the mean over the
    points of all nights. After the second step, the same holds for days. The three accuracies
    are not comparable, because each step requires longer trajectories than the step before.

    **Recorded points.** Most points may have been filled in between two samples, and a filled-in
    point was never observed. With ``recorded``, the same pairs are scored again, only on points
    with a sample; this score is the share of these points recovered.

    **Baseline.** The counted records are linked at random in every slot, then paired and scored in
    the same way. The baseline is the accuracy of an attacker who ignores where and when people go.
    It usually exceeds 1 divided by the number of places, because pairing picks the best of many.

    **Uniqueness.** An attacker who knows a person's k most visited places (k = 2: home and work)
    looks for the recovered trajectory with these places. A recovered trajectory is unique if no
    other has the same set of places. Ties among places go to the lower number. A trajectory with
    fewer than k places has all of them as its set. This is how Xu et al. 2017, §5.1, are
    interpreted here; :func:`unicity` with ``top`` requires a record that *contains* the places.

    Parameters
    ----------
    recovered : Recovered
    counts : AggregateCounts
        Counts from which the trajectories were recovered.
    truth : integer ndarray (n_users, n_slots)
        Place numbers; see :func:`aggregate_counts`.
    recorded : bool ndarray (n_users, n_slots), optional
        Whether each true point has a sample.
    pairing : {"greedy", "optimal"}
    seed : int
        Seed of the baseline.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    RecoveryScore

    Raises
    ------
    ConfigError
        Trajectories, counts and truth do not belong together, or a parameter is out of its range.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts, recover_trajectories
    >>> fs = FingerprintSet.from_samples([1, 2, 1, 2], [0, 5000] * 2, [0] * 4, [0, 0, 2879, 2879])
    >>> counts, truth = aggregate_counts(fs, slot_min=180)
    >>> score_recovery(recover_trajectories(counts), counts, truth).accuracy
    1.0
    """
    true: SmallInts = np.ascontiguousarray(truth, np.int32)
    seed = whole("seed", seed, 0)
    if pairing not in PAIRINGS:
        raise ConfigError(f"Unknown pairing {pairing!r}; give one of {', '.join(PAIRINGS)}.")
    _belong_together(recovered, counts, true, recorded)
    engine = engine or LocalEngine()
    judge = _Judge(true, recorded, recovered, pairing, engine)
    by_step, of_recorded, pair, shared = judge.steps(
        recovered.daily, recovered.places, part(progress, 0.0, 0.5)
    )
    random = _random_links(counts, recovered, seed)
    baseline, baseline_recorded, _, _ = judge.steps(random, random, part(progress, 0.5, 1.0))
    error_m = _errors(recovered.places, true, pair, counts)
    return RecoveryScore(
        accuracy=float(by_step[2]),
        accuracy_by_step=by_step,
        baseline_accuracy=float(baseline[2]),
        baseline_by_step=baseline,
        error_m=error_m,
        error_mean_m=float(error_m.mean(dtype=np.float64)) if len(error_m) else np.nan,
        error_median_m=float(np.median(error_m)) if len(error_m) else np.nan,
        uniqueness=_uniqueness(recovered.places),
        pair=pair,
        shared=shared,
        recorded_by_step=of_recorded,
        baseline_recorded_by_step=baseline_recorded,
        recorded_share=np.nan if recorded is None else float(recorded.mean()),
        n_users=len(true),
        n_slots=counts.n_slots,
        pairing=pairing,
        seed=seed,
        digest=recovered.digest,
    )


def _belong_together(
    recovered: Recovered, counts: AggregateCounts, true: SmallInts, recorded: BoolArray | None
) -> None:
    """Raise a ConfigError if trajectories, counts and truth differ in places or slots."""
    slots = recovered.places.shape[1]
    if true.ndim != 2 or true.size == 0:
        raise ConfigError(
            "The truth must be a table of place numbers, people by slots, with at least one person."
        )
    same_days = np.array_equal(recovered.day_offsets, counts.day_offsets)
    if true.shape[1] != counts.n_slots or slots != counts.n_slots or not same_days:
        raise ConfigError(
            f"Counts of {counts.n_slots} slots, trajectories of {slots} and a truth of "
            f"{true.shape[-1]} do not belong together."
        )
    if max(recovered.places.max(), recovered.daily.max()) >= counts.n_places:
        raise ConfigError(
            f"The trajectories name places beyond the {counts.n_places} of the counts; score them "
            "against the counts they were recovered from."
        )
    if not 0 <= true.min() <= true.max() < counts.n_places:
        raise ConfigError(f"The truth must hold place numbers from 0 to {counts.n_places - 1}.")
    if recorded is not None and recorded.shape != true.shape:
        raise ConfigError("State for each point of the truth whether it was recorded.")


class _Judge:
    """Pairing and scoring of trajectories against the true ones, over any set of slots."""

    def __init__(
        self,
        truth: SmallInts,
        seen: BoolArray | None,
        recovered: Recovered,
        pairing: Pairing,
        engine: Engine,
    ) -> None:
        self._truth, self._seen = truth, seen
        self._users, self._greedy, self._engine = len(truth), pairing == "greedy", engine
        self._offsets, self._night = recovered.day_offsets, recovered.is_night
        # For each slot: the people, by place, then by number, and their places in the same order.
        self._who, self._at = (np.empty(truth.shape[::-1], np.int32) for _ in range(2))
        for slots in pieces_of_rows(truth.shape[1], len(truth)):
            here = np.ascontiguousarray(truth[:, slots].T)
            who = np.argsort(here, axis=1, kind="stable")
            self._who[slots], self._at[slots] = who, np.take_along_axis(here, who, axis=1)

    def steps(
        self, daily: SmallInts, whole_: SmallInts, progress: Progress
    ) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """Return the accuracy after each step, on all points and on recorded points.

        The final pairs and the number of points that each pair shares are returned, too.
        """
        slots = np.arange(daily.shape[1])
        days = [day for day in np.split(slots, self._offsets[1:-1]) if len(day)]
        nights = [day[self._night[day]] for day in days]
        parts = [([n for n in nights if len(n)], daily), (days, daily), ([slots], whole_)]
        work = float(sum(len(s) for some, _ in parts for s in some))
        accuracy, of_recorded, done = np.full(3, np.nan), np.full(3, np.nan), 0
        for step, (pieces, places) in enumerate(parts):
            many = sum(map(len, pieces))
            stretch = part(progress, done / work, (done + many) / work)
            recovered, hits, seen, pair, shared = self._judged(places, pieces, stretch)
            done += many
            if many:
                accuracy[step] = recovered / (many * self._users)
            if seen:
                of_recorded[step] = hits / seen
        return accuracy, of_recorded, pair, shared

    def _judged(
        self, places: SmallInts, pieces: list[IntArray], progress: Progress
    ) -> tuple[int, int, int, IntArray, IntArray]:
        """Count the recovered points, the recorded points among them, and all recorded points.

        The pairs of the last piece and the number of points that each pair shares are returned,
        too.
        """
        found = np.zeros((3, len(pieces)), np.int64)
        last: dict[int, tuple[IntArray, IntArray]] = {}
        one = len(pieces) == 1

        def judge(i: int, inner: Progress = None) -> float:
            some = pieces[i]
            pair, shared = self._pair(places, some, inner, beside_others=not one)
            found[0, i] = shared.sum()
            if self._seen is not None:
                found[1, i] = self._hits(self._seen, places, some, pair)
                found[2, i] = np.count_nonzero(self._seen[:, _run(some)])
            if i == len(pieces) - 1:
                last[0] = pair, shared
            return float(len(some))

        if one:
            judge(0, progress)
        else:
            self._engine.run(judge, range(len(pieces)), sum(map(len, pieces)), progress)
        pair, shared = last.get(0, (np.empty(0, np.int64),) * 2)
        recovered, hits, seen = map(int, found.sum(axis=1))
        return recovered, hits, seen, pair, shared

    def _hits(self, seen: BoolArray, places: SmallInts, slots: IntArray, pair: IntArray) -> int:
        """Count the recorded points that the paired trajectories get right."""
        hits, paired = 0, np.flatnonzero(pair >= 0)
        # Columns are chosen first: otherwise, rows of all columns would be copied for each day.
        within = _run(slots)
        ours, true, seen = places[:, within], self._truth[:, within], seen[:, within]
        for some in pieces_of_rows(len(paired), len(slots)):
            rows = paired[some]
            right = ours[rows] == true[pair[rows]]
            hits += int(np.count_nonzero(right & seen[pair[rows]]))
        return hits

    def _pair(
        self, places: SmallInts, slots: IntArray, progress: Progress, *, beside_others: bool
    ) -> tuple[IntArray, IntArray]:
        """Return the true row paired with each trajectory, and how many points each pair shares.

        The row is −1 if no true trajectory is left.

        With ``beside_others``, the pairing uses one core and less memory; otherwise it uses all
        cores.
        """
        within = _run(slots)
        seen = np.ascontiguousarray(places[:, within])
        blocks = self._shared(seen, within, progress, beside_others)
        if not self._greedy:
            return _pair_optimally(block for _, block in blocks)
        pair, best = np.full(len(seen), -1, np.int64), np.zeros(len(seen), np.int64)
        free = np.ones(self._users, np.bool_)
        for first, shared in blocks:
            pair_greedily(first, shared, free, pair, best)
        return pair, best

    def _shared(
        self, seen: SmallInts, within: slice | IntArray, progress: Progress, beside_others: bool
    ) -> Iterator[tuple[int, SmallInts]]:
        """Yield how many points each trajectory shares with each true one, some rows at a time."""
        at, who = self._at[within], self._who[within]
        at_once = _ROWS_A_BLOCK * (1 if beside_others else _BLOCKS_AT_ONCE)
        for first in range(0, len(seen), at_once):
            some = seen[first : first + at_once]
            shared = np.zeros((len(some), self._users), np.int32)
            if beside_others:  # engines do not run within each other
                count_shared(0, len(some), some, at, who, shared)
            else:
                fill(self._engine, len(some), _ROWS_A_BLOCK, count_shared, some, at, who, shared)
            tell(progress, (first + len(some)) / len(seen))
            yield first, shared


def _run(slots: IntArray) -> slice | IntArray:
    """Return the given slots, as a slice if they are consecutive: a slice copies no data."""
    first, last = int(slots[0]), int(slots[-1]) + 1
    return slice(first, last) if last - first == len(slots) else slots


def _pair_optimally(blocks: Iterable[SmallInts]) -> tuple[IntArray, IntArray]:
    """Return the pairs with the most common points in total, and each pair's common points.

    A block has the numbers of points that some trajectories have in common with all true ones.
    """
    found, users = [], 0
    for shared in blocks:
        users = shared.shape[1]
        i, j = np.nonzero(shared)
        found.append((np.bincount(i, minlength=len(shared)), j.astype(np.int32), shared[i, j]))
    many, column, value = (np.concatenate(each) for each in zip(*found, strict=True))
    rows = len(many)
    many = np.append(many, np.zeros(max(users - rows, 0), np.int64))  # square, for the solver
    goal, _ = most_saving((offsets_of(many), column, value.astype(np.float64)))
    own = np.repeat(np.arange(len(goal)), many)
    hit = goal[own] == column
    best = np.zeros(len(goal), np.int64)
    best[own[hit]] = value[hit]
    return np.where(goal[:rows] < users, goal[:rows], -1), best[:rows]


def _random_links(counts: AggregateCounts, recovered: Recovered, seed: int) -> SmallInts:
    """Return trajectories that link the counted records at random in each slot.

    A slot may have fewer records than people, as after suppression. People without a record are
    then assumed to have stayed, as in the attack.
    """
    rng = np.random.default_rng(seed)
    random = np.full(recovered.places.shape, UNKNOWN, np.int32)
    people, day_begins = len(random), set(recovered.day_offsets.tolist())
    for s in range(counts.n_slots):
        records = np.maximum(counts.of_slot(s), 0)
        total = int(records.sum(dtype=np.int64))
        before = None if s in day_begins or random[0, s - 1] == UNKNOWN else random[:, s - 1]
        if before is not None and total < people:
            random[:, s] = before
            here = rng.permutation(np.repeat(np.arange(len(records)), records))
            random[rng.choice(people, total, replace=False), s] = here
        elif total:
            dealt = scaled(records, people)
            random[:, s] = rng.permutation(np.repeat(np.arange(len(dealt)), dealt))
    return random


def _errors(
    places: SmallInts, truth: SmallInts, pair: IntArray, counts: AggregateCounts
) -> npt.NDArray[np.float32]:
    """Return the error, metres, of every known point of every pair, by trajectory, then by slot."""
    paired, centres = np.flatnonzero(pair >= 0), counts.centres
    error_m = np.empty(int(np.count_nonzero(places[paired] != UNKNOWN)), np.float32)
    end = 0
    for some in pieces_of_rows(len(paired), counts.n_slots):
        ours, true = places[paired[some]], truth[pair[paired[some]]]
        known = ours != UNKNOWN
        ours, true = ours[known], true[known]
        begin, end = end, end + len(ours)
        error_m[begin:end] = np.hypot(*(centres[ours] - centres[true]).T)
    return error_m


def _uniqueness(places: SmallInts) -> FloatArray:
    """Return the share of rows whose set of k most visited places is unique; k = 1 … TOP."""
    if not (places != UNKNOWN).any():
        return np.zeros(TOP)
    top = np.concatenate([_top(places[some]) for some in pieces_of_rows(*places.shape)])
    shares = []
    for k in range(1, TOP + 1):
        _, many = np.unique(np.sort(top[:, :k], axis=1), axis=0, return_counts=True)
        shares.append((many == 1).sum() / len(places))
    return np.array(shares)


def _top(places: SmallInts) -> IntArray:
    """Return the most visited places of each row, (rows, TOP); −1 if there are fewer."""
    top = np.full((len(places), TOP), UNKNOWN, np.int64)
    row, slot = np.nonzero(places != UNKNOWN)
    if len(row) == 0:
        return top
    (row, place), visits = distinct([row, places[row, slot].astype(np.int64)])
    order = np.lexsort((place, -visits, row))  # ties: the lower place number
    row, place = row[order], place[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    top[row[rank < TOP], rank[rank < TOP]] = place[rank < TOP]
    return top
