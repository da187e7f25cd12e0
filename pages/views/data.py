"""Data: what was read, what was set aside and why, and who remains after screening."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.io.hints import for_screen
from fpanon_core.io.report import REASONS
from fpanon_core.measures.places import lon_lat, visited_places
from fpanon_core.model.configs import Screening
from pages.charts import style, words
from pages.charts.activity import samples_per_user
from pages.charts.maps import places_map
from pages.components import dataset, job_panel, mapping, opening
from pages.components.guard import end_view
from pages.components.meaning import what_this_means
from pages.components.pair import side_by_side

of = style.theme(st.context.theme.type)

st.title("Data", anchor=False)
st.markdown("What was read, and what was set aside?")
opening.show()

job, refused = dataset.opening(), None
if job is not None:
    job_panel.show([job], key="data_opening")
    if job.active:
        end_view()
    # The form to correct it is the refused file's, then, not that of the data still open.
    if job.error is not None and not job.meta["source"].sample:
        refused = job
        mapping.show(job.meta["source"], job.meta["reading"], None)
data = dataset.current()
if data is None:
    if job is None:
        st.info(
            "No data set is open yet. Upload a file above, or look at a sample first; nothing you "
            "open leaves this computer."
        )
    end_view()

report, fs = data.report, data.fs
st.divider()
dataset.banner(data)
st.page_link("pages/views/anonymizability.py", label="On to Anonymizability", icon="👥")
cells = st.container(horizontal=True, gap="large", key="data_figures")
cells.metric("Users", f"{fs.n_users:,}", help="Subscribers with a sample.", width="content")
cells.metric(
    "Samples",
    f"{fs.n_samples:,}",
    help=f"Distinct cells of {report.granularity_m:g} m × {report.granularity_min:g} min per user.",
    width="content",
)
cells.metric(
    "Days",
    f"{report.span_days:,}",
    help="Local days from the first to the last.",
    width="content",
)
cells.metric("Samples per user (median)", f"{np.median(fs.lengths):.0f}", width="content")
places = visited_places(fs)
cells.metric(
    "Places",
    f"{len(places):,}",
    help="Distinct cells of the grid with a sample.",
    width="content",
)

# --- the account ---
st.header("The account of the file", anchor=False)
fates = {
    "read": (report.rows_read, "data rows in the file"),
    "used": (report.rows_used, "became samples"),
    **{reason: (rows, REASONS[reason]) for reason, rows in report.set_aside.items()},
}
st.dataframe(
    pd.DataFrame(
        [
            (fate, f"{rows:,}", words.percent(rows / max(report.rows_read, 1)), meaning)
            for fate, (rows, meaning) in fates.items()
        ],
        columns=["What became of the rows", "Rows", "Share", "Meaning"],
    ),
    hide_index=True,
    key="data_account",
    column_config={
        name: st.column_config.TextColumn(alignment="right") for name in ("Rows", "Share")
    },
)
set_aside = report.rows_read - report.rows_used
zone = f"{report.timezone} time"
if report.timezone_guessed:
    zone += " (a zone guessed from the positions; correct it below if it is wrong)"
what_this_means(
    f"Of {words.count(report.rows_read, 'row')}, "
    f"{report.rows_used:,} {words.were(report.rows_used)} used and "
    f"{set_aside:,} set aside" + (", each for one reason." if set_aside else "."),
    f"They run from {report.first.replace('T', ' ')} to {report.last.replace('T', ' ')}, {zone}.",
    key="account",
)
if len(report.rejects):
    st.download_button(
        "Download the rows set aside (CSV)",
        lambda: report.rejects.to_csv(index=False).encode(),
        file_name="set-aside.csv",
        mime="text/csv",
        key="data_rejects",
        icon="⬇️",
        on_click="ignore",
        help="Row number, reason and fields, without those that name a person.",
    )
for note in report.notes:
    st.caption(for_screen(note))

left, right = side_by_side("understood")
with left:
    st.markdown("**How the file was understood**")
    roles = [
        (mapping.ROLES.get(role, role), str(column), report.found.get(role, ""))
        for role, column in report.columns.items()
    ]
    st.dataframe(
        pd.DataFrame(roles, columns=["Role", "Column", "How"]), hide_index=True, key="data_columns"
    )
with right:
    st.markdown("**Its form**")
    guessed = " (guessed from the position)" if report.timezone_guessed else ""
    form = {
        "Kind": ", ".join(p for p in (report.kind, report.packed, report.encoding) if p),
        "Times": report.time_format,
        "Time zone": report.timezone + guessed,
        "Grid": f"{report.granularity_m:g} m × {report.granularity_min:g} min",
    }
    st.dataframe(
        pd.DataFrame(form.items(), columns=["What", "Found"]), hide_index=True, key="data_form"
    )
if refused is None:
    mapping.show(data.source, data.reading, report)
if dataset.can_undo():
    st.button("Undo last change", key="data_undo", icon="↩️", on_click=dataset.undo)

# --- places and people ---
st.header("Where, and how much of each user", anchor=False)
left, right = side_by_side("where")
with left:
    st.markdown("**Places** – larger and brighter: more samples")
    lon, lat = lon_lat(fs, places["x_m"].to_numpy(), places["y_m"].to_numpy())
    if len(lon):
        st.pydeck_chart(
            places_map(lon, lat, places["samples"].to_numpy(), of),
            height=460,
            key="data_map",
            alt=f"Map of the {len(places):,} places in the data, sized by their samples.",
        )
        st.caption("Outlines: Natural Earth, public domain; no map is fetched from anywhere.")
with right:
    st.markdown("**Samples per user**")
    st.plotly_chart(
        samples_per_user(fs.lengths, of),
        key="data_activity",
        theme=None,
        config=style.CONFIG,
        alt="Histogram of the number of samples per user.",
    )
low, high = np.quantile(fs.lengths, [0.1, 0.9])
busiest = places["samples"].nlargest(max(1, len(places) // 10)).sum() / fs.n_samples
what_this_means(
    f"Half of the users have {np.median(fs.lengths):.0f} samples or more; eight in ten have "
    f"between {low:.0f} and {high:.0f}.",
    f"The busiest tenth of the places holds {words.percent(busiest)} of all samples.",
    key="activity",
)

# --- screening ---
st.header("Screening", anchor=False)
st.markdown("Keep only users seen often enough to judge; the others are counted, never just lost.")
rule = data.reading.screen
with st.form("data_screening", border=False):
    cells = st.container(horizontal=True, gap="large", vertical_alignment="bottom")
    every_day = cells.checkbox(
        "A sample on every day", rule.every_day, key="data_every_day", width="content"
    )
    active = cells.checkbox(
        "Active on more than 75 % of days",
        rule.active_days_share is not None,
        key="data_active",
        width="content",
    )
    least = cells.number_input(
        "Least samples per user",
        1,
        1_000_000,
        rule.min_samples or 1,
        key="data_min_samples",
        width=220,
    )
    pressed = st.form_submit_button("Screen", type="primary", key="data_screen")
if pressed:
    screen = Screening(every_day, 0.75 if active else None, least if least > 1 else None)
    dataset.read_again(dataset.screened(data.reading, screen))
    st.rerun()
if rule.active:
    total = fs.n_users + report.users_screened_out
    what_this_means(
        f"{words.share(fs.n_users, total).capitalize()} meet the rule and remain; "
        f"{report.users_screened_out:,} "
        f"{words.were(report.users_screened_out)} screened out.",
        key="screening",
    )
