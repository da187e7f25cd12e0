"""read_cdr: every row has one fate, and what comes out is where and when it was."""

import io
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.hints import for_command_line
from fpanon_core.io.report import REASONS, keep_account, kept_account
from fpanon_core.io.samples import sample
from fpanon_core.model.configs import Screening
from fpanon_core.model.errors import Cancelled, ConfigError, SchemaError
from fpanon_core.model.mapped import kept_opened
from tests.support.refusals import check_refused


def events(*rows, columns=("user", "time", "lat", "lon")):
    return pd.DataFrame(list(rows), columns=list(columns))


GOOD = [(f"u{i % 4}", f"2012-04-03T10:{i:02d}:00Z", 40.7, -74.0 - i / 100) for i in range(20)]


def test_each_reason_is_counted_once_and_listed():
    table = events(
        *GOOD,
        ("", "2012-04-03T10:00Z", 40.7, -74.0),  # no user
        (None, "never", np.nan, 0.0),  # no user comes before the rest
        ("u1", "soon", 40.7, -74.0),
        ("u1", "2012-04-03T10:00Z", np.nan, -74.0),
        ("u1", "2012-04-03T10:00Z", 99.0, -74.0),
        ("u1", "2012-04-03T10:00Z", 0.0, 0.0),
        ("u1", "1970-01-01T00:00Z", 40.7, -74.0),
        GOOD[3],
        GOOD[3],
    )
    fs, report = read_cdr(table)
    assert report.set_aside == {
        "no user": 2,
        "unparseable time": 1,
        "missing coordinates": 1,
        "impossible coordinates": 1,
        "coordinates 0,0": 1,
        "time outlier": 1,
    }
    # 20 good rows and two that repeat one of them in every field: these count
    assert (report.rows_read, report.rows_used) == (29, 22)
    assert (report.rows_repeating, report.rows_identical) == (2, 2)
    assert report.rejects["row"].tolist() == list(range(21, 28))
    assert report.rejects["reason"].value_counts().to_dict() == report.set_aside
    assert "user" not in report.rejects
    assert fs.n_samples == report.n_samples == 20
    frame = report.to_frame()
    assert frame["rows"].sum() == 29
    assert frame["share"].sum() == pytest.approx(1)
    assert "29 rows" in report.summary()


def test_settings_are_checked_before_reading():
    check_refused(
        partial(read_cdr, "no such file"),
        granularity_m=[0, "wide"],
        granularity_min=[-1],
        timezone=["Mars/Base", "offset"],
        naive_timezone=[3],
        screen=["all"],
        centre=[14.5, "14.5,-17", (14.5,), (91, 0), (0, 181), (float("nan"), 0), ("a", "b")],
    )


def test_positions_and_times_come_out_where_and_when_they_were():
    # 00:30 and 23:59 local of the same day in Dakar (UTC): minutes 30 and 1439 since midnight
    table = events(
        ("a", "2024-03-04T00:30:40Z", 14.70, -17.45), ("a", "2024-03-04T23:59:10Z", 14.71, -17.45)
    )
    fs, report = read_cdr(table)
    assert fs.t_min.tolist() == [30.0, 1439.0]
    assert report.timezone == "Africa/Dakar"
    assert report.timezone_guessed
    assert (report.first, report.last) == ("2024-03-04T00:30", "2024-03-04T23:59")
    assert report.span_days == 1
    # 0.01° of latitude is 1 106 m there: 11 cells of 100 m, or 12 across a border
    assert fs.y_m[1] - fs.y_m[0] in (1100.0, 1200.0)
    assert "+proj=laea" in fs.crs
    # in New York it is still the evening of the 3rd (EST, −5 h): 19:30 and 18:59
    fs, report = read_cdr(table, timezone="America/New_York")
    assert not report.timezone_guessed
    assert report.first == "2024-03-03T19:30"
    assert fs.t_min.tolist() == [19 * 60 + 30.0, 24 * 60 + 18 * 60 + 59.0]


def test_clock_times_are_local_unless_told():
    table = events(("a", "2024-07-04 08:00", 40.7, -74.0), ("a", "2024-07-04 09:00", 40.7, -74.1))
    fs, report = read_cdr(table)
    assert report.naive_timezone == "America/New_York"
    assert fs.t_min.tolist() == [480.0, 540.0]
    fs, report = read_cdr(table, naive_timezone="UTC")  # 08:00 UTC is 04:00 EDT
    assert fs.t_min.tolist() == [240.0, 300.0]
    assert report.naive_timezone == "UTC"


def test_offset_column_tells_what_clock_times_mean():
    columns = ("user", "time", "lat", "lon", "tz_offset")
    rows = [
        ("a", "2012-04-03 18:00", 35.7, 139.7, 540),
        ("b", "2012-04-03 19:00", 35.6, 139.7, 540),
    ]
    fs, report = read_cdr(events(*rows, columns=columns))
    assert report.naive_timezone == "UTC"  # Foursquare's convention
    assert report.first == "2012-04-04T03:00"  # 18:00 + 9 h
    fs, report = read_cdr(events(*rows, columns=columns), naive_timezone="offset")
    assert report.first == "2012-04-03T18:00"
    fs, report = read_cdr(events(*rows, columns=("user", "local_time", *columns[2:])))
    assert report.first == "2012-04-03T18:00"
    aware = [(u, t.replace(" ", "T") + "Z", *rest) for u, t, *rest in rows]
    fs, report = read_cdr(events(*aware, columns=columns))
    assert report.first == "2012-04-04T03:00"
    assert report.columns["offset"] == "tz_offset"
    assert fs.n_users == 2
    hours = [(*row[:4], 9) for row in rows]
    fs, report = read_cdr(events(*hours, columns=columns), naive_timezone="offset")
    assert report.first == "2012-04-03T18:00"
    with pytest.raises(ConfigError, match="offset"):
        read_cdr(events(*[row[:4] for row in rows]), naive_timezone="offset")


def test_foursquare_layout():
    # user, venue, category, category name, lat, lon, offset, UTC time; Latin-1, no header
    text = (
        "470\t49bbd6c0\t4bf58dd8\tCaf\xe9\t40.719810\t-74.002581\t-240\t"
        "Tue Apr 03 18:00:09 +0000 2012\n"
        "979\t4a43c0ae\t4bf58dd9\tBridge\t40.606800\t-74.044170\t-240\t"
        "Tue Apr 03 18:00:25 +0000 2012\n"
        '470\t4a43c0af\t4bf58dd9\tHome "x\t40.606900\t-74.044170\t-240\t'
        "Tue Apr 03 18:02:25 +0000 2012\n"
    )
    fs, report = read_cdr(io.BytesIO(text.encode("latin-1")))
    assert report.rows_used == 3
    assert report.columns == {"user": "0", "time": "7", "lat": "4", "lon": "5", "offset": "6"}
    assert report.first == "2012-04-03T14:00"
    assert fs.user_ids.tolist() == ["470", "979"]
    assert any("guess" in note for note in report.notes)


def test_screening_days_are_local():
    # a: both local days; b: 23:30 and 00:30 UTC, one local day in New York (19:30 and 20:30 EDT)
    table = events(
        ("a", "2012-04-03T15:00Z", 40.7, -74.0),
        ("a", "2012-04-04T15:00Z", 40.7, -74.0),
        ("b", "2012-04-03T23:30Z", 40.7, -74.0),
        ("b", "2012-04-04T00:30Z", 40.7, -74.0),
    )
    fs, report = read_cdr(table, screen="civ")
    assert fs.user_ids.tolist() == ["a"]
    assert report.set_aside == {"screened out": 2}
    assert report.users_screened_out == 1
    assert report.rejects["row"].tolist() == [3, 4]
    assert read_cdr(table, screen=2)[0].n_users == 2
    assert read_cdr(table, screen=Screening(active_days_share=0.5))[0].n_users == 1
    everyone = read_cdr(table)[0]
    assert fs.pseudonyms == everyone.pseudonyms[:1]
    assert fs.t_min.tolist() == everyone.t_min[:2].tolist()
    with pytest.raises(SchemaError, match="none of the 2 people"):
        read_cdr(table, screen=3)


def recorded(user, hours, days=5, minutes=(0,)):
    """Return samples in these hours of each day, in Dakar, where clocks show UTC."""
    return [
        (user, f"2024-03-{5 + day:02d}T{hour:02d}:{minute:02d}Z", 14.7, -17.4)
        for day in range(days)
        for hour in hours
        for minute in minutes
    ]


def test_ids_recorded_day_and_night_alike_are_named_and_can_be_left_out(tmp_path):
    """Not an id active at all hours of two days, nor one that is hardly recorded at night."""
    people = [row for i in range(18) for row in recorded(f"p{i}", range(8, 10))]
    others = [
        *recorded("two days", range(24), 2, (0, 20, 40)),
        *recorded("by day", range(4, 24), 6),
    ]
    alarm = recorded("alarm", range(24))
    table = events(*people, *others, *alarm)
    fs, report = read_cdr(table, timezone="Africa/Dakar")
    number = f"{fs.user_ids.tolist().index('alarm') + 1:04d}"
    share = f"{120 / fs.n_samples:.1%}"
    assert for_command_line(report.machines) == (
        f"1 of 21 ids made {share} of all samples, day and night alike, as machines and test "
        f"phones do: u{number}. Each counts as a person in every group of k. Leave such ids out "
        "before any release: --screen people."
    )
    assert "Warning: 1 of 21 ids" in report.summary()
    kept, screened = read_cdr(table, timezone="Africa/Dakar", screen="people")
    assert set(fs.user_ids) - set(kept.user_ids) == {"alarm"}
    assert screened.machines == ""
    assert not Screening.of("people").by_span  # one person does not decide on another
    fs.save(tmp_path / "kept")
    keep_account(report, tmp_path / "kept")
    with kept_opened(tmp_path / "kept") as folder:
        assert kept_account(folder, fs).machines == report.machines
    # Many may be people who are recorded all the time, also after screening has left few others.
    phones = [row for i in range(9) for row in recorded(f"q{i}", range(24))]
    for screen, ids in ((None, 28), (50, 10)):
        told = str(read_cdr(events(*people, *phones, *alarm), screen=screen)[1].machines)
        assert told.startswith(f"10 of {ids} ids made")
        assert "Unless they are people, leave such ids out before any release" in told


@pytest.mark.parametrize("key", ["synthetic", "sf_cabs"])
def test_the_samples_have_no_machines(key):
    known = sample(key)
    report = read_cdr(known.path, antennas=known.antennas_path, timezone=known.timezone)[1]
    assert report.machines == ""


def test_whole_file_of_one_user():
    text = "37.75153 -122.39447 0 1211033530\n37.75149 -122.39447 0 1211033614\n" * 3
    with pytest.raises(SchemaError, match=r"columns=\{'user': None\}"):
        read_cdr(io.StringIO(text))
    fs, report = read_cdr(io.StringIO(text), columns={"user": None})
    assert (fs.n_users, report.rows_used, report.set_aside) == (1, 6, {})
    assert (fs.n_samples, fs.count.tolist(), report.rows_identical) == (2, [3, 3], 4)


def test_progress_rises_to_one_and_can_cancel():
    told = []
    read_cdr(events(*GOOD), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0

    def stop(share):
        if share > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        read_cdr(events(*GOOD), progress=stop)


PERSONAL = (
    *("name", "surname", "b_number", "ip_address", "contact", "address", "msisdn_b", "iban"),
    *("passport", "note", "Spalte 7", "called_at", "home_lat", "cell_phone", "sex", "=cmd|a"),
)


def test_rows_set_aside_carry_time_and_place_alone_whatever_the_others_are_called():
    secret = "Ada Lovelace"
    table = events(*GOOD, ("u", "soon", 40.7, -74.0), ("u", "2012-04-03 18:00", 40.7, "east"))
    table = table.assign(**dict.fromkeys(PERSONAL, secret))
    _, report = read_cdr(table)
    needed = [report.columns[role] for role in ("time", "lat", "lon")]
    assert list(report.rejects) == ["row", "reason", *needed]
    assert len(report.rejects) == 2
    text = report.rejects.to_csv()
    assert secret not in text
    assert "soon" in text  # what is to be looked at
    assert "east" in text


def test_first_rows_and_rows_set_aside_show_antenna_and_offset_too():
    table = pd.DataFrame(
        {
            "subscriber": ["a", "b", "c"],
            "partner": ["d", "e", "f"],
            "timestamp": ["2012-04-03 18:00:09", "2012-04-03 19:00:00", "soon"],
            "tz_offset": ["120", "120", "120"],
            "cell_id": ["A1", "A2", "A2"],
        }
    )
    antennas = pd.DataFrame({"antenna": ["A1", "A2"], "lat": [48.1, 48.2], "lon": [11.5, 11.6]})
    _, report = read_cdr(table, antennas=antennas, naive_timezone="offset")
    assert list(report.rejects) == ["row", "reason", "timestamp", "tz_offset", "cell_id"]
    assert report.first_rows["antenna"].tolist()[:2] == ["A1", "A2"]
    assert report.first_rows["lat"].tolist()[:2] == [48.1, 48.2]


def test_dates_and_clocks_in_two_columns():
    table = pd.DataFrame(
        {
            "abonné": ["a", "b"],
            "date": ["13/04/2012", "14/04/2012"],
            "heure": ["18:00:09", "19:00:00"],
            "latitude": ["48,85", "48,86"],
            "longitude": ["2,35", "2,36"],
        }
    )
    fs, report = read_cdr(table)
    assert report.columns["time"] == "date + heure"
    assert report.first == "2012-04-13T18:00"
    same, _ = read_cdr(table, columns={"time": ("date", "heure"), "user": "abonné"})
    assert same.digest == fs.digest


# --- every row has one fate --------------------------------------------------------------------

USERS = st.sampled_from(["a", "b", "c", " a", "", "NULL", "7", "007"])
TIMES = st.sampled_from(
    [
        *("2012-04-03 10:00", "2012-04-03T10:00:30Z", "1333476009", "03/04/2012 10:00", "x", ""),
        *("1970-01-01 00:00", "2099-12-31 00:00", "2012-04-03T23:59:59.5+05:30", "9999-12-31"),
    ]
)
DEGREES = st.sampled_from(["40.71", "-74.0", "0", "", "abc", "91", "200", "1e3", "nan", "40,7"])
LINES = st.one_of(
    st.tuples(USERS, TIMES, DEGREES, DEGREES).map(",".join),
    st.sampled_from(["", "a,b", "a,b,c,d,e,f", '"a,2012-04-03 10:00,40,50', '"a","x","1","2"']),
)


@given(st.lists(LINES, max_size=40), st.sampled_from([None, "civ", "sen", 2]))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_rows_reconcile_on_messy_tables(lines, screen):
    good = [f"a,2012-04-03 1{i}:00,40.7,-74.1" for i in range(3)]
    text = "\n".join(["user,time,lat,lon", *good, *lines])
    try:
        fs, report = read_cdr(io.StringIO(text), screen=screen)
    except SchemaError:
        return
    assert report.rows_read == 3 + sum(line != "" for line in lines)
    assert report.rows_read == report.rows_used + sum(report.set_aside.values())
    assert len(report.rejects) == sum(report.set_aside.values())
    assert report.rejects["row"].is_unique
    assert set(report.set_aside) <= set(REASONS)
    assert fs.count.sum() == report.rows_used
    assert report.rows_used == fs.n_samples + report.rows_repeating
    assert 0 <= report.rows_identical <= report.rows_repeating
    frame = report.to_frame()
    assert frame["rows"].sum() == report.rows_read
    assert frame["rows"].head(2).tolist() == [report.n_samples, report.rows_repeating]
    written = text.split("\n")
    for row, reason in zip(report.rejects["row"], report.rejects["reason"], strict=True):
        assert written[row - 1] != ""  # the number leads to the line
        if reason == "no user":
            assert written[row - 1].split(",")[0].strip() in ("", "NULL")


def test_rows_and_samples_are_reconciled_in_words():
    # a: two calls in one minute at one place, and one of them told twice; b: another place
    a = ("a", "2024-03-04T08:00:50Z", 14.7, -17.4)
    table = events(("a", "2024-03-04T08:00:10Z", 14.7, -17.4), a, a, ("b", a[1], 14.8, -17.4))
    fs, report = read_cdr(table)
    assert fs.count.tolist() == [3, 1]
    assert report.reconciliation() == (
        "4 rows became 2 samples: a person's rows at the same place in the same minute make one "
        "sample. 2 rows fell into existing samples and raised their counts; 1 matched an earlier "
        "row in every field."
    )
    assert report.reconciliation() in report.summary()
    _, report = read_cdr(table, granularity_m=50_000, granularity_min=5)
    assert "at the same place and time (50000 m, 5 min) make one sample." in report.reconciliation()
    # b and its rows are screened out: what is left is reconciled
    more = pd.concat([table, events(("a", "2024-03-05T08:00Z", 14.7, -17.4)), table[3:]])
    _, report = read_cdr(more, screen="civ")
    assert (report.n_users, report.rows_used) == (1, 4)
    assert (report.n_samples, report.rows_identical) == (2, 1)


SECRET = "221771234567"


def test_first_rows_are_shown_as_understood_and_name_nobody():
    columns = ("msisdn", "called", "when", "lat", "lon", "cell", "note")
    table = events(
        (SECRET, SECRET + "9", "2024-03-04T08:00:10+01:00", 48.1, 11.5, SECRET, SECRET),
        ("", SECRET, "2024-03-04T08:00:10+01:00", 48.1, 11.5, "A", "x"),
        ("b", SECRET, "soon", 48.1, 11.5, "A", "x"),
        *[("b", "z", "2024-07-04T08:00Z", 48.2, 11.6, "A", "x")] * 4,
        columns=columns,
    )
    _, report = read_cdr(table)
    head = report.first_rows
    assert head.columns.tolist() == ["row", "user", "time", "local_time", "lat", "lon", "fate"]
    assert head["row"].tolist() == [1, 2, 3, 4, 5]
    assert head["user"].tolist() == ["u0001", "", "", "u0002", "u0002"]
    winter, summer = ["2024-03-04 08:00"] * 2, ["2024-07-04 10:00"] * 2
    assert head["local_time"].tolist() == [*winter, "", *summer]
    assert head["fate"].tolist() == ["used", "no user", "unparseable time", "used", "used"]
    assert SECRET not in head.to_csv()
    # A telephone number taken for a time is not shown as it is written.
    epochs = table.assign(when=[1709536810 + i for i in range(7)])
    assert read_cdr(epochs)[1].first_rows["time"].tolist() == ["a number"] * 5


def test_the_centre_of_the_projection_can_be_stated():
    table = events(*GOOD)
    own, report = read_cdr(table)
    assert not report.centre_stated
    fs, report = read_cdr(table, centre=(14.5, -17))
    assert report.centre_stated
    assert (report.crs, "+lat_0=14.5 +lon_0=-17 " in fs.crs) == (fs.crs, True)
    # Stated where it would have been anyway, it is still told from one that the records decided.
    lat, lon = (float(re.search(rf"\+{name}_0=(\S+)", own.crs)[1]) for name in ("lat", "lon"))
    same, _ = read_cdr(table, centre=(lat, lon))
    assert (same.x_m == own.x_m).all()
    assert same.crs != own.crs
