"""Antenna clusters: by hand, against plain loops, on real antennas, and what must always hold."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
    with pytest.raises(InfeasibleError, match="larger than the 2 antennas there are"):
        two(3)
    with pytest.raises(InfeasibleError, match="no antenna"):
        of([], [])
