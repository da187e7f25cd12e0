"""Questions and sections of “Who can be found”: resolutions, laws and merged antennas."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import antenna_merging
from fpanon_core.studies import unicity as study
from fpanon_core.studies.under_profiles import corners
from fpanon_core.studies.unicity import AXES, Result
from pages.charts import maps, unicity
from pages.charts.style import Theme
from pages.shell import definitions, questions
from pages.shell import limits as thresholds
from pages.shell.dataset import Dataset
from pages.shell.figure import fold, show, show_map
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.questions import Kind, Question
from pages.shell.widgets import number, selectbox
from pages.unicity import story

OUTSIDER = Kind("unicity", study.study, page="unicity")
REGIONS = Kind("regions", antenna_merging.study, page="unicity")


def resolutions(result: Result, of: Theme) -> int:
    """Draw unicity by side of the grid and time window; return the chosen number of points."""
    st.subheader("Do coarser data help?", anchor=False)
    known = story.grid_points(result)
    p = int(selectbox("Points known", known, index=1, key="unicity_p", width=160))
    show(
        unicity.over_resolutions(*story.heat(result, p), of),
        key="unicity_heat",
        alt=f"Share of unique people with {p} points, by side of the grid and time window.",
    )
    what_this_means(
        *story.coarser(result, p, thresholds.in_force().limit("unicity")),
        corners(result.grid),
        key="unicity_grid",
        published="with 4 points, more than 60% of people are unique at 15 h or at 15 antennas, "
        "and less than 40% at 7 h and 7 antennas.",
        source=story.MONTJOYE,
    )
    return p


def laws(result: Result, of: Theme) -> None:
    """Draw the laws by which unicity falls as data get coarser, and their fit."""
    with fold("By which law does unicity fall?", key="unicity_law"):
        along = selectbox(
            "Law along", AXES, key="unicity_along", width=280, help=definitions.SCALING
        )
        laws = result.laws_along(along)
        show(
            unicity.laws(story.curves(laws), of, x_title=along[0].upper() + along[1:]),
            key="unicity_laws",
            alt="Share of unique people against the resolution, and the law if there is one.",
        )
        for text in (story.flat(laws), story.lawless(laws)):
            if text:
                st.caption(text)
        if fits := story.fits(laws):
            st.dataframe(fits, hide_index=True, key="unicity_fits")


def regions(data: Dataset, seed: int, p: int, of: Theme) -> antenna_merging.Result | None:
    """Draw a map of merged antennas, the sizes of their regions, and unicity with p known points.

    Return the result of merging, or None until the antennas are merged.
    """
    noun = story.merged_noun(data.fs.antennas is not None)
    with fold(f"What if {noun} are merged?", key="unicity_merging"):
        label = f"{noun.capitalize()} in a region, about (v)"
        size = number(label, limits.REGION_ANTENNAS, 7, key="unicity_v", width=240)
        config = antenna_merging.Config(size, seed=seed)
        label = f"Merging about {config.size} {noun} into one region"
        question = Question(REGIONS, data.fs, config, label)
        merged: antenna_merging.Result | None = questions.settle(question)
        if merged is None:
            questions.announce(REGIONS, f"The map appears here as soon as the {noun} are merged.")
            return None
        left, right = side_by_side("unicity_regions")
        with left:
            names = story.region_names(merged)
            show_map(
                maps.regions_map(merged.rings, merged.region, names, of) if merged.rings else None,
                key="unicity_map",
                alt=f"Map of the regions of about {merged.config.size} {noun}.",
            )
        with right:
            show(
                unicity.cluster_sizes(merged.sizes, of, noun=noun.capitalize()),
                key="unicity_sizes",
                alt=f"Histogram of the number of {noun} in each region.",
            )
        what_this_means(*story.regions(merged, p), key="unicity_regions")
        st.caption(definitions.CLUSTERS)
    return merged
