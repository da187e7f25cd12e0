"""What comes back from counts? Accuracy by step, uniqueness, one path, factors and mitigations.

What the attack recovers has one colour everywhere; linking at random is grey and hatched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from .cdf import Curve, cdf
from .maps import Map, fingerprints_map, places_map
from .style import DASHES, MAIN_PX, MARKERS, OTHER_PX, Theme, axis, figure, layout

_SHARE = {"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}
_ROOM = 0.04  # between panels, of the width


def counts_map(
    people: npt.NDArray[np.integer], most: int, lon: FloatArray, lat: FloatArray, of: Theme
) -> Map | None:
    """Dots for the people at each place in one slot; None where places have no degrees.

    Parameters
    ----------
    people : integer ndarray (n_places,)
    most : int
        The count of the largest dot, so that slots compare.
    lon, lat : float64 ndarray (n_places,), or empty
    """
    if not len(lon):
        return None
    here = np.flatnonzero(people)
    return places_map(
        lon[here],
        lat[here],
        people[here].astype(np.int64),
        of,
        noun="user",
        most=most,
        around=(lon, lat),
        height=OTHER_PX,
    )


def path_map(
    true: npt.NDArray[np.integer],
    recovered: npt.NDArray[np.integer],
    lon: FloatArray,
    lat: FloatArray,
    of: Theme,
) -> Map | None:
    """One path's recovered places, filled, over the true ones, as rings; None without degrees.

    Parameters
    ----------
    true, recovered : integer ndarray (n_slots,)
        Place of each slot.
    lon, lat : float64 ndarray (n_places,), or empty
    """
    if not len(lon):
        return None
    drawn = [
        ("recovered", lon[recovered], lat[recovered], of.person),
        ("true", lon[true], lat[true], of.other),
    ]
    return fingerprints_map(drawn, None, of, height=OTHER_PX, noun="slot")


def errors(error_m: npt.NDArray[np.floating], of: Theme, *, height: int = OTHER_PX) -> go.Figure:
    """Step CDF of the distance between recovered and true place, up to nearly all of it."""
    km = error_m.astype(np.float64) / 1000
    return cdf(
        [Curve("recovered by the attack", km, of.measure("recovered"), 0)],
        of,
        x_title="Distance from the true place (km)",
        x_range=(0.0, max(1.0, 1.05 * float(np.quantile(km, 0.99)))),
        whose="points",
        height=height,
    )


def by_step(
    steps: Sequence[str],
    attack: Sequence[float],
    random: Sequence[float],
    of: Theme,
    *,
    height: int = MAIN_PX,
) -> go.Figure:
    """Bars of the accuracy after each step, beside linking at random; NaN has no bar."""
    bars = [
        _bars("recovered by the attack", steps, attack, of, {"color": of.measure("recovered")}),
        _bars("linked at random", steps, random, of, _hatched(of)),
    ]
    return figure(
        bars,
        layout(
            of,
            axis(of, "", type="category", showgrid=False),
            axis(of, "Share of recorded points", **_SHARE),
            height=height,
            barmode="group",
            bargap=0.25,
        ),
    )


def unique_by_top(share: Sequence[float], of: Theme, *, height: int = OTHER_PX) -> go.Figure:
    """Bars of the uniqueness of recovered trajectories by 1, 2, … most visited places."""
    places = [str(k) for k in range(1, len(share) + 1)]
    return figure(
        [_bars("unique", places, share, of, {"color": of.measure("unicity")})],
        layout(
            of,
            axis(of, "Most visited places an outsider knows", type="category", showgrid=False),
            axis(of, "Share of recovered trajectories", **_SHARE),
            height=height,
            showlegend=False,
            bargap=0.35,
        ),
    )


def _bars(
    name: str, x: Sequence[str], y: Sequence[float], of: Theme, marker: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": list(x),
        "y": [None if np.isnan(v) else float(v) for v in y],
        "marker": marker,
        "text": ["" if np.isnan(v) else _percent(v) for v in y],
        "textposition": "outside",
        "textfont": {"size": 15, "color": of.css("ink")},
        "cliponaxis": False,
        "hovertemplate": "%{y:.1%}, %{x}<extra>" + name + "</extra>",
    }


def _hatched(of: Theme) -> dict[str, Any]:
    return {
        "color": of.css("faint"),
        "line": {"color": of.css("quiet"), "width": 1.5},
        "pattern": _pattern("/", of.css("quiet")),
    }


def _pattern(shape: str, colour: str) -> dict[str, Any]:
    return {"shape": shape, "fgcolor": colour, "fillmode": "overlay", "size": 8}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def away(
    wall_min: FloatArray,
    slot_min: float,
    km: FloatArray,
    days: Sequence[str],
    of: Theme,
    *,
    height: int = OTHER_PX,
) -> go.Figure:
    """Steps of the distance between the recovered and the true place over local time.

    Parameters
    ----------
    wall_min : ndarray (n_slots,)
        Starts of the slots, local minutes since the data set's first midnight.
    slot_min : float
    km : ndarray (n_slots,)
    days : sequence of str
        Date of each local day from the first on.
    """
    end = float(wall_min[-1]) + slot_min
    first, last = int(wall_min[0] // 1440), int(wall_min[-1] // 1440)
    every = max(1, (last - first + 1) // 7)
    ticks = [d for d in range(first, last + 1) if (d - first) % every == 0]
    return figure(
        [
            {
                "type": "scatter",
                "x": [*wall_min.tolist(), end],
                "y": [*km.tolist(), float(km[-1])],
                "mode": "lines",
                "line": {"color": of.measure("recovered"), "width": 2, "shape": "hv"},
                "fill": "tozeroy",
                "hovertemplate": "%{y:.1f} km<extra></extra>",
            }
        ],
        layout(
            of,
            axis(
                of,
                "Local date, at its midnight",
                tickvals=[1440 * d for d in ticks],
                ticktext=[days[d] if d < len(days) else f"day {d + 1}" for d in ticks],
                range=[float(wall_min[0]), end],
            ),
            axis(of, "From the true place (km)", range=[0, max(1.0, 1.05 * float(km.max()))]),
            height=height,
            showlegend=False,
            hovermode="x",
        ),
    )


@dataclass(frozen=True)
class Panel:
    """One of the small multiples.

    Attributes
    ----------
    title : str
        What varies.
    levels : sequence of str
    series : sequence of (name, shares by level)
        The same names, in the same order, in every panel.
    """

    title: str
    levels: Sequence[str]
    series: Sequence[tuple[str, Sequence[float]]]


def panels(
    drawn: Sequence[Panel], of: Theme, *, y_title: str, greyed: bool, height: int = OTHER_PX
) -> go.Figure:
    """Small multiples side by side over one axis of shares.

    Parameters
    ----------
    greyed : bool
        Whether the last series is what random linking attains, and grey.
    """
    wide = (1 - _ROOM * (len(drawn) - 1)) / len(drawn)
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for i, panel in enumerate(drawn):
        number = "" if i == 0 else str(i + 1)
        begin = i * (wide + _ROOM)
        axes[f"xaxis{number}"] = axis(
            of,
            panel.title,
            type="category",
            showgrid=False,
            domain=[begin, begin + wide],
            anchor=f"y{number}",
        )
        axes[f"yaxis{number}"] = axis(
            of,
            y_title if i == 0 else "",
            anchor=f"x{number}",
            matches=None if i == 0 else "y",
            showticklabels=i == 0,
            **_SHARE,
        )
        for j, (name, shares) in enumerate(panel.series):
            random = greyed and j == len(panel.series) - 1
            colour = (
                of.css("quiet")
                if random
                else of.categories[(4, 3, 5, 2)[j % 4] if greyed else (0, 1, 2, 3)[j % 4]]
            )
            traces.append(
                {
                    "type": "scatter",
                    "name": name,
                    "legendgroup": name,
                    "showlegend": i == 0,
                    "x": list(panel.levels),
                    "y": [None if np.isnan(v) else float(v) for v in shares],
                    "xaxis": f"x{number}",
                    "yaxis": f"y{number}",
                    "mode": "lines+markers",
                    "line": {"color": colour, "width": 2.5, "dash": DASHES[j % len(DASHES)]},
                    "marker": {"size": 10, "symbol": MARKERS[j % len(MARKERS)]},
                    "hovertemplate": "%{y:.1%} at %{x}<extra>" + name + "</extra>",
                }
            )
    plain = layout(of, axes.pop("xaxis"), axes.pop("yaxis"), height=height)
    return figure(traces, plain | axes | {"hovermode": "closest"})


@dataclass(frozen=True)
class Remedy:
    """A mitigation: what the attack attains after it, what random linking does, what it costs."""

    name: str
    whole: float
    random: float
    error: float


def remedies(tried: Sequence[Remedy], of: Theme, *, height: int = MAIN_PX) -> go.Figure:
    """Two panels over the same list: accuracy after the attack, and the error of the counts."""
    names = [r.name for r in tried]
    shares = [r.whole for r in tried]
    errors = [r.error if r.error > 0 else None for r in tried]
    label = {"textposition": "outside", "textfont": {"size": 14, "color": of.css("ink")}}
    common = {"type": "bar", "orientation": "h", "y": names, "cliponaxis": False} | label
    top = max([1.0, *(e for e in errors if e is not None)])
    low = min([0.1, *(e for e in errors if e is not None)])
    span = float(np.log10(top / low))
    traces: list[dict[str, Any]] = [
        common
        | {
            "name": "recovered by the attack",
            "x": shares,
            "marker": {"color": of.measure("recovered")},
            "text": [_percent(v) for v in shares],
            "hovertemplate": "%{x:.1%} recovered<extra>%{y}</extra>",
        },
        {
            "type": "scatter",
            "name": "linked at random",
            "x": [r.random for r in tried],
            "y": names,
            "mode": "markers",
            "marker": {
                "symbol": "line-ns",
                "size": 26,
                "line": {"color": of.css("ink"), "width": 3},
            },
            "hovertemplate": "%{x:.1%} at random<extra>%{y}</extra>",
        },
        common
        | {
            "name": "error of the counts",
            "x": errors,
            "xaxis": "x2",
            "marker": {
                "color": of.measure("count error"),
                "pattern": _pattern("\\", of.css("paper", 0.45)),
            },
            "text": ["none" if e is None else _error(e) for e in errors],
            "hovertemplate": "%{text} of all people counted<extra>%{y}</extra>",
        },
    ]
    x2 = axis(
        of,
        "Error of the counts, of all counted",
        type="log",
        domain=[0.56, 1.0],
        range=[np.log10(low) - 0.1, np.log10(top) + 0.22 * span + 0.2],
        tickvals=[0.01, 0.1, 1, 10, 100, 1000, 10_000],
        ticktext=["1 %", "10 %", "100 %", "10 ×", "100 ×", "1,000 ×", "10,000 ×"],
    )
    wide = layout(
        of,
        axis(of, "Share of recorded points", domain=[0, 0.5], **(_SHARE | {"range": [0, 1.15]})),
        axis(
            of,
            "",
            type="category",
            autorange="reversed",
            showgrid=False,
            automargin=True,
            tickfont={"size": 15, "color": of.css("ink")},
        ),
        height=height,
        hovermode="closest",
        bargap=0.3,
    )
    return figure(traces, wide | {"xaxis2": x2})


def _error(share: float) -> str:
    return f"{share:,.0f} ×" if share >= 10 else f"{100 * share:,.0f} %"
