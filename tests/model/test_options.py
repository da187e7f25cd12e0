"""Release options as plain data: words, checks, and the way to JSON and back."""

import json
import pickle
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from tests.support.refusals import check_refused

SOUTH = fp.GeneralizationProfile(fp.Regions("Bezirk Süd"), 90)
HOUR = fp.GeneralizationProfile(fp.Grid(1000), 60)
WORDS = [
    (fp.Generalize(HOUR), "1 km · 1 h"),
    (fp.AddNoise(500, 90), "noise of 500 m (planar Laplace) and 1.5 h (Laplace)"),
    (fp.AddNoise(), "no noise"),
    (fp.Permute(), "positions exchanged within 1 h"),
    (fp.Permute("times"), "times exchanged within 5 km"),
    (fp.SuppressRare(3), "bins of fewer than 3 people left out"),
    (fp.Glove(2, 15_000, 360), "GLOVE, k = 2, within 15 km and 6 h"),
    (fp.Aligned(20, leave_out=0.05), "aligned, k = 20, up to 5% left out"),
    (fp.Aligned(20, effort="quick"), "aligned, k = 20, quick search"),
    (fp.Generalize(SOUTH), "regions by Bezirk Süd · 1.5 h"),
    (fp.SampleUsers(0.25), "25% of the people"),
]
STEPS = st.lists(st.sampled_from([step for step, _ in WORDS]), max_size=4)


@given(st.builds(fp.ReleaseOption, st.none() | st.text(max_size=20), STEPS))
def test_comes_back_from_json_equal(option):
    back = fp.ReleaseOption.from_dict(json.loads(json.dumps(option.to_dict())))
    assert back == option
    assert hash(back) == hash(option)
    assert pickle.loads(pickle.dumps(option)) == option
    assert option.name.strip()


@pytest.mark.parametrize(("step", "words"), WORDS)
def test_says_what_it_does(step, words):
    assert str(step) == fp.as_option(step).name
    assert words in (None, str(step))


def test_whatever_says_an_option():
    option = fp.ReleaseOption("mine", [fp.Generalize(HOUR), fp.SuppressRare(2)])
    assert fp.as_option(HOUR) == fp.as_option(fp.Generalize(HOUR)) == fp.as_option([HOUR])
    assert fp.as_option(("mine", [HOUR, fp.SuppressRare(2)])) == option
    assert (
        fp.as_option([]).name == fp.as_option(()).name == fp.ReleaseOption("  ").name == "as it is"
    )
    assert fp.as_option(option.to_dict()) == option
    assert option.text == "1 km · 1 h, then bins of fewer than 2 people left out"
    assert str(option) == "mine"


@pytest.mark.parametrize(
    "wrong",
    [
        *(3, "1 km", [None], ("name", 3), {"name": 3}, {"name": "x", "other": 1}),
        *({"steps": [{}]}, {"steps": "glove"}),
        {"steps": [{"technique": "glove"}]},
        {"steps": [{"technique": "glove", "k": 2, "l": 3}]},
        {"steps": [{"technique": "generalize", "minutes": 5}]},
        {"steps": [{"technique": ["glove"], "k": 2}]},
    ],
)
def test_whatever_says_none(wrong):
    with pytest.raises(fp.ConfigError):
        fp.as_option(wrong)


def test_parameters_are_checked_when_a_step_is_made():
    check_refused(fp.Generalize, profile=[fp.Grid(100)])
    check_refused(fp.SampleUsers, share=[0, 1.5])
    check_refused(fp.AddNoise, space_m=[-1], space=["uniform"])
    check_refused(fp.Permute, what=["places"], window_min=[0])
    check_refused(fp.SuppressRare, min_users=[0, 2.0])
    check_refused(fp.Glove, k=[1])
    check_refused(partial(fp.Glove, 2), suppress_time_min=[0])
