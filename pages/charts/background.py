"""An operator's own lines under a map: roads, districts, in a quiet colour."""

from __future__ import annotations

import numpy as np
import shapely

from fpanon_core.model.geography import Background

from .maps import Map, lines
from .outlines import Box, Path2D
from .style import Theme

_MOST_VERTICES = 8_000  # of one map: some 150 kB
_OF_A_SCREEN = 3_000


def over_ground(deck: Map, background: Background, of: Theme) -> Map:
    """The same map, with the lines over its land and water and under its data."""
    paths = clipped(background, deck.around)
    at = 1 + max(i for i, layer in enumerate(deck.layers) if layer.id == "borders")
    deck.layers.insert(at, lines("background", paths, [*of.quiet, 150], 1.2))
    return deck


def clipped(background: Background, box: Box) -> list[Path2D]:
    """The lines within a box, as fine as a screen shows and a page may send."""
    number = np.repeat(np.arange(background.n_lines), np.diff(background.offsets))
    found: list[Path2D] = []
    for turn in (-360.0, 0.0, 360.0):
        if background.lon.max() + turn < box.west or background.lon.min() + turn > box.east:
            continue
        whole = shapely.linestrings(
            np.column_stack([background.lon + turn, background.lat]), indices=number
        )
        parts = shapely.clip_by_rect(whole, box.west, box.south, box.east, box.north)
        parts = shapely.get_parts(parts[~shapely.is_empty(parts)])
        tolerance = max(box.width, box.height) / _OF_A_SCREEN
        simple = shapely.simplify(parts, tolerance)
        while shapely.get_num_coordinates(simple).sum() > _MOST_VERTICES:
            tolerance *= 2
            parts = parts[shapely.length(parts) > tolerance]
            simple = shapely.simplify(parts, tolerance)
        found += [[(round(x, 5), round(y, 5)) for x, y in line.coords] for line in simple]
    return found
