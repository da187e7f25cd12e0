"""Elapsed against local minutes, by hand around both changes of the clock."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core.model.clock import LocalClock
from fpanon_core.model.errors import ConfigError


def clock(day, zone="Europe/Berlin"):
    return LocalClock.starting_on(dt.datetime(*day, 12, tzinfo=dt.UTC), zone)


def test_epoch_is_local_midnight():
    assert clock((2026, 7, 1)).epoch == dt.datetime(2026, 6, 30, 22, tzinfo=dt.UTC)
    # 12:00 UTC is 01:00 of the next day in Auckland (+13 in January).
    assert clock((2026, 1, 1), "Pacific/Auckland").epoch == dt.datetime(
        2026, 1, 1, 11, tzinfo=dt.UTC
    )


def test_autumn_the_hour_occurs_twice():
    """2026-10-25, 03:00 summer time becomes 02:00: elapsed minute 180 of that day."""
    c = clock((2026, 10, 25))
    assert c.wall_minutes([179, 180, 240]).tolist() == [179, 120, 180]
    assert c.elapsed_minutes([120, 179, 180, 1440]).tolist() == [120, 179, 240, 1500]


def test_spring_the_hour_is_skipped():
    """2026-03-29, 02:00 becomes 03:00: elapsed minute 120 of that day."""
    c = clock((2026, 3, 29))
    assert c.wall_minutes([119, 120]).tolist() == [119, 180]
    assert c.elapsed_minutes([119, 130, 180]).tolist() == [119, 120, 120]


def test_quarter_hours_across_the_doubled_hour():
    """Windows of 25 min do not divide the hour that the clock goes back; they still tile time."""
    c = clock((2026, 10, 25))
    t = np.arange(0.0, 1500.0)
    begin, length = c.window(t, 25.0)
    assert (begin <= t).all()
    assert (t < begin + length).all()
    edges = np.unique(begin)
    ends = np.unique(begin + length)
    np.testing.assert_array_equal(edges[1:], ends[:-1])


@given(
    st.sampled_from(
        ["Europe/Berlin", "America/Los_Angeles", "Africa/Dakar", "Australia/Lord_Howe"]
    ),
    st.integers(0, 360),
    st.sampled_from([1.0, 7.0, 30.0, 60.0, 480.0, 1440.0, 10_080.0]),
    st.lists(st.floats(0, 600_000), min_size=1, max_size=50),
)
def test_windows_hold_their_instants(zone, day, minutes, times):
    c = LocalClock.starting_on(dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(day), zone)
    begin, length = c.window(times, minutes)
    assert (begin <= np.asarray(times) + 1e-6).all()
    assert (np.asarray(times) < begin + length + 1e-6).all()
    if minutes % 1440 == 0:
        # Whole days start at local midnight, whatever the clock did meanwhile.
        np.testing.assert_allclose(c.wall_minutes(begin) % 1440, 0, atol=1e-6)


def test_window_of_an_instant_after_the_change_begins_before_it():
    """Berlin, epoch 2026-03-04. Sunday 25 October has 25 hours and begins 235 days less an hour
    later, at minute 338,340; the clock goes back at minute 338,520. Nothing earlier is asked for.
    """
    c = LocalClock.starting_on(dt.datetime(2026, 3, 4, 12, tzinfo=dt.UTC), "Europe/Berlin")
    begin, length = c.window([338_520.0], 1440.0)
    assert (begin.tolist(), length.tolist()) == ([338_340.0], [1500.0])


def test_unknown_zone_and_naive_epoch():
    with pytest.raises(ConfigError, match="IANA"):
        LocalClock.starting_on(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "Mars/Olympus")
    with pytest.raises(ConfigError, match="offset"):
        LocalClock(dt.datetime(2026, 1, 1), "UTC")
