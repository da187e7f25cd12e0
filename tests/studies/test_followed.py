"""One person, point by point, against plain loops; nothing of the input in what is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.studies import attack
from fpanon_core.studies.followed import follow
from tests.oracles import link as oracle
from tests.studies import test_linkage as linked
from tests.support.fingerprint_sets import as_lists

PLAIN = linked.PLAIN | {"share": 1.0}
# The noise is of both places and times.
NAMES = {"as it is": "as it is", "noise": "in both"} | {n: n for n in ("grid", "sampled", "GLOVE")}
CASES = {name: linked.CASES[case] for name, case in NAMES.items()}


def crowd(seed, users=12):
    return linked.crowd(seed, users, least=3)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1_000), st.sampled_from(list(CASES)), st.integers(0, 11))
def test_every_step_is_that_of_plain_loops(seed, name, target):
    steps, told = CASES[name]
    fs = crowd(seed)
    config = attack.Config(fp.ReleaseOption(steps=steps), p=3, seed=seed)
    seen = follow(fs, config, target)
    made = fp.release(fs, steps, seed=seed)
    records, weights, own = linked.published_lists(made)
    counts = linked.counted(made)
    method = PLAIN | told
    exactly = PLAIN | {"share": method["share"], "boxes": method["boxes"]}
    middles = seen.points[["x_m", "y_m", "t_min"]].to_numpy() - [50, 50, 0.5]
    points = [(*row, 100.0, 100.0, 1.0) for row in middles.tolist()]
    assert set(points) <= set(as_lists(fs)[target])
    assert len(seen.steps) == len(points) + 1
    mine = own[target]
    assert seen.present == (mine >= 0)
    for j, step in enumerate(seen.steps[1:], 1):
        both = [linked.carried(steps, cell) for cell in points[:j]]
        known, carried = ([{"cell": cell} for cell in way] for way in zip(*both, strict=True))
        each = [
            oracle.ranks(method, records, weights, known, r, "bayes", counts)
            for r in range(len(records))
        ]
        fits = oracle.fits(exactly, records, carried)
        if mine >= 0:
            assert (step.better, step.level) == each[mine][:2]
            assert step.posterior == pytest.approx(each[mine][2], abs=1e-9)
            assert step.fits == fits[mine]
        else:
            assert np.isnan(step.level)
        assert step.fitting == sum(w for w, fit in zip(weights, fits, strict=True) if fit)
        assert step.taken == each[0][3]
        whole = as_lists(fs), [1] * fs.n_users
        exact = [{"cell": cell} for cell in points[:j]]
        before = oracle.ranks(
            PLAIN, *whole, exact, target, "bayes", linked.counted(fp.release(fs, []))
        )
        assert (step.before_better, step.before_level) == before[:2]
        # The first of those that a point is near, by the posterior of one person.
        best = sorted((found[2] for found in each), reverse=True)[: len(step.candidates)]
        given_ = [candidate.posterior for candidate in step.candidates]
        assert given_ == pytest.approx(best, abs=1e-9)
        ahead = {(c.people, round(c.posterior, 9), c.rank, c.fits) for c in step.candidates}
        assert ahead <= {
            (w, round(found[2], 9), 1 + found[0], fit)
            for w, found, fit in zip(weights, each, fits, strict=True)
        }
        # A home is guessed where one record leads alone, though several people share it.
        leading = [found for found in each if found[0] == 0]
        assert (step.guess is not None) == (len(leading) == 1)
        assert step.place is None or step.candidates[step.place].right
        assert sum(candidate.right for candidate in step.candidates) == (step.place is not None)


def test_before_the_first_point_all_are_alike():
    fs = crowd(0)
    step = follow(fs, attack.Config(p=2), 3).steps[0]
    assert (step.known, step.better, step.level, step.fitting) == (0, 0.0, 12.0, 12)
    assert (step.posterior, step.found) == (1 / 12, 1 / 12)
    assert step.candidates == ()


@pytest.mark.parametrize("name", CASES)
def test_the_last_step_is_that_of_linkage(name):
    """Whoever was drawn as a target is known by the same points, blurred alike."""
    fs, steps = crowd(1), CASES[name][0]
    known = {"p": 3, "users": 5, "seed": 1, "blur_m": 120, "blur_min": 3}
    config = attack.Config(fp.ReleaseOption(steps=steps), **known)
    made = fp.release(fs, steps, seed=1)
    found = fp.link(fs, made, **known)
    for row in found.per_target.to_dict("records"):
        last = follow(fs, config, row["user"], made, attacker=found.attacker).steps[-1]
        if row["present"]:
            assert (last.better, last.level) == (row["better"], row["level"])
            assert last.posterior == row["posterior"]


def test_areas_hold_the_points_and_are_of_the_records_listed():
    fs = crowd(2)
    seen = follow(fs, attack.Config(fp.ReleaseOption(steps=(fp.Glove(2),)), p=3), 4)
    points = seen.points.set_index("point")
    for area in seen.areas.to_dict("records"):
        point = points.loc[area["point"]]
        assert area["x_m"] <= point.x_m < area["x_m"] + area["dx_m"]
        assert area["y_m"] <= point.y_m < area["y_m"] + area["dy_m"]
        assert area["t_min"] <= point.t_min < area["t_min"] + area["dt_min"]
    listed = {c.record for step in seen.steps for c in step.candidates}
    assert set(seen.areas.record) <= listed | set(seen.record.record)
    right = {c.record for step in seen.steps for c in step.candidates if c.right}
    assert right <= set(seen.record.record)
    assert seen.record.right.all()
    # Of two in a box the better placed is the smaller.
    own = seen.areas[seen.areas.right & (seen.areas.point == 1)].iloc[0]
    volumes = seen.record.dx_m * seen.record.dy_m * seen.record.dt_min
    assert own.dx_m * own.dy_m * own.dt_min >= volumes.min()


def test_a_best_placed_sample_is_the_likeliest_of_the_record():
    option = fp.ReleaseOption(steps=(fp.AddNoise(400, 20),))
    seen = follow(crowd(3), attack.Config(option, p=3, seed=3), 5)
    method = PLAIN | {"space": ("planar_laplace", 400.0), "time": ("laplace", 20.0)}
    names = ["x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min"]
    record = [tuple(row) for row in seen.record[names].to_numpy().tolist()]
    for area in seen.areas[seen.areas.right].to_dict("records"):
        at = seen.points.iloc[area["point"] - 1]
        point = {"cell": (at.x_m - 50, at.y_m - 50, at.t_min - 0.5, 100.0, 100.0, 1.0)}
        densities = [
            oracle.in_space(method, point, c) * oracle.in_time(method, point, c) for c in record
        ]
        chosen = record.index(tuple(area[name] for name in names))
        assert densities[chosen] == pytest.approx(max(densities))


def test_of_a_release_in_periods_one_record_is_followed():
    x, t = [0, 900, 300, 0, 700, 300], [60, 1500, 1700] * 2
    fs = fp.FingerprintSet.from_samples([1] * 3 + [2] * 3, x, [0] * 6, t)
    config = attack.Config(fp.ReleaseOption(steps=(fp.Periods(1),)), p=1)
    seen = follow(fs, config, 1, period=1)
    assert (seen.period, seen.n_people, len(seen.places)) == (1, 4, 2)
    assert set(seen.places.t_min) == {1500.5, 1700.5}
    with pytest.raises(fp.ConfigError, match="no record in period 7"):
        follow(fs, config, 1, period=7)
    with pytest.raises(fp.ConfigError, match="not in periods"):
        follow(fs, attack.Config(p=1), 1, period=1)


def test_who_is_not_in_the_release_has_no_record_in_it():
    fs = crowd(4)
    config = attack.Config(fp.ReleaseOption(steps=(fp.SampleUsers(0.5),)), p=2, seed=4)
    inside = set(fp.release(fs, fp.SampleUsers(0.5), seed=4).origin.person.tolist())
    absent = next(u for u in range(fs.n_users) if u not in inside)
    seen = follow(fs, config, absent)
    assert not seen.present
    assert len(seen.record) == 0
    assert all(step.place is None for step in seen.steps)
    assert seen.steps[0].fitting == 6


def test_numbers_of_records_say_nothing_of_the_input():
    """Drawn for the release, the same for every person followed in it."""
    fs = crowd(5, users=60)
    config = attack.Config(p=3)
    numbers = [follow(fs, config, u).steps[-1].candidates[0].record for u in range(60)]
    assert sorted(numbers) == list(range(1, 61))
    assert abs(np.corrcoef(np.arange(60), numbers)[0, 1]) < 0.4


@pytest.mark.parametrize("strategy", ["top", "consecutive"])
def test_points_have_times_except_the_most_visited_places(strategy):
    seen = follow(crowd(6), attack.Config(p=2, strategy=strategy, blur_m=10), 0)
    assert seen.points.t_min.isna().all() == (strategy == "top")


@pytest.mark.parametrize("target", [-1, 12, 1.5, "a"])
def test_nobody_who_is_not_there_is_followed(target):
    with pytest.raises(fp.ConfigError):
        follow(crowd(0), attack.Config(p=2), target)
