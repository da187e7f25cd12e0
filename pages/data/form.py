"""Forms to correct how the data are read, and to screen users.

If positions are ambiguous, the page asks how to read them before anything is measured. One click
answers the question.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.report import IngestReport
from fpanon_core.io.turns import AS_THEY_ARE, TURNS, said_of
from fpanon_core.model import limits
from fpanon_core.model.configs import Screening
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies import reading as reading_study
from fpanon_core.studies.reading import Reading, Source
from fpanon_core.studies.report_words import first_up
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.data.story import ROLES, centre_in, column
from pages.shell import dataset, guard, job_panel, layout, questions
from pages.shell.questions import Kind, Question
from pages.shell.widgets import number

COLUMNS = Kind("peek", reading_study.peek, page="data")
FIND_OUT = "(detect)"
ONE_USER = "(the whole file is one person's)"
OFFSET = "offset"
_CLOCKS = {None: "(detect; usually the display zone)", OFFSET: "the zone of the offset column"}
CENTRE = (
    "Needed only for a private release whose area is stated in metres. For other private releases, "
    "the centre is the middle of the stated area, or of the antennas. Choose the centre without "
    "looking at the records."
)
_POSITIONS = {None: "(as they are; ask if in doubt)"} | {
    name: said_of(turn) for name, turn in TURNS.items()
}


def doubt(asked: dataset.Asked) -> None:
    """Draw the reasons to doubt the positions, and a button for each way to read them."""
    question = asked.doubt
    st.header("Are these the right places?", anchor=False)
    with st.container(border=True, key="data_doubt"):
        found = plain(" ".join(question.found), MESSAGE_LENGTH)
        st.warning(f"{found} Nothing is measured until you have answered.")
        for i, reading in enumerate(question.readings):
            guard.button(
                plain(reading.title),
                dataset.answer,
                reading.positions,
                key=f"data_read_{reading.positions}",
                type="primary" if question.strong and i == 0 else "secondary",
            )
            st.caption(plain(f"{first_up(reading.why)}."))
        if not question.readings:
            st.caption(
                "Neither an exchange of latitude and longitude nor missing minus signs would "
                "explain this. Perhaps other columns hold the positions: choose these columns "
                "below."
            )
        with st.container(horizontal=True):
            label, key = "Use the positions as they are", f"data_read_{AS_THEY_ARE}"
            guard.button(label, dataset.answer, AS_THEY_ARE, key=key)
            guard.button("Do not open the file", dataset.leave, key="data_leave")


def correction(source: Source, reading: Reading, report: IngestReport | None) -> None:
    """Draw a form to correct the reading, or first a button that lists the file's columns."""
    with st.expander("Correct the columns, the time zone or the granularity", key="data_correct"):
        listing = Question(COLUMNS, None, source, "Listing the columns")
        labels: list[str | int] | None = questions.answer(listing)
        if labels is None:
            if jobs := questions.jobs(COLUMNS):
                job_panel.show(jobs, key="data_peek")
            else:
                label = "List the file's columns"
                guard.button(label, questions.ask, listing, key="data_list_columns")
            return
        with st.form("data_mapping", border=False):
            try:
                corrected, fault = _form(labels, reading, report), None
            except FpanonError as wrong:
                corrected, fault = reading, wrong
            if st.form_submit_button("Read again", type="primary", key="data_read_again"):
                if fault is not None:
                    layout.say(fault)
                else:
                    dataset.read_again(corrected, source)
                    st.rerun()


def screening(rule: Screening) -> Screening | None:
    """Draw a form for the screening rule; return the rule if it was just submitted."""
    with st.form("data_screening", border=False):
        cells = st.container(horizontal=True, gap="large", vertical_alignment="bottom")
        every_day = cells.checkbox(
            "A sample on every day", rule.every_day, key="data_every_day", width="content"
        )
        active = cells.checkbox(
            "Active on more than 75% of days",
            rule.active_days_share is not None,
            key="data_active",
            width="content",
        )
        people = cells.checkbox(
            "No machines or test phones", rule.people_only, key="data_people", width="content"
        )
        least = number(
            "Minimum samples per person",
            limits.MIN_SAMPLES,
            rule.min_samples or 1,
            at=cells,
            key="data_min_samples",
            width=220,
        )
        if not st.form_submit_button("Screen", type="primary", key="data_screen"):
            return None
    return Screening(every_day, 0.75 if active else None, least if least > 1 else None, people)


def _form(labels: list[str | int], reading: Reading, report: IngestReport | None) -> Reading:
    cells = st.columns(3, gap="large")
    chosen = _columns(cells, labels, reading, report)
    zones = [None, *sorted(zoneinfo.available_timezones())]
    known = report.timezone if report is not None and report.timezone_guessed else ""
    guess = f"(guess from the position: {known})" if known else "(guess)"
    zone = cells[0].selectbox(
        "Display time zone",
        zones,
        index=zones.index(reading.timezone) if reading.timezone in zones else 0,
        format_func=lambda z: z or guess,
        key="data_timezone",
        help="Days, and hours of the day, are counted in this zone.",
    )
    clocks = [None, OFFSET, *zones[1:]]
    naive = cells[1].selectbox(
        "Times without an offset are in",
        clocks,
        index=clocks.index(reading.naive_timezone) if reading.naive_timezone in clocks else 0,
        format_func=lambda z: _CLOCKS.get(z, z),
        key="data_naive_timezone",
    )
    positions = cells[2].selectbox(
        "Positions",
        list(_POSITIONS),
        index=list(_POSITIONS).index(reading.positions),
        format_func=lambda name: _POSITIONS[name],
        key="data_positions",
    )
    metres = number(
        "Granularity in space (m)",
        limits.GRANULARITY_M,
        reading.granularity_m,
        at=cells[0],
        key="data_metres",
    )
    minutes = number(
        "Granularity in time (min)",
        limits.GRANULARITY_MIN,
        reading.granularity_min,
        at=cells[1],
        key="data_minutes",
    )
    centre = cells[2].text_input(
        "Centre of the projection (latitude, longitude)",
        "" if reading.centre is None else "{:g}, {:g}".format(*reading.centre),
        placeholder="the middle of the records",
        key="data_centre",
        help=CENTRE,
    )
    return replace(
        reading,
        centre=centre_in(centre),
        columns=tuple(chosen.items()),
        timezone=zone,
        naive_timezone=naive,
        granularity_m=metres,
        granularity_min=minutes,
        positions=positions,
    )


def _columns(
    cells: Sequence[DeltaGenerator],
    labels: list[str | int],
    reading: Reading,
    report: IngestReport | None,
) -> dict[str, str | int | None]:
    """Draw a list of columns for each role; return the columns chosen, by role.

    Roles whose column is to be detected are left out. The user's column is None for a file with
    the records of one person.
    """
    given = dict(reading.columns)
    chosen: dict[str, str | int | None] = {}
    for i, (role, title) in enumerate(ROLES.items()):
        options = [FIND_OUT, *([ONE_USER] if role == "user" else []), *labels]
        at = ONE_USER if given.get(role, "") is None else given.get(role, FIND_OUT)
        known = report is not None and role in report.columns
        # Nothing is known about a file that was not read.
        now = "" if report is None else f" – now: {column(report, role) if known else 'none'}"
        value = cells[i % 3].selectbox(
            title,
            options,
            index=options.index(at) if at in options else 0,
            format_func=partial(_option, now),
            key=f"data_column_{role}",
        )
        if value is not None and value != FIND_OUT:
            chosen[role] = None if value == ONE_USER else value
    return chosen


def _option(now: str, option: str | int) -> str:
    if option == FIND_OUT:
        return f"{FIND_OUT}{now}"
    return f"column {option + 1}" if isinstance(option, int) else option
