"""The shipped data are there, attributed, and what their README says."""

import pandas as pd
import pytest

from fpanon_core.io.samples import SAMPLES, sample
from fpanon_core.model.clock import zone_of
from fpanon_core.model.errors import ConfigError
from fpanon_core.synthetic.generate import generate_cdr
from fpanon_core.synthetic.region import generate_region
from fpanon_core.tables.writing import iso_with_offset


def test_synthetic_sample_equals_what_the_generator_makes() -> None:
    shipped = sample("synthetic")
    made = generate_cdr(2000, days=14, seed=0)
    made["timestamp"] = iso_with_offset(made["timestamp"])
    made["antenna_id"] = made["antenna_id"].astype(str)
    read = pd.read_csv(shipped.path).astype({"user_id": "int32"})
    pd.testing.assert_frame_equal(
        read, made.astype({"timestamp": read["timestamp"].dtype}), check_exact=True
    )
    antennas = pd.read_csv(shipped.antennas_path)
    pd.testing.assert_frame_equal(antennas, generate_region(0).antennas, check_exact=True)


def test_taxis_are_at_their_antennas() -> None:
    taxis = pd.read_csv(sample("sf_cabs").path)
    assert {*taxis["antenna_id"]} <= {*pd.read_csv(sample("sf_cabs").antennas_path)["antenna_id"]}


@pytest.mark.parametrize("one", SAMPLES, ids=lambda s: s.key)
def test_every_sample_names_its_source_and_says_if_invented(one) -> None:
    assert one.path.is_file()
    assert one.antennas_path.is_file()
    zone_of(one.timezone)
    assert one.synthetic == ("nvented" in one.title) == ("nvented" in one.description)
    assert "CC" in one.description
    assert sample(one.key) is one
    assert one.path.stat().st_size + one.antennas_path.stat().st_size < 2e6
    with pytest.raises(ConfigError, match="sf_cabs, synthetic"):
        sample("nowhere")
