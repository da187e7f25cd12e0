"""Uniform generalization beside GLOVE; and the estimate before a run."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize import estimate
from fpanon_core.anonymize.comparison import LADDER, compare_releases, identical_share
from fpanon_core.anonymize.glove import glove
from fpanon_core.measures.kgap import k_gap
from fpanon_core.model.errors import ConfigError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import AntennaClusters, GeneralizationProfile, Grid
from tests.fingerprint_sets import crowds


@settings(max_examples=25, deadline=None)
@given(crowds(max_users=40), st.sampled_from([2, 3, 5]))
def test_share_of_identical_is_the_share_of_gap_0(fs, k):
    k = min(k, fs.n_users)
    assert identical_share(fs, k) == np.mean(k_gap(fs, k).values == 0)


def test_by_hand():
    """Four people of one sample: x 0, 900, 0, 0; minutes 0, 2, 600, 603.

    Grids of 1 km and windows of 30 min: {0, 1}, and minutes 600 and 603 fall into 600 … 630: all
    hidden for k = 2. For k = 3 all four must share a window: 1,440 min, the third rung.
    GLOVE at k = 2: pairs of span 550 m, 3 min and of 100 m, 4 min.
    """
    fs = FingerprintSet.from_samples([*"abcd"], [0, 900, 0, 0], [0] * 4, [0, 2, 600, 603])
    ladder = [GeneralizationProfile(Grid(m), t) for m, t in ((50, 1), (1000, 30), (1000, 600),
                                                             (1000, 1440))]  # fmt: skip
    seen = []
    table = compare_releases(fs, (2, 3), ladder=ladder, progress=seen.append)
    assert seen[-1] == 1.0
    assert table["method"].tolist() == ["uniform", "GLOVE", "GLOVE with suppression"] * 2
    assert table["profile"].tolist() == ["1 km · 30 min", "", "", "1 km · 24 h", "", ""]
    assert table["share_hidden"].tolist() == [1.0] * 6
    assert table["verified"].all()
    pairs = table.iloc[1]
    assert (pairs["mean_space_m"], pairs["mean_time_min"]) == (325, 3.5)
    # One group of minutes 0 … 604: beyond 360 min. Two of the four samples must go.
    assert table.iloc[4]["mean_time_min"] == 604
    assert table.iloc[5]["suppressed_share"] == 0.5
    plain = compare_releases(fs, (2,), ladder=ladder, suppress_space_m=None, suppress_time_min=None)
    assert plain["method"].tolist() == ["uniform", "GLOVE"]


def test_where_no_profile_hides_everyone_the_last_stands():
    fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 5_000], [0] * 3, [0, 0, 0])
    table = compare_releases(fs, (2,), ladder=[GeneralizationProfile(Grid(1000), 30)])
    assert table.iloc[0]["share_hidden"] == pytest.approx(2 / 3)
    assert not table.iloc[0]["verified"]
    assert table.iloc[1]["verified"]


def test_a_ladder_finer_than_the_data():
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0] * 2, [0, 0])
    with pytest.raises(ConfigError, match="finer than the data"):
        compare_releases(fs, ladder=[GeneralizationProfile(Grid(10), 30)])
    for fine, coarse in itertools.pairwise(LADDER):
        assert coarse.space.metres >= 2 * fine.space.metres
        assert coarse.minutes >= 2 * fine.minutes


def people(n):
    rng = np.random.default_rng(1)
    return FingerprintSet.from_samples(np.arange(n), *rng.uniform(0, 1e4, (3, n)))


def test_a_ladder_is_made_of_grids():
    ladder = [GeneralizationProfile(AntennaClusters(3), 60)]
    with pytest.raises(ConfigError, match="no square grid"):
        compare_releases(people(5), (2,), ladder=ladder)


def test_growth_is_carried_on(monkeypatch):
    """12,000 users are ten times the sample of 1,200: 10^1.35 = 22.387 times its 2 seconds."""
    monkeypatch.setattr(estimate, "_seconds", lambda fs, *_: 2.0 * (fs.n_users == 1_200))
    assert estimate.estimate_glove_s(people(12_000), 2) == pytest.approx(44.774, abs=1e-3)


def test_a_real_estimate_is_a_time():
    seconds = estimate.estimate_glove_s(people(250), 3)
    assert math.isfinite(seconds)
    assert seconds > 0
    with pytest.raises(InfeasibleError):
        estimate.estimate_glove_s(people(10), 11)
    with pytest.raises(ConfigError):
        estimate.estimate_glove_s(people(10), 1)


def test_results_come_through_a_pickle_closed():
    import pickle

    result = pickle.loads(pickle.dumps(glove(people(20), 2)))
    assert not result.published.x_m.flags.writeable
    assert result.versions["fpanon"]
