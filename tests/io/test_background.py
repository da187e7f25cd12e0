"""An operator's lines for under the maps: what is kept, what is refused, and hostile files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from fpanon_core.io import geojson as background
from fpanon_core.io.geojson import MAX_VERTICES, read_background
from fpanon_core.model.errors import SchemaError

ROAD = [[2.1, 41.3], [2.2, 41.4], [2.3, 41.3]]
RING = [[2.0, 41.0], [3.0, 41.0], [3.0, 42.0], [2.0, 41.0]]


def written(kind: str, coordinates: Any) -> bytes:
    geometry = {"type": kind, "coordinates": coordinates}
    feature = {"type": "Feature", "properties": {"name": "A-2"}, "geometry": geometry}
    return json.dumps({"type": "FeatureCollection", "features": [feature]}).encode()


@pytest.mark.parametrize(
    ("kind", "coordinates", "lines"),
    [
        ("LineString", ROAD, 1),
        ("MultiLineString", [ROAD, RING], 2),
        ("Polygon", [RING, RING], 2),  # the outline and a hole
        ("MultiPolygon", [[RING], [RING]], 2),
        ("LineString", [[x, y, 12.0] for x, y in ROAD], 1),  # heights are left
        ("LineString", [[*ROAD[0], 5], *ROAD[1:]], 1),
        ("LineString", [[-190.0, 0.0], [-170.0, 1.0]], 1),  # across the date line
    ],
)
def test_lines_and_outlines_are_read(kind: str, coordinates: Any, lines: int) -> None:
    found = read_background(written(kind, coordinates))
    assert found.n_lines == lines
    assert not found.n_small


def test_nothing_but_the_shapes_is_kept() -> None:
    """Points are counted, and a feature may have no place."""
    body = json.loads(written("LineString", ROAD))
    point = {"type": "Point", "coordinates": [2, 41]}
    both = {"type": "GeometryCollection", "geometries": [point, body["features"][0]]}
    body["features"] = [both, {"type": "Feature", "geometry": None}]
    found = read_background(json.dumps(body).encode())
    assert np.column_stack([found.lon, found.lat]).tolist() == ROAD
    assert (found.n_lines, found.n_read, found.n_points) == (1, 3, 1)
    assert "A-2" not in repr(vars(found))


def test_of_very_fine_lines_as_much_is_kept_as_a_map_can_show() -> None:
    # A thousand lines of 100 vertices each, within a tenth of a degree.
    rng = np.random.default_rng(0)
    lines = rng.random((1000, 1, 2)) + np.cumsum(rng.normal(0, 1e-3, (1000, 100, 2)), axis=1)
    found = read_background(written("MultiLineString", lines.tolist()))
    assert found.n_read == 100_000
    assert len(found.lon) <= MAX_VERTICES
    assert found.n_lines + found.n_small == 1000


LINE = {"type": "LineString", "coordinates": ROAD}
NESTED: dict[str, Any] = LINE
for _ in range(30):
    NESTED = {"type": "GeometryCollection", "geometries": [NESTED]}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "damaged"),
        (b"[" * 5_000, "damaged"),
        (b'{"type": "LineString", "coordinates": [[1, 2], [3', "damaged"),
        (b"[1, 2]", "not valid GeoJSON"),
        (b"{}", "not valid GeoJSON"),
        (json.dumps(NESTED).encode(), "not valid GeoJSON"),
        (written("Point", [2, 41]), "no line or area"),
        (written("LineString", [[2, 41]]), "single points"),
        (written("LineString", [[2, 41], [2, 41]]), "single points"),
        (written("LineString", []), "no line"),
        (written("LineString", "abc"), "no coordinates"),
        (written("LineString", [["2", "41"], ["3", "41"]]), "pairs of longitude"),
        (written("LineString", [2, 41]), "pairs of longitude"),
        (written("LineString", [[float("nan"), 1], [3, 41]]), "beyond the globe"),
        (written("LineString", [[4_500_000.0, 1.0], [3, 41]]), "in metres"),
        (
            b'{"type": "LineString", "coordinates": [[1, 1], [2, 2]], '
            b'"crs": {"type": "name", "properties": {"name": "EPSG:25831"}}}',
            "another map projection",
        ),
    ],
)
def test_what_is_no_background_is_refused_in_a_sentence(body: bytes, why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        read_background(body)


def test_too_much_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MAX_POSITIONS", 3)
    with pytest.raises(SchemaError, match="more than 3 positions"):
        read_background(written("LineString", ROAD))
    monkeypatch.setattr(background, "MAX_BYTES", 10)
    with pytest.raises(SchemaError, match="background needs far less"):
        read_background(written("LineString", ROAD))
