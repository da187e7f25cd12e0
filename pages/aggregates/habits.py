"""The habits that the attack lives on: a section of What comes back from counts."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.homes import Habits
from fpanon_core.studies.recovery import Result
from pages.aggregates import story
from pages.charts.cdf import Curve, cdf
from pages.charts.style import OTHER_PX, Theme
from pages.shell import definitions
from pages.shell.figure import show
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

PLACES, NEXT = "Places and nights", "Next place and next day"


def section(found: Result, of: Theme) -> None:
    """Top places and nights, or the next place and the next day; as one chooses."""
    with st.expander("Which habits does the attack use?", key="aggregates_habits"):
        shown = st.segmented_control(
            "Habit", [PLACES, NEXT], default=PLACES, required=True, key="aggregates_habit",
            label_visibility="collapsed", persist_state="session",
        )  # fmt: skip
        left, right = side_by_side("aggregates_habits")
        figures = _places(found.habits) if shown == PLACES else _next(found.habits)
        for column, each in zip((left, right), figures, strict=True):
            with column:
                _show(each, of)
        what_this_means(
            *(story.places(found.habits) if shown == PLACES else story.steps(found.habits)),
            key="aggregates_habits",
            published=story.PUBLISHED_PLACES if shown == PLACES else story.PUBLISHED_NEXT,
            source=story.SOURCE,
        )


class Drawn(NamedTuple):
    """One figure: its key, what it finds, what its terms mean, its axes, and values by curve."""

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
