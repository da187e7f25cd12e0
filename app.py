"""Page set-up and navigation; nothing else."""

from __future__ import annotations

import streamlit as st

from pages.components import frame

PAGES = [
    st.Page("pages/views/start.py", title="Start", default=True),
    st.Page("pages/views/data.py", title="Data"),
    st.Page("pages/views/anonymizability.py", title="Anonymizability"),
    st.Page("pages/views/glove.py", title="GLOVE"),
    st.Page("pages/views/unicity.py", title="Unicity"),
    st.Page("pages/views/disclosure.py", title="Disclosure"),
    st.Page("pages/views/options.py", title="Release options"),
    st.Page("pages/views/aggregates.py", title="Aggregates"),
]

if __name__ == "__main__":
    st.set_page_config(page_title="fpanon", page_icon="🛡️", layout="wide")
    frame.run(st.navigation(PAGES))
