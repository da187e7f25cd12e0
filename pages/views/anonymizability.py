"""Anonymizability: how far is everyone from hiding? (ANON §4, figures 2 to 5)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.charts import style, words
from pages.charts.cdf import Curve, cdf
from pages.components import dataset, exports, job_panel, person, results, session, settings
from pages.components.meaning import what_this_means

K_GAP = "k-gap: mean stretch effort to the k − 1 nearest (0 = already k-anonymous, 1 = hopeless)"
of = style.theme(st.context.theme.type)

st.title("Anonymizability")
st.markdown("##### How far is everyone from hiding in a crowd of k?")

if dataset.opening() is not None:
    job_panel.show([dataset.opening()], key="anon_opening")
    if dataset.opening() is not None and dataset.opening().active:
        st.caption("The figures follow as soon as the data are read.")
        st.stop()
data = dataset.current()
if data is None:
    st.info("No data set is open yet. Open a sample, or your own data, and everyone is measured.")
    st.page_link("pages/views/start.py", label="Go to the start", icon="🏠")
    st.stop()

dataset.banner(data)
if settings.form(data.fs.n_users):
    results.ask(data, settings.current().limited_to(data.fs.n_users))
settings.undo_button()
wanted = settings.current().limited_to(data.fs.n_users)
settings.write_url()
waiting = results.start_wanted(data, wanted)
job_panel.show(session.jobs("measure"), key="anon_jobs", stop=results.hold)
if waiting and not any(job.active for job in session.jobs("measure")):
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Not everything is measured yet; it may take a while on this many users.")
        go = st.button("Measure all profiles", key="anon_go", type="primary")
    if go:
        results.ask(data, wanted)
        st.rerun()
measured = {p: results.find(data, p, wanted) for p in wanted.profiles}
done = [p for p in wanted.profiles if measured[p] is not None]

# --- everyone, for several k -----------------------------------------------------------------------
st.header("Larger crowds", anchor=False)
left, right = st.columns([3, 1], vertical_alignment="bottom")
left.markdown("Share of users whose k-gap is at most the value below, for each k.")
profile = right.selectbox(
    "Profile",
    done or wanted.profiles[:1],
    format_func=str,
    key="anon_profile",
    persist_state="session",
    help="How coarse places and times are made before measuring.",
)
shown = measured.get(profile)
zoomed = st.toggle("Zoom in on the curves", key="anon_zoom", persist_state="session")
curves = []
for k in wanted.ks if shown else ():
    place = style.place_of(k, style.K_ORDER, list(wanted.ks))
    gaps = shown.result.at(k)
    curves.append(Curve(f"k = {k}", gaps.values, of.categories[place], place, gaps.users))
top = max((float(c.values.max()) for c in curves), default=1.0)
reach = (0.0, max(0.05, 1.05 * top)) if zoomed and curves else (0.0, 1.0)
st.plotly_chart(
    cdf(curves, of, x_title=K_GAP, x_range=reach),
    key="anon_by_k",
    theme=None,
    config=style.CONFIG,
    on_select=lambda: person.take_click("anon_by_k"),
    selection_mode="points",
    alt=f"Distribution of the k-gap at {profile}, one curve for each k.",
)
if shown is None:
    st.caption("Measuring has not finished yet.")
    st.stop()
few, many = wanted.ks[0], wanted.ks[-1]
hidden = int((shown.result.at(few).values == 0).sum())
sentence = (
    "At k = {k}, a typical user would have to be moved by about {far} and {long} on average, in every "
    "sample, to look like {crowd}."
)
what_this_means(
    f"{words.share(hidden, data.fs.n_users).capitalize()} "
    f"{'is' if hidden == 1 else 'are'} already {few}-anonymous at {profile}.",
    *(
        sentence.format(
            k=k,
            far=words.distance(float(np.median(shown.parts[k].space_m))),
            long=words.duration(float(np.median(shown.parts[k].time_min))),
            crowd=words.others(k),
        )
        for k in dict.fromkeys((few, many))
    ),
    "Half the users need less, half more; click a point on a curve to see who it is.",
    key="by_k",
)

# --- everyone, for several profiles ----------------------------------------------------------------
st.header("Coarser places and times", anchor=False)
left, right = st.columns([3, 1], vertical_alignment="bottom")
left.markdown("The same when every place and time is made coarser for everybody.")
k = right.selectbox(
    "k", wanted.ks, key="anon_k", persist_state="session", help="The crowd to hide in."
)
colours = style.graded(len(wanted.profiles), of)
curves = [
    Curve(str(p), measured[p].result.at(k).values, colours[i], i)
    for i, p in enumerate(wanted.profiles)
    if measured[p] is not None
]
st.plotly_chart(
    cdf(curves, of, x_title=K_GAP.replace("k-gap", f"{k}-gap").replace("k-anon", f"{k}-anon")),
    key="anon_by_profile",
    theme=None,
    config=style.CONFIG,
    alt=f"Distribution of the {k}-gap, one curve for each generalization profile.",
)
table = exports.by_profile([measured[p] for p in done], k)
st.dataframe(table, hide_index=True, key="anon_profiles_table", column_config=exports.COLUMNS)
coarsest = measured[done[-1]]
hidden = int((coarsest.result.at(k).values == 0).sum())
what_this_means(
    f"Made as coarse as {done[-1]}, {words.share(hidden, data.fs.n_users)} "
    f"{'is' if hidden == 1 else 'are'} {k}-anonymous.",
    "The others can still be told apart."
    if hidden < data.fs.n_users
    else "At this coarseness nobody can be told apart from a crowd of that size.",
    f"{len(wanted.profiles) - len(done)} more profiles are not measured yet."
    if len(done) < len(wanted.profiles)
    else "",
    key="by_profile",
)

# --- why ---------------------------------------------------------------------------------------------
st.header("Why: the place, or the time?", anchor=False)
parts = shown.parts[k]
defined = np.isfinite(parts.temporal_share)
st.plotly_chart(
    cdf(
        [Curve("share of time", parts.temporal_share, of.categories[1], 1)],
        of,
        x_title="Share of the effort that is time (0 = all place, 1 = all time)",
        height=340,
    ),
    key="anon_share",
    theme=None,
    config=style.CONFIG,
    alt=f"Distribution of the share of time in the effort at {profile}, k = {k}.",
)
what_this_means(
    f"For half of the users, {words.percent(float(np.median(parts.temporal_share[defined])))} or more "
    f"of the effort of hiding among {words.others(k)} at {profile} is time rather than place."
    if defined.any()
    else "Nobody needs any effort, so there is no share to show.",
    f"For {words.share(int((~defined).sum()), data.fs.n_users)} it is not defined, as they are hidden "
    "already."
    if (~defined).any()
    else "",
    key="share",
)

# --- one person ------------------------------------------------------------------------------------
st.header("One person", anchor=False)
st.markdown(f"At {profile}, hiding among {words.others(k)}.")
person.show(shown, results.generalized(data.digest, data.fs, profile), k, of)

st.divider()
st.download_button(
    "Download everyone's k-gap (CSV)",
    lambda: exports.gaps_csv(data, [measured[p] for p in done], wanted.ks),
    file_name="k-gap.csv",
    mime="text/csv",
    key="anon_download",
    icon="⬇️",
    on_click="ignore",
    help="One row per user, profile and k, under pseudonyms.",
)
