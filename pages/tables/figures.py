"""Figures before and after protection: people by hour, trips, an area's week, synthetic people."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.count_tables import FlowTable, PresenceTable
from fpanon_core.model.projection import Extent
from fpanon_core.studies.synthetic_people import Result
from pages.charts import cdf, style
from pages.charts import tables as charts
from pages.charts.maps import Shades
from pages.charts.style import Theme
from pages.charts.tables import AFTER, BEFORE, Ground
from pages.shell.figure import play, show, show_map
from pages.shell.layout import side_by_side
from pages.tables import story


def presence(
    ground: Ground,
    around: Extent,
    exact: PresenceTable,
    made: PresenceTable,
    error: FloatArray,
    of: Theme,
) -> None:
    """Draw maps of people before and after protection, and a slider over the parts of a day.

    The slider covers a weekday and a weekend day, if the stated days include both.
    """
    bands, kinds = made.values.shape[2], np.flatnonzero(made.frame.days).tolist()
    names = story.moments(bands, kinds)
    before, after, error = (each[:, kinds] for each in (exact.values, made.values, error))
    was, now = charts.density_shades([before, after], ground, of)
    none = np.zeros(error.shape)
    pair = {BEFORE: (before, was, none), AFTER: (after, now, error)}
    with st.container(key="main_figure"):
        play(
            "tables_time",
            names,
            partial(_moment, ground, around, pair, names, of),
            start=bands // 3,
        )
    show(
        charts.density_scale(was, after, error, of),
        key="tables_scale",
        alt="The colour scale of people per square kilometre.",
    )


def _moment(
    ground: Ground,
    around: Extent,
    pair: dict[str, tuple[FloatArray, Shades, FloatArray]],
    names: list[str],
    of: Theme,
    moment: int,
) -> None:
    for column, (title, (values, shades, error)) in zip(
        side_by_side("tables_presence"), pair.items(), strict=True
    ):
        people, off = (each.reshape(len(ground.names), -1) for each in (values, error))
        colours = shades.colours[moment :: people.shape[1]]
        with column:
            st.markdown(f"**{title.capitalize()}**")
            show_map(
                charts.presence_map(
                    ground, people[:, moment], colours, off[:, moment], of, around=around
                ),
                key=f"tables_presence_{title.split()[0]}",
                alt=f"Map of people by area, {title}: {names[moment]}.",
            )


def flows(ground: Ground, around: Extent, exact: FlowTable, made: FlowTable, of: Theme) -> None:
    """Draw two maps of the largest flows on one type of day, before and after protection."""
    st.subheader("Trips between areas", anchor=False)
    kinds = np.flatnonzero(made.frame.days).tolist()
    day: int = st.segmented_control(
        "Day",
        kinds,
        default=kinds[0],
        required=True,
        format_func=story.KINDS.__getitem__,
        key=f"tables_flow_day_{kinds[0]}{len(kinds)}",
    )
    pair = {title: charts.largest(table, day) for title, table in ((BEFORE, exact), (AFTER, made))}
    most = max(float(each.trips.max(initial=0.0)) for each in pair.values())
    for column, (title, each) in zip(side_by_side("tables_flows"), pair.items(), strict=True):
        with column:
            st.markdown(f"**{title.capitalize()}**")
            show_map(
                charts.flow_map(ground, each, most, of, around=around),
                key=f"tables_flows_{title.split()[0]}",
                alt=f"Map of the {len(each.trips)} largest flows, {title}.",
            )
    st.caption(story.flows_shown(*pair.values()))


def week(exact: PresenceTable, made: PresenceTable, error: FloatArray, of: Theme) -> None:
    """Draw the people in one area by type of day and hour, before and after protection.

    The area with the most people is drawn until another is chosen.
    """
    st.subheader("One area over the week", anchor=False)
    fullest = np.argsort(-exact.values.sum(axis=(1, 2)), kind="stable").tolist()
    area = st.selectbox(
        "Area",
        fullest,
        format_func=made.frame.names.__getitem__,
        key=f"tables_area_{len(fullest)}",
        width=320,
    )
    kinds = np.flatnonzero(made.frame.days)
    days = [story.KINDS[kind] for kind in kinds]
    before, after, off = (each[area][kinds] for each in (exact.values, made.values, error))
    show(
        charts.week(before, after, off, days, of),
        key="tables_week",
        alt=f"People in area {made.frame.names[area]} by hour, before and as published.",
    )


def compared(found: Result, of: Theme) -> None:
    """Draw how far real and synthetic people go, to how many places, and at what hours."""
    st.subheader("Real and synthetic people", anchor=False)
    both = (BEFORE, AFTER)
    for column, (name, title, scale, log) in zip(
        side_by_side("tables_people"),
        (("radius", "Radius of gyration, km", 1_000.0, False), ("places", "Places", 1.0, True)),
        strict=True,
    ):
        curves = [
            cdf.Curve(each, values / scale, of.css(colour), at)
            for at, (each, values, colour) in enumerate(
                zip(both, found.curves[name], ("quiet", "other"), strict=True)
            )
        ]
        least, most = (1.0 if log else 0.0), max(float(c.values[-8]) for c in curves)
        with column:
            show(
                cdf.cdf(
                    curves,
                    of,
                    x_title=title,
                    x_range=(least, max(most, least + 1)),
                    whose="people",
                    log_x=log,
                    height=style.OTHER_PX,
                ),
                key=f"tables_cdf_{name}",
                alt=f"{title}: cumulative shares of real and of synthetic people.",
            )
    show(
        charts.hours_of_week(found.week[0], found.week[1], of),
        key="tables_hours",
        alt="Records of real and of synthetic people by hour of the week.",
    )
