"""Counts: whether they would be safer than records (Xu et al. 2017)."""

from __future__ import annotations

import streamlit as st

from pages.aggregates import form, story
from pages.charts import recovery, style
from pages.charts.maps import dots_legend
from pages.charts.words import moment
from pages.shell import definitions, downloads, kinds, layout, questions
from pages.shell.figure import fold, legend, show, show_map
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.widgets import days

of = style.theme(st.context.theme.type)
_PREFIX = "recovery_"  # of the names of the tables, and so of the files

place = layout.line("aggregates", "What can an attack recover from counts?")
data = layout.data("aggregates", ", to attack counts of people.")
with place.popover("Settings", icon=":material/tune:", key="aggregates_settings"):
    plan = form.form(data.fs)
layout.about(
    place, story.INTRODUCTION, definitions.AGGREGATES, definitions.RECOVERY, definitions.AT_RANDOM
)
found = form.attack(data.fs, plan)
if found is None:
    questions.announce(kinds.RECOVERY, "The figures appear here as soon as the attack is over.")
    end_view()
made, score, dates = found.counts, found.score, days(data.fs)

# --- how much is recovered ---
what_this_means(
    *story.attack(found),
    key="aggregates_attack",
    published=story.PUBLISHED_RECOVERY,
    source=story.SOURCE,
)
with st.container(key="main_figure"):
    show(
        recovery.by_step(
            story.STEP_NAMES,
            score.recorded_by_step.tolist(),
            score.baseline_recorded_by_step.tolist(),
            of,
        ),
        key="aggregates_steps",
        alt="Share of recorded points recovered after each step, and by linking at random.",
    )
if lack := story.lack(found):
    st.info(lack)

left, right = side_by_side("aggregates_attack")
with left:
    st.subheader("How far off is a recovered point?", anchor=False, help=definitions.RECOVERY_ERROR)
    show(
        recovery.errors(score.error_m, of),
        key="aggregates_error",
        alt="Share of the points by distance between recovered and true place.",
    )
with right:
    st.subheader("Whose trajectory is it?", anchor=False, help=definitions.TOP_PLACES)
    show(
        recovery.unique_by_top(score.uniqueness.tolist(), of),
        key="aggregates_unique",
        alt="Share of recovered trajectories that are unique by their most visited places.",
    )
    what_this_means(
        *story.unique(found),
        key="aggregates_unique",
        published=story.PUBLISHED_UNIQUENESS,
        source=story.SOURCE,
    )

# --- what would be published ---
st.subheader("What would be published", anchor=False, help=definitions.AGGREGATES)
slot = form.moment(found, dates)
show_map(
    recovery.counts_map(made.of_slot(slot), made.greatest, found.lon, found.lat, of),
    key="aggregates_map",
    alt=f"Map of the counts at {moment(float(made.wall_start_min[slot]), dates, ', ')}; larger "
    "dots stand for more people.",
)
if len(found.lon):
    legend(
        dots_legend(made.greatest, of, noun="people"),
        key="aggregates_map_legend",
        alt="Legend of the map: the sizes of the dots for some numbers of people.",
    )
what_this_means(*story.release(found), key="aggregates_release")

with fold("What makes the attack better or worse?", key="aggregates_varied"):
    varied = form.factors(data.fs, plan)
    if varied is None:
        st.caption("This runs the attack again on coarser places, longer slots and fewer people.")
    else:
        accuracy, uniqueness = story.panels(varied)
        by_level = "by size of place, length of slot and number of people."
        show(
            recovery.panels(accuracy, of, y_title="Share of all points recovered", greyed=True),
            key="aggregates_factors_accuracy",
            alt=f"Share of points recovered {by_level}",
        )
        show(
            recovery.panels(uniqueness, of, y_title="Unique recovered trajectories", greyed=False),
            key="aggregates_factors_uniqueness",
            alt=f"Unique recovered trajectories {by_level}",
        )
        what_this_means(
            *story.factors(varied),
            key="aggregates_factors",
            published=story.PUBLISHED_FACTORS,
            source=story.SOURCE,
        )

with fold("What helps, and what does it cost?", key="aggregates_helps"):
    tried = form.mitigations(data.fs, plan, found)
    if tried is None:
        st.caption(
            "This runs the attack again after each mitigation, for an attacker who knows how many "
            "people there are."
        )
    else:
        show(
            recovery.remedies(story.remedies(tried), of),
            key="aggregates_remedies",
            alt="Share of points recovered after each mitigation, and the error of the counts.",
        )
        what_this_means(*story.mitigations(tried), key="aggregates_remedies")
        st.dataframe(story.remedies_table(tried), hide_index=True, key="aggregates_tried")
    st.caption(f"{definitions.COUNT_ERROR}  \n{definitions.PRIVACY_UNIT}")

st.subheader("Counts to publish", anchor=False)
st.markdown(story.INSTEAD)
st.page_link("pages/tables/view.py", label="Replace the records", icon=":material/table_chart:")

tables = {name: name.capitalize() for name in ("counts", "scores", "errors", "uniqueness")}
files = downloads.files_of(found, tables, _PREFIX)
if varied is not None:
    files |= downloads.files_of(varied, {"factors": "Factors"}, _PREFIX)
if tried is not None:
    files |= downloads.files_of(tried, {"mitigations": "Mitigations"}, _PREFIX)
downloads.csv_files("aggregates", files, prefix=_PREFIX)
layout.formulas("Counts and trajectory recovery")
