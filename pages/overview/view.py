"""Overview: whether these data may be released, and by which option."""

from __future__ import annotations

import streamlit as st

from pages.charts import style
from pages.charts.maps import places_map
from pages.charts.words import count, describe_remote
from pages.overview import finding, statements, story, welcome
from pages.shell import aims, dataset, exploration, guard, job_panel, layout, limits, questions
from pages.shell.figure import show_map
from pages.shell.guard import end_view

_MAP_PX = 310

of = style.theme(st.context.theme.type)

opening = dataset.opening()
reading = opening is not None and opening.active
if dataset.current() is None and dataset.asked() is None and not reading:
    if opening is not None:
        job_panel.show([opening], key="overview_opening")
    welcome.show()
    end_view()

layout.line("", title="May these data be released?")
data = layout.data("overview", ".", then="The figures appear here as soon as the data are read.")
aims.ask(data.fs)
in_force = limits.in_force()
four = statements.of(data, finding.knowledge(data))
statements.begin(four)
explored = exploration.judged(data, finding.table(data, in_force), in_force)
left_to_try = finding.untried(data)
raw = explored.raw

# --- the verdict ---
with st.container(key="overview_verdict", gap="small"):
    if raw is None and questions.failed(four[0].question):
        st.markdown(":material/error: **What an attacker finds could not be measured.**")
    elif raw is None:
        st.markdown(":material/hourglass_empty: **What an attacker finds is yet to be measured.**")
    else:
        heads = story.heads(explored, finding.under_way(data), len(left_to_try))
        (mark, answer), *others = heads
        said = [f"{mark} **{answer}**", *(f"{mark} {head}" for mark, head in others)]
        st.markdown("  \n".join(said))

# --- the map, and four statements ---
with st.container(key="main_figure"):
    left, right = st.columns([1, 1], gap="medium")
with left:
    lon, lat, samples = data.places
    show_map(
        places_map(lon, lat, samples, of, height=_MAP_PX),
        key="overview_map",
        alt=f"Map of {count(len(samples), 'place')} in the data; larger and brighter dots have "
        "more samples.",
    )
with right.container(key="overview_four", gap="xsmall"):
    st.markdown("**Data as they are**")
    for each in four:
        statements.draw(each)
statements.failures(four)
if far := describe_remote(lat, lon, samples):
    st.warning(f"{far} See the page *Data*.")
if data.report.machines:
    st.warning(layout.as_shown(data.report.machines))
if not all(each.alone for each in four) and any(
    questions.answer(each.question) is None and not questions.under_way(each.question)
    for each in four
):
    guard.button(story.MEASURE, statements.begin, four, True, key="overview_measure")
    st.caption(story.LARGE)

# --- find a release ---
finding.section(data, explored, left_to_try)
if raw is not None:
    with st.expander("On what grounds?", key="overview_grounds"):
        for text in story.grounds(explored):
            st.markdown(text)
