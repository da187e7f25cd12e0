"""Which profiles forms offer, by what the data know of places; no browser, no Streamlit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fpanon_core import Antennas, FingerprintSet
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.profiles import parse_profile
from fpanon_core.model.projection import equal_area_around
from pages.shell.widgets import PRESETS, TYPED, offered, profiles_of


def town(granularity_m: float = 100.0) -> FingerprintSet:
    return FingerprintSet.from_samples(
        [1, 2], [0, 900], [0, 0], [0, 9], granularity_m=granularity_m
    )


def test_what_suits_the_data_is_offered() -> None:
    grids = [str(profile) for profile in PRESETS]
    assert offered(town()) == grids
    somewhere = replace(town(), crs=equal_area_around(14.7, -17.4))
    hexagons = [f"hexagons of H3 resolution {r} · 1 h" for r in (8, 7, 6)]
    assert offered(somewhere) == grids + hexagons
    table = Antennas(np.array([0.0, 900.0]), np.array([0.0, 0.0]), columns={"zip": ["1", "2"]})
    antennas = ["single antennas · 1 h", "about 7 antennas · 1 h"]
    everything = [*grids, *antennas, *hexagons, "regions by zip · 1 h"]
    assert offered(replace(somewhere, antennas=table)) == everything
    assert [str(parse_profile(text)) for text in everything] == everything


def test_hexagons_finer_than_the_data_are_not_offered() -> None:
    """A square of 2 km has 4 km²; hexagons of resolution 7 have 5.2 km² on average, of 8 0.74."""
    coarse = replace(town(2_000.0), crs=equal_area_around(14.7, -17.4))
    found = [text for text in offered(coarse) if text.startswith("hexagons")]
    assert found == [f"hexagons of H3 resolution {r} · 1 h" for r in (7, 6)]


def test_what_somebody_typed_stays_offered() -> None:
    typed = profiles_of(["3 km · 45 min", "2.5 km from 0 m east, 0 m north · 1 h"])
    assert {str(profile) for profile in typed} < set(offered(town(), typed))


def test_the_examples_of_how_to_type_can_be_typed() -> None:
    examples = [part.split("”")[0] for part in TYPED.split("“")[1:]]
    assert len(profiles_of(examples)) == 5
    with pytest.raises(ConfigError, match="somewhere"):
        profiles_of(["somewhere"])
