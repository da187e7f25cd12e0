"""The command ``tables``: how it reads the data of a private release."""

from pathlib import Path

import numpy as np
import pytest

from fpanon_core import FingerprintSet, read_cdr
from fpanon_core.commands import tables
from tests.support.commands import refused, said_by


@pytest.mark.parametrize("places", ["area", "antennas"])
def test_neighbouring_files_are_read_alike_for_private_tables(
    places: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person more, whose record moves the middle of the data, moves nobody else.

    100 records lie south of 14.695° north and 100 north of it, so that the one more moves the
    median from 14.69 to 14.70.
    """
    read: list[FingerprintSet] = []
    drawn = tables.release
    monkeypatch.setattr(
        tables, "release", lambda fs, *how, **more: read.append(fs) or drawn(fs, *how, **more)
    )
    rng = np.random.default_rng(1)
    lines = [
        f"p{i % 40},2024-03-04T{i % 24:02d}:05Z,"
        f"{14.695 + (1 if i % 2 else -1) * rng.uniform(0.0001, 0.004):.6f},"
        f"{-17.445 + rng.uniform(-0.004, 0.004):.6f}"
        for i in range(200)
    ]
    towers = tmp_path / "towers.csv"
    at = np.ndindex(8, 8)
    grid = [f"{i}-{j},{14.69 + i / 700:.6f},{-17.45 + j / 700:.6f}" for i, j in at]
    towers.write_text("\n".join(["antenna,lat,lon", *grid]))
    where = ["--antennas", towers]
    if places == "area":
        where = ["--area", "14.68,-17.46,14.71,-17.43", "--side-m", 300]
    options = [*where, "--from", "2024-03-04", "--days", 1, "--timezone", "Africa/Dakar"]
    options += ["--what", "presence", "--epsilon", 1]
    middles = []
    for more in ([], ["more,2024-03-04T10:05Z,14.695300,-17.440000"]):
        file = tmp_path / "events.csv"
        file.write_text("\n".join(["user,time,lat,lon", *lines, *more]))
        told = said_by("tables", file, *options, "--out", tmp_path / f"{len(more)}.zip")
        assert "Do not publish what is printed here" in told
        middles.append(read_cdr(file)[0].crs)
    assert middles[0] != middles[1]
    one, other = read
    assert one.crs == other.crs
    assert other.subset(np.arange(one.n_users)).digest == one.digest
    if places == "antennas":
        asked = [*options, "--positions", "exchanged", "--out", tmp_path / "a.zip"]
        assert "correct the positions in the files themselves" in refused("tables", file, *asked)
