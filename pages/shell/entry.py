"""Whether this session's officer is let in: asked before anything of any page is run.

The server's own guard (:mod:`pages.server.entrance`) has asked already; were it passed by, no page
is drawn here all the same.
"""

from __future__ import annotations

import streamlit as st

from pages.server import entrance


def passed() -> bool:
    """Whether pages may be run; says why, where they may not."""
    why = entrance.current().refusal(st.user.to_dict())
    if why:
        st.title("fpanon", anchor=False)
        st.text(why)
        st.link_button("Log in", entrance.LOG_IN)
    return not why


def officer() -> str:
    """Who works in this session: as the provider has it, or ``local``."""
    return entrance.name(st.user.to_dict()) if entrance.current().required else entrance.LOCAL


def named() -> str:
    """Who has logged in; empty where nobody logs in."""
    return officer() if entrance.current().required else ""


def way_out() -> None:
    """Who is logged in, and the button that ends it; nothing where nobody logs in."""
    if entrance.current().required:
        st.text(f"Logged in as {officer()}")
        if st.button("Log out", key="log_out", icon=":material/logout:"):
            st.logout()
