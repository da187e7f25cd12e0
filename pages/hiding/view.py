"""Hide everyone: the cost of each method (aligned, or GLOVE by Gramaglia & Fiore 2015b)."""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import hiding, presets, production
from fpanon_core.studies.study import AtHand
from pages.charts import style
from pages.hiding import figures, form, groups, story
from pages.shell import exploration, layout, limits, questions, release, workspace
from pages.shell.figure import show
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means

of = style.theme(st.context.theme.type)

place = layout.line("glove", "What does it cost to hide everyone in a group of k?")
data = layout.data(
    "glove",
    ", to hide everyone in them.",
    then="You can hide everyone as soon as the data are read.",
)
asked = form.form(data)
if asked is not None:
    form.ask(data, asked)
form.expected(data)
questions.progress(form.RELEASES)
made = form.made(data)
if not made:
    instead = story.NOT_NEEDED if exploration.recommended(data) else ""
    st.info(story.to_begin(limits.in_force(), data.fs.n_users) + instead)
    if (tried := story.tried(exploration.current(data))) is not None:
        st.subheader("What hiding costs: the best such option tried", anchor=False)
        st.table(tried, hide_index=True, alt="The best option tried that hides everyone.")
    end_view()
workspace.of(data.digest).made["glove"] = tuple(
    AtHand("glove", story.name_of(config), made=each.release, settings=config)
    for config, each in list(made.items())[::-1]
)
worths = {config: hiding.worth(data.fs, each.release) for config, each in made.items()}

# --- the release that is looked at, and its verdict ---
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="glove_figures"):
    st.markdown("Look at the release", width="content")
    chosen = st.selectbox(
        "Look at the release",
        list(made)[::-1],
        format_func=story.name_of,
        key=f"glove_chosen_{len(made)}_{hash(tuple(made))}",
        label_visibility="collapsed",
        width=420,
    )
    workspace.attack(story.name_of(chosen), key="glove_attack")
result = made[chosen]
kind, verdict = story.verdict(result, worths[chosen], limits.in_force())
over = release.records_exceeded(data, production.Config(hidden=chosen))
if kind == "success" and over:  # a verified promise is not yet a risk within the thresholds
    kind, verdict = "warning", f"**{release.ABOVE}.** {' '.join(over)}"
{"success": st.success, "warning": st.warning, "error": st.error}[kind](verdict)

pair = story.pair(made, chosen)
gained = story.gained(hiding.gain(*(made[each].release for each in pair)), pair[1]) if pair else ""
helps = (
    ""
    if worths[chosen].useful
    else story.to_try(chosen, worths[chosen], presets.crowd(limits.in_force()))
)
(accurate, *more), (promised, *also) = story.accurate(result), story.promised(result)
out = " ".join(story.left_out(result))
what_this_means(
    " ".join(filter(None, ("" if helps else accurate, promised, gained, helps))),
    accurate if helps else "",  # the verdict has said as much
    *more,
    story.stands_for(worths[chosen]),
    *also,
    out,
    key="glove",
)

# --- accuracy ---
with st.container(key="main_figure"):
    for column, accuracy in zip(side_by_side("glove_accuracy"), figures.ACCURACIES, strict=True):
        with column:
            show(
                figures.accuracy(made, accuracy, of),
                key=f"glove_cdf_{accuracy.column}",
                alt="Share of the original samples by their accuracy in "
                f"{accuracy.unit}, a curve per release.",
            )
st.dataframe(
    figures.releases(made, worths),
    hide_index=True,
    column_config=figures.COLUMNS,
    key="glove_table",
)

# --- before and after ---
groups.one(data, result.release, of)

# --- download ---
if kind != "success":  # again, next to the download
    st.warning(f"**{verdict.split('**')[1]}**")
figures.downloads(data, result)
layout.formulas("Hiding everyone in step: aligned publishing")
layout.formulas("Hiding everyone: GLOVE")
