"""The first slide: where people are."""

from __future__ import annotations

from functools import partial

from fpanon_core.studies import people_by_hexagon
from pages.charts.maps import columns_map, scale_bar, shades
from pages.charts.style import Theme
from pages.present import story
from pages.present.stage import FIGURE_PX, Shown
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show_map
from pages.shell.questions import Kind, Question
from pages.shell.widgets import days

PEOPLE = Kind("people", people_by_hexagon.study, page="present")
_LEGEND_PX = 84
KEY = "where"


def slides(data: Dataset) -> list[Shown]:
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
    return [Shown(KEY, "Where are people?", partial(_show, found), told)]


def _show(found: people_by_hexagon.Result, of: Theme) -> None:
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
