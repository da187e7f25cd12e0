"""Computed utility against plain loops; unchanged data lose nothing; falling along nested grids."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import (
    AddNoise,
    AntennaClusters,
    ConfigError,
    FingerprintSet,
    GeneralizationProfile,
    Glove,
    Grid,
    Permute,
    SampleUsers,
    generalize,
    read_cdr,
    release,
    utility,
)
from fpanon_core.io.samples import sample
from fpanon_core.measures.reference import Reference
from fpanon_core.measures.utility import measured, weighting
from fpanon_core.model.clock import LocalClock
from fpanon_core.model.utility import COMPONENTS, EPIDEMICS, TRANSPORT
from tests.oracles import utility as oracle
from tests.support.fingerprint_sets import as_lists, boxes, crowds, events

OPTIONS = [
    GeneralizationProfile(Grid(700), 45),
    GeneralizationProfile(Grid(5_000), 1_000),
    GeneralizationProfile(Grid(40_000), 10_080),
    SampleUsers(0.5),
    AddNoise(3_000, 100),
    Permute("positions", 300),
]


def plain(fs):
    counts = [fs.count[fs.rows_of(u)].tolist() for u in range(fs.n_users)]
    return as_lists(fs), counts, fs.weight.tolist()


def grid_of(reference):
    g = reference.grid
    return g.x_m, g.y_m, g.side_m, g.columns, g.rows


def small(fs, released):
    """The plain loops go over all pairs of squares that cells overlap: at most 7 along each."""
    extent = max(np.ptp(fs.x_m) + fs.dx_m.max(), np.ptp(fs.y_m) + fs.dy_m.max())
    largest = max(extent, released.dx_m.max(), released.dy_m.max())
    return max(100.0, float(np.ceil(largest / 700) * 100))


@settings(max_examples=60, deadline=None)
@given(st.one_of(events(max_users=6, max_samples=12), crowds(12)), st.sampled_from(OPTIONS))
def test_equals_the_oracle(fs, option):
    fs = replace(fs, count=1 + np.arange(fs.n_samples) % 3)
    released = release(fs, option, seed=0)
    reference = Reference.of(fs, reference_m=small(fs, released))
    result = utility(fs, released, reference=reference)
    expected = oracle.components(plain(fs), plain(released), grid_of(reference), 20_000, 1_440)
    assert result.components == pytest.approx(expected, abs=1e-7)
    assert all(0 <= v <= 1 for v in result.components.values())
    weighted = sum(TRANSPORT[name] * expected[name] for name in COMPONENTS)
    assert result.score == pytest.approx(weighted, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(boxes(6, 8), boxes(6, 8))
def test_equals_the_oracle_on_overlapping_rectangles_that_stand_for_several(fs, released):
    reference = Reference.of(fs, reference_m=small(fs, released))
    expected = oracle.components(plain(fs), plain(released), grid_of(reference), 20_000, 1_440)
    assert measured(reference, released) == pytest.approx(expected, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.one_of(events(), boxes(), crowds(40)), st.sampled_from([None, 9_100.0]))
def test_unchanged_data_lose_nothing_but_what_their_cells_do_not_tell(fs, reference_m):
    result = utility(fs, fs, reference_m=reference_m)
    space, time = oracle.mean_spans(*plain(fs))
    lost = {"space": max(0, 1 - space / 20_000), "time": max(0, 1 - time / 1_440)}
    assert result.components == pytest.approx(dict.fromkeys(COMPONENTS, 1.0) | lost)
    compared = {name: 1.0 for name in COMPONENTS if name not in lost}
    assert utility(fs, fs, weights=compared, reference_m=reference_m).score == 1.0


NESTED = [(100, 1), (200, 10), (400, 20), (800, 60), (1_600, 120), (3_200, 360), (6_400, 720),
          (12_800, 1_440), (51_200, 10_080)]  # fmt: skip


@pytest.mark.parametrize("key", ["synthetic", "sf_cabs"])
@pytest.mark.parametrize("axis", ["both", "space", "time"])
def test_falls_along_nested_grids(key, axis):
    """On real movement and on the synthetic sample, every component of every step.

    ``flows`` may rise by the third digit below the reference grid: which of two places within a
    square somebody mainly was at can change when cells are merged.
    """
    shipped = sample(key)
    fs, _ = read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)
    fs = fs.subset(np.arange(0, fs.n_users, 4))
    reference = Reference.of(fs)
    before = measured(reference, fs)
    for metres, minutes in NESTED[1:]:
        profile = GeneralizationProfile(
            Grid(100 if axis == "time" else metres, (0, 0)), 1 if axis == "space" else minutes
        )
        now = measured(reference, generalize(fs, profile))
        for name in COMPONENTS:
            assert now[name] <= before[name] + (5e-3 if name == "flows" else 1e-9), (profile, name)
        before = now
    changed = COMPONENTS if axis == "both" else ("density", "flows", axis)
    assert all(before[name] < 0.75 for name in changed)


@settings(max_examples=40, deadline=None)
@given(st.one_of(events(), crowds(40)))
def test_resolution_and_visits_never_rise_along_nested_grids(fs):
    reference = Reference.of(fs)
    before = measured(reference, fs)
    for metres, minutes in NESTED[1:]:
        wide = GeneralizationProfile(Grid(metres, (0, 0)), minutes)  # one origin: they nest
        now = measured(reference, generalize(fs, wide))
        for name in ("visits", "space", "time"):
            assert now[name] <= before[name] + 1e-12
        before = now


def test_by_hand():
    """Two people, squares of 1 km; released on 2 km · 2 h.

    Original cells, (column, row) and hour: user 1 at (0, 0) in hour 0 and (1, 0) in hour 1; user 2
    at (0, 0) in hour 0. Occupancy P: (0,0)@0 = 2/3, (1,0)@1 = 1/3. Released, all three events are
    in the one cell of 2 × 2 squares and 2 hours: Q = 1/8 on (0..1, 0..1) @ (0, 1).
    """
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 1500, 300], [0] * 3, [5, 70, 8])
    reference = Reference.of(fs, reference_m=1_000)
    assert grid_of(reference) == (0, 0, 1_000, 2, 1)
    wide = generalize(fs, GeneralizationProfile(Grid(2_000), 120))
    result = utility(fs, wide, reference=reference)
    # The grid has one row: the other half of Q is off it. m = (p + q)/2.
    p = np.array([2 / 3, 0, 0, 1 / 3, 0, 0])
    q = np.array([1, 1, 1, 1, 2, 2]) / 8
    m = (p + q) / 2
    divergence = (
        sum(a * np.log2(a / b) for a, b in zip(p, m, strict=True) if a) / 2
        + sum(a * np.log2(a / b) for a, b in zip(q, m, strict=True)) / 2
    )
    # One trip, none after; radii 750 and 0 against 0 and 0; places 2 and 1 against 1 and 1; spans
    # of 2 km of 20 km and 120 min of 1,440.
    expected = {"density": 1 - np.sqrt(divergence), "flows": 0.0, "mobility": 0.5, "visits": 0.5,
                "space": 1 - 2_000 / 20_000, "time": 1 - 120 / 1_440}  # fmt: skip
    assert result.components == pytest.approx(expected)
    score = sum(EPIDEMICS[name] * expected[name] for name in COMPONENTS)
    assert utility(fs, wide, weights="epidemics", reference=reference).score == pytest.approx(score)
    assert result.digest == fs.digest
    assert result.released_digest == wide.digest


def test_hours_are_local():
    """23:30 UTC is half past midnight in Berlin's winter: hour 0, not 23."""
    import datetime as dt

    clock = LocalClock(dt.datetime(2024, 3, 30, 23, tzinfo=dt.UTC), "Europe/Berlin")
    fs = FingerprintSet.from_codes(
        np.array([0, 0]), np.array(["a"]), np.zeros(2), np.zeros(2), np.array([30.0, 200.0]),
        clock=clock,
    )  # fmt: skip
    # 200 elapsed minutes after midnight, on the morning the clock goes from 2 to 3: 4:20.
    assert np.flatnonzero(Reference.of(fs).occupancy.sum(axis=0)).tolist() == [0, 4]


def test_a_sample_of_the_users_costs_little_and_noise_costs_much():
    rng = np.random.default_rng(1)
    home = rng.uniform(0, 40_000, (400, 3, 2))
    user = np.repeat(np.arange(400), 60)
    at = home[user, rng.choice(3, len(user))]
    t = rng.uniform(0, 10_080, len(user))
    fs = FingerprintSet.from_samples(user, at[:, 0], at[:, 1], t)
    half = utility(fs, release(fs, SampleUsers(0.5), seed=0)).components
    noisy = utility(fs, release(fs, AddNoise(5_000, 0), seed=0)).components
    assert half["space"] == noisy["space"] == 1 - 100 / 20_000
    assert half["flows"] > 3 * noisy["flows"]
    assert half["visits"] > 0.9 > 0.1 > noisy["visits"]


def test_clusters_and_glove_have_a_utility():
    rng = np.random.default_rng(2)
    user = np.repeat(np.arange(40), 10)
    fs = FingerprintSet.from_samples(user, *rng.uniform(0, 30_000, (2, 400)),
                                     rng.uniform(0, 2_000, 400))  # fmt: skip
    for option in (GeneralizationProfile(AntennaClusters(20), 120), Glove(2)):
        result = utility(fs, release(fs, option))
        assert 0 < result.score < 1


def test_weights_are_shares():
    assert weighting({"flows": 3, "time": 1}) == {
        "density": 0, "flows": 0.75, "mobility": 0, "visits": 0, "space": 0, "time": 0.25,
    }  # fmt: skip
    for named in (TRANSPORT, EPIDEMICS):
        assert set(named) == set(COMPONENTS)
        assert sum(named.values()) == pytest.approx(1)
        assert weighting(named) == pytest.approx(dict(named))


@pytest.mark.parametrize(
    "weights",
    ["traffic", {"speed": 1}, {"flows": -1}, {"flows": 0}, {}, {"flows": float("nan")},
     {"flows": "1"}, 3, {"flows": True}],
)  # fmt: skip
def test_weights_are_checked(weights):
    fs = FingerprintSet.from_samples([1], [0], [0], [0])
    with pytest.raises(ConfigError):
        utility(fs, fs, weights=weights)


def test_references_are_checked():
    fs = FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 90_000], [0, 0])
    with pytest.raises(ConfigError, match="other data"):
        utility(fs, fs, reference=Reference.of(fs.subset([0])))
    with pytest.raises(ConfigError, match="squares"):
        utility(fs, fs, reference_m=10)
    wide = replace(fs.subset([0]), offsets=np.array([0, 2]), x_m=np.array([0.0, 20_000.0]),
                   y_m=np.zeros(2), t_min=np.arange(2.0), dx_m=np.full(2, 20_000.0),
                   dy_m=np.full(2, 20_000.0), dt_min=np.ones(2), count=np.ones(2, int))  # fmt: skip
    assert Reference.of(wide).side_m == 20_000
    with pytest.raises(ConfigError, match="pairs of squares"):
        Reference.of(wide, reference_m=400)  # one trip, 2,500 squares to 2,500
    for wrong in ({"reference_m": 0}, {"max_space_m": -1}, {"max_time_min": float("inf")}):
        with pytest.raises(ConfigError):
            Reference.of(fs, **wrong)


def test_the_grid_cuts_no_cell_of_the_data():
    fs = FingerprintSet.from_samples([1, 2], [30, 90_000], [0, 7], [0, 0], granularity_m=300)
    # 90 300 m / 50 = 1 806; the round figure below is 1 000; the next multiple of 300 is 1 200.
    assert Reference.of(fs).side_m == 1_200
