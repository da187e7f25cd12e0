"""Computed utility against plain loops; unchanged data lose nothing; falling along nested grids."""

import datetime as dt
from dataclasses import replace
from functools import partial

import h3.api.basic_int as h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.io.samples import sample
from fpanon_core.measures.utility import measured, score, score_range
from fpanon_core.model.projection import Unprojection, equal_area_around
from fpanon_core.model.utility import COMPONENTS, weighting
from tests.oracles import utility as oracle
from tests.support.fingerprint_sets import as_lists, boxes, crowds, events, of_cells
from tests.support.refusals import check_refused

OPTIONS = [
    fp.GeneralizationProfile(fp.Grid(700), 45),
    fp.GeneralizationProfile(fp.Grid(5_000), 1_000),
    fp.GeneralizationProfile(fp.Grid(40_000), 10_080),
    fp.SampleUsers(0.5),
    fp.AddNoise(3_000, 100),
    fp.Permute("positions", 300),
]


def plain(fs):
    counts = [fs.count[fs.rows_of(u)].tolist() for u in range(fs.n_users)]
    return as_lists(fs), counts, fs.weight.tolist()


def grid_of(reference):
    g = reference.ground
    return g.x_m, g.y_m, g.side_m


def small(fs, released):
    """The plain loops go over all pairs of squares that cells overlap: at most 7 along each."""
    extent = max(np.ptp(fs.x_m) + fs.dx_m.max(), np.ptp(fs.y_m) + fs.dy_m.max())
    largest = max(extent, released.dx_m.max(), released.dy_m.max())
    return max(100.0, float(np.ceil(largest / 700) * 100))


def test_even_shares_know_nothing():
    """By hand: trips A to B thrice and back once; even shares have two each, and keep 3 of 4."""
    x = [0, 5_000, 0, 5_000, 0, 5_000, 0]
    fs = fp.FingerprintSet.from_samples(
        [1, 1, 2, 2, 3, 3, 3], x, [0] * 7, [0, 60] * 2 + [0, 60, 120]
    )
    reference = fp.Reference.of(fs, areas=1_000)
    assert reference.even["flows"] == pytest.approx(0.75)
    for corner in reference.corners:
        assert corner.trips.sum() == pytest.approx(4 / 3)  # per person
    stays = fp.FingerprintSet.from_samples([1, 2], [0, 5_000], [0, 0], [0, 60])
    # As if nobody moved, and nobody did.
    assert fp.Reference.of(stays, areas=1_000).even["flows"] == 1


@settings(max_examples=30, deadline=None)
@given(events(max_users=6, max_samples=12))
def test_even_shares_equal_plain_loops(fs):
    reference = fp.Reference.of(fs, areas=2_000)
    density, flows = [], []
    for corner in reference.corners:
        areas = len(corner.occupancy) - 1
        truth = corner.occupancy[:-1].ravel()
        density.append(1 - jsd((truth / truth.sum()).tolist(), [1 / len(truth)] * len(truth)))
        trips = {
            (i, j): corner.trips[at]
            for i in range(areas)
            for at, j in enumerate(corner.targets.tolist())
            if corner.starts[i] <= at < corner.starts[i + 1]
        }
        all_trips = sum(trips.values())
        pairs = [(i, j) for i in range(areas) for j in range(areas) if i != j]
        kept = sum(min(trips.get(pair, 0), all_trips / len(pairs)) for pair in pairs)
        flows.append(kept / all_trips if all_trips else 1)
    assert reference.even["density"] == pytest.approx(np.mean(density), abs=1e-7)
    assert reference.even["flows"] == pytest.approx(np.mean(flows), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.one_of(events(max_users=6, max_samples=12), crowds(12)), st.sampled_from(OPTIONS))
def test_equals_the_oracle(fs, option):
    fs = replace(fs, count=1 + np.arange(fs.n_samples) % 3)
    released = fp.release(fs, option, seed=0)
    reference = fp.Reference.of(fs, areas=small(fs, released))
    result = fp.utility(fs, released, reference=reference)
    expected = oracle.components(plain(fs), plain(released), grid_of(reference), 20_000, 1_440)
    assert result.components == pytest.approx(expected, abs=1e-7)
    assert all(0 <= v <= 1 for v in result.components.values())
    weighted = sum(fp.TRANSPORT[name] * expected[name] for name in COMPONENTS)
    assert result.score == pytest.approx(weighted, abs=1e-7)
    at_each = oracle.corners(plain(fs), plain(released), grid_of(reference))
    scores = [
        sum(
            fp.TRANSPORT[name] * (expected | {"density": d, "flows": f})[name]
            for name in COMPONENTS
        )
        for d, f in zip(*at_each.values(), strict=True)
    ]
    assert (result.lowest, result.highest) == pytest.approx((min(scores), max(scores)), abs=1e-7)
    assert result.lowest - 1e-12 <= result.score <= result.highest + 1e-12


@settings(max_examples=40, deadline=None)
@given(boxes(6, 8), boxes(6, 8))
def test_equals_the_oracle_on_overlapping_rectangles_that_stand_for_several(fs, released):
    reference = fp.Reference.of(fs, areas=small(fs, released))
    expected = oracle.components(plain(fs), plain(released), grid_of(reference), 20_000, 1_440)
    assert measured(reference, released)[0] == pytest.approx(expected, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.one_of(events(), boxes(), crowds(40)), st.sampled_from([None, 9_100.0]))
def test_unchanged_data_lose_nothing_but_what_their_cells_do_not_tell(fs, areas):
    result = fp.utility(fs, fs, areas=areas)
    space, time = oracle.mean_spans(*plain(fs))
    lost = {"space": max(0, 1 - space / 20_000), "time": max(0, 1 - time / 1_440)}
    assert result.components == pytest.approx(dict.fromkeys(COMPONENTS, 1.0) | lost)
    compared = {name: 1.0 for name in COMPONENTS if name not in lost}
    assert fp.utility(fs, fs, weights=compared, areas=areas).score == 1.0


NESTED = [
    *((200, 10), (400, 20), (800, 60), (1_600, 120)),
    *((3_200, 360), (6_400, 720), (12_800, 1_440), (51_200, 10_080)),
]


@pytest.mark.parametrize(
    ("key", "axis"), [("synthetic", "both"), *(("sf_cabs", a) for a in ("both", "space", "time"))]
)
def test_falls_along_nested_grids(key, axis):
    """On real movement and on the synthetic sample, every component of every step.

    ``flows`` may rise by the third digit below the reference grid: which of two places within a
    square somebody mainly was at can change when cells are merged.
    """
    shipped = sample(key)
    fs, _ = fp.read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)
    fs = fs.subset(np.arange(0, fs.n_users, 4))
    reference = fp.Reference.of(fs)
    before = measured(reference, fs)[0]
    for metres, minutes in NESTED:
        profile = fp.GeneralizationProfile(
            fp.Grid(100 if axis == "time" else metres, (0, 0)), 1 if axis == "space" else minutes
        )
        now = measured(reference, fp.generalize(fs, profile))[0]
        for name in COMPONENTS:
            assert now[name] <= before[name] + (5e-3 if name == "flows" else 1e-9), (profile, name)
        before = now
    changed = COMPONENTS if axis == "both" else ("density", "flows", axis)
    assert all(before[name] < 0.75 for name in changed)


def jsd(p, q):
    """Distance of two histograms given as lists, by hand."""
    m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    pairs = [*zip(p, m, strict=True), *zip(q, m, strict=True)]
    return np.sqrt(max(0.0, sum(a * np.log2(a / c) / 2 for a, c in pairs if a)))


def test_by_hand():
    """Two people, squares of 900 m from (0, 0); released on 1.8 km · 2 h.

    Cells of 100 m: user 1 at x = 0 in hour 0, then at 1,100 in hour 1; user 2 at 300 in hour 0. All
    have y = 0. Released, all three events are in [0, 1,800)² and the hours 0 and 1. The squares are
    shifted by 100 m along x and 200 m along y, nine times, which cuts no cell.
    """
    fs = fp.FingerprintSet.from_samples([1, 1, 2], [0, 1100, 300], [0] * 3, [5, 70, 8])
    reference = fp.Reference.of(fs, areas=900)
    assert grid_of(reference) == (0, 0, 900)
    wide = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(1_800, (0, 0)), 120))
    result = fp.utility(fs, wide, reference=reference)
    # Used squares from left to right, hour 0 then 1; last what falls elsewhere. Shifted by s, they
    # begin at s − 900, s and s + 900; of the released cell they have s, 900 and 900 − s. So x = 300
    # leaves the second square for the first from s = 400 on, 1,100 the third for the second from
    # 300 on. The row that holds y = 0 has the shift along y of the cell, or 900 m if that is 0.
    events = [  # of the original in hour 0 and 1, widths and height of the squares in the cell
        ([2, 0], [0, 1], [900, 900], 900),
        ([1, 1, 0], [0, 0, 1], [100, 900, 800], 200),
        ([1, 1, 0], [0, 0, 1], [200, 900, 700], 400),
        ([1, 1], [0, 1], [300, 900], 600),
        ([2, 0], [0, 1], [400, 900], 800),
        ([2, 0], [0, 1], [500, 900], 100),
        ([2, 0], [0, 1], [600, 900], 300),
        ([2, 0], [0, 1], [700, 900], 500),
        ([2, 0], [0, 1], [800, 900], 700),
    ]
    expected = []
    for first, second, widths, height in events:
        p = np.array([*first, *second, 0]) / 3
        q = np.array(widths * 2) * height / 1_800**2 / 2
        expected.append(1 - jsd(p, [*q, 1 - q.sum()]))
    assert result.corners["density"] == pytest.approx(expected)
    assert result.corners["flows"] == (0,) * 9  # nobody leaves the released cell
    # Radii 550 and 0 against 0 and 0; places 2 and 1 against 1 and 1; spans of 1.8 km of 20 km and
    # 120 min of 1,440.
    parts = {
        "density": np.mean(expected),
        "flows": 0.0,
        "mobility": 0.5,
        "visits": 0.5,
        "space": 1 - 1_800 / 20_000,
        "time": 1 - 120 / 1_440,
    }
    assert result.components == pytest.approx(parts)
    found = fp.utility(fs, wide, weights="epidemics", reference=reference)
    assert found.score == pytest.approx(
        sum(fp.EPIDEMICS[name] * parts[name] for name in COMPONENTS)
    )
    spread = fp.EPIDEMICS["density"] * (max(expected) - min(expected))
    assert found.highest - found.lowest == pytest.approx(spread)
    assert result.areas == "squares of 900 m"
    assert result.digest == fs.digest
    assert result.released_digest == wide.digest


@settings(max_examples=80, deadline=None)
@given(st.one_of(events(), boxes(), crowds(40)))
def test_the_usual_squares_equal_the_oracle(fs):
    assert grid_of(fp.Reference.of(fs)) == pytest.approx(oracle.usual(*plain(fs)), abs=1e-6)


def test_a_few_far_travellers_do_not_decide_the_squares():
    """1% of the samples, up to 9,000 km away, change neither squares nor what they cost."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 20_000, (2, 4_000))
    near = fp.FingerprintSet.from_samples(np.arange(4_000) // 20, x, y, np.arange(4_000) % 1_000)
    x[::100], y[::100] = rng.uniform(0, 9_000_000, (2, 40))
    far = fp.FingerprintSet.from_samples(np.arange(4_000) // 20, x, y, np.arange(4_000) % 1_000)
    references = [fp.Reference.of(fs) for fs in (near, far)]
    assert [r.ground.side_m for r in references] == [200, 200]
    near, far_too = ([len(c.occupancy) for c in r.corners] for r in references)
    assert all(more <= few + 4 * 40 for few, more in zip(near, far_too, strict=True))
    everything = fp.generalize(far, fp.GeneralizationProfile(fp.Grid(20_000_000), 60))
    density, _ = (
        fp.utility(far, everything, reference=references[1]).components[n]
        for n in ("density", "flows")
    )
    assert 0 <= density < 0.01


def test_the_origin_of_the_projection_does_not_matter():
    rng = np.random.default_rng(4)
    user, (x, y) = np.arange(600) // 20, rng.uniform(0, 30_000, (2, 600)).round(-2)
    t = np.arange(600) * 7 % 1_440
    found = []
    for moved in (0, 12_300):
        fs = fp.FingerprintSet.from_samples(user, x + moved, y - 2 * moved, t)
        profile = fp.GeneralizationProfile(fp.Grid(2_000, (moved, -2 * moved)), 60)
        result = fp.utility(fs, fp.generalize(fs, profile))
        found.append([*result.corners["density"], *result.corners["flows"]])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_what_is_not_applicable_counts_nothing():
    parts = dict.fromkeys(COMPONENTS, 1.0) | {"visits": np.nan, "space": np.nan}
    assert score(parts, weighting("transport")) == pytest.approx(0.85)
    assert score(parts, weighting({"flows": 1})) == 1.0
    assert score(parts, weighting({"visits": 1})) == 0.0
    low, high = score_range(
        parts, {"density": (0.4, 1.0), "flows": (1.0, 0.5)}, weighting("transport")
    )
    assert (low, high) == pytest.approx((0.85 - 0.35 * 0.5, 0.85 - 0.2 * 0.6))
    assert np.isnan(score_range(parts, {}, weighting("transport"))).all()


def in_degrees(granularity_m=100.0):
    rng = np.random.default_rng(3)
    fs = fp.FingerprintSet.from_samples(
        np.arange(300) // 10,
        *rng.uniform(0, 12_000, (2, 300)),
        np.arange(300) * 11 % 1_440,
        granularity_m=granularity_m,
    )
    towers = fp.Antennas(
        rng.uniform(0, 12_000, 30),
        rng.uniform(0, 12_000, 30),
        columns={"district": np.array([f"d{i % 4}" for i in range(30)])},
    )
    return replace(fs, crs=equal_area_around(14.7, -17.4), antennas=towers)


@pytest.mark.parametrize("areas", [fp.Hexagons(7), fp.Regions("district")])
def test_hexagons_and_regions_have_no_corner(areas):
    """Against points drawn evenly in each cell, in the hexagon or by the antenna that has them."""
    fs = in_degrees()
    released = fp.generalize(fs, fp.GeneralizationProfile(fp.Grid(1_500, (0, 0)), 60))
    result = fp.utility(fs, released, areas=areas)
    assert result.lowest == result.score == result.highest
    assert result.areas == str(areas)
    whole = fp.utility(fs, fs, areas=areas).components
    assert whole["density"] == whole["flows"] == 1.0

    def drawn_mass(data):
        at = (np.arange(40) + 0.5) / 40
        x = (data.x_m[:, None, None] + data.dx_m[:, None, None] * at[:, None]) + 0 * at
        y = (data.y_m[:, None, None] + data.dy_m[:, None, None] * at) + 0 * at[:, None]
        hour = np.repeat((data.t_min // 60 % 24).astype(int), 1_600)
        names = named(x.ravel(), y.ravel(), fs, areas)
        return pd.Series(1.0, pd.MultiIndex.from_arrays([names, hour])).groupby(level=[0, 1]).sum()

    p, q = drawn_mass(fs).align(drawn_mass(released), fill_value=0)
    density = 1 - jsd((p / p.sum()).to_numpy(), (q / q.sum()).to_numpy())
    assert result.components["density"] == pytest.approx(density, abs=0.01)


def named(x, y, fs, areas):
    """Hexagon or district of each point, by H3 or the nearest antenna."""
    if isinstance(areas, fp.Hexagons):
        lon, lat = Unprojection(fs.crs).lon_lat(x, y)
        return [h3.latlng_to_cell(*at, areas.resolution) for at in zip(lat, lon, strict=True)]
    towers = fs.antennas
    off = [
        (x - a - 50) ** 2 + (y - b - 50) ** 2 for a, b in zip(towers.x_m, towers.y_m, strict=True)
    ]
    return towers.column("district")[np.argmin(off, axis=0)].astype(str)


def test_hours_are_local():
    """23:30 UTC is half past midnight in Berlin's winter: hour 0, not 23."""
    clock = fp.LocalClock(dt.datetime(2024, 3, 30, 23, tzinfo=dt.UTC), "Europe/Berlin")
    fs = fp.FingerprintSet.from_samples([0, 0], [0, 0], [0, 0], [30, 200])
    fs = replace(fs, clock=clock)
    # 200 elapsed minutes after midnight, on the morning the clock goes from 2 to 3: 4:20.
    assert np.flatnonzero(fp.Reference.of(fs).corners[0].occupancy.sum(axis=0)).tolist() == [0, 4]


def test_weights_are_shares():
    none = dict.fromkeys(COMPONENTS, 0)
    assert weighting({"flows": 3, "time": 1}) == none | {"flows": 0.75, "time": 0.25}
    for named in (fp.TRANSPORT, fp.EPIDEMICS):
        assert set(named) == set(COMPONENTS)
        assert sum(named.values()) == pytest.approx(1)
        assert weighting(named) == pytest.approx(dict(named))


def test_weights_are_checked():
    fs = fp.FingerprintSet.from_samples([1], [0], [0], [0])
    flows = [{"flows": share} for share in (-1, 0, np.nan, "1", True)]
    check_refused(partial(fp.utility, fs, fs), weights=["traffic", {"speed": 1}, {}, 3, *flows])


def test_references_are_checked():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 90_000], [0, 0])
    with pytest.raises(fp.ConfigError, match="other data"):
        fp.utility(fs, fs, reference=fp.Reference.of(fs.subset([0])))
    wide = of_cells([0, 0], [0, 20_000], 0, [0, 1], 20_000, 20_000)
    assert fp.Reference.of(wide).ground.side_m == 20_000  # never finer than the data
    with pytest.raises(fp.ConfigError, match="pairs of squares"):
        fp.Reference.of(wide, areas=400)  # one trip, 2,500 squares to 2,500
    with pytest.raises(fp.ConfigError, match="choose larger squares"):
        fp.Reference.of(wide, areas=5)
    wrong = [0, "5 km", fp.Hexagons(7), fp.Regions("district")]
    check_refused(partial(fp.Reference.of, fs), areas=wrong)
