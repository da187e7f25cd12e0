"""What surrounds every view: finished work taken over, the sidebar, faults told plainly."""

from __future__ import annotations

import contextlib

import streamlit as st
from streamlit.navigation.page import Page

from . import address, audit, away, bar, entry, job_panel, navigation, pair, session
from .guard import Ended, guarded


def run(page: Page) -> None:
    """Run a view within the frame."""
    with guarded():
        if not entry.passed():
            return
        session.arrive()
        session.runner()  # its child warms up while the user reads
        address.remember()
        job_panel.collect()
        audit.tell()
        pair.dress()
        with st.sidebar:
            navigation.draw()
            entry.way_out()
        bar.draw(page.url_path)
        away.tell()
        # A view that is interrupted has been asked to make way for another run, perhaps of another
        # view; that comes next, not this one again.
        with contextlib.suppress(Ended):
            page.run()
        session.uploads_of_page()
        # A job that ended meanwhile was drawn neither as running nor as done.
        if session.finished():
            st.rerun()
