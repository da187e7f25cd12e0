"""Uniform generalization beside GLOVE."""

import datetime as dt
import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize.generalize import generalize
from fpanon_core.anonymize.glove import glove
from fpanon_core.measures.crowds import sharing
from fpanon_core.measures.kgap import k_gap
from fpanon_core.model.clock import LocalClock
from fpanon_core.model.errors import ConfigError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import AntennaClusters, GeneralizationProfile, Grid
from fpanon_core.studies import comparison, hiding
from fpanon_core.studies.comparison import (
    LADDER,
    identical_share,
    one_cell,
    searched,
)
from tests.support.fingerprint_sets import crowds, events
from tests.support.refusals import check_refused


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
    ladder = [
        GeneralizationProfile(Grid(m), t)
        for m, t in ((50, 1), (1000, 30), (1000, 600), (1000, 1440))
    ]
    seen = []
    table = compared(fs, (2, 3), ladder, progress=seen.append)
    assert seen[-1] == 1.0
    assert table["method"].tolist() == ["uniform", "GLOVE", "GLOVE with suppression"] * 2
    assert table["profile"].tolist() == ["1 km · 30 min", "", "", "1 km · 24 h", "", ""]
    assert table["share_hidden"].tolist() == [1.0] * 5 + [0.0]
    assert table["verified"].all()
    pairs = table.iloc[1]
    assert (pairs["mean_space_m"], pairs["mean_time_min"]) == (325, 3.5)
    # One group of minutes 0 … 604: beyond 360 min, within which there are samples of two people
    # at most, fewer than 3: nothing is published.
    assert table.iloc[4]["mean_time_min"] == 604
    assert table.iloc[5]["suppressed_share"] == 1.0
    without = comparison.Config((2,), None, None, ladder=tuple(ladder))
    plain = comparison.study(fs, without).comparison
    assert plain["method"].tolist() == ["uniform", "GLOVE"]


def test_the_study_passes_over_crowds_of_more_than_there_are():
    fs = people(6)
    ladder = (GeneralizationProfile(Grid(20_000), 120),)
    found = comparison.study(fs, comparison.Config(ks=(2, 5, 10), ladder=ladder))
    table = found.to_frame()
    assert table["k"].tolist() == [2] * 3 + [5] * 3
    # 9 km and a week: a side of 20 km is cut to 9 km; no window of two hours holds all times.
    assert [str(p) for p in found.searched] == ["9 km · 2 h", str(one_cell(fs))]
    assert table["profile"].tolist()[::3] == [str(one_cell(fs))] * 2
    assert table["origin_x_m"].isna().tolist() == [False, True, True] * 2
    assert table["window_min"].isna().tolist() == [False, True, True] * 2
    with pytest.raises(InfeasibleError):
        comparison.study(people(3), comparison.Config(ks=(5,), ladder=ladder))
    check_refused(comparison.Config, ks=[(), (1,)], suppress_space_m=[0], ladder=[()])


def test_a_release_is_the_functions_and_its_tables_tell_of_it():
    """Two pairs far apart, of spans 0.5 km; beyond 200 m one sample of each must go."""
    x, seen = [0, 900, 90_000, 90_000], []
    fs = FingerprintSet.from_samples([1, 2, 3, 4], x, [0] * 4, [0, 0, 600, 600])
    config = hiding.Config(2, suppress_space_m=200, leftover="suppress")
    found = hiding.study(fs, config, progress=seen.append)
    assert seen == sorted(seen)
    alone = glove(fs, 2, suppress_space_m=200, leftover="suppress")
    assert np.array_equal(found.release.group, alone.group)
    back = pickle.loads(pickle.dumps(found.release))
    assert not back.published.x_m.flags.writeable
    assert back.versions["fpanon"]
    assert found.verdict.passed
    assert (found.config, found.digest) == (config, fs.digest)
    row = found.to_frame().iloc[0]
    assert (row["k"], row["suppress_space_m"], row["leftover"]) == (2, 200, "suppress")
    assert math.isnan(row["suppress_time_min"])
    assert row["verified"]
    assert row["suppressed_share"] == alone.suppressed_share > 0
    assert list(found.tables()) == ["accuracy"]
    assert hash(config) == hash(hiding.Config(2, 200.0, None, "suppress"))


def test_releases_that_cannot_be_asked_for():
    check_refused(hiding.Config, k=[1, 2.5], suppress_space_m=[-1], leftover=["drop"])
    check_refused(hiding.Config, suppress_time_min=[math.nan], leave_out=[-1, 0.2])
    check_refused(hiding.Config, method=["best"], period_days=[0])


def test_where_no_grid_hides_everyone_one_cell_does():
    """The third is 5 km away: two thirds at 1 km. One cell: 5,100 m, so 6 km, and one day."""
    fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 5_000], [0] * 3, [0, 0, 1_439])
    kilometre = GeneralizationProfile(Grid(1000), 30)
    table = compared(fs, (2, 3), [kilometre])
    assert identical_share(generalize(fs, kilometre), 2) == pytest.approx(2 / 3)
    assert table["profile"].tolist()[::3] == ["6 km · 24 h"] * 2
    assert table["share_hidden"].tolist()[::3] == [1.0, 1.0]
    assert table["verified"].all()


@settings(max_examples=40, deadline=None)
@given(st.one_of(events(), crowds(30)), st.booleans())
def test_one_cell_is_one_cell(fs, berlin):
    """Everybody has the one bin, across the changes of the clock, too; nothing smaller is tried."""
    if berlin:
        first = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
        fs = replace(fs, clock=LocalClock.starting_on(first, "Europe/Berlin"))
    whole = one_cell(fs)
    assert generalize(fs, whole).lengths.tolist() == [1] * fs.n_users
    assert identical_share(generalize(fs, whole), fs.n_users) == 1.0
    tried = searched(fs, LADDER)
    assert tried[-1] == whole
    for fine, coarse in itertools.pairwise(tried):
        assert fine != coarse
        assert fine.grid_m <= coarse.grid_m
        assert fine.minutes <= coarse.minutes
    for profile in LADDER:  # a rung that was cut shows the same as it would have whole
        if profile.grid_m > whole.grid_m or profile.minutes > whole.minutes:
            cut = searched(fs, [profile])[0]
            one, other = generalize(fs, profile), generalize(fs, cut)
            np.testing.assert_array_equal(sharing(one), sharing(other))


def test_a_town_around_the_centre_is_not_quartered():
    """Four people at the corners of 400 m around the centre are alike at 10 km; from (0, 0) none.

    10 km are no coarser than the 400 m that hold them all, and so are told as these. Were the grid
    laid from the centre, nothing but one cell would hide them.
    """
    fs = FingerprintSet.from_samples(range(4), [-200, 100] * 2, [-200, -200, 100, 100], [5] * 4)
    ladder = [GeneralizationProfile(Grid(100), 30), GeneralizationProfile(Grid(10_000), 60)]
    assert compared(fs, (4,), ladder)["profile"][0] == "400 m · 1 h"
    centred = [GeneralizationProfile(Grid(10_000, (0, 0)), 60)]
    assert identical_share(generalize(fs, centred[0]), 2) == 0
    assert compared(fs, (4,), centred)["profile"][0] == str(one_cell(fs))


def test_a_ladder_finer_than_the_data():
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0] * 2, [0, 0])
    for space, said in ((Grid(10), "finer than the data"), (AntennaClusters(3), "not a square")):
        with pytest.raises(ConfigError, match=said):
            compared(fs, (2,), [GeneralizationProfile(space, 30)])
    for fine, coarse in itertools.pairwise(LADDER):
        assert coarse.space.metres >= 2 * fine.space.metres
        assert coarse.minutes >= 2 * fine.minutes


def compared(fs, ks, ladder, **work):
    return comparison.study(fs, comparison.Config(ks, ladder=tuple(ladder)), **work).comparison


def people(n):
    rng = np.random.default_rng(1)
    return FingerprintSet.from_samples(np.arange(n), *rng.uniform(0, 1e4, (3, n)))
