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


_Work = Callable[[int, int, int, People], IntArray]
Pairs = IntArray
"""Possible pairs, (3, n_pairs): rows of users and of classes, and how many samples are missed."""


def _fewest(claim: Claim, fs: FingerprintSet, wanted: BoolArray, most: int) -> IntArray:
    """Return each user's number of missed samples in the best class, up to ``most`` + 1."""
    classes = claim.arrays

    def fewest(_: int, a: int, b: int, some: People) -> IntArray:
        return fewest_misses(a, b, some, classes, most)

    return np.concatenate(list(_over(fs, wanted, fewest)))


def _within(claim: Claim, fs: FingerprintSet, wanted: BoolArray, most: IntArray) -> Pairs:
    """Return pairs of a user and a class that leaves up to ``most[user]`` samples uncovered.

    Users are compared with boxes around classes, then with cells.
    """
    blocks = in_blocks(claim.arrays.around)

    def pairs(first: int, a: int, b: int, some: People) -> Pairs:
        users = most[first : first + len(some.offsets) - 1]
        user, *others = classes_within(a, b, some, claim.arrays, *blocks, users)
        return np.array([user + first, *others])

    return np.hstack(list(_over(fs, wanted, pairs)))


def _over(fs: FingerprintSet, wanted: BoolArray, work: _Work) -> Iterator[IntArray]:
    """Yield the results of ``work`` over slices of users, in order, using all cores."""
    with ThreadPoolExecutor(_THREADS) as pool:
        for users, rows, offsets, samples in stretches(fs):
            n = users.stop - users.start
            cuts = np.linspace(0, n, min(n, 4 * _THREADS) + 1).astype(np.int64).tolist()
            some = People(offsets, samples, wanted[rows])
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
        text = "A person's samples are not all listed as left out, but no record remains."
        faults.add("missing user", text, times=spare)
        return None
    allowed = may_miss if listed is None else 0
    possible = _possible(claim, wanted, allowed, faults)
    if possible is None:
        return None
    most, pairs = possible
    pairs = pairs[:, must[pairs[0]]]
    sizes = claim.records
    if spare > 0:  # a class for users without a record; it costs all their samples
        gone = np.flatnonzero(fs.lengths <= most)
        nobodys = np.array([gone, np.full(len(gone), claim.n_classes), fs.lengths[gone]])
        pairs, sizes = np.hstack([pairs, nobodys]), np.append(sizes, spare)
    # Of users who fit equally well, none may come first because of the input's order: the release
    # would seem to keep that order.
    place = np.random.default_rng(0).permutation(fs.n_users)
    (user, kinds, misses), mixed = pairs, place[pairs[0]]
    home = _by_flow(mixed, kinds, sizes, fs.n_users, int(must.sum()))
    if home is None:
        text = (
            "The published records cannot be assigned to the original people, one to each, so "
            "that every record holds the samples of its person."
        )
        faults.add("no assignment", text)
        return None
    only = len(user) == int(must.sum())
    closest = only or int(sizes[kinds].sum()) <= _MOST_PAIRS
    if not closest and allowed:
        text = (
            "Too many people fit too many records to tell which samples are left out; verify with "
            "the key, or with the list of the samples left out."
        )
        faults.add("undecided", text)
        return None
    if closest and not only:
        kind = np.minimum(kinds, claim.n_classes - 1)
        met = cells_met(user, kind, People(fs.offsets, bounds_of(fs), wanted), claim.arrays)
        met[kinds == claim.n_classes] = 0
        home = _best(mixed, kinds, misses, met, sizes, fs.n_users)
        missed = int(misses[home[mixed] == kinds].sum())
        if missed > allowed:
            text = (
                f"Original samples outside the right records: at least {missed}; stated to be left "
                f"out: {allowed}."
            )
            faults.add("uncovered sample", text)
            return None
    home[home == claim.n_classes] = -1
    user, kinds = user[kinds < claim.n_classes], kinds[kinds < claim.n_classes]
    # If samples may be missed, the assignment that misses fewest need not be the one meeting most.
    most_met = only or (closest and allowed == 0)
    return Fit(home[place], only, most_met, user, kinds)


def _possible(
    claim: Claim, wanted: BoolArray, allowed: int, faults: Faults
) -> tuple[IntArray, Pairs] | None:
    """Return how many samples each user may miss, and the possible pairs; None if impossible."""
    fs = faults.original
    if allowed:
        fewest = _fewest(claim, fs, wanted, allowed)
    else:
        none_missed = _within(claim, fs, wanted, np.zeros(fs.n_users, np.int64))
        fewest = np.bincount(fs.sample_user[wanted], minlength=fs.n_users).clip(0, 1)
        fewest[none_missed[0]] = 0
    loose = allowed - int(fewest.sum())
    if loose >= 0:
        most = fewest + loose
        return most, _within(claim, fs, wanted, most) if allowed else none_missed
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


def _by_flow(
    user: IntArray, kind: IntArray, sizes: IntArray, n_users: int, needed: int
) -> IntArray | None:
    """Assign each user a class, none more often than it has records; return None if impossible."""
    n_classes = len(sizes)
    users = np.unique(user)
    if len(users) < needed:
        return None
    source, sink = n_users + n_classes, n_users + n_classes + 1
    rows = np.concatenate([np.full(len(users), source), user, n_users + np.arange(n_classes)])
    columns = np.concatenate([users, n_users + kind, np.full(n_classes, sink)])
    room = np.concatenate([np.ones(len(users) + len(user), np.int64), sizes])
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


def _best(
    user: IntArray, kind: IntArray, misses: IntArray, met: IntArray, sizes: IntArray, n_users: int
) -> IntArray:
    """Return the assignment with the fewest missed samples and then the most cells met.

    A cell is met if it holds a sample of the person to whom its record is assigned. So a release is
    not refused merely because people are assigned each other's records.
    """
    copies = sizes[kind]
    slot = offsets_of(sizes)
    columns = rows_of(slot[kind], copies)
    most = float(met.max()) + 1.0
    cost = misses * (most * n_users) + (most - met)  # above 0: a zero would be no edge
    users, at = np.unique(np.repeat(user, copies), return_inverse=True)
    graph = csr_array((np.repeat(cost, copies), (at, columns)), shape=(len(users), int(slot[-1])))
    chosen, records = min_weight_full_bipartite_matching(graph)
    out = np.full(n_users, -1, np.int64)
    out[users[chosen]] = np.searchsorted(slot, records, side="right") - 1
    return out
