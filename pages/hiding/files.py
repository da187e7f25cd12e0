"""A release as it leaves; and the figures about it as files.

How accurately samples are published: a curve for each release.

How wide the columns of the table of releases are, so that no word in it is cut.
"""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import comparison, hiding, production
from fpanon_core.studies.hiding import Config, Result
from pages.charts.cdf import cdf
from pages.charts.style import Theme
from pages.hiding import comparison_story, names, story
from pages.shell import definitions, release
from pages.shell import downloads as shell
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind

PRODUCED = Kind(
    "produce_hidden", production.study, page="glove", kept=limits.KEPT_RELEASES, together=True
)


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
        f"the release {names.name_of(result.config)}",
        also=(result.release,),
    )
    figures = shell.files_of(result, story.TABLES)
    if compared is not None:
        figures |= shell.files_of(compared, comparison_story.TABLES)
    shell.csv_files("glove", figures, prefix="synthetic_" if data.source.synthetic else "")


def accuracy(made: Mapping[Config, Result], which: story.Accuracy, of: Theme) -> go.Figure:
    """Figure of one accuracy, in space or in time, of all releases."""
    curves, ends = story.accuracy(made, which, of)
    return cdf(
        curves,
        of,
        x_title=which.title,
        x_range=ends,
        whose="samples",
        log_x=True,
        ticks=which.ticks,
        height=story.height(curves),
    )


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
