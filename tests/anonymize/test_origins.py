"""Where a grid begins: by hand, against the oracle, nested, and one cell whatever the centre."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from tests.oracles import origins as oracle
from tests.support.fingerprint_sets import crowds, events

SIDES = (100, 200, 300, 1_000, 2_500, 7_300, 40_000, 400_000, 2_000_000)


def over(fs, side, minutes=60, origin=None):
    return fp.resolve(fs, fp.GeneralizationProfile(fp.Grid(side, origin), minutes)).origin


def places_of(fs):
    """Of each user the lower corners, in whole metres."""
    corners = list(zip(fs.x_m.astype(int).tolist(), fs.y_m.astype(int).tolist(), strict=True))
    return [corners[fs.rows_of(u)] for u in range(fs.n_users)]


def test_by_hand():
    """Four people around a crossing of lines, at (±100, ±100), and one 2,900 m to the east.

    A grid of 1 km from (0, 0) puts each of the five into a cell of their own: (4·1² + 1²)/5 = 1.
    From x = 0 and y = 200, 500 or 700 it makes two pairs and one: (2·2² + 1²)/5 = 1.8; likewise
    with x and y exchanged. From x = 500 and y = 500 the four share a cell: (4² + 1²)/5 = 3.4. From
    x = 200 the four lie in [−800, 200), which holds their lower corners −100 and 100; so they do in
    y: 3.4 as well, and 200 is the smaller shift (a quarter of 1 km, 250 m, rounded down to whole
    hundreds).
    """
    x, y = [-100, 100, -100, 100, 2_900], [-100, -100, 100, 100, 0]
    fs = fp.FingerprintSet.from_samples(range(5), x, y, [0] * 5)
    assert over(fs, 1_000) == (200, 200)
    wide = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(1_000), 60))
    assert wide.x_m.tolist() == [-800] * 4 + [2_200]
    assert wide.y_m.tolist() == [-800] * 5
    quartered = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(1_000, (0, 0)), 60))
    assert len({*zip(quartered.x_m, quartered.y_m, strict=True)}) == 5


def test_people_count_not_visits():
    """A was 45 times at −600 and 45 times at −100; B at 400, C at 500, D far off.

    From x = 0, cells {A}, {B, C}, {D}: (1 + 2² + 1)/4 = 1.5. From 200, as many. From 500, {A},
    {A, B}, {C}, {D}: (1 + 2² + 1 + 1)/5 = 1.4. From 700, {A}, {A, B, C}, {D}: (1 + 3² + 1)/5 = 2.2.
    By visits 200 would be best, as all of A's are in one cell there: (90² + 2² + 1)/93 = 87.2,
    against (45² + 47² + 1)/93 = 45.5.
    """
    user, x = [0] * 90 + [1, 2, 3], [-600, -100] * 45 + [400, 500, 5_000]
    fs = fp.FingerprintSet.from_samples(user, x, [0] * len(x), np.arange(len(x)))
    assert over(fs, 1_000) == (700, 0)


@settings(deadline=None, max_examples=80)
@given(st.one_of(events(), crowds()), st.sampled_from(SIDES), st.integers(1, 8), st.integers(0, 99))
def test_equals_the_oracle(fs, side, most, seed):
    """Fingerprints count for those they stand for."""
    weight = np.random.default_rng(seed).integers(1, most + 1, fs.n_users)
    expected = oracle.origin(places_of(fs), weight.tolist(), side, 100)
    assert over(replace(fs, weight=weight), side) == expected


@settings(deadline=None, max_examples=30)
@given(events(), st.sampled_from(SIDES), st.integers(0, 2**32 - 1))
def test_the_choice_depends_on_who_was_where_alone(fs, side, seed):
    """Not on the order of people, on times, or on how often; and it moves with whole cells."""
    rng = np.random.default_rng(seed)
    user = fs.sample_user
    again = rng.integers(0, fs.n_samples, 20)
    rows = rng.permutation(np.concatenate([np.arange(fs.n_samples), again]))
    other = fp.FingerprintSet.from_samples(
        user[rows], fs.x_m[rows], fs.y_m[rows], rng.uniform(0, 9_000, len(rows))
    )
    assert over(other, side) == over(fs, side)
    far = fp.FingerprintSet.from_samples(user, fs.x_m + 3 * side, fs.y_m - 2 * side, fs.t_min)
    moved, here = over(far, side), over(fs, side)
    assert (moved[0] - here[0]) % side == 0
    assert (moved[1] - here[1]) % side == 0


@settings(deadline=None, max_examples=40)
@given(events(), st.sampled_from([100, 200, 1_000]), st.integers(1, 7), st.integers(0, 99))
def test_one_explicit_origin_nests(fs, side, times, hundreds):
    at = (100.0 * hundreds, -300.0 * hundreds)
    fine = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(side, at), 60))
    wide = fp.GeneralizationProfile(fp.Grid(side * times, at), 180)
    assert fp.generalize(fine, wide).digest == fp.generalize(fs, wide).digest


@settings(deadline=None, max_examples=40)
@given(events(), st.sampled_from([200, 1_000, 7_300]), st.sampled_from([400, 1_000, 30_000]))
def test_data_on_a_grid_stay_whole_in_a_coarser_one(fs, side, wide):
    """The shifts of a second grid are whole cells of the first, wherever that begins."""
    fine = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(side), 1))
    if wide < side:
        return
    first, second = (over(each, s) for each, s in ((fs, side), (fine, wide)))
    for a, b in zip(first, second, strict=True):
        assert (b - a) % side == 0
    base = tuple(a % side for a in first)
    assert second == oracle.origin(places_of(fine), [1] * fs.n_users, wide, side, base)
    if wide % side == 0:
        at_once = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(wide, second), 1))
        out = fp.generalize(fine, fp.GeneralizationProfile(fp.Grid(wide), 1))
        for name in ("offsets", "x_m", "y_m", "t_min", "count"):
            np.testing.assert_array_equal(getattr(out, name), getattr(at_once, name))


def test_the_cell_is_laid_around_the_middle_where_no_quarter_holds_all():
    """Lower corners from −800 to 900: an extent of 1,800 m.

    Of 2 km the origins are 0, 500, 1,000 and 1,500; [−1,000, 1,000) holds all: 1,000. Of 1,800 m
    they are 0, 400, 900 and 1,300, with lines at −1,400, −900, −500, 0, 400 and 900: none does.
    Nothing is to spare: −800. Of 1,900 m the lines are at −1,500, −1,000, −500, 0, 400 and 900.
    100 m are to spare, half of it on the left: −850, in whole raw cells −900.
    """
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [-800, 900, 0], [0, 100, 0], [0] * 3)
    assert over(fs, 2_000)[0] == 1_000
    assert over(fs, 1_800)[0] == -800
    assert over(fs, 1_900)[0] == -900


def test_what_is_given_is_kept():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 150], [0, 0], [0, 3])
    given_one = fp.GeneralizationProfile(fp.Grid(1_000, (30, -70)), 60)
    assert fp.resolve(fs, given_one) is given_one
    clusters = fp.GeneralizationProfile(fp.AntennaClusters(2), 60)
    assert fp.resolve(fs, clusters) is clusters
    once = fp.resolve(fs, fp.GeneralizationProfile(fp.Grid(1_000), 60))
    assert fp.resolve(fs, once) == once
    assert fp.resolve(fs, fp.GeneralizationProfile(fp.Grid(1_000), 60)) == once
    out = fp.generalize(fs, given_one)
    assert (out.x_m[0], out.y_m[0]) == (-970, -70)


@pytest.mark.parametrize("raw", [33.3, 0.1, 12.7])
def test_lines_are_kept_where_the_granularity_is_no_whole_number(raw):
    """3 × 33.3 is not 99.9 to the last digit; raw cells still go where their lower corner is."""
    n = 40
    fs = fp.FingerprintSet.from_samples(
        range(n), (np.arange(n) + 0.5) * raw, [0.5 * raw] * n, [0] * n, granularity_m=raw
    )
    for origin in ((0.0, 0.0), (2 * raw, raw)):
        out = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(3 * raw, origin), 1))
        first = round(origin[0] / raw)
        expected = [(i - first) // 3 for i in range(n)]
        assert np.rint((out.x_m - origin[0]) / (3 * raw)).astype(int).tolist() == expected
    chosen = fp.resolve(fs, fp.GeneralizationProfile(fp.Grid(3 * raw), 1)).origin
    # 40 users a raw cell apart: thirteen cells of three and one of one, as from the next raw cell.
    assert chosen == (0.0, 0.0)
