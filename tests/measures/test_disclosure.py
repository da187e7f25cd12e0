"""Disclosure against the dense matrix, to every user and bin; a worked example by hand.

The example is table 4.1 of Noriega Campero 2015.
"""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.measures import disclosure as module
from fpanon_core.measures.drawing import drawn
from fpanon_core.model.arrays import CELL
from fpanon_core.model.intervals import mean_interval
from tests.measures.test_unicity import STRATEGIES, dense, points_of, town
from tests.oracles import disclosure as oracle
from tests.oracles import intervals as oracle_of_intervals
from tests.oracles import unicity as sets
from tests.support.fingerprint_sets import as_lists, boxes, crowds, events, of_cells

FIGURES = ("em_user", "kl_user", "em_sum_user", "kl_sum_user", "em_bin", "kl_bin")


def table_4_1():
    """Users 1 … 4, and what is known of each; bin j is minute j at one place."""
    own, known = ((1, 3), (1, 3, 4), (3, 4), (2, 4)), ((3,), (1,), (4,), (2, 4))
    user, minute = zip(*((u, b) for u, bins in enumerate(own, 1) for b in bins), strict=True)
    fs = fp.FingerprintSet.from_samples(user, [0] * 9, [0] * 9, minute)
    bins = {u: [(0.0, 0.0, float(b)) for b in some] for u, some in enumerate(known)}
    return fs, fp.Knowledge.from_bins(fs, bins)


def test_table_4_1_by_hand():
    """Users 1 … 4 by row, bins 1 … 5 by minute; nobody was in bin 5.

    D = [[1,0,1,0,0], [1,0,1,1,0], [0,0,1,1,0], [0,1,0,1,0]]; A = {3}, {1}, {4}, {2,4};
    E = {1,2,3}, {1,2}, {2,3,4}, {4}; |D_j| = 2, 1, 3, 3, 0 of 4.
    """
    fs, knowledge = table_4_1()
    presence = list(zip(fs.sample_user.tolist(), fs.t_min.tolist(), strict=True))
    assert presence == [(0, 1), (0, 3), (1, 1), (1, 3), (1, 4), (2, 3), (2, 4), (3, 2), (3, 4)]
    assert np.split(knowledge.t_min, knowledge.offsets[1:-1])[3].tolist() == [2.0, 4.0]
    result = fp.disclosure(fs, knowledge, n_bins=5)
    assert result.sizes.tolist() == [3, 2, 3, 1]
    assert (result.unicity, result.n_users, result.n_bins) == (0.25, 4, 5)
    # (1/3 + 1/2 + 1/3 + 1)/4 = (13/6)/4 = 13/24
    assert result.k_disclosure == pytest.approx(13 / 24, abs=1e-15)
    assert round(result.k_disclosure, 4) == 0.5417
    assert result.bin_users.tolist() == [2, 1, 3, 3]
    # EM_1: P = 2/3, 0, 1, 2/3, 0 against 1/2, 1/4, 3/4, 3/4, 0: (1/6+1/4+1/4+1/12)/5 = 9/60
    # EM_2: P = 1, 0, 1, 1/2: |1 − 1/2| + |0 − 1/4| + |1 − 3/4| + |1/2 − 3/4| + 0 = 5/4; /5 = .25
    # EM_3: P = 1/3, 1/3, 2/3, 1: (1/6 + 1/12 + 1/12 + 1/4)/5 = (7/12)/5 = 7/60
    # EM_4: P = 0, 1, 0, 1: (1/2 + 3/4 + 3/4 + 1/4)/5 = (9/4)/5 = 9/20
    np.testing.assert_allclose(result.em_user, [9 / 60, 0.25, 7 / 60, 9 / 20], rtol=1e-15)
    assert result.em_user[1] == 0.25
    # In all, of each: 5·9/60 = 3/4, 5/4, 5·7/60 = 7/12, 5·9/20 = 9/4; their mean (29/6)/4 = 29/24.
    np.testing.assert_allclose(result.em_sum_user, [3 / 4, 5 / 4, 7 / 12, 9 / 4], rtol=1e-15)
    assert result.em_sum == pytest.approx(29 / 24)
    assert result.em == pytest.approx((9 / 60 + 15 / 60 + 7 / 60 + 27 / 60) / 4)
    # Bin 3: |1 − 3/4|, |1 − 3/4| (this is EM_23 = .25), |2/3 − 3/4|, |0 − 3/4|: (4/3)/4 = 1/3
    assert result.em_bin[2] == pytest.approx(1 / 3)
    # EM_23 alone: user 2 as the only target
    alone = fp.disclosure(fs, fp.Knowledge.from_bins(fs, {1: [(0, 0, 1)]}), n_bins=5)
    assert alone.em_bin.tolist() == [0.5, 0.25, 0.25, 0.25]
    # KL_2: 1·ln(1/½) + 1·ln(1/¾) [bin 2: nobody] + 1·ln(1/¾) + ½·ln(½/¾) + ½·ln(½/¼), over 5
    by_hand = (math.log(2) + 2 * math.log(4 / 3) + (math.log(2 / 3) + math.log(2)) / 2) / 5
    assert alone.kl_user[0] == pytest.approx(by_hand, rel=1e-14)
    # Without the empty bin, means over four.
    assert fp.disclosure(fs, knowledge).em_user[1] == 0.3125
    # The sums do not know of it.
    assert fp.disclosure(fs, knowledge).em_sum == pytest.approx(29 / 24)


def agree(result, expected):
    assert result.sizes.tolist() == expected["sizes"]
    for name in FIGURES:
        got = getattr(result, name)
        np.testing.assert_allclose(got, expected[name], rtol=1e-9, atol=1e-15, err_msg=name)
        assert (got >= 0).all()
    assert result.unicity == expected["unicity"] == result.measure("unicity")
    assert result.k_disclosure == pytest.approx(expected["k"], rel=1e-12) == result.measure("k")
    assert result.em == pytest.approx(expected["em_overall"], rel=1e-9) == result.measure("em")
    assert result.kl == pytest.approx(expected["kl_overall"], rel=1e-9, abs=1e-15)
    for name in ("em_sum", "kl_sum"):
        got = result.measure(name)
        assert got == getattr(result, name) == pytest.approx(expected[name], rel=1e-9, abs=1e-12)
    # No knowledge at all could have made more of anybody.
    assert (result.em_sum_user <= result.em_most).all()
    assert (result.kl_sum_user <= result.kl_most).all()


@settings(max_examples=80, deadline=None)
@given(
    st.one_of(dense(), events(), boxes(), crowds(40)),
    st.data(),
    st.sampled_from(STRATEGIES),
    st.sampled_from([1, 2]),
    st.sampled_from([None, (400.0, 8.0), (1e6, 1e6)]),
    st.sampled_from([0, 3]),
    st.sampled_from([(1 << 16, 1 << 24), (7, 200)]),
)
def test_equals_the_dense_matrix(fs, data, strategy, workers, coarse, empty, pieces):
    if coarse is not None and np.ptp(fs.dx_m) == 0:
        fs = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(coarse[0]), coarse[1]))
    lists, weight = as_lists(fs), fs.weight.tolist()
    places = max(len({sets.place(s) for s in samples}) for samples in lists)
    most = places if strategy == "top" else int(fs.lengths.max())
    p, seed = data.draw(st.integers(1, min(most, 5))), data.draw(st.integers(0, 99))
    users = data.draw(st.integers(1, 20))
    knowledge = fp.draw_knowledge(fs, p, strategy=strategy, users=users, seed=seed)
    bins = oracle.bins_of(lists)
    d = len(bins) + empty
    expected = oracle.disclosure(
        lists, points_of(knowledge), n=weight, timeless=strategy == "top", d=d
    )
    engine = fp.LocalEngine(workers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BINS_A_RANGE", pieces[0])
        patch.setattr(module, "_MEMBERS_A_ROUND", pieces[1])
        result = fp.disclosure(fs, knowledge, n_bins=d if empty else None, engine=engine)
    agree(result, expected)
    columns = np.column_stack([getattr(result, name) for name in CELL])
    assert [tuple(row) for row in columns.tolist()] == bins
    present = oracle.matrix(lists, bins)
    assert result.bin_users.tolist() == (np.array(present).T @ fs.weight).tolist()
    assert (result.n_bins, result.n_users) == (d, sum(weight))
    assert result.sizes.tolist() == fp.anonymity_sets(fs, knowledge).tolist()
    for name in ("unicity", "k", "em", "kl", "em_sum", "kl_sum"):
        low, high = result.interval(name)
        assert low <= result.measure(name) <= high


def test_nothing_is_learnt_where_all_are_alike():
    """Every class is everybody: 0 to the last bit, and k is what guessing gives."""
    fs = fp.FingerprintSet.from_samples(np.repeat(range(7), 3), [0] * 21, [0] * 21, [1, 5, 9] * 7)
    result = fp.disclosure(fs, fp.draw_knowledge(fs, 2))
    assert result.k_disclosure == pytest.approx(1 / 7)
    for name in ("em_user", "kl_user", "em_bin", "kl_bin"):
        assert (getattr(result, name) == 0.0).all()
    assert (result.em, result.kl, result.unicity) == (0.0, 0.0, 0.0)


def test_a_fingerprint_that_stands_for_many_is_as_many_copies():
    release = fp.glove(town(60, 4), 3)
    merged = release.published.fingerprints()
    copies = release.published.fingerprints(np.sort(release.group))
    p = int(merged.lengths.max())
    one, other = (fp.disclosure(fs, fp.draw_knowledge(fs, p)) for fs in (merged, copies))
    for name in ("sizes", "bin_users", *FIGURES):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)


def test_knowledge_from_other_data_that_nobody_fits():
    before = fp.FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0] * 3, [5, 5, 5])
    after = fp.FingerprintSet.from_samples([1, 2, 3], [0, 0, 400], [0] * 3, [5, 5, 5])
    knowledge = fp.draw_knowledge(before, 1)
    assert fp.anonymity_sets(after, knowledge).tolist() == [2, 2, 0]
    with pytest.raises(fp.InfeasibleError, match=r"known about 1 of the 3 targets"):
        fp.disclosure(after, knowledge)


def test_a_bin_everybody_visits_and_one_user_alone():
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 3], [0] * 4, [0] * 4, [0, 5, 0, 0])
    result = fp.disclosure(fs, fp.Knowledge.from_bins(fs, {0: [(0, 0, 5)]}))
    # Bin 0: 1 against 1; bin 5: 1 against 1/3, ln 3.
    assert result.em_bin.tolist() == [0.0, pytest.approx(2 / 3)]
    assert result.kl_bin.tolist() == [0.0, pytest.approx(math.log(3))]
    # What it may be at most: of user 0 alone, (1 − 1) + (1 − 1/3), and over both bins 1 + 1/3.
    assert result.em_most == pytest.approx(2 / 3 + 4 / 3)
    # ln 1 + ln 3, and over both bins 0 (no class can miss the first) − ln(2/3).
    assert result.kl_most == pytest.approx(math.log(3) - math.log(2 / 3))
    for name, most in (("em_sum", result.em_most), ("kl_sum", result.kl_most)):
        assert result.interval(name) == mean_interval(result.measure(name), 1, most)
        assert result.interval(name)[1] > 0.9 * most  # one target: nearly nothing is known
    alone = fp.disclosure(fs.subset([0]), fp.draw_knowledge(fs.subset([0]), 1))
    assert (alone.em, alone.kl, alone.k_disclosure, alone.unicity) == (0.0, 0.0, 1.0, 1.0)


def test_the_interval_of_a_mean_is_hoeffdings():
    """Sizes 3, 2, 3, 1: 1/|E| = 1/3, 1/2, 1/3, 1, mean 13/24 of at most 1, of four targets."""
    fs, knowledge = table_4_1()
    result = fp.disclosure(fs, knowledge)
    assert result.interval("k") == mean_interval(13 / 24, 4)
    low, high = oracle_of_intervals.ends(13 / 24, 4)
    assert result.interval("k") == (pytest.approx(low, abs=2e-4), pytest.approx(high, abs=2e-4))
    assert result.interval("unicity") == (result.unicity_low, result.unicity_high)
    for ask in (result.interval, result.measure):
        with pytest.raises(
            fp.ConfigError, match="Unknown measure 'KL'; give one of unicity, k, em"
        ):
            ask("KL")


def test_of_everyone_of_whom_everything_is_known_nothing_is_open():
    fs = town(60, 4)
    most = int(fs.lengths.max())
    for knowledge, open_ in (
        (drawn(fs, fp.KnowledgeConfig(most + 1), beyond=True), False),  # all bins of everyone
        (fp.draw_knowledge(fs, 1, strategy="top"), False),
        (fp.draw_knowledge(fs, 1, strategy="top", users=59), True),
        (fp.draw_knowledge(fs, 1), True),  # another seed knows other points
        (fp.Knowledge.from_bins(fs, {0: [(fs.x_m[0], fs.y_m[0], fs.t_min[0])]}), True),
    ):
        result = fp.disclosure(fs, knowledge)
        assert result.drawn is open_
        for name in ("k", "em", "kl", "em_sum", "kl_sum"):
            low, high = result.interval(name)
            assert low <= result.measure(name) <= high
            assert (low < high) is open_


def test_too_few_bins_are_refused():
    fs, knowledge = table_4_1()
    with pytest.raises(fp.ConfigError, match="n_bins = 3, but the data have 4 distinct bins"):
        fp.disclosure(fs, knowledge, n_bins=3)
    with pytest.raises(fp.ConfigError, match=r"n_bins = 2\.5"):
        fp.disclosure(fs, knowledge, n_bins=2.5)


def test_by_place():
    """Two places; at x = 0 minutes 1 and 2, at x = 900 minute 1."""
    fs = fp.FingerprintSet.from_samples(
        [1, 1, 2, 2, 3], [0, 0, 0, 900, 900], [0] * 5, [1, 2, 1, 2, 2]
    )
    result = fp.disclosure(fs, fp.draw_knowledge(fs, 1))
    places = result.by_place()
    assert places[["x_m", "y_m", "dx_m", "dy_m"]].values.tolist() == [
        [0, 0, 100, 100],
        [900, 0, 100, 100],
    ]
    assert places.windows.tolist() == [2, 1]
    assert places.samples.tolist() == [3, 2]
    assert places.users_a_window.tolist() == [1.5, 2.0]
    # Bins in order: (0, minute 1), (0, minute 2), (900, minute 2).
    assert places.em.tolist() == [pytest.approx(result.em_bin[:2].mean()), result.em_bin[2]]
    assert places.kl.tolist() == [pytest.approx(result.kl_bin[:2].mean()), result.kl_bin[2]]


def windows(starts, lengths):
    """One user's windows at one place, and a second user in the first of them."""
    user = [0] * len(starts) + [1]
    return of_cells(user, 0.0, 0.0, [*starts, starts[0]], dt=[*lengths, lengths[0]])


def test_by_hour_of_week_spreads_windows_over_the_hours_they_cover():
    """Epoch Wednesday 10 June 2026. Windows: 0:30 + 90 min, and the day after 23:00 + 120 min.

    The first: 30 minutes of hour 0, 60 of hour 1 (day 2). The second: Thursday 23 to Friday 0.
    """
    fs = windows([30.0, 1440 + 23 * 60.0], [90.0, 120.0])
    clock = fp.LocalClock(dt.datetime(2026, 6, 10, tzinfo=dt.UTC), "UTC")
    result = fp.disclosure(fs, fp.draw_knowledge(fs, 1))
    week = result.by_hour_of_week(clock)
    known = week[week.bin_minutes > 0]
    assert list(zip(known.day, known.hour, known.bin_minutes, strict=True)) == [
        (2, 0, 30.0),
        (2, 1, 60.0),
        (3, 23, 60.0),
        (4, 0, 60.0),
    ]
    assert known.em.tolist() == pytest.approx(np.repeat(result.em_bin, 2).tolist())
    assert known.kl.tolist() == pytest.approx(np.repeat(result.kl_bin, 2).tolist())
    assert len(week) == 168
    assert week.em.isna().sum() == 164
    # Without a clock, days count from the first.
    assert result.by_hour_of_week().query("bin_minutes > 0").day.tolist() == [0, 0, 1, 2]


def test_by_hour_of_week_weighs_by_minutes_and_follows_the_clock():
    """Hour 0: 30 minutes of one bin and 60 of the other, which is an hour of a week of hours."""
    fs = windows([0.0, 0.0], [30.0, 7 * 1440.0])
    result = fp.disclosure(fs, fp.draw_knowledge(fs, 1, users=1, seed=1))
    week = result.by_hour_of_week()
    short, long = result.em_bin
    assert week.em[0] == pytest.approx((30 * short + 60 * long) / 90)
    assert week.em[1:].tolist() == pytest.approx([long] * 167)
    # Sunday 29 March 2026 in Berlin has no hour 2: the window from midnight, 3 h, ends at 4.
    clock = fp.LocalClock(dt.datetime(2026, 3, 28, 23, tzinfo=dt.UTC), "Europe/Berlin")
    spring = windows([0.0, 600.0], [180.0, 1.0])
    week = fp.disclosure(spring, fp.draw_knowledge(spring, 1)).by_hour_of_week(clock)
    early = week[(week.bin_minutes > 0) & (week.hour < 6)]
    assert early.day.tolist() == [6, 6, 6]
    assert early.hour.tolist() == [0, 1, 3]
