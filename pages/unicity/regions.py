"""What becomes of unicity when antennas are merged: a section of Who can be found."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import antenna_merging
from pages.charts import maps, style, unicity
from pages.charts.style import Theme
from pages.shell import definitions, questions
from pages.shell.dataset import Dataset
from pages.shell.figure import show, show_map
from pages.shell.layout import side_by_side, what_this_means
from pages.unicity import form, story


def section(
    data: Dataset, seed: int, p: int, of: Theme, *, alone: bool
) -> antenna_merging.Result | None:
    """The regions on the map, their sizes, and unicity with p points known in them."""
    noun = story.merged_noun(data.fs.antennas is not None)
    with st.expander(f"And with {noun} merged?", key="unicity_merging"):
        question = form.regions(data, seed)
        merged: antenna_merging.Result | None = questions.settle(question, alone=alone)
        if merged is None:
            st.caption(f"The map appears here as soon as the {noun} are merged.")
            return None
        left, right = side_by_side("unicity_regions")
        with left:
            drawn = (
                maps.regions_map(
                    merged.rings,
                    merged.region,
                    story.region_names(merged),
                    of,
                    height=style.OTHER_PX,
                )
                if merged.rings
                else None
            )
            show_map(
                drawn,
                key="unicity_map",
                height=style.OTHER_PX,
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
