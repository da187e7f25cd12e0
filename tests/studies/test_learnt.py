"""Homes found and expected error: by hand, on generated people, against plain loops."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.attacks.homes import night_share, true_homes
from fpanon_core.kernels.home_guesses import median_place

DAYS = 10


def residents(n=120, seed=0, shared=False):
    """People whose homes are known by construction: nights there, days elsewhere."""
    rng = np.random.default_rng(seed)
    home_x, home_y = rng.integers(0, 300, (2, n)) * 100.0
    if shared:
        home_x[: n // 3], home_y[: n // 3] = home_x[0], home_y[0]
    user, x, y, t = [], [], [], []
    for u in range(n):
        for day in range(DAYS):
            for _ in range(rng.integers(1, 3)):
                user.append(u)
                x.append(home_x[u])
                y.append(home_y[u])
                t.append(day * 1440 + int(rng.integers(0, 360)))
            for _ in range(3):
                user.append(u)
                x.append(float(rng.integers(0, 300) * 100))
                y.append(float(rng.integers(0, 300) * 100))
                t.append(day * 1440 + int(rng.integers(480, 1260)))
    return fp.FingerprintSet.from_samples(user, x, y, t), home_x + 50, home_y + 50


ONE_CELL = fp.Generalize(fp.GeneralizationProfile(fp.Grid(40_000, (0.0, 0.0)), 1_440 * DAYS))
FINE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000, (0.0, 0.0)), 60))


def test_true_homes_are_those_people_were_given():
    fs, x, y = residents()
    homes = true_homes(fs)
    assert np.array_equal(homes.x_m, x)
    assert np.array_equal(homes.y_m, y)
    assert (homes.nights == DAYS).all()


def test_the_share_of_a_night_by_hand():
    fs = fp.FingerprintSet.from_samples([1], [0], [0], [0])
    # 21 to 23 h: one hour of two; 5 to 7 h: one of two; a day: 8 h of 24; noon to 13 h: none.
    begin, length = np.array([1260.0, 300, 0, 720]), np.array([120.0, 120, 1440, 60])
    assert night_share(fs, begin, length).tolist() == [0.5, 0.5, 1 / 3, 0.0]


def test_nights_are_local_and_one_reaches_over_midnight():
    # Epoch at local midnight of the zone; 23 h and 1 h of the next day are one night.
    t = [23 * 60, 25 * 60, 12 * 60, 47 * 60]
    clock = fp.LocalClock.starting_on(dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC), "Africa/Dakar")
    fs = replace(
        fp.FingerprintSet.from_samples(
            np.zeros(4, np.int64), np.array([0.0, 0, 900, 0]), np.zeros(4), np.array(t, float)
        ),
        clock=clock,
    )
    homes = true_homes(fs)
    assert (homes.x_m[0], homes.y_m[0], homes.nights[0]) == (50.0, 50.0, 2)


def test_raw_data_find_homes():
    fs, _, _ = residents()
    found = fp.home_found(fs, fp.release(fs, []))
    assert found["within_m"].tolist() == [500, 1000, 2000]
    assert found["found"][1] >= 0.9
    assert (found["low"] <= found["found"]).all()
    assert (found["found"] <= found["high"]).all()
    assert (found["guessing"] < 0.2).all()
    assert found["people"].tolist() == [fs.n_users] * 3


@pytest.mark.parametrize("shared", [False, True])
def test_one_cell_for_all_finds_what_guessing_finds(shared):
    fs, _, _ = residents(shared=shared)
    found = fp.home_found(fs, fp.release(fs, ONE_CELL))
    assert found["found"].tolist() == found["guessing"].tolist()
    if shared:
        assert found["guessing"][0] >= 1 / 3


def test_coarser_finds_fewer_and_noise_averages_out():
    fs, _, _ = residents(300)
    kilometre = [1_000]
    fine, wide, near, far = (
        fp.home_found(fs, fp.release(fs, step, seed=1), kilometre)["found"][0]
        for step in (
            FINE,
            fp.Generalize(fp.GeneralizationProfile(fp.Grid(6_000, (0.0, 0.0)), 60)),
            fp.AddNoise(400),
            fp.AddNoise(6_000),
        )
    )
    assert fine > 0.95
    assert wide < 0.3
    # One draw of planar Laplace noise of 400 m is within 1 km in 1 − 3.5 · e^(−2.5) = 71% of
    # cases; some fifteen nights together are so nearly always.
    assert near > 0.9
    assert far < 0.5


def test_a_crowd_shares_its_home():
    fs, _, _ = residents(24)
    hidden = fp.release(fs, fp.Glove(4))
    assert fp.home_found(fs, hidden)["found"].max() <= 1
    # Of people with one home, all are found, k or no k.
    together = fp.FingerprintSet.from_samples(
        np.repeat([1, 2, 3, 4], 3), [0.0, 0, 0] * 4, [0.0] * 12, [60, 1_500, 2_940] * 4
    )
    same = fp.release(together, fp.Glove(4))
    assert fp.home_found(together, same, [500])["found"][0] == 1.0
    assert fp.link(together, same, 2).first == 0.25


def test_who_is_asked_and_who_is_not():
    fs, _, _ = residents(40)
    sampled = fp.home_found(fs, fp.release(fs, fp.SampleUsers(0.5), seed=1), [1_000])
    assert (sampled["people"][0], sampled["unknown"][0]) == (20, 0)
    short = fp.FingerprintSet.from_samples([1, 1, 2, 3], [0] * 4, [0] * 4, [60, 1_500, 60, 700])
    told = fp.home_found(short, fp.release(short, []), [1_000], nights=2)
    assert (told["people"][0], told["unknown"][0], told.attrs["nights"]) == (1, 2, 2)
    assert told.attrs["digest"].startswith("keyed:")
    with pytest.raises(fp.InfeasibleError, match="recorded on at least 3 nights"):
        fp.home_found(short, fp.release(short, []), nights=3)
    for wrong in ("500", [], 500, [-1]):
        with pytest.raises(fp.ConfigError):
            fp.home_found(short, fp.release(short, []), wrong)


def test_one_night_of_a_person_tells_the_home_too():
    fs, _, _ = residents(30)
    cut = fp.release(fs, fp.Periods(1), seed=1)
    found = fp.home_found(fs, cut)
    assert found["people"].tolist() == [30 * DAYS] * 3
    assert found["found"][1] > 0.9
    # Of who was at two places in one minute, nothing tells which.
    error = fp.expected_error(fs, cut, 2)
    assert error.median_m < 1e-3
    assert error.metres < 100


# --- expected error ------------------------------------------------------------------------------


def test_the_median_place_is_least_far():
    rng = np.random.default_rng(1)
    x, y, mass = rng.normal(0, 1_000, 30), rng.normal(0, 3_000, 30), rng.random(30)
    at = median_place(x, y, mass)

    def far(px, py):
        return float((mass * np.hypot(x - px, y - py)).sum())

    least = far(*at)
    for angle in np.linspace(0, 6, 12):
        assert least <= far(at[0] + 20 * math.cos(angle), at[1] + 20 * math.sin(angle)) + 1e-6
    # Of a place with more than half of the mass, the place.
    heavy = median_place(np.array([0.0, 900, 5_000]), np.zeros(3), np.array([3.0, 1, 1]))
    assert math.hypot(*heavy) < 2


def test_raw_data_tell_where_somebody_was():
    fs, _, _ = residents(60)
    found = fp.expected_error(fs, fp.release(fs, []))
    assert found.metres < 1
    assert found.low <= found.metres <= found.high
    assert found.guessing_m > 5_000
    assert found.n_targets == len(found.per_target) == 60


def test_coarser_is_further_off_and_never_better_than_told():
    fs, _, _ = residents(150)
    errors = [
        fp.expected_error(fs, fp.release(fs, step, seed=1)).metres
        for step in ([], FINE, [FINE, fp.AddNoise(3_000)], fp.Glove(5), ONE_CELL)
    ]
    assert errors[0] < errors[1] < errors[2]
    # Middles of squares of 1 km are about 383 m off; where somebody was in two in one hour, 0 to 20
    # km more.
    assert 250 < errors[1] < 2_500
    assert errors[3] > errors[1]
    whole = fp.expected_error(fs, fp.release(fs, ONE_CELL))
    assert whole.metres == pytest.approx(whole.guessing_m)


def test_the_moment_is_none_of_those_known():
    fs, _, _ = residents(50)
    found = fp.expected_error(fs, fp.release(fs, []), 1)
    target = found.per_target
    again = fp.expected_error(fs, fp.release(fs, []), 1, engine=fp.LocalEngine(3))
    assert again.per_target.equals(target)
    few = fp.FingerprintSet.from_samples([1, 1, 2], [0, 5_000, 9_000], [0] * 3, [5, 60, 70])
    # Of who has two samples, one known, the other is asked for; of who has one, that.
    told = fp.expected_error(few, fp.release(few, []), 1)
    assert told.per_target["points_m"].tolist() == [5_000.0, 0.0]
