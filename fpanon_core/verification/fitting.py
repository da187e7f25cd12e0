"""Assignment of published records to original users by content, without the key.

A release keeps its promises if *some* assignment of a separate record to every original user keeps
them. Among users who fit equally well, the choice does not matter, because the records do not
distinguish them. Whether an assignment exists is a flow problem (Ford & Fulkerson 1956). The flow
leads from users to classes of equal records, and each class has as many places as records. The
answer is exact, and no user is compared with more samples than necessary.

Source: docs/science.md, “Hiding everyone: GLOVE”, “What is verified”.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]
from scipy.sparse.csgraph import (  # type: ignore[import-untyped,unused-ignore]
    maximum_flow,
    min_weight_full_bipartite_matching,
)

from ..kernels.verify_cover import BLOCK, People, cells_met, classes_within, fewest_misses
from ..model.arrays import BoolArray, FloatArray, IntArray, offsets_of, rows_of
from ..model.fingerprints import FingerprintSet
from .faults import Claim, Faults, bounds_of, stretches

_T = TypeVar("_T")
_THREADS = len(os.sched_getaffinity(0))
_MOST_PAIRS = 1_000_000  # pairs of a user and a record; beyond, ties are broken arbitrarily


@dataclass
class Fit:
    """An assignment of records to users.

    Attributes
    ----------
    home : int64 ndarray (n_users,)
        Class of each user; −1 = no record.
    only : bool
        Whether this is the only possible assignment.
    closest : bool
        Whether no other assignment has more cells that hold a sample of the assigned person.
    user, kind : int64 ndarray
        All pairs of a user and a class that may belong together, as far as is known.
    """

    home: IntArray
    only: bool
    closest: bool
    user: IntArray
    kind: IntArray


@dataclass
class _Pairs:
    """Possible pairs of users and classes: row numbers, and numbers of missed samples."""

    user: IntArray
    kind: IntArray
    misses: IntArray

    def of(self, some: BoolArray) -> _Pairs:
        """Return the pairs for which ``some`` is true."""
        return _Pairs(self.user[some], self.kind[some], self.misses[some])

    def and_also(self, other: _Pairs) -> _Pairs:
        """Return these pairs followed by others."""
        ours, theirs = vars(self).values(), vars(other).values()
        return _Pairs(*map(np.concatenate, zip(ours, theirs, strict=True)))


class _Search:
    """Search for possible pairs: users are compared with boxes around classes, then with cells."""

    def __init__(self, claim: Claim, fs: FingerprintSet, wanted: BoolArray) -> None:
        self._fs, self._wanted, self._classes = fs, wanted, claim.arrays

    def fewest(self, most: int) -> IntArray:
        """Return each user's number of missed samples in the best class, up to ``most`` + 1."""
        found = self._over(lambda _, a, b, some: fewest_misses(a, b, some, self._classes, most))
        return np.concatenate(list(found))

    def within(self, most: IntArray) -> _Pairs:
        """Return pairs of a user and a class that leaves up to ``most[user]`` samples uncovered."""
        blocks = in_blocks(self._classes.around)

        def pairs(first: int, a: int, b: int, some: People) -> tuple[IntArray, ...]:
            users = most[first : first + len(some.offsets) - 1]
            user, *others = classes_within(a, b, some, self._classes, *blocks, users)
            return user + first, *others

        return _Pairs(*map(np.concatenate, zip(*self._over(pairs), strict=True)))

    def _over(self, work: Callable[..., _T]) -> Iterator[_T]:
        """Yield the results of ``work`` over slices of users, in order, using all cores."""
        with ThreadPoolExecutor(_THREADS) as pool:
            for users, rows, offsets, samples in stretches(self._fs):
                n = users.stop - users.start
                cuts = np.linspace(0, n, min(n, 4 * _THREADS) + 1).astype(np.int64).tolist()
                some = People(offsets, samples, self._wanted[rows])
                jobs = [pool.submit(work, users.start, a, b, some) for a, b in pairwise(cuts)]
                yield from [job.result() for job in jobs]


def in_blocks(around: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return an order that puts neighbouring boxes into one block, and the hull of each block.

    Slices with equally many boxes run from west to east, and the boxes of a slice from south to
    north (Leutenegger et al. 1997).
    """
    n = len(around)
    x, y = around[:, 0] + around[:, 1], around[:, 2] + around[:, 3]
    slices = max(1, math.isqrt(n // BLOCK))
    which = np.empty(n, np.int64)
    which[np.argsort(x, kind="stable")] = np.arange(n) * slices // max(n, 1)
    order = np.lexsort((y, which))
    begins = np.arange(0, n, BLOCK)
    hulls = np.empty((len(begins), 6))
    for axis, reduce in enumerate(3 * (np.minimum, np.maximum)):
        if n:
            hulls[:, axis] = reduce.reduceat(around[order, axis], begins)
    return order, hulls


def fit(claim: Claim, listed: BoolArray | None, may_miss: int, faults: Faults) -> Fit | None:
    """Assign a record to every user who must have one; return None, with a fault, if impossible.

    The result is also None, with a fault, if too many users fit too many records to tell which
    samples are left out.

    Parameters
    ----------
    claim : Claim
    listed : bool ndarray (n_samples,) or None
        Samples listed as left out; None without a list. A user with samples that are not listed
        must have a record that holds all of these.
    may_miss : int
        Without a list: the stated number of samples left out.
    faults : Faults
    """
    fs = faults.original
    wanted = np.ones(fs.n_samples, bool) if listed is None else ~listed
    must = np.bincount(fs.sample_user[wanted], minlength=fs.n_users) > 0
    spare = int(must.sum()) - int(claim.records.sum())  # users for whom there is no record
    if spare < 0:
        text = f"The published records outnumber the original people by {-spare}."
        faults.add("unknown user", text)
        return None
    if listed is not None and spare > 0:
        for _ in range(spare):
            text = "A person's samples are not all listed as left out, but no record remains."
            faults.add("missing user", text)
        return None
    allowed = may_miss if listed is None else 0
    possible = _possible(claim, wanted, allowed, faults)
    if possible is None:
        return None
    most, pairs = possible
    pairs = pairs.of(must[pairs.user])
    sizes = claim.records
    if spare > 0:  # a class for users without a record; it costs all their samples
        gone = np.flatnonzero(fs.lengths <= most)
        nobodys = _Pairs(gone, np.full(len(gone), claim.n_classes), fs.lengths[gone])
        pairs, sizes = pairs.and_also(nobodys), np.append(sizes, spare)
    # Of users who fit equally well, none may come first because of the input's order: the release
    # would seem to keep that order.
    place = np.random.default_rng(0).permutation(fs.n_users)
    mixed = _Pairs(place[pairs.user], pairs.kind, pairs.misses)
    home = _by_flow(mixed, sizes, fs.n_users, int(must.sum()))
    if home is None:
        text = (
            "The published records cannot be assigned to the original people, one to each, so "
            "that every record holds the samples of its person."
        )
        faults.add("no assignment", text)
        return None
    only = len(pairs.user) == int(must.sum())
    closest = only or int(sizes[pairs.kind].sum()) <= _MOST_PAIRS
    if not closest and allowed:
        text = (
            "Too many people fit too many records to tell which samples are left out; verify with "
            "the key, or with the list of the samples left out."
        )
        faults.add("undecided", text)
        return None
    if closest and not only:
        kind = np.minimum(pairs.kind, claim.n_classes - 1)
        met = cells_met(pairs.user, kind, People(fs.offsets, bounds_of(fs), wanted), claim.arrays)
        met[pairs.kind == claim.n_classes] = 0
        home = _best(mixed, met, sizes, fs.n_users)
        missed = int(mixed.misses[home[mixed.user] == mixed.kind].sum())
        if missed > allowed:
            text = (
                f"Original samples outside the right records: at least {missed}; stated to be left "
                f"out: {allowed}."
            )
            faults.add("uncovered sample", text)
            return None
    home[home == claim.n_classes] = -1
    pairs = pairs.of(pairs.kind < claim.n_classes)
    # If samples may be missed, the assignment that misses fewest need not be the one meeting most.
    most_met = only or (closest and allowed == 0)
    return Fit(home[place], only, most_met, pairs.user, pairs.kind)


def _possible(
    claim: Claim, wanted: BoolArray, allowed: int, faults: Faults
) -> tuple[IntArray, _Pairs] | None:
    """Return how many samples each user may miss, and the possible pairs; None if impossible."""
    fs = faults.original
    search = _Search(claim, fs, wanted)
    if allowed:
        fewest = search.fewest(allowed)
    else:
        none_missed = search.within(np.zeros(fs.n_users, np.int64))
        fewest = np.bincount(fs.sample_user[wanted], minlength=fs.n_users).clip(0, 1)
        fewest[none_missed.user] = 0
    loose = allowed - int(fewest.sum())
    if loose >= 0:
        return fewest + loose, search.within(fewest + loose) if allowed else none_missed
    if allowed:
        text = (
            "Original samples outside every record that may be their person's: at least "
            f"{int(fewest.sum())}; stated to be left out: {allowed}."
        )
        faults.add("uncovered sample", text)
        return None
    for u in np.flatnonzero(fewest).tolist():
        text = (
            "No published record holds all samples of this person that are not listed as left out."
        )
        faults.add("uncovered sample", text, user=u)
    return None


def _by_flow(pairs: _Pairs, sizes: IntArray, n_users: int, needed: int) -> IntArray | None:
    """Assign each user a class, none more often than it has records; return None if impossible."""
    n_classes = len(sizes)
    users = np.unique(pairs.user)
    if len(users) < needed:
        return None
    source, sink = n_users + n_classes, n_users + n_classes + 1
    rows = np.concatenate([np.full(len(users), source), pairs.user, n_users + np.arange(n_classes)])
    columns = np.concatenate([users, n_users + pairs.kind, np.full(n_classes, sink)])
    room = np.concatenate([np.ones(len(users) + len(pairs.user), np.int64), sizes])
    graph = csr_array((room.astype(np.int32), (rows, columns)), shape=(sink + 1, sink + 1))
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    found = maximum_flow(graph, source, sink)
    if found.flow_value < needed:
        return None
    flow = found.flow.tocoo()
    used = (flow.data > 0) & (flow.row < n_users) & (flow.col >= n_users) & (flow.col < source)
    home = np.full(n_users, -1, np.int64)
    home[flow.row[used]] = flow.col[used] - n_users
    return home


def _best(pairs: _Pairs, met: IntArray, sizes: IntArray, n_users: int) -> IntArray:
    """Return the assignment with the fewest missed samples and then the most cells met.

    A cell is met if it holds a sample of the person to whom its record is assigned. So a release is
    not refused merely because people are assigned each other's records.
    """
    copies = sizes[pairs.kind]
    slot = offsets_of(sizes)
    columns = rows_of(slot[pairs.kind], copies)
    most = float(met.max()) + 1.0
    cost = pairs.misses * (most * n_users) + (most - met)  # above 0: a zero would be no edge
    users, at = np.unique(np.repeat(pairs.user, copies), return_inverse=True)
    graph = csr_array((np.repeat(cost, copies), (at, columns)), shape=(len(users), int(slot[-1])))
    chosen, records = min_weight_full_bipartite_matching(graph)
    out = np.full(n_users, -1, np.int64)
    out[users[chosen]] = np.searchsorted(slot, records, side="right") - 1
    return out
