"""One group over time: what is published for all of it, beside what each member recorded.

Two panels above each other, east and north, over one axis of time. A published sample is a box in
both: as wide as its span of time, as high as its area.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from . import timeline
from .spacetime import Path3D
from .style import MARKERS, Theme, axis, figure, layout

_PANELS = (("East (km)", "y", "east_km", 0), ("North (km)", "y2", "north_km", 1))
_GAP = 0.06  # between the panels, of the height


def group_over_time(
    members: Sequence[Path3D],
    others: Path3D | None,
    cells: FloatArray,
    days: list[str],
    of: Theme,
    *,
    height: int = 520,
) -> go.Figure:
    """Figure of a group's published boxes, and its members' own samples as dots.

    Parameters
    ----------
    members : sequence of Path3D
        Those drawn in colours of their own.
    others : Path3D or None
        The samples of all other members, in one colour.
    cells : ndarray (m, 6)
        East, north (km) and local minutes of the lower and of the upper corner of each box.
    days : list of str
        Date of each local day from the first on, for the ticks of the time axis.
    """
    drawn = [*members, *([others] if others is not None else [])]
    traces: list[dict[str, Any]] = []
    for number, (_, y_axis, along, at) in enumerate(_PANELS):
        first = number == 0
        traces += _boxes(cells, at, y_axis, days, of, first)
        if others is not None:
            dots = _dots(others, along, y_axis, days, of.css("quiet", 0.6), "circle-open", first)
            traces.append(dots)
        for i, path in enumerate(members):
            colour = of.categories[i % len(of.categories)]
            symbol = MARKERS[i % len(MARKERS)]
            traces.append(_dots(path, along, y_axis, days, colour, symbol, first))
    times = np.concatenate([*(p.wall_min for p in drawn), cells[:, 2], cells[:, 5]])
    ticks, text = timeline.ticks(times, days)
    span = max(float(np.ptp(times)), 1.0)
    ends = [float(times.min()) - 0.01 * span, float(times.max()) + 0.01 * span]
    x_axis = axis(of, "", range=ends, tickvals=ticks, ticktext=text, anchor="y2")
    middle = (1 - _GAP) / 2
    panels = {
        "yaxis": axis(of, _PANELS[0][0], domain=[1 - middle, 1]),
        "yaxis2": axis(of, _PANELS[1][0], domain=[0, middle]),
    }
    plain = layout(of, x_axis, panels["yaxis"], height=height, hovermode="closest")
    return figure(traces, plain | {"yaxis2": panels["yaxis2"]})


def _boxes(
    cells: FloatArray, at: int, y_axis: str, days: list[str], of: Theme, first: bool
) -> list[dict[str, Any]]:
    """All boxes as one shape with gaps; and, in the middle of each, what it says to the mouse."""
    low, high, start, end = cells[:, at], cells[:, at + 3], cells[:, 2], cells[:, 5]
    gap = np.full(len(cells), np.nan)
    common = {
        "type": "scatter",
        "name": "published for all",
        "legendgroup": "published",
        "yaxis": y_axis,
    }
    shape = common | {
        "x": np.column_stack([start, end, end, start, start, gap]).ravel(),
        "y": np.column_stack([low, low, high, high, low, gap]).ravel(),
        "mode": "lines",
        "fill": "toself",
        "fillcolor": of.css("quiet", 0.16),
        "line": {"color": of.css("quiet", 0.8), "width": 1},
        "hoverinfo": "skip",
        "showlegend": first,
    }
    told = common | {
        "x": (start + end) / 2,
        "y": (low + high) / 2,
        "mode": "markers",
        "marker": {"color": of.css("quiet"), "size": 9, "opacity": 0.0},
        "showlegend": False,
        "text": [
            f"{timeline.clock(a, days)} to {timeline.clock(b, days)}<br>{y - x:.1f} km"
            for a, b, x, y in zip(start, end, low, high, strict=True)
        ],
        "hovertemplate": "%{text}<extra>published for all</extra>",
    }
    return [shape, told]


def _dots(
    path: Path3D, along: str, y_axis: str, days: list[str], colour: str, symbol: str, first: bool
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": path.wall_min,
        "y": getattr(path, along),
        "yaxis": y_axis,
        "mode": "markers",
        "marker": {"color": colour, "size": 7, "symbol": symbol},
        "name": path.name,
        "legendgroup": path.name,
        "showlegend": first,
        "text": [timeline.clock(m, days) for m in path.wall_min],
        "hovertemplate": "%{text}, %{y:.1f} km<extra>%{fullData.name}</extra>",
    }
