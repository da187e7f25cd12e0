"""Where are the places and the people? Maps over the shipped outlines, without any tile server.

A map without streets is read by its coast, its towns, a grid of degrees and a scale bar, so each
map draws these under the data. Everything is sent compactly, every layer has an id, and tooltips
are plain text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pydeck as pdk

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.projection import Extent, central

from .outlines import Box, outlines
from .style import Colour, Theme, viridis
from .words import count as plural

MAX_POINTS = 5_000
MAX_CELLS = 3_000
_WIDTH_PX = 400  # a column of two on a laptop; a wider map shows more around the data
_WHOLE_PX = 720  # of a map looked at from aside, which has a line of its own
_KM_PER_DEGREE = 111.195
# Of a map looked at from aside: zoom; sides of what is seen; how far north of the middle it looks,
# of its height, as what stands on the ground rises beyond it.
_NEARER, _FARTHER, _NORTH = 0.15, 4.0, 0.05


class Map(pdk.Deck):
    """A deck that is sent without indentation and asks for no map tiles.

    Attributes
    ----------
    around : Box
        As far as its ground reaches.
    beyond : str
        What does not lie within what it shows at first; "" where all does.
    """

    def __init__(self, around: Box, beyond: str = "", **named: Any) -> None:
        super().__init__(**named)
        self.around, self.beyond = around, beyond

    def to_json(self) -> str:
        """The deck as compact JSON."""
        spec = json.loads(super().to_json())
        for ours in ("around", "beyond"):
            spec.pop(ours, None)
        return json.dumps(spec, separators=(",", ":"))


def places_map(
    lon: FloatArray,
    lat: FloatArray,
    samples: npt.NDArray[np.int64],
    of: Theme,
    *,
    noun: str = "sample",
    most: int | None = None,
    around: tuple[FloatArray, FloatArray] | None = None,
    height: int = 460,
) -> Map:
    """Places: area by samples, colour by samples too (viridis, logarithmic).

    Parameters
    ----------
    noun : str
        What is counted.
    most : int, optional
        The count of the largest dot; the largest of ``samples`` if not given.
    around : tuple of ndarray, optional
        Longitudes and latitudes that the map is to show; the places' own if not given.
    """
    most = int(samples.max()) if most is None else most
    order = np.argsort(-samples, kind="stable")[:MAX_POINTS][::-1]
    radii, colours = dots_of(samples[order], most, of)
    data = [
        {"p": [_short(x), _short(y)], "r": r, "c": c, "tip": plural(n, noun)}
        for x, y, r, c, n in zip(
            lon[order], lat[order], radii, colours, samples[order].tolist(), strict=True
        )
    ]
    layer = pdk.Layer(
        "ScatterplotLayer",
        id="places",
        data=data,
        get_position="p",
        get_fill_color="c",
        get_radius="r",
        radius_units=pdk.types.String("pixels"),
        opacity=0.75,
        stroked=True,
        get_line_color=[*of.paper, 160],
        line_width_min_pixels=0.5,
        pickable=True,
    )
    seen = central(*around) if around else central(lon, lat, samples)
    told = beyond_told(seen, lon[order], lat[order], "place")
    return _map(seen, [layer], of, height, whole=around or (lon, lat), told=told)


def beyond_told(seen: Extent, lon: FloatArray, lat: FloatArray, noun: str) -> str:
    """How many of those drawn lie beyond what is shown at first; "" where none does.

    Examples
    --------
    >>> beyond_told(Extent(0, 0, 1, 1), np.array([0.5, 9.0]), np.array([0.5, 0.5]), "place")
    '1 of the 2 places drawn lies beyond the edge of the map; zoom out to see it.'
    """
    box = _box_of(seen)
    shown = Extent(box.west, box.south, box.east, box.north)
    beyond = int(shown.outside(lon, lat).sum())
    if not beyond:
        return ""
    lies, them = ("lies", "it") if beyond == 1 else ("lie", "them")
    return (
        f"{beyond:,} of the {plural(len(lon), noun)} drawn {lies} beyond the edge of the map; zoom "
        f"out to see {them}."
    )


def dots_of(
    counts: npt.NDArray[np.int64], most: int, of: Theme
) -> tuple[list[float], list[Colour]]:
    """Radius in pixels and colour of the dot for each count, ``most`` being the largest."""
    radii = [round(3 + 11 * float(share), 1) for share in np.sqrt(counts / most)]
    return radii, viridis(np.log1p(counts) / np.log1p(most), of)


def fingerprints_map(
    fingerprints: Sequence[tuple[str, FloatArray, FloatArray, Colour]],
    links: tuple[FloatArray, FloatArray] | None,
    of: Theme,
    *,
    noun: str = "sample",
    height: int = 520,
) -> Map:
    """Fingerprints by name, longitudes, latitudes and colour; the first is drawn on top, filled.

    Parameters
    ----------
    links : tuple of ndarray (m, 2) or None
        Longitudes and latitudes of both ends of each link between matched samples.
    noun : str
        What there is one of at each position.
    """
    layers = []
    if links is not None:
        apart = (links[0][:, 0] != links[0][:, 1]) | (links[1][:, 0] != links[1][:, 1])
        ends = np.unique(np.round(np.column_stack([links[0][apart], links[1][apart]]), 5), axis=0)
        layers.append(
            pdk.Layer(
                "LineLayer",
                id="matches",
                data=[{"a": [a, c], "b": [b, d]} for a, b, c, d in ends.tolist()],
                get_source_position="a",
                get_target_position="b",
                get_color=[*of.quiet, 150],
                get_width=1.5,
            )
        )
    for rank, (name, lon, lat, colour) in reversed(list(enumerate(fingerprints))):
        spots, count = np.unique(
            np.round(np.column_stack([lon, lat]), 5), axis=0, return_counts=True
        )
        size = np.sqrt(count / count.max())
        layers.append(
            pdk.Layer(
                "ScatterplotLayer",
                id=f"fingerprint-{rank}",
                data=[
                    {"p": p, "r": round(4 + 8 * s, 1), "tip": f"{name}: {plural(n, noun)} here"}
                    for p, s, n in zip(spots.tolist(), size.tolist(), count.tolist(), strict=True)
                ],
                get_position="p",
                get_radius="r",
                radius_units=pdk.types.String("pixels"),
                filled=rank == 0,
                stroked=True,
                get_fill_color=[*colour, 170],
                get_line_color=list(colour),
                line_width_min_pixels=2 if rank else 1,
                pickable=True,
            )
        )
    lon = np.concatenate([f[1] for f in fingerprints])
    lat = np.concatenate([f[2] for f in fingerprints])
    return _map(_all(lon, lat), layers, of, height)


def cells_map(
    bounds: FloatArray,
    colour: Sequence[str],
    tips: Sequence[str],
    around: tuple[FloatArray, FloatArray],
    of: Theme,
    *,
    numbers: Sequence[int] = (),
    chosen: int = -1,
    opacity: int = 24,
    height: int = 460,
) -> Map:
    """Rectangles of places, the largest at the bottom; points of single places stay visible.

    Parameters
    ----------
    bounds : ndarray (n, 4)
        West, south, east, north of each, degrees; at most :data:`MAX_CELLS`.
    colour : sequence of str
        Of each, such as ``"#0072B2"``.
    tips : sequence of str
        What the mouse is told about each; plain text.
    around : tuple of ndarray
        Longitudes and latitudes that the map is to show.
    numbers : sequence of int
        What a click on each tells, as ``n`` of the object; counted from 0 when empty.
    chosen : int
        The number drawn boldly and on top.
    opacity : int
        Of the areas, of 255; their outlines are hardly transparent.
    """
    numbers = numbers or range(len(bounds))
    size = (bounds[:, 2] - bounds[:, 0]) * (bounds[:, 3] - bounds[:, 1])
    data = []
    for i in np.argsort(-size, kind="stable").tolist():
        west, south, east, north = (_short(d) for d in bounds[i])
        ring = [[west, south], [east, south], [east, north], [west, north]]
        rgb = [int(colour[i][at : at + 2], 16) for at in (1, 3, 5)]
        bold = numbers[i] == chosen
        data.append(
            {"g": ring, "c": rgb, "n": numbers[i], "tip": tips[i]}
            | {"w": 4 if bold else 1, "o": 96 if bold else opacity}
        )
    data.sort(key=lambda cell: cell["n"] == chosen)
    seen, middle = central(*around), (bounds[:, :2] + bounds[:, 2:]) / 2
    layer = pdk.Layer(
        "PolygonLayer",
        id="cells",
        data=data,
        get_polygon="g",
        get_fill_color="[c[0], c[1], c[2], o]",
        get_line_color="[c[0], c[1], c[2], 200]",
        line_width_units=pdk.types.String("pixels"),
        get_line_width="w",
        filled=True,
        stroked=True,
        pickable=True,
    )
    told = beyond_told(seen, middle[:, 0], middle[:, 1], "area")
    return _map(seen, [layer], of, height, whole=corners_of(bounds), told=told)


def corners_of(bounds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Longitudes and latitudes of the corners of areas: west, south, east, north of each."""
    return bounds[:, [0, 2]].ravel(), bounds[:, [1, 3]].ravel()


def released_map(
    bounds: FloatArray,
    users: npt.NDArray[np.int64],
    most: int,
    around: Extent,
    of: Theme,
    *,
    height: int = 460,
) -> Map:
    """Published places as rectangles, coloured by their users (viridis, logarithmic).

    Parameters
    ----------
    bounds : ndarray (n, 4)
        West, south, east, north of each, degrees; at most :data:`MAX_CELLS`, at least one.
    users : ndarray (n,)
    most : int
        Users at the upper end of the scale, so that maps side by side share theirs.
    around : Extent
        What the map is to show, so that they share that, too.
    """
    colours = viridis(np.log1p(users) / np.log1p(max(most, 1)), of)
    size = (bounds[:, 2] - bounds[:, 0]) * (bounds[:, 3] - bounds[:, 1])
    data = []
    for i in np.lexsort((users, -size)).tolist():  # the largest at the bottom
        west, south, east, north = (_short(d) for d in bounds[i])
        ring = [[west, south], [east, south], [east, north], [west, north]]
        data.append({"g": ring, "c": colours[i], "tip": f"{users[i]:,} users"})
    layer = pdk.Layer(
        "PolygonLayer",
        id="places",
        data=data,
        get_polygon="g",
        get_fill_color="[c[0], c[1], c[2], 150]",
        get_line_color="[c[0], c[1], c[2], 255]",
        line_width_units=pdk.types.String("pixels"),
        get_line_width=3,
        filled=True,
        stroked=True,
        pickable=True,
    )
    middle = (bounds[:, :2] + bounds[:, 2:]) / 2
    told = beyond_told(around, middle[:, 0], middle[:, 1], "place")
    return _map(around, [layer], of, height, whole=corners_of(bounds), told=told)


def regions_map(
    rings: Sequence[Sequence[Sequence[float]]],
    region: Sequence[int],
    tips: Sequence[str],
    of: Theme,
    *,
    height: int = 460,
) -> Map:
    """Areas side by side, coloured in turn.

    Parameters
    ----------
    rings : sequence of sequence of (longitude, latitude)
        Outlines; at least one.
    region : sequence of int
        Number of the region that each outline belongs to.
    tips : sequence of str
        What the mouse is told about each outline; plain text.
    """
    data = []
    for ring, number, tip in zip(rings, region, tips, strict=True):
        colour = of.categories[number % len(of.categories)]
        rgb = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        data.append({"g": [[_short(x), _short(y)] for x, y in ring], "c": rgb, "tip": tip})
    layer = pdk.Layer(
        "PolygonLayer",
        id="regions",
        data=data,
        get_polygon="g",
        get_fill_color="[c[0], c[1], c[2], 110]",
        get_line_color=[*of.ink, 200],
        line_width_units=pdk.types.String("pixels"),
        get_line_width=1,
        filled=True,
        stroked=True,
        pickable=True,
    )
    corners = np.array([corner for ring in rings for corner in ring])
    return _map(_all(corners[:, 0], corners[:, 1]), [layer], of, height)


def layered(
    layers: list[pdk.Layer],
    around: tuple[FloatArray, FloatArray],
    of: Theme,
    *,
    height: int,
    pitch: float = 0.0,
    above_m: float = 0.0,
    told: str = "",
) -> Map:
    """A map of layers that are made elsewhere, over the outlines.

    Parameters
    ----------
    layers : list of Layer
        Bottom first.
    around : tuple of ndarray
        Longitudes and latitudes that the map is to show.
    pitch : float
        Degrees from the vertical at which it is looked at; 0 from above. A bar of scale would be
        true at one distance only, and is left out when it is not 0.
    above_m : float
        Height at which the names of towns stand then.
    told : str
        What of the layers lies beyond that.
    """
    return _map(_all(*around), layers, of, height, pitch=pitch, above_m=above_m, told=told)


def _all(lon: FloatArray, lat: FloatArray) -> Extent:
    """All positions."""
    ends = lon.min(), lat.min(), lon.max(), lat.max()
    return Extent(*map(float, ends))


def _map(
    shown: Extent,
    layers: list[pdk.Layer],
    of: Theme,
    height: int,
    *,
    whole: tuple[FloatArray, FloatArray] | None = None,
    pitch: float = 0.0,
    above_m: float = 0.0,
    told: str = "",
) -> Map:
    """A map that begins with what is to be shown; ``whole``: as far as one may want to zoom out."""
    box = _box_of(shown)
    all_of_it = box if whole is None else _box_of(_all(*whole))
    # From aside what is far is small, and the ground reaches to the horizon.
    zoom = _zoom(box, height, _WHOLE_PX) + _NEARER if pitch else _zoom(box, height)
    seen = _seen(box, zoom, height)
    around = seen.grown(_FARTHER if pitch else 1.0).with_(all_of_it)
    names = _names(seen, around, of)
    if pitch:  # towns alone, above what stands on the ground
        towns = [{"p": [x, y, above_m], "t": name} for name, x, y in outlines(around).places]
        names = [texts("towns", towns, of, 14, offset=(0, -14))]
    ground = _ground(seen, around, of)
    if pitch:  # one on the other in their order, as all lie at one height
        for layer in ground:
            layer.parameters = {"depthCompare": "always", "depthWriteEnabled": False}
    return Map(
        around,
        told,
        layers=[*ground, *layers, *names],
        views=[pdk.View(type="MapView", controller=True)],
        initial_view_state=pdk.ViewState(
            longitude=(box.west + box.east) / 2,
            latitude=_middle(box) + (_NORTH * (box.north - box.south) if pitch else 0.0),
            zoom=zoom,
            min_zoom=max(min(zoom - 1.5, _zoom(all_of_it, height)), 0),
            max_zoom=zoom + 6,
            pitch=pitch,
        ),
        map_provider=None,
        tooltip={"text": "{tip}"},
        height=height,
    )


def _ground(seen: Box, around: Box, of: Theme) -> list[pdk.Layer]:
    """Water, land, lakes, borders and grid, bottom first: what lies under the data."""
    found = outlines(around)
    grid, _ = _graticule(seen, around)
    faint = [*of.coast, 90]
    return [
        _area("water", [around.ring], of.water),
        _area("land", found.land, of.land),
        _area("lakes", found.lakes, of.water),
        lines("graticule", grid, faint, 1),
        lines("coast", found.coast, [*of.coast, 255], 1),
        lines("borders", found.borders, [*of.coast, 255], 1.5),
    ]


def _names(seen: Box, around: Box, of: Theme) -> list[pdk.Layer]:
    """Degrees, towns and the scale bar: what must stay readable above the data."""
    _, labels = _graticule(seen, around)
    bar, bar_label = _scale_bar(seen)
    towns = [{"p": [x, y], "t": name} for name, x, y in outlines(around).places]
    return [
        lines("scale-bar", bar, [*of.ink, 255], 3),
        texts("degrees", labels, of, 12),
        texts("scale-text", [bar_label], of, 13, anchor="start", offset=(0, -12)),
        texts("towns", towns, of, 14, offset=(0, -14)),
    ]


def _area(name: str, rings: list[Any], colour: Colour) -> pdk.Layer:
    return pdk.Layer(
        "SolidPolygonLayer",
        id=name,
        data=[{"g": ring} for ring in rings],
        get_polygon="g",
        get_fill_color=list(colour),
    )


def lines(name: str, paths: list[Any], colour: list[int], width: float) -> pdk.Layer:
    """Lines of so many pixels."""
    return pdk.Layer(
        "PathLayer",
        id=name,
        data=[{"g": path} for path in paths],
        get_path="g",
        get_color=colour,
        get_width=width,
        width_units=pdk.types.String("pixels"),
    )


def texts(
    name: str,
    words: list[dict[str, Any]],
    of: Theme,
    size: int,
    *,
    anchor: str = "middle",
    offset: tuple[int, int] = (0, 0),
    inverted: bool = False,
) -> pdk.Layer:
    """Words on a little paper of their own, readable on whatever is under them.

    Parameters
    ----------
    words : list of dict
        Of each its position ``p`` and its text ``t``.
    inverted : bool
        Paper on ink.
    """
    ink, paper = (of.paper, of.ink) if inverted else (of.ink, of.paper)
    return pdk.Layer(
        "TextLayer",
        id=name,
        data=words,
        get_position="p",
        get_text="t",
        get_color=list(ink),
        background=True,
        get_background_color=[*paper, 200],
        background_padding=[3, 1],
        get_size=size,
        get_text_anchor=pdk.types.String(anchor),
        get_pixel_offset=list(offset),
        character_set=pdk.types.String("auto"),
        font_family=pdk.types.String("Source Sans, Segoe UI, Helvetica, Arial, sans-serif"),
    )


def _graticule(box: Box, around: Box) -> tuple[list[Any], list[dict[str, Any]]]:
    """Meridians and parallels at round degrees, labelled along the upper and left edge."""
    step = _round_down(max(box.width, box.height) / 3, (1, 2, 5))
    decimals = max(0, -math.floor(math.log10(step)))
    lines: list[Any] = []
    labels: list[dict[str, Any]] = []
    for lon in np.arange(math.ceil(around.west / step), around.east / step) * step:
        lines.append([[_short(lon), around.south], [_short(lon), around.north]])
        if box.west + 0.15 * box.width <= lon <= box.east - 0.06 * box.width:
            value = (lon + 180) % 360 - 180
            text = f"{abs(value):.{decimals}f}° {'E' if value >= 0 else 'W'}"
            labels.append({"p": [_short(lon), _short(box.north - 0.03 * box.height)], "t": text})
    for lat in np.arange(math.ceil(around.south / step), around.north / step) * step:
        lines.append([[around.west, _short(lat)], [around.east, _short(lat)]])
        if box.south + 0.05 * box.height <= lat <= box.north - 0.08 * box.height:
            text = f"{abs(lat):.{decimals}f}° {'N' if lat >= 0 else 'S'}"
            labels.append({"p": [_short(box.west + 0.08 * box.width), _short(lat)], "t": text})
    return lines, labels


def _scale_bar(box: Box) -> tuple[list[Any], dict[str, Any]]:
    """A bar of a round length, true at its own latitude, at the lower right of the picture."""
    lat = box.south + 0.04 * box.height
    east = box.east - 0.05 * box.width
    km_per_degree = _KM_PER_DEGREE * math.cos(math.radians(lat))
    length = _round_down(box.width * km_per_degree / 4, (1, 2, 5))
    west = east - length / km_per_degree
    text = f"{length:g} km" if length >= 1 else f"{length * 1000:g} m"
    return [[[west, lat], [east, lat]]], {"p": [west, lat], "t": text}


def _box_of(shown: Extent) -> Box:
    """What is to be shown, a little larger, and never smaller than about two kilometres."""
    least = 0.01
    west, east, south, north = shown.west, shown.east, shown.south, shown.north
    x, y = max(least - (east - west), 0) / 2, max(least - (north - south), 0) / 2
    return Box(west - x, south - y, east + x, north + y).grown(0.08)


def _zoom(box: Box, height: int, width: int = _WIDTH_PX) -> float:
    """The zoom at which the box fills the picture (deck.gl: the world is 512 pixels at zoom 0)."""
    tall = (_mercator(box.north) - _mercator(box.south)) / (2 * math.pi)
    return round(min(math.log2(width / 512 / (box.width / 360)), math.log2(height / 512 / tall)), 2)


def _seen(box: Box, zoom: float, height: int) -> Box:
    """What a picture of this zoom shows when its middle is the middle of the box."""
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


def _round_down(value: float, steps: tuple[int, ...]) -> float:
    unit = 10.0 ** math.floor(math.log10(value))
    return max(s for s in steps if s * unit <= value) * unit


def _short(degrees: float) -> float:
    return round(float(degrees), 5)
