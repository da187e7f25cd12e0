"""Replace the records: tables of presence and flows, or synthetic people."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import synthetic_people
from pages.charts import style
from pages.charts.tables import extent, ground_of
from pages.shell import definitions, layout, leaving, questions, workspace
from pages.shell.guard import end_view
from pages.shell.release import PEOPLE, TABLES
from pages.tables import figures, form, story

_LACKING = "fp_tables_lacking"

of = style.theme(st.context.theme.type)

place = layout.line("tables", "How many people are where, and where do they go?")
data = layout.data(
    "tables", ", and publish tables here.", then="The tables follow as soon as the data are read."
)
layout.about(place, *story.ABOUT, definitions.COUNTS_FRAME)
known = any(questions.of_data(kind, data.fs) for kind in (TABLES, PEOPLE))
known = known and _LACKING not in st.session_state
# Another expander once there are tables: an expander that is open would stay open.
settings = f"tables_settings_{'made' if known else 'first'}"
above = st.container()
with st.expander("Protection, people, days and areas", expanded=not known, key=settings):
    wish = form.form(data)
if wish.option is None:
    if known:  # a closed form would hide what is lacking
        st.session_state[_LACKING] = True
        st.rerun()
    above.markdown(story.EMPTY)
    if workspace.of(data.digest).recordless is not None:
        st.caption(story.CHOSEN)
    elif (step := form.recommended(data)) is not None:
        st.caption(story.RECOMMENDED + (story.SEARCHED if step.epsilon else story.UNPROTECTED))
found = leaving.ask(data, wish)
if found is None:
    end_view()
if st.session_state.pop(_LACKING, None):
    st.rerun()
made, before, error, ground = found.made, found.before, found.error, ground_of(found.areas)
if ground is None:
    st.info("There are no maps: the data carry no map projection.")
around = None if ground is None else extent(ground, before)

# --- people, and what leaves ---
kept, _ = leaving.describe_kept(data, found)
st.caption(f"{story.shown(found)} {leaving.describe_measured(data, found)}")
layout.what_this_means(*story.found(found, kept), key="tables")
if ground and around and made.presence and before.presence and error is not None:
    figures.presence(ground, around, before.presence, made.presence, error, of)
leaving.section(data, found, warned=True)

# --- trips, and one area ---
if ground and around and made.flows and before.flows:
    figures.flows(ground, around, before.flows, made.flows, of)
if made.presence and before.presence and error is not None:
    figures.week(before.presence, made.presence, error, of)

# --- synthetic people ---
if isinstance(found, synthetic_people.Result):
    figures.compared(found, of)
    with st.expander("What was learnt about everybody: all noisy statistics", key="tables_learnt"):
        st.dataframe(found.learnt, hide_index=True, key="tables_statistics")
    layout.formulas("Synthetic people with differential privacy")
layout.formulas("Tables: presence and flows")
