"""Starting a run that does not start by itself, with how long it is likely to take."""

from __future__ import annotations

import streamlit as st

from pages.charts import words

from . import job_panel, results, session
from .dataset import Dataset
from .settings import Settings


def show(data: Dataset, wanted: Settings) -> None:
    """The button, and next to it what it will cost in time."""
    seconds, missing = results.expected_s(data, wanted)
    estimating = [job for job in session.jobs("estimate") if job.active]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_sentence(data, wanted, seconds, missing))
        if st.button("Measure all profiles", key="anon_go", type="primary"):
            results.ask(data, wanted)
            st.rerun()
    if estimating:
        job_panel.quiet(estimating[0], "Estimating from a small sample how long it will take …")


def _sentence(data: Dataset, wanted: Settings, seconds: float | None, missing: int) -> str:
    what = f"{missing} of {len(wanted.profiles)} profiles are not measured"
    if seconds is None:
        return f"{what}; on {data.fs.n_users:,} users it may take a while."
    each = f"{what}; it takes about {words.clock(max(seconds, 1))}"
    return f"{each} for {wanted.profiles[0]}" + (
        f", and at most {words.clock(max(seconds, 1) * missing)} for all." if missing > 1 else "."
    )
