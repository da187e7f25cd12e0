"""Tables ready for release: what noise and blanks hide is said, and no record decides the zone."""

import datetime as dt
import json
import re
from dataclasses import replace
from hashlib import sha256
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.count_tables import has_one_profile, hides_days
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.projection import equal_area_around
from fpanon_core.studies import count_tables, synthetic_people
from fpanon_core.studies.advice import describe_promise
from fpanon_core.studies.framing import frame_for, stated_of_data
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.reading import Reading
from fpanon_core.studies.report_words import describe_cost, describe_file
from fpanon_core.studies.table_package import package, readme_of
from pages.shell.leaving import (
    BY_SPAN,
    NOTHING_LEFT,
    days_without_records,
    nothing_shown,
    unreadable,
)
from pages.tables import story
from tests.support.releases import members_of

AREA = fp.StatedArea(0, 0, 1_000, 2_000, "metres")
DAY_MIN = 1_440.0


def week(weekday_trips: int, weekend_trips: int) -> fp.FingerprintSet:
    """People who make one trip each on one day of a week that begins on a Monday."""
    day = np.repeat([0, 5], [weekday_trips, weekend_trips])
    people = np.repeat(np.arange(len(day)), 2)
    x = np.tile([0.0, 1_000.0], len(day))
    start = np.repeat(day * DAY_MIN, 2) + np.tile([480.0, 600.0], len(day))
    return fp.FingerprintSet.from_samples(people, x, np.zeros(len(x)), start)


def frame() -> fp.FrameConfig:
    return fp.FrameConfig(fp.StatedPeriod(None, 7), "grid", AREA, 1_000)


@pytest.mark.parametrize(
    ("weekend", "told"),
    [(4, "**No trips are shown on weekends**, but the records show 2 a day"), (40, "")],
)
def test_a_type_of_day_without_trips_is_not_taken_for_a_finding(weekend: int, told: str) -> None:
    """4 trips on two days are 2 a day, below the threshold of 10; 40 are 20."""
    fs = week(100, weekend)
    found = count_tables.study(fs, fp.Flows(frame(), 24, threshold=10))
    assert found.made.flows is not None
    assert found.made.flows.by_day.tolist() == [20.0, 20.0 if weekend == 40 else 0.0]
    assert nothing_shown(found).startswith(told)
    assert bool(nothing_shown(found)) is bool(told)
    listed = "No trip is listed for weekends: trips may be hidden, not absent."
    assert (listed in found.page) is bool(told)
    exact = count_tables.study(week(100, 0), fp.Flows(frame(), 24))
    assert "No trip is listed" not in exact.page, "exact counts hide nothing"
    assert nothing_shown(exact) == ""
    assert nothing_shown(count_tables.study(fs, fp.Flows(frame(), 24, 10_000))) == NOTHING_LEFT


def test_days_that_noise_made_equal_are_said() -> None:
    found = count_tables.study(week(100, 40), fp.Presence(frame(), 1, None, 1e-4))
    table = found.made.presence
    assert table is not None
    values = np.array(table.values)
    values[:, 1] = values[:, 0]
    assert hides_days(values, table.frame, table.protection)
    assert not hides_days(values + np.array([[[0.0], [1.0]]]), table.frame, table.protection)
    assert not hides_days(values, table.frame, fp.Presence(frame(), 1))
    assert ("weekdays and weekends" in found.page) is table.days_hidden
    assert any("weekdays and weekends" in said for said in story.found(found)) is table.days_hidden


def test_areas_that_noise_left_one_profile_are_said() -> None:
    """Only a factor tells the areas apart; at ε = 0.0001 nothing else is left of 140 people."""
    found = count_tables.study(week(100, 40), fp.Presence(frame(), 24, None, 1e-4))
    table = found.made.presence
    assert table is not None
    where, option = table.frame, table.protection
    one = np.outer([1.0, 7.5], np.arange(1.0, 2 * 24 + 1)).reshape(2, 2, 24).round(3)
    assert has_one_profile(one, where, option)
    market = one.copy()
    market[0, 1, 9] += 1
    assert not has_one_profile(market, where, option)
    assert not has_one_profile(one, where, fp.Presence(frame(), 24)), "there is no noise"
    assert not has_one_profile(one[:1], where, option), "one area has no other"
    shown = replace(table, values=one)
    same = replace(found, made=replace(found.made, presence=shown))
    told = "Noise hides all differences between the areas' profiles over the week."
    assert told in story.found(same)[0]
    flat = replace(found, made=replace(found.made, presence=replace(table, values=one * 0 + 1)))
    assert flat.made.presence.one_profile
    assert "between hours and between weekdays and weekends.**" in story.found(flat)[0]
    pages = {
        told: readme_of(package(replace(found.made, presence=replace(table, values=values))))
        for told, values in (("every area has the same profile", one), ("smoothing hides", market))
    }
    assert all(told in page for told, page in pages.items())
    kept = fp.explore_options(week(100, 40), [found.made.option], areas=1_000).results[0]
    assert kept.one_profile
    assert kept.least["density"] < kept.components["density"], "of five draws, one keeps least"
    same_profile = "Every area has the same profile over the week."
    for hours_hidden in (False, True):  # without hours, it goes without saying
        cost = describe_cost(utility_choice("travel"), replace(kept, hours_hidden=hours_hidden))
        assert (same_profile in cost) is not hours_hidden


def test_what_synthetic_people_do_not_show_is_said_with_the_trips() -> None:
    """Below 2,000 people times ε, trips and hours are mostly noise."""
    option = ReleaseOption(steps=[fp.Synthesize(frame(), 0.5)])
    for people, few in ((3_999, True), (4_000, False)):
        result = OptionResult(option, users_share=1.0, n_users=people)
        told = describe_cost(utility_choice("travel"), result)
        lost = "Single days, hours and volumes" if few else "Differences between days"
        assert told.startswith(f"{lost} are lost.")
    assert "Then make the release once." in describe_promise(result)
    made = synthetic_people.study(week(100, 40), fp.Synthesize(frame(), 0.5))
    assert made.page.count("Do not read the number of trips as a volume of traffic.") == 1


@pytest.mark.parametrize("epsilon", [None, 1.0])
def test_no_page_vouches_for_what_the_publisher_stated(epsilon: float | None) -> None:
    page = count_tables.study(week(100, 40), fp.Presence(frame(), 24, None, epsilon)).page
    assert "The publisher stated" not in page
    told = "The publisher answers for areas, days and ε: the promise below holds only if they were"
    assert (told in page) is (epsilon is not None)
    assert ("choice made by looking at the records may reveal" in page) is (epsilon is None)


def test_counts_moved_are_those_of_the_file_itself() -> None:
    found = count_tables.study(week(100, 40), fp.Presence(frame(), 1, None, 0.5))
    assert found.made.presence is not None
    assert found.before.presence is not None
    off = np.mean(np.abs(found.made.presence.values - found.before.presence.values))
    assert f"moved counts by {off:.2g} people on average" in story.found(found)[0]


def test_a_guessed_time_zone_is_that_of_the_stated_area() -> None:
    """The records lie in San Francisco, the area that is asked for in New York."""
    rows = {"user": ["a", "b"], "time": ["2024-03-04 09:00", "2024-03-04 10:00"]}
    fs, _ = fp.read_cdr(pd.DataFrame({**rows, "lat": [37.7, 37.8], "lon": [-122.4, -122.5]}))
    assert fs.clock is not None
    assert fs.clock.timezone == "America/Los_Angeles"
    there = fp.StatedArea(40.6, -74.1, 40.8, -73.9)
    asked = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 1), "grid", there, 1_000)
    again = count_tables.stated_reading(fs, Reading(), asked, guessed=True)
    assert again is not None
    assert again.timezone == "America/New_York"
    kept = count_tables.stated_reading(fs, Reading(), asked, guessed=False)
    assert kept is not None
    assert kept.timezone == "America/Los_Angeles", "it was stated"


CLOCK = fp.LocalClock(dt.datetime(2024, 3, 4, tzinfo=dt.UTC), "Africa/Dakar")
DERIVED = "+proj=laea +lat_0=14.69 +lon_0=-17.41 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
DAKAR = fp.StatedArea(14.68, -17.42, 14.72, -17.38)
PERIOD = fp.StatedPeriod(dt.date(2024, 3, 4), 2, 60)
SQUARES = fp.FrameConfig(PERIOD, "grid", DAKAR, 1_000)


@pytest.fixture(scope="module")
def marked() -> fp.FingerprintSet:
    """137 marked people, at one of four places at a time, over three days; 4 are far away."""
    rng = np.random.default_rng(5)
    user = np.repeat([f"marked-{u:03d}" for u in range(137)], 20)
    x, y = rng.integers(0, 2, (2, len(user))) * 1_500.0
    x[user >= "marked-133"] = 90_000
    fs = fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 3 * 1_440, len(user)))
    return replace(fs, clock=CLOCK, crs=equal_area_around(14.69, -17.41, stated=True))


PACKED = [fp.Tables(SQUARES, threshold=8), fp.Tables(SQUARES, epsilon=0.5)]


@pytest.mark.parametrize("option", PACKED)
def test_nothing_in_a_package_tells_of_the_input(marked, option) -> None:
    """No id, no digest, no projection of the data, and no exact number of people or samples."""
    outside = (marked.x_m > 5_000) | (marked.t_min >= 2 * DAY_MIN)
    exact = [marked.n_users, marked.n_samples, outside.sum(), (~outside).sum()]
    exact.append(len(np.unique(marked.sample_user[~outside])))
    assert (exact[0], exact[-1]) == (137, 133)
    numbers = "|".join(form for each in exact for form in (f"{each}", f"{each:,}"))
    found = count_tables.study(marked, option)
    for ending, archive in found.archives.items():
        files = members_of(archive)
        cells = [cells_of(files, f"{name}.{ending}").to_csv().encode() for name in found.tables()]
        every = b"".join([*files.values(), *cells])
        for secret in ("marked", marked.digest, str(marked.crs)):
            assert secret.encode() not in every
        told = (files["README.md"] + files["datapackage.json"]).decode()
        assert not re.search(rf"(?<![\w.,])({numbers})(?!\w|[.,]\d)", told)


def cells_of(files: dict[str, bytes], name: str) -> pd.DataFrame:
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    return read(BytesIO(files[name]))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("option", [PACKED[0], fp.Synthesize(SQUARES, 1.0, 20)])
def test_a_package_describes_the_very_bytes_in_it(marked, option, ending) -> None:
    study = count_tables.study if isinstance(option, fp.Tables) else synthetic_people.study
    files = members_of(study(marked, option).archives[ending])
    described = json.loads(files["datapackage.json"])["resources"]
    named = {each["path"] for each in described}
    assert files.keys() == named | {"README.md", "datapackage.json", "areas.geojson"}
    page = files["README.md"].decode()
    for each in described:
        content, cells = files[each["path"]], cells_of(files, each["path"])
        digest = sha256(content).hexdigest()
        assert (each["bytes"], each["hash"]) == (len(content), f"sha256:{digest}")
        assert [field["name"] for field in each["schema"]["fields"]] == list(cells)
        listed = f"`{each['path']}`: {each['title']} ({len(cells):,} rows; sha256 {digest})"
        assert listed in page


def test_private_tables_of_data_whose_reading_the_records_decided_are_refused(marked) -> None:
    derived = replace(marked, crs=DERIVED)
    towers = fp.Antennas([0, 900], [0, 900], lon=[-17.42, -17.41], lat=[14.69, 14.7])
    metres = replace(SQUARES, area=fp.StatedArea(0, 0, 5_000, 5_000, "metres"))
    for fs, stated, said in (
        (derived, metres, "State the area of a private release in degrees"),
        (derived, SQUARES, "centre=(14.7, -17.4))"),
        (replace(derived, antennas=towers), fp.FrameConfig(PERIOD), "centre=(14.69, -17.42))"),
    ):
        with pytest.raises(fp.ConfigError, match=re.escape(said)):
            count_tables.study(fs, fp.Presence(stated, epsilon=1.0))
    assert count_tables.study(derived, fp.Presence(SQUARES, threshold=8)).archives
    assert count_tables.study(marked, fp.Presence(metres, epsilon=1.0)).archives


def test_a_file_that_keeps_enough_says_what_is_needed() -> None:
    kept = {"density": 0.5, "flows": 0.25, "mobility": float("nan")}
    file = fp.OptionResult(fp.ReleaseOption(), components=kept)
    told = "In this release, density is 0.50 of 1 and 25% of trips agree with the data"
    choice = utility_choice({"density": 0.5, "flows": 0.5})
    assert describe_file(choice, file) == f"{told} (rough)."
    told = "In this release, density is 0.50 of 1. It cannot show mobility."
    assert describe_file(utility_choice({"density": 0.5, "mobility": 0.5}), file) == told


def test_a_release_is_not_lost_where_its_utility_cannot_be_measured() -> None:
    """On squares of 1 m there are too many pairs to compare; the ε is spent by then."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 50_000, (2, 3_000))
    fs = fp.FingerprintSet.from_samples(np.arange(3_000) // 6, x, y, np.arange(3_000.0))
    found = count_tables.study(fs, fp.Tables(frame(), 1, None, 5.0), 1.0)
    assert found.archives
    assert found.compared_in == ""
    assert np.isnan(list(found.kept.values())).all()
    # On the usual squares, a frame of part of the data does not change the squares.
    usual = count_tables.study(fs, fp.Tables(frame(), 1))
    assert usual.compared_in == str(fp.Reference.of(fs).ground)


@pytest.mark.parametrize(
    ("first", "days", "covered"), [(8, 1, None), (7, 2, None), (8, 9, 1), (1, 30, 2), (20, 3, 0)]
)
def test_stated_days_without_records_are_warned_of(
    first: int, days: int, covered: int | None
) -> None:
    """Records from 7 to 8 June; a period that was mistyped would dilute every mean."""
    rows = {"user": ["a", "b"], "time": ["2008-06-07 15:00", "2008-06-08 14:59"]}
    report = fp.read_cdr(pd.DataFrame({**rows, "lat": [37.7, 37.8], "lon": [-122.4, -122.5]}))[1]
    told = days_without_records(report, fp.StatedPeriod(dt.date(2008, 6, first), days))
    assert bool(told) is (covered is not None)
    assert covered is None or f"cover {covered} of the {days} stated days" in told
    assert days_without_records(report, fp.StatedPeriod(None, days)) == ""


@pytest.mark.parametrize("rule", ["civ", "sen"])
def test_people_screened_by_the_days_of_all_give_no_private_release(rule: str) -> None:
    rows = {"user": ["a"], "time": ["2008-06-07 15:00"], "lat": [37.7], "lon": [-122.4]}
    report = replace(fp.read_cdr(pd.DataFrame(rows))[1], screening=fp.Screening.of(rule))
    assert unreadable(fp.Presence(SQUARES, epsilon=1.0), report, False) == BY_SPAN
    assert unreadable(fp.Presence(SQUARES, threshold=8), report, False) == ""
    by_samples = replace(report, screening=fp.Screening.of(5))
    assert unreadable(fp.Synthesize(SQUARES, 1.0), by_samples, False) == ""


def test_the_frame_that_data_suggest_holds_all_of_them(marked) -> None:
    """With a calendar and without one; of three days."""
    near = marked.subset(np.arange(133))
    for fs, first_day in ((near, dt.date(2024, 3, 4)), (replace(near, clock=None), None)):
        suggested = stated_of_data(fs, 60, 5_000)
        assert (suggested.places, suggested.period.first_day) == ("grid", first_day)
        counts, truth = fp.aggregate_counts(fs, frame=frame_for(fs, suggested))
        assert counts.n_slots == 72
        assert (truth >= 0).all()
