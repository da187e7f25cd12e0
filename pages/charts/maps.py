"""Maps of places and people over the shipped outlines, without any tile server.

A map without streets is read by its coast, its towns, a grid of degrees and a scale bar. So each
map shows these with the data. Everything is sent compactly, every layer has an id, and tooltips
are plain text. The legends of maps are drawn below them and explain their dots and colours.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pydeck as pdk

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.geography import Background
from fpanon_core.model.projection import Extent, central

from . import ground
from .ground import Box, areas, dots, rectangle, rgb
from .style import OTHER_PX, Colour, Theme, bars, figure, graded, series, viridis
from .words import count as plural

MAX_POINTS = 5_000
MAX_CELLS = 3_000
_WIDTH_PX = 330  # a column of two at 1024 px; a wider map shows more around the data


class Map(pdk.Deck):
    """A deck that is sent without indentation and requests no map tiles.

    Attributes
    ----------
    around : Box
        Extent of the ground that is drawn.
    beyond : str
        Note on what lies beyond the part shown at first; "" if nothing does.
    height : int
        Height of the picture for which its zoom was chosen, pixels.
    """

    def __init__(self, around: Box, beyond: str, height: int, **named: Any) -> None:
        super().__init__(height=height, **named)
        self.around, self.beyond, self.height = around, beyond, height

    def to_json(self) -> str:
        """Return the deck as compact JSON."""
        spec = json.loads(super().to_json())
        for ours in ("around", "beyond", "height"):
            spec.pop(ours, None)
        return json.dumps(spec, separators=(",", ":"))


def places_map(
    lon: FloatArray,
    lat: FloatArray,
    samples: IntArray,
    of: Theme,
    *,
    noun: str = "sample",
    most: int | None = None,
    around: tuple[FloatArray, FloatArray] | None = None,
    height: int = 460,
) -> Map | None:
    """Return a map of places as dots; size and colour show samples (viridis, logarithmic).

    The result is None if no place is given in degrees and ``around`` is not given.

    Parameters
    ----------
    noun : str
        What is counted.
    most : int, optional
        The count of the largest dot; by default the largest of ``samples``.
    around : tuple of ndarray, optional
        Longitudes and latitudes that the map shows; by default those of the places.
    """
    if around is None and not len(lon):
        return None
    most = int(samples.max()) if most is None else most
    order = np.argsort(-samples, kind="stable")[:MAX_POINTS][::-1]
    radii, colours = dots_of(samples[order], most, of)
    at = np.round(np.column_stack([lon, lat])[order], 5).tolist()
    data = [
        {"p": p, "r": r, "c": c, "tip": plural(n, noun)}
        for p, r, c, n in zip(at, radii, colours, samples[order].tolist(), strict=True)
    ]
    rim = {"stroked": True, "get_line_color": [*of.paper, 160], "line_width_min_pixels": 0.5}
    layer = dots("places", data, "c", "r", opacity=0.75, **rim)
    seen = central(*around) if around else central(lon, lat, samples)
    told = describe_beyond(seen, lon[order], lat[order], "place")
    return over(seen, [layer], of, height, whole=around or (lon, lat), told=told)


def describe_beyond(seen: Extent, lon: FloatArray, lat: FloatArray, noun: str) -> str:
    """Return a note on how many drawn items lie beyond the part shown at first; "" if none does.

    Examples
    --------
    >>> describe_beyond(Extent(0, 0, 1, 1), np.array([0.5, 9.0]), np.array([0.5, 0.5]), "place")
    '1 of the 2 places drawn lies beyond the edge of the map; zoom out to see it.'
    """
    beyond = int(_box_of(seen).outside(lon, lat).sum())
    if not beyond:
        return ""
    lies, them = ("lies", "it") if beyond == 1 else ("lie", "them")
    return (
        f"{beyond:,} of the {plural(len(lon), noun)} drawn {lies} beyond the edge of the map; zoom "
        f"out to see {them}."
    )


def dots_of(counts: IntArray, most: int, of: Theme) -> tuple[list[float], list[Colour]]:
    """Return a dot's radius in pixels and a colour for each count; ``most`` is the largest."""
    radii = [round(3 + 11 * float(share), 1) for share in np.sqrt(counts / most)]
    return radii, viridis(np.log1p(counts) / np.log1p(most), of)


def fingerprints_map(
    fingerprints: Sequence[tuple[str, FloatArray, FloatArray, Colour]],
    links: tuple[FloatArray, FloatArray] | None,
    of: Theme,
    *,
    around: tuple[FloatArray, FloatArray] | None = None,
    height: int = 520,
) -> Map:
    """Return a map of fingerprints; the first, on top, is filled.

    Each fingerprint has a name, longitudes, latitudes and a colour.

    Parameters
    ----------
    links : tuple of ndarray (m, 2) or None
        Longitudes and latitudes of both ends of each link between matched samples.
    around : tuple of ndarray, optional
        Longitudes and latitudes that the map shows; by default those of the fingerprints.
    """
    layers = []
    if links is not None:
        apart = (links[0][:, 0] != links[0][:, 1]) | (links[1][:, 0] != links[1][:, 1])
        ends = np.unique(np.round(np.column_stack([links[0][apart], links[1][apart]]), 5), axis=0)
        paths = [[[a, c], [b, d]] for a, b, c, d in ends.tolist()]
        layers.append(ground.lines("matches", paths, [*of.quiet, 150], 1.5))
    for rank, (name, lon, lat, colour) in reversed(list(enumerate(fingerprints))):
        at = np.round(np.column_stack([lon, lat]), 5)
        spots, count = np.unique(at, axis=0, return_counts=True)
        shares = np.sqrt(count / count.max(initial=1)).tolist()
        data = [
            {"p": p, "r": round(4 + 8 * s, 1), "tip": f"{name}: {plural(n, 'sample')} here"}
            for p, s, n in zip(spots.tolist(), shares, count.tolist(), strict=True)
        ]
        rim = {"stroked": True, "get_line_color": list(colour), "filled": rank == 0}
        thick = {"line_width_min_pixels": 2 if rank else 1}
        layers.append(dots(f"fingerprint-{rank}", data, [*colour, 170], "r", **rim, **thick))
    lon, lat = around or (np.concatenate([f[i] for f in fingerprints]) for i in (1, 2))
    return over(extent_of(lon, lat), layers, of, height)


def cells_map(bounds: FloatArray, colours: Sequence[str], tips: Sequence[str], of: Theme) -> Map:
    """Return a map of rectangles, the largest at the bottom, so that small ones stay visible.

    Parameters
    ----------
    bounds : ndarray (n, 4)
        West, south, east, north of each rectangle, degrees; at most :data:`MAX_CELLS`.
    colours : sequence of str
        Colour of each rectangle, such as ``"#0072B2"``.
    tips : sequence of str
        Tooltip of each rectangle; plain text.
    """
    data = [
        {"g": rectangle(bounds[i]), "c": rgb(colours[i]), "tip": tips[i]}
        for i in np.argsort(-ground.sizes(bounds), kind="stable").tolist()
    ]
    layer = areas("cells", data, "[c[0], c[1], c[2], 220]", "[c[0], c[1], c[2], 200]", 1)
    corners, middle = corners_of(bounds), (bounds[:, :2] + bounds[:, 2:]) / 2
    seen = central(*corners)
    told = describe_beyond(seen, middle[:, 0], middle[:, 1], "area")
    return over(seen, [layer], of, OTHER_PX, whole=corners, told=told)


def corners_of(bounds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return longitudes and latitudes of the corners of areas, given west, south, east, north."""
    return bounds[:, [0, 2]].ravel(), bounds[:, [1, 3]].ravel()


def regions_map(
    rings: Sequence[Sequence[Sequence[float]]],
    region: Sequence[int],
    tips: Sequence[str],
    of: Theme,
) -> Map:
    """Return a map of adjacent areas, in a repeating series of colours.

    Parameters
    ----------
    rings : sequence of sequence of (longitude, latitude)
        Outlines; at least one.
    region : sequence of int
        Number of the region that each outline belongs to.
    tips : sequence of str
        Tooltip of each outline; plain text.
    """
    colours = [rgb(colour) for colour in of.categories]
    data = [
        {"g": np.round(ring, 5).tolist(), "c": colours[n % len(colours)], "tip": tip}
        for ring, n, tip in zip(rings, region, tips, strict=True)
    ]
    layer = areas("regions", data, "[c[0], c[1], c[2], 110]", [*of.ink, 200], 1)
    lon, lat = np.array([corner for ring in rings for corner in ring]).T
    return over(extent_of(lon, lat), [layer], of, OTHER_PX)


def extent_of(lon: FloatArray, lat: FloatArray) -> Extent:
    """Return the extent of all positions."""
    return Extent(*map(float, (lon.min(), lat.min(), lon.max(), lat.max())))


def over(
    shown: Extent,
    layers: list[pdk.Layer],
    of: Theme,
    height: int,
    *,
    whole: tuple[FloatArray, FloatArray] | None = None,
    told: str = "",
) -> Map:
    """Return a map of layers, bottom first, over the ground.

    Parameters
    ----------
    shown : Extent
        Extent shown at first.
    whole : tuple of ndarray, optional
        Longitudes and latitudes of the largest extent to zoom out to.
    told : str
        Note on what lies beyond the extent shown.
    """
    box = _box_of(shown)
    all_of_it = box if whole is None else _box_of(extent_of(*whole))
    zoom = _zoom(box, height)
    seen = _seen(box, zoom, height)
    around = seen.grown(1.0).with_(all_of_it)
    below, names = ground.under(seen, around, of)
    return Map(
        around,
        told,
        height,
        layers=[*below, *layers, *names],
        views=[pdk.View(type="MapView", controller=True)],
        initial_view_state=pdk.ViewState(
            longitude=(box.west + box.east) / 2,
            latitude=_middle(box),
            zoom=zoom,
            min_zoom=max(min(zoom - 1.5, _zoom(all_of_it, height)), 0),
            max_zoom=zoom + 6,
            pitch=0.0,
        ),
        map_provider=None,
        tooltip={"text": "{tip}"},
    )


def over_ground(deck: Map, background: Background, of: Theme) -> Map:
    """Return the same map, with ``background`` over its land and water and under its data."""
    paths = ground.clipped(background, deck.around)
    at = 1 + max(i for i, layer in enumerate(deck.layers) if layer.id == "borders")
    deck.layers.insert(at, ground.lines("background", paths, [*of.quiet, 150], 1.2))
    return deck


def _box_of(shown: Extent) -> Box:
    """Return the box to show: the extent, at least 0.01° (about 1 km) wide, with room for dots."""
    least = 0.01
    west, east, south, north = shown.west, shown.east, shown.south, shown.north
    x, y = max(least - (east - west), 0) / 2, max(least - (north - south), 0) / 2
    return Box(west - x, south - y, east + x, north + y).grown(0.15)


def _zoom(box: Box, height: int) -> float:
    """Return the zoom at which the box fills the picture (deck.gl: 512-pixel world at zoom 0)."""
    tall = (_mercator(box.north) - _mercator(box.south)) / (2 * math.pi)
    wide = math.log2(_WIDTH_PX / 512 / (box.width / 360))
    return round(min(wide, math.log2(height / 512 / tall)), 2)


def _seen(box: Box, zoom: float, height: int) -> Box:
    """Return the box that a picture of this zoom shows, centred on the middle of the given box."""
    per_pixel = 360 / 512 / 2**zoom
    lon, y = (box.west + box.east) / 2, _mercator(_middle(box))
    half_x, half_y = per_pixel * _WIDTH_PX / 2, math.radians(per_pixel * height / 2)
    return Box(lon - half_x, _latitude(y - half_y), lon + half_x, _latitude(y + half_y))


def _middle(box: Box) -> float:
    return _latitude((_mercator(box.north) + _mercator(box.south)) / 2)


def _latitude(y: float) -> float:
    return math.degrees(2 * math.atan(math.exp(y)) - math.pi / 2)


def _mercator(lat: float) -> float:
    return math.log(math.tan(math.pi / 4 + math.radians(lat) / 2))


# --- legends -------------------------------------------------------------------------------------


def dots_legend(most: int, of: Theme, *, noun: str = "samples") -> go.Figure:
    """Return a legend of dots for a few counts, drawn as :func:`places_map` draws them.

    Parameters
    ----------
    most : int
        The count of the map's largest dot.
    noun : str
        What is counted, in the plural.
    """
    counts = legend_counts(most)
    radii, colours = dots_of(np.array(counts), most, of)
    several = series(
        "",
        range(len(counts)),
        [0] * len(counts),
        "markers+text",
        text=[f"{n:,}" for n in counts],
        textposition="bottom center",
        textfont={"size": 14, "color": of.css("ink")},
        marker={
            "size": [2 * r for r in radii],
            "color": ["rgb({}, {}, {})".format(*c) for c in colours],
            "opacity": 0.75,
            "line": {"width": 0},
        },
        cliponaxis=False,
    )
    bare = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    across = {"title": f"{noun.capitalize()} in one place", "range": [-0.5, len(counts) - 0.5]}
    return figure(
        of,
        [several],
        across | bare | {"zeroline": False},
        {"visible": False, "range": [-1.6, 1]},
        height=84,
        showlegend=False,
        margin={"l": 16, "r": 16, "t": 4, "b": 32},
    )


def legend_counts(most: int) -> list[int]:
    """Return powers of ten below the largest count, and the largest count; at most five in all.

    Examples
    --------
    >>> legend_counts(1), legend_counts(7), legend_counts(4_321)
    ([1], [1, 7], [1, 10, 100, 1000, 4321])
    """
    tens = [10**e for e in range(len(str(most))) if 10**e < most]
    if len(tens) > 1 and most < 2 * tens[-1]:  # otherwise the last two dots look alike
        tens.pop()
    step = -(-len(tens) // 4) or 1
    return [*tens[::step], most]


@dataclass(frozen=True)
class Shades:
    """Colours of values on a scale from ``low`` to ``high``, logarithmic if both are positive.

    Attributes
    ----------
    colours : list of str
        Colours such as ``"#440154"``, one per value.
    """

    low: float
    high: float
    colours: list[str]


def shades(values: FloatArray, of: Theme) -> Shades:
    """Return viridis colours of values; on a logarithmic scale, the lowest 1% share one colour."""
    low, high = float(np.quantile(values, 0.01)), float(values.max())
    if low > 0 and high > low:
        at = np.log(np.clip(values, low, high) / low) / np.log(high / low)
    else:
        low = 0.0
        at = values / high if high > 0 else np.zeros(len(values))
    return Shades(low, high, ["#{:02x}{:02x}{:02x}".format(*c) for c in viridis(at, of)])


def scale_bar(by: Shades, title: str, of: Theme) -> go.Figure:
    """Return the legend of a map: its colours along an axis."""
    high, positive = by.high or 1.0, by.low > 0
    edges = (np.geomspace if positive else np.linspace)(by.low, high, 65)
    strip = bars(
        "",
        ((edges[1:] + edges[:-1]) / 2).tolist(),
        [1] * 64,
        {"color": graded(64, of), "line": {"width": 0}},
        "",
        base=0,
        width=np.diff(edges).tolist(),
    )
    across: dict[str, Any] = {"range": [0, high], "nticks": 5}
    if positive:
        ticks = _round_between(by.low, high)
        across = {
            "type": "log",
            "tickvals": ticks,
            "ticktext": [f"{t:g}" for t in ticks],
            "range": [math.log10(by.low), math.log10(high)],
        }
    return figure(
        of,
        [strip],
        {"title": title, "showgrid": False} | across,
        {"visible": False, "range": [0, 1]},
        height=84,
        showlegend=False,
        bargap=0,
        margin={"l": 16, "r": 32, "t": 4, "b": 56},
    )


def _round_between(low: float, high: float) -> list[float]:
    """Return the numbers 1, 2, 5, 10, … in a range; only powers of ten if there are many."""
    tens = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    some = [m * 10.0**e for e in tens for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    return some if len(some) <= 7 else [t for t in some if f"{t:e}".startswith("1")]
