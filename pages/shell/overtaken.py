"""Widgets whose value is also changed elsewhere: by a click on a figure, a button, Undo.

Such a widget gets a new key whenever it is overtaken, and so starts from its new default. Its
callback must ask :func:`is_current`: a browser that has not yet heard of the new widget still sends
the value of the old one, with every tick of a fragment that repeats itself, and Streamlit calls
the old one's callback.
"""

from __future__ import annotations

import streamlit as st


def overtake(*counters: str) -> None:
    """The widgets that go by these counters start anew."""
    for name in counters:
        st.session_state[name] = st.session_state.get(name, 0) + 1


def key(name: str, counter: str) -> str:
    """Key of a widget, another one each time it was overtaken."""
    overtaken = st.session_state.get(counter, 0)
    return f"{name}_{overtaken}" if overtaken else name


def is_current(present: str, name: str, counter: str) -> bool:
    """Whether a callback was called for the widget that is shown now."""
    return present == key(name, counter)
