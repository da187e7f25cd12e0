"""Habits that the attack exploits: a section of the page “Would counts be safer?”.

This module also holds the choice of the trajectory to show, among those counted: by pseudonym, or
by how much of it is recovered. It also lists the files to download at the end of the page: every
table of the results, and the selected trajectory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.homes import Habits
from fpanon_core.studies import recovery_factors, recovery_mitigations
from fpanon_core.studies.recovery import Result
from fpanon_core.tables import leaving
from fpanon_core.tables.writing import table_bytes
from pages.aggregates import story
from pages.charts.cdf import Curve, cdf
from pages.charts.style import OTHER_PX, Theme
from pages.shell import definitions, downloads, layout
from pages.shell.figure import fold, show
from pages.shell.widgets import segments

PLACES, NEXT = "Places and nights", "Next place and next day"


def section(found: Result, of: Theme) -> None:
    """Draw figures of either top places and nights, or the next place and the next day."""
    with fold("Which habits does the attack use?", key="aggregates_habits"):
        named = {name: name for name in (PLACES, NEXT)}
        shown = segments("Habit", named, key="aggregates_habit", label_visibility="collapsed")
        left, right = layout.side_by_side("aggregates_habits")
        at_places, habits = shown == PLACES, found.habits
        figures = _places(habits) if at_places else _next(habits)
        for column, each in zip((left, right), figures, strict=True):
            with column:
                _show(each, of)
        layout.what_this_means(
            *(story.places(habits) if at_places else story.steps(habits)),
            key="aggregates_habits",
            published=story.PUBLISHED_PLACES if at_places else story.PUBLISHED_NEXT,
            source=story.SOURCE,
        )


class Drawn(NamedTuple):
    """One figure: its key, its finding, an explanation of terms, its axes and its curves."""

    key: str
    finding: str
    meaning: str
    whose: str
    x_title: str
    values: dict[str, FloatArray]


def _show(drawn: Drawn, of: Theme) -> None:
    st.markdown(f"**{drawn.finding}**", help=drawn.meaning)
    curves = [
        Curve(name, values, of.categories[i], i)
        for i, (name, values) in enumerate(drawn.values.items())
    ]
    reach = story.reach(list(drawn.values.values()))
    show(
        cdf(curves, of, x_title=drawn.x_title, x_range=reach, whose=drawn.whose, height=OTHER_PX),
        key=f"aggregates_habit_{drawn.key}",
        alt=f"Share of {drawn.whose}. {drawn.x_title}: {', '.join(drawn.values)}.",
    )


def _places(habits: Habits) -> list[Drawn]:
    tops = {f"top {n}": habits.top[:, n - 1] for n in (1, 2, 5)}
    at_night = {f"top {n}": habits.top_night[:, n - 1] for n in (1, 2)}
    finding, nights = story.top_places(habits), story.nights(habits)
    of_all, of_nights = "Share of a person’s records", "Share of a person’s records at night"
    return [
        Drawn("top", finding, definitions.TOP_SHARES, "people", of_all, tops),
        Drawn("nights", nights, definitions.TOP_SHARES, "people", of_nights, at_night),
    ]


def _next(habits: Habits) -> list[Drawn]:
    away = {"night": habits.next_night_m / 1_000, "day": habits.next_day_m / 1_000}
    gains = {"the same person": habits.same_bits, "different people": habits.other_bits}
    finding, apart = story.next_place(habits), story.gains(habits)
    km, bits = "Distance from the predicted place (km)", "Information gain (bits)"
    return [
        Drawn("next", finding, definitions.NEXT_PLACE, "steps", km, away),
        Drawn("gain", apart, definitions.GAIN, "pairs of days", bits, gains),
    ]


_PICK = layout.Pick("fp_recovered_who")


def person(found: Result) -> int:
    """Return the selected person's row among those counted; at first, the median by recovery."""
    order = np.argsort(found.right, kind="stable").tolist()
    ways = {
        "Best recovered": order[-1],
        "In the middle": order[len(order) // 2],
        "Least recovered": order[0],
    }
    about = "Choose a person by pseudonym or number, among those counted."
    return _PICK.person("aggregates_person", found.number, found.pseudonyms, ways, about)


PREFIX = "recovery_"
"""Prefix of the names of the tables, and so of the files."""


def files(
    found: Result,
    row: int,
    varied: recovery_factors.Result | None,
    tried: recovery_mitigations.Result | None,
) -> downloads.Files:
    """Return each file by its button's label; the files' names still lack :data:`PREFIX`."""
    tables = {name: name.capitalize() for name in ("counts", "scores", "errors", "uniqueness")}
    tables |= {"habits": "Habits", "next": "Next places", "gains": "Information gains"}
    offered = downloads.files_of(found, tables, PREFIX)
    offered["This trajectory"] = downloads.File(
        "path", lambda: table_bytes([leaving.guarded(found.path(row))], ".csv")
    )
    if varied is not None:
        offered |= downloads.files_of(varied, {"factors": "Factors"}, PREFIX)
    if tried is not None:
        offered |= downloads.files_of(tried, {"mitigations": "Mitigations"}, PREFIX)
    return offered
