"""Run of a method that hides everyone: checks, periods, shards and the combined result.

:func:`.glove.glove` and :func:`.aligned.aligned` determine groups and cells; everything else is
here. The result for some of the people, treated as a data set, is a :class:`Part`. The parts of
shards and periods are joined into one part, and the final result is made from that part.

*Shards.* Computing time grows faster than the number of people, and memory grows with that number.
Each shard is treated as a separate data set. So everyone is in a group of at least k, exactly as
without shards. The cost is that a person near a border may have a nearer neighbour beyond the
border. Shards are cut like a k-d tree. Each cut divides the people along the direction in which
they spread most. The parts are proportional to the numbers of shards on both sides, so the cut for
two shards is at the median. A direction is east, north, or the distance of a person's samples from
their centre. The distance is used if people differ more in this distance than in place. This cut
separates the people who travel far; their nearest neighbours also travel far. The sizes of shards
differ by at most one person. Shards depend only on where people are and, in ties, on row numbers.

Source: docs/science.md, “Hiding everyone, shard by shard” and “Periods”.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, get_args

import numpy as np
import pandas as pd

from ..engines.local import Engine, LocalEngine, beside
from ..engines.progress import Progress, tell
from ..engines.progress import part as stretch
from ..kernels.glove_merge import Times, spans_of_holders
from ..measures.kgap import check_k
from ..model.arrays import CELL, BoolArray, Codes, FloatArray, IntArray, offsets_of, rows_of
from ..model.checks import number, one_of, positive, whole
from ..model.configs import StretchConfig
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult, Method
from ..model.options import MOST_LEFT_OUT, Effort
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet, Part, remember
from ..model.shelf import Shelf
from .grouping import Group
from .periods import periods_of

LEAST_CROWDS = 10
"""Minimum number of groups of k per shard; with fewer, most people would be near a border."""
_LIMITS = {
    "glove": ("suppress_space_m", "suppress_time_min"),
    "aligned": ("max_side_m", "max_span_min"),
}
_LEFT_OVER, _HARDEST, _SPARSE = (
    REASONS.index(reason) for reason in ("left over", "hardest to hide", "period of fewer than k")
)
_SLACK_MIN = 1e-6
_FEW_PEOPLE = 20_000  # in a period: each worker holds the candidates of one period
_MOST_SETS, _MOST_PAIRS = 256, 5_000_000

CANDIDATES: Shelf[tuple[IntArray, FloatArray]] = Shelf(
    _MOST_SETS, _MOST_PAIRS, lambda found: found[0].size
)
"""Recent candidates for groups, best first, and the losses of the pairs: at most 80 MB.

Searches that pair each user with the same number of others share them, whatever their k.
"""


@dataclass(frozen=True)
class Settings:
    """Settings of a method that hides people, as in :class:`GloveResult`, and the search effort.

    Raises
    ------
    ConfigError
        A setting is invalid.
    """

    method: Method
    k: int
    config: StretchConfig
    suppress_space_m: float | None
    suppress_time_min: float | None
    leftover: str
    leave_out: float
    effort: Effort = "default"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 2))
        one_of("leftover", self.leftover, ("merge", "suppress"))
        one_of("effort", self.effort, get_args(Effort))
        share = number("leave_out", self.leave_out, least=0.0, most=MOST_LEFT_OUT)
        object.__setattr__(self, "leave_out", share)
        for name, value in zip(_LIMITS[self.method], self.limits, strict=True):
            if value is not None:
                positive(name, value, otherwise="None")

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Largest side (metres) and span (minutes) of a published sample; None without a limit."""
        return self.suppress_space_m, self.suppress_time_min

    @property
    def bounds(self) -> tuple[float, float]:
        """Limits on side (metres) and span (minutes); a limit that is not set is infinite."""
        space, time = (math.inf if limit is None else float(limit) for limit in self.limits)
        return space, time

    def check_limits(self, fs: FingerprintSet) -> None:
        """Raise a ConfigError if a limit is finer than the data."""
        finest = ((fs.granularity_m, "m"), (fs.granularity_min, "min"))
        for name, value, (least, unit) in zip(
            _LIMITS[self.method], self.limits, finest, strict=True
        ):
            if value is not None and value < least:
                raise ConfigError(
                    f"{name} = {value:g} {unit} is finer than the data ({least:g} {unit}), so "
                    f"nothing could be published; give {least:g} {unit} or more."
                )

    def room(self, fs: FingerprintSet) -> int:
        """Return how many users may be left out: the share, rounded down; at least k remain."""
        users = int(fs.weight.sum())
        # 5% of 60 is 3, not 2.999…
        return min(math.floor(self.leave_out * users + 1e-9), users - self.k)


class Grouped(NamedTuple):
    """Result of a method for some people.

    Attributes
    ----------
    groups : list of Group
        Groups in order of their smallest member.
    code : int8 ndarray (n_samples,)
        For a sample that is left out, 1 + the position of the reason in :data:`REASONS`; 0 for all
        other samples.
    left : int64 ndarray
        The last users, who are too few for a group of k.
    hardest : int64 ndarray
        Users left out as hard to hide, ascending. The codes need not be set for ``left`` and
        ``hardest``.
    """

    groups: list[Group]
    code: Codes
    left: IntArray
    hardest: IntArray


Grouping = Callable[[FingerprintSet, Settings, Engine, Progress], Grouped]


class Store(Protocol):
    """Store of the results of shards; see :class:`fpanon_core.Checkpoint`."""

    def part(self, fs: FingerprintSet, settings: Mapping[str, Any]) -> Part | None:
        """Return the stored result for these people and settings; None if there is none."""

    def keep(self, fs: FingerprintSet, settings: Mapping[str, Any], part: Part) -> None:
        """Store the result for these people and settings."""


@dataclass(frozen=True)
class Run:
    """Run of one method that hides everyone, for data of any kind.

    Attributes
    ----------
    settings : Settings
    grouping : callable
        Grouping function of the method, defined at the top level of a module so that remote workers
        find it.
    engine : Engine
    shards : int or None
        As in :func:`glove`.
    checkpoint : Store or None
    """

    settings: Settings
    grouping: Grouping
    engine: Engine
    shards: int | None = None
    checkpoint: Store | None = None

    def result(
        self, data: FingerprintSet | GeneralizedFingerprintSet | PeriodSet, progress: Progress
    ) -> GloveResult:
        """Hide everyone and return the result."""
        if isinstance(data, PeriodSet):
            return self._of_periods(data, progress)
        fs = data.fingerprints() if isinstance(data, GeneralizedFingerprintSet) else data
        check_k(self.settings.k, int(fs.weight.sum()))
        shards = check_shards(self.shards, fs, self.settings.k)
        part = self._part(fs, shards, progress)
        return self._made(fs, part, shards, progress)

    def _of_periods(self, periods: PeriodSet, progress: Progress) -> GloveResult:
        """Hide people only among the people of the same period, and return the result."""
        pieces, k = periods.pieces, self.settings.k
        numbers, which = np.unique(periods.period, return_inverse=True)
        people = np.bincount(which, pieces.weight)
        if people.max() < k:
            raise InfeasibleError(
                f"k = {k} exceeds the {int(people.max())} people in the fullest period; choose "
                "a smaller k or longer periods."
            )
        # As with whole fingerprints, ties go to the person who comes first in the original, so that
        # the random order of pieces changes nobody's group.
        each = [np.flatnonzero(which == at) for at in np.flatnonzero(people >= k)]
        each = [rows[np.argsort(periods.person[rows])] for rows in each]
        made, shards = self._of_each(pieces, each, progress)
        ends = np.zeros(len(numbers))
        ends[which[pieces.sample_user]] = periods_of(pieces, periods.days)[1]
        parts = []
        for rows, part in zip(each, made, strict=True):
            if self.settings.method == "glove":
                part = _begun_by(float(ends[which[rows[0]]]), pieces.subset(rows), part)
            parts.append((rows, part))
        whose = {name: np.array(getattr(periods, name)) for name in ("person", "period")}
        more = {**whose, "period_days": periods.days, "whole_digest": periods.digest}
        return self._made(pieces, _joined(pieces, parts), shards, progress, **more)

    def _of_each(
        self, pieces: FingerprintSet, each: list[IntArray], progress: Progress
    ) -> tuple[list[Part], int]:
        """Hide the people of each period; return the parts, and the largest number of shards.

        One worker treats each period, and several periods are treated in parallel. If a number of
        shards is given, or a period has very many people, or there are fewer periods than workers,
        then all workers share one period at a time.
        """
        work = np.array([pieces.lengths[rows].sum() for rows in each], np.float64)
        few = max(map(len, each)) <= _FEW_PEOPLE and len(each) >= self.engine.workers
        if few and self.shards is None:
            self.settings.check_limits(pieces)
            return self._beside(pieces, each, work, progress), 1
        parts, most, upto = [], 1, offsets_of(work) / work.sum()
        for at, rows in enumerate(each):
            some, shards = pieces.subset(rows), 1
            if self.shards is not None:
                shards = min(whole("shards", self.shards, 1), most_shards(some, self.settings.k))
            parts.append(self._part(some, shards, stretch(progress, upto[at], upto[at + 1])))
            most = max(most, shards)
        return parts, most

    def _beside(
        self, pieces: FingerprintSet, each: list[IntArray], work: FloatArray, progress: Progress
    ) -> list[Part]:
        """Hide the people of each period with one worker; return the parts, in order of periods.

        A cancelled run ends soon.
        """
        found: dict[int, Part] = {}

        def hidden(at: int, told: Progress) -> None:
            found[at] = hide_shard(pieces.subset(each[at]), self.grouping, self.settings, told)

        if self.engine.apart:
            self._at_once(pieces, each, work, found.__setitem__, progress)
        else:
            beside(self.engine, hidden, work.tolist(), progress)
        return [found[at] for at in range(len(each))]

    def _at_once(
        self,
        fs: FingerprintSet,
        each: list[IntArray],
        work: FloatArray,
        take: Callable[[int, Part], None],
        progress: Progress,
    ) -> None:
        """Hide each set of people on its own, with as many sets at once as there are workers."""
        shards, given = [_Shard(fs, rows) for rows in each], (self.grouping, self.settings)
        self.engine.map(_hide_one, shards, given, take, work=work.tolist(), progress=progress)

    def _part(self, fs: FingerprintSet, shards: int, progress: Progress) -> Part:
        self.settings.check_limits(fs)
        if shards > 1:
            return self._of_shards(fs, shards, progress)
        part = _part_of(fs, self.grouping(fs, self.settings, self.engine, progress))
        tell(progress, 1.0)
        return part

    def _of_shards(self, fs: FingerprintSet, shards: int, progress: Progress) -> Part:
        """Hide the people of each shard, with as many shards at once as there are workers."""
        whose, named, store = shards_of(fs, shards), vars(self.settings), self.checkpoint
        found = [None if store is None else store.part(fs.subset(rows), named) for rows in whose]
        todo = [number for number, part in enumerate(found) if part is None]

        def take(nth: int, part: Part) -> None:
            if store is not None:
                store.keep(fs.subset(whose[todo[nth]]), named, part)
            found[todo[nth]] = part

        work = np.array([fs.lengths[rows].sum() for rows in whose], np.float64)
        told = stretch(progress, float(1 - work[todo].sum() / work.sum()), 1.0)
        self._at_once(fs, [whose[n] for n in todo], work[todo], take, told)
        parts = [(rows, part) for rows, part in zip(whose, found, strict=True) if part is not None]
        last = _all_of("left_over", parts)
        if self.settings.leftover == "suppress" and fs.weight[last].sum() >= self.settings.k:
            # The last users of all shards are k or more, so all but fewer than k can be hidden.
            again = replace(self.settings, leave_out=0.0)
            parts = [(rows, replace(part, left_over=last[:0])) for rows, part in parts]
            parts.append((last, hide_shard(fs.subset(last), self.grouping, again)))
        return _joined(fs, parts)

    def _made(
        self, fs: FingerprintSet, part: Part, shards: int, progress: Progress, **more: Any
    ) -> GloveResult:
        gone, user = np.flatnonzero(part.code >= 0), fs.sample_user
        remember(fs)
        settings = {name: value for name, value in vars(self.settings).items() if name != "effort"}
        reason = np.array(REASONS, dtype=object)[part.code[gone]]
        suppressed = {"user": user[gone], "sample": gone, "reason": reason}
        accuracy: dict[str, Any] = {"user": user, "sample": np.arange(fs.n_samples)}
        accuracy |= {"group": part.group[user], "space_m": part.space_m, "time_min": part.time_min}
        same = ("group", "published", "phantom_share", "left_over", "left_out")
        result = GloveResult(
            **{name: getattr(part, name) for name in same},
            suppressed=pd.DataFrame(suppressed),
            accuracy=pd.DataFrame(accuracy, copy=False),
            digest=fs.digest,
            number=np.array(fs.number),
            weight=np.array(fs.weight),
            shards=shards,
            **settings,
            **more,
        )
        tell(progress, 1.0)
        return result


# --- shards --------------------------------------------------------------------------------------


def check_shards(shards: int | None, fs: FingerprintSet, k: int) -> int:
    """Return the checked number of shards; 1 for None.

    Raises
    ------
    ConfigError
        The number is neither None nor a positive integer, or it is above 1 and leaves a shard with
        too few people for :data:`LEAST_CROWDS` groups of k.
    """
    shards = whole("shards", 1 if shards is None else shards, 1)
    most = most_shards(fs, k)
    if shards > most:
        raise ConfigError(
            f"shards = {shards:,} leaves {fs.n_users // shards:,} of {fs.n_users:,} people to a "
            f"shard, too few for {LEAST_CROWDS} groups of k = {k}; choose shards ≤ {most:,}."
        )
    return shards


def most_shards(fs: FingerprintSet, k: int) -> int:
    """Return the largest number of shards with :data:`LEAST_CROWDS` groups of k each, or 1."""
    # Fingerprints count, not people: one that stands for several people is in one shard.
    return max(1, fs.n_users // (LEAST_CROWDS * k))


def shards_of(fs: FingerprintSet, shards: int) -> list[IntArray]:
    """Divide users into shards.

    Parameters
    ----------
    fs : FingerprintSet
    shards : int
        At most as many as there are users.

    Returns
    -------
    list of int64 ndarray
        Row numbers, ascending, of the users of each shard.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3, 4], [0, 9_000, 100, 9_100], [0] * 4, [0] * 4)
    >>> [rows.tolist() for rows in shards_of(fs, 2)]
    [[0, 2], [1, 3]]
    """
    where = _where(fs)
    found: list[IntArray] = []
    waiting = [(np.arange(fs.n_users), shards)]
    while waiting:
        rows, many = waiting.pop()
        if many == 1:
            found.append(np.sort(rows))
            continue
        low = many // 2
        across = int(np.argmax(where[rows].std(axis=0)))
        others = [axis for axis in range(where.shape[1]) if axis != across]
        keys = [rows, *(where[rows, axis] for axis in others), where[rows, across]]
        ordered = rows[np.lexsort(keys)]
        cut = len(rows) * low // many
        waiting += [(ordered[cut:], many - low), (ordered[:cut], low)]
    return found


def _where(fs: FingerprintSet) -> FloatArray:
    """Return each user's centre (east, north) and root mean square distance from it, in metres."""
    begin, length, user = fs.offsets[:-1], fs.lengths, fs.sample_user
    columns = []
    spread = np.zeros(fs.n_users)
    for low, extent in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)):
        at = low + extent / 2
        centre = np.add.reduceat(at, begin) / length
        spread += np.add.reduceat((at - centre[user]) ** 2, begin) / length
        columns.append(centre)
    return np.column_stack([*columns, np.sqrt(spread)])


class _Shard:
    """Some people of a set; sent to a worker without the other people and without identifiers."""

    def __init__(self, fs: FingerprintSet, rows: IntArray | None = None) -> None:
        self._fs, self._rows = fs, rows

    def __reduce__(self) -> tuple[type[_Shard], tuple[FingerprintSet]]:
        return (_Shard, (self.people().unnamed,))

    def people(self) -> FingerprintSet:
        return self._fs if self._rows is None else self._fs.subset(self._rows)


def _hide_one(shard: _Shard, grouping: Grouping, settings: Settings) -> Part:
    try:
        return hide_shard(shard.people(), grouping, settings)
    finally:  # a cluster's worker keeps no data of people
        CANDIDATES.clear()


def hide_shard(
    fs: FingerprintSet, grouping: Grouping, settings: Settings, progress: Progress = None
) -> Part:
    """Hide the people of one shard or period with one worker, and return the result."""
    return _part_of(fs, grouping(fs, settings, LocalEngine(1), progress))


# --- parts ---------------------------------------------------------------------------------------


def published_of(groups: Sequence[Group], fs: FingerprintSet) -> GeneralizedFingerprintSet:
    """Return one fingerprint per group, with the granularity, clock and projection of ``fs``."""
    cells = np.concatenate([np.empty((0, 6)), *(group.cells for group in groups)])
    frame = ("granularity_m", "granularity_min", "clock", "crs")
    return GeneralizedFingerprintSet(
        offsets=offsets_of([len(group.cells) for group in groups]),
        n_users=np.array([group.weight for group in groups], np.int64),
        **dict(zip(CELL, cells.T, strict=True)),
        **{name: getattr(fs, name) for name in frame},
    )


def _part_of(fs: FingerprintSet, made: Grouped) -> Part:
    code: Codes = made.code - np.int8(1)
    group = np.full(fs.n_users, -1, np.int64)
    for row, g in enumerate(made.groups):
        group[g.members] = row
    for users, reason in ((made.left, _LEFT_OVER), (made.hardest, _HARDEST)):
        out = users[group[users] < 0]
        rows = rows_of(fs.offsets[out], fs.lengths[out])
        code[rows] = np.where(code[rows] < 0, reason, code[rows])
    held = _held(fs, code >= 0, group, published_of(made.groups, fs))
    return Part(group=group, code=code, left_over=made.left, left_out=made.hardest, **held)


def _held(
    fs: FingerprintSet, gone: BoolArray, group: IntArray, published: GeneralizedFingerprintSet
) -> dict[str, Any]:
    """Return published records, the extents around each sample, and the share of false presence."""
    samples = Times(fs.offsets, fs.t_min, fs.dt_min)
    cells = Times(published.offsets, published.t_min, published.dt_min)
    side = (published.dx_m + published.dy_m) / 2
    space, time, held = spans_of_holders(samples, gone, group, cells, side)
    copies = int(published.lengths[group[group >= 0]].sum())
    phantoms = 1.0 - held / copies if copies else 0.0
    return {"published": published, "space_m": space, "time_min": time, "phantom_share": phantoms}


def _begun_by(end: float, fs: FingerprintSet, part: Part) -> Part:
    """Join published samples that begin at ``end`` or later to the last sample that begins earlier.

    If samples of one record reach beyond their period's end and overlap there, GLOVE cuts them at
    one another's ends. Without the join, the parts cut off last would begin in the next period and
    seem to belong to it.
    """
    published = part.published
    if not (published.t_min >= end - _SLACK_MIN).any():
        return part
    cells = np.column_stack([getattr(published, name) for name in CELL])
    groups = []
    for g in range(published.n_groups):
        mine = cells[published.rows_of(g)]
        upto = int(np.searchsorted(mine[:, 2], end - _SLACK_MIN))
        if upto < len(mine):  # the first begins where a sample begins, before the end
            low = mine[upto - 1 :, :3].min(axis=0)
            high = (mine[upto - 1 :, :3] + mine[upto - 1 :, 3:]).max(axis=0)
            mine = np.vstack([mine[: upto - 1], np.append(low, high - low)])
        groups.append(Group([], mine, float(published.n_users[g])))
    return replace(part, **_held(fs, part.code >= 0, part.group, published_of(groups, fs)))


def _joined(fs: FingerprintSet, parts: Sequence[tuple[IntArray, Part]]) -> Part:
    """Join the parts of a set; a person in several parts has the outcome of the last of them.

    ``parts`` holds row numbers of ``fs`` and the result for the people of these rows, in the same
    order. A person in no part belongs to a period with too few people. Groups are numbered by their
    smallest row number over all parts.
    """
    group = np.full(fs.n_users, -1, np.int64)
    code = np.full(fs.n_samples, _SPARSE, np.int8)
    space, time = np.full((2, fs.n_samples), np.nan)
    before, copies, held = 0, 0, 0.0
    for rows, part in parts:
        sample = rows_of(fs.offsets[rows], fs.lengths[rows])
        inside = part.group >= 0
        group[rows] = np.where(inside, part.group + before, -1)
        code[sample], space[sample], time[sample] = part.code, part.space_m, part.time_min
        before += part.published.n_groups
        many = int(part.published.lengths[part.group[inside]].sum())
        copies, held = copies + many, held + (1.0 - part.phantom_share) * many
    member = np.flatnonzero(group >= 0)
    found, first = np.unique(group[member], return_index=True)
    by_member = found[np.argsort(first)]
    number = np.empty(before, np.int64)
    number[by_member] = np.arange(before)
    group[member] = number[group[member]]
    return Part(
        group=group,
        published=_in_order([part.published for _, part in parts], by_member),
        code=code,
        space_m=space,
        time_min=time,
        left_over=_all_of("left_over", parts),
        left_out=_all_of("left_out", parts),
        phantom_share=1.0 - held / copies if copies else 0.0,
    )


def _all_of(name: str, parts: Sequence[tuple[IntArray, Part]]) -> IntArray:
    """Return the row numbers, ascending, of the users that the parts list under ``name``."""
    return np.sort(np.concatenate([rows[getattr(part, name)] for rows, part in parts]))


def _in_order(
    published: list[GeneralizedFingerprintSet], groups: IntArray
) -> GeneralizedFingerprintSet:
    """Return the groups of all parts in the given order; group numbers run on from part to part."""
    offsets = offsets_of(np.concatenate([p.lengths for p in published]))
    lengths = np.diff(offsets)[groups]
    rows = rows_of(offsets[:-1][groups], lengths)
    cells: dict[str, Any] = {
        name: np.concatenate([getattr(p, name) for p in published])[rows] for name in CELL
    }
    users = np.concatenate([p.n_users for p in published])[groups]
    return replace(published[0], offsets=offsets_of(lengths), n_users=users, **cells)
