"""The data set of the session: opening it, reading it again, describing it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.io.report import PositionDoubt
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import reading as reading_study
from fpanon_core.studies.reading import Places, Reading, Source, places_of

from . import officer, session

_CURRENT, _BEFORE = "fp_dataset", "fp_readings_before"
_ASKED, _NEXT = "fp_doubtful", "fp_reading_next"
_NEW = "fp_dataset_new"
# A file that takes longer to read was hardly meant to be opened: the largest upload takes about
# ten seconds of processor time. Files in the server's folder may be larger.
_UPLOAD_S, _FOLDER_S = 180.0, 600.0


@dataclass(frozen=True, eq=False)
class Dataset:
    """Fingerprints, their source, and the way they were read."""

    fs: FingerprintSet
    report: Any
    source: Source
    reading: Reading

    @property
    def digest(self) -> str:
        """Return the hash of the fingerprints' content, under which every result is kept."""
        return self.fs.digest

    @cached_property
    def places(self) -> Places:
        """The places in the data, computed once."""
        return places_of(self.fs)

    @property
    def label(self) -> str:
        """Return the name of a shipped data set; empty for a file, whose name may be personal."""
        return self.source.label if self.source.sample else ""

    @property
    def prefix(self) -> str:
        """Return the beginning of the names of files that are made from these data."""
        return "synthetic_" if self.source.synthetic else ""


@dataclass(frozen=True, eq=False)
class Asked:
    """A source that waits for an answer on how its positions are to be read."""

    doubt: PositionDoubt
    source: Source
    reading: Reading
    before: list[Reading]


def current() -> Dataset | None:
    """Return the data set in use; None if none is open."""
    return st.session_state.get(_CURRENT)


def opening() -> Job | None:
    """Return the job that reads a new data set, if there is one, even if it failed."""
    return next(iter(session.jobs("read")), None)


def newly_opened() -> bool:
    """Return whether the data set was opened since the last call."""
    return bool(st.session_state.pop(_NEW, False))


def open_source(source: Source, reading: Reading | None = None) -> None:
    """Start reading a sample or a file, uploaded or from the server's folder, in the way given.

    If none is given, a file is read as :func:`read_next_as` says.
    """
    if reading is None and not (source.sample or source.was_read):
        reading = st.session_state.get(_NEXT)
    _start(source, reading or Reading(), [])


def read_next_as(reading: Reading | None) -> None:
    """Set the way in which sources opened from now on are read; None for the usual way."""
    session.keep(_NEXT, reading)


def read_again(reading: Reading, source: Source | None = None) -> None:
    """Start reading a source (by default the current one) in another way.

    The previous way of reading can be restored with :func:`undo`.
    """
    dataset = current()
    if source is not None and (dataset is None or source is not dataset.source):
        _start(source, reading, [])  # it could not be read before
    elif dataset is not None and reading != dataset.reading:
        _start(dataset.source, reading, [*_before(), dataset.reading])


def asked() -> Asked | None:
    """Return the source that waits for an answer, if there is one."""
    return st.session_state.get(_ASKED)


def answer(positions: str) -> None:
    """Start reading the waiting source, if any, with its positions read in the given way."""
    waiting = asked()
    if waiting is not None:
        _start(waiting.source, replace(waiting.reading, positions=positions), waiting.before)


def leave() -> None:
    """Do not open the waiting source; the open data set stays open."""
    session.drop(_ASKED)


def undo() -> None:
    """Start reading the same source the way it was read before the last change."""
    dataset, before = current(), _before()
    if dataset is not None and before:
        _start(dataset.source, before[-1], before[:-1])


def can_undo() -> bool:
    """Return whether there is an earlier way of reading that :func:`undo` can restore."""
    return bool(_before())


def adopt(job: Job) -> None:
    """Make the result of a reading job the data set in use, or ask how to read its positions."""
    source, reading, before = (job.meta[name] for name in ("source", "reading", "before"))
    if isinstance(job.result, PositionDoubt):
        session.keep(_ASKED, Asked(job.result, source, reading, before))
        return
    fs, report = job.result
    try:
        officer.opened(_kind(source), fs.digest, fs.n_users)
    except FpanonError:
        return  # the frame says why, above every page
    session.keep(_CURRENT, Dataset(fs, report, source, reading))
    session.keep(_BEFORE, before)
    for key in ("fp_person", "fp_neighbour"):
        st.session_state.pop(key, None)
    st.session_state[_NEW] = True


def _kind(source: Source) -> str:
    """Return the kind of source that was opened, without the name of a file."""
    if source.file is None:
        return f"sample {source.sample}"
    if source.was_read:
        return "folder kept on the server"
    return "upload" if isinstance(source.file[1], bytes) else "file in the server's folder"


def _start(source: Source, reading: Reading, before: list[Reading]) -> None:
    session.cancel_all()
    leave()
    uploaded = [body for _, body in source.tables if isinstance(body, bytes)]
    session.work().source_bytes = sum(map(len, uploaded))  # kept, to be read again
    session.start(
        reading_study.read_or_ask,
        source,
        reading,
        label=f"Reading {source.label}",
        kind="read",
        adopt=adopt,
        page=session.EVERYWHERE,
        at_most_s=_UPLOAD_S if at_hand(source) else _FOLDER_S,
        source=source,
        reading=reading,
        before=before,
    )


def at_hand(source: Source) -> bool:
    """Return whether all files of a source are in memory; those of the server's folder are not."""
    return all(isinstance(body, bytes) for _, body in source.tables)


def _before() -> list[Reading]:
    found: list[Reading] = st.session_state.get(_BEFORE, [])
    return found
