"""Aligned publishing: hide everyone in a group of k whose samples share blocks of time.

All samples of a group, in order of time, are cut into consecutive blocks. Each block holds a sample
of every member, and no sample crosses a block's end. Each block is published as its bounding cell,
the same for every member. The cells of a group do not overlap in time, and cause no false presence.
Without limits, they cover every sample of the group. The blocks chosen have the smallest loss,

    Λ = Σ over samples of w_space · side/max_space + w_time · span/max_time,

where side = (dx + dy)/2 and span = dt of the sample's block; neither is capped. :mod:`.crowding`
chooses the groups. :mod:`fpanon_core.kernels.aligned_blocks` finds these blocks exactly and, under
limits, the samples to leave out. Nothing is drawn at random: the same data give the same result, on
any number of threads.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, part
from ..kernels.aligned_blocks import blocks_of, blocks_within
from ..model.arrays import CELL, IntArray
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import Effort
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .crowding import Crowding, boxes_of
from .grouping import Group
from .hiding import Grouped, Run, Settings, Store

_CROWDING_SHARE = 0.97  # of the progress
_BLOCK = 16


def aligned(
    fs: FingerprintSet | GeneralizedFingerprintSet | PeriodSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    max_side_m: float | None = None,
    max_span_min: float | None = None,
    leftover: Literal["merge", "suppress"] = "merge",
    leave_out: float = 0.0,
    groups: npt.ArrayLike | None = None,
    effort: Effort = "default",
    shards: int | None = None,
    checkpoint: Store | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> GloveResult:
    """Publish whole fingerprints, aligned in time, each identical for at least k users.

    Parameters
    ----------
    fs : FingerprintSet, GeneralizedFingerprintSet or PeriodSet
        Cells of any extent; a fingerprint that stands for several users counts as that many users.
        In data in periods (:func:`into_periods`), people are hidden among the people of the same
        period. Each period is treated as a separate data set, and the result describes the pieces.
    k : int
        Least number of users in a group, 2 … number of users.
    config : StretchConfig, optional
        Weights and thresholds of the loss, and of the effort that finds candidates. Weights of 1
        and 1 apply to the loss only; the effort then uses weights of ½ and ½.
    max_side_m, max_span_min : float, optional
        Largest side (dx + dy)/2 in metres, and span in minutes, of a published sample. Samples that
        would exceed a limit are left out. Each sample left out costs as much as a sample at both
        limits; the extent of the data replaces a limit that is missing or larger than this extent.
        Every published sample still holds samples of all members of its group. The groups do not
        depend on the limits.
    leftover : "merge" or "suppress"
        Treatment of the last users, fewer than k, when the number of users is not a multiple of k:
        each joins the group whose loss rises least ("merge"), or none of them is published.
    leave_out : float
        Share of the users, 0 … 0.1, that may be left out, rounded down. The users who cost most to
        hide are left out, as long as this lowers the mean loss of the others. If the share allows
        fewer than k users, no whole group can be left out, so hardly anybody is left out. In
        periods, the share applies to each period. See :attr:`GloveResult.left_out`.
    groups : int array_like (n_users,), optional
        Group number of each user, as in :attr:`GloveResult.group`. These groups are published
        aligned, and no search for groups is made.
    effort : "quick", "default" or "thorough"
        How long to search for groups with a small loss. A longer search finds better groups.
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
        Its ``phantom_share`` is always 0.

    Raises
    ------
    ConfigError
        k is not an integer of 2 or more, or a limit is finer than the data or not positive.
        ``leftover`` or ``effort`` has an unknown value. ``groups`` does not have an integer for
        each user, leaves a user without a group, has a group of fewer than k users, or is given
        with periods or several shards. ``leave_out`` is outside 0 … 0.1, or is above 0 although
        ``groups`` is given. ``shards`` is not an integer of 1 or more or, without periods, leaves a
        shard with too few people for 10 groups of k.
    InfeasibleError
        k exceeds the number of users or, with periods, the number of users in every period.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], [0, 0, 900, 0], [0] * 4, [0, 600, 2, 603])
    >>> p = aligned(fs, 2).published
    >>> p.t_min.tolist(), p.dt_min.tolist(), p.dx_m.tolist()
    ([0.0, 600.0], [3.0, 4.0], [1000.0, 100.0])
    """
    how = max_side_m, max_span_min, leftover, leave_out, effort
    settings = Settings("aligned", k, config or StretchConfig(), *how)
    if groups is not None:
        _check_alone(fs, shards, settings.leave_out)

    def published(fs: FingerprintSet, settings: Settings, engine: Engine, _: Progress) -> Grouped:
        return _blocks(fs, _given(fs, settings.k, groups), settings, engine)

    grouping = _grouped if groups is None else published
    return Run(settings, grouping, engine or LocalEngine(), shards, checkpoint).result(fs, progress)


def _grouped(fs: FingerprintSet, settings: Settings, engine: Engine, progress: Progress) -> Grouped:
    looking = part(progress, 0.0, _CROWDING_SHARE)
    members, left, hardest = Crowding(fs, settings, engine).run(looking)
    return _blocks(fs, members, settings, engine)._replace(left=left, hardest=hardest)


def align(
    fs: FingerprintSet, users: npt.ArrayLike, *, config: StretchConfig | None = None
) -> pd.DataFrame:
    """Return the blocks with the smallest loss for one group.

    Parameters
    ----------
    fs : FingerprintSet
    users : array_like of int
        Row numbers of the members, or a mask.
    config : StretchConfig, optional
        Weights and thresholds of the loss.

    Returns
    -------
    DataFrame
        One row per block, in order of time: ``t_min``, ``dt_min``, ``x_m``, ``dx_m``, ``y_m``,
        ``dy_m``, ``n_samples`` (number of the members' samples in the block). Among solutions of
        equal loss, the one whose last block begins latest is taken; the last block but one decides
        among ties, and so on.

    Raises
    ------
    InfeasibleError
        A row number is out of range or occurs twice, none is given, or a mask has the wrong length.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], [0, 0, 900, 0], [0] * 4, [0, 600, 2, 603])
    >>> align(fs, [0, 1])[["t_min", "dt_min", "dx_m", "n_samples"]].values.tolist()
    [[0.0, 3.0, 1000.0, 2.0], [600.0, 4.0, 100.0, 2.0]]
    """
    members = np.sort(fs.check_users(users))
    cells, held = blocks_of(boxes_of(fs, config or StretchConfig()), members)
    of = dict(zip(CELL, cells.T, strict=True))
    names = ("t_min", "dt_min", "x_m", "dx_m", "y_m", "dy_m")
    return pd.DataFrame({name: of[name] for name in names} | {"n_samples": held})


def _check_alone(
    fs: FingerprintSet | GeneralizedFingerprintSet | PeriodSet, shards: int | None, leave_out: float
) -> None:
    """Raise a ConfigError if groups are combined with periods, several shards, or ``leave_out``."""
    if isinstance(fs, PeriodSet):
        raise ConfigError(
            "groups applies to whole fingerprints; leave it out for data in periods, because each "
            "period has its own groups."
        )
    if shards is not None and shards > 1:
        raise ConfigError(
            "groups cannot be combined with shards: the groups are given, so no search is "
            "made; leave one of the two out."
        )
    if leave_out:
        raise ConfigError(
            f"leave_out = {leave_out:g} cannot be combined with groups: everyone in a group is "
            "published; leave one of the two out."
        )


def _given(fs: FingerprintSet, k: int, groups: npt.ArrayLike | None) -> list[IntArray]:
    """Return the given groups as row numbers, in order of their smallest members."""
    group = np.asarray(groups)
    if group.shape != (fs.n_users,) or not np.issubdtype(group.dtype, np.integer):
        raise ConfigError(
            f"groups has the shape {group.shape}; give a whole number for each of the "
            f"{fs.n_users} people, as in ``group`` of an earlier result."
        )
    if (group < 0).any():
        raise ConfigError(
            f"groups leaves {int((group < 0).sum())} of {fs.n_users} people without a group (−1); "
            "give groups of a result that publishes everybody, or leave out people without a group."
        )
    number, inverse = np.unique(group, return_inverse=True)
    weight = np.bincount(inverse, fs.weight)
    if (weight < k).any():
        raise ConfigError(
            f"Groups with fewer than k = {k} people: {int((weight < k).sum())} of {len(number)}; "
            "give groups made for this k or a larger k."
        )
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse))[:-1]
    return sorted(np.split(order, ends), key=lambda rows: int(rows[0]))


def _blocks(
    fs: FingerprintSet, members: list[IntArray], settings: Settings, engine: Engine
) -> Grouped:
    """Return the groups with their cells, without groups that have no cell left."""
    boxes = boxes_of(fs, settings.config)
    limited = settings.limits != (None, None)
    side, span = settings.bounds
    # Without a limit, the largest cost of any cell.
    price = boxes.by_space * min(
        side, (boxes.east.max() - boxes.west.min() + boxes.north.max() - boxes.south.min()) / 2.0
    ) + boxes.by_time * min(span, boxes.end.max() - boxes.start.min())
    code = np.zeros(fs.n_samples, np.int8)
    made: list[Group | None] = [None] * len(members)

    def blocks(begin: int, end: int) -> None:
        for g in range(begin, end):
            if limited:
                cells, rows, why = blocks_within(boxes, members[g], side, span, price)
                code[rows] = why
            else:
                cells, _ = blocks_of(boxes, members[g])
            if len(cells):
                made[g] = Group(members[g].tolist(), cells, float(fs.weight[members[g]].sum()))

    fill(engine, len(members), _BLOCK, blocks)
    nobody = np.empty(0, np.int64)
    return Grouped([group for group in made if group is not None], code, nobody, nobody)
