"""Figures that compare releases: risk against utility, the Pareto front, and dominated options.

A further figure shows how much of each component of utility is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go

from fpanon_core.model.projection import root_ticks

from . import words
from .style import (
    DOWNWARDS,
    MAIN_PX,
    Part,
    Theme,
    axis,
    bars,
    figure,
    interval,
    note,
    series,
    threshold,
    upright,
)

_TICKS_APART = 0.13  # of a panel's height
_APART = 0.04, 0.08  # of the figure's width and height: a number's size, with room around it
_A_LETTER = 0.0095  # of the figure's width
_LABEL_PX = 120  # to the right, for the threshold's label
_TOP_PX, _ROW_PX, _A_ROW = 76, 24, 4  # for a title and the legend, of so many entries in a row
_PANEL_PX = 40  # for the options without records
_PANELS = ((0.5, 1.0), (0.0, 0.37))  # parts of the height, if both kinds of options are drawn
_KINDS = ("recommended", "serves the purpose", "too little use", "fails a threshold", "option")
_FRONT = "best trade-offs (Pareto front)"
_WITHOUT = "No records of real people, by ε (lower is safer)"
_RECORDS = "Records of real people: "
_ABOVE: Part = {"yref": "paper", "xanchor": "left", "yanchor": "bottom"}
Ends: TypeAlias = Sequence[float]


@dataclass(frozen=True)
class Dot:
    """One release option in a figure of risk against utility.

    Attributes
    ----------
    number : int
        The option's number in the table, from 1. If there is room, it is written below the dot of
        an option that is on the front, recommended, chosen or pinned.
    name : str
        Text of the tooltip; plain text.
    risk, low, high : float
        The risk and its 95% interval (NaN where there is none).
    utility : float
        In [0, 1].
    front : bool
        Whether no other option dominates this one.
    unsafe : bool
        Whether this risk, or another, may be above its threshold.
    told : str
        Further lines of the tooltip, such as the options that dominate this one.
    pinned : bool
        Whether the option is emphasized by a larger dot and a bold number.
    behind : bool
        Whether the estimates place the option behind another one, while the intervals leave the
        order open.
    label : str
        What is written after the number, such as the kind of release; a dot with a label has its
        number written if there is room.
    chosen : bool
        Whether this is the option chosen for release.
    best : bool
        Whether the option is recommended.
    serves : bool
        Whether the option is within all thresholds and serves the purpose.
    epsilon : float or None
        ε of an option that has no record to which the risk applies (infinite without an ε); None
        for all others. Such options have a panel of their own, below the others.
    """

    number: int
    name: str
    risk: float
    low: float
    high: float
    utility: float
    front: bool
    unsafe: bool
    told: str = ""
    pinned: bool = False
    behind: bool = False
    label: str = ""
    chosen: bool = False
    best: bool = False
    serves: bool = False
    epsilon: float | None = None


def pareto(
    dots: Sequence[Dot],
    of: Theme,
    *,
    risk_title: str,
    risk_name: str = "risk",
    utility_title: str,
    percent: bool,
    limit: float | None,
    limited: bool = True,
    needed: float | None = None,
    height: int = MAIN_PX,
) -> go.Figure:
    """Return a figure of risk (lower is better) against utility (further right is better).

    Shares of users are on a square-root scale, so that small risks have room. Options without a
    record are drawn by ε, in a panel below.

    Parameters
    ----------
    risk_name : str
        Name of the measure in tooltips.
    percent : bool
        Whether the risk is a share of users.
    limit : float or None
        The threshold, drawn as a line, above which an option is unsafe.
    limited : bool
        Whether any threshold exists, even if no line is drawn for it; the legend then shows which
        options fail a threshold.
    needed : float or None
        The least utility that serves the purpose, drawn as a line.
    """
    shown = words.percent if percent else "{:.3g}".format
    said = {d.number: f"{risk_name} {shown(d.risk)}" for d in dots if d.epsilon is None}
    records, line = [d for d in dots if d.epsilon is None], limit
    if percent:
        records, line = [_rooted(d) for d in records], None if limit is None else math.sqrt(limit)
    title = f"{risk_title} (lower is safer)"
    panels = [(records, _by_risk(records, line, percent=percent), title)]
    if len(records) < len(dots):
        several = [(*panels[0][:2], f"{_RECORDS}{title[0].lower()}{title[1:]}")] * bool(records)
        panels = [*several, _by_epsilon(dots)]
    across = _with_room([d.utility for d in dots])
    sideways = {"title": f"{utility_title}: further right, more useful", "range": list(across)}
    traces, marks, shapes = list[Part](), list[Part](), list[Part]()
    axes: Part = {}
    for i, (some, level, heading) in enumerate(panels):
        domain, name = _PANELS[i] if len(panels) > 1 else (0.0, 1.0), "2" * i
        level = _thinned(level) if len(panels) > 1 else level
        seen = {trace["name"] for trace in traces}
        for each in _panel(some, of, said, across, level["range"], domain, limited=limited):
            traces.append(each | {"yaxis": f"y{name}", "showlegend": each["name"] not in seen})
        axes[f"yaxis{name}"] = axis(of, level | {"domain": list(domain), "zeroline": False})
        marks.append(note(of, heading, 0.0, domain[1] + 0.01, 15, **_ABOVE, xref="paper"))
        if needed is not None:
            shapes.append(upright(needed, of.categories[2], yref=f"y{name} domain", layer="below"))
    text = ""
    if line is not None and limit is not None and records:
        text = f"threshold {100 * limit:.3g}%" if percent else f"threshold {limit:g}"
        marks.append(note(of, text, 1.0, line, xref="paper", xanchor="left", yanchor="middle"))
        shapes.append(threshold(of, line, layer="below"))
    if needed is not None:
        told = _ABOVE | {"yref": "y domain"}  # at the bottom, where no dot is
        marks.append(note(of, f" needed: {needed:.2f} or more", needed, 0.0, **told))
    rows = math.ceil(len({trace["name"] for trace in traces}) / _A_ROW)
    return figure(
        of,
        traces,
        sideways | {"anchor": f"y{'2' * (len(panels) - 1)}"},
        "",
        height=height + _PANEL_PX * (len(panels) - 1),
        margin={"t": _TOP_PX + _ROW_PX * (rows > 1)} | ({"r": _LABEL_PX} if text else {}),
        legend={"y": 1.0, "yref": "container", "yanchor": "top"},
        hoverdistance=30,
        clickmode="event+select",
        shapes=shapes,
        annotations=marks,
        **axes,
    )


def _rooted(dot: Dot) -> Dot:
    risk, low, high = map(math.sqrt, (dot.risk, dot.low, dot.high))
    return replace(dot, risk=risk, low=low, high=high)


def _by_risk(dots: Sequence[Dot], limit: float | None, *, percent: bool) -> Part:
    """Return the axis of risks, or of their square roots, with room for a number below a dot."""
    ends = [d.high if math.isfinite(d.high) else d.risk for d in dots]
    top = max([*ends, *([] if limit is None else [limit])], default=1.0) or 1.0
    level: Part = {"range": [-0.18 * top, 1.1 * top]}
    if percent:
        ticks = root_ticks(top**2)
        texts = [f"{100 * t:g}%" for t in ticks]
        level |= {"tickvals": np.sqrt(ticks).tolist(), "ticktext": texts}
    return level


def _by_epsilon(dots: Sequence[Dot]) -> tuple[list[Dot], Part, str]:
    """Return the options without records at the logarithms of ε, with their axis and its title.

    Options without ε are drawn above all others.
    """
    finite = {d.epsilon for d in dots if d.epsilon is not None} - {math.inf}
    known = {math.log2(epsilon): f"{epsilon:g}" for epsilon in finite}
    none = max(known, default=0.0) + 1
    placed = [
        replace(d, risk=min(math.log2(d.epsilon), none), low=math.nan, high=math.nan)
        for d in dots
        if d.epsilon is not None
    ]
    ticks = known | ({none: "no noise"} if any(d.risk == none for d in placed) else {})
    level = {"tickvals": list(ticks), "ticktext": list(ticks.values())}
    room = [min(ticks) - 0.3 * (max(ticks) - min(ticks)) - 0.5, max(ticks) + 0.5]
    return placed, level | {"range": room}, _WITHOUT


def _thinned(level: Part) -> Part:
    """Return an axis of a panel without the ticks that would be written on others."""
    ticks: list[tuple[float, str]] = []
    least = _TICKS_APART * (level["range"][1] - level["range"][0])
    for at, text in sorted(zip(level.get("tickvals", ()), level.get("ticktext", ()), strict=True)):
        if not ticks or at - ticks[-1][0] >= least:
            ticks.append((at, text))
    if not ticks:
        return level
    return level | {"tickvals": [at for at, _ in ticks], "ticktext": [text for _, text in ticks]}


def _panel(
    dots: Sequence[Dot],
    of: Theme,
    said: Mapping[int, str],
    across: Ends,
    up: Ends,
    domain: Ends,
    *,
    limited: bool,
) -> list[Part]:
    """Return the series of one panel, which takes the part ``domain`` of the figure's height."""
    front = sorted((d for d in dots if d.front and not d.behind), key=lambda d: (d.utility, d.risk))
    sides = _numbered(dots, across, up, domain[1] - domain[0])
    steps = series(
        _FRONT,
        [d.utility for d in front],
        [d.risk for d in front],
        "lines",
        line={"color": of.categories[0], "width": 2, "dash": "dot", "shape": "vh"},
        legendrank=len(_KINDS),
    )
    kinds = [_named(d, limited=limited) for d in dots]
    traces = [steps] if len(front) > 1 else []
    for rank, name in reversed(list(enumerate(_KINDS))):  # the recommended one on top
        if some := [d for d, kind in zip(dots, kinds, strict=True) if kind == name]:
            traces.append(_dots(some, of, name, said, sides) | {"legendrank": rank})
    return [trace | {"legendgroup": trace["name"]} for trace in traces]


def _named(dot: Dot, *, limited: bool) -> str:
    """Return the kind of a dot, as the legend names it."""
    if dot.best or not limited:
        return _KINDS[0 if dot.best else -1]
    return _KINDS[3 if dot.unsafe else 1 if dot.serves else 2]


def _numbered(
    dots: Sequence[Dot], across: Ends, up: Ends, tall: float
) -> dict[int, tuple[str, str]]:
    """Return the side of its dot where each number is written, and its label; others have no room.

    Important options come first. Without room for its label, an option has its number alone. The
    shortcomings of an option without records are written only where they hide no other dot.
    """
    found: dict[int, tuple[str, str]] = {}
    taken: list[tuple[float, float, float]] = []
    dotted = [(d.utility, d.utility, d.risk) for d in dots]
    width, height = across[1] - across[0], _APART[1] * (up[1] - up[0])
    for dot in sorted(dots, key=lambda d: (not (d.chosen or d.best or d.pinned), not d.label)):
        important = dot.chosen or dot.best or dot.pinned or dot.front > dot.behind
        level = dot.risk - 1.5 * height  # numbers stand below their dots
        for label in dict.fromkeys((dot.label, "") if important else (dot.label,)):
            if not (label or important) or dot.number in found:
                continue
            room = (_APART[0] + _A_LETTER * len(label)) * width
            blocks = taken + dotted * (":" in label)
            for side, start in (("right", dot.utility), ("left", dot.utility - room)):
                free = across[0] <= start <= across[1] - room and not any(
                    start < end and other < start + room and abs(level - at) < height / tall
                    for other, end, at in blocks
                )
                if free and dot.number not in found:
                    found[dot.number] = f"bottom {side}", label
                    taken.append((start, start + room, level))
    return found


def _dots(
    some: Sequence[Dot],
    of: Theme,
    name: str,
    said: Mapping[int, str],
    sides: Mapping[int, tuple[str, str]],
) -> Part:
    """Return the series for the options of one kind."""
    best, unsafe = some[0].best, some[0].unsafe
    filled = best or some[0].serves or name == _KINDS[-1]
    colour = of.categories[4] if best else of.categories[0] if filled else of.css("quiet")
    symbol = "star" if best else "triangle-up" if unsafe else "circle"
    risk = [d.risk for d in some]
    bar = interval(risk, [d.low for d in some], [d.high for d in some], colour)
    texts = [f"{d.number} {sides[d.number][1]}".rstrip() if d.number in sides else "" for d in some]
    bold = [d.pinned or d.chosen for d in some]
    heading = "<b>%{customdata[0]}. %{customdata[1]}</b><br>"
    return series(
        name,
        [d.utility for d in some],
        risk,
        "markers+text",
        f"{heading}%{{customdata[3]}}, utility %{{x:.2f}}<br>%{{customdata[2]}}",
        beside="",
        error_y=bar | {"thickness": 1.2, "width": 3},
        marker={
            "symbol": symbol + ("" if filled else "-open"),
            "size": [24 if best else 20 if d.pinned else 14 for d in some],
            "color": colour,
            "line": {"color": of.css("ink") if filled else colour, "width": 2},
        },
        text=[f"<b>{t}</b>" if t and b else t for t, b in zip(texts, bold, strict=True)],
        textposition=[sides.get(d.number, ("bottom right",))[0] for d in some],
        textfont={"size": 14, "color": of.css("ink")},
        customdata=[[d.number, d.name, d.told, said.get(d.number, "no record")] for d in some],
    )


def _with_room(values: Sequence[float]) -> Ends:
    """Return a range with room for the labels, narrow enough to show differences."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    room = max(0.02, 0.08 * (high - low))
    return low - room, high + room * 1.6


def kept(named: Sequence[tuple[str, float]], of: Theme) -> go.Figure:
    """Return bars of the components of utility, given as title and share kept, 0 to 1."""
    titles, values = [title for title, _ in named], [value for _, value in named]
    drawn = bars(
        "",
        values,
        titles,
        {"color": of.categories[0]},
        "%{y}: %{x:.2f}",
        told=(of, [f"{value:.2f}" for value in values]),
        orientation="h",
    )
    across = {"title": "Kept, of 1", "range": [0, 1.08], "dtick": 0.25}
    return figure(of, [drawn], across, DOWNWARDS, height=420, showlegend=False)
