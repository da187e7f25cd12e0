"""What surrounds every view: finished work taken over, the sidebar, faults told plainly."""

from __future__ import annotations

import contextlib

import streamlit as st
from streamlit.navigation.page import Page

from pages.charts import words

from . import dataset, job_panel, pair, recovering, session, settings
from .guard import Ended, guarded


def run(page: Page) -> None:
    """Run a view within the frame."""
    with guarded():
        session.runner()  # its child warms up while the user reads
        settings.current()  # taken from the address before another view clears it
        recovering.wanted()
        job_panel.collect()
        pair.dress()
        with st.sidebar:
            _sidebar(page.title)
        # A view that is interrupted has been asked to make way for another run, perhaps of another
        # view; that comes next, not this one again.
        with contextlib.suppress(Ended):
            page.run()
        # A job that ended meanwhile was drawn neither as running nor as done.
        if session.finished():
            st.rerun()


def _sidebar(title: str) -> None:
    current = dataset.current()
    if current is None:
        st.caption("No data set is open.")
    else:
        st.caption(
            f"**{current.source.label}**  \n{words.count(current.fs.n_users, 'user')}, "
            f"{words.count(current.fs.n_samples, 'sample')}"
        )
        if current.source.synthetic:
            st.badge("Synthetic data", icon="⚙️", color="orange")
    # What a view shows at length itself is not told twice.
    told = {
        "Data": {"read", "peek"},
        "Anonymizability": {"read", "measure"},
        "Unicity": {"read", "unicity", "regions"},
        "Disclosure": {"read", "disclosure"},
        "Aggregates": {"read", "recovery", "recovery_factors", "recovery_remedies"},
        "GLOVE": {"read", "glove", "compare"},
        "Release options": {"read", "explore", "look"},
    }.get(title, set())
    told |= {"deepen", "estimate", "estimate_hiding", "table_4_1"}  # nobody waits for these
    active = [job for job in session.jobs() if job.active and job.kind not in told]
    if active:
        job_panel.small(active)
