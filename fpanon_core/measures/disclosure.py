"""What does an outsider learn, not only whom they find? Disclosure (science.md §8, TRADE ch. 4).

Who knows some bins A_i of a target has narrowed the release down to the class E_i. Even where many
are left in it, they may have been together elsewhere, and then the outsider has learnt where the
target was. Knowing A_i changes the probability that the target was in bin j from |D_j|/n to
|E_ij|/|E_i|; EM-disclosure is the difference of the two, KL-disclosure the divergence. The baseline
is an outsider who knows nothing: k = 1/n, EM = KL = 0.

A class visits few of the bins. All others contribute |D_j|/n to EM and −ln(1 − |D_j|/n) to KL,
which add up once for everybody: the work is in the members' own samples, or, for classes of most
users, in everybody else's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, LocalEngine, Progress
from ..kernels.disclosure import disclose
from ..model.configs import whole
from ..model.disclosure import DisclosureResult
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge
from ..model.ragged import offsets_of
from .bins import Presence, presence
from .matching import Index, part
from .unicity import wilson_interval

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

__all__ = ["DisclosureResult", "disclosure"]

# The data's bins are cut into as many ranges, each the work of one thread, whatever their number:
# every sum is then made of the same parts in the same order on every machine.
_RANGES = 32
_MEMBERS_A_ROUND = 1 << 24
_INDEX_SHARE, _CLASSES_SHARE = 0.35, 0.4  # of the progress


def disclosure(
    fs: FingerprintSet,
    knowledge: Knowledge,
    *,
    n_bins: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> DisclosureResult:
    """Unicity, k-, EM- and KL-disclosure: overall, of every target, of every bin.

    Users are *subscribers*: a fingerprint that stands for several counts as so many identical users
    in n, |D_j|, |E_i| and |E_ij|.

    Parameters
    ----------
    fs : FingerprintSet
        The release. Its distinct bins (corner and extent) are the columns of D.
    knowledge : Knowledge
        Drawn from ``fs``, or from other data on the same cells. Of places known without time
        (``"top"``), E_i are those who were at all of them, whenever; D is of bins as ever.
    n_bins : int, optional
        d, the bins to take means over; the distinct bins of ``fs`` when None. More are bins in
        which nobody ever was, such as the fifth of TRADE's table 4.1: nothing can be learnt of
        them, and they only lower the means.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DisclosureResult

    Raises
    ------
    ConfigError
        ``n_bins`` is smaller than the number of distinct bins.
    InfeasibleError
        Nobody fits what is known of some target, which can be when the knowledge comes from other
        data: the measures are then undefined.

    Notes
    -----
    With t the targets, n the users, d the bins (TRADE eq. 4.2–4.7, 4.19)::

        k     = (1/|t|)·Σ_i 1/|E_i|
        EM_ij = | |E_ij|/|E_i| − |D_j|/n |
        KL_ij = Σ_{x∈{0,1}} P(X_ij = x|A_i)·ln(P(X_ij = x|A_i) / P(X_ij = x))

    Per user they are means over the bins, per bin over the targets, overall over both.

    Examples
    --------
    TRADE's table 4.1: four people, and five bins, in the last of which nobody was.

    >>> seen = [(1, 1), (1, 3), (2, 1), (2, 3), (2, 4), (3, 3), (3, 4), (4, 2), (4, 4)]
    >>> user, t = zip(*seen)
    >>> fs = FingerprintSet.from_samples(user, [0] * 9, [0] * 9, t)
    >>> known = {0: [3], 1: [1], 2: [4], 3: [2, 4]}
    >>> bins = {user: [(0, 0, t) for t in minutes] for user, minutes in known.items()}
    >>> result = disclosure(fs, Knowledge.from_bins(fs, bins), n_bins=5)
    >>> result.sizes.tolist(), result.unicity, round(result.k_disclosure, 4)
    ([3, 2, 3, 1], 0.25, 0.5417)
    >>> float(result.em_user[1])
    0.25
    """
    engine = engine or LocalEngine()
    if n_bins is not None:
        n_bins = whole("n_bins", n_bins, 1)
    half = _INDEX_SHARE / 2
    seen = presence(fs, engine, part(progress, 0.0, half))
    d = len(seen.users) if n_bins is None else n_bins
    if d < len(seen.users):
        raise ConfigError(
            f"n_bins = {d}, but the data have {len(seen.users)} distinct bins; give as many or "
            "more, or leave it out."
        )
    index = Index(fs, [knowledge], engine, part(progress, half, _INDEX_SHARE))
    classes = _classes(fs, index, seen, engine, part(progress, _INDEX_SHARE, _CLASSES_SHARE))
    n_users, n_targets = int(fs.weight.sum()), knowledge.n_targets
    share = seen.users / n_users
    with np.errstate(divide="ignore"):
        absent = -np.log1p(-share)
    absent[seen.users == n_users] = 0.0  # no class can miss a bin in which everybody was
    totals = _accounted(
        fs, index, seen, classes, absent, engine, part(progress, _CLASSES_SHARE, 1.0)
    )
    sizes = classes.sizes[classes.of_target]
    unseen = n_targets - totals.seen
    em_user = (totals.em_user / d)[classes.of_target]
    kl_user = (totals.kl_user / d)[classes.of_target]
    unique = int((sizes == 1).sum())
    low, high = wilson_interval(unique, n_targets)
    return DisclosureResult(
        unicity=unique / n_targets,
        unicity_low=low,
        unicity_high=high,
        k_disclosure=math.fsum(1.0 / sizes) / n_targets,
        em=math.fsum(em_user) / n_targets,
        kl=math.fsum(kl_user) / n_targets,
        sizes=sizes,
        em_user=em_user,
        kl_user=kl_user,
        em_bin=(totals.em_bin + unseen * share) / n_targets,
        kl_bin=(totals.kl_bin + unseen * absent) / n_targets,
        targets=knowledge.targets,
        bin_users=seen.users,
        too_few=knowledge.too_few,
        n_users=n_users,
        n_bins=d,
        config=knowledge.config,
        digest=knowledge.digest,
        **seen.corners,
    )


@dataclass(frozen=True, eq=False)
class _Classes:
    """The distinct classes: of whom the same is known, it is the same class.

    ``targets[c]`` is a target of class c, ``of_target`` the class of each target, ``times`` how
    many targets a class has. ``many`` are the fingerprints to go through: the members where
    ``inside``, or everybody else where those have fewer samples.
    """

    targets: IntArray
    of_target: IntArray
    times: IntArray
    sizes: IntArray
    inside: npt.NDArray[np.bool_]
    many: IntArray


def _classes(
    fs: FingerprintSet, index: Index, seen: Presence, engine: Engine, progress: Progress | None
) -> _Classes:
    numbers: dict[bytes, int] = {}
    ends = zip(index.offsets[:-1].tolist(), index.offsets[1:].tolist(), strict=True)
    known = (np.unique(index.number[begin:end]).tobytes() for begin, end in ends)
    of_target = np.array([numbers.setdefault(bins, len(numbers)) for bins in known])
    targets = np.unique(of_target, return_index=True)[1]
    each = np.stack([fs.weight, np.ones_like(seen.lengths), seen.lengths])
    sizes, many, samples = index.sums(targets, each, engine, progress)
    empty = int((sizes[of_target] == 0).sum())
    if empty:
        raise InfeasibleError(
            f"Nobody fits what is known of {empty} of the {len(of_target)} targets, so that what "
            "an outsider learns of them is undefined; draw the knowledge from the data that are "
            "searched."
        )
    # Going through everybody else costs their samples, and a look at every bin.
    inside = samples <= int(seen.lengths.sum()) - samples + len(seen.users)
    return _Classes(
        targets=targets,
        of_target=of_target,
        times=np.bincount(of_target),
        sizes=sizes,
        inside=inside,
        many=np.where(inside, many, fs.n_users - many),
    )


@dataclass(frozen=True, eq=False)
class _Totals:
    """Of each class, sums over the bins; of each bin, sums over the targets whose class saw it."""

    em_user: FloatArray
    kl_user: FloatArray
    em_bin: FloatArray
    kl_bin: FloatArray
    seen: IntArray


def _accounted(
    fs: FingerprintSet, index: Index, seen: Presence, classes: _Classes, absent: FloatArray,
    engine: Engine, progress: Progress | None,
) -> _Totals:  # fmt: skip
    n_users, n_classes = int(fs.weight.sum()), len(classes.targets)
    cuts = _ranges(seen.users)
    present_sums = [int(seen.users[a:b].sum()) for a, b in cuts]
    absent_sums = [float(absent[a:b].sum()) for a, b in cuts]
    gains, kls = np.zeros(n_classes, np.int64), np.zeros(n_classes)
    em_bin, kl_bin = np.zeros((2, len(seen.users)))
    seen_by = np.zeros(len(seen.users), np.int64)
    # Each class costs its members, and its sums over each range.
    work = np.cumsum(classes.many + 4 * _RANGES)
    rounds = np.split(np.arange(n_classes), np.flatnonzero(np.diff(work // _MEMBERS_A_ROUND)) + 1)
    for some in rounds:
        begun = float(work[some[0] - 1]) if some[0] else 0.0
        share = part(progress, begun / float(work[-1]), float(work[some[-1]] / work[-1]))
        inside = classes.inside[some]
        starts, members = index.members(
            classes.targets[some], inside, classes.many[some], engine, part(share, 0.0, 0.2)
        )
        gain_parts = np.zeros((len(cuts), len(some)), np.int64)
        kl_parts = np.zeros((len(cuts), len(some)))

        def block(
            r: int, some: IntArray = some, inside: npt.NDArray[np.bool_] = inside,
            starts: IntArray = starts, members: npt.NDArray[np.int32] = members,
            gain_parts: IntArray = gain_parts, kl_parts: FloatArray = kl_parts,
        ) -> float:  # fmt: skip
            disclose(
                *cuts[r], seen.offsets, seen.lengths, seen.bins, fs.weight, n_users, seen.users,
                present_sums[r], absent, absent_sums[r], classes.sizes[some], classes.times[some],
                inside, starts, members, gain_parts[r], kl_parts[r], em_bin, kl_bin, seen_by,
            )  # fmt: skip
            return 1.0

        engine.run(block, range(len(cuts)), len(cuts), part(share, 0.2, 1.0))
        gains[some], kls[some] = gain_parts.sum(axis=0), kl_parts.sum(axis=0)
    return _Totals(gains / (classes.sizes * n_users), kls, em_bin, kl_bin, seen_by)


def _ranges(users: IntArray) -> list[tuple[int, int]]:
    """Cuts through the bins into ranges with about as many presences in each."""
    upto = np.cumsum(users)
    ends = np.searchsorted(upto, upto[-1] * (np.arange(_RANGES) + 1) // _RANGES, side="left") + 1
    edges = offsets_of(np.diff(np.unique(np.append(0, ends))))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
