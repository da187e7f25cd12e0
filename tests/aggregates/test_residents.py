"""Public numbers of residents: where estimates start, what is refused, what the packages say."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.aggregates.smoothing import seeded
from fpanon_core.aggregates.tables import counting_presence, exact_sums, protected_presence
from fpanon_core.studies.framing import stated_of_data
from fpanon_core.studies.table_package import readme
from fpanon_core.synthesis.fitted import fitted, homes_by_place
from fpanon_core.synthesis.statistics import Ground, exact_statistics, noisy_statistics
from tests.support.stated_frames import crowd

FRAME = fp.FrameConfig(fp.StatedPeriod(None, 9), residents="residents")
RESIDENTS = ["400", "100", "", "300"]
EXPECTED = [2.0, 0.5, 0.1, 1.5]
"""By hand: the mean is 200, and a tenth of it is the least."""


@pytest.fixture(scope="module")
def fs() -> fp.FingerprintSet:
    corners = [0, 2_000, 0, 2_000], [0, 0, 2_000, 2_000]
    columns = {"residents": RESIDENTS, "district": ["A", "A", "B", "B"], "noise": ["-1"] * 4}
    return replace(crowd(60), antennas=fp.Antennas(*corners, columns=columns))


def test_the_frame_weighs_antennas_by_their_residents(fs) -> None:
    assert table_frame(fs, FRAME).weight.tolist() == EXPECTED
    assert table_frame(fs, replace(FRAME, residents=None)).weight.tolist() == [1.0] * 4
    assert stated_of_data(fs).residents is None, "no column is taken for public by its name"
    assert fs.antennas.number_columns == ("residents",)


def test_where_all_is_noise_people_are_where_they_live(fs) -> None:
    option, where = fp.Presence(FRAME, 1, epsilon=0.01), table_frame(fs, FRAME)
    level = lambda values, *_: np.full_like(values, values.sum() // values.size)  # noqa: E731
    table = protected_presence(
        exact_sums(counting_presence, fs, where, option), where, option, level
    )
    of_area = table.values.sum(axis=(1, 2))
    np.testing.assert_allclose(of_area / of_area.sum(), np.array(EXPECTED) / sum(EXPECTED))


def test_synthetic_people_of_one_zone_live_by_its_residents(fs) -> None:
    """Beyond 1,024 places a zone has several: only residents tell these apart."""
    ground = replace(Ground.of(table_frame(fs, FRAME)), zone=np.zeros(4, np.int32))
    found = noisy_statistics(exact_statistics(fs, ground), ground, 1.0, seeded(0, 0))
    due = np.array(EXPECTED) / sum(EXPECTED)
    np.testing.assert_allclose(homes_by_place(found, ground), due)
    np.testing.assert_allclose(fitted(found, ground).within, np.cumsum(due))


@pytest.mark.parametrize("name", ["district", "noise", "people"])
def test_a_column_without_numbers_of_residents_is_refused(fs, name) -> None:
    with pytest.raises(fp.ConfigError, match="column"):
        fp.presence(fs, replace(FRAME, residents=name), epsilon=1)


def test_residents_are_of_antennas() -> None:
    area = fp.StatedArea(0, 0, 3_000, 3_000, "metres")
    with pytest.raises(fp.ConfigError, match="raster as an antenna table"):
        fp.FrameConfig(fp.StatedPeriod(None, 9), "grid", area, residents="residents")


@pytest.mark.parametrize("step", [fp.Presence(FRAME, 2, epsilon=1), fp.Synthesize(FRAME, 1.0, 50)])
def test_packages_name_the_column_and_are_verified(step, fs, tmp_path) -> None:
    path = fp.publish(fp.release(fs, step), tmp_path / "r.zip")
    assert fp.verify_release(path, fs, None).passed
    with zipfile.ZipFile(path) as packed:
        page = packed.read("README.md").decode()
    assert "start from public numbers of residents near each antenna (column 'residents'" in page
    exact = fp.release(fs, fp.Presence(FRAME, 2))
    page = "".join(readme(exact.option, exact.frame, {}, {}))
    assert "residents" not in page, "nothing is estimated without noise"
    assert fp.FrameConfig.from_dict(FRAME.to_dict()) == FRAME
    assert "residents" not in replace(FRAME, residents=None).to_dict(), "as older files say it"


def test_a_raster_is_a_table_of_antennas() -> None:
    """Records with degrees of their own count at the nearest point of the raster."""
    raster = pd.DataFrame(
        {"point": ["a", "b"], "lat": [14.7, 14.8], "lon": [-17.4, -17.4], "residents": [9, 1]}
    )
    times = pd.date_range("2024-03-04", periods=4, freq="h", tz="UTC")
    events = pd.DataFrame({"user": 1, "time": times, "lat": 14.71, "lon": -17.41})
    fs, _ = fp.read_cdr(events, antennas=raster, centre=(14.75, -17.4))
    frame = fp.FrameConfig(fp.StatedPeriod(times[0].date(), 1), residents="residents")
    assert fp.presence(fs, frame, bands=1).values[:, 0, 0].tolist() == [1.0, 0.0]
    assert table_frame(fs, frame).weight.tolist() == [1.8, 0.2]
