"""Playback over time: a button to play, a slider to look at one moment, and the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray

from .guard import act, fragment

_EVERY_S, _STEPS = 1.0, 60


def moments(first: float, last: float) -> FloatArray:
    """Return the ends of at most sixty even steps between two times, in minutes.

    A step takes a minute or more, unless the times are less than a minute apart.

    Examples
    --------
    >>> moments(0.0, 3.5).round(1).tolist(), moments(7.0, 7.0).tolist()
    ([1.2, 2.3, 3.5], [7.0])
    """
    found: FloatArray = np.linspace(first, last, min(_STEPS, max(int(last - first), 1)) + 1)[1:]
    return found


def play(
    key: str,
    moments: Sequence[str],
    draw: Callable[[int], None],
    *,
    start: int = 0,
    shortcut: str | None = None,
) -> None:
    """Draw one of several moments, a slider to choose it, and a button that plays all of them.

    For a single moment, draw neither slider nor button.

    Parameters
    ----------
    key : str
        Beginning of the keys of the widgets and of the state; it must change if the number of
        moments changes.
    moments : sequence of str
        Labels of the moments on the slider.
    draw : callable
        Draws the moment of a given number; only this drawing is repeated during playback.
    start : int
        The moment shown first.
    shortcut : str, optional
        The key that plays and pauses.
    """
    if len(moments) == 1:
        st.markdown(moments[0])
        draw(0)
        return
    last, state = len(moments) - 1, st.session_state
    playing = bool(state.get(f"{key}_playing"))

    def press() -> None:
        if not playing and state.get(f"{key}_at", 0) >= last:
            state[f"{key}_at"] = 0
        state[f"{key}_playing"] = not playing

    @fragment(run_every=_EVERY_S if playing else None)
    def moment() -> None:
        at = min(int(state.get(f"{key}_at", start)), last)
        if playing and at >= last:
            state[f"{key}_playing"] = False
            st.rerun()
        state[f"{key}_at"] = at + 1 if playing else at
        with st.container(horizontal=True, vertical_alignment="center", gap="medium", width=740):
            how: dict[str, Any] = {} if shortcut is None else {"shortcut": shortcut}
            icon = ":material/pause:" if playing else ":material/play_arrow:"
            label = "Pause" if playing else "Play"
            if st.button(label, key=f"{key}_play", icon=icon, on_click=act(press), **how):
                st.rerun()
            at = st.select_slider(
                "Time",
                range(last + 1),
                format_func=moments.__getitem__,
                key=f"{key}_at",
                label_visibility="collapsed",
                width="stretch",
            )
        draw(int(at))

    moment()
