"""Times of every form, against Python's own datetime."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.io.instants import (
    instants_in,
    microseconds_of,
    on_days,
    said_of_clocks,
    stray_days,
)
from fpanon_core.tables.times import DAY, ParsedTimes, parse_times

UTC = dt.UTC
APRIL = dt.datetime(2012, 4, 3, 18, 0, 9, tzinfo=UTC)


def parse(*texts):
    return parse_times(pa.chunked_array([list(texts)], type=pa.string()))


def shown(parsed, i=0):
    return dt.datetime(1970, 1, 1, tzinfo=UTC) + dt.timedelta(microseconds=int(parsed.us[i]))


@pytest.mark.parametrize(
    ("text", "aware"),
    [
        ("2012-04-03T18:00:09Z", True),
        ("2012-04-03 18:00:09", False),
        ("2012-04-03T14:00:09-04:00", True),  # 14:00 four hours behind UTC
        ("2012-04-03 23:30:09+0530", True),
        ("2012-04-03T20:00:09+02", True),
        ("2012-04-03 18:00:09 UTC", True),
        ("2012/4/3 18:00:09", False),
        ("Tue Apr 03 18:00:09 +0000 2012", True),
        ("Tue Apr  3 18:00:09 2012", False),
        ("Tue, 03 Apr 2012 18:00:09 GMT", True),
        ("20120403T180009Z", True),
        ("1333476009", True),  # 1 333 476 009 s after 1970
        ("1333476009000", True),
        ("1333476009000000", True),
        ("1333476009000000000", True),
        ("1333476009.0", True),
        ("13/04/2012 18:00:09", False),  # day first, as 13 is no month
        ("4/13/2012 6:00:09 pm", False),
    ],
)
def test_one_instant_in_many_forms(text, aware):
    parsed = parse(text)
    expected = APRIL.replace(day=13) if "13/" in text else APRIL
    assert parsed.ok[0]
    assert shown(parsed) == expected
    assert parsed.aware[0] == aware


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2012-02-30 00:00", "2012-13-01 00:00", "2011-02-29", "25:00"),
        *("2012-04-03 18:60", "2012-04-03 24:00:01", "18:00:09", "2012-04-03 18:00:09 EST", "1e9"),
        *("Tue Foo 03 18:00:09 +0000 2012", "2012-04-03 13:00 pm", "é" * 19, "9" * 30),
    ],
)
def test_what_is_no_time_is_not_parsed(text):
    assert not parse(text).ok[0]


def test_forms_may_be_mixed_within_a_column():
    parsed = parse("2012-04-03T18:00:09Z", "1333476009", "no", "2012/04/03 18:00:09", "")
    assert parsed.ok.tolist() == [True, True, False, True, False]
    assert {shown(parsed, i) for i in (0, 1, 3)} == {APRIL}


@given(
    # glibc writes the year 33 as "33": such texts are no dates of four-digit years
    st.lists(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 31)), min_size=1),
    st.sampled_from(
        ["%Y-%m-%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S", "%Y%m%d%H%M%S", "%d-%b-%Y %H:%M"]
    ),
)
@settings(deadline=None)
def test_parsing_inverts_strftime(stamps, form):
    texts = [d.strftime(form) for d in stamps]
    parsed = parse(*texts)
    for i, text in enumerate(texts):
        assert parsed.ok[i]
        assert shown(parsed, i).replace(tzinfo=None) == dt.datetime.strptime(text, form)


@given(st.lists(st.text(max_size=30)))
@settings(deadline=None)
def test_any_text_is_parsed_or_not_but_never_raises(texts):
    assert len(parse_times(pa.chunked_array([texts], type=pa.string())).ok) == len(texts)


@pytest.mark.parametrize(
    ("texts", "month", "said"),
    [
        (["03/04/2012 10:00", "25/04/2012 10:00"], 4, "DD/MM/YYYY"),  # 25 can only be a day
        (["03/04/2012 10:00", "04/25/2012 10:00"], 3, "MM/DD/YYYY"),
        # 3 days of February, or the 2nd of three months: the shorter span is right
        ([f"{n}/02/2012 10:00" for n in ("01", "02", "03")], 2, "less time"),
        ([f"02/{n}/2012 10:00" for n in ("01", "02", "03")], 2, "less time"),
    ],
)
def test_day_and_month_are_decided_by_the_data(texts, month, said):
    parsed = parse(*texts)
    assert shown(parsed).month == month
    assert said in parsed.order.decided()[1]


def test_typed_columns():
    naive = pa.chunked_array([pa.array([dt.datetime(2012, 4, 3, 18, 0, 9), None])])
    parsed = parse_times(naive)
    assert parsed.ok.tolist() == [True, False]
    assert not parsed.aware[0]
    aware = naive.cast(pa.timestamp("ms", tz="America/New_York"))
    assert shown(parse_times(aware)) == APRIL  # Arrow keeps the instant in UTC
    assert shown(parse_times(pa.chunked_array([pa.array([1333476009])]))) == APRIL
    floats = parse_times(pa.chunked_array([pa.array([1333476009.25, float("nan")])]))
    assert shown(floats) == APRIL + dt.timedelta(milliseconds=250)
    assert floats.ok.tolist() == [True, False]


# --- clocks and zones --------------------------------------------------------------------------


def naive_times(*stamps):
    us = np.array([microseconds_of(s.replace(tzinfo=UTC)) for s in stamps])
    return ParsedTimes(us, np.ones(len(us), bool), np.zeros(len(us), bool))


def test_clock_times_skipped_or_repeated_lose_no_row():
    # New York, 2012: on 11 March 02:00 becomes 03:00; on 4 November 02:00 becomes 01:00.
    parsed = naive_times(
        dt.datetime(2012, 3, 11, 1, 59),  # EST: 06:59 UTC
        dt.datetime(2012, 3, 11, 2, 30),  # skipped
        dt.datetime(2012, 3, 11, 3, 1),  # EDT: 07:01 UTC
        dt.datetime(2012, 11, 4, 1, 30),  # twice; the first is EDT: 05:30 UTC
    )
    us, *clocks = instants_in(parsed, parsed.ok, "America/New_York")
    skipped, twice = said_of_clocks(*clocks)
    got = [dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(u)) for u in us]
    assert got[0] == dt.datetime(2012, 3, 11, 6, 59)
    assert dt.datetime(2012, 3, 11, 7, 0) <= got[1] <= dt.datetime(2012, 3, 11, 7, 30)
    assert got[2] == dt.datetime(2012, 3, 11, 7, 1)
    assert got[3] == dt.datetime(2012, 11, 4, 5, 30)
    assert skipped.startswith("Clock times skipped when the clock was put forward")
    assert twice.endswith("occurred twice when the clock was put back, and read as the first: 1.")


@given(st.lists(st.datetimes(dt.datetime(2009, 1, 1), dt.datetime(2016, 1, 1)), min_size=1))
@settings(deadline=None, max_examples=30)
def test_clock_times_agree_with_zoneinfo(stamps):
    import zoneinfo

    zone = zoneinfo.ZoneInfo("Australia/Lord_Howe")  # changes by half an hour
    parsed = naive_times(*stamps)
    us, *_ = instants_in(parsed, parsed.ok, "Australia/Lord_Howe")
    for stamp, value in zip(stamps, us, strict=True):
        want = stamp.replace(tzinfo=zone).astimezone(UTC)
        if want.astimezone(zone).replace(tzinfo=None) == stamp:  # it exists
            assert value == microseconds_of(want)


# --- outliers ----------------------------------------------------------------------------------


def days(*stamps):
    return np.array([microseconds_of(dt.datetime(*s, tzinfo=UTC)) for s in stamps])


def time_outliers(us):
    return on_days(us, stray_days(*np.unique(us // DAY, return_counts=True)))


def test_default_dates_and_far_strays_are_outliers():
    two_weeks = [(2012, 4, 1 + i) for i in range(14)]
    us = days(*two_weeks, (1970, 1, 1), (2099, 12, 31), (2019, 7, 1), (9999, 1, 1))
    assert time_outliers(us).tolist() == [False] * 14 + [True] * 4


def test_sparse_data_and_second_campaigns_stay():
    assert not time_outliers(days((2010, 1, 5), (2012, 6, 5), (2015, 3, 5))).any()
    first = [(2010, 5, 1 + i % 28) for i in range(85)]
    second = [(2013, 5, 1 + i) for i in range(15)]  # 15% of the rows, three years later
    assert not time_outliers(days(*first, *second)).any()
    one_year = [(2010, 1 + i % 12, 3) for i in range(36)]
    assert not time_outliers(days(*one_year, (2011, 9, 1))).any()  # a pause of 9 months
