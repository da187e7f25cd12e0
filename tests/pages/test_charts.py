"""Figures say what the numbers say, are small, and ask no other machine for anything."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.charts import attack, record, recovery, style, unicity, words
from pages.charts.cdf import Curve, beyond, cdf, samples_per_user, step_points
from pages.charts.ground import Box, outlines
from pages.charts.maps import fingerprints_map, places_map
from pages.charts.pareto import Dot, pareto
from pages.charts.spacetime import Path3D, space_time

BOTH = pytest.mark.parametrize("of", [style.LIGHT, style.DARK], ids=["light", "dark"])


ATTACKED = (
    [
        attack.Compared(
            "record found",
            attack.Estimate(1.0, 0.99, 1.0),
            attack.Estimate(0.2, 0.15, 0.26),
            0.01,
            ("100%", "20%", "1%"),
        ),
        attack.Compared(
            "home within 1 km",
            attack.Estimate(0.9, 0.8, 0.95),
            attack.UNKNOWN,
            np.nan,
            ("90%", "not known", "not known"),
        ),
    ],
    [
        attack.Compared(
            "off by",
            attack.Estimate(0.0, 0.0, 0.3),
            attack.Estimate(2.0, 1.4, 2.9),
            3.1,
            ("< 5 m", "2.0 km", "3.1 km"),
        )
    ],
)


def test_step_points_of_few_values_are_the_empirical_cdf() -> None:
    # Sorted: 0, 0, .5, 1. Shares at or below: 0 -> 2/4 (both zeros), .5 -> 3/4, 1 -> 4/4.
    x, y, index = step_points([1.0, 0.0, 0.5, 0.0])
    assert x.tolist() == [0.0, 0.0, 0.5, 1.0]
    assert y.tolist() == [0.5, 0.5, 0.75, 1.0]
    assert index.tolist() == [1, 3, 2, 0]


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


def test_undefined_values_are_left_out() -> None:
    x, y, _ = step_points([np.nan, 0.2, np.nan, 0.4])
    assert x.tolist() == [0.2, 0.4]
    assert y.tolist() == [0.5, 1.0]
    assert len(step_points([np.nan])[0]) == 0


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
    assert (values[points.customdata] == points.x).all()
    assert (points.x[0], points.x[-1]) == (values.min(), values.max())


@pytest.mark.parametrize("samples", [[1], [5, 5, 5], [1, 2, 3, 40_000], list(range(1, 200))])
def test_every_user_is_in_a_bar(samples: list[int]) -> None:
    figure = samples_per_user(np.array(samples), style.LIGHT)
    assert sum(figure.data[0].y) == len(samples)


def test_space_time_links_end_where_they_should() -> None:
    a = Path3D("u0001", np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([60.0, 1500.0]))
    ends = tuple(np.array([[0.0, 1.0]]) for _ in range(3))
    figure = space_time(a, None, ends, ["3 Mar", "4 Mar"], style.LIGHT)
    assert figure.data[0].x[:2].tolist() == [0.0, 1.0]
    assert np.isnan(figure.data[0].x[2])
    assert figure.data[1].text == ("3 Mar 01:00", "4 Mar 01:00")


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
def test_every_kind_of_figure_passes_plotlys_own_checks(of: style.Theme) -> None:
    # The pages draw them without, for speed.
    values = np.array([0.2, 0.5, 0.5, 3.0, np.nan])
    path = Path3D("u0001", np.arange(3.0), np.arange(3.0), np.array([60.0, 90.0, 3000.0]))
    links = tuple(np.array([[0.0, 1.0]]) for _ in range(3))
    curve = Curve("a", values, of.categories[0], 0, np.arange(5))
    nobody = Curve("b", values[:0], of.categories[1], 1)
    for figure in (
        cdf([curve, nobody], of, x_title="x", references=[(1.6, "exponential 1.6")]),
        cdf([curve], of, x_title="x", x_range=(0.1, 20), log_x=True, references=[(1.6, "e")]),
        samples_per_user(np.array([1, 2, 3, 40_000]), of),
        samples_per_user(np.array([1, 2, 3]), of),
        space_time(path, path, links, ["3 Mar"], of),
        unicity.antennas_against_people(np.array([0, 3]), np.array([2, 0]), of, noun="Antennas"),
        unicity.antennas_against_people(np.zeros(0, int), np.zeros(0, int), of, noun="Places"),
        attack.before_and_after(*ATTACKED, of),
        attack.before_and_after(ATTACKED[0], [], of),
        record.ranking([record.Bar(1, 5, 0.8, False), record.Bar(6, 1, 0.1, True)], of),
        record.ranking([], of),
        record.followed_legend(of),
    ):
        checked = go.Figure(figure.to_dict())
        assert checked.to_plotly_json().keys() == figure.to_plotly_json().keys()
        assert len(checked.data) == len(figure.data)


def test_a_logarithmic_axis_is_told_in_the_values_own_unit() -> None:
    curve = Curve("a", np.array([0.5, 1.0, 50.0]), "#000000", 0)
    figure = cdf(
        [curve], style.LIGHT, x_title="x", x_range=(0.1, 10), log_x=True, references=[(10, "t")]
    )
    assert figure.layout.xaxis.range == pytest.approx((-1, 1))
    assert figure.layout.shapes[0].x0 == 10  # shapes take values, annotations logarithms
    assert figure.layout.annotations[0].x == 1
    assert figure.data[0].x[0] == 0.1
    assert beyond([curve], 10) == {"a": 1}


def test_space_and_time_is_drawn_at_one_scale() -> None:
    path = Path3D("u0001", np.array([0.0, 2.0]), np.array([0.0, 10.0]), np.array([60.0, 90.0]))
    scene = space_time(path, None, None, ["3 Mar"], style.LIGHT).layout.scene
    east, north = (np.ptp(axis.range) for axis in (scene.xaxis, scene.yaxis))
    assert scene.aspectratio.x / scene.aspectratio.y == pytest.approx(east / north)
    assert east / north == pytest.approx(0.5)  # never narrower, to stay readable
    assert scene.zaxis.ticktext[0] == "<b>3 Mar</b> 01:00"


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


def test_a_map_of_one_place_still_has_a_frame() -> None:
    one = np.array([179.99]), np.array([-84.0])
    places_map(*one, np.array([3]), style.LIGHT).to_json()


def test_words_round_to_what_one_would_say() -> None:
    assert words.distance(823) == "800 m"
    assert words.distance(1730) == "1.7 km"
    assert words.duration(35.4) == "35 minutes"
    assert words.duration(150) == "2.5 hours"
    assert words.duration(47.9 * 60) == "47.9 hours"
    assert words.duration(48 * 60) == "2 days"
    assert (words.duration(9.94 * 1440), words.duration(222.1 * 1440)) == ("9.9 days", "222 days")
    assert words.share(0, 496) == "none of the 496 people"
    assert words.share(3, 496) == "3 of the 496 people (0.6%)"
    assert words.percent(0.9999) == "more than 99.9%"
    assert words.share(1, 12) == "1 of the 12 people (8%)"  # one is 8.3%: no tenths to tell
    assert words.beyond({"k = 2": 1, "k = 5": 0}) == (
        "The figure does not show 1 person (“k = 2”) beyond its right edge."
    )
    assert words.clock(125) == "2 min 05 s"


def test_a_k_keeps_its_colour_whatever_is_shown_with_it() -> None:
    assert style.place_of(10, style.K_ORDER, [2, 5, 10]) == 2
    assert style.place_of(10, style.K_ORDER, [10]) == 2
    both = [style.place_of(k, style.K_ORDER, [2, 7, 8]) for k in (2, 7, 8)]
    assert len(set(both)) == 3


# --- recovery from counts ---


@BOTH
def test_recovery_figures_hold_the_numbers_given(of: style.Theme) -> None:
    steps = recovery.by_step(["nights", "days"], [np.nan, 0.613], [0.1, 0.049], of)
    attack, random = steps.data
    assert list(attack.y) == [None, 0.613]
    assert list(attack.text) == ["", "61%"]
    assert list(random.text) == ["10%", "4.9%"]
    assert random.marker.pattern.shape == "/"  # not by colour alone
    tops = recovery.unique_by_top([0.2, 1.0], of)
    assert list(tops.data[0].x) == ["1", "2"]
    away = recovery.away(np.array([600.0, 660.0, 1440.0]), 60.0, np.array([0.0, 2, 4]), ["a"], of)
    assert list(away.data[0].x) == [600, 660, 1440, 1500]
    assert away.layout.yaxis.range[1] >= 4
    assert list(away.layout.xaxis.ticktext) == ["a", "day 2"]
    for figure in (steps, tops, away):
        go.Figure(figure.to_dict())  # plotly's own checks


@BOTH
def test_small_multiples_share_an_axis_and_a_legend(of: style.Theme) -> None:
    drawn = [
        recovery.Panel("Side", ["1 km", "5 km"], [("across", [0.1, 0.2]), ("random", [0.0, 0.1])]),
        recovery.Panel("Slot", ["30 min"], [("across", [0.1]), ("random", [np.nan])]),
    ]
    figure = recovery.panels(drawn, of, y_title="Share", greyed=True)
    assert [t.name for t in figure.data] == ["across", "random"] * 2
    assert [t.showlegend for t in figure.data] == [True, True, False, False]
    assert figure.data[3].y == (None,)
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    for name in ("line.dash", "marker.symbol"):
        assert figure.data[0][name] != figure.data[1][name]
    go.Figure(figure.to_dict())


@BOTH
def test_mitigations_show_accuracy_and_cost(of: style.Theme) -> None:
    figure = recovery.remedies(
        [recovery.Remedy("none", 0.5, 0.1, 0.0), recovery.Remedy("private", 0.03, 0.1, 45.0)], of
    )
    attack, random, error = figure.data
    assert list(attack.x) == [0.5, 0.03]
    assert list(random.x) == [0.1, 0.1]
    assert list(error.x) == [None, 45.0]
    assert list(error.text) == ["none", "45 ×"]
    assert list(attack.text) == ["50%", "3.0%"]
    go.Figure(figure.to_dict())


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
    assert json.loads(some.to_json())["initialViewState"]["longitude"] == 0.5


# --- numbers beside dots -------------------------------------------------------------------------


def written(figure: go.Figure) -> dict[int, tuple[float, ...]]:
    """Boxes of the numbers that are written, in pixels, by number; from the figure alone."""
    (x0, x1), (y0, y1) = figure.layout.xaxis.range, figure.layout.yaxis.range
    wide, high = 870.0, figure.layout.height - 104.0
    found = {}
    for trace in figure.data:
        for i, text in enumerate(trace.text or ()):
            number = trace.customdata[i][0]
            assert text in ("", str(number), f"<b>{number}</b>")
            if not text:
                continue
            place, side = trace.textposition[i].split()
            x = wide * (trace.x[i] - x0) / (x1 - x0)
            y = high * (y1 - trace.y[i]) / (y1 - y0)
            y += {"top": -16, "middle": 0, "bottom": 16}[place]
            length = 9.0 * len(str(number))
            left = x + 8 if side == "right" else x - 8 - length
            box = (left, y - 8, left + length, y + 8)
            found[number] = tuple(round(edge, 6) for edge in box)  # they may lie 1e-12 px apart
    return found


def threshold(figure: go.Figure) -> tuple[float, ...]:
    """The box of the threshold's label, in pixels."""
    (note,), (y0, y1) = figure.layout.annotations, figure.layout.yaxis.range
    low = (figure.layout.height - 104.0) * (y1 - note.y) / (y1 - y0)
    x, wide = 870.0 * note.x, 7.0 * len(note.text)
    left = {"left": x, "center": x - wide / 2, "right": x - wide}[note.xanchor]
    return left, low - 20, left + wide, low


def dot(number: int, useful: float, risk: float, **more: bool) -> Dot:
    return Dot(
        number,
        f"option {number}",
        risk,
        risk,
        risk,
        useful,
        more.pop("front", False),
        False,
        **more,
    )


def drawn(dots: list[Dot]) -> go.Figure:
    return pareto(dots, style.LIGHT, risk_title="r", utility_title="u", percent=True, limit=0.05)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=40))
def test_numbers_beside_dots_never_lie_over_each_other(places: list[tuple[float, float]]) -> None:
    figure = drawn([dot(i + 1, u, r) for i, (u, r) in enumerate(places)])
    boxes = [*written(figure).values(), threshold(figure)]
    for one, other in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart


def test_the_chosen_and_the_fronts_numbers_are_written_first() -> None:
    """Twenty at one place: there is room for none but those at its corners."""
    crowd = [dot(i, 0.5, 0.5) for i in range(1, 21)]
    far = [dot(30, 0.0, 0.9), dot(31, 1.0, 0.1)]
    crowd[16] = dot(17, 0.5, 0.5, chosen=True)
    crowd[18] = dot(19, 0.5, 0.5, front=True)
    found = written(drawn([*crowd, *far]))
    assert {17, 19, 30, 31} < set(found)
    assert len(found) == 2 + 6  # a number at each corner of the crowd
    apart = [dot(1, 0.5, 0.5), dot(2, 0.503, 0.5), dot(3, 0.5, 0.504, chosen=True)]
    assert 3 in written(drawn(apart))
    assert "<b>3</b>" in [t for trace in drawn(apart).data for t in trace.text or ()]


def test_shares_are_drawn_at_their_roots_and_told_as_they_are() -> None:
    figure = drawn([dot(1, 0.2, 0.25), dot(2, 0.4, 0.0004)])
    (trace,) = figure.data
    assert list(trace.y) == [0.5, 0.02]
    assert [each[3] for each in trace.customdata] == ["risk 25%", "risk less than 0.1%"]
    assert figure.layout.shapes[0].y0 == pytest.approx(0.05**0.5)
    assert figure.layout.yaxis.ticktext[-1] == "20%"
    assert figure.layout.yaxis.tickvals[-1] == pytest.approx(0.2**0.5)
    # The threshold is the largest of all: it has a tick.
    assert drawn([dot(1, 0.2, 0.0)]).layout.yaxis.ticktext[-1] == "5%"
    dots = [dot(1, 0.2, 0.25)]
    how = {"risk_title": "r", "utility_title": "u", "percent": False, "limit": 1234.5}
    linear = pareto(dots, style.LIGHT, **how)  # type: ignore[arg-type]
    assert list(linear.data[0].y) == [0.25]
    assert linear.layout.annotations[0].text == "threshold 1234.5"


def test_the_thresholds_label_keeps_off_dots() -> None:
    far = dot(1, 0.2, 0.9)
    assert drawn([far]).layout.annotations[0].text == "threshold 5%"
    assert [drawn([far, dot(2, at, 0.06)]).layout.annotations[0].xanchor for at in (0, 1)] == [
        "right",
        "left",
    ]


# --- what an attacker finds ---


@BOTH
def test_before_and_after_hold_the_numbers_given(of: style.Theme) -> None:
    figure = attack.before_and_after(*ATTACKED, of)
    by_name = {(t.name, t.xaxis): t for t in figure.data}
    before, after = by_name[attack.BEFORE, "x"], by_name[attack.AFTER, "x"]
    assert list(before.x) == [1.0, 0.9]
    assert list(after.x) == [0.2, None]  # nothing is drawn of what is not known
    assert np.allclose(after.error_x.array, [0.06, 0])
    assert np.allclose(after.error_x.arrayminus, [0.05, 0])
    assert list(by_name[attack.GUESSING, "x"].x) == [0.01, None]
    assert list(by_name[attack.AFTER, "x2"].x) == [2.0]
    # The first row on top, what was before above what is after, and told by more than colour.
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert all(b < a for b, a in zip(before.y, after.y, strict=True))
    assert before.marker.symbol != after.marker.symbol
    assert [t.name for t in figure.data if t.showlegend] == [
        attack.GUESSING,
        attack.BEFORE,
        attack.AFTER,
    ]
    told = [note.text.replace("<b>", "").replace("</b>", "") for note in figure.layout.annotations]
    assert told == [
        "before",
        "after",
        "guessing",
        "100%",
        "20%",
        "1%",
        "90%",
        "not known",
        "not known",
        "&lt; 5 m",
        "2.0 km",
        "3.1 km",
    ]
    assert figure.layout.height > attack.before_and_after(ATTACKED[0], [], of).layout.height
    # Without anything before, the release alone.
    alone = [replace(row, before=attack.UNKNOWN, told=("", *row.told[1:])) for row in ATTACKED[0]]
    figure = attack.before_and_after(alone, [], of)
    assert [t.name for t in figure.data] == [attack.GUESSING, attack.AFTER]
    assert [note.text for note in figure.layout.annotations][:2] == [
        "<b>after</b>",
        "<b>guessing</b>",
    ]


@BOTH
def test_the_right_record_is_told_by_more_than_its_colour(of: style.Theme) -> None:
    bars = [record.Bar(1, 5, 0.8, False), record.Bar(6, 1, 0.1, True)]
    figure = record.ranking(bars, of)
    assert list(figure.layout.yaxis.ticktext) == ["1. (5 share it) ", "<b>6. (the right one)</b> "]
    right, others = figure.data
    assert (list(right.x), list(right.y)) == ([0.1], [1])
    assert (list(others.x), list(others.y)) == ([0.8], [0])
    assert right.marker.color != others.marker.color


@BOTH
def test_the_map_of_one_person(of: style.Theme) -> None:
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
    deck = record.followed_map(scene, of)
    layers = {layer["id"]: layer for layer in json.loads(deck.to_json())["layers"]}
    assert [each["t"] for each in layers["point-numbers"]["data"]] == ["1, 3", "2"]
    assert len(layers["places"]["data"]) == 2  # each place once
    areas = layers["areas"]["data"]
    assert [each["tip"] for each in areas] == [
        "another record, ranked 2",
        "the person's own record, ranked 1",
    ]
    assert areas[1]["w"] > areas[0]["w"]
    told = [layers[f"home-text-{i}"]["data"][0]["t"] for i in (0, 1)]
    assert told == ["home", "home, as guessed"]
    same = json.loads(record.followed_map(replace(scene, guess=scene.home), of).to_json())
    texts = [layer["data"][0]["t"] for layer in same["layers"] if "home-text" in layer["id"]]
    assert texts == ["home, guessed rightly"]
    nothing = replace(
        scene,
        points=scene.points[:0],
        areas=scene.areas[:0],
        rank=scene.rank[:0],
        right=scene.right[:0],
        home=None,
        guess=None,
    )
    assert "point-numbers" not in record.followed_map(nothing, of).to_json()
