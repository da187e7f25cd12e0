"""How wide the columns of the table of releases are, so that no word in it is cut."""

from __future__ import annotations

import streamlit as st

from pages.shell import definitions

COLUMNS = {
    "Method": st.column_config.TextColumn(width=65),
    "k": st.column_config.NumberColumn(width=35),
    "Period": st.column_config.TextColumn(width=65),
    "May be out": st.column_config.TextColumn(width=80),
    "Verified": st.column_config.TextColumn(width=85),
    "Side, median": st.column_config.TextColumn(width=95, help=definitions.SIDE),
    "mean": st.column_config.TextColumn(width=65, help=definitions.SIDE),
    "Span, median": st.column_config.TextColumn(width=95),
    "mean ": st.column_config.TextColumn(width=65),
    "Mean loss": st.column_config.TextColumn(width=80, help=definitions.LOSS),
    "Samples": st.column_config.TextColumn(
        width=75, help="Share of the samples that is published."
    ),
    "People": st.column_config.TextColumn(
        width=70, help="Share of the people of whom anything is published."
    ),
    "Phantom": st.column_config.TextColumn(width=80, help=definitions.PHANTOM),
}
