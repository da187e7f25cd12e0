"""Hide people shard by shard: neighbours are put together first, and hidden among themselves.

Time grows faster than the number of people, and memory with it. People of one shard are hidden as
data of their own, so that everyone is one of k exactly as without shards; what is given up is that
somebody near a border may have had a nearer neighbour beyond it.

Shards are cut like a k-d tree, each cut across the direction in which the people spread most, at
the share that its shards make up: of two shards at the median. A direction is east, north, or how
far a person's samples lie from their centre: so those who travel far, whose nearest are others who
do, come apart where they spread more than places do. All shards have as many people but for one.
Who is in a shard depends on where people are and on nothing else; of equal ones, on row numbers.

Source: docs/science.md, “Hiding everyone, shard by shard”.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..engines.progress import part as stretch
from ..model.arrays import FloatArray, IntArray
from ..model.checks import whole
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult, Method
from ..model.published import Part, remember
from .joined import Joined, part_of

# What a result calls the limits of aligned blocks.
_LIMITS = {"suppress_space_m": "max_side_m", "suppress_time_min": "max_span_min"}
LEAST_CROWDS = 10
"""Crowds of k that a shard must have room for: of fewer, most people stand at a border."""


def check_shards(shards: int | None, fs: FingerprintSet, k: int) -> int:
    """The number of shards; 1 for None.

    Raises
    ------
    ConfigError
        If it is no positive integer, or leaves fewer people to a shard than :data:`LEAST_CROWDS`
        crowds of k.
    """
    if shards is None:
        return 1
    shards = whole("shards", shards, 1)
    most = most_shards(fs, k)
    if shards > most:
        raise ConfigError(
            f"shards = {shards:,} leaves {fs.n_users // shards:,} of {fs.n_users:,} people to a "
            f"shard, fewer than {LEAST_CROWDS} crowds of k = {k}; choose shards ≤ {most:,}."
        )
    return shards


def most_shards(fs: FingerprintSet, k: int) -> int:
    """So many that each has room for :data:`LEAST_CROWDS` crowds of k; 1 at least."""
    # By records: one that stands for several people is in one shard with all of them.
    return max(1, fs.n_users // (LEAST_CROWDS * k))


def fitting(shards: int | None, fs: FingerprintSet, k: int) -> int | None:
    """As many shards as wanted, or as there may be."""
    return None if shards is None else min(whole("shards", shards, 1), most_shards(fs, k))


def shards_of(fs: FingerprintSet, shards: int) -> list[IntArray]:
    """Who is in which shard.

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
    """Of everybody: centre, east and north, and root mean square distance from it; metres."""
    begin, length = fs.offsets[:-1], fs.lengths
    user = fs.sample_user
    columns = []
    spread = np.zeros(fs.n_users)
    for low, extent in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)):
        at = low + extent / 2
        centre = np.add.reduceat(at, begin) / length
        spread += np.add.reduceat((at - centre[user]) ** 2, begin) / length
        columns.append(centre)
    return np.column_stack([*columns, np.sqrt(spread)])


class Store(Protocol):
    """Where what was made of shards is kept; see :class:`fpanon_core.Checkpoint`."""

    def part(self, fs: FingerprintSet, settings: Mapping[str, Any]) -> Part | None:
        """What was made of these people by these settings; None if it is not there."""

    def keep(self, fs: FingerprintSet, settings: Mapping[str, Any], part: Part) -> None:
        """Have it found again."""


def hide_shard(fs: FingerprintSet, hide: Callable[..., GloveResult], **settings: Any) -> Part:
    """What is made of one shard; a function by itself, so that it can be sent to a worker."""
    return part_of(hide(fs, engine=LocalEngine(1), **settings))


class _Shard:
    """Some people of a set: where it goes elsewhere they go without the others, and unnamed."""

    def __init__(self, fs: FingerprintSet, rows: IntArray | None = None) -> None:
        self._fs, self._rows = fs, rows

    def __reduce__(self) -> tuple[type[_Shard], tuple[FingerprintSet]]:
        return (_Shard, (self.people().unnamed,))

    def people(self) -> FingerprintSet:
        return self._fs if self._rows is None else self._fs.subset(self._rows)


@dataclass(frozen=True)
class _Settings:
    named: Mapping[str, Any]


def _hide_one(shard: _Shard, hide: Callable[..., GloveResult], settings: _Settings) -> Part:
    return hide_shard(shard.people(), hide, **settings.named)


def hidden_by_shard(
    fs: FingerprintSet,
    shards: int,
    hide: Callable[..., GloveResult],
    settings: Mapping[str, Any],
    *,
    method: Method,
    engine: Engine,
    checkpoint: Store | None = None,
    progress: Progress | None = None,
) -> GloveResult:
    """Hide the people of each shard for themselves.

    Parameters
    ----------
    fs : FingerprintSet
    shards : int
        2 or more.
    hide : callable
        :func:`glove` or :func:`aligned`.
    settings : mapping
        All its arguments but data, engine and progress.
    method : "glove" or "aligned"
    engine : Engine
        As many shards at once as it has workers, a thread for each.
    checkpoint : Store, optional
        Shards found there are not done again; those done are kept there.
    progress : callable of one float in [0, 1], optional

    Returns
    -------
    GloveResult
        As of all at once: groups are numbered, and published, without regard to shards.
    """
    whose = shards_of(fs, shards)
    join, named = Joined(fs), {"method": method, **settings}
    todo = list(range(shards))
    if checkpoint is not None:
        todo = []
        for number, rows in enumerate(whose):
            if (part := checkpoint.part(fs.subset(rows), named)) is None:
                todo.append(number)
            else:
                join.add(rows, part, number)

    def take(nth: int, part: Part) -> None:
        number = todo[nth]
        if checkpoint is not None:
            checkpoint.keep(fs.subset(whose[number]), named, part)
        join.add(whose[number], part, number)

    work = np.array([fs.lengths[rows].sum() for rows in whose], np.float64)
    engine.map(
        _hide_one,
        [_Shard(fs, whose[number]) for number in todo],
        (hide, _Settings(settings)),
        take,
        work=work[todo].tolist(),
        progress=stretch(progress, float(1 - work[todo].sum() / work.sum()), 1.0),
    )
    last = join.left_over
    if settings["leftover"] == "suppress" and fs.weight[last].sum() >= settings["k"]:
        # Of all shards together they are k or more, who can hide; fewer than k are left then.
        join.add_again(last, hide_shard(fs.subset(last), hide, **{**settings, "leave_out": 0.0}))
    remember(fs)
    limits = {name: settings.get(old, settings.get(name)) for name, old in _LIMITS.items()}
    same = {name: settings[name] for name in ("k", "leftover", "leave_out", "config")}
    return join.result(method=method, shards=shards, **same, **limits)
