"""GLOVE: hide everyone in a group of at least k people who share one fingerprint.

Fingerprints are merged pair by pair, the nearest first, until each published fingerprint stands for
at least k users. :mod:`.grouping` determines the order, and :mod:`fpanon_core.kernels.glove_merge`
merges and reshapes. Nothing is drawn at random: the same data give the same result, on any number
of threads.

The source leaves some choices open. A fingerprint that already stands for k users forms a group by
itself, and is reshaped like a merged one. "Earlier" among cells means earlier by start, then by x,
y and extents. When cells are joined again after the cut, all cells count as pieces, whether they
were cut or not.

**Limits.** Limits do not change the groups, only what is published; results with and without limits
can be compared group by group. Under limits, every published cell, trimmed or not, holds samples of
at least k of its group's users. A cell with fewer users could reveal where one person was, and
would state false presences of the others.

- A cell within the limits that holds samples of k users is unchanged.
- A wider or longer cell is trimmed to the part within the limits that holds samples of k users and
  has the most samples. The cell becomes the bounding cell of these samples. Ties go to the part
  that begins first, then to the smallest (lower x, lower y, end, upper x, upper y).
- If there is no such part, the whole cell is left out, with all samples it holds.
- A sample that spans several cells and is left out in one of them is left out in all. Cells in
  which fewer than k users then have a sample are left out too, until no such cell remains.
- A user with no sample left is in no group (−1). A group without any cell left is not published.
  Every cell holds samples of k users, so every group that remains has at least k users.

Cells only shrink, within their own stretch of time. They never overlap, all members still share
them, and every sample that is not left out stays inside.

Source: Gramaglia & Fiore 2015b; docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, part
from ..kernels.glove_suppress import MOST_STEPS, Limits, suppress_group
from ..kernels.stretch import effort_of_boxes
from ..measures.kgap import k_gap
from ..measures.packing import pack, scale_of
from ..model.arrays import CELL, Codes, IntArray, rows_of
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .grouping import Greedy, Group, merged
from .hiding import Grouped, Run, Settings, Store, published_of

_LEAVING_SHARE, _GROUPING_SHARE = 0.1, 0.97  # of the progress
_BLOCK = 16


def glove(
    fs: FingerprintSet | GeneralizedFingerprintSet | PeriodSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    suppress_space_m: float | None = None,
    suppress_time_min: float | None = None,
    leftover: Literal["merge", "suppress"] = "merge",
    leave_out: float = 0.0,
    shards: int | None = None,
    checkpoint: Store | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> GloveResult:
    """Publish whole fingerprints so that each is identical for at least k users.

    Parameters
    ----------
    fs : FingerprintSet, GeneralizedFingerprintSet or PeriodSet
        Cells of any extent; a fingerprint that stands for several users counts as that many users.
        In data in periods (:func:`into_periods`), people are hidden among the people of the same
        period. Each period is treated as a separate data set, and the result describes the pieces.
    k : int
        Least number of users in a group, 2 … number of users.
    config : StretchConfig, optional
        Weights and thresholds of the stretch effort.
    suppress_space_m, suppress_time_min : float, optional
        Largest spatial span (dx + dy)/2 in metres, and temporal span in minutes, of a published
        sample. Samples that would exceed a limit are left out, and every published sample then
        holds samples of at least k users; see the module docstring.
    leftover : "merge" or "suppress"
        Treatment of the last users, fewer than k: they are merged into the group nearest to them,
        or they are not published.
    leave_out : float
        Share of the users, 0 … 0.1, that may be left out, rounded down. The users with the greatest
        k-gap are left out, if their k-gap is above 0. See :attr:`GloveResult.left_out`.
    shards : int, optional
        Number of parts into which the data are first cut, by where people are. The parts are
        treated separately. Use shards for data too large to be treated at once. Everyone is still
        in a group of at least k; time and memory fall, and the loss rises a little
        (:mod:`.hiding`). The share left out is rounded down in each shard. Last users are merged
        within their shard. If last users are to be suppressed, the last users of all shards are
        first hidden together, if there are k or more of them. With periods, each period is cut into
        this many shards, or fewer if it has too few people.
    checkpoint : Checkpoint, optional
        Store for the results of shards: stored results are not computed again, and new ones are
        added.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    GloveResult

    Raises
    ------
    ConfigError
        k is not an integer of 2 or more, or a limit is finer than the data or not positive.
        ``leftover`` has an unknown value, or ``leave_out`` is outside 0 … 0.1. ``shards`` is not an
        integer of 1 or more or, without periods, leaves a shard with too few people for 10 groups
        of k.
    InfeasibleError
        k exceeds the number of users or, with periods, the number of users in every period.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3, 4], [0, 900, 0, 0], [0] * 4, [0, 2, 600, 603])
    >>> result = glove(fs, 2)
    >>> result.group.tolist()
    [0, 0, 1, 1]
    >>> p = result.published
    >>> p.t_min.tolist(), p.dt_min.tolist(), p.dx_m.tolist()
    ([0.0, 600.0], [3.0, 4.0], [1000.0, 100.0])
    """
    limits = suppress_space_m, suppress_time_min
    settings = Settings("glove", k, config or StretchConfig(), *limits, leftover, leave_out)
    return Run(settings, grouped, engine or LocalEngine(), shards, checkpoint).result(fs, progress)


def grouped(fs: FingerprintSet, settings: Settings, engine: Engine, progress: Progress) -> Grouped:
    """Return GLOVE's groups for one set of people: everyone, or those of one shard or period."""
    k, config, room = settings.k, settings.config, settings.room(fs)
    begun = _LEAVING_SHARE if room else 0.0
    hardest = _hardest(fs, settings, room, engine, part(progress, 0.0, begun))
    kept = np.setdiff1d(np.arange(fs.n_users), hardest)
    grouping = part(progress, begun, _GROUPING_SHARE)
    groups = Greedy(fs.subset(kept) if room else fs, k, config, engine, grouping).groups()
    for group in groups:
        group.members = kept[group.members].tolist()
    last = groups.pop() if groups[-1].left_over else None
    if last is not None and settings.leftover == "merge":
        _merge_into_nearest(fs, groups, last, config)
    code = _suppress(fs, groups, settings, engine)
    return Grouped(groups, code, np.array([] if last is None else last.members, np.int64), hardest)


def _hardest(
    fs: FingerprintSet, settings: Settings, room: int, engine: Engine, progress: Progress
) -> IntArray:
    """Return at most ``room`` users with the greatest k-gap; ties go to the smaller row number.

    A fingerprint that stands for k users is hidden already, and is never returned. The row
    numbers are in ascending order.
    """
    if not room:
        return np.empty(0, np.int64)
    k, config = settings.k, settings.config
    gap = k_gap(fs, min(k, fs.n_users), config=config, engine=engine, progress=progress).values
    out = []
    for u in np.argsort(-gap, kind="stable"):
        if gap[u] > 0 and fs.weight[u] < k and fs.weight[u] <= room:
            out.append(u)
            room -= int(fs.weight[u])
    return np.sort(np.array(out, np.int64))


def _merge_into_nearest(
    fs: FingerprintSet, groups: list[Group], last: Group, config: StretchConfig
) -> None:
    """Merge the left-over group into the group nearest by effort; ties go to the smaller index."""
    packed = pack(published_of([*groups, last], fs).fingerprints(), config)
    best, into = np.inf, 0
    for g in range(len(groups)):
        effort = effort_of_boxes(packed, g, len(groups), best)
        if effort < best:
            best, into = effort, g
    a_group, b_group = sorted([groups[into], last], key=lambda group: group.members[0])
    weights = a_group.weight, b_group.weight
    cells = merged(a_group.cells, b_group.cells, *weights, scale_of(config))
    members = sorted(a_group.members + b_group.members)
    groups[into] = Group(members, cells, sum(weights))
    groups.sort(key=lambda group: group.members[0])


def _suppress(fs: FingerprintSet, groups: list[Group], settings: Settings, engine: Engine) -> Codes:
    """Shrink the groups' cells to the limits, in place; return why each sample is left out.

    Users without any sample left are removed from their groups, and empty groups from the list.
    """
    code = np.zeros(fs.n_samples, np.int8)
    if settings.limits == (None, None):
        return code
    limits = Limits(*settings.bounds, float(settings.k), MOST_STEPS)

    def suppress(begin: int, end: int) -> None:
        for group in groups[begin:end]:
            rows = rows_of(fs.offsets[group.members], fs.lengths[group.members])
            owner = np.repeat(np.arange(len(group.members)), fs.lengths[group.members])
            order = np.argsort(fs.t_min[rows], kind="stable")
            rows, owner = rows[order], owner[order]
            samples = np.column_stack([getattr(fs, name)[rows] for name in CELL])
            weight = fs.weight[group.members].astype(np.float64)
            group.cells, code[rows] = suppress_group(group.cells, samples, owner, weight, limits)
            present = np.unique(owner[code[rows] == 0])
            group.members = [group.members[member] for member in present]
            group.weight = float(weight[present].sum())

    fill(engine, len(groups), _BLOCK, suppress)
    # Groups are numbered by their smallest member, who may no longer be in the group.
    groups[:] = sorted((g for g in groups if g.members), key=lambda group: group.members[0])
    return code
