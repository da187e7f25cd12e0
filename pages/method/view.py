"""Method: how is every figure computed, and after whom?"""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import method
from pages.method import form, story
from pages.shell import layout

layout.line("method", "How is every figure computed, and after whom?")
headings = story.headings()
contents, page = st.columns([1, 3], gap="large")
with contents:
    heading = headings[form.section(headings)]
with page, st.container(width=860, key="method_text"):
    text = story.text_of(heading)
    st.header(heading, anchor=False)
    st.markdown(text)
    works = method.cited(text)
    if heading != story.REFERENCES and works:
        st.header("References of this section", anchor=False)
        st.markdown(story.entries(works))
