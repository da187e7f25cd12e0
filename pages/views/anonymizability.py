"""Anonymizability: how far is everyone from hiding? (ANON §4, figures 2 to 5)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.charts import style, words
from pages.charts.cdf import Curve, cdf
from pages.components import dataset, exports, job_panel, person, results, session, settings
from pages.components.meaning import what_this_means

of = style.theme(st.context.theme.type)

st.title("Anonymizability", anchor=False)
st.markdown("How far is everyone from hiding in a crowd of k?")

opening = dataset.opening()
if opening is not None:
    job_panel.show([opening], key="anon_opening")
    if opening.active:
        st.caption("The figures follow as soon as the data are read.")
        st.stop()
data = dataset.current()
if data is None:
    st.info("No data set is open yet. Open a sample, or your own data, and everyone is measured.")
    st.page_link("pages/views/start.py", label="Go to the start", icon="🏠")
    st.stop()

dataset.banner(data)
n = data.fs.n_users
asked = settings.form(n)
wanted = settings.current().limited_to(n)
if asked:
    results.ask(data, wanted)
settings.undo_button()
settings.write_url()
waiting = results.start_wanted(data, wanted)
measuring = session.jobs("measure")
job_panel.show(measuring, key="anon_jobs", stop=results.hold)
if waiting and not any(job.active for job in measuring):
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Not everything is measured; on this many users it may take a while.")
        if st.button("Measure all profiles", key="anon_go", type="primary"):
            results.ask(data, wanted)
            st.rerun()
measured = {p: m for p in wanted.profiles if (m := results.find(data, p, wanted))}

with st.container(horizontal=True, vertical_alignment="bottom", gap="large", key="anon_look_at"):
    profile = st.selectbox(
        "Look at profile",
        list(measured) or wanted.profiles[:1],
        format_func=str,
        key="anon_profile",
        persist_state="session",
        width=220,
        help="How coarse places and times are made before measuring.",
    )
    k = st.selectbox(
        "and k",
        wanted.ks,
        key="anon_k",
        persist_state="session",
        width=120,
        help="A user is k-anonymous when at least k − 1 others have exactly the same record.",
    )
    whole = st.toggle("Whole scale, 0 to 1", key="anon_whole", persist_state="session")
shown = measured.get(profile)
reach = exports.reach(list(measured.values()), whole)

# --- everyone, for several k ---
st.header("Larger crowds", anchor=False)
curves = []
for each in wanted.ks if shown else ():
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
if shown is None:
    st.caption("The curves appear here as soon as they are measured.")
    st.stop()
few, many = wanted.ks[0], wanted.ks[-1]
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
    f"{words.duration(wanted.config.max_time_min)} count as just that.",
    "Half of the users need less, half more; click a point on a curve to see who it is.",
    f"{words.share(beyond, n).capitalize()} {words.verb(beyond)} beyond the right edge."
    if (beyond := int((shown.result.values > reach[1]).sum()))
    else "",
    key="by_k",
)

# --- everyone, for several profiles ---
st.header("Coarser places and times", anchor=False)
colours = style.graded(len(wanted.profiles), of)
curves = [
    Curve(str(p), measured[p].result.at(k).values, colours[i], i)
    for i, p in enumerate(wanted.profiles)
    if p in measured
]
st.plotly_chart(
    cdf(curves, of, x_title=exports.gap_title(str(k)), x_range=reach),
    key="anon_by_profile",
    theme=None,
    config=style.CONFIG,
    alt=f"Share of users by {k}-gap, one curve for each generalization profile.",
)
st.dataframe(
    exports.by_profile(list(measured.values()), k),
    hide_index=True,
    key="anon_profiles_table",
    column_config=exports.COLUMNS,
)
coarsest = measured[list(measured)[-1]]
hidden = int((coarsest.result.at(k).values == 0).sum())
missing = len(wanted.profiles) - len(measured)
what_this_means(
    f"Even at {coarsest.profile}, {words.share(n - hidden, n)} can still be told apart from "
    f"{words.others(k)}."
    if hidden < n
    else f"At {coarsest.profile} nobody can be told apart from {words.others(k)}.",
    f"{missing} of the profiles are not measured yet." if missing else "",
    key="by_profile",
)

# --- why ---
st.header("The place, or the time?", anchor=False)
share = shown.parts[k].temporal_share
defined = share[np.isfinite(share)]
st.plotly_chart(
    cdf(
        [Curve(f"{profile}, k = {k}", share, of.categories[1], 1)],
        of,
        x_title="Share of the stretch effort that is time (0 = all place, 1 = all time)",
        height=340,
    ),
    key="anon_share",
    theme=None,
    config=style.CONFIG,
    alt=f"Share of users by the share of time in their effort, at {profile} and k = {k}.",
)
what_this_means(
    f"For half of the users, time rather than place is {words.percent(float(np.median(defined)))} "
    f"or more of what it takes to hide them among {words.others(k)}."
    if len(defined)
    else "Everyone is hidden already, so there is no effort to divide.",
    f"Left out: {words.share(n - len(defined), n)}, hidden already."
    if 0 < len(defined) < n
    else "",
    key="share",
)

# --- one person ---
st.header("One person", anchor=False)
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
