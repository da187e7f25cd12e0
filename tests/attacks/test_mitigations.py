"""Mitigations by hand and by their promises; tables of the attack after each."""

from functools import partial

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.studies import recovery_factors, recovery_mitigations
from tests.support.refusals import check_refused

ATTACK = [
    *("users", "places", "slots", "night", "day", "whole"),
    *("night_random", "day_random", "whole_random"),
    *("recorded", "recorded_random", "recorded_share", "error_median_m"),
    *("top1", "top2", "top3", "top4", "top5"),
]


def town(n=40, days=2, seed=0):
    """People with a home and a workplace of their own; at work from 9 to 17 h."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, 12, (n, 2, 2)) * 900.0
    t = np.arange(0, days * 1440, 60.0)
    work = (t % 1440 >= 540) & (t % 1440 < 1020)
    here = at[:, work.astype(int)]
    user = np.repeat(np.arange(n), len(t))
    return fp.FingerprintSet.from_samples(user, *here.reshape(-1, 2).T, np.tile(t, n))


def test_coarser_places_by_hand():
    """Centres at 50, 350 and 1150 m: squares of a km hold the first two and the third."""
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 300, 1100], [0] * 3, [0] * 3)
    counts, truth = fp.coarsen(*fp.aggregate_counts(fs), metres=1000)
    assert counts.counts.tolist() == [[2, 1]]
    assert truth.tolist() == [[0], [0], [1]]
    assert (counts.x_m.tolist(), counts.y_m.tolist()) == ([0, 1000], [0, 0])
    assert counts.centres.tolist() == [[500, 500], [1500, 500]]
    assert counts.dx_m.tolist() == [1000, 1000]
    with pytest.raises(fp.ConfigError, match="metres"):
        fp.coarsen(counts, truth, metres=0)


def test_small_counts_by_hand():
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 0, 500], [0] * 3, [0] * 3)
    counts, _ = fp.aggregate_counts(fs)
    assert [fp.suppress_small(counts, k).counts.tolist() for k in (1, 2, 3)] == [
        [[2, 1]],
        [[2, 0]],
        [[0, 0]],
    ]
    with pytest.raises(fp.ConfigError, match="limit"):
        fp.suppress_small(counts, 0)


def test_noise_moves_a_share_of_the_points_at_the_most_frequent_place_to_neighbours():
    """Everybody always at x = 0; others at 1, 2 and 30 km are seen once, far apart in time."""
    user = np.concatenate([np.repeat(np.arange(50), 2), [50, 51, 52]])
    x = np.concatenate([np.zeros(100), [1000, 2000, 30_000]])
    t = np.concatenate([np.tile([0, 5999], 50), [0, 0, 0]])
    counts, truth = fp.aggregate_counts(fp.FingerprintSet.from_samples(user, x, 0 * x, t))
    noisy = fp.noise_at_frequent(counts, truth, share=0.3, neighbours=2, seed=4)
    assert (noisy.totals == counts.totals).all()
    assert 0.28 < 1 - noisy.counts[:, 0].sum() / counts.counts[:, 0].sum() < 0.32
    # The far one's own points move to its two nearest, 2 and 1 km; nobody's move there.
    assert (noisy.counts[:, 3] <= 1).all()
    again, other = (
        fp.noise_at_frequent(counts, truth, share=0.3, neighbours=2, seed=s) for s in (4, 5)
    )
    assert (again.counts == noisy.counts).all()
    assert (other.counts != noisy.counts).any()
    assert (fp.noise_at_frequent(counts, truth, share=0).counts == counts.counts).all()
    everything = fp.noise_at_frequent(counts, truth, share=1)
    assert (everything.counts[:, 0] <= 3).all()
    for wrong in ({"share": -0.1}, {"share": 1.1}, {"neighbours": 0}, {"seed": -1}):
        with pytest.raises(fp.ConfigError, match=next(iter(wrong))):
            fp.noise_at_frequent(counts, truth, **wrong)


def test_one_place_has_no_neighbour():
    with pytest.raises(fp.InfeasibleError, match="only one place"):
        fp.noise_at_frequent(
            *fp.aggregate_counts(fp.FingerprintSet.from_samples([1], [0], [0], [0]))
        )


def factors(fs, progress=None, **settings):
    config = recovery_factors.Config(users=None, **settings)
    return recovery_factors.study(fs, config, progress=progress).levels


def mitigated(fs, progress=None, **settings):
    config = recovery_mitigations.Config(users=None, **settings)
    return recovery_mitigations.study(fs, config, progress=progress).table


def test_factors_have_a_row_for_each_level():
    fs = town()
    seen, levels = [], {"spaces_m": [4000], "slots_min": [60, 180], "people": [10, 25]}
    table = factors(fs, **levels, slot_min=60, progress=seen.append)
    assert list(table) == ["factor", "level", *ATTACK]
    expected = {"space": [0, 4000], "time": [60, 180], "users": [10, 25]}
    assert table.groupby("factor", sort=False)["level"].agg(list).to_dict() == expected
    assert table.users.tolist() == [40, 40, 40, 40, 10, 25]
    assert table.slots.tolist() == [48, 48, 48, 16, 48, 48]
    assert table.places[1] < table.places[0] == fp.aggregate_counts(fs)[0].n_places
    shares = table[[c for c in ATTACK if c not in ("users", "places", "slots", "error_median_m")]]
    assert shares.min(axis=None) >= 0
    assert shares.max(axis=None) <= 1
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)
    assert factors(fs, **levels, slot_min=60).equals(table)
    some = factors(fs, spaces_m=[], slots_min=[])
    assert some.level.tolist() == [0, 5, 10, 20, 40]


def test_mitigations_change_the_attack_and_cost_error():
    fs = town(60)
    seen = []
    table = mitigated(fs, slot_min=60, coarse_m=4000, limit=3, progress=seen.append)
    of, costs = ["mitigation", "setting", "unit"], ["count_error", "count_error_share"]
    assert list(table) == [*of, *ATTACK, *costs]
    coarser = ["none", "longer slots", "coarser places"]
    fewer = ["small counts suppressed", "noise at frequent places"]
    assert table.mitigation.tolist() == [*coarser, *fewer, *["differential privacy"] * 4]
    assert table.unit.tolist() == [""] * 5 + ["user-slot"] * 2 + ["user"] * 2
    assert table.setting.tolist()[1:] == [180, 4000, 3, 0.2, 1, 0.1, 1, 0.1]
    none = table.iloc[0]
    assert (none.count_error, none.count_error_share) == (0, 0)
    assert (table.count_error[1:] > 0).all()
    # Noise for a person's whole record is far more than for one slot; less ε, more noise.
    error = table.count_error.to_numpy()
    assert error[5] < error[6] < error[8]
    assert error[5] < error[7] < error[8]
    for row in (3, 6, 7, 8):
        assert table.whole[row] < none.whole - 0.2
    assert seen == sorted(seen)


def test_costs_of_coarser_counts_by_hand():
    """Slots of 30 min at x = 0 and 100 m: user 1 at 0 and 0, user 2 at 0 and 100.

    Counts [[2, 0], [1, 1]]. One slot of an hour: user 2 is at 0 (a tie): [2, 0], read twice:
    errors 0 0 1 1: mean .5, share 2/4. One square: 2, spread as 1 and 1: errors 1 1 0 0. Below 2:
    [[2, 0], [0, 0]]: errors 0 0 1 1.
    """
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0, 0, 0, 100], [0] * 4, [0, 30, 0, 30])
    table = mitigated(fs, coarse_slot_min=60, coarse_m=1000, limit=2, epsilons=[])
    assert table.count_error[:4].tolist() == [0, 0.5, 0.5, 0.5]
    assert table.count_error_share[:4].tolist() == [0, 0.5, 0.5, 0.5]


def test_slots_that_do_not_fit_and_nobody():
    fs = town(3, 1)
    wrong = {"coarse_slot_min": [45], "slot_min": [7], "epsilons": [[0]], "noise_share": [-1]}
    check_refused(partial(mitigated, fs), **wrong, pairing=["best"])
    check_refused(partial(factors, fs), spaces_m=[[-1]], slots_min=[[7]], people=[[0]])


def test_one_place_and_one_user():
    fs = fp.FingerprintSet.from_samples([1], [0], [0], [0])
    assert "noise at frequent places" not in mitigated(fs, epsilons=[]).mitigation.tolist()
    assert factors(fs).whole.tolist() == [1.0] * 8


def test_private_counts_are_tried_over_the_places_and_days_of_the_data():
    """Four squares of 6 km hold the town, two days 48 slots of an hour; equal in every run."""
    fs = town(30)
    table, again, other = (
        mitigated(fs, slot_min=60, coarse_m=6_000, seed=seed) for seed in (4, 4, 5)
    )
    private = table[table.unit != ""]
    assert private.places.tolist() == [4] * 4
    assert private.slots.tolist() == [48] * 4
    assert again.equals(table)
    assert not other.equals(table)


def test_errors_of_private_counts_are_those_of_the_noise():
    """24 slots × 4 squares, one slot at ε = 1, b = 2: mean |noise| is 2q/(1−q²), q = exp(−½).

    That is 1.92; cut at 0 where the count is 0 it is at least half of it. Everyone is recorded in
    each slot, 30 people, so the share is the mean × 96 counts / (30 × 24).
    """
    table = mitigated(town(30, 1), slot_min=60, coarse_m=6_000, epsilons=[1.0])
    one = table[table.unit == "user-slot"].iloc[0]
    assert 0.96 / 2 < one.count_error < 1.92 * 1.5
    assert one.count_error_share == pytest.approx(one.count_error * 96 / (30 * 24))
