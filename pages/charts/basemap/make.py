"""Pack Natural Earth's GeoJSON into the small arrays that `fpanon_core/model/geography.py` reads.

Run once, from the repository's root, when Natural Earth is updated:

    python pages/charts/basemap/make.py FOLDER

FOLDER must hold these files as .geojson.gz: ne_10m_coastline, ne_50m_land, ne_50m_lakes,
ne_50m_admin_0_boundary_lines_land and ne_50m_populated_places_simple. Lines and rings become 32-bit
integers in units of 1e-4 degree (about 10 m), far finer than the outlines themselves.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import shapely

LINES = {
    "coastline": "ne_10m_coastline",
    "land": "ne_50m_land",
    "lakes": "ne_50m_lakes",
    "borders": "ne_50m_admin_0_boundary_lines_land",
}
UNITS_PER_DEGREE = 10_000


def main(folder: Path, out: Path) -> None:
    """Pack the outlines and places in ``folder`` into one small file."""
    packed: dict[str, np.ndarray] = {}
    for name, file in LINES.items():
        lines = [np.asarray(c)[:, :2] for f in features(folder, file) for c in parts(f["geometry"])]
        if name == "lakes":  # the Caspian Sea is published as a hole in the land
            lines += [
                np.asarray(hole)[:, :2]
                for f in features(folder, LINES["land"])
                if f["geometry"]["type"] == "Polygon"
                for hole in f["geometry"]["coordinates"][1:]
            ]
        packed[f"{name}_offsets"] = np.cumsum([0, *map(len, lines)]).astype(np.int32)
        units = np.round(np.concatenate(lines) * UNITS_PER_DEGREE).astype(np.int32)
        packed[f"{name}_delta"] = np.diff(units, axis=0, prepend=0)  # compresses better
    places = [f["properties"] for f in features(folder, "ne_50m_populated_places_simple")]
    packed["place_name"] = np.array([p["name"] for p in places])
    packed["place_lonlat"] = np.array([(p["longitude"], p["latitude"]) for p in places])
    packed["place_rank"] = np.array([p["scalerank"] for p in places], np.int16)
    np.savez_compressed(out, allow_pickle=False, **packed)


def features(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the features of one of Natural Earth's files."""
    with gzip.open(folder / f"{name}.geojson.gz") as file:
        found: list[dict[str, Any]] = json.load(file)["features"]
    return found


def parts(geometry: dict[str, Any]) -> list[Any]:
    """Return the lines of a geometry, or the outer rings of its polygons."""
    several = shapely.get_parts(shapely.geometry.shape(geometry))
    return [getattr(part, "exterior", part).coords for part in several]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(__file__).with_name("natural_earth.npz"))
