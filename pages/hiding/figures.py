"""How accurately releases are published: a curve for each, a row in a table; and the downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import comparison, hiding, production
from fpanon_core.studies.hiding import Config, Result, Worth
from pages.charts import words
from pages.charts.cdf import Curve, cdf
from pages.charts.style import DASHES, Theme
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
    """How accurately samples are published, in space or in time.

    Attributes
    ----------
    column : str
        Of a release's table of accuracies.
    unit, title : str
        For the screen.
    scale : float
        Of the column's unit in ours.
    ticks : mapping of float to str
        Of the logarithmic axis, in our unit.
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


def accuracy(made: Mapping[Config, Result], which: Accuracy, of: Theme) -> go.Figure:
    """Figure of one accuracy, in space or in time, of all releases, on a logarithmic axis."""
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
    """A curve per release, and the ends of the logarithmic axis that shows all of them."""
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


def _height(curves: list[Curve]) -> int:
    """Of the figure, pixels: its legend grows with the names, the curves keep their room."""
    rows, used = 1, 0
    for curve in curves:
        width = 60 + _LETTER_PX * len(curve.name)
        if used and used + width > _LEGEND_PX:
            rows, used = rows + 1, 0
        used += width
    return min(280 + _ROW_PX * rows, 430)


def releases(made: Mapping[Config, Result], worths: Mapping[Config, Worth]) -> pd.DataFrame:
    """One row per release, for the table under the curves."""
    table = pd.DataFrame([_row(config, result, worths[config]) for config, result in made.items()])
    return table if any(table["Limits"]) else table.drop(columns="Limits")


def _row(config: Config, result: Result, worth: Worth) -> dict[str, Any]:
    f = result.release.summary()
    use = "yes" if worth.useful else "of little use"
    return {
        "Method": story.WORDS[config.method],
        "k": config.k,
        "Period": widgets.called(config.period_days),
        "May be out": f"{100 * config.leave_out:g} %",
        "Limits": story.limits_of(config),
        "Verified": use if result.verdict.passed else "NO",
        "Side, median": words.distance(f["median_space_m"]),
        "mean": words.distance(f["mean_space_m"]),
        "Span, median": words.duration(f["median_time_min"]),
        "mean ": words.duration(f["mean_time_min"]),
        "Mean loss": f"{result.mean_loss:.2f}",
        "Samples": words.percent(worth.samples / worth.all_samples),
        "People": words.percent(worth.people / worth.all_people),
        "Phantom": words.percent(f["phantom_share"]),
    }


COLUMNS = {
    "Method": st.column_config.TextColumn(width=65),
    "k": st.column_config.NumberColumn(width=35),
    "Period": st.column_config.TextColumn(width=65),
    "May be out": st.column_config.TextColumn(width=80),
    "Verified": st.column_config.TextColumn(width=85),
    "Side, median": st.column_config.TextColumn(width=95, help=definitions.SIDE),
    "mean": st.column_config.TextColumn(width=65, help=definitions.SIDE),
    "Span, median": st.column_config.TextColumn(width=95),
    "mean ": st.column_config.TextColumn(width=65),
    "Mean loss": st.column_config.TextColumn(width=80, help=definitions.LOSS),
    "Samples": st.column_config.TextColumn(
        width=75, help="Share of the samples that is published."
    ),
    "People": st.column_config.TextColumn(
        width=70, help="Share of the people of whom anything is published."
    ),
    "Phantom": st.column_config.TextColumn(width=80, help=definitions.PHANTOM),
}


def downloads(data: Dataset, result: hiding.Result, compared: comparison.Result | None) -> None:
    """The release, if it passed its verification, and buttons for the tables about it."""
    st.header("The release itself", anchor=False)
    if not result.verdict.passed:
        st.markdown(
            "**This release did not pass its verification; it is not offered for download.**"
        )
        return
    form = release.file_format(PRODUCED)
    release.section(
        PRODUCED,
        data,
        production.Config(hidden=result.config, format=form),
        f"the release {story.name_of(result.config)}",
        also=(result.release,),
    )
    figures = shell.files_of(result, {"accuracy": "Accuracy"})
    if compared is not None:
        figures |= shell.files_of(compared, {"comparison": "Comparison"})
    shell.csv_files("glove", figures, prefix="synthetic_" if data.source.synthetic else "")
