"""Layout for projection on a wall: a title, a figure, a sentence, and buttons to change slides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.charts.style import Theme
from pages.shell.guard import act

_FIGURE_PX = 360  # with title, keys and a sentence of three lines it fits a screen 720 px high
_MENU_PX = 100  # added where the menu is hidden: there is more room, and lines are longer
_AT, _ALONE = "fp_present_at", "fp_present_alone"
_RULES = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_ONLY_THE_SLIDE = (
    "[data-testid=stSidebar], [data-testid=stHeader], [data-testid=stExpandSidebarButton], "
    ".st-key-bar {display: none;} [data-testid=stMainBlockContainer] {padding-top: 1rem;}"
)


@dataclass(frozen=True, eq=False)
class Slide:
    """One figure and its message.

    Attributes
    ----------
    key : str
        Name of the slide within the page.
    question : str
        The question that the slide answers; its title.
    show : callable
        Draws the figure, or its progress; returns the message in Markdown.
    """

    key: str
    question: str
    show: Callable[[Theme], str]


def height(px: int = _FIGURE_PX) -> int:
    """Return a figure's height: ``px`` while the menu is shown, more if only the slide is shown."""
    return px + _MENU_PX * bool(st.session_state.get(_ALONE))


def dress() -> None:
    """Set type large enough for a wall; if only the slide is shown, remove everything around it."""
    # A larger screen shows the same slide, larger. (With CSS zoom, plotly cuts off its figures.)
    larger = " ".join(map(_scaled, (1.2, 1.5, 2)))
    alone = _ONLY_THE_SLIDE if st.session_state.get(_ALONE) else ""
    st.html(f"<style>{_RULES}{larger} {alone}</style>")


def _scaled(times: float) -> str:
    """Return CSS rules that enlarge the slide by a factor, if the screen has room."""
    return (
        f"@media (min-width: {1_200 * times:g}px) and (min-height: {690 * times:g}px) {{"
        "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock] {"
        f"transform: scale({times:g}); transform-origin: top left; width: {100 / times:.4g}%;}} "
        # plotly measures a figure's size on the screen, which has grown already.
        f".js-plotly-plot {{transform: scale({1 / times:.4g}); transform-origin: top left; "
        f"width: {100 * times:g}% !important;}}}}"
    )


def line() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the containers of the title, and of the controls in a row above the title."""
    corner = st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        gap="small",
        key="present_corner",
    )
    return st.container(key="present_heading"), corner


def turn(slides: Sequence[Slide], corner: DeltaGenerator) -> Slide:
    """Draw buttons, which arrow keys also press, to change slides; return the slide shown."""
    keys = [slide.key for slide in slides]
    here = st.session_state.get(_AT)
    at = keys.index(here) if here in keys else 0
    last = len(keys) - 1
    corner.markdown(f"{at + 1} of {len(keys)}", width="content")
    corner.button(
        "Back",
        key="present_back",
        icon=":material/arrow_back:",
        shortcut="Left",
        disabled=at == 0,
        on_click=act(_put),
        args=(_AT, keys[max(at - 1, 0)]),
    )
    corner.button(
        "Next",
        key="present_next",
        icon=":material/arrow_forward:",
        shortcut="Right",
        type="primary",
        disabled=at == last,
        on_click=act(_put),
        args=(_AT, keys[min(at + 1, last)]),
    )
    alone = bool(st.session_state.get(_ALONE))
    corner.button(
        "Show the menu" if alone else "Only the slide",
        key="present_alone",
        icon=":material/fullscreen_exit:" if alone else ":material/fullscreen:",
        shortcut="F",
        on_click=act(_put),
        args=(_ALONE, not alone),
    )
    return slides[at]


def _put(name: str, value: str | bool) -> None:
    st.session_state[name] = value


def say(heads: Sequence[str]) -> None:
    """Draw sentences in place of a figure."""
    with st.container(key="present_heads"):
        for head in heads:
            st.markdown(head)
