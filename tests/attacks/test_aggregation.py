"""Counts and truth against plain loops; slots, long windows, weights and clock changes by hand."""

import datetime as dt
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.attacks import aggregation
from tests.oracles import recovery as oracle
from tests.support.fingerprint_sets import boxes, crowds, of_cells
from tests.support.refusals import check_refused


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(crowds(20), boxes()),
    st.sampled_from([30.0, 180.0, 1440.0]),
    st.sampled_from([1, 7, 99]),
)
def test_equals_the_oracle(fs, slot_min, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aggregation, "_SAMPLES_AT_ONCE", at_once)
        counts, truth = fp.aggregate_counts(fs, slot_min=slot_min)
    corner = np.column_stack([counts.x_m, counts.y_m])
    key = [
        (*c, dx, dy) for c, dx, dy in zip(corner.tolist(), counts.dx_m, counts.dy_m, strict=True)
    ]
    assert key == sorted(set(key))
    centres = [tuple(c) for c in counts.centres.tolist()]
    edges = [*counts.slot_start_min.tolist(), float(counts.slot_start_min[-1] + slot_min)]
    expected = []
    for u in range(fs.n_users):
        rows = fs.rows_of(u)
        samples = [
            (key.index((x, y, dx, dy)), t, t + d)
            for x, y, dx, dy, t, d in zip(
                *(
                    v[rows].tolist()
                    for v in (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m, fs.t_min, fs.dt_min)
                ),
                strict=True,
            )
        ]
        expected += [oracle.prepared(samples, centres, edges)] * int(fs.weight[u])
    assert truth.tolist() == expected
    assert truth.dtype == np.int32
    assert (counts.totals == fs.weight.sum()).all()
    for s in range(counts.n_slots):
        assert counts.counts[s].tolist() == [
            sum(row[s] == p for row in expected) for p in range(counts.n_places)
        ]


def test_most_frequent_place_ties_and_gaps_by_hand():
    """Slots 0 … 4. Place 0 at x = 0, 1 at 100, 2 at 200, 3 at 400.

    User a: slot 0: two samples at 100, and three events of one sample at 0 → 1; slot 4: one each at
    200 and 400 → tie → 2.
    Between them, from 100 to 200: slot 1 at 125 → 1, slot 2 at 150, a tie → 1, slot 3 at 175 → 2.
    User b: one event, in slot 2, at 400: kept before and after.
    """
    fs = fp.FingerprintSet.from_samples(
        list("aaaaaaab"),
        [100, 100, 0, 0, 0, 200, 400, 400],
        [0] * 8,
        [3, 5, 4, 4, 4, 121, 122, 70],
    )
    counts, truth = fp.aggregate_counts(fs)
    assert truth.tolist() == [[1, 1, 1, 2, 2], [3] * 5]
    assert counts.x_m.tolist() == [0, 100, 200, 400]
    assert counts.centres[:, 0].tolist() == [50, 150, 250, 450]
    assert counts.counts[2].tolist() == [0, 1, 0, 1]
    assert counts.slot_start_min.tolist() == [0, 30, 60, 90, 120]


def _windows(x, t, dt_, weight=1):
    fs = of_cells([0] * len(x), x, 0.0, t, dt=dt_, weight=np.array([weight]))
    return replace(fs, count=np.full(len(x), 4, np.int64))


def test_long_windows_share_their_events_and_weights_count():
    """[0, 120) at 0 shares its 4 events, one per slot; [45, 75) at 500 has 2 in slots 1 and 2."""
    counts, truth = fp.aggregate_counts(_windows([0, 500], [0, 45], [120, 30], weight=3))
    assert truth.tolist() == [[0, 1, 1, 0]] * 3
    assert counts.counts.tolist() == [[3, 0], [0, 3], [0, 3], [3, 0]]


def test_slots_follow_the_wall_clock_over_a_change():
    """On 10 March 2024 Los Angeles skips 2 to 3 h: 23 hours, of which the night has 5."""
    fs = fp.FingerprintSet.from_samples([1, 1], [0, 0], [0, 0], [0, 23 * 60 - 1])
    epoch = dt.datetime(2024, 3, 10, 8, tzinfo=dt.UTC)
    fs = replace(fs, clock=fp.LocalClock(epoch, "America/Los_Angeles"))
    counts, _ = fp.aggregate_counts(fs)
    assert (counts.n_slots, int(counts.is_night.sum())) == (46, 10)
    assert set(counts.day.tolist()) == {0}
    assert counts.wall_start_min[4] == 180
    wide, _ = fp.aggregate_counts(fs, slot_min=180)
    assert wide.slot_start_min.tolist() == [0, 120, 300, 480, 660, 840, 1020, 1200]
    assert wide.is_night.tolist() == [True, True, False, False, False, False, False, False]


def test_days_and_nights():
    fs = fp.FingerprintSet.from_samples([1, 1], [0, 0], [0, 0], [1300, 3000])
    counts, _ = fp.aggregate_counts(fs, slot_min=120)
    # 1200 … 3120: two slots of day 0, all twelve of day 1, two of day 2 (0 and 2 h).
    assert counts.day_offsets.tolist() == [0, 2, 14, 16]
    assert np.flatnonzero(counts.is_night).tolist() == [2, 3, 4, 14, 15]


def test_a_slot_that_does_not_divide_a_day():
    counted = partial(fp.aggregate_counts, fp.FingerprintSet.from_samples([1], [0], [0], [0]))
    check_refused(counted, "NAME", slot_min=[0, -30, 7, 2880, float("nan"), "30", True])


def test_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(aggregation, "_MOST_CELLS", 10)
    fs = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 170])
    with pytest.raises(fp.InfeasibleError, match="2 people in 6 slots"):
        fp.aggregate_counts(fs)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"counts": np.zeros((1, 2))}, "whole numbers"),
        ({"counts": np.zeros((0, 2), int), "slot_start_min": []}, "one slot"),
        ({"x_m": [0.0]}, "each of 2 places"),
        ({"slot_start_min": [0.0, 1.0]}, "each of 1 slots"),
        ({"y_m": [0.0, np.nan]}, "no position"),
        ({"counts": np.zeros((2, 2), int), "slot_start_min": [5.0, 5.0]}, "ascending"),
    ],
)
def test_counts_that_cannot_be(wrong, words):
    right = {
        "counts": np.ones((1, 2), int),
        "x_m": [0.0, 1.0],
        "y_m": [0.0, 1.0],
        "dx_m": [1.0, 1.0],
        "dy_m": [1.0, 1.0],
        "slot_start_min": [0.0],
    }
    with pytest.raises(fp.SchemaError, match=words):
        fp.AggregateCounts(**(right | wrong), slot_min=30.0)
