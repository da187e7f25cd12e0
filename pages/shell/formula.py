"""The way from a view to the formulas behind it, on the Method page."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies.method import anchor


def link(section: str) -> None:
    """A link to a section of the Method page, by its heading."""
    st.page_link(
        "pages/method/view.py",
        label=f"Method: {section}",
        icon=":material/function:",
        query_params={"section": anchor(section)},
    )
