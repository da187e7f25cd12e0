"""Data: what was read, what was set aside and why, and who remains after screening."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fpanon_core.tables.writing import table_bytes
from pages.charts import style
from pages.charts.cdf import samples_per_user
from pages.charts.maps import dots_legend, places_map
from pages.charts.words import count, describe_remote
from pages.data import form, opening, story
from pages.shell import dataset, downloads, guard, job_panel, layout, study
from pages.shell.figure import legend, show, show_map
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means

of = style.theme(st.context.theme.type)

place = layout.line("data", "What was read, and what was set aside?")
data, job, refused = dataset.current(), dataset.opening(), None
if data is not None and (job is None or job.error is None) and dataset.asked() is None:
    if place.button(
        "Go to the overview", icon=":material/arrow_forward:", type="primary", key="data_on"
    ):
        st.switch_page("pages/overview/view.py")
    if dataset.newly_opened():
        st.session_state["data_open"] = False
    with place.popover(
        "Open other data", icon=":material/folder_open:", key="data_open", on_change="rerun"
    ):
        opening.show()
        study.opening(key="data")
else:
    opening.show()
    with st.expander("Open a study that was saved", key="data_study"):
        study.opening(key="data")
if job is not None:
    job_panel.show([job], key="data_opening")
    if job.active:
        end_view()
    # Then the form corrects the refused file, not the data that are still open.
    if job.error is not None and not job.meta["source"].sample:
        refused = job
    if refused is not None and not job.meta["source"].was_read:
        form.correction(job.meta["source"], job.meta["reading"], None)
if (asked := dataset.asked()) is not None:
    form.doubt(asked)
    form.correction(asked.source, asked.reading, None)
    end_view()
if data is None:
    if job is None:
        st.info(
            "No data set is open yet. Upload a file above and press *Read*, or look at a sample "
            "first; nothing you open leaves the computer that runs this dashboard."
        )
    end_view()

report, fs = data.report, data.fs
lon, lat, samples = data.places
layout.about(place, story.describe_fates(report), story.OUTLINES)
if far := describe_remote(lat, lon, samples, report.sites):
    st.warning(f"{far} {story.FAR}")
if report.machines:
    st.warning(layout.as_shown(report.machines))

# --- the account, the map and the first rows ---
what_this_means(
    *story.account(report), "" if data.source.was_read else story.unused(report), key="account"
)
with st.container(key="main_figure", gap="small"):
    left, right = st.columns([5, 4], gap="medium")
    with left:
        cells = st.container(horizontal=True, gap="medium", key="data_figures")
        for label, figure, meaning in (
            ("People", f"{fs.n_users:,}", "People with at least one sample."),
            (
                "Samples",
                f"{fs.n_samples:,}",
                f"Each person's distinct cells of {story.cell(report)}, added up over all people.",
            ),
            (
                "Median per person",
                story.median_samples(report),
                "Half of the people have this many samples or fewer.",
            ),
            ("Places", f"{len(samples):,}", "Distinct cells of the grid with at least one sample."),
        ):
            cells.metric(label, figure, help=meaning, width="content")
        st.markdown("**The account of the file**")
        st.dataframe(
            story.fates(report),
            hide_index=True,
            key="data_account",
            column_config={
                "What became of the rows": st.column_config.TextColumn(width="medium"),
                **{
                    name: st.column_config.TextColumn(alignment="right", width="small")
                    for name in ("Rows", "Share")
                },
            },
        )
    with right:
        show_map(
            places_map(lon, lat, samples, of, height=story.MAP_PX),
            key="data_map",
            alt=f"Map of {count(len(samples), 'place')} in the data; larger dots: more samples.",
        )
        if len(lon):
            legend(
                dots_legend(int(samples.max()), of),
                key="data_map_legend",
                alt="Legend of the map: the dots for a few numbers of samples.",
            )
    if data.source.was_read:
        st.caption(story.READ_BEFORE)
    else:
        st.markdown("**The first rows, as they were read**")
        st.dataframe(story.first_rows(report), hide_index=True, key="data_first_rows")
with st.container(horizontal=True, vertical_alignment="center", key="data_next"):
    if len(report.rejects):
        downloads.offer(
            "Download the rows set aside (CSV)",
            lambda: table_bytes([report.rejects], ".csv"),
            "set_aside_not_for_release.csv",
            key="data_rejects",
            help="For each row set aside, the file holds its number, the reason, and the fields of "
            "time and place, but no others.",
        )
    if dataset.can_undo():
        guard.button("Undo last change", dataset.undo, key="data_undo", icon=":material/undo:")
for note in report.notes:
    st.caption(layout.as_shown(note))
if refused is None and not data.source.was_read:
    form.correction(data.source, data.reading, report)

opening.background()

# --- how it was understood ---
left, right = side_by_side("understood")
left.markdown("**How the file was understood**")
left.dataframe(story.roles(report), hide_index=True, key="data_columns")
right.markdown("**Format**")
right.dataframe(story.form(report), hide_index=True, key="data_form")

# --- people, and screening ---
left, right = side_by_side("where")
with left:
    st.subheader("Samples per person", anchor=False)
    show(
        samples_per_user(fs.lengths, of),
        key="data_activity",
        alt="Histogram of the number of samples per person.",
    )
    what_this_means(*story.activity(fs.lengths, samples), key="activity")
with right:
    st.subheader("Screening", anchor=False)
    st.markdown(
        story.SCREENED_BEFORE
        if data.source.was_read
        else "Keep only people who are recorded often enough. The others are left out, and counted."
    )
    rule = report.screening if data.source.was_read else data.reading.screen
    screen = None if data.source.was_read else form.screening(rule)
    if screen is not None:
        dataset.read_again(replace(data.reading, screen=screen))
        st.rerun()
    if rule.active:
        what_this_means(story.screened(fs.n_users, report.users_screened_out), key="screening")
layout.formulas("Samples and fingerprints")
