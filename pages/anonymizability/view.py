"""How hard people are to hide: everyone's k-gap (Gramaglia & Fiore 2015, fig. 2–5)."""

from __future__ import annotations

from functools import partial

import streamlit as st

from fpanon_core.model.profiles import corners_text
from fpanon_core.studies.anonymizability import together
from pages.anonymizability import figures, form, person, results, story
from pages.charts import style
from pages.shell import definitions, downloads, job_panel, kinds, layout, questions
from pages.shell.figure import show
from pages.shell.guard import act, end_view

of = style.theme(st.context.theme.type)

place = layout.line("anonymizability", "How much must change for k people to look alike?")
data = layout.data("anon", ", and everyone is measured.")
n = data.fs.n_users
with place.popover("Settings", icon=":material/tune:", key="anon_settings"):
    asked = form.form(data.fs)
    whole = st.toggle("Whole scale, 0 to 1", key="anon_whole", persist_state="session")
layout.about(place, definitions.K_GAP, definitions.PROFILE, definitions.STRETCH)
wanted = form.current().limited_to(n)
if asked:
    results.ask(data, wanted)
form.write_url()
waiting = results.start_wanted(data, wanted)
measuring = questions.jobs(kinds.MEASURE)
# What comes and goes has a container of its own, so that the figures below keep their place.
with st.container(key="anon_work"):
    job_panel.show(measuring, key="anon_jobs", stop=questions.hold)
    if waiting and not any(job.active for job in measuring):
        results.offer(data, wanted)
found = {p: r for p in wanted.profiles if (r := results.find(data, p, wanted))}
measured = {p: r.measured[0] for p, r in found.items()}

with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="anon_look_at"):
    form.crowds(wanted, n)
    profile = form.profile_looked_at(list(measured) or wanted.profiles[:1])
    shown = measured.get(profile)
    known = [k for k in wanted.offered(n) if shown is not None and k in shown.parts]
    k = form.k_looked_at(known or wanted.ks)
    form.undo_button()
reach = 1.0 if whole else story.reach(measured, wanted.ks)

# --- everyone, for several k ---
deepening = results.deepen(data, wanted, profile)
drawn = [each for each in wanted.ks if each in known]
if shown is None or not drawn:
    questions.announce(kinds.MEASURE, "The curves appear here as soon as they are measured.")
    form.largest_crowd(n)
    end_view()
curves = figures.by_k(shown, drawn, wanted.ks, of)
finding = st.container()
with st.container(key="main_figure"):
    show(
        figures.gaps(curves, of, "k", reach, wanted.config),
        key="anon_by_k",
        on_select=act(partial(person.take_click, data.fs, "anon_by_k")),
        selection_mode="points",
        alt=f"Share of people by k-gap at {profile}, one curve for each k.",
    )
with finding:
    layout.what_this_means(
        *story.by_k(shown, drawn, wanted.config, curves, reach),
        key="by_k",
        published=story.published_by_k(profile, drawn, wanted.config),
    )
with st.container(key="anon_background"):
    if deepening is not None:
        job_panel.background(
            lambda: results.deepen(data, wanted, profile), "Measuring larger groups:"
        )
    elif known:  # a line in its place: were it to go, an open list below would close
        st.caption(f"Measured up to k = {max(known)}. {story.CLICK}")
    form.largest_crowd(n)

# --- everyone, for several profiles ---
st.subheader("Coarser places and times", anchor=False, help=definitions.PROFILE)
coarser = {p: m for p, m in measured.items() if k in m.parts}
curves = figures.by_profile(coarser, k, wanted.profiles, of)
show(
    figures.gaps(curves, of, str(k), reach, wanted.config, height=style.OTHER_PX),
    key="anon_by_profile",
    alt=f"Share of people by {k}-gap, one curve for each generalization profile.",
)
missing = len(wanted.profiles) - len(coarser)
layout.what_this_means(
    *story.by_profile(list(coarser.values()), k, missing, curves, reach),
    corners_text(each.laid.space for each in coarser.values()),
    key="by_profile",
    published=story.published_by_profile(list(coarser), k, wanted.config),
)
table = story.profiles_table(list(coarser.values()), k)
st.dataframe(
    table, hide_index=True, key="anon_profiles_table", column_config=figures.columns(table)
)

# --- why, and one person ---
figures.why(shown, k, of)
st.subheader("One person", anchor=False, help=definitions.STRETCH)
person.section(shown, results.generalized(data.digest, data.fs, profile), k, of)

result = together(list(found.values()), wanted.ks)
downloads.tables("anon", result, story.TABLES)
layout.formulas("k-gap")
