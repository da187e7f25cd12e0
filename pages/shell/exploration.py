"""Weigh release options one by one, and keep each result, so that none is computed twice.

“Find a release” searches, round by round, on any page; “Release options” weighs the sets chosen
there. An option that both weigh is measured once. So are the original data, which the report also
needs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import Recordless, ReleaseOption, Step
from fpanon_core.model.profiles import as_areas
from fpanon_core.model.purpose import PURPOSES
from fpanon_core.studies import options
from fpanon_core.studies.exploration import Exploration, facts_of
from fpanon_core.studies.judgement import Limits, best_option, serves, within_limits
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.report_words import QUESTION
from fpanon_core.studies.search import KNOWLEDGE, Search
from pages.charts import words

from . import aims, limits, questions, session, workspace
from .dataset import Dataset
from .kinds import AS_IT_IS, OPTION
from .questions import Question
from .workspace import Tried

_SEARCH = "fp_search"


def find(fs: FingerprintSet, knowledge: KnowledgeConfig, seconds: float) -> None:
    """Begin a search, or continue a stopped one, for this number of seconds."""
    mine, now = workspace.of(fs.digest), time.monotonic()
    before = mine.tried
    questions.release_held(OPTION)
    if before is None or before.knowledge != knowledge:
        before = Tried((), knowledge, now, now, seconds)
    mine.tried = replace(before, until=now + seconds, seconds=seconds)


def advance(fs: FingerprintSet) -> None:
    """Start the search's next round once the last one is done, as long as time is left.

    Call it in every run: the search goes on whichever page is shown.
    """
    _settle(fs)
    mine = workspace.of(fs.digest)
    if mine.weighed is not None and mine.weighed.limits != limits.in_force():
        mine.weighed = replace(mine.weighed, limits=limits.in_force())
    tried = mine.tried
    if tried is None or not tried.until:
        return
    asked = [question(fs, option, tried.knowledge) for option in tried.options]
    other = mine.weighed is not None and mine.weighed.table.config != tried.knowledge
    if time.monotonic() >= tried.until or other or any(map(questions.held, asked)):
        stop(fs)
    elif waiting := [job for job in searching(fs) if job.active]:
        _forgo(fs, tried, waiting)
    else:
        wanted = _search(fs).wanted(_done(fs, tried.knowledge))
        known_by_now = [r.option for r in _every(fs, tried.knowledge).values() if r.option.steps]
        # Streamlit may end a run at any step: options noted first are at worst asked for again.
        every = {o.steps: o for o in (*known_by_now, *wanted, *tried.options)}
        until = tried.until if wanted else 0.0
        mine.tried = replace(tried, options=tuple(every.values()), until=until)
        for option in wanted:
            questions.ask(question(fs, option, tried.knowledge))


def _forgo(fs: FingerprintSet, tried: Tried, jobs: list[Job]) -> None:
    """Withdraw options that still wait, if the results so far show they would change nothing."""
    search, done = _search(fs), _done(fs, tried.knowledge)
    queued = [(job, _option_of(job)) for job in jobs if job.status == "queued"]
    gone = {option.steps: job for job, option in queued if search.useless(option, done)}
    if gone:
        left = tuple(option for option in tried.options if option.steps not in gone)
        workspace.of(fs.digest).tried = replace(tried, options=left)
        for job in gone.values():
            session.dismiss(job)


def _option_of(job: Job) -> ReleaseOption:
    option: ReleaseOption = job.meta["key"][1].options[0]
    return option


def _settle(fs: FingerprintSet) -> None:
    """Put aside what was measured on other areas, or decided for another purpose or recipient."""
    mine, areas = workspace.of(fs.digest), aims.areas(fs)
    label = "" if mine.weighed is None else mine.weighed.table.choice.label
    asked = label if label in PURPOSES else aims.purpose().name, aims.recipient()
    if mine.aims is None:
        mine.areas, mine.aims = areas, asked
    elif (mine.areas, mine.aims) != (areas, asked):
        other = mine.areas != areas
        if other:
            questions.let_go(OPTION)
        # The field shows the reason for the decision in force, and none where nothing is decided.
        if (made := mine.weighed) is not None:
            key = workspace.decision_key(made)
            if st.session_state.get(key, "").strip() == made.why:
                st.session_state[key] = ""
            if (made.chosen or made.refused) and "report_question" in st.session_state:
                st.session_state["report_question"] = QUESTION  # it belonged to the decision
        mine.turn_to(areas, asked)
        if (made := mine.weighed) is not None and made.chosen is not None:
            st.session_state[workspace.decision_key(made)] = made.why
        if other:
            stop(fs)


def stop(fs: FingerprintSet) -> None:
    """End the search; finished results stay."""
    mine = workspace.of(fs.digest)
    if mine.tried is not None:
        for job in searching(fs):
            if job.active:
                session.dismiss(job)
        done = tuple(r.option for r in known(fs, mine.tried.options, mine.tried.knowledge))
        mine.tried = replace(mine.tried, options=done, until=0.0)


def searching(fs: FingerprintSet) -> list[Job]:
    """Return the jobs of the search that wait, run or have failed."""
    tried = workspace.of(fs.digest).tried
    if tried is None:
        return []
    keys = {question(fs, option, tried.knowledge).key for option in tried.options}
    return [job for job in questions.jobs(OPTION) if job.meta["key"] in keys]


def untried(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return the options that an ended search has not tried; none while it runs."""
    tried = workspace.of(fs.digest).tried
    return [] if tried is None or tried.until else _search(fs).left(_done(fs, tried.knowledge))


def skipped(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return the options that an ended search skipped; none while it runs."""
    tried = workspace.of(fs.digest).tried
    return [] if tried is None or tried.until else _search(fs).skipped(_done(fs, tried.knowledge))


def _done(fs: FingerprintSet, knowledge: KnowledgeConfig) -> dict[tuple[Step, ...], OptionResult]:
    """Return all results so far, including the search's failures, by the options' steps."""
    done = _every(fs, knowledge)
    for job in searching(fs):
        if job.error is not None:  # a failure must not hold up other options
            option = _option_of(job)
            done[option.steps] = OptionResult(option, fault=job.error.message)
    return done


def _search(fs: FingerprintSet) -> Search:
    """Return the search, made once for the data, thresholds and purpose."""
    in_force, name = limits.in_force(), aims.purpose().name
    key = (fs.digest, name, tuple(sorted(in_force.of.items())))
    held = st.session_state.get(_SEARCH)
    if held is None or held[0] != key:
        found = Search(fs, in_force, utility_choice(name))
        held = st.session_state[_SEARCH] = (key, found)
    made: Search = held[1]
    return made


def _every(fs: FingerprintSet, knowledge: KnowledgeConfig) -> dict[tuple[Step, ...], OptionResult]:
    """Return all results so far, by the options' steps, whichever page asked for them."""
    areas = as_areas(aims.areas(fs))
    return {
        config.options[0].steps: found.result.results[0]
        for config, found in questions.of_data(OPTION, fs).items()
        if (config.knowledge, config.areas) == (knowledge, areas)
    }


def found(fs: FingerprintSet, knowledge: KnowledgeConfig) -> list[OptionResult]:
    """Return the results of “Find a release” so far for this knowledge; start no measurement."""
    tried = workspace.of(fs.digest).tried
    if tried is None or tried.knowledge != knowledge:
        return []
    return known(fs, tried.options, knowledge)


def results(
    fs: FingerprintSet, wanted: Sequence[ReleaseOption], knowledge: KnowledgeConfig
) -> list[OptionResult]:
    """Return the options' results so far, in order; measure the missing ones, and show progress.

    If the data are large or a measurement was stopped, draw a button to start measuring. Drop
    the jobs of options that are no longer wanted.
    """
    asked = [question(fs, option, knowledge) for option in wanted]
    finding = workspace.of(fs.digest).tried
    keys = {each.key for each in asked}
    if finding is not None:
        keys |= {question(fs, option, finding.knowledge).key for option in finding.options}
    questions.let_go(OPTION, but=keys)
    done = {result.option.steps for result in known(fs, wanted, knowledge)}
    waiting = [
        each
        for option, each in zip(wanted, asked, strict=True)
        if option.steps not in done and not questions.under_way(each)
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
    """Return the options' results so far, in order; start no measurement."""
    done = _every(fs, knowledge)
    if (raw := questions.answer(as_it_is(fs, knowledge))) is not None:
        done.setdefault((), raw.results[0])
    return [replace(done[each.steps], option=each) for each in wanted if each.steps in done]


def question(fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig) -> Question:
    """Return the question about an option; only the option's steps matter, not its name."""
    only = ReleaseOption(steps=option.steps)
    config = options.Config((only,), knowledge, as_areas(aims.areas(fs)))
    return Question(OPTION, fs, config, f"Exploring “{option.name}”")


def empty(data: Dataset) -> OptionsTable:
    """Return a table without options, as it is before any option is weighed."""
    choice = utility_choice(aims.purpose().name)
    return OptionsTable((), "outsider", choice, KNOWLEDGE, data.digest)


def current(data: Dataset) -> Exploration:
    """Return the options weighed so far for these data, judged as in the report."""
    found = workspace.of(data.digest).weighed
    of = (empty(data), limits.in_force()) if found is None else (found.table, found.limits)
    return judged(data, *of)


def recommended(data: Dataset) -> Recordless | None:
    """Return the recommended option's step, if the option has no records and serves the purpose."""
    explored = current(data)
    table, good = explored.table, within_limits(explored.table, explored.limits)
    row = best_option(table, explored.limits) if serves(table, good) else None
    return None if row is None else table.options[row].recordless


def judged(data: Dataset, table: OptionsTable, of: Limits) -> Exploration:
    """Return options with what their verdict needs: original data, thresholds and recipient."""
    raw: OptionsTable | None = questions.answer(as_it_is(data.fs, table.config))
    note, synthetic = data.source.note, data.source.synthetic
    facts = facts_of(data.report, label=data.label, note=note, synthetic=synthetic)
    before = None if raw is None else raw.results[0]
    areas, not_tried = aims.areas(data.fs), len(untried(data.fs))
    return Exploration(table, before, facts, of, aims.recipient(), areas, not_tried)


def as_it_is(fs: FingerprintSet, knowledge: KnowledgeConfig) -> Question:
    """Return the question about the original data, measured as the options are."""
    config = options.Config((ReleaseOption(),), knowledge, as_areas(aims.areas(fs)))
    return Question(AS_IT_IS, fs, config, "Measuring the data as they are")
