"""One person followed: points become known one by one, on a map and in the order of the records.

People appear by pseudonym only, and whom one looks at stays out of the address.
"""

from __future__ import annotations

import secrets

import streamlit as st

from fpanon_core.studies.attack import Result
from fpanon_core.studies.followed import Followed
from pages.attack import question, scene, target_story
from pages.attack.form import Asked
from pages.charts import record
from pages.charts.style import Theme
from pages.shell import layout, questions
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show, show_map
from pages.shell.guard import act, fragment
from pages.shell.layout import side_by_side, what_this_means

_TARGET, _STEP, _STEPPED = "fp_attack_target", "fp_attack_step", "fp_attack_stepped"
Target = tuple[int, int | None]  # row number, and the number of the period


def section(data: Dataset, asked: Asked, result: Result, of: Theme) -> None:
    """Whom to follow, and what the outsider can tell after each point."""
    st.header("One person followed", anchor=False, help=target_story.HELP)
    user, period = _pick(data, asked, result)
    wanted = question.followed_one(data, asked, result.after.link.attacker, user, period)
    if not questions.held(wanted):
        questions.ask(wanted)
    questions.progress(question.FOLLOWED)
    found: Followed | None = questions.answer(wanted)
    if found is None:
        st.caption("The map appears as soon as this person is followed.")
    else:
        _steps(found, of)


def _pick(data: Dataset, asked: Asked, result: Result) -> Target:
    """The person looked at: an example of what the release does, or somebody drawn."""
    drawn = result.after.link.per_target
    offered = {each.kind: (each.user, each.period) for each in result.examples}
    about = question.of(data, asked).key
    chosen: tuple[object, Target] | None = st.session_state.get(_TARGET)
    if chosen is None or chosen[0] != about:
        _turn_to(about, next(iter(offered.values()), _nth(result, 0)))
    with st.container(horizontal=True, vertical_alignment="center", key="attack_examples"):
        st.markdown("Follow somebody who is", width="content")
        for kind, person in offered.items():
            st.button(
                target_story.EXAMPLES[kind],
                key=f"attack_follow_{kind}",
                on_click=act(_turn_to),
                args=(about, person),
            )
        st.button(
            "drawn at random",
            key="attack_follow_random",
            icon=":material/casino:",
            on_click=act(_turn_to_any),
            args=(about, result, len(drawn)),
        )
    target: Target = st.session_state[_TARGET][1]
    return target


def _nth(result: Result, row: int) -> Target:
    """One of those asked about."""
    table = result.after.link.per_target
    period = int(table["period"].iloc[row]) if "period" in table else None
    return int(table["user"].iloc[row]), period


def _turn_to(about: object, target: Target) -> None:
    layout.overtake(_STEPPED)
    st.session_state[_TARGET] = about, target
    st.session_state[_STEP] = 1


def _turn_to_any(about: object, result: Result, many: int) -> None:
    _turn_to(about, _nth(result, secrets.randbelow(many)))  # to be looked at only


@fragment()
def _steps(found: Followed, of: Theme) -> None:
    """Step by step; redrawn alone when only the step changes."""
    last = len(found.steps) - 1
    at = min(int(st.session_state.get(_STEP, 1)), last)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Back",
            key="attack_back",
            icon=":material/arrow_back:",
            disabled=at == 0,
            on_click=act(_go),
            args=(at - 1,),
        )
        key = layout.key("attack_step", _STEPPED)
        st.slider(
            "Points known", 0, last, at, key=key, on_change=act(_take), args=(key,), width=320
        )
        st.button(
            "Next point",
            key="attack_next",
            icon=":material/arrow_forward:",
            type="primary",
            disabled=at == last,
            on_click=act(_go),
            args=(at + 1,),
        )
    step = found.steps[at]
    what_this_means(*target_story.told(found, step), key="attack_followed")
    legend(
        record.followed_legend(of),
        key="attack_marks",
        alt="What the marks of the map and the bars are.",
    )
    left, right = side_by_side("attack_followed")
    with left:
        seen = scene.scene(found, step)
        show_map(
            None if seen is None else record.followed_map(seen, of, height=440),
            key="attack_map",
            height=440,
            alt=f"Map of {found.pseudonym} after {step.known} known points: where the person "
            "was, the points, and the published areas of the records that lead.",
        )
    with right:
        if step.known:
            show(
                record.ranking(scene.bars(step), of),
                key="attack_ranking",
                alt="How likely the outsider takes each of the leading records to be the person's.",
            )


def _go(step: int) -> None:
    layout.overtake(_STEPPED)
    st.session_state[_STEP] = step


def _take(key: str) -> None:
    if layout.is_current(key, "attack_step", _STEPPED):
        st.session_state[_STEP] = int(st.session_state[key])
