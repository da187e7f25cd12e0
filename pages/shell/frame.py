"""What surrounds every view: finished work taken over, the sidebar, faults told plainly."""

from __future__ import annotations

import contextlib

import streamlit as st
from streamlit.navigation.page import Page

from pages.charts import words
from pages.charts.plain import plain

from . import address, audit, away, dataset, entry, job_panel, pair, session, settings, study
from .guard import Ended, guarded


def run(page: Page) -> None:
    """Run a view within the frame."""
    with guarded():
        if not entry.passed():
            return
        session.arrive()
        settings.arrive(page.url_path)
        settings.note()
        session.runner()  # its child warms up while the user reads
        address.remember(page.url_path)
        job_panel.collect()
        study.settle()
        audit.tell()
        pair.dress()
        with st.sidebar:
            _sidebar(page.url_path)
        away.tell()
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


def _sidebar(here: str) -> None:
    current = dataset.current()
    if current is None:
        st.caption("No data set is open.")
    else:
        st.caption(
            f"**{plain(current.source.label)}**  \n{words.count(current.fs.n_users, 'user')}, "
            f"{words.count(current.fs.n_samples, 'sample')}"
        )
        if current.source.synthetic:
            st.badge("Synthetic data", icon=":material/science:", color="orange")
    # What a view shows at length itself is not told twice; nor what nobody waits for.
    told = (here, session.EVERYWHERE, None)
    active = [job for job in session.jobs() if job.active and job.meta["page"] not in told]
    if active:
        job_panel.small(active)
    entry.way_out()
