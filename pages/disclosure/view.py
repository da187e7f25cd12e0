"""Disclosure: what does an outsider learn? (Noriega Campero 2015, chapter 4)"""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.spaces import corners_text
from pages.charts import disclosure, style
from pages.disclosure import example, form, places, story
from pages.shell import definitions, downloads, formula, head, needed, questions
from pages.shell.figure import plot
from pages.shell.guard import end_view
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

of = style.theme(st.context.theme.type)

head.line("disclosure", "What does an outsider learn, not only whom they find?")
form.current()  # taken from the address before another view clears it
data = needed.data(
    "disclosure",
    without="No data set is open yet. Open a sample, or your own data, to see what an outsider "
    "learns from it.",
    then="The figures follow as soon as the data are read.",
)
asked = form.form(data.fs)
form.write_address()
found = questions.settle(form.question(data.fs), alone=questions.ordinary(data.fs), asked=asked)
example.explainer()
if found is None:
    st.caption("The figures appear here as soon as they are measured.")
    end_view()
names = story.ranked(found)["profile"].tolist()
profile = st.selectbox(
    "Look at profile", names, key="disclosure_profile", width=320, persist_state="session",
    help=definitions.PROFILE,
)  # fmt: skip
leak = found.leaks[profile]

# --- over profiles ---
st.header("What is learnt under which profile?", anchor=False)
plot(
    disclosure.over_profiles(names, story.panels(found), of),
    key="disclosure_over_profiles", theme=None, config=style.CONFIG,
    alt="Unicity, k-, EM- and KL-disclosure over the profiles, each on its own scale, with 95 % "
    "intervals.",
)  # fmt: skip
with st.container(horizontal=True, gap="medium", key="disclosure_defined"):
    st.caption("Definitions:", width="content")
    for label, definition in story.DEFINITIONS.items():
        st.caption(label, help=definition, width="content")
if len(names) > 1:
    st.caption(story.MEANS_TOLD)
what_this_means(*story.measures_told(found, profile), key="disclosure")
if corners := corners_text(each.laid.space for each in found.leaks.values()):
    st.caption(corners)

# --- agreement ---
st.header("Do the measures agree?", anchor=False, help=definitions.AGREEMENT)
if len(found.agreement):
    left, right = side_by_side("disclosure_agree")
    with left:
        st.markdown("**Kendall's τ** of each pair of measures, over the profiles")
        plot(
            disclosure.agreement(*story.tau_matrix(found), of),
            key="disclosure_tau", theme=None, config=style.CONFIG,
            alt="Kendall's tau of every two measures.",
        )  # fmt: skip
    with right:
        st.markdown("**Pairs of profiles ranked differently**")
        rows = story.pairs_to_compare(found)
        pair = st.selectbox("by", list(rows), key="disclosure_pair", label_visibility="collapsed")
        st.markdown(story.discordant_told(rows[pair]))
    what_this_means(
        *story.agreement_told(found), key="disclosure_agreement",
        published="unicity (p = 3, 4, 5), EM and KL put eight profiles in one order.",
        source="1.6 million people (Noriega Campero 2015, figure 4-2)",
    )  # fmt: skip
else:
    st.caption("Of one profile there is no order to agree on; choose at least two.")

# --- where and when ---
st.header("Where and when is it learnt?", anchor=False, help=definitions.BIN_DISCLOSURE)
measure = st.segmented_control(
    "Measured by", ["em", "kl"], default="em", format_func=story.NAMES.__getitem__,
    key="disclosure_by", required=True, persist_state="session",
)  # fmt: skip
left, right = side_by_side("disclosure_leak")
with left:
    places.by_place(leak, measure, of)
with right:
    places.by_hour(leak, measure, of, weekdays=data.fs.clock is not None)

# --- who bears it ---
st.header("Who bears it?", anchor=False, help=definitions.LORENZ)
plot(
    disclosure.lorenz_curves(story.lorenz_curves(leak), of),
    key="disclosure_lorenz", width=640, theme=None, config=style.CONFIG,
    alt="Lorenz curves of EM- and KL-disclosure over the users asked about.",
)  # fmt: skip
what_this_means(story.people_told(leak), key="disclosure_people")

downloads.tables("disclosure", found, story.FILES, synthetic=data.source.synthetic)
formula.link("Disclosure")
