"""Antenna clusters: by hand, against plain loops, on real antennas, and what must always hold.

Voronoi cells and their unions: by hand, in degenerate places, and that they tile.
"""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, Point, Polygon, box
from sklearn.cluster import KMeans

from fpanon_core import cluster_antennas, merged_regions, read_antennas, voronoi_cells
from fpanon_core.io.positions import centre_of
from fpanon_core.model.errors import InfeasibleError
from fpanon_core.model.projection import project
from tests.oracles import clusters as oracle
from tests.support.refusals import check_refused

ANTENNAS = Path(__file__).parents[2] / "sample_data" / "sf_antennas_opencellid.csv"


@st.composite
def positions(draw, max_antennas=60):
    """Scattered, in one dense town, on a coarse lattice with doubles, in a line, or all at once."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, max_antennas))
    shape = draw(st.sampled_from(["scattered", "town", "lattice", "line", "point"]))
    x, y = rng.uniform(-20_000, 20_000, (2, n))
    if shape == "town":
        x, y = rng.normal(0, 30_000 ** rng.random(n), (2, n))
    elif shape == "lattice":
        x, y = rng.integers(0, 5, (2, n)) * 1000.0
    elif shape == "line":
        y = 2 * x
    elif shape == "point":
        x, y = np.full((2, n), 123.0)
    return x, y


def test_by_hand():
    """Three villages of two masts each, 10 km apart; numbers run from west to east."""
    x, y = [20_000, 0, 10_000, 20_100, 100, 10_100], [0, 0, 0, 50, 50, 50]
    assert cluster_antennas(x, y, 2).tolist() == [2, 0, 1, 2, 0, 1]
    assert cluster_antennas(x, y, 1).tolist() == [4, 0, 2, 5, 1, 3]
    assert cluster_antennas(x, y, 6).tolist() == [0] * 6
    assert np.bincount(cluster_antennas(x, y, 4)).size == 2  # ⌈6/4⌉
    assert cluster_antennas([7], [7], 1).tolist() == [0]


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(1, 20), st.integers(0, 5), st.randoms(use_true_random=False))
def test_what_must_always_hold(xy, size, seed, random):
    x, y = xy
    size = min(size, len(x))
    cluster = cluster_antennas(x, y, size, seed=seed)
    sizes = np.bincount(cluster)
    assert cluster.shape == x.shape
    assert len(sizes) == -(-len(x) // size)
    assert (sizes > 0).all()
    assert sizes.sum() == len(x)
    np.testing.assert_array_equal(cluster, cluster_antennas(x, y, size, seed=seed))
    order = list(range(len(x)))
    random.shuffle(order)
    again = cluster_antennas(x[order], y[order], size, seed=seed)
    if len({*zip(x, y, strict=True)}) == len(x):  # doubles may change places
        np.testing.assert_array_equal(again, cluster[order])
    assert sorted(np.bincount(again)) == sorted(sizes)


@pytest.mark.parametrize(("n", "size", "seed"), [(40, 4, 0), (90, 7, 3), (61, 15, 11)])
def test_equals_plain_loops(n, size, seed):
    x, y = np.random.default_rng(n).normal(0, 5000, (2, n))
    order = np.lexsort((y, x))
    rng = np.random.default_rng(seed)
    start = rng.choice(n, -(-n // size), replace=False)
    orders = [rng.permutation(n) for _ in range(20)]
    points = [(x[i] - x.mean(), y[i] - y.mean()) for i in order]
    expected = oracle.learned(points, start.tolist(), [o.tolist() for o in orders])
    assert len(set(expected)) == len(start)  # no cluster had to be filled
    cluster = cluster_antennas(x, y, size, seed=seed)[order]
    pairs = set(zip(cluster.tolist(), expected, strict=True))
    assert len(pairs) == len(start)  # the same clusters, under other numbers


@pytest.mark.parametrize("size", [4, 7, 15])
def test_real_antennas_are_shared_out_far_more_evenly_than_by_k_means(size):
    table = read_antennas(ANTENNAS)
    lat, lon = table["lat"].to_numpy(), table["lon"].to_numpy()
    x, y = project(lat, lon, centre_of(lat, lon).crs)
    cells = voronoi_cells(x, y)
    count = -(-len(x) // size)
    means = KMeans(count, n_init=10, random_state=0).fit(np.column_stack([x, y])).labels_
    for seed in range(3):
        cluster = cluster_antennas(x, y, size, seed=seed)
        assert np.bincount(cluster).std() <= np.bincount(means).std() / 2
        pieces = [area.geom_type for area in merged_regions(cells, cluster)]
        assert len(pieces) == count
        assert np.mean([piece == "Polygon" for piece in pieces]) >= 0.95
    assert (cluster != cluster_antennas(x, y, size, seed=0)).any()


def test_faults():
    two = partial(cluster_antennas, [0, 1], [0, 1])
    check_refused(two, "whole number|at least 1", size=[0, 1.5, True, "7"])
    check_refused(partial(two, size=1), "NAME", seed=[-1])
    of = partial(cluster_antennas, size=1)
    check_refused(partial(of, y_m=[0, 1, 2]), "finite position: 2", x_m=[[0, np.nan, np.inf]])
    check_refused(partial(of, y_m=[0]), "one x and one y|numbers", x_m=[[0, 1], [[0, 1]], ["a"]])
    with pytest.raises(InfeasibleError, match="exceeds the number of antennas, 2"):
        two(3)
    with pytest.raises(InfeasibleError, match="no antenna"):
        of([], [])


# --- Voronoi cells and their unions ---------------------------------------------------------------


def test_quarters_by_hand():
    """Four masts in a square of land cut it into four squares of 1 km²."""
    cells = voronoi_cells(
        [500, 1500, 500, 1500], [500, 500, 1500, 1500], land=box(0, 0, 2000, 2000)
    )
    corners = [(0, 0), (1000, 0), (0, 1000), (1000, 1000)]
    for cell, (west, south) in zip(cells, corners, strict=True):
        expected = box(west, south, west + 1000, south + 1000)
        assert cell.symmetric_difference(expected).area < 1e-3
    west, east = merged_regions(cells, [0, 1, 0, 1])
    assert west.symmetric_difference(box(0, 0, 1000, 2000)).area < 1e-3
    assert east.geom_type == "Polygon"
    corners, empty, others = merged_regions(cells, [0, 2, 2, 0])
    assert corners.geom_type == "MultiPolygon"
    assert corners.area == pytest.approx(2e6)
    assert empty.is_empty
    assert others.area == pytest.approx(2e6)


def test_few_and_degenerate():
    """One mast has a disc of the margin's radius; of two, each has half of a stadium."""
    (disc,) = voronoi_cells([5e6], [5e6], margin_m=1000)
    assert disc.area == pytest.approx(math.pi * 1e6, rel=0.01)  # a polygon of 64 corners
    left, right = voronoi_cells([0, 600], [0, 0], margin_m=1000)
    for half in (left, right):
        assert half.area == pytest.approx(math.pi * 5e5 + 600_000, rel=0.01)
    line = voronoi_cells([0, 1000, 2000, 3000], [0, 1000, 2000, 3000], margin_m=100)
    # Within the strip, 200 m wide, an inner cell is √2 km long.
    assert [round(c.area) for c in line[1:3]] == [round(200_000 * math.sqrt(2))] * 2
    double = voronoi_cells([0, 0, 1000], [0, 0, 0])
    assert double[0].equals(double[1])
    assert not double[0].equals(double[2])


def test_off_the_land_and_across_water():
    islands = MultiPolygon([box(0, 0, 100, 100), box(0, 900, 100, 1000)])
    off, on = voronoi_cells([-5000, 50], [500, 500], land=islands)
    assert off.is_empty
    assert off.geom_type == "Polygon"
    assert on.geom_type == "MultiPolygon"
    assert on.area == pytest.approx(20_000)


@settings(max_examples=80, deadline=None)
@given(positions(), st.sampled_from([10.0, 1000.0, 100_000.0]), st.integers(1, 9))
def test_cells_and_regions_tile_the_clip_area(xy, margin, size):
    x, y = (np.rint(v * 1000) / 1000 for v in xy)  # voronoi_cells knows a millimetre, no less
    cells = voronoi_cells(x, y, margin_m=margin)
    hull = shapely.MultiPoint(np.column_stack([x, y])).convex_hull.buffer(margin)
    distinct = np.unique(np.column_stack([x, y]), axis=0, return_index=True)[1]
    # Unions are rounded to a millimetre: along the whole border, that makes an area.
    area = pytest.approx(hull.area, abs=hull.length * 0.002)
    assert sum(cells[i].area for i in distinct) == pytest.approx(hull.area, rel=1e-9)
    assert shapely.union_all([cells[i] for i in distinct], grid_size=1e-3).area == area
    for cell, a, b in zip(cells, x, y, strict=True):
        assert cell.is_valid
        assert cell.distance(Point(a, b)) < 1e-6
    cluster = cluster_antennas(x[distinct], y[distinct], min(size, len(distinct)))
    regions = merged_regions([cells[i] for i in distinct], cluster)
    assert len(regions) == cluster.max() + 1
    assert sum(region.area for region in regions) == area


def test_masts_on_one_roof_in_a_wide_country():
    """Masts 0.5 m apart keep the border between them though others are 70 km away."""
    x = [0.0, 0.5, 0.5, 70_000.0, -35_000.0, 10.0]
    y = [0.0, 0.0, 0.002, 0.0, 60_000.0, -80_000.0]
    cells = voronoi_cells(x, y, margin_m=100_000)
    for cell, a, b in zip(cells, x, y, strict=True):
        assert cell.covers(Point(a, b))
    assert cells[0].covers(Point(0.2499, 0))
    assert not cells[0].covers(Point(0.2501, 0))
    assert cells[2].covers(Point(0.5, 0.0011))
    assert not cells[2].covers(Point(0.5, 0.0009))


def test_cells_that_cannot_be():
    cells, crossed = partial(voronoi_cells, [0], [0]), Polygon([(0, 0), (1, 1), (0, 1), (1, 0)])
    check_refused(cells, "NAME", margin_m=[0, "wide"], land=[Point(0, 0), Polygon(), crossed])
    check_refused(partial(voronoi_cells, y_m=[0]), "finite", x_m=[[np.nan]])
    with pytest.raises(InfeasibleError, match="no antenna"):
        voronoi_cells([], [])


def test_impossible_cluster_numbers():
    regions = partial(merged_regions, voronoi_cells([0, 1000], [0, 0]))
    check_refused(regions, "[Cc]luster numbers", cluster=[[0], [0, -1], [0.0, 1.0], [[0, 1]]])


def test_no_cells_no_regions():
    assert merged_regions([], []) == []
