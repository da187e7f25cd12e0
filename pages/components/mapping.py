"""Correcting what was found out about a file: its columns, its times, its zone, its granularity."""

from __future__ import annotations

import zoneinfo
from dataclasses import replace

import streamlit as st

from fpanon_core.io.report import IngestReport

from . import dataset, job_panel, session, tasks
from .tasks import Reading, Source

ROLES = {
    "user": "User",
    "time": "Time",
    "lat": "Latitude",
    "lon": "Longitude",
    "antenna": "Antenna",
    "offset": "Offset from UTC, minutes",
}
FIND_OUT = "(find out)"


def show(source: Source, reading: Reading, report: IngestReport | None) -> None:
    """A form to correct the reading; the columns of the file are listed when it is opened."""
    with st.expander("Correct the columns, the time zone or the granularity", key="data_correct"):
        labels = dataset.columns_of(source)
        if labels is None:
            if session.jobs("peek"):
                job_panel.show(session.jobs("peek"), key="data_peek")
            else:
                st.button(
                    "List the file's columns",
                    key="data_list_columns",
                    on_click=_peek,
                    args=(source,),
                )
            return
        with st.form("data_mapping", border=False):
            corrected = _form(labels, reading, report)
            if st.form_submit_button("Read again", type="primary", key="data_read_again"):
                dataset.read_again(corrected, source)
                st.rerun()


def _peek(source: Source) -> None:
    session.start(tasks.peek, source, label="Listing the columns", kind="peek", source=source)


def _form(labels: list[str | int], reading: Reading, report: IngestReport | None) -> Reading:
    given = dict(reading.columns)
    found = report.columns if report is not None else {}
    options = [FIND_OUT, *labels]
    chosen: dict[str, str | int] = {}
    cells = st.columns(3, gap="large")
    for i, (role, title) in enumerate(ROLES.items()):
        at = given.get(role, FIND_OUT)
        now = f"now: {_label(found[role])}" if role in found else "now: none"
        value = cells[i % 3].selectbox(
            title,
            options,
            index=options.index(at) if at in options else 0,
            format_func=lambda o, now=now: f"{FIND_OUT} – {now}" if o == FIND_OUT else _label(o),
            key=f"data_column_{role}",
        )
        if value != FIND_OUT:
            chosen[role] = value
    zones = [None, *sorted(zoneinfo.available_timezones())]
    guess = f"(guess from the position: {report.timezone})" if report else "(guess)"
    zone = cells[0].selectbox(
        "Time zone of display",
        zones,
        index=zones.index(reading.timezone) if reading.timezone in zones else 0,
        format_func=lambda z: z or guess,
        key="data_timezone",
        help="Hours of the day and days are counted in this zone.",
    )
    naive = cells[1].selectbox(
        "Times without an offset are in",
        zones,
        index=zones.index(reading.naive_timezone) if reading.naive_timezone in zones else 0,
        format_func=lambda z: z or "(the zone of display)",
        key="data_naive_timezone",
    )
    metres = cells[0].number_input(
        "Granularity in space (m)", 1.0, 10_000.0, reading.granularity_m, key="data_metres"
    )
    minutes = cells[1].number_input(
        "Granularity in time (min)", 1.0, 1440.0, reading.granularity_min, key="data_minutes"
    )
    return replace(
        reading,
        columns=tuple(chosen.items()),
        timezone=zone,
        naive_timezone=naive,
        granularity_m=metres,
        granularity_min=minutes,
    )


def _label(label: str | int) -> str:
    return f"column {label + 1}" if isinstance(label, int) else str(label)
