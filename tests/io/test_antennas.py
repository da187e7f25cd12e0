"""Antenna tables, and events placed by their antenna."""

import io

import pandas as pd
import pytest

from fpanon_core import GeneralizationProfile, Regions, generalize
from fpanon_core.io.antennas import locate, read_antennas
from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.errors import SchemaError

SITES = pd.DataFrame(
    {
        "site_id": ["001", "002", "003"],
        "arr_id": [1, 1, 2],
        "lon": [-17.45, -17.44, -17.40],
        "lat": [14.70, 14.71, 14.75],
    }
)
OPENCELLID = (
    "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\n"
    "LTE,311,480,9728,9903886,0,-122.393744,37.788097,1000,21,1,1458613761,1491242559,0\n"
    "LTE,311,480,9728,9960451,0,-122.401481,37.787317,1000,13,1,1458613762,1479266640,0\n"
    "GSM,310,260,9728,9960451,0,-122.501481,37.787317,1000,13,1,1458613762,1479266640,0\n"
)


def events(*ids):
    return pd.DataFrame(
        {
            "user": ["a"] * len(ids),
            "time": [f"2013-01-07 13:{i:02d}:00" for i in range(len(ids))],
            "site_id": list(ids),
        }
    )


def test_read_keeps_other_columns():
    table = read_antennas(SITES)
    assert table.columns.tolist() == ["antenna", "lat", "lon", "arr_id"]
    assert table["antenna"].tolist() == ["001", "002", "003"]
    assert table["arr_id"].tolist() == [1, 1, 2]


def test_events_are_joined_and_unknown_antennas_counted():
    fs, report = read_cdr(events("001", "002", "999", "", "003"), antennas=SITES)
    assert report.set_aside == {"missing coordinates": 1, "unknown antenna": 1}
    assert fs.n_samples == 3
    assert report.columns["antenna"] == "site_id"
    assert report.timezone == "Africa/Dakar"


def test_headerless_events_find_their_antenna_by_content():
    text = "7,2013-01-07 13:10:00,001\n8,2013-01-07 13:20:00,003\n7,2013-01-07 13:30:00,002\n"
    _, report = read_cdr(io.StringIO(text), antennas=SITES)
    assert report.columns == {"user": "0", "time": "1", "antenna": "2"}


def test_the_table_stays_with_the_fingerprints():
    """Where the events are, snapped alike; its columns as text, "" for none."""
    table = SITES.assign(district=["North", "NULL", None])
    fs, _ = read_cdr(events("001", "002", "003", "003"), antennas=table)
    assert fs.antennas is not None
    assert set(fs.antennas.columns) == {"arr_id", "district"}
    assert fs.antennas.column("arr_id").tolist() == ["1", "1", "2"]
    assert fs.antennas.column("district").tolist() == ["North", "", ""]
    assert fs.x_m.tolist() == fs.antennas.x_m[[0, 1, 2, 2]].tolist()
    assert fs.y_m.tolist() == fs.antennas.y_m[[0, 1, 2, 2]].tolist()
    boroughs = generalize(fs, GeneralizationProfile(Regions("arr_id"), 60))
    assert (boroughs.n_samples, boroughs.count.tolist()) == (2, [2, 2])


def test_degrees_of_the_events_win_unless_denied():
    own = events("001", "002").assign(lat=[48.85, 48.86], lon=[2.35, 2.36])
    assert read_cdr(own)[0].antennas is None
    kept, report = read_cdr(own, antennas=SITES)
    assert len(kept.antennas) == 3
    assert any("used for antenna clusters and regions only" in note for note in report.notes)
    assert report.timezone == "Europe/Paris"
    assert report.columns["antenna"] == "site_id"
    _, report = read_cdr(own, antennas=SITES, columns={"lat": None, "lon": None})
    assert report.timezone == "Africa/Dakar"


@pytest.mark.parametrize("header", [True, False])
def test_opencellid_layout(header):
    text = OPENCELLID if header else OPENCELLID.split("\n", 1)[1]
    table = read_antennas(io.StringIO(text))
    cells = "311-480-9728-9903886", "311-480-9728-9960451", "310-260-9728-9960451"
    assert tuple(table["antenna"]) == cells
    assert table["lat"].tolist() == [37.788097, 37.787317, 37.787317]
    assert {"radio", "mcc", "net", "area", "cell"} <= set(table.columns)


def test_spellings_of_an_antenna():
    table = read_antennas(io.StringIO(OPENCELLID))
    for spelled in (
        *("311-480-9728-9903886", "311480-9728-9903886", "9903886", "311_480_9728_9903886"),
        *("LTE-311-480-9728-9903886", "9728:9903886"),
    ):
        lat, _, _ = locate([spelled], table)
        assert lat.tolist() == [37.788097], spelled
    # cell 9960451 exists in two networks, at two places: by the cell alone it cannot be told
    lat, _, _ = locate(["9903886", "9960451"], table)
    assert pd.isna(lat).tolist() == [False, True]
    lat, _, notes = locate(["1", "3"], read_antennas(SITES))  # 001 and 003, typed as numbers
    assert lat.tolist() == [14.70, 14.75]
    assert "loosely" in notes[0]


def test_events_that_name_a_cell_in_four_columns():
    parts = (
        "user,time,mcc,mnc,lac,cell\n"
        "a,2013-01-07 13:00,311,480,9728,9960451\n"
        "b,2013-01-07 14:00,310,260,9728,9960451\n"
    )
    fs, report = read_cdr(io.StringIO(parts), antennas=io.StringIO(OPENCELLID))
    assert report.columns["antenna"] == "mcc + mnc + lac + cell"
    assert fs.n_samples == 2
    assert abs(fs.x_m[0] - fs.x_m[1]) > 8000  # 0.1° of longitude apart, two networks


def test_bad_rows_and_repeated_ids_are_told():
    rows = "A,14.7,-17.4\nB,14.8,-17.3\nA,14.9,-17.2\n,14.1,-17.1\nC,,-17.0\n"
    read = read_antennas(io.StringIO(f"antenna,lat,lon\n{rows}"))
    assert read["antenna"].tolist() == ["A", "B"]
    assert "possible position: 2, the first at row 4." in read.attrs["notes"][0]
    assert "repeat an id: 1 (at another position: 1)." in read.attrs["notes"][1]
    read = read_antennas(io.StringIO("antenna,lat,lon\nA,10.3,123.9\nB,123.8,10.4\n"))
    assert read.attrs["notes"][0].endswith(
        ": 1, the first at row 2. In 1, latitude and longitude seem exchanged."
    )
    with pytest.raises(SchemaError, match="Antenna table: "):
        read_antennas(pd.DataFrame({"antenna": ["A"], "name": ["x"]}))
