"""A release as it leaves; and the figures about it as files."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import comparison, hiding, production
from pages.hiding import comparison_story, names, story
from pages.shell import downloads as shell
from pages.shell import release
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind

PRODUCED = Kind(
    "produce_hidden", production.study, page="glove", kept=limits.KEPT_RELEASES, together=True
)


def downloads(data: Dataset, result: hiding.Result, compared: comparison.Result | None) -> None:
    """The release, if it passed its verification, and buttons for the tables about it."""
    st.header("The release itself", anchor=False)
    if not result.verdict.passed:
        st.markdown(
            "**This release did not pass its verification; it is not offered for download.**"
        )
        return
    form = release.file_format(PRODUCED)
    release.section(
        PRODUCED,
        data,
        production.Config(hidden=result.config, format=form),
        f"the release {names.name_of(result.config)}",
        also=(result.release,),
    )
    figures = shell.files_of(result, story.TABLES)
    if compared is not None:
        figures |= shell.files_of(compared, comparison_story.TABLES)
    shell.csv_files("glove", figures, prefix="synthetic_" if data.source.synthetic else "")
