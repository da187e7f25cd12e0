"""Release options: which are within the thresholds, and what they lose (Noriega Campero 2015)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from fpanon_core.model.disclosure import NAMING
from fpanon_core.model.profiles import corners_text
from fpanon_core.studies.judgement import serves, within_limits
from fpanon_core.studies.options_table import OptionsTable, merged
from fpanon_core.studies.presets import PUBLISHED_TRADE
from fpanon_core.studies.study import AtHand
from pages.charts import style
from pages.options import figures, form, own_option, story, tables
from pages.shell import (
    address,
    aims,
    definitions,
    downloads,
    exploration,
    kinds,
    layout,
    questions,
    workspace,
)
from pages.shell.guard import end_view

of = style.theme(st.context.theme.type)

place = layout.line("options", "Which option may be released, and what is lost?")
data = layout.data(
    "options",
    ", to weigh release options.",
    then="The options follow as soon as the data are read.",
)
settings = st.container(
    key="options_settings", horizontal=True, vertical_alignment="bottom", gap="small"
)
work, top, below, own = st.container(), st.container(), st.container(), st.container()
with own:
    st.header("Options of your own", anchor=False)
    own_option.recipe(data.fs, partial(form.take, data.fs))
with settings:
    with st.popover("Options weighed", icon=":material/checklist:", key="options_forms"):
        wanted = form.options(data.fs, own)
    with st.popover("What an attacker knows", icon=":material/person:", key="options_outsider"):
        known = form.knowledge()
    by = form.criteria([option.name for option in wanted])
address.write(form.in_address(known))
with work:
    if not wanted:
        st.info(
            "Choose a set of options under *Options weighed*, or add an option of your own below."
        )
        end_view()
    results = exploration.results(data.fs, wanted, known)
done = [result for result in results if not result.fault]
with below:
    if failed := story.describe_faults(results):
        st.warning(failed)
if by is None or not done:
    with top:
        if by is None:
            st.caption("The figure appears here once you have chosen how utility is judged.")
        else:
            told = "The figure appears here as soon as the first options are explored."
            questions.announce(kinds.OPTION, told)
    end_view()
table = OptionsTable(tuple(done), by.risk, by.utility, known, data.digest)
# The best is sought among all options tried, here and on Overview: both pages name the same one.
everything = merged(results, exploration.found(data.fs, known))
all_weighed = replace(table, results=tuple(r for r in everything if not r.fault))
names = [result.option.name for result in done]
mine = workspace.of(data.digest)
mine.made["options"] = tuple(
    AtHand("options", each.option.name, each.option, known) for each in done
)
weighed = replace(all_weighed, results=everything)  # with those that failed, and why
mine.weigh(weighed, by.limits, len(wanted) - len(results))
about = [story.describe_attacker(known), *story.MEASURES.values(), definitions.UTILITY]
corners = corners_text(result.grid for result in done if result.grid is not None)
layout.about(place, *about, story.describe_comparison(table), corners)

# --- the front ---
with below:
    chosen_place, table_place, compared_place = st.container(), st.container(), st.container()
with compared_place:
    st.header("Side by side", anchor=False)
    pinned = figures.pinned(table, names)
standing = mine.choice
dots = story.dots(table, by, pinned, standing.result.option.name if standing else "")
with top:
    searchable = mine.tried is None or bool(exploration.untried(data.fs))
    layout.what_this_means(
        *story.conclusion(all_weighed, dots, by, " so far" * searchable),
        *story.further(table, dots, by),
        tables.COLUMNS_TOLD,
        key="options_front",
    )
    if searchable and not serves(all_weighed, within_limits(all_weighed, by.limits)):
        icon = ":material/search:"
        st.page_link("pages/overview/view.py", label="Find a release on Overview", icon=icon)
    with st.container(key="main_figure"):
        figures.front(dots, names, by, table, of)
    source = aims.describe_threshold() if by.risk in NAMING else ""
    under = story.describe_more_useful(all_weighed, by), source, story.describe_not_drawn(table, by)
    if told := " ".join(filter(None, under)):
        st.caption(told)
with table_place:
    st.header("All options", anchor=False)
    figures.numbers(tables.shown(table, dots, by))

# --- the choice ---
with chosen_place:
    st.header("Which option do you choose?", anchor=False)
    standing = figures.choice(table, names)
    if standing is not None:
        text, more, unopposed = story.describe_chosen(standing.result, standing.why, table, by)
        (st.success if unopposed else st.warning)(text)
        layout.details(*more, key="options_chosen")
    st.page_link("pages/report/view.py", label="On to the report", icon=":material/description:")

# --- side by side ---
every = tables.whole(table, dots, by)
with compared_place:
    figures.side_by_side(pinned, every)

with st.expander("All figures of each option"):
    figures.all_numbers(every)
with st.expander(
    "Published for comparison: unicity of 1.6 million people at p = 4 (Noriega Campero 2015)"
):
    st.dataframe(tables.published(PUBLISHED_TRADE), key="options_trade")
    st.caption(
        "Table 5.2: share of people singled out, by place (rows) and time window (columns). These "
        "are other data, so compare the shape only."
    )
with st.container(key="options_files"):
    downloads.tables("options", weighed, {"options": "Options and figures"})
    downloads.offer(
        "Recipe of the options (JSON)",
        lambda: story.recipe(wanted),
        "options.json",
        key="options_get_options_json",
    )
layout.formulas("Techniques, utility and the front of release options")
