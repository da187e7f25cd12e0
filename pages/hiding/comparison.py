"""GLOVE beside making everyone equally coarse, at the same k: the section of Hide everyone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import comparison
from fpanon_core.studies.under_profiles import corners
from pages.charts import words
from pages.charts.pareto import Way, cost
from pages.charts.plain import plain
from pages.charts.style import Theme
from pages.hiding import form
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.figure import show
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
            f"without limits, for {crowds(ks)}."
        )
        if st.button("Compare", key="glove_compare", disabled=questions.under_way(question)):
            questions.ask(question)
            st.rerun()
        return None
    table = found.comparison
    parts = [
        (name, table[table["method"] == method]) for method, name in way_names(found.config).items()
    ]
    ways = [
        Way(
            name,
            labels(part),
            (part["mean_space_m"] / 1000).tolist(),
            (part["mean_time_min"] / 60).tolist(),
        )
        for name, part in parts
        if len(part)
    ]
    show(
        cost(ways, of),
        key="glove_cost",
        alt="Mean side of the published areas against the mean time span, a dot for each way of "
        "hiding everyone and each k.",
    )
    what_this_means(*compared(found), key="glove_compared")
    st.dataframe(ways_table(found), hide_index=True, key="glove_compared_table")
    st.caption(corners(found.comparison))
    return found


def way_names(config: comparison.Config) -> dict[str, str]:
    """What the ways of hiding everyone are called, by their names in the table."""
    names = ("Everyone equally coarse", "GLOVE", f"GLOVE, at most {_limits(config)}")
    return dict(zip(comparison.METHODS, names, strict=True))


def _limits(config: comparison.Config) -> str:
    space, time = config.suppress_space_m, config.suppress_time_min
    parts = [] if space is None else [f"{space / 1000:g} km"]
    return " and ".join(parts if time is None else [*parts, f"{time / 60:g} hours"])


def crowds(ks: Collection[int]) -> str:
    """Such as "k = 2, 5 and 10"."""
    *first, last = map(str, ks)
    return f"k = {', '.join(first)} and {last}" if first else f"k = {last}"


def labels(part: pd.DataFrame) -> list[str]:
    """Of each dot of a way; the first of several at one spot speaks for all of them."""
    spots = list(zip(part["mean_space_m"], part["mean_time_min"], strict=True))
    ks = part["k"].tolist()
    return [
        "k = " + ", ".join(str(k) for k, other in zip(ks, spots, strict=True) if other == spot)
        if spots.index(spot) == i
        else ""
        for i, spot in enumerate(spots)
    ]


def compared(found: comparison.Result) -> list[str]:
    """What equally coarse data, GLOVE, and GLOVE with limits cost at the smallest k."""
    table = found.comparison
    first = int(table["k"].min())
    rows: dict[str, Any] = {r["method"]: r for _, r in table[table["k"] == first].iterrows()}
    uniform, ours = rows["uniform"], rows["GLOVE"]
    spans = (
        f"areas of {words.distance(ours['mean_space_m'])} by side and time spans of "
        f"{words.duration(ours['mean_time_min'])} on average"
    )
    last, grid = found.searched[-1], plain(uniform["profile"])
    if uniform["share_hidden"] == 1:
        whole = ", with all places and times in one cell" if uniform["profile"] == str(last) else ""
        told = [
            f"Made equally coarse, everyone is one of {first} only at {grid}{whole}: "
            f"the first of {_tried(found.searched)} to do so. GLOVE needs {spans}."
        ]
    else:
        told = [
            f"Made equally coarse, not everyone is one of {first} under any of "
            f"{len(found.searched)} grids from {found.searched[0]} to {last}: at most "
            f"{words.percent(uniform['share_hidden'])} of the users are, at {grid}. "
            f"GLOVE hides all with {spans}."
        ]
    limited = rows.get("GLOVE with suppression")
    if limited is not None:
        told.append(
            f"Held to at most {_limits(found.config)}, with "
            f"{words.percent(limited['suppressed_share'])} of the samples left out, it "
            f"is {words.distance(limited['mean_space_m'])} and "
            f"{words.duration(limited['mean_time_min'])}."
        )
    return told


def _tried(searched: Sequence[GeneralizationProfile]) -> str:
    """Such as "11 grids from 1 km · 30 min to one cell"."""
    last = f"one cell for everything ({searched[-1]})"
    if len(searched) == 1:
        return f"one grid, {last}"
    chosen = all(isinstance(p.space, Grid) and p.space.origin is None for p in searched)
    how = ", each laid where most people share a cell" if chosen else ""
    return f"{len(searched)} grids from {searched[0]} to {last}{how},"


def ways_table(found: comparison.Result) -> pd.DataFrame:
    """One row per way and k, for the table under the figure."""
    table, names = found.comparison, way_names(found.config)
    return pd.DataFrame(
        {
            "Way": table["method"].map(names) + table["profile"].map(lambda p: p and f" ({p})"),
            "k": table["k"],
            "Users hidden (%)": (100 * table["share_hidden"]).round(1),
            "Left out (%)": (100 * table["suppressed_share"]).round(2),
            "Mean side (km)": (table["mean_space_m"] / 1000).round(2),
            "Median side (km)": (table["median_space_m"] / 1000).round(2),
            "Mean span (min)": table["mean_time_min"].round(1),
            "Median span (min)": table["median_time_min"].round(1),
            "Phantom (%)": (100 * table["phantom_share"]).round(2),
            "Verified": table["verified"].map({True: "yes", False: "no"}),
        }
    )
