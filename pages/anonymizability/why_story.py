"""What is said of why people are hard to hide: place or time, a few hard samples or all alike."""

from __future__ import annotations

import numpy as np

from fpanon_core.model.arrays import FloatArray
from fpanon_core.studies.anonymizability import Parts
from pages.charts import words

DIMENSIONS = {"space": "space", "time": "time", "total": "both"}
REFERENCES = ((1.0, "normal 1"), (1.6, "exponential 1.6"), (14.0, "Pareto 14"))
"""Tail weights of known distributions."""


def temporal_share(share: FloatArray, k: int) -> list[str]:
    """How much of everyone's effort is time."""
    defined = share[np.isfinite(share)]
    n = len(share)
    if not len(defined):
        return ["Everyone is hidden already, so there is no effort to divide."]
    hidden = n - len(defined)
    return [
        "For half of the users, time rather than place is "
        f"{words.percent(float(np.median(defined)))} or more of what it takes to hide them among "
        f"{words.others(k)}.",
        f"Left out: {words.share(hidden, n)}, hidden already." if hidden else "",
    ]


def gini(parts: Parts) -> list[str]:
    """How unequal the efforts of everyone's samples are."""
    middle = float(np.median(parts.gini_total))
    none = {"space": int((parts.space_m == 0).sum()), "time": int((parts.time_min == 0).sum())}
    n = len(parts.space_m)
    return [
        f"Half of the users have a Gini coefficient of {middle:.2f} or more for the whole effort: "
        f"{_spread(middle)}. In space the median is {float(np.median(parts.gini_space)):.2f}, in "
        f"time {float(np.median(parts.gini_time)):.2f}.",
        *(
            f"In {name}, {words.share(count, n)} {words.verb(count)} not moved at all; the "
            "coefficient is then 0."
            for name, count in none.items()
            if count
        ),
    ]


def tail(parts: Parts) -> list[str]:
    """How heavy the tail of everyone's efforts is, and for whom that is undefined."""
    time = parts.tail_time[np.isfinite(parts.tail_time)]
    n = len(parts.space_m)
    missing = {name: int(np.isnan(getattr(parts, f"tail_{name}")).sum()) for name in DIMENSIONS}
    if not len(time):
        return [_undefined(missing, n)]
    above = int((time > 1.6).sum())
    return [
        f"In time, half of the users have a tail weight of {float(np.median(time)):.1f} or more, "
        f"{_place(float(np.median(time)))}; {words.share(above, n)} {words.verb(above)} above an "
        "exponential's: a few moments of theirs are much harder to hide than the rest.",
        _undefined(missing, n),
    ]


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
    told = [f"in {DIMENSIONS[name]} for {count:,}" for name, count in missing.items() if count]
    if not told:
        return ""
    return (
        f"Tail weight is undefined {', '.join(told)} of the {n:,} users, because their third "
        "quartile is their median: a quarter or more of their samples take the same effort (often "
        "none), and there is no spread to measure the tail by. They are left out of these curves."
    )
