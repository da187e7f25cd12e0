"""The stretch effort in force: set on one page, and what every page that measures stretch means.

It is no page's own, as a gap under one effort and a release under another cannot be compared.
"""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.configs import StretchConfig

from . import address

NAME = "stretch"
"""What it goes by in an address."""

_IN_FORCE = "fp_stretch"


def in_force() -> StretchConfig:
    """The stretch effort in force; that of the address when the session begins."""
    if _IN_FORCE not in st.session_state:
        usual = StretchConfig()
        put(address.asked(NAME, lambda text: address.from_text(text, usual), usual))
    found: StretchConfig = st.session_state[_IN_FORCE]
    return found


def put(config: StretchConfig) -> None:
    """Make this the stretch effort in force."""
    st.session_state[_IN_FORCE] = config
