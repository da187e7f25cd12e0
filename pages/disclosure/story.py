"""What an attacker learns, for the screen: figures' series, sentences and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.model.arrays import FloatArray
from fpanon_core.studies.disclosure import Leak, Result
from fpanon_core.studies.report_words import describe_sum, listed
from pages.charts import words
from pages.charts.disclosure import WEEK, Measured
from pages.charts.plain import plain
from pages.shell import definitions

NAMES = {"k": "k-disclosure", "em": "EM-disclosure", "kl": "KL-disclosure"}
OVER_PROFILES = {
    "unicity": "People singled out",
    "k": "Right record picked",
    "em": "Visits learnt (EM)",
    "kl": "Information gained (KL)",
}
_HEADINGS = {
    "unicity": "Share of people singled out (unicity)",
    "k": "How often the right record is picked (k-disclosure)",
    "em": "Visits that become certain or are ruled out (sum of EM), mean of the people tested",
    "kl": "Information gained over all areas and time windows (nats), mean of the people tested",
}
DEFINITIONS = {
    "unicity": definitions.UNICITY,
    "k-disclosure": definitions.K_DISCLOSURE,
    "EM-disclosure": definitions.EM_DISCLOSURE,
    "KL-disclosure": definitions.KL_DISCLOSURE,
}
FILES = {
    "disclosure": "Profiles",
    "agreement": "Agreement",
    "places": "Places",
    "hours": "Hours of the week",
    "users": "People",
    "lorenz": "Lorenz curves",
}
STRONGER = "Stronger attackers may find more: see *Release options*."


def ranked(found: Result) -> pd.DataFrame:
    """Return the table of profiles, with the highest unicity first; ties keep their order."""
    return found.grid.sort_values(_unicity(found), ascending=False, kind="stable")


def measured(found: Result, measure: str, limit: float | None) -> Measured:
    """Return one measure over the profiles, with its threshold ``limit``, if there is one.

    EM and KL are summed over bins, to compare profiles.
    """
    columns = {f"p = {p}": f"unicity_p{p}" for p in found.config.points}
    if measure != "unicity":
        columns = {NAMES[measure]: measure if measure == "k" else f"{measure}_sum"}
    table = ranked(found)
    series = {
        name: (table[c].tolist(), table[f"{c}_low"].tolist(), table[f"{c}_high"].tolist())
        for name, c in columns.items()
    }
    formats = ("", ".3g") if measure in ("em", "kl") else (".0%", ".1%")
    return Measured(measure, _HEADINGS[measure], series, *formats, limit)


def _unicity(found: Result) -> str:
    """Return the name of the column of unicity at the number of points that the attacker knows."""
    return f"unicity_p{found.config.knowledge.p}"


def spoken(measure: str) -> str:
    """Return a measure's name, such as "unicity at 4 points"."""
    if measure in NAMES:
        return NAMES[measure]
    return f"unicity at {words.count(int(measure.removeprefix('unicity_p')), 'point')}"


def agreement(found: Result) -> pd.DataFrame:
    """Return one row per pair of measures, those that disagree most first."""
    own = found.agreement[["a", "b"]].isin([_unicity(found)]).any(axis=1)
    rows = found.agreement.assign(own=own).sort_values(
        ["discordant", "own"], ascending=False, kind="stable"
    )
    return pd.DataFrame(
        {
            "Measures": rows["a"].map(spoken) + " and " + rows["b"].map(spoken),
            "Kendall's τ": rows["tau"].round(2),
            "Pairs of profiles": rows["pairs"],
            "Ranked differently": rows["discordant"],
            "Ranked alike": rows["concordant"],
            "Riskier, for example": rows["discordant_pairs"].map(
                lambda pairs: "{} by the first, {} by the second".format(*pairs[0]) if pairs else ""
            ),
        }
    )


def _whole(profile: str) -> str:
    """Return a profile's name without possible line breaks."""
    return plain(profile).replace(" ", "\u00a0")


def describe_agreement(found: Result) -> list[str]:
    """Say how far the other measures rank profiles in the same order as unicity."""
    pairs, own = _records(found.agreement), _unicity(found)
    against = {r["b"] if r["a"] == own else r["a"]: r for r in pairs if own in (r["a"], r["b"])}
    name = spoken(own)
    other = max(against, key=lambda measure: against[measure]["discordant"])
    worst = against[other]
    if not worst["discordant"]:
        return _without_discord(found, pairs, list(against.values()), name)
    first, second = worst["discordant_pairs"][0][:: 1 if worst["a"] == own else -1]
    one, two = plain(first), plain(second)
    told = [
        f"{name.capitalize()} and {spoken(other)} rank {worst['discordant']} of "
        f"{worst['pairs']} pairs of profiles differently. For example, {one} is the riskier by "
        f"{name}, and {two} by {spoken(other)}."
    ]
    alike = [spoken(m) for m, r in against.items() if r["concordant"] and not r["discordant"]]
    if alike:
        give = "This measure gives" if len(alike) == 1 else "These measures give"
        told.append(f"{give} the same order as {name}: {listed(alike)}.")
    table = found.grid.set_index("profile")
    a, b = table.loc[first], table.loc[second]
    sums = ["em_sum", "em_sum_low", "em_sum_high"]
    if other in ("em", "kl") and b["bins"] < a["bins"]:
        told.append(
            f"EM and KL are means over bins. {one} has {words.count(int(a['bins']), 'bin')}; "
            f"{two} has {int(b['bins']):,}, with more people in each. An average bin reveals more "
            f"at {two}, although fewer people are singled out. Over all bins, the EM of one person "
            f"adds up to {words.supported(*a[sums])} at {one}, and to "
            f"{words.supported(*b[sums])} at {two}."
        )
    return told


def _without_discord(
    found: Result, pairs: list[dict[str, Any]], against: list[dict[str, Any]], name: str
) -> list[str]:
    """Say what it means that no measure reverses the order in which unicity ranks profiles."""
    if not any(r["concordant"] for r in against):
        told = [
            f"{name.capitalize()} is the same under all {len(found.grid)} profiles, or differs "
            "only where the other measures do not: there is no order to agree with."
        ]
    else:
        told = [
            f"No measure ranks any two of the {len(found.grid)} profiles in the opposite order to "
            f"{name}."
        ]
    worst = max(pairs, key=lambda r: r["discordant"])
    if worst["discordant"]:
        told.append(
            f"But {spoken(worst['a'])} and {spoken(worst['b'])} rank {worst['discordant']} of "
            f"{worst['pairs']} pairs of profiles differently."
        )
    elif all(r["concordant"] for r in pairs):
        told.append("The choice of profile does not depend on the measure.")
    return told


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def describe_measures(
    found: Result, profile: str, measure: str, limit: float | None = None
) -> list[str]:
    """Say what the measures of one profile mean; the given measure comes first.

    Given ``limit``, a threshold for shares of people, also say how many profiles are within it.
    """
    leak = found.leaks[profile]
    p, few = found.config.knowledge.p, leak.too_few
    names = ("unicity", "k", "em", "kl", "em_sum", "kl_sum")
    unicity, k, em, kl, em_sum, kl_sum = (leak.measures[m] for m in names)
    known = f"At {plain(profile)}, {words.count(p, 'known point')}"
    singled = (
        f"{known} single{'s' * (p == 1)} out {words.percent(unicity[0])} of people with "
        f"certainty{_interval(unicity)}."
    )
    tell = f"{known} tell{'s' * (p == 1)}"
    visits = describe_sum(em_sum[0], "em")
    visits = f"{visits}, {_at_most(found, leak)}" if visits else "nothing more"
    finding = {
        "unicity": f"With {words.count(p, 'point')}, an attacker singles out "
        f"{_over(found, profile, _unicity(found))}.{_within(found, _unicity(found), limit)}",
        "k": f"With {words.count(p, 'point')}, a random pick from matching records is right "
        f"{_over(found, profile, 'k')} (guessing: 1 in {found.n_users:,})."
        f"{_within(found, 'k', limit)}",
        "em": f"{tell} {visits}.",
        "kl": f"{tell} {describe_sum(kl_sum[0], 'kl') or 'nothing more'}.",
    }[measure]
    return [
        finding,
        *([STRONGER] if measure == "k" else []),
        singled,
        f"A random pick among the records that fit is right with probability "
        f"{words.supported(*k)} on average ({_ends(k)}); by guessing, 1 in {found.n_users:,}.",
        "In addition, the probability that the person was in a given bin changes by "
        f"{words.supported(*em)} on average ({_ends(em)}) over {words.count(leak.bins, 'bin')}. "
        f"Over all bins, the changes add up to {words.supported(*em_sum)} for one person. The gain "
        f"in information is {words.supported(*kl)} nats a bin, {words.supported(*kl_sum)} in all.",
        f"{few:,} of the people tested {'has' if few == 1 else 'have'} fewer than {p} "
        "points at this profile; the attacker knows all of their points."
        if few
        else "",
    ]


def _within(found: Result, column: str, limit: float | None) -> str:
    """Say how many profiles are within a threshold by the upper ends; "" without a threshold."""
    if limit is None:
        return ""
    inside, every = int((found.grid[f"{column}_high"] <= limit).sum()), len(found.grid)
    stay = f"{inside} of {words.count(every, 'profile')} {'is' if inside == 1 else 'are'} clearly"
    if not inside:
        stay = "No profile is"
        if every == 1:
            stay = "This profile is not"
        stay += " clearly" * bool((found.grid[f"{column}_low"] <= limit).any())
    return f" {stay} within your threshold of {100 * limit:.3g}%."


def _over(found: Result, profile: str, column: str) -> str:
    """Return a share at one profile and, if it is lower at another, the lowest share of all."""
    shares = found.grid.set_index("profile")[column]
    what = "of the time" if column == "k" else "of people"
    told = f"{words.percent(shares[profile])} {what} at {_whole(profile)}"
    least = str(shares.idxmin())
    if not shares[least] < shares[profile]:
        return told
    return f"{told}. At {_whole(least)}: {words.percent(shares[least])}"


def _at_most(found: Result, leak: Leak) -> str:
    """Return the largest possible sum of EM: all visits certain, all wrong guesses ruled out."""
    return f"of about {2 * float(leak.places['samples'].sum()) / found.n_users:,.0f} in all"


def _interval(share: tuple[float, float, float]) -> str:
    """Return the ends of a share's interval, in brackets; "" if the interval has no width."""
    low, high = share[1:]
    return f" ({words.percent(low)} to {words.percent(high)})" if low < high else ""


def _ends(of: tuple[float, float, float]) -> str:
    low, high = of[1:]
    if low == high:
        return "no interval, as everyone was tested and nothing was drawn"
    ends = (words.supported(v, low, high) for v in (low, high))
    return f"95% interval: {' to '.join(ends)}"


MEANS_TOLD = (
    "Here, EM and KL are means over a profile's own bins, as in the paper. These means compare "
    "people, places and hours under one profile. They do not say which of two profiles is the "
    "safer: a finer profile has more bins, mostly empty, and so a lower mean. The page *Release "
    "options* compares options by the sums over all bins."
)
"""Note for every comparison of profiles side by side."""


def with_unit(measure: str) -> str:
    """Return the name of EM- or KL-disclosure; for KL-disclosure, add the unit."""
    return f"{NAMES[measure]} (nats)" if measure == "kl" else NAMES[measure]


def place_tips(places: pd.DataFrame, measure: str) -> list[str]:
    """Return the tooltip of each place."""
    return [
        f"{NAMES[measure]} {value:.2g}, {users:.1f} people a window, "
        f"{words.count(windows, 'window')}"
        for value, users, windows in zip(
            places[measure], places["users_a_window"], places["windows"], strict=True
        )
    ]


def describe_places(leak: Leak, measure: str) -> list[str]:
    """Say at what place an attacker learns most, and how much at half of the places."""
    places = leak.places
    top = places.nlargest(1, measure).iloc[0]
    middle = float(places[measure].median())
    seen = top["users_a_window"]  # never 0, as these are places where people were
    few = "fewer than one person was" if round(seen) < 1 else ""
    seen_told = few or f"{words.people(round(seen))} {words.were(round(seen))}"
    return [
        f"An attacker learns most ({top[measure]:.2g}) at a place where, on average, "
        f"{seen_told} seen per time window.",
        f"At half of the {len(places):,} places, the value is {middle:.2g} or less."
        if len(places) > 1
        else f"At the only place, the value is {middle:.2g}.",
    ]


def describe_hours_learnt(leak: Leak, measure: str, weekdays: bool) -> str:
    """Say about which hour of the week an attacker learns most, and about which least."""
    week = leak.week.dropna(subset=[measure])
    most, least = week.nlargest(1, measure).iloc[0], week.nsmallest(1, measure).iloc[0]
    if most[measure] == least[measure]:
        return f"{NAMES[measure]} is the same in every hour: {most[measure]:.2g}."
    return (
        f"An attacker learns most about {_hour(most, weekdays)} ({most[measure]:.2g}), and least "
        f"about {_hour(least, weekdays)} ({least[measure]:.2g})."
    )


def _hour(row: pd.Series[Any], weekdays: bool) -> str:
    day = WEEK[int(row["day"])] if weekdays else f"day {int(row['day']) + 1}"
    return f"{day}, {int(row['hour'])} to {int(row['hour']) + 1} h"


def describe_people(leak: Leak) -> list[str]:
    """Say how unevenly disclosure is spread over the people tested."""
    users, total = leak.lorenz["em"]
    top = 1 - float(np.interp(0.9, users, total))
    gini = leak.gini["em"]
    how = "nearly even" if gini < 0.1 else "somewhat uneven" if gini < 0.3 else "uneven"
    return [
        f"The most exposed tenth of the people bears {words.percent(top)} of all EM-disclosure: "
        f"the burden is {how}.",
        f"We tested {words.people(len(leak.people))}. The Gini coefficient of EM-disclosure is "
        f"{leak.gini['em']:.2f}. The most exposed tenth bears "
        f"{words.percent(1 - float(np.interp(0.9, *leak.lorenz['kl'])))} of all KL-disclosure "
        f"(Gini {leak.gini['kl']:.2f}).",
    ]


def lorenz_curves(leak: Leak) -> list[tuple[str, str, FloatArray, FloatArray]]:
    """Return the Lorenz curves of EM- and KL-disclosure: measure, name, and two arrays of shares.

    The arrays are cumulative shares, in [0, 1], of the people and of their disclosure.
    """
    return [(m, f"{NAMES[m]}, Gini {leak.gini[m]:.2f}", *leak.lorenz[m]) for m in ("em", "kl")]
