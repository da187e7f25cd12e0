"""Uniform generalization: by hand, nested, and across a change of the clock."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from tests.support.fingerprint_sets import check_bins, events


def profile(metres, minutes):
    """From the projection's centre, so that grids nest; see test_origins.py for the others."""
    return fp.GeneralizationProfile(fp.Grid(metres, (0, 0)), minutes)


def test_by_hand():
    """(900, 100) and (−100, 0) are in different kilometres; 59 and 61 in different hours."""
    fs = fp.FingerprintSet.from_samples(
        [1, 1, 1, 2], [900, 950, -100, 0], [100, 100, 0, 0], [59, 58, 61, 7]
    )
    out = fp.generalize(fs, profile(1000, 60))
    assert out.offsets.tolist() == [0, 2, 3]
    assert out.x_m.tolist() == [0, -1000, 0]
    assert out.t_min.tolist() == [0, 60, 0]
    assert out.count.tolist() == [2, 1, 1]
    assert set(out.dx_m) == set(out.dy_m) == {1000.0}
    assert (out.granularity_m, out.granularity_min) == (1000, 60)
    assert fs.n_samples == 4  # the input is untouched


@settings(deadline=None)
@given(events(), st.sampled_from([100, 200, 1000]), st.sampled_from([1, 60, 480]))
def test_set_counts_and_nesting(fs, metres, minutes):
    out = fp.generalize(fs, profile(metres, minutes))
    check_bins(fs, out, fs.x_m // metres * metres, fs.y_m // metres * metres, minutes)
    wide = profile(metres * 5, minutes * 3)
    assert fp.generalize(out, wide).digest == fp.generalize(fs, wide).digest


def test_same_profile_changes_nothing():
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 150], [0, 0], [0, 3])
    assert fp.generalize(fs, profile(100, 1)).digest == fs.digest


@pytest.mark.parametrize(("metres", "minutes"), [(50, 60), (100, 0.5)])
def test_finer_than_the_data(metres, minutes):
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 150], [0, 0], [0, 3])
    with pytest.raises(fp.ConfigError, match="finer than the data"):
        fp.generalize(fs, profile(metres, minutes))


def test_windows_follow_local_midnight_when_the_clock_changes():
    """Berlin, Sunday 2026-10-25 has 25 hours. Epoch: Saturday, 00:00 local.

    Sunday 00:00 local is elapsed minute 1440; Sunday 08:00 is 9 h later, minute 1980; Monday 00:00
    is minute 2940. Eight-hour windows of Sunday: [1440, 1980), [1980, 2460), [2460, 2940).
    """
    clock = fp.LocalClock.starting_on(dt.datetime(2026, 10, 24, 12, tzinfo=dt.UTC), "Europe/Berlin")
    t = np.array([1439.0, 1440.0, 1979.0, 1980.0, 2939.0, 2940.0])
    fs = replace(
        fp.FingerprintSet.from_samples(np.zeros(6, np.int64), t * 0, t * 0, t), clock=clock
    )
    out = fp.generalize(fs, profile(100, 480))
    assert out.t_min.tolist() == [960, 1440, 1980, 2460, 2940]
    assert out.dt_min.tolist() == [480, 540, 480, 480, 480]
    # An hour's window is not bent by a change of an hour.
    assert set(fp.generalize(fs, profile(100, 60)).dt_min) == {60.0}
