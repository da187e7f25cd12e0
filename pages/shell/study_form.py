"""Saving the study, and opening one: for any page that offers either."""

from __future__ import annotations

from functools import partial

import streamlit as st

from fpanon_core.studies.study_file import save

from . import away, downloads, job_panel, session, study, study_story
from .dataset import Dataset
from .guard import act


def saving(data: Dataset, *, key: str) -> None:
    """The button that saves the study; what is in it, and what is lost without it.

    Parameters
    ----------
    key : str
        Of the page; begins the widgets' keys.
    """
    with_data = False
    if study.can_have_data(data):
        with_data = st.checkbox(
            "With the data themselves",
            key=f"{key}_study_data",
            help=study_story.holds_data(has_ids=True),
        )
    prefix = "synthetic_" if data.source.synthetic else ""
    downloads.offer(
        "Study (zip)",
        partial(save, study.of(data, with_data=with_data)),
        f"{prefix}study_not_for_release.zip",
        key=f"{key}_get_study",
        icon=":material/lock:",
        help=study_story.HOLDS,
        settings={"with data": with_data},
    )
    st.caption(f"{study_story.HOLDS} {away.lost()}")


def opening(*, key: str) -> None:
    """Where a study is opened; its progress, and what it waits for.

    Parameters
    ----------
    key : str
        Of the page; begins the widgets' keys.
    """
    file = st.file_uploader(
        "Study (zip)",
        type=["zip"],
        key=f"{key}_study_file",
        help="What “Study (zip)” saved: its results, settings and choice are put in place, and "
        "take the place of those of now. Its data must be in it, be a sample, or be opened.",
    )
    if st.button("Open the study", key=f"{key}_study_open", disabled=file is None) and file:
        study.open_file(file.getvalue())
        session.uploads_read([file])
        st.rerun()
    job_panel.show(study.opening(), key=f"{key}_study")
    waits = study.waiting()
    if waits is not None:
        st.info(study_story.waits(waits))
        st.button("Do not wait for them", key=f"{key}_study_let_go", on_click=act(study.let_go))
