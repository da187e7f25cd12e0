"""Regions from GeoJSON: which antenna is in which, what is told, and what is refused."""

from __future__ import annotations

import datetime as dt
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.aggregates.areas import geojson_of
from fpanon_core.io import geojson as module
from fpanon_core.io.cdr import read_cdr, read_parts
from fpanon_core.io.geojson import read_regions
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from tests.oracles.regions import region_of

SITES = pd.DataFrame(
    {
        "antenna": ["a", "b", "c", "d"],
        "lat": [14.70, 14.71, 14.75, 14.70],
        "lon": [-17.45, -17.44, -17.40, -17.00],
    }
)
EVENTS = pd.DataFrame(
    {
        "user": ["u", "u", "v", "v"],
        "time": [f"2013-01-07 13:{minute}:00" for minute in range(10, 14)],
        "antenna": ["a", "b", "c", "d"],
    }
)
FRAME = fp.FrameConfig(fp.StatedPeriod(dt.date(2013, 1, 7), 1, 60.0), column="region")


def ring(west, south, east, north):
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def feature(coordinates, kind="Polygon", **properties):
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features):
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


# West of 17.42° W and east of it, between 14.6° and 14.8° N; far away, a third.
WEST = feature([ring(-17.5, 14.6, -17.42, 14.8)], code=7, name="West")
EAST = feature([ring(-17.42, 14.6, -17.3, 14.8)], code=7, name="East")
FAR = feature([ring(3, 3, 4, 4)], code=9, name="NA")
DISTRICTS = collection(WEST, EAST, FAR)


def read(body, **more):
    return read_cdr(EVENTS, antennas=SITES, regions=body, **more)


def holding(body, lon, lat, name=None):
    found, several = read_regions(body, name).holding(np.array(lat, float), np.array(lon, float))
    return found.tolist(), several


# --- worked examples -----------------------------------------------------------------------------


def test_each_antenna_gets_the_region_it_stands_in() -> None:
    """a, b west of 17.42° W, c east of it, d far off; the third region has none."""
    table = SITES.assign(region=["n", "n", "s", "s"])  # a column of that name is kept beside
    fs, report = read_cdr(EVENTS, antennas=table, regions=DISTRICTS)
    assert fs.antennas is not None
    assert list(fs.antennas.columns) == ["region", "region (table)"]
    assert fs.antennas.column("region (table)").tolist() == ["n", "n", "s", "s"]
    assert any("is now 'region (table)'" in note for note in report.notes)
    assert fs.antennas.column("region").tolist() == ["West", "West", "East", ""]
    assert set(fs.antennas.outlines) == {"West", "East"}
    for told in (
        "The names of the regions come from 'name'.",
        "The antennas stand in 2 of 3 regions (column 'region'). No antenna is in the other 1.",
        "1 of 4 antennas stands in no region.",
    ):
        assert told in report.notes
    plain, _ = read_cdr(EVENTS, antennas=SITES)
    assert plain.antennas is not None
    assert plain.antennas.outlines == {}
    assert plain.digest != fs.digest


def test_regions_are_areas_of_tables_and_of_profiles() -> None:
    """One day: u is in West, v shares its hour between East and no region."""
    fs, _ = read(DISTRICTS)
    table = fp.presence(fs, FRAME, bands=1).to_frame()
    people = table[table["day"] == "weekday"].set_index("area")["people"]
    assert people.to_dict() == {"(unnamed)": 0.5, "East": 0.5, "West": 1.0}
    inside, _ = read_cdr(EVENTS[:3], antennas=SITES, regions=DISTRICTS)
    made = fp.generalize(inside, fp.GeneralizationProfile(fp.Regions("region"), 60))
    assert made.n_samples == 2
    with pytest.raises(ConfigError, match="no 'region' for 1 of the antennas that the data name"):
        fp.generalize(fs, fp.GeneralizationProfile(fp.Regions("region"), 60))


def test_a_hole_is_outside_and_the_parts_of_a_multipolygon_are_inside() -> None:
    donut = feature([ring(0, 0, 9, 9), ring(3, 3, 6, 6)], name="Donut")
    two = feature([[ring(3.5, 3.5, 4, 4)], [ring(20, 0, 21, 1)]], "MultiPolygon", name="Two")
    found, several = holding(collection(donut, two), [1, 5, 3.7, 20.5], [1, 5, 3.7, 0.5])
    assert (found, several) == ([0, -1, 1, 1], 0)


def test_of_overlapping_regions_the_first_in_the_file_counts() -> None:
    """1 is in both, 3 in the second alone, 2 on the border of the first and in the second."""
    first, second = feature([ring(0, 0, 2, 2)], n="1st"), feature([ring(0, 0, 4, 4)], n="2nd")
    assert holding(collection(first, second), [1, 3, 2], [1, 3, 1]) == ([0, 1, 0], 2)
    _, report = read(collection(WEST, feature([ring(-18, 14, -17, 15)], name="All")))
    assert any("2 antennas are in several regions" in note for note in report.notes)


def test_areas_of_one_name_are_one_region_where_the_property_is_given() -> None:
    found = read_regions(DISTRICTS, "code")
    assert found.names == ("7", "9")
    assert found.shapes[0].area == pytest.approx(0.2 * 0.2)
    assert "3 areas have 2 names; areas with the same name form one region." in found.notes
    assert holding(DISTRICTS, [-17.42], [14.7], "code") == ([0], 0)  # no border within


def test_the_name_is_the_first_text_that_differs_everywhere() -> None:
    """``type`` is alike, ``note`` is empty once, ``id`` is a number."""
    one = feature([ring(0, 0, 1, 1)], type="d", note="x", id=1, own=" 0st ")
    other = feature([ring(1, 0, 2, 1)], type="d", note=" ", id=2, own=" 1st ")
    assert read_regions(collection(one, other)).names == ("0st", "1st")


def test_what_is_no_area_is_counted_and_what_crosses_itself_is_mended() -> None:
    bow = feature([[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]], name="Bow")
    road = feature([[0, 0], [1, 1]], "LineString", name="Road")
    found = read_regions(collection(bow, road, {"type": "Feature", "geometry": None}, 3))
    assert found.names == ("Bow",)
    assert found.shapes[0].is_valid
    assert "Features left out because they are not areas: 3." in found.notes
    assert "Outlines repaired because they crossed themselves: 1." in found.notes


def test_events_with_degrees_of_their_own_go_to_the_nearest_antennas_region() -> None:
    """Seen east of the border, but nearest to b, which stands west of it."""
    seen = {"user": ["u"], "time": ["2013-01-07 13:10:00"], "lat": [14.71], "lon": [-17.4195]}
    sites = SITES.assign(lon=[-17.45, -17.4205, -17.3, -17.0])
    fs, _ = read_cdr(pd.DataFrame(seen), antennas=sites, regions=DISTRICTS)
    table = fp.presence(fs, FRAME, bands=1).to_frame()
    assert table.loc[table["people"] > 0, "area"].tolist() == ["West"]


# --- outlines that leave -------------------------------------------------------------------------


def test_the_package_has_the_regions_own_outlines(tmp_path) -> None:
    fs, _ = read(DISTRICTS)
    path = fp.publish(fp.release(fs, fp.Presence(FRAME, 1)), tmp_path / "tables.zip")
    assert fp.verify_release(path, fs, None).passed
    other, _ = read(collection(EAST, feature([ring(-17.5, 14.5, -17.42, 14.8)], name="West")))
    assert not fp.verify_release(path, other, None).passed
    with zipfile.ZipFile(path) as packed:
        areas = json.loads(packed.read("areas.geojson"))["features"]
        page = " ".join(packed.read("README.md").decode().split())
    shapes = {each["properties"]["area"]: each["geometry"] for each in areas}
    assert shapely.geometry.shape(shapes["West"]).equals(shapely.box(-17.5, 14.6, -17.42, 14.8))
    assert set(shapes) == {"West", "East", "(unnamed)"}
    rest = shapely.geometry.shape(shapes["(unnamed)"])
    assert rest.intersection(shapely.box(-17.5, 14.6, -17.3, 14.8)).area < 1e-6
    assert "a person recorded at an antenna counts in the region" in page
    assert "code" not in json.dumps(areas)  # the file's other properties do not leave


def test_outlines_are_as_fine_as_can_be_drawn_and_placing_is_not(monkeypatch) -> None:
    """Two half discs of 2,000 corners: fewer are drawn, and the common border stays common."""
    monkeypatch.setattr(module, "MAX_VERTICES", 300)
    disc = shapely.Point(-17.42, 14.7).buffer(0.1, quad_segs=500)
    halves = [
        disc.intersection(shapely.box(west, 14, east, 15))
        for west, east in ((-18, -17.42), (-17.42, -17))
    ]
    corners = [shapely.geometry.mapping(half)["coordinates"] for half in halves]
    fs, _ = read(collection(*(feature(each, name=f"{at}") for at, each in enumerate(corners))))
    assert fs.antennas is not None
    drawn = shapely.from_wkb(list(fs.antennas.outlines.values()))
    assert shapely.get_num_coordinates(drawn).sum() <= 300
    assert shapely.area(shapely.intersection(*drawn)) == 0
    assert shapely.area(shapely.union_all(drawn)) == pytest.approx(disc.area, rel=0.01)


def test_a_folder_and_a_pickle_keep_the_regions(tmp_path) -> None:
    EVENTS.to_csv(tmp_path / "1.csv", index=False)
    kept, report = read_parts(
        str(tmp_path / "*.csv"), tmp_path / "kept", antennas=SITES, regions=io.BytesIO(DISTRICTS)
    )
    whole, _ = read(DISTRICTS)
    assert kept.digest == whole.digest
    loaded = FingerprintSet.load(tmp_path / "kept")
    assert loaded.antennas is not None
    assert whole.antennas is not None
    assert loaded.antennas.outlines == whole.antennas.outlines
    assert loaded.antennas.digest == whole.antennas.digest
    assert "The names of the regions come from 'name'." in report.notes
    drawn = [geojson_of(fp.presence(each, FRAME).frame) for each in (loaded, whole)]
    assert drawn[0] == drawn[1]


# --- refused -------------------------------------------------------------------------------------

_TURNED = [
    feature([[at[::-1] for at in corners] for corners in each["geometry"]["coordinates"]], name=n)
    for n, each in (("West", WEST), ("East", EAST))
]
_METRES = feature([ring(0, 0, 5e5, 4e6)], name="x")
_OPEN = feature([[[0, 0], [1, 0], [1, 1]]], name="x")
_CRS = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32628"}}
_PROJECTED = {"type": "FeatureCollection", "crs": _CRS, "features": [WEST]}


@pytest.mark.parametrize(
    ("body", "match"),
    [
        (DISTRICTS[:-9], "damaged, cut short, or not JSON"),
        (b"[" * 100_000, "damaged, cut short, or not JSON"),
        (b"[1]", "without a type, not a FeatureCollection"),
        (json.dumps(WEST).encode(), "of type 'Feature', not a FeatureCollection"),
        (collection(feature([1, 2], "Point", name="x")), r"a polygon .features: 1"),
        (collection(WEST, _OPEN), "Feature 2 in the file of regions is not a valid Polygon"),
        (json.dumps(_PROJECTED).encode(), "another map projection"),
        (collection(_METRES), "Perhaps the file is in metres"),
        (collection(feature([ring(14, -99, 15, -98)], name="x")), "Latitude seems to come first"),
        (collection(*_TURNED), "None of the 4 antennas .* exchanged, 3 would be"),
        (collection(FAR), "None of the 4 antennas is in a region of the file. Give regions of"),
        (collection(feature([ring(0, 0, 1, 1)])), "Properties: none. Give region_name="),
        (collection(WEST, WEST), "different text for each region. Properties: 'code', 'name'."),
        (DISTRICTS + b" " * (20 << 20), "larger than 20 MB"),
        (b"[[" * 600_000, "1,000,000 positions"),
    ],
)
def test_a_file_that_is_none_is_refused_with_the_way_out(body: bytes, match: str) -> None:
    with pytest.raises(SchemaError, match=match) as refused:
        read(body)
    assert type(refused.value) is SchemaError  # foreseen


def test_a_property_that_does_not_name_them_is_refused() -> None:
    with pytest.raises(ConfigError, match="no property 'nom'; they have: 'code', 'name'"):
        read(DISTRICTS, region_name="nom")
    with pytest.raises(SchemaError, match="1 of 2 areas lacks a text or number under 'code'"):
        read(collection(WEST, feature([ring(0, 0, 1, 1)], code=None)), region_name="code")
    with pytest.raises(ConfigError, match="without the regions; give both"):
        read(None, region_name="name")
    with pytest.raises(ConfigError, match="regions need antennas"):
        read_cdr(EVENTS.assign(lat=14.7, lon=-17.45), regions=DISTRICTS)


# --- against a ray ------------------------------------------------------------------------------

_CORNER = st.integers(0, 6)


@st.composite
def rectangles(draw):
    """A rectangle with corners on whole degrees, perhaps with a hole."""
    west, south = draw(_CORNER), draw(_CORNER)
    east, north = west + draw(st.integers(3, 6)), south + draw(st.integers(3, 6))
    rings = [ring(west, south, east, north)]
    if draw(st.booleans()):
        rings.append(ring(west + 1, south + 1, east - 1, north - 1))
    return rings


@st.composite
def stars(draw):
    """A polygon around its middle: a corner in every direction, near or far."""
    x, y = draw(_CORNER), draw(_CORNER)
    reach = draw(st.lists(st.integers(1, 5), min_size=3, max_size=9))
    angle = 2 * np.pi * np.arange(len(reach)) / len(reach)
    corners = np.column_stack([x + reach * np.cos(angle), y + reach * np.sin(angle)]).tolist()
    return [[*corners, corners[0]]]


@given(
    polygons=st.lists(st.one_of(rectangles(), stars()), min_size=1, max_size=5),
    points=st.lists(st.tuples(st.integers(-9, 24), st.integers(-9, 24)), min_size=1, max_size=20),
)
def test_a_point_is_in_the_region_that_a_ray_says(polygons, points) -> None:
    """Points beside the half degrees, where no border runs along."""
    body = collection(*(feature(rings, name=f"{at}") for at, rings in enumerate(polygons)))
    x, y = (np.array([each[axis] / 2 + 0.123_456 for each in points]) for axis in (0, 1))
    found, _ = holding(body, x, y)
    due = [region_of(*at, polygons) for at in zip(x.tolist(), y.tolist(), strict=True)]
    assert found == [-1 if each is None else each for each in due]
