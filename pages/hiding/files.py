"""A release as files, the same as the command line writes; and the figures about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from fpanon_core.io.published import published_bytes
from fpanon_core.studies import comparison, hiding
from pages.hiding import story
from pages.shell import downloads as shell


def downloads(
    result: hiding.Result, compared: comparison.Result | None, *, synthetic: bool
) -> None:
    """Buttons for the release, if it passed its verification, and for the tables about it."""
    st.divider()
    if not result.verdict.passed:
        st.markdown(
            "**This release did not pass its verification; it is not offered for download.**"
        )
        return
    st.markdown(
        "**Download the release** – one row per user and published sample, under pseudonyms"
    )
    prefix = "synthetic_" if synthetic else ""
    files: dict[str, tuple[str, Callable[[], bytes]]] = {
        "CSV": ("release.csv", partial(published_bytes, result.release, "release.csv")),
        "Parquet": ("release.parquet", partial(published_bytes, result.release, "release.parquet")),
    }
    with st.container(horizontal=True, key="glove_release"):
        for label, (name, content) in files.items():
            st.download_button(
                label,
                content,
                file_name=prefix + name,
                key=f"glove_get_{name.replace('.', '_')}",
                icon="⬇️",
                on_click="ignore",
            )
    figures = shell.files_of(result, story.TABLES | story.RELEASE_TABLES)
    if compared is not None:
        figures |= shell.files_of(compared, story.COMPARISON_TABLES)
    shell.csv_files("glove", figures, prefix=prefix)
