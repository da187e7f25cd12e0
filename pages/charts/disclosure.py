"""Figures of what an attacker learns: measures over profiles, over the week, and across people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from . import style
from .style import Part, Theme, series

_GAP = 0.075  # between panels, of the height; holds the heading of the next
# From opposite orders to the same order; pale enough for dark numbers everywhere, in both themes.
_AGREEMENT = [[0, "#F0964A"], [0.5, "#F4F4F4"], [1, "#56B4E9"]]
_BESIDE = {"r": 16, "t": 16}  # margins
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Series:
    """One measure over the profiles, with 95% intervals."""

    name: str
    value: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """Series of one measure, on one scale.

    Attributes
    ----------
    measure : str
        ``"unicity"``, ``"k"``, ``"em"`` or ``"kl"``: sets the colour.
    heading : str
        What the scale measures, with its unit.
    ticks, hover : str
        Plotly formats, such as ``".0%"``.
    limit : float or None
        The threshold, drawn as a line.
    """

    measure: str
    heading: str
    series: Sequence[Series]
    ticks: str
    hover: str
    limit: float | None = None


def over_profiles(
    profiles: Sequence[str], panels: Sequence[Panel], of: Theme, *, height: int = 720
) -> go.Figure:
    """Return a figure of several measures, one panel below the other, over the same profiles."""
    traces: list[Part] = []
    axes: dict[str, dict[str, Any]] = {}
    headings, lines = [], []
    tall = (1 - _GAP * (len(panels) - 1)) / len(panels)
    over = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    for row, panel in enumerate(panels):
        top = 1 - row * (tall + _GAP)
        number = "" if row == 0 else str(row + 1)
        colour = of.measure(panel.measure)
        traces += [
            series(
                s.name,
                profiles,
                s.value,
                "markers",  # profiles are categories: nothing lies between two of them
                f"%{{x}}: %{{y:{panel.hover}}}",
                showlegend=len(panel.series) > 1,
                error_y=style.interval(s.value, s.low, s.high, colour),
                marker=style.marker(i, color=colour),
                yaxis=f"y{number}",
            )
            for i, s in enumerate(panel.series)
        ]
        axes[f"yaxis{number}"] = {
            "domain": [top - tall, top],
            "rangemode": "tozero",
            "tickformat": panel.ticks,
            "nticks": 4 if len(panels) > 1 else 6,
            "automargin": True,
        }
        headings.append(style.note(of, f"<b>{panel.heading}</b>", 0, top, 15, **over))
        if panel.limit is not None:
            ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": panel.limit, "y1": panel.limit}
            line = {"color": of.categories[1], "width": 2, "dash": "dash"}
            lines.append(ends | {"type": "line", "yref": f"y{number}", "line": line})
            told = f"threshold {100 * panel.limit:.3g}%"
            at: Part = {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
            headings.append(style.note(of, told, 0.01, panel.limit, yref=f"y{number}", **at))
    across = {
        "title": "Areas and times as published (profile), most people singled out first",
        "type": "category",
        "anchor": "free",
        "position": 0,
        "automargin": True,
    }
    first = axes.pop("yaxis")
    return style.figure(
        of,
        traces,
        across,
        first,
        height=height,
        annotations=headings,
        shapes=lines,
        # The legend names the series of panels with several; it is beside the first heading.
        legend={"x": 1, "xanchor": "right", "y": 1.0},
        **{name: style.axis(of, each) for name, each in axes.items()},
    )


def hours_of_week(values: FloatArray, weekdays: bool, title: str, of: Theme) -> go.Figure:
    """Return a heat map of the week, days down and hours across; days without values are left out.

    Parameters
    ----------
    values : float64 ndarray (7, 24)
        NaN where there is no value.
    weekdays : bool
        Whether the first row is Monday; otherwise it is the first day of the data.
    title : str
        Title of the colour bar.
    """
    days = [d for d in range(7) if np.isfinite(values[d]).any()]
    trace = style.heatmap(
        of,
        range(24),
        [WEEK[d] if weekdays else f"Day {d + 1}" for d in days],
        values[days],
        (0, float(np.nanmax(values)) or 1.0),
        "%{y}, %{x} h: %{z:.3g}",
        bar={"title": {"text": title, "side": "right"}},
        xgap=0,
    )
    hours = {"title": "Hour of the day (local time)", "dtick": 3, "range": [-0.5, 23.5]}
    across = hours | {"showgrid": False}
    return style.figure(of, [trace], across, style.DOWNWARDS, margin=_BESIDE)


def agreement(names: Sequence[str], tau: FloatArray, of: Theme) -> go.Figure:
    """Return a heat map of Kendall's τ between each measure (down) and each earlier one (across).

    Parameters
    ----------
    names : sequence of str
        Names of the m measures.
    tau : float64 ndarray (m, m)
        Read below the diagonal only.
    """
    below = tau[1:, :-1]
    trace = style.heatmap(
        of,
        names[:-1],
        names[1:],
        below,
        (-1, 1),
        "%{y} and %{x}: τ = %{z:.2f}",
        colorscale=_AGREEMENT,
        text=[
            ["" if x > y else "none" if np.isnan(v) else f"{v:.2f}" for x, v in enumerate(row)]
            for y, row in enumerate(below)
        ],
        texttemplate="%{text}",
        textfont={"size": 14, "color": style.LIGHT.css("ink")},
    )
    bare = {"showline": False}
    return style.figure(
        of, [trace], style.CATEGORIES | bare, style.DOWNWARDS | bare, margin=_BESIDE
    )


def lorenz_curves(
    curves: Sequence[tuple[str, str, FloatArray, FloatArray]], of: Theme
) -> go.Figure:
    """Return Lorenz curves, each given by measure, name, and shares of people and disclosure."""
    even = {"color": of.css("quiet"), "width": 1.5, "dash": "dot"}
    traces = [series("all alike", [0, 1], [0, 1], "lines", line=even)]
    for i, (measure, name, users, total) in enumerate(curves):
        at = np.unique(np.linspace(0, len(users) - 1, 512).round().astype(int))
        told = "the least exposed %{x:.0%} bear %{y:.0%}"
        dashed = style.line(i, of.measure(measure))
        traces.append(series(name, users[at], total[at], "lines", told, line=dashed))
    return style.figure(
        of,
        traces,
        {"title": "People, from the least to the most exposed"} | style.percents(1.01),
        {"title": "Share of all disclosure"} | style.percents(1.01),
    )
