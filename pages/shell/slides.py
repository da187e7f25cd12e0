"""Figures to be shown on a wall: each page offers its own while it draws it, *Present* shows them.

Pages know nothing of each other: each puts here what it shows, with the sentence that goes with it,
of the data that are open. The newest of a page stands in place of its earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.charts.style import Theme

from . import session

_SLIDES = "fp_slides"
MOST = 24
"""Slides that are kept, the latest."""


@dataclass(frozen=True, eq=False)
class Slide:
    """One figure and what it says.

    Attributes
    ----------
    key : str
        Of the slide; begins with the address of its page.
    question : str
        The question that it answers; Markdown, as is the sentence.
    draw : callable
        From a theme to a plotly figure or a deck.
    sentence : str
        One or two, with the data's own numbers.
    """

    key: str
    question: str
    draw: Callable[[Theme], Any]
    sentence: str


def offer(
    digest: str, key: str, question: str, draw: Callable[[Theme], Any], *sentences: str
) -> None:  # fmt: skip
    """Put a figure of the data of that digest among the slides; see :class:`Slide`.

    All sentences are shown: leave none out that takes back what another says.
    """
    mine = {slide.key: slide for slide in of_data(digest) if slide.key != key}
    mine[key] = Slide(key, question, draw, " ".join(s for s in sentences if s))
    session.keep(_SLIDES, (digest, dict(list(mine.items())[-MOST:])))


def of_data(digest: str) -> list[Slide]:
    """The slides of these data, the latest offered last; those of other data are gone."""
    of, slides = st.session_state.get(_SLIDES, ("", {}))
    return list(slides.values()) if of == digest else []
