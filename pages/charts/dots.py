"""What do the dots of a map of places stand for? Its legend."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from .maps import dots_of
from .style import Theme, axis, figure, layout


def dots_legend(most: int, of: Theme, *, noun: str = "samples", height: int = 84) -> go.Figure:
    """Dots of a few counts, as large and as bright as :func:`.maps.places_map` draws them.

    Parameters
    ----------
    most : int
        The count of the map's largest dot.
    noun : str
        What is counted, several of it.
    """
    counts = legend_counts(most)
    radii, colours = dots_of(np.array(counts), most, of)
    dots = {
        "type": "scatter",
        "mode": "markers+text",
        "x": list(range(len(counts))),
        "y": [0] * len(counts),
        "text": [f"{n:,}" for n in counts],
        "textposition": "bottom center",
        "textfont": {"size": 14, "color": of.css("ink")},
        "marker": {
            "size": [2 * r for r in radii],
            "color": ["rgb({}, {}, {})".format(*c) for c in colours],
            "opacity": 0.75,
            "line": {"width": 0},
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    return figure(
        [dots],
        layout(
            of,
            axis(
                of, f"{noun.capitalize()} in one place", range=[-0.5, len(counts) - 0.5],
                showgrid=False, showline=False, ticks="", showticklabels=False, zeroline=False,
            ),
            axis(of, "", visible=False, range=[-1.6, 1]),
            height=height,
            showlegend=False,
            margin={"l": 16, "r": 16, "t": 4, "b": 32},
        ),
    )  # fmt: skip


def legend_counts(most: int) -> list[int]:
    """Powers of ten below the largest count, and the largest itself; at most five.

    Examples
    --------
    >>> legend_counts(1), legend_counts(7), legend_counts(4_321)
    ([1], [1, 7], [1, 10, 100, 1000, 4321])
    """
    tens = [10**e for e in range(len(str(most))) if 10**e < most]
    if len(tens) > 1 and most < 2 * tens[-1]:  # else their dots look alike
        tens.pop()
    step = -(-len(tens) // 4) or 1
    return [*tens[::step], most]
