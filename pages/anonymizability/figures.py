"""Curves of everyone's k-gap for several k and profiles, and of what makes people hard to hide.

The second part follows Gramaglia & Fiore 2015, section 4.3. It shows whether place or time, and
whether a few samples or all of them, make people hard to hide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies.anonymizability import Measured, Parts
from fpanon_core.studies.report_words import first_up
from pages.charts import style, words
from pages.charts.cdf import Curve, beyond, cdf
from pages.shell import definitions
from pages.shell.figure import show as show_figure
from pages.shell.layout import side_by_side, what_this_means

from .story import AT_0, HIDDEN, gap_title, judges_all, typical

_LABELLED = 3  # curves whose legend says how far people must move
_SHARES = {
    HIDDEN: "Share of people with the same fingerprint as at least k − 1 others.",
    AT_0: "Share of people whose samples match those of k − 1 others, unmoved in space and time.",
}
_CAPPED = (
    "For a typical person (the median): the mean over the matched samples, each counted up to "
    "the cap of the stretch effort."
)


def columns(table: pd.DataFrame) -> dict[str, ColumnConfig]:
    """Return the column settings of the table of profiles."""
    shares = {
        name: st.column_config.ProgressColumn(
            format="%.1f%%", min_value=0, max_value=100, help=about
        )
        for name, about in _SHARES.items()
    }
    means = {
        str(name): st.column_config.TextColumn(help=_CAPPED)
        for name in table
        if " (up to " in str(name)
    }
    return {
        **shares,
        **means,
        "Median gap": st.column_config.NumberColumn(
            format="%.3f", help="Half of the people have a k-gap of at most this value (0 to 1)."
        ),
        "90% within": st.column_config.NumberColumn(
            format="%.3f", help="Nine people in ten have a k-gap of at most this value (0 to 1)."
        ),
    }


def gaps(
    curves: Sequence[Curve],
    of: style.Theme,
    k: str,
    end: float,
    stretch: StretchConfig,
    height: int = style.MAIN_PX,
) -> go.Figure:
    """Return a figure of everyone's k-gaps up to ``end``; ``k`` is the text for k on the axis."""
    return cdf(curves, of, x_title=gap_title(k, stretch), x_range=(0.0, end), height=height)


def by_k(
    measured: Measured | None, ks: Sequence[int], order: Sequence[int], of: style.Theme
) -> list[Curve]:
    """Return a curve for each k; a curve looks the same whichever others are drawn."""
    if measured is None:
        return []
    curves = []
    for k in ks:
        at = style.place_of(k, style.K_ORDER, list(order))
        result = measured.gaps.at(k)
        name = f"k = {k}"
        label = f"{name}: typically {typical(measured, k)}" * (len(ks) <= _LABELLED)
        curves.append(Curve(name, result.values, of.categories[at], at, result.users, label))
    return curves


def by_profile(
    measured: Mapping[GeneralizationProfile, Measured],
    k: int,
    order: Sequence[GeneralizationProfile],
    of: style.Theme,
) -> list[Curve]:
    """Return a curve for each measured profile, coloured by its place in ``order``."""
    colours = style.graded(len(order), of)
    return [
        Curve(str(profile), measured[profile].gaps.at(k).values, colours[i], i)
        for i, profile in enumerate(order)
        if profile in measured
    ]


_ALT = "Share of people by the {} of their efforts in space, in time and in both"
_LOWEST_TAIL = 0.25  # the index is at least 0.29, with the 99% quantile at the third quartile


def why(measured: Measured, k: int, of: style.Theme) -> None:
    """Draw everyone's temporal share, Gini coefficient and tail weight, for one profile and k."""
    parts, stretch = measured.parts[k], measured.gaps.config
    share, at = parts.temporal_share, f"at {measured.profile}, k = {k}"
    st.subheader("Why people are hard to hide", anchor=False)
    st.markdown("**Share of time**", help=definitions.TEMPORAL_SHARE)
    show_figure(
        cdf(
            [Curve(f"{measured.profile}, k = {k}", share, of.categories[1], 1)],
            of,
            x_title="Share of the stretch effort that is time (0 = all place, 1 = all time)",
            references=usual_shares(k, stretch),
            height=style.OTHER_PX,
        ),
        key="anon_share",
        alt=f"Share of people by the part of time in their effort, {at}.",
    )
    said = temporal_share(share, k, stretch)
    what_this_means(*said, key="share", published=published_temporal_share(k, stretch))
    left, right = side_by_side("why")
    with left:
        st.markdown("**Gini coefficient**", help=definitions.GINI)
        title = "Gini coefficient of a person's efforts"
        figure = cdf(by_part(parts, "gini", of), of, x_title=title, height=style.OTHER_PX)
        show_figure(figure, key="anon_gini", alt=f"{_ALT.format('Gini coefficient')}, {at}.")
        what_this_means(*gini(parts), key="gini")
    with right:
        st.markdown("**Tail weight**", help=definitions.TAIL_WEIGHT)
        curves = by_part(parts, "tail", of)
        edge = _reach(curves)
        figure = cdf(
            curves,
            of,
            x_title="Tail weight index of a person's efforts (logarithmic)",
            x_range=(_LOWEST_TAIL, edge),
            references=REFERENCES,
            log_x=True,
            height=style.OTHER_PX,
        )
        lines = ", ".join(label for _, label in REFERENCES)
        alt = f"{_ALT.format('tail weight index')}, {at}; lines at {lines}."
        show_figure(figure, key="anon_tail", alt=alt)
        what_this_means(*tail(parts), words.beyond(beyond(curves, edge)), key="tail")


def by_part(parts: Parts, measure: str, of: style.Theme) -> list[Curve]:
    """Return a curve of a measure of the efforts in space, in time and in both."""
    return [
        Curve(label, getattr(parts, f"{measure}_{name}"), of.categories[i], i)
        for i, (name, label) in enumerate(DIMENSIONS.items())
    ]


def _reach(curves: Sequence[Curve]) -> float:
    """Return the right end of an axis that shows the references and 99% of every curve."""
    known = [each.values[np.isfinite(each.values)] for each in curves]
    return max(20.0, 1.2 * max((float(np.quantile(v, 0.99)) for v in known if len(v)), default=0.0))


DIMENSIONS = {"space": "space", "time": "time", "total": "both"}
_EXPONENTIAL = 1.636  # its tail weight (docs/science.md)
REFERENCES = ((1.0, "normal 1"), (1.6, "exponential 1.6"), (14.0, "Pareto 14"))
"""Tail weights of known distributions."""
_USUAL_SHARES = ((0.42, "taxis 42%"), (0.77, "invented 77%, published 80%"), (0.8, ""))


def temporal_share(share: FloatArray, k: int, stretch: StretchConfig) -> list[str]:
    """Say how much of people's effort is due to time."""
    if not judges_all(stretch):
        only = "place" if stretch.w_space > 0 else "time"
        return [f"In the settings, only {only} has a weight, so all of the effort is {only}."]
    defined = share[np.isfinite(share)]
    n = len(share)
    if not len(defined):
        return [f"Everyone is {k}-anonymous already: no effort is needed, in place or in time."]
    hidden = n - len(defined)
    by_time = float((defined > 0.5).mean())
    return [
        f"Time is more than half of the effort for {words.percent(by_time, n)} of people.",
        f"The median temporal share of the effort to look like {words.others(k)} is "
        f"{words.percent(float(np.median(defined)))}.",
        f"We left out those already {k}-anonymous: {words.share(hidden, n)}." if hidden else "",
    ]


def usual_shares(k: int, stretch: StretchConfig) -> tuple[tuple[float, str], ...]:
    """Return the median temporal shares of known data, with labels.

    The result is empty unless k is 2 and the stretch effort is the default.
    """
    return _USUAL_SHARES if k == 2 and stretch == StretchConfig() else ()


def published_temporal_share(k: int, stretch: StretchConfig) -> str:
    """Return what was published about temporal shares, or "" if other settings are in use."""
    if not usual_shares(k, stretch):
        return ""
    return (
        "time is 80% or more of the effort for half of the people (k = 2). This share differs "
        "between data sets: the median is 42% for the taxis, and 77% for the invented people."
    )


def gini(parts: Parts) -> list[str]:
    """Say how unequally the effort is spread over a person's samples, for the median person."""
    middle = float(np.median(parts.gini_total))
    none = {"space": int((parts.space_m == 0).sum()), "time": int((parts.time_min == 0).sum())}
    n = len(parts.space_m)
    weighed = {
        name: float(np.median(getattr(parts, f"gini_{name}")))
        for name, moved in (("space", parts.space_m), ("time", parts.time_min))
        if np.isfinite(moved).all()  # else it has no weight
    }
    return [
        f"The median is {middle:.2f}: {_spread(middle)}.",
        f"Measured separately, the median{' is' if len(weighed) == 1 else 's are'} "
        f"{' and '.join(f'{value:.2f} in {name}' for name, value in weighed.items())}.",
        *(
            f"In {name}, the samples of {words.share(count, n)} need not move; the coefficient is "
            "then 0."
            for name, count in none.items()
            if count
        ),
    ]


def tail(parts: Parts) -> list[str]:
    """Say how heavy the tail of the efforts is, and how many users have no tail weight."""
    n = len(parts.space_m)
    known = {n: int(np.isfinite(getattr(parts, f"tail_{n}")).sum()) for n in DIMENSIONS}
    found, told = [], []
    for name in ("space", "time"):
        values = getattr(parts, f"tail_{name}")
        values = values[np.isfinite(values)]
        if not len(values):
            told.append(f"In {DIMENSIONS[name]}, none of the {n:,} people has a tail weight.")
            continue
        middle, above = float(np.median(values)), int((values > _EXPONENTIAL).sum())
        found.append(f"{middle:.1f} in {DIMENSIONS[name]}")
        told.append(
            f"In {DIMENSIONS[name]}, the median tail weight lies {_place(middle)}. "
            f"{_having(known[name], n)}; for {f'{above:,}' if above else 'none'}, it is above that "
            "of an exponential distribution."
        )
    if found:
        told.insert(0, f"The median is {', '.join(found)}.")
    without = {DIMENSIONS[name]: n - count for name, count in known.items() if count < n}
    if without:
        spoken = {"both": "space and time together"}
        listed = ", ".join(f"{n:,} for {spoken.get(part, part)}" for part, n in without.items())
        told.append(
            f"People without a tail weight are not in the curves: {listed}. A quarter or more of "
            "such a person's samples take exactly the median effort (often zero), leaving no "
            "spread to measure against."
        )
    return told


def _having(count: int, n: int) -> str:
    """Return a text such as "634 of the 1,083 people (59%) have a tail weight"."""
    return first_up(f"{words.share(count, n)} {'has' if count == 1 else 'have'} a tail weight")


def _spread(gini: float) -> str:
    if gini < 0.25:
        return "a person's samples take similar effort"
    if gini < 0.6:
        return "some samples take far more effort"
    return "a few of a person's samples take nearly all of the effort"


def _place(tail: float) -> str:
    """Return where a tail weight lies among those of the reference distributions."""
    lower = [label for at, label in REFERENCES if at <= tail]
    higher = [label for at, label in REFERENCES if at > tail]
    if lower and higher:
        return f"between {_named(lower[-1])} and {_named(higher[0])}"
    return f"above {_named(lower[-1])}" if lower else f"below {_named(higher[0])}"


def _named(label: str) -> str:
    """Return a text such as "that of an exponential distribution (1.6)"."""
    name, value = label.rsplit(" ", 1)
    return f"that of {'an' if name[0] in 'aeiou' else 'a'} {name} distribution ({value})"
