"""Does the one page of a release say the figures of its description, and no others of the kind?

What each sentence must say is written here anew, from the facts; nothing is taken over from what
writes the page.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

CROWDING = {"glove": "GLOVE", "aligned": "aligned"}
"""The techniques that hide everyone in a crowd, and the word that names each."""

MOST_LEFT_OUT = 0.1
"""Largest share of the people that may be left out because it costs most to hide them."""

_N = r"(\d[\d.,]*\d|\d)"
_SIZE = r"(\d[\d.,]*(?:e[+-]?\d+)? (?:k?m|min|h|days?|weeks?))"
_COUNTS = re.compile(rf"{_N} rows? of {_N} (?:person|people)(?: in {_N} groups?)?")
_LEFT_OUT = re.compile(
    rf"Left out: ([^()]*?) of the samples \({_N} of {_N}\) and ([^()]*?) of the people "
    rf"\({_N} of {_N}\)"
)
_PERIOD = re.compile(r"Period: (\S+) to (\S+), local time of (\S+)")
_CUT = re.compile(rf"{_N} pseudonyms? in {_N} periods? of (\d+ (?:day|week)s?)")
_INTO = re.compile(r"cut into periods of (\d+ (?:day|week)s?)")
_EACH = re.compile(r"in each period of (\d+ (?:day|week)s?)")
_LAST = re.compile(r"(?i)\bonly (\d+) of its (\d+) days")
_ALONE = re.compile(
    rf"{_N} of the {_N} (?:person|people|pseudonyms?) (?:has|have) rows that nobody else has"
)
_CROWD = re.compile(r"(?i)\bat least (-?[\d.,]*\d)")
_CHANCE = re.compile(r"(?i)\bchance of at most (\S+ in [\d.,]*\d)")
_PHANTOM = re.compile(r"((?:less than |more than )?\S+) of 100 rows")
_TRUE = re.compile(r"(?i)In every row's cell the person was recorded")
_WIDER = re.compile(rf"(?i)\bwider than {_SIZE}")
_LONGER = re.compile(rf"(?i)\blonger than {_SIZE}")
_FEWER = re.compile(r"(?i)\bfewer than ([\d.,]*\d)(?: people|,)")
_DRAWN = re.compile(r"((?:less than |more than )?[\d.]+ %) of the people were drawn")
_HARDEST = re.compile(r"(?i)([\d.]+) % of the people, those hardest to hide")
_COARSE = re.compile(
    rf"a cell of at most {_SIZE}, the mean of its width and height \(mean {_SIZE}\), and half as "
    rf"a time span of at most {_SIZE} \(mean {_SIZE}\)"
)
_AROUND = re.compile(r"around latitude (\S+?),? longitude (\S+)")
_LAEA = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+)")


def wrong_figures(page: str, facts: dict[str, Any]) -> list[str]:
    """What the page, its white space joined, says otherwise than the facts, by name.

    Raises
    ------
    TypeError, ValueError, KeyError, ArithmeticError
        The facts are no such facts.
    """
    verdict = facts["verified"]
    said = " ".join(str(verdict.get("text", "")).split()) if isinstance(verdict, dict) else ""
    rest = page.replace(said, " ", 1) if said else page
    wrong = [name for name, pattern, due in _sentences(facts) if pattern.findall(rest) != due]
    others = [pattern for _, pattern, _ in _sentences(facts) if pattern is not _CROWD]
    each = [] if facts.get("period_days") is None or facts["k"] is None else [_cut(facts)]
    if (
        set(_CROWD.findall(said)) - {str(facts["k"])}
        or any(of.search(said) for of in others)
        or (said and _EACH.findall(said) not in (each, []))
    ):
        wrong.append("the verdict, whose figures are others")
    return wrong


def phantom_figures(text: str, facts: dict[str, Any]) -> bool:
    """Whether a text says of the rows that are not true what the facts say, once."""
    share = facts["phantom_share"]
    return _PHANTOM.findall(text) == _phantom(share) and len(_TRUE.findall(text)) == (share == 0)


def _sentences(facts: dict[str, Any]) -> Iterator[tuple[str, re.Pattern[str], list[Any]]]:
    """Name of a figure, the pattern of its sentence, and all that the pattern must find."""
    k, rows, people, groups = (facts[name] for name in ("k", "rows", "people", "groups"))
    counts = (f"{rows:,}", f"{people:,}", "" if groups is None else f"{groups:,}")
    yield "the numbers of rows, people and groups", _COUNTS, [counts]
    gone, of = facts["samples_left_out"], facts["samples_in"]
    absent, all_people = facts["people_left_out"], people + facts["people_left_out"]
    left_out = (
        _percent(gone / of if of else 0.0), f"{gone:,}", f"{of:,}",
        _percent(absent / all_people if all_people else 0.0), f"{absent:,}", f"{all_people:,}",
    )  # fmt: skip
    yield "what is left out", _LEFT_OUT, [left_out]
    days = (facts["first_day"], facts["last_day"], facts["timezone"])
    yield "the period", _PERIOD, [] if days[0] is None else [days]
    window = facts["last_window_days"]
    last = [] if window is None else [(str(window[0]), str(window[1]))]
    yield "how much of the last window is recorded", _LAST, last
    cut = [] if facts.get("period_days") is None else [_cut(facts)]
    yield "the periods", _CUT, [
        (f"{facts['pseudonyms']:,}", f"{facts['periods']:,}", length) for length in cut
    ]  # fmt: skip
    yield "the length of the periods", _INTO, cut
    alone = [(f"{facts['people_alone']:,}", f"{facts['pseudonyms'] if cut else people:,}")]
    told = k is None and facts["people_alone"]
    yield "how many have rows of their own", _ALONE, alone if told else []
    phantom = facts["phantom_share"]
    yield "how many rows are not true", _PHANTOM, _phantom(phantom)
    always = ["In every row's cell the person was recorded"] if phantom == 0 and rows else []
    yield "that every row is true", _TRUE, always
    yield from _promised(facts, k)
    accuracy = facts.get("accuracy")
    coarse = [] if accuracy is None else [
        (_length(accuracy["median_side_m"]), _length(accuracy["mean_side_m"]),
         _duration(accuracy["median_span_min"]), _duration(accuracy["mean_span_min"]))
    ]  # fmt: skip
    yield "how coarse it is", _COARSE, coarse
    around = _LAEA.match(facts["crs"] or "")
    yield "the projection", _AROUND, [] if around is None else [around.groups()]


def _promised(facts: dict[str, Any], k: Any) -> Iterator[tuple[str, re.Pattern[str], list[Any]]]:
    steps = facts["steps"]
    gloves = [step for step in steps if step["technique"] in CROWDING]
    wide, long = ([step.get(name) for step in gloves if step.get(name) is not None]
                  for name in ("suppress_space_m", "suppress_time_min"))  # fmt: skip
    yield "the widest cell", _WIDER, [_length(metres) for metres in wide]
    yield "the longest cell", _LONGER, [window(minutes) for minutes in long]
    crowds = [str(step["k"]) for step in gloves]
    crowds += [] if k is None else [str(k), str(k)]
    yield "the crowd", _CROWD, crowds
    yield "the chance of naming", _CHANCE, [] if k is None else [f"1 in {k}"]
    fewer = [
        str(step["min_users"] if step["technique"] == "suppress_rare" else step["k"])
        for step in steps
        if step["technique"] == "suppress_rare"
        or (step["technique"] in CROWDING and facts["leftover"] is not None)
    ]
    yield "the fewest people", _FEWER, fewer
    hardest = [f"{step['leave_out'] * 100:g}" for step in gloves if step.get("leave_out")]
    yield "how many of those hardest to hide are left out", _HARDEST, hardest
    drawn = [_percent(step["share"]) for step in steps if step["technique"] == "sample_users"]
    yield "the share drawn", _DRAWN, drawn


def _phantom(share: Any) -> list[str]:
    return [_percent(share).removesuffix(" %")] if share else []


# --- numbers in words ----------------------------------------------------------------------------


def _percent(share: float) -> str:
    """To a tenth; never none of something, never all of not all."""
    if 0 < share < 5e-4:
        return "less than 0.1 %"
    if 1 > share >= 0.9995:
        return "more than 99.9 %"
    tenths = f"{share * 100:.1f}"
    return f"{tenths[:-2] if tenths.endswith('.0') else tenths} %"


def _length(metres: float) -> str:
    return f"{metres / 1000:,.4g} km" if metres >= 1000 else f"{metres:,.0f} m"


def _duration(minutes: float) -> str:
    for most, unit, name in ((60, 1, "min"), (2_880, 60, "h"), (math.inf, 1_440, "days")):
        if minutes < most:
            return f"{minutes / unit:.3g} {name}"
    raise ValueError


def _cut(facts: dict[str, Any]) -> str:
    return period(facts["period_days"])


def period(days: int) -> str:
    """The length of a period: in whole weeks, else in days."""
    unit, number = ("week", days // 7) if days % 7 == 0 else ("day", days)
    return f"{number} {unit}" + ("s" if number > 1 else "")


def window(minutes: float) -> str:
    """A span as a limit says it: in whole weeks, in whole days, else in hours or minutes."""
    weeks, days = minutes / 10_080, minutes / 1_440
    if weeks == int(weeks):
        return f"{weeks:g} week{'s' if weeks != 1 else ''}"
    if days > 1 and days == int(days):
        return f"{days:g} days"
    return f"{minutes:g} min" if minutes < 60 else f"{minutes / 60:g} h"


def side(metres: float) -> str:
    """A length as a limit says it in the name of what was done."""
    return f"{metres:g} m" if metres < 1000 else f"{metres / 1000:g} km"
