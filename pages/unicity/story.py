"""What an attacker can tell from known points: sentences, series and small tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.limits import DRAWN_PEOPLE
from fpanon_core.model.profiles import Grid, window_text
from fpanon_core.model.unicity import CLEARLY_R2, LAW_R2
from fpanon_core.studies import antenna_merging
from fpanon_core.studies.report_words import listed
from fpanon_core.studies.unicity import Law, Result, Shares
from pages.charts import words
from pages.charts.plain import plain
from pages.charts.unicity import Fitted

MONTJOYE = "1.5 million people (de Montjoye et al. 2013)"
ASSUMED = (
    "We assume that the attacker knows points exactly as recorded here, in place and time. The "
    "attacker also knows that the person is in these data. The people tested, and their points, "
    "are drawn at random; the intervals cover only that draw. Guessing means picking any one of "
    "the people at random."
)
"""Assumptions behind the figures of unicity."""
TABLES = {
    "unicity": "Points known",
    "points_needed": "Points needed",
    "unicity_grid": "Resolutions",
    "scaling_laws": "Laws",
}
REGION_TABLES = {
    "merged_antennas": "Merged antennas",
    "merged_unicity": "Unicity of merged antennas",
}
_FORMS = {
    "power": "α − x^β",
    "exponential": "α − exp(λx)",
    "stretched": "α − exp(x^β)",
    "linear": "α − βx",
}
_USUAL_POINTS = 4


# --- points known ---


def narrowed(result: Result) -> dict[str, Shares]:
    """Return the share of users whose points fit at most x people, by name, for each x.

    Each name tells the numbers of people that x adds, such as "3 to 5 people fit".
    """
    random, found, last = result.curves["random"], {}, 0
    for x in sorted(set(result.config.out_of)):
        fit = f"{x}" if x == last + 1 else f"{last + 1} to {x}"
        found["unique" if x == 1 else f"{fit} people fit"] = [r.at(x) for r in random]
        last = x
    return found


def points_known(result: Result) -> list[str]:
    """Say what a few points reveal, and how many people had fewer."""
    random = result.curves["random"]
    most, few = random[-1], random[min(_USUAL_POINTS, len(random)) - 1]
    verb = "singles" if few.config.p == 1 else "single"
    one, whom = "", " of people"
    if few.config.p > 1:
        one, whom = (
            f"1 known point singles out {words.percent(random[0].value)} of people, and ",
            "",
        )
    told = [
        f"{one}{words.count(few.config.p, 'known point')} {verb} out "
        f"{words.percent(few.value)}{whom} (95% interval: {words.percent(few.low)} to "
        f"{words.percent(few.high)}). Guessing finds 1 in {few.n_users:,}.",
        "A point is a place and a time, as recorded in these data. We tested "
        f"{words.people(few.n_targets)}.",
    ]
    if most.too_few:
        told.append(
            f"{most.too_few:,} of the people tested {'has' if most.too_few == 1 else 'have'} "
            f"fewer than {most.config.p} points; the attacker knows all of their points."
        )
    return told


# --- points needed ---


def points_needed(result: Result) -> list[str]:
    """Say after how many points nobody else fits, and how many people are never unique."""
    known, asked = result.needed, len(result.points)
    never = asked - len(known)
    many = f"{result.config.heavy_per_month:g}"
    many = f"{many} or more" if result.heavy else f"fewer than {many}"
    tested = f"We tested {words.people(asked)} with {many} events a month (30 days)."
    if not len(known):
        fate = f"None of the {asked:,} people tested is ever unique: for each, another"
        if asked == 2:
            fate = fate.replace("None of", "Neither of")
        if asked == 1:
            fate = "The one person tested is never unique: another"
        return [f"{fate} person has all their points, too.", tested]
    if np.isnan(result.median_needed):
        half = "Fewer than half of the people are ever unique"
    else:
        half = (
            "At least half of the people are unique after "
            f"{words.count(int(result.median_needed), 'point')}"
        )
    told = [
        f"{half}. With random points, everyone who becomes unique does so after at most "
        f"{words.count(int(known.max()), 'point')}.",
        tested,
    ]
    if never:
        told.append(
            f"{words.people(never)} {words.were(never)} never unique: {'for each, ' * (never > 1)}"
            "another person has all their points, too. Shares are of everyone tested, including "
            "people who are never unique."
        )
    if len(known) < DRAWN_PEOPLE:
        told.append(f"The figure needs at least {DRAWN_PEOPLE} people who become unique.")
    return told


def points_drawn(result: Result) -> bool:
    """Return whether there are enough people and spread for a box plot of the points needed."""
    if len(result.needed) < DRAWN_PEOPLE:
        return False
    lower, upper = np.quantile(result.needed, [0.25, 0.75])
    return bool(lower < upper)


# --- resolutions ---


def grid_points(result: Result) -> list[int]:
    """Return the numbers of known points for which unicity was measured on grids, sorted."""
    return sorted(int(p) for p in result.grid["p"].unique())


def heat(result: Result, p: int) -> tuple[list[str], list[str], FloatArray]:
    """Return labels of the grid's sides, labels of the time windows, and unicity.

    Unicity has a row for each time window and a column for each side: (n_windows, n_sides).
    """
    grid = result.grid
    table = grid[grid["p"] == p].pivot(index="window_min", columns="space_size", values="value")
    sides = [str(Grid(float(metres))) for metres in table.columns]
    windows = [window_text(float(minutes)) for minutes in table.index]
    return sides, windows, table.to_numpy(dtype=float)


def coarser(result: Result, p: int, most: float | None) -> list[str]:
    """Say how many people are unique at the finest and the coarsest profile.

    ``most`` is the accepted share, or None if there is no threshold.
    """
    at = result.grid[result.grid["p"] == p]
    fine, coarse = at.iloc[0], at.iloc[-1]
    told = [
        f"With {p} points, {words.percent(fine['value'])} of people are unique at "
        f"{plain(fine['profile'])}, and {words.percent(coarse['value'])} at "
        f"{plain(coarse['profile'])}."
    ]
    if most is not None:
        none = not (at["low"] <= most).any()
        told[0] += f" No profile is within your threshold of {100 * most:.3g}%." * none
    if few := int(coarse["too_few"]):
        told.append(
            f"In the coarsest profile, {words.people(few)} {'has' if few == 1 else 'have'} fewer "
            f"than {p} points."
        )
    return told + elsewhere(result, p)


def elsewhere(result: Result, p: int) -> list[str]:
    """Say how much the origin of the coarsest grid matters, for the window most affected."""
    at = result.corners[result.corners["p"] == p]
    if not len(at):
        return []
    worth = at.groupby("window_min")["value"].agg(lambda values: values.max() - values.min())
    at = at[at["window_min"] == worth.idxmax()]
    side, minutes = float(at["space_size"].iloc[0]), float(at["window_min"].iloc[0])
    grid = result.grid
    same = (grid["p"] == p) & (grid["space_size"] == side) & (grid["window_min"] == minutes)
    chosen = words.percent(float(grid[same]["value"].iloc[0]))
    least, most = float(at["value"].min()), float(at["value"].max())
    if words.percent(least) == words.percent(most) == chosen:
        tried = f"each of the {len(at) + 1} corners tried"
        return [
            f"The grid's corner does not matter here: at {Grid(side)} · {window_text(minutes)}, "
            f"{chosen} of people are unique with {tried}."
        ]
    shares = f"is {words.percent(least)}"
    if least < most:
        shares = f"ranges from {words.percent(least)} to {words.percent(most)}"
    zero = at[(at["origin_x_m"] == 0) & (at["origin_y_m"] == 0)]["value"]
    named = ""
    if len(zero):
        named = f"; with the corner at (0, 0), it is {words.percent(float(zero.iloc[0]))}"
    return [
        f"The grid's corner can matter: at {Grid(side)} · {window_text(minutes)}, {chosen} of "
        f"people are unique. With {words.count(len(at), 'other corner')}, the share "
        f"{shares}{named}. If your grid is fixed, such as a national grid, measure on that grid."
    ]


def curves(laws: Sequence[Law]) -> list[Fitted]:
    """Return the measured points for each p and, if the law for that p holds, its curve."""
    nothing = np.zeros(0), np.zeros(0)
    return [
        Fitted(
            f"p = {law.p}", law.resolution, law.unicity, *(law.curve() if law.holds else nothing)
        )
        for law in laws
    ]


def flat(laws: Sequence[Law]) -> str:
    """Say for which p no law was fitted; return "" if one was fitted for every p."""
    without = [str(law.p) for law in laws if law.fit is None]
    if not without:
        return ""
    alike = "unicity is the same at every resolution, or there are too few resolutions"
    return f"At p = {listed(without)}, {alike}: there is no law to fit."


def lawless(laws: Sequence[Law]) -> str:
    """Say for which p unicity follows no law, and why; return "" if all laws hold."""
    without = [
        f"p = {law.p} (R² {law.fit.r2:.3f}"
        + (f", {_FORMS[law.fit.better.form]} {law.fit.better.r2:.3f})" if law.fit.better else ")")
        for law in laws
        if law.fit is not None and not law.holds
    ]
    if not without:
        return ""
    return (
        f"No law holds at {', '.join(without)}. Only points are drawn there. A law is shown if its "
        f"R² is at least {LAW_R2:g}, unless another form fits better by more than {CLEARLY_R2:g}."
    )


def fits(laws: Sequence[Law]) -> list[dict[str, Any]]:
    """Return one row per law, with the R² of each functional form."""
    return [
        {
            "p": law.p,
            "Law": law.fit.formula if law.holds else "no law",
            "α ± standard error": _with_error(law.fit.alpha, law.fit.alpha_se, law.holds),
            "β ± standard error": _with_error(law.fit.beta, law.fit.beta_se, law.holds),
            **{f"R², {_FORMS[form]}": round(c.r2, 3) for form, c in law.fit.fits.items()},
        }
        for law in laws
        if law.fit is not None
    ]


def _with_error(value: float, error: float, holds: bool) -> str:
    return f"{value:.3g} ± {error:.1g}" if holds else "–"


# --- merged antennas ---


def region_names(merged: antenna_merging.Result) -> list[str]:
    """Return a label for each ring on the map: the number of antennas in its region."""
    return [words.count(int(merged.sizes[j]), _noun(merged)) for j in merged.region]


def merged_noun(antennas: bool) -> str:
    """Return the noun for what is merged: "antennas", or "places" without a table of antennas."""
    return "antennas" if antennas else "places"


def _noun(merged: antenna_merging.Result) -> str:
    return merged_noun(merged.antennas).removesuffix("s")


def regions(merged: antenna_merging.Result, p: int) -> list[str]:
    """Say into which regions the antennas are merged, and how many people are unique there."""
    at = merged.grid[merged.grid["p"] == p]
    fine, coarse = at.iloc[0], at.iloc[-1]
    sizes = " to ".join(str(size) for size in sorted({merged.sizes.min(), merged.sizes.max()}))
    noun = merged_noun(merged.antennas) if merged.sizes.max() > 1 else _noun(merged)
    become = "becomes" if merged.sizes.sum() == 1 else "become"
    told = [
        f"{words.count(int(merged.sizes.sum()), _noun(merged))} {become} "
        f"{words.count(len(merged.sizes), 'region')} of {sizes} {noun}. With {p} points, "
        f"{words.percent(fine['value'])} of the people are unique in these regions at "
        f"{window_text(fine['window_min'])}, and {words.percent(coarse['value'])} at "
        f"{window_text(coarse['window_min'])}."
    ]
    if not merged.antennas:
        told.append(
            "The data contain no table of antennas, so their distinct places are merged instead."
        )
    return told
