"""The wall: a title, a figure, a sentence, and the way to the next; nothing else if so wished.

Which slides are shown, and in which order: a list that one puts together.

The slides of the decision: the verdict first, then the chosen option, at last what was decided.

They say what the report says, of the option that stands as the choice; without one, of the data as
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pydeck as pdk
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.model.options import Step
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.option_result import OptionResult
from pages.charts import attack, pareto
from pages.charts.style import Theme, projected
from pages.present import story
from pages.shell import exploration, workspace
from pages.shell.dataset import Dataset
from pages.shell.figure import show, show_map
from pages.shell.guard import act
from pages.shell.workspace import AS_THEY_ARE, Choice, Slide

FIGURE_PX = 360  # with title, keys and a sentence of three lines it fits a screen 720 px high
_AT, _ALONE = "fp_present_at", "fp_present_alone"
# Pages whose figures become slides: address, and what their links say.
_WAY = {
    "unicity": "Who can be found",
    "anonymizability": "How hard to hide",
    "disclosure": "What is learnt",
    "aggregates": "Would counts be safer",
    "glove": "Hide everyone",
    "options": "Release options",
    "attack": "Attack the release",
}
_FOLDERS = {"glove": "hiding"}


@dataclass(frozen=True, eq=False)
class Shown:
    """A slide as this page shows it.

    Attributes
    ----------
    key, question, sentence, more, about, steps
        As of a :class:`.Slide`.
    show : callable
        Draws the figure where it stands.
    """

    key: str
    question: str
    show: Callable[[Theme], None]
    sentence: str
    more: str = ""
    about: str = AS_THEY_ARE
    steps: tuple[Step, ...] = ()


def dress() -> None:
    """Type of a size for a wall; and, when only the slide is to be seen, nothing around it."""
    alone = (
        "[data-testid=stSidebar], [data-testid=stHeader], [data-testid=stExpandSidebarButton], "
        ".st-key-bar {display: none;} "
        "[data-testid=stMainBlockContainer] {padding-top: 1.5rem;}"
    )
    st.html(
        "<style>"
        ".st-key-present_heading {gap: 1rem;} "
        ".st-key-present_heading h1 {font-size: 1.9rem; padding: 0;} "
        ".st-key-present_sentence {gap: 0.2rem;} "
        ".st-key-present_sentence p {font-size: 1.25rem; line-height: 1.35;} "
        ".st-key-present_heads {padding: 2rem 0;} "
        ".st-key-present_heads p {font-size: 1.75rem; line-height: 1.35;} "
        "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock] {gap: 0.6rem;} "
        f"{alone if st.session_state.get(_ALONE) else ''}"
        "</style>"
    )


def line() -> tuple[DeltaGenerator, DeltaGenerator]:
    """The places of the title, and of what is pressed, in a row above it."""
    corner = st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        gap="small",
        key="present_corner",
    )
    return st.container(key="present_heading"), corner


def offered(digest: str) -> list[Shown]:
    """What other pages have offered of these data, in the order of the way through them."""
    way = list(_WAY)
    found = sorted(
        workspace.of(digest).slides.values(),
        key=lambda slide: next((i for i, a in enumerate(way) if slide.key.startswith(a)), len(way)),
    )
    return [
        Shown(s.key, s.question, partial(_draw, s), s.sentence, s.more, s.about, s.steps)
        for s in found
    ]


def _draw(slide: Slide, of: Theme) -> None:
    figure: Any = projected(slide.draw(of), FIGURE_PX)
    if isinstance(figure, pdk.Deck):
        show_map(figure, key=f"present_{slide.key}", alt=slide.question, height=FIGURE_PX)
    else:
        show(figure, key=f"present_{slide.key}", alt=slide.question)


def turn(slides: Sequence[Shown], corner: DeltaGenerator) -> Shown:
    """The slide that is shown, and the keys to the others: arrows, also those of a remote."""
    keys = [slide.key for slide in slides]
    here = st.session_state.get(_AT)
    at = keys.index(here) if here in keys else 0
    last = len(keys) - 1
    corner.markdown(f"{at + 1} of {len(keys)}", width="content")
    corner.button(
        "Back",
        key="present_back",
        icon=":material/arrow_back:",
        shortcut="Left",
        disabled=at == 0,
        on_click=act(_go),
        args=(keys[max(at - 1, 0)],),
    )
    corner.button(
        "Next",
        key="present_next",
        icon=":material/arrow_forward:",
        shortcut="Right",
        type="primary",
        disabled=at == last,
        on_click=act(_go),
        args=(keys[min(at + 1, last)],),
    )
    alone = bool(st.session_state.get(_ALONE))
    corner.button(
        "Show the menu" if alone else "Only the slide",
        key="present_alone",
        icon=":material/fullscreen_exit:" if alone else ":material/fullscreen:",
        shortcut="F",
        on_click=act(_turn_alone),
        args=(not alone,),
    )
    return slides[at]


def _go(key: str) -> None:
    st.session_state[_AT] = key


def _turn_alone(alone: bool) -> None:
    st.session_state[_ALONE] = alone


def sentence(text: str, more: str) -> None:
    """What the figure says; what does not fit on a wall is a press away."""
    with st.container(key="present_sentence"):
        st.markdown(text)
        if more:
            with st.popover("More", type="tertiary", key="present_more"):
                st.markdown(more)


def missing(data: Dataset) -> None:
    """The pages that have nothing to show yet; not while only the slide is to be seen."""
    if st.session_state.get(_ALONE):
        return
    have = [slide.key for slide in workspace.of(data.digest).slides.values()]
    left = {a: name for a, name in _WAY.items() if not any(key.startswith(a) for key in have)}
    if left:
        with st.container(horizontal=True, vertical_alignment="center", key="present_missing"):
            st.caption(story.MISSING, width="content")
            for address, name in left.items():
                st.page_link(f"pages/{_FOLDERS.get(address, address)}/view.py", label=name)


_ORDER, _KNOWN = "fp_present_order", "fp_present_known"


def chosen(slides: Sequence[Shown], place: DeltaGenerator) -> list[Shown]:
    """The slides in the order that was chosen; new ones come last, until they are taken out."""
    by_key = {slide.key: slide for slide in slides}
    order: list[str] = st.session_state.get(_ORDER, [])
    known: set[str] = st.session_state.get(_KNOWN, set())
    # A list that nobody touched follows the way through the pages.
    wanted = [key for key in order if key in by_key] if order or known else []
    wanted += [key for key in by_key if key not in known]
    with place.popover("Slides", icon=":material/list:", key="present_slides"):
        widget = f"present_order_{abs(hash((tuple(by_key), tuple(wanted))))}"
        st.multiselect(
            "Shown in this order",
            list(by_key),
            default=wanted,
            format_func=lambda key: by_key[key].question,
            key=widget,
            on_change=act(_take),
            args=(widget, frozenset(by_key)),
            placeholder="choose slides",
        )
        st.caption("Take slides out, and add them again in the order in which they are to come.")
    return [by_key[key] for key in wanted]


def _take(widget: str, known: frozenset[str]) -> None:
    st.session_state[_ORDER] = list(st.session_state[widget])
    st.session_state[_KNOWN] = st.session_state.get(_KNOWN, set()) | known


VERDICT, COST, RISK, DECISION = "verdict", "cost", "attack_chosen", "decision"


def explored(data: Dataset) -> Exploration | None:
    """What was weighed of these data, and the data as they are; None before any is measured."""
    found = workspace.of(data.digest).weighed
    if found is None or not found.table.results:
        return None
    return exploration.judged(data, found.table, found.limits)


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
