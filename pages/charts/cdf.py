"""What share of the users has at most this value? Step CDFs from 0, at most 512 points a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from .style import DASHES, MARKERS, Theme, frame

MAX_POINTS = 512
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """One curve of a figure.

    Attributes
    ----------
    name : str
    values : ndarray
        One per user; NaN (undefined) values are left out.
    colour : str
    style : int
        Position in the lists of dashes and markers.
    users : ndarray or None
        Row number of each value's user, so that a click on the curve names one.
    """

    name: str
    values: FloatArray
    colour: str
    style: int
    users: npt.NDArray[np.int64] | None = None


def cdf(
    curves: Sequence[Curve],
    of: Theme,
    *,
    x_title: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    y_title: str = "Share of users",
    references: Sequence[tuple[float, str]] = (),
    height: int = 440,
) -> go.Figure:
    """Figure of step CDFs; the dot on each curve marks its median.

    Parameters
    ----------
    references : sequence of (x, label)
        Vertical lines to compare with.
    """
    figure = go.Figure()
    for curve in curves:
        x, y, index = step_points(curve.values)
        users = curve.users[index] if curve.users is not None else None
        line = {"color": curve.colour, "width": 2.5, "dash": DASHES[curve.style % len(DASHES)]}
        figure.add_scatter(
            x=np.concatenate(
                [[min(0.0, x_range[0])], x, [max(x_range[1], x[-1] if len(x) else 0)]]
            ),
            y=np.concatenate([[0.0], y, [1.0]]),
            mode="lines",
            line=line | {"shape": "hv"},
            name=curve.name,
            legendgroup=curve.name,
            showlegend=False,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers",
            marker={"color": curve.colour, "size": 8, "opacity": 0.0},
            selected={"marker": {"opacity": 1.0}},
            unselected={"marker": {"opacity": 0.0}},
            customdata=users,
            name=curve.name,
            legendgroup=curve.name,
            showlegend=False,
            hovertemplate="%{y:.0%} of users ≤ %{x:.3f}<extra>" + curve.name + "</extra>",
        )
        if len(x):
            figure.add_scatter(
                x=[float(np.nanmedian(curve.values))],
                y=[0.5],
                mode="lines+markers",
                line=line,
                marker={
                    "color": curve.colour,
                    "size": 11,
                    "symbol": MARKERS[curve.style % len(MARKERS)],
                    "line": {"color": of.css("paper"), "width": 1.5},
                },
                unselected={"marker": {"opacity": 1.0}},
                name=curve.name,
                legendgroup=curve.name,
                hovertemplate="median %{x:.3f}<extra>" + curve.name + "</extra>",
            )
    for at, label in references:
        figure.add_vline(
            x=at,
            line={"color": of.css("quiet"), "width": 1, "dash": "dot"},
            annotation={
                "text": label,
                "font": {"size": 13, "color": of.css("quiet")},
                "textangle": -90,
                "xanchor": "right",
                "yanchor": "bottom",
                "y": 0.02,
            },
        )
    frame(figure, of, height=height)
    figure.update_xaxes(title_text=x_title, range=list(x_range))
    figure.update_yaxes(title_text=y_title, range=[0, 1.005], tickformat=".0%", dtick=0.25)
    figure.update_layout(hovermode="closest", hoverdistance=30, clickmode="event+select")
    return figure


def step_points(
    values: npt.ArrayLike, max_points: int = MAX_POINTS
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    """Points of the empirical CDF: value, share of values ≤ it, and which value it is.

    All of them when there are few; otherwise the quantiles at even steps with the smallest and
    largest. NaN counts neither above nor below.
    """
    all_values = np.asarray(values, np.float64)
    order = np.argsort(all_values, kind="stable")[: int(np.isfinite(all_values).sum())]
    n = len(order)
    if n == 0:
        return np.empty(0), np.empty(0), np.empty(0, np.int64)
    rank = np.unique(np.linspace(0, n - 1, min(n, max_points)).round().astype(np.int64))
    ordered = all_values[order]
    # Equal values are one step, as high as the last of them.
    below = np.searchsorted(ordered, ordered[rank], side="right")
    return ordered[rank], below / n, order[rank]
