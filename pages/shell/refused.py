"""What the program refuses, on the screen: a message may quote names from outside."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.hints import for_screen
from fpanon_core.model.errors import FpanonError
from pages.charts.plain import MESSAGE_LENGTH, plain


def say(error: FpanonError | str) -> None:
    """A box with what was found, what was expected and what to do; an error, or its message."""
    message = error if isinstance(error, str) else error.message
    st.error(plain(for_screen(message), MESSAGE_LENGTH))
