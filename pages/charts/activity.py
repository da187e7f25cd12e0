"""How much is known of each user? A histogram of samples per user.

What do the dots of a map of places stand for? Its legend.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from .maps import dots_of
from .style import OTHER_PX, Theme, axis, figure, layout

_BARS = 40


def samples_per_user(
    samples: npt.NDArray[np.int64], of: Theme, *, height: int = OTHER_PX
) -> go.Figure:
    """Histogram with bars of equal width, the median marked; a logarithmic axis for long tails."""
    long_tail = samples.max() > 50 * max(np.median(samples), 1)
    if long_tail:
        edges = np.unique(np.round(np.geomspace(samples.min(), samples.max() + 1, _BARS + 1)))
    else:
        width = max(1, int(np.ceil((samples.max() - samples.min() + 1) / _BARS)))
        edges = np.arange(samples.min(), samples.max() + width + 1, width)
    if len(edges) < 2:
        edges = np.array([samples.min(), samples.min() + 1])
    count, _ = np.histogram(samples, edges)
    bars = {
        "type": "bar",
        "x": edges[:-1],
        "y": count,
        "width": np.diff(edges) * (0.94 if not long_tail else 0.9),
        "offset": 0,
        "marker": {"color": of.measure("people")},
        "customdata": edges[1:] - 1,
        "hovertemplate": "%{y} users with %{x:.0f} to %{customdata:.0f} samples<extra></extra>",
    }
    median = float(np.median(samples))
    line = {
        "type": "line",
        "x0": median,
        "x1": median,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": of.css("ink"), "width": 1.5, "dash": "dot"},
    }
    label = {
        "x": np.log10(median) if long_tail else median,
        "y": 1.0,
        "yref": "paper",
        "text": f"median {median:.0f}",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": 14, "color": of.css("ink")},
    }
    return figure(
        [bars],
        layout(
            of,
            axis(of, "Samples per user", type="log" if long_tail else "linear"),
            axis(of, "Users", rangemode="tozero"),
            height=height,
            showlegend=False,
            shapes=[line],
            annotations=[label],
        ),
    )


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
                of,
                f"{noun.capitalize()} in one place",
                range=[-0.5, len(counts) - 0.5],
                showgrid=False,
                showline=False,
                ticks="",
                showticklabels=False,
                zeroline=False,
            ),
            axis(of, "", visible=False, range=[-1.6, 1]),
            height=height,
            showlegend=False,
            margin={"l": 16, "r": 16, "t": 4, "b": 32},
        ),
    )


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
