"""The groups of a release: the loss of each, and one group over time."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from fpanon_core.model.projection import lon_lat
from fpanon_core.studies.hiding import groups_by_loss
from fpanon_core.studies.report_words import listed
from pages.charts import words
from pages.charts.maps import Shades, corners_of, scale_bar, shades
from pages.charts.record import PlayedGroup, group_legend, group_map
from pages.charts.style import Theme
from pages.hiding import figures
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
        [words.moment(each, dates) for each in at.tolist()],
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


def played(release: GloveResult, fs: FingerprintSet, group: int, at_most: int) -> PlayedGroup:
    """Return a group's samples and published data; up to ``at_most`` members are named.

    For a release in periods, return only the samples within the group's period. The data must carry
    a map projection.
    """
    people = np.sort(release.people[release.members(group)])
    rows = np.concatenate([np.r_[fs.rows_of(person)] for person in people.tolist()])
    if release.group_period is not None and release.period_days is not None:
        period = fs.wall_minutes(fs.t_min[rows]) // (1_440 * release.period_days)
        rows = rows[period == release.group_period[group]]
    rows = rows[np.argsort(fs.t_min[rows], kind="stable")]
    lon, lat = lon_lat(fs.crs, fs.x_m[rows] + fs.dx_m[rows] / 2, fs.y_m[rows] + fs.dy_m[rows] / 2)
    of = release.published
    at = slice(*of.offsets[group : group + 2])
    west, south = lon_lat(fs.crs, of.x_m[at], of.y_m[at])
    east, north = lon_lat(fs.crs, of.x_m[at] + of.dx_m[at], of.y_m[at] + of.dy_m[at])
    areas = np.column_stack([west, south, east, north])
    beside, names = corners_of(areas), fs.pseudonyms
    return PlayedGroup(
        lon=lon,
        lat=lat,
        minute=fs.wall_minutes(fs.t_min[rows] + fs.dt_min[rows] / 2),
        areas=areas,
        start=fs.wall_minutes(of.t_min[at]),
        end=fs.wall_minutes(of.t_min[at] + of.dt_min[at]),
        around=(np.concatenate([lon, beside[0]]), np.concatenate([lat, beside[1]])),
        whose=np.minimum(np.searchsorted(people, fs.sample_user[rows]), at_most),
        names=[names[person] for person in people[:at_most].tolist()],
    )


# --- what is said ---


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
