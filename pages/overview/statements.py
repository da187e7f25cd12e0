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
from fpanon_core.studies.report_words import drawn
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.overview import story
from pages.shell import definitions, exploration, job_panel, questions, widgets
from pages.shell.dataset import Dataset
from pages.shell.guard import act
from pages.shell.kinds import MEASURE, RECOVERY
from pages.shell.questions import Question
from pages.shell.session import Job
from pages.shell.widgets import PRESETS

_KS = (2, 5, 10)
_HIDING_ALONE_UP_TO = 20_000  # people, a matter of seconds; of more, the page that says so asks


@dataclass(frozen=True)
class Statement:
    """A place on the page: what is asked there, how its answer is told, where more stands."""

    key: str
    title: str
    help: str
    view: str
    question: Question
    told: Callable[[Any], story.Told]
    alone: bool


def of(data: Dataset, known: KnowledgeConfig) -> list[Statement]:
    """The four, in the order in which they are measured."""
    fs, usual = data.fs, questions.ordinary(data.fs)
    raw = exploration.as_it_is(fs, known)
    ks = tuple(k for k in _KS if k <= fs.n_users) or _KS[:1]
    config = anonymizability.Config((PRESETS[0],), ks, widgets.in_force())
    far = config.stretch
    cap = f"{words.distance(far.max_space_m)} and {words.duration(far.max_time_min)}"
    hiding = Question(MEASURE, fs, config, f"Measuring at {PRESETS[0]}", (None,))
    counting = recovery.Config()
    counting = recovery.Config(users=min(counting.users or fs.n_users, fs.n_users))
    counts = Question(RECOVERY, fs, counting, "Recovering people's paths from counts")
    cells = (counting.users or 0) * float(np.ptp(fs.t_min)) / counting.slot_min
    return [
        Statement(
            "found",
            f"Found with {words.count(known.p, 'point')}",
            _FOUND.format(drawn=drawn(known.strategy)),
            "unicity",
            raw,
            lambda table: story.found(table.results[0], known),
            usual,
        ),
        Statement(
            "moved",
            "To be moved, to hide",
            _MOVED.format(cap=cap),
            "anonymizability",
            hiding,
            story.moved,
            usual and fs.n_users <= _HIDING_ALONE_UP_TO,
        ),
        Statement(
            "home",
            "Home found within 1 km",
            definitions.HOME_FOUND,
            "attack",
            raw,
            lambda table: story.home(table.results[0]),
            usual,
        ),
        Statement(
            "recovered",
            "Recovered from counts",
            _RECOVERED,
            "aggregates",
            counts,
            story.recovered,
            usual and cells <= MOST_CELLS,
        ),
    ]


_FOUND = (
    "Unicity: the share of people whom points of their record, places with their times, single "
    "out: {drawn}. Whoever knows more points finds more."
)
_MOVED = (
    "The 2-gap in distance and time: each sample of a person is matched to one of the person who "
    "is nearest, and distances and times are averaged over the samples; of a sample at most "
    "{cap} count. Half of the people are above each of the two."
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


def draw(statement: Statement) -> None:
    """The number, or what there is in its place; its name leads to its page."""
    with st.container(key=f"overview_{statement.key}"):
        left, right = st.columns([6, 7], gap="small", vertical_alignment="center")
        answer = questions.answer(statement.question)
        told = None if answer is None else statement.told(answer)
        with left.container(gap=None):
            st.page_link(
                f"pages/{statement.view}/view.py",
                label=plain(statement.title),
                help=statement.help,
            )
            number = "…" if told is None else told.number
            st.metric(plain(statement.title), plain(number), label_visibility="collapsed")
        with right:
            if told is None:
                _waiting(statement)
            else:
                st.caption(plain(told.text, MESSAGE_LENGTH))


def _waiting(statement: Statement) -> None:
    """What becomes of it: how far it is, why it is not there, or the button that asks."""
    jobs = _jobs(statement)
    if any(job.active for job in jobs):
        job_panel.quiet(jobs[0], "Measuring …")
    elif jobs:
        st.caption(":material/error: Not finished; why stands below the map.")
    else:
        st.button(
            "Measure",
            key=f"overview_{statement.key}_go",
            on_click=act(questions.ask),
            args=(statement.question,),
        )


def failures(statements: list[Statement]) -> None:
    """Why some of them could not be measured, and another try; each reason once."""
    failed = {job.number: job for s in statements for job in _jobs(s) if not job.active}
    if failed:
        job_panel.show(list(failed.values()), key="overview_four_jobs", stop=questions.hold)


def _jobs(statement: Statement) -> list[Job]:
    key = statement.question.key
    return [j for j in questions.jobs(statement.question.kind) if j.meta["key"] == key]
