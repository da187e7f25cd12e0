"""Page set-up and navigation; nothing else."""

from __future__ import annotations

import streamlit as st

from pages.shell import frame

PAGES = [
    st.Page("pages/overview/view.py", title="Start", default=True),
    st.Page("pages/data/view.py", url_path="data", title="Data"),
    st.Page("pages/anonymizability/view.py", url_path="anonymizability", title="Anonymizability"),
    st.Page("pages/hiding/view.py", url_path="glove", title="GLOVE"),
    st.Page("pages/unicity/view.py", url_path="unicity", title="Unicity"),
    st.Page("pages/disclosure/view.py", url_path="disclosure", title="Disclosure"),
    st.Page("pages/options/view.py", url_path="options", title="Release options"),
    st.Page("pages/aggregates/view.py", url_path="aggregates", title="Aggregates"),
    st.Page("pages/method/view.py", url_path="method", title="Method"),
]

if __name__ == "__main__":
    st.set_page_config(page_title="fpanon", page_icon="🛡️", layout="wide")
    frame.run(st.navigation(PAGES))
