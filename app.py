"""The server that `streamlit run` starts, and the script that draws each page in its frame."""

from __future__ import annotations

import streamlit as st
from streamlit.starlette import App

from pages.server import faults, guards
from pages.shell import frame, navigation

if __name__ == "__main__":
    st.set_page_config(
        page_title="fpanon",
        page_icon=frame.icon(),
        layout="wide",
        # Streamlit collapses a sidebar that is still empty when the page is first drawn.
        initial_sidebar_state="expanded",
    )
    frame.run(st.navigation(navigation.pages(), position="hidden"))
else:
    app = App(
        __file__,
        middleware=guards.MIDDLEWARE,
        lifespan=guards.lifespan,
        on_script_error=faults.on_script_error,
    )
