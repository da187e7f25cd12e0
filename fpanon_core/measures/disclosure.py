"""Disclosure: what an attacker learns about a target, even without picking one record.

An attacker who knows some bins A_i of target i can narrow the n users of a release down to the
class E_i: the users whose records hold A_i. Even if many people are left in the class, they may all
have been together at another place. The attacker then learns that the target was also there. D_j is
the set of users who were in bin j, and E_ij the members of the class who were there. Knowing A_i
changes the probability that the target was in bin j from |D_j|/n to |E_ij|/|E_i|. EM-disclosure is
the difference between the two probabilities, KL-disclosure the divergence. The baseline is an
attacker who knows nothing: k = 1/n, EM = KL = 0.

The members of a class were in few of the bins. Every other bin contributes |D_j|/n to EM and
−ln(1 − |D_j|/n) to KL; the sums of these terms are computed once for all classes. What remains is
to go through the samples of the class's members. For a class with most of the users, samples of all
other users are used instead.

Source: Noriega Campero 2015, ch. 4; docs/science.md, “Disclosure”.

The matrix D has a row for each user and a column for each bin, and marks who was in which bin. It
is never built: each user's bins are an ascending list of numbers.

Source: docs/science.md, “Disclosure”.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress, part
from ..kernels import disclosure_sums as kernel
from ..kernels.unicity_index import enter_bins
from ..model.arrays import CELL, BoolArray, FloatArray, IntArray, SmallInts, offsets_of, rows_of
from ..model.checks import whole
from ..model.disclosure import DisclosureResult
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.intervals import wilson_interval
from ..model.knowledge import Knowledge
from .crowds import alike
from .matching import Index, anonymity_sets, bits, by_targets

__all__ = ["DisclosureResult", "disclosure"]

# The work of a round is cut into the same number of parts on every machine, so that every sum adds
# the same terms in the same order. Many bins are cut into ranges; with few bins, the classes are
# cut into runs, each with its own sums per bin.
_PARTS = 32
_BINS_A_RANGE = 1 << 16
_MEMBERS_A_ROUND = 1 << 24
_INDEX_SHARE, _CLASSES_SHARE = 0.35, 0.4  # of the progress
_MEMBERS_SHARE = 0.2  # of a round's progress


def disclosure(
    fs: FingerprintSet,
    knowledge: Knowledge,
    *,
    n_bins: int | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> DisclosureResult:
    """Compute unicity and k-disclosure, and EM- and KL-disclosure overall, per target and per bin.

    A fingerprint that stands for several people counts as that many identical users in n, |D_j|,
    |E_i| and |E_ij|.

    Parameters
    ----------
    fs : FingerprintSet
        The release. Its distinct bins (corner and extent) are the columns of D.
    knowledge : Knowledge
        Knowledge drawn from ``fs``, or from other data on the same cells. For places known without
        time (``"top"``), E_i holds the users who were at all these places, at any time. D still has
        bins of place and time.
    n_bins : int, optional
        d, the number of bins to take means over; the number of distinct bins of ``fs`` when None.
        Additional bins are bins without any visit, such as the fifth bin of the example below. They
        reveal nothing, and only lower the means.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DisclosureResult

    Raises
    ------
    ConfigError
        ``n_bins`` is given, but is not an integer, or is smaller than the number of distinct bins.
    InfeasibleError
        Nobody fits the knowledge about a target, which can happen if the knowledge comes from other
        data. The measures are then undefined.

    Notes
    -----
    Let t be the targets, n the number of users and d the number of bins (Noriega Campero 2015, eq.
    4.2–4.7, 4.19)::

        k     = (1/|t|)·Σ_i 1/|E_i|
        EM_ij = | |E_ij|/|E_i| − |D_j|/n |
        KL_ij = Σ_{x∈{0,1}} P(X_ij = x|A_i)·ln(P(X_ij = x|A_i) / P(X_ij = x))

    Measures of a user are means over the bins; measures of a bin are means over the targets.
    Overall measures are means over both. ``em_sum`` and ``kl_sum`` are sums over the bins, averaged
    over the targets.

    Examples
    --------
    Table 4.1 of Noriega Campero 2015: four people and five bins; nobody was in the last bin.

    >>> seen = [(1, 1), (1, 3), (2, 1), (2, 3), (2, 4), (3, 3), (3, 4), (4, 2), (4, 4)]
    >>> user, t = zip(*seen)
    >>> fs = FingerprintSet.from_samples(user, [0] * 9, [0] * 9, t)
    >>> known = {0: [3], 1: [1], 2: [4], 3: [2, 4]}
    >>> bins = {user: [(0, 0, t) for t in minutes] for user, minutes in known.items()}
    >>> result = disclosure(fs, Knowledge.from_bins(fs, bins), n_bins=5)
    >>> result.sizes.tolist(), result.unicity, round(result.k_disclosure, 4)
    ([3, 2, 3, 1], 0.25, 0.5417)
    >>> float(result.em_user[1]), float(result.em_sum_user[1])
    (0.25, 1.25)
    """
    engine = engine or LocalEngine()
    if n_bins is not None:
        n_bins = whole("n_bins", n_bins, 1)
    if engine.apart:
        return _disclosure_apart(fs, knowledge, n_bins, engine, progress)
    half = _INDEX_SHARE / 2
    seen = presence(fs, engine, part(progress, 0.0, half))
    d = n_bins or len(seen.users)
    if d < len(seen.users):
        raise ConfigError(
            f"n_bins = {d}, but the data have {len(seen.users)} distinct bins; give at least that "
            "many, or leave n_bins out."
        )
    index = Index(fs, [knowledge], engine, part(progress, half, _INDEX_SHARE))
    classes = _classes(fs, index, seen, engine, part(progress, _INDEX_SHARE, _CLASSES_SHARE))
    n_users, n_targets = int(fs.weight.sum()), knowledge.n_targets
    share = seen.users / n_users
    with np.errstate(divide="ignore"):
        absent = -np.log1p(-share)
    absent[seen.users == n_users] = 0.0  # no class can miss a bin in which everybody was
    counting = part(progress, _CLASSES_SHARE, 1.0)
    of_class, of_bin = _entered(fs.weight, index, seen, classes, absent, engine, counting)
    em, kl = (sums[classes.of_target] for sums in of_class)
    em_bin, kl_bin, seen_by = of_bin
    unseen = n_targets - seen_by
    em_most, kl_most = _most(seen, share, absent)
    return _result(
        fs,
        knowledge,
        classes.sizes[classes.of_target],
        em_user=em / d,
        kl_user=kl / d,
        em_sum_user=em,
        kl_sum_user=kl,
        # Sums of rounded terms: rounding must not bring a bound below what it bounds.
        em_most=max(em_most, float(em.max())),
        kl_most=max(kl_most, float(kl.max())),
        em_bin=(em_bin + unseen * share) / n_targets,
        kl_bin=(kl_bin + unseen * absent) / n_targets,
        bin_users=seen.users,
        n_bins=d,
        **seen.corners,
    )


def _result(
    fs: FingerprintSet, knowledge: Knowledge, sizes: IntArray, **found: Any
) -> DisclosureResult:
    """Return the result with all values derived from what is found for each target."""
    unique, n_targets = int((sizes == 1).sum()), len(sizes)
    low, high = wilson_interval(unique, n_targets)
    means = ("em", "kl", "em_sum", "kl_sum")
    found |= {name: math.fsum(found[f"{name}_user"]) / n_targets for name in means}
    config = knowledge.config
    everything = knowledge.too_few == n_targets
    determined = config is not None and (config.strategy == "top" or everything)
    n_users = int(fs.weight.sum())
    return DisclosureResult(
        unicity=unique / n_targets,
        unicity_low=low,
        unicity_high=high,
        k_disclosure=math.fsum(1.0 / sizes) / n_targets,
        sizes=sizes,
        # Whether another seed could give other targets, or other known points.
        drawn=not (n_targets == n_users and determined),
        targets=knowledge.targets,
        too_few=knowledge.too_few,
        n_users=n_users,
        config=config,
        digest=knowledge.digest,
        **found,
    )


def _disclosure_apart(
    fs: FingerprintSet, knowledge: Knowledge, n_bins: int | None, engine: Engine, progress: Progress
) -> DisclosureResult:
    """Compute disclosure with workers that share no memory, each for some of the targets."""
    sizes = anonymity_sets(fs, knowledge, engine=engine, progress=part(progress, 0.0, 0.2))
    _check_sizes(sizes)
    told = part(progress, 0.2, 1.0)
    parts = by_targets(disclosure, fs, knowledge, engine, told, n_bins=n_bins)
    alike_in_all = (*CELL, "bin_users", "n_bins")
    found: dict[str, Any] = {name: getattr(parts[0], name) for name in alike_in_all}
    for name in ("em", "kl"):
        found[f"{name}_most"] = max(getattr(each, f"{name}_most") for each in parts)
        # Means over the targets of each part are combined into a mean over all targets.
        means = [len(each.sizes) * getattr(each, f"{name}_bin") for each in parts]
        found[f"{name}_bin"] = sum(means) / len(sizes)
        for users in (f"{name}_user", f"{name}_sum_user"):
            found[users] = np.concatenate([getattr(each, users) for each in parts])
    return _result(fs, knowledge, sizes, **found)


def _check_sizes(sizes: IntArray) -> None:
    """Raise an InfeasibleError if nobody fits the knowledge about a target."""
    empty = int((sizes == 0).sum())
    if empty:
        raise InfeasibleError(
            f"Nobody fits what is known about {empty} of the {len(sizes)} targets, so disclosure "
            "is undefined; draw the knowledge from the data that are searched."
        )


def _most(seen: Presence, share: FloatArray, absent: FloatArray) -> tuple[float, float]:
    """Return upper bounds on the sums of EM and of KL over the bins, for any class.

    Let p and q be the shares of the class, and of all users, who were in a bin. Then ``|p − q| ≤
    p·(1 − q) + (1 − p)·q ≤ p·(1 − q) + q``, and ``KL ≤ −p·ln q − ln(1 − q)``. Summed over the bins,
    the terms with the factor p are a mean, over the members, of a sum over each member's own bins.
    This mean is at most the largest sum of any user.
    """
    own = seen.bins[rows_of(seen.offsets[:-1], seen.lengths)]
    firsts = offsets_of(seen.lengths)[:-1]
    terms = 1 - share, -np.log(share)
    of_user = (float(np.add.reduceat(each[own], firsts).max()) for each in terms)
    return next(of_user) + math.fsum(share), next(of_user) + math.fsum(absent)


@dataclass(frozen=True, eq=False)
class _Classes:
    """Distinct classes; targets with the same knowledge share a class.

    ``targets[c]`` is a target of class c, ``of_target`` the class of each target, and ``times`` the
    number of targets of each class. ``many`` is the number of fingerprints to go through: the
    members if ``inside``, otherwise everybody else, which is then less work.
    """

    targets: IntArray
    of_target: IntArray
    times: IntArray
    sizes: IntArray
    inside: BoolArray
    many: IntArray


def _classes(
    fs: FingerprintSet, index: Index, seen: Presence, engine: Engine, progress: Progress
) -> _Classes:
    of_target = alike(index.lists.number, index.lists.offsets)
    targets = np.unique(of_target, return_index=True)[1]
    each = np.stack([fs.weight, np.ones_like(seen.lengths), seen.lengths])
    sizes, many, samples = index.sums(targets, each, engine, progress)
    _check_sizes(sizes[of_target])
    # Going through everybody else costs their samples, and a look at every bin.
    inside = samples <= int(seen.lengths.sum()) - samples + len(seen.users)
    many = np.where(inside, many, fs.n_users - many)
    return _Classes(targets, of_target, np.bincount(of_target), sizes, inside, many)


def _entered(
    weight: IntArray,
    index: Index,
    seen: Presence,
    classes: _Classes,
    absent: FloatArray,
    engine: Engine,
    progress: Progress,
) -> tuple[tuple[FloatArray, FloatArray], Iterator[Any]]:
    """Return the sums of EM and KL over the bins for each class, and over targets for each bin.

    The sums for a bin cover only the targets whose class has a member in the bin. The number of
    these targets is returned, too.
    """
    n_users, n_bins = int(weight.sum()), len(seen.users)
    ranges = _cuts(seen.users, min(_PARTS, max(1, n_bins // _BINS_A_RANGE)))
    n_runs = _PARTS // len(ranges)
    em_bin, kl_bin = np.zeros((2, n_runs, n_bins))
    per_bin = em_bin, kl_bin, np.zeros((n_runs, n_bins), np.int64)
    traces = kernel.Traces(seen.offsets, seen.lengths, seen.bins, weight)
    everybody = [
        kernel.Everybody(
            n_users, seen.users, int(seen.users[a:b].sum()), absent, float(absent[a:b].sum())
        )
        for a, b in ranges
    ]
    cost = classes.many + 64  # a class costs its number of members, plus a constant
    em, kl = np.zeros(len(cost), np.int64), np.zeros(len(cost))

    def enter(some: IntArray, progress: Progress) -> None:
        """Process one round: some classes whose members fit in memory at once."""
        inside, told = classes.inside[some], part(progress, 0.0, _MEMBERS_SHARE)
        listed = index.members(classes.targets[some], inside, classes.many[some], engine, told)
        of_round = kernel.Classes(classes.sizes[some], classes.times[some], inside, *listed)
        gains = np.zeros((len(ranges), len(some)), np.int64)
        kls = np.zeros(gains.shape)

        def block(at: tuple[int, int, tuple[int, int]]) -> float:
            r, run, ends = at
            sums = kernel.Sums(gains[r], kls[r], *(each[run] for each in per_bin))
            kernel.disclose(*ranges[r], *ends, traces, everybody[r], of_round, sums)
            return 1.0

        runs = list(enumerate(_cuts(cost[some], n_runs)))
        parts = [(r, run, ends) for r in range(len(ranges)) for run, ends in runs]
        engine.run(block, parts, len(parts), part(progress, _MEMBERS_SHARE, 1.0))
        em[some], kl[some] = gains.sum(axis=0), kls.sum(axis=0)

    upto = np.cumsum(cost)
    cuts = np.flatnonzero(np.diff(upto // _MEMBERS_A_ROUND)) + 1
    for some in np.split(np.arange(len(cost)), cuts):
        done = (upto[some[[0, -1]]] - [cost[some[0]], 0]) / upto[-1]
        enter(some, part(progress, float(done[0]), float(done[1])))
    return (em / (classes.sizes * n_users), kl), (each.sum(axis=0) for each in per_bin)


def _cuts(costs: IntArray, n: int) -> list[tuple[int, int]]:
    """Return at most ``n`` ranges of about equal cost that together cover all of ``costs``."""
    upto = np.cumsum(costs)
    edges = np.searchsorted(upto, upto[-1] * np.arange(1, n) // n) + 1
    edges = np.unique(np.concatenate([[0], edges, [len(costs)]]))
    return list(pairwise(edges.tolist()))


_USERS_A_BLOCK = 4096
_SORTED_BY = ("dy_m", "dx_m", "dt_min", "y_m", "x_m", "t_min")  # last key first, as in lexsort


@dataclass(frozen=True, eq=False)
class Presence:
    """Distinct bins in order of time, then x, then y (then extent), and the users in them.

    Attributes
    ----------
    corners : dict of str to float64 ndarray (n_bins,)
        ``x_m``, ``y_m``, ``t_min``, ``dx_m``, ``dy_m``, ``dt_min``.
    offsets, lengths : int64 ndarray (n_users + 1,), (n_users,)
        Offsets of the users in ``bins``, and each user's number of distinct bins.
    bins : int32 ndarray (n_samples,)
        User u was in ``bins[offsets[u]:offsets[u] + lengths[u]]``, ascending and distinct.
    users : int64 ndarray (n_bins,)
        |D_j|: number of people in each bin; a fingerprint counts for all people it stands for.
    """

    corners: dict[str, FloatArray]
    offsets: IntArray
    lengths: IntArray
    bins: SmallInts
    users: IntArray


def presence(fs: FingerprintSet, engine: Engine, progress: Progress = None) -> Presence:
    """Number the distinct bins, list the distinct bins of each user, and count each bin's users."""
    columns = bits(*fs.arrays().values())
    table = np.full(1 << max(4, (2 * fs.n_samples).bit_length()), -1, np.int32)
    first, number = np.empty(fs.n_samples, np.int64), np.empty(fs.n_samples, np.int32)
    n_bins = enter_bins(columns, False, table, first, number)
    del table
    corners = {name: values[first[:n_bins]] + 0.0 for name, values in fs.arrays().items()}
    del first
    order = np.lexsort(
        [column for name in _SORTED_BY if np.ptp(column := corners[name]) > 0] or [corners["t_min"]]
    )
    corners = {name: column[order] for name, column in corners.items()}
    rank = np.empty(n_bins, np.int32)
    rank[order] = np.arange(n_bins, dtype=np.int32)
    number = rank[number]
    lengths = np.empty(fs.n_users, np.int64)
    given = fs.offsets, number, lengths
    fill(engine, fs.n_users, _USERS_A_BLOCK, kernel.sort_traces, *given, progress=progress)
    users = np.zeros(n_bins, np.int64)
    kernel.count_present(fs.offsets, lengths, number, fs.weight, users)
    return Presence(corners, fs.offsets, lengths, number, users)
