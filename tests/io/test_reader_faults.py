"""Faults that readers once let through as other exceptions than ours; each was found in a file."""

import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fpanon_core.io.antennas import read_antennas
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.publishing import read_published
from fpanon_core.model.errors import SchemaError, Unforeseen
from fpanon_core.tables.times import parse_times

FAR = 2**62


def parquet(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return io.BytesIO(out.getvalue())


def times(values, unit="us", zone=None):
    return pa.array(np.array(values, np.int64)).view(pa.timestamp(unit, zone))


EVENTS = {"user": ["a", "a", "b"], "lat": [14.7, 14.8, 14.9], "lon": [-17.4, -17.3, -17.2]}
NOW = 1_709_546_400 * 10**6


@pytest.mark.parametrize("zone", [None, "UTC", "Nowhere/City"])
def test_any_zone_and_any_time_may_be_in_a_column(zone):
    """A zone that nobody knows is read as the instants it holds."""
    fs, report = read_cdr(
        parquet(time=times([NOW, NOW + 10**9, NOW], zone="Nowhere/City"), **EVENTS)
    )
    assert (fs.n_users, report.rows_used) == (2, 3)
    places = {name: EVENTS[name][:2] for name in ("lat", "lon")}
    since = times([0, FAR], zone=zone)
    found = read_antennas(parquet(antenna=["A", "B"], since=since, **places))
    assert found["antenna"].tolist() == ["A", "B"]
    text = "user,time,lat,lon\na,-99999999999,14.7,-17.4\na,1709546400,14.7,-17.4\n"
    assert read_cdr(io.StringIO(text))[1].set_aside == {"unparseable time": 1}  # before the year 1


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_beyond_the_calendar_are_none_and_do_not_run_over_into_another_year(unit):
    far = FAR if unit != "ns" else -(2**63)  # nanoseconds reach from 1677 to 2262
    parsed = parse_times(pa.chunked_array([times([0, far], unit)]))
    assert parsed.ok.tolist() == [True, unit == "ns"]
    assert parsed.us[0] == 0
    assert parsed.us[1] == (-(2**63) // 1000 if unit == "ns" else 0)


def test_a_zip_entry_without_a_name_is_passed_over_or_read():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = ""
        archive.writestr(entry, b"antenna,lat,lon\nA,14.7,-17.4\nB,14.8,-17.3\n")
    assert len(read_antennas(io.BytesIO(out.getvalue()))) == 2


CELLS = "pseudonym,x_min_m,x_max_m,y_min_m,y_max_m,start,end"
GOOD = f"{CELLS}\nAAAA,0,1,0,1,0,5\n"


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace("end\n", "end,end\n").replace(",5\n", ",5,5\n").encode(),
        GOOD.replace("pseudonym", "pseud\xe9nym").encode("latin-1"),
        GOOD.replace("AAAA", "\xe9").encode("latin-1"),
        GOOD.replace(",0,5", ",10000-01-01T00:00:00Z,20000-01-01T00:00:00Z").encode(),
        GOOD.encode("utf-16"),
    ],
    ids=["a column twice", "a head in Latin-1", "a name in Latin-1", "year 10000", "UTF-16"],
)
def test_a_release_that_is_none_is_refused(content, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(SchemaError) as caught:
        read_published(path)
    assert not isinstance(caught.value, Unforeseen)
    # Times without their zone are not taken for minutes.
    frame = pd.read_csv(io.StringIO(GOOD)).assign(start=pd.Timestamp("2024-03-04"))
    frame.to_parquet(tmp_path / "data.parquet")
    with pytest.raises(SchemaError, match="in the file is not valid"):
        read_published(tmp_path / "data.parquet")
    with pytest.raises(SchemaError, match="does not exist"):
        read_published(f"{tmp_path}/a\0b.csv")
