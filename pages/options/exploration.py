"""The release options that are weighed: one by one, each kept, so that none is done twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import options
from fpanon_core.studies.option_result import OptionResult
from pages.charts import words
from pages.shell import questions
from pages.shell.questions import Kind, Question

OPTION = Kind("options", options.study, page="options", kept=200, together=True)


def results(
    fs: FingerprintSet, wanted: Sequence[ReleaseOption], knowledge: KnowledgeConfig
) -> list[OptionResult]:
    """What is known of the options by now, in their order; the rest is asked for, with progress.

    The figure fills while the rest is on its way; what nobody waits for any more is let go.
    """
    asked = {option: _question(fs, option, knowledge) for option in wanted}
    questions.let_go(OPTION, but={question.key for question in asked.values()})
    waiting = [
        question
        for question in asked.values()
        if questions.answer(question) is None and not questions.under_way(question)
    ]
    if waiting:
        alone = questions.ordinary(fs) and not any(map(questions.held, waiting))
        label = f"Explore {words.count(len(waiting), 'option')}"
        if alone or st.button(label, key="options_go", type="primary"):
            for question in waiting:
                questions.ask(question)
    questions.progress(OPTION)
    return [
        replace(found.results[0], option=option)
        for option, question in asked.items()
        if (found := questions.answer(question)) is not None
    ]


def _question(fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig) -> Question:
    """By the steps alone: under another name they are the same question."""
    config = options.Config((ReleaseOption(steps=option.steps),), knowledge)
    return Question(OPTION, fs, config, f"Exploring “{option.name}”")
