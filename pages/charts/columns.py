"""How many people are where? A column on each hexagon of H3, as high as they are many."""

from __future__ import annotations

import numpy as np
import pydeck as pdk

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.projection import central

from .maps import Map, beyond_told, layered
from .style import Theme

_TALLEST = 0.22  # of the map's longer side
_PITCH = 45.0
_M_PER_DEGREE = 111_195.0


def columns_map(
    lon: FloatArray,
    lat: FloatArray,
    offsets: IntArray,
    people: IntArray,
    colours: list[str],
    of: Theme,
    *,
    height: int = 430,
) -> Map:
    """Columns on hexagons; what is far from nearly all others may be beyond the edge.

    Parameters
    ----------
    lon, lat : float64 ndarray (n_corners,)
        Corners of all hexagons, degrees; at least one hexagon.
    offsets : int64 ndarray (n + 1,)
        Corners of hexagon i are ``offsets[i]:offsets[i + 1]``.
    people : int64 ndarray (n,)
    colours : list of str
        Of each, such as ``"#440154"``.
    """
    seen = central(lon, lat, np.repeat(people, np.diff(offsets)))
    tallest_m = _TALLEST * _M_PER_DEGREE * max(seen.east - seen.west, seen.north - seen.south)
    corner = np.round(np.column_stack([lon, lat]), 5).tolist()
    data = [
        {
            "g": corner[begin:end],
            "z": round(tallest_m * n / int(people.max()), 1),
            "c": [int(colour[at : at + 2], 16) for at in (1, 3, 5)],
            "tip": f"{n:,} people",
        }
        for begin, end, n, colour in zip(
            offsets[:-1].tolist(), offsets[1:].tolist(), people.tolist(), colours, strict=True
        )
    ]
    layer = pdk.Layer(
        "PolygonLayer",
        id="columns",
        data=data,
        get_polygon="g",
        get_elevation="z",
        get_fill_color="c",
        extruded=True,
        filled=True,
        pickable=True,
        material={"ambient": 0.6, "diffuse": 0.5, "shininess": 8},
    )
    told = beyond_told(seen, lon[offsets[:-1]], lat[offsets[:-1]], "hexagon")
    return layered(
        [layer], seen.ends, of, height=height, pitch=_PITCH, above_m=tallest_m, told=told
    )
