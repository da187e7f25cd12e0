"""Choosing what to open: a sample, a file from this computer, or one in the server's folder."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from fpanon_core.io.samples import SAMPLES
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies.reading import Source
from fpanon_core.tables.folder import data_files, file_in, kept_folders, kept_in
from pages.charts.plain import plain
from pages.data import expected
from pages.shell import away, dataset, layout, session

FOLDER_VARIABLE = "FPANON_DATA_DIR"
TYPES = [
    *("csv", "tsv", "txt", "gz", "zip", "parquet", "xlsx"),
    *("json", "jsonl", "ndjson", "geojson"),
]


def show() -> None:
    """The ways to open data."""
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
        f"Events: user, time, position or antenna (up to {limit} MB)",
        type=TYPES,
        key="data_file",
        help="CSV, TSV or other separated text, gzip, a zip with one table, Parquet, Excel, or "
        "JSON that is a table (records, one record a line, GeoJSON points). It stays in this "
        "computer's memory and is written nowhere. Larger files: have the server's "
        f"operator name a folder in {FOLDER_VARIABLE}.",
    )
    antennas = st.file_uploader(
        "Antennas, if the events name them (optional)",
        type=TYPES,
        key="data_antennas",
        help="A table with the antenna's id, latitude and longitude in each row.",
    )
    st.caption(away.kept())
    if st.button("Read", key="data_read", type="primary", disabled=file is None) and file:
        dataset.open_file(
            Source(
                file.name,
                file=(file.name, file.getvalue()),
                antennas=(antennas.name, antennas.getvalue()) if antennas else None,
            )
        )
        session.uploads_read([file, *([antennas] if antennas else [])])
        st.rerun()


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
        format_func=lambda one: f"{one} (folder, read already)" if one in kept else one,
        help="A file; or a folder in which `fpanon ingest --keep` has kept what it read.",
    )
    antennas = right.selectbox(
        "Antennas (optional)",
        files,
        index=None,
        key="data_folder_antennas",
        disabled=name in kept,
    )
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
                )
        except FpanonError as error:
            layout.say(error)
            return
    if st.button("Read", key="data_folder_read", type="primary", disabled=name is None) and source:
        dataset.open_file(source)
        st.rerun()
    if source is not None:
        expected.show(source)


def _samples() -> None:
    for sample in SAMPLES:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(plain(sample.title), key=f"data_sample_{sample.key}"):
                dataset.open_sample(sample.key)
                st.rerun()
            if sample.synthetic:
                st.badge(
                    "Synthetic data, no real people", icon=":material/science:", color="orange"
                )
