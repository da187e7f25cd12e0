"""Unicity: how little does an outsider need to know? (CROWD; ASH §3.2; science.md §6)"""

from __future__ import annotations

import numpy as np
import streamlit as st

from fpanon_core.measures.scaling import fit_exponents
from fpanon_core.measures.sparsity import sparsity_model
from fpanon_core.model.errors import FpanonError
from pages.charts import maps, style, unicity, words
from pages.components import definitions, downloads, needed, outsider
from pages.components.guard import end_view
from pages.components.meaning import what_this_means
from pages.components.pair import side_by_side

_CROWD = "1.5 million people (de Montjoye et al., 2013"
_FORMS = {
    "power": "α − x^β",
    "exponential": "α − exp(λx)",
    "stretched": "α − exp(x^β)",
    "linear": "α − βx",
}
_PUBLISHED = unicity.Line("published, 0.157 − 0.007·p", -0.007, 0.157)  # CROWD, on its own data
of = style.theme(st.context.theme.type)

st.title("Unicity", anchor=False)
st.markdown("How little does an outsider need to know to find a person in these data?")
data = needed.data(
    "unicity",
    without="No data set is open yet. Open a sample, or your own data, and it is looked at as an "
    "outsider would.",
    then="The figures follow as soon as the data are read.",
)
seed = int(
    st.number_input(
        "Seed of the draws", 0, 999_999, 0, key="unicity_seed", width=180, persist_state="session",
        help="The same seed draws the same people and the same points.",
    )
)  # fmt: skip
result = outsider.points(data, seed)
if result is None:
    st.caption("The figures appear here as soon as they are measured.")
    end_view()

# --- points known ---
st.header("How many points give a person away?", anchor=False, help=definitions.UNICITY)
random = result.curves["random"]
left, right = side_by_side("unicity_points")
with left:
    st.markdown("**Narrowed down to x people** – random points")
    st.plotly_chart(
        unicity.against_points(
            [
                outsider.rising(
                    "unique" if x == 1 else f"one of {x} at most", [r.at(x) for r in random]
                )
                for x in (1, 2, 5, 10)
            ],
            of,
        ),
        key="unicity_by_p",
        theme=None,
        config=style.CONFIG,
        alt="Share of users found by the number of known points, with 95 % intervals.",
    )
with right:
    st.markdown("**Other knowledge** – unique", help=definitions.STRATEGY)
    st.plotly_chart(
        unicity.against_points(
            [outsider.rising(name, found) for name, found in result.curves.items() if found], of
        ),
        key="unicity_by_strategy",
        theme=None,
        config=style.CONFIG,
        alt="Share of unique users by the number of known points, a line for each kind of points.",
    )
most = random[-1]
four = random[min(4, len(random)) - 1]
what_this_means(
    f"Whoever knows {words.count(four.config.p, 'point')} of a person – places and times, as in "
    f"these data – finds {words.percent(four.value)} of them with certainty (95 % interval: "
    f"{words.percent(four.low)} to {words.percent(four.high)}; {four.n_targets:,} people asked "
    f"about); guessing finds 1 in {four.n_users:,}.",
    f"{words.count(most.too_few, 'user')} asked about {'has' if most.too_few == 1 else 'have'} "
    f"fewer than {most.config.p} points; all of them were known then."
    if most.too_few
    else "",
    key="unicity",
    published="4 points are enough for 95 %, 2 for more than half.",
    source=_CROWD,
)

# --- points needed ---
st.header("How many until nobody else fits?", anchor=False)
points = result.points["points"].to_numpy(dtype=float)
known = points[np.isfinite(points)]
never = int(result.points.attrs["never"])
if len(known):
    st.plotly_chart(
        unicity.boxes(known, of),
        key="unicity_needed",
        theme=None,
        config=style.CONFIG,
        alt="Box plot of the number of random points after which a user is unique.",
    )
who = (
    "users with 75 or more interactions a month" if result.heavy else "users, none of whom is busy"
)
what_this_means(
    f"Of {len(points):,} {who}, half are unique after "
    f"{words.count(int(np.median(known)), 'point')}, and nobody needs more than {int(known.max())}."
    if len(known)
    else f"None of {len(points):,} {who} is ever unique.",
    f"{words.count(never, 'user')} {words.were(never)} never unique: somebody else has all their "
    "points, too."
    if never
    else "",
    key="unicity_needed",
    published="at most 11 points were needed.",
    source=_CROWD,
)

# --- resolutions ---
st.header("Does it help to be coarser?", anchor=False)
left, right = side_by_side("unicity_coarser")
with left:
    p = st.selectbox(
        "Points known", sorted(result.grid["p"].unique()), index=1, key="unicity_p", width=160,
        persist_state="session",
    )  # fmt: skip
    st.plotly_chart(
        unicity.over_resolutions(*outsider.heat(result.grid, int(p)), of),
        key="unicity_heat",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of unique users with {p} points, by side of the grid and time window.",
    )
with right:
    along = st.selectbox(
        "Law along", list(outsider.AXES), key="unicity_along", width=280, help=definitions.SCALING,
        persist_state="session",
    )  # fmt: skip
    drawn, fits = outsider.laws(result.grid, along)
    st.plotly_chart(
        unicity.laws(drawn, of, x_title=along[0].upper() + along[1:]),
        key="unicity_laws",
        theme=None,
        config=style.CONFIG,
        alt="Share of unique users against the resolution, and the fitted laws.",
    )
at = result.grid[result.grid["p"] == p]
fine, coarse = at.iloc[0], at.iloc[-1]
what_this_means(
    f"With {p} points, {words.percent(fine['value'])} are unique at {fine['profile']}, "
    f"{words.percent(coarse['value'])} at {coarse['profile']}.",
    f"Of {words.count(int(coarse['too_few']), 'user')} the coarsest form has fewer than {p} points."
    if coarse["too_few"]
    else "",
    key="unicity_grid",
    published="more than 60 % are unique at 15 h or 15 antennas, less than 40 % at (7 h, 7 "
    "antennas), for 4 points.",
    source=_CROWD,
)
flat = [q for q in sorted(result.grid["p"].unique()) if q not in fits]
if flat:
    st.caption(
        f"At p = {', '.join(map(str, flat))} unicity is the same all along: there is no law to fit."
    )
if fits:
    st.dataframe(
        [
            {
                "p": q,
                "Law": fit.formula,
                "α ± standard error": f"{fit.alpha:.3g} ± {fit.alpha_se:.1g}",
                "β ± standard error": f"{fit.beta:.3g} ± {fit.beta_se:.1g}",
                **{f"R², {_FORMS[form]}": round(curve.r2, 3) for form, curve in fit.fits.items()},
            }
            for q, fit in fits.items()
        ],
        hide_index=True,
        key="unicity_fits",
    )
try:
    line = fit_exponents(fits)
except FpanonError:
    line = None
if line is not None:
    st.plotly_chart(
        unicity.exponents(
            list(fits),
            [fit.beta for fit in fits.values()],
            [fit.beta_se for fit in fits.values()],
            [unicity.Line(f"fitted, {line.formula}", line.slope, line.intercept), _PUBLISHED],
            of,
        ),
        key="unicity_exponents",
        theme=None,
        config=style.CONFIG,
        alt="Exponent of the law against the number of known points, with the fitted line and the "
        "published one.",
    )
    st.caption(
        f"{line.formula} (standard errors {line.intercept_se:.2g} and {line.slope_se:.2g}). The "
        "published line is of other data and other units: compare the shape only."
    )

# --- merged regions ---
st.header("And with antennas merged?", anchor=False, help=definitions.CLUSTERS)
size = int(
    st.number_input(
        "Antennas in a region, about (v)",
        2,
        200,
        7,
        key="unicity_v",
        width=240,
        persist_state="session",
    )
)
merged = outsider.merged(data, size, seed)
if merged is None:
    st.caption("The map appears here as soon as the antennas are merged.")
else:
    left, right = side_by_side("unicity_regions")
    with left:
        if merged.rings:
            st.pydeck_chart(
                maps.regions_map(
                    merged.rings,
                    merged.region,
                    [words.count(int(merged.sizes[j]), "antenna") for j in merged.region],
                    of,
                ),
                height=460,
                key="unicity_map",
                alt=f"Map of the regions of about {size} antennas.",
            )
        else:
            st.info("There is no map: the data carry no map projection.")
    with right:
        st.plotly_chart(
            unicity.cluster_sizes(merged.sizes, of),
            key="unicity_sizes",
            theme=None,
            config=style.CONFIG,
            alt="Histogram of the number of antennas in each region.",
        )
    of_p = merged.grid[merged.grid["p"] == p]
    what_this_means(
        f"{words.count(int(merged.sizes.sum()), 'antenna')} become "
        f"{words.count(len(merged.sizes), 'region')} of {merged.sizes.min()} to "
        f"{merged.sizes.max()}. With {p} points, {words.percent(of_p['value'].iloc[0])} of the "
        f"users are unique in them at {of_p['profile'].iloc[0].split(' · ')[-1]}, "
        f"{words.percent(of_p['value'].iloc[-1])} at {of_p['profile'].iloc[-1].split(' · ')[-1]}.",
        "Where the file brings no table of antennas, its distinct places serve as such.",
        key="unicity_regions",
    )

# --- sparsity ---
st.header("Why more columns make people unique", anchor=False, help=definitions.SPARSITY)
with st.container(horizontal=True, vertical_alignment="bottom"):
    users = st.number_input(
        "Users (n)", 2, 1_000_000_000, max(2, data.fs.n_users), width=200,
        key=f"unicity_n_{data.digest[:8]}", persist_state="session",
    )  # fmt: skip
    bins = st.number_input(
        "Bins (d)", 1, 1_000_000, 30, key="unicity_d", width=160, persist_state="session"
    )
    density = st.number_input(
        "Share of bins a user is in", 0.0001, 0.9999, 0.5, key="unicity_density", width=220,
        format="%.4f", persist_state="session",
    )  # fmt: skip
over = np.unique(np.geomspace(1, max(1_000, 10 * bins), 300).astype(int))
unique = np.asarray(sparsity_model(int(users), over, float(density)).p_unique)
model = sparsity_model(int(users), int(bins), float(density))
st.plotly_chart(
    unicity.transition(
        over.astype(float),
        unique,
        (float(bins), float(model.p_unique)),
        of,
    ),
    key="unicity_sparsity",
    theme=None,
    config=style.CONFIG,
    alt="Probability that a user is unique against the number of bins.",
)
what_this_means(
    f"Of {int(users):,} users, each in {words.percent(float(density))} of {int(bins):,} bins at "
    f"random, one is unique with probability {float(model.p_unique):.3g}; that nobody is, has "
    f"probability {float(model.p_anonymous):.3g}.",
    key="unicity_sparsity",
)

files = {
    "Points known": ("unicity", lambda: outsider.curves_csv(result)),
    "Points needed": ("points_needed", lambda: outsider.points_csv(result)),
    "Resolutions": ("unicity_grid", lambda: outsider.grid_csv(result)),
    "Laws": ("scaling_laws", lambda: outsider.fits_csv(result)),
    "Sparsity": ("sparsity", lambda: outsider.sparsity_csv(over, unique)),
}
if merged is not None:
    files["Merged antennas"] = ("merged_antennas", lambda: outsider.merged_csv(merged))
downloads.csv_files("unicity", files)
