"""Mitigations: changes to counts before publication.

Differentially private counts are made in :mod:`.private`.

Source: Xu et al. 2017, §6.1; docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..model import checks
from ..model.aggregates import AggregateCounts, sparse_of
from ..model.arrays import IntArray, SmallInts, offsets_of, pieces_of_rows
from ..model.errors import InfeasibleError


def coarsen(
    counts: AggregateCounts, truth: SmallInts, *, metres: float
) -> tuple[AggregateCounts, SmallInts]:
    """Add up the counts of all places whose centres lie in the same square of a grid.

    For longer slots, call :func:`aggregate_counts` again with a larger ``slot_min``.

    Parameters
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_users, n_slots)
        Place of each user in each slot, with gaps filled in.
    metres : float
        Side of a square; the grid begins at the origin of the projection.

    Returns
    -------
    counts : AggregateCounts
        The new places are the squares that hold the centre of an old place.
    truth : int32 ndarray (n_users, n_slots)
        Square of each user in each slot.

    Raises
    ------
    ConfigError
        ``metres`` is not a positive number.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 300], [0, 0], [0, 0])
    >>> counts, truth = coarsen(*aggregate_counts(fs), metres=1000)
    >>> counts.counts.tolist(), truth.tolist()
    ([[2]], [[0], [0]])
    """
    squares, merged = squares_of(counts, metres)
    order = np.argsort(merged, kind="stable")
    begins = offsets_of(np.bincount(merged))[:-1]  # no square is empty
    side = np.full(len(squares), float(metres))
    x_m, y_m = np.ascontiguousarray(squares.T, np.float64) * metres
    added = sparse_of(
        np.add.reduceat(counts.block(some)[:, order], begins, axis=1, dtype=np.int64)
        for some in counts.pieces()
    )
    coarse = replace(
        counts, counts=cast(IntArray, added), x_m=x_m, y_m=y_m, dx_m=side, dy_m=side, frame=None
    )
    return coarse, merged.astype(np.int32)[truth]


def squares_of(counts: AggregateCounts, metres: float) -> tuple[IntArray, IntArray]:
    """Return the column and row of each square holding a place's centre, and each place's square.

    Returns
    -------
    int64 ndarray (n_squares, 2), int64 ndarray (n_places,)

    Raises
    ------
    ConfigError
        ``metres``, the side of a square, is not a positive number.
    """
    metres = checks.positive("metres", metres)
    cells = np.floor(counts.centres / metres).astype(np.int64)
    squares, merged = np.unique(cells, axis=0, return_inverse=True)
    return squares, merged.reshape(-1)


def suppress_small(counts: AggregateCounts, limit: int = 15) -> AggregateCounts:
    """Set counts below a limit to 0. A limit of 15 is customary.

    Published tables leave such counts blank; the attacker is assumed to read a blank as 0.

    Raises
    ------
    ConfigError
        The limit is not an integer of 1 or more.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 300], [0] * 3, [0] * 3)
    >>> suppress_small(aggregate_counts(fs)[0], limit=2).counts.tolist()
    [[2, 0]]
    """
    limit = checks.whole("limit", limit, 1)
    return counts.with_blocks(
        np.where(block < limit, 0, block) for block in map(counts.block, counts.pieces())
    )


def noise_at_frequent(
    counts: AggregateCounts,
    truth: SmallInts,
    *,
    share: float = 0.2,
    neighbours: int = 5,
    seed: int = 0,
) -> AggregateCounts:
    """Move a share of the points at people's most frequent places to nearby places.

    Xu et al. 2017, §6.1, add noise "at each mobile user's most frequent locations to make their
    trajectories less regular". Every point of a user at the user's most frequent place moves with
    probability ``share``. It goes to one of the ``neighbours`` nearest other places, each equally
    likely. Ties for the most frequent place go to the lower place number. Totals do not change.

    Parameters
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_users, n_slots)
        Place of each user in each slot, with gaps filled in; the operator knows these places.
    share : float
        Probability, in [0, 1], that a point at the user's most frequent place moves.
    neighbours : int
        Number of places to choose from, 1 or more; all other places if these are fewer.
    seed : int

    Returns
    -------
    AggregateCounts

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    InfeasibleError
        There is only one place.
    """
    moving = checks.share("share", share)
    neighbours = checks.whole("neighbours", neighbours, 1)
    if counts.n_places < 2:
        raise InfeasibleError("There is only one place, so no point can be moved to another.")
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    near = _neighbours(counts, min(neighbours, counts.n_places - 1))
    users, slots = _moved(truth, counts.n_places, moving, rng)
    homes = truth[users, slots]
    goals = near[homes, rng.integers(0, near.shape[1], len(homes))]
    order = np.argsort(slots, kind="stable")
    homes, goals = homes[order], goals[order]
    begins = offsets_of(np.bincount(slots, minlength=counts.n_slots))
    slots = slots[order]

    def noisy(some: slice) -> IntArray:
        block = counts.block(some).astype(np.int64)
        of = slice(int(begins[some.start]), int(begins[some.stop]))
        np.subtract.at(block, (slots[of] - some.start, homes[of]), 1)
        np.add.at(block, (slots[of] - some.start, goals[of]), 1)
        return block

    return counts.with_blocks(map(noisy, counts.pieces()))


def _moved(
    truth: SmallInts, places: int, share: float, rng: np.random.Generator
) -> tuple[SmallInts, SmallInts]:
    """Return the user and slot of each point moved away from a person's most frequent place."""
    users, slots = [], []
    for some in pieces_of_rows(*truth.shape):
        part = truth[some]
        user, slot = np.nonzero(part == _most_frequent(part, places)[:, None])
        moved = rng.random(len(user)) < share
        users.append((user[moved] + some.start).astype(np.int32))
        slots.append(slot[moved].astype(np.int32))
    return np.concatenate(users), np.concatenate(slots)


def _most_frequent(truth: SmallInts, places: int) -> IntArray:
    """Return each user's most frequent place; ties go to the lower number."""
    home = np.empty(len(truth), np.int64)
    for user, row in enumerate(truth):
        home[user] = np.bincount(row, minlength=places).argmax()
    return home


def _neighbours(counts: AggregateCounts, many: int) -> IntArray:
    """Return the other places nearest to each place, (n_places, many)."""
    xy = counts.centres
    _, near = cKDTree(xy).query(xy, many + 1)
    # The nearest place is the place itself, unless another has the same centre.
    own = near == np.arange(len(xy))[:, None]
    own[~own.any(axis=1), -1] = True
    others: IntArray = near[~own].reshape(len(xy), many)
    return others
