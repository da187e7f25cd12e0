"""Choice of groups whose aligned blocks have a small loss.

Groups grow one after another, each from a seed, by adding the candidates that increase the loss
least. Then they exchange members as long as the total loss falls. Row a of ``near`` lists the
candidates of user a; −1 = none.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts
from .aligned_blocks import Boxes, bench_for, lay_out, lay_out_with, least_loss

OUT = -2
"""Group number of users who cost most to hide and are not published."""


class Groups(NamedTuple):
    """Groups under construction.

    ``of`` is the group of each user; −1 = none yet, :data:`OUT` = left out. ``members`` has a row
    per group, whose first ``size`` entries count. ``weight`` is the number of users that the group
    stands for, ``loss`` its loss, and ``without`` its loss without each of its members.
    ``changed`` is the last round in which the group took part in an exchange.
    """

    of: IntArray
    members: IntArray
    size: IntArray
    weight: FloatArray
    loss: FloatArray
    without: FloatArray
    changed: IntArray


class People(NamedTuple):
    """Users to be hidden, and the value of publishing each.

    ``saved`` is the loss saved when a user leaves their group.
    """

    k: float
    weight: FloatArray  # (n,) number of users each stands for
    worth: FloatArray  # (n,) value of publishing each: the most that this may cost
    saved: FloatArray  # (n,) loss saved when each leaves their group
    room: FloatArray  # (1,) weight that may still be left out


class Rings(NamedTuple):
    """For each user, the ring of exchanges that begins with this user and has the largest gain.

    Row a of ``step`` (n, longest) has the steps of the ring that begins with user a; −1 after the
    last. A step is given by its position in the row that :class:`Steps` has for the user who takes
    it. ``last`` (n + 1,) has, for each user, the least cost of a step that replaces this user; its
    last entry is the least cost of a step that replaces nobody. ``least`` (1,) has the least cost
    of any step.
    """

    gain: FloatArray
    step: IntArray
    last: FloatArray
    least: FloatArray


class Steps(NamedTuple):
    """Steps of each user, cheapest first: the group entered, the user replaced, and the cost.

    A step that replaces nobody has the partner −1. The cost is the change in the loss of the group
    entered, or the cost of leaving the user out (group :data:`OUT`). The first ``used`` entries of
    a row count.
    """

    used: IntArray
    group: SmallInts
    partner: SmallInts
    cost: FloatArray
    exact: BoolArray  # whether the cost is exact; otherwise the true cost may be lower
    moved: IntArray  # the last round in which the user went to another group


def no_steps(n: int, room: int) -> Steps:
    """Return empty storage for ``room`` steps of each of ``n`` users."""
    group, partner = np.zeros((2, n, room), np.int32)
    cost, exact = np.zeros((n, room)), np.zeros((n, room), np.bool_)
    return Steps(np.zeros(n, np.int64), group, partner, cost, exact, np.full(n, -1))


@njit(nogil=True, cache=True)
def grow(
    boxes: Boxes, near: IntArray, seeds: IntArray, people: People, groups: Groups, made: int
) -> int:
    """Grow groups of at least k users from the seeds, in order; return how many groups there are.

    ``made`` is the number of groups that exist already. A seed whose candidates run out, or whose
    group would have too many members, stays without a group.
    """
    widest = groups.members.shape[1]
    weight, k = people.weight, people.k
    held, bench = bench_for(boxes, widest), bench_for(boxes, widest)
    tried = np.full(len(groups.of), -1, np.int64)
    trial = np.empty(widest, np.int64)
    for seed in seeds:
        if groups.of[seed] >= 0:
            continue
        trial[0] = seed
        count, users = 1, weight[seed]
        while users < k and count < widest:
            best, chosen = np.inf, -1
            many = lay_out(boxes, trial, count, held)
            least_loss(held, many, count, np.inf)
            for m in range(count):
                for other in near[trial[m]]:
                    if other < 0 or groups.of[other] >= 0:
                        continue
                    if tried[other] == seed * widest + count or other == seed:
                        continue
                    tried[other] = seed * widest + count
                    if _place(trial[:count], other) < count:
                        continue
                    n = lay_out_with(boxes, held, many, other, count, bench)
                    loss = least_loss(bench, n, count + 1, best)
                    if loss < best or (loss == best and other < chosen):
                        best, chosen = loss, other
            if chosen < 0:
                break
            trial[count] = chosen
            count += 1
            users += weight[chosen]
        if users < k:
            continue
        groups.size[made] = count
        groups.weight[made] = users
        for m in range(count):
            groups.members[made, m] = trial[m]
            groups.of[trial[m]] = made
        made += 1
    return made


@njit(nogil=True, cache=True)
def bound_rings(steps: Steps, rings: Rings) -> None:
    """Set ``rings.last`` and ``rings.least`` from the steps."""
    rings.last[:] = np.inf
    for a in range(len(steps.used)):
        for e in range(steps.used[a]):
            partner = steps.partner[a, e]  # −1 means nobody, and indexes the last entry
            rings.last[partner] = min(rings.last[partner], steps.cost[a, e])
    rings.least[0] = rings.last.min()


@njit(nogil=True, cache=True)
def find_rings(
    begin: int,
    end: int,
    turn: int,
    most_steps: int,
    people: People,
    groups: Groups,
    steps: Steps,
    rings: Rings,
) -> None:
    """Find, for each user, the ring of exchanges that begins with them and has the largest gain.

    The users are ``begin … end − 1``. A ring with a gain has a beginning from which all partial
    sums are gains, so only such beginnings are followed. The groups of a ring are distinct. None
    has changed in this ``turn``, because the steps are priced for the groups as they were before
    the turn.

    A ring may be open if the first group can spare its member: the last user then joins a group
    without replacing anybody. A ring that begins or ends with a user who is left out may also be
    open, as long as there is ``room``.

    Steps are followed only as long as they can lead to a larger gain. The last step of a ring costs
    at least ``rings.last`` of its first user, or of nobody if the ring is open; each step before
    it costs at least ``rings.least``.
    """
    gain, ring, weight, worth = rings.gain, rings.step, people.weight, people.worth
    longest, least = ring.shape[1], min(rings.least[0], 0.0)
    at = np.empty(longest, np.int64)
    who = np.empty(longest + 1, np.int64)
    total = np.empty(longest + 1)
    for a in range(begin, end):
        gain[a] = 0.0
        ring[a, :] = -1
        own = groups.of[a]
        if own == -1 or (own >= 0 and groups.changed[own] == turn):
            continue
        for way in range(2):
            total[0] = 0.0
            if own == OUT:
                if way == 0:
                    continue
                total[0] = -worth[a]
            elif way == 1:
                if groups.weight[own] - weight[a] < people.k:
                    break
                place = _place(groups.members[own], a)
                total[0] = groups.without[own, place] - groups.loss[own]
            last = rings.last[a if way == 0 else -1]
            depth = 0
            who[0] = a
            at[0] = -1
            taken = 0
            while depth >= 0:
                x = who[depth]
                at[depth] += 1
                e = at[depth]
                taken += 1
                if e >= steps.used[x] or taken > most_steps:
                    depth -= 1
                    continue
                reached = total[depth] + steps.cost[x, e]
                rest = last + (longest - depth - 2) * least  # if this is not the last step
                least_of_all = min(reached, reached + rest if depth + 1 < longest else np.inf)
                if reached >= 0.0 or least_of_all >= -gain[a]:
                    depth -= 1
                    continue
                g, partner = steps.group[x, e], steps.partner[x, e]
                if g >= 0 and groups.changed[g] == turn:
                    continue
                closed = (partner == a and depth > 0) if way == 0 else partner < 0
                if closed:
                    if way == 1 and g == own and g != OUT:
                        continue
                    taken_in = weight[a] if own == OUT else 0.0
                    if g == OUT and weight[x] - taken_in > people.room[0]:
                        continue
                    if -reached > gain[a] + 1e-9 and not _met(groups.of, who, depth, g):
                        gain[a] = -reached
                        for d in range(longest):
                            ring[a, d] = at[d] if d <= depth else -1
                    continue
                if partner < 0 or g == own or depth + 1 == longest or not steps.used[partner]:
                    continue
                onward = 0.0
                if depth + 2 < longest:
                    onward = min(0.0, steps.cost[partner, 0] + (longest - depth - 3) * least)
                if reached + onward + last >= -gain[a]:
                    continue
                if _met(groups.of, who, depth, g):
                    continue
                depth += 1
                who[depth] = partner
                total[depth] = reached
                at[depth] = -1


@njit(nogil=True, cache=True)
def carry_out(
    order: IntArray, turn: int, people: People, groups: Groups, steps: Steps, rings: Rings
) -> int:
    """Carry out the rings that begin with the users in ``order``; return the number carried out.

    Rings are taken in this order. A group takes part in at most one ring per round, so a later ring
    through the same group is skipped. So is a ring that would leave out more weight than ``room``.
    """
    gain, ring, weight, room = rings.gain, rings.step, people.weight, people.room
    longest = ring.shape[1]
    who = np.empty(longest + 1, np.int64)
    target = np.empty(longest, np.int64)
    done = 0
    for a in order:
        if gain[a] <= 0.0:
            continue
        who[0] = a
        n = 0
        first = groups.of[a]
        free = first == OUT or groups.changed[first] != turn
        more = -weight[a] if first == OUT else 0.0  # additional weight that is left out
        while n < longest and ring[a, n] >= 0:
            target[n] = steps.group[who[n], ring[a, n]]
            who[n + 1] = steps.partner[who[n], ring[a, n]]
            if target[n] == OUT:
                more += weight[who[n]]
            else:
                free = free and groups.changed[target[n]] != turn
            n += 1
        if not free or more > room[0]:
            continue
        done += 1
        room[0] -= more
        for step in range(n):
            x, g = who[step], target[step]
            into = who[step + 1]
            steps.moved[x] = turn
            if g == OUT:
                groups.of[x] = OUT
                continue
            if into < 0:
                place = groups.size[g]
                groups.size[g] += 1
            else:
                place = _place(groups.members[g], into)
            groups.members[g, place] = x
            groups.weight[g] += weight[x] - (weight[into] if into >= 0 else 0.0)
            groups.of[x] = g
            groups.changed[g] = turn
        if first == OUT:
            continue
        groups.changed[first] = turn
        if who[n] < 0:  # the first group has one member less
            place = _place(groups.members[first], a)
            groups.size[first] -= 1
            groups.members[first, place] = groups.members[first, groups.size[first]]
            groups.weight[first] -= weight[a]
    return done


@njit(nogil=True, cache=True)
def _place(members: IntArray, user: int) -> int:
    """Return the user's position among the members, or the number of members for a non-member."""
    place = 0
    while place < len(members) and members[place] != user:
        place += 1
    return place


@njit(nogil=True, cache=True)
def _met(of: IntArray, who: IntArray, depth: int, group: int) -> bool:
    """Return whether the ring so far, except its beginning, passes through the group."""
    met = False
    for d in range(1, depth + 1):
        met = met or of[who[d]] == group
    return met
