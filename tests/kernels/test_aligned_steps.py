"""What steps are said to cost: never less than they do, and exactly that once it is looked at."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.kernels.aligned_groups import Groups, People, Steps
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
    weigh(samples, np.arange(made), groups, cuts)
    for g in range(made):
        assert np.isclose(groups.loss[g], loss_of(fs, members[g, :k]))
        assert np.isclose(groups.without[g, 0], loss_of(fs, members[g, 1:k]))
    near = np.array([[b for b in range(n) if b != a] for a in range(n)])
    alike = np.array([[loss_of(fs, [a, b]) for b in row] for a, row in enumerate(near)])
    room = (n - 1) * 2 * k
    steps = Steps(
        np.zeros(n, np.int64),
        np.zeros((n, room), np.int32),
        np.zeros((n, room), np.int32),
        np.zeros((n, room)),
        np.zeros((n, room), np.bool_),
        np.full(n, -1),
    )
    people = People(float(k), np.ones(n), np.zeros(n), np.empty(n), np.zeros(1))
    gains_by_leaving(people, groups)
    pairs = list_pairs(near, -1, groups, steps)
    price(samples, near, alike, np.arange(made), pairs, 1.5, people, cuts, groups)
    users = np.arange(n)
    offer(users, pairs, -1, people, groups, steps)
    said = [{}, {}]
    for turn in range(2):
        for a in users:
            for e in range(steps.used[a]):
                g, partner = int(steps.group[a, e]), int(steps.partner[a, e])
                said[turn][a, g, partner] = steps.cost[a, e]
        sharpen(samples, users, room, groups, steps)
    assert said[0].keys() == said[1].keys()
    for (a, g, partner), cost in said[1].items():
        after = [m for m in members[g, :k] if m != partner] + [a]
        exact = loss_of(fs, after) - groups.loss[g]
        assert np.isclose(cost, exact, atol=1e-9)
        assert said[0][a, g, partner] >= exact - 1e-9
