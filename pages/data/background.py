"""An operator's own roads or districts, to lie under every map."""

from __future__ import annotations

import streamlit as st

from fpanon_core.io.background import MAX_BYTES, MAX_POSITIONS
from pages.charts.words import count
from pages.shell import figure, job_panel, session
from pages.shell.guard import act


def section() -> None:
    """Upload GeoJSON, see what became of it, take it away again."""
    with st.expander("Roads or districts of your own under the maps", key="data_background"):
        st.caption(
            "No map is fetched from anywhere, so a map shows coasts, borders and towns alone. "
            "Lines of your own lie under every map of this session. They are drawn only: no figure "
            "depends on them. Of the file the shapes are kept, no names and no other properties."
        )
        file = st.file_uploader(
            f"GeoJSON, in degrees, up to {MAX_BYTES >> 20} MB and {MAX_POSITIONS:,} positions",
            type=["geojson", "json"],
            key="data_background_file",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if (
                st.button("Lay under the maps", key="data_background_read", disabled=file is None)
                and file
            ):
                figure.read_ground(file.getvalue())
                session.uploads_read([file])
                st.rerun()
            found = figure.ground()
            if found is not None:
                st.button(
                    "Take away",
                    key="data_background_remove",
                    icon=":material/layers_clear:",
                    on_click=act(figure.remove_ground),
                )
        job_panel.show(session.jobs(figure.GROUND_JOBS), key="data_background_jobs")
        if found is not None:
            told = [
                f"{count(found.n_lines, 'line')} of {len(found.lon):,} points lie under the maps"
                + (f", made simpler from {found.n_read:,}" if found.n_read > len(found.lon) else "")
                + "."
            ]
            if found.n_small:
                told.append(f"{count(found.n_small, 'line')} too short to be seen: left out.")
            if found.n_points:
                told.append(f"{count(found.n_points, 'single point')} in the file: not drawn.")
            st.caption(" ".join(told))
