"""Releases of all techniques, as the package writes them, verify; with key and list, and without.

FPANON_RELEASES says how many are made; the techniques come by turns, and what is drawn is new.
"""

import os

import numpy as np
import pytest

import fpanon_core as f
from fpanon_core.model.options import Aligned

MANY = int(os.environ.get("FPANON_RELEASES", "24"))


def profile(space, minutes=120):
    return f.Generalize(f.GeneralizationProfile(space, minutes))


WAYS = [
    [],
    [profile(f.Grid(1_000), 60)],
    [profile(f.Grid(5_000, (250, -500)), 10_080)],
    [profile(f.Hexagons(7))],
    [profile(f.Regions("district"))],
    [profile(f.AntennaClusters(3))],
    [f.SampleUsers(1 / 3)],
    [f.AddNoise(1_000, 60)],
    [f.AddNoise(1_000, 0, "gaussian"), f.SampleUsers(0.5)],
    [f.Permute("positions")],
    [f.Permute("times")],
    [profile(f.Grid(5_000), 480), f.SuppressRare(2)],
    [f.Periods(1)],
    [f.Periods(2), profile(f.Grid(2_500), 60)],
    [f.Glove(2)],
    [f.Glove(3, 15_000, 360)],
    [f.Glove(2, leave_out=0.1)],
    [Aligned(3)],
    [Aligned(2, 10_000)],
    [f.Periods(1), f.Glove(2)],
    [f.Periods(1), Aligned(2, 20_000)],
    [profile(f.Grid(500)), f.Glove(2)],
    [profile(f.Hexagons(8)), f.Glove(2)],
    [profile(f.Regions("district")), Aligned(2)],
    [f.AddNoise(500, 10), f.Glove(2)],
    [f.Permute("times"), f.Periods(1), f.Glove(2)],
    [f.SampleUsers(0.7), f.Glove(2, 20_000)],
    [f.Glove(2), f.SampleUsers(0.5)],
]


@pytest.fixture(scope="module")
def data():
    """Events at antennas of named districts; and the same without clock and projection."""
    events = f.generate_cdr(36, days=3, seed=5)
    places = events[["lat", "lon"]].drop_duplicates().reset_index(drop=True)
    places["antenna_id"] = [f"A{n}" for n in places.index]
    places["district"] = [f"D{n % 5}" for n in np.argsort(np.argsort(places["lat"])) // 9]
    antennas = f.read_antennas(places)
    dated = f.read_cdr(events, timezone="Europe/Berlin", antennas=antennas)[0]
    rng = np.random.default_rng(3)
    x, y, t = rng.integers(0, (90, 90, 4_000), (200, 3)).T * np.array([[100], [100], [1]])
    return dated, f.FingerprintSet.from_samples(rng.integers(0, 25, 200), x, y, t)


@pytest.mark.parametrize("number", range(MANY))
def test_it_verifies(data, number, tmp_path):
    way = WAYS[number % len(WAYS)] if len(WAYS) <= MANY else WAYS[(number * 5) % len(WAYS)]
    form, ending = (("csv", ""), ("parquet", ".zip"), ("csv", ".zip"), ("parquet", ""))[
        (number + number // len(WAYS)) % 4
    ]
    needs = any(
        isinstance(s, f.Generalize) and not isinstance(s.profile.space, f.Grid) for s in way
    )
    fs = data[1] if number % 7 == 6 and not needs else data[0]
    key = tmp_path / "key.csv"
    path = f.publish(f.release(fs, way), tmp_path / f"out{ending}", key=key, format=form)
    k = way[-1].k if way and isinstance(way[-1], f.Glove) else None
    for named in ({}, {"key": key}):
        verdict = f.verify_release(path, fs, k, **named)
        assert verdict.passed, (way, form, ending, named, verdict.violations["text"].tolist())
