"""The numbers behind a view's figures, as files: the row of buttons that ends a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.writing import table_bytes


def csv_files(
    view: str, files: Mapping[str, tuple[str, Callable[[], bytes]]], *, prefix: str = ""
) -> None:
    """A button for each file; it is made when it is asked for.

    Parameters
    ----------
    view : str
        Begins the widgets' keys.
    files : mapping of label to (name, content)
        Names are without their ending.
    prefix : str
        Of the files' names, so that those of several views can lie in one folder.
    """
    st.divider()
    st.markdown("**Download the figures' numbers** (CSV)")
    with st.container(horizontal=True, key=f"{view}_downloads"):
        for label, (name, content) in files.items():
            st.download_button(
                label,
                content,
                file_name=f"{prefix}{name}.csv",
                mime="text/csv",
                key=f"{view}_get_{name}",
                icon="⬇️",
                on_click="ignore",
            )


def tables(view: str, result: Tabled, labels: Mapping[str, str], *, synthetic: bool) -> None:
    """A button for each table of a result; ``labels`` says what the button of each is called."""
    csv_files(view, files_of(result, labels), prefix="synthetic_" if synthetic else "")


def files_of(
    result: Tabled, labels: Mapping[str, str]
) -> dict[str, tuple[str, Callable[[], bytes]]]:
    """For :func:`csv_files`: tables of one result, where a row of buttons is of several."""
    return {label: (name, partial(_csv, result, name)) for name, label in labels.items()}


def _csv(result: Tabled, name: str) -> bytes:
    return table_bytes([result.to_frame(name)], f"{name}.csv")
