"""What a map shows at first, what lies under it, and what maps side by side have in common."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fpanon_core.model.geography import Background
from fpanon_core.model.projection import Extent
from pages.charts import style
from pages.charts.ground import Box, clipped
from pages.charts.maps import Map, cells_map, over_ground, places_map, released_map

CITY = np.linspace(2.0, 2.1, 200)
HERE = np.append(CITY, 30.0), np.append(CITY + 39.0, 50.0)  # all in a city, and one far from it


def seen(deck: Map) -> tuple[float, float, float]:
    view = deck.initial_view_state
    return view.longitude, view.latitude, view.zoom


def test_who_travelled_far_does_not_make_a_dot_of_the_city() -> None:
    one = np.ones(201, np.int64)
    city = places_map(CITY, CITY + 39.0, one[:200], style.LIGHT)
    far = places_map(*HERE, one, style.LIGHT)
    assert seen(far) == seen(city)
    assert city.beyond == ""
    assert far.beyond.startswith("1 of the 201 places drawn lies beyond the edge of the map")
    # One may zoom out as far as it takes, and there is ground there.
    assert far.initial_view_state.min_zoom < city.initial_view_state.min_zoom
    assert far.around.east > 30.0
    assert far.around.north > 50.0


def test_areas_too() -> None:
    bounds = np.column_stack([HERE[0], HERE[1], HERE[0] + 0.001, HERE[1] + 0.001])
    deck = cells_map(bounds, ["#0072B2"] * 201, [""] * 201, HERE, style.DARK)
    assert deck.beyond.startswith("1 of the 201 areas drawn lies beyond")


def test_maps_side_by_side_show_the_same_part_of_the_world() -> None:
    around, users = Extent(2.0, 41.0, 2.1, 41.1), np.array([3, 9])
    fine = np.array([[2.0, 41.0, 2.01, 41.01], [2.05, 41.05, 2.06, 41.06]])
    coarse = np.array([[1.0, 40.0, 3.0, 42.0], [2.0, 41.0, 2.1, 41.1]])
    both = [released_map(each, users, 9, around, style.LIGHT) for each in (fine, coarse)]
    assert seen(both[0]) == seen(both[1])
    colours = [next(x for x in deck.layers if x.id == "places").data for deck in both]
    assert {c["c"] for c in colours[0]} == {c["c"] for c in colours[1]}


def test_what_a_map_knows_of_itself_is_not_sent() -> None:
    spec = json.loads(places_map(*HERE, np.ones(201, np.int64), style.LIGHT).to_json())
    assert not {"around", "beyond"} & set(spec)


# --- the background ------------------------------------------------------------------------------


def lines(*several: list[tuple[float, float]]) -> Background:
    points = np.array([point for line in several for point in line])
    ends = np.concatenate([[0], np.cumsum([len(line) for line in several])])
    return Background(points[:, 0], points[:, 1], ends)


@pytest.mark.parametrize("of", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_a_background_lies_over_the_land_and_under_the_data(of: style.Theme) -> None:
    deck = places_map(CITY, CITY + 39.0, np.ones(200, np.int64), of)
    over_ground(deck, lines([(2.0, 41.0), (2.1, 41.1)]), of)
    names = [layer.id for layer in deck.layers]
    assert names.index("land") < names.index("borders") < names.index("background")
    assert names.index("background") < names.index("places")
    assert json.loads(deck.to_json())


def test_of_a_background_what_a_map_shows_is_sent_and_no_more() -> None:
    box = Box(0.0, 0.0, 1.0, 1.0)
    found = clipped(lines([(-1.0, 0.5), (2.0, 0.5)], [(5.0, 5.0), (6.0, 6.0)]), box)
    assert found == [[(0.0, 0.5), (1.0, 0.5)]]
    assert clipped(lines([(359.2, 0.5), (359.4, 0.5)]), Box(-1.0, 0.0, 0.0, 1.0)) == [
        [(-0.8, 0.5), (-0.6, 0.5)]
    ]
    rng = np.random.default_rng(0)
    rough = [[tuple(p) for p in rng.random((200, 2)).tolist()] for _ in range(100)]
    assert sum(map(len, clipped(lines(*rough), box))) <= 8_000
