"""A figure as it goes on a wall: the same, with type and lines that the last row can read."""

from __future__ import annotations

from math import floor
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go
import pydeck as pdk

from .maps import Map

TYPE = 1.25
"""By how much type grows."""
_LINES = 1.4
_NARROWEST_PX = 620  # of the inner part, beside the menu on a projector's screen
_LETTER = 0.52  # of the height of type: the mean width of a letter


def projected(figure: Any, height: int) -> Any:
    """A plotly figure or a map, of that height, with larger type and stronger lines."""
    if isinstance(figure, pdk.Deck):
        return _map(figure, height)
    spec = _larger(figure.to_dict())
    plain = spec["layout"]
    margin = {side: round(TYPE * px) for side, px in plain.get("margin", {}).items()}
    plain |= {"height": height, "margin": margin}
    _whole_titles(plain, height)
    return go.Figure(spec["data"], plain, _validate=False)


def _whole_titles(plain: dict[str, Any], height: int) -> None:
    """Titles of axes broken into lines that fit, and margins that grow with them."""
    margin = plain.get("margin", {})
    tall = height - margin.get("t", 0) - margin.get("b", 0)
    for name, along in ((n, tall if n[0] == "y" else _NARROWEST_PX) for n in plain if "axis" in n):
        title = plain[name].get("title") or {}
        if not title.get("text"):
            continue
        low, high = plain[name].get("domain") or (0.0, 1.0)
        size = title.get("font", {}).get("size", 14)
        letters = max(8, floor(along * (high - low) / (_LETTER * size)))
        lines = wrap(title["text"], letters, break_long_words=False)
        plain[name] |= {"title": title | {"text": "<br>".join(lines)}, "automargin": True}


def _map(deck: Map, height: int) -> Map:
    for layer in deck.layers:
        if layer.type == "TextLayer":
            layer.get_size = TYPE * layer.get_size
    deck.height = height
    return deck


def _larger(part: Any, of: str = "") -> Any:
    """All sizes of type, widths of lines and sizes of single markers grown."""
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
