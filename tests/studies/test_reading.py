"""How a data set is opened: a doubt instead of data, and the columns of what cannot be read yet."""

import pytest

from fpanon_core.io.doubts import DoubtfulPositions
from fpanon_core.io.report import PositionDoubt
from fpanon_core.studies.reading import Reading, Source, peek, read, read_or_ask

HOURS = [f"2012-07-01T{hour:02d}:00Z" for hour in range(10)]


def source(lat, lon):
    lines = [f"u{i % 3},{time},{lat},{lon}{i}" for i, time in enumerate(HOURS)]
    body = "\n".join(["user,time,lat,lon", *lines, ""]).encode()
    return Source("own.csv", file=("own.csv", body))


def test_a_strong_doubt_is_asked_by_both():
    exchanged = source(-73.97, 40.7)
    with pytest.raises(DoubtfulPositions, match="Antarctica"):
        read(exchanged, Reading())
    doubt = read_or_ask(exchanged, Reading())
    assert isinstance(doubt, PositionDoubt)
    assert doubt.strong
    for how in (doubt.readings[0].positions, "as-they-are"):
        fs, report = read_or_ask(exchanged, Reading(positions=how))
        assert (report.positions, report.doubts) == (how, ())
        assert fs.digest == read(exchanged, Reading(positions=how))[0].digest


def test_a_weak_one_by_the_dashboard_alone():
    ships = source(-5.1, -20.0)
    fs, report = read(ships, Reading())
    assert [doubt.strong for doubt in report.doubts] == [False]
    assert fs.n_users == 3
    assert isinstance(read_or_ask(ships, Reading()), PositionDoubt)


def test_a_name_that_occurs_twice_is_listed_by_its_places():
    body = b"user,time,lat,lon,time\na,2012-07-01,1.5,2.5,x\nb,2012-07-01,1.5,2.5,x\n"
    listed = peek(Source("a", file=("a.csv", body)), progress=lambda _: None)
    assert listed == ["user", 1, "lat", "lon", 4]
