"""What it costs a group that somebody comes in, in place of a member or of nobody.

The best blocks of a group that is not there yet would have to be found anew for every step that
anybody might take. Here they are looked for among few cuts: those at which the group's best blocks
begin now, or would without any one of its members. Between these cuts the samples of the members,
and of the newcomer, are each one box. The cost is that of blocks that can be published, so never
too low: a step gains as much as is said of it, or more. The losses of groups that are there are
exact, always (:func:`weigh`).

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .aligned_blocks import Bench, Boxes, bench_for, lay_out, least_loss, loss_of
from .aligned_groups import OUT, Groups, Steps


class Cuts(NamedTuple):
    """For each group the moments, ascending, at which blocks may begin; ``used`` of a row count."""

    used: IntArray
    moment: FloatArray


class Pairs(NamedTuple):
    """Whose steps into which groups are to be priced; those of user a are first[a] … first[a+1].

    ``cost`` has a column for a step in nobody's place, then one for each member; infinity where
    there is none to be considered.
    """

    first: IntArray
    user: IntArray
    group: IntArray
    cost: FloatArray


class Atoms(NamedTuple):
    """Samples between the cuts: of a newcomer, or of a group's members but one.

    ``box`` has west, −east, south, −north, start and −end of each stretch; ``whole`` is whether no
    sample reaches over the cut before it, ``last`` the latest stretch from which, up to there,
    everybody has a sample.
    """

    box: FloatArray
    samples: IntArray
    whole: BoolArray
    last: IntArray


@njit(nogil=True, cache=True)
def _atoms_for(stretches: int) -> Atoms:
    return Atoms(
        np.empty((stretches, 6)),
        np.empty(stretches, np.int64),
        np.empty(stretches + 1, np.bool_),
        np.empty(stretches + 1, np.int64),
    )


@njit(nogil=True, cache=True)
def _starts_of_blocks(bench: Bench, n: int, out: FloatArray, used: int) -> int:
    """Append when the best blocks of ``n`` samples begin, the first left out; how many now."""
    j = n
    while j > 0:
        j = bench.begin[j]
        if j > 0 and used < len(out):
            out[used] = bench.start[j]
            used += 1
    return used


@njit(nogil=True, cache=True)
def weigh(
    boxes: Boxes,
    which: IntArray,
    by_space: float,
    by_time: float,
    most: int,
    groups: Groups,
    cuts: Cuts,
) -> None:
    """Set the losses of some groups, with all members and without each, and their cuts."""
    widest = groups.members.shape[1]
    bench = bench_for(most, widest)
    trial = np.empty(widest, np.int64)
    room = cuts.moment.shape[1]
    moment = np.empty((widest + 1) * room)
    for g in which:
        size = groups.size[g]
        n = lay_out(boxes, groups.members[g], size, bench)
        groups.loss[g] = least_loss(bench, n, size, by_space, by_time, np.inf)
        used = _starts_of_blocks(bench, n, moment, 0)
        for left in range(size):
            count = 0
            for m in range(size):
                if m != left:
                    trial[count] = groups.members[g, m]
                    count += 1
            n = lay_out(boxes, trial, count, bench)
            groups.without[g, left] = least_loss(bench, n, count, by_space, by_time, np.inf)
            if count > 1:
                used = _starts_of_blocks(bench, n, moment, used)
        found = np.unique(moment[:used])
        # Too many: every so many of them.
        kept = min(len(found), room)
        for c in range(kept):
            cuts.moment[g, c] = found[c * len(found) // kept]
        cuts.used[g] = kept


@njit(nogil=True, cache=True)
def gains_by_leaving(groups: Groups, worth: FloatArray, saved: FloatArray) -> None:
    """Set what the group of each user loses less without the user; who is left out, ``worth``."""
    for a in range(len(saved)):
        g = groups.of[a]
        saved[a] = worth[a] if g == OUT else 0.0
        if g < 0:
            continue
        for m in range(groups.size[g]):
            if groups.members[g, m] == a:
                saved[a] = groups.loss[g] - groups.without[g, m]


@njit(nogil=True, cache=True)
def list_pairs(near: IntArray, since: int, groups: Groups, steps: Steps) -> Pairs:
    """The steps to be priced: into groups changed in round ``since`` or later, or of who moved."""
    n = len(groups.of)
    first = np.zeros(n + 1, np.int64)
    seen = np.full(len(groups.size), -1, np.int64)
    user, group = np.empty(0, np.int64), np.empty(0, np.int64)
    for fill in range(2):
        seen[:] = -1
        count = 0
        for a in range(n):
            first[a] = count
            own = groups.of[a]
            if own == -1:
                continue
            for b in near[a]:
                if b < 0 or groups.of[b] < 0:
                    continue
                g = groups.of[b]
                if g == own or seen[g] == a:
                    continue
                if steps.moved[a] < since and groups.changed[g] < since:
                    continue
                seen[g] = a
                if fill:
                    user[count], group[count] = a, g
                count += 1
        first[n] = count
        if not fill:
            user, group = np.empty(count, np.int64), np.empty(count, np.int64)
    return Pairs(first, user, group, np.empty((count, groups.members.shape[1] + 1)))


@njit(nogil=True, cache=True)
def _lay(
    boxes: Boxes,
    user: int,
    moment: FloatArray,
    cuts: int,
    box: FloatArray,
    count: IntArray,
    whole: BoolArray,
) -> None:
    """The user's samples between the cuts, as boxes."""
    for c in range(cuts + 1):
        for side in range(6):
            box[c, side] = np.inf
        count[c] = 0
        whole[c] = True
    whole[cuts + 1] = True
    at = 0
    for row in range(boxes.offsets[user], boxes.offsets[user + 1]):
        while at < cuts and boxes.start[row] >= moment[at]:
            at += 1
        count[at] += 1
        box[at, 0] = min(box[at, 0], boxes.west[row])
        box[at, 1] = min(box[at, 1], -boxes.east[row])
        box[at, 2] = min(box[at, 2], boxes.south[row])
        box[at, 3] = min(box[at, 3], -boxes.north[row])
        box[at, 4] = min(box[at, 4], boxes.start[row])
        box[at, 5] = min(box[at, 5], -boxes.end[row])
        over = at
        while over < cuts and boxes.end[row] > moment[over]:
            whole[over + 1] = False
            over += 1


@njit(nogil=True, cache=True)
def _last_of(count: IntArray, stretches: int, last: IntArray) -> None:
    last[0] = -1
    for c in range(stretches):
        last[c + 1] = c if count[c] else last[c]


@njit(nogil=True, cache=True)
def _loss_at_cuts(
    stretches: int,
    of: Atoms,
    other: Atoms,
    by_space: float,
    by_time: float,
    limit: float,
    joint: FloatArray,
    held: IntArray,
    loss: FloatArray,
) -> float:
    """The smallest loss of both together with blocks that begin at cuts; infinity if above limit.

    As :func:`least_loss`: a block that ends at j begins after the latest stretch from which
    everybody is met twice in turn.
    """
    half = by_space / 2.0
    held[0] = 0
    for c in range(stretches):
        held[c + 1] = held[c] + of.samples[c] + other.samples[c]
        for side in range(6):
            joint[c, side] = min(of.box[c, side], other.box[c, side])
    loss[0] = 0.0
    for j in range(1, stretches + 1):
        loss[j] = np.inf
        if not (of.whole[j] and other.whole[j]):
            continue
        once = min(of.last[j], other.last[j])
        if once < 0:
            continue
        at = once
        while not (of.whole[at] and other.whole[at]):
            at -= 1
        twice = min(of.last[at], other.last[at])
        west = east = south = north = start = end = np.inf
        best = least = np.inf
        i = j
        while i > twice + 1:
            i -= 1
            west, east = min(west, joint[i, 0]), min(east, joint[i, 1])
            south, north = min(south, joint[i, 2]), min(north, joint[i, 3])
            start, end = min(start, joint[i, 4]), min(end, joint[i, 5])
            if not (of.whole[i] and other.whole[i]):
                continue
            least = min(least, loss[i])
            if i <= once and loss[i] < best:
                extent = half * (-west - east - south - north) - by_time * (start + end)
                best = min(best, loss[i] + (held[j] - held[i]) * extent)
        loss[j] = best
        if min(least, best) > limit:
            return np.inf
    return loss[stretches] if loss[stretches] <= limit else np.inf


@njit(nogil=True, cache=True)
def price(
    boxes: Boxes,
    near: IntArray,
    alike: FloatArray,
    which: IntArray,
    pair: IntArray,
    first: IntArray,
    pairs: Pairs,
    weight: FloatArray,
    saved: FloatArray,
    k: float,
    by_space: float,
    by_time: float,
    most: int,
    slack: float,
    cuts: Cuts,
    groups: Groups,
) -> None:
    """Set the costs of the steps into groups ``which``.

    Those into group g are pair[first[g]] … pair[first[g + 1]]. Only what is less than ``slack``
    times what the user's own group gains is set. Where one member alone would stay, the loss is
    that of the pair, in ``alike``, beside ``near``, if the two are candidates.
    """
    widest = groups.members.shape[1]
    room = cuts.moment.shape[1] + 1
    bench = bench_for(most, widest)
    trial = np.empty(widest, np.int64)
    box, count = np.empty((widest, room, 6)), np.empty((widest, room), np.int64)
    whole, last = np.empty((widest, room + 1), np.bool_), np.empty((widest, room + 1), np.int64)
    b_box, b_count = np.empty((widest + 1, room, 6)), np.empty((widest + 1, room), np.int64)
    b_whole, b_last = (
        np.empty((widest + 1, room + 1), np.bool_),
        np.empty((widest + 1, room + 1), np.int64),
    )
    comer = _atoms_for(room)
    joint, held, loss = np.empty((room, 6)), np.empty(room + 1, np.int64), np.empty(room + 1)
    for g in which:
        size, used, moment = groups.size[g], cuts.used[g], cuts.moment[g]
        stretches = used + 1
        if first[g] == first[g + 1]:
            continue
        for m in range(size):
            _lay(boxes, groups.members[g, m], moment, used, box[m], count[m], whole[m])
            _last_of(count[m], stretches, last[m])
        for out in range(-1, size):
            base = Atoms(b_box[out + 1], b_count[out + 1], b_whole[out + 1], b_last[out + 1])
            base.box[:stretches] = np.inf
            base.samples[:stretches] = 0
            base.whole[: stretches + 1] = True
            base.last[: stretches + 1] = stretches
            for m in range(size):
                if m == out:
                    continue
                for c in range(stretches + 1):
                    base.whole[c] = base.whole[c] and whole[m, c]
                    base.last[c] = min(base.last[c], last[m, c])
                for c in range(stretches):
                    base.samples[c] += count[m, c]
                    for side in range(6):
                        base.box[c, side] = min(base.box[c, side], box[m, c, side])
        for p in pair[first[g] : first[g + 1]]:
            a = pairs.user[p]
            laid = False
            for out in range(-1, size):
                pairs.cost[p, out + 1] = np.inf
                if out < 0:
                    if size == widest or groups.weight[g] + weight[a] > 2.0 * k - 1.0:
                        continue
                else:
                    partner = groups.members[g, out]
                    if groups.weight[g] - weight[partner] + weight[a] < k:
                        continue
                    if groups.without[g, out] - groups.loss[g] >= saved[a]:
                        continue
                limit = groups.loss[g] + slack * saved[a]
                found = np.inf
                if size == 1 and out == 0:
                    trial[0] = a
                    found = loss_of(boxes, trial, 1, by_space, by_time, limit, bench)
                elif size == 2 and out >= 0:
                    stays = groups.members[g, 1 - out]
                    for c in range(near.shape[1]):
                        if near[a, c] == stays:
                            found = alike[a, c]
                else:
                    if not laid:
                        _lay(boxes, a, moment, used, comer.box, comer.samples, comer.whole)
                        _last_of(comer.samples, stretches, comer.last)
                        laid = True
                    v = out + 1
                    base = Atoms(b_box[v], b_count[v], b_whole[v], b_last[v])
                    found = _loss_at_cuts(
                        stretches, base, comer, by_space, by_time, limit, joint, held, loss
                    )
                if found < limit:
                    pairs.cost[p, out + 1] = found - groups.loss[g]


@njit(nogil=True, cache=True)
def offer(
    users: IntArray,
    pairs: Pairs,
    since: int,
    worth: FloatArray,
    saved: FloatArray,
    groups: Groups,
    steps: Steps,
) -> None:
    """Set the steps of ``users``: those priced now, and those of before that still stand.

    The cheapest, as many as there is room for. To be left out costs what publishing the user is
    ``worth``; where that is 0, nobody is.
    """
    room = steps.cost.shape[1]
    for a in users:
        own = groups.of[a]
        if own == -1:  # of no group that could gain by it
            steps.used[a] = 0
            continue
        many = steps.used[a] + 1 + (pairs.first[a + 1] - pairs.first[a]) * pairs.cost.shape[1]
        group, partner = np.empty(many, np.int64), np.empty(many, np.int64)
        cost, exact = np.empty(many), np.zeros(many, np.bool_)
        count = 0
        if steps.moved[a] < since:
            for e in range(steps.used[a]):
                g = steps.group[a, e]
                if g >= 0 and groups.changed[g] < since:
                    group[count], partner[count] = g, steps.partner[a, e]
                    cost[count], exact[count] = steps.cost[a, e], steps.exact[a, e]
                    count += 1
        if own >= 0 and 0.0 < worth[a] < saved[a]:
            group[count], partner[count], cost[count] = OUT, -1, worth[a]
            exact[count] = True
            count += 1
        for p in range(pairs.first[a], pairs.first[a + 1]):
            g = pairs.group[p]
            for out in range(-1, groups.size[g]):
                if pairs.cost[p, out + 1] < np.inf:
                    group[count], cost[count] = g, pairs.cost[p, out + 1]
                    partner[count] = -1 if out < 0 else groups.members[g, out]
                    count += 1
        order = np.argsort(cost[:count], kind="mergesort")
        kept = min(count, room)
        steps.used[a] = kept
        for e in range(kept):
            s = order[e]
            steps.group[a, e], steps.partner[a, e] = group[s], partner[s]
            steps.cost[a, e], steps.exact[a, e] = cost[s], exact[s]


@njit(nogil=True, cache=True)
def sharpen(
    boxes: Boxes,
    users: IntArray,
    many: int,
    by_space: float,
    by_time: float,
    most: int,
    groups: Groups,
    steps: Steps,
) -> None:
    """Set the exact costs of the ``many`` cheapest steps of ``users``, and order them anew."""
    widest = groups.members.shape[1]
    bench = bench_for(most, widest)
    trial = np.empty(widest, np.int64)
    for a in users:
        used = steps.used[a]
        new = False
        for e in range(min(used, many)):
            if steps.exact[a, e]:
                continue
            g, partner = steps.group[a, e], steps.partner[a, e]
            size = groups.size[g]
            for m in range(size):
                trial[m] = groups.members[g, m]
                if trial[m] == partner:
                    trial[m] = a
            if partner < 0:
                trial[size] = a
                size += 1
            # The same blocks' sums may differ by their order.
            found = loss_of(boxes, trial, size, by_space, by_time, np.inf, bench)
            steps.cost[a, e] = min(steps.cost[a, e], found - groups.loss[g])
            steps.exact[a, e] = True
            new = True
        if new:
            order = np.argsort(steps.cost[a, :used], kind="mergesort")
            steps.cost[a, :used] = steps.cost[a, :used][order]
            steps.group[a, :used] = steps.group[a, :used][order]
            steps.partner[a, :used] = steps.partner[a, :used][order]
            steps.exact[a, :used] = steps.exact[a, :used][order]
