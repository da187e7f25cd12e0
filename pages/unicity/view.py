"""Who can be found: how few points an attacker needs (de Montjoye et al. 2013)."""

from __future__ import annotations

import streamlit as st

from pages.charts import style, unicity
from pages.shell import definitions, downloads, layout, questions
from pages.shell.figure import fold, show
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means
from pages.unicity import form, sections, story

of = style.theme(st.context.theme.type)

place = layout.line("unicity", "How little does an attacker need to know?")
data = layout.data("unicity", ", to see what an attacker needs to know.")
with place.popover("Settings", icon=":material/tune:", key="unicity_settings"):
    seed = form.seed()
layout.about(place, definitions.UNICITY, definitions.STRATEGY, story.ASSUMED)
result = questions.settle(form.outsider(data, seed))
if result is None:
    questions.announce(form.OUTSIDER, "The figures appear here as soon as they are measured.")
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
    unicity.against_points(story.strategies(result), of),
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

# --- sparsity ---
with fold("Why more areas and times make people unique", key="unicity_why"):
    result = result.with_chance(form.chance(data))
    chance = result.chance
    show(
        unicity.transition(
            chance.over_bins.astype(float),
            chance.over_unique,
            (float(chance.config.bins), chance.unique),
            of,
        ),
        key="unicity_sparsity",
        alt="Probability that a person is unique against the number of bins.",
    )
    what_this_means(story.sparse(chance), key="unicity_sparsity")
    st.caption(definitions.SPARSITY)

# --- download ---
files = downloads.files_of(result, story.TABLES)
if merged is not None:
    files |= downloads.files_of(merged, story.REGION_TABLES)
downloads.csv_files("unicity", files)
layout.formulas("Adversary knowledge and unicity")
