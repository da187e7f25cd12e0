"""What does an outsider learn? Measures over profiles, the week, and who bears it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from .style import DASHES, LIGHT, MARKERS, OTHER_PX, Theme, axis, figure, graded, layout, viridis

_GAP = 0.075  # between panels, of the height; holds the heading of the next
# From opposite orders to the same one; pale enough for dark figures on all of it, in both themes.
_AGREEMENT = [[0, "#F0964A"], [0.5, "#F4F4F4"], [1, "#56B4E9"]]
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Series:
    """A measure over the profiles, with 95 % intervals."""

    name: str
    value: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """Series of one measure, on a scale of their own.

    Attributes
    ----------
    measure : str
        ``"unicity"``, ``"k"``, ``"em"`` or ``"kl"``: the colour.
    heading : str
        What the scale measures, with its unit.
    ticks, hover : str
        Formats of plotly, such as ``".0%"``.
    """

    measure: str
    heading: str
    series: Sequence[Series]
    ticks: str
    hover: str


def over_profiles(
    profiles: Sequence[str], panels: Sequence[Panel], of: Theme, *, height: int = 720
) -> go.Figure:
    """Figure of several measures, one panel below the other, over the same profiles."""
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    headings = []
    ticks = 4 if len(panels) > 1 else 6
    tall = (1 - _GAP * (len(panels) - 1)) / len(panels)
    for row, panel in enumerate(panels):
        top = 1 - row * (tall + _GAP)
        name = "y" if row == 0 else f"y{row + 1}"
        colour = of.measure(panel.measure)
        for i, s in enumerate(panel.series):
            traces.append(_series(profiles, panel, s, i, colour) | {"yaxis": name})
        axes[name.replace("y", "yaxis")] = axis(
            of,
            "",
            domain=[top - tall, top],
            rangemode="tozero",
            tickformat=panel.ticks,
            nticks=ticks,
            automargin=True,
        )
        headings.append(
            {
                "text": f"<b>{panel.heading}</b>",
                "xref": "paper",
                "yref": "paper",
                "x": 0,
                "y": top,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 15, "color": of.css("ink")},
            }
        )
    first = axes.pop("yaxis")
    labels = axis(
        of,
        "Generalization profile, from most to least unique",
        type="category",
        anchor="free",
        position=0,
        automargin=True,
    )
    plain = layout(of, labels, first, height=height, hovermode="closest", annotations=headings)
    # The legend names the lines of the panels with several; it stands beside the first heading.
    plain["legend"] |= {"x": 1, "xanchor": "right", "y": 1.0}
    plain["margin"] |= {"t": 40}
    return figure(traces, plain | axes)


def _series(
    profiles: Sequence[str], panel: Panel, s: Series, number: int, colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": s.name,
        "showlegend": len(panel.series) > 1,
        "x": list(profiles),
        "y": list(s.value),
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [h - v for h, v in zip(s.high, s.value, strict=True)],
            "arrayminus": [v - low for low, v in zip(s.low, s.value, strict=True)],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        "mode": "markers",  # profiles are categories: nothing lies between two of them
        "marker": {"size": 10, "symbol": MARKERS[number % len(MARKERS)], "color": colour},
        "hovertemplate": f"%{{x}}: %{{y:{panel.hover}}}<extra>{s.name}</extra>",
    }


def hours_of_week(
    values: FloatArray, weekdays: bool, title: str, of: Theme, *, height: int = OTHER_PX
) -> go.Figure:
    """Heat map, days down and hours across, of shape (7, 24); days without a value are left out.

    Parameters
    ----------
    weekdays : bool
        Whether the first row is Monday; otherwise it is the first day of the data.
    title : str
        Of the colour bar.
    """
    days = [d for d in range(7) if np.isfinite(values[d]).any()]
    names = [WEEK[d] if weekdays else f"Day {d + 1}" for d in days]
    z = [[None if np.isnan(v) else float(v) for v in values[d]] for d in days]
    trace = {
        "type": "heatmap",
        "x": list(range(24)),
        "y": names,
        "z": z,
        "zmin": 0,
        "zmax": float(np.nanmax(values)) or 1.0,
        "colorscale": "Cividis",
        "ygap": 2,
        "hoverongaps": False,
        "hovertemplate": "%{y}, %{x} h: %{z:.3g}<extra></extra>",
        "colorbar": _bar(of, title),
    }
    return figure(
        [trace],
        layout(
            of,
            axis(of, "Hour of the day (local time)", dtick=3, range=[-0.5, 23.5], showgrid=False),
            axis(of, "", type="category", autorange="reversed", showgrid=False, automargin=True),
            height=height,
            margin={"l": 64, "r": 16, "t": 16, "b": 56},
        ),
    )


def agreement(
    names: Sequence[str], tau: FloatArray, of: Theme, *, height: int = OTHER_PX
) -> go.Figure:
    """Kendall's τ of each measure (down) with every earlier one (across); shape (m, m)."""
    down, across = list(names[1:]), list(names[:-1])
    below = tau[1:, :-1]
    trace = {
        "type": "heatmap",
        "x": across,
        "y": down,
        "z": [[float(v) if np.isfinite(v) else None for v in row] for row in below],
        "zmin": -1,
        "zmax": 1,
        "colorscale": _AGREEMENT,
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
        "text": [
            ["" if x > y else "none" if np.isnan(v) else f"{v:.2f}" for x, v in enumerate(row)]
            for y, row in enumerate(below)
        ],
        "texttemplate": "%{text}",
        "textfont": {"size": 14, "color": LIGHT.css("ink")},
        "hovertemplate": "%{y} and %{x}: τ = %{z:.2f}<extra></extra>",
        "showscale": False,
    }
    return figure(
        [trace],
        layout(
            of,
            axis(of, "", type="category", showgrid=False, automargin=True, showline=False),
            axis(
                of,
                "",
                type="category",
                autorange="reversed",
                showgrid=False,
                automargin=True,
                showline=False,
            ),
            height=height,
            margin={"l": 64, "r": 16, "t": 16, "b": 56},
        ),
    )


def lorenz_curves(
    curves: Sequence[tuple[str, str, FloatArray, FloatArray]], of: Theme, *, height: int = OTHER_PX
) -> go.Figure:
    """Figure of Lorenz curves: measure, name, share of people, share of all disclosure."""
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "name": "all alike",
            "x": [0, 1],
            "y": [0, 1],
            "mode": "lines",
            "line": {"color": of.css("quiet"), "width": 1.5, "dash": "dot"},
            "hoverinfo": "skip",
        }
    ]
    for i, (measure, name, users, total) in enumerate(curves):
        at = np.unique(np.linspace(0, len(users) - 1, 512).round().astype(int))
        traces.append(
            {
                "type": "scatter",
                "name": name,
                "x": users[at].tolist(),
                "y": total[at].tolist(),
                "mode": "lines",
                "line": {
                    "color": of.measure(measure),
                    "width": 2.5,
                    "dash": DASHES[i],
                },
                "hovertemplate": "the least exposed %{x:.0%} bear %{y:.0%}<extra></extra>",
            }
        )
    share = {"range": [0, 1.01], "tickformat": ".0%", "dtick": 0.25}
    return figure(
        traces,
        layout(
            of,
            axis(of, "Users, from the least to the most exposed", **share),
            axis(of, "Share of all disclosure", **share),
            height=height,
            hovermode="closest",
        ),
    )


@dataclass(frozen=True)
class Shades:
    """Colours of values by a scale from ``low`` to ``high``, logarithmic where both are positive.

    Attributes
    ----------
    colours : list of str
        Such as ``"#440154"``, one per value.
    """

    low: float
    high: float
    colours: list[str]


def shades(values: FloatArray, of: Theme) -> Shades:
    """Viridis, as in the other maps; the lowest hundredth of the values share its end."""
    low, high = float(np.quantile(values, 0.01)), float(values.max())
    if low > 0 and high > low:
        at = np.log(np.clip(values, low, high) / low) / np.log(high / low)
    else:
        low = 0.0
        at = values / high if high > 0 else np.zeros(len(values))
    return Shades(low, high, ["#{:02x}{:02x}{:02x}".format(*c) for c in viridis(at, of)])


def scale_bar(by: Shades, title: str, of: Theme, *, height: int = 84) -> go.Figure:
    """The legend of a map: its colours along an axis."""
    positive = by.low > 0
    edges = (np.geomspace if positive else np.linspace)(by.low, by.high or 1.0, 65)
    colours = graded(64, of)
    bars = {
        "type": "bar",
        "x": ((edges[1:] + edges[:-1]) / 2).tolist(),
        "y": [1] * 64,
        "base": 0,
        "width": np.diff(edges).tolist(),
        "marker": {"color": list(colours), "line": {"width": 0}},
        "hoverinfo": "skip",
    }
    if positive:
        ticks = _round_between(by.low, by.high)
        across = axis(
            of,
            title,
            type="log",
            tickvals=ticks,
            ticktext=[f"{t:g}" for t in ticks],
            range=[float(np.log10(by.low)), float(np.log10(by.high))],
            showgrid=False,
        )
    else:
        across = axis(of, title, range=[0, by.high or 1.0], showgrid=False, nticks=5)
    return figure(
        [bars],
        layout(
            of,
            across,
            axis(of, "", visible=False, range=[0, 1]),
            height=height,
            showlegend=False,
            bargap=0,
            margin={"l": 16, "r": 32, "t": 4, "b": 56},
        ),
    )


def _round_between(low: float, high: float) -> list[float]:
    """Round numbers 1, 2, 5 … within a range; powers of ten only where that is many."""
    tens = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    some = [m * 10.0**e for e in tens for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    return some if len(some) <= 7 else [t for t in some if f"{t:e}".startswith("1")]


def _bar(of: Theme, title: str) -> dict[str, Any]:
    return {
        "title": {"text": title, "side": "right", "font": {"color": of.css("ink")}},
        "tickfont": {"color": of.css("ink")},
        "outlinewidth": 0,
    }
