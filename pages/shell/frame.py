"""The frame of every view, which takes over finished work, draws the sidebar and reports faults.

The line above every view shows what is open, which thresholds apply, what runs and what waits. The
module also holds the dashboard's icon, which the browser's tab shows.
"""

from __future__ import annotations

import contextlib
from base64 import b64encode
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import (
    address,
    aims,
    dataset,
    exploration,
    job_panel,
    layout,
    limits,
    navigation,
    officer,
    session,
    settings,
    study,
)
from .guard import Ended, guarded


def run(page: Page) -> None:
    """Run a view within the frame."""
    with guarded():
        if not officer.passed():
            return
        session.arrive()
        settings.arrive(page.url_path)
        settings.note()
        session.runner()  # its child warms up while the user reads
        address.remember(page.url_path)
        job_panel.collect()
        study.settle()
        officer.tell()
        layout.dress()
        with st.sidebar:
            navigation.draw()
            if dataset.current() is not None:
                navigation.onward(page.url_path)
            officer.way_out()
        draw(page.url_path)
        session.tell_ended()
        study.tell()
        # A view that is interrupted has been asked to make way for another run, perhaps of another
        # view; that comes next, not this one again.
        with contextlib.suppress(Ended), study.forgiving():
            page.run()
        settings.note()
        session.uploads_of_page()
        # A job that ended meanwhile was drawn neither as running nor as done.
        if session.finished():
            st.rerun()


def draw(here: str) -> None:
    """Draw the line above the page at an address."""
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        data = dataset.current()
        if data is None:
            st.caption("No data set is open.", width="content")
        else:
            exploration.advance(data.fs)
            _data(data)
            limits.draw(aims.line(), aims.usual())
        # Not repeated here: what a view shows at length itself, and what nobody waits for.
        told = (here, session.EVERYWHERE, None)
        active = [job for job in session.jobs() if job.active and job.meta["page"] not in told]
        if active and here != "present":  # each slide draws the progress of what it waits for
            with st.container(key="bar_work", width="content"):
                job_panel.small(active)


def _data(data: dataset.Dataset) -> None:
    span, recorded = data.report.span_days, len(data.fs.days)
    over = words.count(span, "day")
    parts = [
        f"**{plain(data.source.label)}**",
        words.people(data.fs.n_users),
        words.count(data.fs.n_samples, "sample"),
        f"on {recorded:,} of {over}" if recorded < span else over,
    ]
    with st.popover(" · ".join(parts), type="tertiary", key="bar_data"):
        if data.source.note:
            st.markdown(plain(data.source.note, MESSAGE_LENGTH))
        st.caption(session.describe_kept())
        st.page_link(
            "pages/data/view.py",
            label="What was read, and set aside",
            icon=":material/folder_open:",
        )
    if data.source.synthetic:
        st.badge("Invented data", icon=":material/science:", color="orange")


def icon() -> str:
    """Return the icon as a data URL; the address of a file would change with every run."""
    content = Path(__file__).with_name("icon.png").read_bytes()
    return f"data:image/png;base64,{b64encode(content).decode()}"
