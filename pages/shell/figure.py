"""A figure in a view: drawn in our own theme, with a sentence for who cannot see it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.charts import style
from pages.charts.maps import Map, over_ground
from pages.charts.plain import unlinked

from . import background


def plot(figure: Any, **how: Any) -> Any:
    """``st.plotly_chart``, with nothing in the figure that a click would follow elsewhere."""
    return st.plotly_chart(unlinked(figure), **how)


def show(figure: Any, *, key: str, alt: str) -> None:
    """Draw a plotly figure; ``alt`` says what is to be seen in it."""
    plot(figure, key=key, theme=None, config=style.CONFIG, alt=alt)


def show_map(deck: Map | None, *, key: str, alt: str, height: int = 460) -> None:
    """Draw a map, over the lines of one's own; None says that there can be none.

    All maps are drawn here, and nowhere else.
    """
    if deck is None:
        st.info("There is no map: the data carry no map projection.")
        return
    under = background.current()
    if under is not None:
        over_ground(deck, under, style.theme(st.context.theme.type))
    st.pydeck_chart(deck, height=height, key=key, alt=alt)
    if deck.beyond:
        st.caption(deck.beyond)
