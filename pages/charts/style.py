"""How every figure looks: one palette, one type size, light and dark, on paper and on a wall.

Colours come from Okabe and Ito's set, told apart by people with any colour vision, and never carry
a meaning alone: curves differ in dash and marker too. A measure keeps its colour in every figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.colors import sample_colorscale, unlabel_rgb

FONT = '"Source Sans", "Segoe UI", Helvetica, Arial, sans-serif'
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """Colours of one mode; RGB triples, because maps want numbers."""

    name: str
    paper: Colour
    ink: Colour
    quiet: Colour
    faint: Colour
    water: Colour
    land: Colour
    coast: Colour
    person: Colour
    other: Colour
    categories: tuple[str, ...]
    scale: tuple[float, float]

    def measure(self, name: str) -> str:
        """The colour of a measure, the same in every figure."""
        return self.categories[_MEASURES[name]]

    def css(self, name: str, opacity: float = 1.0) -> str:
        """A colour of this theme by name, for plotly."""
        r, g, b = getattr(self, name)
        return f"rgba({r},{g},{b},{opacity:g})"

    def mixed(self, name: str) -> str:
        """A colour of this theme, half faded into the paper (WebGL lines blend oddly)."""
        half = [(a + b) // 2 for a, b in zip(getattr(self, name), self.paper, strict=True)]
        return "rgb({},{},{})".format(*half)


LIGHT = Theme(
    name="light",
    paper=(255, 255, 255),
    ink=(31, 41, 51),
    quiet=(82, 96, 109),
    faint=(222, 227, 232),
    water=(226, 234, 240),
    land=(250, 250, 248),
    coast=(150, 163, 174),
    person=(0, 114, 178),
    other=(213, 94, 0),
    categories=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#56B4E9"),
    scale=(0.0, 0.8),
)
DARK = Theme(
    name="dark",
    paper=(18, 24, 31),
    ink=(232, 237, 242),
    quiet=(168, 180, 191),
    faint=(52, 62, 73),
    water=(24, 33, 43),
    land=(38, 48, 58),
    coast=(108, 124, 138),
    person=(86, 180, 233),
    other=(240, 150, 70),
    categories=("#56B4E9", "#F0964A", "#2CC295", "#E39CC4", "#F0E442", "#4F9BD9"),
    scale=(0.3, 1.0),
)
# One rhythm of heights: what a page is about, and what stands below it.
MAIN_PX, OTHER_PX = 430, 320
# Each measure's place in the palette, on every page; what is drawn in one figure differs.
_MEASURES = {
    "unicity": 0,
    "em": 1,
    "k": 2,
    "kl": 3,
    "recovered": 4,
    "count error": 1,
    "people": 0,
}
# Six values of k keep one colour, dash and marker each wherever they are drawn.
K_ORDER = (2, 5, 10, 25, 50, 100)
# The modebar holds one button, which saves a picture large enough to print, in the right margin:
# beside the legend, never over it.
CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg"},
    "showTips": False,
}


def theme(name: str | None) -> Theme:
    """The theme by Streamlit's name of it; light while it is not known."""
    return DARK if name == "dark" else LIGHT


def place_of(item: int, order: tuple[int, ...], others: list[int]) -> int:
    """The palette position of a category: its own if it has one, else the next free."""
    if item in order:
        return order.index(item)
    free = [i for i in range(len(DASHES)) if i >= len(order) or order[i] not in others]
    rest = [o for o in others if o not in order]
    return free[rest.index(item) % len(free)] if free else rest.index(item) % len(DASHES)


def graded(count: int, of: Theme) -> list[str]:
    """Colours for an ordered series, fine to coarse, from viridis without its palest end."""
    shares = [i / max(count - 1, 1) for i in range(count)]
    return ["rgb({}, {}, {})".format(*colour) for colour in viridis(shares, of)]


def viridis(shares: Iterable[float], of: Theme) -> list[Colour]:
    """Colours of values from 0 to 1, from the part of viridis that this theme can show."""
    low, high = of.scale
    scale = sample_colorscale("Viridis", [low + (high - low) * float(s) for s in shares])
    return [tuple(round(c) for c in unlabel_rgb(rgb)) for rgb in scale]


def axis(of: Theme, title: str, **more: Any) -> dict[str, Any]:
    """An axis of a plain two-dimensional figure; ``more`` as plotly's reference names it."""
    return {
        "gridcolor": of.css("faint"),
        "zerolinecolor": of.css("faint"),
        "linecolor": of.css("quiet"),
        "showline": True,
        "ticks": "outside",
        "tickcolor": of.css("quiet"),
        "tickfont": {"size": 14, "color": of.css("ink")},
        "title": {
            "text": title,
            "font": {"size": 15, "color": of.css("ink")},
            "standoff": 12,
        },
    } | more


def layout(
    of: Theme, xaxis: dict[str, Any], yaxis: dict[str, Any], *, height: int, **more: Any
) -> dict[str, Any]:
    """Type, margins, grid and legend of a plain two-dimensional figure."""
    return {
        "height": height,
        "margin": {"l": 64, "r": 40, "t": 40, "b": 56},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 14, "color": of.css("ink")},
        "hoverlabel": {
            "bgcolor": of.css("paper"),
            "bordercolor": of.css("quiet"),
            "font": {"family": FONT, "size": 14, "color": of.css("ink")},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 14, "color": of.css("ink")},
            "bgcolor": "rgba(0,0,0,0)",
            "itemwidth": 48,
            "entrywidth": 0,
        },
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": of.css("quiet"),
            "activecolor": of.css("ink"),
        },
        "xaxis": xaxis,
        "yaxis": yaxis,
        "dragmode": False,
    } | more


def figure(traces: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """A figure from plain dictionaries, in a millisecond.

    Plotly's own checks would take a tenth of a second for a figure, more than everything else that
    a click on the page costs; the tests make them instead, of every kind of figure.
    """
    return go.Figure(traces, layout, _validate=False)
