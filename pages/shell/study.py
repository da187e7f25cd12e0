"""The session's study: what is saved of it in one file, and what becomes of one that is opened.

A study is of certain data, told by their digest. It is put in place when these are open: at once,
after it has opened them itself, or when somebody opens them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies.study import AtHand, Kept, Study, Weighing
from fpanon_core.studies.study_file import Opened, open_study
from fpanon_core.studies.study_kinds import KINDS

from . import address, at_hand, dataset, questions, session, settings, study_story, weighed
from .dataset import Dataset
from .guard import Ended, act
from .questions import Answer

_WAITING, _TOLD, _PUT, _SOURCE = "fp_study", "fp_study_told", "fp_study_put", "fp_study_source"
_LONGEST_S = 180.0


def of(data: Dataset, *, with_data: bool = False) -> Study:
    """All that there is about these data.

    Parameters
    ----------
    with_data : bool
        Whether the files that they were read from are part of it.
    """
    source = data.source
    answers = tuple(
        Kept(kind, digest, config, found.result, found.seconds)
        for kind, kept in questions.every_answer().items()
        for (digest, config), found in kept.items()
        if digest in ("", data.digest) and kind in KINDS
    )
    releases = tuple(
        AtHand(page, r.name, r.option, r.knowledge, r.made, r.settings)
        for page, several in at_hand.of_pages(data.digest).items()
        for r in several
    )
    found = weighed.of_data(data.digest)
    weighing = None
    if found is not None:
        weighing = Weighing(found.table, found.limits, found.chosen, found.why, found.waiting)
    return Study(
        data.digest,
        data.fs.n_users,
        data.fs.n_samples,
        source.label,
        source.sample,
        data.reading,
        answers,
        releases,
        weighing,
        settings.current(),
        address.every(),
        source if with_data and can_have_data(data) else None,
    )


def can_have_data(data: Dataset) -> bool:
    """Whether the files of the data are at hand; those of the server's folder stay there."""
    tables = (data.source.file, data.source.antennas)
    given = [table for table in tables if table is not None]
    return data.source.file is not None and all(isinstance(table[1], bytes) for table in given)


def open_file(content: bytes) -> None:
    """Start reading a study."""
    for job in session.jobs("study"):
        session.dismiss(job)
    session.start(
        open_study,
        content,
        label="Opening the study",
        kind="study",
        adopt=_adopt,
        page=session.EVERYWHERE,
        at_most_s=_LONGEST_S,
    )


def opening() -> list[Job]:
    """The job that reads one, if there is one; also when it failed."""
    return session.jobs("study")


def waiting() -> Study | None:
    """A study whose data are not open yet."""
    found: Opened | None = st.session_state.get(_WAITING)
    return None if found is None else found.study


def let_go() -> None:
    """The study that waits is not wanted any more."""
    session.drop(_WAITING)
    session.drop(_SOURCE)
    dataset.read_next_as(None)


def settle() -> None:
    """Put the study that waits in place, once its data are open; call in every run."""
    found: Opened | None = st.session_state.get(_WAITING)
    data, reading = dataset.current(), dataset.opening()
    if found is None or data is None or (reading is not None and reading.active):
        return
    if data.digest == found.study.digest:
        _put(found, data)
        let_go()
    elif st.session_state.get(_SOURCE) is data.source:  # which it opened itself
        _tell("error", study_story.not_its_own(found.study))
        let_go()
    elif st.session_state.get("fp_study_refused") is not data:
        st.session_state["fp_study_refused"] = data
        _tell("warning", study_story.other_data(found.study, waits=True))


def tell() -> None:
    """What came of the study that was opened last, until somebody has read it."""
    told: tuple[str, str] | None = st.session_state.get(_TOLD)
    if told is not None:
        kind, text = told
        {"error": st.error, "warning": st.warning}.get(kind, st.info)(text)
        st.button("Understood", key="frame_study_read", on_click=act(_read))


@contextlib.contextmanager
def forgiving() -> Iterator[None]:
    """Let go of a study's settings that a page cannot use, where they are not from this machine."""
    try:
        yield
    except Ended:
        raise
    except Exception:  # Streamlit's own control flow is no Exception.
        if not st.session_state.pop(_PUT, False):
            raise
        settings.put({}, {})
        _tell("warning", study_story.SETTINGS_LEFT_OUT)
        st.rerun()


def _adopt(job: Job) -> None:
    found: Opened = job.result
    study, data = found.study, dataset.current()
    st.session_state.pop("fp_study_refused", None)
    if data is not None and data.digest == study.digest:
        _put(found, data)
        return
    try:
        source = study.opens_data
    except FpanonError:
        source = None
    if source is None and data is not None:
        _tell("error", study_story.other_data(study, waits=False))
        return
    session.keep(_WAITING, found)
    if source is not None:
        session.keep(_SOURCE, source)
        dataset.open_file(source, study.reading)
    else:
        dataset.read_next_as(study.reading)


def _put(found: Opened, data: Dataset) -> None:
    """The study in place of all that the session had found."""
    study = found.study
    session.cancel_all()
    answers: dict[str, dict[Any, Answer]] = {}
    for each in study.answers:
        kept = answers.setdefault(each.kind, {})
        kept[each.digest, each.settings] = Answer(each.result, each.seconds)
    questions.put_every(answers)
    for page in {release.page for release in study.releases}:
        several = [
            at_hand.AtHand(r.name, r.option, r.knowledge, r.made, r.settings)
            for r in study.releases
            if r.page == page
        ]
        at_hand.put(page, data.digest, several)
    settings.put(study.settings, study.address)
    was = study.weighing
    if was is not None:
        weighed.put(
            weighed.Weighed(study.digest, was.table, was.limits, was.chosen, was.why, was.waiting)
        )
    st.session_state[_PUT] = not found.sealed
    _tell("info" if found.sealed else "warning", study_story.opened(study, found.sealed))


def _tell(kind: str, text: str) -> None:
    session.keep(_TOLD, (kind, text))


def _read() -> None:
    session.drop(_TOLD)
