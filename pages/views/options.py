"""Release options: which form may be released, and what is lost? (TRADE ch. 5; science.md §9)"""

from __future__ import annotations

import math

import streamlit as st

from fpanon_core.anonymize.presets import PUBLISHED_TRADE
from fpanon_core.io.hints import for_screen
from pages.charts import style, words
from pages.charts.pareto import pareto
from pages.components import (
    address,
    builder,
    deciding,
    definitions,
    exploring,
    needed,
    pinned,
    weighing,
)
from pages.components.exploring import Draws
from pages.components.guard import end_view
from pages.components.meaning import what_this_means

of = style.theme(st.context.theme.type)

st.title("Release options", anchor=False)
st.markdown("Which form of these data may be released, and what is lost?")
data = needed.data(
    "options",
    without="No data set is open yet. Open a sample, or your own data, and the forms in which it "
    "could be released are weighed.",
    then="The options follow as soon as the data are read.",
)
wanted = builder.options(data)
if not wanted:
    st.info("Choose a set of options, or add one of your own.")
    end_view()
with st.container(horizontal=True, vertical_alignment="bottom"):
    p = st.number_input(
        "Points an outsider knows (p)", 1, 20, address.asked("p", address.within(1, 20), 4),
        key="options_p", persist_state="session", width=240, help=definitions.UNICITY,
    )  # fmt: skip
    seed = st.number_input(
        "Seed of the draws", 0, 999_999, address.asked("seed", address.within(0, 999_999), 0),
        key="options_seed", persist_state="session", width=180,
        help="The same seed draws the same people, the same points and the same noise.",
    )  # fmt: skip
draws = Draws(int(p), seed=int(seed))
weighed = weighing.show(draws.p, [option.name for option in wanted])
numbers = {"p": draws.p, "seed": draws.seed}
address.write(
    builder.in_address()
    | weighing.in_address()
    | {name: str(value) for name, value in numbers.items() if value != getattr(Draws(), name)}
)
results = exploring.results(data, wanted, draws)
done = [result for result in results if not result.fault]
for result in results:
    if result.fault:
        st.warning(
            f"**{words.plain(result.option.name)}** could not be made: {for_screen(result.fault)}"
        )
if weighed is None or not done:
    st.caption("The figure appears here as soon as the first options are explored.")
    end_view()
table = exploring.table(data, done, draws, weighed.risk, weighed.utility)
names = [result.option.name for result in done]

# --- the front ---
st.header("Risk and utility", anchor=False, help=definitions.PARETO)
picked = pinned.chosen(names)
dots = deciding.dots(table, weighed, picked)
st.plotly_chart(
    pareto(
        [dot for dot in dots if math.isfinite(dot.utility)],
        of, risk_title=weighed.risk_title, utility_title=weighed.utility_title,
        percent=weighed.percent, limit=weighed.limit,
    ),
    key="options_front",
    theme=None,
    config=style.CONFIG,
    on_select=lambda: pinned.take_click("options_front", names),
    selection_mode="points",
    alt="Risk against utility, a dot for each release option; those that no other dominates are "
    "filled and joined by a line.",
)  # fmt: skip
what_this_means(*deciding.told(table, dots, weighed), key="options_front")
st.dataframe(
    deciding.shown(table, dots, weighed), hide_index=True, key="options_table",
    height="content" if len(dots) <= 16 else 620, column_config=deciding.COLUMNS,
)  # fmt: skip
with st.expander("What the outsider is assumed to know, and how risk and utility are measured"):
    st.markdown(
        f"For every option, {draws.users:,} of its users at most are drawn, and {draws.p} random "
        "points of each, as they are published: the outsider knows what the release shows. That is "
        "the cautious reading where noise or exchange has made the release untrue. A risk "
        "is of those who are in the release; a sample of users lowers nobody's risk who is in it."
    )
    for text in (*weighing.MEASURES, definitions.UTILITY):
        st.markdown(text)
with st.expander("Published for comparison: unicity at p = 4 of 1.6 million people (TRADE)"):
    st.dataframe(deciding.published(PUBLISHED_TRADE), key="options_trade")
    st.caption(
        "Share of unique people by places (rows) and time window (columns), thesis table 5.2, on "
        "other data: compare the shape only."
    )

# --- side by side ---
st.header("Side by side", anchor=False)
pinned.compare(data, table, picked, draws.seed, of)

# --- the choice ---
st.header("Your choice", anchor=False)
deciding.choose(data, table, dots, weighed, draws)

st.divider()
st.markdown("**Download**")
with st.container(horizontal=True, key="options_downloads"):
    for label, name, mime, content in (
        ("Options and figures (CSV)", "options.csv", "text/csv", lambda: deciding.csv(table)),
        (
            "Recipe of the options (JSON)",
            "options.json",
            "application/json",
            lambda: deciding.recipe(wanted),
        ),
    ):
        st.download_button(
            label, content, file_name=name, mime=mime, icon="⬇️", on_click="ignore",
            key=f"options_get_{name.replace('.', '_')}",
        )  # fmt: skip
