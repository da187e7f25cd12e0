"""Positions exchanged or without their signs are asked about; real coasts and islands are not."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tzfpy import get_tz

from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.doubts import DoubtfulPositions, doubt_of
from fpanon_core.io.hints import for_command_line, for_screen
from fpanon_core.io.samples import SAMPLES
from fpanon_core.io.turns import TURNS
from fpanon_core.model import geography
from fpanon_core.model.errors import ConfigError, SchemaError

# Cities of all continents, hemispheres and kinds of coast; latitude, longitude, July offset.
CITIES = {
    "New York": (40.73, -73.97, -240),
    "San Francisco": (37.77, -122.42, -420),
    "Aracaju": (-10.92, -37.07, -180),
    "Dakar": (14.71, -17.45, 0),
    "Venice": (45.44, 12.33, 120),
    "Reykjavik": (64.14, -21.93, 0),
    "Cairo": (30.04, 31.24, 180),
    "Male": (4.175, 73.51, 300),
    "Singapore": (1.29, 103.85, 480),
    "Tokyo": (35.68, 139.77, 540),
    "Sydney": (-33.87, 151.21, 600),
    "Auckland": (-36.85, 174.76, 720),
    "Suva": (-18.14, 178.44, 720),
    "Honolulu": (21.31, -157.86, -600),
    "Papeete": (-17.54, -149.57, -600),
    "Ushuaia": (-54.80, -68.30, -180),
    "Key West": (24.56, -81.78, -240),
}
JULY = 1_341_144_000_000_000  # 2012-07-01 12:00 UTC, microseconds


def people(lat, lon, offset=np.nan, n=300, spread_deg=0.05, seed=0):
    """Positions about a city, some ten kilometres wide, and what the file says of its zone."""
    rng = np.random.default_rng(seed)
    lats, lons = rng.normal(lat, spread_deg, n), rng.normal(lon, spread_deg, n)
    offsets = np.full(n, offset if offset else np.nan)
    return lats, (lons + 180) % 360 - 180, offsets, np.full(n, JULY)


def asked(lat, lon, offset, us):
    doubt = doubt_of(lat, lon, offset, us)
    return doubt and [reading.positions for reading in doubt.readings]


@pytest.mark.parametrize("city", CITIES)
def test_a_correct_file_is_not_asked_about(city):
    lat, lon, offset = CITIES[city]
    assert doubt_of(*people(lat, lon)) is None
    assert doubt_of(*people(lat, lon, offset)) is None


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.key)
def test_nor_are_the_samples(sample):
    assert read_cdr(sample.path)[1].doubts == ()


def test_nor_a_ferry_an_airliner_now_and_then_a_whole_country_or_whose_clocks_agree():
    assert doubt_of(*people(40.73, 73.97, 360)) is None  # Kyrgyzstan
    # Calais to Dover, 33 km of sea: no place on it is farther than 20 km from a coast
    way = np.linspace(0, 1, 50)
    ferry = 50.97 + way * (51.13 - 50.97), 1.85 + way * (1.33 - 1.85)
    nothing = np.full(50, np.nan), np.full(50, JULY)
    assert doubt_of(*ferry, *nothing) is None
    # Parisians of whom one in eight rows is over the Atlantic
    lat, lon, offset, us = people(48.86, 2.35)
    lat[::8], lon[::8] = 40.0, -40.0
    assert doubt_of(lat, lon, offset, us) is None
    # France, from corner to corner
    rng = np.random.default_rng(1)
    far = rng.uniform(43.5, 49.5, 500), rng.uniform(-0.5, 6.5, 500)
    assert doubt_of(*far, np.full(500, np.nan), np.full(500, JULY)) is None


@pytest.mark.parametrize("offset", [np.nan, -240.0], ids=["no offset", "with offset"])
def test_new_yorkers_exchanged(offset):
    lat, lon, offsets, us = people(40.73, -73.97, offset)
    doubt = doubt_of(lon, lat, offsets, us)
    assert doubt.strong
    assert "Antarctica" in doubt.found[0]
    (reading,) = doubt.readings
    assert (reading.positions, reading.title) == ("exchanged", "Exchange latitude and longitude")
    assert reading.why.startswith("the positions then lie on land, near New York")
    if offset == -240:
        assert doubt.found[1] == (
            "The file's own times are in UTC−04:00, but clocks at these positions show UTC+03:00."
        )
        assert reading.why.endswith("where clocks show UTC−04:00, as in the file")
    # The clocks of an office elsewhere, an hour ahead of UTC, hide no exchange.
    (reading,) = doubt_of(lon, lat, np.full(300, 60.0), us).readings
    assert reading.why == (
        "the positions then lie on land, near New York (time zone America/New_York)"
    )


@pytest.mark.parametrize("offset", [np.nan, -240.0], ids=["no offset", "with offset"])
def test_new_yorkers_without_the_sign_of_their_longitudes(offset):
    # 40.73° N, 73.97° E are mountains of Kyrgyzstan: land, but no town within 60 km
    lat, lon, offsets, us = people(40.73, -73.97, offset)
    doubt = doubt_of(lat, -lon, offsets, us)
    assert [r.positions for r in doubt.readings] == ["lon-turned"]
    assert doubt.strong == (offset == -240)  # only the file itself contradicts
    if not doubt.strong:  # what tells the officer that these are no New Yorkers
        assert "the time zone is Asia/Bishkek" in doubt.found[0]
    assert doubt.readings[0].title == "Read the longitudes as west"
    assert "near New York" in doubt.readings[0].why


def test_both_signs_and_an_exchange_without_a_sign():
    lat, lon, offsets, us = people(-10.92, -37.07, -180)
    assert asked(-lat, lon, offsets, us) == ["lat-turned"]  # Aracaju in the Atlantic
    assert asked(-lat, -lon, offsets, us) == ["both-turned"]  # Ethiopia, by its clocks
    lat, lon, offsets, us = people(40.73, -73.97)
    assert asked(-lon, lat, offsets, us) == ["exchanged-lon-turned"]


def test_latitudes_that_cannot_be_are_longitudes():
    lat, lon, offsets, us = people(37.77, -122.42)
    doubt = doubt_of(lon, lat, offsets, us)
    assert doubt.strong
    assert "100% of the positions are impossible" in doubt.found[0]
    assert [r.positions for r in doubt.readings] == ["exchanged"]
    # In metres on a map no answer would help: the reader's own refusal says what to do.
    assert doubt_of(lat * 1e5, lon * 1e4, offsets, us) is None


def test_a_doubt_without_another_reading_is_weak():
    sea = doubt_of(*people(0.0, -30.0))
    assert (sea.readings, sea.strong) == ((), False)
    office = doubt_of(*people(48.86, 2.35, -240))  # Parisians, by the clock of an office elsewhere
    assert (office.readings, office.strong) == ((), False)
    assert "UTC−04:00, but clocks at these positions show UTC+02:00" in office.found[0]


@given(st.sampled_from(sorted(CITIES)), st.sampled_from(sorted(TURNS)), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_what_is_offered_is_on_land_and_agrees_with_the_file(city, turn, seed):
    lat, lon, offset, us = people(*CITIES[city], n=60, seed=seed)
    read = TURNS[turn].apply(lat, lon)
    doubt = doubt_of(*read, offset, us)
    for reading in doubt.readings if doubt else ():
        there = TURNS[reading.positions].apply(*read)
        assert (np.abs(there[0]) <= 90).mean() > 0.9
        near = geography.on_land(*there) | (geography.km_to_coast(*there) <= 20)
        # or in waters that have a time zone of their own, as those of atolls
        near |= [not get_tz(x, y).startswith("Etc/") for y, x in zip(*there, strict=True)]
        assert near.mean() > 0.85
        assert reading.positions != "as-they-are"


@given(st.sampled_from(sorted(TURNS)), st.floats(-80, 80), st.floats(-80, 80))
def test_a_turn_is_made_of_an_exchange_and_of_signs(name, lat, lon):
    first, second = TURNS[name].apply(np.array([lat]), np.array([lon]))
    expected = [lon, lat] if "exchanged" in name else [lat, lon]
    if "lat-turned" in name or "both" in name:
        expected[0] = -expected[0]
    if "lon-turned" in name or "both" in name:
        expected[1] = -expected[1]
    assert [first[0], second[0]] == expected


# --- through the reader --------------------------------------------------------------------------


def table(lat, lon, n=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "user": [f"u{i % 4}" for i in range(n)],
            "time": [f"2012-07-01T12:{i:02d}:00Z" for i in range(n)],
            "lat": rng.normal(lat, 0.03, n),
            "lon": rng.normal(lon, 0.03, n),
        }
    )


def turned(frame):
    return frame.rename(columns={"lat": "lon", "lon": "lat"})


def test_nothing_is_turned_unasked_and_an_answer_is_final():
    right, report = read_cdr(table(40.73, -73.97))
    assert report.doubts == ()
    exchanged = turned(table(40.73, -73.97))
    fs, report = read_cdr(exchanged)
    assert report.doubts[0].strong
    assert report.timezone.startswith("Antarctica")
    assert "positions='exchanged'" in report.summary()
    same, report = read_cdr(exchanged, positions="as-they-are")
    assert same.digest == fs.digest
    assert (report.doubts, report.positions) == ((), "as-they-are")
    mended, report = read_cdr(exchanged, positions="exchanged")
    assert mended.digest == right.digest
    assert (report.columns["lat"], report.columns["lon"]) == ("lon", "lat")
    assert report.doubts == ()
    assert any(
        "of the positions: exchange latitude and longitude." in note for note in report.notes
    )
    with pytest.raises(DoubtfulPositions) as caught:
        read_cdr(exchanged, positions="ask")
    assert caught.value.doubt.readings[0].positions == "exchanged"
    assert read_cdr(table(40.73, -73.97), positions="ask")[0].digest == right.digest
    with pytest.raises(ConfigError, match="choose one of as-they-are, exchanged"):
        read_cdr(exchanged, positions="upside-down")


def test_impossible_rows_alone_are_a_doubt_not_an_empty_file():
    exchanged = turned(table(37.77, -122.42))
    with pytest.raises(DoubtfulPositions) as caught:
        read_cdr(exchanged)
    message = caught.value.message
    assert isinstance(caught.value, SchemaError)
    assert "--positions exchanged, or --positions as-they-are" in for_command_line(message)
    assert for_screen(message).endswith(
        "(time zone America/Los_Angeles). Say how to read the positions."
    )
    fs, _ = read_cdr(exchanged, positions="exchanged")
    assert fs.digest == read_cdr(table(37.77, -122.42))[0].digest
    with pytest.raises(SchemaError, match="None of the 40 rows"):
        read_cdr(exchanged, positions="as-they-are")
    most = pd.concat([exchanged, table(40.73, -73.97)[:5]])
    notes = read_cdr(most, positions="as-they-are")[1].notes
    assert "Most positions are impossible; are they map coordinates in metres?" in notes


TYPED = pd.date_range("2012-07-01", periods=40, freq="min", tz="America/New_York")
OFFSETS = {
    "in the times": {"time": [f"2012-07-01T12:{i:02d}:00-04:00" for i in range(40)]},
    "no colon, fraction": {"time": [f"2012-07-01 12:{i:02d}:00.5 -0400" for i in range(40)]},
    "typed": {"time": TYPED},
    "a column of hours": {"tz_offset": -4},
    "a column of minutes": {"tz_offset": -240},
}


@pytest.mark.parametrize("form", OFFSETS)
def test_offsets_are_found_wherever_the_file_has_them(form):
    (doubt,) = read_cdr(table(40.73, 73.97).assign(**OFFSETS[form]))[1].doubts
    assert "−04:00" in doubt.found[0]
    assert doubt.strong
    assert [r.positions for r in doubt.readings] == ["lon-turned"]


SITES = pd.DataFrame({"site": ["A", "B"], "lat": [40.73, 40.75], "lon": [-73.97, -73.99]})


def test_antennas_that_give_the_positions_are_turned_with_them():
    events = "user,time,site\na,2012-07-01T12:00Z,A\nb,2012-07-01T12:00Z,B\n"
    expected, _ = read_cdr(io.StringIO(events), antennas=SITES)
    with pytest.raises(DoubtfulPositions):
        read_cdr(io.StringIO(events), antennas=turned(SITES), positions="ask")
    fs, _ = read_cdr(io.StringIO(events), antennas=turned(SITES), positions="exchanged")
    assert fs.digest == expected.digest  # the antennas' places are part of it


def test_antennas_beside_degrees_are_turned_only_where_that_fits():
    exchanged = turned(table(40.73, -73.97))
    one, _ = read_cdr(exchanged, antennas=SITES, positions="exchanged")
    other, report = read_cdr(exchanged, antennas=turned(SITES), positions="exchanged")
    assert one.digest == other.digest
    assert (
        "The positions of the antennas are read in the same way as those of the events."
        in report.notes
    )


def test_what_the_outlines_know():
    # the middle of the Sahara, of the Atlantic, and of the Caspian Sea, which counts as land
    assert geography.on_land(
        np.array([24.0, 30.0, 42.0]), np.array([1.0, -40.0, 50.5])
    ).tolist() == [True, False, True]
    # Saint Helena is 1,870 km from Africa; the middle between is some 900 km from a coast
    assert 800 < geography.km_to_coast(np.array([-16.0]), np.array([4.0]))[0] < 1000
    km, which = geography.nearest_town(np.array([48.86]), np.array([2.35]))
    assert geography.town(int(which[0])) == "Paris"
    assert km[0] < 5
