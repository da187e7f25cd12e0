"""Homes found by each attacker of the battery: by hand, and against plain loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.attacks.homes import noise_likelihood, true_homes
from fpanon_core.model.knowledge import Spread
from fpanon_core.studies.linkage import attacked, homes_asked
from tests.oracles import homes as oracle

TEN_KM = fp.Generalize(fp.GeneralizationProfile(fp.Grid(10_000), 1_440))


def at_night(places, days=1):
    """People who are at a place of their own in each night."""
    user = np.repeat(np.arange(len(places)), days)
    x, y = np.repeat(np.array(places, float), days, axis=0).T
    t = np.tile(60.0 + 1_440 * np.arange(days), len(places))
    return fp.FingerprintSet.from_samples(user, x, y, t)


def by_attacker(found):
    """What each attacker finds within each distance, in the order asked."""
    return {name: each["found"].tolist() for name, each in found.by_attacker.groupby("attacker")}


def test_a_village_in_a_large_cell_by_hand():
    # A cell of 10 km with three homes side by side and one far off; and one with two homes 400 m
    # from each other and one far off.
    village = [(1_000, 1_000), (1_100, 1_000), (1_200, 1_000)]
    lone, beyond = (8_000, 8_000), [(15_000, 2_000), (15_400, 2_000), (19_000, 9_000)]
    fs = at_night([*village, lone, *beyond])
    found = fp.home_found(fs, fp.release(fs, TEN_KM), [1_000, 500])
    row, by = found.iloc[0], by_attacker(found)
    # Guessing: the village, 3 of 7. A cell of 10 km has π 1² / 100 = 3% of its mass within 1 km of
    # its middle: less, so that everybody's guess is the village.
    assert row["guessing"] == by["most_nights"][0] == by["fullest_circle"][0] == 3 / 7
    # By others' homes: for each of the village 2 of 3 others in the cell are there; found. For the
    # one far off, 3 of 3; not found. In the other cell, for each of the two the other one and the
    # one far off are level; the first by x is right. For the one far off, 2 of 2; not found.
    assert by["by_others"] == found["found"].tolist() == [5 / 7, 5 / 7]
    assert found["attacker"].tolist() == ["by_others"] * 2
    assert row["low"] < 5 / 7 < row["high"]


def test_noise_leads_to_the_likeliest_place_of_others():
    # Nights at 400, 2,000 and 2,300 m; the other was at 0, 2,000 and 9,000 m. Alone: no guess.
    x = [400, 2_000, 2_300, 0, 2_000, 9_000]
    fs = fp.FingerprintSet.from_samples([1] * 3 + [2] * 3, x, [0] * 6, 60.0 + 1_440 * np.arange(6))
    for some, expected in ((fs, [2_050, 50]), (fs.subset(np.array([0])), [7, 8])):
        held = attacked(some, fp.release(some, []))
        asked, first = homes_asked(held, true_homes(some), 1), np.array([[7.0, 8.0]] * some.n_users)
        noise, engine = Spread("planar_laplace", 300.0), fp.LocalEngine(1)
        guess = noise_likelihood(some, held.published, asked, noise, first, engine=engine)
        assert guess[0].tolist() == expected


def test_the_person_asked_for_is_not_on_the_map_by_hand():
    # In periods, none of the person's other records is; where nobody else lives: the middle.
    days = at_night([(1_000, 1_000), (8_000, 8_000), (25_000, 0), (25_000, 100)], days=3)
    cut = fp.home_found(days, fp.release(days, [fp.Periods(1), TEN_KM], seed=1), [500])
    assert (cut["people"][0], by_attacker(cut)["by_others"]) == (12, [0.5])
    alone = at_night([(4_900, 4_900), (24_900, 0), (24_900, 100)])
    assert by_attacker(fp.home_found(alone, fp.release(alone, TEN_KM), [500]))["by_others"] == [1.0]


RESOLUTION = fp.GeneralizationProfile(fp.Grid(1_500), 360)
TECHNIQUES = {
    "as they are": [],
    "grid": fp.Generalize(fp.GeneralizationProfile(fp.Grid(700), 60)),
    "wide": fp.Generalize(fp.GeneralizationProfile(fp.Grid(3_000), 720)),
    "planar Laplace": fp.AddNoise(400),
    "Gaussian": fp.AddNoise(700, space="gaussian"),
    "noise in time": fp.AddNoise(0, 120),
    "noise, grid": [fp.AddNoise(500, 30), fp.Generalize(RESOLUTION)],
    "two noises": [fp.AddNoise(300), fp.AddNoise(900, space="gaussian")],
    "permute": fp.Permute(),
    "sample": fp.SampleUsers(0.5),
    "GLOVE": fp.Glove(2),
    "aligned": fp.Aligned(2),
    "periods": fp.Periods(1),
}
NOISE = {
    "planar Laplace": ("planar_laplace", 400.0),
    "Gaussian": ("gaussian", 700.0),
    "noise, grid": ("planar_laplace", 500.0),
    # Of the wider, 3 · 300² and 900² along an axis together.
    "two noises": ("gaussian", 900.0 * (1 + 3 * 300**2 / 900**2) ** 0.5),
}
DISTANCES = [150.0, 640.0, 1_000.0, 1_330.0, 5_000.0]


def drawn(seed, most=9):
    """A few people, each with a few samples of whole hours, by chance close to others."""
    rng = np.random.default_rng(seed)
    rows = [
        (u, *(100 * rng.integers(0, 60, 2)), 1_440 * rng.integers(0, 3) + 60 * rng.integers(0, 24))
        for u in range(rng.integers(4, most))
        for _ in range(rng.integers(2, 8))
    ]
    user, x, y, t = np.array(rows).T
    return fp.FingerprintSet.from_samples(user, x, y, t)


@pytest.mark.parametrize("name", TECHNIQUES)
def test_each_attacker_finds_what_plain_loops_find(name):
    for seed in range(8):
        hold_against_loops(drawn(seed), TECHNIQUES[name], NOISE.get(name), seed)


@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(TECHNIQUES)))
def test_found_never_falls_with_the_distance(seed, name):
    fs = drawn(seed)
    found = found_or_none(fs, fp.release(fs, TECHNIQUES[name], seed=seed))
    if found is None:
        return
    assert found["found"].is_monotonic_increasing
    assert found["guessing"].is_monotonic_increasing
    for at, row in found.iterrows():
        each = found.by_attacker[found.by_attacker["within_m"] == row["within_m"]]
        assert row["found"] == each["found"].max()
        assert row["high"] == each["high"].max()
        assert row["attacker"] in set(each.loc[each["found"] == row["found"], "attacker"]), at
    for _, each in found.by_attacker.groupby("attacker"):
        assert each["found"].is_monotonic_increasing
    # A distance is judged alike whatever else is asked for.
    alone = found_or_none(fs, fp.release(fs, TECHNIQUES[name], seed=seed), DISTANCES[1:2])
    assert alone.iloc[0].tolist() == found.iloc[1].tolist()


@given(seed=st.integers(0, 10**6), weights=st.lists(st.integers(1, 3), min_size=9, max_size=9))
def test_people_of_one_fingerprint_count_as_many(seed, weights):
    fs = drawn(seed)
    fs = replace(fs, weight=np.array(weights[: fs.n_users]))
    hold_against_loops(fs, TECHNIQUES["grid"], None, seed)


def found_or_none(fs, made, distances=DISTANCES):
    """None where nobody's home is known."""
    try:
        return fp.home_found(fs, made, distances)
    except fp.InfeasibleError:
        return None


def hold_against_loops(fs, steps, noise, seed):
    """Every attacker's shares within every distance are those of the plain loops."""
    made = fp.release(fs, steps, seed=seed)
    found = found_or_none(fs, made)
    known = true_homes(fs)
    homes = [
        (float(a), float(b)) if nights else None
        for a, b, nights in zip(known.x_m, known.y_m, known.nights, strict=True)
    ]
    held = attacked(fs, made)
    names = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
    cells = (held.published.cells[name].tolist() for name in names)
    rows = list(zip(*cells, strict=True))
    records = [rows[a:b] for a, b in pairwise(held.published.offsets.tolist())]
    own = [None if at < 0 else at for at in held.published.own.tolist()]
    person, weights = held.person.tolist(), fs.weight.tolist()
    if found is None:
        assert all(own[i] is None or homes[u] is None for i, u in enumerate(person))
        return
    expected = oracle.found(records, own, person, homes, weights, visits_of(fs), noise, DISTANCES)
    assert found["guessing"].tolist() == pytest.approx(expected.pop("guessing"))
    by = by_attacker(found)
    assert set(by) == set(expected)
    for attacker, shares in expected.items():
        assert by[attacker] == pytest.approx(shares), attacker
    if not isinstance(steps, fp.Periods):
        # One place for all is the stronger guesser where the person asked for counts, too.
        less = oracle.one_place_for_all_others(homes, weights)
        everybody = oracle.commonest(homes, weights)[1]
        assert less <= everybody + 1e-12


def visits_of(fs):
    """The middles of the places where each person was."""
    x, y = (fs.x_m + fs.dx_m / 2).tolist(), (fs.y_m + fs.dy_m / 2).tolist()
    at = list(zip(x, y, strict=True))
    return [set(at[a:b]) for a, b in pairwise(fs.offsets.tolist())]
