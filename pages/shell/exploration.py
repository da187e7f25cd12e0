"""The release options that are weighed: one by one, each kept, so that none is done twice.

The overview tries a list of forms; Release options weighs the sets chosen there. A form that is in
both is one question, and so is what the data are as they are, which the report asks, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import options
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from pages.charts import words

from . import questions, session, workspace
from .kinds import AS_IT_IS, OPTION
from .questions import Question
from .workspace import Tried


def find(fs: FingerprintSet, wanted: Sequence[ReleaseOption], knowledge: KnowledgeConfig) -> None:
    """Ask for every one of these forms; those that were stopped before, too."""
    workspace.of(fs.digest).tried = Tried(tuple(wanted), knowledge)
    for option in wanted:
        asked = question(fs, option, knowledge)
        failed = [job for job in questions.jobs(asked.kind) if job.meta["key"] == asked.key]
        for job in failed:
            if not job.active:
                session.dismiss(job)
        questions.ask(asked)


def found(fs: FingerprintSet, knowledge: KnowledgeConfig) -> list[OptionResult]:
    """What “Find a release” has found by now, by what is known of people; nothing is asked."""
    asked = workspace.of(fs.digest).tried
    if asked is None or asked.knowledge != knowledge:
        return []
    return known(fs, asked.options, knowledge)


def results(
    fs: FingerprintSet, wanted: Sequence[ReleaseOption], knowledge: KnowledgeConfig
) -> list[OptionResult]:
    """What is known of the options by now, in their order; the rest is asked for, with progress.

    The figure fills while the rest is on its way; what nobody waits for any more is let go.
    """
    asked = [question(fs, option, knowledge) for option in wanted]
    finding = workspace.of(fs.digest).tried
    keys = {each.key for each in asked}
    if finding is not None:
        keys |= {question(fs, option, finding.knowledge).key for option in finding.options}
    questions.let_go(OPTION, but=keys)
    waiting = [
        each
        for option, each in zip(wanted, asked, strict=True)
        if _answer(fs, option, knowledge) is None and not questions.under_way(each)
    ]
    if waiting:
        alone = questions.ordinary(fs) and not any(map(questions.held, waiting))
        label = f"Explore {words.count(len(waiting), 'option')}"
        if alone or st.button(label, key="options_go", type="primary"):
            for each in waiting:
                questions.ask(each)
    questions.progress(OPTION)
    return known(fs, wanted, knowledge)


def known(
    fs: FingerprintSet, wanted: Sequence[ReleaseOption], knowledge: KnowledgeConfig
) -> list[OptionResult]:
    """What is known of the options by now, in their order; nothing is asked."""
    return [
        replace(found.results[0], option=option)
        for option in wanted
        if (found := _answer(fs, option, knowledge)) is not None
    ]


def _answer(
    fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig
) -> OptionsTable | None:
    """Of the data as they are also what the report, or the overview, has asked."""
    found: OptionsTable | None = questions.answer(question(fs, option, knowledge))
    if found is None and not option.steps:
        found = questions.answer(as_it_is(fs, knowledge))
    return found


def question(fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig) -> Question:
    """By the steps alone: under another name they are the same question."""
    config = options.Config((ReleaseOption(steps=option.steps),), knowledge)
    return Question(OPTION, fs, config, f"Exploring “{option.name}”")


def as_it_is(fs: FingerprintSet, knowledge: KnowledgeConfig) -> Question:
    """The data as they are, measured as the options are."""
    config = options.Config((ReleaseOption(),), knowledge)
    return Question(AS_IT_IS, fs, config, "Measuring the data as they are")
