"""The option chosen for release, with the reason; on any page that has weighed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.report_verdict import over_told
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import weighed

_CHOICE = "fp_choice"
REASON = (
    "What weighs for it, who asked for what, what was given up. Name no person. It stands in the "
    "report and in its recipe."
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The option chosen for these data, and why."""

    digest: str
    result: OptionResult
    why: str


def reason_key(name: str | None) -> str:
    """Of the field for an option's reason on the page that weighs them all."""
    return f"options_choice_why_{name}"


def keep(digest: str, result: OptionResult, why: str) -> None:
    """It is this one, from now on."""
    st.session_state[_CHOICE] = Choice(digest, result, why.strip())
    found = weighed.of_data(digest)
    if found is not None:
        weighed.put(replace(found, chosen=result.option.name, why=why.strip()))


def refused(result: OptionResult, why: str, limits: Limits) -> str:
    """Why a choice is not kept: it is not within the limits, and no reason is given; else empty."""
    over = over_told(result, limits)
    if not over or why.strip():
        return ""
    return (
        f"“{plain(result.option.told)}” is not within your limits. "
        f"{plain('; '.join(over), MESSAGE_LENGTH)}. Say above why it is chosen all the same, and "
        "keep it then: the reason stands in the report and in the study."
    )


def current(digest: str) -> Choice | None:
    """The choice that stands for the data of that digest."""
    found: Choice | None = st.session_state.get(_CHOICE)
    if found is not None and found.digest == digest:
        return found
    opened = weighed.of_data(digest)  # of a study that was opened
    if opened is None or not opened.stands:
        return None
    result = next(r for r in opened.table.results if r.option.name == opened.chosen)
    return Choice(digest, result, opened.why)
