"""Unicity over resolutions, and the law behind it: a section of Who can be found."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies.under_profiles import corners
from fpanon_core.studies.unicity import AXES, Result
from pages.charts import unicity
from pages.charts.style import Theme
from pages.shell import definitions
from pages.shell.figure import show
from pages.shell.layout import side_by_side, what_this_means
from pages.unicity import story


def section(result: Result, of: Theme) -> int:
    """The heat map, the laws along an axis, and their exponents; the points known chosen here."""
    left, right = side_by_side("unicity_coarser")
    with left:
        st.subheader("Does it help to be coarser?", anchor=False)
        p = int(
            st.selectbox(
                "Points known",
                story.grid_points(result),
                index=1,
                key="unicity_p",
                width=160,
                persist_state="session",
            )
        )
        show(
            unicity.over_resolutions(*story.heat(result, p), of),
            key="unicity_heat",
            alt=f"Share of unique users with {p} points, by side of the grid and time window.",
        )
    with right:
        what_this_means(
            *story.coarser(result, p),
            key="unicity_grid",
            published="more than 60 % are unique at 15 h or 15 antennas, less than 40 % at (7 h, 7 "
            "antennas), for 4 points.",
            source=story.MONTJOYE,
        )
        if where := corners(result.grid):
            st.caption(where)
    with st.expander("By which law does it fall?", key="unicity_law"):
        _laws(result, of)
    return p


def _laws(result: Result, of: Theme) -> None:
    """The laws along an axis, how well they fit, and their exponents."""
    along = st.selectbox(
        "Law along",
        AXES,
        key="unicity_along",
        width=280,
        help=definitions.SCALING,
        persist_state="session",
    )
    laws = result.laws_along(along)
    left, right = side_by_side("unicity_laws")
    with left:
        show(
            unicity.laws(story.curves(laws), of, x_title=along[0].upper() + along[1:]),
            key="unicity_laws",
            alt="Share of unique users against the resolution, with the law where there is one.",
        )
    if (exponents := story.exponents(result, along)) is not None:
        with right:
            show(
                unicity.exponents(*exponents, of),
                key="unicity_exponents",
                alt="Exponent of the law against the number of known points, with the fitted line "
                "and the published one.",
            )
            st.caption(story.exponent_line(result, along))
    for text in (story.flat(laws), story.lawless(laws)):
        if text:
            st.caption(text)
    if fits := story.fits(laws):
        st.dataframe(fits, hide_index=True, key="unicity_fits")
