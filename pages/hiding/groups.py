"""The groups of a release: all on the map, and one of them over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.hiding import groups_by_cost
from pages.charts import words
from pages.charts.maps import cells_map, scale_bar, shades
from pages.charts.spacetime import group_over_time
from pages.charts.style import CONFIG, Theme
from pages.hiding import areas
from pages.hiding import group_story as story
from pages.hiding.moment import Moment, busiest, hours, moment
from pages.shell import layout
from pages.shell.dataset import Dataset
from pages.shell.figure import plot, show_map
from pages.shell.guard import act
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.widgets import days

_MEMBERS_DRAWN = 5
_GROUP, _PICKED = "fp_group", "fp_group_picked"


def maps(data: Dataset, result: GloveResult, of: Theme) -> None:
    """People in one hour: as recorded, and as published."""
    st.header("Before and after", anchor=False)
    if data.fs.crs is None or not result.published.n_samples:
        st.info("There is no map: the data carry no map projection, or nothing is published.")
        return
    hour = _hour(data, result)
    at = story.moment(hour, days(data.fs))
    here = moment(result, data.fs, hour, _chosen(result))
    people = np.concatenate([here.before[:, 4], here.after[:, 4]])
    if not len(people):
        st.info("Nobody was recorded in that hour, and nobody is published for it.")
        return
    colours = shades(people, of)
    parted = (colours.colours[: len(here.before)], colours.colours[len(here.before) :])
    left, right = side_by_side("glove_maps")
    with left:
        st.markdown(f"**Before** – the {words.count(here.recorded, 'user')} recorded in that hour")
        _map("before", here, here.before, parted[0], of, f"Map of the people recorded at {at}.")
    with right:
        st.markdown(
            f"**After** – the {words.count(here.published, 'user')} published for that hour"
        )
        _map("after", here, here.after, parted[1], of, f"Map of the people published for {at}.")
    plot(
        scale_bar(colours, f"People in a square of {words.distance(here.side_m)}", of),
        key="glove_scale",
        theme=None,
        config=CONFIG | {"displayModeBar": False},
        alt=f"Colours of both maps: from {colours.low:.2g} to {colours.high:.2g} people.",
    )
    st.caption(story.at_one_moment(at, here.recorded, here.published))


def _map(
    name: str,
    here: Moment,
    squares: FloatArray,
    colours: Sequence[str],
    of: Theme,
    alt: str,
) -> None:
    """One of the two maps; both show the same part of the world."""
    outlined = here.outlined if name == "after" else here.outlined[:0]
    show_map(
        cells_map(
            np.concatenate([squares[:, :4], outlined]),
            [*colours, *["#{:02x}{:02x}{:02x}".format(*of.person)] * len(outlined)],
            [*map(story.square, squares[:, 4].tolist()), *["the group looked at"] * len(outlined)],
            (here.extent[:, [0, 2]].ravel(), here.extent[:, [1, 3]].ravel()),
            of,
            numbers=[0] * len(squares) + [1] * len(outlined),
            chosen=1,
            opacity=200,
        ),
        height=320,
        key=f"glove_{name}",
        alt=alt,
    )


def _hour(data: Dataset, result: GloveResult) -> int:
    """The hour to be looked at, chosen where there are several."""
    among = hours(result, data.fs)
    if len(among) < 2:
        return among[0]
    return int(
        st.select_slider(
            "At",
            among,
            value=busiest(data.fs, among),
            format_func=partial(story.moment, days=days(data.fs)),
            key=f"glove_hour_{among[0]}_{among[-1]}",
            label_visibility="collapsed",
        )
    )


def one(data: Dataset, result: GloveResult, of: Theme) -> None:
    """One group: who is in it, their own samples, and what is published for all of them."""
    n_groups = result.published.n_groups
    if not n_groups:
        return
    group = _chosen(result)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = layout.key("glove_group", _PICKED)
        st.number_input(
            f"Group, 0 to {n_groups - 1:,}",
            0,
            n_groups - 1,
            group,
            key=key,
            on_change=act(_take),
            args=(key,),
            width=200,
        )
        ranked = groups_by_cost(result)
        for label, at in (
            ("Most alike", 0),
            ("In the middle", len(ranked) // 2),
            ("Least alike", -1),
        ):
            st.button(
                label,
                key=f"glove_group_{label.split()[0].lower()}",
                on_click=act(_turn_to),
                args=(int(ranked[at]),),
            )
    drawn, others = areas.paths(result, data.fs, group, _MEMBERS_DRAWN)
    plot(
        group_over_time(
            drawn, others, areas.boxes(result, data.fs, group), days(data.fs), of, height=320
        ),
        key="glove_group_time",
        theme=None,
        config=CONFIG,
        alt=f"Samples of the members of group {group} over time, and the blocks published for all "
        "of them: an area and a span of time each.",
    )
    what_this_means(story.group(group, result, data.fs, len(drawn)), key="glove_group")


def _chosen(result: GloveResult) -> int:
    """The group looked at; one of middling length until another is chosen."""
    n_groups = result.published.n_groups
    if st.session_state.get(_GROUP, n_groups) >= n_groups:
        _turn_to(areas.middle(result))
    return int(st.session_state[_GROUP])


def _take(key: str) -> None:
    if layout.is_current(key, "glove_group", _PICKED):
        st.session_state[_GROUP] = int(st.session_state[key])


def _turn_to(group: int) -> None:
    layout.overtake(_PICKED)
    st.session_state[_GROUP] = group
