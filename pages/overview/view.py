"""Start: what the dashboard is for, and one click to see it at work."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.samples import SAMPLES
from pages.charts.plain import plain
from pages.shell import dataset
from pages.shell.pair import side_by_side

st.title("Who can hide in mobile phone records?", anchor=False)
st.markdown(
    """
Call records show where people were and when; a few such moments single most of them out.

This dashboard measures on your own data **how hard everyone is to hide**, in kilometres and
minutes.

It shows what coarser places and times change, for the data as a whole and for any one person.

Nothing leaves this computer: no map tiles, no telemetry, no copy of the data on disk.
"""
)

st.subheader("See it at work", anchor=False)
cards = side_by_side("samples")
for card, sample in zip(cards, SAMPLES, strict=True):
    box = card.container(border=True, height="stretch", vertical_alignment="distribute")
    with box.container():
        st.markdown(f"#### {plain(sample.title)}")
        if sample.synthetic:
            st.badge("Synthetic data, no real people", icon=":material/science:", color="orange")
        st.caption(sample.description)
    label = "Open the synthetic users" if sample.synthetic else "Open the San Francisco taxis"
    if box.button(label, key=f"start_{sample.key}", type="primary"):
        dataset.open_sample(sample.key)
        st.switch_page("pages/anonymizability/view.py")

st.subheader("Your own data", anchor=False)
st.markdown(
    "A table with a user, a time, and a position or an antenna in each row: CSV, Parquet, Excel or "
    "JSON records, as your systems export it. You first see what was read, and what was set aside."
)
if st.button("Open your own data", key="start_own", icon=":material/folder_open:"):
    st.switch_page("pages/data/view.py")
