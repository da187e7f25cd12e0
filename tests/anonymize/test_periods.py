"""Data cut into periods: by the calendar, without a link between a person's pieces."""

import datetime as dt
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import fpanon_core as fp
from fpanon_core.model.periods import days_text
from tests.anonymize.test_shards import crowds_of
from tests.oracles import periods as oracle
from tests.support.fingerprint_sets import as_lists, boxes, of_cells
from tests.support.refusals import check_refused

METHODS = {"glove": fp.glove, "aligned": fp.aligned}


def people(n=24, days=6, each=14, seed=0, clock=None):
    """People with samples at random; some have none on some days."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, each + 1, n)
    user = np.repeat(np.arange(n), lengths)
    x, y = rng.integers(0, 90, (2, len(user))) * 100.0
    fs = fp.FingerprintSet.from_samples(
        [f"ID-{u}" for u in user], x, y, rng.integers(0, days * 1440, len(user))
    )
    return replace(fs, clock=clock)


def berlin(first):
    return fp.LocalClock.starting_on(dt.datetime(*first, 12, tzinfo=dt.UTC), "Europe/Berlin")


# --- the cut -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(boxes(), st.integers(1, 9), st.sampled_from([None, (2026, 3, 27), (2026, 10, 23)]))
def test_pieces_are_those_of_the_calendar(fs, days, first):
    """Over changes of the clock, with samples over edges, weights and equal minutes."""
    clock = None if first is None else berlin(first)
    fs = replace(fs, clock=clock)
    cut = fp.into_periods(fs, days)
    at = (None, None) if clock is None else (clock.epoch, clock.timezone)
    expected = oracle.pieces(as_lists(fs), days, *at)
    keys = zip(cut.person.tolist(), cut.period.tolist(), strict=True)
    assert dict(zip(keys, as_lists(cut.pieces), strict=True)) == expected
    # Each sample is somewhere, once, with its count; nothing is lost, nothing cut.
    assert sorted(cut.sample.tolist()) == list(range(fs.n_samples))
    for name in ("x_m", "t_min", "dt_min", "count"):
        np.testing.assert_array_equal(getattr(cut.pieces, name), getattr(fs, name)[cut.sample])
    np.testing.assert_array_equal(cut.pieces.weight, fs.weight[cut.person])
    assert (cut.days, cut.digest, cut.n_people) == (days, fs.digest, fs.n_users)


def test_a_day_of_23_hours_by_hand():
    """Berlin, 2026-03-29: of 23 h. So 1,439 min after its midnight is the day after, at 0:59."""
    t = [0.0, 1439.0, 1440.0 + 1379.0, 1440.0 + 1380.0]
    fs = replace(
        fp.FingerprintSet.from_samples([1] * 4, [0] * 4, [0] * 4, t), clock=berlin((2026, 3, 28))
    )
    cut = fp.into_periods(fs, 1)
    found = sorted(zip(cut.period.tolist(), cut.pieces.lengths.tolist(), strict=True))
    assert found == [(0, 2), (1, 1), (2, 1)]


def test_a_sample_over_an_edge_is_whole_in_the_period_in_which_it_begins():
    """Cut in two, the halves would touch at midnight in one place: two pieces known for one's."""
    fs = of_cells([0, 0, 1], 0, 0, [1380, 1500, 1439], dt=[120, 60, 60])
    cut = fp.into_periods(fs, 1)
    pieces = sorted(zip(cut.person.tolist(), cut.period.tolist(), strict=True))
    assert pieces == [(0, 0), (0, 1), (1, 0)]
    for method in METHODS.values():
        made = method(cut, 2)
        assert made.published.t_min.tolist()[0] == 1380.0
        assert (made.published.t_min + made.published.dt_min).max() == 1500.0
        assert made.suppressed["reason"].tolist() == ["period of fewer than k"]
        assert fp.verify_k_anonymity(fs, made, 2).passed


def test_samples_longer_than_a_period_are_refused():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 5], granularity_min=2880.0)
    with pytest.raises(fp.ConfigError, match=r"48 h are longer than periods of 1 day"):
        fp.into_periods(fs, 1)
    assert fp.into_periods(fs, 2).pieces.n_users == 2


def test_days_are_whole_and_positive():
    wrong = [0, -1, 1.5, True, "7", None, 10**9]
    check_refused(partial(fp.into_periods, people()), "NAME", days=wrong)


# --- nothing links the pieces of a person --------------------------------------------------------


def test_names_and_order_are_drawn_anew_and_tell_nothing():
    fs = people(200, 8, 40)
    one, other = fp.into_periods(fs, 1), fp.into_periods(fs, 1)
    ids = one.pieces.user_ids.tolist()
    assert len(set(ids)) == len(ids)
    assert not set(ids) & set(other.pieces.user_ids.tolist())
    assert not set(ids) & {str(i) for i in fs.user_ids}
    assert one.person.tolist() != other.person.tolist()
    assert one.pieces.number.tolist() == list(range(1, len(ids) + 1))
    for cut in (one, other):
        at = np.arange(len(cut.person))
        names = np.argsort(np.argsort(cut.pieces.user_ids.astype(str)))
        for before in (cut.person, cut.period):
            for after in (at, names):
                assert stats.spearmanr(before, after).pvalue > 1e-6
        for p in cut.periods[:-1]:  # where a person stands in a period says nothing of the next
            a = {cut.person[r]: r for r in cut.rows_of(p)}
            b = {cut.person[r]: r for r in cut.rows_of(p + 1)}
            both = sorted(a.keys() & b.keys())
            pair = [a[u] for u in both], [b[u] for u in both]
            assert stats.spearmanr(*pair).pvalue > 1e-6


def test_a_seed_is_for_studies():
    fs = people()
    one, same, other = (fp.into_periods(fs, 2, seed=s) for s in (3, 3, 4))
    assert one.pieces.digest == same.pieces.digest != other.pieces.digest
    assert not set(one.pieces.user_ids) & set(other.pieces.user_ids)


# --- people are hidden among those of the same period --------------------------------------------


def parts_alone(fs, period, days):
    """The people of one period as data of their own, in the order of the original."""
    mine = fs.t_min // (days * 1440) == period
    users = fs.sample_user[mine]
    return np.unique(users), fp.FingerprintSet.from_samples(
        users, fs.x_m[mine], fs.y_m[mine], fs.t_min[mine]
    )


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("days", [1, 2, 7])
@pytest.mark.parametrize("more", [{}, {"leftover": "suppress"}, "limits"], ids=str)
def test_each_period_is_hidden_for_itself(name, days, more):
    fs, hide, k = people(), METHODS[name], 3
    if more == "limits":
        more = {"suppress_space_m": 4_000.0, "suppress_time_min": 500.0}
        if name == "aligned":
            more = {"max_side_m": 4_000.0, "max_span_min": 500.0}
    cut = fp.into_periods(fs, days)
    made = hide(cut, k, **more)
    assert made.period_days == days
    assert (made.digest, made.whole_digest) == (cut.pieces.digest, fs.digest)
    losses, samples = 0.0, 0
    for period in cut.periods:
        who, alone = parts_alone(fs, period, days)
        assert (fs.sample_user[cut.sample] == cut.person[cut.pieces.sample_user]).all()
        expected = hide(alone, k, **more)
        groups = crowds_of(expected, who)
        mine = {
            frozenset(made.person[made.members(g)].tolist())
            for g in np.flatnonzero(made.group_period == period)
        }
        assert mine == groups
        n = len(expected.accuracy) - len(expected.suppressed)
        losses += fp.mean_loss(expected) * n if n else 0.0
        samples += n
    assert fp.mean_loss(made) == pytest.approx(losses / samples)
    smallest = [made.members(g).min() for g in range(made.published.n_groups)]
    assert smallest == sorted(smallest)
    for original in (fs, cut):
        verdict = fp.verify_k_anonymity(original, made, k)
        assert verdict.passed, verdict.violations
        assert f"in each period of {days_text(days)}" in str(verdict)
        assert not fp.verify_k_anonymity(original, made, k + 3).passed


def test_who_is_one_person_twice_does_not_make_a_crowd():
    """Two people, two days: four pieces, and nobody to hide among but one other."""
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0] * 4, [0] * 4, [5, 1500, 6, 1501])
    cut = fp.into_periods(fs, 1)
    for method in METHODS.values():
        with pytest.raises(fp.InfeasibleError, match="exceeds the 2 people in the fullest period"):
            method(cut, 3)
        assert method(cut, 2).published.n_groups == 2
        # The pieces as if they were people: one person is twice in a group, and it is found.
        fault = fp.verify_k_anonymity(cut, method(cut.pieces, 3), 3)
        assert "period" in fault.counts


@pytest.mark.parametrize("name", METHODS)
def test_of_a_period_with_too_few_people_nothing_is_published(name):
    """Three people on the first day, one of them on the second: that one is not shown alone."""
    fs = fp.FingerprintSet.from_samples([1, 2, 3, 3], [0] * 4, [0] * 4, [5, 6, 7, 1500])
    made = METHODS[name](fp.into_periods(fs, 1), 2)
    assert made.suppressed["reason"].tolist() == ["period of fewer than k"]
    assert fs.t_min[-1] not in made.published.t_min
    stated = {"users": 3, "users_suppressed": 0, "suppressed_share": 0.25, "periods": 2}
    stated |= {"pieces": 4, "pieces_suppressed": 1, "period_days": 1}
    assert made.summary().items() >= stated.items()
    assert fp.verify_k_anonymity(fs, made, 2).passed


@pytest.mark.parametrize("name", METHODS)
def test_neither_threads_nor_the_order_drawn_change_the_result(name):
    fs = people()
    cut = fp.into_periods(fs, 2)
    given = (cut, 1), (cut, 3), (fp.into_periods(fs, 2), 1)
    one, same, other = (METHODS[name](c, 3, engine=fp.LocalEngine(w)) for c, w in given)
    assert one.group.tolist() == same.group.tolist()
    assert crowds_of(one, one.person * 9 + one.period) == crowds_of(
        other, other.person * 9 + other.period
    )
    assert fp.mean_loss(one) == pytest.approx(fp.mean_loss(other), rel=1e-12)


# --- what the verifier finds ---------------------------------------------------------------------


def two_days():
    """The same six people on both days, near each other."""
    user = np.tile(np.arange(6), 2)
    t = np.repeat([600.0, 2040.0], 6) + user
    fs = fp.FingerprintSet.from_samples(user, user * 100.0, user * 0.0, t)
    return fs, fp.glove(fp.into_periods(fs, 1), 3)


def test_a_group_over_two_periods_is_found():
    fs, made = two_days()
    one = int(np.flatnonzero(made.group_period == 0)[0])
    group = made.group.copy()
    first = made.members(one)
    stranger = np.flatnonzero(made.period == 1)[0]
    group[first[0]], group[stranger] = group[stranger], group[first[0]]
    fault = fp.verify_k_anonymity(fs, replace(made, group=group), 3)
    assert fault.counts["period"] == 2
    assert set(fault.violations["user"]) <= set(range(-1, 6))


def test_what_a_result_says_of_its_pieces_must_be_so():
    fs, made = two_days()
    assert fp.verify_k_anonymity(fs, made, 3).passed
    rows = np.flatnonzero(made.group == 0)
    gone = made.accuracy.loc[made.accuracy["user"].isin(rows), ["user", "sample"]]
    for wrong in (
        {"person": np.where(made.person == 0, 1, made.person)},
        {"period": 1 - made.period},
        {"period_days": 2},
        {"whole_digest": "another"},
        {"suppressed": gone.assign(reason="period of fewer than k")},
    ):
        assert not fp.verify_k_anonymity(fs, replace(made, **wrong), 3).passed, wrong


@pytest.mark.parametrize("hide", METHODS.values(), ids=list(METHODS))
def test_samples_that_overlap_beyond_midnight_begin_no_record_of_the_next_day(hide):
    """Both begin before midnight; the end of the shorter cuts the longer one after it."""
    begin, last = [1_380.0, 1_400.0] * 2, [300.0, 100.0] * 2
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0, 5_000] * 2, [0] * 4, begin)
    fs = replace(fs, dt_min=np.array(last))
    made = hide(fp.into_periods(fs, 1, seed=1), 2)
    assert (made.published.t_min < 1_440).all()
    assert (made.published.t_min + made.published.dt_min).max() == 1_680
    assert (made.accuracy["time_min"] >= last).all()
    assert fp.verify_k_anonymity(fs, made, 2).passed


@settings(max_examples=20, deadline=None)
@given(
    boxes(max_users=14, max_samples=8),
    st.sampled_from([1, 3]),
    st.sampled_from([2, 4]),
    st.sampled_from(["merge", "suppress"]),
)
def test_what_must_hold_of_cells_of_any_extent_and_weight(fs, days, k, leftover):
    cut = fp.into_periods(fs, days)
    assume(max(fs.weight[cut.person[cut.rows_of(p)]].sum() for p in cut.periods) >= k)
    for method in METHODS.values():
        made = method(cut, k, leftover=leftover)
        for original in (fs, cut):
            verdict = fp.verify_k_anonymity(original, made, k)
            assert verdict.passed, verdict.violations


@pytest.mark.parametrize("hide", [fp.glove, fp.aligned])
def test_of_each_period_a_share_may_be_left_out(hide):
    fs = fp.read_cdr(fp.generate_cdr(60, days=3, seed=3), timezone="UTC")[0]
    cut = fp.into_periods(fs, 1, seed=1)
    made = hide(cut, 3, leave_out=0.1)
    assert len(made.left_out) > 0
    assert (made.group[made.left_out] == -1).all()
    for period in cut.periods:
        out = (cut.period[made.left_out] == period).sum()
        assert out <= 0.1 * (cut.period == period).sum()
    listed = made.suppressed.loc[made.suppressed["reason"] == "hardest to hide", "user"]
    assert set(listed) == set(made.left_out.tolist())
    assert fp.verify_k_anonymity(fs, made, 3).passed
    assert fp.verify_k_anonymity(cut, made, 3).passed
    told = replace(made, leave_out=0.01)
    assert not fp.verify_k_anonymity(fs, told, 3).passed
