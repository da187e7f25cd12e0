"""Who hides with whom, so that the aligned blocks of their groups lose little.

Groups are grown one after the other from a seed, each time by the candidate that adds the least
loss, and then exchange members while the loss of all falls. Rows of ``near`` are everybody's
candidates, −1 = none.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .aligned_blocks import Boxes, bench_for, loss_of

OUT = -2
"""In place of a group: of users whom it costs most to hide, and who are not published."""


class Groups(NamedTuple):
    """Groups as they are being made.

    ``of`` is the group of each user (−1 = none yet, or :data:`OUT`); ``members`` has a row a group,
    of which the first ``size`` count; ``loss`` is that of each group, ``without`` what it would be
    without each of its members, ``changed`` the last round in which it took part in an exchange.
    """

    of: IntArray
    members: IntArray
    size: IntArray
    weight: FloatArray
    loss: FloatArray
    without: FloatArray
    changed: IntArray


class Steps(NamedTuple):
    """For each user, by cost: into which group, in place of whom (−1: of nobody), at what cost.

    The cost is what the group entered then loses more, or less; the first ``used`` of a row count.
    """

    used: IntArray
    group: IntArray
    partner: IntArray
    cost: FloatArray
    exact: BoolArray  # whether the cost is, or may be less
    moved: IntArray  # the last round in which the user went to another group


@njit(nogil=True, cache=True)
def grow(
    boxes: Boxes,
    near: IntArray,
    seeds: IntArray,
    weight: FloatArray,
    k: float,
    by_space: float,
    by_time: float,
    most: int,
    groups: Groups,
    made: int,
) -> int:
    """Grow groups of k users from the seeds, in their order; how many groups there are then.

    ``made`` of them are there before. A seed whose candidates run out stays alone.
    """
    widest = groups.members.shape[1]
    bench = bench_for(most, widest)
    tried = np.full(len(groups.of), -1, np.int64)
    trial = np.empty(widest, np.int64)
    for seed in seeds:
        if groups.of[seed] >= 0:
            continue
        trial[0] = seed
        count, users = 1, weight[seed]
        while users < k and count < widest:
            best, chosen = np.inf, -1
            for m in range(count):
                for other in near[trial[m]]:
                    if other < 0 or groups.of[other] >= 0:
                        continue
                    if tried[other] == seed * widest + count or other == seed:
                        continue
                    tried[other] = seed * widest + count
                    inside = False
                    for o in range(count):
                        inside = inside or trial[o] == other
                    if inside:
                        continue
                    trial[count] = other
                    loss = loss_of(boxes, trial, count + 1, by_space, by_time, best, bench)
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
def find_rings(
    users: IntArray,
    weight: FloatArray,
    k: float,
    most_steps: int,
    worth: FloatArray,
    room: FloatArray,
    groups: Groups,
    steps: Steps,
    gain: FloatArray,
    ring: IntArray,
) -> None:
    """For each of ``users`` the exchange in a ring, from there, that gains most.

    ``ring`` (n_users, longest) holds which step each in turn takes, by its place in the row of
    ``steps``; −1 where there is no more. Every ring that gains has somebody from whom on all
    partial sums gain: only such beginnings are followed. Groups are distinct. A ring may be open
    where the first group can spare its member: the last then joins a group in nobody's place. So is
    one that begins with somebody who is left out, or ends so, as long as there is ``room``.
    """
    longest = ring.shape[1]
    at = np.empty(longest, np.int64)
    who = np.empty(longest + 1, np.int64)
    total = np.empty(longest + 1)
    for a in users:
        gain[a] = 0.0
        ring[a, :] = -1
        own = groups.of[a]
        if own == -1:
            continue
        for way in range(2):
            total[0] = 0.0
            if own == OUT:
                if way == 0:
                    continue
                total[0] = -worth[a]
            elif way == 1:
                if groups.weight[own] - weight[a] < k:
                    break
                place = 0
                while groups.members[own, place] != a:
                    place += 1
                total[0] = groups.without[own, place] - groups.loss[own]
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
                if reached >= 0.0:
                    depth -= 1
                    continue
                g, partner = steps.group[x, e], steps.partner[x, e]
                closed = (partner == a and depth > 0) if way == 0 else partner < 0
                if closed:
                    if way == 1 and g == own and g != OUT:
                        continue
                    taken_in = weight[a] if own == OUT else 0.0
                    if g == OUT and weight[x] - taken_in > room[0]:
                        continue
                    again = False
                    for d in range(1, depth + 1):
                        again = again or groups.of[who[d]] == g
                    if not again and -reached > gain[a] + 1e-9:
                        gain[a] = -reached
                        for d in range(longest):
                            ring[a, d] = at[d] if d <= depth else -1
                    continue
                if partner < 0 or g == own or depth + 1 == longest:
                    continue
                again = False
                for d in range(1, depth + 1):
                    again = again or groups.of[who[d]] == g
                if again:
                    continue
                depth += 1
                who[depth] = partner
                total[depth] = reached
                at[depth] = -1


@njit(nogil=True, cache=True)
def carry_out(
    order: IntArray,
    weight: FloatArray,
    turn: int,
    room: FloatArray,
    groups: Groups,
    steps: Steps,
    gain: FloatArray,
    ring: IntArray,
) -> int:
    """Make the exchanges that begin with these users, in their order; how many.

    A group takes part in one a round.
    """
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
        more = -weight[a] if first == OUT else 0.0  # of weight that is left out
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
            place = 0
            if into < 0:
                place = groups.size[g]
                groups.size[g] += 1
            else:
                while groups.members[g, place] != into:
                    place += 1
            groups.members[g, place] = x
            groups.weight[g] += weight[x] - (weight[into] if into >= 0 else 0.0)
            groups.of[x] = g
            groups.changed[g] = turn
        if first == OUT:
            continue
        groups.changed[first] = turn
        if who[n] < 0:  # the first group has one less
            place = 0
            while groups.members[first, place] != a:
                place += 1
            groups.size[first] -= 1
            groups.members[first, place] = groups.members[first, groups.size[first]]
            groups.weight[first] -= weight[a]
    return done
