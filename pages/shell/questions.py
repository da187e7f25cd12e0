"""Questions that pages put to the studies: each is answered once, and its answer is kept.

Answers are kept by the kind of question, the data and the study's settings. A question whose
computation was stopped is held: it is not asked again automatically.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from fpanon_core.engines.limits import Limits
from fpanon_core.engines.process import Job
from fpanon_core.model.budgets import clock
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import estimates
from fpanon_core.studies.study import Kept

from . import job_panel, session

_ANSWERS, _HELD = "fp_answers", "fp_held_questions"
_ORDINARY_SAMPLES = 2_000_000  # above, a question waits to be asked


@dataclass(frozen=True)
class Kind:
    """Properties that all questions of a kind share.

    Attributes
    ----------
    name : str
        Name of the kind; the keys of its widgets begin with it.
    study : callable
        ``study(fs, config, *also, progress=...)`` of :mod:`fpanon_core.studies`; a child process
        imports it by name.
    page : str or None
        Address of the page that shows the progress in full; other pages show a line above the view.
        None if nobody waits for the answer, so that no page mentions it.
    kept : int
        How many of the latest answers are kept.
    together : bool
        Whether several questions may be under way; if not, a new one drops the others.
    join : callable or None
        Joins the answer kept under the same key (None the first time) and the new answer. It is
        used if a later answer extends an earlier one.
    identity : callable or None
        Returns the study's settings that distinguish two questions, as a hashable value. If None,
        all settings distinguish them.
    """

    name: str
    study: Callable[..., Any] = field(compare=False)
    page: str | None
    kept: int = 1
    together: bool = False
    join: Callable[[Any, Any], Any] | None = field(default=None, compare=False)
    identity: Callable[[Any], Hashable] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Question:
    """A question: kind, data and the study's settings; equal questions have the same answer.

    Attributes
    ----------
    kind : Kind
    fs : FingerprintSet or None
        The data; None for a question that concerns no data.
    config : hashable
        The study's settings.
    label : str
        Description of the work, for the screen.
    also : tuple
        Further arguments of the study that do not affect the answer, such as an earlier result.
    apart : hashable
        Further distinction: how the study's further arguments were made, if this does not follow
        from its settings.
    """

    kind: Kind
    fs: FingerprintSet | None = field(compare=False, repr=False)
    config: Hashable
    label: str = field(compare=False)
    also: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    apart: Hashable = None

    @property
    def key(self) -> tuple[str, Hashable]:
        """Return the data's digest and the settings that distinguish the question."""
        identity = self.kind.identity
        settings = self.config if identity is None else identity(self.config)
        if self.apart is not None:
            settings = (settings, self.apart)
        return ("" if self.fs is None else self.fs.digest, settings)


def answer(question: Question) -> Any | None:
    """Return the answer to a question; None if there is none yet."""
    found = kept(question.kind).get(question.key)
    return None if found is None else found.result


def kept(kind: Kind) -> dict[tuple[str, Hashable], Kept]:
    """Return all kept answers to questions of a kind, by digest and settings, the latest last."""
    return _every().get(kind.name, {})


def every_answer() -> list[Kept]:
    """Return all answers kept."""
    return [found for of_kind in _every().values() for found in of_kind.values()]


def put_every(answers: Iterable[Kept]) -> None:
    """Replace all answers, as when a study is opened; no question is held any more."""
    every: dict[str, dict[tuple[str, Hashable], Kept]] = {}
    for found in answers:
        every.setdefault(found.kind, {})[found.digest, found.settings] = found
    session.keep(_ANSWERS, every)
    session.drop(_HELD)


def _every() -> dict[str, dict[tuple[str, Hashable], Kept]]:
    found: dict[str, dict[tuple[str, Hashable], Kept]] = st.session_state.get(_ANSWERS, {})
    return found


def of_data(kind: Kind, fs: FingerprintSet) -> dict[Any, Kept]:
    """Return the kept answers to a kind's questions about these data, by settings, latest last."""
    return {config: found for (digest, config), found in kept(kind).items() if digest == fs.digest}


def jobs(kind: Kind) -> list[Job]:
    """Return the jobs of a kind that wait, run or have failed."""
    return session.jobs(kind.name)


def jobs_of(question: Question) -> list[Job]:
    """Return the jobs of one question that wait, run or have failed."""
    return [job for job in jobs(question.kind) if job.meta["key"] == question.key]


def under_way(question: Question) -> bool:
    """Return whether a question was asked and has no answer yet; its job may have failed."""
    return bool(jobs_of(question))


def failed(question: Question) -> bool:
    """Return whether the work on a question failed."""
    return any(job.error for job in jobs_of(question))


def held(question: Question) -> bool:
    """Return whether a question was stopped."""
    return (question.kind.name, question.key) in st.session_state.get(_HELD, set())


def ask(question: Question, *, again: bool = False) -> None:
    """Start computing the answer, unless the question is answered or under way.

    Parameters
    ----------
    again : bool
        Ask even if there is an answer, which a later one is to extend.
    """
    if (answer(question) is not None and not again) or under_way(question):
        return
    st.session_state.get(_HELD, set()).discard((question.kind.name, question.key))
    if not question.kind.together:
        let_go(question.kind)
    study, fs = question.kind.study, question.fs
    needs = estimates.needed_bytes(study, fs, question.config)
    most = Limits.of_server().memory_bytes
    would_fit = ""
    if fs is not None and needs is not None and most is not None and needs > most:
        would_fit = estimates.ways_out(study, fs, question.config, most)
    session.start(
        study,
        *(() if fs is None else (fs,)),
        question.config,
        *question.also,
        label=question.label,
        kind=question.kind.name,
        adopt=_adopt,
        page=question.kind.page,
        needs_bytes=needs,
        would_fit=would_fit,
        key=question.key,
        of=question.kind,
    )


def let_go(kind: Kind, *, but: Collection[tuple[str, Hashable]] = ()) -> None:
    """Stop and forget the jobs of a kind, except those of the keys in ``but``."""
    for job in jobs(kind):
        if job.meta["key"] not in but:
            session.dismiss(job)


def hold(job: Job) -> None:
    """Stop a job, and do not start its question again automatically."""
    session.keep(_HELD, st.session_state.get(_HELD, set()) | {(job.kind, job.meta["key"])})
    session.dismiss(job)


def ask_ahead(question: Question) -> None:
    """Ask a question before its answer is shown, unless its data are large or it was stopped."""
    if question.fs is not None and ordinary(question.fs) and not held(question):
        ask(question)


def release_held(kind: Kind) -> None:
    """Let the stopped questions of a kind start automatically again."""
    held_now: set[tuple[str, object]] = st.session_state.get(_HELD, set())
    held_now.difference_update({entry for entry in held_now if entry[0] == kind.name})


def ordinary(fs: FingerprintSet) -> bool:
    """Return whether the data are small enough to be measured without asking."""
    return fs.n_samples <= _ORDINARY_SAMPLES


def settle(
    question: Question,
    *,
    alone: bool | None = None,
    asked: bool = False,
    button: str = "Measure",
    told: str | None = None,
) -> Any | None:
    """Return the answer; if there is none, show the progress, the failure or a button to ask.

    Parameters
    ----------
    alone : bool or None
        Whether to ask automatically, unless the question was stopped; by default, whether its data
        are :func:`ordinary`.
    asked : bool
        Whether the question has just been requested.
    button : str
        Label of the button to ask.
    told : str or None
        Estimated cost, shown below the button; if None, it is estimated here.
    """
    found = answer(question)
    name = question.kind.name
    if found is None and not under_way(question):
        if alone is None:
            alone = question.fs is not None and ordinary(question.fs)
        by_itself = alone and not held(question)
        if asked or by_itself or st.button(button, key=f"{name}_go", type="primary"):
            let_go(FORETOLD)
            ask(question)
        else:
            _foretell(question, told)
    progress(question.kind)
    return found


FORETOLD = Kind("foretell", estimates.study, page=None, kept=8, together=True, identity=repr)


def expected_s(
    study: Callable[..., Any], fs: FingerprintSet, *configs: Any, made: bool = False
) -> list[float | None]:
    """Return a study's estimated seconds for each of ``configs``; None until they are known.

    Start these estimates, and drop earlier ones that are not among them. ``made`` says whether what
    the study makes first, such as a release, exists already.
    """
    asked = [
        Question(FORETOLD, fs, estimates.Config(study, config, made), "Estimating")
        for config in configs
    ]
    let_go(FORETOLD, but=[each.key for each in asked])
    for each in asked:
        ask(each)
    found: list[estimates.Estimate | None] = [answer(each) for each in asked]
    return [None if each is None else each.seconds for each in found]


def estimating() -> None:
    """Draw a line while estimates asked for by :func:`expected_s` are being made."""
    for job in jobs(FORETOLD)[:1]:
        if job.active:
            job_panel.quiet(job, "Estimating the time from a small sample …")


def _foretell(question: Question, told: str | None) -> None:
    """Draw the estimated cost of a question that waits to be asked, with the time once known."""
    study, fs, config = question.kind.study, question.fs, question.config
    if fs is None or ordinary(fs):
        return  # the work takes less time than an estimate
    if told is None:  # other questions of the page may wait, too: their estimates go on
        about = Question(FORETOLD, fs, estimates.Config(study, config), "Estimating")
        ask(about)
        found: estimates.Estimate | None = answer(about)
        if found is not None and found.seconds is not None:
            told = f"This is likely to take about {clock(max(found.seconds, 1))}."
        for job in jobs_of(about):
            if job.active:
                job_panel.quiet(job, "Estimating the time from samples …")
    st.caption(" ".join(filter(None, [told, estimates.describe_memory(study, fs, config)])))


def progress(kind: Kind) -> None:
    """Show, in a separate place, the progress of a kind's questions, and a way to stop them."""
    # Always drawn: a container that comes and goes moves and redraws everything below it.
    with st.container(key=f"{kind.name}_work"):
        job_panel.show(jobs(kind), key=f"{kind.name}_jobs", stop=hold)


def announce(kind: Kind, text: str) -> None:
    """Say where figures will appear, unless all work on them has ended and some of it failed."""
    found = jobs(kind)
    if any(job.active for job in found) or not any(job.error for job in found):
        st.caption(text)


def _adopt(job: Job) -> None:
    """Keep an answer; drop answers about other data, and the oldest if there are too many."""
    kind: Kind = job.meta["of"]
    key = job.meta["key"]
    mine = {k: v for k, v in kept(kind).items() if k[0] == key[0]}
    before = mine.pop(key, None)
    result = job.result
    if kind.join is not None:
        result = kind.join(None if before is None else before.result, result)
    seconds = job.elapsed_s if before is None else before.seconds
    mine[key] = Kept(kind.name, key[0], key[1], result, seconds)
    some = dict(list(mine.items())[-kind.kept :])
    session.keep(_ANSWERS, _every() | {kind.name: some})
