"""GLOVE: hide everyone in a crowd of k with one fingerprint.

Fingerprints are merged pair by pair, the nearest first, until everyone is one of at least k who are
published alike. :mod:`.grouping` has the order, :mod:`fpanon_core.kernels.glove_merge` the merge
and the reshaping, :mod:`.suppression` what is left out. Nothing is drawn at random: the same data
give the same result, on any number of threads.

Where the source leaves room: a fingerprint that stands for k users already is a group of its own,
reshaped like a merged one. "Earlier" among cells means by start, then x, y and extents. When cells
are joined again after the cut, all cells count as pieces, whether they were cut or not.

Source: Gramaglia & Fiore 2015b; docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..kernels.kgap_search import NO_EXTRA
from ..kernels.stretch import Ahead, fingerprint_effort
from ..measures.kgap import check_k, k_gap
from ..measures.packing import pack, scale_of
from ..model.arrays import IntArray
from ..model.checks import whole
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .grouping import Group, group_greedily, merged
from .outcome import begun_by, check_leave_out, check_limit, outcome, published_of, room_for
from .periods import hidden_by_period
from .shards import Store, check_shards, fitting, hidden_by_shard
from .suppression import LEFT_OVER, suppress

_LEAVING_SHARE, _GROUPING_SHARE = 0.1, 0.97  # of the progress
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
        samples of at least k users; see :mod:`.suppression`.
    leftover : "merge" or "suppress"
        What becomes of the last users when fewer than k are left: merged into the group nearest to
        them, or not published.
    leave_out : float
        Share of the users, 0 … 0.1, who may be left out, rounded down: those farthest from hiding,
        whose k-gap is greatest, if it is above 0. See :attr:`GloveResult.left_out`.
    shards : int, optional
        Into how many parts, of people who are near to each other, the data are cut first; each is
        hidden for itself. For data too large to be hidden at once: everyone is one of k all the
        same, time and memory fall, and the loss rises a little; see :mod:`.shards`. A shard's share
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
    settings: dict[str, Any] = {
        "k": k,
        "config": config,
        "suppress_space_m": suppress_space_m,
        "suppress_time_min": suppress_time_min,
        "leftover": leftover,
        "leave_out": leave_out,
    }
    if isinstance(fs, PeriodSet):
        whole("k", k, 2)
        return hidden_by_period(
            fs,
            k,
            lambda pieces, told, end: begun_by(
                end,
                pieces,
                glove(
                    pieces,
                    shards=fitting(shards, pieces, k),
                    checkpoint=checkpoint,
                    engine=engine,
                    progress=told,
                    **settings,
                ),
            ),
            progress,
        )
    if isinstance(fs, GeneralizedFingerprintSet):
        fs = fs.fingerprints()
    config = config or StretchConfig()
    engine = engine or LocalEngine()
    check_k(k, int(fs.weight.sum()))
    check_limit("suppress_space_m", suppress_space_m, fs.granularity_m, "m")
    check_limit("suppress_time_min", suppress_time_min, fs.granularity_min, "min")
    if leftover not in ("merge", "suppress"):
        raise ConfigError(f"leftover = {leftover!r}; it must be 'merge' or 'suppress'.")
    leave_out = check_leave_out(leave_out)
    if check_shards(shards, fs, k) > 1:
        return hidden_by_shard(
            fs,
            int(shards or 1),
            glove,
            settings | {"config": config},
            method="glove",
            engine=engine,
            checkpoint=checkpoint,
            progress=progress,
        )
    room = room_for(leave_out, fs, k)
    begun = _LEAVING_SHARE if room else 0.0
    hardest = _hardest(fs, k, room, config, engine, part(progress, 0.0, begun))
    kept = np.setdiff1d(np.arange(fs.n_users), hardest)
    grouping = part(progress, begun, _GROUPING_SHARE)
    groups = group_greedily(fs.subset(kept) if room else fs, int(k), config, engine, grouping)
    for group in groups:
        group.members = kept[group.members].tolist()
    last = groups.pop() if groups[-1].left_over else None
    if last is not None and leftover == "merge":
        _merge_into_nearest(groups, last, config)
    code = suppress(fs, groups, int(k), suppress_space_m, suppress_time_min, engine)
    left = np.array([] if last is None else last.members, np.int64)
    if leftover == "suppress":
        for u in left:
            code[fs.rows_of(u)] = LEFT_OVER
    result = outcome(
        fs,
        groups,
        code,
        left,
        method="glove",
        k=int(k),
        leftover=leftover,
        config=config,
        suppress_space_m=suppress_space_m,
        suppress_time_min=suppress_time_min,
        leave_out=leave_out,
        hardest=hardest,
    )
    if progress is not None:
        progress(1.0)
    return result


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


def _merge_into_nearest(groups: list[Group], last: Group, config: StretchConfig) -> None:
    """Merge the left-over into the group to which its effort is smallest; ties: smaller index."""
    scale = scale_of(config)
    everyone = [*groups, last]
    packed = pack(published_of(everyone, None).fingerprints())._replace(equal=False)
    scratch = np.empty(int(np.diff(packed.place_offsets).max()))
    unknown = Ahead(0.0, _UNKNOWN, NO_EXTRA, 0)
    lengths = [len(g.cells) for g in everyone]
    best, into = np.inf, 0
    for g in range(len(groups)):
        a, b = (g, len(groups)) if lengths[g] >= lengths[-1] else (len(groups), g)
        effort = fingerprint_effort(packed, scale, a, b, best, scratch, unknown, unknown)
        if effort < best:
            best, into = effort, g
    pair = sorted([groups[into], last], key=lambda group: group.members[0])
    (a_group, b_group) = pair
    cells = merged(a_group.cells, b_group.cells, a_group.weight, b_group.weight, scale)
    members = sorted(a_group.members + b_group.members)
    groups[into] = Group(members, cells, a_group.weight + b_group.weight)
    groups.sort(key=lambda group: group.members[0])
