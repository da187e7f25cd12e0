"""Maps of one person's record: as an attacker finds it, and over time before and after release.

The first map shows the known points, the records that fit them, and the person's true places. Two
more maps, of the same region at the same moment, show the recorded data and the published data. The
map of a group shows all that its members share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk

from fpanon_core.model.arrays import BoolArray, FloatArray, IntArray
from fpanon_core.model.projection import central

from .ground import PIXELS, areas, discs, dots, rectangle, rgb, sizes, texts
from .maps import Map, Shades, extent_of, over
from .style import Colour, Part, Theme, bars, figure, marks_legend, rows_of
from .words import duration, percent

_NOW, _AGO = 110, 14  # of 255: the areas published for the moment, and those before it
_FILL, _FILL_NEXT = 80, 16  # of 255: the areas of the record in the lead, and of the next ones
RIGHT, OTHERS = "the person's own record", "other people's records"
Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """Content of a map of one person's record as an attacker finds it; positions in degrees.

    Attributes
    ----------
    places : float64 ndarray (n, 2)
        Longitude and latitude of the person's true places.
    points : float64 ndarray (j, 2)
        Positions of the points known so far, in the order in which they became known.
    areas : float64 ndarray (m, 4)
        Bounds (west, south, east, north) of the areas that the leading records and the right one
        publish near the points.
    rank : int64 ndarray (m,)
        Rank of the record of each area, from 1; 0 if unknown.
    right : bool ndarray (m,)
        Whether the record of each area is the person's own.
    home, guess : (longitude, latitude) or None
        The person's home, and the home that the leading record indicates.
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
    """Return a map of the person's places, the numbered known points, and the leading records."""
    # The wide areas at the bottom, those of the right record on top and bold.
    order = np.lexsort((-sizes(scene.areas), -scene.rank, scene.right)).tolist()
    data = [
        {
            "g": rectangle(scene.areas[i]),
            "c": list(of.other if scene.right[i] else of.person),
            "o": _FILL if scene.rank[i] == 1 else _FILL_NEXT,
            "w": 3.5 if scene.right[i] else 1.2,
            "tip": f"{RIGHT if scene.right[i] else 'another record'}, ranked {scene.rank[i]}",
        }
        for i in order
    ]
    layers = [areas("areas", data, "[c[0], c[1], c[2], o]", "[c[0], c[1], c[2], 220]", "w")]
    if len(scene.places):
        spots = np.unique(np.round(scene.places, 5), axis=0)
        layers.append(discs("places", spots, of.other, 4, "the person was here"))
    homes = _homes(scene, of)
    for number, (place, text, colour) in enumerate(homes):
        layers.append(discs(f"home-{number}", np.array([place]), colour, 8, text))
    layers += _points(scene, of)
    for number, (place, text, _) in enumerate(homes):  # on top: no point covers them
        told, up = [{"p": list(place), "t": text}], 22 if number else -20
        layers.append(texts(f"home-text-{number}", told, of, 14, offset=(0, up)))
    return over(extent_of(*scene.around), layers, of, height)


def _homes(scene: Scene, of: Theme) -> list[tuple[Place, str, Colour]]:
    """Return the home and its estimate, or one mark if both are at one place."""
    home, guess = scene.home, scene.guess
    if home is not None and guess is not None and np.allclose(home, guess, atol=1e-5):
        return [(home, "home, guessed correctly", of.other)]
    told = [(home, "home", of.other), (guess, "home, as guessed", of.person)]
    return [(place, text, colour) for place, text, colour in told if place is not None]


def _points(scene: Scene, of: Theme) -> list[pdk.Layer]:
    """Return the known points as numbered discs; several at one place share a disc."""
    numbers: dict[Place, list[str]] = {}
    for number, (lon, lat) in enumerate(np.round(scene.points, 5).tolist(), 1):
        numbers.setdefault((lon, lat), []).append(str(number))
    if not numbers:
        return []
    data = [{"p": list(at), "t": ", ".join(each)} for at, each in numbers.items()]
    discs = [{"p": each["p"], "tip": f"known point {each['t']}"} for each in data]
    return [
        dots("points", discs, [*of.ink, 230], 11),
        texts("point-numbers", data, of, 15, inverted=True),
    ]


def followed_legend(of: Theme) -> go.Figure:
    """Return the legend, on one line, of the map's marks and the ranking's bars."""
    own, others = of.css("other"), of.css("person")
    marks = {
        "known point": {"symbol": "circle", "color": of.css("ink"), "size": 15},
        "where the person was": {"symbol": "circle", "color": own, "size": 9},
        RIGHT: _box(of.css("other", 0.45), own, 3),
        OTHERS: _box(of.css("person", 0.25), others, 1.5),
    }
    return marks_legend(marks, of)


def _box(fill: str, line: str, width: float) -> Part:
    return {"symbol": "square", "color": fill, "size": 15, "line": {"color": line, "width": width}}


@dataclass(frozen=True)
class Bar:
    """One record in the ranking: a leading one, or the right one.

    Attributes
    ----------
    rank : int
        1 plus the number of people whose record fits better.
    people : int
        Number of people who share the record.
    share : float
        The attacker's probability that the record is the person's, in [0, 1].
    right : bool
        Whether the record is the person's.
    """

    rank: int
    people: int
    share: float
    right: bool


def ranking(several: Sequence[Bar], of: Theme) -> go.Figure:
    """Return bars of the leading records, the likeliest on top, the right one in its own colour."""
    faint = {"line": {"color": of.css("person"), "width": 1.5}}
    traces = []
    for name, whose, marker in (
        (RIGHT, True, {"color": of.css("other")}),
        (OTHERS, False, {"color": of.css("person", 0.35)} | faint),
    ):
        some = [(row, bar) for row, bar in enumerate(several) if bar.right == whose]
        shares = [bar.share for _, bar in some]
        told, font = (of, list(map(percent, shares))), {"size": 14, "color": of.css("ink")}
        found = bars(
            name, shares, [row for row, _ in some], marker, "%{text}", told=told, orientation="h"
        )
        traces.append(found | {"textfont": font})
    across = {"range": [0, 1.14], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    return figure(
        of,
        traces,
        {"title": "Chance, over all who share it"} | across,
        rows_of(list(map(_label, several)), least=6),
        height=400,
        bargap=0.3,
        barmode="overlay",
        showlegend=False,
        margin={"l": 8, "r": 16, "t": 8},
    )


def _label(bar: Bar) -> str:
    """Return a record's rank, how many share it, and (not by colour alone) whether it is right."""
    told = [f"{bar.people} share it"] if bar.people > 1 else []
    told += ["the right one"] if bar.right else []
    label = f"{bar.rank}." + (f" ({', '.join(told)})" if told else "")
    return f"<b>{label}</b> " if bar.right else f"{label} "


# --- before and after ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Played:
    """Recorded and published data of one person, in degrees and local minutes.

    Attributes
    ----------
    lon, lat, minute : float64 ndarray (n,)
        Where and when the person was recorded, in order of time.
    areas : float64 ndarray (m, 4)
        Bounds (west, south, east, north) of the areas published for the person, in order of time.
    start, end : float64 ndarray (m,)
        Published start and end of the time of each area.
    around : tuple of ndarray
        Longitudes and latitudes that both maps show.
    """

    lon: FloatArray
    lat: FloatArray
    minute: FloatArray
    areas: FloatArray
    start: FloatArray
    end: FloatArray
    around: tuple[FloatArray, FloatArray]

    @property
    def ends(self) -> tuple[float, float]:
        """Return the first and last moment, in local minutes."""
        first = min(float(self.minute[0]), float(self.start.min(initial=np.inf)))
        return first, max(float(self.minute[-1]), float(self.end.max(initial=-np.inf)))


@dataclass(frozen=True, eq=False)
class PlayedGroup(Played):
    """Recorded data of all members of a group, and the data published for all of them.

    Attributes
    ----------
    whose : int64 ndarray (n,)
        For each row, its member's index in ``names``; the length of ``names`` for other members.
    names : list of str
        Pseudonyms of the members with a colour of their own.
    """

    whose: IntArray
    names: list[str]

    def colours(self, of: Theme) -> dict[str, list[int]]:
        """Return, by name, the colour of each named member, and one colour for all others."""
        named = {name: rgb(of.categories[i % 6]) for i, name in enumerate(self.names)}
        others = {"all others": list(of.quiet)} if self.whose.max(initial=0) >= len(named) else {}
        return named | others


def recorded_map(
    seen: Played, now: float, trail_min: float, of: Theme, *, height: int = 430
) -> Map:
    """Return a map of the records so far, with a trail through the latest of them."""
    past = seen.minute <= now
    spots = np.unique(np.round(np.column_stack([seen.lon, seen.lat])[past], 5), axis=0)
    layers = [
        discs("recorded", spots, of.person, 4, opacity=110),
        _trip("trail", seen.lon, seen.lat, seen.minute, now, trail_min, of.person, 5),
    ]
    if past.any():
        last = np.flatnonzero(past)[-1:]
        here = np.column_stack([seen.lon[last], seen.lat[last]])
        layers.append(discs("here", here, of.person, 11, opacity=255))
    return over(extent_of(*seen.around), layers, of, height)


def published_map(
    seen: Played, now: float, trail_min: float, of: Theme, *, height: int = 430
) -> Map:
    """Return a map of areas published for the moment (filled) and for earlier times (outlined)."""
    shown = np.flatnonzero(seen.start <= now)
    drawn: dict[tuple[float, ...], bool] = {}
    for i in shown[np.argsort(-sizes(seen.areas[shown]), kind="stable")].tolist():
        corners = tuple(seen.areas[i].round(5).tolist())
        drawn[corners] = drawn.get(corners, False) or bool(seen.end[i] >= now)
    now_is = {"o": _NOW, "w": 3, "tip": "published for now"}
    was = {"o": _AGO, "w": 1, "tip": "published for earlier"}
    data = [{"g": rectangle(at)} | (now_is if current else was) for at, current in drawn.items()]
    fill = f"[{of.other[0]}, {of.other[1]}, {of.other[2]}, o]"
    lon, lat = ((seen.areas[:, :2] + seen.areas[:, 2:]) / 2).T
    minute = (seen.start + seen.end) / 2
    layers = [
        areas("published", data, fill, [*of.other, 220], "w"),
        _trip("middles", lon, lat, minute, now, trail_min, of.quiet, 3),
    ]
    return over(extent_of(*seen.around), layers, of, height)


def group_map(
    seen: PlayedGroup, before: float, now: float, by: Shades, of: Theme, *, height: int = 430
) -> Map:
    """Return a map of a group's records up to ``now``, over the areas published for the group.

    Parameters
    ----------
    before : float
        Time from which records are drawn large and published areas are filled.
    by : Shades
        Colours of the areas by their span of time.
    """
    current = seen.end > before
    shown = np.flatnonzero(seen.start <= now)
    drawn = [
        {"g": rectangle(seen.areas[i]), "c": rgb(by.colours[i])}
        | ({"o": _NOW, "w": 3} if current[i] else {"o": 0, "w": 1})
        | {"tip": f"published with a time window of {duration(seen.end[i] - seen.start[i])}"}
        for i in shown[np.lexsort((-sizes(seen.areas[shown]), current[shown]))].tolist()
    ]
    layers = [areas("published", drawn, "[c[0], c[1], c[2], o]", "[c[0], c[1], c[2], 230]", "w")]
    told = list(seen.colours(of).items())
    past = seen.minute <= now
    rows = np.column_stack([seen.minute > before, seen.lon, seen.lat, seen.whose])[past]
    spots = [
        {"p": [lon, lat], "c": told[int(n)][1], "r": 6 if new else 3, "tip": told[int(n)][0]}
        for new, lon, lat, n in np.unique(np.round(rows, 5), axis=0).tolist()
    ]
    rim = {"stroked": True, "get_line_color": [*of.paper, 220], "line_width_min_pixels": 1}
    layers.append(dots("recorded", spots, "c", "r", **rim))
    around = central(*seen.around)
    return over(around, layers, of, height, whole=seen.around)


def group_legend(seen: PlayedGroup, of: Theme) -> go.Figure:
    """Return the legend of the marks on the map of a group."""
    named = {
        name: {"symbol": "circle", "color": "rgb({},{},{})".format(*colour), "size": 13}
        for name, colour in seen.colours(of).items()
    }
    earlier = {"symbol": "circle", "color": of.css("quiet"), "size": 6}
    first, last = (of.css(each) for each in ("faint", "quiet"))
    areas = {
        "published for now": _box(first, last, 3),
        "for earlier": _box("rgba(0,0,0,0)", last, 1),
    }
    return marks_legend(named | {"recorded earlier": earlier} | areas, of)


def played_legend(of: Theme, *, published: bool = True) -> go.Figure:
    """Return the legend of both maps on one line, or of the recorded data's map alone."""
    person, other = of.css("person"), of.css("other")
    through = {"color": of.css("quiet"), "width": 3}
    marks = {
        "recorded here last": {"symbol": "circle", "color": person, "size": 16},
        "recorded before": {"symbol": "circle", "color": of.css("person", 0.45), "size": 9},
    }
    after = {
        "published for now": _box(of.css("other", 0.45), other, 3),
        "published for earlier": _box(of.css("other", 0.06), other, 1),
        "through the areas’ middles": {"symbol": "line-ew", "size": 18, "line": through},
    }
    return marks_legend(marks | after if published else marks, of)


def _trip(
    name: str,
    lon: FloatArray,
    lat: FloatArray,
    minute: FloatArray,
    now: float,
    trail_min: float,
    colour: Colour,
    width: float,
) -> pdk.Layer:
    """Return a fading line; times are counted from the first, as the browser keeps few digits."""
    order = np.argsort(minute, kind="stable")
    begin = float(minute.min(initial=np.inf)) if len(minute) else 0.0
    trip = {
        "p": np.round(np.column_stack([lon, lat])[order], 5).tolist(),
        "t": np.round(minute[order] - begin, 1).tolist(),
    }
    return pdk.Layer(
        "TripsLayer",
        id=name,
        data=[trip] if len(minute) > 1 else [],
        get_path="p",
        get_timestamps="t",
        get_color=list(colour),
        current_time=round(now - begin, 1),
        trail_length=trail_min,
        fade_trail=True,
        width_units=PIXELS,
        get_width=width,
        cap_rounded=True,
        joint_rounded=True,
    )
