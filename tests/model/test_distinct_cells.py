"""Events become distinct samples: packed keys against Python's own sets and counters."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.model.fingerprints import FingerprintSet

NEAR = st.floats(-5_000, 5_000)
EVENTS = st.lists(st.tuples(st.integers(0, 4), NEAR, NEAR, st.floats(-50, 5_000)), min_size=1)


@given(EVENTS, st.sampled_from([100.0, 0.5, 333.3]), st.sampled_from([1.0, 15.0, 0.1]))
@settings(deadline=None)
def test_samples_are_the_distinct_cells_and_count_their_events(events, metres, minutes):
    user, x, y, t = (np.array(column) for column in zip(*events, strict=True))
    fs = FingerprintSet.from_samples(user, x, y, t, granularity_m=metres, granularity_min=minutes)
    expected = Counter(
        (u, np.floor(b / minutes), np.floor(a / metres), np.floor(c / metres))
        for u, a, c, b in events
    )
    ids = fs.user_ids[fs.sample_user]
    got = {
        (u, round(c / minutes), round(a / metres), round(b / metres)): n
        for u, a, b, c, n in zip(ids, fs.x_m, fs.y_m, fs.t_min, fs.count, strict=True)
    }
    assert got == expected
    for u in range(fs.n_users):  # in time order, then x, then y
        rows = fs.rows_of(u)
        cells = list(zip(fs.t_min[rows], fs.x_m[rows], fs.y_m[rows], strict=True))
        assert cells == sorted(cells)


@pytest.mark.parametrize("far", [1e3, 1e15])  # 62 bits hold the one, not the other
def test_far_cells_are_kept_apart(far):
    n = 200_001  # several pieces
    t = np.arange(n) % 7.0
    x = np.where(np.arange(n) % 2, far, -far)
    fs = FingerprintSet.from_samples(np.zeros(n, int), x, x, t)
    assert fs.n_samples == 14
    assert fs.count.sum() == n
    assert sorted(set(fs.x_m)) == [np.floor(-far / 100) * 100, np.floor(far / 100) * 100]
