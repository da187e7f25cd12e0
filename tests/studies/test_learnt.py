"""Homes found and expected error: by hand, on generated people, against plain loops."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.attacks.homes import true_homes
from fpanon_core.kernels.home_guesses import median_place

DAYS = 10


def residents(n=120, seed=0, shared=False):
    """People whose homes are known by construction: nights there, days elsewhere."""
    rng = np.random.default_rng(seed)
    home = rng.integers(0, 300, (n, 2)) * 100.0
    if shared:
        home[: n // 3] = home[0]
    rows = []
    for u, day in np.ndindex(n, DAYS):
        nights = rng.integers(0, 360, rng.integers(1, 3))
        rows += [(u, *home[u], day * 1440 + minute) for minute in nights]
        away = zip(rng.integers(0, 300, (3, 2)) * 100.0, rng.integers(480, 1260, 3), strict=True)
        rows += [(u, *place, day * 1440 + minute) for place, minute in away]
    user, x, y, t = np.array(rows).T
    return fp.FingerprintSet.from_samples(user.astype(int), x, y, t), *(home.T + 50)


ONE_CELL = fp.Generalize(fp.GeneralizationProfile(fp.Grid(40_000, (0.0, 0.0)), 1_440 * DAYS))
FINE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000, (0.0, 0.0)), 60))


def test_homes_are_those_people_were_given_and_raw_data_tell_them():
    fs, x, y = residents()
    homes, raw = true_homes(fs), fp.release(fs, [])
    assert np.array_equal(homes.x_m, x)
    assert np.array_equal(homes.y_m, y)
    assert (homes.nights == DAYS).all()
    found = fp.home_found(fs, raw)
    assert found["within_m"].tolist() == [500, 1000, 2000]
    assert found["found"][1] >= 0.9
    assert ((found["low"] <= found["found"]) & (found["found"] <= found["high"])).all()
    assert (found["guessing"] < 0.2).all()
    assert found["people"].tolist() == [fs.n_users] * 3
    error = fp.expected_error(fs, raw)
    assert error.metres < 1
    assert error.low <= error.metres <= error.high
    assert error.guessing_m > 5_000
    assert error.n_targets == len(error.per_target) == 120


def test_nights_are_local_and_one_reaches_over_midnight():
    # Epoch at local midnight of the zone; 23 h and 1 h of the next day are one night.
    t = [23 * 60, 25 * 60, 12 * 60, 47 * 60]
    clock = fp.LocalClock.starting_on(dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC), "Africa/Dakar")
    fs = replace(fp.FingerprintSet.from_samples([0] * 4, [0, 0, 900, 0], [0] * 4, t), clock=clock)
    homes = true_homes(fs)
    assert (homes.x_m[0], homes.y_m[0], homes.nights[0]) == (50.0, 50.0, 2)


@pytest.mark.parametrize("shared", [False, True])
def test_one_cell_for_all_finds_what_guessing_finds(shared):
    fs, _, _ = residents(shared=shared)
    found = fp.home_found(fs, fp.release(fs, ONE_CELL))
    assert found["found"].tolist() == found["guessing"].tolist()
    if shared:
        assert found["guessing"][0] >= 1 / 3


def test_a_crowd_shares_its_home():
    """Of people with one home, all are found, k or no k."""
    together = fp.FingerprintSet.from_samples(
        np.repeat([1, 2, 3, 4], 3), [0] * 12, [0] * 12, [60, 1_500, 2_940] * 4
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
