"""Roles found by name and by content, overridden, and refused rather than guessed wrongly."""

import io

import pytest

from fpanon_core.io.roles import find_roles
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.tables.names import rank
from fpanon_core.tables.sources import read_source


def table_of(text):
    return read_source(io.StringIO(text))[0]


def roles_of(text, **columns):
    table = table_of(text)
    roles = find_roles(table, columns)
    return {role: table.labels[where[0]] for role, where in roles.where.items()}


ROW = "a,2012-04-03 10:00,40.71,-74.01\nb,2012-04-03 11:00,40.72,-74.02\n" * 3


@pytest.mark.parametrize(
    "header",
    [
        *("user_id,timestamp,lat,lon", "MSISDN,Call Time,Latitude,Longitude", "uid,t,y,x"),
        *("Caller,datetime,cell_lat,cell_lon", "abonné,horodatage,LATITUDE,LONGITUDE"),
        *("usuario,fecha,latitud,longitud", "Nutzer,Zeitpunkt,Breitengrad,Längengrad"),
        *("subscriberId,eventTime,gps_lat,gps_lng", "id,time,lat,long", "imsi,epoch,lat,lng"),
    ],
)
def test_names_in_many_languages(header):
    names = header.split(",")
    found = roles_of(f"{header}\n{ROW}")
    assert [found[role] for role in ("user", "time", "lat", "lon")] == names


def test_longitude_is_not_taken_for_latitude():
    # Beijing: 116 can only be a longitude, whichever comes first
    found = roles_of("1,2008-02-02 15:36:08,116.51172,39.92123\n" * 3)
    assert found == {"user": 0, "time": 1, "lat": 3, "lon": 2}
    assert roles_of("1,2008-02-02 15:36:08,39.92123,116.51172\n" * 3)["lat"] == 2
    table = table_of("1,2008-02-02 15:36:08,40.92123,16.51172\n" * 3)
    assert any("guess" in note for note in find_roles(table).notes)


def test_header_or_not():
    assert table_of(f"user,time,lat,lon\n{ROW}").header
    assert not table_of(ROW).header
    assert table_of("0,1,2,3\n" + ROW).n_rows == 6
    assert not table_of("anna,home\nbob,work\n").header


def test_overrides_by_name_and_position_are_partial():
    text = f"who,when,lat,lon\n{ROW}"
    assert roles_of(text, user="who")["time"] == "when"
    assert roles_of(text, user=0, time="WHEN")["time"] == "when"
    assert roles_of(text, lat=3, lon=2)["lat"] == "lon"
    for wrong in ({"user": "nobody"}, {"user": 9}, {"user": -1}, {"user": True}):
        with pytest.raises(ConfigError, match="Columns: 'who', 'when', 'lat', 'lon'"):
            roles_of(text, **wrong)
    with pytest.raises(ConfigError, match="Unknown role"):
        roles_of(text, person="who")
    with pytest.raises(ConfigError, match="two roles"):
        roles_of(text, user="who", time="who")
    with pytest.raises(ConfigError, match="needs a column"):
        roles_of(text, time=None)


def test_a_track_is_not_a_person():
    text = "id,latitude,longitude,track_id,time\n" + "".join(
        f"{i},-10.9{i},-37.0{i},{i % 3},2014-09-13 07:24:{i:02d}\n" for i in range(10)
    )
    with pytest.raises(SchemaError, match="track_id"):
        roles_of(text)
    assert roles_of(text, user="track_id")["user"] == "track_id"


def test_durations_are_no_times():
    with pytest.raises(SchemaError, match="'time' is named like a time but holds none"):
        roles_of("user,time,lat,lon\n" + "a,0.138,40.71,-74.01\nb,0.17,40.7,-74.0\n")


def test_antenna_tables_are_recognized():
    with pytest.raises(SchemaError, match="antennas="):
        roles_of("antenna_id,lat,lon,n\nA,37.7,-122.4,3\nB,37.8,-122.3,4\n")
    with pytest.raises(SchemaError, match="antennas="):
        roles_of("LTE,311,480,9728,990,0,-122.39,37.78,1000,21,1,1458613761,1491242559,0\n" * 3)


def test_joined_tables_with_suffixes():
    rows = "".join(f"{i},-10.{i},-37.{i},2014-09-13 07:24:0{i},{i // 2},0.{i}\n" for i in range(4))
    found = roles_of("id_x,latitude,longitude,time_x,id_android,time_y\n" + rows)
    assert (found["user"], found["time"]) == ("id_android", "time_x")


def test_ranks():
    assert rank("User-ID", "user") < rank("id", "user") < float("inf")
    assert rank("user_type", "user") == float("inf")
    assert rank("end_time", "time") == float("inf")
    assert rank("lat", "lon") == float("inf")


def test_telephone_numbers_are_no_times():
    # ten digits from 1 to 4 thousand million could be epoch seconds
    rows = "".join(
        f"{1_222_333_444 + 987_654_321 * (i % 3)},{1333476009 + i},40.7{i},-74.0{i}\n"
        for i in range(9)
    )
    assert roles_of("msisdn,moment,lat,lon\n" + rows)["user"] == "msisdn"
    assert roles_of(rows) == {"user": 0, "time": 1, "lat": 2, "lon": 3}
