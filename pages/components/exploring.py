"""The release options that are explored: a few at a time, each kept, so that none is done twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from fpanon_core.anonymize.option_result import OptionResult, utility_choice
from fpanon_core.anonymize.table import OptionsTable
from fpanon_core.engines.process import Job
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.options import ReleaseOption
from pages.charts import words

from . import answers, job_panel, session, tasks
from .answers import Question
from .dataset import Dataset
from .settled import ordinary

_A_BATCH = 4  # so that the figure fills while the rest is on its way
_HELD = "fp_held_options"


@dataclass(frozen=True)
class Draws:
    """How the outsider's knowledge is drawn for every option."""

    p: int = 4
    users: int = 2_500
    seed: int = 0


def results(data: Dataset, wanted: Sequence[ReleaseOption], draws: Draws) -> list[OptionResult]:
    """What is known of the options by now, in their order; the rest is asked for, with progress."""
    known = {
        result.option.steps: result
        for (digest, drawn, _), found in answers.several("explore").items()
        if (digest, drawn) == (data.digest, draws)
        for result in found
    }
    missing = [option for option in wanted if option.steps not in known]
    _let_go(data, missing, draws)
    waiting = [o for o in missing if o.steps not in _under_way()]
    if waiting:
        held: set[object] = st.session_state.setdefault(_HELD, set())
        alone = ordinary(data) and not any(o.steps in held for o in waiting)
        if alone or st.button(
            f"Explore {words.count(len(waiting), 'option')}", key="options_go", type="primary"
        ):
            held.difference_update(o.steps for o in waiting)
            for at in range(0, len(waiting), _A_BATCH):
                answers.ask(_question(data, waiting[at : at + _A_BATCH], draws))
    with st.container(key="options_work"):
        job_panel.show(session.jobs("explore"), key="options_jobs", stop=_hold)
    return [replace(known[o.steps], option=o) for o in wanted if o.steps in known]


def table(
    data: Dataset, results: Sequence[OptionResult], draws: Draws, risk: str, utility: Any
) -> OptionsTable:
    """Results beside each other by a measure of risk and a utility; nothing is computed anew."""
    config = KnowledgeConfig(draws.p, "random", draws.users, draws.seed)
    return OptionsTable(tuple(results), risk, utility_choice(utility), config, data.digest)


def _question(data: Dataset, batch: Sequence[ReleaseOption], draws: Draws) -> Question:
    return Question(
        "explore",
        (data.digest, draws, tuple(option.steps for option in batch)),
        f"Exploring {words.count(len(batch), 'option')}",
        tasks.explore,
        (data.fs, tuple(batch), draws.p, draws.users, draws.seed),
    )


def _under_way() -> set[object]:
    """The steps of the options that jobs have in hand, or failed at."""
    return {steps for job in session.jobs("explore") for steps in job.meta["key"][2]}


def _let_go(data: Dataset, missing: Sequence[ReleaseOption], draws: Draws) -> None:
    """Stop what nobody waits for any more."""
    wanted = {option.steps for option in missing}
    for job in session.jobs("explore")[:]:
        digest, drawn, batch = job.meta["key"]
        if (digest, drawn) != (data.digest, draws) or wanted.isdisjoint(batch):
            session.dismiss(job)


def _hold(job: Job) -> None:
    """Stop a batch, and do not start its options again by themselves."""
    st.session_state.setdefault(_HELD, set()).update(job.meta["key"][2])
    session.dismiss(job)
