"""Which part is read: chosen from the list, or asked for by a link; in the address."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shell import address

_READ, _CHOSEN = "fp_method_section", "method_section"


def section(headings: Mapping[str, str]) -> str:
    """The anchor of the part to read; the first until another is chosen."""
    first = next(iter(headings))
    asked = address.arrived("section")
    if asked in headings:
        st.session_state[_READ] = st.session_state[_CHOSEN] = asked
    elif _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = st.session_state.get(_READ, first)
    chosen = st.radio("Read about", list(headings), format_func=headings.__getitem__, key=_CHOSEN)
    read = str(chosen)
    st.session_state[_READ] = read
    address.write({"section": read} if read != first else {})
    return read
