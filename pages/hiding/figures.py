"""How accurately samples are published: a curve for each release."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from fpanon_core.studies.hiding import Config, Result
from pages.charts.cdf import cdf
from pages.charts.style import Theme
from pages.hiding import story


def accuracy(made: Mapping[Config, Result], which: story.Accuracy, of: Theme) -> go.Figure:
    """Figure of one accuracy, in space or in time, of all releases."""
    curves, ends = story.accuracy(made, which, of)
    return cdf(
        curves, of, x_title=which.title, x_range=ends, whose="samples", log_x=True,
        ticks=which.ticks, height=story.height(curves),
    )  # fmt: skip
