"""Linkage against plain loops, by hand, and on the samples that are shipped."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.kernels.linkage_density import mean_along, mean_planar
from fpanon_core.measures.drawing import drawn  # which has tests of its own
from tests.oracles import link as oracle
from tests.support.fingerprint_sets import as_lists

GRID = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000, (-300.0, 200.0)), 60))
PLAIN = {"space": None, "time": None, "boxes": False, "by_middle": False, "timeless": False}


def crowd(seed, users=9, longest=7, metres=2_500, minutes=200, least=2):
    """People near each other, so that many bins are shared."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(least, longest + 1, users)
    user = np.repeat(np.arange(users), lengths)
    x, y = rng.integers(-metres // 100, metres // 100, (2, len(user))) * 100.0
    return fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, minutes, len(user)))


# Of each case: the steps and the method; the method's noise is that of the oracle.
LAPLACE, GAUSSIAN, ALONG = "planar_laplace", "gaussian", "laplace"
CASES = {
    "as it is": ([], {}),
    "grid": ([GRID], {}),
    "planar Laplace": ([fp.AddNoise(300)], {"space": (LAPLACE, 300.0)}),
    "fine Laplace": ([fp.AddNoise(60)], {"space": (LAPLACE, 60.0)}),
    "Gaussian": (
        [fp.AddNoise(250, 15, "gaussian", "gaussian")],
        {"space": (GAUSSIAN, 250.0), "time": (GAUSSIAN, 15.0)},
    ),
    "in time": ([fp.AddNoise(0, 20)], {"time": (ALONG, 20.0)}),
    "in both": ([fp.AddNoise(400, 20)], {"space": (LAPLACE, 400.0), "time": (ALONG, 20.0)}),
    "grid, noise": ([GRID, fp.AddNoise(900)], {"space": (LAPLACE, 900.0)}),
    "noise, grid": (
        [fp.AddNoise(500, 30), GRID],
        {"space": (LAPLACE, 500.0), "time": (ALONG, 30.0)},
    ),
    "two noises": (
        [fp.AddNoise(300, 0, "gaussian"), fp.AddNoise(400, 0, "gaussian")],
        {"space": (GAUSSIAN, 500.0)},
    ),
    "sampled": ([GRID, fp.SampleUsers(0.5)], {"share": 0.5}),
    "rare bins": ([GRID, fp.SuppressRare(2)], {}),
    "GLOVE": ([fp.Glove(2)], {"boxes": True}),
    "aligned": ([fp.Aligned(2)], {"boxes": True}),
    "grid, GLOVE": ([GRID, fp.Glove(2)], {"boxes": True}),
}


def carried(steps, cell):
    """A point where noise begins, and as published: in its bin once a grid was laid."""
    binned = oracle.carried(cell, (-300.0, 200.0), 1_000.0, 60.0)
    return binned if steps[:1] == [GRID] else cell, binned if GRID in steps else cell


def published_lists(made):
    """Cells and weights of the distinct records, and whose each original row's is."""
    origin = made.origin
    own = dict.fromkeys(range(origin.original.n_users), -1)
    if origin.hidden is None:
        own |= {int(u): r for r, u in enumerate(origin.person)}
        return as_lists(made), made.weight.tolist(), own
    result = origin.hidden
    groups = result.group[result.group >= 0]
    own |= {int(u): int(g) for u, g in zip(origin.person, groups, strict=True)}
    many = Counter(groups.tolist())
    records = as_lists(result.published.fingerprints())
    return records, [many[g] for g in range(len(records))], own


def asked(original, found, p, strategy="random", seed=0):
    """Points of each target as lists, drawn as the package draws them among those present."""
    present = found.per_target["present"].to_numpy()
    known = []
    for rows in (present, ~present):
        users = np.unique(found.per_target["user"].to_numpy()[rows])
        if len(users):
            known += points_of(
                drawn(original, fp.KnowledgeConfig(p, strategy, 2500, seed), among=users)
            )
    return known


def points_of(known):
    cells = np.column_stack(list(known.arrays().values()))
    return [list(map(tuple, c.tolist())) for c in np.split(cells, known.offsets[1:-1])]


def counted(made):
    """Events behind each published sample, record by record; 1 for each where k hide together."""
    if made.origin.hidden is not None:
        return None
    return [made.count[a:b].tolist() for a, b in pairwise(made.offsets)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("strategy", ["random", "uniform"])
@pytest.mark.parametrize("seed", range(2))
def test_ranks_are_those_of_plain_loops(case, strategy, seed):
    steps, told = CASES[case]
    fs = crowd(seed)
    made = fp.release(fs, steps, seed=seed)
    found = fp.link(fs, made, 2, strategy=strategy, seed=seed)
    records, weights, own = published_lists(made)
    method = PLAIN | {"share": 1.0} | told
    counts = counted(made) if strategy == "random" else None
    rows = found.per_target.to_dict("records")
    for row, points in zip(rows, asked(fs, found, 2, strategy, seed=seed), strict=True):
        mine = own[row["user"]]
        assert row["present"] == (mine >= 0)
        for attacker in ("best_sample", "bayes"):
            known = [{"cell": carried(steps, c)[0]} for c in points]
            better, level, posterior, taken = oracle.ranks(
                method, records, weights, known, mine, attacker, counts
            )
            if mine >= 0:
                assert row[attacker] == (0 if better else pytest.approx(1 / level))
            if attacker != found.attacker:
                continue
            if mine >= 0:
                assert (row["better"], row["level"]) == (better, level)
                assert row["posterior"] == pytest.approx(posterior, abs=1e-9)
            else:
                assert row["accused"] == taken
    by = found.by_attacker.set_index("attacker")
    for attacker in ("best_sample", "bayes"):
        assert by["first"][attacker] == pytest.approx(found.per_target[attacker].mean())
    assert found.first_high == by["high"].max()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("strategy", ["random", "uniform"])
def test_bayes_by_points_as_published_takes_the_likeliest_record(case, strategy):
    """The shortest that fits, where all samples are drawn alike."""
    for seed in range(3):
        fs = crowd(seed, users=12)
        made = fp.release(fs, CASES[case][0], seed=seed)
        found = fp.reidentification(fs, made, 2, strategy=strategy, seed=seed)
        records = as_lists(made)
        events = [made.count[a:b].tolist() for a, b in pairwise(made.offsets)]
        counts = events if strategy == "random" else None
        known = drawn(made, fp.KnowledgeConfig(2, strategy, 2500, seed), beyond=True)
        points = zip(known.targets, points_of(known), strict=True)
        chances = [oracle.shortest_first(records, counts, each, u) for u, each in points]
        row = found.by_attacker.set_index("attacker").loc["bayes_published"]
        assert row["value"] == pytest.approx(np.mean(chances))
        assert row["targets"] == len(chances)


STEPS = [steps for steps, *_ in CASES.values()] + [
    [fp.Permute()],
    [fp.Periods(1)],
    [fp.Periods(1), fp.Glove(2)],
    [GRID, fp.Permute("times")],
]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(STEPS), st.integers(1, 5))
def test_the_risk_is_never_below_any_attacker(seed, steps, p):
    fs = crowd(seed, users=10)
    made = fp.release(fs, steps, seed=seed)
    risk = fp.reidentification(fs, made, p, strategy="uniform", seed=seed)
    linked = fp.link(fs, made, 1, strategy="uniform", seed=seed)
    table = risk.by_attacker.set_index("attacker")
    assert risk.high == table["high"].max()
    assert (risk.value, risk.low, risk.high) == tuple(
        table.loc[risk.attacker, ["value", "low", "high"]]
    )
    assert linked.first_high == max(linked.by_attacker["high"])
    k = next((step.k for step in steps if isinstance(step, fp.Glove)), 1)
    assert (table["value"] <= 1 / k + 1e-12).all()
    assert (table["high"] <= 1 / k + 1e-12).all()
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()


def test_of_two_records_that_fit_the_shorter_is_the_likelier():
    # Both have the bin at minute 5; of a record of one sample it is known for certain, of one of
    # four with a chance of 1/4: a posterior of (1) / (1 + 1/4) = .8 for the shorter.
    user, x, t = [1, 2, 2, 2, 2], [0, 0, 500, 900, 1300], [5, 5, 6, 7, 8]
    fs = fp.FingerprintSet.from_samples(user, x, [0] * 5, t)
    found = fp.link(fs, fp.release(fs, []), 1, strategy="uniform")
    table = found.per_target.set_index("user")
    assert table["bayes"].tolist()[0] == 1.0
    assert table["best_sample"].tolist()[0] == 0.5
    assert found.attacker == "bayes"
    assert table["posterior"][0] == pytest.approx(0.8)


@pytest.mark.parametrize("what", ["positions", "times"])
@pytest.mark.parametrize("seed", range(2))
def test_an_exchange_leaves_what_it_does_not_exchange(what, seed):
    fs = crowd(seed)
    step = fp.Permute(what, window_min=60, region_m=2_000)
    made = fp.release(fs, step, seed=seed)
    found = fp.link(fs, made, 2, seed=seed)
    records, weights, own = published_lists(made)
    everything = [cell for record in records for cell in record]
    name = "place" if what == "positions" else "time"

    def group(cell):
        if what == "positions":
            return math.floor(cell[2] / 60)
        return tuple(math.floor((v + 50) / 2_000) for v in cell[:2])

    def moved(cell):
        return cell[:2] if what == "positions" else cell[2]

    def point(cell):
        inside = [c for c in everything if group(c) == group(cell)]
        alike, among = sum(moved(c) == moved(cell) for c in inside), max(1, len(inside))
        return {"cell": cell, f"same_{name}": 1 / among, f"{name}_share": max(1, alike) / among}

    for row, points in zip(
        found.per_target.to_dict("records"), asked(fs, found, 2, seed=seed), strict=True
    ):
        mine = own[row["user"]]
        method = PLAIN | {"share": 1.0}
        expected = oracle.ranks(method, records, weights, [point(c) for c in points], mine)
        assert (row["better"], row["level"]) == expected[:2]
        assert row["posterior"] == pytest.approx(expected[2], abs=1e-9)


def test_places_without_time():
    """The p most visited places: a record is the likelier, the more of its visits are there."""
    fs = crowd(3, users=30, metres=800)
    made = fp.release(fs, [])
    found = fp.link(fs, made, 2, strategy="top")
    method = PLAIN | {"share": 1.0, "timeless": True}
    everybody = as_lists(fs), [1] * 30
    known = asked(fs, found, 2, "top")
    for row, points in zip(found.per_target.to_dict("records"), known, strict=True):
        cells = [{"cell": (*c[:2], 0.0, *c[3:5], 1.0)} for c in points]
        whose = row["user"], found.attacker, counted(made)
        expected = oracle.ranks(method, *everybody, cells, *whose)
        assert (row["better"], row["level"]) == expected[:2]
    noisy = fp.link(fs, fp.release(fs, fp.AddNoise(500), seed=0), 2, strategy="top")
    assert noisy.first < found.first


# --- what must hold ------------------------------------------------------------------------------


def test_who_is_not_in_the_release_is_asked_apart():
    fs = crowd(0, users=200, metres=20_000, minutes=5_000)
    made = fp.release(fs, fp.SampleUsers(0.25), seed=1)
    found = fp.link(fs, made, 2, users=1_000)
    assert (found.n_present, found.n_absent, found.n_users) == (50, 150, 50)
    table = found.per_target
    assert table.loc[~table["present"], "first"].isna().all()
    assert table.loc[table["present"], "accused"].isna().all()
    assert found.strongest.n_accused == table["accused"].sum()
    frame = found.to_frame()
    assert frame["attacker"].tolist() == ["best_sample", "bayes"]
    assert found.attacker in repr(found)
    assert found.first > 0.95, "points known exactly single people out"
    assert found.accused < 0.05, "and nobody else has them"
    # In coarse data many have the same bins, and somebody is taken for who is not there.
    coarse = [fp.Generalize(fp.GeneralizationProfile(fp.Grid(20_000, (-20_000, -20_000)), 300))]
    wide = fp.link(fs, fp.release(fs, [*coarse, fp.SampleUsers(0.25)], seed=1), 2)
    assert 0 < wide.posterior <= 1
    reading = wide.strongest
    assert reading.n_accused == wide.per_target["accused"].sum() > 0
    assert reading.accused == pytest.approx(reading.n_accused / 150)
    assert reading.accused_low <= reading.accused <= reading.accused_high


def test_a_fingerprint_that_stands_for_several_counts_as_so_many():
    fs = crowd(4, users=6)
    many = replace(fs, weight=np.array([3, 1, 1, 2, 1, 1]))
    found = fp.link(many, fp.release(many, []), 2)
    assert (found.n_users, found.n_present) == (9, 9)
    of_first = found.per_target[found.per_target["user"] == 0]
    assert len(of_first) == 3
    assert (of_first["level"] >= 3).all()
    hidden = fp.link(many, fp.release(many, fp.Glove(2)), 2)
    assert hidden.n_users == 9
    assert hidden.first <= 0.5


def test_in_periods_whoever_guesses_does_so_among_those_of_the_same_period():
    # Three people on the first day, of whom one on the second: (3 · ⅓ + 1 · 1) / 4.
    day = [10.0, 20.0, 30.0, 1_450.0]
    fs = fp.FingerprintSet.from_samples([1, 2, 3, 1], [0, 500, 900, 0], [0] * 4, day)
    found = fp.link(fs, fp.release(fs, fp.Periods(1), seed=0), 1)
    assert (found.guessing, found.n_users) == (0.5, 4)


def test_points_without_times_are_not_asked_of_periods():
    """Whoever knows the period would find more than by looking through all of them."""
    fs = crowd(3, users=20)
    made = fp.release(fs, fp.Periods(1), seed=0)
    for ask in (fp.link, fp.expected_error):
        with pytest.raises(fp.InfeasibleError, match="do not say which period"):
            ask(fs, made, 1, strategy="top")


def test_blurred_knowledge_finds_fewer():
    fs = crowd(7, users=60, metres=8_000, minutes=600)
    made = fp.release(fs, [])
    clear, blurred = (fp.link(fs, made, 2, blur_m=b, blur_min=b / 10) for b in (0, 3_000))
    assert clear.first == 1.0
    assert 0.05 < blurred.first < 0.95
    near = fp.link(fs, fp.release(fs, GRID), 2, blur_m=200, blur_min=5)
    assert near.first > near.guessing


def test_a_chain_through_regions_finds_what_the_release_shows():
    fs = crowd(8, users=40)
    step = fp.Generalize(fp.GeneralizationProfile(fp.AntennaClusters(6), 60))
    some = [fp.SampleUsers(0.9), step]
    for seed in (None, 3):
        for steps in ([step], some, [*some, fp.SuppressRare(1)]):
            made = fp.release(fs, steps, seed=seed)
            found = fp.link(fs, made, 2)
            present = found.per_target["present"].to_numpy()
            assert found.per_target["posterior"][present].min() > 1 / found.n_users - 1e-9


def test_in_periods_each_part_of_a_person_is_asked_for_by_itself():
    fs = crowd(12, users=40, longest=12, metres=3_000, minutes=2_880)
    found = fp.link(fs, fp.release(fs, [GRID, fp.Periods(1)], seed=1), 2)
    pieces = {(u, t // 1_440) for u, t in zip(fs.sample_user, fs.t_min, strict=True)}
    asked = zip(found.per_target["user"], found.per_target["period"], strict=True)
    assert sorted(asked) == sorted(pieces)
    assert found.n_users == len(pieces)
    whole = fp.link(fs, fp.release(fs, [GRID]), 2)
    assert whole.n_users == 40
    hidden = fp.link(fs, fp.release(fs, [fp.Periods(1), fp.Glove(2)], seed=1), 2)
    assert hidden.first <= 0.5
    assert "period" not in whole.per_target


def test_densities_are_those_of_the_noise_and_add_up_to_one():
    # Cells no longer than half the scale: the density at their middle.
    at = mean_planar(400.0, 50.0, 50.0, 300.0, 700.0, 100.0, 100.0)
    assert at == pytest.approx(oracle.planar_laplace(400.0, 300.0, 700.0), rel=1e-12)
    assert mean_along(2, 30.0, 5.5, 20.0, 1.0) == pytest.approx(oracle.laplace(30.0, 15.0))
    assert mean_along(3, 30.0, 5.5, 20.0, 1.0) == pytest.approx(oracle.gaussian(30.0, 15.0))
    x = np.arange(-12_000.0, 12_000.0, 2_000.0)
    total = sum(mean_planar(400.0, 130.0, -270.0, a, b, 2e3, 2e3) * 4e6 for a in x for b in x)
    assert total == pytest.approx(1.0, abs=0.03)
