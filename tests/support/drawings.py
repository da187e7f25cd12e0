"""Figures and maps as text for reviewed snapshots: what is drawn, by trace and by layer."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

# Of a figure's layout what says something; colours, fonts and margins are those of every figure.
SAID = {
    *("range", "ticktext", "tickvals", "domain", "height", "showlegend", "automargin"),
    *("text", "x", "y", "xanchor", "x0", "x1", "y0", "y1"),
}
ALIKE = {
    *("legend", "hoverlabel", "font", "textfont", "hovertemplate", "hoverinfo", "type"),
    *("standoff", "template", "cliponaxis"),
}


def figure_lines(figure: go.Figure) -> list[str]:
    """Each trace with all that it holds, then axes, notes and lines; plotly checks the figure."""
    whole = figure.to_dict()
    go.Figure(whole)  # with plotly's own checks, which the pages do without
    traces = [f"trace: {_joined(_flat(trace))}" for trace in whole["data"]]
    layout = {name: [*_flat({name: part})] for name, part in whole["layout"].items()}
    said = {
        name: [(at, value) for at, value in held if at.rpartition(".")[2] in SAID]
        for name, held in layout.items()
    }
    return [*traces, *(_joined(held) for held in said.values() if held)]


def map_lines(deck: Any, *layers: str) -> list[str]:
    """What each of these layers of a map holds; nothing of one that is not there."""
    held = {layer["id"]: layer["data"] for layer in json.loads(deck.to_json())["layers"]}
    return [f"{name}: {_value(held[name])}" for name in layers if name in held]


def _flat(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict) and "bdata" in part:
        yield name, np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
    elif isinstance(part, dict):
        for key, value in part.items():
            if key not in ALIKE:
                yield from _flat(value, f"{name}.{key}" if name else key)
    elif isinstance(part, list | tuple) and part and isinstance(part[0], dict):
        for i, each in enumerate(part):
            yield from _flat(each, f"{name}.{i}")
    else:
        yield name, part


def _joined(held: Any) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in held)


def _value(value: Any) -> str:
    """Numbers to six digits: their last bits are the machine's."""
    if isinstance(value, float):
        return f"{round(value, 9):.6g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_value(each)}" for key, each in value.items()) + "}"
    if hasattr(value, "tolist"):
        return _value(value.tolist())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
