"""The four statements about the original data: each one's question, sentence and page.

Each statement asks what its page asks with the usual settings, so nothing is measured twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.disclosure import RISKS
from fpanon_core.studies import anonymizability, recovery
from fpanon_core.studies import report_words as w
from fpanon_core.studies.option_result import OptionResult
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.shell import definitions, exploration, job_panel, limits, questions, widgets
from pages.shell.dataset import Dataset
from pages.shell.guard import act
from pages.shell.kinds import MEASURE, RECOVERY
from pages.shell.questions import Question

_KS = (2, 5, 10)
_HIDING_ALONE_UP_TO = 20_000  # people, which takes seconds; with more, the officer starts it
_FOUND = (
    "Unicity is the share of people singled out by known points of their record. The points are "
    "{drawn}. An attacker who knows more points singles out more people."
)
_MOVED = (
    "The 2-gap, in distance and time: a person's record is matched to the nearest other record, "
    "sample by sample, and distances and times are averaged. No sample counts for more than {cap}. "
    "Both figures are medians: half of the people are at or above each."
)
_RECOVERED = (
    "fpanon counts the people at each place, then attacks the counts with a program that sees "
    "nothing else. Each recovered trajectory is paired with one person; the number is the share of "
    "everyone's recorded points that these trajectories get right. The program links counts within "
    "each night and day first, then across days. The counts cover the places and the period of the "
    "data, with no noise and nothing left out."
)
Told = tuple[str, str, str]
"""A number; its meaning, compared with guessing; and the people it covers and its interval."""


@dataclass(frozen=True)
class Statement:
    """One statement on the page: its question, its sentence, and the page with details.

    ``told`` makes the sentence from the answer; ``alone`` says whether the measurement starts
    automatically.
    """

    key: str
    title: str
    help: str
    view: str
    question: Question
    told: Callable[[Any], Told]
    alone: bool


def of(data: Dataset, known: KnowledgeConfig) -> list[Statement]:
    """Return the four statements, in the order in which they are measured."""
    fs, usual = data.fs, questions.ordinary(data.fs)
    raw = exploration.as_it_is(fs, known)
    ks = tuple(k for k in _KS if k <= fs.n_users) or _KS[:1]
    gaps = anonymizability.Config((widgets.PRESETS[0],), ks, widgets.in_force())
    cap = " and ".join(_cap(gaps))
    hiding = Question(MEASURE, fs, gaps, f"Measuring at {widgets.PRESETS[0]}", (None,))
    counting = recovery.Config(users=min(recovery.Config().users or fs.n_users, fs.n_users))
    counts = Question(RECOVERY, fs, counting, "Recovering people's trajectories from counts")
    cells = (counting.users or 0) * float(np.ptp(fs.t_min)) / counting.slot_min
    few = usual and fs.n_users <= _HIDING_ALONE_UP_TO
    title = f"Singled out by {words.count(known.p, 'known point')}"
    drawn = _FOUND.format(drawn=w.DRAWN[known.strategy])
    return [
        Statement("found", title, drawn, "unicity", raw, _of_raw(found), usual),
        Statement(
            "moved",
            "Shift needed to hide",
            _MOVED.format(cap=cap),
            "anonymizability",
            hiding,
            moved,
            few,
        ),
        Statement(
            "home",
            "Home found within 1 km",
            definitions.HOME_FOUND,
            "attack",
            raw,
            _of_raw(home),
            usual,
        ),
        Statement(
            "recovered",
            "Recovered from exact counts",
            _RECOVERED,
            "aggregates",
            counts,
            recovered,
            usual and cells <= recovery.MOST_CELLS,
        ),
    ]


def _cap(config: anonymizability.Config) -> tuple[str, str]:
    far = config.stretch
    return words.distance(far.max_space_m), words.duration(far.max_time_min)


def _of_raw(told: Callable[[OptionResult], Told]) -> Callable[[Any], Told]:
    """Return a function that gives a statement on the original data, or the fault in measuring."""

    def of_table(table: Any) -> Told:
        raw: OptionResult = table.results[0]
        return ("–", raw.fault, "") if raw.fault is not None else told(raw)

    return of_table


# --- what is said ---


def found(raw: OptionResult) -> Told:
    """Say how many people are singled out by a few points."""
    asked = f"We tested all {raw.n_users:,} people"
    if raw.n_targets < raw.n_users:
        asked = f"We tested {raw.n_targets:,} of the {raw.n_users:,} people, drawn at random"
    few = ""
    if raw.too_few:
        few = f" {words.people(raw.too_few)} had fewer points; the attacker knew all their points."
    value, low, high = raw.risk("unicity")
    sure = w.describe_interval(low, high, "unicity")
    return (
        w.percent(value),
        f"of people; guessing finds 1 in {raw.n_users:,}{_accepted('unicity')}",
        f"{'; '.join(filter(None, (asked, sure)))}.{few}",
    )


def _accepted(risk: str) -> str:
    most = limits.in_force().limit(risk)
    beside = "guessing + " if RISKS[risk].beside_guessing else ""
    return "" if most is None else f"; threshold: {beside}{100 * most:.3g}%"


def moved(result: anonymizability.Result) -> Told:
    """Say how far a typical person's samples must move for the person to look like others."""
    measured = result.measured[0]
    k = min(measured.parts)
    parts, n = measured.parts[k], len(measured.gaps.users)
    space, time = float(np.median(parts.space_m)), float(np.median(parts.time_min))
    far = [words.distance(space)] if math.isfinite(space) else []
    far += [words.duration(time)] if math.isfinite(time) else []
    number = " · ".join(far)
    for long, short in ((" minutes", " min"), (" minute", " min"), (" hours", " h")):
        number = number.replace(long, short)
    hidden = int((measured.gaps.at(k).values == 0).sum())
    cap, already = " or ".join(_cap(result.config)), ""
    bound = anonymizability.lower_bound(parts.beyond_space, parts.beyond_time)
    least = "at least, " if bound else ""
    if hidden:
        who = w.first_up(words.share(hidden, n))
        already = f" {who} already look{'s' * (hidden == 1)} like {words.others(k)}."
    return (
        number,
        f"{least}on average, to look like {words.others(k)}",
        f"This is what it takes to look like {words.others(k)}, averaged over the matched "
        f"samples ({words.people(n)}). Anything more than {cap} apart counts as exactly {cap}."
        f"{already}",
    )


def home(raw: OptionResult) -> Told:
    """Say how many homes are found to within 1 km."""
    if "home" in raw.unasked:
        return "not known", raw.unasked["home"], ""
    value, low, high = raw.risk("home")
    guessed = w.guessing(raw, "home")
    return (
        w.percent(value),
        f"of homes{f'; guessing finds {guessed}' if guessed else ''}{_accepted('home')}",
        "An attacker who has the records looks for the homes of "
        f"{w.homes_asked(raw) or 'the people with recorded nights'}; 95% interval: "
        f"{w.between(low, high, 'home') or 'not known'}. A home is the place with the most events "
        "at night, however few nights were recorded.",
    )


def recovered(result: recovery.Result) -> Told:
    """Say how many of the recorded points the attack recovers from counts."""
    score = result.score
    share, chance = float(score.recorded_by_step[-1]), float(score.baseline_recorded_by_step[-1])
    if not math.isfinite(share):
        return "not known", "None of the points counted was recorded.", ""
    drawn = "" if score.n_users >= result.n_users else f" drawn from {result.n_users:,}"
    unproven = ""
    if share <= chance:
        single = f"{words.percent(result.alone)} of counts above 0 are of one person"
        unproven = f"; {single if result.alone else 'this failure does not make counts safe'}"
    return (
        words.percent(share),
        f"of recorded points; at random {words.percent(chance)}{unproven}",
        f"{words.people(score.n_users)}{drawn} {words.were(score.n_users)} counted every "
        f"{words.duration(result.counts.slot_min)}; the share is of all their recorded points. “At "
        "random” means linking the counts by chance.",
    )


# --- progress ---


def begin(statements: list[Statement], *, asked: bool = False) -> None:
    """Start the measurements that may start automatically or, if ``asked``, all of them."""
    for each in statements:
        if asked or (each.alone and not questions.held(each.question)):
            questions.ask(each.question)


def draw(statement: Statement) -> None:
    """Draw a statement's number, or what replaces it; the title links to the statement's page."""
    title = plain(statement.title)
    with st.container(key=f"overview_{statement.key}"):
        left, right = st.columns([1, 1], gap="small", vertical_alignment="bottom")
        answer = questions.answer(statement.question)
        waiting = ("–" if questions.failed(statement.question) else "…", "", "")
        number, text, more = waiting if answer is None else statement.told(answer)
        with left.container(gap=None):
            page = f"pages/{statement.view}/view.py"
            about = "\n\n".join(filter(None, (statement.help, plain(more, MESSAGE_LENGTH))))
            st.page_link(page, label=title, help=about)
            st.metric(title, plain(number), label_visibility="collapsed")
        with right:
            if answer is None:
                _waiting(statement)
            else:
                st.caption(plain(text, MESSAGE_LENGTH))


def _waiting(statement: Statement) -> None:
    """Draw the progress, a note that nothing was measured, or a button to start measuring."""
    jobs = questions.jobs_of(statement.question)
    if any(job.active for job in jobs):
        job_panel.quiet(jobs[0], "Measuring …")
    elif jobs:
        st.caption("Not measured.")
    else:
        st.button(
            "Measure",
            key=f"overview_{statement.key}_go",
            on_click=act(questions.ask),
            args=(statement.question,),
        )


def failures(statements: list[Statement]) -> None:
    """Draw each reason why statements could not be measured, once, and a button to try again."""
    failed = {
        job.number: job
        for s in statements
        for job in questions.jobs_of(s.question)
        if not job.active
    }
    if failed:
        job_panel.show(list(failed.values()), key="overview_four_jobs", stop=questions.hold)
