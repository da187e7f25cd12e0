"""Maps before and after protection, on slides: where people are, and one person's record."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption, Tables
from fpanon_core.model.projection import Extent, central, degrees_of, lon_lat
from fpanon_core.studies import count_tables, followed, people_by_hexagon
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.people_by_hexagon import Config, Result
from pages.charts import pareto, words
from pages.charts import tables as charts
from pages.charts.maps import corners_of
from pages.charts.record import Played, played_legend, published_map, recorded_map
from pages.charts.style import Theme, projected
from pages.present import story
from pages.present.stage import Slide, height
from pages.shell import leaving, questions
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, moments, play, show, show_map
from pages.shell.layout import side_by_side
from pages.shell.questions import Kind, Question
from pages.shell.widgets import days

HEXAGONS = Kind("people", people_by_hexagon.study, page="present", kept=4)
SHOWN = Kind("shown_tables", count_tables.study, page="present")
_MAP_PX = 196
_SCALE_PX = 96
_LEAST_SHOWN = 0.01  # of the areas, on the map “Before”: with fewer, the map looks empty


def still(data: Dataset, found: Exploration, result: OptionResult, seed: int) -> Slide:
    """Return the slide of people by area, before and after protection.

    Without maps, return the slide of the utility kept.
    """
    step, question = result.option.recordless, None
    if data.fs.crs is not None:
        if step is None:
            config = Config(option=ReleaseOption(steps=result.option.steps), seed=seed)
            question = Question(HEXAGONS, data.fs, config, "Counting people by hexagon")
        elif isinstance(step, Tables) and step.epsilon is None:
            question = Question(SHOWN, data.fs, step, "Counting people by area")
        if question is not None:
            questions.ask_ahead(question)
    title = "What does the release keep?"
    return Slide("still", title, partial(_still, data, found, result, question))


def _still(
    data: Dataset, found: Exploration, result: OptionResult, question: Question | None, of: Theme
) -> str:
    step = result.option.recordless
    if question is None:
        if step is None or step.epsilon is None:
            return f"{story.NO_MAP} {_kept(found, result, of)}"
        made: Any | None = leaving.latest(data, step)
        if made is None:
            _kept(found, result, of)
            return f"{story.keeps(found, result)} {story.NOT_CHARGED}"
    else:
        made = questions.settle(question, button="Count people")
    kept = story.keeps(found, result)
    if isinstance(made, Result):
        return f"{_hexagons(made, bool(result.option.steps), of)} {kept}"
    if not isinstance(made, leaving.Made):
        return story.COUNTING
    if made.made.presence is None or charts.ground_of(made.areas) is None:
        return f"{story.NO_MAP} {_kept(found, result, of)}"
    if (told := _areas(made, of)) is None:
        return f"{story.TOO_FEW_AN_HOUR} {_kept(found, result, of)}"
    return f"{told} {kept}"


def _hexagons(found: Result, protected: bool, of: Theme) -> str:
    after = found.after if protected else found.people.astype(float)
    if not len(after):
        return story.TOO_FEW
    ends = found.offsets.tolist()
    rings = np.round(np.column_stack([found.lon, found.lat]), 5).tolist()
    many = len(after)
    corner = found.offsets[:-1]
    parts = [(at, [[*rings[ends[at] : ends[at + 1]], rings[ends[at]]]]) for at in range(many)]
    area = 3 * np.sqrt(3) / 2 * (found.edge_m / 1_000) ** 2
    names = ["a hexagon"] * many
    ground = charts.Ground(names, parts, found.lon[corner], found.lat[corner], np.full(many, area))
    around = central(ground.lon, ground.lat, np.rint(found.people + after))
    before = np.where(found.people > 0, found.people, np.nan)
    _pair(ground, around, before, np.where(after > 0, after, np.nan), np.zeros(many), of)
    return story.describe_hexagons(found)


def _areas(made: leaving.Made, of: Theme) -> str | None:
    """Draw both maps for the part of a weekday with the most people; return their sentence.

    If the data have no weekday, the maps show a weekend day. Return None, and draw nothing, if too
    few areas have enough people.
    """
    ground, error = charts.ground_of(made.areas), made.error
    shown, exact = made.made.presence, made.before.presence
    assert ground is not None
    assert shown is not None
    assert exact is not None
    day = 0 if exact.frame.days[0] else 1
    band = np.nansum(exact.values[:, day], axis=0).argmax()
    before, after = exact.values[:, day, band], shown.values[:, day, band]
    least = Config().least
    before = np.where(before < least, np.nan, before)
    if np.isfinite(before).sum() < _LEAST_SHOWN * len(before):
        return None
    if made.config.epsilon is None:
        after = np.where(after < least, np.nan, after)
    off = np.zeros(len(after)) if error is None else error[:, day, band]
    _pair(ground, charts.extent(ground, made.before), before, after, off, of)
    return story.describe_areas(made.made, day, int(band), exact.values.shape[2], least)


def _pair(
    ground: charts.Ground,
    around: Extent,
    before: FloatArray,
    after: FloatArray,
    error: FloatArray,
    of: Theme,
) -> None:
    """Draw both maps, and the scale that they share; areas that are left out have no outline."""
    scales = charts.density_shades([before, after], ground, of)
    pair = zip(
        side_by_side("present_places"),
        ("Before", "After"),
        (before, after),
        scales,
        (np.zeros(len(before)), error),
        strict=True,
    )
    for column, title, people, by, off in pair:
        drawn = ground._replace(parts=[p for p in ground.parts if np.isfinite(people[p[0]])])
        with column:
            st.markdown(f"**{title}**")
            show_map(
                charts.presence_map(
                    drawn, people, by.colours, off, of, around=around, height=height(_MAP_PX)
                ),
                key=f"present_{title.lower()}",
                alt=f"Map of people by area, {title.lower()}.",
            )
    legend(
        projected(charts.density_scale(scales[0], after, error, of), _SCALE_PX),
        key="present_scale",
        alt="The colour scale of people per square kilometre.",
    )


def _kept(found: Exploration, result: OptionResult, of: Theme) -> str:
    """Draw the components of utility kept, in place of maps; return the sentence on the cost."""
    kept = story.kept(result)
    if kept:
        show(
            projected(pareto.kept(kept, of), height()),
            key="present_cost",
            alt="Share of each component of utility that the chosen option keeps, from 0 to 1.",
        )
    return story.cost(found.table.choice, result)


# --- one person ---

RECORD = Kind("shown_record", followed.published_record, page="present")
_PERSON_PX = 222
_LIST_UP_TO = 5_000  # people in the list to choose from
_ANYBODY = -1


def person(data: Dataset, result: OptionResult, seed: int, place: DeltaGenerator) -> list[Slide]:
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
            recorded_map(seen, now, trail_min, of, height=height(_PERSON_PX)),
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
            published_map(seen, now, trail_min, of, height=height(_PERSON_PX)),
            key="present_published",
            alt="Map of the areas published for this moment and earlier ones.",
        )
