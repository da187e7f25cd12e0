"""Before anything is open: what one leaves with, samples to try it on, one's own data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.samples import SAMPLES
from pages.charts.plain import plain
from pages.shell import dataset, study


def show() -> None:
    """All of it."""
    st.title("Which release of your mobility data is safe?", anchor=False)
    st.markdown(
        "**fpanon** attacks your data and every release it could make of them. **Nothing leaves "
        "this machine.** You leave with:"
    )
    for cell, (icon, head, text) in zip(st.columns(3, gap="medium"), _LEAVES_WITH, strict=True):
        with cell.container(border=True, height="stretch"):
            st.markdown(f"{icon} **{head}**")
            st.markdown(text)
    st.subheader("Begin with", anchor=False)
    cards = st.columns(3, gap="medium")
    with _card(cards[0], "Your own data"):
        st.caption(
            "A table of people, times and places, or antennas.",
            help="CSV, Parquet, Excel or JSON records. You first see what was read, and what was "
            "set aside. No copy is kept on disk.",
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
            brief, _, more = sample.description.partition(". ")
            st.caption(f"{brief}.", help=more)
            st.html(_picture(sample.antennas_path))
        label = "Open the synthetic people" if sample.synthetic else "Open the San Francisco taxis"
        if card.button(label, key=f"start_{sample.key}"):
            dataset.open_sample(sample.key)
            st.rerun()
    with st.expander("Open a study that was saved", key="overview_study"):
        study.opening(key="overview")


@cache
def _picture(antennas: Path) -> str:
    """The antennas of a sample, a dot each, north up."""
    table = pd.read_csv(antennas)
    # Every picture is as high as another; what lies far outside stays away.
    low, high = (table[["lon", "lat"]].quantile(q) for q in (0.02, 0.98))
    seen = table[((table[["lon", "lat"]] >= low) & (table[["lon", "lat"]] <= high)).all(axis=1)]
    across = (seen["lon"] - low["lon"]) * np.cos(np.radians(low["lat"]))
    up = high["lat"] - seen["lat"]
    scale = _PICTURE_PX / float(up.max())
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6"/>'
        for x, y in zip(2 + scale * across, 2 + scale * up, strict=True)
    )
    wide, high_px = 4 + scale * float(across.max()), 4 + _PICTURE_PX
    return (
        f'<svg role="img" aria-label="Map of the antennas" viewBox="0 0 {wide:.0f} {high_px}" '
        f'height="{high_px}" fill="currentColor" opacity="0.55">{dots}</svg>'
    )


def _card(place: DeltaGenerator, title: str) -> DeltaGenerator:
    box = place.container(border=True, height="stretch")
    box.markdown(f"**{plain(title)}**")
    return box


_PICTURE_PX = 110
_LEAVES_WITH = (
    (
        ":material/gpp_maybe:",
        "The risk as it is",
        "Who can be singled out, and whose home is found.",
    ),
    (
        ":material/balance:",
        "A release within your thresholds",
        "If there is one, with what it costs.",
    ),
    (
        ":material/description:",
        "A report to sign",
        "What was decided, on what evidence.",
    ),
)
