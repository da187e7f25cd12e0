"""GLOVE: hide everyone in a crowd of k with one fingerprint.

Fingerprints are merged pair by pair, the nearest first, until everyone is one of at least k who are
published alike. :mod:`.grouping` has the order, :mod:`fpanon_core.kernels.glove_merge` the merge
and the reshaping. Nothing is drawn at random: the same data give the same result, on any number of
threads.

Where the source leaves room: a fingerprint that stands for k users already is a group of its own,
reshaped like a merged one. "Earlier" among cells means by start, then x, y and extents. When cells
are joined again after the cut, all cells count as pieces, whether they were cut or not.

**Limits.** Groups are formed as without limits: what a limit changes is what is published, never
with whom anybody hides; results with and without can be compared group by group. Under limits every
published cell, trimmed or not, holds samples of at least k of its group's users: a cell with fewer
would say of one person where that person was, and of the others what is not so.

- A cell within the limits that holds samples of k users stays as it is.
- A wider or longer one is trimmed to the largest part that keeps the limits and holds samples of k
  users: of all such parts that with the most samples (ties: the one that begins first; then the
  smallest lower x, then y, then end, then upper x, then y). It becomes the bounding cell of these.
- Where there is no such part, the cell is left out whole, and with it all samples it holds.
- A sample longer than its cell that is left out in one cell is so in all; cells in which fewer than
  k users then have a sample are left out, too, until none is.
- A user with no sample left is in no group (−1). A group of which no cell remains is not published;
  as every cell has k users with a sample, so has every group that remains.

Cells only shrink, within their own stretch of time: none comes to overlap another, all members
still share them, and every sample that is not left out stays inside.

Source: Gramaglia & Fiore 2015b; docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, part
from ..kernels.glove_suppress import MOST_STEPS, Limits, suppress_group
from ..kernels.kgap_search import NO_EXTRA
from ..kernels.stretch import Ahead, fingerprint_effort
from ..measures.kgap import k_gap
from ..measures.packing import pack, scale_of
from ..model.arrays import CELL, Codes, IntArray, rows_of
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .grouping import Group, group_greedily, merged
from .hiding import Grouped, Run, Settings, Store, published_of

_LEAVING_SHARE, _GROUPING_SHARE = 0.1, 0.97  # of the progress
_BLOCK = 16
_UNKNOWN = np.zeros((1, 1), np.float32)


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
    progress: Progress | None = None,
) -> GloveResult:
    """Publish whole fingerprints so that everyone is one of at least k who look the same.

    Parameters
    ----------
    fs : FingerprintSet, GeneralizedFingerprintSet or PeriodSet
        Cells of any extent; fingerprints that stand for several users count as that many. Of data
        in periods (:func:`into_periods`) everybody is hidden among the people of the same period,
        and each period is treated as data of its own; the result is about the pieces.
    k : int
        Least number of users in a group, 2 … number of users.
    config : StretchConfig
        Weights and thresholds of the stretch effort.
    suppress_space_m, suppress_time_min : float, optional
        Largest spatial span (dx + dy)/2, metres, and temporal span, minutes, of a published sample.
        Samples that would make one larger are left out, and every published sample then holds
        samples of at least k users; see above.
    leftover : "merge" or "suppress"
        What becomes of the last users when fewer than k are left: merged into the group nearest to
        them, or not published.
    leave_out : float
        Share of the users, 0 … 0.1, who may be left out, rounded down: those farthest from hiding,
        whose k-gap is greatest, if it is above 0. See :attr:`GloveResult.left_out`.
    shards : int, optional
        Into how many parts, of people who are near to each other, the data are cut first; each is
        hidden for itself. For data too large to be hidden at once: everyone is one of k all the
        same, time and memory fall, and the loss rises a little; see :mod:`.hiding`. A shard's share
        to be left out is rounded down, and its last few are left over, each for itself. Of data in
        periods: of each period, as far as its people suffice.
    checkpoint : Checkpoint, optional
        With shards: those found there are not done again, those done are kept there.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    GloveResult

    Raises
    ------
    ConfigError
        If k is not an integer of 2 or more, a threshold is not positive or finer than the data,
        ``leftover`` is neither, or ``leave_out`` is outside 0 … 0.1.
    InfeasibleError
        If k exceeds the number of users, or those of every period.

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
    settings = Settings(
        "glove",
        k,
        config or StretchConfig(),
        suppress_space_m,
        suppress_time_min,
        leftover,
        leave_out,
    )
    return Run(settings, grouped, engine or LocalEngine(), shards, checkpoint).result(fs, progress)


def grouped(
    fs: FingerprintSet, settings: Settings, engine: Engine, progress: Progress | None
) -> Grouped:
    """GLOVE of people who are neither in periods nor in shards."""
    k, config, room = settings.k, settings.config, settings.room(fs)
    begun = _LEAVING_SHARE if room else 0.0
    hardest = _hardest(fs, k, room, config, engine, part(progress, 0.0, begun))
    kept = np.setdiff1d(np.arange(fs.n_users), hardest)
    grouping = part(progress, begun, _GROUPING_SHARE)
    groups = group_greedily(fs.subset(kept) if room else fs, k, config, engine, grouping)
    for group in groups:
        group.members = kept[group.members].tolist()
    last = groups.pop() if groups[-1].left_over else None
    if last is not None and settings.leftover == "merge":
        _merge_into_nearest(fs, groups, last, config)
    code = _suppress(fs, groups, settings, engine)
    return Grouped(groups, code, np.array([] if last is None else last.members, np.int64), hardest)


def _hardest(
    fs: FingerprintSet,
    k: int,
    room: int,
    config: StretchConfig,
    engine: Engine,
    progress: Progress | None,
) -> IntArray:
    """Whose k-gap is greatest, at most ``room`` users; of equals those with smaller row numbers.

    A fingerprint that stands for k users hides already.
    """
    if not room:
        return np.empty(0, np.int64)
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
    """Merge the left-over into the group to which its effort is smallest; ties: smaller index."""
    everyone = [*groups, last]
    packed = pack(published_of(everyone, fs).fingerprints(), config)._replace(equal=False)
    scratch = np.empty(int(np.diff(packed.place_offsets).max()))
    unknown = Ahead(0.0, _UNKNOWN, NO_EXTRA, 0)
    lengths = [len(g.cells) for g in everyone]
    best, into = np.inf, 0
    for g in range(len(groups)):
        a, b = (g, len(groups)) if lengths[g] >= lengths[-1] else (len(groups), g)
        effort = fingerprint_effort(packed, a, b, best, scratch, unknown, unknown)
        if effort < best:
            best, into = effort, g
    a_group, b_group = sorted([groups[into], last], key=lambda group: group.members[0])
    weights = a_group.weight, b_group.weight
    cells = merged(a_group.cells, b_group.cells, *weights, scale_of(config))
    members = sorted(a_group.members + b_group.members)
    groups[into] = Group(members, cells, sum(weights))
    groups.sort(key=lambda group: group.members[0])


def _suppress(fs: FingerprintSet, groups: list[Group], settings: Settings, engine: Engine) -> Codes:
    """Shrink the groups' cells to the limits, in place; of each sample why it is left out.

    Users of whom nothing is left are taken out of their groups, and empty groups from the list.
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
    # Numbered by their smallest member, who may be gone.
    groups[:] = sorted((g for g in groups if g.members), key=lambda group: group.members[0])
    return code
