"""Numbers in words: kilometres, minutes, shares and counts, rounded to the digits they support."""

from __future__ import annotations

import math

from fpanon_core.model.budgets import clock as clock
from fpanon_core.model.release_page import count as count
from fpanon_core.model.release_page import listed
from pages.charts.plain import plain

MARKS = {
    "against": ":material/block:",
    "open": ":material/pending:",
    "for": ":material/check_circle:",
}
"""Icons of the tones of a verdict."""


def distance(metres: float) -> str:
    """Return a distance in words, such as "no distance", "350 m" or "1.7 km"."""
    if not math.isfinite(metres):
        return "an unknown distance"
    if metres < 5:
        return "no distance"
    if metres < 950:
        return f"{round(metres / 10) * 10 if metres < 100 else round(metres / 50) * 50:g} m"
    return f"{metres / 1000:.1f} km" if metres < 9950 else f"{metres / 1000:.0f} km"


def duration(minutes: float) -> str:
    """Return a duration, such as "no time", "35 minutes" or "5.2 days"."""
    if not math.isfinite(minutes):
        return "an unknown time"
    if minutes < 0.5:
        return "no time"
    if minutes < 90:
        return f"{minutes:.0f} minute{'' if round(minutes) == 1 else 's'}"
    if minutes < 48 * 60:
        return f"{round(minutes / 60, 1):g} hours"
    return f"{round(minutes / 1440, 1 if minutes < 14_400 else None):g} days"


def people(number: int) -> str:
    """Return a number of people, such as "1 person" or "2,000 people"."""
    return count(number, "person")


def share(part: int, whole: int, what: str = "person") -> str:
    """Return a share, such as "none of the 496 people" or "3 of the 496 people (0.6%)"."""
    if whole == 1:
        return f"the one {what}" if part else f"not the one {what}"
    of_all = count(whole, what)
    if part == 0:
        return f"none of the {of_all}"
    if part == whole:
        return f"all {of_all}"
    return f"{part:,} of the {of_all} ({percent(part / whole, whole)})"


def verb(count: int) -> str:
    """Return the verb "is" or "are", to go with :func:`share`."""
    return "is" if count <= 1 else "are"


def were(count: int) -> str:
    """Return the verb "was" or "were", to go with a number."""
    return "was" if count == 1 else "were"


def them(count: int) -> str:
    """Return the pronoun "it" or "them" for a number of things."""
    return "it" if count == 1 else "them"


def percent(fraction: float, whole: int = 1_000) -> str:
    """Return a percentage such as "0.6%", "31%", "99.8%" or "less than 0.1%".

    Tenths are given below 10% and above 90%, and only if ``whole`` is at least 200. The share of a
    number of things out of ``whole`` things is written as 0% or 100% only if it is exactly that.
    """
    value = 100 * fraction
    if 0 < value < 0.1:
        return "less than 0.1%"
    if 99.9 < value < 100:
        return "more than 99.9%"
    fine = (0 < value < 10 or 90 < value < 100) and whole >= 200
    return f"{value:.1f}%" if fine else f"{value:.0f}%"


def brief(text: str) -> str:
    """Return a text such as "less than 0.1%" shortened for a narrow column, such as "< 0.1%"."""
    return text.replace("less than ", "< ").replace("more than ", "> ").replace("under ", "< ")


def beyond(curves: dict[str, int]) -> str:
    """Say how many people of each curve lie beyond a figure's right edge; return "" if none do."""
    told = [f"{people(count)} (“{plain(name)}”)" for name, count in curves.items() if count]
    return f"The figure does not show {listed(told)} beyond its right edge." if told else ""


def others(k: int) -> str:
    """Return the other members of a group of k, such as "one other person" or "4 other people"."""
    return "one other person" if k == 2 else f"{k - 1} other people"


def supported(value: float, low: float, high: float) -> str:
    """Return a number with as many digits as its interval supports, never with an exponent.

    The last digit is worth at most half of the interval's width or, without a width, at most 1/500
    of the number. There are never more than nine decimals.
    """
    half = (high - low) / 2
    if not (math.isfinite(half) and half > 0):
        half = abs(value) / 500
    decimals = min(9, max(0, -math.floor(math.log10(half)))) if half > 0 else 0
    return f"{value:,.{decimals}f}"
