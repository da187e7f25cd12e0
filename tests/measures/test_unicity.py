"""Unicity and anonymity sets against plain sets, to the user; draws and results by hand."""

from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import fpanon_core as fp
from fpanon_core.measures import matching
from fpanon_core.measures.matching import sizes_of
from fpanon_core.model.arrays import CELL
from fpanon_core.model.intervals import wilson_interval
from tests.oracles import unicity as oracle
from tests.support.fingerprint_sets import as_lists, boxes, crowds, events, of_cells
from tests.support.refusals import check_refused

STRATEGIES = ("random", "uniform", "top", "consecutive")
BLOCKS = st.sampled_from([(1 << 20, 64), (90, 7)])  # samples and targets; ends of traces, mostly


@contextmanager
def of_blocks(blocks):
    """Work is cut into blocks of so many samples and targets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_SAMPLES_A_BLOCK", blocks[0])
        patch.setattr(matching, "_TARGETS_A_BLOCK", blocks[1])
        yield


def points_of(knowledge):
    """What is known of each target, as the oracle's samples, in order."""
    rows = [tuple(r) for r in np.column_stack([getattr(knowledge, n) for n in CELL]).tolist()]
    return [rows[a:b] for a, b in zip(knowledge.offsets[:-1], knowledge.offsets[1:], strict=True)]


@st.composite
def dense(draw):
    """Few places and times, so that traces overlap; several events in a sample."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, places = draw(st.integers(1, 40)), draw(st.sampled_from([1, 2, 5]))
    size = n * draw(st.sampled_from([1, 4, 15]))
    user = np.concatenate([np.arange(n), rng.integers(0, n, size)])
    x, y = rng.integers(-places, places, (2, len(user))) * 100.0
    t = rng.integers(0, draw(st.sampled_from([1, 4, 30])), len(user)).astype(float)
    return fp.FingerprintSet.from_samples(user, x, y, t)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(dense(), events(), boxes(), crowds(60)),
    st.data(),
    st.sampled_from(STRATEGIES),
    st.integers(1, 3),
    st.sampled_from([1, 2]),
    BLOCKS,
)
def test_equals_the_oracle(fs, data, strategy, out_of, workers, blocks):
    places = max(len({oracle.place(s) for s in samples}) for samples in as_lists(fs))
    most = places if strategy == "top" else int(fs.lengths.max())
    p, seed = data.draw(st.integers(1, min(most, 6))), data.draw(st.integers(0, 99))
    users = data.draw(st.integers(1, 30))
    knowledge = fp.draw_knowledge(fs, p, strategy=strategy, users=users, seed=seed)
    lists, weight = as_lists(fs), fs.weight.tolist()
    known, timeless = points_of(knowledge), strategy == "top"
    expected = [oracle.size(lists, k, n=weight, timeless=timeless) for k in known]
    engine = fp.LocalEngine(workers)
    with of_blocks(blocks):
        assert fp.anonymity_sets(fs, knowledge, engine=engine).tolist() == expected
        result = fp.unicity(
            fs, p, out_of=out_of, strategy=strategy, users=users, seed=seed, engine=engine
        )
    assert result.sizes.tolist() == expected
    share = oracle.unicity(lists, known, n=weight, timeless=timeless, out_of=out_of)
    assert result.value == result.at(out_of).value == share
    assert 0 <= result.low <= result.value <= result.high <= 1
    assert result.too_few == knowledge.too_few


@settings(max_examples=30, deadline=None)
@given(dense(), st.sampled_from(STRATEGIES), st.integers(1, 2), st.integers(0, 99), BLOCKS)
def test_points_needed_equals_the_oracle(fs, strategy, out_of, seed, blocks):
    with of_blocks(blocks):
        table = fp.points_needed(
            fs, users=12, min_per_month=0, strategy=strategy, out_of=out_of, seed=seed
        )
    lists = as_lists(fs)
    if strategy == "top":
        ordered = [
            oracle.top_places(lists[u], fs.count[fs.rows_of(u)].tolist(), 10**6) for u in table.user
        ]
        known = [[(x, y, 0.0, dx, dy, 0.0) for x, y, dx, dy in some] for some in ordered]
    else:
        p = int(fs.lengths.max())
        known = points_of(fp.draw_knowledge(fs, p, users=12, seed=seed, strategy=strategy))
    expected = [
        oracle.points_needed(lists, k, timeless=strategy == "top", out_of=out_of) for k in known
    ]
    assert [None if np.isnan(v) else int(v) for v in table.points] == expected
    assert table.attrs["never"] == expected.count(None)
    assert ((table.anonymity_set <= out_of) == table.points.notna()).all()


@settings(max_examples=30, deadline=None)
@given(
    dense(),
    st.sampled_from(["random", "uniform", "consecutive"]),
    st.integers(0, 99),
    st.sampled_from([(200.0, 2.0), (400.0, 8.0)]),
)
def test_never_rises_under_nested_generalization_with_the_same_knowledge(fs, strategy, seed, wide):
    """Each bin drawn is carried into the coarser cell that holds it; some then coincide."""
    p = min(3, int(fs.lengths.max()))
    knowledge = fp.draw_knowledge(fs, p, users=15, seed=seed, strategy=strategy)
    before = fp.anonymity_sets(fs, knowledge)
    for metres, minutes in [(100.0, 1.0), wide, (1600.0, 40.0)]:
        seen = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(metres, (0, 0)), minutes))
        bins = {
            int(user): [
                (x // metres * metres, y // metres * metres, t // minutes * minutes)
                for x, y, t, *_ in known
            ]
            for user, known in zip(knowledge.targets, points_of(knowledge), strict=True)
        }
        sizes = fp.anonymity_sets(seen, fp.Knowledge.from_bins(seen, bins))
        assert (sizes >= before).all()
        assert (sizes == 1).mean() <= (before == 1).mean()
        before = sizes


def test_by_hand():
    """Four people, bins named a … d by minute 0 … 3 at one place.

    0: a b c   1: a b   2: a c   3: d
    E({a}) = {0, 1, 2}; E({a, b}) = {0, 1}; E({a, b, c}) = {0}; E({c}) = {0, 2}; E({d}) = {3}.
    """
    fs = fp.FingerprintSet.from_samples(
        [0, 0, 0, 1, 1, 2, 2, 3], [0] * 8, [0] * 8, [0, 1, 2, 0, 1, 0, 2, 3]
    )
    named = {0: "abc", 1: "a", 2: "c", 3: "d"}
    bins = {u: [(0, 0, "abcd".index(c)) for c in letters] for u, letters in named.items()}
    assert fp.anonymity_sets(fs, fp.Knowledge.from_bins(fs, bins)).tolist() == [1, 3, 2, 1]
    # Two points each, user 3 having one only: {0}: two of three; users 1 and 2 have two bins each.
    result = fp.unicity(fs, 2)
    assert result.too_few == 1
    assert result.sizes[1:].tolist() == [2, 2, 1]
    assert result.sizes[0] == (1 if set(_minutes(fs, 0)) == {1, 2} else 2)
    # Three points, everybody known as a whole: 1 is inside 0, 2 is inside 0; 0 and 3 are unique.
    whole = fp.unicity(fs, 3)
    assert whole.sizes.tolist() == [1, 2, 2, 1]
    assert (whole.value, whole.n_found, whole.too_few, whole.n_users) == (0.5, 2, 3, 4)
    assert whole.at(2).value == 1.0
    # Wilson, 2 of 4, z² = 3.8415: middle ½; half-width 1.96/(1 + .9604)·√(.25/4 + 3.8415/64).
    assert (whole.low, whole.high) == pytest.approx((0.1500, 0.8500), abs=1e-4)


def _minutes(fs, user):
    knowledge = fp.draw_knowledge(fs, 2)
    return knowledge.t_min[knowledge.offsets[user] : knowledge.offsets[user + 1]].tolist()


@pytest.mark.parametrize(("found", "of"), [(0, 5), (1, 9), (30, 40), (2500, 2500)])
def test_the_interval_is_wilsons(found, of):
    np.testing.assert_allclose(
        wilson_interval(found, of), binomtest(found, of).proportion_ci(method="wilson"), atol=1e-12
    )


def test_a_fingerprint_that_stands_for_three_is_never_unique():
    """Weights 3 and 1, nothing in common: of four users, the one on its own is unique."""
    fs = of_cells([0, 1], [0, 500], 0.0, 0.0, weight=np.array([3, 1]))
    result = fp.unicity(fs, 1)
    assert result.targets.tolist() == [0, 0, 0, 1]
    assert result.sizes.tolist() == [3, 3, 3, 1]
    assert (result.value, result.n_users) == (0.25, 4)


def test_minus_zero_is_zero():
    fs = of_cells([0, 1], [0.0, -0.0], [-0.0, 0.0], 0.0)
    assert fp.unicity(fs, 1).sizes.tolist() == [2, 2]


def town(n=3_000, samples=40):
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(n), samples)
    home = rng.integers(0, 12, (n, 2))[user]
    x, y = np.floor((home + rng.normal(0, 1.5, (len(user), 2))).T) * 100
    return fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 200, len(user)).astype(float))


def test_unicity_rises_with_p():
    """The points for a smaller p are among those for a larger one: no class grows."""
    found = [fp.unicity(town(800), p, users=500, seed=3) for p in (1, 2, 3, 5)]
    for before, after in pairwise(found):
        assert after.targets.tolist() == before.targets.tolist()
        assert (after.sizes <= before.sizes).all()
        assert after.high >= before.low
    assert found[-1].value > 0.5


def test_several_knowledges_share_an_index():
    fs = town(500)
    some = [fp.draw_knowledge(fs, p, users=70, seed=p) for p in (1, 4)]
    for sizes, knowledge in zip(sizes_of(fs, some), some, strict=True):
        assert sizes.tolist() == fp.anonymity_sets(fs, knowledge).tolist()


def test_a_parameter_out_of_range():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 3])
    check_refused(partial(fp.unicity, fs), "NAME = .*; it must be an integer", p=[0, 2.0, True])
    others = {"out_of": [0], "users": [0], "seed": [-1], "strategy": ["best"]}
    check_refused(partial(fp.unicity, fs, 1), "NAME", **others)


def test_more_points_than_any_trace_has():
    fs = fp.FingerprintSet.from_samples([1, 1, 1, 2], [0] * 4, [0] * 4, [0, 3, 5, 9])
    with pytest.raises(fp.InfeasibleError, match=r"has 4 points: the longest has 3. Choose p ≤ 3"):
        fp.unicity(fs, 4)
    with pytest.raises(fp.InfeasibleError, match=r"has 2 places: the longest has 1. Choose p ≤ 1"):
        fp.unicity(fs, 2, strategy="top")


def test_one_bin_and_one_user():
    alike = fp.FingerprintSet.from_samples([1, 2, 3], [0] * 3, [0] * 3, [0] * 3)
    assert (fp.unicity(alike, 1).value, fp.unicity(alike, 1, out_of=3).value) == (0.0, 1.0)
    assert fp.points_needed(alike, min_per_month=0).attrs["never"] == 3
    with pytest.raises(fp.InfeasibleError, match=r"longest has 1\."):
        fp.unicity(alike)
    assert fp.unicity(alike.subset([0]), 1).value == 1.0


def test_points_needed_takes_the_heavy_users_of_a_thirty_day_month():
    """Ten days, minute 0 of the first to the last minute of the tenth: counts times 3.

    User 0 has 25 events (75 a month), user 1 has 24 (72), user 2 one.
    """
    user = np.repeat([0, 1, 2], [25, 24, 1])
    t = np.concatenate([np.arange(25), np.arange(24), [10 * 1440 - 1]])
    fs = fp.FingerprintSet.from_samples(user, np.zeros(50), np.zeros(50), t)
    table = fp.points_needed(fs)
    assert table.user.tolist() == [0]
    assert table.per_month.tolist() == [75.0]
    # Minute 24 alone sets user 0 apart: the order drawn says when it came.
    assert table.points.between(1, 25).all()
    assert fp.points_needed(fs, min_per_month=72).attrs["never"] == 1  # user 1 is inside user 0
    with pytest.raises(fp.InfeasibleError, match=r"None of the 3 people .* busiest has 75\.0"):
        fp.points_needed(fs, min_per_month=76)
    for wrong in ({"min_per_month": -1}, {"users": 0}, {"out_of": 0}, {"strategy": "best"}):
        with pytest.raises(fp.ConfigError, match=next(iter(wrong))):
            fp.points_needed(fs, **wrong)
