"""Accuracy of releases: a curve and a row in a table for each release, and the downloads.

The module also draws the section that compares GLOVE with equally coarse data at the same k.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import comparison, hiding, production
from fpanon_core.studies.hiding import Config, Result, Worth
from fpanon_core.studies.report_words import listed
from fpanon_core.studies.under_profiles import corners
from pages.charts import words
from pages.charts.cdf import Curve, cdf
from pages.charts.pareto import Way, cost
from pages.charts.plain import plain
from pages.charts.style import DASHES, Theme, figure, note, series
from pages.hiding import form, story
from pages.shell import definitions, questions, release, widgets
from pages.shell import downloads as shell
from pages.shell.dataset import Dataset
from pages.shell.figure import show
from pages.shell.layout import what_this_means
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


def downloads(data: Dataset, result: hiding.Result, compared: comparison.Result | None) -> None:
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
    figures = shell.files_of(result, {"accuracy": "Accuracy"})
    if compared is not None:
        figures |= shell.files_of(compared, {"comparison": "Comparison"})
    shell.csv_files("glove", figures)


def beside_uniform(data: Dataset, of: Theme) -> comparison.Result | None:
    """Draw the comparison with equally coarse data, or a button to start it; return its result.

    Return None while there is no result.
    """
    question = form.compared(data)
    questions.progress(question.kind)
    found: comparison.Result | None = questions.answer(question)
    if found is None:
        ks = [k for k in comparison.Config().ks if k <= data.fs.n_users]
        st.markdown(
            "The other way to hide everyone is to make all places and times equally coarse until "
            "at least k people share each record. The comparison tries grids and time windows, "
            "from fine to coarse, until one pair hides everyone. The last pair puts everything "
            "into one area and time window. The comparison also runs GLOVE with and without "
            f"limits, for k = {listed(list(map(str, ks)))}."
        )
        if st.button("Compare", key="glove_compare", disabled=questions.under_way(question)):
            questions.ask(question)
            st.rerun()
        return None
    table = found.comparison
    parts = [
        (name, table[table["method"] == method]) for method, name in way_names(found.config).items()
    ]
    ways = [
        Way(
            name,
            labels(part),
            (part["mean_space_m"] / 1000).tolist(),
            (part["mean_time_min"] / 60).tolist(),
        )
        for name, part in parts
        if len(part)
    ]
    show(
        cost(ways, of),
        key="glove_cost",
        alt="Mean side of the published areas against the mean time window, with a dot for each k "
        "and each way of hiding everyone.",
    )
    what_this_means(*compared(found), key="glove_compared")
    st.dataframe(ways_table(found), hide_index=True, key="glove_compared_table")
    st.caption(corners(found.comparison))
    return found


def way_names(config: comparison.Config) -> dict[str, str]:
    """Return the names on screen of the ways of hiding everyone, by their names in the table."""
    names = ("Everyone equally coarse", "GLOVE", f"GLOVE, at most {_limits(config)}")
    return dict(zip(comparison.METHODS, names, strict=True))


def _limits(config: comparison.Config) -> str:
    space, time = config.suppress_space_m, config.suppress_time_min
    parts = [] if space is None else [f"{space / 1000:g} km"]
    return " and ".join(parts if time is None else [*parts, f"{time / 60:g} hours"])


def labels(part: pd.DataFrame) -> list[str]:
    """Return a label for each dot; where dots coincide, only the first has one, with every k."""
    spots = list(zip(part["mean_space_m"], part["mean_time_min"], strict=True))
    ks = part["k"].tolist()
    return [
        "k = " + ", ".join(str(k) for k, other in zip(ks, spots, strict=True) if other == spot)
        if spots.index(spot) == i
        else ""
        for i, spot in enumerate(spots)
    ]


def compared(found: comparison.Result) -> list[str]:
    """Say what equally coarse data, GLOVE, and GLOVE with limits cost at the smallest k."""
    table = found.comparison
    first = int(table["k"].min())
    rows: dict[str, Any] = {r["method"]: r for _, r in table[table["k"] == first].iterrows()}
    uniform, ours = rows["uniform"], rows["GLOVE"]
    spans = (
        f"areas {words.distance(ours['mean_space_m'])} wide and time windows of "
        f"{words.duration(ours['mean_time_min'])} on average"
    )
    last, grid = found.searched[-1], plain(uniform["profile"])
    if uniform["share_hidden"] == 1:
        last_of_all = uniform["profile"] == str(last)
        whole = ": one area and one time window for everything" if last_of_all else ""
        told = [
            "Suppose that all places and times are made equally coarse. The first grid tried that "
            f"puts everyone in a group of at least {first} is {grid}{whole}. "
            f"{_tried(found.searched)}. GLOVE needs {spans}."
        ]
    else:
        hidden = words.percent(uniform["share_hidden"])
        best = f"; {grid} comes nearest, with {hidden} of people" if hidden != "0%" else ""
        told = [
            f"None of the {words.count(len(found.searched), 'grid')} for all places and times, "
            f"from {found.searched[0]} to {last}, puts everyone in a group of at least {first}"
            f"{best}. GLOVE hides everyone in {spans}."
        ]
    limited = rows.get("GLOVE with suppression")
    if limited is not None:
        told.append(
            f"Limited to {_limits(found.config)}, GLOVE leaves out "
            f"{words.percent(limited['suppressed_share'])} of the samples. It then needs "
            f"areas {words.distance(limited['mean_space_m'])} wide and time windows of "
            f"{words.duration(limited['mean_time_min'])} on average."
        )
    return told


def _tried(searched: Sequence[GeneralizationProfile]) -> str:
    """Say, without a full stop, which grids were tried."""
    last = f"one area and time window for everything ({searched[-1]})"
    if len(searched) == 1:
        return f"That is the only grid tried: {last}"
    chosen = all(isinstance(p.space, Grid) and p.space.origin is None for p in searched)
    how = ". Each grid is placed so that as many people as possible share an area" if chosen else ""
    finest = f"Finest grid and windows: {searched[0]}"
    return f"We tried {len(searched)} grids. {finest}. Coarsest: {last}{how}"


def ways_table(found: comparison.Result) -> pd.DataFrame:
    """Return a table with one row per k and way of hiding everyone, for the screen."""
    table, names = found.comparison, way_names(found.config)
    return pd.DataFrame(
        {
            "Way": table["method"].map(names) + table["profile"].map(lambda p: p and f" ({p})"),
            "k": table["k"],
            "People hidden (%)": (100 * table["share_hidden"]).round(1),
            "Left out (%)": (100 * table["suppressed_share"]).round(2),
            "Mean side (km)": (table["mean_space_m"] / 1000).round(2),
            "Median side (km)": (table["median_space_m"] / 1000).round(2),
            "Mean span (min)": table["mean_time_min"].round(1),
            "Median span (min)": table["median_time_min"].round(1),
            "False presence (%)": (100 * table["phantom_share"]).round(2),
            "Verified": table["verified"].map({True: "yes", False: "no"}),
        }
    )
