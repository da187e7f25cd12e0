"""What surrounds every view: finished work taken over, the sidebar, faults told plainly."""

from __future__ import annotations

import contextlib

import streamlit as st
from streamlit.navigation.page import Page

from . import (
    address,
    audit,
    away,
    bar,
    entry,
    job_panel,
    navigation,
    pair,
    session,
    settings,
    study,
)
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
            navigation.draw()
            entry.way_out()
        bar.draw(page.url_path)
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
