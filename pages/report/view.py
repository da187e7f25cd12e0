"""Report: the decision and its evidence, on a page that looks as it will print."""

from __future__ import annotations

from datetime import date

import streamlit as st

from fpanon_core.studies.report import page, report
from fpanon_core.studies.report_words import describe_file
from pages.charts.words import describe_remote
from pages.report import form, story
from pages.shell import (
    downloads,
    exploration,
    layout,
    leaving,
    questions,
    study,
    together,
    workspace,
)
from pages.shell.guard import end_view

layout.line("report", "What was decided, and on what evidence?")
data = layout.data(
    "report",
    ", weigh release options, and report on them here.",
    then="The report follows as soon as the data are read and their options are weighed.",
)
found = workspace.of(data.digest).weighed
if found is None or all(result.fault for result in found.table.results):
    st.info(story.NOTHING_YET)
    st.page_link("pages/options/view.py", label="On to Release options", icon=":material/balance:")
    form.releases(data, together.made_before(data), together.spent(data))
    end_view()

# --- what is decided ---
settings = st.container(
    key="report_settings", horizontal=True, vertical_alignment="center", gap="small"
)
produced = leaving.made(data, found)
step = form.next_is(found, made=produced is not None)
with settings.popover(
    "Question, reason, names",
    icon=":material/edit:",
    key="report_form",
    type="primary" if step == "state" else "secondary",
):
    decision = form.decision(found, data.label)
if decision.chosen is not None:
    workspace.of(data.digest).explain(decision.why)

# --- the data as they are, measured in the same way ---
asked = exploration.as_it_is(data.fs, found.table.config)
questions.settle(asked, button="Measure the data as they are")

# --- the report ---
session, spent = together.made_before(data), together.spent(data)
lon, lat, samples = data.places
remote = describe_remote(lat, lon, samples)
warnings = story.doubtful(remote=bool(remote), machines=bool(data.report.machines))
made = report(
    exploration.judged(data, found.table, found.limits),
    decision,
    made_on=date.today().isoformat(),
    produced=produced,
    spent=spent,
    session=session,
    warnings=warnings,
)
html = page(made)
with settings:
    downloads.offer(
        "Report (HTML)",
        html.encode,
        f"{data.prefix}report.html",
        key="report_get_html",
        kind="primary" if step == "print" else "secondary",
    )
    downloads.offer(
        "Recipe (JSON)",
        lambda: story.recipe(made.recipe),
        f"{data.prefix}report.recipe.json",
        key="report_get_recipe",
    )
    st.page_link(
        "pages/options/view.py", label="Back to Release options", icon=":material/balance:"
    )
file, choice = None if produced is None else produced.file, found.table.choice
little = describe_file(choice, file) if file and choice.too_little(file) else ""
told = [story.to_do(found, decision, made=produced is not None, little=little)]
told += story.missing(
    found,
    untried=bool(exploration.untried(data.fs)),
    otherwise=workspace.of(data.digest).decided_otherwise,
)
layout.what_this_means("  \n".join(filter(None, told)), story.OPENS, key="report_to_do")
for each in warnings:
    st.warning(f"{each} See *Data*. If they are wrong, correct the data before you sign.")
with st.container(border=True, key="main_figure"):
    st.iframe(html, height=500, alt="The report as it will print")

with st.expander("Save the study, to go on with it later", key="report_study"):
    study.saving(data, key="report")

# --- the release ---
st.header("The release itself", anchor=False)
if found.option is None:
    st.markdown(story.NONE_TO_PRODUCE)
else:
    leaving.of_option(data, found.option)

form.releases(data, session, spent)
layout.formulas("Techniques, utility and the front of release options")
