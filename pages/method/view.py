"""Method: how each figure is computed, and on which sources it is based."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import method
from pages.method import story
from pages.shell import address, layout

_READ, _CHOSEN = "fp_method_section", "method_section"

layout.line("method", "How is every figure computed, and from which source?")
headings = story.headings()
# Chosen from the list, or asked for by a link; in the address.
asked, first = address.arrived("section"), next(iter(headings))
if asked in headings:
    st.session_state[_READ] = st.session_state[_CHOSEN] = asked
elif _CHOSEN not in st.session_state:
    st.session_state[_CHOSEN] = st.session_state.get(_READ, first)
read = str(
    st.selectbox(
        "Read about", list(headings), format_func=headings.__getitem__, key=_CHOSEN, width=520
    )
)
st.session_state[_READ] = read
address.write({"section": read} if read != first else {})
heading = headings[read]
with st.container(width=860, key="method_text"):
    text = story.text_of(heading)
    st.header(heading, anchor=False)
    st.markdown(text)
    works = method.cited(text)
    if heading != story.REFERENCES and works:
        st.header("References of this section", anchor=False)
        st.markdown(story.entries(works))
