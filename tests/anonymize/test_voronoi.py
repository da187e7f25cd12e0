"""Voronoi cells and their unions: by hand, in degenerate places, and that they tile."""

import math
from functools import partial

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, Point, Polygon, box

from fpanon_core import cluster_antennas, merged_regions, voronoi_cells
from fpanon_core.model.errors import InfeasibleError
from tests.anonymize.test_clusters import positions
from tests.support.refusals import check_refused


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


def test_faults():
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
