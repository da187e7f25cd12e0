"""The groups of a release: the loss of each, one group over time, and everyone in one hour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.hiding import groups_by_loss
from fpanon_core.studies.report_words import listed
from pages.charts import words
from pages.charts.maps import Shades, cells_map, corners_of, scale_bar, shades
from pages.charts.record import PlayedGroup, group_legend, group_map
from pages.charts.spacetime import clock
from pages.charts.style import Theme
from pages.hiding import figures
from pages.hiding.moment import Moment, busiest, hours, moment, played
from pages.shell import layout
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, moments, play, show, show_map
from pages.shell.guard import act, fragment
from pages.shell.widgets import days

_MEMBERS_DRAWN, _MAP_PX = 5, 350
_PICK = layout.Pick("fp_group")


@fragment()
def one(data: Dataset, result: GloveResult, of: Theme) -> None:
    """Draw a release's groups as dots, and one group on a map; group 1 has the largest loss."""
    costs = groups_by_loss(result)
    if not len(costs):
        return
    ranks = range(1, len(costs) + 1)
    rank = _PICK.now(ranks, 1)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.header("One group at a time", anchor=False, width="content")
        how = _PICK.widget("glove_group", ranks) | {"label_visibility": "collapsed"}
        st.number_input("Group, the largest loss first", 1, len(costs), rank, width=130, **how)
    left, right = layout.side_by_side("glove_group")
    with left:
        drawn = "All" if len(costs) <= figures.MOST_GROUPS else f"{figures.MOST_GROUPS:,} of"
        many = f"**{drawn} {len(costs):,} groups** – click one to see it"
        st.markdown(many if len(costs) > 1 else "**The only group** – click it to see it")
        show(
            figures.groups(costs, rank, of),
            key="glove_groups",
            on_select=act(partial(_take_click, "glove_groups")),
            selection_mode="points",
            alt="Mean side of the areas against the mean time window, with a dot for each group; "
            "the dot of the selected group is filled.",
        )
    if data.fs.crs is None:
        right.info("There is no map: the data carry no map projection.")
    else:
        seen = played(result, data.fs, int(costs["group"][rank - 1]), _MEMBERS_DRAWN)
        with right:
            _over_time(seen, rank, days(data.fs), of)
        legend(group_legend(seen, of), key="glove_group_marks", alt="The marks on the map.")
    layout.what_this_means(*told_group(costs, rank, result, data.fs), key="glove_group")


def _take_click(figure: str) -> None:
    """Select the group that was just clicked."""
    for point in st.session_state[figure]["selection"]["points"]:
        number = point["customdata"]
        _PICK.turn_to(int(number[0] if isinstance(number, list) else number))


def _over_time(seen: PlayedGroup, rank: int, dates: list[str], of: Theme) -> None:
    """Draw the map of one group, and its legend."""
    first, last = seen.ends
    at = moments(first, last)
    unit, minutes = time_unit(float((seen.end - seen.start).max()))
    by = shades((seen.end - seen.start) / minutes, of)
    st.markdown(
        f"**Group {rank}** – records and published areas in steps of "
        f"{words.duration((last - first) / len(at))}"
    )
    recorded = np.searchsorted(at, seen.minute).clip(max=len(at) - 1)
    play(
        f"glove_group_time_{len(at)}_{rank}",
        [clock(each, dates) for each in at.tolist()],
        partial(_at, seen, np.array([-np.inf, *at]), by, rank, of),
        start=int(np.bincount(recorded).argmax()),
    )
    legend(
        scale_bar(by, f"Span of time of a published area ({unit})", of),
        key="glove_group_scale",
        alt=f"Colours of the areas: from {by.low:.2g} to {by.high:.2g} {unit}.",
    )


def _at(seen: PlayedGroup, ends: FloatArray, by: Shades, rank: int, of: Theme, step: int) -> None:
    before, now = ends[step : step + 2].tolist()
    show_map(
        group_map(seen, before, now, by, of, height=_MAP_PX),
        key="glove_group_map",
        alt=f"Map of the recorded places of the members of group {rank}, and of the areas "
        "published for all of them, coloured by their span of time.",
    )


def maps(data: Dataset, result: GloveResult, of: Theme) -> None:
    """Draw the people in one hour: as recorded, and as published."""
    if data.fs.crs is None or not result.published.n_samples:
        st.info("There is no map: the data carry no map projection, or nothing is published.")
        return
    hour = _hour(data, result)
    at = hour_named(hour, days(data.fs))
    here = moment(result, data.fs, hour)
    people = np.concatenate([here.before[:, 4], here.after[:, 4]])
    if not len(people):
        st.info("Nobody was recorded in that hour, and nobody is published for it.")
        return
    colours = shades(people, of)
    parted = (colours.colours[: len(here.before)], colours.colours[len(here.before) :])
    left, right = layout.side_by_side("glove_maps")
    with left:
        st.markdown(f"**Before** – the {words.people(here.recorded)} recorded in that hour")
        _map("before", here, here.before, parted[0], of, f"Map of the people recorded at {at}.")
    with right:
        st.markdown(f"**After** – the {words.people(here.published)} published for that hour")
        _map("after", here, here.after, parted[1], of, f"Map of the people published for {at}.")
    legend(
        scale_bar(colours, f"People in a square of {words.distance(here.side_m)}", of),
        key="glove_scale",
        alt=f"Colours of both maps: from {colours.low:.2g} to {colours.high:.2g} people.",
    )
    st.caption(at_one_moment(at, here.recorded, here.published))


def _map(
    name: str, here: Moment, squares: FloatArray, colours: Sequence[str], of: Theme, alt: str
) -> None:
    """Draw one of the two maps; both show the same part of the world."""
    show_map(
        cells_map(
            squares[:, :4],
            colours,
            [*map(square, squares[:, 4].tolist())],
            corners_of(here.extent),
            of,
            opacity=200,
        ),
        height=320,
        key=f"glove_{name}",
        alt=alt,
    )


def _hour(data: Dataset, result: GloveResult) -> int:
    """Return the hour to show; if there are several, draw a slider to choose it."""
    among = hours(result, data.fs)
    if len(among) < 2:
        return among[0]
    return int(
        st.select_slider(
            "At",
            among,
            value=busiest(data.fs, among),
            format_func=partial(hour_named, days=days(data.fs)),
            key=f"glove_hour_{among[0]}_{among[-1]}",
            label_visibility="collapsed",
        )
    )


# --- what is said ---


def square(people: float) -> str:
    """Return the number of people in a square on one of the maps, in words."""
    if people < 0.05:
        return "less than 0.1 people"
    return f"{people:,.1f} people" if people < 10 else f"{people:,.0f} people"


def at_one_moment(when: str, recorded: int, published: int) -> str:
    """Say what both maps show, and which people they leave out."""
    return (
        f"Both maps show the hour from {when}, in the same colours. The first map shows "
        f"{words.people(recorded)}{', each' * (recorded > 1)} at the first place recorded for them "
        f"in that hour. The second map shows {words.people(published)}"
        f"{', each' * (published > 1)} spread evenly over the first area published for them in "
        "that hour, whether recorded then or not. Nobody else is shown on these maps."
    )


def hour_named(hour: int, days: list[str]) -> str:
    """Return the date and time of an hour that is counted from the first local midnight."""
    return clock(60 * hour, days, ", ")


def time_unit(minutes: float) -> tuple[str, int]:
    """Return the unit for spans of at most ``minutes``, and the length of the unit in minutes."""
    if minutes < 120:
        return "minutes", 1
    return ("hours", 60) if minutes <= 48 * 60 else ("days", 1_440)


def told_group(
    costs: pd.DataFrame, rank: int, release: GloveResult, fs: FingerprintSet
) -> list[str]:
    """Say what a group loses, who its members are, and how their samples are published."""
    number, side, span, _ = costs.to_numpy()[rank - 1].tolist()
    rows, names = release.members(int(number)), fs.pseudonyms
    who = [names[person] for person in np.sort(release.people[rows])[:_MEMBERS_DRAWN]]
    who += [f"{len(rows) - _MEMBERS_DRAWN} more"] if len(rows) > _MEMBERS_DRAWN else []
    blocks = words.count(int(release.published.lengths[int(number)]), "block")
    samples = int(release.accuracy["user"].isin(rows).sum())
    lost = int(release.suppressed["user"].isin(rows).sum())
    own = words.count(samples, "sample")
    if lost:
        how = (
            f"Of the members' own {own}, {lost:,} {words.were(lost)} left out; the others are "
            "published"
        )
    else:
        how = f"The members' own {own} are published"
    order = " has the largest loss" if rank == 1 else ", ordered by loss"
    return [
        f"Group {rank} of {len(costs):,}{order}: on average, its samples are published in areas "
        f"{words.distance(side)} wide and time windows of {words.duration(span)}. The members "
        f"of the group are {listed(who)}.",
        f"{how} as {blocks}. A block is an area and a time window, the same for all members of the "
        "group.",
    ]
