"""Figures of trajectory recovery from counts: accuracy by step, uniqueness, factors, mitigations.

What the attack recovers has one colour everywhere; linking at random is grey and hatched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from fpanon_core.model.arrays import FloatArray

from . import style
from .cdf import Curve, cdf
from .maps import Map, places_map
from .style import Part, Theme, marker, series
from .words import percent

_SHARE = {"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}
_LEVELS = {"type": "category", "showgrid": False}
_PATTERN = {"shape": "/", "fillmode": "overlay", "size": 8}
_ROOM = 0.04  # between panels, of the width


def counts_map(
    people: npt.NDArray[np.integer], most: int, lon: FloatArray, lat: FloatArray, of: Theme
) -> Map | None:
    """Return a map of the people at each place in one slot; None if no positions are given.

    Parameters
    ----------
    people : integer ndarray (n_places,)
    most : int
        The count of the largest dot, so that slots can be compared.
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
        noun="person",
        most=most,
        around=(lon, lat),
        height=style.OTHER_PX,
    )


def errors(error_m: npt.NDArray[np.floating], of: Theme) -> go.Figure:
    """Return a step CDF of distances from recovered to true places; the axis shows 99% of them."""
    km = error_m.astype(np.float64) / 1000
    return cdf(
        [Curve("recovered by the attack", km, of.measure("recovered"), 0)],
        of,
        x_title="Distance from the true place (km)",
        x_range=(0.0, max(1.0, 1.05 * float(np.quantile(km, 0.99)))),
        whose="points",
    )


def by_step(
    steps: Sequence[str], attack: Sequence[float], random: Sequence[float], of: Theme
) -> go.Figure:
    """Return bars of accuracy after each step, beside bars of random linking; NaN has no bar."""
    quiet = of.css("quiet")
    hatched = {"line": {"color": quiet, "width": 1.5}, "pattern": _PATTERN | {"fgcolor": quiet}}
    drawn = [
        _bars("recovered by the attack", steps, attack, of, {"color": of.measure("recovered")}),
        _bars("linked at random", steps, random, of, {"color": of.css("faint")} | hatched),
    ]
    shares = {"title": "Share of recorded points"} | _SHARE
    return style.figure(
        of, drawn, _LEVELS, shares, height=style.MAIN_PX, barmode="group", bargap=0.25
    )


def unique_by_top(share: Sequence[float], of: Theme) -> go.Figure:
    """Return bars of the uniqueness of recovered trajectories, by number of most visited places."""
    places = [str(k) for k in range(1, len(share) + 1)]
    return style.figure(
        of,
        [_bars("unique", places, share, of, {"color": of.measure("unicity")})],
        {"title": "Most visited places an attacker knows"} | _LEVELS,
        {"title": "Share of recovered trajectories"} | _SHARE,
        showlegend=False,
        bargap=0.35,
    )


def _bars(
    name: str, x: Sequence[str], y: Sequence[float], of: Theme, marker: dict[str, Any]
) -> Part:
    told = (of, ["" if np.isnan(v) else percent(v) for v in y])
    return style.bars(name, x, style.known(y), marker, "%{y:.1%}, %{x}", told=told)


@dataclass(frozen=True)
class Panel:
    """One panel of a figure of small multiples.

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


def panels(drawn: Sequence[Panel], of: Theme, *, y_title: str, greyed: bool) -> go.Figure:
    """Return a figure of small multiples, side by side, with one common axis of shares.

    Parameters
    ----------
    greyed : bool
        Whether the last series is the result of random linking, drawn in grey.
    """
    wide = (1 - _ROOM * (len(drawn) - 1)) / len(drawn)
    traces: list[Part] = []
    axes: dict[str, Any] = {}
    for i, panel in enumerate(drawn):
        number, begin = "" if i == 0 else str(i + 1), i * (wide + _ROOM)
        where = {"domain": [begin, begin + wide], "anchor": f"y{number}"}
        axes[f"xaxis{number}"] = style.axis(of, {"title": panel.title} | _LEVELS | where)
        beside = {"matches": None if i == 0 else "y", "showticklabels": i == 0}
        title = {"title": y_title if i == 0 else "", "anchor": f"x{number}"}
        axes[f"yaxis{number}"] = style.axis(of, title | beside | _SHARE)
        for j, (name, shares) in enumerate(panel.series):
            random = greyed and j == len(panel.series) - 1
            palette = (4, 3, 5, 2) if greyed else (0, 1, 2, 3)
            colour = of.css("quiet") if random else of.categories[palette[j % 4]]
            traces.append(
                series(
                    name,
                    panel.levels,
                    style.known(shares),
                    "lines+markers",
                    "%{y:.1%} at %{x}",
                    legendgroup=name,
                    showlegend=i == 0,
                    xaxis=f"x{number}",
                    yaxis=f"y{number}",
                    line=style.line(j, colour),
                    marker=marker(j),
                )
            )
    return style.figure(of, traces, "", "", **axes)


def remedies(tried: pd.DataFrame, of: Theme) -> go.Figure:
    """Return two panels by mitigation: what the attack recovers, and the error of the counts.

    Parameters
    ----------
    tried : DataFrame
        For each mitigation: ``name``; ``recorded`` and ``recorded_random``, shares recovered by the
        attack and by linking at random; ``count_error_share``, the counts' error.
    """
    names, shares = tried["name"].tolist(), tried["recorded"].tolist()
    errors = [e if e > 0 else None for e in tried["count_error_share"].tolist()]
    known_errors = [e for e in errors if e is not None]
    low, top = min([0.1, *known_errors]), max([1.0, *known_errors])

    stripes = _PATTERN | {"shape": "\\", "fgcolor": of.css("paper", 0.45)}
    tick = {"symbol": "line-ns", "size": 26, "line": {"color": of.css("ink"), "width": 3}}
    across = {"orientation": "h", "beside": "%{y}"}
    traces = [
        style.bars(
            "recovered by the attack",
            shares,
            names,
            {"color": of.measure("recovered")},
            "%{x:.1%} recovered",
            told=(of, [percent(v) for v in shares]),
            **across,
        ),
        series(
            "linked at random",
            tried["recorded_random"],
            names,
            "markers",
            "%{x:.1%} at random",
            beside="%{y}",
            marker=tick,
        ),
        style.bars(
            "error of the counts",
            errors,
            names,
            {"color": of.measure("count error"), "pattern": stripes},
            "%{text} of the sum of all counts",
            told=(of, ["none" if e is None else _error(e) for e in errors]),
            xaxis="x2",
            **across,
        ),
    ]
    ends = [math.log10(low) - 0.1, 1.22 * math.log10(top) - 0.22 * math.log10(low) + 0.2]
    x2 = {
        "title": "Error of the counts, share of their sum",
        "type": "log",
        "domain": [0.56, 1.0],
        "range": ends,
        "tickvals": [0.01, 0.1, 1, 10, 100, 1000, 10_000],
        "ticktext": ["1%", "10%", "100%", "10 ×", "100 ×", "1,000 ×", "10,000 ×"],
    }
    return style.figure(
        of,
        traces,
        {"title": "Share of recorded points", **_SHARE, "domain": [0, 0.5], "range": [0, 1.15]},
        style.DOWNWARDS | {"tickfont": {"size": 15, "color": of.css("ink")}},
        height=style.MAIN_PX,
        bargap=0.3,
        xaxis2=style.axis(of, x2),
    )


def _error(share: float) -> str:
    return f"{share:,.0f} ×" if share >= 10 else f"{100 * share:,.0f}%"
