"""Profiles: what they say, what they refuse, and that they can name results."""

import json
import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import AntennaClusters, GeneralizationProfile, Generalize, Grid, Hexagons, Regions
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.options import step_from_dict, step_to_dict
from fpanon_core.model.profiles import fine_to_coarse, parse_profile
from tests.support.refusals import check_refused

NUMBERS = st.floats(0.001, 1e7, allow_nan=False) | st.integers(1, 10_000_000)
SHIFTS = st.floats(-1e7, 1e7, allow_nan=False) | st.integers(-10_000_000, 10_000_000)
ANY_SPACE = st.one_of(
    st.builds(Grid, NUMBERS),
    st.builds(Grid, NUMBERS, st.tuples(SHIFTS, SHIFTS)),
    st.builds(Hexagons, st.integers(0, 15)),
    st.builds(AntennaClusters, st.integers(1, 999)),
    st.builds(Regions, st.sampled_from(["district", "Bezirk Süd", "x1x60"])),
)


@given(ANY_SPACE, st.sampled_from([1, 30, 60, 90, 1_440, 20_160]))
def test_words_code_and_step_hold_all_of_a_profile(space, minutes):
    profile = GeneralizationProfile(space, minutes)
    assert parse_profile(str(profile)) == profile
    assert parse_profile(profile.code) == profile
    assert parse_profile(profile.code[::-1].replace("x", ":", 1)[::-1]) == profile
    plain = json.loads(json.dumps(step_to_dict(Generalize(profile))))
    assert step_from_dict(plain) == Generalize(profile)
    assert "," not in profile.code or isinstance(space, Regions)  # an address lists them by commas


def test_columns_state_the_origin():
    asked = GeneralizationProfile(Grid(2500), 60)
    laid = GeneralizationProfile(Grid(2500, origin=(250, -500)), 60)
    assert str(laid) == "2.5 km from 250 m east, 500 m south · 1 h"
    assert laid.columns["profile"] == str(laid)
    assert asked.columns_laid(laid) == laid.columns | {"profile": "2.5 km · 1 h"}
    assert (laid.columns["origin_x_m"], laid.columns["origin_y_m"]) == (250, -500)
    assert math.isnan(asked.columns["origin_x_m"])
    assert laid.origin == (250, -500)
    assert asked.grid_m == 2500
    with pytest.raises(ConfigError, match="has no origin"):
        _ = asked.origin


def test_impossible_spaces():
    wrong = [3, "00", (1,), (1, 2, 3), (math.nan, 0), ("1", 2)]
    check_refused(partial(Grid, 2500), "Grid origin", origin=wrong)
    sizes = [0, -1, 2.5, "7", True, None]
    check_refused(AntennaClusters, "whole number of antennas", size=sizes)
    check_refused(Regions, "name of a column", column=["", "  ", None, 3])
    check_refused(
        partial(GeneralizationProfile, minutes=60),
        "Grid, Hexagons, AntennaClusters or Regions, not float",
        space=[2500.0],
    )
    with pytest.raises(ConfigError, match="about 7 antennas · 1 h is not a square grid"):
        _ = GeneralizationProfile(AntennaClusters(7), 60).grid_m


def test_fine_to_coarse():
    texts = ["h7x60", "h8x60", "2500e0n0x60", "2500x60", "2500x30", "1000x60", "a7x60", "@zipx60"]
    ordered = sorted(map(parse_profile, texts), key=fine_to_coarse)
    assert " ".join(p.code for p in ordered) == (
        "1000x60 2500x30 2500x60 2500e0n0x60 a7x60 h8x60 h7x60 @zipx60"
    )
