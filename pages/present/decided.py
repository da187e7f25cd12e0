"""The slides of the decision: the verdict first, then the chosen option, at last what was decided.

They say what the report says, of the option that stands as the choice; without one, of the data as
they are.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from fpanon_core.studies.exploration import Exploration, facts_of
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from pages.charts import attack, pareto
from pages.charts.style import Theme, projected
from pages.present import story
from pages.present.stage import FIGURE_PX, Shown
from pages.shell import exploration, questions, workspace
from pages.shell.dataset import Dataset
from pages.shell.figure import show
from pages.shell.workspace import AS_THEY_ARE, Choice

VERDICT, COST, RISK, DECISION = "verdict", "cost", "attack_chosen", "decision"


def explored(data: Dataset) -> Exploration | None:
    """What was weighed of these data, and the data as they are; None before any is measured."""
    found = workspace.of(data.digest).weighed
    if found is None:
        return None
    answer: OptionsTable | None = questions.answer(
        exploration.as_it_is(data.fs, found.table.config)
    )
    raw = None if answer is None else answer.results[0]
    facts = facts_of(data.report, synthetic=data.source.synthetic)
    return Exploration(found.table, raw, facts, found.limits)


def about(data: Dataset, slide: Shown) -> str:
    """Of what a slide is: the chosen option by its name, or the data as they are."""
    mine = workspace.of(data.digest)
    standing = mine.choice
    if slide.steps and standing is not None:
        return story.of_option(standing.result.option.told)
    if standing is not None:
        return slide.about
    decided = mine.refusal is not None
    return f"{slide.about} · {story.REFUSED if decided else story.NONE_CHOSEN}"


def opening(data: Dataset) -> list[Shown]:
    """The first slide: what the figures say."""
    found = explored(data)
    if found is None:
        return []
    heads, sentence = story.verdict(found)
    return [Shown(VERDICT, story.QUESTION, partial(_say, heads), sentence, about=story.ALL)]


def of_choice(data: Dataset, *, attacked: bool) -> list[Shown]:
    """What the chosen option costs, and what is found in it; nothing while none is chosen.

    Parameters
    ----------
    attacked : bool
        Whether the page that attacks has a slide of this option already.
    """
    standing, found = workspace.of(data.digest).choice, explored(data)
    if standing is None or found is None:
        return []
    result, steps = standing.result, standing.result.option.steps
    shown = []
    if story.kept(result):
        shown.append(
            Shown(
                COST,
                "What does it cost?",
                partial(_cost, result),
                story.cost(found.table.choice, result),
                steps=steps,
            )
        )
    if not attacked:
        shown.append(
            Shown(
                RISK,
                "What does an attacker find, before and after?",
                partial(_risk, found.as_it_is, result),
                story.risk(found, result),
                steps=steps,
            )
        )
    return shown


def closing(data: Dataset) -> list[Shown]:
    """The last slide: what was decided, and why; nothing while it is open."""
    mine = workspace.of(data.digest)
    standing, why_not = mine.choice, mine.refusal
    if why_not is not None:
        said = partial(_say, [story.NOTHING_LEAVES])
        return [Shown(DECISION, story.DECIDED, said, story.reason(why_not), about=AS_THEY_ARE)]
    found = explored(data)
    if standing is None or found is None:
        return []
    heads = story.decision(found, standing.result)
    steps = standing.result.option.steps
    return [
        Shown(
            DECISION, story.DECIDED, partial(_say, heads), story.reason(standing.why), steps=steps
        )
    ]


def of_chosen(choice: Choice | None, steps: tuple[object, ...]) -> bool:
    """Whether a slide may be shown: it is of no option, or of the one that is chosen."""
    return not steps or (choice is not None and choice.result.option.steps == steps)


def _say(heads: list[str], _: Theme) -> None:
    """Sentences in the place of a figure."""
    with st.container(key="present_heads"):
        for head in heads:
            st.markdown(head)


def _cost(result: OptionResult, of: Theme) -> None:
    show(
        projected(pareto.kept(story.kept(result), of), FIGURE_PX),
        key="present_cost",
        alt="What the chosen option keeps of each use of the data, from 0 to 1.",
    )


def _risk(raw: OptionResult | None, result: OptionResult, of: Theme) -> None:
    show(
        projected(attack.before_and_after(story.compared(raw, result), [], of), FIGURE_PX),
        key="present_risk",
        alt="Share of people found, before and after, beside guessing.",
    )
