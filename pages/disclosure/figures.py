"""Where and when an outsider learns most: a map of the places, and the hours of the week.

The worked example as an explainer; every number is computed, none is typed in.
"""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies.disclosure import Leak
from pages.charts import disclosure
from pages.charts.maps import MAX_CELLS, cells_map
from pages.charts.plain import plain
from pages.charts.style import CONFIG, OTHER_PX, Theme
from pages.disclosure import form, story
from pages.shell import questions
from pages.shell.figure import plot, show_map
from pages.shell.layout import what_this_means


def by_place(leak: Leak, measure: str, of: Theme) -> None:
    """The map of the places with the most disclosure, its colours and its sentence."""
    name, unit = story.NAMES[measure], story.with_unit(measure)
    st.markdown(f"**By place** – mean {unit}, at {plain(leak.profile)}")
    if "west" in leak.places:
        places = leak.places.nlargest(MAX_CELLS, measure).sort_values(measure)
        by = disclosure.shades(places[measure].to_numpy(), of)
        bounds = places[["west", "south", "east", "north"]].to_numpy()
        extent = (bounds[:, [0, 2]].ravel(), bounds[:, [1, 3]].ravel())
        tips = story.place_tips(places, measure)
        show_map(
            cells_map(bounds, by.colours, tips, extent, of, opacity=220, height=OTHER_PX),
            key="disclosure_map",
            height=OTHER_PX,
            alt=f"Map of the mean {name} of each place at {leak.profile}.",
        )
        plot(
            disclosure.scale_bar(by, unit, of),
            key="disclosure_scale",
            theme=None,
            config=CONFIG | {"displayModeBar": False},
            alt=f"Colours of the map: {name} from {by.low:.2g} to {by.high:.2g}.",
        )
    else:
        st.info("There is no map: the data carry no map projection.")
    what_this_means(story.places_told(leak, measure), key="disclosure_places")


def by_hour(leak: Leak, measure: str, of: Theme, *, weekdays: bool) -> None:
    """The heat map of the week and its sentence; without ``weekdays``, days are counted."""
    unit = story.with_unit(measure)
    st.markdown(f"**By hour of the week** – mean {unit}, at {plain(leak.profile)}")
    plot(
        disclosure.hours_of_week(leak.week[measure].to_numpy().reshape(7, 24), weekdays, unit, of),
        key="disclosure_week",
        theme=None,
        config=CONFIG,
        alt=f"Mean {story.NAMES[measure]} in each hour of the week.",
    )
    what_this_means(story.hours_told(leak, measure, weekdays), key="disclosure_hours")


def explainer() -> None:
    """The expander; while the numbers are computed it says so."""
    with st.expander("How the measures work: four users and five bins", key="disclosure_example"):
        questions.ask(form.EXAMPLE)
        worked = questions.answer(form.EXAMPLE)
        if worked is None:
            st.caption("The numbers appear here in a moment.")
            return
        # A plain table: a grid is not drawn while the expander around it is closed.
        st.markdown(story.example_table(worked))
        st.markdown(story.example_told(worked))
