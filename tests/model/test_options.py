"""Release options as plain data: words, checks, and the way to JSON and back."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import (
    AddNoise,
    AntennaClusters,
    ConfigError,
    GeneralizationProfile,
    Generalize,
    Glove,
    Grid,
    Permute,
    Regions,
    ReleaseOption,
    SampleUsers,
    SuppressRare,
    as_option,
)

HOUR = GeneralizationProfile(Grid(1000), 60)
scale = st.floats(0.5, 90_000)
steps = st.one_of(
    st.builds(
        Generalize,
        st.builds(
            GeneralizationProfile,
            st.one_of(
                st.builds(Grid, scale),
                st.builds(AntennaClusters, st.integers(1, 99)),
                st.builds(Regions, st.sampled_from(["district", "Bezirk Süd"])),
            ),
            scale,
        ),
    ),
    st.builds(SampleUsers, st.floats(0.01, 1)),
    st.builds(
        AddNoise,
        scale,
        scale,
        st.sampled_from(["planar_laplace", "gaussian"]),
        st.sampled_from(["laplace", "gaussian"]),
    ),
    st.builds(Permute, st.sampled_from(["positions", "times"]), scale, scale),
    st.builds(SuppressRare, st.integers(1, 99)),
    st.builds(Glove, st.integers(2, 99), st.none() | scale, st.none() | scale),
)


@given(st.builds(ReleaseOption, st.none() | st.text(max_size=20), st.lists(steps, max_size=4)))
def test_comes_back_from_json_equal(option):
    back = ReleaseOption.from_dict(json.loads(json.dumps(option.to_dict())))
    assert back == option
    assert hash(back) == hash(option)
    assert pickle.loads(pickle.dumps(option)) == option
    assert option.name.strip()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Generalize(HOUR), "1 km · 1 h"),
        (SampleUsers(0.25), "25 % of the users"),
        (AddNoise(500, 90), "noise of 500 m (planar Laplace) and 1.5 h (Laplace)"),
        (AddNoise(0, 5, time="gaussian"), "noise of 5 min (Gaussian)"),
        (AddNoise(), "no noise"),
        (Permute(), "positions exchanged within 1 h"),
        (Permute("times"), "times exchanged within 5 km"),
        (SuppressRare(3), "bins of fewer than 3 users left out"),
        (Glove(5), "GLOVE, k = 5"),
        (Glove(2, 15_000, 360), "GLOVE, k = 2, within 15 km and 6 h"),
    ],
)
def test_says_what_it_does(step, words):
    assert str(step) == words == as_option(step).name


def test_whatever_says_an_option():
    option = ReleaseOption("mine", [Generalize(HOUR), SuppressRare(2)])
    assert as_option(option) is option
    assert as_option(HOUR) == as_option(Generalize(HOUR)) == as_option([HOUR])
    assert as_option(("mine", [HOUR, SuppressRare(2)])) == option
    assert as_option([]).name == as_option(()).name == ReleaseOption("  ").name == "as it is"
    assert as_option(option.to_dict()) == option
    assert option.text == "1 km · 1 h, then bins of fewer than 2 users left out"
    assert str(option) == "mine"


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        "1 km",
        [None],
        ("name", 3),
        {"steps": [{}]},
        {"steps": "glove"},
        {"name": "x", "other": 1},
        {"steps": [{"technique": "glove"}]},
        {"steps": [{"technique": "glove", "k": 2, "l": 3}]},
        {"steps": [{"technique": "generalize", "minutes": 5}]},
        {"steps": [{"technique": ["glove"], "k": 2}]},
        {"name": 3},
    ],
)
def test_whatever_says_none(wrong):
    with pytest.raises(ConfigError):
        as_option(wrong)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Generalize, {"profile": Grid(100)}),
        (SampleUsers, {"share": 0}),
        (SampleUsers, {"share": 1.5}),
        (AddNoise, {"space_m": -1}),
        (AddNoise, {"space": "uniform"}),
        (Permute, {"what": "places"}),
        (Permute, {"window_min": 0}),
        (SuppressRare, {"min_users": 0}),
        (SuppressRare, {"min_users": 2.0}),
        (Glove, {"k": 1}),
        (Glove, {"k": 2, "suppress_time_min": 0}),
    ],
)
def test_parameters_are_checked_when_a_step_is_made(kind, wrong):
    with pytest.raises(ConfigError):
        kind(**wrong)
