"""The curves of everyone's k-gap, for several k and for several profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies.anonymizability import Measured
from pages.charts import style
from pages.charts.cdf import Curve, cdf

from .story import AT_0, HIDDEN, gap_title

_SHARES = {
    HIDDEN: "Share of the users whose fingerprint at least k − 1 others have, too.",
    AT_0: "Share of the users for whom nothing has to be moved in what has a weight.",
}
_CAPPED = (
    "Of a typical user (the median): the mean over the matched samples, each counted up to the "
    "limit of the stretch effort."
)


def columns(table: pd.DataFrame) -> dict[str, ColumnConfig]:
    """How the columns of the table of profiles are shown."""
    shares = {
        name: st.column_config.ProgressColumn(
            format="%.1f %%", min_value=0, max_value=100, help=about
        )
        for name, about in _SHARES.items()
    }
    means = {
        str(name): st.column_config.TextColumn(help=_CAPPED)
        for name in table
        if " (up to " in str(name)
    }
    return {
        **shares,
        **means,
        "Median gap": st.column_config.NumberColumn(
            format="%.3f", help="Half of the users have this k-gap or less, from 0 to 1."
        ),
        "90 % within": st.column_config.NumberColumn(
            format="%.3f", help="Nine users in ten have this k-gap or less, from 0 to 1."
        ),
    }


def gaps(
    curves: Sequence[Curve],
    of: style.Theme,
    k: str,
    end: float,
    stretch: StretchConfig,
    *,
    height: int = style.MAIN_PX,
) -> go.Figure:
    """Everyone's gaps as far as ``end``; ``k`` is what the axis calls it."""
    return cdf(curves, of, x_title=gap_title(k, stretch), x_range=(0.0, end), height=height)


def of_several(
    measured: Measured,
    ks: Sequence[int],
    order: Sequence[int],
    end: float,
    stretch: StretchConfig,
    of: style.Theme,
) -> go.Figure:
    """The figure of everyone's gaps for several k."""
    return gaps(by_k(measured, ks, order, of), of, "k", end, stretch)


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
