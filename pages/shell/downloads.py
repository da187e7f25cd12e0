"""Files with the numbers behind a view's figures: the rows of buttons at the end of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from mimetypes import MimeTypes
from typing import Literal, NamedTuple

import streamlit as st

from fpanon_core.io.audit import Setting
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables import leaving
from fpanon_core.tables.writing import table_bytes

from . import dataset, officer

_TYPES = MimeTypes()  # Python's own, not the machine's


class File(NamedTuple):
    """A file behind a button.

    Attributes
    ----------
    name : str
        Name without its ending, and without the part that says whether it may leave.
    content : callable
        Makes the bytes when they are requested.
    may_leave : bool
        Whether the file holds nothing about individual people, nor about a few people at one place
        or time.
    """

    name: str
    content: Callable[[], bytes]
    may_leave: bool = False


Files = Mapping[str, File]
"""Files by the label of their button; a file without ``may_leave`` is not for release."""


def csv_files(view: str, files: Files, *, prefix: str = "") -> None:
    """Draw a button for each file; the files that may leave have a row of their own.

    A file is made when it is requested.

    Parameters
    ----------
    view : str
        Prefix of the widgets' keys.
    files : Files
    prefix : str
        Prefix of the files' names, so that one folder can hold the files of several views. For
        synthetic data, ``synthetic_`` precedes it.
    """
    current = dataset.current()
    prefix = prefix if current is None else current.prefix + prefix
    with st.expander("Download the figures' numbers (CSV)", key=f"{view}_csv"):
        for may_leave, said, kept in (
            (True, leaving.MAY_LEAVE, ""),
            (False, leaving.GUARDED, "_kept"),
        ):
            row = {label: f for label, f in files.items() if f.may_leave == may_leave}
            if not row:
                continue
            st.caption(said)
            with st.container(horizontal=True, key=f"{view}_downloads{kept}"):
                for label, file in row.items():
                    offer(
                        label,
                        file.content,
                        prefix + leaving.file_name(file.name, may_leave),
                        key=f"{view}_get_{file.name}",
                        icon=":material/download:" if may_leave else ":material/lock:",
                        help="May be released." if may_leave else "Not for release.",
                    )


def offer(
    label: str,
    content: Callable[[], bytes],
    file_name: str,
    *,
    key: str,
    icon: str | None = ":material/download:",
    kind: Literal["primary", "secondary"] = "secondary",
    help: str | None = None,
    settings: Mapping[str, Setting] | None = None,
    disabled: bool = False,
    left: Callable[[], None] | None = None,
) -> None:
    """Draw a download button; files leave in no other way, and the audit log records each file.

    Parameters
    ----------
    content : callable
        Makes the bytes when they are requested.
    file_name : str
        Name in the program's own words, which is recorded in the audit log.
    settings : mapping, optional
        Settings with which the file was made, for the audit log.
    disabled : bool
        Whether the button is disabled, because something else must be done first.
    left : callable, optional
        Called once the bytes are made, before they are sent. Like ``content``, it is called
        outside any session.
    """
    current = dataset.current()
    digest = current.digest if current else ""
    st.download_button(
        label,
        officer.exporting(content, file_name, digest, settings or {}, left),
        file_name=file_name,
        mime=_TYPES.guess_type(file_name)[0],
        key=key,
        icon=icon,
        type=kind,
        on_click="ignore",
        help=help,
        disabled=disabled or bool(officer.standing()),
    )


def tables(view: str, result: Tabled, labels: Mapping[str, str]) -> None:
    """Draw a button for each table of a result; ``labels`` gives the label of each button."""
    csv_files(view, files_of(result, labels))


def files_of(result: Tabled, labels: Mapping[str, str], prefix: str = "") -> dict[str, File]:
    """Return a result's tables as files; :func:`csv_files` can draw files of several results.

    ``prefix`` begins the tables' names in the result, but not in ``labels``.
    """
    return {
        label: File(name, partial(_csv, result, prefix + name), result.may_leave(prefix + name))
        for name, label in labels.items()
    }


def _csv(result: Tabled, name: str) -> bytes:
    return table_bytes([result.for_file(name)], f"{name}.csv")
