"""Synthetic records: repeatable, independent of chunks, and shaped like phone data."""

import datetime as dt
import itertools
import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.io.cdr import read_cdr
from fpanon_core.synthetic.generate import _user_ids, generate_cdr, generate_cdr_chunks
from fpanon_core.synthetic.region import REGION_TIMEZONE, generate_region
from tests.support.refusals import check_refused


@pytest.fixture(scope="module")
def cdr() -> pd.DataFrame:
    frame = generate_cdr(3000, seed=5)
    frame["wall"] = frame["timestamp"].dt.tz_localize(None)
    return frame


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 60), chunk=st.integers(1, 70), more=st.integers(0, 30))
def test_neither_chunks_nor_other_users_change_a_user(n: int, chunk: int, more: int) -> None:
    whole = generate_cdr(n, days=4)
    pieces = list(generate_cdr_chunks(n, chunk_users=chunk, days=4))
    assert len(pieces) == -(-n // chunk)
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)
    pd.testing.assert_frame_equal(generate_cdr(n + more, days=4).iloc[: len(whole)], whole)


def test_ids_differ_beyond_the_first_range() -> None:
    ids = _user_ids(2**23 - 50_000, 2**23 + 50_000)
    assert len(np.unique(ids)) == 100_000
    assert ids[:50_000].max() < 2**23 <= ids[50_000:].min()
    assert (_user_ids(2**31 - 10, 2**31) > 0).all()


@pytest.mark.parametrize("start", [dt.date(2024, 3, 4), dt.date(2023, 10, 28)])
def test_everything_is_as_asked(start: dt.date) -> None:
    """Also the period, which begins at local midnight."""
    region = generate_region(9, n_antennas=30)
    asked = {"days": 1, "start": start, "region": region, "events_per_day": 3, "activity_sigma": 0}
    frame = generate_cdr(300, **asked)
    assert set(frame["timestamp"].dt.tz_localize(None).dt.date) == {start}
    assert set(frame.groupby("user_id").size()) == {3}
    assert set(frame["antenna_id"]) <= set(region.antennas["antenna_id"])
    assert len(frame.attrs["antennas"]["antenna_id"]) == 30
    assert not frame.equals(generate_cdr(300, seed=1, **asked))
    assert len(generate_cdr(1, days=1, events_per_day=0.001)) == 1


def test_every_user_has_events_in_the_period_in_order_at_the_regions_antennas(cdr) -> None:
    assert cdr.attrs["synthetic"] is True
    antennas = pd.DataFrame(cdr.attrs["antennas"]).set_index("antenna_id")
    there = antennas.loc[cdr["antenna_id"].astype(str), ["lat", "lon"]]
    assert (cdr[["lat", "lon"]].to_numpy() == there.to_numpy()).all()
    assert cdr["user_id"].nunique() == 3000
    assert str(cdr["timestamp"].dt.tz) == REGION_TIMEZONE
    assert cdr["wall"].min() >= pd.Timestamp("2024-03-04")
    assert cdr["wall"].max() < pd.Timestamp("2024-03-18")
    gaps = cdr["timestamp"].diff().dt.total_seconds().to_numpy()
    same_user = np.diff(cdr["user_id"].to_numpy()) == 0
    assert (gaps[1:][same_user] > 0).all()


def test_sixty_samples_each_unequally(cdr: pd.DataFrame) -> None:
    """A sample is a place and a minute. Lognormal with σ = 1 has Gini 2Φ(σ/√2) − 1 = 0.52."""
    samples = cdr.assign(minute=cdr["wall"].dt.floor("min")).drop_duplicates(
        ["user_id", "antenna_id", "minute"]
    )
    per_user = np.sort(samples.groupby("user_id").size().to_numpy())
    assert per_user.mean() == pytest.approx(60, abs=6)
    n = len(per_user)
    gini = 2 * (np.arange(1, n + 1) * per_user).sum() / (n * per_user.sum()) - (n + 1) / n
    assert gini == pytest.approx(0.52, abs=0.04)
    assert np.quantile(per_user, 0.99) > 7 * np.median(per_user)


def test_rhythm_of_day_and_week(cdr: pd.DataFrame) -> None:
    hour = cdr["wall"].dt.hour
    by_hour = hour.value_counts(normalize=True)
    assert by_hour[[1, 2, 3, 4, 5]].sum() < 0.05  # 5 of 24 hours would be 0.21 if all were alike
    assert by_hour[[18, 19]].sum() > 2 / 24 * 1.5
    weekend = cdr["wall"].dt.day_of_week >= 5
    assert 0.2 < weekend.mean() < 2 / 7  # fewer than on as many weekdays
    # Weekday mornings begin earlier.
    assert (hour[~weekend] == 8).mean() > 1.3 * (hour[weekend] == 8).mean()


def test_people_sleep_at_home_and_work_elsewhere(cdr: pd.DataFrame) -> None:
    hour = cdr["wall"].dt.hour
    night = cdr[hour < 6].groupby("user_id")["antenna_id"]
    at_one_place = night.nunique().eq(1)
    assert at_one_place.mean() > 0.97
    home = night.agg(lambda places: places.mode().iloc[0]).astype(str)
    rest = cdr[cdr["user_id"].isin(home.index) & hour.between(10, 15)]
    away = rest["antenna_id"].astype(str).to_numpy() != home[rest["user_id"]].to_numpy()
    weekday = (rest["wall"].dt.day_of_week < 5).to_numpy()
    assert away[weekday].mean() > 0.6 > 0.5 > away[~weekday].mean()


def test_people_live_where_the_region_says(cdr: pd.DataFrame) -> None:
    """By municipality: about 2,000 homes over 36, where chance alone leaves r near 0.99."""
    home = cdr[cdr["wall"].dt.hour < 6].drop_duplicates("user_id")["antenna_id"].astype(str)
    antennas = pd.DataFrame(cdr.attrs["antennas"]).assign(people=generate_region(5).residents)
    antennas["homes"] = antennas["antenna_id"].map(home.value_counts()).fillna(0)
    sums = antennas.groupby("municipality")[["people", "homes"]].sum()
    assert sums["people"].corr(sums["homes"]) > 0.97


def test_places_per_user_are_few_and_grow_slower_than_time() -> None:
    """Exploration slows down (Song et al. 2010): twice the days, less than twice the places."""
    places = [
        generate_cdr(500, days=days, events_per_day=40, activity_sigma=0)
        .groupby("user_id")["antenna_id"]
        .nunique()
        for days in (7, 14, 28, 56)
    ]
    medians = [p.median() for p in places]
    assert all(1.1 < b / a < 1.9 for a, b in itertools.pairwise(medians))
    usual = generate_cdr(1000).groupby("user_id")["antenna_id"].nunique()
    assert 3 <= usual.median() <= 10


def test_memory_holds_little_more_than_the_table() -> None:
    """Counted by the allocator, so exact; the region and its gravity table come on top once."""
    region = generate_region(0, n_antennas=50)
    generate_cdr(1, region=region)
    tracemalloc.start()
    frame = generate_cdr(20_000, region=region)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(frame) > 1_000_000
    assert peak < 1.1 * held


@pytest.mark.parametrize("make", [partial(generate_cdr, 5), partial(generate_cdr_chunks, 5)])
def test_settings_that_cannot_be_are_refused(make: partial[object]) -> None:
    numbers = {"events_per_day": [0.0, float("nan")], "activity_sigma": [-1.0]}
    days = {"days": [0, 400], "start": ["2024-03-04"]}
    check_refused(make, "NAME", seed=[-1, "x"], **numbers, **days)
    check_refused(partial(make.func, days=4), "NAME", n_users=[0, 2.5, True])
    check_refused(partial(generate_cdr_chunks, 5), "NAME", chunk_users=[0])
    number = "NAME = .*whole number"
    check_refused(generate_region, number, seed=[-1, 1.5], n_antennas=[5, True])


@pytest.mark.parametrize("n", [1, 200])
def test_the_table_is_read_without_loss(n: int) -> None:
    made = generate_cdr(n)
    fs, report = read_cdr(made)
    assert (report.rows_read, report.rows_used) == (len(made), len(made))
    assert (fs.n_users, report.timezone) == (n, REGION_TIMEZONE)
    assert set(fs.user_ids.astype(int)) == set(made["user_id"])
