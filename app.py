"""The server as `streamlit run` starts it; and, run as its script, page set-up and navigation."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import streamlit as st
from streamlit.starlette import App

from pages.server import faults, guards
from pages.shell import frame, navigation

if __name__ == "__main__":
    # Within the page: as a file it had a new name in every run, and was gone when a browser that
    # was busy meanwhile asked for the one before.
    icon = Path(__file__).with_name("pages") / "shell" / "icon.png"
    icon_url = f"data:image/png;base64,{b64encode(icon.read_bytes()).decode()}"
    st.set_page_config(page_title="fpanon", page_icon=icon_url, layout="wide")
    frame.run(st.navigation(navigation.pages(), position="hidden"))
else:
    app = App(
        __file__,
        middleware=guards.MIDDLEWARE,
        lifespan=guards.lifespan,
        on_script_error=faults.on_script_error,
    )
