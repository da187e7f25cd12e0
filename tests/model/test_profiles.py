"""Profiles: what they say, what they refuse, and that they can name results."""

import numpy as np
import pytest

from fpanon_core import AntennaClusters, GeneralizationProfile, Grid, Regions
from fpanon_core.model.errors import ConfigError


def test_words():
    said = [str(GeneralizationProfile(space, 90)) for space in SPACES]
    assert said == ["2.5 km · 1.5 h", "about 7 antennas · 1.5 h", "regions by district · 1.5 h"]
    assert str(AntennaClusters(1)) == "single antennas"


SPACES = (Grid(2500), AntennaClusters(7), Regions("district"))


def test_equal_by_content():
    assert len({GeneralizationProfile(space, 60) for space in SPACES * 2}) == 3
    assert AntennaClusters(np.int64(7)) == AntennaClusters(7)


@pytest.mark.parametrize("size", [0, -1, 2.5, "7", True, None])
def test_impossible_sizes(size):
    with pytest.raises(ConfigError, match="whole number of antennas"):
        AntennaClusters(size)


@pytest.mark.parametrize("column", ["", "  ", None, 3])
def test_impossible_columns(column):
    with pytest.raises(ConfigError, match="name of a column"):
        Regions(column)


def test_what_is_no_space():
    with pytest.raises(ConfigError, match="Grid, AntennaClusters or Regions, not float"):
        GeneralizationProfile(2500.0, 60)


def test_side_of_the_grid():
    assert GeneralizationProfile(Grid(2500), 60).grid_m == 2500
    with pytest.raises(ConfigError, match="about 7 antennas · 1 h is no square grid"):
        _ = GeneralizationProfile(AntennaClusters(7), 60).grid_m
