"""The session's study: what is saved in its file, and what happens when a study is opened.

A study belongs to certain data, identified by their digest. It is put in place when those data are
open: at once, after the study has opened them itself, or when an officer opens them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies.study import Study
from fpanon_core.studies.study_codec import KINDS
from fpanon_core.studies.study_file import Opened, open_study, save
from pages.charts import words
from pages.charts.plain import plain

from . import address, dataset, downloads, guard, job_panel, questions, session, settings, workspace
from .dataset import Dataset
from .guard import Ended

_WAITING, _TOLD, _PUT, _SOURCE = "fp_study", "fp_study_told", "fp_study_put", "fp_study_source"
_LONGEST_S = 180.0


def saving(data: Dataset, *, key: str) -> None:
    """Draw the button that saves the study; say what it holds, and what closing the page loses.

    Parameters
    ----------
    key : str
        Key of the page; the widgets' keys begin with it.
    """
    with_data = False
    if can_have_data(data):
        with_data = st.checkbox(
            "With the data themselves", key=f"{key}_study_data", help=HOLDS_DATA
        )
    downloads.offer(
        "Study (zip)",
        partial(save, of(data, with_data=with_data)),
        f"{data.prefix}study_not_for_release.zip",
        key=f"{key}_get_study",
        icon=":material/lock:",
        help=HOLDS,
        settings={"with data": with_data},
    )
    st.caption(f"{HOLDS} {session.describe_lost()}")


def opening(*, key: str) -> None:
    """Draw the field that opens a study, the progress, and what a study waits for.

    Parameters
    ----------
    key : str
        Key of the page; the widgets' keys begin with it.
    """
    file = st.file_uploader(
        "Study (zip)",
        type=["zip"],
        key=f"{key}_study_file",
        help="Choose a file that “Study (zip)” saved: its results, settings and choice "
        "replace the current ones. If the study neither holds its data nor uses a "
        "sample, you must open the data yourself.",
    )
    if st.button("Open the study", key=f"{key}_study_open", disabled=file is None) and file:
        open_file(file.getvalue())
        session.uploads_read([file])
        st.rerun()
    job_panel.show(session.jobs("study"), key=f"{key}_study")
    waits: Opened | None = st.session_state.get(_WAITING)
    if waits is not None:
        st.info(describe_waits(waits.study))
        guard.button("Do not wait for them", let_go, key=f"{key}_study_let_go")


def of(data: Dataset, *, with_data: bool = False) -> Study:
    """Return a study with everything that the session holds about these data.

    Parameters
    ----------
    with_data : bool
        Whether to include the files that the data were read from.
    """
    source = data.source
    answers = tuple(
        each
        for each in questions.every_answer()
        if each.digest in ("", data.digest) and each.kind in KINDS
    )
    mine = workspace.of(data.digest)
    return Study(
        data.digest,
        data.fs.n_users,
        data.fs.n_samples,
        source.label,
        source.sample,
        data.reading,
        answers,
        tuple(each for several in mine.made.values() for each in several),
        mine.weighed,
        settings.current(),
        address.every(),
        source if with_data and can_have_data(data) else None,
    )


def can_have_data(data: Dataset) -> bool:
    """Return whether the files of the data are at hand; those of the server's folder stay there."""
    source = data.source
    return source.file is not None and dataset.at_hand(source)


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


def let_go() -> None:
    """Discard the study that waits."""
    session.drop(_WAITING)
    session.drop(_SOURCE)
    dataset.read_next_as(None)


def settle() -> None:
    """Put the waiting study in place, once its data are open; call in every run."""
    found: Opened | None = st.session_state.get(_WAITING)
    data, reading = dataset.current(), dataset.opening()
    if found is None or data is None or (reading is not None and reading.active):
        return
    if data.digest == found.study.digest:
        _put(found, data)
        let_go()
    elif st.session_state.get(_SOURCE) is data.source:  # which the study opened itself
        _tell("error", describe_not_its_own(found.study))
        let_go()
    elif st.session_state.get("fp_study_refused") is not data:
        st.session_state["fp_study_refused"] = data
        _tell("warning", describe_other_data(found.study, waits=True))


def tell() -> None:
    """Show what happened to the study opened last, until the message is confirmed."""
    told: tuple[str, str] | None = st.session_state.get(_TOLD)
    if told is not None:
        kind, text = told
        {"error": st.error, "warning": st.warning}.get(kind, st.info)(text)
        guard.button("Understood", session.drop, _TOLD, key="frame_study_read")


@contextlib.contextmanager
def forgiving() -> Iterator[None]:
    """Drop a study's settings if a page cannot use them and they are not from this machine."""
    try:
        yield
    except Ended:
        raise
    except Exception:  # Streamlit's own control flow is no Exception.
        if not st.session_state.pop(_PUT, False):
            raise
        settings.put({}, {})
        _tell("warning", SETTINGS_LEFT_OUT)
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
        _tell("error", describe_other_data(study, waits=False))
        return
    session.keep(_WAITING, found)
    if source is not None:
        session.keep(_SOURCE, source)
        dataset.open_source(source, study.reading)
    else:
        dataset.read_next_as(study.reading)


def _put(found: Opened, data: Dataset) -> None:
    """Put the study in place of all that the session had found."""
    study = found.study
    session.cancel_all()
    questions.put_every(study.answers)
    pages = dict.fromkeys(release.page for release in study.releases)
    made = {page: tuple(r for r in study.releases if r.page == page) for page in pages}
    workspace.put(data.digest, workspace.Workspace(study.weighing, made=made))
    settings.put(study.settings, study.address)
    st.session_state[_PUT] = not found.sealed
    _tell("info" if found.sealed else "warning", describe_opened(study, found.sealed))


def _tell(kind: str, text: str) -> None:
    session.keep(_TOLD, (kind, text))


# --- sentences ---


HOLDS = (
    "A study holds results, settings, choice and reasons, so that you can continue on this or "
    "another computer. **Not for release:** a study is personal data. Without the data, a study "
    "holds no ids, but it holds the file's name, and figures about individual people by row "
    "number. A study also holds everyone's record after hiding and, for attacks, where people "
    "truly were. A study does not hold the finished releases or their pseudonym keys."
)
SETTINGS_LEFT_OUT = (
    "This page could not use the study's settings, so all pages start with the usual ones. The "
    "study's results are kept."
)


HOLDS_DATA = (
    "This adds the files as you opened them, with every id: anyone who has the study then has the "
    "data. If you leave the files out, the same data must be opened along with the study."
)


def describe_opened(study: Study, sealed: bool) -> str:
    """Say that a study's figures are in place, and how far they can be trusted."""
    several = words.count(len(study.answers), "result")
    said = f"The study is open: {several}, with settings and choice; nothing was computed again."
    if sealed:
        return said
    return (
        f"{said} This computer does not recognize the study as its own: the study was saved "
        "elsewhere, or has been changed since. The study's figures are taken on trust; have them "
        "measured again before you sign."
    )


def describe_other_data(study: Study, *, waits: bool) -> str:
    """Say why a study is not put in place: it belongs to other data."""
    what = (
        "The study belongs to other data, or to the same data read in another way: to "
        f"“{plain(study.label)}”, with {_many(study)}."
    )
    if waits:
        return f"{what} The study will open once those data are open."
    return f"{what} The study was not opened; open its data first, then the study."


def describe_not_its_own(study: Study) -> str:
    """Return a note that the data of a study have changed, or are now read differently."""
    return (
        f"The data that the study names, “{plain(study.label)}”, do not match its results "
        f"for {_many(study)}: the data have changed, or this program reads them differently. The "
        "study was not opened."
    )


def describe_waits(study: Study) -> str:
    """Say which data a study waits for."""
    return (
        f"A study waits for its data: “{plain(study.label)}”, {_many(study)}. Open the data "
        "above; they will be read in the same way as for the study."
    )


def _many(study: Study) -> str:
    return f"{words.people(study.people)} and {words.count(study.samples, 'sample')}"
