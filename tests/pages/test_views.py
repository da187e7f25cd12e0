"""Each view empty, loaded and in its error states."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.model.configs import Screening
from fpanon_core.studies import reading
from fpanon_core.studies.reading import Reading, ReadingEstimate, Source, read
from pages.anonymizability import results
from pages.data import opening
from pages.shell import job_panel, session
from tests.support.views import (
    HEADER,
    deep,
    go,
    hardness,
    has,
    idle,
    measured,
    new_app,
    press,
    rows,
    said,
    until,
    upload,
)

BAD = (HEADER + "a,2024-03-05T00:00:00Z,99.5,200\nb,2024-03-05T01:00:00Z,0,0\n").encode()


OF_DATA = (
    *("anonymizability", "unicity", "disclosure", "aggregates", "tables"),
    *("hiding", "options", "attack", "report", "present"),
)


def test_without_data_a_view_says_so_kindly(app: AppTest) -> None:
    for page in ("data", *OF_DATA):
        go(app, page)
        assert not app.error, page
        assert "No data set is open yet" in said(app), page


def test_one_click_leads_to_everyones_k_gap_and_to_each_person(app: AppTest) -> None:
    hardness(app)
    text, before = said(app), measured(app)
    assert "496 people" in text
    assert "each moved to the nearest antenna" in text  # said wherever the sample is shown
    assert "To look like 9 other people" in text
    # Why people are hard to hide stands under its heading, unfolded, the finding first.
    assert "Why people are hard to hide" in [each.value for each in app.subheader]
    assert not [each for each in app.expander if each.label.startswith("Why")]
    told = [each.value for each in app.markdown]
    at = next(i for i, t in enumerate(told) if t.startswith("Time is more than half of the effort"))
    assert "median temporal share" in told[at + 1]
    assert "Gini coefficient" in told[at + 2]
    # The hardest to hide is looked at first; nobody who is chosen appears in the address.
    assert "99.8% of people are easier" in text  # 495 of 496
    people = next(box for box in app.selectbox if box.label == "Person")
    people.set_value(8).run()  # the number of the pseudonym
    assert "u0008 has" in said(app)
    assert "99.8% of people are easier" not in said(app)
    app.button(key="person_hardest").click().run()
    assert "99.8% of people are easier" in said(app)
    assert "u0" not in str(app.query_params)
    # Results stay while one visits other views.
    go(app, "data")
    account = next(d.value for d in app.dataframe if "What became of the rows" in d.value)
    assert account["Rows"].iloc[0] == "29,317"
    go(app, "anonymizability")
    assert has(app, "anon_get_k_gaps")
    assert before
    assert set(before) <= set(measured(app))
    # A file that cannot be read leaves the open data open.
    upload(app, b"\x00\x01\x02 no table \xff" * 50)
    assert app.error
    assert "San Francisco" in said(app)
    upload(app, rows(users=5, samples=3))
    assert not app.error
    assert "own.csv" in said(app)


def crowds(at: AppTest):
    """The choice of k beside the chart, whatever its key is by now."""
    return next(g for g in at.button_group if g.key.startswith("anon_crowds"))


def test_settings_are_measured_kept_in_the_address_and_undone(app: AppTest) -> None:
    hardness(app)
    until(app, lambda at: idle(at) and len(at.selectbox(key="anon_profile").options) == 6)
    table = next(d.value for d in app.dataframe if "Already k-anonymous (%)" in d.value)
    assert table["Profile"].iloc[0] == "100 m · 1 min"
    assert table["Already k-anonymous (%)"].is_monotonic_increasing
    app.multiselect(key="anon_profiles").set_value([])
    app.button(key="anon_measure").click().run()
    assert "choose between 1 and 8" in app.error[0].value
    app.multiselect(key="anon_ks").set_value([2, 4])
    app.multiselect(key="anon_profiles").set_value(["100 m · 1 min", "10 km · 4 h"])
    press(app, "anon_measure", lambda at: idle(at) and has(at, "anon_get_k_gaps"))
    assert app.query_params["k"] == "2,4"
    assert app.query_params["profiles"] == "100x1,10000x240"
    assert app.selectbox(key="anon_profile").options == ["100 m · 1 min", "10 km · 4 h"]
    app.button(key="anon_undo").click().run()
    assert "k" not in app.query_params
    assert len(app.selectbox(key="anon_profile").options) == 6
    # Every k to 100 comes from one run and is a click away.
    assert crowds(app).options == ["2", "5", "10", "25", "50", "100"]
    until(app, deep)
    assert app.selectbox(key="anon_k").options == ["2", "5", "10", "25", "50", "100"]
    runs = {key: [m.gaps for m in each] for key, each in measured(app).items()}
    crowds(app).set_value([2, 100]).run()
    assert "To look like 99 other people" in said(app)
    assert app.query_params["k"] == "2,100"
    app.selectbox(key="anon_k").set_value(25).run()
    assert crowds(app).value == [2, 25, 100]  # what is looked at is drawn
    assert "not 25-anonymous." in said(app)
    assert not any(job.active for job in app.session_state["fp_jobs"])
    assert {key: [m.gaps for m in each] for key, each in measured(app).items()} == runs
    app.button(key="anon_undo").click().run()
    app.button(key="anon_undo").click().run()
    assert crowds(app).value == [2, 5, 10]
    assert not has(app, "anon_undo")


def test_a_long_run_is_estimated_before_it_starts(app: AppTest, monkeypatch) -> None:
    monkeypatch.setattr(results, "_ALONE_UP_TO_USERS", 10)
    app.button(key="start_sf_cabs").click().run()
    go(app, "anonymizability")
    until(app, lambda at: has(at, "anon_go"))
    until(app, lambda at: "measuring takes about" in said(at))
    assert "6 of 6 profiles are not measured yet; measuring takes about" in said(app)
    assert "for 100 m · 1 min, and at most" in said(app)
    assert not measured(app)
    press(app, "anon_go", "anon_get_k_gaps")


def test_settings_of_the_address_are_used_and_nonsense_in_it_is_not() -> None:
    at = new_app(k="3,7", profiles="nonsense", stretch="0.4,1000,60")
    hardness(at)
    settings = at.session_state["fp_settings"]
    assert settings.ks == (3, 7)
    assert len(settings.profiles) == 6
    assert settings.config.max_space_m == 1000
    assert at.query_params["k"] == "3,7"


def test_one_alone_cannot_hide_and_of_few_people_k_is_cut(app: AppTest) -> None:
    upload(app, rows(users=1, samples=5))
    assert "1 people" not in said(app)
    for page in OF_DATA:
        go(app, page)
        assert "has 1 person, and one person alone cannot hide" in app.error[0].value, page
        assert "at least 2 people" in app.error[0].value
        assert idle(app)
    upload(app, rows(users=2, samples=1), name="two.csv", page="anonymizability")
    until(app, lambda at: idle(at) and has(at, "anon_get_k_gaps"))
    assert "To look like one other person" in said(app)  # two of one sample each can
    assert not app.error
    upload(app, rows(users=4, samples=3), name="four.csv", page="anonymizability")
    until(app, lambda at: idle(at) and has(at, "anon_get_k_gaps"))
    assert app.selectbox(key="anon_k").options == ["2"]  # our own default is cut to the data
    app.multiselect(key="anon_ks").set_value([2, 50])
    press(app, "anon_measure", lambda at: idle(at) and at.error)
    assert len(app.error) == 1  # once, though it stopped every profile
    assert "k = 50" in app.error[0].value
    assert "4 people" in app.error[0].value
    assert not any("_retry_" in b.key for b in app.button)  # it would fail again


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(app: AppTest) -> None:
    no_time = b"user,lat,lon\na,1,2\nb,3,4\n"
    for body in (b"", HEADER.encode(), bytes(range(256)) * 20, no_time, BAD):
        upload(app, body)
        assert "not finished" in app.error[0].value, body[:20]
        assert not re.search("fault in the program|Traceback", said(app))


def test_own_file_is_screened_and_corrected(app: AppTest) -> None:
    body = rows(users=6, samples=4) + b"subscriber-006,2024-03-05T00:00:00+00:00,14.7,-17.4\n"
    upload(app, body + b"subscriber-007,never,14.7,-17.4\n")
    assert "Of 26 rows, 25 were used and 1 was set aside" in said(app)
    app.number_input(key="data_min_samples").set_value(2)
    press(app, "data_screen")
    assert "1 was screened out" in said(app)
    press(app, "data_undo")
    assert "screened out" not in said(app)
    press(app, "data_list_columns", "data_column_user")
    assert app.selectbox(key="data_column_user").options[2:] == ["user", "time", "lat", "lon"]
    app.selectbox(key="data_timezone").set_value("Africa/Dakar")
    press(app, "data_read_again")
    assert "time zone Africa/Dakar." in said(app)
    assert "subscriber-" not in said(app)


def from_folder(at: AppTest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The Data view, where a file of the server's folder is picked."""
    monkeypatch.setenv("FPANON_DATA_DIR", str(folder))
    go(at, "data")
    return at.radio(key="data_way").set_value("Pick from the server's folder").run()


def picked(at: AppTest, name: str) -> AppTest:
    at.selectbox(key="data_folder_file").set_value(name).run()
    at.button(key="data_folder_read").click().run()
    return until(at, idle)


def test_server_folder_is_offered_only_when_named_and_confined(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(app, "data")
    assert len(app.radio(key="data_way").options) == 2
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "own.csv").write_bytes(rows(users=3, samples=2))
    (tmp_path / "secret.csv").write_bytes(rows(users=3, samples=2))
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    from_folder(app, folder, monkeypatch)
    assert app.selectbox(key="data_folder_file").options == ["own.csv"]
    assert "3 people" in said(picked(app, "own.csv"))


def test_what_reading_a_large_file_takes_is_told_before(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and memory; of what was chosen then, and nothing of small files."""
    (tmp_path / "own.csv").write_bytes(rows(users=30, samples=20))
    (tmp_path / "small.csv").write_bytes(rows(users=3, samples=2))
    monkeypatch.setattr(reading, "LARGE_BYTES", 10_000)
    from_folder(app, tmp_path, monkeypatch)
    picker = app.selectbox(key="data_folder_file")
    picker.set_value("own.csv").run()
    until(app, lambda at: "The file has about 600 rows." in said(at))
    assert "About 210 MB of memory is needed" in said(app)
    picker.set_value("small.csv").run()
    assert "The file has about" not in said(app)
    assert "30 people" in said(picked(app, "own.csv"))


def test_what_would_not_fit_says_what_can_be_done_instead() -> None:
    told = ReadingEstimate(None, 30_000_000_000, 12_000_000_000, 123_456_789)
    text = opening.said(told)
    assert text.startswith(
        "The file has about 120,000,000 rows. About 30.0 GB of memory is needed, which is too much"
    )
    assert "`fpanon ingest FOLDER --keep NEW_FOLDER`, and open NEW_FOLDER here." in text
    told = ReadingEstimate(90.0, 30_000_000_000, 12_000_000_000, 123_456_789)
    assert opening.said(told) == text  # how long does not matter of what is not read


def test_a_folder_read_before_is_opened_from_the_servers_folder(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was kept: nothing of how it was read can be changed, and its columns are mapped."""
    folder = tmp_path / "shared"
    (folder / "parts").mkdir(parents=True)
    for part in range(2):
        (folder / "parts" / f"{part}.csv").write_bytes(rows(users=4, samples=3))
    reading = Reading(timezone="Africa/Dakar", screen=Screening(min_samples=2))
    source = Source("parts", file=("parts", folder / "parts"))
    whole, _ = read(source, reading, keep=folder / "kept")
    from_folder(app, folder, monkeypatch)
    picker = app.selectbox(key="data_folder_file")
    assert picker.options == ["kept (folder, already read)", "parts/0.csv", "parts/1.csv"]
    picker.set_value("kept").run()
    assert app.selectbox(key="data_folder_antennas").disabled
    picked(app, "kept")
    fs = app.session_state["fp_dataset"].fs
    assert (fs.digest, fs.folder) == (whole.digest, (folder / "kept").resolve())
    told = said(app)
    assert "4 people" in told
    assert "time zone Africa/Dakar." in told
    assert "read earlier, in parts, and kept" in told
    assert not has(app, "data_screen")
    assert not has(app, "data_list_columns")
    go(app, "anonymizability")
    until(app, lambda at: not app.error and idle(at))


@pytest.mark.processes
def test_a_killed_process_is_told_and_can_be_retried(app: AppTest) -> None:
    app.button(key="start_synthetic").click().run()
    go(app, "anonymizability")
    until(app, lambda at: any(j.kind == "measure" for j in at.session_state["fp_jobs"]))
    job = app.session_state["fp_jobs"][0]
    until(app, lambda _: job.status == "running")
    os.kill(job.process_id, signal.SIGKILL)
    until(app, lambda at: at.error)
    assert "ended without a result (signal 9)" in app.error[0].value
    assert "Invented data" in said(app)
    assert "as soon as" not in said(app)
    app.button(key=f"anon_jobs_retry_{job.number}").click().run()
    assert not app.error
    until(app, lambda at: has(at, "anon_get_k_gaps"))


@pytest.mark.processes
def test_a_job_that_ends_while_the_page_is_drawn_is_taken_over_at_once(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect = job_panel.collect

    def collect_too_early() -> None:
        collect()
        for job in session.jobs("read"):
            while job.active:
                time.sleep(0.01)

    app.button(key="start_sf_cabs").click()
    monkeypatch.setattr(job_panel, "collect", collect_too_early)
    app.run()
    assert not [job for job in app.session_state["fp_jobs"] if job.kind == "read"]
    assert "496 people" in said(app)


@pytest.mark.processes
def test_cancel_stops_and_does_not_start_again_by_itself(app: AppTest) -> None:
    app.button(key="start_synthetic").click().run()
    go(app, "anonymizability")
    until(app, lambda at: has(at, "anon_jobs_cancel"))
    app.button(key="anon_jobs_cancel").click().run()
    for _ in range(3):
        app.run()
        assert idle(app)
    app.button(key="anon_go").click().run()
    assert not idle(app)


@pytest.mark.processes
def test_two_sessions_see_nothing_of_each_other(app: AppTest) -> None:
    other = new_app()
    hardness(app)
    assert "No data set is open" in said(go(other, "anonymizability"))
    upload(other, rows(users=5, samples=3))
    assert "San Francisco" not in said(go(other, "anonymizability"))
    assert "own.csv" not in said(app.run())
