"""How people are recorded, how often and where: a section of Who can be found."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies.unicity import Result
from pages.charts import style, unicity
from pages.charts.cdf import cdf
from pages.charts.style import Theme
from pages.shell import definitions
from pages.shell.figure import show
from pages.shell.layout import side_by_side, what_this_means
from pages.unicity import story


def section(result: Result, of: Theme) -> None:
    """Times between records, and antennas against residents."""
    with st.expander("How often are people recorded, and where?", key="unicity_rhythm"):
        left, right = side_by_side("unicity_rhythm")
        with left:
            st.markdown(f"**{story.rhythm(result)}**", help=definitions.INTERVALS)
            curves, reach = story.interval_curves(result, of)
            show(
                cdf(
                    curves,
                    of,
                    x_title="Time between consecutive records of a person (logarithmic)",
                    x_range=reach,
                    whose="people, or of intervals",
                    log_x=True,
                    ticks=story.INTERVAL_TICKS,
                    height=style.OTHER_PX,
                ),
                key="unicity_intervals",
                alt="Share of people by the median time between their records, and of all "
                "intervals by their length.",
            )
            what_this_means(story.rarely(result), key="unicity_intervals")
        with right:
            st.markdown(f"**{story.areas(result)}**", help=definitions.AREAS)
            found, noun = result.recording.areas, story.merged_noun(result.recording.antennas)
            show(
                unicity.antennas_against_people(
                    found.people, found.antennas, of, noun=noun.capitalize()
                ),
                key="unicity_areas",
                alt=f"Number of {noun} of each area against the people who live there.",
            )
            what_this_means(
                *story.area_notes(result),
                key="unicity_areas",
                published=story.PUBLISHED_AREAS,
                source=story.MONTJOYE,
            )
