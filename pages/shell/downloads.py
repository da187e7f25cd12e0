"""The numbers behind a view's figures, as files: the rows of buttons that end a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

import streamlit as st

from fpanon_core.io.audit import Setting
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables import leaving
from fpanon_core.tables.writing import table_bytes

from . import dataset, officer

_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
    "zip": "application/zip",
}


class File(NamedTuple):
    """A file behind a button.

    Attributes
    ----------
    name : str
        Without its ending, and without what says whether it may leave.
    content : callable
        Makes the bytes when they are asked for.
    may_leave : bool
        Whether there is nothing in it of single people, nor of a few at one place or time.
    """

    name: str
    content: Callable[[], bytes]
    may_leave: bool = False


Files = Mapping[str, File | tuple[str, Callable[[], bytes]]]
"""By the label of its button; of which nothing is said is not for release."""


def csv_files(view: str, files: Files, *, prefix: str = "") -> None:
    """A button for each file, which is made when it is asked for; what may leave stands apart.

    Parameters
    ----------
    view : str
        Begins the widgets' keys.
    files : Files
    prefix : str
        Of the files' names, so that those of several views can lie in one folder.
    """
    all_of_them = {label: File(*file) for label, file in files.items()}
    with st.expander("Download the figures' numbers (CSV)", key=f"{view}_csv"):
        for may_leave, said, kept in (
            (True, leaving.MAY_LEAVE, ""),
            (False, leaving.GUARDED, "_kept"),
        ):
            row = {label: f for label, f in all_of_them.items() if f.may_leave == may_leave}
            if not row:
                continue
            st.caption(said)
            with st.container(horizontal=True, key=f"{view}_downloads{kept}"):
                for label, file in row.items():
                    button(label, file, key=f"{view}_get_{file.name}", prefix=prefix)


def button(label: str, file: File, *, key: str, prefix: str = "") -> None:
    """A button for one CSV file; its picture and the file's name say whether it may leave."""
    offer(
        label,
        file.content,
        prefix + leaving.file_name(file.name, file.may_leave),
        key=key,
        icon=":material/download:" if file.may_leave else ":material/lock:",
        help="May leave." if file.may_leave else "Not for release.",
    )


def offer(
    label: str,
    content: Callable[[], bytes],
    file_name: str,
    *,
    key: str,
    icon: str | None = None,
    kind: Literal["primary", "secondary"] = "secondary",
    help: str | None = None,
    settings: Mapping[str, Setting] | None = None,
    disabled: bool = False,
    left: Callable[[], None] | None = None,
) -> None:
    """The one button by which any file leaves the dashboard; the audit log hears of each.

    Parameters
    ----------
    content : callable
        Makes the bytes when they are asked for.
    file_name : str
        In words of the program's own: it stands in the audit log.
    settings : mapping, optional
        With which the file was made, for the audit log.
    disabled : bool
        Not before something else is done.
    left : callable, optional
        Hears that the file was handed out; outside any session, like ``content``.
    """
    current = dataset.current()
    made = officer.exporting(
        content, file_name, current.digest if current else "", **dict(settings or {})
    )
    st.download_button(
        label,
        made if left is None else _heard(made, left),
        file_name=file_name,
        mime=_TYPES[file_name.rpartition(".")[2]],
        key=key,
        icon=icon,
        type=kind,
        on_click="ignore",
        help=help,
        disabled=disabled or bool(officer.standing()),
    )


def _heard(content: Callable[[], bytes], left: Callable[[], None]) -> Callable[[], bytes]:
    """What makes the bytes, and says so once they are made."""

    def made() -> bytes:
        found = content()
        left()
        return found

    return made


def tables(view: str, result: Tabled, labels: Mapping[str, str], *, synthetic: bool) -> None:
    """A button for each table of a result; ``labels`` says what the button of each is called."""
    csv_files(view, files_of(result, labels), prefix="synthetic_" if synthetic else "")


def files_of(result: Tabled, labels: Mapping[str, str]) -> dict[str, File]:
    """For :func:`csv_files`: tables of one result, where a row of buttons is of several."""
    return {
        label: File(name, partial(_csv, result, name), result.may_leave(name))
        for name, label in labels.items()
    }


def _csv(result: Tabled, name: str) -> bytes:
    return table_bytes([result.for_file(name)], f"{name}.csv")
