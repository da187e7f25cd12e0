"""Producing a release: asked for by a button, verified, shown, and offered with its key."""

from __future__ import annotations

from typing import Any

import streamlit as st

from fpanon_core.io.publishing import FORMATS, Format
from fpanon_core.studies import production
from fpanon_core.studies.publishing import KEY_NAME, LEFT_OUT_NAME

from . import definitions, downloads, questions, release_story, together
from .dataset import Dataset
from .questions import Kind, Question


def file_format(kind: Kind) -> Format:
    """The format of the data, as chosen; a control."""
    chosen: Format = st.segmented_control(
        "Format of the data",
        FORMATS,
        default=FORMATS[0],
        format_func=release_story.FORMATS.__getitem__,
        required=True,
        key=f"{kind.name}_format",
        persist_state="session",
    )
    return chosen


def section(
    kind: Kind,
    data: Dataset,
    config: production.Config,
    what: str,
    *,
    also: tuple[Any, ...] = (),
    note: str = "",
    over: bool = False,
) -> None:
    """A button that has the release made; what came of it, and the files, once it is.

    Parameters
    ----------
    what : str
        What the release is called, for the progress line.
    also : tuple
        What :func:`production.study` takes besides.
    note : str
        What must be known before it is produced.
    over : bool
        Whether it is above a limit, or may be: nothing about it is then green or stands first.
    """
    question = Question(kind, data.fs, config, f"Producing {what}", also)
    found: production.Result | None = questions.answer(question)
    if found is None:
        if note:
            st.markdown(note)
        if st.button(
            "Produce this release",
            key=f"{kind.name}_go",
            type="secondary" if over else "primary",
            disabled=questions.under_way(question),
            help=definitions.RELEASE,
        ):
            questions.ask(question)
            st.rerun()
    questions.progress(kind)
    if found is not None:
        _offer(kind, found, data, over=over)


def _offer(kind: Kind, found: production.Result, data: Dataset, *, over: bool) -> None:
    """The verdict; the files, where it has passed; and the page that goes with them."""
    prefix = "synthetic_" if data.source.synthetic else ""
    if not found.verdict.passed:
        st.error(release_story.verdict(found))
        return
    # Green stands for a promise that was checked, not for files in order or above a limit.
    show = st.warning if over else st.info if found.facts.k is None else st.success
    show(release_story.verdict(found))
    st.markdown(release_story.truth(found, data.fs))
    hidden = found.config.hidden
    made = {
        "release": found.config.option.text if hidden is None else hidden.method,
        "k": found.facts.k,
        "format": found.config.format,
    }
    may_leave, left = together.section(kind, found)
    downloads.offer(
        "Release (zip)",
        lambda: found.archive,
        f"{prefix}release.zip",
        key=f"{kind.name}_get_release",
        icon=":material/download:",
        kind="secondary" if over else "primary",
        settings=made,
        disabled=not may_leave,
        left=left,
    )
    st.caption(release_story.again(found))
    with st.container(border=True, key=f"{kind.name}_secret"):
        st.markdown(release_story.secret(found))
        with st.container(horizontal=True):
            downloads.offer(
                "Key (not for release)",
                lambda: found.key,
                f"{prefix}{KEY_NAME}",
                key=f"{kind.name}_get_key",
                icon=":material/key:",
                settings=made,
            )
            if found.left_out is not None and found.facts.samples_left_out:
                left_out = found.left_out
                downloads.offer(
                    "Left-out samples (not for release)",
                    lambda: left_out,
                    f"{prefix}{LEFT_OUT_NAME}",
                    key=f"{kind.name}_get_left_out",
                    icon=":material/lock:",
                    settings=made,
                )
    with st.expander("The page that goes with the release (README.md)", key=f"{kind.name}_page"):
        st.markdown(release_story.page(found))
