"""The numbers behind a view's figures, as files: the row of buttons that ends a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st


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
