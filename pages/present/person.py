"""One person's record, as recorded and as the chosen option publishes it."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.projection import central, degrees_of, lon_lat
from fpanon_core.studies import followed
from fpanon_core.studies.option_result import OptionResult
from pages.charts import words
from pages.charts.maps import corners_of
from pages.charts.record import Played, played_legend, published_map, recorded_map
from pages.charts.style import Theme, projected
from pages.present import story
from pages.present.stage import Slide, height
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, moments, play, show_map
from pages.shell.layout import side_by_side
from pages.shell.questions import Kind, Question
from pages.shell.widgets import days

RECORD = Kind("shown_record", followed.published_record, page="present")
_MAP_PX = 222
_LIST_UP_TO = 5_000  # people in the list to choose from
_ANYBODY = -1


def slides(data: Dataset, result: OptionResult, seed: int, place: DeltaGenerator) -> list[Slide]:
    """Draw the choice of a person; return the slide of that person's record if it is wanted.

    Real people are shown only on request. Return no slide if the data carry no map projection.
    """
    if data.fs.crs is None:
        return []
    with place.popover("One person", icon=":material/person:", key="present_person"):
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
            return []
        names = data.fs.pseudonyms
        user: int = st.selectbox(
            "Whose",
            [_ANYBODY, *range(min(data.fs.n_users, _LIST_UP_TO))],
            format_func=lambda user: "a typical person" if user < 0 else names[user],
            key=f"present_person_of_{data.digest[:16]}",
        )
    show = partial(_show, data, result, seed, None if user < 0 else user)
    return [Slide("person", "What is published about one person?", show)]


def _show(data: Dataset, result: OptionResult, seed: int, user: int | None, of: Theme) -> str:
    fs, option = data.fs, ReleaseOption(steps=result.option.steps)
    record: followed.PublishedRecord | None = None
    if option.recordless is None:
        wanted = followed.Wanted(option, seed, user)
        question = Question(RECORD, fs, wanted, "Publishing one person’s record")
        record = questions.settle(question, button="Publish this person’s record")
        if record is None:
            return story.PUBLISHING
        user = record.user
    if user is None:
        user = followed.middling(fs, np.arange(fs.n_users))
    seen, dates, name = played(fs, user, record), days(fs), fs.pseudonyms[user]
    first, last = seen.ends
    at = moments(first, last).tolist()
    told = [words.moment(moment, dates) for moment in at]
    draw = partial(_moment, seen, at, name, story.describe_no_person(option, name), of)
    # The whole record is shown at first; the space bar plays it.
    play(f"present_play_{len(at)}", told, draw, start=len(at) - 1, shortcut="Space")
    marks = played_legend(of, published=record is not None)
    legend(
        projected(marks, marks.layout.height),
        key="present_marks",
        alt="What the marks on the maps mean.",
    )
    return story.describe_person(name, result, record, seen)


def played(fs: FingerprintSet, user: int, record: followed.PublishedRecord | None) -> Played:
    """Return a person's own samples and, given a record, all that is published from them."""
    own = fs.rows_of(user)
    lon, lat = lon_lat(
        fs.crs, *((a + b / 2)[own] for a, b in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m)))
    )
    minute = fs.wall_minutes((fs.t_min + fs.dt_min / 2)[own])
    if record is None or not len(record.x_m):
        none = np.empty(0)
        return Played(lon, lat, minute, np.empty((0, 4)), none, none, (lon, lat))
    x, y = record.x_m, record.y_m
    degrees = degrees_of(fs.crs, x, x + record.dx_m, y, y + record.dy_m)
    areas = degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy()
    # All of the person's samples, and nearly all that is published: wide areas may reach beyond.
    seen = central(*corners_of(areas)).ends
    return Played(
        lon=lon,
        lat=lat,
        minute=minute,
        areas=areas,
        start=fs.wall_minutes(record.t_min),
        end=fs.wall_minutes(record.t_min + record.dt_min),
        around=(np.concatenate([lon, seen[0]]), np.concatenate([lat, seen[1]])),
    )


def _moment(seen: Played, moments: list[float], name: str, nobody: str, of: Theme, at: int) -> None:
    now, trail_min = moments[at], max(float(np.ptp(seen.ends)), 1.0)  # the whole record
    left, right = side_by_side("present_person")
    with left:
        st.markdown(f"**Before** – {name} as recorded")
        show_map(
            recorded_map(seen, now, trail_min, of, height=height(_MAP_PX)),
            key="present_recorded",
            alt=f"Map of where {name} was recorded up to this moment.",
        )
    with right:
        if nobody:
            st.markdown("**After**")
            with st.container(key="present_nobody"):
                st.markdown(nobody)
            return
        st.markdown("**After** – what is published")
        show_map(
            published_map(seen, now, trail_min, of, height=height(_MAP_PX)),
            key="present_published",
            alt="Map of the areas published for this moment and earlier ones.",
        )
