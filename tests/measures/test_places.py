"""Places and their degrees."""

from __future__ import annotations

import numpy as np
import pytest

from fpanon_core.measures.crowds import lon_lat, visited_places
from fpanon_core.model.fingerprints import FingerprintSet


def test_places_count_samples_and_users() -> None:
    # User 1: cells (0,0) and (200,0); user 2: cell (0,0). Cell centres are 50 m further.
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    places = visited_places(fs)
    assert places.to_dict("list") == {
        "x_m": [50.0, 250.0],
        "y_m": [50.0, 50.0],
        "samples": [2, 1],
        "users": [2, 1],
    }


def test_without_a_projection_there_are_no_degrees() -> None:
    fs = FingerprintSet.from_samples([1], [0], [0], [0])
    lon, lat = lon_lat(fs, fs.x_m, fs.y_m)
    assert len(lon) == len(lat) == 0


def test_degrees_run_on_across_the_antimeridian() -> None:
    fs = FingerprintSet.from_codes(
        np.array([0, 0]),
        np.array(["a"]),
        np.array([-50_000.0, 50_000.0]),
        np.zeros(2),
        np.array([0.0, 1.0]),
        crs="+proj=laea +lat_0=-18 +lon_0=179.9 +datum=WGS84 +units=m",
    )
    lon, lat = lon_lat(fs, fs.x_m, fs.y_m)
    # 50 km at 18° south are 50 / (111.3 · cos 18°) = 0.472°.
    assert lon == pytest.approx([179.428, 180.372], abs=0.003)
    assert lat == pytest.approx([-18, -18], abs=0.01)
