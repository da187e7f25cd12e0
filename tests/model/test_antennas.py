"""The antenna table of a fingerprint set: snapped as samples are, kept, and part of the digest."""

from dataclasses import replace

import numpy as np
import pytest

from fpanon_core import Antennas, FingerprintSet, GeneralizationProfile, Grid, generalize
from fpanon_core.model.errors import ConfigError, SchemaError

TABLE = Antennas(
    np.array([130.0, -1.0]), np.array([0.0, 250.0]), columns={"district": ["North", ""]}
)


def test_by_hand():
    assert TABLE.x_m.tolist() == [100, -100]
    assert TABLE.y_m.tolist() == [0, 200]
    assert TABLE.column("district").tolist() == ["North", ""]
    assert len(TABLE) == 2
    assert repr(TABLE) == "Antennas(2 antennas, columns: district)"
    finer = Antennas(np.array([0.7]), np.array([0.7]), 0.1)
    fs = FingerprintSet.from_samples([1], [0.7], [0.7], [0], granularity_m=0.1)
    assert finer.x_m.tolist() == fs.x_m.tolist()  # to the last bit


def test_it_stays_with_the_fingerprints():
    plain = FingerprintSet.from_samples([1, 2, 2], [0, 150, 900], [0, 0, 0], [0, 3, 70])
    fs = replace(plain, antennas=TABLE)
    assert fs.subset([1]).antennas is TABLE
    assert generalize(fs, GeneralizationProfile(Grid(1000), 60)).antennas is TABLE


def test_digest():
    """What clusters and regions the samples fall into depends on the table."""
    plain = FingerprintSet.from_samples([1, 2], [0, 150], [0, 0], [0, 3])
    others = [
        Antennas(TABLE.x_m, TABLE.y_m + 100, columns=TABLE.columns),
        Antennas(TABLE.x_m, TABLE.y_m, columns={"district": ["South", ""]}),
        Antennas(TABLE.x_m, TABLE.y_m, columns={"region": ["North", ""]}),
        Antennas(TABLE.x_m, TABLE.y_m, 50.0, TABLE.columns),
    ]
    digests = [replace(plain, antennas=t).digest for t in (None, TABLE, *others)]
    assert len(set(digests)) == 6
    assert digests[0] == plain.digest
    copy = Antennas(TABLE.x_m, TABLE.y_m, columns=TABLE.columns)
    assert replace(plain, antennas=copy).digest == digests[1]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"x_m": [0.0]}, SchemaError, "one entry for each"),
        ({"x_m": [0.0, np.nan]}, SchemaError, "not a number"),
        ({"lon": [0.0]}, SchemaError, "lon must have one number"),
        ({"columns": {"district": ["North"]}}, SchemaError, "each of the 2 antennas"),
        ({"granularity_m": 0}, ConfigError, "granularity_m"),
    ],
)
def test_faults(change, error, words):
    with pytest.raises(error, match=words):
        replace(TABLE, **change)
