"""What a view needs before it can show anything: an open data set of at least two users."""

from __future__ import annotations

import streamlit as st

from . import dataset, job_panel
from .dataset import Dataset
from .guard import end_view


def data(key: str, *, without: str, then: str) -> Dataset:
    """The data set in use; the view ends here while there is none.

    Parameters
    ----------
    key : str
        Of the view, for its widgets.
    without, then : str
        What to say when no data set is open, and while one is being read.
    """
    opening = dataset.opening()
    if opening is not None:
        job_panel.show([opening], key=f"{key}_opening")
        if opening.active:
            st.caption(then)
            end_view()
    if dataset.asked() is not None:
        st.warning("The file that you opened is not measured yet: its positions are doubtful.")
        st.page_link(
            "pages/data/view.py", label="Answer on the Data page", icon=":material/folder_open:"
        )
        end_view()
    found = dataset.current()
    if found is None:
        st.info(without)
        st.caption("This is a new session. Each browser tab has its own, with data of its own.")
        st.page_link("pages/overview/view.py", label="Go to the start", icon=":material/home:")
        end_view()
    if found.fs.n_users < 2:
        st.error(
            "This data set has 1 user, and one user alone cannot hide among others. Open data with "
            "at least 2 users, or loosen the screening on the Data page."
        )
        end_view()
    return found
