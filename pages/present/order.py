"""Which slides are shown, and in which order: a list that one puts together."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.present.stage import Shown
from pages.shell.guard import act

_ORDER, _KNOWN = "fp_present_order", "fp_present_known"


def chosen(slides: Sequence[Shown], place: DeltaGenerator) -> list[Shown]:
    """The slides in the order that was chosen; new ones come last, until they are taken out."""
    by_key = {slide.key: slide for slide in slides}
    order: list[str] = st.session_state.get(_ORDER, [])
    known: set[str] = st.session_state.get(_KNOWN, set())
    # A list that nobody touched follows the way through the pages.
    wanted = [key for key in order if key in by_key] if order or known else []
    wanted += [key for key in by_key if key not in known]
    with place.popover("Slides", icon=":material/list:", key="present_slides"):
        widget = f"present_order_{abs(hash((tuple(by_key), tuple(wanted))))}"
        st.multiselect(
            "Shown in this order",
            list(by_key),
            default=wanted,
            format_func=lambda key: by_key[key].question,
            key=widget,
            on_change=act(_take),
            args=(widget, frozenset(by_key)),
            placeholder="choose slides",
        )
        st.caption("Take slides out, and add them again in the order in which they are to come.")
    return [by_key[key] for key in wanted]


def _take(widget: str, known: frozenset[str]) -> None:
    st.session_state[_ORDER] = list(st.session_state[widget])
    st.session_state[_KNOWN] = st.session_state.get(_KNOWN, set()) | known
