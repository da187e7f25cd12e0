"""What steps are said to cost: never less than they do, and exactly that once it is looked at."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.kernels.aligned_blocks import bench_for, lay_out, lay_out_with, least_loss
from fpanon_core.kernels.aligned_groups import (
    OUT,
    Groups,
    People,
    Rings,
    bound_rings,
    find_rings,
    no_steps,
)
from fpanon_core.kernels.aligned_steps import (
    Cuts,
    gains_by_leaving,
    list_pairs,
    offer,
    price,
    sharpen,
    weigh,
)
from fpanon_core.model.configs import StretchConfig
from tests.support.fingerprint_sets import boxes, crowds, losses_of


def loss_of(fs, members):
    return losses_of(fs, [members], StretchConfig())[0]


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(crowds(max_users=15), boxes(max_users=12, max_samples=8)),
    st.sampled_from([2, 3, 5]),
    st.sampled_from([1, 4, 64]),
)
def test_steps_cost_what_is_said_or_less(fs, k, most_cuts):
    """Also of samples that reach over cuts, and of groups with more cuts than there is room for."""
    n = fs.n_users
    made = n // k
    if made < 2:
        return
    members = np.full((made, 2 * k - 1), -1)
    members[:, :k] = np.arange(made * k).reshape(made, k)
    of = np.where(np.arange(n) < made * k, np.arange(n) // k, -1)
    groups = Groups(
        of,
        members,
        np.full(made, k),
        np.full(made, float(k)),
        np.zeros(made),
        np.zeros((made, 2 * k - 1)),
        np.full(made, -1),
    )
    samples = boxes_of(fs, StretchConfig())
    cuts = Cuts(np.zeros(made, np.int64), np.empty((made, most_cuts)))
    weigh(0, made, samples, np.arange(made), groups, cuts)
    for g in range(made):
        assert np.isclose(groups.loss[g], loss_of(fs, members[g, :k]))
        assert np.isclose(groups.without[g, 0], loss_of(fs, members[g, 1:k]))
    near = np.array([[b for b in range(n) if b != a] for a in range(n)])
    alike = np.array([[loss_of(fs, [a, b]) for b in row] for a, row in enumerate(near)])
    room = (n - 1) * 2 * k
    steps = no_steps(n, room)
    people = People(float(k), np.ones(n), np.zeros(n), np.empty(n), np.zeros(1))
    gains_by_leaving(people, groups)
    pairs = list_pairs(near, -1, groups, steps)
    price(0, made, samples, near, alike, pairs, 1e9, people, cuts, groups)
    cost, limit = pairs.cost[:, : k + 1].copy(), 1.5 * people.saved[pairs.user][:, None]
    price(0, made, samples, near, alike, pairs, 1.5, people, cuts, groups)
    # A limit, and what the others lose later, end no search that would succeed.
    due = np.where(cost < limit, cost, np.inf)
    clear = ~np.isclose(cost, limit, atol=1e-9)
    np.testing.assert_array_equal(pairs.cost[:, : k + 1][clear], due[clear])
    offer(0, n, pairs, -1, people, groups, steps)
    said = [{}, {}]
    for turn in range(2):
        for a in range(n):
            for e in range(steps.used[a]):
                g, partner = int(steps.group[a, e]), int(steps.partner[a, e])
                said[turn][a, g, partner] = steps.cost[a, e]
        sharpen(0, n, samples, room, groups, steps)
    assert said[0].keys() == said[1].keys()
    for (a, g, partner), cost in said[1].items():
        after = [m for m in members[g, :k] if m != partner] + [a]
        exact = loss_of(fs, after) - groups.loss[g]
        assert np.isclose(cost, exact, atol=1e-9)
        assert said[0][a, g, partner] >= exact - 1e-9


LIMITS = st.sampled_from([np.inf, 1.0, 0.999, 0.7, 0.2, 1.2])


def many_or_few():
    return st.one_of(crowds(max_users=8), boxes(max_users=8, max_samples=8))


@settings(max_examples=60, deadline=None)
@given(many_or_few(), LIMITS)
def test_a_newcomer_costs_the_same_beside_the_others_best_blocks(fs, times):
    """The bound by what the others lose later ends no search that would succeed."""
    n, samples = fs.n_users, boxes_of(fs, StretchConfig())
    members, exact = np.arange(n), loss_of(fs, np.arange(n))
    held, bench = bench_for(samples, n), bench_for(samples, n)
    many = lay_out(samples, members, n - 1, held)
    least_loss(held, many, n - 1, np.inf)
    every = lay_out_with(samples, held, many, n - 1, n - 1, bench)
    assert every == fs.n_samples
    limit = exact * times
    assert least_loss(bench, every, n, limit) == (exact if exact <= limit else np.inf)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([2, 3, 4]), st.booleans())
def test_rings_are_the_best_of_all(seed, longest, spare):
    """A beginning counts whose partial sums are all gains; a group of three can spare a member."""
    rng = np.random.default_rng(seed)
    n, made = 10, 4
    of = np.array([0, 0, 1, 1, 2, 2, 3, 3, 2 if spare else OUT, OUT])
    members = np.full((made, 3), -1)
    for g in range(made):
        members[g, : (of == g).sum()] = np.flatnonzero(of == g)
    size = np.bincount(of[of >= 0], minlength=made)
    groups = Groups(
        of,
        members,
        size,
        size.astype(float),
        rng.uniform(3, 5, made),
        rng.uniform(1, 3, (made, 3)),
        np.full(made, -1),
    )
    people = People(2.0, np.ones(n), rng.uniform(0, 1, n), np.zeros(n), np.ones(1))
    every = [(a, of[b], b) for a in range(n) for b in range(n) if of[b] >= 0 and of[a] != of[b]]
    every += [(a, g, -1) for a in range(n) for g in range(made) if of[a] != g]
    some = [every[at] for at in rng.permutation(len(every))[: rng.integers(1, len(every))]]
    cost = {step: round(float(rng.normal(0.3, 1.0)), 3) for step in some}
    cost |= {(a, OUT, -1): float(people.worth[a]) for a in range(n) if of[a] != OUT}
    room = len(every) + n
    steps = no_steps(n, room)
    for (a, g, b), paid in sorted(cost.items(), key=lambda item: item[1]):
        e = steps.used[a]
        steps.group[a, e], steps.partner[a, e], steps.cost[a, e] = g, b, paid
        steps.used[a] += 1

    def best(ring, paid, closed):
        gains = [0.0]
        for (a, g, b), more in cost.items():
            if a != ring[-1] or paid + more >= 0 or g in [of[each] for each in ring[1:]]:
                continue
            if b == ring[0] and closed and len(ring) > 1:
                gains.append(-paid - more)
            elif b < 0:
                if not closed and (g == OUT or g != of[ring[0]]):
                    gains.append(-paid - more)
            elif len(ring) < longest and g != of[ring[0]]:
                gains.append(best([*ring, b], paid + more, closed))
        return max(gains)

    due = np.zeros(n)
    for a in range(n):
        own = of[a]
        if own != OUT:
            due[a] = best([a], 0.0, closed=True)
            if size[own] > 2:
                place = list(members[own]).index(a)
                due[a] = max(
                    due[a], best([a], groups.without[own, place] - groups.loss[own], closed=False)
                )
        else:
            due[a] = best([a], -people.worth[a], closed=False)
    rings = Rings(np.zeros(n), np.full((n, longest), -1), np.empty(n + 1), np.empty(1))
    bound_rings(steps, rings)
    find_rings(0, n, 0, 1_000_000, people, groups, steps, rings)
    np.testing.assert_allclose(rings.gain, due, atol=1e-8)
