"""Cost of letting a user enter a group, with or without replacing a member.

Such an entry is a *step*. Computing the exact best blocks for every possible step would take too
long. So blocks begin only at a few cuts: where the group's best blocks begin now, or would begin
without one of its members. Between two of these cuts, the samples of each user form one box. The
computed cost is the cost of blocks that could be published, so it is never too low. A step gains at
least the computed amount. The losses of existing groups are always exact (:func:`weigh`).

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .aligned_blocks import Bench, Boxes, bench_for, lay_out, least_loss, loss_of
from .aligned_groups import OUT, Groups, People, Steps


class Cuts(NamedTuple):
    """Moments (minutes) at which the blocks of each group may begin: a row per group, ascending.

    The first ``used[g]`` entries of row g count.
    """

    used: IntArray
    moment: FloatArray


class Pairs(NamedTuple):
    """Pairs of a user and a group whose steps are to be priced.

    User a has the pairs ``first[a]:first[a+1]``. The pairs with group g are
    ``order[begin[g]:begin[g+1]]``. ``cost`` has a row per pair: a column for a step that replaces
    nobody, then one for each member. The cost of a step that is not considered is infinite.
    """

    first: IntArray
    user: IntArray
    group: IntArray
    cost: FloatArray
    order: IntArray
    begin: IntArray


class Atoms(NamedTuple):
    """Samples between neighbouring cuts, of one user, of a whole group, or of all members but one.

    A stretch is the time between two neighbouring cuts. ``box`` has west, −east, south, −north,
    start and −end of the samples in each stretch. ``whole`` says whether no sample crosses the cut
    before a stretch. ``last`` gives, for each cut, the latest stretch from which every one of these
    users has a sample before that cut.
    """

    box: FloatArray
    samples: IntArray
    whole: BoolArray
    last: IntArray


class Sums(NamedTuple):
    """Scratch memory for a group and a newcomer, and the loss per metre and per minute.

    ``loss`` is the smallest loss of the samples before each cut. ``lowest`` and ``nearest`` list
    the cuts, latest last, that could have the smallest loss: ``lowest`` without the loss that must
    follow, and ``nearest`` with it.
    """

    joint: FloatArray
    held: IntArray
    loss: FloatArray
    lowest: IntArray
    nearest: IntArray
    by_space: float
    by_time: float


@njit(nogil=True, cache=True)
def _atoms_for(many: int, stretches: int) -> Atoms:
    """Allocate ``many`` sets of atoms; ``box[m]``, ``samples[m]`` and so on belong to set m."""
    box, samples = np.empty((many, stretches, 6)), np.empty((many, stretches), np.int64)
    cuts = many, stretches + 1
    return Atoms(box, samples, np.empty(cuts, np.bool_), np.empty(cuts, np.int64))


@njit(nogil=True, cache=True)
def _starts_of_blocks(bench: Bench, n: int, out: FloatArray, used: int) -> int:
    """Append the starts of the best blocks, except the first, to ``out``; return the new length."""
    j = n
    while j > 0:
        j = bench.begin[j]
        if j > 0 and used < len(out):
            out[used] = bench.box[j, 4]
            used += 1
    return used


@njit(nogil=True, cache=True)
def weigh(begin: int, end: int, boxes: Boxes, which: IntArray, groups: Groups, cuts: Cuts) -> None:
    """Set the losses of groups ``which[begin:end]``, also without each member, and their cuts."""
    widest = groups.members.shape[1]
    bench = bench_for(boxes, widest)
    trial = np.empty(widest, np.int64)
    room = cuts.moment.shape[1]
    moment = np.empty((widest + 1) * room)
    for g in which[begin:end]:
        size = groups.size[g]
        n = lay_out(boxes, groups.members[g], size, bench)
        groups.loss[g] = least_loss(bench, n, size, np.inf)
        used = _starts_of_blocks(bench, n, moment, 0)
        for left in range(size):
            count = 0
            for m in range(size):
                if m != left:
                    trial[count] = groups.members[g, m]
                    count += 1
            n = lay_out(boxes, trial, count, bench)
            groups.without[g, left] = least_loss(bench, n, count, np.inf)
            if count > 1:
                used = _starts_of_blocks(bench, n, moment, used)
        found = np.unique(moment[:used])
        # If there are too many, keep some of them, evenly spaced.
        kept = min(len(found), room)
        for c in range(kept):
            cuts.moment[g, c] = found[c * len(found) // kept]
        cuts.used[g] = kept


@njit(nogil=True, cache=True)
def gains_by_leaving(people: People, groups: Groups) -> None:
    """Store the loss saved when each user leaves their group.

    It is ``worth`` for users who are left out, and 0 for other users without a group.
    """
    for a in range(len(people.saved)):
        g = groups.of[a]
        people.saved[a] = people.worth[a] if g == OUT else 0.0
        for m in range(groups.size[g] if g >= 0 else 0):
            if groups.members[g, m] == a:
                people.saved[a] = groups.loss[g] - groups.without[g, m]


@njit(nogil=True, cache=True)
def list_pairs(near: IntArray, since: int, groups: Groups, steps: Steps) -> Pairs:
    """Return the pairs whose user or group has changed in round ``since`` or later.

    A pair is a user and another group that has one of the user's candidates (``near``) as a member.
    The costs of the pairs are not set here.
    """
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
    order = np.argsort(group, kind="mergesort")
    begin = np.searchsorted(group[order], np.arange(len(groups.size) + 1))
    cost = np.empty((count, groups.members.shape[1] + 1))
    return Pairs(first, user, group, cost, order, begin)


@njit(nogil=True, cache=True)
def _lay(boxes: Boxes, user: int, moment: FloatArray, cuts: int, of: Atoms, m: int) -> None:
    """Write the atoms of one user's samples to set ``m``; ``cuts`` moments divide the samples."""
    box, count, whole, last = of.box[m], of.samples[m], of.whole[m], of.last[m]
    box[: cuts + 1] = np.inf
    count[: cuts + 1] = 0
    whole[: cuts + 2] = True
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
    last[0] = -1
    for c in range(cuts + 1):
        last[c + 1] = c if count[c] else last[c]


@njit(nogil=True, cache=True)
def _nobody(atoms: Atoms, m: int, stretches: int) -> None:
    """Write the atoms of no user to set ``m``; joined with other atoms, they change nothing."""
    atoms.box[m, :stretches] = np.inf
    atoms.samples[m, :stretches] = 0
    atoms.whole[m, : stretches + 1] = True
    atoms.last[m, : stretches + 1] = stretches


@njit(nogil=True, cache=True)
def _loss_at_cuts(
    stretches: int, base: Atoms, v: int, comer: Atoms, limit: float, rest: FloatArray, sums: Sums
) -> float:
    """Return the smallest loss of set ``v`` of ``base`` and the only set of ``comer``, together.

    Blocks begin at cuts. The result is infinity if the loss exceeds ``limit``.

    As in :func:`least_loss`, the search goes back from the cut j where a block ends. It stops as
    soon as the samples up to j can be split into two blocks, each with a sample of every member.

    ``rest[v, j]`` is a lower bound on the loss of the samples after cut j. So the search ends as
    soon as no cut is left that could lead to a loss within the limit: a block begins at one of the
    cuts after the beginning of the two blocks, up to j.

    Arrays are taken out of the tuples once, and every path leads to one end. Otherwise numba counts
    references to the arrays at each call and step of a loop, which took most of the time.
    """
    half, by_time = sums.by_space / 2.0, sums.by_time
    joint, held, loss, lowest, nearest = sums.joint, sums.held, sums.loss, sums.lowest, sums.nearest
    box, samples, whole, last = base.box[v], base.samples[v], base.whole[v], base.last[v]
    new_box, new_samples, later = comer.box[0], comer.samples[0], rest[v]
    new_whole, new_last = comer.whole[0], comer.last[0]
    head, tail, first, end = 0, 1, 0, 1  # of ``lowest`` and of ``nearest``
    most = limit + 1e-9 * abs(limit)  # sums may depend on their order
    lowest[0] = nearest[0] = held[0] = 0
    for c in range(stretches):
        held[c + 1] = held[c] + samples[c] + new_samples[c]
        for side in range(6):
            joint[c, side] = min(box[c, side], new_box[c, side])
    loss[0], loss[stretches] = 0.0, np.inf
    j = 0
    while j < stretches and loss[nearest[first]] + later[nearest[first]] <= most:
        j += 1
        loss[j] = np.inf
        if not (whole[j] and new_whole[j]):
            continue
        once = min(last[j], new_last[j])
        if once < 0:
            continue
        at = once
        while not (whole[at] and new_whole[at]):
            at -= 1
        twice = min(last[at], new_last[at])
        while head < tail and lowest[head] <= twice:
            head += 1
        while first < end and nearest[first] <= twice:
            first += 1
        least = loss[lowest[head]] if head < tail else np.inf
        west = east = south = north = start = stop = np.inf
        best = np.inf
        i = j
        while i > twice + 1:
            i -= 1
            west, east = min(west, joint[i, 0]), min(east, joint[i, 1])
            south, north = min(south, joint[i, 2]), min(north, joint[i, 3])
            start, stop = min(start, joint[i, 4]), min(stop, joint[i, 5])
            if i > once or not (whole[i] and new_whole[i]):
                continue
            extent = half * (-west - east - south - north) - by_time * (start + stop)
            each = (held[j] - held[i]) * extent
            best = min(best, loss[i] + each)
            if least + each >= best:
                break
        loss[j] = best
        while head < tail and loss[lowest[tail - 1]] >= best:
            tail -= 1
        lowest[tail] = j
        tail += 1
        after = best + later[j]
        while first < end and loss[nearest[end - 1]] + later[nearest[end - 1]] >= after:
            end -= 1
        nearest[end] = j
        end += 1
    found = loss[stretches]
    return found if found <= limit else np.inf


@njit(nogil=True, cache=True)
def price(
    begin: int,
    end: int,
    boxes: Boxes,
    near: IntArray,
    alike: FloatArray,
    pairs: Pairs,
    slack: float,
    people: People,
    cuts: Cuts,
    groups: Groups,
) -> None:
    """Set the costs of the steps into the groups ``begin … end − 1``.

    A cost stays infinite unless it is below ``slack`` times what the user's own group saves without
    the user. If the user replaces one of two members, the loss is taken from ``alike`` (parallel to
    ``near``), for the pair of the user and the other member. That loss is infinite if the other
    member is not a candidate of the user.
    """
    weight, saved, k = people.weight, people.saved, people.k
    widest = groups.members.shape[1]
    room = cuts.moment.shape[1] + 1
    bench = bench_for(boxes, widest)
    trial = np.empty(widest, np.int64)
    # Atoms of each member; of all members, and of all but each one; and of the newcomer.
    own, base, comer = _atoms_for(widest, room), _atoms_for(widest + 1, room), _atoms_for(1, room)
    cut = np.empty((3, room + 1), np.int64)
    joint, loss = np.empty((room, 6)), np.empty(room + 1)
    sums = Sums(joint, cut[0], loss, cut[1], cut[2], boxes.by_space, boxes.by_time)
    # Lower bound on the loss, after each cut, of the members who stay: the loss of their best
    # blocks of all samples, minus the loss of their best blocks before the cut.
    rest = np.empty((widest + 1, room + 1))
    for g in range(begin, end):
        size, used, moment = groups.size[g], cuts.used[g], cuts.moment[g]
        stretches = used + 1
        if pairs.begin[g] == pairs.begin[g + 1]:
            continue
        for m in range(size):
            _lay(boxes, groups.members[g, m], moment, used, own, m)
        _nobody(comer, 0, stretches)
        for v in range(size + 1):
            _nobody(base, v, stretches)
            for m in range(size):
                if m == v - 1:
                    continue
                for c in range(stretches + 1):
                    base.whole[v, c] = base.whole[v, c] and own.whole[m, c]
                    base.last[v, c] = min(base.last[v, c], own.last[m, c])
                for c in range(stretches):
                    base.samples[v, c] += own.samples[m, c]
                    for side in range(6):
                        base.box[v, c, side] = min(base.box[v, c, side], own.box[m, c, side])
            rest[v] = 0.0
            alone = _loss_at_cuts(stretches, base, v, comer, np.inf, rest, sums)
            for c in range(stretches + 1):
                rest[v, c] = max(0.0, alone - loss[c]) if loss[c] < np.inf else 0.0
        for p in pairs.order[pairs.begin[g] : pairs.begin[g + 1]]:
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
                    found = loss_of(boxes, trial, 1, limit, bench)
                elif size == 2 and out >= 0:
                    stays = groups.members[g, 1 - out]
                    for c in range(near.shape[1]):
                        if near[a, c] == stays:
                            found = alike[a, c]
                else:
                    if not laid:
                        _lay(boxes, a, moment, used, comer, 0)
                        laid = True
                    found = _loss_at_cuts(stretches, base, out + 1, comer, limit, rest, sums)
                if found < limit:
                    pairs.cost[p, out + 1] = found - groups.loss[g]


@njit(nogil=True, cache=True)
def offer(
    begin: int, end: int, pairs: Pairs, since: int, people: People, groups: Groups, steps: Steps
) -> None:
    """Set the steps of users ``begin … end − 1``: those priced now, and earlier ones still valid.

    The cheapest steps are kept, as many as fit. Leaving a user out is a step, too, if its cost
    ``worth`` (the value of publishing the user) is above 0 and below what the user's group saves.
    """
    room, worth, saved = steps.cost.shape[1], people.worth, people.saved
    for a in range(begin, end):
        own = groups.of[a]
        if own == -1:  # the user is in no group that could gain
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
def sharpen(begin: int, end: int, boxes: Boxes, many: int, groups: Groups, steps: Steps) -> None:
    """Set the exact costs of the ``many`` cheapest steps of each user ``begin … end − 1``.

    The steps are then sorted by cost again.
    """
    widest = groups.members.shape[1]
    bench = bench_for(boxes, widest)
    trial = np.empty(widest, np.int64)
    for a in range(begin, end):
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
            # The sum over the same blocks may depend on their order.
            found = loss_of(boxes, trial, size, np.inf, bench)
            steps.cost[a, e] = min(steps.cost[a, e], found - groups.loss[g])
            steps.exact[a, e] = True
            new = True
        if new:
            order = np.argsort(steps.cost[a, :used], kind="mergesort")
            steps.cost[a, :used] = steps.cost[a, :used][order]
            steps.group[a, :used] = steps.group[a, :used][order]
            steps.partner[a, :used] = steps.partner[a, :used][order]
            steps.exact[a, :used] = steps.exact[a, :used][order]
