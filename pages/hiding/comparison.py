"""GLOVE beside making everyone equally coarse, at the same k: the section of Hide everyone."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import comparison
from fpanon_core.studies.under_profiles import corners
from pages.charts.pareto import Way, cost
from pages.charts.style import CONFIG, Theme
from pages.hiding import comparison_story as story
from pages.hiding import form
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.figure import plot
from pages.shell.layout import what_this_means


def section(data: Dataset, of: Theme) -> comparison.Result | None:
    """Ask for the comparison, its progress, and what came of it."""
    question = form.compared(data)
    questions.progress(question.kind)
    found: comparison.Result | None = questions.answer(question)
    if found is None:
        ks = [k for k in comparison.Config().ks if k <= data.fs.n_users]
        st.markdown(
            "The other way to hide everyone is to make all places and times equally coarse until k "
            "people share every record. The comparison finds the first grid and time window that "
            "do so, of a list that ends with everything in one cell, and runs GLOVE with and "
            f"without limits, for {story.crowds(ks)}."
        )
        if st.button("Compare", key="glove_compare", disabled=questions.under_way(question)):
            questions.ask(question)
            st.rerun()
        return None
    table = found.comparison
    parts = [
        (name, table[table["method"] == method])
        for method, name in story.way_names(found.config).items()
    ]
    ways = [
        Way(
            name,
            story.labels(part),
            (part["mean_space_m"] / 1000).tolist(),
            (part["mean_time_min"] / 60).tolist(),
        )
        for name, part in parts
        if len(part)
    ]
    plot(
        cost(ways, of),
        key="glove_cost",
        theme=None,
        config=CONFIG,
        alt="Mean side of the published areas against the mean time span, a dot for each way of "
        "hiding everyone and each k.",
    )
    what_this_means(*story.compared(found), key="glove_compared")
    st.dataframe(story.ways(found), hide_index=True, key="glove_compared_table")
    st.caption(corners(found.comparison))
    return found
