"""Accuracy of releases: a curve and a row in a table for each release, and the downloads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.arrays import FloatArray
from fpanon_core.studies import production
from fpanon_core.studies.hiding import Config, Result, Worth
from pages.charts import words
from pages.charts.cdf import Curve, cdf
from pages.charts.style import DASHES, Theme, figure, note, series
from pages.hiding import story
from pages.shell import definitions, release, widgets
from pages.shell import downloads as shell
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind

PRODUCED = Kind(
    "produce_hidden", production.study, page="glove", kept=limits.KEPT_RELEASES, together=True
)
_LEGEND_PX, _LETTER_PX, _ROW_PX = 400, 8, 26  # a legend's width, a letter's, a row's height


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of published samples, in space or in time.

    Attributes
    ----------
    column : str
        Column of a release's table of accuracies.
    unit, title : str
        Unit of the figure, and title of its axis.
    scale : float
        Factor from the figure's unit to the column's.
    ticks : mapping of float to str
        Ticks of the logarithmic axis, in the figure's unit.
    """

    column: str
    unit: str
    scale: float
    title: str
    ticks: Mapping[float, str]


_HOURS = {
    "1 min": 1 / 60,
    "5 min": 1 / 12,
    "20 min": 1 / 3,
    "1 h": 1.0,
    "4 h": 4.0,
    "12 h": 12.0,
    "2 d": 48.0,
    "1 wk": 168.0,
    "5 wk": 840.0,
    "20 wk": 3_360.0,
}
_KM = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
ACCURACIES = (
    Accuracy(
        "space_m", "km", 1000.0, "Side of the published area (km)", {at: f"{at:g}" for at in _KM}
    ),
    Accuracy(
        "time_min", "hours", 60.0, "Span of the published time", {at: t for t, at in _HOURS.items()}
    ),
)

_OF_GROUPS = tuple(
    replace(each, column=column, title=f"{each.title.replace('S', 'Mean s', 1)}")
    for each, column in zip(ACCURACIES, ("side_m", "span_min"), strict=True)
)
MOST_GROUPS = 1_000
GROUP_PX = 490


def accuracy(made: Mapping[Config, Result], which: Accuracy, of: Theme) -> go.Figure:
    """Return a figure of all releases' accuracy in space or in time, on a logarithmic axis."""
    curves, ends = accuracy_curves(made, which, of)
    return cdf(
        curves,
        of,
        x_title=which.title,
        x_range=ends,
        whose="samples",
        log_x=True,
        ticks=which.ticks,
        height=_height(curves),
    )


def accuracy_curves(
    made: Mapping[Config, Result], which: Accuracy, of: Theme
) -> tuple[list[Curve], tuple[float, float]]:
    """Return a curve per release, and the ends of the logarithmic axis that shows all of them."""
    curves = [
        Curve(
            story.name_of(config),
            result.release.accuracy[which.column].to_numpy() / which.scale,
            of.categories[i % len(of.categories)],
            i + i // len(DASHES),  # the same colour again has another dash
        )
        for i, (config, result) in enumerate(made.items())
    ]
    values = [c.values[np.isfinite(c.values)] for c in curves]
    ends = [(v.min(), v.max()) for v in values if len(v)] or [(0.1, 10.0)]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return curves, (0.8 * float(low), 1.25 * float(high))


def groups(costs: pd.DataFrame, rank: int, of: Theme) -> go.Figure:
    """Return a figure of groups as dots: mean side of the areas against mean span of time.

    If there are more than :data:`MOST_GROUPS`, only that many are drawn, at even steps of rank.

    Parameters
    ----------
    costs : DataFrame
        Table from :func:`fpanon_core.studies.hiding.groups_by_loss`; a group's rank is its row,
        from 1.
    rank : int
        Rank of the selected group, whose dot is filled.
    """
    last = len(costs) - 1
    some = np.linspace(0, last, min(last + 1, MOST_GROUPS)).round().astype(int)
    ends = [(costs[each.column] / each.scale).to_numpy() for each in _OF_GROUPS]
    rim = {"line": {"color": of.css("quiet", 0.6), "width": 1}}
    traces = []
    for rows, marker in (
        (some[some != rank - 1], {"size": 9, "color": of.css("quiet", 0.2)} | rim),
        (np.array([rank - 1]), {"size": 15, "color": of.css("person")}),
    ):
        told = [
            f"{words.distance(side)}, {words.duration(span)}"
            for side, span in costs[["side_m", "span_min"]].to_numpy()[rows].tolist()
        ]
        traces.append(
            series(
                "",
                ends[0][rows],
                ends[1][rows],
                "markers",
                "<b>Group %{customdata}</b><br>%{text}",
                marker=marker,
                selected={"marker": {"opacity": 1.0}},
                unselected={"marker": {"opacity": 1.0}},
                text=told,
                customdata=(rows + 1).tolist(),
            )
        )
    across, up = (math.log10(values[rank - 1]) for values in ends)
    x, y = (_logarithmic(each, values) for each, values in zip(_OF_GROUPS, ends, strict=True))
    return figure(
        of,
        traces,
        x,
        y,
        height=GROUP_PX,
        showlegend=False,
        hoverdistance=30,
        clickmode="event+select",
        margin={"l": 84, "t": 12},
        annotations=[
            note(of, f"<b>Group {rank}</b>", across, up, bgcolor=of.css("paper", 0.8), yshift=20)
        ],
    )


def _logarithmic(which: Accuracy, values: FloatArray) -> dict[str, Any]:
    """Return a logarithmic axis centred on the values; it spans a factor of about 8 or more."""
    low, high = np.log10(values.min()), np.log10(values.max())
    half = max(0.57 * (high - low), 0.45)
    return {
        "title": which.title,
        "type": "log",
        "range": [(low + high) / 2 - half, (low + high) / 2 + half],
        "tickvals": list(which.ticks),
        "ticktext": list(which.ticks.values()),
    }


def _height(curves: list[Curve]) -> int:
    """Return the figure's height in pixels, which grows with the rows of its legend."""
    rows, used = 1, 0
    for curve in curves:
        width = 60 + _LETTER_PX * len(curve.name)
        if used and used + width > _LEGEND_PX:
            rows, used = rows + 1, 0
        used += width
    return min(280 + _ROW_PX * rows, 430)


def releases(made: Mapping[Config, Result], worths: Mapping[Config, Worth]) -> pd.DataFrame:
    """Return a table with one row per release, for the screen."""
    table = pd.DataFrame([_row(config, result, worths[config]) for config, result in made.items()])
    return table if any(table["Limits"]) else table.drop(columns="Limits")


def _row(config: Config, result: Result, worth: Worth) -> dict[str, Any]:
    f = result.release.summary()
    use = "yes" if worth.useful else "yes; of little use"
    return {
        "Method": story.WORDS[config.method],
        "k": config.k,
        "Period": widgets.called(config.period_days),
        "Left out ≤": f"{100 * config.leave_out:g}%",
        "Limits": story.limits_of(config),
        "Verified": use if result.verdict.passed else "NO",
        "Side, median": words.distance(f["median_space_m"]),
        "mean": words.distance(f["mean_space_m"]),
        "Span, median": words.duration(f["median_time_min"]),
        "mean ": words.duration(f["mean_time_min"]),
        "Mean loss": f"{result.mean_loss:.2f}",
        "Samples": words.percent(worth.samples / worth.all_samples),
        "People": words.percent(worth.people / worth.all_people),
        "False presence": words.percent(f["phantom_share"]),
    }


COLUMNS = {
    "Method": st.column_config.TextColumn(width=65),
    "k": st.column_config.NumberColumn(width=35),
    "Period": st.column_config.TextColumn(width=65),
    "Left out ≤": st.column_config.TextColumn(width=75),
    "Verified": st.column_config.TextColumn(width=110),
    "Side, median": st.column_config.TextColumn(width=95, help=definitions.SIDE),
    "mean": st.column_config.TextColumn(width=60, help=definitions.SIDE),
    "Span, median": st.column_config.TextColumn(width=95),
    "mean ": st.column_config.TextColumn(width=80),
    "Mean loss": st.column_config.TextColumn(width=75, help=definitions.LOSS),
    "Samples": st.column_config.TextColumn(
        width=75, help="Share of the samples that are published."
    ),
    "People": st.column_config.TextColumn(
        width=70, help="Share of the people with published samples."
    ),
    "False presence": st.column_config.TextColumn(width=110, help=definitions.PHANTOM),
}


def downloads(data: Dataset, result: Result) -> None:
    """Draw the downloads of a release and its tables, or a note if its verification failed."""
    st.header("The release itself", anchor=False)
    if not result.verdict.passed:
        st.markdown(
            "**This release did not pass its verification, so it is not offered for download.**"
        )
        return
    ending = release.file_format(PRODUCED)
    release.section(
        PRODUCED,
        data,
        production.Config(hidden=result.config, format=ending),
        f"the release {story.name_of(result.config)}",
        also=(result.release,),
    )
    shell.tables("glove", result, {"accuracy": "Accuracy"})
