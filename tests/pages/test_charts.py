"""Figures say what the numbers say, are small, and ask no other machine for anything."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core.model.geography import Background
from pages.charts import attack, disclosure, record, recovery, style
from pages.charts.attack import Compared, Estimate
from pages.charts.cdf import Curve, cdf, samples_per_user, step_points
from pages.charts.ground import Box, clipped, outlines
from pages.charts.maps import (
    Map,
    cells_map,
    fingerprints_map,
    over_ground,
    places_map,
)
from pages.charts.pareto import Dot, pareto
from pages.charts.style import projected
from tests.support.drawings import figure_lines, map_lines
from tests.support.snapshots import check_snapshot

# --- charts ---------------------------------------------------------------------------------------

BOTH = pytest.mark.parametrize("of", [style.LIGHT, style.DARK], ids=["light", "dark"])


FOUND = Compared(
    "record found", Estimate(1.0, 0.99, 1.0), Estimate(0.2, 0.15, 0.26), 0.01, ("100%", "20%", "1%")
)
HOME = Compared("home", Estimate(0.9, 0.8, 0.95), attack.UNKNOWN, np.nan, ("90%", "?", "?"))
ERROR = Compared(
    "off by", Estimate(0.0, 0.0, 0.3), Estimate(2.0, 1.4, 2.9), 3.1, ("< 5 m", "2.0 km", "3.1 km")
)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3000))
def test_points_lie_on_the_empirical_cdf_and_are_at_most_512(values: list[float]) -> None:
    x, y, index = step_points(values)
    data = np.sort(values)
    assert len(x) <= 512
    assert np.allclose(y, np.searchsorted(data, x, side="right") / len(data))
    assert x[0] == data[0]
    assert x[-1] == data[-1]
    assert y[-1] == 1
    assert (np.array(values)[index] == x).all()


@BOTH
def test_cdf_starts_at_zero_steps_and_differs_by_more_than_colour(of: style.Theme) -> None:
    values = np.random.default_rng(0).random(5000)
    curves = [Curve(f"k = {k}", values / k, of.categories[i], i) for i, k in enumerate((2, 5, 10))]
    figure = cdf(curves, of, x_title="x")
    lines = [t for t in figure.data if t.mode == "lines" and t.line.width > 0]
    assert all((t.x[0], t.y[0]) == (0, 0) and t.line.shape == "hv" for t in lines)
    assert len({t.line.dash for t in lines}) == 3
    medians = [t for t in figure.data if t.mode == "lines+markers"]
    assert len({t.marker.symbol for t in medians}) == 3
    assert len(figure.to_json()) < 200_000
    cdf([], of, x_title="x")


def test_only_points_that_can_be_clicked_are_drawn_one_by_one() -> None:
    values, users = np.random.default_rng(0).random(5000), np.arange(5000)
    plain, clickable = (
        cdf([Curve("k = 2", values, "#000000", 0, who)], style.LIGHT, x_title="x").data
        for who in (None, users)
    )
    assert not [t for t in plain if t.mode == "markers"]
    (points,) = [t for t in clickable if t.mode == "markers"]
    assert 100 < len(points.x) <= 128
    assert (values[list(points.customdata)] == points.x).all()
    assert (points.x[0], points.x[-1]) == (values.min(), values.max())


@pytest.mark.parametrize("samples", [[1], [5, 5, 5], [1, 2, 3, 40_000], list(range(1, 200))])
def test_every_user_is_in_a_bar(samples: list[int]) -> None:
    figure = samples_per_user(np.array(samples), style.LIGHT)
    assert sum(figure.data[0].y) == len(samples)


def test_outlines_know_land_from_water_where_the_rough_land_does_not() -> None:
    bay = outlines(Box(-122.6, 37.6, -122.3, 37.9))
    assert ("San Francisco", -122.459977663, 37.7400077505) in bay.places
    assert bay.land
    assert bay.coast
    assert outlines(Box(-140, 20, -139, 21)).land == []  # the open Pacific
    assert len(outlines(Box(22.9, 23.1, 23.0, 23.2)).land) == 1  # the Sahara, no coast in sight


def test_outlines_reach_across_the_antimeridian() -> None:
    fiji = outlines(Box(176.5, -19.5, 182.5, -15.5))
    longitudes = [x for ring in fiji.land for x, _ in ring]
    assert min(longitudes) < 180 < max(longitudes)


@BOTH
def test_maps_ask_nobody_and_are_compact(of: style.Theme) -> None:
    rng = np.random.default_rng(1)
    lon, lat = -122.4 + rng.random(20_000) / 5, 37.7 + rng.random(20_000) / 5
    deck = places_map(lon, lat, rng.integers(1, 500, 20_000), of)
    text = deck.to_json()
    spec = json.loads(text)
    assert "://" not in text
    # Left as pydeck's own placeholder: with a style of None, Streamlit asks a tile server.
    assert spec["mapStyle"] == "__MAP_STYLE__"
    assert "mapProvider" not in spec
    assert len({layer["id"] for layer in spec["layers"]}) == len(spec["layers"])
    assert "\n" not in text
    assert len(text) < 800_000  # 5,000 places at most, the busiest
    ends = (lon[:6].reshape(3, 2), lat[:6].reshape(3, 2))
    person = ("u0001", lon[:5], lat[:5], of.person)
    assert "://" not in fingerprints_map([person], ends, of).to_json()


def test_counts_on_a_map_are_drawn_to_a_common_scale() -> None:
    lon, lat = np.array([0.0, 1.0]), np.array([10.0, 10.0])
    some = places_map(
        lon[:1], lat[:1], np.array([1]), style.LIGHT, noun="person", most=100, around=(lon, lat)
    )
    alone = places_map(lon[:1], lat[:1], np.array([1]), style.LIGHT)
    spots = [
        next(x for x in json.loads(m.to_json())["layers"] if x["id"] == "places")["data"][0]
        for m in (some, alone)
    ]
    assert spots[0]["tip"] == "1 person"
    assert spots[1]["tip"] == "1 sample"
    assert (spots[0]["r"], spots[1]["r"]) == (4.1, 14.0)  # 3 + 11·√(1/100), 3 + 11
    assert json.loads(some.to_json())["initialViewState"]["longitude"] == pytest.approx(0.5)


# --- numbers beside dots ------------------------------------------------------------------------


def dot(number: int, useful: float, risk: float, front: bool = False, chosen: bool = False) -> Dot:
    name = f"option {number}"
    return Dot(number, name, risk, risk, risk, useful, front, False, chosen=chosen, serves=front)


def drawn(dots: list[Dot]) -> go.Figure:
    return pareto(dots, style.LIGHT, risk_title="r", utility_title="u", percent=True, limit=0.05)


def test_numbers_are_those_of_the_front_and_of_what_is_chosen_pinned_or_recommended() -> None:
    dots = [dot(1, 0.9, 0.9), dot(2, 0.5, 0.1, front=True), dot(3, 0.4, 0.3, chosen=True)]
    dots += [replace(dot(4, 0.3, 0.3), best=True), replace(dot(5, 0.2, 0.3), pinned=True)]
    traces = drawn(dots).data
    found = {text for trace in traces if trace.text for text in trace.text if text}
    assert found == {"2", "<b>3</b>", "4", "<b>5</b>"}
    assert {side for trace in traces for side in trace.textposition or ()} == {"bottom right"}


def test_no_number_is_written_on_another() -> None:
    """The chosen option's comes first, then a label; on the left there is room for one of two."""
    near = [dot(1, 0.5, 0.5, front=True), dot(4, 0.502, 0.5, front=True)]
    far = replace(dot(3, 0.9, 0.5, front=True), label="coarser records")
    traces = drawn([*near, dot(2, 0.501, 0.501, chosen=True, front=True), far]).data
    written = {
        text: side
        for trace in traces
        for text, side in zip(trace.text or (), trace.textposition or (), strict=True)
        if text
    }
    assert written == {
        "<b>2</b>": "bottom right",
        "3 coarser records": "bottom left",
        "1": "bottom left",
    }


# --- what figures and maps hold -----------------------------------------------------------------


def figures(of: style.Theme) -> dict[str, go.Figure]:
    """Every kind of figure, of numbers by hand; of nothing, or of little, where that is drawn."""
    values = np.array([0.2, 0.5, 0.5, 3.0, np.nan])
    curve = Curve("a", values, of.categories[0], 0, np.arange(5))
    nobody = Curve("b", values[:0], of.categories[1], 1)
    log = {"x_title": "x", "x_range": (0.1, 1), "log_x": True, "references": [(1, "e")]}
    shares = [dot(1, 0.2, 0.25), dot(2, 0.4, 0.0004, chosen=True, front=True)]
    alone = [replace(row, before=attack.UNKNOWN, told=("", *row.told[1:])) for row in (FOUND, HOME)]
    side = recovery.Panel("Side", ["1 km", "5 km"], [("a", [0.1, 0.2]), ("b", [0.0, 0.1])])
    slot = recovery.Panel("Slot", ["30 min"], [("a", [0.1]), ("b", [np.nan])])
    remedies = pd.DataFrame(
        [("none", 0.5, 0.1, 0.0), ("noise", 0.03, 0.1, 45.0)],
        columns=["name", "recorded", "recorded_random", "count_error_share"],
    )
    hours = np.full((7, 24), np.nan)
    hours[2, 5], hours[3, 6] = 0.1, 0.2
    series = {"s": [[0.5, 0.25], [0.4, 0.2], [0.6, 0.3]]}
    measured = disclosure.Measured("k", "k", series, ".0%", ".1%", 0.05)
    both = np.array([0, 1.0]), np.array([0, 1.0])
    return {
        "Shares, and a curve of nobody": cdf(
            [curve, nobody], of, x_title="x", references=[(1.6, "exponential 1.6")]
        ),
        "Shares on a logarithmic axis": cdf([curve], of, **log),
        "Samples of people": samples_per_user(np.array([1, 2, 3, 40_000]), of),
        "Few samples of people": samples_per_user(np.array([1, 2, 3]), of),
        "Before and after": attack.before_and_after([FOUND, HOME], [ERROR], of),
        "Before and after, shares alone": attack.before_and_after([FOUND, HOME], [], of),
        "After alone": attack.before_and_after(alone, [], of),
        "Ranks": record.ranking([record.Bar(1, 5, 0.8, False), record.Bar(6, 1, 0.1, True)], of),
        "No ranks": record.ranking([], of),
        "The legend of one person's map": record.followed_legend(of),
        "Steps of an attack": recovery.by_step(["a", "b"], [np.nan, 0.613], [0.1, 0.049], of),
        "Unique by top places": recovery.unique_by_top([0.2, 1.0], of),
        "Small multiples": recovery.panels([side, slot], of, y_title="Share", greyed=True),
        "Mitigations": recovery.remedies(remedies, of),
        "Options, at the roots of shares": drawn(shares),
        "Options without records": drawn([replace(shares[1], epsilon=2.0)]),
        "Options with and without records": pareto(
            [
                shares[0],
                replace(shares[1], epsilon=0.25, best=True),
                replace(dot(3, 0.5, 0.0), epsilon=math.inf),
                replace(dot(4, 0.3, 0.0), epsilon=2.0),
            ],
            of,
            risk_title="r",
            utility_title="u",
            percent=True,
            limit=0.05,
            needed=0.3,
        ),
        "Options within the threshold": drawn([dot(1, 0.2, 0.0)]),
        "Options for measures that are not shares": pareto(
            shares, of, risk_title="r", utility_title="u", percent=False, limit=1234.5
        ),
        "Measures over profiles": disclosure.over_profiles(["a", "b"], measured, of),
        "Lorenz curves": disclosure.lorenz_curves([("em", "EM", *both)], of),
        "Hours of a week": disclosure.hours_of_week(hours, True, "EM", of),
        "Hours of days without a date": disclosure.hours_of_week(hours, False, "EM", of),
        "A title that is broken on the wall": projected(
            style.figure(of, [{"type": "scatter", "x": [1], "y": [1]}], "x", LONG, height=430), 360
        ),
    }


LONG = "Re-identified by the strongest attacker (4 known points)"


def test_figures_are_those_of_the_snapshot() -> None:
    """What is not known is not drawn; what colours tell, marks and dashes tell too.

    Notes on a logarithmic axis stand at logarithms, lines at values. The first row is on top.
    Shares stand at their roots, and a threshold above all has a tick. Each measure has its own
    scale and colour. Hours without anyone are left out.
    """
    check_snapshot("charts", {n: figure_lines(each) for n, each in figures(style.LIGHT).items()})


def test_by_night_every_figure_passes_plotlys_own_checks() -> None:
    for figure in figures(style.DARK).values():
        figure_lines(figure)


def test_the_map_of_one_person_is_that_of_the_snapshot() -> None:
    """Each place once; the own record's area has a wider edge; a home rightly guessed is one."""
    scene = record.Scene(
        places=np.array([[1.0, 14.0], [1.1, 14.1], [1.1, 14.1]]),
        points=np.array([[1.1, 14.1], [1.0, 14.0], [1.1, 14.1]]),
        areas=np.array([[1.0, 14.0, 1.2, 14.2], [0.9, 13.9, 1.0, 14.0]]),
        rank=np.array([1, 2]),
        right=np.array([True, False]),
        home=(1.0, 14.0),
        guess=(1.1, 14.1),
        around=(np.array([1.0, 1.1]), np.array([14.0, 14.1])),
    )
    nothing = {name: getattr(scene, name)[:0] for name in ("points", "areas", "rank", "right")}
    scenes = {
        "Wrong": scene,
        "Right": replace(scene, guess=scene.home),
        "Nothing is known": replace(scene, **nothing, home=None, guess=None),
    }
    layers = ("places", "areas", "points", "point-numbers", "home-text-0", "home-text-1")
    check_snapshot(
        "charts_person",
        {
            name: map_lines(record.followed_map(each, style.LIGHT), *layers)
            for name, each in scenes.items()
        },
    )


# --- maps -----------------------------------------------------------------------------------------

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


def test_the_outermost_dot_is_clear_of_the_edge_and_its_labels() -> None:
    """The largest dot has 14 pixels; degrees stand along the upper edge."""
    lon, lat = np.array([-1.71, 30.0]), np.array([29.24, -2.0])
    deck = places_map(lon, lat, np.array([1, 1]), style.LIGHT, height=205)
    view = deck.initial_view_state

    def north(at: float) -> float:
        return float(np.log(np.tan(np.pi / 4 + np.radians(at) / 2)))

    pixels = (north(29.24) - north(view.latitude)) * 512 * 2**view.zoom / (2 * np.pi)
    assert 205 / 2 - pixels > 20


def test_areas_too() -> None:
    bounds = np.column_stack([HERE[0], HERE[1], HERE[0] + 0.001, HERE[1] + 0.001])
    deck = cells_map(bounds, ["#0072B2"] * 201, [""] * 201, style.DARK)
    assert deck.beyond.startswith("1 of the 201 areas drawn lies beyond")


def test_what_a_map_knows_of_itself_is_not_sent() -> None:
    spec = json.loads(places_map(*HERE, np.ones(201, np.int64), style.LIGHT).to_json())
    assert not {"around", "beyond"} & set(spec)


# --- the background -----------------------------------------------------------------------------


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
