"""Who can be found: how few points an attacker needs (de Montjoye et al. 2013)."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.limits import SEED
from fpanon_core.studies.unicity import Config
from pages.charts import style, unicity
from pages.shell import definitions, downloads, layout, questions
from pages.shell.figure import show
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.widgets import number
from pages.unicity import sections, story

of = style.theme(st.context.theme.type)

place = layout.line("unicity", "How little does an attacker need to know?")
data = layout.data("unicity", ", to see what an attacker needs to know.")
with place.popover("Settings", icon=":material/tune:", key="unicity_settings"):
    seed = number(
        "Seed of the draws",
        SEED,
        0,
        key="unicity_seed",
        width=180,
        help="The same seed draws the same people and the same points.",
    )
layout.about(place, definitions.UNICITY, definitions.STRATEGY, story.ASSUMED)
config = Config(seed=seed)
label = "Drawing points and finding which people they fit"
result = questions.settle(questions.Question(sections.OUTSIDER, data.fs, config, label))
if result is None:
    questions.announce(sections.OUTSIDER, "The figures appear here as soon as they are measured.")
    end_view()

# --- points known ---
what_this_means(
    *story.points_known(result),
    key="unicity",
    published="4 points single out 95% of people, and 2 points more than half.",
    source=story.MONTJOYE,
)
left, right = side_by_side("unicity_points")
with left:
    st.subheader("By number of known points", anchor=False)
    with st.container(key="main_figure"):
        show(
            unicity.crowds(story.narrowed(result), of),
            key="unicity_by_p",
            alt="Share of people whose points fit nobody else, or only a few others.",
        )
with right:
    p = sections.resolutions(result, of)

# --- other knowledge ---
st.subheader("What if other points are known?", anchor=False, help=definitions.STRATEGY)
show(
    unicity.against_points(result.curves, of),
    key="unicity_by_strategy",
    alt="Share of unique people by the number of known points, a line for each kind of points.",
)

# --- points needed ---
st.subheader("How many points until nobody else fits?", anchor=False)
if story.points_drawn(result):
    show(
        unicity.boxes(result.needed, of, asked=len(result.points)),
        key="unicity_needed",
        alt="Box plot of the number of random points after which a person is unique, for people "
        "who become unique.",
    )
what_this_means(
    *story.points_needed(result),
    key="unicity_needed",
    published="at most 11 points were needed.",
    source=story.MONTJOYE,
)

# --- laws ---
sections.laws(result, of)

# --- merged regions ---
merged = sections.regions(data, seed, p, of)

# --- download ---
files = downloads.files_of(result, story.TABLES)
if merged is not None:
    files |= downloads.files_of(merged, story.REGION_TABLES)
downloads.csv_files("unicity", files)
layout.formulas("Adversary knowledge and unicity")
