"""What surrounds every view: finished work taken over, the sidebar, faults told plainly."""

from __future__ import annotations

import logging
import os
import traceback

import streamlit as st
from streamlit.navigation.page import Page

from . import dataset, job_panel, session

_log = logging.getLogger("fpanon")


def run(page: Page) -> None:
    """Run a view within the frame."""
    try:
        session.runner()  # its child warms up while the user reads
        job_panel.collect()
        with st.sidebar:
            _sidebar()
        page.run()
    except Exception as fault:  # Streamlit's own control flow is no Exception.
        # The message may quote the data: the log gets type and place only, the screen neither.
        last = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"
        _log.error("%s at %s", type(fault).__name__, place)
        st.error(
            "This page met a fault in the program and could not be drawn in full "
            f"({type(fault).__name__} at {place}). Your data and results are still here; go to "
            "another view and back, and report this line if it comes again."
        )


def _sidebar() -> None:
    current = dataset.current()
    if current is None:
        st.caption("No data set is open.")
    else:
        st.caption(
            f"**{current.source.label}**  \n{current.fs.n_users:,} users, "
            f"{current.fs.n_samples:,} samples"
        )
        if current.source.synthetic:
            st.badge("Synthetic data", icon="⚙️", color="orange")
    active = [job for job in session.jobs() if job.active]
    if active:
        job_panel.small(active)
