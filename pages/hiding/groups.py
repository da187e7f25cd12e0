"""The groups of a release: all on the map, and one of them in space and time."""

from __future__ import annotations

from functools import partial

import streamlit as st

from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.hiding import groups_by_cost, recorded_places
from pages.charts.maps import MAX_CELLS, cells_map, places_map
from pages.charts.spacetime import group_in_space_time
from pages.charts.style import CONFIG, Theme
from pages.hiding import areas, story
from pages.shell import overtaken
from pages.shell.calendar import days
from pages.shell.dataset import Dataset
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

_MEMBERS_DRAWN = 5
_GROUP, _PICKED = "fp_group", "fp_group_picked"


def maps(data: Dataset, result: GloveResult, of: Theme) -> None:
    """The places as recorded, and the areas that are published instead."""
    st.header("Before and after", anchor=False)
    published, places = result.published, recorded_places(data.fs)
    lon, lat = places["lon"].to_numpy(), places["lat"].to_numpy()
    if not len(lon) or not published.n_samples:
        st.info("There is no map: the data carry no map projection, or nothing is published.")
        return
    hour = _hour(data, result)
    at = story.moment(hour, days(data.fs))
    some = areas.within_hour(result, data.fs, hour, MAX_CELLS)
    left, right = side_by_side("glove_maps")
    with left:
        st.markdown("**Before** – all recorded places, by the number of samples")
        st.pydeck_chart(
            places_map(lon, lat, places["samples"].to_numpy(), of),
            height=460,
            key="glove_before",
            alt="Map of the recorded places; larger dots have more samples.",
        )
    with right:
        st.markdown("**After** – the areas published instead, by group")
        group = areas.groups(result)[some]
        degrees = published.degrees().iloc[some]
        chosen = _chosen(result)
        st.pydeck_chart(
            cells_map(
                degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy(),
                [of.categories[g % len(of.categories)] for g in group.tolist()],
                list(
                    map(
                        story.area,
                        group.tolist(),
                        published.n_users[group].tolist(),
                        published.dx_m[some].tolist(),
                        published.dy_m[some].tolist(),
                        published.dt_min[some].tolist(),
                    )
                ),
                (lon, lat),
                of,
                numbers=group.tolist(),
                chosen=chosen,
            ),
            height=460,
            key="glove_after",
            on_select=_take_click,
            selection_mode="single-object",
            alt=f"Map of the areas published for {at}, coloured by group.",
        )
        people = int(published.n_users[group].sum())
        st.caption(story.at_one_moment(at, len(some), people))


def _hour(data: Dataset, result: GloveResult) -> int:
    """The hour to be looked at, chosen where there are several."""
    hours = areas.hours(result, data.fs)
    if len(hours) < 2:
        return hours[0]
    return int(
        st.select_slider(
            "At",
            hours,
            value=hours[len(hours) // 2],
            format_func=partial(story.moment, days=days(data.fs)),
            key=f"glove_hour_{hours[0]}_{hours[-1]}",
            label_visibility="collapsed",
        )
    )


def one(data: Dataset, result: GloveResult, of: Theme) -> None:
    """One group: who is in it, their own samples, and what is published for all of them."""
    n_groups = result.published.n_groups
    if not n_groups:
        return
    st.header("One group", anchor=False)
    group = _chosen(result)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = overtaken.key("glove_group", _PICKED)
        st.number_input(
            f"Group, 0 to {n_groups - 1:,}",
            0,
            n_groups - 1,
            group,
            key=key,
            on_change=_take,
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
                on_click=_turn_to,
                args=(int(ranked[at]),),
            )
    members = result.members(group)[:_MEMBERS_DRAWN]
    paths = areas.paths(result, data.fs, group, members.tolist())
    st.plotly_chart(
        group_in_space_time(
            paths, areas.boxes(result, data.fs, group), days(data.fs), of, height=560
        ),
        key="glove_spacetime",
        theme=None,
        config=CONFIG,
        alt=f"Samples of the members of group {group} in space and time, and the cells published "
        "for all of them.",
    )
    samples = sum(len(path.wall_min) for path in paths)
    what_this_means(story.group(group, result, len(members), samples), key="glove_group")


def _chosen(result: GloveResult) -> int:
    """The group looked at; one of middling length until another is chosen."""
    n_groups = result.published.n_groups
    if st.session_state.get(_GROUP, n_groups) >= n_groups:
        _turn_to(areas.middle(result))
    return int(st.session_state[_GROUP])


def _take_click() -> None:
    clicked = st.session_state["glove_after"].selection["objects"].get("cells", [])
    if clicked:
        _turn_to(int(clicked[0]["n"]))


def _take(key: str) -> None:
    if overtaken.is_current(key, "glove_group", _PICKED):
        st.session_state[_GROUP] = int(st.session_state[key])


def _turn_to(group: int) -> None:
    overtaken.overtake(_PICKED)
    st.session_state[_GROUP] = group
