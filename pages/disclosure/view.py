"""What is learnt: an attacker learns more than identities (Noriega Campero 2015, chapter 4)."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.profiles import corners_text
from pages.charts import disclosure, style
from pages.charts.maps import MAX_CELLS, cells_map, scale_bar, shades
from pages.charts.plain import plain
from pages.disclosure import form, story
from pages.shell import definitions, downloads, layout, limits, questions
from pages.shell.figure import fold, legend, show, show_map
from pages.shell.guard import end_view
from pages.shell.layout import side_by_side, what_this_means
from pages.shell.widgets import segments, selectbox

of = style.theme(st.context.theme.type)

place = layout.line("disclosure", "What do the known points give away?")
form.current()  # taken from the address before another view clears it
data = layout.data("disclosure", ", to see what an attacker learns from them.")
with place.popover("Settings", icon=":material/tune:", key="disclosure_settings"):
    asked = form.form(data.fs)
layout.about(place, *story.DEFINITIONS.values())
form.write_address()
found = questions.settle(form.question(data.fs), asked=asked)
if found is None:
    questions.announce(form.DISCLOSURE, "The figures appear here as soon as they are measured.")
    end_view()
names = story.ranked(found)["profile"].tolist()
with st.container(
    horizontal=True, vertical_alignment="bottom", gap="medium", key="disclosure_look_at"
):
    measures = story.OVER_PROFILES
    what = segments("Measured by", measures, "k", key="disclosure_what", width="content")
    profile = selectbox(
        "Profile shown", names, key="disclosure_profile", width=200, help=definitions.PROFILE
    )
leak = found.leaks[profile]
limit = limits.in_force().limit(what) if what in ("unicity", "k") else None

# --- over profiles ---
what_this_means(
    *story.describe_measures(found, profile, what, limit),
    corners_text(each.laid.space for each in found.leaks.values()),
    key="disclosure",
)
with st.container(key="main_figure"):
    show(
        disclosure.over_profiles(names, story.measured(found, what, limit), of),
        key="disclosure_main",
        alt=f"{story.OVER_PROFILES[what]} over the profiles, with 95% intervals.",
    )
st.page_link(
    "pages/options/view.py",
    label="Which option protects against disclosure, and what is lost?",
    icon=":material/balance:",
)

# --- where and when ---
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.subheader(
        "Where and when does an attacker learn most?",
        anchor=False,
        help=definitions.BIN_DISCLOSURE,
        width="content",
    )
    named = {each: story.NAMES[each] for each in ("em", "kl")}
    measure = segments("Measured by", named, key="disclosure_by", label_visibility="collapsed")
left, right = side_by_side("disclosure_leak")
name, unit, weekdays = story.NAMES[measure], story.with_unit(measure), data.fs.clock is not None
with left:
    st.markdown(f"**By place** – mean {unit}, at {plain(leak.profile)}")
    if "west" in leak.places:
        places = leak.places.nlargest(MAX_CELLS, measure).sort_values(measure)
        by = shades(places[measure].to_numpy(), of)
        bounds = places[["west", "south", "east", "north"]].to_numpy()
        show_map(
            cells_map(bounds, by.colours, story.place_tips(places, measure), of),
            key="disclosure_map",
            alt=f"Map of the mean {name} of each place at {leak.profile}.",
        )
        legend(
            scale_bar(by, unit, of),
            key="disclosure_scale",
            alt=f"Colours of the map: {name} from {by.low:.2g} to {by.high:.2g}.",
        )
    else:
        st.info("There is no map: the data carry no map projection.")
    what_this_means(*story.describe_places(leak, measure), key="disclosure_places")
with right:
    st.markdown("**By hour of the week**")
    week = leak.week[measure].to_numpy().reshape(7, 24)
    show(
        disclosure.hours_of_week(week, weekdays, unit, of),
        key="disclosure_week",
        alt=f"Mean {name} in each hour of the week.",
    )
    what_this_means(story.describe_hours_learnt(leak, measure, weekdays), key="disclosure_hours")

# --- who bears it ---
st.subheader("Who bears the disclosure?", anchor=False, help=definitions.LORENZ)
left, right = side_by_side("disclosure_bears")
with left:
    show(
        disclosure.lorenz_curves(story.lorenz_curves(leak), of),
        key="disclosure_lorenz",
        alt="Lorenz curves of EM- and KL-disclosure over the people tested.",
    )
with right:
    what_this_means(*story.describe_people(leak), key="disclosure_people")

# --- agreement ---
with fold("Do the measures agree?", key="disclosure_agreement"):
    if len(found.agreement):
        st.markdown(
            "**Kendall's τ** of each pair of measures, over the profiles",
            help=definitions.AGREEMENT,
        )
        st.dataframe(story.agreement(found), hide_index=True, key="disclosure_pairs")
        what_this_means(
            *story.describe_agreement(found),
            key="disclosure_agreement",
            published="unicity (p = 3, 4, 5), EM and KL put eight profiles in the same order.",
            source="1.6 million people (Noriega Campero 2015, figure 4-2)",
        )
        st.caption(story.MEANS_TOLD)
    else:
        st.caption("One profile alone has no order to compare; choose at least two.")

downloads.tables("disclosure", found, story.FILES)
layout.formulas("Disclosure")
