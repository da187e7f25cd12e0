"""The groups of a release: beside each other, on the map, and one of them in space and time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.measures.places import lon_lat, visited_places
from fpanon_core.model.glove import GloveResult
from pages.charts import words
from pages.charts.maps import MAX_CELLS, cells_map, places_map
from pages.charts.spacetime import Path3D, group_in_space_time
from pages.charts.style import CONFIG, Theme

from . import overtaken
from .dataset import Dataset
from .pair import side_by_side
from .person import days
from .releases import Plan, Release

_MEMBERS_DRAWN = 5
_GROUP, _PICKED = "fp_group", "fp_group_picked"


def comparison(made: dict[Plan, Release]) -> pd.DataFrame:
    """One row per release, for the table under the curves."""
    rows = []
    for plan, release in made.items():
        f = release.result.summary()
        rows.append(
            {
                "Release": str(plan),
                "Groups": f["groups"],
                "Median side (km)": round(f["median_space_m"] / 1000, 2),
                "Mean side (km)": round(f["mean_space_m"] / 1000, 2),
                "Median span (min)": round(f["median_time_min"], 1),
                "Mean span (min)": round(f["mean_time_min"], 1),
                "Left out (%)": round(100 * f["suppressed_share"], 2),
                "Phantom (%)": round(100 * f["phantom_share"], 2),
                "Verified": "yes" if release.verdict.passed else "NO",
            }
        )
    return pd.DataFrame(rows)


def maps(data: Dataset, result: GloveResult, of: Theme) -> None:
    """The places as recorded, and the areas that are published instead."""
    st.header("Before and after", anchor=False)
    fs, published = data.fs, result.published
    places = visited_places(fs)
    lon, lat = lon_lat(fs, places["x_m"].to_numpy(), places["y_m"].to_numpy())
    if not len(lon) or not published.n_samples:
        st.info("There is no map: the data carry no map projection, or nothing is published.")
        return
    some, at = _at_one_moment(data, result)
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
        group = np.repeat(np.arange(published.n_groups), published.lengths)[some]
        degrees = published.degrees().iloc[some]
        chosen = _chosen(result)
        st.pydeck_chart(
            cells_map(
                degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy(),
                [of.categories[g % len(of.categories)] for g in group.tolist()],
                [
                    f"group {g}, {n} users: {dx / 1000:.1f} × {dy / 1000:.1f} km, "
                    f"{words.duration(dt)}"
                    for g, n, dx, dy, dt in zip(
                        group.tolist(),
                        published.n_users[group].tolist(),
                        published.dx_m[some].tolist(),
                        published.dy_m[some].tolist(),
                        published.dt_min[some].tolist(),
                        strict=True,
                    )
                ],
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
        st.caption(
            f"At {at}: {words.count(len(some), 'area')} for {words.count(people, 'user')}; the "
            "others are published as being nowhere at that time. A click on an area shows its "
            "group below."
        )


def _at_one_moment(data: Dataset, result: GloveResult) -> tuple[np.ndarray, str]:
    """The published samples that hold at a local time to be chosen, and that time in words."""
    published, fs = result.published, data.fs
    start = fs.wall_minutes(published.t_min)
    end = fs.wall_minutes(published.t_min + published.dt_min)
    hours = range(int(start.min() // 60), int((end.max() - 1) // 60) + 1)
    names = days(fs)

    def told(hour: int) -> str:
        day = hour // 24
        return f"{names[day] if day < len(names) else f'day {day + 1}'}, {hour % 24:02d}:00"

    if len(hours) < 2:
        hour = hours[0]
    else:
        hour = st.select_slider(
            "At",
            hours,
            value=hours[len(hours) // 2],
            format_func=told,
            key=f"glove_hour_{hours[0]}_{hours[-1]}",
            label_visibility="collapsed",
        )
    some = np.flatnonzero((start <= 60 * hour + 59) & (end > 60 * hour))
    # One area for each group: the first that holds within the hour.
    group = np.repeat(np.arange(published.n_groups), published.lengths)[some]
    some = some[np.unique(group, return_index=True)[1]]
    if len(some) > MAX_CELLS:  # evenly spaced among all, the same every time
        some = some[np.unique(np.linspace(0, len(some) - 1, MAX_CELLS).astype(int))]
    return some, told(hour)


def one(data: Dataset, result: GloveResult, of: Theme) -> None:
    """One group: who is in it, their own samples, and what is published for all of them."""
    published, fs = result.published, data.fs
    if not published.n_groups:
        return
    st.header("One group", anchor=False)
    sizes = published.lengths
    group = _chosen(result)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = overtaken.key("glove_group", _PICKED)
        st.number_input(
            f"Group, 0 to {published.n_groups - 1:,}",
            0,
            published.n_groups - 1,
            group,
            key=key,
            on_change=_take,
            args=(key,),
            width=200,
        )
        area = published.dx_m + published.dy_m
        cost = np.add.reduceat(area, published.offsets[:-1]) / np.maximum(sizes, 1)
        ranked = np.argsort(cost, kind="stable")
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
    members = result.members(group)
    drawn = members[:_MEMBERS_DRAWN]
    names = [fs.pseudonyms[u] for u in members]
    rows = published.rows_of(group)
    centre = float(np.median(published.x_m[rows])), float(np.median(published.y_m[rows]))
    paths = []
    for user in drawn:
        own = fs.rows_of(user)
        paths.append(
            Path3D(
                fs.pseudonyms[user],
                (fs.x_m[own] + fs.dx_m[own] / 2 - centre[0]) / 1000,
                (fs.y_m[own] + fs.dy_m[own] / 2 - centre[1]) / 1000,
                fs.wall_minutes(fs.t_min[own] + fs.dt_min[own] / 2),
            )
        )
    east, north = published.x_m[rows] - centre[0], published.y_m[rows] - centre[1]
    cells = np.column_stack(
        [
            east / 1000,
            north / 1000,
            fs.wall_minutes(published.t_min[rows]),
            (east + published.dx_m[rows]) / 1000,
            (north + published.dy_m[rows]) / 1000,
            fs.wall_minutes(published.t_min[rows] + published.dt_min[rows]),
        ]
    )
    st.plotly_chart(
        group_in_space_time(paths, cells, days(fs), of, height=560),
        key="glove_spacetime",
        theme=None,
        config=CONFIG,
        alt=f"Samples of the members of group {group} in space and time, and the cells published "
        "for all of them.",
    )
    more = f" and {len(members) - len(drawn)} more, not drawn" if len(members) > len(drawn) else ""
    st.markdown(
        f"**What this means.** Group {group}: {', '.join(names[:_MEMBERS_DRAWN])}{more}. Their "
        f"{sum(len(p.wall_min) for p in paths):,} own samples are published as {len(cells):,} "
        "boxes of area and time, the same for each of them."
    )


def _chosen(result: GloveResult) -> int:
    """The group looked at; one of middling length until another is chosen."""
    sizes = result.published.lengths
    if st.session_state.get(_GROUP, len(sizes)) >= len(sizes):
        _turn_to(int(np.argsort(sizes, kind="stable")[len(sizes) // 2]))
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
