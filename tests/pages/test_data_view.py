"""The Data view: doubtful positions asked about, first rows shown, rows and samples reconciled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.studies.reading import Source
from pages.charts.maps import legend_counts
from pages.shell import dataset
from tests.support.views import HEADER, go, has, idle, opened, rows, said, until, upload


def new_yorkers(swap: bool = False, sign: float = 1.0) -> bytes:
    """Six people of New York, four samples each; the numbers in another order, or of another sign.

    Offsets of -04:00 are in the times.
    """
    lines = []
    for user in range(6):
        for hour in range(4):
            lat, lon = f"{40.7 + user / 100:.4f}", f"{sign * (-73.95 - hour / 100):.4f}"
            first, second = (lon, lat) if swap else (lat, lon)
            lines.append(
                f"subscriber-{user:03d},2024-07-05T{hour:02d}:00:00-04:00,{first},{second}"
            )
    return (HEADER + "\n".join(lines) + "\n").encode()


def answers(app: AppTest) -> list[str]:
    """The answers that are offered, the first one first."""
    keys = [b.key for b in app.button if b.key and b.key.startswith("data_read_")]
    return [key for key in keys if key != "data_read_again"]


def test_exchanged_positions_are_asked_about_and_one_click_puts_them_right(app: AppTest) -> None:
    upload(app, new_yorkers())
    right = app.session_state["fp_dataset"].digest
    assert not answers(app)
    upload(app, new_yorkers(swap=True))
    text = said(app)
    assert "Are these the right places?" in text
    assert "All positions lie in or around Antarctica" in text
    assert "The file's own times are −04:00 from UTC" in text
    assert "The positions then lie on land, near New York, where clocks show −04:00" in text
    assert "subscriber-" not in text
    assert answers(app) == ["data_read_exchanged", "data_read_as-they-are"]
    assert app.button(key="data_read_exchanged").proto.type == "primary"
    assert app.session_state["fp_dataset"].digest == right  # nothing took its place yet
    app.button(key="data_read_exchanged").click().run()
    until(app, idle).run()
    assert app.session_state["fp_dataset"].digest == right
    assert "America/New_York time" in said(app)
    assert "Exchange latitude and longitude, as was chosen" in said(app).replace(
        "Positions: exchange", "Exchange"
    )
    assert not answers(app)


def test_nothing_is_measured_before_the_answer(app: AppTest) -> None:
    opened(app)
    upload(app, new_yorkers(swap=True))
    for page in ("anonymizability", "unicity", "hiding"):
        go(app, page)
        assert "is not measured yet: its positions are doubtful" in said(app)
        assert "To look like" not in said(app)
        assert not app.dataframe
    go(app, "data")
    app.button(key="data_leave").click().run()
    assert "San Francisco" in app.session_state["fp_dataset"].source.label
    assert not answers(app)


def test_use_as_they_are_is_an_answer_too(app: AppTest) -> None:
    upload(app, new_yorkers(sign=-1.0))
    assert "clocks at these positions show +06:00" in said(app)
    assert answers(app)[0] == "data_read_lon-turned"
    app.button(key="data_read_as-they-are").click().run()
    until(app, idle).run()
    assert "Asia/Bishkek time" in said(app)
    assert "used as they are, as was chosen" in said(app)
    # How it was answered is a setting like the others, and can be taken back.
    app.button(key="data_list_columns").click().run()
    until(app, lambda at: has(at, "data_positions"))
    assert app.selectbox(key="data_positions").value == "as-they-are"


def test_doubt_without_a_way_out_points_to_the_columns(app: AppTest) -> None:
    upload(app, rows(users=3, samples=4).replace(b"-17.4", b"-35.4"))
    assert "All positions lie in the sea" in said(app)
    assert "Perhaps other columns hold the positions" in said(app)
    assert answers(app) == ["data_read_as-they-are"]
    assert has(app, "data_list_columns")


def test_first_rows_stand_beside_the_columns_found(app: AppTest) -> None:
    body = (
        rows(users=3, samples=2)
        .replace(b"user,", b"secret,user,")
        .replace(b"subscriber", b"0049-170,subscriber")
    )
    upload(app, body)
    head = next(d.value for d in app.dataframe if "Local time" in d.value)
    assert head.columns.tolist() == [
        "Row",
        "What became of it",
        "Person (user)",
        "Time (time), as written",
        "Local time",
        "Latitude (lat)",
        "Longitude (lon)",
    ]
    assert head["Person (user)"].tolist() == ["u0001", "u0001", "u0002", "u0002", "u0003"]
    assert head["Row"].tolist() == [2, 3, 4, 5, 6]
    for frame in app.dataframe:
        assert "subscriber" not in frame.value.to_csv()
        assert "0049" not in frame.value.to_csv()
    assert "1 further column (secret) is neither used nor shown" in said(app)


def test_a_column_that_was_understood_is_not_called_unused(app: AppTest) -> None:
    """The antenna of events that have degrees of their own: in the table of roles, in no row."""
    lines = [f"{u},2024-07-05T0{h}:00:00Z,40.7,-73.9{u},a{u},x" for u in range(3) for h in range(3)]
    upload(app, ("user,time,lat,lon,antenna_id,note\n" + "\n".join(lines) + "\n").encode())
    text = said(app)
    assert "Used (see above), but not shown here: antenna\\_id." in text
    assert "1 further column (note) is neither used nor shown." in text


def test_columns_without_names_are_counted_from_one(app: AppTest) -> None:
    upload(app, rows(users=3, samples=2).split(b"\n", 1)[1])
    found = next(d.value for d in app.dataframe if "Role" in d.value)
    assert found["Column"].tolist() == ["column 1", "column 2", "column 3", "column 4"]
    assert "Column 1 is taken for the user" not in said(app) or "Column 0" not in said(app)
    app.button(key="data_list_columns").click().run()
    until(app, lambda at: has(at, "data_column_user"))
    assert app.selectbox(key="data_column_user").options[2] == "column 1"


def test_rows_and_samples_are_reconciled(app: AppTest) -> None:
    body = rows(users=2, samples=2)
    first = body.split(b"\n")[1]
    upload(app, body + first + b"\n" + first.replace(b":00:00+", b":00:20+") + b"\n")
    text = said(app)
    assert "None of 6 rows was set aside." in text
    assert (
        "6 rows became 4 samples: 4 were the first of their person in their place and minute. 2 "
        "more fell into one of those samples and raised its count, 1 of them equal to an "
        "earlier row in every field."
    ) in text
    assert "counts as an event of its own" in text
    account = next(d.value for d in app.dataframe if "What became of the rows" in d.value)
    assert account["Rows"].tolist() == ["6", "4", "2"]


def test_the_whole_file_may_be_one_users_and_clocks_of_the_offset_column(app: AppTest) -> None:
    lines = [f"2024-03-0{d} 0{h}:00:00,14.7,-17.4,60" for d in (1, 2) for h in range(4)]
    upload(app, ("time,lat,lon,tz_offset\n" + "\n".join(lines) + "\n").encode())
    assert "or that the whole file is one person's" in app.error[0].value
    app.button(key="data_list_columns").click().run()
    until(app, lambda at: has(at, "data_column_user"))
    app.selectbox(key="data_column_user").set_value("(the whole file is one person's)")
    app.selectbox(key="data_naive_timezone").set_value("offset")
    app.button(key="data_read_again").click().run()
    until(app, idle).run()
    # its own offsets say an hour ahead of Dakar's: weak, yet asked
    if answers(app):
        app.button(key="data_read_as-they-are").click().run()
        until(app, idle).run()
    assert app.metric[0].value == "1"
    assert "The times run from 2024-02-29 23:00 to 2024-03-02 02:00" in said(app)


EVENTS = [
    {"user": f"s{i % 3}", "time": f"2024-03-05T0{i}:00Z", "lat": 14.7, "lon": -17.4}
    for i in range(6)
]
FEATURES = [
    {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [each["lon"], each["lat"]]},
        "properties": {name: each[name] for name in ("user", "time")},
    }
    for each in EVENTS
]


def test_json_that_is_a_table_is_opened_and_other_refused_by_its_name(app: AppTest) -> None:
    for name, body in (
        ("own.json", json.dumps(EVENTS)),
        ("own.jsonl", "\n".join(map(json.dumps, EVENTS))),
        ("own.geojson", json.dumps({"type": "FeatureCollection", "features": FEATURES})),
    ):
        upload(app, body.encode(), name)
        opened_now = app.session_state["fp_dataset"]
        assert (opened_now.source.label, opened_now.fs.n_users) == (name, 3)
        assert not app.error
    upload(app, b'{"locations": [{"latitudeE7": 1}]}', "own.json")
    assert "The file is JSON, but not a table" in app.error[0].value


def test_the_maps_legend_counts_up_to_its_largest_dot() -> None:
    for most in (1, 2, 9, 10, 11, 150, 99_999, 123_456_789):
        counts = legend_counts(most)
        assert counts[-1] == most
        assert counts == sorted(set(counts))
        assert counts[0] == 1
        assert len(counts) <= 5


@pytest.mark.parametrize(("body", "seconds"), [(b"", 180.0), (Path("events.csv"), 600.0)])
def test_reading_has_an_end(monkeypatch, body, seconds):
    """An upload is 500 MB at most; a file of the server's folder may be 4 GB."""
    asked = {}
    for name in ("cancel_all", "source_held"):
        monkeypatch.setattr(dataset.session, name, lambda *_: None)
    monkeypatch.setattr(dataset, "leave", lambda: None)
    monkeypatch.setattr(dataset.session, "start", lambda *_, **named: asked.update(named))
    dataset._open(Source("events", antennas=("a", b""), file=("events.csv", body)))
    assert asked["at_most_s"] == seconds


def districts(*names: str) -> bytes:
    """A square around each degree of longitude, named by its property ``nom``."""
    features = [
        {
            "type": "Feature",
            "properties": {"code": 7, "nom": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, 14], [x + 1, 14], [x + 1, 15], [x, 15], [x, 14]]],
            },
        }
        for x, name in enumerate(names)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def test_antennas_get_the_districts_of_a_file_and_tables_are_made_by_them(app: AppTest) -> None:
    """A file that is none is told, and leaves what was open; a property may be named."""
    antennas = b"antenna,lat,lon\na,14.5,0.5\nb,14.5,1.5\nc,14.5,9.5\n"
    events = "\n".join(
        ["user,time,antenna", *(f"u{i},2024-03-05T0{i}:00:00Z,{'abc'[i % 3]}" for i in range(6))]
    )
    go(app, "data")
    app.file_uploader(key="data_file").upload("events.csv", events.encode()).run()
    assert not has(app, "data_regions")
    app.file_uploader(key="data_antennas").upload("antennas.csv", antennas).run()
    app.file_uploader(key="data_regions").upload("d.geojson", districts("W", "E")).run()
    app.text_input(key="data_region_name").set_value("name").run()
    app.button(key="data_read").click().run()
    until(app, idle).run()
    assert "no property 'name'; they have: 'code', 'nom'" in said(app)
    app.text_input(key="data_region_name").set_value("nom").run()
    app.button(key="data_read").click().run()
    until(app, idle).run()
    fs = app.session_state["fp_dataset"].fs
    assert fs.antennas.column("region").tolist() == ["W", "E", ""]
    assert "1 of 3 antennas stands in no region" in said(app)
    go(app, "tables")
    assert "regions by “region”" in app.selectbox(key="tables_areas").options


def test_districts_are_picked_from_the_servers_folder(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "events.csv").write_text("user,time,antenna\nu,2024-03-05T01:00:00Z,a\n")
    (tmp_path / "antennas.csv").write_text("antenna,lat,lon\na,14.5,0.5\n")
    (tmp_path / "d.geojson").write_bytes(districts("W"))
    monkeypatch.setenv("FPANON_DATA_DIR", str(tmp_path))
    go(app, "data")
    app.radio(key="data_way").set_value("Pick from the server's folder").run()
    app.selectbox(key="data_folder_file").set_value("events.csv").run()
    assert not has(app, "data_folder_regions")
    app.selectbox(key="data_folder_antennas").set_value("antennas.csv").run()
    picker = app.selectbox(key="data_folder_regions")
    assert picker.options == ["d.geojson"]
    picker.set_value("d.geojson").run()
    app.button(key="data_folder_read").click().run()
    until(app, idle).run()
    assert app.session_state["fp_dataset"].fs.antennas.column("region").tolist() == ["W"]


def test_no_answer_is_the_next_step_where_only_towns_are_far(app: AppTest) -> None:
    """Both answers name a time zone, which tells the officer of Zadar that no row is wrong."""
    zadar = rows(users=9, samples=6).replace(b",14.7", b",44.1").replace(b",-17.4", b",15.2")
    upload(app, zadar)
    text = said(app)
    assert "the time zone is Europe/Zagreb" in text
    assert "near Sanaa (time zone Asia/Aden)" in text
    assert {app.button(key=key).proto.type for key in answers(app)} == {"secondary"}
