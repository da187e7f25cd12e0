"""Risk against utility: the figure of all options, and their numbers below it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pages.charts.pareto import Dot, pareto
from pages.charts.style import CONFIG, Theme
from pages.options import comparison
from pages.options.criteria import RISKS, Criteria
from pages.shell.figure import plot
from pages.shell.guard import act

_COLUMNS = {
    "No.": st.column_config.NumberColumn(width=50),
    "Option": st.column_config.TextColumn(width="medium"),
    "On the front": st.column_config.TextColumn(width=100),
    "95 % interval": st.column_config.TextColumn(width=140),
    "Within the limit": st.column_config.TextColumn(width=110),
    "Alone with their record": st.column_config.TextColumn(width=160),
    "Dominated by": st.column_config.TextColumn(width=140),
    "Utility": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f", width=110),
}
_ROWS_WITHOUT_SCROLLING = 16


def figure(dots: Sequence[Dot], names: Sequence[str], criteria: Criteria, of: Theme) -> None:
    """A dot for each option that has a utility; a click pins one of the names."""
    plot(
        pareto(
            [dot for dot in dots if math.isfinite(dot.utility)], of,
            risk_title=criteria.risk_title, risk_name=RISKS[criteria.risk],
            utility_title=criteria.utility_title, percent=criteria.percent,
            limit=criteria.limit,
        ),
        key="options_front", theme=None, config=CONFIG, selection_mode="points",
        on_select=act(partial(comparison.take_click, "options_front", names)),
        alt="Risk against utility, a dot with its interval for each release option; those on the "
        "front are filled and joined by a line.",
    )  # fmt: skip


def numbers(table: pd.DataFrame) -> None:
    """One row per option."""
    st.dataframe(
        table, hide_index=True, key="options_table", column_config=_COLUMNS,
        height="content" if len(table) <= _ROWS_WITHOUT_SCROLLING else 620,
    )  # fmt: skip
