"""Before anything is open: what one leaves with, samples to try it on, one's own data."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.samples import SAMPLES
from pages.charts.plain import plain
from pages.shell import dataset, study


def show() -> None:
    """All of it."""
    st.title("Which release of your mobility data is safe?", anchor=False)
    st.markdown(
        "**fpanon** attacks your data and every release it could make of them. Nothing leaves this "
        "machine: no map tiles, no telemetry, no copy of the data on disk. Soon you leave with:"
    )
    for cell, (icon, head, text) in zip(st.columns(3, gap="medium"), _LEAVES_WITH, strict=True):
        with cell.container(border=True, height="stretch"):
            st.markdown(f"{icon} **{head}**")
            st.markdown(text)
    st.subheader("Begin with", anchor=False)
    cards = st.columns(3, gap="medium")
    with _card(cards[0], "Your own data"):
        st.caption(
            "A table with a person, a time, and a position or an antenna in each row: CSV, "
            "Parquet, Excel or JSON records. You first see what was read, and what was set aside."
        )
    if cards[0].button(
        "Open your own data", key="start_own", icon=":material/folder_open:", type="primary"
    ):
        st.switch_page("pages/data/view.py")
    for card, sample in zip(cards[1:], SAMPLES, strict=True):
        with _card(card, sample.title):
            if sample.synthetic:
                st.badge(
                    "Synthetic data, no real people", icon=":material/science:", color="orange"
                )
            st.caption(sample.description)
        label = "Open the synthetic people" if sample.synthetic else "Open the San Francisco taxis"
        if card.button(label, key=f"start_{sample.key}"):
            dataset.open_sample(sample.key)
            st.rerun()
    with st.expander("Open a study that was saved", key="overview_study"):
        study.opening(key="overview")


def _card(place: DeltaGenerator, title: str) -> DeltaGenerator:
    box = place.container(border=True, height="stretch")
    box.markdown(f"**{plain(title)}**")
    return box


_LEAVES_WITH = (
    (
        ":material/gpp_maybe:",
        "The risk as it is",
        "How many people can be singled out, how far everyone is from a group, and whose home is "
        "found. Of your own data, with intervals, beside guessing.",
    ),
    (
        ":material/balance:",
        "An option within your thresholds, if there is one",
        "Coarser places and times, hidden groups, counts: each tried, attacked and held to your "
        "thresholds, and what it costs in kilometres and hours.",
    ),
    (
        ":material/description:",
        "The release, and its evidence",
        "The chosen option made and checked, and a report that you can sign: what was decided, on "
        "what evidence.",
    ),
)
