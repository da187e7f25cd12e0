"""One person: their samples on the map and in space and time, who is nearest, what was matched.

People appear by pseudonym only, and whom one looks at stays out of the address.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.measures.components import matched_samples
from fpanon_core.measures.places import lon_lat
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.results import KGapResult
from pages.charts import words
from pages.charts.cdf import Curve, cdf
from pages.charts.maps import fingerprints_map
from pages.charts.spacetime import Path3D, space_time
from pages.charts.style import CONFIG, Theme

from . import overtaken
from .guard import guarded
from .meaning import what_this_means
from .pair import side_by_side
from .tasks import Measured

_PERSON, _NEIGHBOUR, _PICKED = "fp_person", "fp_neighbour", "fp_person_picked"
_LIST_UP_TO = 3_000
_NEIGHBOURS_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Neighbour:
    """Another user, how far they are, and the matched samples."""

    user: int
    stretch: float
    matches: pd.DataFrame


def take_click(chart_key: str) -> None:
    """Look at the user behind the point of a chart that was just clicked."""
    points = st.session_state[chart_key]["selection"]["points"]
    users = [p["customdata"] for p in points if p.get("customdata") is not None]
    if users:
        user = users[-1]
        _look_at(int(user[0] if isinstance(user, list) else user))


@st.fragment
def show(measured: Measured, fs: FingerprintSet, k: int, of: Theme) -> None:
    """The whole section for one profile's result at one k; redrawn alone when only it changes."""
    with guarded():
        _show(measured, fs, k, of)


def _show(measured: Measured, fs: FingerprintSet, k: int, of: Theme) -> None:
    result = measured.result.at(k)
    user = _pick(fs, result)
    if user is None:
        return
    neighbours = _neighbours(fs, result, user)
    other = _pick_neighbour(fs, user, neighbours)
    _figures(fs, user, other, of)
    _says(fs, user, result, other, k)
    left, right = side_by_side("person_parts")
    with left:
        _table_of_neighbours(fs, neighbours, result.k)
        with st.expander(f"The {len(other.matches):,} matched samples", key="person_matches"):
            st.dataframe(_links_table(fs, other), hide_index=True, key="person_links", height=320)
    with right:
        _parts_figure(fs, user, neighbours, k, of)


def _pick(fs: FingerprintSet, result: KGapResult) -> int | None:
    """The user to look at; the one in the middle when nobody was chosen."""
    if _PERSON not in st.session_state or st.session_state[_PERSON] >= fs.n_users:
        _look_at(int(np.argsort(result.values)[len(result.values) // 2]))
    user = int(st.session_state[_PERSON])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if fs.n_users <= _LIST_UP_TO:
            key = overtaken.key("person_list", _PICKED)
            st.selectbox(
                "Person",
                range(fs.n_users),
                index=user,
                format_func=fs.pseudonyms.__getitem__,
                key=key,
                on_change=_take_listed,
                args=(key,),
                help="Choose by pseudonym, or click a point on a curve above.",
                width=220,
            )
        else:
            key = overtaken.key("person_number", _PICKED)
            number = st.number_input(
                "Person (number of the pseudonym)",
                1,
                int(fs.number.max()),
                int(fs.number[user]),
                key=key,
                on_change=_take_number,
                args=(key, fs),
                help="Type a number, or click a point on a curve above.",
                width=260,
            )
            if number not in fs.number:
                st.warning("There is no user of this number; it may have been screened out.")
                return None
        for label, at in (
            ("Easiest to hide", 0),
            ("In the middle", len(result.values) // 2),
            ("Hardest to hide", -1),
        ):
            st.button(
                label,
                key=f"person_{label.split()[0].lower()}",
                on_click=_look_at,
                args=(int(np.argsort(result.values, kind="stable")[at]),),
            )
    return user


def _look_at(user: int) -> None:
    """Somebody was picked elsewhere than in the list."""
    overtaken.overtake(_PICKED)
    _turn_to(user)


def _turn_to(user: int) -> None:
    st.session_state[_PERSON] = user
    st.session_state.pop(_NEIGHBOUR, None)


def _take_listed(key: str) -> None:
    if overtaken.is_current(key, "person_list", _PICKED):
        _turn_to(st.session_state[key])


def _take_number(key: str, fs: FingerprintSet) -> None:
    found = np.flatnonzero(fs.number == st.session_state[key])
    if len(found) and overtaken.is_current(key, "person_number", _PICKED):
        _turn_to(int(found[0]))


def _neighbours(fs: FingerprintSet, result: KGapResult, user: int) -> list[Neighbour]:
    row = int(np.flatnonzero(result.users == user)[0])
    near = zip(result.neighbours[row].tolist(), result.stretch[row].tolist(), strict=True)
    return [
        Neighbour(b, stretch, matched_samples(fs, user, b, result.config)) for b, stretch in near
    ]


def _pick_neighbour(fs: FingerprintSet, user: int, neighbours: list[Neighbour]) -> Neighbour:
    rank = min(st.session_state.get(_NEIGHBOUR, 0), len(neighbours) - 1, 8)
    if len(neighbours) > 1:
        key = f"person_neighbour_{st.session_state.get(_PICKED, 0)}_{user}"
        st.radio(
            "Compared with, nearest first",
            range(min(len(neighbours), 9)),
            index=rank,
            format_func=lambda i: fs.pseudonyms[neighbours[i].user],
            key=key,
            on_change=_compare,
            args=(key, user),
            horizontal=True,
        )
    return neighbours[rank]


def _compare(key: str, user: int) -> None:
    if user == st.session_state[_PERSON]:
        st.session_state[_NEIGHBOUR] = st.session_state[key] or 0


def _figures(fs: FingerprintSet, user: int, other: Neighbour, of: Theme) -> None:
    """The map and the space-time figure, side by side."""
    names = [fs.pseudonyms[user], fs.pseudonyms[other.user]]
    centre = (fs.x_m + fs.dx_m / 2, fs.y_m + fs.dy_m / 2)
    rows = [fs.rows_of(u) for u in (user, other.user)]
    ends = other.matches[["row", "matched_row"]].to_numpy()
    left, right = side_by_side("person_figures")
    with left:
        st.markdown(f"**Where** – {names[0]} filled, {names[1]} outlined, lines join the matches")
        lon, lat = lon_lat(fs, *centre)
        if len(lon):
            st.pydeck_chart(
                fingerprints_map(
                    [
                        (names[0], lon[rows[0]], lat[rows[0]], of.person),
                        (names[1], lon[rows[1]], lat[rows[1]], of.other),
                    ],
                    (lon[ends], lat[ends]),
                    of,
                ),
                height=520,
                key="person_map",
                alt=f"Map of the places of {names[0]} and of the nearest neighbour {names[1]}.",
            )
        else:
            st.info("These data carry no map projection, so there is no map.")
    with right:
        st.markdown("**Where and when** – local time runs upwards; drag to turn")
        st.plotly_chart(
            _space_time(fs, rows, names, ends, centre, of),
            key="person_spacetime",
            theme=None,
            config=CONFIG,
            alt=f"Samples of {names[0]} and {names[1]} in space and time, matched ones joined.",
        )


def _space_time(
    fs: FingerprintSet,
    rows: list[slice],
    names: list[str],
    ends: np.ndarray,
    centre: tuple[np.ndarray, np.ndarray],
    of: Theme,
) -> object:
    wall = fs.wall_minutes(fs.t_min + fs.dt_min / 2)
    east, north = ((c - np.median(c[rows[0]])) / 1000 for c in centre)
    paths = [Path3D(name, east[r], north[r], wall[r]) for name, r in zip(names, rows, strict=True)]
    return space_time(paths[0], paths[1], (east[ends], north[ends], wall[ends]), days(fs), of)


def days(fs: FingerprintSet) -> list[str]:
    """The dates of the local days of a data set, for axes and tables."""
    last = int(fs.wall_minutes(fs.t_min).max() // 1440)
    if fs.clock is None:
        return [f"day {d + 1}" for d in range(last + 1)]
    first = fs.clock.epoch.astimezone(dt.UTC) + dt.timedelta(
        minutes=float(fs.clock.wall_minutes([0.0])[0])
    )
    local = first.astimezone(_zone(fs))
    return [f"{local.date() + dt.timedelta(days=d):%-d %b}" for d in range(last + 1)]


def _zone(fs: FingerprintSet) -> dt.tzinfo:
    from zoneinfo import ZoneInfo

    assert fs.clock is not None
    return ZoneInfo(fs.clock.timezone)


def _says(
    fs: FingerprintSet,
    user: int,
    result: KGapResult,
    other: Neighbour,
    k: int,
) -> None:
    row = int(np.flatnonzero(result.users == user)[0])
    gap = float(result.values[row])
    rank = float((result.values < gap).mean())
    name, matches = fs.pseudonyms[user], other.matches
    if gap == 0:
        sentence = f"{name} is already {k}-anonymous: {words.others(k)} have the very same record."
        what_this_means(sentence, key="person")
        return
    worst = matches.loc[matches["total"].idxmax()]
    what_this_means(
        f"{name} has {fs.lengths[user]:,} samples and a {k}-gap of {gap:.3f}; "
        f"{words.percent(rank, len(result.values))} of the users are easier to hide.",
        f"To look like {fs.pseudonyms[other.user]}, the matched samples would have to be moved by "
        f"{words.distance(matches['dist_m'].mean())} and "
        f"{words.duration(matches['gap_min'].mean())} on average; the hardest of them by "
        f"{words.distance(worst['dist_m'])} and {words.duration(worst['gap_min'])}.",
        key="person",
    )


def _table_of_neighbours(fs: FingerprintSet, neighbours: list[Neighbour], k: int) -> None:
    shown = "" if len(neighbours) <= _NEIGHBOURS_SHOWN else f" (the first {_NEIGHBOURS_SHOWN})"
    title = "The nearest neighbour" if k == 2 else f"The {k - 1} nearest neighbours"
    st.markdown(f"**{title}**{shown}")
    neighbours = neighbours[:_NEIGHBOURS_SHOWN]
    table = pd.DataFrame(
        {
            "Neighbour": [fs.pseudonyms[n.user] for n in neighbours],
            "Samples": [int(fs.lengths[n.user]) for n in neighbours],
            "Effort (0–1)": [n.stretch for n in neighbours],
            "Distance (km)": [n.matches["dist_m"].mean() / 1000 for n in neighbours],
            "Time (min)": [n.matches["gap_min"].mean() for n in neighbours],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        key="person_neighbours",
        column_config={
            "Effort (0–1)": st.column_config.NumberColumn(format="%.3f"),
            "Distance (km)": st.column_config.NumberColumn(format="%.1f"),
            "Time (min)": st.column_config.NumberColumn(format="%.0f"),
        },
    )


def _links_table(fs: FingerprintSet, other: Neighbour) -> pd.DataFrame:
    names = days(fs)
    wall = fs.wall_minutes(fs.t_min)

    def when(rows: pd.Series) -> list[str]:
        return [
            f"{names[int(m // 1440)]} {int(m % 1440 // 60):02d}:{int(m % 60):02d}"
            for m in wall[rows.to_numpy()]
        ]

    matches = other.matches
    user = np.array(fs.pseudonyms)[fs.sample_user[matches["row"].to_numpy()]]
    return pd.DataFrame(
        {
            "Of": user,
            "Local time": when(matches["row"]),
            "Matched local time": when(matches["matched_row"]),
            "Distance (km)": (matches["dist_m"] / 1000).round(2),
            "Time apart (min)": matches["gap_min"].round(0),
            "Effort (0–1)": matches["total"].round(4),
        }
    ).sort_values("Effort (0–1)", ascending=False)


def _parts_figure(
    fs: FingerprintSet, user: int, neighbours: list[Neighbour], k: int, of: Theme
) -> None:
    """CDFs of the effort in space, in time and in all, over the matched samples (ANON fig. 5)."""
    st.markdown("**Is it the place or the time?** – efforts of the matched samples")
    pooled = pd.concat([n.matches for n in neighbours])
    curves = [
        Curve(label, pooled[name].to_numpy(), of.categories[i], i)
        for i, (name, label) in enumerate(PARTS.items())
    ]
    top = max(0.05, float(pooled["total"].max()))
    st.plotly_chart(
        cdf(
            curves,
            of,
            x_title="Sample stretch effort",
            x_range=(0.0, min(1.0, 1.05 * top)),
            whose="matched samples",
            height=360,
        ),
        key="person_parts",
        theme=None,
        config=CONFIG,
        alt=f"Distribution of the effort in space, in time and in all for {fs.pseudonyms[user]}.",
    )
    total = float(pooled["total"].sum())
    if total > 0:
        share = float(pooled["time"].sum()) / total
        what_this_means(
            f"Time makes up {words.percent(share)} of the effort of hiding this user among "
            f"{words.others(k)}, place {words.percent(1 - share)}.",
            key="person_parts",
        )


PARTS = {"space": "space", "time": "time", "total": "both"}
