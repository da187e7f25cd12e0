"""The curves of everyone's k-gap, for several k and for several profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
import streamlit as st

from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies.anonymizability import Measured
from pages.charts import style
from pages.charts.cdf import Curve, cdf

from .story import gap_title

COLUMNS = {
    "Profile": st.column_config.TextColumn(width="medium"),
    "Already anonymous (%)": st.column_config.ProgressColumn(
        format="%.1f %%",
        min_value=0,
        max_value=100,
        help="Share of the users whose fingerprint at least k − 1 others have, too.",
    ),
    "Median gap (0–1)": st.column_config.NumberColumn(format="%.3f"),
    "90 % of users within": st.column_config.NumberColumn(format="%.3f"),
    "Typical distance (km)": st.column_config.NumberColumn(format="%.1f"),
    "Typical time (min)": st.column_config.NumberColumn(format="%.0f"),
}


def gaps(curves: Sequence[Curve], of: style.Theme, k: str, end: float) -> go.Figure:
    """Everyone's gaps as far as ``end``; ``k`` is what the axis calls it."""
    return cdf(curves, of, x_title=gap_title(k), x_range=(0.0, end))


def by_k(
    measured: Measured | None, ks: Sequence[int], order: Sequence[int], of: style.Theme
) -> list[Curve]:
    """A curve for each k, which looks the same whichever others are drawn."""
    if measured is None:
        return []
    curves = []
    for k in ks:
        at = style.place_of(k, style.K_ORDER, list(order))
        result = measured.gaps.at(k)
        curves.append(Curve(f"k = {k}", result.values, of.categories[at], at, result.users))
    return curves


def by_profile(
    measured: Mapping[GeneralizationProfile, Measured],
    k: int,
    order: Sequence[GeneralizationProfile],
    of: style.Theme,
) -> list[Curve]:
    """A curve for each profile that is measured, coloured by its place among all."""
    colours = style.graded(len(order), of)
    return [
        Curve(str(profile), measured[profile].gaps.at(k).values, colours[i], i)
        for i, profile in enumerate(order)
        if profile in measured
    ]
