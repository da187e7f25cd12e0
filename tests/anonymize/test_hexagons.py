"""Hexagons of H3: which one a place falls into, and the rectangle that stands for it."""

from dataclasses import replace

import h3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer

from fpanon_core import AntennaClusters, FingerprintSet, GeneralizationProfile, Grid, Hexagons
from fpanon_core.anonymize.generalize import generalize
from fpanon_core.anonymize.regions import hexagon_map
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.projection import equal_area_around
from tests.support.fingerprint_sets import check_bins, events
from tests.support.refusals import check_refused

DAKAR, FIJI, TROMSØ = (14.7, -17.4), (-17.0, 179.9), (69.6, 18.9)
CENTRES = st.sampled_from([DAKAR, FIJI, TROMSØ])


def at(fs, centre):
    return replace(fs, crs=equal_area_around(*centre))


def hexagons_of(fs, resolution):
    """H3's own answer for each sample's middle, by pyproj, one by one."""
    back = Transformer.from_crs(fs.crs, "EPSG:4326", always_xy=True)
    found = []
    for x, y, dx, dy in zip(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m, strict=True):
        lon, lat = back.transform(x + dx / 2, y + dy / 2)
        found.append(h3.latlng_to_cell(lat, lon, resolution))
    return found


@settings(deadline=None, max_examples=60)
@given(events(), CENTRES, st.integers(0, 10), st.sampled_from([1, 60, 480]))
def test_bins_are_those_of_h3(fs, centre, resolution, minutes):
    """Against sets in plain Python: no hexagon is split, and no two are one."""
    fs = at(fs, centre)
    own = hexagons_of(fs, resolution)
    found = hexagon_map(fs, Hexagons(resolution))
    assert [h3.int_to_str(int(found.cell[j])) for j in found.sample_region] == own
    assert len({*zip(found.x_m, found.y_m, strict=True)}) == len(found.cell) == len(set(own))
    out = generalize(fs, GeneralizationProfile(Hexagons(resolution), minutes))
    assert out.granularity_m == fs.granularity_m
    of = found.sample_region
    check_bins(fs, out, found.x_m[of], found.y_m[of], minutes)


@settings(deadline=None, max_examples=40)
@given(events(), CENTRES, st.integers(0, 10))
def test_a_rectangle_holds_its_hexagon_and_every_place_in_it(fs, centre, resolution):
    fs = at(fs, centre)
    found = hexagon_map(fs, Hexagons(resolution))
    of = found.sample_region
    assert (found.x_m[of] <= fs.x_m).all()
    assert (found.y_m[of] <= fs.y_m).all()
    assert (fs.x_m + fs.dx_m <= (found.x_m + found.dx_m)[of]).all()
    assert (fs.y_m + fs.dy_m <= (found.y_m + found.dy_m)[of]).all()
    forth = Transformer.from_crs("EPSG:4326", fs.crs, always_xy=True)
    for j, cell in enumerate(found.cell):
        for lat, lon in h3.cell_to_boundary(h3.int_to_str(int(cell))):
            x, y = forth.transform(lon, lat)
            assert found.x_m[j] <= x <= found.x_m[j] + found.dx_m[j]
            assert found.y_m[j] <= y <= found.y_m[j] + found.dy_m[j]


@settings(deadline=None, max_examples=30)
@given(events(), CENTRES, st.integers(5, 10))
def test_a_rectangle_says_nothing_of_who_was_where_in_it(fs, centre, resolution):
    """Whoever else is in the data, each person's published places are the same."""
    fs = at(fs, centre)
    profile = GeneralizationProfile(Hexagons(resolution), 60)
    whole = generalize(fs, profile)
    for u in range(fs.n_users):
        alone = generalize(fs.subset([u]), profile)
        assert alone.digest == whole.subset([u]).digest


def test_every_hexagon_of_a_country_has_a_corner_of_its_own():
    """All places of a square of 40 km at the finest resolution of 100 m: some 100,000 hexagons."""
    x, y = (v.ravel() * 100.0 for v in np.meshgrid(np.arange(-200, 200), np.arange(-200, 200)))
    fs = at(FingerprintSet.from_samples(np.zeros(len(x)), x, y, np.zeros(len(x))), TROMSØ)
    found = hexagon_map(fs, Hexagons(10))
    assert len(found.cell) > 60_000
    assert len({*zip(found.x_m, found.y_m, strict=True)}) == len(found.cell)
    # None was widened for it: about the width of a hexagon and of a raw cell.
    assert found.dx_m.max() < 2 * Hexagons(10).edge_m * 1.5 + 200


def test_by_hand():
    """Resolution 8 at Dakar: hexagons of about 1 km across; 0 and 100 m are together, 9 km not."""
    fs = at(FingerprintSet.from_samples([1, 1, 2], [0, 100, 9_000], [0] * 3, [5, 8, 70]), DAKAR)
    out = generalize(fs, GeneralizationProfile(Hexagons(8), 60))
    assert out.lengths.tolist() == [1, 1]
    assert out.count.tolist() == [2, 1]
    assert out.t_min.tolist() == [0, 60]
    assert (out.dx_m > 700).all()
    assert (out.dx_m < 1_500).all()


def test_faults():
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [0, 9])
    eight = GeneralizationProfile(Hexagons(8), 60)
    with pytest.raises(ConfigError, match="came in metres without a projection"):
        generalize(fs, eight)
    fs = at(fs, DAKAR)
    for finer in (GeneralizationProfile(Hexagons(11), 60), GeneralizationProfile(Hexagons(8), 0.5)):
        with pytest.raises(ConfigError, match="finer than the data"):
            generalize(fs, finer)
    clusters = GeneralizationProfile(AntennaClusters(2), 60)
    for first, then in ((clusters, eight), (eight, GeneralizationProfile(Grid(5_000), 60))):
        with pytest.raises(ConfigError, match="rectangles of several sizes"):
            generalize(generalize(fs, first), then)
    check_refused(Hexagons, "whole number from 0 to 15", resolution=[-1, 16, 7.5, "8", True])
