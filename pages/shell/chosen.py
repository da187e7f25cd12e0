"""The option chosen for release, with the reason; on any page that has weighed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.recipe import NOTHING_LEAVES
from fpanon_core.studies.report_verdict import over_told
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import weighed

_CHOICE, _REFUSAL = "fp_choice", "fp_refusal"
REFUSE = "none of them: nothing leaves"
"""In the list of the options, in the place of one."""
NO_REASON = (
    "Say why nothing may leave, and keep it then: the reason stands in the report and in the study."
)
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
    st.session_state.pop(_REFUSAL, None)
    st.session_state[_CHOICE] = Choice(digest, result, why.strip())
    found = weighed.of_data(digest)
    if found is not None:
        weighed.put(replace(found, chosen=result.option.name, why=why.strip()))


def refuse(digest: str, why: str) -> None:
    """Nothing leaves, from now on; what was chosen before is chosen no more."""
    st.session_state.pop(_CHOICE, None)
    st.session_state[_REFUSAL] = (digest, why.strip())
    found = weighed.of_data(digest)
    if found is not None:
        weighed.put(replace(found, chosen=NOTHING_LEAVES, why=why.strip()))


def refusal(digest: str) -> str | None:
    """Why nothing of the data of that digest leaves; None where that was not decided."""
    of, why = st.session_state.get(_REFUSAL, ("", ""))
    if of == digest:
        return str(why)
    found: Choice | None = st.session_state.get(_CHOICE)
    opened = weighed.of_data(digest)  # of a study that was opened
    if opened is None or not opened.refused or (found is not None and found.digest == digest):
        return None
    return opened.why


def refused(result: OptionResult, why: str, limits: Limits) -> str:
    """Why a choice is not kept: what speaks against it, where no reason is given; else empty.

    That is a limit which it is above, or may be, or anybody who is alone in it: whether that may
    be is a decision, and somebody's.
    """
    over = over_told(result, limits)
    alone = result.alone if result.crowd_least <= 1 else 0
    if why.strip() or not (over or alone):
        return ""
    against = f"“{plain(result.option.told)}” is not within your limits. "
    against += f"{plain('; '.join(over), MESSAGE_LENGTH)}."
    if not over:
        whom = f"{alone:,} of the {result.n_users:,} people"
        against = f"In “{plain(result.option.told)}” {whom} are alone with their record."
    return (
        f"{against} Say above why it is chosen all the same, and keep it then: the reason stands "
        "in the report and in the study."
    )


def current(digest: str) -> Choice | None:
    """The choice that stands for the data of that digest."""
    found: Choice | None = st.session_state.get(_CHOICE)
    if found is not None and found.digest == digest:
        return found
    if refusal(digest) is not None:
        return None
    opened = weighed.of_data(digest)  # of a study that was opened
    if opened is None or not opened.stands:
        return None
    result = next(r for r in opened.table.results if r.option.name == opened.chosen)
    return Choice(digest, result, opened.why)
