"""The Data view: doubtful positions asked about, first rows shown, rows and samples reconciled."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.studies.reading import Source
from pages.charts.maps import legend_counts
from pages.shell import dataset
from tests.support.snapshots import check_snapshot
from tests.support.views import HEADER, go, has, page_lines, press, rows, said, upload


def people(*lines: str) -> bytes:
    return (HEADER + "".join(f"{line}\n" for line in lines)).encode()


def new_yorkers(swap: bool = False, sign: float = 1.0) -> bytes:
    """Six people of New York, four samples each; the numbers in another order, or of another sign.

    Offsets of -04:00 are in the times.
    """
    places = [
        (user, hour, f"{40.7 + user / 100:.4f}", f"{sign * (-73.95 - hour / 100):.4f}")
        for user in range(6)
        for hour in range(4)
    ]
    return people(
        *(
            f"subscriber-{user:03d},2024-07-05T{hour:02d}:00:00-04:00,"
            + (f"{lon},{lat}" if swap else f"{lat},{lon}")
            for user, hour, lat, lon in places
        )
    )


def answers(app: AppTest) -> list[str]:
    """The answers that are offered, the first one first."""
    keys = [b.key for b in app.button if b.key and b.key.startswith("data_read_")]
    return [key for key in keys if key != "data_read_again"]


def test_exchanged_positions_are_asked_about_and_one_click_puts_them_right(app: AppTest) -> None:
    """Nothing is measured before the answer, and what was open stays open."""
    upload(app, new_yorkers())
    right = app.session_state["fp_dataset"].digest
    assert not answers(app)
    upload(app, new_yorkers(swap=True))
    assert app.button(key="data_read_exchanged").proto.type == "primary"
    for page in ("anonymizability", "unicity", "hiding"):
        go(app, page)
        assert "is not measured yet: its positions are doubtful" in said(app)
        assert "To look like" not in said(app)
        assert not app.dataframe
    assert app.session_state["fp_dataset"].digest == right  # nothing took its place yet
    go(app, "data").button(key="data_leave").click().run()
    assert app.session_state["fp_dataset"].digest == right
    assert not answers(app)
    upload(app, new_yorkers(swap=True))
    press(app, "data_read_exchanged")
    assert app.session_state["fp_dataset"].digest == right
    assert "time zone America/New_York" in said(app)
    assert not answers(app)
    # To use them as they are is an answer too: a setting like the others, and can be taken back.
    upload(app, new_yorkers(sign=-1.0))
    press(app, "data_read_as-they-are")
    assert "time zone Asia/Bishkek" in said(app)
    assert "Chosen reading of the positions: used as they are." in said(app)
    press(app, "data_list_columns", "data_positions")
    assert app.selectbox(key="data_positions").value == "as-they-are"


DAYS = [f"2024-03-0{d} 0{h}:00:00,14.7,-17.4,60\n" for d in (1, 2) for h in range(4)]
SMALL = rows(users=3, samples=2)
FIRST = SMALL.split(b"\n")[1]
FILES = {
    "Exchanged": new_yorkers(swap=True),
    "Of another sign": new_yorkers(sign=-1.0),
    "In the sea": rows(users=3, samples=4).replace(b"-17.4", b"-35.4"),
    # Both answers name a time zone, which tells the officer of Zadar that no row is wrong.
    "Far from towns": rows(9, 6).replace(b",14.7", b",44.1").replace(b",-17.4", b",15.2"),
    "A column that is not used": SMALL.replace(b"user,", b"secret,user,").replace(
        b"subscriber", b"0049-170,subscriber"
    ),
    "Antennas beside degrees": b"user,time,lat,lon,antenna_id,note\n"
    + b"".join(
        f"{u},2024-07-05T0{h}:00:00Z,40.7,-73.9{u},a{u},x\n".encode()
        for u in range(3)
        for h in range(3)
    ),
    "Without names": SMALL.split(b"\n", 1)[1],
    # One row again, and one more in its minute.
    "Two rows of a sample": SMALL + FIRST + b"\n" + FIRST.replace(b":00:00+", b":00:20+") + b"\n",
    "Without people": ("time,lat,lon,tz_offset\n" + "".join(DAYS)).encode(),
}


def test_what_a_file_says_of_itself_is_that_of_the_snapshot(app: AppTest) -> None:
    """Its account, its doubts and the answers to them, its columns and first rows; nobody's id."""
    told = {}
    for name, body in FILES.items():
        upload(app, body)
        tables = [each.value.to_csv(index=False, sep="|") for each in app.dataframe]
        asked = [f"{key}: {app.button(key=key).proto.type}" for key in answers(app)]
        told[name] = [*page_lines(app), *asked, *tables]
        assert not re.search("subscriber|0049", "\n".join([*told[name], said(app)]))
        if name == "A column that is not used":
            assert "1 further column (secret) is neither used nor" in said(app)
        if name == "Antennas beside degrees":
            assert "not shown here: antenna\\_id." in said(app)
    check_snapshot("data_files", told)


def test_a_stated_centre_is_taken_and_no_other_text(app: AppTest) -> None:
    upload(app, rows(users=9, samples=12))
    if has(app, "data_list_columns"):
        press(app, "data_list_columns", "data_timezone")
    for wrong in ("14.7", "91, 0"):
        app.text_input(key="data_centre").set_value(wrong)
        app.button(key="data_read_again").click().run()
        assert "centre" in app.error[0].value.lower()
    app.text_input(key="data_centre").set_value("14.675, -17.4")
    press(app, "data_read_again")
    assert app.session_state["fp_dataset"].report.centre_stated


def test_columns_can_be_named_and_the_whole_file_may_be_one_persons(app: AppTest) -> None:
    upload(app, FILES["Without names"])
    press(app, "data_list_columns", "data_column_user")
    assert app.selectbox(key="data_column_user").options[2] == "column 1"
    upload(app, FILES["Without people"])
    assert "or that the whole file is one person's" in app.error[0].value
    press(app, "data_list_columns", "data_column_user")
    app.selectbox(key="data_column_user").set_value("(the whole file is one person's)")
    app.selectbox(key="data_naive_timezone").set_value("offset")
    press(app, "data_read_again")
    # Its own offsets say an hour ahead of Dakar's: weak, yet asked.
    if answers(app):
        press(app, "data_read_as-they-are")
    assert app.metric[0].value == "1"
    assert "The times run from 2024-02-29 23:00 to 2024-03-02 02:00" in said(app)


def test_a_machine_is_named_before_the_release_and_left_out_on_request(app: AppTest) -> None:
    alarm = "".join(
        f"subscriber-x,2024-03-{day:02d}T{hour:02d}:00:00+00:00,14.7,-17.4\n"
        for day in range(5, 10)
        for hour in range(24)
    )
    upload(app, rows(users=20, samples=2) + alarm.encode())
    told = "1 of 21 ids made 75.0% of all samples, day and night alike"
    assert any(told in each.value and "u0021. Each" in each.value for each in app.warning)
    app.checkbox(key="data_people").check()
    press(app, "data_screen")
    assert app.session_state["fp_dataset"].fs.n_users == 20
    assert told not in said(app)


def test_an_antenna_with_exchanged_degrees_is_named(app: AppTest) -> None:
    """Its id and the remedy; what to do is possible, and the list of ways to open is closed."""
    sites = "antenna,lat,lon\n" + "".join(f"K*{i},-1.{i},30.{i}\n" for i in range(9))
    events = "user,time,antenna\n" + "".join(
        f"u{i % 40},2024-03-05T{i % 24:02d}:00:00Z,K*{i % 9 if i % 50 else 10}\n"
        for i in range(400)
    )
    upload(app, rows(users=3, samples=2))
    for far, told in (("30.1,-1.5", True), ("60,10", False)):
        app.session_state["data_open"] = True
        antennas = f"{sites}K*10,{far}\n".encode()
        app.file_uploader(key="data_antennas").upload("sites.csv", antennas).run()
        upload(app, events.encode())
        (warning,) = (each.value for each in app.warning)
        assert r"; antenna K\*10), with 2" in warning
        remedy = "With latitude and longitude exchanged, it would be 35 km from the middle."
        assert (remedy in warning) == told
        assert warning.endswith("synthetic people are wrong, too.")
        assert "correct the file and open it again" in warning
        assert not app.session_state["data_open"]


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
    for name in ("cancel_all", "work"):
        monkeypatch.setattr(dataset.session, name, SimpleNamespace)
    monkeypatch.setattr(dataset, "leave", lambda: None)
    monkeypatch.setattr(dataset.session, "start", lambda *_, **named: asked.update(named))
    dataset.open_source(Source("events", antennas=("a", b""), file=("events.csv", body)))
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
    press(app, "data_read")
    assert "no property 'name'; they have: 'code', 'nom'" in said(app)
    app.text_input(key="data_region_name").set_value("nom").run()
    press(app, "data_read")
    fs = app.session_state["fp_dataset"].fs
    assert fs.antennas.column("region").tolist() == ["W", "E", ""]
    assert "1 of 3 antennas stands in no region" in said(app)
    go(app, "tables")
    assert "regions by “region”" in app.selectbox(key="tables_areas").options


def test_antennas_alone_are_not_read_and_the_page_says_what_is_missing(app: AppTest) -> None:
    go(app, "data")
    wait = "Choose the table of events again, even if its name is shown above"
    assert wait not in said(app)
    app.file_uploader(key="data_antennas").upload("a.csv", b"antenna,lat,lon\na,1,2\n").run()
    assert wait in said(app)
    assert app.button(key="data_read").disabled
    app.file_uploader(key="data_file").upload("e.csv", b"user,time,antenna\n").run()
    assert wait not in said(app)
    assert not app.button(key="data_read").disabled


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
    press(app, "data_folder_read")
    assert app.session_state["fp_dataset"].fs.antennas.column("region").tolist() == ["W"]
