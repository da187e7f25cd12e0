"""Where people are, and one person's record as it was recorded and as it is published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import IntArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from fpanon_core.model.options import Step
from fpanon_core.model.projection import central, degrees_of, lon_lat
from fpanon_core.studies import people_by_hexagon
from pages.charts import spacetime
from pages.charts.maps import columns_map, corners_of, scale_bar, shades
from pages.charts.record import Played, played_legend, published_map, recorded_map
from pages.charts.style import Theme
from pages.present import story
from pages.present.stage import FIGURE_PX, Shown
from pages.shell import questions, workspace
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show_map
from pages.shell.layout import side_by_side
from pages.shell.player import play
from pages.shell.questions import Kind, Question
from pages.shell.widgets import days
from pages.shell.workspace import Choice

KEY = "person"
_MAP_PX = 240
_TICKS = 60  # from the first to the last record
_TRAIL = 6  # ticks that the trail lasts


@dataclass(frozen=True, eq=False)
class Asked:
    """Whose record is to be played, and in which release."""

    user: int
    release: str
    made: GloveResult
    steps: tuple[Step, ...]


def settings(
    data: Dataset, place: st.delta_generator.DeltaGenerator, choice: Choice | None
) -> Asked | None:
    """Whether the slide is wanted, of whom, and in which release; None where it is not.

    A release is offered only where it is what the chosen option makes.
    """
    steps = None if choice is None else choice.result.option.steps
    releases = [
        each
        for each in workspace.of(data.digest).releases
        if each.made is not None and steps is not None and each.steps == steps
    ]
    with place.popover("One person", icon=":material/person:", key="present_person"):
        if data.fs.crs is None:
            st.caption("The data carry no map projection, so that nobody’s record can be played.")
            return None
        if not releases:
            st.caption(story.NO_RELEASE)
            st.page_link("pages/hiding/view.py", label="Hide everyone")
            return None
        synthetic = data.source.synthetic
        if synthetic:
            st.caption(story.ONE_PERSON_SYNTHETIC)
        else:
            st.warning(story.ONE_PERSON_REAL)
        wanted = st.toggle(
            "Play one person’s record",
            value=synthetic,
            key=f"present_person_wanted_{data.digest[:16]}",
            persist_state="session",
        )
        if not wanted:
            return None
        at = st.selectbox(
            "In the release",
            range(len(releases)),
            format_func=lambda i: releases[i].name,
            key=f"present_release_{len(releases)}",
        )
        release = releases[at or 0]
        if release.made is None:
            return None
        among = _published(release.made)
        if not len(among):
            st.caption("This release publishes nobody.")
            return None
        names = data.fs.pseudonyms
        user = st.selectbox(
            "Whose",
            among.tolist(),
            index=_typical(data.fs, among),
            format_func=names.__getitem__,
            key=f"present_person_of_{len(releases)}_{at}",
        )
        return Asked(int(user), release.name, release.made, release.steps or ())


def slides(data: Dataset, asked: Asked | None) -> list[Shown]:
    """The slide, if it is wanted."""
    if asked is None:
        return []
    seen = played(data.fs, asked.made, asked.user)
    name = data.fs.pseudonyms[asked.user]
    told = story.person_told(name, asked.release, asked.made, asked.user, seen)
    title = "One person, before and after"
    show = partial(_show, seen, days(data.fs), name)
    return [Shown(KEY, title, show, told, steps=asked.steps)]


def played(fs: FingerprintSet, made: GloveResult, user: int) -> Played:
    """A person's own samples, and all that is published for the groups they are in."""
    own = fs.rows_of(user)
    lon, lat = lon_lat(
        fs.crs, *((a + b / 2)[own] for a, b in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)))
    )
    published = made.published
    groups = made.group[np.flatnonzero(made.people == user)]
    rows = [np.arange(*published.offsets[g : g + 2]) for g in groups[groups >= 0].tolist()]
    at = np.concatenate([np.empty(0, np.int64), *rows])
    at = at[np.argsort(published.t_min[at], kind="stable")]
    x, y = published.x_m[at], published.y_m[at]
    degrees = degrees_of(fs.crs, x, x + published.dx_m[at], y, y + published.dy_m[at])
    areas = degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy()
    # All of the person's own, and nearly all of what is published: wide areas may reach beyond.
    seen = central(*corners_of(areas)).ends if len(areas) else (lon, lat)
    return Played(
        lon=lon,
        lat=lat,
        minute=fs.wall_minutes((fs.t_min + fs.dt_min / 2)[own]),
        areas=areas,
        start=fs.wall_minutes(published.t_min[at]),
        end=fs.wall_minutes(published.t_min[at] + published.dt_min[at]),
        around=(np.concatenate([lon, seen[0]]), np.concatenate([lat, seen[1]])),
    )


def _published(made: GloveResult) -> IntArray:
    """Row numbers of the people of whom anything is published."""
    found: IntArray = np.unique(made.people[made.group >= 0])
    return found


def _typical(fs: FingerprintSet, among: IntArray) -> int:
    """Which of these went middlingly far."""
    begins = fs.offsets[:-1]
    wide, high = (
        np.maximum.reduceat(v, begins) - np.minimum.reduceat(v, begins) for v in (fs.x_m, fs.y_m)
    )
    return int(np.argsort((wide + high)[among], kind="stable")[len(among) // 2])


def _show(seen: Played, dates: list[str], name: str, of: Theme) -> None:
    first, last = seen.ends
    moments = [first + (last - first) * i / _TICKS for i in range(_TICKS + 1)]
    told = [spacetime.clock(moment, dates) for moment in moments]
    draw = partial(_moment, seen, moments, name, of)
    play("present_time", told, draw, start=_TICKS // 3, shortcut="Space")


def _moment(seen: Played, moments: list[float], name: str, of: Theme, at: int) -> None:
    """Both maps at one moment."""
    now, trail_min = moments[at], max((moments[-1] - moments[0]) * _TRAIL / _TICKS, 1.0)
    left, right = side_by_side("present_person")
    with left:
        st.markdown(f"**Before** – {name} as recorded")
        show_map(
            recorded_map(seen, now, trail_min, of, height=_MAP_PX),
            key="present_before",
            alt=f"Map of where {name} was recorded up to this moment.",
            height=_MAP_PX,
        )
    with right:
        st.markdown("**After** – what is published for all of the crowd")
        show_map(
            published_map(seen, now, trail_min, of, height=_MAP_PX),
            key="present_after",
            alt="Map of the areas published for this moment and before it.",
            height=_MAP_PX,
        )
    legend(
        played_legend(of),
        key="present_marks",
        alt="What the marks of both maps are.",
    )


PEOPLE = Kind("people", people_by_hexagon.study, page="present")
_LEGEND_PX = 84
WHERE = "where"


def people_slides(data: Dataset) -> list[Shown]:
    """The slide, once it is counted; none where the data carry no map projection."""
    if data.fs.crs is None:
        return []
    question = Question(PEOPLE, data.fs, people_by_hexagon.Config(), "Counting people by hexagon")
    if questions.answer(question) is None and not questions.held(question):
        questions.ask(question)
    questions.progress(PEOPLE)
    found = questions.answer(question)
    if found is None or not len(found.people):
        return []
    told = story.people_told(found, len(days(data.fs)))
    return [Shown(WHERE, "Where are people?", partial(_show_people, found), told)]


def _show_people(found: people_by_hexagon.Result, of: Theme) -> None:
    by = shades(found.people.astype(float), of)
    show_map(
        columns_map(
            found.lon,
            found.lat,
            found.offsets,
            found.people,
            by.colours,
            of,
            height=FIGURE_PX - _LEGEND_PX,
        ),
        key="present_people",
        alt="Map of columns: the higher and brighter, the more people were recorded there.",
        height=FIGURE_PX - _LEGEND_PX,
    )
    legend(
        scale_bar(by, "People in a hexagon", of, height=_LEGEND_PX),
        key="present_people_scale",
        alt=f"Colours of the map: from {by.low:.2g} to {by.high:.2g} people.",
    )
