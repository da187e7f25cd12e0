"""Where people are, as recorded and as published: two maps with the same view and scale."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.options import ReleaseOption, Tables
from fpanon_core.model.projection import Extent, central
from fpanon_core.studies import count_tables, people_by_hexagon, synthetic_people
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.people_by_hexagon import Config, Result
from pages.charts import pareto
from pages.charts import tables as charts
from pages.charts.maps import columns_map, scale_bar, shades
from pages.charts.style import Theme, projected
from pages.present import story
from pages.present.stage import Slide, height
from pages.shell import leaving, questions
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show, show_map
from pages.shell.layout import side_by_side
from pages.shell.questions import Kind, Question
from pages.shell.widgets import days

HEXAGONS = Kind("people", people_by_hexagon.study, page="present", kept=4)
SHOWN = Kind("shown_tables", count_tables.study, page="present")
_LEGEND_PX = 84
_MAP_PX = 196
_SCALE_PX = 96
_LEAST_SHOWN = 0.01  # of the areas, on the map “Before”: with fewer, the map looks empty
Made = count_tables.Result | synthetic_people.Result


def where(data: Dataset) -> list[Slide]:
    """Return the slide on where people were recorded; none if the data carry no map projection."""
    if data.fs.crs is None:
        return []
    question = Question(HEXAGONS, data.fs, Config(), "Counting people by hexagon")
    questions.ask_ahead(question)
    return [Slide("where", "Where are people?", partial(_where, question))]


def _where(question: Question, of: Theme) -> str:
    found = questions.settle(question, button="Count people")
    if not isinstance(found, Result) or question.fs is None:
        return story.COUNTING
    if not len(found.people):
        return story.TOO_FEW
    by = shades(found.people.astype(float), of)
    show_map(
        columns_map(
            found.lon,
            found.lat,
            found.offsets,
            found.people,
            by.colours,
            of,
            height=height() - _LEGEND_PX,
        ),
        key="present_people",
        alt="Map of columns: the higher and brighter a column, the more people were there.",
    )
    legend(
        scale_bar(by, "People in a hexagon", of, height=_LEGEND_PX),
        key="present_people_scale",
        alt=f"Colours of the map: from {by.low:.2g} to {by.high:.2g} people.",
    )
    return story.describe_people(found, len(days(question.fs)))


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
    if not isinstance(made, Made):
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


def _areas(made: Made, of: Theme) -> str | None:
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
