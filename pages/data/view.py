"""Data: what was read, what was set aside and why, and who remains after screening."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.hints import for_screen
from fpanon_core.model.projection import lon_lat
from fpanon_core.studies.reading import places_of
from fpanon_core.tables.writing import table_bytes
from pages.charts import style
from pages.charts.activity import samples_per_user
from pages.charts.dots import dots_legend
from pages.charts.maps import places_map
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.data import asking, form, opening, story
from pages.shell import dataset, downloads, formula, job_panel, study_form
from pages.shell.figure import plot
from pages.shell.guard import act, end_view
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

of = style.theme(st.context.theme.type)

st.title("Data", anchor=False)
st.markdown("What was read, and what was set aside?")
opening.show()
with st.expander("Open a study that was saved", key="data_study"):
    study_form.opening(key="data")

job, refused = dataset.opening(), None
if job is not None:
    job_panel.show([job], key="data_opening")
    if job.active:
        end_view()
    # The form to correct it is the refused file's, then, not that of the data still open.
    if job.error is not None and not job.meta["source"].sample:
        refused = job
        form.correction(job.meta["source"], job.meta["reading"], None)
if (asked := dataset.asked()) is not None:
    asking.show(asked)
    form.correction(asked.source, asked.reading, None)
    end_view()
data = dataset.current()
if data is None:
    if job is None:
        st.info(
            "No data set is open yet. Upload a file above, or look at a sample first; nothing you "
            "open leaves this computer."
        )
    end_view()

report, fs = data.report, data.fs
places = places_of(fs)
st.divider()
dataset.banner(data)
st.page_link(
    "pages/anonymizability/view.py", label="On to Anonymizability", icon=":material/group:"
)
cell = f"{report.granularity_m:g} m × {report.granularity_min:g} min"
cells = st.container(horizontal=True, gap="large", key="data_figures")
for label, figure, meaning in (
    ("Users", f"{fs.n_users:,}", "Subscribers with a sample."),
    ("Samples", f"{fs.n_samples:,}", f"Distinct cells of {cell} per user."),
    ("Days", f"{report.span_days:,}", "Local days from the first to the last."),
    ("Samples per user (median)", story.median_samples(report), None),
    ("Places", f"{len(places):,}", "Distinct cells of the grid with a sample."),
):
    cells.metric(label, figure, help=meaning, width="content")

# --- the account ---
st.header("The account of the file", anchor=False)
st.dataframe(
    story.fates(report),
    hide_index=True,
    key="data_account",
    column_config={
        name: st.column_config.TextColumn(alignment="right") for name in ("Rows", "Share")
    },
)
what_this_means(*story.account(report), key="account")
if len(report.rejects):
    downloads.offer(
        "Download the rows set aside (CSV)",
        lambda: table_bytes([report.rejects], ".csv"),
        "set_aside_not_for_release.csv",
        key="data_rejects",
        icon=":material/download:",
        help="Row number, reason, and the fields of time and place, no others.",
    )
for note in report.notes:
    st.caption(plain(for_screen(note), MESSAGE_LENGTH))
left, right = side_by_side("understood")
left.markdown("**How the file was understood**")
left.dataframe(story.roles(report), hide_index=True, key="data_columns")
right.markdown("**Its form**")
right.dataframe(story.form(report), hide_index=True, key="data_form")
st.markdown("**The first rows, as they were read**")
st.dataframe(story.first_rows(report), hide_index=True, key="data_first_rows")
st.caption(story.unused(report))
if refused is None:
    form.correction(data.source, data.reading, report)
if dataset.can_undo():
    st.button(
        "Undo last change", key="data_undo", icon=":material/undo:", on_click=act(dataset.undo)
    )

# --- places and people ---
st.header("Where, and how much of each user", anchor=False)
left, right = side_by_side("where")
lon, lat = lon_lat(fs.crs, places["x_m"].to_numpy(), places["y_m"].to_numpy())
left.markdown("**Places** – larger and brighter: more samples")
if len(lon):
    left.pydeck_chart(
        places_map(lon, lat, places["samples"].to_numpy(), of),
        height=460,
        key="data_map",
        alt=f"Map of the {len(places):,} places in the data, sized by their samples.",
    )
    with left:
        plot(
            dots_legend(int(places["samples"].max()), of),
            key="data_map_legend",
            theme=None,
            config=style.CONFIG | {"staticPlot": True},
            alt="Legend of the map: the dots of a few numbers of samples.",
        )
    left.caption("Outlines: Natural Earth, public domain; no map is fetched from anywhere.")
right.markdown("**Samples per user**")
with right:
    plot(
        samples_per_user(fs.lengths, of),
        key="data_activity",
        theme=None,
        config=style.CONFIG,
        alt="Histogram of the number of samples per user.",
    )
what_this_means(*story.activity(fs.lengths, places["samples"].to_numpy()), key="activity")

# --- screening ---
st.header("Screening", anchor=False)
st.markdown("Keep only users seen often enough to judge; the others are counted, never just lost.")
rule = data.reading.screen
if (screen := form.screening(rule)) is not None:
    dataset.read_again(dataset.screened(data.reading, screen))
    st.rerun()
if rule.active:
    what_this_means(story.screened(fs.n_users, report.users_screened_out), key="screening")
formula.link("Samples and fingerprints")
