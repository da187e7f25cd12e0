"""Figures to be shown on a wall: each page offers its own while it draws it, *Present* shows them.

Pages know nothing of each other: each puts here what it shows, with the sentence that goes with it,
of the data that are open. The newest of a page stands in place of its earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fpanon_core.model.options import Step
from pages.charts.style import Theme

from . import session

_SLIDES = "fp_slides"
MOST = 24
"""Slides that are kept, the latest."""
AS_THEY_ARE = "The data as they are"
_LETTERS = 280  # of the sentences that stand on a slide; the others are a press away


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
    more : str
        What else must be said; a press away.
    about : str
        Of what it is, where it is of no option.
    steps : tuple of Step
        Of the option that it is of; empty where it is of none.
    """

    key: str
    question: str
    draw: Callable[[Theme], Any]
    sentence: str
    more: str = ""
    about: str = AS_THEY_ARE
    steps: tuple[Step, ...] = ()


def offer(
    digest: str,
    key: str,
    question: str,
    draw: Callable[[Theme], Any],
    *sentences: str,
    about: str = AS_THEY_ARE,
    steps: tuple[Step, ...] = (),
) -> None:
    """Put a figure of the data of that digest among the slides; see :class:`Slide`.

    Sentences that do not fit on a wall are a press away, none is lost.
    """
    said = [sentence for sentence in sentences if sentence]
    first = 1
    while first < len(said) and len(" ".join(said[: first + 1])) <= _LETTERS:
        first += 1
    mine = {slide.key: slide for slide in of_data(digest) if slide.key != key}
    mine[key] = Slide(
        key, question, draw, " ".join(said[:first]), " ".join(said[first:]), about, steps
    )
    session.keep(_SLIDES, (digest, dict(list(mine.items())[-MOST:])))


def of_data(digest: str) -> list[Slide]:
    """The slides of these data, the latest offered last; those of other data are gone."""
    of, slides = st.session_state.get(_SLIDES, ("", {}))
    return list(slides.values()) if of == digest else []
