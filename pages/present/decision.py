"""The decision's slides: the verdict, who is singled out, what an attacker finds, the outcome.

The slides say what the report says about the chosen option and the original data.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.recipe import NOTHING_LEAVES, Decision
from pages.charts import attack, unicity
from pages.charts.style import Theme, projected
from pages.present import story
from pages.present.stage import height, say
from pages.shell import aims, exploration, officer, questions, workspace
from pages.shell.dataset import Dataset
from pages.shell.figure import show


def verdict(data: Dataset, found: Exploration, file: OptionResult | None, _: Theme) -> str:
    """Draw the question, the recipient and the report's verdict; return a sentence on it.

    ``file`` is the chosen option's result with the components of the file made of it, if any.
    """
    asked = story.asked(aims.purpose(), aims.recipient(), aims.describe_threshold())
    if found.as_it_is is None:
        _for_whom(asked)
        return _measured(data, found)
    mine = workspace.of(data.digest)
    by, until = officer.signed(data.digest)
    standing, decided, row = mine.choice, Decision(), None
    if standing is not None:
        decided = Decision("", standing.result.option.name, standing.why, by, "", until)
        rows = [r.option.steps for r in found.table.results]
        if standing.result.option.steps not in rows:  # chosen earlier, and no longer weighed
            results = (*found.table.results, standing.result)
            found = replace(found, table=replace(found.table, results=results))
            rows.append(standing.result.option.steps)
        row = rows.index(standing.result.option.steps)
    elif mine.refusal is not None:
        decided = Decision("", NOTHING_LEAVES, mine.refusal, by, "", until)
    heads, sentence = story.verdict(found, decided, row, file)
    say(heads)
    _for_whom(asked)
    return sentence


def _for_whom(asked: str) -> None:
    with st.container(key="present_asked"):
        st.markdown(asked)


def _measured(data: Dataset, found: Exploration) -> str:
    """Draw the progress of measuring the original data; return a note that figures are missing."""
    raw = exploration.as_it_is(data.fs, found.table.config)
    questions.settle(raw, button="Measure the data as they are")
    return story.FAILED if questions.failed(raw) else story.NOT_MEASURED


def today(data: Dataset, found: Exploration, of: Theme) -> str:
    """Draw a hundred people, and how many of them are singled out; return a sentence on them."""
    raw = found.as_it_is
    if raw is None:
        return _measured(data, found)
    told = story.singled_out(raw, found.table.config.p)
    if told is None:
        return story.not_asked(raw)
    left, right = st.columns([1, 1], gap="medium", vertical_alignment="center")
    with left:
        show(
            unicity.of_a_hundred(told.of_a_hundred, of, height=height()),
            key="present_hundred",
            alt=f"100 figures of people, with {told.of_a_hundred} filled for those singled out.",
        )
    with right:
        with st.container(key="present_share"):
            st.markdown(told.share)
        with st.container(key="present_whom"):
            st.markdown(told.whom)
    return told.sentence


def risk(found: Exploration, result: OptionResult, of: Theme) -> str:
    """Draw what an attacker finds before and after protection, and by guessing."""
    drawn = projected(attack.before_and_after(story.compared(found, result), [], of), height())
    # The legend has a line of its own above the names of the columns.
    above = {"xref": "container", "yref": "container", "x": 0, "y": 1, "yanchor": "top"}
    drawn.update_layout(legend=above, margin={"t": 92})
    drawn.update_traces(showlegend=True, selector={"name": attack.THRESHOLD})
    drawn.for_each_annotation(lambda each: each.update(text=each.text.replace(attack.MARK, "")))
    show(
        drawn,
        key="present_risk",
        alt="Share of people found, before and after, beside guessing and the thresholds.",
    )
    return story.risk(found, result)


def question(data: Dataset) -> str:
    """Return the title of the slide on the decision."""
    mine = workspace.of(data.digest)
    if mine.choice is None and mine.refusal is None:
        return "What is recommended?"
    return "What was decided?" if officer.signed(data.digest)[0].strip() else "What was chosen?"


def closing(data: Dataset, found: Exploration, file: OptionResult | None, _: Theme) -> str:
    """Draw the decision, its signer, and the end of its validity; return the reason.

    ``file`` is as for :func:`verdict`.
    """
    mine, signed = workspace.of(data.digest), story.signed(*officer.signed(data.digest))
    standing, why_not = mine.choice, mine.refusal
    if standing is not None:
        say([*story.decision(found, standing.result, standing.why), signed])
        kept = story.keeps(found, file or standing.result)
        return f"{story.reason(standing.why)} {kept}"
    if why_not is not None:
        say([story.NOTHING_LEAVES, signed])
        return story.reason(why_not)
    say([story.UNDECIDED])
    return story.recommended(found)
