"""Private counts: what one person, or one record, changes of a table over a stated frame.

A promise of differential privacy is a promise about neighbouring data sets: their tables must have
one shape, and differ by no more than the sensitivity that the noise is made for.
"""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.attacks.mitigations import studied_noise
from fpanon_core.model.periods import UNSTATED_CENTRE, decided_by_records
from tests.oracles import counts as oracle

SLOTS, SLOT_MIN = 24, 60.0
PERIOD = fp.StatedPeriod(None, 1, SLOT_MIN)
AREA = fp.StatedArea(200, 100, 1_450, 2_100, "metres")  # the upper row of squares is cut
GRID = fp.CountsFrame.of_area(AREA, 500, PERIOD)
TOWERS = fp.Antennas([300, 1500, 1500, 900, 2300], [300, 200, 200, 1100, 900])
NEAREST = fp.CountsFrame.of_antennas(TOWERS, PERIOD)
FRAMES = pytest.mark.parametrize("frame", [GRID, NEAREST], ids=["area", "antennas"])

# Inside and outside of the area and of the day; few values, so that places tie.
events = st.tuples(
    st.sampled_from(range(0, 2600, 200)),
    st.sampled_from(range(0, 1900, 200)),
    st.one_of(st.sampled_from(range(0, 240, 20)), st.integers(-100, 1600)),
)
people = st.lists(st.lists(events, min_size=1, max_size=7), min_size=1, max_size=5)


def fingerprints(records):
    user, x, y, t = zip(
        *((u, *event) for u, person in enumerate(records) for event in person), strict=True
    )
    return fp.FingerprintSet.from_samples(user, x, y, t)


def tables(records, frame):
    """Counts filled in, and of recorded samples alone."""
    fs = fingerprints(records)
    return [
        fp.aggregate_counts(fs, frame=frame, filled_in=fill)[0].counts.astype(int)
        for fill in (True, False)
    ]


def apart(one, other):
    assert one.shape == other.shape
    return int(np.abs(one - other).sum())


@FRAMES
@settings(max_examples=60, deadline=None)
@given(records=people)
def test_counts_over_a_frame_equal_the_oracle(frame, records):
    places = [
        (x + dx / 2, y + dy / 2)
        for x, y, dx, dy in zip(frame.x_m, frame.y_m, frame.dx_m, frame.dy_m, strict=True)
    ]
    area = (100, 200, 2_100, 1_450, 500, 4) if frame is GRID else None
    # A set of samples: what is of one cell and minute is one.
    seen = [
        sorted({(100 * (x // 100) + 50, 100 * (y // 100) + 50, t) for x, y, t in person})
        for person in records
    ]
    for made, fill in zip(tables(records, frame), (True, False), strict=True):
        assert made.tolist() == oracle.counts(seen, places, area, SLOTS, SLOT_MIN, fill)


@FRAMES
@settings(max_examples=100, deadline=None)
@given(
    records=people,
    one=st.lists(events, min_size=1, max_size=9),
    other=st.lists(events, min_size=1, max_size=9),
)
def test_a_persons_whole_record_changes_no_more_than_the_sensitivity(frame, records, one, other):
    """Unit person: with the person, without, and with any other record, filled in or not."""
    without = tables(records, frame)
    with_one, with_other = (tables([*records, mine], frame) for mine in (one, other))
    for i, fill in enumerate((True, False)):
        counts, _ = fp.aggregate_counts(fingerprints(records), frame=frame, filled_in=fill)
        promised = fp.privacy_guarantee(counts, 1.0, "user").sensitivity
        assert promised == 2 * SLOTS
        assert apart(with_one[i], with_other[i]) <= promised
        assert apart(with_one[i], without[i]) <= promised / 2


@FRAMES
@settings(max_examples=150, deadline=None)
@given(
    records=people,
    mine=st.lists(events, max_size=6),
    before=events,
    after=events,
)
def test_one_record_changes_no_more_than_the_sensitivity_of_a_slot(
    frame, records, mine, before, after
):
    """Unit one slot, of recorded samples: one more or less, or moved within its slot: 2 at most.

    Moved to another slot it is one less in the one and one more in the other: twice that.
    """
    counts, _ = fp.aggregate_counts(fingerprints(records), frame=frame, filled_in=False)
    promised = fp.privacy_guarantee(counts, 1.0, "user-slot").sensitivity
    assert promised == 2
    whole = [before, *mine]
    here = tables([*records, whole], frame)[1]
    less = tables([*records, mine], frame)[1] if mine else tables(records, frame)[1]
    assert apart(here, less) <= promised
    same_slot = (after[0], after[1], before[2] - before[2] % 60 + after[2] % 60)
    assert apart(here, tables([*records, [same_slot, *mine]], frame)[1]) <= promised
    assert apart(here, tables([*records, [after, *mine]], frame)[1]) <= 2 * promised


@settings(max_examples=60, deadline=None)
@given(
    records=people,
    mine=st.lists(events, max_size=5),
    slot=st.integers(0, 23),
    one=st.lists(events, max_size=4),
    other=st.lists(events, max_size=4),
)
def test_all_of_a_persons_records_in_one_slot(records, mine, slot, one, other):
    """Whatever a person does within a slot, and however often: 2 at most."""
    elsewhere = [event for event in mine if event[2] // 60 != slot] or [(0, 0, -5000)]
    made = [
        tables([*records, [*elsewhere, *((x, y, slot * 60 + t % 60) for x, y, t in some)]], GRID)[1]
        for some in (one, other)
    ]
    assert apart(*made) <= 2


def _counts(**changes):
    fs = fingerprints([[(300, 300, 10)], [(700, 300, 20)]])
    made, _ = fp.aggregate_counts(fs, frame=GRID, filled_in=False)
    return replace(made, **changes)


def test_no_promise_is_made_where_none_holds():
    fs = fingerprints([[(300, 300, 10)], [(700, 300, 20)]])
    of_the_data, _ = fp.aggregate_counts(fs)
    for unit in ("user", "user-slot"):
        with pytest.raises(fp.ConfigError, match="stated places and a stated period"):
            fp.privacy_guarantee(of_the_data, 1.0, unit)
        with pytest.raises(fp.ConfigError, match="stated places and a stated period"):
            fp.dp_counts(of_the_data, 1.0, unit)
        with pytest.raises(fp.ConfigError, match="stand for several people"):
            fp.dp_counts(_counts(heaviest=3), 1.0, unit)
        with pytest.raises(fp.ConfigError, match=r"middle of the records.*stated centre"):
            fp.dp_counts(_counts(of_records=UNSTATED_CENTRE), 1.0, unit)
    with pytest.raises(fp.ConfigError, match="one record can affect many slots"):
        fp.dp_counts(_counts(filled_in=True), 1.0, "user-slot")
    merged = replace(fs, weight=np.array([1, 2]))
    assert fp.aggregate_counts(merged, frame=GRID)[0].heaviest == 2
    long = replace(fs, dt_min=np.full(fs.n_samples, 61.0))
    with pytest.raises(fp.InfeasibleError, match="span several slots"):
        fp.aggregate_counts(long, frame=GRID, filled_in=False)
    for wrong in ({"epsilon": 0}, {"epsilon": np.inf}, {"epsilon": 1.0, "unit": "place"}):
        with pytest.raises(fp.ConfigError, match="unit" if "unit" in wrong else "epsilon"):
            fp.privacy_guarantee(_counts(), **wrong)


def _laplace(noise, scale):
    """Mean 0 and mean size 2q/(1−q²), q = exp(−1/scale), within seven standard errors."""
    q = np.exp(-1 / scale)
    variance = 2 * q / (1 - q) ** 2
    assert abs(noise.mean()) < 7 * np.sqrt(variance / noise.size)
    assert abs(np.abs(noise).mean() - 2 * q / (1 - q**2)) < 7 * scale / np.sqrt(noise.size)


@pytest.mark.parametrize(("unit", "scale"), [("user-slot", 4.0), ("user", 96.0)])
def test_noise_is_that_of_the_guarantee(unit, scale, monkeypatch):
    """24 slots, 400 squares, ε = .5. OpenDP takes no seed, so bounds are ones that chance passes
    but once in far more than 10⁹ runs; pieces of any size give noise of one kind."""
    monkeypatch.setattr("fpanon_core.attacks.mitigations._AT_ONCE", 1_000)
    frame = fp.CountsFrame.of_area(fp.StatedArea(0, 0, 10_000, 10_000, "metres"), 500, PERIOD)
    counts, _ = fp.aggregate_counts(fingerprints([[(300, 300, 10)]]), frame=frame, filled_in=False)
    seen = []
    noisy = fp.dp_counts(counts, 0.5, unit, progress=seen.append)
    assert (noisy.counts != fp.dp_counts(counts, 0.5, unit).counts).any()
    assert np.issubdtype(noisy.counts.dtype, np.integer)
    assert noisy.counts.min() < 0, "nothing is cut off"
    assert noisy.digest == ""
    assert (noisy.frame, seen[-1]) == (frame, 1.0)
    _laplace((noisy.counts - counts.counts).ravel(), scale)
    studied = studied_noise(counts, scale, 3)
    _laplace((studied - counts.counts).ravel(), scale)
    assert (studied == studied_noise(counts, scale, 3)).all()
    assert (studied != studied_noise(counts, scale, 4)).any()


def test_the_frame_does_not_depend_on_the_data():
    """Another first day, another middle: the same places, slots and degrees."""
    area = fp.StatedArea(14.6, -17.5, 14.8, -17.3)
    period = fp.StatedPeriod(dt.date(2024, 3, 3), 7)
    frames = []
    for day, middle in ((4, "+lat_0=14.7 +lon_0=-17.4"), (2, "+lat_0=15.1 +lon_0=-17")):
        clock = fp.LocalClock(dt.datetime(2024, 3, day, tzinfo=dt.UTC), "Africa/Dakar")
        crs = f"+proj=laea {middle}"
        frames.append(fp.CountsFrame.of_area(area, 1_000, period, clock=clock, crs=crs))
    one, other = frames
    for name in ("x_m", "y_m", "dx_m", "lon", "lat", "slot_edge_min", "wall_start_min"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.clock == other.clock


def test_samples_of_seven_minutes_begin_where_the_first_day_does():
    clock = fp.LocalClock(dt.datetime(2024, 3, 4, tzinfo=dt.UTC), "Africa/Dakar")
    fs = replace(fingerprints([[(300, 300, 10)]]), clock=clock, granularity_min=7.0)
    with pytest.raises(fp.ConfigError, match="granularity in time of 1, 3, 5 or 15"):
        fp.privacy_guarantee(_counts(of_records=decided_by_records(fs)), 1.0, "user")


def test_events_fall_into_the_stated_days_whatever_the_datas_first():
    """The data begin on 4 March, the frame on the 3rd: 8 h of the 4th is slot 24 + 8."""
    clock = fp.LocalClock(dt.datetime(2024, 3, 4, tzinfo=dt.UTC), "Africa/Dakar")
    fs = replace(fingerprints([[(300, 300, 485)], [(300, 300, 1_440 + 485)]]), clock=clock)
    period = fp.StatedPeriod(dt.date(2024, 3, 3), 2, 60)
    frame = fp.CountsFrame.of_area(AREA, 500, period, clock=clock)
    counts, truth = fp.aggregate_counts(fs, frame=frame, filled_in=False)
    assert np.argwhere(counts.counts).tolist() == [[32, 0]]
    assert (truth[1] == -1).all(), "the second is outside the period"
    assert frame.first_day == dt.date(2024, 3, 3)


def test_days_in_which_the_clocks_change():
    """In Los Angeles 10 March 2024 has 23 hours, 3 November 25."""
    for day, slots in ((dt.date(2024, 3, 10), 46), (dt.date(2024, 11, 3), 50)):
        clock = fp.LocalClock(dt.datetime(2024, 3, 1, 8, tzinfo=dt.UTC), "America/Los_Angeles")
        frame = fp.CountsFrame.of_area(AREA, 500, fp.StatedPeriod(day, 1), clock=clock)
        assert frame.n_slots == slots


def test_degrees_of_an_area_are_kept():
    """What is inside by degrees is counted, and lies in the square whose bounds hold it."""
    area = fp.StatedArea(14.6, -17.5, 14.8, -17.3)
    crs = "+proj=laea +lat_0=14.9 +lon_0=-17 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
    from fpanon_core.model.projection import lon_lat

    rng = np.random.default_rng(0)
    x, y = rng.uniform(-60_000, 0, 400), rng.uniform(-40_000, 0, 400)
    fs = replace(fp.FingerprintSet.from_samples(np.arange(400), x, y, np.zeros(400)), crs=crs)
    frame = fp.CountsFrame.of_area(area, 1_000, PERIOD, crs=crs)
    _, truth = fp.aggregate_counts(fs, frame=frame, filled_in=False)
    lon, lat = lon_lat(crs, fs.x_m + 50, fs.y_m + 50)
    inside = (lat >= 14.6) & (lat < 14.8) & (lon >= -17.5) & (lon < -17.3)
    assert 20 < inside.sum() < 380
    np.testing.assert_array_equal(truth[:, 0] >= 0, inside)
    at = truth[inside, 0]
    assert np.abs(frame.lon[at] - lon[inside]).max() < 0.0051 / np.cos(np.radians(14.8)) + 1e-4
    assert np.abs(frame.lat[at] - lat[inside]).max() < 0.0051


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: fp.StatedArea(2, 0, 1, 1),
        lambda: fp.StatedArea(0, 0, 91, 1),
        lambda: fp.StatedArea(0, float("nan"), 1, 1),
        lambda: fp.StatedArea(0, 0, 1, 1, "miles"),
        lambda: fp.StatedPeriod(None, 0),
        lambda: fp.StatedPeriod(None, 1, 7),
        lambda: fp.StatedPeriod("2024-03-04", 1),
        lambda: fp.StatedPeriod(None, 1, timezone="Nowhere/City"),
        lambda: fp.CountsFrame.of_area(fp.StatedArea(0, 0, 1, 1), 500, PERIOD),
        lambda: fp.CountsFrame.of_area(AREA, 0, PERIOD),
        lambda: fp.CountsFrame.of_area(AREA, 500, fp.StatedPeriod(dt.date(2024, 3, 4), 1)),
        lambda: fp.CountsFrame.of_antennas(fp.Antennas([], []), PERIOD),
        lambda: fp.FrameConfig(PERIOD, area=AREA),
        lambda: fp.aggregate_counts(
            replace(fingerprints([[(0, 0, 0)]]), crs="+proj=laea"), frame=NEAREST
        ),
    ],
)
def test_frames_that_cannot_be(wrong):
    with pytest.raises(fp.ConfigError):
        wrong()


def test_too_many_squares_are_refused():
    with pytest.raises(fp.InfeasibleError, match="too many"):
        fp.CountsFrame.of_area(fp.StatedArea(0, 0, 1e6, 1e6, "metres"), 100, PERIOD)
