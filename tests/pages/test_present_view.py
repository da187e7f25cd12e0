"""The slides: empty, those of the page itself, those that other pages offer, their order, keys."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
from streamlit.testing.v1 import AppTest

from fpanon_core import FingerprintSet, aligned
from fpanon_core.model.options import Aligned
from fpanon_core.model.projection import central, equal_area_around
from fpanon_core.studies import people_by_hexagon
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.search import KNOWLEDGE
from pages.charts import style
from pages.charts.cdf import Curve, cdf
from pages.charts.maps import columns_map
from pages.charts.record import published_map, recorded_map
from pages.charts.style import TYPE, projected
from pages.present import person, story
from pages.shell.workspace import MOST_SLIDES, Slide, Weighing
from tests.pages.test_options_story import option
from tests.support.views import go as turn
from tests.support.views import has, idle, opened, said, until, workspace


def presented(at: AppTest) -> AppTest:
    turn(at, "present")
    return until(at, lambda at: idle(at) and has(at, "present_next")).run()


def offered(at: AppTest, key: str, sentence: str = "It is so.", **more: Any) -> None:
    """As a page does while it draws its figure."""
    draw = partial(cdf, [Curve("k = 2", np.array([0.1, 0.4]), "#000000", 0)], x_title="x")
    workspace(at).slides[key] = Slide(key, f"By {key}?", draw, sentence, **more)


def choose(at: AppTest, name: str, steps: tuple[Any, ...]) -> None:
    """As where options are weighed: one is chosen, above the limit of homes: 45 % of 15 %."""
    digest = at.session_state["fp_dataset"].digest
    result = option(name, 0.0, steps, 2, home=(0.4, 0.35, 0.45))
    table = OptionsTable((result,), "outsider", utility_choice("transport"), KNOWLEDGE, digest)
    workspace(at).weighed = Weighing(table, Limits(), name, "It is asked for.")


def bare(at: AppTest) -> AppTest:
    """The taxis open, and nothing that the pages looked at meanwhile has offered."""
    opened(at)
    workspace(at).slides.clear()
    return at


def test_where_people_are_is_the_first_slide_and_real_people_are_not_played(app: AppTest) -> None:
    presented(bare(app))
    assert app.title[0].value == "Where are people?"
    assert "1 of 1" in said(app)
    assert app.button(key="present_next").disabled
    assert "fewer than 5 people" in said(app)
    assert "Each of these pages becomes a slide" in said(app)
    assert not app.exception


def test_slides_follow_the_way_through_the_pages_and_may_be_put_in_another_order(
    app: AppTest,
) -> None:
    bare(app)
    offered(app, "glove")
    offered(app, "unicity", "Four points find 90 %.")
    presented(app)
    assert "1 of 3" in said(app)
    app.button(key="present_next").click().run()
    assert app.title[0].value == "By unicity?"
    assert "Four points find 90 %." in said(app)
    app.button(key="present_next").click().run()
    assert app.title[0].value == "By glove?"
    assert app.button(key="present_next").disabled
    app.button(key="present_back").click().run()
    assert app.title[0].value == "By unicity?"
    (order,) = (box for box in app.multiselect if box.key.startswith("present_order"))
    order.set_value(["glove", "where"]).run()
    assert "1 of 2" in said(app)  # the slide that was shown is out
    assert app.title[0].value == "By glove?"
    offered(app, "attack")  # a new one comes last
    app.run()
    assert "1 of 3" in said(app)
    assert not app.exception


def test_figures_of_pages_that_were_visited_are_slides_in_the_order_chosen(app: AppTest) -> None:
    opened(app)  # looks at how hard it is to hide, too
    turn(app, "unicity")
    until(app, idle).run()
    presented(app)
    assert "1 of 3" in said(app)
    (order,) = (box for box in app.multiselect if box.key.startswith("present_order"))
    assert order.value == ["where", "unicity", "anonymizability"]
    order.set_value(["anonymizability", "unicity"]).run()
    assert app.title[0].value == "How far is everyone from a crowd of k?"
    assert "already" in said(app)
    app.button(key="present_next").click().run()
    assert app.title[0].value == "How little does an outsider need to know?"
    assert "of a person – places and times" in said(app)
    assert "2 of 2" in said(app)
    assert not app.exception


def test_every_slide_is_of_the_chosen_option_and_names_it_or_of_the_data_as_they_are(
    app: AppTest,
) -> None:
    bare(app)
    offered(app, "glove", steps=(Aligned(2),))
    offered(app, "attack", steps=(Aligned(5),))
    presented(app)
    # Neither option is chosen: neither is shown.
    assert "1 of 1" in said(app)
    assert "The data as they are · no option is chosen" in said(app)
    choose(app, "pairs", (Aligned(2),))
    app.run()
    named = "Chosen option: **pairs (aligned, k \\= 2)**".replace("\\", "")
    seen = {}
    app.session_state["fp_present_at"] = "verdict"
    for _ in range(6):
        app.run()
        seen[app.title[0].value] = said(app).replace("\\", "")
        if not app.button(key="present_next").disabled:
            app.button(key="present_next").click()
    assert list(seen) == [
        "May these data be released?",
        "Where are people?",
        "By glove?",
        "What does it cost?",
        "What does an attacker find, before and after?",
        "What was decided?",
    ]
    assert [title for title, text in seen.items() if named in text] == list(seen)[2:]
    # The first slide has the verdict, with what is missed; the last the decision and its reason.
    assert "none is within all thresholds" in seen["May these data be released?"]
    assert "The nearest is “pairs" in seen["May these data be released?"]
    assert "which it is above (up to 3.0 times)" in seen["What was decided?"]
    assert "Why: It is asked for." in seen["What was decided?"]
    # Of a utility the weighty parts that are lost are named.
    assert "density 0.00; flows 0.00" in seen["What does it cost?"]
    assert not app.exception


def test_what_does_not_fit_on_a_wall_is_a_press_away() -> None:
    script = AppTest.from_function(_wordy, default_timeout=60).run()
    assert not script.exception
    assert [len(each.value) for each in script.markdown] == [271, 200]


def _wordy() -> None:
    import streamlit as st

    from pages.shell import session, workspace

    session.keep = lambda name, value: st.session_state.__setitem__(name, value)
    workspace.offer("d", "key", "a", print, "a" * 200, "", "b" * 70, "c" * 200)
    (slide,) = workspace.of("d").slides.values()
    st.markdown(slide.sentence)
    st.markdown(slide.more)


def test_long_titles_of_axes_are_broken_where_the_figure_ends() -> None:
    title = "Re-identified by the strongest attacker (4 known points)"
    points = [{"type": "scatter", "x": [1], "y": [1]}]
    axes = {"title": "x"}, {"title": title}
    drawn = projected(style.figure(style.LIGHT, points, *axes, height=430), 360)
    lines = drawn.layout.yaxis.title.text.split("<br>")
    assert len(lines) > 1
    assert " ".join(lines) == title
    # Type of 18.75 px, letters about half as wide as high, 240 px between the margins.
    assert max(map(len, lines)) <= 24
    assert drawn.layout.yaxis.automargin


def test_a_slide_of_other_data_is_not_shown(app: AppTest) -> None:
    opened(app)
    offered(app, "unicity")
    known = app.session_state["fp_workspace"]
    app.session_state["fp_workspace"] = {of[::-1]: mine for of, mine in known.items()}
    presented(app)
    assert "1 of 1" in said(app)


def test_slides_are_bounded_and_the_newest_of_a_key_wins() -> None:
    script = AppTest.from_function(_offering, default_timeout=60).run()
    assert not script.exception
    # The first six of thirty are gone, as is what the last said at first.
    assert script.markdown[0].value == f"{MOST_SLIDES} key-6 b"


def _offering() -> None:
    import streamlit as st

    from pages.shell import session, workspace

    session.keep = lambda name, value: st.session_state.__setitem__(name, value)
    for i in range(30):
        workspace.offer("d", f"key-{i}", "a", print, "a")
    workspace.offer("d", "key-29", "a", print, "b")
    found = list(workspace.of("d").slides.values())
    st.markdown(f"{len(found)} {found[0].key} {found[-1].sentence}")


def test_on_the_wall_type_is_larger_and_the_figure_itself_stays_as_it_is() -> None:
    drawn = cdf([Curve("k = 2", np.array([0.1, 0.4]), "#000000", 0)], style.LIGHT, x_title="x")
    larger = projected(drawn, 560)
    assert isinstance(larger, go.Figure)
    assert larger.layout.height == 560
    assert larger.layout.xaxis.tickfont.size == TYPE * drawn.layout.xaxis.tickfont.size
    assert larger.layout.xaxis.range == drawn.layout.xaxis.range
    spec, was = larger.to_dict(), drawn.to_dict()
    assert [trace["x"] for trace in spec["data"]] == [trace["x"] for trace in was["data"]]
    go.Figure(spec)  # with plotly's own checks


# --- the figures ---------------------------------------------------------------------------------

CRS = equal_area_around(14.7, -17.4)


def people(xs: list[float], **more: Any) -> FingerprintSet:
    """One sample a person, at these metres east."""
    n = len(xs)
    made = FingerprintSet.from_samples(range(n), xs, [0.0] * n, [60.0 * i for i in range(n)])
    return FingerprintSet(
        **{k: v for k, v in vars(made).items() if not k.startswith("_")} | {"crs": CRS} | more
    )


def test_who_is_alone_at_a_place_is_not_on_the_map() -> None:
    # Five at one place, four at another far from it: the four have no column.
    found = people_by_hexagon.study(people([0.0] * 5 + [90_000.0] * 4), people_by_hexagon.Config())
    assert found.people.tolist() == [5]
    assert (found.few, found.unseen, found.n_people) == (1, 4, 9)
    told = story.people_told(found, 1)
    assert "up to 5 of 9" in told
    assert "1 hexagon with fewer than 5 people was left out" in told
    assert "4 people were recorded in none" in told
    deck = columns_map(found.lon, found.lat, found.offsets, found.people, ["#440154"], style.LIGHT)
    (columns,) = (layer for layer in deck.layers if layer.id == "columns")
    assert [column["tip"] for column in columns.data] == ["5 people"]


def test_one_who_went_far_does_not_decide_the_view() -> None:
    # The central 98 % of these are about 0.01 to 0.99; the rest of the first 200 is close to them.
    x = np.append(np.linspace(0, 1, 200), 5000.0)
    seen = central(x, x)
    assert (seen.west, seen.east, seen.south, seen.north) == (0.0, 1.0, 0.0, 1.0)
    assert np.flatnonzero(seen.outside(x, x)).tolist() == [200]
    # Without that one all is shown; nor is anything left out for a little room.
    assert central(x[:200], x[:200]).ends[0].tolist() == [0.0, 1.0]
    assert central(np.append(x[:200], 1.9), np.append(x[:200], 1.9)).east == 1.9


def test_a_record_is_played_before_and_after_on_maps_of_one_view() -> None:
    fs = people([0.0, 200.0, 5_000.0, 5_300.0])
    made = aligned(fs, 2)
    seen = person.played(fs, made, 0)
    assert len(seen.lon) == 1
    assert len(seen.areas) == made.published.lengths[made.group[0]]
    first, last = seen.ends
    both = [draw(seen, last, 60.0, style.DARK) for draw in (recorded_map, published_map)]
    assert both[0].initial_view_state.to_json() == both[1].initial_view_state.to_json()
    (areas,) = (layer for layer in both[1].layers if layer.id == "published")
    assert areas.data
    (areas,) = (
        layer
        for layer in published_map(seen, first - 1, 60.0, style.DARK).layers
        if layer.id == "published"
    )
    assert areas.data == []  # nothing is published for a time before the first
    told = story.person_told("u0001", "aligned, k = 2", made, 0, seen)
    assert "1 sample at 1 place on 1 day" in told
    assert "for 2 people alike" in told
