"""GLOVE: what does it cost to hide everyone, person by person? (GLOVE; science.md §5)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.charts import style, words
from pages.charts.cdf import Curve, beyond, cdf
from pages.components import comparing, definitions, groups, job_panel, needed, releases, session
from pages.components.guard import end_view
from pages.components.meaning import what_this_means
from pages.components.pair import side_by_side

of = style.theme(st.context.theme.type)

st.title("GLOVE", anchor=False)
st.markdown("What does it cost to hide everyone in a crowd of k, person by person?")
data = needed.data(
    "glove",
    without="No data set is open yet. Open a sample, or your own data, and everyone in it can be "
    "hidden.",
    then="You can hide everyone as soon as the data are read.",
)
plan = releases.form(data)
if plan is not None:
    releases.ask(data, plan)
if expected := releases.expected_s(data):
    times = [f"about {words.clock(s)} at k = {k}" for k, s in expected.items()]
    st.caption(f"On this machine a run takes {', '.join(times)}.")
with st.container(key="glove_work"):
    job_panel.show(session.jobs("glove"), key="glove_jobs")
made = releases.made(data)
if not made:
    st.info(
        "GLOVE merges the records that are most alike until everyone is one of at least k people "
        "with exactly the same record. Each published sample is an area and a span of time in "
        "which the person was at some moment. Choose k and hide everyone."
    )
    end_view()
chosen = st.selectbox(
    "Look at the release",
    list(made)[::-1],
    format_func=str,
    key=f"glove_chosen_{len(made)}_{hash(tuple(made))}",
    width=420,
)
release = made[chosen]
result, verdict = release.result, release.verdict
figures = result.summary()

# --- the verdict ---
if verdict.passed:
    st.success(f"**Verified.** {str(verdict).removeprefix('Verified: ').capitalize()}")
else:
    st.error(f"**Do not release this.** {verdict}")
with st.container(horizontal=True, gap="large", key="glove_figures"):
    st.metric("Groups", f"{figures['groups']:,}", width="content")
    st.metric(
        "Typical area side (median)", words.distance(figures["median_space_m"]), width="content"
    )
    st.metric(
        "Typical time span (median)", words.duration(figures["median_time_min"]), width="content"
    )
    st.metric("Samples left out", words.percent(figures["suppressed_share"]), width="content")
    st.metric(
        "Phantom samples",
        words.percent(figures["phantom_share"]),
        width="content",
        help=definitions.PHANTOM,
    )

# --- accuracy ---
st.header("How accurate is what is published?", anchor=False, help=definitions.ACCURACY)
left, right = side_by_side("glove_accuracy")
for place, column, unit, scale, title in (
    (left, "space_m", "km", 1000.0, "Side of the published area that holds it (km)"),
    (right, "time_min", "hours", 60.0, "Span of time in which it is published (hours)"),
):
    curves = [
        Curve(str(p), made[p].result.accuracy[column].to_numpy() / scale, of.categories[i], i)
        for i, p in enumerate(made)
    ]
    ends = [np.nanquantile(c.values, 0.99) for c in curves if np.isfinite(c.values).any()]
    edge = 1.05 * max(ends, default=1.0)
    with place:
        st.plotly_chart(
            cdf(curves, of, x_title=title, x_range=(0.0, edge), whose="samples", height=380),
            key=f"glove_cdf_{column}",
            theme=None,
            config=style.CONFIG,
            alt=f"Share of the original samples by their accuracy in {unit}, a curve per release.",
        )
        if told := words.beyond(beyond(curves, edge)):
            st.caption(told.replace("Users", "Samples"))
left_over, unpublished = figures["users_left_over"], figures["users_suppressed"]
what_this_means(
    f"Everyone is one of at least {chosen.k} people with the same record. Half of the samples are "
    f"published as an area of at most {words.distance(figures['median_space_m'])} by side and a "
    f"time span of at most {words.duration(figures['median_time_min'])}; "
    f"{words.percent(figures['share_2km'])} lie within 2 km, {words.percent(figures['share_2h'])} "
    "within 2 hours."
    if figures["suppressed_share"] < 1
    else "Nothing could be published under these limits.",
    f"{words.percent(figures['suppressed_share'])} of the samples are left out, because they could "
    "only be published coarser than the limits."
    if len(result.suppressed)
    else "No sample is left out.",
    f"{words.count(left_over, 'user')} {words.were(left_over)} left over and "
    + ("joined the nearest group." if result.leftover == "merge" else "not published.")
    if left_over
    else "",
    f"Of {words.count(unpublished, 'user')} nothing is published." if unpublished else "",
    f"In {words.percent(figures['phantom_share'])} of the published samples the person has no "
    "sample of their own: whoever reads the data must know."
    if figures["phantom_share"]
    else "",
    key="glove",
)
st.dataframe(groups.comparison(made), hide_index=True, key="glove_table")
comparing.section(data, of)

# --- before and after ---
groups.maps(data, result, of)
groups.one(data, result, of)

# --- download ---
st.divider()
st.markdown(
    "**Download the release** – one row per user and published sample, under pseudonyms"
    if verdict.passed
    else "**This release did not pass its verification; it is not offered for download.**"
)
if verdict.passed:
    with st.container(horizontal=True, key="glove_downloads"):
        for label, name, content in (
            ("CSV", "release.csv", lambda: releases.file(release, "release.csv")),
            ("Parquet", "release.parquet", lambda: releases.file(release, "release.parquet")),
            ("Data dictionary", "dictionary.csv", lambda: releases.dictionary(release)),
            (
                "Left-out samples (not for release)",
                "suppressed.csv",
                lambda: releases.left_out(release),
            ),
        ):
            st.download_button(
                label,
                content,
                file_name=name,
                key=f"glove_get_{name.replace('.', '_')}",
                icon="⬇️",
                on_click="ignore",
            )
