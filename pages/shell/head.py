"""The first line of a view: what is asked here, the field's word for it, and its settings."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.charts.plain import plain

from . import navigation


def line(address: str, question: str = "", *, title: str = "") -> DeltaGenerator:
    """Draw it; returns its right end, for popovers with settings and explanations.

    Parameters
    ----------
    address : str
        Of the page.
    question : str
        In one sentence of at most some 70 letters, so that all stands in one line.
    title : str
        In place of the page's name.
    """
    place = navigation.place(address)
    with st.container(key="head", horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(plain(title or place.title), anchor=False, width="content")
        word = f"*{place.word}*" if place.word else ""
        told = " · ".join(part for part in (word, question) if part)
        if told:
            st.markdown(told, width="content")
        return st.container(key="head_end", horizontal=True, horizontal_alignment="right")


def about(place: DeltaGenerator, *texts: str) -> None:
    """Long descriptions, sources and assumptions, one click away."""
    with place.popover("About", icon=":material/info:", type="tertiary", key="head_about"):
        for text in texts:
            st.markdown(text)
