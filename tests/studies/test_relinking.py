"""The re-linking attack against plain loops, by hand, and on generated people."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.anonymize.carrying import noise_in_space, noise_in_time
from fpanon_core.attacks.relinking import (
    likenesses,
    links,
    moves_of,
    traced,
    with_moves,
)
from fpanon_core.model.composition import ATTACKERS
from fpanon_core.studies import relinking
from fpanon_core.studies.relinking import Copies, Part
from tests.oracles import relinking as oracle
from tests.support.fingerprint_sets import as_lists, boxes

DAY = 1_440
ENGINE = fp.LocalEngine(2)


def of_places(days):
    """People by the places, in km east, where each is at 0:05 on each day; None for nowhere."""
    rows = [
        (person, 1_000.0 * km, 0.0, day * DAY + 5.0)
        for person, places in enumerate(days)
        for day, km in enumerate(places)
        if km is not None
    ]
    return fp.FingerprintSet.from_samples(*zip(*rows, strict=True))


def in_days(days):
    return fp.release(of_places(days), fp.Periods(1), seed=0)


def regular(n=150, days=4, seed=3):
    """Generated people, every one of whom has a home and habits."""
    fs, _ = fp.read_cdr(fp.generate_cdr(n, days=days, seed=seed))
    return fp.release(fs, fp.Periods(1), seed=0)


def otherwise(made, **changes):
    """A release whose origin says something else."""
    return fp.ReleasedSet.of(replace(made.origin, **changes))


def figures(found):
    return {k: v for k, v in vars(found).items() if isinstance(v, (int, float))}


# --- against plain loops -------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    boxes(max_users=7, max_samples=6),
    boxes(max_users=7, max_samples=6),
    st.booleans(),
    st.booleans(),
)
def test_the_matching_is_the_best_there_is(one, two, alike, crowded):
    """Of boxes of any size, and of fingerprints that stand for several people."""
    if alike:  # the same places on another day: many ties and near ties
        two = replace(one, t_min=one.t_min + DAY)
    if crowded:  # few bins, with several samples in each
        one, two = (in_few_bins(fs) for fs in (one, two))
    both = [as_lists(fs) for fs in (one, two)]
    bins, traces = of_both(joined(one, two))
    rows = np.arange(one.n_users), one.n_users + np.arange(two.n_users)
    (of, first), (to, second) = (traces.rows(r).grouped(bytes([i])) for i, r in enumerate(rows))
    pairs = likenesses(bins, first, second, 1_000, engine=ENGINE)
    flows = links(pairs, first, second)
    table = np.array(oracle.likeness(both[0], one.weight, both[1], two.weight))
    best, _ = oracle.best_total(table, one.weight, two.weight)
    here, there = (np.unique(groups, return_index=True)[1] for groups in (of, to))
    offsets, column, value = pairs
    found = np.zeros((len(here), len(there)))
    found[column, np.repeat(np.arange(len(there)), np.diff(offsets))] = value
    assert found == pytest.approx(table[np.ix_(here, there)], rel=1e-9)
    total = sum(m * table[here[i], there[j]] for i, j, m in zip(*flows, strict=True))
    assert total == pytest.approx(best, rel=1e-9)
    # One to one, and a link only where records meet.
    assert (np.bincount(flows[0], flows[2], len(here)) <= first.weight).all()
    assert (np.bincount(flows[1], flows[2], len(there)) <= second.weight).all()
    assert all(table[here[i], there[j]] > 0 for i, j in zip(*flows[:2], strict=True))


def of_both(fs):
    return traced(fs, moves_of(fs)[1])


def in_few_bins(fs):
    side, span = np.full(fs.n_samples, 20_000.0), np.full(fs.n_samples, 360.0)
    snapped = {
        name: np.floor(getattr(fs, name) / step) * step
        for name, step in (("x_m", side), ("y_m", side), ("t_min", span))
    }
    return replace(fs, dx_m=side, dy_m=side, dt_min=span, **snapped)


def joined(one, two):
    cells = {
        name: np.concatenate([getattr(one, name), getattr(two, name)])
        for name in ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min", "count", "weight")
    }
    return fp.FingerprintSet(
        user_ids=np.arange(one.n_users + two.n_users),
        offsets=np.concatenate([one.offsets, one.offsets[-1] + two.offsets[1:]]),
        **cells,
    )


@pytest.mark.parametrize("seed", range(4))
def test_people_linked_are_those_of_plain_loops(seed):
    """Of people without two alike, each link of the plain matching is right or wrong."""
    rng = np.random.default_rng(seed)
    user, day = np.repeat(np.arange(12), 10), np.tile(np.arange(2), 60)
    home = rng.uniform(0, 4_000, (2, 12))
    x, y = np.floor((home[:, user] + rng.normal(0, 700, (2, 120))) / 500) * 500
    fs = fp.FingerprintSet.from_samples(user, x, y, day * DAY + rng.integers(0, DAY, 120))
    found = fp.relink_periods(fp.release(fs, fp.Periods(1), seed=0), engine=ENGINE)
    days = [[[c for c in record if c[2] // DAY == d] for record in as_lists(fs)] for d in range(2)]
    table = oracle.likeness(days[0], [1] * 12, days[1], [1] * 12)
    _, pairs = oracle.best_total(table, [1] * 12, [1] * 12)
    made = [(i, j) for i, j in pairs if table[i][j] > 0]
    right = sum(i == j for i, j in made)
    assert 0 < right < 12
    assert found.share == pytest.approx(right / 12)
    assert found.precision == pytest.approx(right / len(made))


COARSE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(2_000), 180))
TECHNIQUES = {
    "as it is": [fp.Periods(1)],
    "areas and windows": [COARSE, fp.Periods(1)],
    "noise": [fp.AddNoise(300, 20), fp.Periods(1)],
    "exchanged": [fp.Permute("positions", window_min=180), fp.Periods(1)],
    "sampled": [fp.SampleUsers(0.8), fp.Periods(1)],
    "without rare cells": [COARSE, fp.SuppressRare(2), fp.Periods(1)],
    "aligned": [fp.Periods(1), fp.Aligned(2)],
    "in groups": [fp.Periods(1), fp.Glove(2)],
}


def sides(made):
    """Groups of one record each by period: cells, people, and each person's group."""
    if made.origin.hidden is None:
        records, person, period = as_lists(made), made.origin.person, made.origin.period
    else:
        hidden = made.origin.hidden
        inside, cells = hidden.group >= 0, as_lists(hidden.published.fingerprints())
        records = [cells[g] for g in hidden.group[inside]]
        person, period = hidden.people[inside], hidden.period[inside]
    found = []
    for number in sorted(set(period.tolist())):
        whose = {
            p: tuple(map(tuple, r))
            for p, d, r in zip(person.tolist(), period.tolist(), records, strict=True)
            if d == number
        }
        found.append(whose)
    return found


@pytest.mark.parametrize("name", TECHNIQUES)
def test_continuity_equals_plain_loops(name):
    """Each pair's gain, and with it the greatest total, on 20 small data sets."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        user = np.repeat(np.arange(8), 8)
        x, y = rng.integers(0, 60, (2, 64)) * 100.0
        fs = fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 2 * DAY, 64))
        made = fp.release(fs, TECHNIQUES[name], seed=seed)
        copies, days = Copies.of(made), sides(made)
        option, hidden = made.origin.option, made.origin.hidden
        spread = noise_in_space(option).variance, noise_in_time(option).variance
        noise = dict(zip(("noise_m2", "noise_min2"), spread, strict=True))
        every = made if hidden is None else hidden.published.fingerprints()
        chance = oracle.learnt(as_lists(every), **noise)
        classes = np.ndindex(len(oracle.GAPS) + 1, len(oracle.WAYS) + 1)
        assert copies.moves.chance.ravel() == pytest.approx([chance[each] for each in classes])
        one, two = (Part.of(copies, day, day) for day in range(2))
        pairs = likenesses(copies.bins, one.groups, two.groups, 1_000, engine=ENGINE)
        moved = with_moves(pairs, copies.moves, one.groups, two.groups, ENGINE)
        here, there = ([None] * len(p.groups.weight) for p in (one, two))
        for part, day, out in ((one, days[0], here), (two, days[1], there)):
            for row, group in zip(part.rows.tolist(), part.group.tolist(), strict=True):
                record = day[int(copies.person[row])]
                first, *_, last = 2 * oracle.in_order(record)
                mine = [*first[:3], *last[:3]]
                # Of records that say the same the one whose ends are the least.
                if out[group] is None or mine < out[group][0]:
                    out[group] = mine, record
        begins, ends = ([r for _, r in side] for side in (here, there))
        table = np.array(
            oracle.continuity(begins, one.groups.weight.tolist(), ends, chance, **noise)
        )
        row = np.repeat(np.arange(len(there)), np.diff(pairs[0]))
        assert moved[2] - pairs[2] == pytest.approx(table[pairs[1], row])
        whole = np.zeros(table.shape)
        whole[pairs[1], row] = moved[2]
        best, _ = oracle.best_total(whole, one.groups.weight, two.groups.weight)
        flows = links(moved, one.groups, two.groups)
        total = sum(m * whole[i, j] for i, j, m in zip(*flows, strict=True))
        assert total == pytest.approx(best)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(TECHNIQUES)))
def test_the_share_reported_is_never_below_an_attacker(seed, name):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 20, (2, 64)) * 100.0
    fs = fp.FingerprintSet.from_samples(
        np.repeat(np.arange(8), 8), x, y, rng.integers(0, 2 * DAY, 64)
    )
    found = fp.relink_periods(fp.release(fs, TECHNIQUES[name], seed=0))
    table = found.by_attacker.set_index("attacker")
    assert list(table.index) == list(ATTACKERS)
    assert (found.share >= table["share"]).all()
    assert (found.high >= table["high"]).all()
    assert (found.alike >= table["alike"]).all()
    assert found.share == table["share"][found.attacker]
    assert found.share <= found.alike


def test_continuity_tells_people_apart_whom_habits_do_not():
    """Twenty people in one place at noon; at midnight each is at a place of their own, once.

    Habits: all share the noon cell, and the late cell of the one day is 200 m from the early cell
    of the next, so that they do not meet. The move does tell: 200 m in ten minutes.
    """
    person = np.tile(np.arange(20), 4)
    x = np.concatenate(
        [np.zeros(20), 3_000.0 * np.arange(20), 3_000.0 * np.arange(20) + 200, np.zeros(20)]
    )
    t = np.repeat([720.0, DAY - 5.0, DAY + 5.0, DAY + 720.0], 20)
    # Somebody makes moves of that kind within a day, from which they are learnt.
    guide = np.full(40, 20)
    x = np.concatenate([x, 90_000 + 200.0 * np.arange(40)])
    fs = fp.FingerprintSet.from_samples(
        np.concatenate([person, guide]), x, 0 * x, np.concatenate([t, 500.0 + 10 * np.arange(40)])
    )
    found = fp.relink_periods(fp.release(fs, fp.Periods(1), seed=0))
    likeness, continuity = found.by_attacker["share"]
    assert likeness < 0.3
    assert continuity == 1.0 == found.share
    assert found.attacker == "likeness and continuity"
    assert found.chained == 1.0


def test_the_move_by_hand():
    """Two last cells, at 0 m and at 5 km; the next day begins 50 m from the first, an hour later.

    Nothing is learnt but the prior: each of the 13 classes of distance has 1/13. Each class has one
    of the two last cells, ½: ln(1 + (1/13)/(1/2)) = ln(1 + 2/13) = 0.1431 for either.
    """
    cells = [(0.0, 0.0, 1_400.0, 100.0, 100.0, 1.0), (5_000.0, 0.0, 1_400.0, 100.0, 100.0, 1.0)]
    begin = (50.0, 0.0, 1_460.0, 100.0, 100.0, 1.0)
    chance = oracle.learnt([[c] for c in [*cells, begin]])
    table = oracle.continuity([[c] for c in cells], [1, 1], [[begin]], chance)
    assert np.array(table) == pytest.approx(np.full((2, 1), np.log(1 + 2 / 13)))
    # Ten moves of under 100 m within an hour or two: (10 + 10·11/23)/20 = 0.739 of the class.
    home = [(0.0, 0.0, 60.0 * n, 100.0, 100.0, 1.0) for n in range(2)]
    chance = oracle.learnt([home] * 10)
    assert oracle.move(*home) == (3, 0)
    assert chance[3, 0] == pytest.approx((10 + 10 * 11 / 23) / 20)
    table = oracle.continuity([[c] for c in cells], [1, 1], [[begin]], chance)
    assert table[0][0] == pytest.approx(np.log(1 + 2 * 0.7391304))
    assert table[1][0] == pytest.approx(np.log(1 + 2 * (10 / 23) / 20))


# --- by hand -------------------------------------------------------------------------------------


def test_ties_count_by_their_chance_and_who_is_away_is_linked_to_nobody():
    # Two at km 0 and one at km 5 on both days; one at km 9 on the first only; another there on the
    # second only.
    found = fp.relink_periods(in_days([(0, 0), (0, 0), (5, 5), (9, None), (None, 9)]))
    row = found.per_pair.iloc[0]
    assert (row["people"], row["next_people"], row["both"]) == (4, 4, 3)
    # All four of the first day are linked, one of them (km 9) to somebody else.
    assert row["links"] == 4
    # Of the two at km 0 either may be either: ½ + ½, and the one at km 5.
    assert row["linked"] == 2.0
    assert found.share == pytest.approx(2 / 3)
    assert found.precision == 0.5
    # Whichever of the two is taken, their cells are the same.
    assert found.alike == 1.0
    # At random: of the two with 2/4, and the one with 1/4.
    assert found.alike_chance == pytest.approx((2 / 4 + 2 / 4 + 1 / 4) / 3)
    # A random matching: each of the three with 1/4.
    assert found.chance == 0.25
    assert found.n_people == 3


def test_the_likeness_by_hand():
    """Two people, one bin each, of whom the second is elsewhere on the second day.

    Day 1: both in the cell C. Day 2: the first in C, the second in D. A bin of day 2 in C: the
    record gives it 1·d, the mean person of day 1 gives it (1 + 1)/2·d = d, so ln 2. A bin of day 1
    in C: the record of day 2 in C gives it d, the mean person of day 2 gives it d/2, so ln 3.
    """
    c, d = (0.0, 0.0, 5.0, 100.0, 100.0, 1.0), (900.0, 0.0, 5.0, 100.0, 100.0, 1.0)
    table = oracle.likeness([[c], [c]], [1, 1], [[c], [d]], [1, 1])
    assert table[0] == pytest.approx([np.log(2) + np.log(3), 0.0])
    # Either of the first day is linked to C; nobody to D. One of two people, by half a chance.
    found = fp.relink_periods(in_days([(0, 0), (0, 0.9)]))
    assert (found.share, found.precision, found.chance) == (0.25, 0.5, 0.5)


def test_a_chain_goes_on_over_a_period_without_a_record():
    # Somebody away on the second day is found again on the third, by what the chain knows.
    found = fp.relink_periods(in_days([(0, None, 0), (5, 5, 5)]))
    assert found.n_people == 1
    assert found.chained == 1.0
    # On the second day at the other's place: taken for the other, 2 of 3 records stay together.
    found = fp.relink_periods(in_days([(0, 5, 0), (5, 0, 5)]))
    assert found.share == 0.0
    assert found.chained == pytest.approx(2 / 3)


def test_somebody_for_whom_a_fingerprint_stands_is_one_of_so_many():
    fs = replace(of_places([(0, 0), (5, 5)]), weight=np.array([2, 1]))
    found = fp.relink_periods(fp.release(fs, fp.Periods(1), seed=0))
    # ½ + ½ of the two, and the third.
    assert (found.n_people, found.share) == (3, pytest.approx(2 / 3))


# --- what the attacker does not see --------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_records_changes_nothing(seed):
    made = few(seed)
    order = np.random.default_rng(seed).permutation(made.n_users)
    origin = made.origin
    shuffled = otherwise(
        made,
        after=origin.released.subset(order),
        person=origin.person[order],
        period=origin.period[order],
    )
    assert figures(fp.relink_periods(made)) == figures(fp.relink_periods(shuffled))


def few(seed):
    """Twelve people near each other on three days, some of them alike."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(12), 6)
    x, t = rng.integers(0, 6, 72) * 500.0, rng.integers(0, 3 * DAY, 72)
    return fp.release(fp.FingerprintSet.from_samples(user, x, 0 * x, t), fp.Periods(1), seed=0)


@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_groups_change_nothing(seed):
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(20), 6)
    x, y = rng.integers(0, 40, (2, 120)) * 100.0
    fs = fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 3 * DAY, 120))
    made = fp.aligned(fp.into_periods(fs, 1, seed=0), 2)
    number = rng.permutation(made.published.n_groups)
    inverse = np.argsort(number)
    cells = made.published.fingerprints().subset(inverse)
    published = replace(
        made.published,
        offsets=cells.offsets,
        n_users=made.published.n_users[inverse],
        **cells.arrays(),
    )
    group = np.where(made.group < 0, -1, number[made.group])
    other = replace(made, published=published, group=group)
    assert figures(fp.relink_periods(made)) == figures(fp.relink_periods(other))


def test_who_is_who_is_not_used():
    made = regular()
    told = fp.relink_periods(made)
    rng = np.random.default_rng(1)
    person = made.origin.person.copy()
    for day in np.unique(made.origin.period):
        rows = np.flatnonzero(made.origin.period == day)
        person[rows] = rng.permutation(person[rows])
    other = fp.relink_periods(otherwise(made, person=person))
    assert told.per_pair["links"].tolist() == other.per_pair["links"].tolist()
    assert told.low > 10 * told.chance
    assert told.chained_low > 1.3 * told.chained_chance
    table = told.per_pair  # all of the pairs together
    assert told.share == pytest.approx(table["linked"].sum() / table["both"].sum())
    assert (table["low"] <= table["share"]).all()
    assert (table["share"] <= table["high"]).all()
    # Days exchanged at random between people: nothing is left but chance.
    assert other.low <= other.chance <= other.high
    assert other.chained_low <= other.chained_chance <= other.chained_high
    assert other.share < 0.05 < told.low


def test_what_is_level_is_not_decided_by_any_order():
    """Nine people at each of forty places, by day at 1 to 9 h, the next day at 13 to 21 h.

    No hour of one day is near one of the other, so that any matching within a place is as good as
    any other; whoever linked the first to the first, by place and time, would be right throughout.
    """
    person, day = np.repeat(np.arange(360), 2), np.tile([0, 1], 360)
    t = day * DAY + 60 * (1 + person % 9 + 12 * day) + 30
    fs = fp.FingerprintSet.from_samples(person, person // 9 * 500.0, 0.0 * person, t)
    found = fp.relink_periods(fp.release(fs, fp.Periods(1), seed=0))
    assert found.precision == found.share
    assert found.low < 1 / 9 < found.high


# --- what it finds -------------------------------------------------------------------------------


def test_hidden_in_each_period_few_are_linked_and_no_more_than_one_in_k():
    fs = regular().origin.original
    made = fp.release(fs, [fp.Periods(2), fp.Aligned(3)], seed=0)
    found, raw = (fp.relink_periods(each) for each in (made, fp.release(fs, fp.Periods(2))))
    assert found.share < raw.low
    assert found.share <= found.alike <= 1
    assert found.share <= 1 / 3
    assert figures(fp.relink_periods(made.origin.hidden)) == figures(found)


def test_noise_is_allowed_for():
    """Noise moves every sample to another cell: by the cells as they are few are found."""
    fs = regular(300).origin.original
    noisy = fp.release(fs, [fp.AddNoise(500), fp.Periods(2)], seed=0)
    plain = otherwise(noisy, option=fp.ReleaseOption(steps=[fp.Periods(2)]))
    assert fp.relink_periods(noisy).share > 2 * fp.relink_periods(plain).share


def test_hours_are_local():
    clock = fp.LocalClock(dt.datetime(2024, 3, 31, tzinfo=dt.UTC), "Europe/Berlin")
    clock = fp.LocalClock.starting_on(clock.epoch, "Europe/Berlin")
    fs = replace(fp.FingerprintSet.from_samples([1], [0], [0], [600]), clock=clock)
    # Ten hours after a midnight that was followed by the change to summer: 11 h.
    assert traced(fs, moves_of(fs)[1])[0].hours.tolist() == [0b111 << 10]


def test_candidates_bound_what_is_weighed():
    made = regular(60)
    few, all_of_them = (fp.relink_periods(made, candidates=n) for n in (1, 60))
    assert all_of_them.share == fp.relink_periods(made).share
    assert (few.per_pair["links"] < all_of_them.per_pair["links"]).all()


# --- faults --------------------------------------------------------------------------------------


def test_faults():
    fs = of_places([(0, 0), (5, 5)])
    cut = fp.release(fs, fp.Periods(1))
    apart = in_days([(0, None), (None, 5)])
    for error, said, made, how in (
        (fp.InfeasibleError, "one period only", fp.release(fs, fp.Periods(7)), {}),
        (fp.InfeasibleError, "two consecutive periods", apart, {}),
        (fp.ConfigError, "not in periods", fp.release(fs, []), {}),
        (fp.ConfigError, "carry no account", fs, {}),
        (fp.ConfigError, "candidates", cut, {"candidates": 0}),
        (fp.ConfigError, "seed", cut, {"seed": -1}),
    ):
        with pytest.raises(error, match=said):
            fp.relink_periods(made, **how)


def test_the_study_makes_the_release_it_is_asked_for():
    fs = regular(40).origin.original
    config = relinking.Config(fp.ReleaseOption(steps=[fp.Periods(1)]))
    made = relinking.study(fs, config)
    assert figures(made.found) == figures(fp.relink_periods(fp.release(fs, fp.Periods(1), seed=0)))
    assert made.digest == fs.digest
    assert made.found.config == config.relink
    assert list(made.tables()) == ["relinked_periods"]
    assert made.to_frame() is made.found.to_frame()
    assert not made.may_leave("relinked_periods")
    given_it = relinking.study(fs, config, fp.release(fs, fp.Periods(2), seed=0))
    assert given_it.found.period_days == 2
