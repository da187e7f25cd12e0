"""The line above every view: what is open, what limits hold, what runs and what waits."""

from __future__ import annotations

import streamlit as st

from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import away, dataset, job_panel, limits, session
from .dataset import Dataset


def draw(here: str) -> None:
    """Draw it above the page at an address."""
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        data = dataset.current()
        if data is None:
            st.caption("No data set is open.", width="content")
        else:
            _data(data)
            limits.popover()
        # What a view shows at length itself is not told twice; nor what nobody waits for.
        told = (here, session.EVERYWHERE, None)
        active = [job for job in session.jobs() if job.active and job.meta["page"] not in told]
        if active:
            with st.container(key="bar_work", width="content"):
                job_panel.small(active)


def _data(data: Dataset) -> None:
    parts = [
        f"**{plain(data.source.label)}**",
        words.count(data.fs.n_users, "user"),
        words.count(data.fs.n_samples, "sample"),
        "over " + words.count(data.report.span_days, "day"),
    ]
    with st.popover(" · ".join(parts), type="tertiary", key="bar_data"):
        if data.source.note:
            st.markdown(plain(data.source.note, MESSAGE_LENGTH))
        st.caption(away.kept())
        st.page_link(
            "pages/data/view.py",
            label="What was read, and set aside",
            icon=":material/folder_open:",
        )
    if data.source.synthetic:
        st.badge("Synthetic data", icon=":material/science:", color="orange")
