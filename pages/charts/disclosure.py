"""Figures of what an attacker learns: measures over profiles, over the week, and across people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from . import style
from .style import Part, Theme, series

_BESIDE = {"r": 16, "t": 16}  # margins
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Measured:
    """One measure over the profiles.

    Attributes
    ----------
    measure : str
        ``"unicity"``, ``"k"``, ``"em"`` or ``"kl"``: sets the colour.
    heading : str
        What the scale measures, with its unit.
    series : mapping of str to (values, lower ends, upper ends)
        Values over the profiles with their 95% intervals, by name.
    ticks, hover : str
        Plotly formats, such as ``".0%"``.
    limit : float or None
        The threshold, drawn as a line.
    """

    measure: str
    heading: str
    series: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]]
    ticks: str
    hover: str
    limit: float | None = None


def over_profiles(profiles: Sequence[str], seen: Measured, of: Theme) -> go.Figure:
    """Return a figure of one measure over profiles, with its intervals and its threshold."""
    colour = of.measure(seen.measure)
    traces = [
        series(
            name,
            profiles,
            values[0],
            "markers",  # profiles are categories: nothing lies between two of them
            f"%{{x}}: %{{y:{seen.hover}}}",
            showlegend=len(seen.series) > 1,
            error_y=style.interval(*values, colour),
            marker=style.marker(i, color=colour),
        )
        for i, (name, values) in enumerate(seen.series.items())
    ]
    over: Part = {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
    notes = [style.note(of, f"<b>{seen.heading}</b>", 0, 1.0, 15, yref="paper", **over)]
    lines = []
    if seen.limit is not None:
        lines.append(style.threshold(of, seen.limit))
        told = f"threshold {100 * seen.limit:.3g}%"
        notes.append(style.note(of, told, 0.01, seen.limit, yref="y", **over))
    across = {
        "title": "Areas and times as published (profile), most people singled out first",
        "type": "category",
        "automargin": True,
    }
    up = {"rangemode": "tozero", "tickformat": seen.ticks, "nticks": 6, "automargin": True}
    return style.figure(
        of,
        traces,
        across,
        up,
        height=style.MAIN_PX,
        annotations=notes,
        shapes=lines,
        # The legend names the series if there are several; it is beside the heading.
        legend={"x": 1, "xanchor": "right", "y": 1.0},
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
