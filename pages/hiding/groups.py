"""The groups of a release: all on the map, and one of them over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.hiding import groups_by_cost
from pages.charts import words
from pages.charts.maps import cells_map, scale_bar, shades
from pages.charts.spacetime import group_over_time
from pages.charts.style import Theme
from pages.hiding.moment import Moment, boxes, busiest, hours, middle, moment, paths
from pages.shell import layout
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show, show_map
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.widgets import days

_MEMBERS_DRAWN = 5
_PICK = layout.Pick("fp_group")


def maps(data: Dataset, result: GloveResult, of: Theme) -> None:
    """People in one hour: as recorded, and as published."""
    st.header("Before and after", anchor=False)
    if data.fs.crs is None or not result.published.n_samples:
        st.info("There is no map: the data carry no map projection, or nothing is published.")
        return
    hour = _hour(data, result)
    at = hour_named(hour, days(data.fs))
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
    legend(
        scale_bar(colours, f"People in a square of {words.distance(here.side_m)}", of),
        key="glove_scale",
        alt=f"Colours of both maps: from {colours.low:.2g} to {colours.high:.2g} people.",
    )
    st.caption(at_one_moment(at, here.recorded, here.published))


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
            [*map(square, squares[:, 4].tolist()), *["the group looked at"] * len(outlined)],
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
            format_func=partial(hour_named, days=days(data.fs)),
            key=f"glove_hour_{among[0]}_{among[-1]}",
            label_visibility="collapsed",
        )
    )


def one(data: Dataset, result: GloveResult, of: Theme) -> None:
    """One group: who is in it, their own samples, and what is published for all of them."""
    n_groups = result.published.n_groups
    if not n_groups:
        return
    group, every = _chosen(result), range(n_groups)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, how = f"Group, 0 to {n_groups - 1:,}", _PICK.widget("glove_group", every)
        st.number_input(label, 0, n_groups - 1, group, width=200, **how)
        ranked = groups_by_cost(result).tolist()
        ways = {"Most alike": ranked[0], "In the middle": ranked[n_groups // 2]}
        _PICK.buttons("glove_group", ways | {"Least alike": ranked[-1]})
    drawn, others = paths(result, data.fs, group, _MEMBERS_DRAWN)
    show(
        group_over_time(drawn, others, boxes(result, data.fs, group), days(data.fs), of),
        key="glove_group_time",
        alt=f"Samples of the members of group {group} over time, and the blocks published for all "
        "of them: an area and a span of time each.",
    )
    what_this_means(told_group(group, result, data.fs, len(drawn)), key="glove_group")


def _chosen(result: GloveResult) -> int:
    """The group looked at; one of middling length until another is chosen."""
    return _PICK.now(range(result.published.n_groups), middle(result))


# --- what is said ---


def square(people: float) -> str:
    """A square on one of the maps."""
    if people < 0.05:
        return "less than 0.1 people"
    return f"{people:,.1f} people" if people < 10 else f"{people:,.0f} people"


def at_one_moment(when: str, recorded: int, published: int) -> str:
    """What both maps show, and of whom they show nothing."""
    return (
        f"The hour from {when}, in the same colours on both maps. Before: "
        f"{words.count(recorded, 'user')}, each at the first place recorded. After: "
        f"{words.count(published, 'user')}, spread evenly over the first area published for each, "
        "recorded or not; outlined is that of the group looked at below. All others are nowhere "
        "on that map."
    )


def hour_named(hour: int, days: list[str]) -> str:
    """An hour since the first local midnight, by its date."""
    day = hour // 24
    return f"{days[day] if day < len(days) else f'day {day + 1}'}, {hour % 24:02d}:00"


def told_group(number: int, release: GloveResult, fs: FingerprintSet, drawn: int) -> str:
    """Who is in a group, and how their samples are published; ``drawn`` of them by name."""
    rows = release.members(number)
    pseudonyms = [fs.pseudonyms[person] for person in np.sort(release.people[rows])]
    who = ", ".join(pseudonyms[:drawn])
    more = f" and {len(rows) - drawn} more" if len(rows) > drawn else ""
    blocks = words.count(int(release.published.lengths[number]), "block")
    samples = int(release.accuracy["user"].isin(rows).sum())
    lost = int(release.suppressed["user"].isin(rows).sum())
    own = words.count(samples, "own sample")
    if lost:
        how = f"Of their {own} {lost:,} {words.were(lost)} left out; the others are published"
    else:
        how = f"Their {own} are published"
    return (
        f"Group {number}: {who}{more}. {how} as {blocks}: an area and a span of time each, the "
        "same for all of them."
    )
