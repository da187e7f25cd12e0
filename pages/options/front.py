"""Risk against utility: the figure of all options, and their numbers below it.

The option chosen for release, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fpanon_core.studies.options_table import OptionsTable
from pages.charts.pareto import Dot, pareto
from pages.charts.style import CONFIG, Theme
from pages.options import comparison, story
from pages.options.criteria import RISKS, Criteria
from pages.shell import limits, workspace
from pages.shell.figure import plot
from pages.shell.guard import act
from pages.shell.workspace import NO_REASON, REASON, REFUSE, Choice

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
        key="options_front",
        theme=None,
        config=CONFIG,
        selection_mode="points",
        on_select=act(partial(comparison.take_click, "options_front", names)),
        alt="Risk against utility, a dot with its interval for each release option; those on the "
        "front are filled and joined by a line.",
    )


def drawn(dots: Sequence[Dot], criteria: Criteria, limit: float | None, of: Theme) -> go.Figure:
    """The figure itself."""
    return pareto(
        [dot for dot in dots if math.isfinite(dot.utility + dot.risk)],
        of,
        risk_title=criteria.risk_title,
        risk_name=RISKS[criteria.risk],
        utility_title=criteria.utility_title,
        percent=criteria.percent,
        limit=limit,
        limited=criteria.limit is not None,
        height=430,
    )


def numbers(table: pd.DataFrame) -> None:
    """One row per option: what is asked first."""
    st.dataframe(
        table,
        hide_index=True,
        key="options_table",
        column_config=_COLUMNS | _named(table),
        height=_height(table),
    )


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


_NAME, _WANTED = "options_choice_name", "fp_choice_wanted"


def form(table: OptionsTable, names: Sequence[str]) -> Choice | None:
    """The form; the choice that stands for these data, unless another option is selected.

    A reason belongs to the option that it was given for: each has a field of its own.
    """
    if (proposed := workspace.proposed()) in names:
        st.session_state[_NAME] = proposed
    mine, listed = workspace.of(table.digest), [*names, REFUSE]
    select(listed)
    name = st.selectbox(
        "Option to release",
        listed,
        key=_NAME,
        index=None,
        width=520,
        placeholder="none yet",
        persist_state="session",
    )
    why = st.text_area(
        "Why this one",
        key=workspace.reason_key(name),
        max_chars=2_000,
        height=100,
        persist_state="session",
        placeholder=REASON,
    )
    pressed = st.button("Keep this choice", key="options_choice_keep")
    if pressed and name == REFUSE:
        if why.strip():
            mine.refuse(why)
        else:
            st.error(NO_REASON)
    elif pressed and name is not None:
        result = table.results[list(names).index(name)]
        if refusal := workspace.refused(result, why, limits.in_force()):
            st.error(refusal)
        else:
            mine.choose(result, why)
    elif pressed:
        st.error(f"Choose an option first, or “{REFUSE}”.")
    why_not, standing = mine.refusal, mine.choice
    if why_not is not None and name in (REFUSE, None):
        st.success(story.refused_told(why_not))
    elif why_not is not None:
        st.info(story.REFUSED_BEFORE)
    if standing is not None and name is not None and name != standing.result.option.name:
        st.info(
            "Another option is selected than the one that was kept; keep this choice to have its "
            "release produced."
        )
        return None
    return standing


def select(names: Sequence[str]) -> None:
    """Nothing, while the option selected is not there; it again, once it is explored anew."""
    selected = st.session_state.get(_NAME)
    if selected is None:
        wanted = st.session_state.get(_WANTED)
        st.session_state[_NAME] = wanted if wanted in names else None
    elif selected not in names:
        st.session_state[_WANTED], st.session_state[_NAME] = selected, None
    if st.session_state[_NAME] is not None:
        st.session_state.pop(_WANTED, None)
