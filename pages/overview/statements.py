"""The four statements about the data as they are: what is asked, and its place on the page.

Each is the same question as its own page asks with its usual settings, so that it is measured once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.studies import anonymizability, recovery
from fpanon_core.studies.recovery import MOST_CELLS
from pages.overview import story
from pages.shell import definitions, exploration, job_panel, questions, stretch
from pages.shell.dataset import Dataset
from pages.shell.guard import act
from pages.shell.kinds import MEASURE, RECOVERY
from pages.shell.profiles import PRESETS
from pages.shell.questions import Question

_KS = (2, 5, 10)
_HIDING_ALONE_UP_TO = 5_000  # people; of more, the page that says so asks


@dataclass(frozen=True)
class Statement:
    """A place on the page: what is asked there, how its answer is told, where more stands."""

    key: str
    title: str
    help: str
    view: str
    link: str
    question: Question
    told: Callable[[Any], story.Told]
    alone: bool


def of(data: Dataset, known: KnowledgeConfig) -> list[Statement]:
    """The four, in the order in which they are measured."""
    fs, usual = data.fs, questions.ordinary(data.fs)
    raw = exploration.as_it_is(fs, known)
    ks = tuple(k for k in _KS if k <= fs.n_users) or _KS[:1]
    config = anonymizability.Config((PRESETS[0],), ks, stretch.in_force())
    hiding = Question(MEASURE, fs, config, f"Measuring at {PRESETS[0]}", (None,))
    counting = recovery.Config()
    counting = recovery.Config(users=min(counting.users or fs.n_users, fs.n_users))
    counts = Question(RECOVERY, fs, counting, "Recovering people's paths from counts")
    cells = (counting.users or 0) * float(np.ptp(fs.t_min)) / counting.slot_min
    return [
        Statement(
            "found", f"Found with {known.p} points", _FOUND, "unicity", "Who can be found",
            raw, lambda table: story.found(table.results[0], known), usual,
        ),
        Statement(
            "moved", "To be moved, to hide", _MOVED, "anonymizability", "How hard to hide",
            hiding, story.moved, usual and fs.n_users <= _HIDING_ALONE_UP_TO,
        ),
        Statement(
            "home", "Home found within 1 km", definitions.HOME_FOUND, "attack",
            "Attack the release", raw, lambda table: story.home(table.results[0]), usual,
        ),
        Statement(
            "recovered", "Recovered from counts", _RECOVERED, "aggregates",
            "Would counts be safer", counts, story.recovered, usual and cells <= MOST_CELLS,
        ),
    ]  # fmt: skip


_FOUND = (
    "Unicity: the share of people whom points of their record, places with their times, single "
    "out. Any row of a record is as likely to be known as any other. Whoever knows only the "
    "busiest places and hours finds fewer; whoever knows more points finds more."
)
_MOVED = (
    "The 2-gap in distance and time: each sample of a person is matched to one of the person who "
    "is nearest, and distances and times are averaged over the samples; of a sample at most 20 km "
    "and 8 hours count, unless you change that. Half of the people are above each of the two."
)
_RECOVERED = (
    "Counts of people at each place are made and attacked by a program that sees nothing else. Of "
    "the points where somebody was recorded, the share that the path paired with the person gets "
    "right, after nights, days and days together are linked. The counts are of the places and the "
    "period of the data, with no noise and nothing left out."
)


def begin(statements: list[Statement], *, asked: bool = False) -> None:
    """Ask what may start by itself, or all of them; each question once."""
    for each in statements:
        if asked or (each.alone and not questions.held(each.question)):
            questions.ask(each.question)


def draw(statement: Statement, *, height: int) -> None:
    """The number, or what there is in its place."""
    with st.container(border=True, key=f"overview_{statement.key}", height=height, gap="small"):
        answer = questions.answer(statement.question)
        if answer is not None:
            told = statement.told(answer)
            st.metric(statement.title, told.number, help=statement.help)
            st.caption(told.text)
        else:
            st.metric(statement.title, "…", help=statement.help)
            _waiting(statement)
        st.page_link(
            f"pages/{statement.view}/view.py", label=statement.link,
            icon=":material/arrow_forward:",
        )  # fmt: skip


def _waiting(statement: Statement) -> None:
    """What becomes of it: how far it is, why it is not there, or the button that asks."""
    key = statement.question.key
    jobs = [j for j in questions.jobs(statement.question.kind) if j.meta["key"] == key]
    if any(job.active for job in jobs):
        job_panel.quiet(jobs[0], "Measuring …")
    elif jobs:
        job_panel.show(jobs, key=f"overview_{statement.key}_jobs", stop=questions.hold)
    else:
        st.button(
            "Measure", key=f"overview_{statement.key}_go", on_click=act(questions.ask),
            args=(statement.question,),
        )  # fmt: skip
