"""The front of all options, their tables, the choice, and up to four options side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model.limits import COMPARED_OPTIONS
from fpanon_core.studies.judgement import needed, within_limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from pages.charts.pareto import Dot, pareto
from pages.charts.style import Theme
from pages.options import story
from pages.options.story import Criteria
from pages.shell import limits, officer, workspace
from pages.shell.figure import show
from pages.shell.guard import act
from pages.shell.widgets import selectbox
from pages.shell.workspace import NO_REASON, REASON, REFUSE, Choice, Workspace, attack

_PINNED, _NAME, _WANTED = "options_pinned", "options_choice_name", "fp_choice_wanted"
_OF = "fp_choice_of"
_TEXT_WIDTHS = {  # together no wider than the page in a window of 1,440 px
    "Fails": 100,
    "Re-identified": 105,
    "Unicity": 65,
    "Linkage": 65,
    "k-disclosure": 90,
    "Home": 95,
    "Unique": 95,
}
_WHOLE_WIDTHS = {"Option": 320, "Beaten by": 140}
_ROWS_WITHOUT_SCROLLING = 40


# --- the front ---


def front(
    dots: Sequence[Dot], names: Sequence[str], criteria: Criteria, table: OptionsTable, of: Theme
) -> None:
    """Draw a dot for each option of known risk and utility; a click on a dot pins its option."""
    show(
        drawn(dots, criteria, table, of),
        key="options_front",
        selection_mode="points",
        on_select=act(partial(_take_click, "options_front", names)),
        alt="Risk against utility: a dot with its interval for each release option; options "
        "without records stand below, ordered by ε. Dots of options that serve the purpose are "
        "filled. A line joins the options that no other option beats.",
    )


def drawn(dots: Sequence[Dot], criteria: Criteria, table: OptionsTable, of: Theme) -> go.Figure:
    """Return the figure that :func:`front` draws."""
    return pareto(
        [dot for dot in dots if math.isfinite(dot.utility + dot.risk)],
        of,
        risk_title=criteria.risk_title(table.config.p),
        risk_name=story.title(criteria.risk),
        utility_title=criteria.utility_title,
        percent=criteria.percent,
        limit=story.drawn_limit(table, criteria),
        limited=bool(criteria.limits.judged),
        needed=needed(table, within_limits(table, criteria.limits)),
    )


def numbers(table: pd.DataFrame) -> None:
    """Draw a table with a row per option, narrow enough for the page; long names are cut off."""
    longest = max(map(len, table["Option"]), default=0)
    widths = _TEXT_WIDTHS | {"Option": min(max(150, round(18 + 7.2 * longest)), 530)}
    utility = st.column_config.NumberColumn(format="%.2f", width=60)
    _frame(table, "options_table", widths, 45, {"Utility": utility})


def all_numbers(table: pd.DataFrame) -> None:
    """Draw a table with one row per option and all figures."""
    _frame(table, "options_whole", _WHOLE_WIDTHS, 50, {})


def _frame(
    table: pd.DataFrame, key: str, widths: dict[str, int], first: int, more: dict[str, Any]
) -> None:
    columns = {name: st.column_config.TextColumn(width=width) for name, width in widths.items()}
    columns |= {"No.": st.column_config.NumberColumn(width=first)} | more
    few = len(table) <= _ROWS_WITHOUT_SCROLLING
    height: int | Literal["content"] = "content" if few else 1_440
    st.dataframe(table, hide_index=True, key=key, column_config=columns, height=height)


# --- the choice ---


def choice(table: OptionsTable, names: Sequence[str]) -> Choice | None:
    """Draw the form for the choice; return the choice that is kept for these data.

    Return None if no choice is kept, or if another option is selected.

    A reason belongs to the option that it was given for, so each option has its own field.
    """
    mine, listed = workspace.of(table.digest), [*names, REFUSE]
    _turn_to(table.digest, mine)
    if (proposed := workspace.proposed(table.digest)) in names:
        st.session_state[_NAME] = proposed
    select(listed)
    name = selectbox(
        "Option to release", listed, key=_NAME, index=None, width=520, placeholder="none yet"
    )
    why = st.text_area(
        "Why this one",
        key=workspace.reason_key(name),
        max_chars=2_000,
        height=100,
        persist_state="session",
        placeholder=REASON,
    )
    chosen = next((r for r in table.results if r.option.name == name), None)
    by = ""
    if chosen is not None and limits.in_force().broken(chosen):
        by = officer.signer("Who overrides the thresholds (required)")
    if st.button("Keep this choice", key="options_choice_keep"):
        _keep(table.digest, chosen, name, why, by)
    why_not, standing = mine.refusal, mine.choice
    if why_not is not None and name in (REFUSE, None):
        st.success(story.describe_refusal(why_not))
    elif why_not is not None:
        st.info(story.REFUSED_BEFORE)
    if standing is not None and name is not None and name != standing.result.option.name:
        st.info("This choice is not kept yet: press *Keep this choice*.")
        return None
    return standing


def _turn_to(digest: str, mine: Workspace) -> None:
    """Fill the form with the decision for these data, purpose, recipient and areas, if any.

    Drop what was selected or typed for any other data, purpose, recipient or areas.
    """
    of, state = (digest, mine.aims, mine.areas), st.session_state
    if state.get(_OF, of) != of:
        for key in [key for key in state if str(key).startswith(workspace.reason_key(""))]:
            state[key] = ""
        state.pop(_WANTED, None)
        standing = mine.choice
        state[_NAME] = None if standing is None else standing.result.option.name
        if standing is not None:
            state[workspace.reason_key(state[_NAME])] = standing.why
        if mine.refusal is not None:
            state[_NAME], state[workspace.reason_key(REFUSE)] = REFUSE, mine.refusal
    state[_OF] = of


def _keep(digest: str, result: OptionResult | None, name: str | None, why: str, by: str) -> None:
    """Keep the choice, or say why it is not kept."""
    mine = workspace.of(digest)
    if name is None:
        st.error(f"Choose an option first, or “{REFUSE}”.")
    elif name == REFUSE and not why.strip():
        st.error(NO_REASON)
    elif name == REFUSE:
        mine.refuse(why)
    elif result is not None:
        if refusal := workspace.refused(result, why, by, limits.in_force()):
            st.error(refusal)
        else:
            if by:
                officer.overridden(result.option.text, digest, by)
            mine.choose(result, why)


def select(names: Sequence[str]) -> None:
    """Clear the selection while its option is missing; restore it once the option is back."""
    selected = st.session_state.get(_NAME)
    if selected is None:
        wanted = st.session_state.get(_WANTED)
        st.session_state[_NAME] = wanted if wanted in names else None
    elif selected not in names:
        st.session_state[_WANTED], st.session_state[_NAME] = selected, None
    if st.session_state[_NAME] is not None:
        st.session_state.pop(_WANTED, None)


# --- side by side ---


def pinned(table: OptionsTable, names: Sequence[str]) -> list[str]:
    """Draw the list of pinned options, and return their names.

    Also draw a button that attacks the release of the last one, if this release has records.
    """
    kept = [name for name in st.session_state.get(_PINNED, []) if name in names]
    if _PINNED in st.session_state and kept != st.session_state[_PINNED]:
        st.session_state[_PINNED] = kept
    found: list[str] = st.multiselect(
        f"Options to compare (up to {COMPARED_OPTIONS})",
        names,
        key=_PINNED,
        max_selections=COMPARED_OPTIONS,
        persist_state="session",
        placeholder="choose here, or click in the figure",
    )
    last = [option for option in table.options if option.name in found[-1:]]
    if last and last[0].recordless is None:
        attack(last[0].name, key="options_attack", told=True)
    return found


def _take_click(figure: str, names: Sequence[str]) -> None:
    """Pin the option that was clicked, or unpin it."""
    selection = st.session_state[figure].get("selection", {})
    for point in selection.get("points", []):
        number = int(point["customdata"][0])
        if not 1 <= number <= len(names):
            continue
        name, kept = names[number - 1], list(st.session_state.get(_PINNED, []))
        if name in kept:
            kept.remove(name)
        elif len(kept) < COMPARED_OPTIONS:
            kept.append(name)
        st.session_state[_PINNED] = kept


def side_by_side(names: Sequence[str], figures: pd.DataFrame) -> None:
    """Draw a table of the pinned options; ``figures`` has a row for each option."""
    if not names:
        st.caption("Pin options to see them side by side.")
        return
    rows = figures.drop(columns="No.").set_index("Option").loc[list(names)]
    st.dataframe(rows.T.astype(str), key="options_compared", height="content")
