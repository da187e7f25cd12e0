"""Figures in a view, each with a text alternative; their playback; and the lines under all maps.

Playback over time has a button to play, a slider to look at one moment, and the drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.geography import Background
from fpanon_core.studies import reading
from pages.charts import style
from pages.charts.maps import Map, over_ground

from . import session
from .guard import act, fragment

GROUND_JOBS = "background"
_KEPT = "fp_background"
_AT_MOST_S = 60.0
_EVERY_S, _STEPS = 1.0, 60
_IN_CLOSED = ContextVar("_IN_CLOSED", default=False)


def show(
    figure: Any, *, key: str, alt: str, config: dict[str, Any] = style.CONFIG, **how: Any
) -> None:
    """Draw a plotly figure; ``alt`` describes it for people who cannot see it."""
    if _IN_CLOSED.get():
        return
    st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **how)


@contextmanager
def fold(label: str, *, key: str) -> Iterator[None]:
    """Draw an expander, closed at first; figures and maps in it are drawn while it is open.

    All else in it, such as widgets with settings, is there all the time.
    """
    box = st.expander(label, key=key, on_change="rerun")
    was = _IN_CLOSED.set(not box.open)
    try:
        with box:
            yield
    finally:
        _IN_CLOSED.reset(was)


def legend(figure: Any, *, key: str, alt: str) -> None:
    """Draw the legend of the marks and colours of maps; it does not react to the mouse."""
    show(figure, key=key, alt=alt, config=style.CONFIG | {"staticPlot": True})


def show_map(deck: Map | None, *, key: str, alt: str) -> None:
    """Draw a map, with the lines under all maps; if ``deck`` is None, say that there is no map.

    All maps are drawn here, and nowhere else. A map has the height that it was made for.
    """
    if deck is None:
        st.info("There is no map: the data carry no map projection.")
        return
    if _IN_CLOSED.get():
        return
    under = ground()
    if under is not None:
        over_ground(deck, under, style.theme(st.context.theme.type))
    st.pydeck_chart(deck, height=deck.height, key=key, alt=alt)
    if deck.beyond:
        st.caption(deck.beyond)


# --- playback over time ---


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
        Draws the moment of a given number; playback repeats this without redrawing the page.
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


# --- lines under the maps ---


def ground() -> Background | None:
    """Return the lines drawn under all maps; None if there are none."""
    found: Background | None = st.session_state.get(_KEPT)
    return found


def read_ground(body: bytes) -> None:
    """Start reading a GeoJSON file; its lines replace the earlier lines under the maps."""
    for job in session.jobs(GROUND_JOBS):
        session.dismiss(job)
    session.start(
        reading.background,
        body,
        label="Reading the background of the maps",
        kind=GROUND_JOBS,
        adopt=lambda job: session.keep(_KEPT, job.result),
        page="data",
        at_most_s=_AT_MOST_S,
    )


def remove_ground() -> None:
    """Remove the lines under the maps."""
    session.drop(_KEPT)
