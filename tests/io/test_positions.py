"""Degrees, the projection and its centre."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from fpanon_core.io.positions import centre_of, nearest_to, position_faults, zone_at
from fpanon_core.io.report import IMPOSSIBLE_COORDINATES, MISSING_COORDINATES, ZERO_COORDINATES
from fpanon_core.model.projection import project


def test_each_impossible_position_has_one_reason():
    lat = np.array([40.0, np.nan, 91.0, 0.0, 0.0, 10.0, np.nan])
    lon = np.array([-74.0, 5.0, 5.0, 0.0, 7.0, 180.5, 400.0])
    faults = position_faults(lat, lon)
    assert faults[MISSING_COORDINATES].tolist() == [False, True, False, False, False, False, True]
    assert faults[IMPOSSIBLE_COORDINATES].tolist() == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]
    # on the equator, or on the prime meridian, but not both
    assert faults[ZERO_COORDINATES].tolist() == [False, False, False, True, False, False, False]


def test_antimeridian_is_no_edge():
    # Fiji: half the people at 179.9° E, half at 179.9° W, 0.2° apart and not 359.8°
    lat = np.array([-16.5, -16.5])
    lon = np.array([179.9, -179.9])
    centre = centre_of(lat, lon)
    assert abs(abs(centre.lon) - 180) <= 0.11
    assert centre.reach_deg == pytest.approx(0.2, abs=0.02)
    x, _ = project(lat, lon, centre.crs)
    _, _, metres = Geod(ellps="WGS84").inv(179.9, -16.5, -179.9, -16.5)
    assert x[1] - x[0] == pytest.approx(metres, rel=1e-4)
    assert zone_at(nearest_to(lat, lon, centre)) == "Pacific/Fiji"


def test_southern_hemisphere_keeps_north_up():
    lat, lon = np.array([-10.94, -10.93]), np.array([-37.06, -37.05])
    x, y = project(lat, lon, centre_of(lat, lon).crs)
    assert y[1] > y[0]
    assert x[1] > x[0]
    # 0.01° of latitude is about 1 106 m at 11° S
    assert y[1] - y[0] == pytest.approx(1106, abs=2)


def test_strays_do_not_move_the_centre():
    lat = np.array([37.77] * 50 + [-33.0])
    lon = np.array([-122.42] * 50 + [151.0])
    centre = centre_of(lat, lon)
    assert (centre.lat, centre.lon) == (37.77, -122.42)


@given(
    st.lists(st.tuples(st.floats(-89, 89), st.floats(-180, 180)), min_size=1, max_size=60),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_centre_does_not_depend_on_the_order_of_rows(places, random):
    shuffled = list(places)
    random.shuffle(shuffled)
    assert centre_of(*np.array(places).T) == centre_of(*np.array(shuffled).T)


@given(st.floats(-80, 80), st.floats(-180, 180), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
@settings(deadline=None)
def test_distances_near_the_centre_are_true(lat, lon, d_lat, d_lon):
    from fpanon_core.io.positions import Centre

    other = lat + d_lat, (lon + d_lon + 180) % 360 - 180
    x, y = project(np.array([lat, other[0]]), np.array([lon, other[1]]), Centre(lat, lon).crs)
    _, _, metres = Geod(ellps="WGS84").inv(lon, lat, other[1], other[0])
    assert np.hypot(x[1] - x[0], y[1] - y[0]) == pytest.approx(metres, rel=1e-4, abs=0.05)
