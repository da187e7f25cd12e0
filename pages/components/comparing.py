"""GLOVE beside making everyone equally coarse, at the same k: the section of the GLOVE view."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.charts import words
from pages.charts.cost import Way, cost
from pages.charts.style import CONFIG, Theme

from . import answers, job_panel, releases, session
from .dataset import Dataset
from .meaning import what_this_means
from .releases import COMPARED_SPACE_M, COMPARED_TIME_MIN

_LIMITS = f"{COMPARED_SPACE_M / 1000:g} km and {COMPARED_TIME_MIN / 60:g} hours"
_NAMES = {
    "uniform": "Everyone equally coarse",
    "GLOVE": "GLOVE",
    "GLOVE with suppression": f"GLOVE, at most {_LIMITS}",
}


def section(data: Dataset, of: Theme) -> None:
    """Ask for the comparison, its progress, and what came of it."""
    st.header("Would equally coarse data do?", anchor=False)
    question = releases.comparison(data)
    with st.container(key="glove_comparing"):
        job_panel.show(session.jobs("compare"), key="compare_jobs", stop=answers.hold)
    table = answers.answer(question)
    if table is None:
        st.markdown(
            "The other way to hide everyone is to make all places and times equally coarse until k "
            "people share every record. The comparison finds the first grid and time window that "
            "do so, and runs GLOVE with and without limits, for k = 2, 5 and 10."
        )
        if st.button("Compare", key="glove_compare", disabled=answers.under_way(question)):
            answers.ask(question)
            st.rerun()
        return
    methods = [m for m in _NAMES if (table["method"] == m).any()]
    parts = {m: table[table["method"] == m] for m in methods}
    st.plotly_chart(
        cost(
            [
                Way(
                    _NAMES[m],
                    _labels(part),
                    (part["mean_space_m"] / 1000).tolist(),
                    (part["mean_time_min"] / 60).tolist(),
                )
                for m, part in parts.items()
            ],
            of,
        ),
        key="glove_cost",
        theme=None,
        config=CONFIG,
        alt="Mean side of the published areas against the mean time span, a dot for each way of "
        "hiding everyone and each k.",
    )
    what_this_means(*_told(table), key="glove_compared")
    st.dataframe(_shown(table), hide_index=True, key="glove_compared_table")


def _labels(part: pd.DataFrame) -> list[str]:
    """Of each dot; the first of several at one spot speaks for all of them."""
    spots = list(zip(part["mean_space_m"], part["mean_time_min"], strict=True))
    ks = part["k"].tolist()
    return [
        "k = " + ", ".join(str(k) for k, other in zip(ks, spots, strict=True) if other == spot)
        if spots.index(spot) == i
        else ""
        for i, spot in enumerate(spots)
    ]


def _told(table: pd.DataFrame) -> list[str]:
    first = int(table["k"].min())
    rows: dict[str, Any] = {r["method"]: r for _, r in table[table["k"] == first].iterrows()}
    uniform, ours = rows["uniform"], rows["GLOVE"]
    spans = (
        f"areas of {words.distance(ours['mean_space_m'])} by side and time spans of "
        f"{words.duration(ours['mean_time_min'])} on average"
    )
    if uniform["share_hidden"] == 1:
        told = [
            f"Made equally coarse, everyone is one of {first} only at {uniform['profile']}; GLOVE "
            f"needs {spans}."
        ]
    else:
        told = [
            f"Made equally coarse, not everyone is one of {first} however coarse it gets: at most "
            f"{words.percent(uniform['share_hidden'])} of the users are, at {uniform['profile']}. "
            f"GLOVE hides all with {spans}."
        ]
    limited = rows.get("GLOVE with suppression")
    if limited is not None:
        told.append(
            f"Held to at most {_LIMITS}, with "
            f"{words.percent(limited['suppressed_share'])} of the samples left out, it "
            f"is {words.distance(limited['mean_space_m'])} and "
            f"{words.duration(limited['mean_time_min'])}."
        )
    return told


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Way": table["method"].map(_NAMES) + table["profile"].map(lambda p: p and f" ({p})"),
            "k": table["k"],
            "Users hidden (%)": (100 * table["share_hidden"]).round(1),
            "Mean side (km)": (table["mean_space_m"] / 1000).round(2),
            "Median side (km)": (table["median_space_m"] / 1000).round(2),
            "Mean span (min)": table["mean_time_min"].round(1),
            "Median span (min)": table["median_time_min"].round(1),
            "Left out (%)": (100 * table["suppressed_share"]).round(2),
            "Phantom (%)": (100 * table["phantom_share"]).round(2),
            "Verified": table["verified"].map({True: "yes", False: "no"}),
        }
    )
