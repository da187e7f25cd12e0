"""Aggregates: would publishing only counts be safer? (ASH; science.md §10)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from fpanon_core.measures.places import lon_lat
from pages.charts import maps, recovery, style, words
from pages.charts.cdf import Curve, cdf
from pages.components import definitions, downloads, needed, recovering
from pages.components.guard import end_view
from pages.components.meaning import what_this_means
from pages.components.pair import side_by_side
from pages.components.person import days

_ASH = "up to 100,000 people in a Chinese city (Xu et al., 2017"
of = style.theme(st.context.theme.type)

st.title("Aggregates", anchor=False)
st.markdown("Would publishing only counts be safer?")
data = needed.data(
    "aggregates",
    without="No data set is open yet. Open a sample, or your own data, and its own counts are "
    "attacked.",
    then="The figures follow as soon as the data are read.",
)
plan = recovering.form(data)
found = recovering.attacked(data, plan)
if found is None:
    st.caption("The figures appear here as soon as the attack is over.")
    end_view()
counts, score, names = found.counts, found.score, days(data.fs)

# --- the release ---
st.header("What would be published", anchor=False, help=definitions.AGGREGATES)
slot = recovering.moment(data, found)
here = np.flatnonzero(counts.counts[slot])
lon, lat = lon_lat(data.fs, *counts.centres.T)
if len(lon):
    st.pydeck_chart(
        maps.places_map(
            lon[here],
            lat[here],
            counts.counts[slot, here].astype(np.int64),
            of,
            noun="user",
            most=int(counts.counts.max()),
            around=(lon, lat),
        ),
        height=460,
        key="aggregates_map",
        alt=f"Map of the counts at {recovering.told(float(counts.wall_start_min[slot]), names)}; "
        "larger dots count more people.",
    )
else:
    st.info("There is no map: the data carry no map projection.")
filled = counts.counts[counts.counts > 0]
what_this_means(
    f"Nothing but numbers: how many of {score.n_users:,} people are at each of "
    f"{words.count(counts.n_places, 'place')}, every {words.duration(counts.slot_min)}. No record "
    "of anybody is published.",
    f"Yet {words.percent(float((filled == 1).mean()))} of the counts above 0 are of one person "
    f"alone, and {words.percent(float((filled < 15).mean()))} are below 15, a customary limit.",
    f"{words.count(data.fs.n_users - score.n_users, 'user')} of the data "
    f"{words.were(data.fs.n_users - score.n_users)} not drawn."
    if score.n_users < data.fs.n_users
    else "",
    key="aggregates_release",
)

# --- the attack ---
st.header("How much of everybody's path comes back?", anchor=False, help=definitions.RECOVERY)
night, day, whole = (float(v) for v in score.accuracy_by_step)
random = float(score.baseline_accuracy)
left, right = side_by_side("aggregates_attack")
with left:
    st.markdown("**Recovered after each step**", help=definitions.AT_RANDOM)
    st.plotly_chart(
        recovery.by_step(
            recovering.STEPS, score.accuracy_by_step.tolist(), score.baseline_by_step.tolist(), of
        ),
        key="aggregates_steps",
        theme=None,
        config=style.CONFIG,
        alt="Share of points recovered after each step of the attack, beside linking at random.",
    )
with right:
    st.markdown("**How far off**, across days", help=definitions.RECOVERY_ERROR)
    km = score.error_m.astype(np.float64) / 1000
    edge = max(1.0, 1.05 * float(np.quantile(km, 0.99)))
    st.plotly_chart(
        cdf(
            [Curve("recovered by the attack", km, of.categories[0], 0)],
            of,
            x_title="Distance from the true place (km)",
            x_range=(0.0, edge),
            whose="points",
            height=400,
        ),
        key="aggregates_error",
        theme=None,
        config=style.CONFIG,
        alt="Share of the points by distance between recovered and true place.",
    )
ratio = whole / random if random > 0 else 1.0
times = (
    f", {ratio:.0f} times" if ratio >= 10 else f", {ratio:.1f} times"
) + f" what linking at random does ({words.percent(random)})"
what_this_means(
    f"From the counts alone the attack gets {words.percent(whole)} of everybody's points right "
    f"over the whole period{times if random > 0 else ''}."
    + (f" Of single nights it recovers {words.percent(night)}," if np.isfinite(night) else " ")
    + f" of single days {words.percent(day)}.",
    f"Half of all recovered points lie within {words.distance(score.error_median_m)} of the truth; "
    f"{words.percent(float((km <= 1).mean()))} within 1 km."
    if score.error_median_m >= 5
    else f"{words.percent(float((km == 0).mean()))} of the points are exactly right; "
    f"{words.percent(float((km > 1).mean()))} are more than 1 km off.",
    key="aggregates_attack",
    published="95 to 98 % of single nights, 73 to 91 % over all days; 0.99 with 1,000 people, "
    "about 0.5 with 100,000. 8 to 21 % of the points were more than 1 km off.",
    source=_ASH,
)
why = "**Why it is low here.** " if whole < 0.5 else ""
few_days = ", and there are too few days for a habit" if len(counts.day_offsets) <= 4 else ""
if not np.isfinite(found.at_home):
    st.info(
        f"{why}No slot of these data lies between midnight and 6 h, so the attack has no night to "
        "start from. That is a lack of these data, not safety of counts."
    )
elif found.at_home < 0.75:
    filled_in = words.percent(1 - found.recorded)
    st.info(
        f"{why}The attack lives on people who sleep at home and do the same every day. In these "
        f"data a person spends {words.percent(found.at_home)} of the night at one and the same "
        "place (89 to 95 % in the published data): "
        + (
            f"people are seen so rarely that {filled_in} of the points had to be filled in between "
            "two records, which moves them at night when they may have been at home"
            if found.recorded < 0.25
            else "people are on the move at night, as taxis are"
        )
        + few_days
        + ". Of people with nights at home far more comes back; do not conclude from these data "
        "that counts are safe."
    )

# --- uniqueness ---
st.header("Can a recovered path be tied to a person?", anchor=False, help=definitions.TOP_PLACES)
st.plotly_chart(
    recovery.unique_by_top(score.uniqueness.tolist(), of, height=360),
    key="aggregates_unique",
    theme=None,
    config=style.CONFIG,
    alt="Share of recovered trajectories that are unique by their most visited places.",
)
two = float(score.uniqueness[1])
what_this_means(
    f"{words.percent(two)} of the recovered trajectories have a pair of most visited places that "
    "no other has. Of those people, who knows the two places where somebody is most, mostly home "
    "and work, finds one path that fits, and all the rest of it, as far as it is right: see above.",
    key="aggregates_unique",
    published="more than 95 % are unique by two places.",
    source=_ASH,
)

# --- one person ---
st.header("One person's path", anchor=False)
row = recovering.person(data, found)
who = data.fs.pseudonyms[found.users[row]]
path = recovering.path(data, found, row)
left, right = side_by_side("aggregates_person")
with left:
    st.markdown("**Recovered (filled) over true (ring)**")
    if len(lon):
        st.pydeck_chart(
            maps.fingerprints_map(
                [("recovered", *path.recovered, of.person), ("true", *path.true, of.other)],
                None,
                of,
                height=460,
                noun="slot",
            ),
            height=460,
            key="aggregates_path",
            alt=f"Map of the recovered and the true places of {who}.",
        )
    else:
        st.info("There is no map: the data carry no map projection.")
with right:
    st.markdown("**How far the recovered place is from the true one**")
    st.plotly_chart(
        recovery.away(counts.wall_start_min, counts.slot_min, path.km, names, of),
        key="aggregates_away",
        theme=None,
        config=style.CONFIG,
        alt=f"Distance between the recovered and the true place of {who} over time.",
    )
what_this_means(
    f"The trajectory paired with {who} is right in {words.percent(path.right)} of "
    f"{words.count(counts.n_slots, 'slot')}, and "
    f"{words.distance(1000 * float(path.km.mean()))} off on average.",
    "The outsider who made it has no name for it; who knows a place or two of the person may find "
    "one.",
    key="aggregates_person",
)

# --- factors ---
st.header("What makes it better or worse?", anchor=False, help=definitions.RECOVERY)
varied = recovering.factors(data, plan)
if varied is None:
    st.caption("Runs the attack again on coarser places, longer slots and fewer people.")
else:
    accuracy, unique = recovering.panels(varied)
    for key, title, drawn in (
        ("accuracy", "Share of points recovered", accuracy),
        ("uniqueness", "Unique recovered trajectories", unique),
    ):
        st.plotly_chart(
            recovery.panels(drawn, of, y_title=title, greyed=key == "accuracy"),
            key=f"aggregates_factors_{key}",
            theme=None,
            config=style.CONFIG,
            alt=f"{title} by side of a place, length of a slot and number of people.",
        )
    space, time, people = (
        varied[varied["factor"] == factor] for factor in ("space", "time", "users")
    )
    what_this_means(
        ("Coarser is not safer by itself. " if space["whole"].is_monotonic_increasing else "")
        + f"Across days {words.percent(space['whole'].iloc[0])} are "
        f"recovered at the places as they are and {words.percent(space['whole'].iloc[-1])} at "
        f"{words.distance(space['level'].iloc[-1])} – of coarser points; with slots of "
        f"{words.duration(time['level'].iloc[-1])}, {words.percent(time['whole'].iloc[-1])} "
        f"(at random {words.percent(time['whole_random'].iloc[-1])}).",
        f"With {words.count(int(people['level'].iloc[0]), 'user')} "
        f"{words.percent(people['whole'].iloc[0])}, with all "
        f"{words.count(int(people['level'].iloc[-1]), 'user')} "
        f"{words.percent(people['whole'].iloc[-1])}.",
        f"Unique by two places are {words.percent(space['top2'].iloc[0])} and "
        f"{words.percent(space['top2'].iloc[-1])} at the finest and coarsest places.",
        key="aggregates_factors",
        published="73 % at the sectors of antennas, 89 % at districts; 73 % at slots of 30 min, "
        "82 % at 180 min; falling with the number of people.",
        source=_ASH,
    )

# --- mitigations ---
st.header(
    "What helps, and what does it cost?",
    anchor=False,
    help="  \n".join((definitions.COUNT_ERROR, definitions.PRIVACY_UNIT)),
)
tried = recovering.remedies(data, plan)
if tried is None:
    st.caption(
        "Runs the attack again after each mitigation, for an outsider who knows how many people "
        "there are."
    )
else:
    st.plotly_chart(
        recovery.remedies(recovering.tried(tried), of),
        key="aggregates_remedies",
        theme=None,
        config=style.CONFIG,
        alt="Share of points recovered after each mitigation, and the error of the counts.",
    )
    none = tried.iloc[0]
    rest = tried.iloc[1:]
    same_points = rest[~rest["mitigation"].isin(["longer slots", "coarser places"])]
    best = same_points.loc[same_points["whole"].idxmin()]
    mild = same_points[same_points["count_error_share"] <= 0.5]
    cheapest = mild.loc[mild["whole"].idxmin()] if len(mild) else None
    what_this_means(
        f"As they are, {words.percent(none['whole'])} come back. Least comes back after "
        f"“{recovering.named(best)}”: {words.percent(best['whole'])} (at random "
        f"{words.percent(best['whole_random'])}), but then the published counts are off by "
        f"{best['count_error']:,.{1 if best['count_error'] < 10 else 0}f} people each on average, "
        f"{recovering.times(best['count_error_share'])} all people counted.",
        f"Of those that are off by half of all counted at most, “{recovering.named(cheapest)}” "
        f"helps most: {words.percent(cheapest['whole'])} come back, for an error of "
        f"{words.percent(cheapest['count_error_share'])} of all counted."
        if cheapest is not None
        else "None of them keeps the error below half of all people counted.",
        "At longer slots and coarser places a point is right when the coarse one is, so more of "
        "them come back, and each says less. Private counts are drawn anew at each run. The attack "
        "is not adapted to noise or gaps, and a better one may recover more: only a stated ε is a "
        "promise.",
        key="aggregates_remedies",
    )
    st.dataframe(
        [
            {
                "Counts": recovering.named(r),
                "Nights (%)": round(100 * r["night"], 1),
                "Days (%)": round(100 * r["day"], 1),
                "Across days (%)": round(100 * r["whole"], 1),
                "At random (%)": round(100 * r["whole_random"], 1),
                "Unique by 2 (%)": round(100 * r["top2"], 1),
                "Error of a count": round(r["count_error"], 2),
                "Of all (%)": round(100 * r["count_error_share"], 1),
            }
            for r in tried.to_dict("records")
        ],
        hide_index=True,
        key="aggregates_tried",
    )

files = {
    "Counts": ("counts", lambda: recovering.counts_csv(data, found)),
    "Scores": ("scores", lambda: recovering.scores_csv(data, found)),
    "Errors": ("errors", lambda: recovering.errors_csv(data, found)),
    "Uniqueness": ("uniqueness", lambda: recovering.uniqueness_csv(data, found)),
    "This path (not for release)": ("path", lambda: recovering.path_csv(data, found, row)),
}
if varied is not None:
    files["Factors"] = ("factors", lambda: recovering.table_csv(data, varied))
if tried is not None:
    files["Mitigations"] = ("mitigations", lambda: recovering.table_csv(data, tried))
downloads.csv_files("aggregates", files, prefix="recovery_")
