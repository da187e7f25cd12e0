"""One person: their samples on the map over time, who is nearest, and the matches.

People appear by pseudonym only, and the selected person stays out of the address.

The sentences say how hard the person is to hide, who is nearest, and which samples were matched.

A person's mean distance and time count each sample up to the caps of the stretch effort, as the
figures of everyone do. The distance of a single pair of samples is given in full, and labelled as
such.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.model.arrays import IntArray
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.kgap import KGapResult
from fpanon_core.model.projection import lon_lat
from fpanon_core.studies.anonymizability import Measured, Neighbour, neighbours_of
from fpanon_core.studies.report_words import first_up
from pages.charts import words
from pages.charts.maps import fingerprints_map
from pages.charts.style import MAIN_PX, Theme
from pages.shell import layout
from pages.shell.figure import moments, play, show_map
from pages.shell.guard import act, fragment
from pages.shell.widgets import days

from .story import alone, cap, capped, judges_all, to_move

_NEIGHBOUR = "fp_neighbour"
_PICK = layout.Pick("fp_person", drops=_NEIGHBOUR)
_NEIGHBOURS_SHOWN, _MAP_PX = 20, MAIN_PX - 56


def take_click(fs: FingerprintSet, chart_key: str) -> None:
    """Select the user behind the point that was just clicked on a chart."""
    points = st.session_state[chart_key]["selection"]["points"]
    users = [p["customdata"] for p in points if p.get("customdata") is not None]
    if users:
        user = users[-1]
        _PICK.turn_to(int(fs.number[user[0] if isinstance(user, list) else user]))


@fragment()
def section(measured: Measured, fs: FingerprintSet, k: int, of: Theme) -> None:
    """Draw the section for one profile's result at one k; a change in it redraws nothing else."""
    result = measured.gaps.at(k)
    user = _pick(fs, result)
    neighbours = neighbours_of(fs, result, user)
    other = _pick_neighbour(fs, user, neighbours)
    _map(fs, user, other, of)
    pooled = pd.concat([each.matches for each in neighbours])
    said = gap(fs, user, measured, other, k) + place_or_time(pooled, k)
    layout.what_this_means(*said, key="person")
    _table_of_neighbours(fs, neighbours, result.config, result.k)
    with st.expander(words.count(len(other.matches), "matched sample"), key="person_matches"):
        st.dataframe(matches(fs, other), hide_index=True, key="person_links", height=320)


def _pick(fs: FingerprintSet, result: KGapResult) -> int:
    """Return the selected user; by default the one hardest to hide."""
    order = np.argsort(result.values, kind="stable").tolist()
    hardest = "Hardest to hide"
    ways = {
        hardest: order[-1],
        "In the middle": order[len(order) // 2],
        "Easiest to hide": order[0],
    }
    about = "Choose a person by pseudonym or number, or click a point on a curve above."
    return _PICK.person("person", fs.number, fs.pseudonyms, ways, about, hardest)


def _pick_neighbour(fs: FingerprintSet, user: int, neighbours: list[Neighbour]) -> Neighbour:
    rank = min(int(st.session_state.get(_NEIGHBOUR, 0)), len(neighbours) - 1, 8)
    names = fs.pseudonyms  # made again at each call
    if len(neighbours) > 1:
        name = f"person_neighbour_{user}"
        key = layout.key(name, _PICK.picked)
        st.radio(
            "Compared with, nearest first",
            range(min(len(neighbours), 9)),
            index=rank,
            format_func=lambda i: names[neighbours[i].user],
            key=key,
            on_change=act(_compare),
            args=(key, name),
            horizontal=True,
        )
    return neighbours[rank]


def _compare(key: str, name: str) -> None:
    if layout.is_current(key, name, _PICK.picked):
        st.session_state[_NEIGHBOUR] = st.session_state[key] or 0


def _map(fs: FingerprintSet, user: int, other: Neighbour, of: Theme) -> None:
    """Draw a map of a person, a neighbour and the links of matched samples, with playback."""
    if fs.crs is None:
        show_map(None, key="person_map", alt="")
        return
    names = [fs.pseudonyms[user], fs.pseudonyms[other.user]]
    own, others = map(fs.rows_of, (user, other.user))
    two = np.r_[own, others]  # only these samples are drawn, as the data may be large
    centre = (at[two] + size[two] / 2 for at, size in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)))
    lon, lat = lon_lat(fs.crs, *centre)
    wall, dates = fs.wall_minutes(fs.t_min[two] + fs.dt_min[two] / 2), days(fs)
    many = own.stop - own.start
    rows = np.split(np.arange(len(two)), [many])
    ends = other.matches[["row", "matched_row"]].to_numpy()  # the longer record's first
    mine = (ends >= own.start) & (ends < own.stop)
    ends = np.where(mine, ends - own.start, ends - others.start + many)
    at = moments(float(wall.min()), float(wall.max()))

    def draw(step: int) -> None:
        so_far = wall <= at[step]
        joined = ends[so_far[ends].all(axis=1)]
        drawn = [
            (name, lon[seen], lat[seen], colour)
            for name, rows_of, colour in zip(names, rows, (of.person, of.other), strict=True)
            for seen in [rows_of[so_far[rows_of]]]
        ]
        links = (lon[joined], lat[joined])
        deck = fingerprints_map(drawn, links, of, around=(lon, lat), height=_MAP_PX)
        told = f"Map of the places of {names[0]} and of the neighbour {names[1]}."
        show_map(deck, key="person_map", alt=told)

    st.markdown(f"**{names[0]}** filled, **{names[1]}** outlined")
    told = [words.moment(minute, dates) for minute in at.tolist()]
    play(f"person_time_{user}_{other.user}", told, draw, start=len(at) - 1)


def _table_of_neighbours(
    fs: FingerprintSet, neighbours: list[Neighbour], stretch: StretchConfig, k: int
) -> None:
    shown = "" if len(neighbours) <= _NEIGHBOURS_SHOWN else f" (the first {_NEIGHBOURS_SHOWN})"
    title = "Nearest neighbour" if k == 2 else f"The {k - 1} nearest neighbours"
    st.markdown(f"**{title}**{shown}")
    st.dataframe(
        table_of_neighbours(fs, neighbours[:_NEIGHBOURS_SHOWN], stretch),
        hide_index=True,
        key="person_neighbours",
        column_config={"Effort (0–1)": st.column_config.NumberColumn(format="%.3f")},
    )


def gap(fs: FingerprintSet, user: int, measured: Measured, other: Neighbour, k: int) -> list[str]:
    """Say how hard a person is to hide: the effort it takes to look like k − 1 others."""
    result, parts = measured.gaps.at(k), measured.parts[k]
    stretch = result.config
    row = int(np.flatnonzero(result.users == user)[0])
    value = float(result.values[row])
    easier = float((result.values < value).mean())
    names, matches = fs.pseudonyms, other.matches
    if value == 0 and judges_all(stretch):
        return [
            f"{names[user]} is already {k}-anonymous: at least {words.others(k)} "
            f"{'has' if k == 2 else 'have'} the very same record."
        ]
    if value == 0:
        return [f"The {k}-gap of {names[user]} is 0. {alone(stretch)}"]
    capped_rows = parts.beyond_space[[row]], parts.beyond_time[[row]]
    about, behind = cap(*capped_rows, stretch)
    worst = matches.iloc[int(matches["total"].to_numpy().argmax())]
    return [
        f"To look like {words.others(k)}, {names[user]}'s samples must move "
        f"{to_move(float(parts.space_m[row]), float(parts.time_min[row]), '', about)}. "
        f"{first_up(words.percent(easier, len(result.values)))} of people are easier to hide.",
        f"{names[user]} has {words.count(int(fs.lengths[user]), 'sample')} and a {k}-gap of "
        f"{value:.3f}.",
        behind,
        f"Among the pairs of samples of {names[user]} and {names[other.user]}, one of the "
        f"hardest to match is {_apart(worst['dist_m'], worst['gap_min'])} (before any cap).",
    ]


def _apart(metres: float, minutes: float) -> str:
    far, long = words.distance(metres), words.duration(minutes)
    if long == "no time":
        return f"{far} apart at the same moment"
    return f"{long} apart at the same place" if far == "no distance" else f"{far} and {long} apart"


def place_or_time(matches: pd.DataFrame, k: int) -> list[str]:
    """Say how much of the effort is due to time and to place; return [] if the effort is 0."""
    total = float(matches["total"].sum())
    if total == 0:
        return []
    share = float(matches["time"].sum()) / total
    return [
        f"Time makes up {words.percent(share)} of the effort to make this person look like "
        f"{words.others(k)}, and place {words.percent(1 - share)}."
    ]


def table_of_neighbours(
    fs: FingerprintSet, near: Sequence[Neighbour], stretch: StretchConfig
) -> pd.DataFrame:
    """Return one row per neighbour, in the order given."""
    names = fs.pseudonyms  # made again at each call
    means = capped(
        stretch,
        [float(np.minimum(n.matches["dist_m"], stretch.max_space_m).mean()) for n in near],
        [float(np.minimum(n.matches["gap_min"], stretch.max_time_min).mean()) for n in near],
    )
    return pd.DataFrame(
        {
            "Neighbour": [names[n.user] for n in near],
            "Samples": [int(fs.lengths[n.user]) for n in near],
            "Effort (0–1)": [n.stretch for n in near],
            **means,
        }
    )


def matches(fs: FingerprintSet, other: Neighbour) -> pd.DataFrame:
    """Return one row per matched pair of samples, the hardest first."""
    found = other.matches
    rows, matched = found["row"].to_numpy(), found["matched_row"].to_numpy()
    return pd.DataFrame(
        {
            "Of": np.array(fs.pseudonyms)[fs.sample_user[rows]],
            "Local time": _moments(fs, rows),
            "Matched local time": _moments(fs, matched),
            "Distance in full": list(map(words.distance, found["dist_m"])),
            "Time apart in full": list(map(words.duration, found["gap_min"])),
            "Effort (0–1)": found["total"].round(4),
        }
    ).sort_values("Effort (0–1)", ascending=False)


def _moments(fs: FingerprintSet, rows: IntArray) -> list[str]:
    names, wall = days(fs), fs.wall_minutes(fs.t_min)
    return [words.moment(minute, names) for minute in wall[rows].tolist()]
