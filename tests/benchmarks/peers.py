"""Two other generators, written from their papers, as baselines for our synthetic people.

Both learn over our stated frame, with one ε for everything about one person: each adds whole
numbers in 1/``UNIT`` that sum to 1 at most to each histogram, and discrete Laplace noise is drawn.
To the peers' favour noisy histograms are projected onto shares; if they were only cut at 0, most of
what is in small cells would be noise.

*AdaTrace* (Gursoy et al. 2018): noisy grid, finer where more people are; a Markov chain between its
squares; first and last square of a journey; its length. A journey is a person's whole record, as in
the paper, or a person's day. Shares of ε as in the paper, 1 : 4 : 3 : 1, of nine tenths; the paper
knows how many people there are and has no times, so people, days and hours get the last tenth. To
its favour a journey that stays in a square stays at one place. The chain may leap, as phones do.

*DP-WHERE* (Mir et al. 2013): homes, work places, distances of commuting by part of the region,
events a person, hours by kind of person, and home or work by hour; even shares of ε. People are at
home or at work only. A work place is drawn at the drawn distance, by the noisy work places there.
"""

import numpy as np

from fpanon_core.aggregates.smoothing import RINGS_KM
from fpanon_core.kernels.table_sums import UNIT
from fpanon_core.model.arrays import offsets_of
from fpanon_core.synthesis.fitted import simplex
from fpanon_core.synthesis.generation import Lives
from tests.benchmarks.likeness import DAY, Events, ends, people_in, squares

GRID = 6
STEPS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128])  # events of a journey
MANY = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])  # of a person, the last one the most
_FINER = 5.0  # people in a finer square for each unit of noise (Qardaji et al. 2013)


def added(user, cell, size):
    """Sums over people of the shares of their rows by cell; of one person ``UNIT`` at most."""
    key, many = np.unique(user * size + cell, return_counts=True)
    share = np.floor(UNIT * (many / np.bincount(user)[key // size]))
    return np.bincount(key % size, share, size).astype(np.int64)


def _histogram(noise, epsilon, sums):
    """Noisy numbers of people, none negative and of the same sum; alike where all is noise."""
    noisy = noise(sums, UNIT, epsilon) / UNIT
    return simplex(noisy) * max(float(noisy.sum()), 1.0)


def _drawn(rng, weights):
    """A column of each row, by its weights."""
    sums = np.cumsum(weights, axis=1)
    sums[:, -1] = np.where(sums[:, -1] > 0, sums[:, -1], 1.0)
    u = rng.random((len(sums), 1)) * sums[:, -1:]
    return np.minimum((sums <= u).sum(axis=1), sums.shape[1] - 1)


def _chosen(rng, weights, many):
    return rng.choice(len(weights), many, p=weights / weights.sum())


def _between(rng, bounds, bins):
    """A whole number of each bin, from its bound to below the next."""
    last = np.append(bounds[1:], bounds[-1] + 1)
    return np.floor(rng.uniform(bounds[bins], last[bins])).astype(np.int64)


def _bin(bounds, values):
    return np.searchsorted(bounds, values, side="right") - 1


def _lives(user, place, wall_min):
    order = np.lexsort((wall_min, user))
    kept = np.unique(user, return_inverse=True)[1]
    return Lives(offsets_of(np.bincount(kept)), place[order], wall_min[order])


def adatrace(fs, ground, epsilon, noise, rng, by_day=False):
    """People each of whom is a journey of the chain, or as many as real ones have days."""
    events, days = Events.of(fs, ground), ground.frame.counts.days
    user, journey = events.user, events.journey if by_day else events.user
    bounds = STEPS if by_day else MANY
    whose = user[np.flatnonzero(np.diff(journey, prepend=-1))]
    square = squares(ground, GRID)
    square = np.unique(square, return_inverse=True)[1]  # those without a place are known to all
    n, cell = int(square.max()) + 1, square[events.place]

    def learnt(share, who, at, size):
        return _histogram(noise, epsilon * share, added(who, at, size))

    people = max(1, round(float(learnt(0.02, np.arange(people_in(events)), 0, 1)[0])))
    if by_day:
        active = learnt(0.04, np.unique(whose), _bin(MANY, np.bincount(whose)), len(MANY))
    else:
        active = learnt(0.04, user, events.wall_min // DAY, days)
    hours = learnt(0.04, user, events.wall_min % DAY // 60, 24)
    dense = learnt(0.05, user, cell, n)
    fine = _finer(ground, square, dense, epsilon)
    in_fine = learnt(0.05, user, fine[events.place], int(fine.max()) + 1)
    step = np.flatnonzero(np.diff(journey) == 0)
    chain = learnt(0.4, user[step], cell[step] * n + cell[step + 1], n * n).reshape(n, n)
    first, last = ends(journey, cell)
    trips = learnt(0.3, whose, first * n + last, n * n)
    lengths = learnt(0.1, whose, _bin(bounds, np.bincount(journey)), len(bounds))

    chain += 1e-9 * dense[None, :] + 1e-12
    chain /= chain.sum(axis=1, keepdims=True)
    each = np.ones(people, np.int64)
    if by_day:
        each = np.minimum(_between(rng, MANY, _chosen(rng, active, people)), days)
    who = np.repeat(np.arange(people), each)
    steps = _between(rng, bounds, _chosen(rng, lengths, len(who)))
    trip = _chosen(rng, trips, len(who))
    paths = _paths(rng, chain, trip // n, trip % n, steps)
    at = np.repeat(np.arange(len(who)), steps)
    path = np.concatenate([p[:many] for p, many in zip(paths, steps, strict=True)])
    new = (np.diff(at, prepend=-1) != 0) | (np.diff(path, prepend=-1) != 0)
    weight = in_fine[fine] / np.bincount(fine)[fine] + 1e-9
    place = np.empty(int(new.sum()), np.int64)
    for own in range(n):
        inside, rows = np.flatnonzero(square == own), np.flatnonzero(path[new] == own)
        place[rows] = inside[_chosen(rng, weight[inside], len(rows))]
    wall = _chosen(rng, hours, len(at)) * 60 + rng.integers(0, 60, len(at))
    if by_day:
        wall += np.concatenate([rng.permutation(days)[:many] for many in each])[at] * DAY
    else:
        wall += _chosen(rng, active, len(at)) * DAY
    wall = wall[np.lexsort((wall, at))]
    return _lives(who[at], place[np.cumsum(new) - 1], wall)


def _finer(ground, square, dense, epsilon):
    """Squares cut into as many as the noise on each allows; numbered over all of them."""
    fine, first = np.empty(len(square), np.int64), 0
    for own, people in enumerate(dense):
        side = max(1, int(np.sqrt(people * epsilon * 0.05 / _FINER)))
        rows = np.flatnonzero(square == own)
        x, y = ground.x_m[rows], ground.y_m[rows]
        column, row = (
            np.minimum((side * (v - v.min()) / max(np.ptp(v), 1e-9)).astype(np.int64), side - 1)
            for v in (x, y)
        )
        fine[rows] = first + np.unique(column * side + row, return_inverse=True)[1]
        first = int(fine[rows].max()) + 1
    return fine


def _paths(rng, chain, first, last, steps):
    """Walks of so many steps from first to last, by the chain given where they end."""
    longest, n = int(steps.max()), len(chain)
    paths = np.empty((len(first), longest), np.int64)
    paths[:, 0] = first
    reach = np.empty((longest, n, n))
    reach[0] = np.eye(n)
    for many in range(1, longest):
        reach[many] = reach[many - 1] @ chain
    for at in range(1, longest):
        rows = np.flatnonzero(steps > at)
        left = steps[rows] - 1 - at
        onward = reach[left][np.arange(len(rows)), :, last[rows]] if len(rows) < 2_000 else None
        if onward is None:
            onward = np.empty((len(rows), n))
            for many in np.unique(left):
                onward[left == many] = reach[many].T[last[rows[left == many]]]
        paths[rows, at] = _drawn(rng, chain[paths[rows, at - 1]] * onward)
    return paths


def dp_where(fs, ground, epsilon, noise, rng):
    """People at home or at work, by the hour."""
    events, share = Events.of(fs, ground), 0.98 / 6
    user, hour, n = events.user, events.wall_min % DAY // 60, len(ground.x_m)
    everybody = np.arange(people_in(events))
    people = float(_histogram(noise, epsilon * 0.02, added(everybody, 0, 1))[0])
    people = max(1, round(people))
    home, work = _home_and_work(events, ground)
    leaf = ground.zones_in(int(0.6 * people * epsilon * share))[ground.zone].astype(np.int64)
    part = ground.zones_in(4)[ground.zone].astype(np.int64)
    many = np.bincount(user)

    def learnt(who, at, size):
        return _histogram(noise, epsilon * share, added(who, at, size))

    def place_of(weights):
        return weights[leaf] / np.bincount(leaf)[leaf] + 1e-12

    ring_m, rings, km = 1_000 * np.array(RINGS_KM), len(RINGS_KM) + 1, len(MANY)
    some = np.flatnonzero(work >= 0)
    homes = place_of(learnt(everybody, leaf[home], int(leaf.max()) + 1))
    works = place_of(learnt(everybody[some], leaf[work[some]], int(leaf.max()) + 1))
    apart = np.hypot(*(v[home[some]] - v[work[some]] for v in (ground.x_m, ground.y_m)))
    ring = np.searchsorted(ring_m, apart, side="right")
    parts = int(part.max()) + 1
    commutes = learnt(some, part[home[some]] * rings + ring, parts * rings).reshape(parts, rings)
    calls = learnt(everybody, np.minimum(_bin(MANY, many), km - 2), km - 1)
    busy = (many >= MANY[5]).astype(np.int64)
    hours = learnt(user, busy[user] * 24 + hour, 48).reshape(2, 24)
    at_work = events.place == work[user]
    known = np.flatnonzero(at_work | (events.place == home[user]))
    where = learnt(user[known], at_work[known] * 24 + hour[known], 48).reshape(2, 24)

    own = _chosen(rng, homes, people)
    number = _between(rng, MANY, _chosen(rng, calls, people))
    job = np.empty(people, np.int64)
    ring = _drawn(rng, commutes[part[own]])
    for person in range(people):
        far = np.hypot(ground.x_m - ground.x_m[own[person]], ground.y_m - ground.y_m[own[person]])
        inside = (np.searchsorted(ring_m, far, side="right") == ring[person]) & (far > 0)
        inside = inside if inside.any() else np.ones(n, bool)
        sums = np.cumsum(works * inside)
        job[person] = min(np.searchsorted(sums, rng.random() * sums[-1], side="right"), n - 1)
    who = np.repeat(np.arange(people), number)
    hour = _drawn(rng, hours[(number >= MANY[5]).astype(int)][who])
    days = rng.integers(0, ground.frame.counts.days, len(who))
    working = rng.random(len(who)) * (where.sum(axis=0)[hour] + 1e-12) < where[1, hour]
    wall = days * DAY + hour * 60 + rng.integers(0, 60, len(who))
    return _lives(who, np.where(working, job[who], own[who]), wall)


def _home_and_work(events, ground):
    """Places with most events, nights thrice, and the other with most, working hours twice."""
    hour, day = events.wall_min % DAY // 60, events.wall_min // DAY
    n, found = len(ground.x_m), []
    working = (hour >= 9) & (hour < 17) & (ground.frame.day_type[day] == 0)
    for weight in (np.where((hour >= 21) | (hour < 7), 3, 1), np.where(working, 2, 1)):
        key, which = np.unique(events.user * n + events.place, return_inverse=True)
        amount = np.bincount(which, weight)
        if found:
            amount[key % n == found[0][key // n]] = -1
        order = np.lexsort((-amount, key // n))
        first = order[np.flatnonzero(np.diff(key[order] // n, prepend=-1))]
        found.append(np.where(amount[first] > 0, key[first] % n, -1))
    return found
