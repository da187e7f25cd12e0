"""Clusters and named regions as places of a release: rectangles, corners, and who goes where."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import AntennaClusters, Antennas, GeneralizationProfile, Grid, Regions, k_gap
from fpanon_core.anonymize.generalize import generalize
from fpanon_core.anonymize.regions import region_map
from fpanon_core.model.errors import ConfigError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from tests.support.fingerprint_sets import check_bins, events

HOUR = 60


def visits(*places, antennas=None):
    """One user per place, all in the first minute."""
    x, y = zip(*places, strict=True)
    fs = FingerprintSet.from_samples(range(len(x)), x, y, [0.0] * len(x))
    return replace(fs, antennas=antennas)


def towers(rows, **options):
    """Antennas from (x, y, district)."""
    x, y, district = zip(*rows, strict=True)
    return Antennas(np.array(x), np.array(y), columns={"district": district}, **options)


def test_named_regions_by_hand():
    """North: cells 0–400 by 1000–1200; South: 0–100 by 0–100. Nobody was at (300, 1000)."""
    table = towers([(30, 1100, "North"), (300, 1000, "North"), (50, 50, "South")])
    fs = FingerprintSet.from_samples(
        [1, 1, 1, 2], [0, 0, 0, 0], [1100, 1100, 0, 1100], [0, 5, 9, 70]
    )
    fs = replace(fs, antennas=table)
    out = generalize(fs, GeneralizationProfile(Regions("district"), HOUR))
    assert out.offsets.tolist() == [0, 2, 3]
    assert out.x_m.tolist() == [0, 0, 0]
    assert out.y_m.tolist() == [0, 1000, 1000]
    assert out.dx_m.tolist() == [100, 400, 400]
    assert out.dy_m.tolist() == [100, 200, 200]
    assert out.t_min.tolist() == [0, 0, 60]
    assert out.count.tolist() == [1, 2, 1]
    assert (out.granularity_m, out.granularity_min) == (100, 60)
    assert out.antennas is table
    assert region_map(fs, Regions("district")).sample_region.tolist() == [1, 1, 0, 1]


def test_regions_with_the_same_lower_corner_stay_apart():
    """A's two cells, (0, 100) and (100, 0), have the corner (0, 0) together; B's cell has it, too.

    A keeps it. B is widened to the west; (−100, 0) is C's, so to (−200, 0).
    """
    table = towers([(0, 100, "A"), (100, 0, "A"), (0, 0, "B"), (-100, 0, "C")])
    fs = visits((0, 100), (100, 0), (0, 0), (-100, 0), antennas=table)
    regions = region_map(fs, Regions("district"))
    assert regions.sample_region.tolist() == [2, 2, 0, 1]  # of A, A, B and C
    assert regions.x_m.tolist() == [-200, -100, 0]
    assert regions.dx_m.tolist() == [300, 100, 200]
    assert regions.dy_m.tolist() == [100, 100, 200]
    out = generalize(fs, GeneralizationProfile(Regions("district"), 1))
    assert (k_gap(out, 2).values == 0).tolist() == [True, True, False, False]


def test_events_with_positions_of_their_own_go_to_the_nearest_antenna():
    """(400, 0) is 400 m from West and 600 m from East; (500, 0) is midway: the first, West.

    West's rectangle grows to hold them.
    """
    table = towers([(0, 0, "West"), (1000, 0, "East")])
    fs = visits((400, 0), (500, 0), (600, 0), (1000, 0), antennas=table)
    regions = region_map(fs, Regions("district"))
    assert regions.sample_region.tolist() == [0, 0, 1, 1]
    assert regions.x_m.tolist() == [0, 600]
    assert regions.dx_m.tolist() == [600, 500]


def test_antennas_in_one_cell_are_one_place():
    """The first with a district gives it; as for clusters, four antennas stand at two places."""
    table = towers([(0, 0, ""), (50, 0, "A"), (60, 0, "B"), (500, 0, "B")])
    fs = visits((0, 0), (500, 0), antennas=table)
    regions = region_map(fs, Regions("district"))
    assert regions.dx_m.tolist() == [100, 100]
    assert regions.sample_region.tolist() == [0, 1]
    assert len(region_map(fs, AntennaClusters(1)).x_m) == 2
    with pytest.raises(InfeasibleError, match="at most 2, the number of distinct places"):
        region_map(fs, AntennaClusters(3))


def test_clusters_are_those_of_the_table_whoever_is_looked_at():
    rng = np.random.default_rng(5)
    x, y = rng.uniform(0, 20_000, (2, 60))
    fs = FingerprintSet.from_samples(
        rng.integers(0, 9, 300), *rng.choice([x, y], 300, axis=1), np.arange(300)
    )
    fs = replace(fs, antennas=Antennas(x, y))
    profile = GeneralizationProfile(AntennaClusters(6), HOUR)
    part = [4, 1]
    assert (
        generalize(fs, profile).subset(part).digest == generalize(fs.subset(part), profile).digest
    )
    assert generalize(fs, profile, seed=1).digest != generalize(fs, profile).digest


@settings(max_examples=60, deadline=None)
@given(events(), st.integers(1, 9), st.sampled_from([1, 60, 480]), st.integers(0, 2**32 - 1))
def test_bins_are_equal_only_in_the_same_cluster_and_window(fs, size, minutes, seed):
    """Against sets in plain Python; with a table, and without, when places are clustered."""
    rng = np.random.default_rng(seed)
    if rng.random() < 0.5:
        rows = rng.choice(fs.n_samples, rng.integers(1, fs.n_samples + 1))
        fs = replace(fs, antennas=Antennas(fs.x_m[rows], fs.y_m[rows]))
    sites = fs if fs.antennas is None else fs.antennas
    space = AntennaClusters(min(size, len({*zip(sites.x_m, sites.y_m, strict=True)})))
    regions = region_map(fs, space)
    out = generalize(fs, GeneralizationProfile(space, minutes))
    assert len({*zip(regions.x_m, regions.y_m, strict=True)}) == len(regions.x_m)
    of = regions.sample_region
    assert (regions.x_m[of] <= fs.x_m).all()
    assert (regions.y_m[of] <= fs.y_m).all()
    assert (fs.x_m + fs.dx_m <= (regions.x_m + regions.dx_m)[of]).all()
    assert (fs.y_m + fs.dy_m <= (regions.y_m + regions.dy_m)[of]).all()
    check_bins(fs, out, regions.x_m[of], regions.y_m[of], minutes)


def test_faults():
    district, clusters = (
        GeneralizationProfile(space, HOUR) for space in (Regions("district"), AntennaClusters(2))
    )
    plain = visits((0, 0), (500, 0), (900, 0))
    table = towers([(0, 0, "A"), (500, 0, ""), (900, 0, "")])
    known = replace(plain, antennas=table)
    wide = GeneralizationProfile(Grid(200), HOUR)
    for fs, profile, text in (
        (plain, district, "need an antenna table"),
        (plain, GeneralizationProfile(AntennaClusters(2), 0.5), "finer than the data"),
        (known, district, "no 'district' for 2 of the antennas that the data name"),
        (known, GeneralizationProfile(Regions("zip"), HOUR), "no column 'zip'; it has 'district'"),
        (generalize(known, wide), clusters, "generalized already"),
        (generalize(known, clusters), clusters, "generalized already"),
        (generalize(plain, clusters), wide, "rectangles of several sizes"),
    ):
        with pytest.raises(ConfigError, match=text):
            generalize(fs, profile)
    with pytest.raises(InfeasibleError, match="at most 3, the number of distinct places"):
        generalize(plain, GeneralizationProfile(AntennaClusters(4), HOUR))
    assert generalize(known.subset([0]), district).n_samples == 1  # not needed, not missed
