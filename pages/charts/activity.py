"""How much is known of each user? A histogram of samples per user."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

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
