"""How are the positions to be read? Asked before anything is measured; one click is the answer."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.turns import AS_THEY_ARE
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.shell import dataset
from pages.shell.dataset import Asked
from pages.shell.guard import act

from . import story


def show(asked: Asked) -> None:
    """What was found, and a button for each way to read the positions."""
    doubt = asked.doubt
    st.header("Are these the places that are meant?", anchor=False)
    with st.container(border=True, key="data_doubt"):
        found = plain(" ".join(doubt.found), MESSAGE_LENGTH)
        st.warning(f"{found} Nothing is measured before you have answered.")
        for i, reading in enumerate(doubt.readings):
            st.button(
                plain(reading.title),
                key=f"data_read_{reading.positions}",
                type="secondary" if i else "primary",
                on_click=act(dataset.answer),
                args=(reading.positions,),
            )
            st.caption(plain(story.consequence(reading)))
        if not doubt.readings:
            st.caption(
                "Neither an exchange of latitude and longitude nor lost signs would explain it. "
                "Perhaps other columns hold the positions: correct them below."
            )
        with st.container(horizontal=True):
            st.button(
                "Use the positions as they are",
                key=f"data_read_{AS_THEY_ARE}",
                on_click=act(dataset.answer),
                args=(AS_THEY_ARE,),
            )
            st.button("Do not open the file", key="data_leave", on_click=act(dataset.leave))
