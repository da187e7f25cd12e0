"""Risk against utility: the figure of all options, and their numbers below it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.charts.pareto import Dot, pareto
from pages.charts.style import CONFIG, Theme
from pages.options import comparison
from pages.options.criteria import RISKS, Criteria
from pages.shell.figure import plot
from pages.shell.guard import act

# Together no wider than the page in a window of 1,440 px.
_COLUMNS = {
    "No.": st.column_config.NumberColumn(width=45),
    "Over limits": st.column_config.TextColumn(width=80),
    "Alone": st.column_config.TextColumn(width=105),
    "Re-identified": st.column_config.TextColumn(width=95),
    "Unicity": st.column_config.TextColumn(width=65),
    "Linkage": st.column_config.TextColumn(width=65),
    "k-disclosure": st.column_config.TextColumn(width=90),
    "Home (guessing)": st.column_config.TextColumn(width=125),
    "Utility": st.column_config.NumberColumn(format="%.2f", width=60),
    "On the front": st.column_config.TextColumn(width=85),
}
_WHOLE = {
    "No.": st.column_config.NumberColumn(width=50),
    "Option": st.column_config.TextColumn(width=320),
    "95 % interval": st.column_config.TextColumn(width=140),
    "Dominated by": st.column_config.TextColumn(width=140),
}
_ROWS_WITHOUT_SCROLLING = 40


def figure(
    dots: Sequence[Dot], names: Sequence[str], criteria: Criteria, limit: float | None, of: Theme
) -> None:
    """A dot for each option that has a utility; a click pins one of the names."""
    plot(
        drawn(dots, criteria, limit, of),
        key="options_front", theme=None, config=CONFIG, selection_mode="points",
        on_select=act(partial(comparison.take_click, "options_front", names)),
        alt="Risk against utility, a dot with its interval for each release option; those on the "
        "front are filled and joined by a line.",
    )  # fmt: skip


def drawn(
    dots: Sequence[Dot], criteria: Criteria, limit: float | None, of: Theme
) -> go.Figure:  # fmt: skip
    """The figure itself."""
    return pareto(
        [dot for dot in dots if math.isfinite(dot.utility + dot.risk)], of,
        risk_title=criteria.risk_title, risk_name=RISKS[criteria.risk],
        utility_title=criteria.utility_title, percent=criteria.percent,
        limit=limit, limited=criteria.limit is not None, height=430,
    )  # fmt: skip


def numbers(table: pd.DataFrame) -> None:
    """One row per option: what is asked first."""
    st.dataframe(
        table, hide_index=True, key="options_table", column_config=_COLUMNS | _named(table),
        height=_height(table),
    )  # fmt: skip


def all_numbers(table: pd.DataFrame) -> None:
    """One row per option, with all figures."""
    st.dataframe(
        table, hide_index=True, key="options_whole", column_config=_WHOLE, height=_height(table)
    )


def _named(table: pd.DataFrame) -> dict[str, Any]:
    """The column of names, wide enough for the longest: none is cut."""
    longest = max(map(len, table["Option"]), default=0)
    return {
        "Option": st.column_config.TextColumn(width=min(max(150, round(18 + 7.2 * longest)), 420))
    }


def _height(table: pd.DataFrame) -> int | Literal["content"]:
    return "content" if len(table) <= _ROWS_WITHOUT_SCROLLING else 1_440
