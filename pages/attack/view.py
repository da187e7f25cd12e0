"""Attack the release: what an attacker finds in it (expected error: Shokri et al. 2011)."""

from __future__ import annotations

import streamlit as st

from pages.attack import figures, form, story, target
from pages.charts import attack, style
from pages.shell import downloads, kinds, layout, limits, questions
from pages.shell.figure import show
from pages.shell.guard import end_view

of = style.theme(st.context.theme.type)

place = layout.line("attack", "Does the release withstand an attacker who knows true points?")
data = layout.data(
    "attack",
    ", and a release can be attacked.",
    then="A release can be attacked as soon as the data are read.",
)
asked = form.form(data)
if asked is None:
    st.info(
        "Choose an option to attack. An attacker who knows some true places and times of a person "
        "looks for the person's record in the release. The same attack on the data as they are, "
        "and guessing, are shown for comparison."
    )
    end_view()
alone = questions.ordinary(data.fs)  # on larger data, the attack starts only on request
seconds = None if alone else form.expected_s(data, asked)
result = questions.settle(
    form.attacked(data, asked),
    alone=alone,
    asked=asked.pressed,
    button="Attack this release",
    told="" if seconds is None else story.expected(seconds),
)
if result is None:
    questions.announce(
        kinds.ATTACK, "The figure appears here as soon as the release is made and attacked."
    )
    end_view()

layout.about(
    place, *story.assumed(result), *(f"**{n}.** {d}" for n, d in story.DEFINITIONS.items())
)

# --- before and after ---
(first, *others), details = story.told(result, limits.in_force())
layout.what_this_means(first, *details, key="attack")
with st.container(key="main_figure"):
    show(
        attack.before_and_after(
            figures.shares(result, limits.in_force()),
            figures.errors(result),
            of,
            whom="people" if result.period_days is None else "records",
        ),
        key="attack_found",
        alt="Share of people whose record or home is found, and error of the best guess, before "
        "and after the release, with 95% intervals; guessing is shown for comparison.",
    )
with st.expander("The numbers", key="attack_assumed"):
    st.dataframe(figures.table(result), hide_index=True, key="attack_numbers")

st.subheader("What else the record gives away", anchor=False)
st.markdown("\n\n".join(others))

# --- one person followed ---
target.section(data, asked, result, of)

# --- periods ---
if result.period_days is not None:
    target.periods(data, asked, result.period_days, of)

downloads.tables("attack", result, story.TABLES)
layout.formulas("An attacker who knows the truth")
