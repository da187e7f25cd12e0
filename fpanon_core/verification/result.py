"""A result of GLOVE, as it is checked: with everything that it says of itself."""

from __future__ import annotations

import math

import numpy as np

from ..model.arrays import FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import MOST_LEFT_OUT
from .claim import Claim, bounds_of, by_start, contents
from .faults import Faults


def same_pieces(result: GloveResult, faults: Faults) -> bool:
    """Whether a result in periods is about the pieces of the original, which it puts in its order.

    A result of whole fingerprints, given pieces, may hide a person among the person's own pieces.
    """
    if faults.cut is None:
        return True
    person, period = result.person, result.period
    if result.period_days is None or person is None or period is None:
        faults.add("period", "The original is in periods, and the result does not keep them apart.")
        return False
    given = faults.cut
    if faults.of_whole:
        found = given.in_order(np.asarray(person), np.asarray(period))
        if found is not None:
            faults.cut, faults.original = found, found.fs
            return True
    elif np.array_equal(person, given.person) and np.array_equal(period, given.period):
        return True
    faults.add("period", "The pieces of the result are not those of the original, one by one.")
    return False


def claim_of(result: GloveResult, faults: Faults) -> Claim | None:
    """The release in a result; None, with a fault, where it cannot be looked at."""
    p = result.published
    original = faults.original
    group = np.asarray(result.group, np.int64)
    if len(group) != original.n_users:
        text = f"The result has {len(group)} users, the original {original.n_users}."
        faults.add("missing user", text)
        return None
    if len(group) and not (group.min() >= -1 and group.max() < p.n_groups):
        faults.add("unknown group", "A user is in a group of which nothing is published.")
        return None
    said_of_itself(result, faults)
    members = np.zeros(p.n_groups, np.int64)
    np.add.at(members, group[group >= 0], original.weight[group >= 0])
    for g in np.flatnonzero(members != p.n_users).tolist():
        text = f"Group {g} is said to have {p.n_users[g]} users and has {members[g]}."
        faults.add("group size", text, group=g)
    cells = bounds_of(p)
    for g in range(p.n_groups):
        cells[p.rows_of(g)] = by_start(cells[p.rows_of(g)])
    offsets = np.asarray(p.offsets)
    return Claim(
        cells=cells,
        first=offsets[:-1],
        last=offsets[1:],
        label=np.arange(p.n_groups),
        content=contents([cells[p.rows_of(g)] for g in range(p.n_groups)]),
        records=np.bincount(group[group >= 0], minlength=p.n_groups).astype(np.int64),
        home=group,
    )


def said_of_itself(result: GloveResult, faults: Faults) -> None:
    """Digest, pseudonyms, weights, projection, clock and granularity are those of the original."""
    original, p = faults.original, result.published
    # The names of pieces are drawn, and are in their digest: cut anew, they have another.
    digest = result.whole_digest if faults.of_whole else result.digest
    if digest != (faults.whole_digest if faults.of_whole else original.digest):
        faults.add("digest", "The result was made from other data: its digest is another.")
    number = np.arange(1, original.n_users + 1) if faults.of_whole else original.number
    if not np.array_equal(result.number, number):
        text = "The numbers behind the pseudonyms are not, one by one, those of the original."
        faults.add("pseudonym", text)
    if not np.array_equal(result.weight, original.weight):
        faults.add("weight", "The users' weights are not those of the original.")
    if p.crs != original.crs:
        faults.add("projection", "The map projection is not that of the original.")
    if p.clock != original.clock:
        faults.add("clock", "First day or time zone are not those of the original.")
    if (p.granularity_m, p.granularity_min) != (original.granularity_m, original.granularity_min):
        faults.add("granularity", "The granularity is not that of the original.")
    if result.k < faults.k:
        text = f"The result was made for k = {result.k}, fewer than {faults.k}."
        faults.add("stated k", text)


def check_left_out(result: GloveResult, faults: Faults) -> None:
    """Limits, reasons and left-over users go together, and with the data.

    A reason is a limit only where that limit is stated and the samples of the user's group, taken
    together, exceed it: no cell of them could be so wide, or so long, otherwise.
    """
    fs = faults.original
    limits = {"space": result.suppress_space_m, "time": result.suppress_time_min}
    for limit in limits.values():
        if limit is not None and not (math.isfinite(limit) and limit > 0):
            faults.add("limit", "A limit is no positive number.")
    if result.leftover not in ("merge", "suppress"):
        faults.add("left over", "What becomes of left-over users is neither of the two ways.")
    left = np.asarray(result.left_over, np.int64)
    possible = (left >= 0) & (left < fs.n_users)
    most = len(left)
    if faults.cut is not None and possible.all() and len(left):
        most = int(np.bincount(faults.cut.period[left]).max())
    # Where they are merged, each shard has some of its own; else those of all shards hide together.
    # A shard is of 10 crowds of k at least, so that a result cannot say that it has many.
    shards = min(int(result.shards), fs.n_users // (10 * max(result.k, 1)))
    shards = max(1, shards) if result.leftover == "merge" else 1
    most = -(-most // shards)
    if not possible.all() or len(np.unique(left)) < len(left) or most >= max(result.k, 1):
        faults.add("left over", "The left-over users are none of the original, or too many.")
    left = left[possible]
    if result.leftover == "suppress" and (np.asarray(result.group)[left] >= 0).any():
        faults.add("left over", "A left-over user is published, and is said to be left out.")
    stated = result.suppressed
    if not {"user", "sample", "reason"} <= set(stated.columns):
        faults.add("reason", "The samples listed as suppressed have no user, row or reason.")
        return
    user = stated["user"].to_numpy(np.int64)
    known = (user >= 0) & (user < fs.n_users)
    user, reason = user[known], stated["reason"].to_numpy(object)[known]
    over = reason == "left over"
    if over.any() and (result.leftover != "suppress" or not np.isin(user[over], left).all()):
        faults.add("reason", "A sample is listed as left over, and its user is not.")
    _check_hardest(result, user[reason == "hardest to hide"], faults)
    sparse = reason == "period of fewer than k"
    if sparse.any():
        period = np.zeros(fs.n_users, np.int64) if faults.cut is None else faults.cut.period
        people = np.bincount(period, fs.weight)
        if faults.cut is None or (people[period[user[sparse]]] >= result.k).any():
            text = "Samples are listed as of a period of too few people, and there are enough."
            faults.add("reason", text)
    if (reason == "fewer than k").any() and all(limit is None for limit in limits.values()):
        faults.add("reason", "Samples are listed as of too few people, but no limit is stated.")
    side, span = _extents(result, fs)
    for what, extent, limit in (("space", side, limits["space"]), ("time", span, limits["time"])):
        of = np.array([isinstance(each, str) and what in each for each in reason], bool)
        if not of.any():
            continue
        if limit is None:
            faults.add("reason", f"Samples are listed as beyond a limit in {what}; none is stated.")
        elif (extent[user[of]] <= limit).any():
            text = f"Samples are listed as beyond the limit in {what}, and no cell could be."
            faults.add("reason", text)


def _check_hardest(result: GloveResult, listed: IntArray, faults: Faults) -> None:
    """Those hardest to hide are at most the share stated, are not published, and are listed."""
    fs, share = faults.original, result.leave_out
    out = np.asarray(result.left_out, np.int64)
    possible = (out >= 0) & (out < fs.n_users)
    if not (math.isfinite(share) and 0 <= share <= MOST_LEFT_OUT):
        faults.add("left out", "The share of the people that may be left out is none.")
    else:
        # In periods: of each.
        of = np.zeros(fs.n_users, np.int64) if faults.cut is None else faults.cut.period
        people = np.bincount(of, fs.weight)
        gone = np.bincount(of[out[possible]], fs.weight[out[possible]], len(people))
        if not possible.all() or (gone > share * people + 1e-6).any():
            faults.add("left out", "More people are left out as hardest to hide than is stated.")
    out = out[possible]
    if len(np.unique(out)) < len(out) or (np.asarray(result.group)[out] >= 0).any():
        faults.add("left out", "A user left out as hardest to hide is published, or listed twice.")
    if not np.array_equal(np.unique(listed), np.unique(out)):
        text = "Those whose samples are listed as hardest to hide are not those left out."
        faults.add("reason", text)


def _extents(result: GloveResult, fs: FingerprintSet) -> tuple[FloatArray, FloatArray]:
    """Of each user: side and span of all samples of the user's group; of all where it is none."""
    group = np.asarray(result.group, np.int64)
    of = np.where(group < 0, group.max(initial=-1) + 1, group)[fs.sample_user]
    ends = []
    for low, extent in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m), (fs.t_min, fs.dt_min)):
        first, last = np.full(of.max() + 1, np.inf), np.full(of.max() + 1, -np.inf)
        np.minimum.at(first, of, low)
        np.maximum.at(last, of, low + extent)
        width = last - first
        # Whoever is in no group may have been in one with anybody.
        ends.append(np.where(group < 0, (low + extent).max() - low.min(), width[group]))
    return (ends[0] + ends[1]) / 2, ends[2]
