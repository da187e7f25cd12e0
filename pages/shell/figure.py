"""Figures in a view, each with a text alternative; and the lines drawn under all maps."""

from __future__ import annotations

from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.geography import Background
from fpanon_core.studies import reading
from pages.charts import style
from pages.charts.maps import Map, over_ground

from . import session

GROUND_JOBS = "background"
_KEPT = "fp_background"
_AT_MOST_S = 60.0


def show(
    figure: Any, *, key: str, alt: str, config: dict[str, Any] = style.CONFIG, **how: Any
) -> None:
    """Draw a plotly figure; ``alt`` describes it for people who cannot see it."""
    st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **how)


def legend(figure: Any, *, key: str, alt: str) -> None:
    """Draw the legend of the marks and colours of maps; it does not react to the mouse."""
    show(figure, key=key, alt=alt, config=style.CONFIG | {"staticPlot": True})


def show_map(deck: Map | None, *, key: str, alt: str, height: int | None = None) -> None:
    """Draw a map, with the lines under all maps; for None, a note that there can be no map.

    All maps are drawn here, and nowhere else. A map has the height that it was made for, unless
    ``height`` is given.
    """
    if deck is None:
        st.info("There is no map: the data carry no map projection.")
        return
    under = ground()
    if under is not None:
        over_ground(deck, under, style.theme(st.context.theme.type))
    st.pydeck_chart(deck, height=height or deck.height, key=key, alt=alt)
    if deck.beyond:
        st.caption(deck.beyond)


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
        adopt=_adopt_ground,
        page="data",
        at_most_s=_AT_MOST_S,
    )


def remove_ground() -> None:
    """Remove the lines under the maps."""
    session.drop(_KEPT)


def _adopt_ground(job: Job) -> None:
    session.keep(_KEPT, job.result)
