"""Choice of what to open: a sample data set, an uploaded file, or data in the server's folder.

The module also estimates the cost of reading a large file, and loads roads or districts to draw
under every map.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.geojson import MAX_BYTES, MAX_POSITIONS
from fpanon_core.io.samples import SAMPLES
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import reading
from fpanon_core.studies.estimates import describe_need
from fpanon_core.studies.reading import Source
from fpanon_core.tables.folder import data_files, file_in, kept_folders, kept_in
from pages.charts.plain import plain
from pages.charts.words import count
from pages.shell import dataset, figure, job_panel, layout, questions, session
from pages.shell.guard import act
from pages.shell.questions import Kind, Question

FOLDER_VARIABLE = "FPANON_DATA_DIR"
WEIGHED = Kind("weigh", reading.estimate_reading, page=None, identity=lambda source: source.file)
TYPES = ["csv", "tsv", "txt", "gz", "zip", "parquet", "xlsx", "json", "jsonl", "ndjson", "geojson"]


def show() -> None:
    """Draw the ways to open data."""
    folder = os.environ.get(FOLDER_VARIABLE)
    ways = ["Upload a file", *(["Pick from the server's folder"] if folder else []), "A sample"]
    way = st.radio("Open", ways, horizontal=True, key="data_way", persist_state="session")
    if way == ways[0]:
        _upload()
    elif way == ways[-1]:
        _samples()
    elif folder:
        _from_folder(Path(folder))


def _upload() -> None:
    limit = int(st.get_option("server.maxUploadSize"))
    file = st.file_uploader(
        f"Events: person, time, position or antenna (up to {limit} MB)",
        type=TYPES,
        key="data_file",
        help="CSV, TSV or other separated text, gzip, a zip with one table, Parquet, Excel, or "
        "JSON that is a table (records, one record a line, GeoJSON points). The file stays in "
        "the memory of the computer that runs this dashboard and is not written anywhere. For "
        f"larger files, ask the server's operator to name a folder in {FOLDER_VARIABLE}.",
    )
    antennas = st.file_uploader(
        "Antennas, if the events name them (optional)",
        type=TYPES,
        key="data_antennas",
        help="A table with an antenna's id, latitude and longitude in each row.",
    )
    regions, named_by = _regions(antennas is not None)
    st.caption(session.describe_kept())
    line = st.container(horizontal=True, vertical_alignment="center")
    wanted = line.button("Read", key="data_read", type="primary", disabled=file is None)
    if file is None and (antennas is not None or dataset.current() is not None):
        line.caption(_AGAIN)
    if wanted and file:
        dataset.open_file(
            Source(
                file.name,
                file=(file.name, file.getvalue()),
                antennas=(antennas.name, antennas.getvalue()) if antennas else None,
                regions=(regions.name, regions.getvalue()) if regions else None,
                region_name=named_by,
            )
        )
        session.uploads_read([each for each in (file, antennas, regions) if each is not None])
        st.rerun()


_AGAIN = "Choose the table of events again, even if its name is shown above: no upload is kept."
_AREAS = "Districts or other named areas (GeoJSON, optional)"
_ABOUT_AREAS = (
    "Choose public polygons, in degrees. Each antenna is assigned to the area in which it stands. "
    "Data and tables can then be published by area."
)


def _regions(has_antennas: bool) -> tuple[Any, str | None]:
    """Draw fields for the antennas' areas; return the file, and the property with their names."""
    if not has_antennas:
        return None, None
    left, right = st.columns([3, 2], gap="large")
    regions = left.file_uploader(
        _AREAS, type=["geojson", "json"], key="data_regions", help=_ABOUT_AREAS
    )
    return regions, _named_by(right, "data_region_name") if regions else None


def _named_by(at: DeltaGenerator, key: str) -> str | None:
    label = "Property that names the areas (optional)"
    return at.text_input(label, key=key, placeholder="detected").strip() or None


def _from_folder(folder: Path) -> None:
    files, kept = data_files(folder), kept_folders(folder)
    if not files and not kept:
        st.info("The server's data folder holds no file that can be read.")
        return
    left, right = st.columns([3, 2], gap="large")
    name = left.selectbox(
        "Events",
        [*kept, *files],
        index=None,
        key="data_folder_file",
        format_func=lambda one: f"{one} (folder, already read)" if one in kept else one,
        help="Choose a file, or a folder in which `fpanon ingest --keep` has kept what it read.",
    )
    antennas = right.selectbox(
        "Antennas (optional)", files, index=None, key="data_folder_antennas", disabled=name in kept
    )
    regions = named_by = None
    if antennas and name not in kept:
        left, right = st.columns([3, 2], gap="large")
        polygons = [each for each in files if each.lower().endswith("json")]
        how: dict[str, Any] = {"key": "data_folder_regions", "help": _ABOUT_AREAS}
        regions = left.selectbox(_AREAS, polygons, index=None, **how)
        named_by = _named_by(right, "data_folder_region_name") if regions else None
    source = None
    if name:
        try:
            if name in kept:
                source = Source(name, file=(name, kept_in(folder, name)))
            else:
                source = Source(
                    name,
                    file=(name, file_in(folder, name)),
                    antennas=(antennas, file_in(folder, antennas)) if antennas else None,
                    regions=(regions, file_in(folder, regions)) if regions else None,
                    region_name=named_by,
                )
        except FpanonError as error:
            layout.say(error)
            return
    if st.button("Read", key="data_folder_read", type="primary", disabled=name is None) and source:
        dataset.open_file(source)
        st.rerun()
    if source is not None:
        _foretell(source)


def _samples() -> None:
    for sample in SAMPLES:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(plain(sample.title), key=f"data_sample_{sample.key}"):
                dataset.open_sample(sample.key)
                st.rerun()
            if sample.synthetic:
                st.badge("Invented data, no real people", icon=":material/science:", color="orange")


# --- what reading it will take ---


def _foretell(source: Source) -> None:
    """Draw the estimated number of rows, and the memory to read the source.

    Draw nothing for small data, or for data that were read and kept before.
    """
    try:
        if not reading.is_large(source):
            return
    except FpanonError:
        return  # the file is gone; reading it will say so
    question = Question(WEIGHED, None, source, "Estimating")
    questions.ask(question)
    if (told := questions.answer(question)) is not None:
        st.caption(said(told))
    for job in questions.jobs_of(question):
        if job.active:
            job_panel.quiet(job, "Estimating the memory from the first rows …")


def said(told: reading.ReadingEstimate) -> str:
    """Describe a file's estimated number of rows, and the memory needed to read it."""
    parts = []
    if told.rows is not None:
        parts.append(f"The file has about {told.rows_rounded:,} rows.")
    if told.needs_bytes is not None:
        parts.append(describe_need(told.needs_bytes, told.limit_bytes))
    if not told.fits:
        parts.append(
            "To have the file read piece by piece, put it into a folder of its own, as Parquet "
            "or cut into smaller files. Run `fpanon ingest FOLDER --keep NEW_FOLDER`, and open "
            "NEW_FOLDER here."
        )
    return " ".join(parts)


# --- lines under the maps ---


def background() -> None:
    """Draw the field to upload lines that lie under the maps, and a button to remove the lines."""
    with st.expander("Roads or districts of your own under the maps", key="data_background"):
        st.caption(
            "No map is fetched from anywhere, so the background shows only coasts, borders and "
            "towns. Your own lines are drawn under every map of this session; no figure depends on "
            "them. fpanon keeps only the shapes in your file, not names or any other properties."
        )
        file = st.file_uploader(
            f"GeoJSON, in degrees, up to {MAX_BYTES >> 20} MB and {MAX_POSITIONS:,} positions",
            type=["geojson", "json"],
            key="data_background_file",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if (
                st.button("Lay under the maps", key="data_background_read", disabled=file is None)
                and file
            ):
                figure.read_ground(file.getvalue())
                session.uploads_read([file])
                st.rerun()
            found = figure.ground()
            if found is not None:
                st.button(
                    "Remove",
                    key="data_background_remove",
                    icon=":material/layers_clear:",
                    on_click=act(figure.remove_ground),
                )
        job_panel.show(session.jobs(figure.GROUND_JOBS), key="data_background_jobs")
        if found is not None:
            told = [
                f"Under the maps: {count(found.n_lines, 'line')}, {len(found.lon):,} points in all"
                + (f", simplified from {found.n_read:,}" if found.n_read > len(found.lon) else "")
                + "."
            ]
            if found.n_small:
                told.append(f"Left out: {count(found.n_small, 'line')} too short to be seen.")
            if found.n_points:
                told.append(f"Not drawn: {count(found.n_points, 'single point')} in the file.")
            st.caption(" ".join(told))
