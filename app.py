"""The server as `streamlit run` starts it; and, run as its script, page set-up and navigation."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import Page
from streamlit.starlette import App

from pages.server import faults, guards
from pages.shell import entry, frame


def all_pages() -> list[Page]:
    """All pages, in the order in which one is led through them."""
    return [
        st.Page("pages/overview/view.py", title="Start", default=True),
        st.Page("pages/data/view.py", url_path="data", title="Data"),
        st.Page(
            "pages/anonymizability/view.py", url_path="anonymizability", title="Anonymizability"
        ),
        st.Page("pages/hiding/view.py", url_path="glove", title="Hide everyone"),
        st.Page("pages/unicity/view.py", url_path="unicity", title="Unicity"),
        st.Page("pages/disclosure/view.py", url_path="disclosure", title="Disclosure"),
        st.Page("pages/options/view.py", url_path="options", title="Release options"),
        st.Page("pages/attack/view.py", url_path="attack", title="Attack the release"),
        st.Page("pages/report/view.py", url_path="report", title="Report"),
        st.Page("pages/present/view.py", url_path="present", title="Present"),
        st.Page("pages/aggregates/view.py", url_path="aggregates", title="Aggregates"),
        st.Page("pages/method/view.py", url_path="method", title="Method"),
    ]


if __name__ == "__main__":
    st.set_page_config(page_title="fpanon", page_icon="🛡️", layout="wide")
    frame.run(st.navigation(all_pages(), position=entry.navigation()))
else:
    app = App(
        __file__,
        middleware=guards.MIDDLEWARE,
        lifespan=guards.lifespan,
        on_script_error=faults.on_script_error,
    )
