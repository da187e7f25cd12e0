"""Why are people hard to hide? The place or the time; a few hard samples or all (ANON §4.3)."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.charts import style, words
from pages.charts.cdf import Curve, beyond, cdf

from . import definitions
from .meaning import what_this_means
from .pair import side_by_side
from .tasks import Measured

REFERENCES = ((1.0, "normal 1"), (1.6, "exponential 1.6"), (14.0, "Pareto 14"))
_DIMENSIONS = {"space": "space", "time": "time", "total": "both"}
_LOWEST_TAIL = 0.25  # the index cannot be less than 0.29, the third quartile as far as the end


def show(measured: Measured, k: int, of: style.Theme) -> None:
    """Temporal share, Gini coefficient and tail weight of everyone, under one profile at one k."""
    st.header("The place, or the time?", anchor=False, help=definitions.TEMPORAL_SHARE)
    _temporal_share(measured, k, of)
    st.header("A few hard samples, or all alike?", anchor=False)
    left, right = side_by_side("why")
    with left:
        st.markdown("**How unequal are the efforts?** – Gini coefficient", help=definitions.GINI)
        _gini(measured, k, of)
    with right:
        st.markdown("**How heavy is the tail?** – tail weight index", help=definitions.TAIL_WEIGHT)
        _tail(measured, k, of)


def _temporal_share(measured: Measured, k: int, of: style.Theme) -> None:
    share = measured.parts[k].temporal_share
    defined = share[np.isfinite(share)]
    n = len(share)
    st.plotly_chart(
        cdf(
            [Curve(f"{measured.profile}, k = {k}", share, of.categories[1], 1)],
            of,
            x_title="Share of the stretch effort that is time (0 = all place, 1 = all time)",
            height=340,
        ),
        key="anon_share",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the share of time in their effort, at {measured.profile}, k = {k}.",
    )
    what_this_means(
        f"For half of the users, time rather than place is "
        f"{words.percent(float(np.median(defined)))} or more of what it takes to hide them among "
        f"{words.others(k)}."
        if len(defined)
        else "Everyone is hidden already, so there is no effort to divide.",
        f"Left out: {words.share(n - len(defined), n)}, hidden already."
        if 0 < len(defined) < n
        else "",
        key="share",
        published="time is 80 % or more of the effort for half of the users (k = 2).",
    )


def _gini(measured: Measured, k: int, of: style.Theme) -> None:
    parts = measured.parts[k]
    values = {name: getattr(parts, f"gini_{name}") for name in _DIMENSIONS}
    st.plotly_chart(
        cdf(
            _curves(values, of),
            of,
            x_title="Gini coefficient of a user's efforts",
            height=360,
        ),
        key="anon_gini",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the Gini coefficient of their efforts in space, in time and in "
        f"both, at {measured.profile}, k = {k}.",
    )
    middle = float(np.median(values["total"]))
    none = {"space": int((parts.space_m == 0).sum()), "time": int((parts.time_min == 0).sum())}
    n = len(parts.space_m)
    what_this_means(
        f"Half of the users have a Gini coefficient of {middle:.2f} or more for the whole effort: "
        f"{_spread(middle)}. In space the median is {float(np.median(values['space'])):.2f}, in "
        f"time {float(np.median(values['time'])):.2f}.",
        *(
            f"In {name}, {words.share(count, n)} {words.verb(count)} not moved at all; the "
            "coefficient is then 0."
            for name, count in none.items()
            if count
        ),
        key="gini",
        published="near 0.5 for nearly everyone, in time too; in space from 0 to very unequal.",
    )


def _tail(measured: Measured, k: int, of: style.Theme) -> None:
    parts = measured.parts[k]
    values = {name: getattr(parts, f"tail_{name}") for name in _DIMENSIONS}
    curves = _curves(values, of)
    edge = _reach(values)
    st.plotly_chart(
        cdf(
            curves,
            of,
            x_title="Tail weight index of a user's efforts (logarithmic)",
            x_range=(_LOWEST_TAIL, edge),
            references=REFERENCES,
            log_x=True,
            height=360,
        ),
        key="anon_tail",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the tail weight index of their efforts in space, in time and in "
        f"both, at {measured.profile}, k = {k}; reference lines at "
        + ", ".join(label for _, label in REFERENCES)
        + ".",
    )
    time = values["time"][np.isfinite(values["time"])]
    n = len(parts.space_m)
    what_this_means(
        f"In time, half of the users have a tail weight of {float(np.median(time)):.1f} or more, "
        f"{_place(float(np.median(time)))}; {words.share(int((time > 1.6).sum()), n)} "
        f"{words.verb(int((time > 1.6).sum()))} above an exponential's: a few moments of theirs "
        "are much harder to hide than the rest."
        if len(time)
        else "",
        _undefined({name: int(np.isnan(v).sum()) for name, v in values.items()}, n),
        words.beyond(beyond(curves, edge)),
        key="tail",
        published="time's tail lies between an exponential's and a heavy-tailed Pareto's, and is "
        "mostly longer than space's.",
    )


def _curves(values: dict[str, np.ndarray], of: style.Theme) -> list[Curve]:
    """One curve for each part of the effort, looking the same in every figure."""
    return [
        Curve(label, values[name], of.categories[i], i)
        for i, (name, label) in enumerate(_DIMENSIONS.items())
    ]


def _reach(values: dict[str, np.ndarray]) -> float:
    """Right edge of the axis of tail weights: the references, and 99 % of every curve."""
    ends = [np.quantile(v[np.isfinite(v)], 0.99) for v in values.values() if np.isfinite(v).any()]
    return max(20.0, 1.2 * float(max(ends, default=0.0)))


def _spread(gini: float) -> str:
    if gini < 0.25:
        return "their samples take nearly the same effort each"
    if gini < 0.6:
        return "some of their samples take much more effort than others"
    return "a few of their samples take nearly all of the effort"


def _place(tail: float) -> str:
    """Where a tail weight lies among the references."""
    lower = [label for at, label in REFERENCES if at <= tail]
    higher = [label for at, label in REFERENCES if at > tail]
    if lower and higher:
        return f"between {_named(lower[-1])} and {_named(higher[0])}"
    return f"more than {_named(lower[-1])}" if lower else f"less than {_named(higher[0])}"


def _named(label: str) -> str:
    """Such as "an exponential distribution's (1.6)"."""
    name, value = label.rsplit(" ", 1)
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name} distribution's ({value})"


def _undefined(missing: dict[str, int], n: int) -> str:
    told = [f"in {_DIMENSIONS[name]} for {count:,}" for name, count in missing.items() if count]
    if not told:
        return ""
    listed = ", ".join(told)
    return (
        f"Tail weight is undefined {listed} of the {n:,} users, because their third quartile is "
        "their median: a quarter or more of their samples take the same effort (often none), and "
        "there is no spread to measure the tail by. They are left out of these curves."
    )
