"""Techniques: their distributions, their seeds, what they keep, and that they touch no input."""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fpanon_core as fp
from fpanon_core.anonymize.chain import seed_at
from tests.support.fingerprint_sets import boxes, crowds, events
from tests.support.refusals import check_refused

FIELDS = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
PLACE, TIME = ("x_m", "y_m", "dx_m", "dy_m"), ("t_min", "dt_min")
ALL = [
    lambda fs, seed: fp.sample_users(fs, 0.4, seed=seed),
    lambda fs, seed: fp.add_noise(fs, space_m=700, time_min=40, seed=seed),
    lambda fs, seed: fp.add_noise(
        fs, space_m=700, time_min=40, space="gaussian", time="gaussian", seed=seed
    ),
    lambda fs, seed: fp.permute(fs, "positions", window_min=400, seed=seed),
    lambda fs, seed: fp.permute(fs, "times", region_m=9_000, seed=seed),
    lambda fs, seed: fp.suppress_rare(fs, 1, seed=seed),
]
ANY = st.one_of(events(), boxes(), crowds(40))


def counted(fs):
    """The same fingerprints with several events in some samples."""
    return replace(fs, count=1 + np.arange(fs.n_samples) % 3)


def multiset(fs, names, extra=None):
    """Events by the named fields, and by another array."""
    columns = [getattr(fs, n).tolist() for n in names] + ([] if extra is None else [extra.tolist()])
    found = Counter()
    for *key, count in zip(*columns, fs.count.tolist(), strict=True):
        found[tuple(key)] += count
    return found


def same(a, b):
    names = (*FIELDS, "count", "offsets", "number", "weight")
    return all(np.array_equal(getattr(a, n), getattr(b, n)) for n in names)


def assert_is_a_set(fs):
    """Ordered by start, x, y within each user, nothing twice, no user without a sample."""
    rows = list(
        zip(fs.sample_user, fs.t_min, fs.x_m, fs.y_m, fs.dx_m, fs.dy_m, fs.dt_min, strict=True)
    )
    assert rows == sorted(rows)
    assert len(set(rows)) == len(rows)
    assert (fs.lengths > 0).all()


# --- all of them ---------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", ALL)
@settings(max_examples=15, deadline=None)
@given(fs=ANY, seed=st.integers(0, 9))
def test_repeatable_and_touches_nothing(technique, fs, seed):
    fs = counted(fs)
    before = {name: getattr(fs, name).copy() for name in (*FIELDS, "count", "offsets", "weight")}
    digest = replace(fs).digest
    first, again = technique(fs, seed), technique(fs, seed)
    assert same(first, again)
    assert replace(fs).digest == digest
    assert all(np.array_equal(getattr(fs, name), values) for name, values in before.items())
    assert_is_a_set(first)


def test_another_seed_is_another_draw():
    fs = fp.FingerprintSet.from_samples(
        np.arange(300), 900.0 * np.arange(300), np.zeros(300), 7.0 * np.arange(300)
    )
    for technique in ALL[:-1]:
        assert not same(technique(fs, 0), technique(fs, 1))
        with pytest.raises(fp.ConfigError, match="seed"):
            technique(fs, -1)
    with pytest.raises(fp.ConfigError, match="seed"):
        fp.suppress_rare(fs, 1, seed=-1)


# --- sampling ------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(ANY, st.floats(0.001, 1.0), st.integers(0, 9))
def test_sampling_keeps_whole_users(fs, share, seed):
    kept = fp.sample_users(fs, share, seed=seed)
    assert kept.n_users == max(1, int(np.floor(share * fs.n_users + 0.5)))
    rows = kept.number - 1  # numbers run from 1 in the order of the rows
    assert (np.diff(rows) > 0).all()
    assert same(kept, fs.subset(rows))


def test_everybody_is_equally_likely_to_be_sampled():
    """3 of 10 users, 4,000 times: everyone is chosen 1,200 times on average."""
    fs = fp.FingerprintSet.from_samples(np.arange(10), np.zeros(10), np.zeros(10), np.zeros(10))
    chosen = np.concatenate([fp.sample_users(fs, 0.3, seed=s).number for s in range(4_000)])
    # Conservative: without replacement, counts vary less than the test supposes.
    assert stats.chisquare(np.bincount(chosen, minlength=11)[1:]).pvalue > 1e-3


def test_shares_are_checked():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 0])
    wrong = [0, -0.1, 1.01, float("nan"), "all", True, None]
    check_refused(partial(fp.sample_users, fs), "NAME", share=wrong)


# --- noise ---------------------------------------------------------------------------------------

N = 40_000


@pytest.fixture(scope="module")
def scattered():
    """One sample each on a grid of a centimetre and a hundredth of a minute, in mid-span.

    Two of them bound the days, 200,000 minutes to either side: too far to be reflected.
    """
    t = np.full(N, 200_000.0)
    t[:2] = 0, 400_000
    return fp.FingerprintSet.from_samples(
        np.arange(N), np.zeros(N), np.zeros(N), t, granularity_m=0.01, granularity_min=0.01
    )


def test_planar_laplace_is_as_stated(scattered):
    moved = fp.add_noise(scattered, space_m=1_000, seed=3)
    r, angle = np.hypot(moved.x_m, moved.y_m), np.arctan2(moved.y_m, moved.x_m)
    assert stats.kstest(r, stats.gamma(2, scale=1_000).cdf).pvalue > 1e-3
    # The distribution function in closed form, Andrés et al. 2013, §5: 1 − (1 + r/b)·exp(−r/b).
    assert stats.kstest(r / 1_000, lambda u: 1 - (1 + u) * np.exp(-u)).pvalue > 1e-3
    assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3
    assert abs(stats.spearmanr(r, angle).statistic) < 4 / np.sqrt(N)
    assert np.array_equal(moved.t_min, scattered.t_min)


def test_gaussian_noise_in_space_is_as_stated(scattered):
    moved = fp.add_noise(scattered, space_m=300, space="gaussian", seed=4)
    for values in (moved.x_m, moved.y_m):
        assert stats.kstest(values, stats.norm(0, 300).cdf).pvalue > 1e-3
    assert abs(stats.spearmanr(moved.x_m, moved.y_m).statistic) < 4 / np.sqrt(N)


@pytest.mark.parametrize(
    ("time", "expected"), [("laplace", stats.laplace), ("gaussian", stats.norm)]
)
def test_noise_in_time_is_as_stated(scattered, time, expected):
    moved = fp.add_noise(scattered, time_min=45, time=time, seed=5)
    assert stats.kstest(moved.t_min[2:] - 200_000, expected(0, 45).cdf).pvalue > 1e-3
    assert np.array_equal(moved.x_m, scattered.x_m)


def test_times_are_reflected_at_the_ends_of_the_days():
    """All people at minute 10 of the one day there is: |10 + noise| near that end."""
    t = np.full(N, 10.0)
    fs = fp.FingerprintSet.from_samples(
        np.arange(N), np.zeros(N), np.zeros(N), t, granularity_min=0.01
    )
    moved = fp.add_noise(fs, time_min=30, seed=1).t_min
    noise = np.random.default_rng(7).laplace(0, 30, 5 * N)
    folded = np.abs(10 + noise)
    folded = np.where(folded > 1_440, 2_880 - folded, folded)
    assert stats.ks_2samp(moved, folded).pvalue > 1e-3


@settings(max_examples=60, deadline=None)
@given(
    ANY,
    st.sampled_from([0.0, 30.0, 5_000.0]),
    st.sampled_from([0.0, 3.0, 5_000.0]),
    st.sampled_from(["planar_laplace", "gaussian"]),
    st.sampled_from(["laplace", "gaussian"]),
    st.integers(0, 9),
)
def test_noise_keeps_users_events_cells_and_days(fs, space_m, time_min, space, time, seed):
    fs = counted(fs)
    noisy = fp.add_noise(fs, space_m=space_m, time_min=time_min, space=space, time=time, seed=seed)
    assert noisy.n_users == fs.n_users
    for user in range(fs.n_users):
        assert noisy.count[noisy.rows_of(user)].sum() == fs.count[fs.rows_of(user)].sum()
    assert noisy.t_min.min() >= fs.t_min.min() // 1440 * 1440
    assert (noisy.t_min + noisy.dt_min).max() <= -(-(fs.t_min + fs.dt_min).max() // 1440) * 1440
    if (fs.dx_m == fs.granularity_m).all():
        assert (noisy.x_m % 100 == 0).all()
        assert (noisy.dx_m == 100).all()
    else:
        places = set(multiset(fs, PLACE))
        assert set(multiset(noisy, PLACE)) <= places
    if (fs.dt_min == 1).all():
        assert (noisy.t_min % 1 == 0).all()
    else:
        assert set(multiset(noisy, TIME)) <= set(multiset(fs, TIME))
    if space_m == 0 and time_min == 0:
        assert same(noisy, fs)
    elif time_min == 0:
        assert multiset(noisy, TIME, noisy.sample_user) == multiset(fs, TIME, fs.sample_user)
    elif space_m == 0:
        assert multiset(noisy, PLACE, noisy.sample_user) == multiset(fs, PLACE, fs.sample_user)


def test_noise_snaps_to_the_nearest_rectangle():
    """Middles of the regions at 950 and 7,050: whoever is moved past 4,000 is in the other one."""
    fs = fp.FingerprintSet.from_samples(
        np.arange(400) // 2, np.tile([900, 7000], 200), [0] * 400, [0] * 400
    )
    pairs = fp.generalize(
        fp.FingerprintSet.from_samples([1, 1, 1], [900, 2500, 7000], [0] * 3, [0] * 3),
        fp.GeneralizationProfile(fp.AntennaClusters(2), 60),
    )
    assert pairs.dx_m.tolist() == [1700, 100]
    blurred = fp.add_noise(pairs, space_m=4_000, seed=2)
    assert set(blurred.x_m) <= {900.0, 7000.0}
    assert blurred.count.sum() == 3
    squares = fp.add_noise(fs, space_m=10, seed=0)  # a tenth of a square: most stay where they are
    assert (squares.x_m == fs.x_m).mean() > 0.5


def test_windows_of_a_change_of_the_clock_remain_windows():
    """Berlin, 30 March 2024 on: the six-hour window of the change is five hours long."""
    import datetime as dt

    clock = fp.LocalClock(dt.datetime(2024, 3, 29, 23, tzinfo=dt.UTC), "Europe/Berlin")
    t = np.arange(0, 3 * 1440, 10.0)
    raw = replace(
        fp.FingerprintSet.from_samples(
            np.zeros(len(t), int), np.zeros(len(t)), np.zeros(len(t)), t
        ),
        clock=clock,
    )
    fs = fp.generalize(raw, fp.GeneralizationProfile(fp.Grid(100), 360))
    assert 300.0 in fs.dt_min
    noisy = fp.add_noise(fs, time_min=500, seed=1)
    start, length = clock.window(noisy.t_min, 360)
    assert np.array_equal(noisy.t_min, start)
    assert np.array_equal(noisy.dt_min, length)


def test_noise_is_checked():
    fs = fp.FingerprintSet.from_samples([1], [0], [0], [0])
    noisy = partial(fp.add_noise, fs)
    check_refused(noisy, space_m=[-1, "far"], time_min=[np.inf], space=["laplace"], time=["cauchy"])


# --- permutation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["positions", "times"])
@settings(max_examples=60, deadline=None)
@given(ANY, st.sampled_from([(1.0, 100.0), (60.0, 4e3), (1440.0, 9e4)]), st.integers(0, 9))
def test_an_exchange_keeps_both_marginals(what, fs, sizes, seed):
    fs = counted(fs)
    shuffled = fp.permute(fs, what, window_min=sizes[0], region_m=sizes[1], seed=seed)

    def group(f):
        middle = np.column_stack([f.x_m + f.dx_m / 2, f.y_m + f.dy_m / 2])
        region = np.floor(middle / sizes[1]) @ np.array([1.0, 1e6])
        return np.floor(f.t_min / sizes[0]) if what == "positions" else region

    moved, kept = (PLACE, TIME) if what == "positions" else (TIME, PLACE)
    assert multiset(fs, moved, group(fs)) == multiset(shuffled, moved, group(shuffled))
    assert multiset(fs, kept, fs.sample_user) == multiset(shuffled, kept, shuffled.sample_user)


def test_what_one_user_holds_twice_is_one_sample_with_both_counts():
    """User 1 at places 0 and 300 in one minute, user 2 at 0 twice in other minutes of the hour.

    Five events, of places 0 (four: counts 2 + 1 + 1) and 300 (one), however they are exchanged.
    """
    fs = fp.FingerprintSet.from_samples(
        [1, 1, 1, 2, 2], [0, 0, 300, 0, 0], [0] * 5, [5, 5, 5, 20, 30]
    )
    assert fs.count.tolist() == [2, 1, 1, 1]
    seen = set()
    for seed in range(30):
        shuffled = fp.permute(fs, "positions", seed=seed)
        assert multiset(shuffled, ("x_m",)) == {(0.0,): 4, (300.0,): 1}
        assert multiset(shuffled, ("t_min",)) == {(5.0,): 3, (20.0,): 1, (30.0,): 1}
        seen.add(shuffled.n_samples)
    assert seen == {3, 4}  # place 300 with user 2: user 1's three events are one sample


def test_every_arrangement_is_equally_likely():
    """Three people in one hour: six arrangements, 6,000 seeds."""
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 300, 900], [0] * 3, [0, 1, 2])
    drawn = Counter(tuple(fp.permute(fs, seed=seed).x_m) for seed in range(6_000))
    assert len(drawn) == 6
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-3


def test_permutation_is_checked():
    fs = fp.FingerprintSet.from_samples([1], [0], [0], [0])
    check_refused(partial(fp.permute, fs), what=["users"], window_min=[0, 0.5], region_m=[np.nan])
    check_refused(partial(fp.permute, fs, "times"), region_m=[99])


# --- suppression of rare bins --------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.one_of(crowds(40), boxes()), st.integers(1, 4))
def test_rare_bins_go_and_others_stay(fs, least):
    users_of = {}
    for user, *bin_ in zip(fs.sample_user.tolist(), *(getattr(fs, n) for n in FIELDS), strict=True):
        users_of.setdefault(tuple(bin_), set()).add(user)
    visits = {b: sum(int(fs.weight[u]) for u in users) for b, users in users_of.items()}
    expected = {b for b, n in visits.items() if n >= least}
    if not expected:
        with pytest.raises(fp.InfeasibleError, match=f"{max(visits.values())}"):
            fp.suppress_rare(fs, least)
        return
    kept = fp.suppress_rare(fs, least)
    bins = [tuple(row) for row in np.column_stack([getattr(kept, n) for n in FIELDS])]
    assert set(bins) == expected
    whose = Counter(zip(np.array(kept.number)[kept.sample_user].tolist(), bins, strict=True))
    original = [tuple(row) for row in np.column_stack([getattr(fs, n) for n in FIELDS])]
    numbers = np.array(fs.number)[fs.sample_user].tolist()
    assert whose == Counter((u, b) for u, b in zip(numbers, original, strict=True) if b in expected)
    assert same(fp.suppress_rare(kept, least), kept)


# --- chains --------------------------------------------------------------------------------------


def test_a_chain_is_its_techniques_one_after_the_other():
    rng = np.random.default_rng(0)
    x, y, t = rng.uniform(0, [[9_000], [9_000], [3_000]], (3, 600))
    fs = fp.FingerprintSet.from_samples(rng.integers(0, 40, 600), x, y, t)
    profile = fp.GeneralizationProfile(fp.Grid(3_000), 360)
    option = fp.ReleaseOption(
        "all",
        [
            fp.SampleUsers(0.8),
            fp.AddNoise(500, 10),
            fp.Generalize(profile),
            fp.Permute("positions", 720),
            fp.SuppressRare(2),
            fp.Glove(2),
        ],
    )
    by_hand = fp.sample_users(fs, 0.8, seed=seed_at(5, None, 0))
    by_hand = fp.add_noise(by_hand, space_m=500, time_min=10, seed=seed_at(5, None, 1))
    by_hand = fp.generalize(by_hand, profile, seed=seed_at(5, None, 2))
    by_hand = fp.permute(by_hand, "positions", window_min=720, seed=seed_at(5, None, 3))
    by_hand = fp.suppress_rare(by_hand, 2, seed=seed_at(5, None, 4))
    shares = []
    released = fp.release(fs, option, seed=5, progress=shares.append)
    assert same(fp.release(fs, fp.ReleaseOption(steps=option.steps[:-1]), seed=5), by_hand)
    assert released.n_users == by_hand.n_users
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert same(fp.release(fs, fp.ReleaseOption()), fs)
    assert len({seed_at(0, None, 0), seed_at(0, None, 1), seed_at(1, None, 0)}) == 3


def test_glove_that_publishes_nothing_says_so():
    """Both antennas in one rectangle of 90.1 km by 100 m: every sample is wider than the limit."""
    raw = fp.FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    one = fp.generalize(raw, fp.GeneralizationProfile(fp.AntennaClusters(2), 60))
    with pytest.raises(fp.InfeasibleError, match="publish nothing"):
        fp.release(one, fp.Glove(2, suppress_space_m=1_000))
