"""Releases as the package writes them verify, with the key and without.

Other techniques are in tests/studies/test_publishing.py; whatever is published is verified.
"""

import numpy as np
import pytest

import fpanon_core as f
from fpanon_core.model.options import Aligned


def profile(space, minutes=120):
    return f.Generalize(f.GeneralizationProfile(space, minutes))


WAYS = [
    [profile(f.Grid(5_000, (250, -500)), 10_080)],
    [profile(f.Hexagons(7))],
    [profile(f.Regions("district"))],
    [profile(f.AntennaClusters(3))],
    [f.AddNoise(1_000, 0, "gaussian"), f.SampleUsers(1 / 3)],
    [f.Glove(2, leave_out=0.1)],
    [Aligned(2, 10_000)],
    [f.Periods(1), Aligned(2, 20_000)],
    [profile(f.Hexagons(8)), f.Glove(2)],
    [profile(f.Regions("district")), Aligned(2)],
    [f.Permute("times"), f.Periods(1), f.Glove(2)],
    [f.Periods(2), profile(f.Grid(2_500), 60)],
    [f.Periods(1), f.Glove(2)],
    [f.AddNoise(500, 10), f.Glove(2)],
]


@pytest.fixture(scope="module")
def data():
    """Events at antennas of named districts."""
    events = f.generate_cdr(36, days=3, seed=5)
    places = events[["lat", "lon"]].drop_duplicates().reset_index(drop=True)
    places["antenna_id"] = [f"A{n}" for n in places.index]
    places["district"] = [f"D{n % 5}" for n in np.argsort(np.argsort(places["lat"])) // 9]
    antennas = f.read_antennas(places)
    return f.read_cdr(events, timezone="Europe/Berlin", antennas=antennas)[0]


@pytest.mark.parametrize("number", range(len(WAYS)))
def test_it_verifies(data, number, tmp_path):
    way, key = WAYS[number], tmp_path / "key.csv"
    form, target = [("csv", "out"), ("parquet", "out.zip")][number % 2]
    path = f.publish(f.release(data, way), tmp_path / target, key=key, format=form)
    k = way[-1].k if isinstance(way[-1], f.Glove) else None
    for named in ({}, {"key": key}):
        verdict = f.verify_release(path, data, k, **named)
        assert verdict.passed, verdict.violations["text"].tolist()
