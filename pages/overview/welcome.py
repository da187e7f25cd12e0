"""The start page, before any data are open: what fpanon offers, and ways to open data."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.samples import SAMPLES, dots
from fpanon_core.studies.reading import Source
from pages.charts import style
from pages.charts.plain import plain
from pages.shell import dataset, officer, study


def show() -> None:
    """Draw the start page."""
    theme = style.theme(st.context.theme.type)
    st.title("Which release of your mobility data is safe?", anchor=False)
    st.markdown(
        "**fpanon** attacks possible releases and shows what each keeps. **Nothing leaves "
        f"{'the server' if officer.several() else 'this machine'}.**"
    )
    for cell, (icon, head, text) in zip(st.columns(3, gap="medium"), _LEAVES_WITH, strict=True):
        cell.markdown(f"{icon} **{head}**  \n{text}")
    st.subheader("Begin with", anchor=False)
    cards = st.columns(3, gap="medium")
    with _card(cards[0], "Your own data"):
        st.caption(
            "A table of people, times and places (CSV, Parquet, Excel, JSON).",
            help="Each row needs a person, a time, and a position or an antenna. You first see "
            "what was read, and what was set aside. No copy is kept on disk.",
        )
    if cards[0].button(
        "Open your own data", key="start_own", icon=":material/folder_open:", type="primary"
    ):
        st.switch_page("pages/data/view.py")
    for card, sample in zip(cards[1:], SAMPLES, strict=True):
        with _card(card, sample.title, sample.description):
            if sample.synthetic:
                st.badge("Invented data, no real people", icon=":material/science:", color="orange")
            picture = _PICTURE.format(dots(sample, 270, 120), theme.css("ink"))
            st.image(picture, alt="Map of the antennas, one dot each.")
        label = "Open the invented people" if sample.synthetic else "Open the San Francisco taxis"
        if card.button(label, key=f"start_{sample.key}"):
            dataset.open_source(Source.of_sample(sample.key))
            st.rerun()
    with st.expander("Open a study that was saved", key="overview_study"):
        study.opening(key="overview")


def _card(place: DeltaGenerator, title: str, about: str | None = None) -> DeltaGenerator:
    box = place.container(border=True, height="stretch")
    box.markdown(f"**{plain(title)}**", help=about)
    return box


_PICTURE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='270' height='120'><path d='{}' stroke='{}' "
    "stroke-width='4' stroke-linecap='round' opacity='0.55'/></svg>"
)
_LEAVES_WITH = (
    (":material/gpp_maybe:", "The risk as it is", "People singled out, homes found."),
    (":material/balance:", "A release within your thresholds", "Or why none exists."),
    (":material/description:", "A report to sign", "What was decided, and why."),
)
