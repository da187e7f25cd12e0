"""Style of every figure: one palette, light and dark, with larger type for projection.

Colours follow Okabe and Ito's set, distinguishable with any colour vision, and never carry a
meaning alone: curves differ in dash and marker too. A measure keeps its colour in every figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale, unlabel_rgb

from .plain import untagged

FONT = '"Source Sans", "Segoe UI", Helvetica, Arial, sans-serif'
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
Colour = tuple[int, int, int]
Part = dict[str, Any]
"""Part of a figure, such as a series, an axis or a text: properties named as in plotly."""


@dataclass(frozen=True)
class Theme:
    """Colours of the light or the dark mode; maps need most of them as RGB triples."""

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
        """Return the colour of a measure, the same in every figure."""
        return self.categories[_MEASURES[name]]

    def css(self, name: str, opacity: float = 1.0) -> str:
        """Return a colour of this theme by name, for plotly."""
        r, g, b = getattr(self, name)
        return f"rgba({r},{g},{b},{opacity:g})"


LIGHT = Theme(
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
# Two heights: of a page's main figure, and of the figures below it.
MAIN_PX, OTHER_PX = 430, 320
# Each measure's place in the palette, on every page; measures drawn in one figure differ.
_MEASURES = {"unicity": 0, "em": 1, "k": 2, "kl": 3, "recovered": 4, "count error": 1, "people": 0}
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
    """Return the theme for the name that Streamlit gives; the light one while there is no name."""
    return DARK if name == "dark" else LIGHT


def place_of(item: int, order: tuple[int, ...], others: list[int]) -> int:
    """Return the palette position of a category: its own if it has one, else a free one.

    ``order`` lists the categories with positions of their own; ``others``, all that may be drawn.

    Examples
    --------
    >>> [place_of(10, K_ORDER, several) for several in ([2, 5, 10], [10])]
    [2, 2]
    >>> [place_of(k, K_ORDER, [2, 7, 8]) for k in (2, 7, 8)]
    [0, 1, 2]
    """
    if item in order:
        return order.index(item)
    free = [i for i in range(len(DASHES)) if i >= len(order) or order[i] not in others]
    rest = [o for o in others if o not in order]
    return free[rest.index(item) % len(free)] if free else rest.index(item) % len(DASHES)


def graded(count: int, of: Theme) -> list[str]:
    """Return colours for an ordered series, from the part of viridis that this theme can show."""
    shares = [i / max(count - 1, 1) for i in range(count)]
    return ["rgb({}, {}, {})".format(*colour) for colour in viridis(shares, of)]


def viridis(shares: Iterable[float], of: Theme) -> list[Colour]:
    """Return colours of values from 0 to 1, from the part of viridis that this theme can show."""
    low, high = of.scale
    scale = sample_colorscale("Viridis", [low + (high - low) * float(s) for s in shares])
    return [tuple(round(c) for c in unlabel_rgb(rgb)) for rgb in scale]


Axis = str | dict[str, Any]
"""Description of an axis: its title, or the title and further properties named as in plotly."""


def axis(of: Theme, wanted: Axis) -> Part:
    """Return an axis of a plain two-dimensional figure."""
    more = {"title": wanted} if isinstance(wanted, str) else wanted
    quiet, font = of.css("quiet"), {"size": 15, "color": of.css("ink")}
    return {
        "gridcolor": of.css("faint"),
        "zerolinecolor": of.css("faint"),
        "linecolor": quiet,
        "showline": True,
        "ticks": "outside",
        "tickcolor": quiet,
        "tickfont": font | {"size": 14},
        **more,
        "title": {"text": more.get("title", ""), "font": font, "standoff": 12},
    }


def figure(
    of: Theme, traces: list[Part], x: Axis, y: Axis, *, height: int = OTHER_PX, **more: Any
) -> go.Figure:
    """Return a plain two-dimensional figure with the type, margins, grid and legend of all figures.

    Parameters
    ----------
    **more
        Further layout properties, named as in plotly; ``margin`` and ``legend`` hold only
        changes to the usual ones.
    """
    ink, clear = of.css("ink"), "rgba(0,0,0,0)"
    font = {"family": FONT, "size": 14, "color": ink}
    margin = {"l": 64, "r": 40, "t": 40, "b": 56} | more.pop("margin", {})
    legend = {
        "orientation": "h",
        "x": 0,
        "y": 1.02,
        "yanchor": "bottom",
        "font": {"size": 14, "color": ink},
        "bgcolor": clear,
        "itemwidth": 48,
        "entrywidth": 0,
    } | more.pop("legend", {})
    label = {"bgcolor": of.css("paper"), "bordercolor": of.css("quiet"), "font": font}
    plain = {
        "height": height,
        "margin": margin,
        "paper_bgcolor": clear,
        "plot_bgcolor": clear,
        "font": font,
        "hoverlabel": label,
        "legend": legend,
        "modebar": {"bgcolor": clear, "color": of.css("quiet"), "activecolor": ink},
        "xaxis": axis(of, x),
        "yaxis": axis(of, y),
        "dragmode": False,
    }
    return unchecked(traces, plain | more)


def unchecked(traces: list[Part], layout: dict[str, Any]) -> go.Figure:
    """Return a figure from plain dictionaries, without links, and without plotly's own checks.

    All figures are made here. Plotly's checks would take a tenth of a second for a figure, more
    than everything else that a click on the page costs. The tests make these checks instead, on
    every kind of figure.

    Streamlit hands each figure to plotly twice. Plotly draws it only once if its data are lists
    with a stated revision and there is no template.
    """
    once = {"template": "none", "datarevision": 1}
    return go.Figure(untagged(traces), untagged(layout) | once, _validate=False)


# --- parts of figures ----------------------------------------------------------------------------

CATEGORIES: Final = {"type": "category", "showgrid": False, "automargin": True}
DOWNWARDS: Final = CATEGORIES | {"autorange": "reversed"}
"""Properties of an axis of names, with the first name on top."""


def rows_of(names: Sequence[str], least: int = 0) -> Part:
    """Return the properties of an axis of rows, from the top down, with room for ``least`` rows."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [max(len(names), least) - 0.5, -0.5],
        "automargin": True,
        "showgrid": False,
        "ticks": "",
        "zeroline": False,
    }


def percents(top: float, low: float = 0.0) -> Part:
    """Return the properties of an axis of shares, from ``low`` to ``top``."""
    return {"range": [low, top], "tickformat": ".0%", "dtick": 0.25}


def series(
    name: str, x: Iterable[Any], y: Iterable[Any], mode: str, hover: str = "", **more: Any
) -> Part:
    """Return a series of dots or lines.

    Parameters
    ----------
    hover : str
        Text of the tooltip; no tooltip if empty.
    **more
        Further properties, named as in plotly; ``beside``: text beside the tooltip, by default the
        name.
    """
    beside = more.pop("beside", name)
    x, y = (each if isinstance(each, np.ndarray) else list(each) for each in (x, y))
    told = {"hovertemplate": f"{hover}<extra>{beside}</extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "name": name, "x": x, "y": y, "mode": mode} | told | more


def bars(
    name: str,
    x: Iterable[Any],
    y: Iterable[Any],
    marker: dict[str, Any],
    hover: str,
    *,
    told: tuple[Theme, list[str]] | None = None,
    **more: Any,
) -> Part:
    """Return bars, upright by default; ``told`` holds the theme and the text at each bar."""
    trace = series(name, x, y, "", hover, type="bar", marker=marker, **more)
    del trace["mode"]
    if told is not None:
        font = {"size": 15, "color": told[0].css("ink")}
        trace |= {"text": told[1], "textposition": "outside", "textfont": font, "cliponaxis": False}
    return trace


def line(number: int, colour: str, width: float = 2.5) -> Part:
    """Return the line of a series, distinguished from others by its dashes, too."""
    return {"color": colour, "width": width, "dash": DASHES[number % len(DASHES)]}


def marker(number: int, size: float = 10, **more: Any) -> Part:
    """Return the dots of a series, distinguished from others by their shape, too."""
    return {"size": size, "symbol": MARKERS[number % len(MARKERS)], **more}


def interval(
    value: Iterable[float], low: Iterable[float], high: Iterable[float], colour: str, **more: Any
) -> Part:
    """Return bars of 95% intervals, without the ends that are not known."""
    several = list(zip(value, low, high, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [_part(end - at) for at, _, end in several],
        "arrayminus": [_part(at - end) for at, end, _ in several],
        "color": colour,
        "thickness": 1.5,
        "width": 4,
        **more,
    }


def _part(length: float) -> float:
    return max(length, 0.0) if math.isfinite(length) else 0.0


def known(values: Iterable[float]) -> list[float | None]:
    """Return the values with None, which is not drawn, in place of values that are not finite."""
    return [float(value) if math.isfinite(value) else None for value in values]


def note(of: Theme, text: str, x: float, y: float, size: int = 14, **more: Any) -> Part:
    """Return a text in a figure."""
    font = {"size": size, "color": of.css(more.pop("colour", "ink"))}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font, **more}


def upright(at: float, colour: str, **more: Any) -> Part:
    """Return a vertical line from the bottom to the top of the picture."""
    ends = {"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1}
    return ends | {"line": {"color": colour, "width": 1.5, "dash": "dot"}, **more}


def threshold(of: Theme, at: float, **more: Any) -> Part:
    """Return the line of a threshold, across the picture."""
    level = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at}
    return level | {"line": {"color": of.categories[1], "width": 2, "dash": "dash"}, **more}


def heatmap(
    of: Theme,
    x: Iterable[Any],
    y: Iterable[Any],
    z: Iterable[Iterable[float]],
    ends: tuple[float, float],
    hover: str,
    *,
    bar: dict[str, Any] | None = None,
    **more: Any,
) -> Part:
    """Return a heat map; its colours run between two values, and ``bar`` describes their scale."""
    ink = {"color": of.css("ink")}
    scale: dict[str, Any] = {"tickfont": ink, "outlinewidth": 0, **(bar or {})}
    if "title" in scale:
        scale["title"] = {"font": ink, **scale["title"]}
    return {
        "type": "heatmap",
        "x": list(x),
        "y": list(y),
        "z": [known(row) for row in z],
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": "Cividis",
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
        "hovertemplate": f"{hover}<extra></extra>",
        "showscale": bar is not None,
        "colorbar": scale,
        **more,
    }


def marks_legend(marks: dict[str, dict[str, Any]], of: Theme) -> go.Figure:
    """Return a legend of the marks of maps, by name, on one line."""
    traces = [series(name, [None], [None], "markers", marker=each) for name, each in marks.items()]
    still = {"itemclick": False, "itemdoubleclick": False}
    return figure(
        of,
        traces,
        {"visible": False},
        {"visible": False},
        height=36,
        margin={"l": 0, "r": 0, "t": 34, "b": 0},
        legend={"y": 0.0, "itemwidth": 30, "maxheight": 72} | still,
    )


# --- on a wall -----------------------------------------------------------------------------------

TYPE: Final = 1.25
"""Factor by which type is enlarged for projection."""
_LINES = 1.4
_NARROWEST_PX = 620  # of the inner part, beside the menu on a projector's screen
_LETTER = 0.52  # of the height of type: the mean width of a letter


def projected(figure: go.Figure, height: int) -> go.Figure:
    """Return a plotly figure with the given height, larger type and stronger lines."""
    spec = _larger(figure.to_dict())
    plain = spec["layout"]
    margin = {side: round(TYPE * px) for side, px in plain.get("margin", {}).items()}
    plain |= {"height": height, "margin": margin}
    _whole_titles(plain, height)
    return unchecked(spec["data"], plain)


def _whole_titles(plain: dict[str, Any], height: int) -> None:
    """Break titles of axes into lines that fit, and enlarge the margins for them."""
    margin = plain.get("margin", {})
    tall = height - margin.get("t", 0) - margin.get("b", 0)
    for name, along in ((n, tall if n[0] == "y" else _NARROWEST_PX) for n in plain if "axis" in n):
        title = plain[name].get("title") or {}
        if not title.get("text"):
            continue
        low, high = plain[name].get("domain") or (0.0, 1.0)
        size = title.get("font", {}).get("size", 14)
        letters = max(8, math.floor(along * (high - low) / (_LETTER * size)))
        lines = wrap(title["text"], letters, break_long_words=False)
        plain[name] |= {"title": title | {"text": "<br>".join(lines)}, "automargin": True}


def _larger(part: Any, of: str = "") -> Any:
    """Enlarge all sizes of type, widths of lines and sizes of single markers."""
    if isinstance(part, dict):
        return {name: _grown(name, value, of) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_larger(value, of) for value in part]
    return part


def _grown(name: str, value: Any, of: str) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if name == "size" and of.endswith("font"):
            return TYPE * value
        if (name, of) in (("width", "line"), ("size", "marker")):
            return _LINES * value
        if name in ("itemwidth", "standoff"):
            return TYPE * value
        return value
    return _larger(value, name)
