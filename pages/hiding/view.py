"""GLOVE: what does it cost to hide everyone, person by person? (Gramaglia & Fiore 2015b)"""

from __future__ import annotations

import streamlit as st

from fpanon_core.studies import hiding
from pages.charts import style
from pages.charts.cdf import cdf
from pages.hiding import comparison, files, form, groups, story
from pages.shell import definitions, formula, needed, questions
from pages.shell.figure import plot
from pages.shell.guard import end_view
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

of = style.theme(st.context.theme.type)

st.title("GLOVE", anchor=False)
st.markdown("What does it cost to hide everyone in a crowd of k, person by person?")
data = needed.data(
    "glove",
    without="No data set is open yet. Open a sample, or your own data, and everyone in it can be "
    "hidden.",
    then="You can hide everyone as soon as the data are read.",
)
asked = form.form(data)
if asked is not None:
    form.ask(data, asked)
if (expected := form.expected(data)) is not None:
    st.caption(story.expected(expected))
questions.progress(form.RELEASES)
made = form.made(data)
if not made:
    st.info(
        "GLOVE merges the records that are most alike until everyone is one of at least k people "
        "with exactly the same record. Each published sample is an area and a span of time in "
        "which somebody of the group was recorded. Choose k and hide everyone."
    )
    end_view()
chosen = st.selectbox(
    "Look at the release",
    list(made)[::-1],
    format_func=story.name_of,
    key=f"glove_chosen_{len(made)}_{hash(tuple(made))}",
    width=420,
)
result = made[chosen]

# --- the verdict ---
worths = {config: hiding.worth(data.fs, each.release) for config, each in made.items()}
kind, verdict = story.verdict(result, worths[chosen])
{"success": st.success, "warning": st.warning, "error": st.error}[kind](verdict)
with st.container(horizontal=True, gap="large", key="glove_figures"):
    for name, figure in story.figures(result).items():
        about = definitions.PHANTOM if name == story.PHANTOM else None
        st.metric(name, figure, width="content", help=about)

# --- accuracy ---
st.header("How accurate is what is published?", anchor=False, help=definitions.ACCURACY)
for place, accuracy in zip(side_by_side("glove_accuracy"), story.ACCURACIES, strict=True):
    curves, edge = story.accuracy(made, accuracy, of)
    with place:
        plot(
            cdf(
                curves,
                of,
                x_title=accuracy.title,
                x_range=(0.0, edge),
                whose="samples",
                height=380,
            ),
            key=f"glove_cdf_{accuracy.column}",
            theme=None,
            config=style.CONFIG,
            alt="Share of the original samples by their accuracy in "
            f"{accuracy.unit}, a curve per release.",
        )
        if beyond := story.beyond(curves, edge):
            st.caption(beyond)
what_this_means(*story.meaning(result), key="glove")
st.dataframe(
    story.releases(made, worths),
    hide_index=True,
    column_config={
        "Release": st.column_config.TextColumn(width="large"),
        "Verified": st.column_config.TextColumn(width="medium"),
    },
    key="glove_table",
)
compared = comparison.section(data, of)

# --- before and after ---
groups.maps(data, result.release, of)
groups.one(data, result.release, of)

# --- download ---
files.downloads(data, result, compared)
formula.link("Hiding everyone: GLOVE")
