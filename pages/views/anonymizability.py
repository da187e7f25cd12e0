"""Anonymizability: how far is everyone from hiding? (ANON §4, figures 2 to 5)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.charts import style, words
from pages.charts.cdf import Curve, beyond, cdf
from pages.components import (
    definitions,
    exports,
    job_panel,
    needed,
    person,
    results,
    session,
    settings,
    start,
    why,
)
from pages.components.guard import end_view
from pages.components.meaning import what_this_means

of = style.theme(st.context.theme.type)

st.title("Anonymizability", anchor=False)
st.markdown("How far is everyone from hiding in a crowd of k?")

data = needed.data(
    "anon",
    without="No data set is open yet. Open a sample, or your own data, and everyone is measured.",
    then="The figures follow as soon as the data are read.",
)
n = data.fs.n_users
asked = settings.form(n)
wanted = settings.current().limited_to(n)
if asked:
    results.ask(data, wanted)
settings.undo_button()
settings.write_url()
waiting = results.start_wanted(data, wanted)
measuring = session.jobs("measure")
# What comes and goes has a container of its own, so that the figures below keep their place.
with st.container(key="anon_work"):
    job_panel.show(measuring, key="anon_jobs", stop=results.hold)
    if waiting and not any(job.active for job in measuring):
        start.show(data, wanted)
measured = {p: m for p in wanted.profiles if (m := results.find(data, p, wanted))}

with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="anon_look_at"):
    profile = st.selectbox(
        "Look at profile",
        list(measured) or wanted.profiles[:1],
        format_func=str,
        key="anon_profile",
        persist_state="session",
        width=220,
        help=definitions.PROFILE,
    )
    shown = measured.get(profile)
    known = [k for k in wanted.offered(n) if shown is not None and k in shown.parts]
    k = st.selectbox(
        "and k",
        known or wanted.ks,
        key="anon_k",
        persist_state="session",
        width=120,
        on_change=settings.take_k,
        args=("anon_k",),
        help="The crowd to hide in. A user is k-anonymous when at least k − 1 others have exactly "
        "the same record.",
    )
    whole = st.toggle("Whole scale, 0 to 1", key="anon_whole", persist_state="session")
reach = exports.reach(list(measured.values()), wanted.ks, whole)

# --- everyone, for several k ---
st.header("Larger crowds", anchor=False, help=definitions.K_GAP)
settings.crowds(wanted, n)
deepening = results.deepen(data, wanted, profile)
with st.container(key="anon_background"):
    if deepening is not None:
        job_panel.background(
            lambda: results.deepen(data, wanted, profile),
            "Larger crowds are being measured in the background.",
        )
    elif known:  # a line in its place: were it to go, an open list below would close
        st.caption(f"Crowds up to k = {max(known)} are measured.")
curves = []
for each in (each for each in wanted.ks if each in known):
    at = style.place_of(each, style.K_ORDER, list(wanted.ks))
    gaps = shown.result.at(each)
    curves.append(Curve(f"k = {each}", gaps.values, of.categories[at], at, gaps.users))
st.plotly_chart(
    cdf(curves, of, x_title=exports.gap_title("k"), x_range=reach),
    key="anon_by_k",
    theme=None,
    config=style.CONFIG,
    on_select=lambda: person.take_click("anon_by_k"),
    selection_mode="points",
    alt=f"Share of users by k-gap at {profile}, one curve for each k.",
)
if not curves:
    st.caption("The curves appear here as soon as they are measured.")
    end_view()
drawn = [each for each in wanted.ks if each in known]
few, many = drawn[0], drawn[-1]
hidden = int((shown.result.at(few).values == 0).sum())
what_this_means(
    f"At {profile}, {words.share(hidden, n)} {words.verb(hidden)} {few}-anonymous already.",
    *(
        f"To look like {words.others(each)}, a typical user would have to be moved by about "
        f"{words.distance(float(np.median(shown.parts[each].space_m)))} and "
        f"{words.duration(float(np.median(shown.parts[each].time_min)))} on average."
        for each in dict.fromkeys((few, many))
    ),
    f"Distances beyond {words.distance(wanted.config.max_space_m)} and times beyond "
    f"{words.duration(wanted.config.max_time_min)} count as no more than that.",
    "Click a point on a curve to see whose fingerprint it is.",
    words.beyond(beyond(curves, reach[1])),
    key="by_k",
    published="half of the users have a 2-gap of 0.09 or less in Ivory Coast, 80 % one of 0.17 or "
    "less in Senegal; nobody is at 0.",
)

# --- everyone, for several profiles ---
st.header("Coarser places and times", anchor=False, help=definitions.PROFILE)
colours = style.graded(len(wanted.profiles), of)
coarser = {p: m for p, m in measured.items() if k in m.parts}
curves = [
    Curve(str(p), coarser[p].result.at(k).values, colours[i], i)
    for i, p in enumerate(wanted.profiles)
    if p in coarser
]
st.plotly_chart(
    cdf(curves, of, x_title=exports.gap_title(str(k)), x_range=reach),
    key="anon_by_profile",
    theme=None,
    config=style.CONFIG,
    alt=f"Share of users by {k}-gap, one curve for each generalization profile.",
)
st.dataframe(
    exports.by_profile(list(coarser.values()), k),
    hide_index=True,
    key="anon_profiles_table",
    column_config=exports.COLUMNS,
)
coarsest = list(coarser.values())[-1]
told_apart = int((coarsest.result.at(k).values > 0).sum())
missing = len(wanted.profiles) - len(coarser)
what_this_means(
    f"Even at {coarsest.profile}, {words.share(told_apart, n)} {words.verb(told_apart)} "
    f"{words.not_anonymous(k)}."
    if told_apart
    else f"At {coarsest.profile}, everybody is {k}-anonymous: at least {k - 1} "
    f"other{'s have' if k > 2 else ' has'} the very same fingerprint.",
    f"{missing} of the profiles are not measured yet." if missing else "",
    words.beyond(beyond(curves, reach[1])),
    key="by_profile",
    published="even at 20 km · 8 h only about 30 % are 2-anonymous.",
)

# --- why, and one person ---
why.show(shown, k, of)
st.header("One person", anchor=False, help=definitions.STRETCH)
person.show(shown, results.generalized(data.digest, data.fs, profile), k, of)

st.divider()
st.download_button(
    "Download everyone's k-gap (CSV)",
    lambda: exports.gaps_csv(data, list(measured.values()), wanted.ks),
    file_name="k-gap.csv",
    mime="text/csv",
    key="anon_download",
    icon="⬇️",
    on_click="ignore",
    help="One row per user, profile and k, under pseudonyms.",
)
