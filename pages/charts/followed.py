"""Is one person found? What is known of them, whose records fit, and where they truly were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk

from fpanon_core.model.arrays import BoolArray, FloatArray, IntArray

from .maps import Map, layered, texts
from .style import Colour, Theme, axis, figure, layout
from .words import percent

_FILL, _FILL_NEXT = 80, 16  # of 255: the areas of the record in the lead, and of the next ones
RIGHT, OTHERS = "the person's own record", "other people's records"
Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """What the map shows of one person; positions in degrees.

    Attributes
    ----------
    places : float64 ndarray (n, 2)
        Longitude and latitude of where the person truly was.
    points : float64 ndarray (j, 2)
        Of the points known so far, in the order in which they became known.
    areas : float64 ndarray (m, 4)
        West, south, east, north of published areas near the points, of the leading records.
    rank : int64 ndarray (m,)
        Of the record of each area, from 1.
    right : bool ndarray (m,)
        Whether that record is the person's own.
    home, guess : (longitude, latitude) or None
        Where the person lives, and where the record in the lead says so.
    around : tuple of ndarray
        Longitudes and latitudes that the map shows at every step.
    """

    places: FloatArray
    points: FloatArray
    areas: FloatArray
    rank: IntArray
    right: BoolArray
    home: Place | None
    guess: Place | None
    around: tuple[FloatArray, FloatArray]


def followed_map(scene: Scene, of: Theme, *, height: int = 480) -> Map:
    """Map of the person's places, the known points with their numbers, and the leading records."""
    layers = [_areas(scene, of)]
    if len(scene.places):
        spots = np.unique(np.round(scene.places, 5), axis=0)
        layers.append(_dots("places", spots, ["the person was here"] * len(spots), of.other, 4))
    for number, (place, text, colour) in enumerate(_homes(scene, of)):
        layers.append(_dots(f"home-{number}", np.array([place]), [text], colour, 8))
    layers += _points(scene, of)
    for number, (place, text, _) in enumerate(_homes(scene, of)):  # on top: no point covers them
        up = -20 if number == 0 else 22
        layers.append(texts(f"home-text-{number}", _told([place], [text]), of, 14, offset=(0, up)))
    return layered(layers, scene.around, of, height=height)


def _areas(scene: Scene, of: Theme) -> pdk.Layer:
    """Published areas: the wide ones at the bottom, those of the right record on top and bold."""
    size = np.prod(scene.areas[:, 2:] - scene.areas[:, :2], axis=1)
    data = []
    for i in np.lexsort((-size, -scene.rank, scene.right)).tolist():
        west, south, east, north = (round(float(d), 5) for d in scene.areas[i])
        right, rank = bool(scene.right[i]), int(scene.rank[i])
        data.append(
            {
                "g": [[west, south], [east, south], [east, north], [west, north]],
                "c": list(of.other if right else of.person),
                "o": _FILL if rank == 1 else _FILL_NEXT,
                "w": 3.5 if right else 1.2,
                "tip": f"{RIGHT if right else 'another record'}, ranked {rank}",
            }
        )
    return pdk.Layer(
        "PolygonLayer",
        id="areas",
        data=data,
        get_polygon="g",
        get_fill_color="[c[0], c[1], c[2], o]",
        get_line_color="[c[0], c[1], c[2], 220]",
        line_width_units=pdk.types.String("pixels"),
        get_line_width="w",
        filled=True,
        stroked=True,
        pickable=True,
    )


def _homes(scene: Scene, of: Theme) -> list[tuple[Place, str, Colour]]:
    """The home and the guess of it; where they are one place, once."""
    if scene.home is not None and scene.guess is not None and _same(scene.home, scene.guess):
        return [(scene.home, "home, guessed rightly", of.other)]
    told = [(scene.home, "home", of.other), (scene.guess, "home, as guessed", of.person)]
    return [(place, text, colour) for place, text, colour in told if place is not None]


def _same(one: Place, other: Place) -> bool:
    return bool(np.allclose(one, other, atol=1e-5))


def _points(scene: Scene, of: Theme) -> list[pdk.Layer]:
    """The known points as numbered discs; several at one place share a disc."""
    numbers: dict[Place, list[str]] = {}
    for number, (lon, lat) in enumerate(np.round(scene.points, 5).tolist(), 1):
        numbers.setdefault((lon, lat), []).append(str(number))
    if not numbers:
        return []
    at, said = list(numbers), [", ".join(each) for each in numbers.values()]
    tips = [f"known point {text}" for text in said]
    return [
        _dots("points", np.array(at), tips, of.ink, 11),
        texts("point-numbers", _told(at, said), of, 15, inverted=True),
    ]


def _dots(
    name: str, at: FloatArray, tips: Sequence[str], colour: Colour, radius: float
) -> pdk.Layer:
    return pdk.Layer(
        "ScatterplotLayer",
        id=name,
        data=[{"p": p, "tip": tip} for p, tip in zip(at.tolist(), tips, strict=True)],
        get_position="p",
        get_radius=radius,
        radius_units=pdk.types.String("pixels"),
        get_fill_color=[*colour, 230],
        pickable=True,
    )


def _told(at: Sequence[Place], words: Sequence[str]) -> list[dict[str, Any]]:
    return [{"p": list(place), "t": text} for place, text in zip(at, words, strict=True)]


def followed_legend(of: Theme, *, height: int = 36) -> go.Figure:
    """What the marks of the map and the bars of the ranking are, on one line."""
    own, others = of.css("other"), of.css("person")
    marks: dict[str, dict[str, Any]] = {
        "known point": {"symbol": "circle", "color": of.css("ink"), "size": 15},
        "where the person was": {"symbol": "circle", "color": own, "size": 9},
        RIGHT: _box(of.css("other", 0.45), own, 3),
        OTHERS: _box(of.css("person", 0.25), others, 1.5),
    }
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [None],
            "y": [None],
            "marker": mark,
            "hoverinfo": "skip",
        }
        for name, mark in marks.items()
    ]
    plain = layout(
        of,
        axis(of, "", visible=False),
        axis(of, "", visible=False),
        height=height,
        margin={"l": 0, "r": 0, "t": height - 2, "b": 0},
    )
    plain["legend"] |= {
        "y": 0.0,
        "itemwidth": 30,
        "maxheight": 2 * height,
        "itemclick": False,
        "itemdoubleclick": False,
    }
    return figure(traces, plain)


def _box(fill: str, line: str, width: float) -> dict[str, Any]:
    return {"symbol": "square", "color": fill, "size": 15, "line": {"color": line, "width": width}}


@dataclass(frozen=True)
class Bar:
    """A record that leads.

    Attributes
    ----------
    rank : int
        1 and the people whose record fits better.
    people : int
        Who share it.
    share : float
        How likely the outsider takes it to be the person's, in [0, 1].
    right : bool
        Whether it is.
    """

    rank: int
    people: int
    share: float
    right: bool


def ranking(bars: Sequence[Bar], of: Theme, *, height: int = 400) -> go.Figure:
    """Bars of the records that lead, the likeliest on top; the right one in its own colour."""
    traces = [
        _bars(name, [(row, bar) for row, bar in enumerate(bars) if bar.right == whose], colour, of)
        for name, whose, colour in (
            (RIGHT, True, {"color": of.css("other")}),
            (
                OTHERS,
                False,
                {
                    "color": of.css("person", 0.35),
                    "line": {"color": of.css("person"), "width": 1.5},
                },
            ),
        )
    ]
    return figure(
        traces,
        layout(
            of,
            axis(
                of,
                "Chance of all who share the record",
                range=[0, 1.14],
                tickformat=".0%",
                tickvals=[0, 0.25, 0.5, 0.75, 1],
            ),
            axis(
                of,
                "",
                tickvals=list(range(len(bars))),
                ticktext=list(map(_label, bars)),
                showgrid=False,
                range=[max(len(bars), 6) - 0.5, -0.5],
                automargin=True,
                ticks="",
                zeroline=False,
            ),
            height=height,
            bargap=0.3,
            barmode="overlay",
            showlegend=False,
            margin={"l": 8, "r": 16, "t": 8, "b": 56},
        ),
    )


def _bars(
    name: str, some: Sequence[tuple[int, Bar]], marker: dict[str, Any], of: Theme
) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [row for row, _ in some],
        "x": [bar.share for _, bar in some],
        "text": [percent(bar.share) for _, bar in some],
        "textposition": "outside",
        "textfont": {"size": 14, "color": of.css("ink")},
        "marker": marker,
        "cliponaxis": False,
        "hovertemplate": "%{text}<extra>" + name + "</extra>",
    }


def _label(bar: Bar) -> str:
    """Its rank, who share it, and whether it is the right one: not told by its colour alone."""
    told = [f"{bar.people} share it"] if bar.people > 1 else []
    told += ["the right one"] if bar.right else []
    label = f"{bar.rank}." + (f" ({', '.join(told)})" if told else "")
    return f"<b>{label}</b> " if bar.right else f"{label} "
