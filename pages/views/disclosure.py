"""Disclosure: what does an outsider learn? (TRADE ch. 4; science.md §8)"""

from __future__ import annotations

import streamlit as st

from pages.charts import disclosure, style
from pages.charts.maps import MAX_CELLS, cells_map
from pages.components import definitions, downloads, example, learning, lessons, needed
from pages.components.guard import end_view
from pages.components.meaning import what_this_means
from pages.components.pair import side_by_side

of = style.theme(st.context.theme.type)

st.title("Disclosure", anchor=False)
st.markdown("What does an outsider learn, not only whom they find?")
learning.current()  # taken from the address before another view clears it
data = needed.data(
    "disclosure",
    without="No data set is open yet. Open a sample, or your own data, to see what an outsider "
    "learns from it.",
    then="The figures follow as soon as the data are read.",
)
asked = learning.form(data)
learning.write_url()
found = learning.learnt(data, asked=asked)
example.explainer()
if found is None:
    st.caption("The figures appear here as soon as they are measured.")
    end_view()
names = lessons.ranked(found)["profile"].tolist()
profile = st.selectbox(
    "Look at profile", names, key="disclosure_profile", width=220, persist_state="session",
    help=definitions.PROFILE,
)  # fmt: skip
leak = found.leaks[profile]

# --- over profiles ---
st.header("What is learnt under which profile?", anchor=False)
st.plotly_chart(
    disclosure.over_profiles(names, lessons.panels(found), of),
    key="disclosure_over_profiles",
    theme=None,
    config=style.CONFIG,
    alt="Unicity, k-, EM- and KL-disclosure over the profiles, each on its own scale, with 95 % "
    "intervals.",
)
with st.container(horizontal=True, gap="medium", key="disclosure_defined"):
    st.caption("Definitions:", width="content")
    for label, definition in (
        ("unicity", definitions.UNICITY),
        ("k-disclosure", definitions.K_DISCLOSURE),
        ("EM-disclosure", definitions.EM_DISCLOSURE),
        ("KL-disclosure", definitions.KL_DISCLOSURE),
    ):
        st.caption(label, help=definition, width="content")
what_this_means(*lessons.measures_told(found, profile), key="disclosure")

# --- agreement ---
st.header("Do the measures agree?", anchor=False, help=definitions.AGREEMENT)
if len(found.agreement):
    left, right = side_by_side("disclosure_agree")
    with left:
        st.markdown("**Kendall's τ** of each pair of measures, over the profiles")
        st.plotly_chart(
            disclosure.agreement(*lessons.tau_matrix(found), of),
            key="disclosure_tau",
            theme=None,
            config=style.CONFIG,
            alt="Kendall's tau of every two measures.",
        )
    with right:
        st.markdown("**Pairs of profiles ranked differently**")
        rows = lessons.pairs_to_compare(found)
        pair = st.selectbox("by", list(rows), key="disclosure_pair", label_visibility="collapsed")
        st.markdown(lessons.discordant_told(rows[pair]))
    what_this_means(
        *lessons.agreement_told(found),
        key="disclosure_agreement",
        published="unicity (p = 3, 4, 5), EM and KL put eight profiles in one order.",
        source="1.6 million people (TRADE, fig. 4-2",
    )
else:
    st.caption("Of one profile there is no order to agree on; choose at least two.")

# --- where and when ---
st.header("Where and when is it learnt?", anchor=False, help=definitions.BIN_DISCLOSURE)
measure = st.segmented_control(
    "Measured by", ["em", "kl"], default="em", format_func=lessons.NAMES.__getitem__,
    key="disclosure_by", required=True, persist_state="session",
)  # fmt: skip
name = lessons.NAMES[measure]
unit = name if measure == "em" else f"{name} (nats)"
left, right = side_by_side("disclosure_leak")
with left:
    st.markdown(f"**By place** – mean {unit}, at {profile}")
    if "west" in leak.places:
        places = leak.places.nlargest(MAX_CELLS, measure).sort_values(measure)
        by = disclosure.shades(places[measure].to_numpy(), of)
        bounds = places[["west", "south", "east", "north"]].to_numpy()
        st.pydeck_chart(
            cells_map(
                bounds,
                by.colours,
                lessons.place_tips(places, name),
                (bounds[:, [0, 2]].ravel(), bounds[:, [1, 3]].ravel()),
                of,
                opacity=220,
            ),
            height=460,
            key="disclosure_map",
            alt=f"Map of the mean {name} of each place at {profile}.",
        )
        st.plotly_chart(
            disclosure.scale_bar(by, unit, of),
            key="disclosure_scale",
            theme=None,
            config=style.CONFIG | {"displayModeBar": False},
            alt=f"Colours of the map: {name} from {by.low:.2g} to {by.high:.2g}.",
        )
    else:
        st.info("There is no map: the data carry no map projection.")
    what_this_means(lessons.places_told(leak, measure), key="disclosure_places")
with right:
    weekdays = data.fs.clock is not None
    st.markdown(f"**By hour of the week** – mean {unit}, at {profile}")
    st.plotly_chart(
        disclosure.hours_of_week(
            leak.week[measure].to_numpy().reshape(7, 24), weekdays, unit, of, height=460
        ),
        key="disclosure_week",
        theme=None,
        config=style.CONFIG,
        alt=f"Mean {name} in each hour of the week.",
    )
    what_this_means(lessons.hours_told(leak, measure, weekdays), key="disclosure_hours")

# --- who bears it ---
st.header("Who bears it?", anchor=False, help=definitions.LORENZ)
st.plotly_chart(
    disclosure.lorenz_curves(
        [
            (m, f"{lessons.NAMES[m]}, Gini {leak.gini[m]:.2f}", *leak.lorenz[m])
            for m in ("em", "kl")
        ],
        of,
    ),
    key="disclosure_lorenz",
    width=640,
    theme=None,
    config=style.CONFIG,
    alt="Lorenz curves of EM- and KL-disclosure over the users asked about.",
)
what_this_means(lessons.people_told(leak), key="disclosure_people")

downloads.csv_files(
    "disclosure",
    {
        "Profiles": ("disclosure", lambda: lessons.csv(found.grid)),
        "Agreement": ("agreement", lambda: lessons.agreement_csv(found)),
        "Places": ("places", lambda: lessons.csv(leak.places)),
        "Hours of the week": ("hours", lambda: lessons.csv(leak.week)),
        "Users": ("users", lambda: lessons.csv(leak.people)),
        "Lorenz curves": ("lorenz", lambda: lessons.lorenz_csv(leak, profile)),
    },
)
