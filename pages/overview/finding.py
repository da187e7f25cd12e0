"""“Find a release”: the search, its progress, and the best option within the thresholds."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import search
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.judgement import Limits, serves
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable, merged
from fpanon_core.studies.report_verdict import within
from fpanon_core.studies.study import AtHand
from pages.charts import words
from pages.charts.plain import plain
from pages.overview import story
from pages.shell import exploration, guard, job_panel, layout, limits, questions, workspace
from pages.shell.dataset import Dataset
from pages.shell.guard import fragment
from pages.shell.session import Job
from pages.shell.widgets import selectbox
from pages.shell.workspace import NO_REASON, REASON, REFUSE, Tried

_POLL_S = 0.6
_TIMES_S = {120.0: "2 minutes at most", search.SECONDS: "5 minutes at most"} | {
    900.0: "15 minutes at most",
    3_600.0: "1 hour at most",
}


def knowledge(data: Dataset) -> KnowledgeConfig:
    """Return the attacker's knowledge assumed in the last weighing, or what is usually assumed."""
    before = workspace.of(data.digest).weighed
    return search.KNOWLEDGE if before is None else before.table.config


def table(data: Dataset, limits: Limits) -> OptionsTable:
    """Return the options weighed so far on Overview, on “Release options” or for the report."""
    mine, tried = workspace.of(data.digest), _tried(data)
    before = mine.weighed
    made = exploration.empty(data) if before is None else before.table
    late = 0 if before is None else before.waiting
    if tried is not None:
        results = exploration.known(data.fs, tried.options, tried.knowledge)
        late = len(tried.options) - len(results)
        made = replace(made, results=merged(results, made.results))
        mine.made["options"] = tuple(
            AtHand("options", r.option.name, r.option, made.config)
            for r in made.results
            if not r.fault
        )
    if made.results:
        mine.weigh(made, limits, late)
    return made


def section(data: Dataset, explored: Exploration, left: list[ReleaseOption]) -> None:
    """Draw the search for a release: the button that starts it, its progress, and its result.

    ``left`` holds the options that an ended search has not tried.
    """
    tried = _tried(data)
    with st.container(border=True, key="overview_find"):
        untried = story.untried([option.told for option in left]) if left else ""
        nothing = not serves(explored.table, within(explored))
        if tried is not None:
            _progress(data, tried)
        if left and nothing:  # say first that time ran out, then what little was tried
            _offer(data, "Go on searching", untried, primary=True)
        if explored.table.results:
            gone = exploration.skipped(data.fs) if tried is not None else []
            _found(
                explored,
                under_way(data) + len(left),
                story.skipped([option.told for option in gone]),
            )
        mine = workspace.of(data.digest)
        if (standing := mine.choice) is not None:
            st.markdown(story.describe_chosen(standing.result.option.name, standing.why))
        elif mine.refusal is not None:
            st.markdown(story.REFUSED)
        if tried is None:
            _offer(data, "Find a release", story.PLAN, primary=True)
        elif left and not nothing:
            _offer(data, "Go on searching", untried)


def _tried(data: Dataset) -> Tried | None:
    """Return the search; None if there is none, or if it assumed another attacker's knowledge."""
    found = workspace.of(data.digest).tried
    return found if found is not None and found.knowledge == knowledge(data) else None


def untried(data: Dataset) -> list[ReleaseOption]:
    """Return the options that an ended search has not tried."""
    return [] if _tried(data) is None else exploration.untried(data.fs)


def under_way(data: Dataset) -> int:
    """Return how many options are being tried."""
    return sum(job.active for job in exploration.searching(data.fs))


def _offer(data: Dataset, label: str, told: str, *, primary: bool = False) -> None:
    """Draw a menu for the time of the search, a button to start it, and the text ``told``.

    The button stands out unless a choice is on offer above it.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="overview_offer"):
        seconds = selectbox(
            "Time for the search",
            list(_TIMES_S),
            format_func=_TIMES_S.__getitem__,
            key="overview_seconds",
            label_visibility="collapsed",
            width=190,
        )
        kind = "primary" if primary else "secondary"
        how = {"key": "overview_find_go", "type": kind, "icon": ":material/search:"}
        guard.button(label, exploration.find, data.fs, knowledge(data), seconds, **how)
        st.markdown(told, width="stretch")


def _progress(data: Dataset, tried: Tried) -> None:
    """Draw the search's progress, a way to stop it, and its failures."""
    jobs = exploration.searching(data.fs)
    active = [job for job in jobs if job.active]
    if active and tried.until:
        _bar(data, tried, active)
    others = [job for job in jobs if not (job.active and tried.until)]
    if others:
        job_panel.show(others, key="overview_failed", stop=questions.hold)


@fragment(run_every=_POLL_S)
def _bar(data: Dataset, tried: Tried, jobs: list[Job]) -> None:
    """Draw one bar for the time of the whole search."""
    left = tried.until - time.monotonic()
    if left <= 0 or any(not job.active for job in jobs):
        st.rerun()
    first = min(jobs, key=lambda job: job.status != "running")
    done = len(tried.options) - len(jobs)
    parts = [f"**{words.count(done, 'option')} tried**", plain(first.label)]
    if waits := job_panel.waits(first):
        parts.append(waits)
    parts.append(f"{words.clock(left)} left at most")
    with st.container(horizontal=True, vertical_alignment="center", key="overview_bar"):
        st.progress(1 - left / tried.seconds, text=" · ".join(parts), width="stretch")
        if st.button("Cancel", key="overview_cancel"):
            exploration.stop(data.fs)
            st.rerun()


def _found(explored: Exploration, on_the_way: int, skipped: str) -> None:
    """Draw the best option within the thresholds, and its cost; if there is none, the nearest."""
    row, digest = story.best(explored), explored.table.digest
    if row is not None:
        with st.container(key="overview_best"):
            st.markdown(f"**{story.best_head(explored, row, on_the_way)}**")
    said, more = story.describe_best_option(explored)
    layout.what_this_means("\n\n".join(said), *more, skipped, key="overview_best")
    counts = story.next_is_counts(explored)
    with st.container(horizontal=True, key="overview_next"):
        if row is not None:
            useful = bool(serves(explored.table, within(explored)))
            _choice(digest, explored.table.results[row], useful=useful)
        elif _button("Would counts be safer?", "counts", ":material/grid_on:", primary=counts):
            st.switch_page("pages/aggregates/view.py")
        _refusing(digest)
        first = row is None and not counts
        if _button("See all options", "options", ":material/balance:", primary=first):
            st.switch_page("pages/options/view.py")
        if _button("Report", "report", ":material/description:"):
            st.switch_page("pages/report/view.py")
    with st.container(key="overview_ladder"):
        st.table(
            story.rungs(explored),
            hide_index=True,
            alt="The kinds of release, the least revealing first, each with one option.",
        )
    if promise := story.promise(explored):
        st.info(promise, icon=":material/info:")
    if advice := story.advice(explored):
        st.markdown("\n".join(["**What would have to change**", "", *(f"- {a}" for a in advice)]))


def _choice(digest: str, result: OptionResult, *, useful: bool) -> None:
    """Draw a button that keeps the choice and opens the report, and one that opens the attack.

    If a reason is due, the first button opens the page that asks for the reason. This button stands
    out only if the option serves the purpose.
    """
    name = result.option.name
    due = workspace.refused(result, "", "", limits.in_force())
    label = "Choose it, and say why" if due else "Choose it"
    if _button(label, "choose", ":material/check:", primary=useful):
        workspace.propose(digest, name)  # also selected on “Release options”
        if due:
            st.switch_page("pages/options/view.py")
        why = st.session_state.get(workspace.reason_key(name))
        workspace.of(digest).choose(result, why or "")
        st.switch_page("pages/report/view.py")
    if result.option.recordless is None:  # otherwise, what an attacker finds is shown above
        workspace.attack(name, key="overview_attack")


def _refusing(digest: str) -> None:
    """Draw the form to release nothing; it asks for a reason, which enters the report."""
    with st.popover("Release nothing", icon=":material/block:", key="overview_refuse"):
        label, key = "Why nothing is released", "overview_why_not"
        why = st.text_area(label, key=key, max_chars=2_000, height=100, placeholder=REASON) or ""
        if st.button("Confirm and open the report", key="overview_refuse_keep", type="primary"):
            if why.strip():
                workspace.of(digest).refuse(why)
                st.session_state[workspace.reason_key(REFUSE)] = why
                st.switch_page("pages/report/view.py")
            st.error(NO_REASON)


def _button(label: str, key: str, icon: str, *, primary: bool = False) -> bool:
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    return st.button(label, key=f"overview_{key}", icon=icon, type=kind)
